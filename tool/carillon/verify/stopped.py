# SPDX-License-Identifier: Apache-2.0
"""The counters of execution budgets stand still for what a vector of a round preempts: the vector sees to that.

One is that of the event-triggered system's jobs, the other that of the rounds' own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from carillon.verify.meaning import Meaning, Step

if TYPE_CHECKING:
    from carillon.verify.rounds import Round

STOPS, GOES_ON = "carillon_budget_stops", "carillon_budget_goes_on"
ROUND_STOPS, ROUND_GOES_ON = "carillon_round_budget_stops", "carillon_round_budget_goes_on"
ALL = (STOPS, GOES_ON, ROUND_STOPS, ROUND_GOES_ON)


def stopped(meaning: Meaning) -> Meaning:
    """A vector without the steps that stop the budgets' counter and let it go on."""
    return replace(meaning, some_paths=[[step for step in path if not _counts(step)] for path in meaning.some_paths])


def _counts(step: Step) -> bool:
    return step.kind == "call" and step.name in ALL


def check_stopped(round_: Round) -> None:
    """Where jobs have budgets, each vector stops the counter before all else, and lets it go on after all else: else C205."""
    system, osek = round_.system, round_.system.osek
    kept = osek is not None and osek.celled_budgets
    stops = [STOPS] * kept + [ROUND_STOPS] * bool(system.bounded)
    goes_on = [ROUND_GOES_ON] * bool(system.bounded) + [GOES_ON] * kept
    for source in sorted({r.source for r in round_.running} | {i.source for i in round_.system.interrupts}):
        meaning = round_.meanings.of(round_.vector_of[source])
        for path in meaning.paths:
            found = [(number, step.name) for number, step in enumerate(path) if _counts(step)]
            due = [*enumerate(stops), *enumerate(goes_on, len(path) - len(goes_on))]
            if found != due:
                what = "does not keep the counter of budgets from counting" if due else "stops a counter of budgets that is none"
                round_.error("C205", f"the vector of source {source}, '{meaning.symbol}', {what}")
                break
