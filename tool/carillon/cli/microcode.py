# SPDX-License-Identifier: Apache-2.0
"""``carillon microcode``."""

from __future__ import annotations

import os
import select
import socket
import stat
import time
import tty
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeVar

import typer

from carillon.cli.common import Report, check_outputs, counted, read_checked, usage
from carillon.units import format_number, parse_time

if TYPE_CHECKING:
    from carillon.microcode import Program
    from carillon.microcode.upload import Status, Target

EPILOG = (
    "Examples: carillon microcode list flight.microcode; "
    "carillon microcode compose flight.microcode log.microcode --program flight.giotto -o both.microcode; "
    "carillon microcode status --to /tmp/line; "
    "carillon microcode upload flight.microcode --to /dev/ttyUSB0 --key flight.key --scheduler rm; "
    "carillon microcode upload log.microcode --beside flight.microcode --to /dev/ttyUSB0; "
    "carillon microcode record flight.giotto --to /dev/ttyUSB0 -o flight.scode"
)


T = TypeVar("T")


class Action(Enum):
    """What is done with a program."""

    ASSEMBLE = "assemble"
    LIST = "list"
    VERIFY = "verify"
    COMPOSE = "compose"
    UPLOAD = "upload"
    STATUS = "status"
    RECORD = "record"
    SHUTDOWN = "shutdown"
    LOG = "log"


class Scheduler(Enum):
    """Who chooses among released tasks if no thread waits."""

    NONE = "none"
    EDF = "edf"
    RM = "rm"


_NUMBERS = tuple(Scheduler)
_PATHS = {Action.COMPOSE: 2, Action.STATUS: 0, Action.SHUTDOWN: 0}
"""How many programs an action has, if not 1."""
_TAKES = {
    "out": {Action.ASSEMBLE, Action.LIST, Action.COMPOSE, Action.UPLOAD, Action.RECORD},
    "to": {Action.UPLOAD, Action.STATUS, Action.RECORD, Action.SHUTDOWN, Action.LOG},
    "key": {Action.UPLOAD, Action.STATUS, Action.SHUTDOWN},
    "scheduler": {Action.UPLOAD},
    "at": {Action.UPLOAD, Action.COMPOSE},
    "beside": {Action.UPLOAD},
    "program": {Action.UPLOAD, Action.COMPOSE},
    "phase": {Action.COMPOSE},
}
"""Which options an action has."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The command's arguments and options."""

    paths: list[Path]
    out: Path | None
    to: Path | None
    key: Path | None
    scheduler: Scheduler | None
    at: str | None
    beside: Path | None
    program: list[Path]
    phase: str | None
    patience: float | None


def command(
    report: Report,
    action: Annotated[
        Action,
        typer.Argument(
            help="Make microcode of text, or text of it; check it; make one program of two; send it; ask a target; make S code "
            "of what the target's scheduler has decided; shut the target down; say what it has done."
        ),
    ],
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...", help="Program: a text to assemble, a Giotto program to record, else microcode. compose: two."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write the result to.", show_default="none")] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="Serial line: a device, or the socket of carillon run --serial.")
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", help="File of the image's key.", show_default="none")] = None,
    scheduler: Annotated[
        Scheduler | None, typer.Option("--scheduler", help="Of tasks that no S code dispatches.", show_default="edf")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="LABEL", help="The last program begins there, such as MODE@0.", show_default="the entry"),
    ] = None,
    beside: Annotated[
        Path | None,
        typer.Option("--beside", help="Program that runs on the target, and runs on beside the new one.", show_default="none"),
    ] = None,
    program: Annotated[
        list[Path] | None,
        typer.Option(
            "--program",
            help="Giotto program with the execution times of tasks; for compose, one for both programs or one each.",
            show_default="none",
        ),
    ] = None,
    phase: Annotated[
        str | None,
        typer.Option(
            "--phase",
            metavar="TIME",
            help="The second program begins this time behind the first: 4ms, or '4 ticks' of the microcode.",
            show_default="0ms",
        ),
    ] = None,
    patience: Annotated[
        float | None,
        typer.Option(
            "--patience",
            min=0.01,
            help="Seconds until a frame is sent again.",
            show_default="2 on a device; 60 on a socket, which loses nothing",
        ),
    ] = None,
) -> None:
    """Assemble, list, check and compose microcode, send it to a running target, or ask what runs there."""
    asked = _Asked(paths or [], out, to, key, scheduler, at, beside, program or [], phase, patience)
    _check(action, asked)
    _ACTIONS[action](asked, report)


