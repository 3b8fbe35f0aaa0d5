# SPDX-License-Identifier: Apache-2.0
"""Reading: a schedule file becomes the model, or diagnostics that name the place of every error."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from carillon.diagnostics import Diagnostics
from carillon.model import System
from carillon.model.giotto import Machine
from carillon.read.build import Builder
from carillon.read.shape import Tables, fit
from carillon.read.text import parse_toml, read_text
from carillon.sources import GIOTTO, OIL, Including, Source, is_foreign

if TYPE_CHECKING:
    from carillon.read.foreign.converted import Foreign


def read_foreign(source: Source, diagnostics: Diagnostics, board: str | None = None) -> Foreign | None:
    """The data of files of another tool; ``board`` (a name or a path) overrides the board that it names.

    Never raises for anything that a file can hold.  None after errors of syntax.
    """
    path, folders = (source.path, source.folders) if isinstance(source, Including) else (source, ())
    if isinstance(path, Path) and path.suffix.lower() == OIL:
        from carillon.read.oil import read_oil

        return read_oil(path, diagnostics, board, folders)
    from carillon.read.arxml import read_arxml

    return read_arxml(source, diagnostics, board)


def foreign_tables(foreign: Foreign, diagnostics: Diagnostics) -> Tables:
    """The tables of a foreign file that was read; changes the file's data."""
    converted = foreign.converted
    diagnostics.speak = foreign.words.speaker(converted.names())
    file, broken = fit(converted.data, converted.places, diagnostics)
    for wrong in converted.broken:
        broken.add(wrong)
    path, searches = Path(converted.places.file), tuple(converted.searches)
    return Tables(path, file, broken, converted.places, foreign.digest, foreign.included, searches=searches)


def read_tables(
    source: Source, diagnostics: Diagnostics, board: str | None = None, machine: Machine = Machine.MICROCODE
) -> Tables | None:
    """The tables of a file in whatever language it is by its name; None after errors of syntax.

    ``machine`` is what carries out a Giotto program; no other file has one.
    """
    if not isinstance(source, Path) or is_foreign(source):
        foreign = read_foreign(source, diagnostics, board)
        return None if foreign is None else foreign_tables(foreign, diagnostics)
    path = source
    if path.suffix.lower() == GIOTTO:
        from carillon.read.giotto.tables import giotto_tables

        return giotto_tables(path, diagnostics, machine)
    text = read_text(path, diagnostics)
    if text is None:
        return None
    parsed = parse_toml(text, str(path), diagnostics)
    if parsed is None:
        return None
    file, broken = fit(parsed.data, parsed.places, diagnostics)
    return Tables(path, file, broken, parsed.places, text.digest)


def build_system(tables: Tables, diagnostics: Diagnostics, board: str | None = None, clock: int | None = None) -> System | None:
    """The system of a file that was read."""
    return Builder(tables, diagnostics).build(board, clock)


def read_schedule(
    source: Source,
    diagnostics: Diagnostics,
    board: str | None = None,
    clock: int | None = None,
    machine: Machine = Machine.MICROCODE,
) -> System | None:
    """Read the schedule or the files of another tool.

    ``board`` (a name or a path) overrides the board that it names, ``clock`` (one of the board's, in Hz) its clock, and
    ``machine`` says what carries out a Giotto program.  Never raises for anything that a file can hold.  If ``diagnostics`` has
    no error afterwards, the result is the whole system.  If it has, the result is what is sound of it, so that ``check`` can
    find more errors, or None; it must not be lowered then.
    """
    tables = read_tables(source, diagnostics, board, machine)
    return None if tables is None else build_system(tables, diagnostics, board, clock)
