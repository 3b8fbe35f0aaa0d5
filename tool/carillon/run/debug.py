# SPDX-License-Identifier: Apache-2.0
"""``carillon debug``: the commands of a session of gdb with an emulator, or with the server that a board's ``[debug]`` names."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socketserver
import subprocess
import sys
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
from carillon.run import record, warmed
from carillon.run.emulators import found_emulator, installed_qemu, qemu_machine
from carillon.run.replay import Replay, end_of_recording, replay_in

GDB = "gdb-multiarch"
"""The debugger, and Debian's package with it."""

_STANDARD_ERROR = 2
_PR_SET_PDEATHSIG = 1  # prctl(2)
BEGIN = "main"
"""Where a session begins."""

SOCKET = "gdb.socket"
_LONGEST_SOCKET = 100
"""A little less than the name of a socket may be long."""
_PATIENCE = 20
"""Seconds for a server to begin to listen, and to end."""


@dataclass(frozen=True, slots=True)
class Session:
    """A server and a debugger.  ``server`` is empty where gdb starts the program itself; ``script`` is gdb's.

    ``socket`` is what the server listens at, None if it is a port.  ``replay``: what the server plays, recorded before.
    """

    server: list[str]
    debugger: list[str]
    script: Path
    text: str
    socket: Path | None = None
    replay: Replay | None = None


def debugger(board: Board) -> tuple[str, str]:
    """The gdb for a board's processor, and Debian's package with it: the compiler's own, or the one for most processors."""
    if board.port == "avr":  # Debian's gdb-multiarch does not have it
        return "avr-gdb", "gdb-avr"
    own = board.build.compiler.removesuffix("gcc") + "gdb"
    return (own if own not in ("gdb", board.build.compiler) and shutil.which(own) is not None else GDB), GDB


def on_chip(board: Board, chip: bool, diagnostics: Diagnostics) -> bool | None:
    """Whether the session is with the chip and not with an emulator; None after C308 if there is neither."""
    if board.run is not None and not chip:
        return False
    if board.debug is not None:
        return True
    remedy = 'write [debug] with the \'server\' for gdb, as ["openocd", "-f", "board.cfg"], or choose another board'
    if board.run is not None:
        cause = f"the file of board '{board.name}' does not say how a debugger gets at the chip"
        remedy = "write [debug] with the 'server' for gdb, or leave --chip out: the emulator has one"
    else:
        cause = f"no debugger gets at board '{board.name}': its file has neither [debug] nor an emulator in [run]"
    diagnostics.error("C308", None, cause, remedy)
    return None


def installed(board: Board, chip: bool, diagnostics: Diagnostics) -> bool:
    """Whether the debugger and a chip's server are in the search path; reports C092 for each that is not."""
    gdb, package = debugger(board)
    if shutil.which(gdb) is None:
        diagnostics.lacking(f"board '{board.name}' needs the debugger '{gdb}', which is not installed", [package])
    if chip:
        assert board.debug is not None
        server, packages = board.debug.server[0], board.debug.packages
        if shutil.which(server) is None:
            remedy = way_to_install(server, packages)
            diagnostics.error("C092", None, f"board '{board.name}' needs the server '{server}', which is not installed", remedy)
    return not diagnostics.errors


def session(
    image: Image,
    firmware: Firmware,
    folder: Path,
    chip: bool,
    commands: Sequence[str],
    diagnostics: Diagnostics,
) -> Session | None:
    """The commands of a session; None after C095 for an image that starts no task, C092 or C093 without its emulator.

    The session begins in ``main``, where no cell counts yet: a chip's timers go on while it is stopped.
    ``commands``: gdb carries them out there, and ends; without, its user goes on there.  An image that stops is at a breakpoint.
    """
    board = image.system.board
    table = symbols(firmware.elf)
    if not any(name in table for name in _entries(image)):
        cause = "the image has no task's function"
        diagnostics.error("C095", None, cause, "write a task that the application starts")
        return None
    script = folder / "debug.gdb"
    line = [debugger(board)[0], "-q", *(("-batch", "-nx") if commands else ()), "-x", str(script)]
    for command in commands:
        line += ["-ex", command]
    # An emulator has any number of breakpoints, and an image that has stopped would let gdb wait for ever.
    ends = [f"break {name}" for name in ("carillon_port_halt", "carillon_port_unexpected") if name in table]
    if chip:
        assert board.debug is not None
        lines = [_BARE, _PATIENT, f"target extended-remote localhost:{board.debug.port}"]
        lines += ["monitor reset halt", "load", "monitor reset halt"]
        served, ends = _Served(list(board.debug.server), lines), []
    else:
        assert board.run is not None
        if board.run.kind == "native":  # a program of this machine, whose time is what its code counts, and stands with it
            found: _Served | None = _Served([], [], begin="run")
        elif board.run.kind == "qemu":
            found = _qemu(image, firmware, folder, diagnostics)
        else:
            found = _own(image, firmware, diagnostics)
        if found is None:
            return None
        served = found
    text = "\n".join(["set confirm off", *served.lines, *ends, f"tbreak {BEGIN}", served.begin]) + "\n"
    return Session(served.command, [*line, str(firmware.elf)], script, text, served.socket, served.replay)


