# SPDX-License-Identifier: Apache-2.0
"""``carillon flash``: the command that a board's file names, with the files that the build has written."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from intelhex import IntelHex
from typer.testing import CliRunner

from carillon.cli import app
from carillon.resources import data_root

pytestmark = pytest.mark.skipif(shutil.which("avr-gcc") is None, reason="needs avr-gcc")

SCHEDULE = '[system]\nname = "blink"\n[task.Blink]\nperiod = "2ms"\nwcet = "10us"\n'
CODE = '#include "carillon/osektime.h"\nint table[3] = {1, 2, 3};\nvoid Blink(void)\n{\n    table[0]++;\n}\n'
UNO, PORT = ("--board", "arduino-uno"), ("--port", "/dev/ttyACM7")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An application to work in, and an empty folder ``bin`` that is searched for programs first."""
    (tmp_path / "schedule.toml").write_text(SCHEDULE, encoding="utf-8")
    (tmp_path / "main.c").write_text(CODE, encoding="utf-8")
    (tmp_path / "bin").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def programmer(folder: Path, text: str) -> None:
    """A program of the name ``avrdude``."""
    path = folder / "bin" / "avrdude"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def flash(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["flash", *arguments], env={"COLUMNS": "200"})
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("board", "options", "first"),
    [
        ("arduino-uno", "-p m328p -c arduino -b 115200", ""),
        (
            "arduino-leonardo",
            "-p m32u4 -c avr109 -b 57600",
            "Press the reset button: the boot loader listens for eight seconds.\n",
        ),
        ("arduino-mega", "-p m2560 -c wiring -b 115200", ""),
    ],
)
def test_the_command_of_a_board_is_printed_and_not_run(folder: Path, board: str, options: str, first: str) -> None:
    programmer(folder, "touch ran")
    image = f"build/{board}-carillon/blink.hex"
    code, out, _ = flash("--board", board, *PORT, "--dry-run")
    assert (code, out) == (0, f"{first}avrdude {options} -D -P /dev/ttyACM7 -U flash:w:{image}:i\n")
    assert not Path("ran").exists()


def test_the_image_that_is_flashed_is_the_elf_file_byte_for_byte(folder: Path) -> None:
    """By readers that no one here wrote; the programmer copies the file that it is given."""
    programmer(folder, 'for last; do :; done; file=${last#flash:w:}; cp "${file%:i}" flashed.hex')
    code, out, err = flash(*UNO, *PORT, "--json")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["ran"]
    elf = Path("build/arduino-uno-carillon/blink.elf")
    loaded: dict[int, int] = {}
    with elf.open("rb") as stream:
        for segment in ELFFile(stream).iter_segments("PT_LOAD"):
            loaded |= {segment["p_paddr"] + k: byte for k, byte in enumerate(segment.data())}
    flashed = IntelHex("flashed.hex").todict()
    flashed.pop("start_addr", None)
    assert flashed == loaded
    binary = IntelHex()
    binary.loadbin(str(elf.with_suffix(".bin")))
    assert {at: binary[at] for at in loaded} == loaded
    assert len(binary) == max(loaded) + 1


def test_a_programmer_that_fails_is_reported(folder: Path) -> None:
    programmer(folder, "exit 3")
    code, _, err = flash(*UNO, *PORT)
    assert code == 1
    assert "error C293: the programmer 'avrdude' ended with 3\n" in err


def test_a_programmer_that_is_missing_is_reported_with_its_package_before_anything_is_built(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(folder / "bin"))
    code, _, err = flash(*UNO, *PORT)
    assert code == 1
    assert err.startswith(
        "error C092: board 'arduino-uno' needs the programmer 'avrdude', which is not installed\n"
        "  help: on Debian: apt-get install avrdude\n"
    )
    assert not Path("build").exists()


@pytest.mark.usefixtures("folder")
def test_a_board_that_nothing_loads_is_reported() -> None:
    code, _, err = flash("--board", "virtual-256")
    assert code == 1
    assert err.startswith("error C291: nothing loads images into board 'virtual-256': its file has no [flash]\n")


def test_a_port_that_is_needed_and_not_given_is_a_wrong_command_line(folder: Path) -> None:
    programmer(folder, "exit 0")
    code, _, err = flash(*UNO)
    assert code == 2
    assert err.startswith("usage: --port is needed: the serial port at which board 'arduino-uno' is")


def changed(folder: Path, old: str, new: str) -> str:
    """A copy of the Uno's board file with another text in it."""
    path = folder / "mine" / "board.toml"
    path.parent.mkdir()
    text = (data_root() / "boards/arduino-uno/board.toml").read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new).replace('interrupts = "interrupts.toml"\n', ""), encoding="utf-8")
    return str(path)


def test_an_image_that_the_boot_loader_leaves_no_room_for_is_not_sent(folder: Path) -> None:
    programmer(folder, "touch ran")
    code, _, err = flash("--board", changed(folder, "bytes = 32_256", "bytes = 100"), *PORT)
    assert code == 1
    size = Path("build/arduino-uno-carillon/blink.bin").stat().st_size
    assert err.startswith(f"error C292: the image has {size} bytes, and board 'arduino-uno' has room for 100\n")
    assert not Path("ran").exists()


def test_a_placeholder_that_stands_for_nothing_is_reported(folder: Path) -> None:
    code, _, err = flash("--board", changed(folder, "{hex}", "{image}"), *PORT)
    assert code == 1
    assert "error C050: " in err
    assert "'command' has '{image}', and may have '{port}', '{elf}', '{hex}', '{bin}' and '{uf2}'" in err


def test_a_command_without_a_port_needs_none(folder: Path) -> None:
    """As that of a debug probe."""
    board = changed(folder, '"-P", "{port}", ', "")
    code, out, _ = flash("--board", board, "--dry-run")
    assert code == 0
    assert "{" not in out


def test_another_programmer_of_the_board_is_run_if_it_is_asked_for_by_name(folder: Path) -> None:
    board = folder / "mine" / "board.toml"
    board.parent.mkdir()
    other = '[flash.others]\nother = { command = ["loader", "{elf}"], packages = ["loaders"] }\n'
    board.write_text(f'base = "arduino-leonardo"\nname = "mine"\n{other}', encoding="utf-8")
    code, out, _ = flash("--board", "mine", "--with", "other", "--dry-run")
    assert (code, out) == (0, "loader build/mine-carillon/blink.elf\n")
    code, _, err = flash("--board", "mine", "--with", "other")
    assert code == 1
    assert (
        "error C092: board 'mine' needs the programmer 'loader', which is not installed\n  help: on Debian: apt-get install"
        in err
    )
    code, _, err = flash("--board", "mine", "--with", "othr", "--dry-run")
    assert code == 2
    assert "did you mean 'other'?" in err
    board.write_text(board.read_text(encoding="utf-8").replace("{elf}", "{self}"), encoding="utf-8")
    assert "error C050: 'flash': 'others.other.command' has '{self}'" in flash("--board", "mine", "--dry-run")[2]


def test_a_programmer_that_pipx_installs_is_asked_for_step_by_step(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has installed pipx is not told to install it."""
    monkeypatch.setenv("PATH", str(folder / "bin"))
    last = "pipx install pyocd, and pipx ensurepath if it is not in PATH then\n"
    code, _, err = flash("--board", "microbit")
    assert code == 1
    assert f"  help: on Debian: apt-get install pipx; then {last}" in err
    (folder / "bin" / "pipx").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "bin" / "pipx").chmod(0o755)
    _, _, err = flash("--board", "microbit")
    assert f"  help: {last}" in err
