# SPDX-License-Identifier: Apache-2.0
"""``carillon microcode``."""

from __future__ import annotations

import os
import select
import socket
import stat
import time
import tty
from dataclasses import asdict, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carillon import console
from carillon.cli.common import JsonOption, Report, guard, usage

if TYPE_CHECKING:
    from carillon.microcode import Program
    from carillon.microcode.upload import Status

EPILOG = (
    "Examples: carillon microcode status --to /tmp/line; "
    "carillon microcode upload flight.microcode --to /dev/ttyUSB0 --key flight.key --scheduler rm"
)


class Action(Enum):
    """What is asked of the target."""

    UPLOAD = "upload"
    STATUS = "status"


class Scheduler(Enum):
    """Who chooses among released tasks if no thread waits."""

    NONE = "none"
    EDF = "edf"
    RM = "rm"


_NUMBERS = (Scheduler.NONE, Scheduler.EDF, Scheduler.RM)


def command(
    action: Annotated[Action, typer.Argument(help="Send a program, or ask the target for its state.")],
    path: Annotated[Path | None, typer.Argument(help="Program to send, as carillon giotto --out writes it.")] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="Serial line: a device, or the socket of carillon run --serial.")
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", help="File of the image's key.", show_default="none")] = None,
    scheduler: Annotated[Scheduler, typer.Option("--scheduler", help="Of tasks that no S code dispatches.")] = Scheduler.EDF,
    at: Annotated[
        str | None, typer.Option("--at", metavar="LABEL", help="Begin there, such as MODE@0.", show_default="the entry")
    ] = None,
    patience: Annotated[float, typer.Option("--patience", min=0.01, help="Seconds until a frame is sent again.")] = 2.0,
    as_json: JsonOption = False,
) -> None:
    """Send a program to a running target, or ask what runs there."""

    def work(report: Report) -> None:
        from carillon.microcode.binary import encode
        from carillon.microcode.upload import NO_KEY, Target, UploadError
        from carillon.read.giotto.uploads import read_key

        if to is None:
            usage("say which line: --to PATH")
        if (path is None) != (action is Action.STATUS):
            usage("give a program to upload" if path is None else "status takes no program")
        secret = NO_KEY if key is None else read_key(key)
        if secret is None:
            usage(f"--key '{key}' is no file of 32 hexadecimal digits")
        content = None if path is None else encode(replace(_program(path, at), labels=()))
        try:
            with _Line(to, patience) as line:
                target = Target(line)
                found = target.status() if content is None else target.upload(content, _NUMBERS.index(scheduler), secret)
        except (OSError, UploadError) as error:
            report.diagnostics.error("C277", None, f"{to}: {error}", "run carillon explain C277")
            report.diagnostics.stop_on_errors()
            return
        report.result({"status": asdict(found)})
        if not as_json:
            for text in _said(found):
                console.verbatim(console.console(), text)

    guard(as_json, work)


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


def _said(found: Status) -> list[str]:
    from carillon.microcode.upload import refusal

    scheduler = _NUMBERS[found.scheduler].value
    lines = [f"runs program {found.running:08x}, scheduler {scheduler}; tables {found.interface:08x}, tick {found.tick_ns} ns"]
    lines += ["an accepted program waits for an instant at which no task is unfinished"] if found.waiting else []
    lines.append(f"last upload: {found.result}{refusal(found)}; {found.uploads} begun, {found.dropped} frames passed over")
    lines.append(f"room: {found.room} bytes, triggers {found.triggers}, threads {found.threads}")
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
    """A character device, which is made raw at the rate that it has, or a socket."""

    def __init__(self, path: Path, patience: float) -> None:
        self.patience = patience
        self.socket: socket.socket | None = None
        if stat.S_ISSOCK(path.stat().st_mode):
            self.socket = _connected(path, patience)
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
        return os.read(self.number, 4096)
