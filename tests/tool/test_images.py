# SPDX-License-Identifier: Apache-2.0
"""What ``carillon build`` writes for a chip: ELF, HEX and BIN, also for a board that nothing here runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from typer.testing import CliRunner

from carillon.cli import app

ROOT = Path(__file__).resolve().parents[2]
SCHEDULE = '[system]\n[task.Blink]\nperiod = "2ms"\nwcet = "10us"\n'
CODE = """#include "carillon/osektime.h"

int table[3] = {1, 2, 3};

void Blink(void)
{
    table[0]++;
}
"""


def invoke(folder: Path, *arguments: str) -> tuple[int, str, str]:
    (folder / "schedule.toml").write_text(SCHEDULE, encoding="utf-8")
    (folder / "main.c").write_text(CODE, encoding="utf-8")
    result = CliRunner().invoke(app, [arguments[0], str(folder), *arguments[1:]], env={"COLUMNS": "200"})
    return result.exit_code, result.stdout, result.stderr


def without_run(folder: Path, name: str) -> Path:
    """A copy of a board whose file has no [run]."""
    copy = shutil.copytree(ROOT / "boards" / name, folder / name)
    text = (copy / "board.toml").read_text(encoding="utf-8").split("[run]")[0]
    (copy / "board.toml").write_text(text, encoding="utf-8")
    return copy / "board.toml"


def memory(elf: Path) -> dict[int, int]:
    """Every byte that is loaded, by its address."""
    loaded: dict[int, int] = {}
    with elf.open("rb") as stream:
        for segment in ELFFile(stream).iter_segments("PT_LOAD"):
            loaded |= {segment["p_paddr"] + k: byte for k, byte in enumerate(segment.data())}
    return loaded


def hex_memory(path: Path) -> dict[int, int]:
    """The same of an Intel HEX file."""
    loaded: dict[int, int] = {}
    base = 0
    for line in path.read_text(encoding="ascii").split():
        record = bytes.fromhex(line[1:])
        assert sum(record) % 256 == 0
        count, kind, data = record[0], record[3], record[4:-1]
        if kind == 0:
            loaded |= {base + int.from_bytes(record[1:3], "big") + k: byte for k, byte in enumerate(data[:count])}
        elif kind in (2, 4):
            base = int.from_bytes(data, "big") << (4 if kind == 2 else 16)
    return loaded


@pytest.mark.parametrize(
    ("name", "compiler"),
    [("ast1030-evb", "arm-none-eabi-gcc"), ("atmega128", "avr-gcc"), ("qemu-rv32-virt", "riscv64-unknown-elf-gcc")],
)
def test_a_board_that_nothing_runs_is_built_as_elf_hex_and_bin(tmp_path: Path, name: str, compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    board = without_run(tmp_path, name)
    code, out, err = invoke(tmp_path, "build", "--board", str(board), "--json")
    assert code == 0, out + err
    result = json.loads(out)
    expected = memory(Path(result["elf"]))
    assert hex_memory(Path(result["hex"])).items() <= expected.items()
    image = Path(result["bin"]).read_bytes()
    first = min(hex_memory(Path(result["hex"])))
    assert len(image) > 100
    assert all(image[at - first] == byte for at, byte in hex_memory(Path(result["hex"])).items())


def test_running_a_board_that_nothing_runs_says_so_before_it_compiles(tmp_path: Path) -> None:
    board = without_run(tmp_path, "ast1030-evb")
    code, _, err = invoke(tmp_path, "run", "--board", str(board))
    assert code == 1
    assert "error C192: nothing runs images for board 'ast1030-evb': its file has no [run]" in err
    assert not (tmp_path / "build").exists()


def test_a_program_of_this_machine_has_no_hex(tmp_path: Path) -> None:
    code, out, err = invoke(tmp_path, "build", "--board", "virtual-256", "--json")
    assert code == 0, out + err
    assert set(json.loads(out)) == {"elf", "flash", "vectors", "ram", "stacks", "verified", "diagnostics"}
