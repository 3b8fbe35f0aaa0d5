# SPDX-License-Identifier: Apache-2.0
"""``carillon debug``: gdb stops where main begins, in emulators; for chips, the commands are printed."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from carillon.cli import app
from carillon.resources import data_root

pytestmark = [
    pytest.mark.compiles,  # a debugger needs what the tests' own builds leave out
    pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="needs arm-none-eabi-gcc"),
]

SCHEDULE = '[system]\nname = "blink"\n[task.Blink]\nperiod = "2ms"\nwcet = "10us"\n'
CODE = '#include "carillon/osektime.h"\nint turns = 41;\nvoid Blink(void)\n{\n    turns++;\n}\n'
BATCH = ("backtrace 1", "break Blink", "continue", "backtrace 1", "print turns")
ENDLESS = "void Late(void)\n{\n    for (;;) {\n    }\n}\n"
LATE = ("tbreak Late", "continue", "print turns", "continue", "backtrace 1")
HALT = ["break carillon_port_halt", "break carillon_port_unexpected"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An application to work in."""
    (tmp_path / "schedule.toml").write_text(SCHEDULE, encoding="utf-8")
    (tmp_path / "main.c").write_text(CODE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def debug(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["debug", *arguments], env={"COLUMNS": "200"})
    return result.exit_code, result.stdout, result.stderr


def commands(*texts: str) -> list[str]:
    """The options that carry out these commands of gdb."""
    return [part for text in texts for part in ("--command", text)]


def needs(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("board", "programs"),
    [
        ("mps2-an385", ("gdb-multiarch", "qemu-system-arm")),
        ("ast1030-evb", ("gdb-multiarch", "qemu-system-arm")),
        ("atmega128", ("avr-gdb", "simavr", "avr-gcc")),
    ],
)
def test_gdb_stops_where_main_begins_and_then_where_it_is_told(
    board: str, programs: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    needs(*programs)
    code, _, err = debug("--board", board, *commands(*BATCH))
    said = capfd.readouterr().out
    assert code == 0, err
    assert re.search(r"^#0 .*main \(\) at ", said, re.MULTILINE), said
    assert re.search(r"^#0 .*Blink \(\) at main.c:5$", said, re.MULTILINE), said
    assert "$1 = 41" in said
    assert not Path(f"build/{board}-carillon/gdb.socket").exists()


@pytest.mark.usefixtures("folder")
def test_a_stop_does_not_move_the_time_to_the_next_expiry(capfd: pytest.CaptureFixture[str]) -> None:
    needs("gdb-multiarch", "qemu-system-arm")
    counter = "print *(unsigned *)0x40028018"  # of FPGAIO, with 25 MHz: the second expiry is at 50,000
    read: list[int] = []
    while len(read) < 5 and not any(now < 40_000 for now in read):  # on a busy host, a stop may take longer than a period
        code, _, err = debug("--board", "mps2-an385", *commands("tbreak Blink", "continue", counter))
        assert code == 0, err
        read += [int(now) for now in re.findall(r"^\$1 = (\d+)$", capfd.readouterr().out, re.MULTILINE)]
    assert min(read) < 40_000, read


@pytest.mark.parametrize("trace", ["", "[trace]\nring = 64\n"])
def test_the_first_continue_misses_no_deadline_and_a_stop_of_the_image_ends_it(
    folder: Path, trace: str, capfd: pytest.CaptureFixture[str]
) -> None:
    needs("gdb-multiarch", "qemu-system-arm")
    watched = SCHEDULE + 'deadline = "14us"\nmonitor = "always"\n' + trace
    (folder / "schedule.toml").write_text(watched, encoding="utf-8")
    code = CODE.replace("int turns", "void Late(void);\nint turns")
    code = code.replace("turns++;", "if (++turns == 51) {\n        Late();\n    }")
    (folder / "main.c").write_text(code + ENDLESS, encoding="utf-8")
    # At the tenth job, no deadline has been missed.  Then the program is held back, and stops, which gdb is told.
    ended, _, err = debug("--board", "mps2-an385", *commands(*LATE))
    said = capfd.readouterr().out
    assert ended == 0, err
    assert "$1 = 51" in said
    assert re.search(r"^#0 .*carillon_port_halt", said, re.MULTILINE), said


@pytest.mark.usefixtures("folder")
def test_the_commands_of_an_emulator_are_printed_and_not_run() -> None:
    code, out, _ = debug("--board", "mps2-an385", "--dry-run")
    assert code == 0
    server, debugger, *script = out.splitlines()
    socket = "build/mps2-an385-carillon/gdb.socket"
    assert server.startswith("qemu-system-arm -M mps2-an385 ")
    assert " -icount shift=3,sleep=on " in server  # with sleep=off, a stop would move the time to the next expiry
    assert server.endswith(f" -kernel build/mps2-an385-carillon/blink.elf -S -gdb unix:{socket},server=on,wait=off")
    assert debugger.endswith(" -q -x build/mps2-an385-carillon/debug.gdb build/mps2-an385-carillon/blink.elf")
    assert script == ["set confirm off", f"target remote {socket}", *HALT, "tbreak main", "continue"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("board", "options", "server"),
    [
        ("stm32f4-discovery", (), "openocd -f board/stm32f4discovery.cfg"),
        ("nucleo-f429zi", (), "openocd -f board/st_nucleo_f4.cfg"),
        ("raspberry-pi-pico", (), "openocd -f interface/cmsis-dap.cfg -f target/rp2040.cfg -c 'adapter speed 5000'"),
        ("microbit", ("--chip",), "pyocd gdbserver --target nrf51"),
    ],
)
def test_the_commands_of_a_chip_are_printed(board: str, options: tuple[str, ...], server: str) -> None:
    code, out, err = debug("--board", board, *options, "--dry-run")
    assert code == 0, err
    found, _, *script = out.splitlines()
    assert found == server
    assert script[1:5] == ["set tcp connect-timeout 20", "target extended-remote localhost:3333", "monitor reset halt", "load"]
    assert script[5:] == ["monitor reset halt", "tbreak main", "continue"]  # a chip has few breakpoints


@pytest.mark.usefixtures("folder")
def test_the_keys_of_the_answer_are_those_of_the_specification() -> None:
    code, out, _ = debug("--board", "mps2-an385", "--dry-run", "--json")
    assert code == 0
    spec = (data_root() / "docs" / "SPEC.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| `debug` \|(.*)\|$", spec, re.MULTILINE)
    assert set(json.loads(out)) == {*re.findall(r"`(\w+)`", row), "diagnostics"}


@pytest.mark.usefixtures("folder")
def test_a_board_without_a_debugger_is_refused() -> None:
    code, _, err = debug("--board", "virtual-256", "--dry-run")
    assert code == 1
    assert "error C308: no debugger gets at board 'virtual-256'" in err
    code, _, err = debug("--board", "mps2-an385", "--chip", "--dry-run")
    assert code == 1
    assert "error C308: the file of board 'mps2-an385' does not say how a debugger gets at the chip" in err


def test_missing_programs_are_reported_with_their_packages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder / "bin"))
    code, _, err = debug("--board", "stm32f4-discovery")
    assert code == 1
    assert "error C092: board 'stm32f4-discovery' needs the debugger 'gdb-multiarch', which is not installed" in err
    assert "  help: on Debian: apt-get install gdb-multiarch\n" in err
    assert "error C092: board 'stm32f4-discovery' needs the server 'openocd', which is not installed" in err
    assert not Path("build").exists()


def test_a_server_that_does_not_listen_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = folder / "bin"
    programs.mkdir()
    for name in ("qemu-system-arm", "gdb-multiarch"):
        (programs / name).write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CARILLON_QEMU", raising=False)
    code, out, _ = debug("--board", "mps2-an385", "--json")
    assert code == 1
    (found,) = json.loads(out)["diagnostics"]
    assert found["code"] == "C095"
    assert found["cause"].endswith("does not listen for gdb")
