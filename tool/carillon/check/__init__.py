# SPDX-License-Identifier: Apache-2.0
"""Checking: the rules that a readable schedule must obey.  One rule a module; every rule always runs."""

from __future__ import annotations

from importlib import import_module

from carillon.diagnostics import Diagnostics
from carillon.model import System

RULES = """
names osek microcode empty places overlap deadlines intervals window utilisation budgets simulation sync start undeclared unused
"""
"""A module for each rule, in the order in which they run."""


def check_system(system: System, diagnostics: Diagnostics) -> None:
    """Run every rule on ``system``, which may be only the sound part of a file with errors, see ``read_schedule``."""
    for rule in RULES.split():
        import_module(f"carillon.check.{rule}").check(system, diagnostics)