def _check(action: Action, asked: _Asked) -> None:
    """Refuse arguments that the action does not take."""
    count = _PATHS.get(action, 1)
    if len(asked.paths) != count:
        usage(f"{action.value} takes {('no program', 'one program', 'two programs')[count]}")
    for name, actions in _TAKES.items():
        if getattr(asked, name) and action not in actions:
            usage(f"{action.value} has no option --{name}")
    if action in _TAKES["to"] and asked.to is None:
        usage("say which line: --to PATH")
    if asked.beside is not None and asked.scheduler is not None:
        usage("--scheduler stays that of the program that runs: take it away")
    if action is Action.UPLOAD and asked.beside is None and asked.out:
        usage("--out is for a program that runs beside another one: --beside")
    if len(asked.program) > 2:
        usage("--program is given once for both programs, or once for each")
    check_outputs(asked.paths, only_files=True, out=asked.out)


def _assemble(asked: _Asked, report: Report) -> None:
    from carillon.microcode.text import assembled
    from carillon.read.text import read_text

    (path,) = asked.paths
    text = read_text(path, report.diagnostics, "text of microcode", ".emc")
    program = None if text is None else assembled(text.content, str(path), report.diagnostics)
    _finish(report.diagnostics.required(program), asked.out, report)


def _list(asked: _Asked, report: Report) -> None:
    from carillon.files import write_text
    from carillon.microcode.text import text_of

    text = text_of(_program(asked.paths[0], None))
    report.result({"text": text})
    if asked.out is not None:
        write_text(asked.out, text)
    elif not report.as_json:
        print(text, end="")


def _compose(asked: _Asked, report: Report) -> None:
    first, second = asked.paths
    _finish(_composed(_program(first, None), _program(second, asked.at), asked, report), asked.out, report)


def _phase(text: str, tick_ns: int) -> int:
    """A time of the command line in ticks of microcode."""
    try:
        ticks = parse_time(text).ticks(Fraction(10**9, tick_ns))
    except ValueError as error:
        usage(f"--phase '{text}': {error}")
    if ticks.denominator != 1:
        usage(f"--phase '{text}' is {format_number(ticks, 3)} ticks of {tick_ns} ns: it has to be a whole number of them")
    return int(ticks)


def _composed(first: Program, second: Program, asked: _Asked, report: Report) -> Program:
    """Both as one program, after all checks."""
    from carillon.frontends.giotto import composition
    from carillon.frontends.giotto.load import execution_times
    from carillon.microcode.compose import CompositionError, composed

    def refuse(cause: str, remedy: str) -> NoReturn:
        report.refuse("C238", f"these programs cannot run side by side: {cause}", remedy)

    try:
        program_of_both = composed(first, second, _phase(asked.phase, first.tick_ns) if asked.phase is not None else 0)
    except CompositionError as error:
        refuse(str(error), "run carillon explain C238")
    scheduled = any(part.scheduled for part in program_of_both.parts)
    sources = [read_checked(path, report.diagnostics) for path in asked.program]
    if not sources:
        if scheduled:
            refuse("both have S code, and whether they share the processor is not known", "give their Giotto program: --program")
        report.diagnostics.warning(
            "C239", None, "whether all tasks end in time is not checked", "give the program with execution times: --program"
        )
        return program_of_both.program
    times = {name: time for source in sources for name, time in execution_times(source).items()}
    try:
        if scheduled and asked.beside is None:
            conflict = composition.conflict(program_of_both, times, (sources[0], sources[-1]))
            if conflict is not None:
                cause, phase = conflict
                refuse(cause, "make other S code" if phase is None else f"--phase {phase}ms would do, or other S code")
        elif scheduled:
            wrong = composition.played(program_of_both, times, (sources[0], sources[-1]))
            if wrong is not None:
                begin, cause = wrong
                refuse(f"if the second one begins {begin} ms after a period of the first, {cause}", "make other S code")
        elif (share := composition.load(program_of_both, times)) > 1:
            refuse(f"their tasks take up to {format_number(share * 100, 1)} % of the processor", "release tasks less often")
    except composition.UndecidedError as error:
        refuse(str(error), "run carillon explain C238")
    return program_of_both.program


