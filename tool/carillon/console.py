# SPDX-License-Identifier: Apache-2.0
"""What the tool prints for a person.

rich lays out tables and colours headings.  It changes no text: what looks like its own markup or like a name of an emoji
(``:100:``) is printed as it is.  What a program reads, diagnostics and the application's own output, is not wrapped either, nor
are its tabs or control characters touched.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

from carillon.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

PIPE_WIDTH = 110
"""Columns of output that does not go to a terminal."""
LEAST_WIDTH, MOST_WIDTH = 40, 10_000
"""In fewer columns there is no room for tables; more are no width."""


def console(stderr: bool = False) -> Console:
    """Standard output, or standard error; text in it is printed as it is."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=stderr, width=_width(stream))


def columns() -> int | None:
    """What COLUMNS says; None if that is no width (POSIX, Environment Variables: then the program chooses)."""
    said = os.environ.get("COLUMNS", "")
    number = int(said) if said.isascii() and said.isdecimal() and len(said) <= 9 else 0
    return max(number, LEAST_WIDTH) if 0 < number <= MOST_WIDTH else None


def settle_columns() -> None:
    """Let COLUMNS say a width or nothing, also to the libraries that print for us."""
    width = columns()
    os.environ.pop("COLUMNS", None)
    if width is not None:
        os.environ["COLUMNS"] = str(width)


def _width(stream: TextIO) -> int:
    """Columns: what COLUMNS says, else the terminal's, else PIPE_WIDTH."""
    try:
        own = os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    except OSError:
        own = 0
    return columns() or (max(own, LEAST_WIDTH) if own else PIPE_WIDTH)


def heading(title: str, rest: str = "", before: str = "\n", style: str = "bold") -> Text:
    """A title that stands out, and what follows it on its line."""
    from rich.text import Text

    return Text.assemble(before, (title, style), rest)


def verbatim(to: Console, text: str) -> None:
    """Print ``text`` byte by byte, and end its last line."""
    to.file.write(text if text.endswith("\n") or not text else text + "\n")
    to.file.flush()


def diagnostics(found: list[Diagnostic]) -> None:
    """Print findings on standard error."""
    to = console(stderr=True)
    for d in found:
        if d.span:
            to.file.write(f"{d.span}: ")
        colour = "red" if d.severity is Severity.ERROR else "yellow"
        to.print(heading(f"{d.severity.value} {d.code}", "", "", f"bold {colour}"), end="")
        verbatim(to, f": {d.cause}")
        to.print(heading("help", "", "  "), end="")
        verbatim(to, f": {d.remedy}")
