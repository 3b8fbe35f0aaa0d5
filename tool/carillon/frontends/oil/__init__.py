# SPDX-License-Identifier: Apache-2.0
"""Reading OIL, OSEK's language for the objects of an application: 2.0 to 2.5, 3.x and AUTOSAR's 4.0.

Text becomes tokens (``lexer``), objects (``parser``), checked attributes (``resolve``) and the tables of a schedule
file with a place for everything in them (``convert``).
"""

from __future__ import annotations

from pathlib import Path

from carillon.diagnostics import Diagnostics, Span
from carillon.frontends.foreign.choices import application_name
from carillon.frontends.foreign.converted import Foreign, foreign_tables
from carillon.frontends.oil.convert import Converter
from carillon.frontends.oil.lexer import Lexer
from carillon.frontends.oil.parser import Parser
from carillon.frontends.oil.words import WORDS
from carillon.model.giotto import Machine
from carillon.read.build import application_sources
from carillon.read.shape import Tables
from carillon.sources import Including, Source


def read_foreign(source: Source, diagnostics: Diagnostics, board: str | None = None) -> Foreign | None:
    """Read a file and what it includes; ``board`` (a name or a path) overrides the board that it names.

    Never raises for anything that a file can hold.  None after errors of syntax; after others the result is what is sound of it.
    """
    path, includes = (source.path, source.folders) if isinstance(source, Including) else (source, ())
    assert isinstance(path, Path)
    lexer = Lexer(path, diagnostics, includes)
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
        return application_sources(board, written, path.parent)

    converted = Converter(file, str(path), lexer.error, diagnostics, sources).run(application_name(path.stem))
    return None if file.malformed else Foreign(converted, lexer.digest, tuple(lexer.included), WORDS)


def read(source: Source, diagnostics: Diagnostics, board: str | None, _machine: Machine) -> Tables | None:
    """The tables of a file; None after errors of syntax."""
    foreign = read_foreign(source, diagnostics, board)
    return None if foreign is None else foreign_tables(foreign, diagnostics)
