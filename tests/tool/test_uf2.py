# SPDX-License-Identifier: Apache-2.0
"""UF2 files, read back by the format's own reader."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from adafruit_uf2 import uf2conv
from elftools.elf.elffile import ELFFile
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from carillon.build.uf2 import PAGE, SECTOR, encode
from carillon.cli import app
from carillon.resources import data_root

RP2040 = 0xE48BFF56
FLASH = 0x10000000
PIECES = st.lists(st.tuples(st.integers(0, 40_000), st.binary(min_size=1, max_size=3 * SECTOR)), min_size=1, max_size=5)


def read(file: bytes) -> tuple[int, bytes]:
    """Where the file begins, and what is there, with zeros in gaps between blocks."""
    uf2conv.familyid = RP2040
    content = uf2conv.convert_from_uf2(file)
    return uf2conv.appstartaddr, content


@given(PIECES)
def test_what_is_loaded_is_read_back_and_the_rest_of_its_sectors_is_erased(pieces: list[tuple[int, bytes]]) -> None:
    expected: dict[int, int] = {}
    for offset, content in pieces:
        expected |= {FLASH + offset + k: byte for k, byte in enumerate(content)}
    sectors = {at // SECTOR for at in expected}
    start, content = read(encode([(FLASH + offset, content) for offset, content in pieces], RP2040))
    assert start == min(sectors) * SECTOR
    assert len(content) == (max(sectors) - min(sectors) + 1) * SECTOR
    for k, byte in enumerate(content):
        at = start + k
        assert byte == expected.get(at, 0xFF if at // SECTOR in sectors else 0)


@given(PIECES)
def test_blocks_are_numbered_and_each_has_a_page_of_flash(pieces: list[tuple[int, bytes]]) -> None:
    file = encode([(FLASH + offset, content) for offset, content in pieces], RP2040)
    blocks = [file[at : at + 512] for at in range(0, len(file), 512)]
    for number, block in enumerate(blocks):
        words = [int.from_bytes(block[at : at + 4], "little") for at in range(0, 32, 4)]
        assert words[2:8] == [0x2000, words[3], PAGE, number, len(blocks), RP2040]
        assert words[3] % PAGE == 0


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An application to work in, and a board whose image is a UF2 file, too."""
    (tmp_path / "schedule.toml").write_text('[system]\nname = "blink"\n[task.Blink]\nperiod = "2ms"\n', encoding="utf-8")
    (tmp_path / "main.c").write_text("int table[3] = {1, 2, 3};\nvoid Blink(void)\n{\n    table[0]++;\n}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    shutil.copytree(data_root() / "boards/ast1030-evb", tmp_path / "board")
    path = tmp_path / "board/board.toml"
    flash = f'\n[flash]\ncommand = ["picotool", "load", "-x", "{{uf2}}"]\nuf2_family = {RP2040}\ndrive = "RPI-RP2"\n'
    path.write_text(path.read_text(encoding="utf-8") + flash, encoding="utf-8")
    return str(path)


@pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="needs arm-none-eabi-gcc")
def test_the_build_writes_the_elf_files_bytes_and_flash_names_the_file(board: str) -> None:
    result = CliRunner().invoke(app, ["flash", "--board", board, "--dry-run"])
    assert result.exit_code == 0, result.stderr
    (folder,) = Path("build").iterdir()
    image = folder / "blink.uf2"
    assert result.stdout.split() == ["picotool", "load", "-x", str(image)]
    start, content = read(image.read_bytes())
    with (folder / "blink.elf").open("rb") as stream:
        segments = [(s["p_paddr"], s.data()) for s in ELFFile(stream).iter_segments("PT_LOAD") if s["p_filesz"]]
    assert segments
    assert all(content[at - start : at - start + len(data)] == data for at, data in segments)
    image.unlink()
    built = CliRunner().invoke(app, ["build", "--board", board, "--json"])
    assert Path(json.loads(built.stdout)["uf2"]).read_bytes() == image.read_bytes()


def test_without_the_programmer_the_drive_is_named(board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    result = CliRunner().invoke(app, ["flash", "--board", board])
    assert result.exit_code == 1
    assert "needs the programmer 'picotool', which is not installed" in result.stderr
    assert "or build the image, and copy the UF2 file to the drive RPI-RP2" in result.stderr


def test_a_uf2_file_of_no_family_is_reported(board: str) -> None:
    path = Path(board)
    path.write_text(path.read_text(encoding="utf-8").replace(f"uf2_family = {RP2040}\n", ""), encoding="utf-8")
    result = CliRunner().invoke(app, ["flash", "--board", board])
    assert result.exit_code == 1
    assert "'command' has '{uf2}', and there is no 'uf2_family'" in result.stderr
