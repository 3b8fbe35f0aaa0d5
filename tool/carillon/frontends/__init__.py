# SPDX-License-Identifier: Apache-2.0
"""The languages in which a system is written: each has a folder, with its reader, words, checks and exports.

The passes see what a language makes: the tables of a schedule with a place for everything in them (:class:`Tables`), and of a
program what carries it out and what bounds its responses.  None of them imports a language.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from carillon.diagnostics import Diagnostics
from carillon.model import System
from carillon.model.giotto import Machine
from carillon.read import build_system
from carillon.sources import ARXML, GIOTTO, OIL, TOML, Including, Source, files_of

if TYPE_CHECKING:
    from carillon.frontends.foreign.converted import Foreign
    from carillon.microcode.compiled import Blocks, Microcode
    from carillon.read.shape import Tables
    from carillon.timing.analysis import ProgramBounds


class Reads(Protocol):
    """What the module of each language has."""

    def read(self, source: Source, diagnostics: Diagnostics, board: str | None, machine: Machine) -> Tables | None:
        """The tables of a schedule; None after errors of syntax.  Never raises for anything that a file can hold."""


class Converts(Reads, Protocol):
    """What the module of another tool's language has, too."""

    def read_foreign(self, source: Source, diagnostics: Diagnostics, board: str | None = None) -> Foreign | None:
        """The data of a file, with all that is not carried over; None after errors of syntax."""


class Carries(Reads, Protocol):
    """What the module of a language has in which programs are written, too."""

    def program_of(self, system: System, diagnostics: Diagnostics) -> Microcode | Blocks | None:
        """What the image has of a system's program; None after errors."""

    def program_bounds(self) -> ProgramBounds:
        """The analysis of programs."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language: its folder, and how the names of its files end."""

    folder: str
    suffix: str

    @property
    def module(self) -> Reads:
        """Its module, which is loaded when the language is used."""
        return cast("Reads", import_module(f"{__name__}.{self.folder}"))


SCHEDULE, PROGRAM = Language("toml", TOML), Language("giotto", GIOTTO)
FOREIGN = (Language("oil", OIL), Language("arxml", ARXML))
"""Those of other tools."""


def language_of(source: Source) -> Language:
    """The language of a source by its name: of a file that no other one claims, the schedule's own."""
    languages = {language.suffix: language for language in (PROGRAM, *FOREIGN)}
    if isinstance(source, tuple):
        return languages[ARXML]
    path = source.path if isinstance(source, Including) else source
    first = path if path.suffix.lower() in languages else files_of(path)[0]
    return languages.get(first.suffix.lower(), SCHEDULE)


def read_foreign(source: Source, diagnostics: Diagnostics, board: str | None = None) -> Foreign | None:
    """The data of files of another tool; ``board`` (a name or a path) overrides the board that it names."""
    return cast("Converts", language_of(source).module).read_foreign(source, diagnostics, board)


def read_tables(
    source: Source, diagnostics: Diagnostics, board: str | None = None, machine: Machine = Machine.MICROCODE
) -> Tables | None:
    """The tables of a file in whatever language it is by its name; None after errors of syntax.

    ``machine`` is what carries out a program; only files of programs have one.
    """
    return language_of(source).module.read(source, diagnostics, board, machine)


def read_schedule(
    source: Source,
    diagnostics: Diagnostics,
    board: str | None = None,
    clock: int | None = None,
    machine: Machine = Machine.MICROCODE,
) -> System | None:
    """Read the schedule or the files of another tool.

    ``board`` (a name or a path) overrides the board that it names, ``clock`` (one of the board's, in Hz) its clock, and
    ``machine`` says what carries out a program.  Never raises for anything that a file can hold.  If ``diagnostics`` has
    no error afterwards, the result is the whole system.  If it has, the result is what is sound of it, so that ``check`` can
    find more errors, or None; it must not be lowered then.
    """
    tables = read_tables(source, diagnostics, board, machine)
    return None if tables is None else build_system(tables, diagnostics, board, clock)


def program_of(system: System, diagnostics: Diagnostics) -> Microcode | Blocks | None:
    """What the image has of the system's program; None without one, or after errors."""
    return None if system.giotto is None else cast("Carries", PROGRAM.module).program_of(system, diagnostics)


def program_bounds(system: System) -> ProgramBounds | None:
    """The analysis of the system's program; None without one."""
    return None if system.giotto is None else cast("Carries", PROGRAM.module).program_bounds()