def _finish(program: Program, out: Path | None, report: Report) -> None:
    """Report the room that a program needs, and write it; C240 if it may loop without taking time."""
    from carillon.files import write_bytes
    from carillon.microcode.binary import encode, interface_of
    from carillon.microcode.bounds import MOST, Loop, bounds
    from carillon.microcode.handlers import handler_faults

    for address, cause in handler_faults(program):
        report.refuse("C280", f"instruction {address}: {cause}", "let each handler end at the instant at which it begins")
    room = bounds(program)
    if isinstance(room, Loop):
        places = ", ".join(map(str, room.addresses[:5]))
        cause = f"it may go round without taking time: instructions {places}{' ...' if len(room.addresses) > 5 else ''}"
        report.refuse("C240", cause, "let the loop wait for a time, or begin its next turn by a future")
    if max(room.bindings, room.threads) > MOST:
        cause = "it may have more triggers or threads waiting than any image has room for"
        report.refuse("C240", cause, "let each turn of a loop begin one trigger, and end its threads")
    content = encode(program)
    if out is not None:
        write_bytes(out, content)
    report.result(
        {
            "file": None if out is None else str(out),
            "instructions": len(program.code),
            "bytes": len(content),
            "triggers": int(room.bindings),
            "threads": int(room.threads),
            "tick_ns": program.tick_ns,
            "interface": interface_of(program),
        }
    )
    said = f"{counted(len(program.code), 'instruction')}, {len(content)} bytes with tables and labels"
    said += f"; room for {counted(int(room.bindings), 'trigger')} and {counted(int(room.threads), 'thread')}"
    said += f"; tables {interface_of(program):08x}, tick {program.tick_ns} ns"
    report.say(said + (f"; in {out}" if out is not None else ""))


def _sent(target: Target, asked: _Asked, secret: bytes, report: Report) -> Status:
    from carillon.files import write_bytes
    from carillon.microcode.binary import encode
    from carillon.microcode.upload import JOINS, UploadError

    times = _times(asked, report)

    program, how = _program(asked.paths[0], asked.at), _NUMBERS.index(asked.scheduler or Scheduler.EDF)
    if asked.beside is not None:
        now = target.status()
        first = _running(_program(asked.beside, None), now.running)
        if first is None:
            raise UploadError(f"what runs is {now.running:08x}, and not {asked.beside}, from whichever label on")
        program, how = _composed(first, program, asked, report), JOINS | now.scheduler
    answer = target.upload(encode(replace(program, labels=())), how, secret, times)
    if asked.out is not None:
        write_bytes(asked.out, encode(program))
    return answer


def _times(asked: _Asked, report: Report) -> tuple[int, ...]:
    """The execution times of a program's tasks, by the Giotto programs that were given; none without any."""
    from carillon.frontends.giotto.load import execution_times, nanoseconds

    sources = [read_checked(path, report.diagnostics) for path in asked.program]
    known = {name: time for source in sources for name, time in execution_times(source).items()}
    names = [task.name for task in _program(asked.paths[0], None).tasks]
    try:
        return nanoseconds(known, names) if sources else ()
    except ValueError as error:
        usage(f"--program: {error}")


def _running(program: Program, checksum: int) -> Program | None:
    """``program`` from its entry or a label on, if that is the program with this checksum; else None."""
    from carillon.microcode.binary import checksum_of

    entries = dict.fromkeys((program.entry, *(address for address, _ in program.labels)))
    programs = (replace(program, entry=entry) for entry in entries)
    return next((it for it in programs if checksum_of(replace(it, labels=())) == checksum), None)


def _talk(asked: _Asked, report: Report, work: Callable[[Target, _Asked, bytes, Report], Status]) -> None:
    """Do some work with the target, and report the target's status."""
    from carillon.frontends.giotto.uploads import read_key
    from carillon.microcode.upload import NO_KEY

    secret = NO_KEY if asked.key is None else read_key(asked.key)
    if secret is None:
        usage(f"--key '{asked.key}' is no file of 32 hexadecimal digits")
    for path in asked.paths:
        _program(path, asked.at)  # it is refused before the line is opened
    answer = _asked_of(asked, report, lambda target: work(target, asked, secret, report))
    report.result({"status": asdict(answer)})
    report.say(*_said(answer))


def _asked_of(asked: _Asked, report: Report, work: Callable[[Target], T]) -> T:
    """The answer of a target on the line; C277 if the target does not answer, or refuses."""
    from carillon.microcode.upload import LoadError, Target, UploadError

    assert asked.to is not None
    try:
        with _Line(asked.to, asked.patience) as line:
            return work(Target(line))
    except LoadError as error:
        report.refuse("C352", f"{asked.to}: {error}", "release tasks less often, or run carillon explain C352")
    except (OSError, UploadError) as error:
        report.refuse("C277", f"{asked.to}: {error}", "run carillon explain C277")


def _record(asked: _Asked, report: Report) -> None:
    from carillon.files import write_text
    from carillon.frontends.giotto.compile import compile_giotto
    from carillon.frontends.giotto.recording import recorded, text_of
    from carillon.microcode.upload import Decision, UploadError

    (path,) = asked.paths
    source = read_checked(path, report.diagnostics)
    compiled = report.diagnostics.required(compile_giotto(source, report.diagnostics))

    def decisions(target: Target) -> tuple[Status, list[Decision]]:
        status, decisions = target.decisions(max(mode.period for mode in source.modes))
        if _running(compiled.program, status.running) is None:
            raise UploadError(f"what runs is {status.running:08x}, and not {path} without S code")
        return status, decisions

    status, found = _asked_of(asked, report, decisions)
    plan = recorded(source, compiled, found)
    count, who = len(plan.units) + len(plan.waits), _NUMBERS[status.scheduler].value.upper()
    said = f"{counted(len(found), 'decision')} of {who} behind {counted(count, 'block')}"
    text = text_of(source, plan, f"S code of {path.name}: {said}, recorded on a target")
    if asked.out is not None:
        write_text(asked.out, text)
    report.result({"file": None if asked.out is None else str(asked.out), "decisions": len(found), "blocks": count, "text": text})
    report.say(text.rstrip("\n") if asked.out is None else f"{said}; in {asked.out}")


