# SPDX-License-Identifier: Apache-2.0
"""One image in QEMU as it is installed and in QEMU 10: what happened, and when, is the same to the instruction.

scripts/qemu10.sh unpacks QEMU 10 into build/qemu10, or CARILLON_QEMU10 names a folder of its programs.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from laboratory import AST, MPS, ROOT, RV32, Laboratory

from carillon.diagnostics import Diagnostics
from carillon.run import record
from carillon.run.emulators import EMULATORS
from carillon.run.entries import Code

OTHER = Path(os.environ.get("CARILLON_QEMU10") or ROOT / "build/qemu10/usr/bin")
PROGRAM = OTHER / "qemu-system-arm"
needs_both = pytest.mark.skipif(not PROGRAM.is_file(), reason="QEMU 10 is not here: scripts/qemu10.sh")

APPLICATIONS = [
    ("examples/three-tasks", AST, 3 * 50_000),
    ("bench/minimal", MPS, 500_000),
    ("examples/modes", AST, 500_000),
    ("bench/dispatch", AST, 500_000),
    ("bench/lowered", AST, 500_000),
    ("examples/engine", AST, 500_000),
    ("examples/osek-blinky", AST, 2_000_000),
    ("examples/osek-blinky", RV32, 2_000_000),
    ("examples/mixed-mode", AST, 500_000),
]


def emulator_version(program: str) -> str:
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True, timeout=60).stdout.split()[3]


@needs_both
def test_the_other_emulator_is_another_version() -> None:
    assert emulator_version(str(PROGRAM)).split(".")[0] == "10"
    assert emulator_version("qemu-system-arm") != emulator_version(str(PROGRAM))


@needs_both
@pytest.mark.parametrize(("application", "board", "ticks"), APPLICATIONS)
def test_every_record_is_the_same_in_both(
    lab: Laboratory, monkeypatch: pytest.MonkeyPatch, application: str, board: str, ticks: int
) -> None:
    planned, firmware = lab.firmware(ROOT / application / "schedule.toml", board)
    recordings = []
    for folder in ("", str(OTHER)):
        monkeypatch.setenv(EMULATORS, folder)
        recordings.append(record(planned.image, firmware, ticks, Diagnostics()))
    assert recordings[0] is not None
    assert len([r for r in recordings[0].records if r.code in (Code.ENTER, Code.CALL)]) > 5
    assert recordings[0] == recordings[1]


def test_a_folder_without_the_emulator_is_named(lab: Laboratory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    planned, firmware = lab.firmware(ROOT / "examples/three-tasks/schedule.toml", AST)
    monkeypatch.setenv(EMULATORS, str(tmp_path))
    diagnostics = Diagnostics()
    assert record(planned.image, firmware, 1000, diagnostics) is None
    assert [(d.code, d.cause) for d in diagnostics.reported] == [
        ("C092", f"board 'ast1030-evb' needs 'qemu-system-arm', which is not in '{tmp_path}'")
    ]


MAIN = "[osek.task.Main]\npriority = 1\nautostart = true\n"
FAILED = "look at the application's own code"
ENDS = "look for what ends the program in the application's own code: a call of exit, say"
ENDINGS = {
    "code that the plugin does not know": (
        RV32,
        # A return, in memory.
        "static uint32_t code[] = {0x00008067u};\nTASK(Main) { ((void (*)(void))code)(); TerminateTask(); }",
        r"the run failed \(exit code 1\): carillon: code at 0x804[0-9a-f]{5}, outside the code region",
        FAILED,
    ),
    "the machine is switched off": (
        RV32,
        "TASK(Main) { *(volatile uint32_t *)0x100000 = 0x5555u; for (;;) { } }",
        r"the run failed \(exit code 1\): carillon: the emulator ended before the run did",
        FAILED,
    ),
    "the processor sleeps for ever": (
        "atmega128",
        '#include <avr/sleep.h>\nTASK(Main) { __asm__("cli"); sleep_mode(); for (;;) { } }',
        r"the run failed \(exit code 1\): carillon: the processor sleeps with interrupts off",
        FAILED,
    ),
    "the program ends": (
        "virtual-256",
        "#include <stdlib.h>\nTASK(Main) { exit(0); }",
        r"the run ended before its time \(exit code 0\): nothing was said",
        ENDS,
    ),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_run_that_ends_before_its_time_is_an_error_that_says_why(lab: Laboratory, ending: str) -> None:
    board, code, cause, remedy = ENDINGS[ending]
    planned, firmware = lab.firmware(lab.write(MAIN, code), board)
    diagnostics = Diagnostics()
    assert record(planned.image, firmware, 100_000, diagnostics) is None
    assert [(d.code, d.remedy) for d in diagnostics.reported] == [("C095", remedy)]
    assert re.fullmatch(cause, diagnostics.reported[0].cause)


def test_a_run_that_the_firmware_halts_is_whole(lab: Laboratory) -> None:
    for board in (RV32, "atmega128", "virtual-256"):
        planned, firmware = lab.firmware(lab.write(MAIN, "TASK(Main) { ShutdownOS(E_OK); }"), board)
        recording = record(planned.image, firmware, 100_000, Diagnostics())
        assert recording is not None
        assert recording.records[-1].code == Code.HALT


def children(process: int) -> dict[int, str]:
    """The processes that a process started and their programs."""
    found = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, _, rest = status.read_text(encoding="utf-8").partition(" (")
            program, _, fields = rest.rpartition(") ")
        except OSError:  # it has ended meanwhile
            continue
        if fields.split()[1] == str(process) and fields[0] != "Z":
            found[int(number)] = program
    return found


def ended(process: int) -> bool:
    """Whether a process has ended, though nobody may have asked how."""
    try:
        return "\nState:\tZ" in Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:
        return True


@pytest.mark.parametrize(
    ("board", "program"), [(AST, "qemu-system-arm"), ("atmega128", "simavr_runner-"), ("virtual-256", "osek-blinky.elf")]
)
def test_an_emulator_ends_with_the_tool(board: str, program: str, tmp_path: Path) -> None:
    """Also if the tool is killed, which can do nothing about it then."""
    command = [str(ROOT / ".venv/bin/carillon"), "run", str(ROOT / "examples/osek-blinky"), "--board", board, "--for", "100000s"]
    with subprocess.Popen([*command, "--out", str(tmp_path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as tool:
        running: list[int] = []
        while not running and tool.poll() is None:  # as long as it plans and builds
            running = [number for number, name in children(tool.pid).items() if name.startswith(program[:15])]
            time.sleep(0.01)
        tool.kill()
        tool.wait()
    assert len(running) == 1
    for _ in range(6000):
        if ended(running[0]):
            return
        time.sleep(0.01)
    pytest.fail(f"{program} goes on")
