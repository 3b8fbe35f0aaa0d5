# SPDX-License-Identifier: Apache-2.0
"""What response times mean for a schedule: deadlines that may be missed, activations that may be lost, more load than there is.

C341: a deadline of what nothing releases.  C342: a deadline that may be missed.  C343: activations may be lost (a warning).
C344: overload.  C346: a deadline that nothing is known about (a warning).  Rounds that no interrupt preempts are
:mod:`carillon.check.simulation`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from carillon.diagnostics import Diagnostics
from carillon.model import System
from carillon.model.declared import NOTHING_DECLARED
from carillon.timing.analysis import STILL_RUNS
from carillon.timing.bound import Bound
from carillon.timing.response import Term
from carillon.units import format_duration

MOST_TERMS = 4
"""So many terms of a bound are named, the longest ones first."""


def declares(system: System) -> bool:
    """Whether the schedule says anything for the analysis, so that its verdicts are wanted."""
    declared = [interrupt.declared for interrupt in system.interrupts]
    if system.osek is not None:
        declared += [task.declared for task in system.osek.tasks] + [isr.declared for isr in system.osek.isrs]
    return any(it is not NOTHING_DECLARED for it in declared)


def judge(system: System, bounds: Sequence[Bound], diagnostics: Diagnostics) -> None:
    """Report what the bounds mean."""
    load = sum((bound.load for bound in bounds if bound.load is not None and not bound.mode), Fraction(0))
    if load > 1:
        most = sorted((b for b in bounds if b.load), key=lambda b: -(b.load or 0))
        named = ", ".join(f"'{b.name}' {float(b.load or 0):.1%}" for b in most[:MOST_TERMS])
        cause = f"what runs needs {float(load):.1%} of the processor: {named}{', ...' if len(most) > MOST_TERMS else ''}"
        diagnostics.error("C344", most[0].span, cause, "let something come less often, or take less time (and a shorter wcet)")
        return
    for bound in bounds:
        who = f"{bound.kind} '{bound.name}'"
        if bound.why == STILL_RUNS:
            cause = f"{who} may still run when it is activated again, as the declared interrupts preempt it"
            remedy = "shorten it, or let the interrupts come less often or take less time"
            diagnostics.error("C342", bound.span, cause, remedy)
        elif bound.met is False and bound.bound is not None:
            _missed(system, bound, who, diagnostics)
        elif bound.bound is None and bound.deadline and not bound.mode:
            if bound.why.startswith("no alarm"):
                cause = f"{who} has a deadline and no release that it would be of: {bound.why}"
                diagnostics.error("C341", bound.span, cause, "say how often it is activated, or leave the deadline out")
            else:
                cause = f"whether {who} meets its deadline is not known: {bound.why}"
                remedy = "declare what is missing, or leave the deadline out; carillon analyse says more"
                diagnostics.warning("C346", bound.span, cause, remedy)
        if bound.loses:
            cause = (
                f"{who} may lose activations: {bound.jobs} of them may wait or run at once, and it takes {bound.takes}; "
                f"it may take {_time(system, bound, bound.bound or 0)} to answer one"
            )
            remedy = (
                "let more activations wait (activations), or activate it less often; carillon analyse says what holds it back"
            )
            diagnostics.warning("C343", bound.span, cause, remedy)


def _missed(system: System, bound: Bound, who: str, diagnostics: Diagnostics) -> None:
    assert bound.bound is not None
    assert bound.deadline is not None
    deadline = format_duration(bound.deadline, system.clock_hz, 4)
    cause = (
        f"{who} may miss its deadline of {deadline}: it may take {_time(system, bound, bound.bound)}, {_made_of(system, bound)}"
    )
    remedy = "shorten what preempts it or holds it back, let that come less often, or write a later deadline"
    diagnostics.error("C342", bound.span, cause, remedy)


def _made_of(system: System, bound: Bound) -> str:
    """The terms of a bound, in words."""
    positive = sorted((term for term in bound.terms if term.total > 0), key=lambda term: -term.total)
    named = [_words(system, bound, term) for term in positive[:MOST_TERMS]]
    return "of which " + ", ".join(named) + (", ..." if len(positive) > MOST_TERMS else "")


def _words(system: System, bound: Bound, term: Term) -> str:
    time = _time(system, bound, term.total)
    match term.why:
        case "execution":
            return f"{time} are its own"
        case "queued":
            return f"{time} are its earlier activations"
        case "blocking":
            return f"'{term.name}' holds it back for {time}"
        case "mate":
            return f"'{term.name}' comes before it for {time}"
        case _:
            return f"'{term.name}' preempts it for {time}"


def _time(system: System, bound: Bound, units: int) -> str:
    return format_duration(-(-units // bound.scale), system.clock_hz, 4)