def _log(asked: _Asked, report: Report) -> None:
    from carillon.microcode import logged

    names = [task.name for task in _program(asked.paths[0], None).tasks]
    before, found = _asked_of(asked, report, lambda target: target.log())
    report.result({"overwritten": before, "entries": [logged.row(entry, names) for entry in found]})
    report.say(*logged.lines(before, found, names))


_ACTIONS: dict[Action, Callable[[_Asked, Report], None]] = {
    Action.ASSEMBLE: _assemble,
    Action.LIST: _list,
    Action.VERIFY: lambda asked, report: _finish(_program(asked.paths[0], None), None, report),
    Action.COMPOSE: _compose,
    Action.UPLOAD: lambda asked, report: _talk(asked, report, _sent),
    Action.STATUS: lambda asked, report: _talk(asked, report, lambda target, *_: target.status()),
    Action.RECORD: _record,
    Action.LOG: _log,
    Action.SHUTDOWN: lambda asked, report: _talk(asked, report, lambda target, _, secret, __: target.shutdown(secret)),
}


def _program(path: Path, at: str | None) -> Program:
    from carillon.microcode.binary import MalformedError, decode

    try:
        program = decode(path.read_bytes())
    except OSError as error:
        usage(f"{path}: {error.strerror}")
    except MalformedError as error:
        usage(f"{path} is no microcode: {error}")
    if at is None:
        return program
    addresses = [address for address, name in program.labels if name == at]
    if not addresses:
        usage(f"--at '{at}': {path} has no such label")
    return replace(program, entry=addresses[0])


def _said(status: Status) -> list[str]:
    from carillon.microcode.upload import refusal

    scheduler = _NUMBERS[status.scheduler].value
    runs = "is shut down" if status.stopped else f"runs program {status.running:08x}, scheduler {scheduler}"
    lines = [f"{runs}; tables {status.interface:08x}, tick {status.tick_ns} ns"]
    lines += ["its order is S code that the target has made of its scheduler's decisions"] if status.generated else []
    lines += ["the target has made no S code: it has no room, or several triggers or threads wait"] if status.unable else []
    lines += ["an accepted program has not begun yet: it waits until no task is unfinished"] if status.waiting else []
    lines.append(f"last upload: {status.result}{refusal(status)}; {status.uploads} begun, {status.dropped} frames passed over")
    checks = "; the load of an upload is looked at" if status.checks else ""
    lines.append(f"room: {status.room} bytes, triggers {status.triggers}, threads {status.threads}{checks}")
    return lines


def _connected(path: Path, patience: float) -> socket.socket:
    """A connection to a socket, which may exist a little longer than somebody listens."""
    until = time.monotonic() + patience
    while True:
        made = socket.socket(socket.AF_UNIX)
        try:
            made.connect(str(path))
        except ConnectionRefusedError:
            made.close()
            if time.monotonic() >= until:
                raise
            time.sleep(0.01)
        else:
            return made


class _Line:
    """A socket, or a character device in raw mode at its present rate."""

    def __init__(self, path: Path, patience: float | None) -> None:
        self.patience = 2.0 if patience is None else patience
        self.socket: socket.socket | None = None
        if stat.S_ISSOCK(path.stat().st_mode):
            self.socket = _connected(path, self.patience)
            self.patience = 60.0 if patience is None else patience  # an emulated target may be slow, and no byte is lost
            self.number = self.socket.fileno()
        else:
            self.number = os.open(path, os.O_RDWR | os.O_NOCTTY)
            if os.isatty(self.number):
                tty.setraw(self.number)
        self.until = 0.0

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *_: object) -> None:
        if self.socket is not None:
            self.socket.close()
        else:
            os.close(self.number)

    def write(self, content: bytes) -> None:
        while content:
            content = content[os.write(self.number, content) :]
        self.until = time.monotonic() + self.patience

    def read(self) -> bytes:
        left = self.until - time.monotonic()
        if left <= 0 or not select.select([self.number], [], [], left)[0]:
            return b""
        content = os.read(self.number, 4096)
        if not content and self.socket is not None:
            raise OSError("the target has ended, or has left the line")
        return content
