# SPDX-License-Identifier: Apache-2.0
"""The counter of execution budgets stands still while a round has the processor: each vector of a round sees to that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from carillon.verify.meaning import Meaning, Step

if TYPE_CHECKING:
    from carillon.verify.rounds import Round

STOPS, GOES_ON = "carillon_budget_stops", "carillon_budget_goes_on"


def stopped(meaning: Meaning) -> Meaning:
    """A vector without the steps that stop the budgets' counter and let it go on."""
    return replace(meaning, some_paths=[[step for step in path if not _counts(step)] for path in meaning.some_paths])


def _counts(step: Step) -> bool:
    return step.kind == "call" and step.name in (STOPS, GOES_ON)


def check_stopped(round_: Round) -> None:
    """Where jobs have budgets, each vector stops the counter before all else, and lets it go on after all else: else C205."""
    osek = round_.system.osek
    kept = osek is not None and osek.budgets
    for source in sorted({r.source for r in round_.running} | {i.source for i in round_.system.interrupts}):
        meaning = round_.meanings.of(round_.vector_of[source])
        for path in meaning.paths:
            found = [(number, step.name) for number, step in enumerate(path) if _counts(step)]
            if found != ([(0, STOPS), (len(path) - 1, GOES_ON)] if kept else []):
                what = "does not keep the counter of budgets from counting" if kept else "stops a counter of budgets that is none"
                round_.error("C205", f"the vector of source {source}, '{meaning.symbol}', {what}")
                break