@dataclass(frozen=True, slots=True)
class _Served:
    """A server's command, and what gdb does to reach it."""

    command: list[str]
    lines: list[str]
    socket: Path | None = None
    replay: Replay | None = None
    begin: str = "continue"


_PATIENT = f"set tcp connect-timeout {_PATIENCE}"
"""gdb waits for a server to begin to listen."""
_BARE = "set osabi none"
"""For Linux, gdb's own, it would work out where an instruction of RISC-V leads, and not know of mret and of interrupts."""


def _entries(image: Image) -> list[str]:
    """The functions of the tasks, in the schedule's order."""
    names = [task.entry for task in image.system.tasks]
    return names + [c_names.task(task.name) for task in (image.system.osek.tasks if image.system.osek is not None else ())]


def _socket(folder: Path) -> Path:
    """A socket in the build folder, by a name that is short enough: from the working folder if that is shorter."""
    full = (folder / SOCKET).resolve()
    short = Path(os.path.relpath(full))
    return short if len(str(short)) <= _LONGEST_SOCKET else full


def _qemu(image: Image, firmware: Firmware, folder: Path, diagnostics: Diagnostics) -> _Served | None:
    """QEMU, which waits for gdb before the first instruction, and carries out a run that was recorded.

    A stopped processor is idle, and QEMU lets time pass while it is.  In a replay it does not: time is in the recording.
    """
    board = image.system.board
    assert board.run is not None
    emulator = installed_qemu(board, board.run, diagnostics)
    if emulator is None:
        return None
    socket, replay = _socket(folder), replay_in(folder, board.run.rewinds)
    machine = qemu_machine(emulator, board.run, board.clock(image.system.clock_hz), firmware.elf, replay.counting("replay"))
    command = [*machine, *warmed(image, board.run, symbols(firmware.elf))[1], *replay.drive]
    command += ["-no-shutdown", "-S", "-gdb", f"unix:{socket},server=on,wait=off"]  # what is at the end can be looked at
    return _Served(command, [_BARE, f"target remote {socket}", *end_of_recording()], socket, replay)


def _own(image: Image, firmware: Firmware, diagnostics: Diagnostics) -> _Served | None:
    """A runner of ours: it waits for gdb, traces nothing, and goes on without an end."""
    board = image.system.board
    assert board.run is not None
    found = found_emulator(board, board.run, diagnostics)
    if found is None:
        return None
    assert isinstance(found, list)
    clock, port = board.clock(image.system.clock_hz), _free_port()
    command = [*found, str(clock.hz * clock.instructions_per_tick), str(firmware.elf), f"gdb={port}"]
    return _Served(command, [_BARE, _PATIENT, f"target remote localhost:{port}"])


def _free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socketserver.TCPServer(("127.0.0.1", 0), socketserver.BaseRequestHandler) as server:
        return int(server.server_address[1])


def recorded(made: Session, image: Image, firmware: Firmware, ticks: int, diagnostics: Diagnostics) -> bool:
    """Record what the session's server plays: a run of so many ticks, as ``carillon run`` makes it; False after errors."""
    if made.replay is None:
        return True
    made.replay.prepare()
    return record(image, firmware, ticks, diagnostics, replay=made.replay) is not None


def converse(made: Session, quiet: bool, diagnostics: Diagnostics) -> int | None:
    """Start the server and the debugger, and end the server when the debugger ends; the debugger's exit code.

    ``quiet``: standard output is for one JSON object.  None after C095 if the server ended, or did not begin to listen.
    """
    made.script.write_text(made.text, encoding="utf-8")
    if made.socket is not None:
        made.socket.unlink(missing_ok=True)
    said = _STANDARD_ERROR if quiet else None
    # In a session of its own: an interrupt from the keyboard is for gdb, which stops the processor.
    server = None
    if made.server:
        server = subprocess.Popen(
            made.server, stdin=subprocess.DEVNULL, stdout=said, start_new_session=True, preexec_fn=_ends_with_the_tool
        )
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        if made.socket is not None and server is not None and not _listens(made.socket, server):
            diagnostics.error("C095", None, f"'{made.server[0]}' does not listen for gdb", "it says why above")
            return None
        return subprocess.run(made.debugger, stdout=said, check=False, preexec_fn=_interruptible).returncode
    finally:
        signal.signal(signal.SIGINT, before)
        if server is not None:
            if made.replay is not None:
                server.kill()  # it has nothing to keep, and would say that it was ended
            _end(server)
        if made.socket is not None:
            made.socket.unlink(missing_ok=True)


def _ends_with_the_tool() -> None:
    """A server is ended by the system when the tool is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


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
