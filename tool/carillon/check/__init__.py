# SPDX-License-Identifier: Apache-2.0
"""Checking: the rules that a readable schedule must obey.  One rule a module; every rule always runs."""

from __future__ import annotations

from carillon.check import (
    budgets,
    deadlines,
    empty,
    intervals,
    microcode,
    names,
    osek,
    overlap,
    places,
    simulation,
    sync,
    undeclared,
    unused,
    utilisation,
    window,
)
from carillon.diagnostics import Diagnostics
from carillon.model import System

RULES = (
    names,
    osek,
    microcode,
    empty,
    places,
    overlap,
    deadlines,
    intervals,
    window,
    utilisation,
    budgets,
    simulation,
    sync,
    undeclared,
    unused,
)


def check_system(system: System, diagnostics: Diagnostics) -> None:
    """Run every rule on ``system``, which may be only the sound part of a file with errors, see ``read_schedule``."""
    for rule in RULES:
        rule.check(system, diagnostics)
