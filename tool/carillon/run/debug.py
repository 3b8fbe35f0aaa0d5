# SPDX-License-Identifier: Apache-2.0
"""``carillon debug``: the commands of a session of gdb with an emulator, or with the server that a board's ``[debug]`` names."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from carillon import c_names
from carillon.build import Firmware
from carillon.build.flash import way_to_install
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.image import Image
from carillon.model.board import Board
from carillon.run import warmed
from carillon.run.emulators import installed_qemu

GDB = "gdb-multiarch"
"""The debugger, and Debian's package with it."""

SIMAVR, SIMAVR_PORT = "simavr", 1234
"""The program of simavr that listens for gdb, and where, which cannot be chosen."""

_STANDARD_ERROR = 2
BEGIN = "main"
"""Where a session begins."""

SOCKET = "gdb.socket"
_LONGEST_SOCKET = 100
"""A little less than the name of a socket may be long."""
_PATIENCE = 20
"""Seconds for a server to begin to listen, and to end."""


@dataclass(frozen=True, slots=True)
class Session:
    """A server and a debugger.  ``socket`` is what the server listens at, None if it is a port; ``script`` is gdb's."""

    server: list[str]
    debugger: list[str]
    script: Path
    text: str
    socket: Path | None


def debugger(board: Board) -> tuple[str, str]:
    """The gdb for a board's processor, and Debian's package with it: the compiler's own, or the one for most processors."""
    if board.port == "avr":  # Debian's gdb-multiarch does not have it
        return "avr-gdb", "gdb-avr"
    own = board.build.compiler.removesuffix("gcc") + "gdb"
    return (own if own not in ("gdb", board.build.compiler) and shutil.which(own) is not None else GDB), GDB


def on_chip(board: Board, chip: bool, diagnostics: Diagnostics) -> bool | None:
    """Whether the session is with the chip and not with an emulator; None after C308 if there is neither.

    The program of simavr has no external memory.
    """
    emulated = board.run is not None and (board.run.kind == "qemu" or (board.run.kind == "simavr" and not board.run.ram_end))
    if emulated and not chip:
        return False
    if board.debug is not None:
        return True
    if emulated:
        cause = f"the file of board '{board.name}' does not say how a debugger gets at the chip"
        remedy = "write [debug] with the 'server' for gdb, or leave --chip out: the emulator has one"
    else:
        cause = f"no debugger gets at board '{board.name}': its file has no [debug], and it is not run by QEMU or simavr"
        remedy = 'write [debug] with the \'server\' for gdb, as ["openocd", "-f", "board.cfg"], or choose another board'
    diagnostics.error("C308", None, cause, remedy)
    return None


def installed(board: Board, chip: bool, diagnostics: Diagnostics) -> bool:
    """Whether the debugger and the server are in the search path; reports C092 for each that is not."""
    gdb, package = debugger(board)
    if shutil.which(gdb) is None:
        diagnostics.lacking(f"board '{board.name}' needs the debugger '{gdb}', which is not installed", [package])
    if chip:
        assert board.debug is not None
        server, packages = board.debug.server[0], board.debug.packages
        if shutil.which(server) is None:
            remedy = way_to_install(server, packages)
            diagnostics.error("C092", None, f"board '{board.name}' needs the server '{server}', which is not installed", remedy)
    elif board.run is not None and board.run.kind == "qemu":
        installed_qemu(board, board.run, diagnostics)
    elif shutil.which(SIMAVR) is None:
        diagnostics.lacking(f"board '{board.name}' needs '{SIMAVR}', which is not installed", [SIMAVR])
    return not diagnostics.errors


