# SPDX-License-Identifier: Apache-2.0
"""What ``carillon analyse`` found: the bound of each response time, with its terms, beside what a run measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from carillon.model.osek import Hook
from carillon.show.table import Table
from carillon.timing.bound import Bound
from carillon.timing.lateness import followed, resting
from carillon.timing.response import Term
from carillon.units import format_duration, format_number

if TYPE_CHECKING:
    from rich.console import Console

    from carillon.model import System
    from carillon.trace.summary import Spread

Growths = Mapping[str, int | None]
"""By how many ticks WCETs may grow, by name; None: nothing limits it."""
Measured = Mapping[str, "Spread | None"]
"""The responses of a run, by name, in ticks."""

WORDS = {
    "execution": "its execution",
    "queued": "its activations before",
    "blocking": "held back by",
    "mate": "before it",
    "preemption": "preempted by",
    "charged": "its server is charged for",
    "rest": "rests of server",
    "elapsed": "passed before its activation",
    "machine": "the machine, at instants",
    "drivers": "drivers",
    "proved": "its deadline, proved with a load of",
}


def analysis_json(
    system: System, bounds: Sequence[Bound], measured: Measured | None, grows: Growths | None = None
) -> dict[str, Any]:
    """The form that ``--json`` prints: times in ticks."""
    return {
        "system": system.name,
        "board": system.board.name,
        "clock_hz": system.clock_hz,
        "utilisation": float(utilisation(bounds)),
        "tasks": [_bound_json(bound, measured, grows) for bound in bounds],
    }


def utilisation(bounds: Sequence[Bound]) -> Fraction:
    """The part of the processor that all takes whose load is known; of modes, the busiest."""
    modes = {bound.mode for bound in bounds if bound.mode}
    return max((_load(bounds, mode) for mode in modes), default=Fraction(0)) + _load(bounds, "")


def _load(bounds: Sequence[Bound], mode: str) -> Fraction:
    return sum((bound.load for bound in bounds if bound.mode == mode and bound.load is not None), Fraction(0))


def _bound_json(bound: Bound, measured: Measured | None, grows: Growths | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": bound.name,
        "kind": bound.kind,
        "mode": bound.mode or None,
        "line": bound.span.line,
        "bound": bound.ticks,
        "why": bound.why or None,
        "deadline": bound.deadline,
        "met": bound.met,
        "load": None if bound.load is None else float(bound.load),
        "activations": bound.takes or None,
        "waiting": bound.jobs if bound.bound is not None else None,
        "may_lose": bound.loses,
        "terms": [
            {"what": term.why, "name": term.name or None, "count": term.often, "ticks": term.each / bound.scale}
            for term in bound.terms
        ],
    }
    if measured is not None:
        spread = measured.get(bound.name)
        found["measured"] = spread.as_json() if spread is not None else None
    if grows is not None:
        found["growth"] = grows.get(bound.name)
    return found


def render_analysis(
    console: Console, system: System, bounds: Sequence[Bound], measured: Measured | None, grows: Growths | None = None
) -> None:
    """Print the table of bounds, and below it the terms of each."""
    hz = system.clock_hz
    tick = format_duration(1, hz, 3)
    console.print(f"{system.name} on {system.board.name}: the longest response times, in ticks; 1 tick = {tick}", markup=False)
    several = any(bound.mode for bound in bounds)
    titles = [
        "name",
        "kind",
        *(["mode"] if several else []),
        "response at most",
        "",
        *(["measured"] if measured is not None else []),
    ]
    rows = Table(*titles, "deadline", "", "load", "wait at once", *(["wcet may grow by"] if grows is not None else []))
    for bound in bounds:
        ticks = bound.ticks
        cells = [bound.name, bound.kind, *([bound.mode or "-"] if several else [])]
        cells += ["not known" if ticks is None else str(ticks), "" if ticks is None else format_duration(ticks, hz, 3)]
        if measured is not None:
            spread = measured.get(bound.name)
            cells.append("-" if spread is None else str(spread.maximum))
        verdict = {True: "met", False: "MAY BE MISSED", None: "" if bound.deadline is None else "not known"}[bound.met]
        cells += ["-" if bound.deadline is None else format_duration(bound.deadline, hz, 3), verdict]
        cells.append("-" if bound.load is None else f"{float(bound.load):.2%}")
        cells.append(_waiting(bound))
        cells += [_growth(grows, bound, hz)] if grows is not None else []
        rows.add_row(*cells)
    rows.print(console)
    console.print(f"Load of all that is known: {float(utilisation(bounds)):.2%} of the processor.", markup=False)
    made = Table("what it is made of", "", "times", "ticks each", "ticks")
    for bound in bounds:
        for number, term in enumerate(bound.terms):
            made.add_row(bound.name if not number else "", _words(term), *_figures(term, bound.scale))
        if bound.bound is not None:
            made.add_row("", "together", "", "", _ticks(bound.bound, bound.scale))
    made.show(console, "terms")
    for bound in bounds:
        if bound.bound is None:
            console.print(f"  · {bound.kind} '{bound.name}' has no bound: {bound.why}", markup=False)
    for text in dict.fromkeys(bound.rests_on for bound in bounds if bound.bound is not None and bound.rests_on):
        console.print(f"  · no run is held against the bounds of Giotto tasks: {text}", markup=False)
    for note in _of_budgets(system):
        console.print(f"  · {note}", markup=False)


def _of_budgets(system: System) -> Iterator[str]:
    """What counts for the tasks and ISRs that have a budget alone, and whether runs are held against that."""
    late = resting(system.osek) if system.osek is not None else ()
    if system.osek is None or not late:
        return
    names = ", ".join(f"'{item.name}'" for item in late)
    said = f"without a wcet, the budget counts for {names}, and what passes until it is seen that it is used up"
    if followed(system.osek):
        yield f"{said} and ProtectionHook has returned"
        return
    why = "nothing says how long ProtectionHook takes: write hook_wcet in [osek]"
    if Hook.PROTECTION not in system.osek.hooks:
        why = "without ProtectionHook, it shuts the system down"
    yield f"{said}; no run in which it is used up is held against these bounds, as {why}"


def _growth(grows: Growths, bound: Bound, hz: int) -> str:
    if bound.name not in grows:
        return "not known"
    ticks = grows[bound.name]
    return "any time" if ticks is None else format_duration(ticks, hz, 3) if ticks else "0"


def _waiting(bound: Bound) -> str:
    if bound.bound is None or not bound.takes:
        return "-"
    return f"{bound.jobs} of {bound.takes}" + (": MAY LOSE SOME" if bound.loses else "")


def _words(term: Term) -> str:
    named = term.why in ("blocking", "mate", "preemption", "charged", "rest", "proved")
    return f"{WORDS[term.why]} {term.name}" if named and term.name else WORDS[term.why]


def _figures(term: Term, scale: int) -> tuple[str, str, str]:
    return "" if term.often == 1 else str(abs(term.often)), _ticks(term.each, scale), _ticks(term.total, scale)


def _ticks(units: int, scale: int) -> str:
    return format_number(Fraction(units, scale), 3)
