# SPDX-License-Identifier: Apache-2.0
"""Reading OIL, OSEK's language for the objects of an application: 2.0 to 2.5, 3.x and AUTOSAR's 4.0.

Text becomes tokens (``lexer``), objects (``parser``), checked attributes (``resolve``) and the tables of a schedule
file with a place for everything in them (``convert``); the schedule's own reader does the rest, so that an OIL file
and the schedule that ``carillon import`` writes for it are one system.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from carillon.diagnostics import CarillonError, Diagnostics, Span
from carillon.model import System
from carillon.read.board import load_board
from carillon.read.build import DEFAULT_BOARD, Builder
from carillon.read.oil.convert import Converter, application_name
from carillon.read.oil.converted import Converted
from carillon.read.oil.lexer import Lexer
from carillon.read.oil.parser import Parser
from carillon.read.shape import fit
from carillon.resources import find_board


@dataclass(frozen=True, slots=True)
class Oil:
    """A file as a schedule's data; ``digest`` is the SHA-256 of it and all that it includes, which is ``included``."""

    converted: Converted
    digest: str
    included: tuple[Path, ...]


def read_oil(path: Path, diagnostics: Diagnostics, board: str | None = None) -> Oil | None:
    """Read ``path`` and what it includes; ``board`` (a name or a path) overrides the board that it names.

    Never raises for anything that a file can hold.  None after errors of syntax; after others the result is what is
    sound of it.
    """
    lexer = Lexer(path, diagnostics)
    tokens = lexer.run()
    if tokens is None:
        return None
    parser = Parser(lexer, tokens)
    file = parser.run()
    if file.version is None:  # files in use often leave it to their tools
        said = "C143", Span(str(path)), "the file does not say which OIL it is", 'begin it with OIL_VERSION = "2.5";'
        if len(tokens) > 1:
            diagnostics.warning(*said)
        else:
            lexer.error(*said)
    if parser.missing:
        count = f" ({len(parser.missing)} times, here first)" if len(parser.missing) > 1 else ""
        diagnostics.warning("C157", parser.missing[0], f"';' is missing after '}}'{count}", "OIL ends every block with '};'")

    def sources(written: str | None) -> list[str] | None:
        where = find_board(board or written or DEFAULT_BOARD, None if board else path.parent)
        if where is None:
            return None
        try:
            return list(load_board(where).application_sources)
        except CarillonError:
            return None  # reported where the board is read for the model

    converted = Converter(file, str(path), lexer.error, diagnostics, sources).run(application_name(path.stem))
    return None if file.malformed else Oil(converted, lexer.digest, tuple(lexer.included))


def build_system(
    path: Path, oil: Oil, diagnostics: Diagnostics, board: str | None = None, clock: int | None = None
) -> System | None:
    """The system of an OIL file that was read; changes its data."""
    file, broken = fit(oil.converted.data, oil.converted.places, diagnostics)
    for wrong in oil.converted.broken:
        broken.add(wrong)
    return Builder(path, oil.digest, oil.converted.places, broken, diagnostics, oil.included).build(file, board, clock)


def read_oil_system(path: Path, diagnostics: Diagnostics, board: str | None = None, clock: int | None = None) -> System | None:
    """As :func:`carillon.read.read_schedule`, of an OIL file."""
    oil = read_oil(path, diagnostics, board)
    return None if oil is None else build_system(path, oil, diagnostics, board, clock)