def session(
    image: Image, firmware: Firmware, folder: Path, chip: bool, commands: Sequence[str], diagnostics: Diagnostics
) -> Session | None:
    """The commands of a session; None after C095 for an image that starts no task.

    The session begins in ``main``, where no cell counts yet: a stop takes time in QEMU, and a chip's timers go on.
    ``commands``: gdb carries them out there, and ends; without, its user goes on there.  An image that stops is at a breakpoint.
    """
    board = image.system.board
    table = symbols(firmware.elf)
    if not any(name in table for name in _entries(image)):
        cause = "the image has no task's function"
        diagnostics.error("C095", None, cause, "write a task that the application starts")
        return None
    socket, server = None, []
    if chip:
        assert board.debug is not None
        server = list(board.debug.server)
        lines = [f"set tcp connect-timeout {_PATIENCE}", f"target extended-remote localhost:{board.debug.port}"]
        lines += ["monitor reset halt", "load", "monitor reset halt"]
    elif board.run is not None and board.run.kind == "simavr":
        clock = board.clock(image.system.clock_hz)
        server = [SIMAVR, "-m", *board.run.command, "-f", str(clock.hz * clock.instructions_per_tick), "-g", str(firmware.elf)]
        lines = [f"set tcp connect-timeout {_PATIENCE}", f"target remote localhost:{SIMAVR_PORT}"]
    else:
        socket = _socket(folder)
        server = _qemu(image, firmware, socket, table)
        lines = [f"target remote {socket}"]
    # An emulator has any number of breakpoints, and an image that has stopped would let gdb wait for ever.
    ends = () if chip else tuple(name for name in ("carillon_port_halt", "carillon_port_unexpected") if name in table)
    lines = ["set confirm off", *lines, *(f"break {name}" for name in ends), f"tbreak {BEGIN}", "continue"]
    script = folder / "debug.gdb"
    line = [debugger(board)[0], "-q", *(("-batch", "-nx") if commands else ()), "-x", str(script)]
    for command in commands:
        line += ["-ex", command]
    return Session(server, [*line, str(firmware.elf)], script, "\n".join(lines) + "\n", socket)


def _entries(image: Image) -> list[str]:
    """The functions of the tasks, in the schedule's order."""
    names = [task.entry for task in image.system.tasks]
    return names + [c_names.task(task.name) for task in (image.system.osek.tasks if image.system.osek is not None else ())]


def _socket(folder: Path) -> Path:
    """A socket in the build folder, by a name that is short enough: from the working folder if that is shorter."""
    full = (folder / SOCKET).resolve()
    short = Path(os.path.relpath(full))
    return short if len(str(short)) <= _LONGEST_SOCKET else full


def _qemu(image: Image, firmware: Firmware, socket: Path, table: dict[str, tuple[int, int]]) -> list[str]:
    """QEMU's command, which waits for gdb before the first instruction.  Its time is counted by instructions, as in a run.

    With ``sleep=off`` as in a run, each stop would move the time to the next expiry of a timer: a stopped processor is idle.
    With ``sleep=on`` a stop while a cell counts takes what the host needs for it, some tens of microseconds (QEMU 7.2).  The
    processor counts as idle until QEMU's main loop has stopped the machine, and again until it has started it.
    """
    board = image.system.board
    assert board.run is not None
    clock = board.clock(image.system.clock_hz)
    return [
        *board.run.command,
        *("-nodefaults", "-display", "none", "-monitor", "none", "-serial", "stdio"),
        *("-icount", f"shift={clock.qemu_shift},sleep=on"),
        *("-kernel", str(firmware.elf)),
        *warmed(image, board.run, table)[1],
        *("-S", "-gdb", f"unix:{socket},server=on,wait=off"),
    ]


def converse(made: Session, board: Board, quiet: bool, diagnostics: Diagnostics) -> int | None:
    """Start the server and the debugger, and end the server when the debugger ends; the debugger's exit code.

    ``quiet``: standard output is for one JSON object.  None after C095 if the server ended, or did not begin to listen.
    """
    made.script.write_text(made.text, encoding="utf-8")
    if made.socket is not None:
        made.socket.unlink(missing_ok=True)
    said = _STANDARD_ERROR if quiet else None
    command = made.server
    if made.socket is not None and board.run is not None:
        command = [installed_qemu(board, board.run, diagnostics) or command[0], *command[1:]]
    # In a session of its own: an interrupt from the keyboard is for gdb, which stops the processor.
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, start_new_session=True)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        if made.socket is not None and not _listens(made.socket, server):
            diagnostics.error("C095", None, f"'{command[0]}' does not listen for gdb", "it says why above")
            return None
        return subprocess.run(made.debugger, stdout=said, check=False, preexec_fn=_interruptible).returncode
    finally:
        signal.signal(signal.SIGINT, before)
        _end(server)
        if made.socket is not None:
            made.socket.unlink(missing_ok=True)


def _interruptible() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _listens(socket: Path, server: subprocess.Popen[bytes]) -> bool:
    """Wait until the server listens; False if it ends before, or takes too long."""
    until = time.monotonic() + _PATIENCE
    while not socket.is_socket():
        if server.poll() is not None or time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def _end(server: subprocess.Popen[bytes]) -> None:
    """End a server: gently, and by force if that does not help."""
    server.terminate()
    try:
        server.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
