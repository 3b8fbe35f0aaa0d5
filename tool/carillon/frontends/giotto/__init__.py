# SPDX-License-Identifier: Apache-2.0
"""Giotto: its reader, rules, compiler, schedulers in S code, and the analysis of its programs.

Text becomes words (``lexer``), and words the model of a program (``parser``).  What is wrong with it is said (``rules``,
``annotations``, ``functions``, ``load``).  It becomes an application (``tables``), and E code and S code or blocks on cells
(``compile``, ``scheduling``, ``program``).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from carillon.diagnostics import Diagnostics
from carillon.model.giotto import Machine
from carillon.sources import Source

if TYPE_CHECKING:
    from carillon.microcode.compiled import Blocks, Microcode
    from carillon.model import System
    from carillon.read.shape import Tables
    from carillon.timing.analysis import ProgramBounds


def read(source: Source, diagnostics: Diagnostics, _board: str | None, machine: Machine) -> Tables | None:
    """The tables of a program for a machine, and the program; None after errors in it."""
    from carillon.frontends.giotto.tables import giotto_tables

    assert isinstance(source, Path)
    return giotto_tables(source, diagnostics, machine)


def program_of(system: System, diagnostics: Diagnostics) -> Microcode | Blocks | None:
    """What the image has of a system's program; None after errors."""
    from carillon.frontends.giotto import program

    assert system.giotto is not None
    return program.program_of(system, system.giotto, diagnostics)


def program_bounds() -> ProgramBounds:
    """The analysis of programs."""
    from carillon.frontends.giotto import bounds

    return bounds
