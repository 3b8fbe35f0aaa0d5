# SPDX-License-Identifier: Apache-2.0
"""Where a stream of bytes comes from while a chip runs: a file, a FIFO, standard input, a socket, a serial line."""

from __future__ import annotations

import os
import re
import select
import socket
import stat
import sys
from types import TracebackType

PIECE = 1 << 16
"""Bytes that are read at once, at most."""
CONNECTING = 10.0
"""Seconds for which a socket may take to connect."""
_TCP = re.compile(r"tcp:(?:\[(?P<six>[^\]]+)\]|(?P<host>[^:\[\]]*)):(?P<port>[0-9]{1,5})")


class MalformedSourceError(ValueError):
    """What was named is no source."""


class Source:
    """A source that is open: ``-``, ``tcp:HOST:PORT``, or a path.  A terminal's device gets the rate ``baud``, and no echo.

    Raises MalformedSourceError, or OSError which names the source.
    """

    def __init__(self, name: str, baud: int | None) -> None:
        self._socket: socket.socket | None = None
        self._own = True
        if name == "-":
            self._number, self._own = sys.stdin.fileno(), False
        elif name.startswith("tcp:"):
            self._socket = _connected(name)
            self._number = self._socket.fileno()
        else:
            self._number = os.open(name, os.O_RDONLY | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0))
            try:
                if stat.S_ISDIR(os.fstat(self._number).st_mode):
                    raise IsADirectoryError(21, "Is a directory", name)
                if os.isatty(self._number):
                    _raw(self._number, name, baud)
            except BaseException:
                os.close(self._number)
                raise
        self._plain = stat.S_ISREG(os.fstat(self._number).st_mode) if self._socket is None else False

    def __enter__(self) -> Source:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if self._socket is not None:
            self._socket.close()
        elif self._own:
            os.close(self._number)

    def read(self, patience: float) -> bytes | None:
        """What has come, empty if nothing did for so many seconds; None at the end."""
        if not self._plain and not select.select([self._number], [], [], patience)[0]:
            return b""
        try:
            return (self._socket.recv(PIECE) if self._socket is not None else os.read(self._number, PIECE)) or None
        except (ConnectionResetError, TimeoutError):
            return None
        except OSError:
            if self._plain:
                raise
            return None  # a serial adapter that was pulled out


def _connected(name: str) -> socket.socket:
    found = _TCP.fullmatch(name)
    if found is None or not 0 < int(found["port"]) < 65536:
        raise MalformedSourceError(f"'{name}': write tcp:HOST:PORT, such as tcp:localhost:9090")
    try:
        return socket.create_connection((found["six"] or found["host"] or "localhost", int(found["port"])), CONNECTING)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), name) from None


def _raw(number: int, name: str, baud: int | None) -> None:
    """Let a serial line give bytes as they come."""
    import termios
    import tty

    tty.setraw(number)
    if baud is None:
        return
    speed = getattr(termios, f"B{baud}", None)
    if speed is None:
        known = sorted(int(key[1:]) for key in dir(termios) if re.fullmatch(r"B[1-9][0-9]+", key))
        raise MalformedSourceError(f"'{name}': {baud} baud is not possible here; these are: {', '.join(map(str, known))}")
    settings = termios.tcgetattr(number)
    settings[4] = settings[5] = speed
    termios.tcsetattr(number, termios.TCSANOW, settings)
