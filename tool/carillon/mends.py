# SPDX-License-Identifier: Apache-2.0
"""Why a schedule is refused, as far as another try may mend it: what passes that try again ask, instead of codes."""

from __future__ import annotations

from enum import Enum


class Mend(Enum):
    """What stands in the way, and so what else can be tried."""

    CELLS = "the cells are too few"
    CLOCK = "the cells cannot keep an interval, or express a time, at this clock"
    SERVICES = "the clock of the time services cannot be this one"
    SEARCH = "the search ended before anything was found"
    TICK = "a conventional kernel's tick cannot express a time"


MENDS: dict[str, frozenset[Mend]] = {
    "C060": frozenset({Mend.CELLS}),
    "C061": frozenset({Mend.CLOCK}),
    "C063": frozenset({Mend.SEARCH}),
    "C064": frozenset({Mend.CLOCK, Mend.TICK}),
    "C161": frozenset({Mend.CLOCK}),
    "C162": frozenset({Mend.CLOCK}),
    "C171": frozenset({Mend.CLOCK, Mend.SERVICES}),
    "C172": frozenset({Mend.CLOCK, Mend.SERVICES}),
    "C174": frozenset({Mend.CLOCK}),
    "C178": frozenset({Mend.SERVICES}),
    "C179": frozenset({Mend.SERVICES}),
    "C187": frozenset({Mend.SERVICES}),
    "C201": frozenset({Mend.SERVICES}),
    "C278": frozenset({Mend.CLOCK}),
    "C279": frozenset({Mend.SERVICES}),
}
"""A row for each code that says such a thing."""
NONE: frozenset[Mend] = frozenset()
