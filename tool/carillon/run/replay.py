# SPDX-License-Identifier: Apache-2.0
"""QEMU's record and replay: a run is recorded once, and carried out again, instruction by instruction, as often as wanted.

A debugger of the second run takes no time of it: interrupts come at the instructions at which they came in the first one.
With a disk, which holds the machine's state at the beginning, the debugger also goes backwards (QEMU, "Record/replay").
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from carillon.run.emulators import quoted

QEMU_IMG = "qemu-img"
"""The program that makes a disk, of Debian's package ``qemu-utils``."""

_DISK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Replay:
    """Where a recording is: the log of what came from outside the processor, and the disk, None where there is none."""

    log: Path
    disk: Path | None

    def counting(self, way: Literal["record", "replay"]) -> str:
        """What is behind ``-icount`` and its other parts: ``way`` is the first run, or a later one."""
        return f",rr={way},rrfile={quoted(self.log)}" + (",rrsnapshot=init" if self.disk is not None else "")

    @property
    def drive(self) -> list[str]:
        """QEMU's options for the disk."""
        return [] if self.disk is None else ["-drive", f"file={quoted(self.disk)},if=none,id=rr"]

    def prepare(self) -> None:
        """Make the empty disk of a first run."""
        if self.disk is not None:
            command = [QEMU_IMG, "create", "-q", "-f", "qcow2", str(self.disk), str(_DISK_BYTES)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def replay_in(folder: Path, rewinds: bool) -> Replay:
    """A recording in a folder, with a disk where :data:`QEMU_IMG` is installed and the board's machine ``rewinds``."""
    has_disk = rewinds and shutil.which(QEMU_IMG) is not None
    return Replay(folder / "debug.replay", folder / "debug.qcow2" if has_disk else None)


def end_of_recording() -> list[str]:
    """What tells gdb where a recording ends: QEMU goes neither back from there nor on, and gdb would wait for ever."""
    return [
        "python",
        "def said(event):",
        "    ends = isinstance(event, gdb.SignalEvent) and event.stop_signal == 'SIGQUIT'",
        "    gdb.set_convenience_variable('recording_ended', int(ends))",
        "    ends and print('The recording ends here; carillon debug --for TIME records more.')",
        "gdb.events.stop.connect(said)",
        "class GoOn(gdb.Command):",
        "    def invoke(self, argument, from_tty):",
        "        if gdb.convenience_variable('recording_ended') == 1:",
        "            raise gdb.GdbError('The recording has ended: stop before its end to go back.')",
        "GoOn('recording-goes-on', gdb.COMMAND_RUNNING)",
        "end",
        *(line for name in ("continue", "step", "stepi", "next", "nexti", "until", "finish") for line in _hook(name)),
    ]


def _hook(command: str) -> list[str]:
    return [f"define hook-{command}", "recording-goes-on", "end"]
