# SPDX-License-Identifier: Apache-2.0
"""``carillon build --library``: what it writes and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from carillon.cli import app

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = str(ROOT / "examples" / "beside-cmsis")
needs_compiler = pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="needs arm-none-eabi-gcc")


def carillon(*arguments: str) -> tuple[int, str]:
    """Exit code and output of a command."""
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    code, output = carillon("build", EXAMPLE, "--library", "-o", str(folder))
    assert code == 0, output
    return folder


@needs_compiler
def test_the_archive_needs_nothing_but_the_applications_functions(made: Path) -> None:
    listed = subprocess.run(["arm-none-eabi-nm", "-u", str(made / "libcarillon.a")], capture_output=True, text=True, check=True)
    assert set(re.findall(r"U (\w+)", listed.stdout)) == {"current", "speed", "position", "button"}


@needs_compiler
def test_the_archive_brings_no_start_up_code_and_no_main(made: Path) -> None:
    listed = subprocess.run(["arm-none-eabi-nm", str(made / "libcarillon.a")], capture_output=True, text=True, check=True)
    names = set(re.findall(r" [TtRrDdBb] (\w+)", listed.stdout))
    assert not names & {"main", "carillon_port_reset", "carillon_board_init", "carillon_console_put", "_write", "_sbrk"}
    assert not [name for name in names if re.fullmatch(r"carillon_(mode\d+|osek)_vectors", name)]
    assert {"TIM1_UP_TIM10_IRQHandler", "TIM3_IRQHandler", "SVC_Handler", "EXTI0_IRQHandler"} <= names


def test_no_header_declares_the_console_which_the_library_leaves_out(made: Path) -> None:
    headers = sorted(path for path in (made / "include").rglob("*") if path.is_file())
    assert headers
    assert not any("carillon_console_put" in path.read_text(encoding="utf-8") for path in headers)


@needs_compiler
def test_the_headers_include_nothing_that_is_not_beside_them(made: Path) -> None:
    for header in ("carillon/osektime.h", "carillon/work.h"):
        source = f'#include "{header}"\n'
        command = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
        command += ["-I", str(made / "include"), "-x", "c", "-"]
        said = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stderr


@needs_compiler
def test_the_notes_say_what_is_carillons(made: Path) -> None:
    notes = (made / "carillon_library.txt").read_text(encoding="utf-8")
    for row in (
        r"25 +TIM1_UP_TIM10_IRQHandler +14 +current",
        r"44 +TIM8_UP_TIM13_IRQHandler +13 +speed",
        r"6 +EXTI0_IRQHandler +15 +button, your own interrupt",
        r"-5 +SVC_Handler +0 ",
        r"TIM3 at 0x40000400, 16 bits: its clock has 84000000 Hz",
        r"TIM8 at 0x40010400, 16 bits: its clock has 168000000 Hz",
        r"The processor has 168000000 Hz, by which the start measures",
        r"the timer at 0x40000000, which starts the others",
        r"0x40023844 = 0x3",
        r"CARILLON_PLL_MULTIPLY = 168",
        r"VTOR: the system leaves it alone",
        r"switches the floating-point unit on",
    ):
        assert re.search(row, notes), row


@needs_compiler
def test_the_same_schedule_makes_the_same_library(made: Path, tmp_path: Path) -> None:
    code, output = carillon("build", EXAMPLE, "--library", "-o", str(tmp_path), "--json")
    assert code == 0
    assert json.loads(output)["archive"] == str(tmp_path / "libcarillon.a")
    for name in ("carillon.ld", "carillon_library.txt", "generated/vectors.c", "generated/tables.c"):
        assert (tmp_path / name).read_bytes() == (made / name).read_bytes()


@pytest.mark.parametrize("board", ["virtual-256", "virtual-tiny", "qemu-rv32-virt", "tc1796"])
def test_a_board_without_a_vendors_start_up_code_has_no_library(tmp_path: Path, board: str) -> None:
    schedule = tmp_path / "schedule.toml"
    schedule.write_text('[task.A]\nperiod = "1ms"\n', encoding="utf-8")
    code, output = carillon("build", str(schedule), "--library", "--board", board)
    assert code == 1
    assert "C294" in output
    assert not (tmp_path / "build").exists()


def test_a_library_is_compiled_and_not_only_generated() -> None:
    code, output = carillon("build", EXAMPLE, "--library", "--generate-only")
    assert code == 2
    assert "--library compiles" in output


def test_an_image_that_is_not_there_is_not_run(tmp_path: Path) -> None:
    code, output = carillon("run", EXAMPLE, "--elf", str(tmp_path / "none.elf"))
    assert code == 1
    assert "C209" in output
