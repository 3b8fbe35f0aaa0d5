# SPDX-License-Identifier: Apache-2.0
"""The application's own interrupts in a mode: what their vectors run, and whether they disable themselves."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from carillon.model import Interrupt
from carillon.verify.controllers import named
from carillon.verify.meaning import Meaning, surplus

if TYPE_CHECKING:
    from carillon.verify.rounds import Round


def check_interrupts(round_: Round) -> None:
    """Check the application's own interrupts: their vectors, and that the round re-enables them where it must."""
    for interrupt in round_.system.interrupts:
        round_.report.vectors += 1
        meaning = round_.meaning(interrupt.source)
        wrong = _wrong(interrupt, meaning)
        if wrong:
            vector = f"the vector of source {interrupt.source}, '{meaning.symbol}', for the interrupt '{interrupt.name}',"
            round_.error("C205", f"{vector} {wrong}", interrupt.span)


def _wrong(interrupt: Interrupt, meaning: Meaning) -> str:
    if meaning.runs != {interrupt.handler}:
        return f"runs {', '.join(sorted(meaning.runs)) or 'nothing of the application'}, not '{interrupt.handler}'"
    for path in meaning.paths:
        before = list(takewhile(lambda step: step.kind != "run", path))
        disabled = {s for step in before if step.kind == "disable" for s in step.sources}
        if disabled != ({interrupt.source} if interrupt.reenabled else set()):
            return f"disables {named(disabled)} before it runs '{interrupt.handler}'"
        more = [s for s in path if s.kind not in ("run", "disable", "settle")]
        if more:
            return surplus(more[0])
    return ""
