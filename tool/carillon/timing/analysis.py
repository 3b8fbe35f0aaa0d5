# SPDX-License-Identifier: Apache-2.0
"""The response times of all that runs: a bound for each, with the terms that it is made of, or why there is none.

Rounds are served as a stack: each activation preempts what runs, and each later one preempts it (OSEKtime OS 1.0).  So a job's
response ends where its own time, that of all later activations, and that of the interrupts above fit in.  All else is ordered by
levels (:mod:`carillon.timing.response`).  What a bound rests on is what ``check`` rests on: declared times, and the image.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from carillon.check.simulation import KernelTime
from carillon.diagnostics import Span
from carillon.image import Image
from carillon.model import Mode, System
from carillon.timing.flows import ROUNDS, Flows, Unbounded, flows_of, interrupt_flow, round_flows
from carillon.timing.releases import UnknownError, counters_of
from carillon.timing.response import MOST_RELEASES, Flow, Term, around, response

LATE = 1
"""What comes in the unit in which a job ends preempts it (:mod:`carillon.check.simulation`)."""
RELEASES = 400_000
"""How many known releases are looked at for all flows together."""


@dataclass(frozen=True, slots=True)
class Bound:
    """The longest response of a task, thread, ISR or interrupt, in units of which ``scale`` are a tick.

    ``mode``: of a task of the rounds.  ``bound`` is None if there is none, and ``why`` says why.  ``jobs``: how many of its
    activations wait or run at once at most, and ``takes`` how many it takes: with more, some are lost.  ``deadline`` in ticks,
    None if it has none; of a task of the rounds, what is left to its nearest one is ``slack``.  ``load``: its part of the
    processor in the long run.  ``kernel``: what of its execution is the kernel's.
    """

    name: str
    kind: str
    span: Span
    scale: int
    bound: int | None
    why: str = ""
    terms: tuple[Term, ...] = ()
    jobs: int = 1
    takes: int = 0
    deadline: int | None = None
    slack: int | None = None
    load: Fraction | None = None
    mode: str = ""

    @property
    def ticks(self) -> int | None:
        """The bound in ticks, rounded up."""
        return None if self.bound is None else -(-self.bound // self.scale)

    @property
    def met(self) -> bool | None:
        """Whether each deadline is met; None if it has none, or there is no bound."""
        if self.slack is not None:
            return self.slack >= 0
        return None if self.deadline is None or self.bound is None else self.bound <= self.deadline * self.scale

    @property
    def loses(self) -> bool:
        """Whether activations may be lost."""
        return bool(self.takes) and self.bound is not None and self.jobs > self.takes


def analyse_system(system: System, image: Image, kernel_times: tuple[KernelTime, ...]) -> tuple[Bound, ...]:
    """The bounds of all that runs, from the most urgent down; ``kernel_times`` are those of the plan."""
    flows = flows_of(system, image, kernel_times)
    found = [
        bound for mode, kernel in zip(system.modes, kernel_times, strict=True) for bound in _rounds(system, mode, kernel, flows)
    ]
    found += _levels(system, image, flows)
    return tuple(found)


# The rounds.


def _rounds(system: System, mode: Mode, kernel: KernelTime, flows: Flows) -> list[Bound]:
    """The tasks of a mode, each by its worst activation."""
    above: list[Flow] = []
    unknown: list[Unbounded] = []
    for interrupt in system.interrupts:
        if interrupt.above_tasks:
            try:
                above.append(interrupt_flow(system, interrupt, flows.scale))
            except UnknownError as lacks:
                unknown.append(Unbounded(interrupt.name, "interrupt", ROUNDS + 1, str(lacks)))
    costs = {t.name: None if t.wcet is None else (t.wcet + kernel.tasks.get(t.name, 0)) * flows.scale for t in system.tasks}
    handlers = [flow for flow in round_flows(system, mode, kernel, flows.scale, []) if flow.kind == "handler"]
    several = len(system.modes) > 1
    found: list[Bound] = []
    for task in system.tasks:
        own = [number for number, a in enumerate(mode.activations) if a.task == task.name]
        if not own:
            continue
        made = [_activation(mode, number, costs, [*above, *handlers], flows.scale) for number in own]
        bounds = [replace(bound, span=task.span, mode=mode.name if several else "") for bound in made]
        lacking = next((bound for bound in bounds if bound.bound is None), None)
        worst = lacking or max(bounds, key=lambda bound: bound.bound or 0)
        if unknown and worst.bound is not None:
            worst = replace(worst, bound=None, why=unknown[0].why, terms=(), slack=None)
        slacks = [bound.slack for bound in bounds if bound.slack is not None]
        load = Fraction(len(own) * (costs[task.name] or 0), mode.round_length * flows.scale)
        found.append(replace(worst, slack=min(slacks) if slacks and worst.bound is not None else None, load=load))
    return found


def _activation(mode: Mode, number: int, costs: dict[str, int | None], above: Sequence[Flow], scale: int) -> Bound:
    """The bound of one activation of a round, by those after it in this round and the next ones."""
    activation, length = mode.activations[number], mode.round_length
    later = [(a.at - activation.at) * scale for a in mode.activations[number + 1 :]]
    later += [(a.at - activation.at + length) * scale for a in mode.activations[: number + 1]]
    names = [a.task for a in mode.activations[number + 1 :]] + [a.task for a in mode.activations[: number + 1]]
    own, none = costs[activation.task], Bound(activation.task, "task", activation.span, scale, None)
    if own is None:
        return replace(none, why=f"task '{activation.task}' has no wcet")
    end, seen = own + sum(flow.cost * flow.arrivals.most(1) for flow in above), 0
    while True:
        for at, name in list(zip(later, names, strict=True))[seen:]:
            if at >= end + LATE:
                break
            cost = costs[name]
            if cost is None:
                return replace(none, why=f"task '{name}', which preempts it, has no wcet")
            seen += 1
        needed = own + sum(costs[name] or 0 for name in names[:seen])
        needed += sum(flow.cost * flow.arrivals.most(end + LATE) for flow in above)
        if needed <= end:
            break
        end = needed
        if end > length * scale:
            break
    again = next((at for at, name in zip(later, names, strict=True) if name == activation.task), length * scale)
    if end > again:
        return replace(none, why="it may still run when it is activated again")
    terms = [Term("execution", activation.task, 1, own)]
    terms += [Term("preemption", name, names[:seen].count(name), costs[name] or 0) for name in dict.fromkeys(names[:seen])]
    terms += [Term("preemption", f.name, f.arrivals.most(end + LATE), f.cost) for f in above if f.arrivals.most(end + LATE)]
    due = [d - activation.at for d in activation.deadlines]
    slack = min(due) * scale - end - LATE if due else None
    return replace(none, bound=end, terms=tuple(terms), deadline=min(due) if due else None, slack=slack)


# What levels order.


def _levels(system: System, image: Image, flows: Flows) -> list[Bound]:
    items: dict[str, tuple[Span, int, int]] = {i.name: (i.span, 0, 0) for i in system.interrupts}
    if image.osek is not None:
        osek = image.osek.allocation.osek
        items |= {isr.name: (isr.span, isr.declared.deadline, 0) for isr in osek.isrs}
        items |= {t.name: (t.span, t.declared.deadline or t.deadline, t.activations) for t in osek.tasks}
    missing = {lacks.name for lacks in flows.unknown}
    shown = [f for f in flows.known if f.level != ROUNDS and f.name in items and f.name not in missing]
    releases = min(MOST_RELEASES, RELEASES // max(1, len(shown)))
    found: list[tuple[int, Bound]] = []
    loses = {name: why for name in flows.counters if (why := _loses_ticks(name, flows, releases))}
    for flow in shown:
        span, deadline, takes = items[flow.name]
        bound = Bound(flow.name, flow.kind, span, flows.scale, None, takes=takes, deadline=deadline or None, load=flow.load)
        told = _level(bound, flow, flows, releases)
        late = next((loses[name] for name in _counters(image, flow) if name in loses), None)
        found.append((flow.level, replace(told, bound=None, why=late, terms=()) if late else told))
    for lacks in flows.unknown:
        if lacks.name in items and lacks.level != ROUNDS:
            span, deadline, takes = items[lacks.name]
            bound = Bound(lacks.name, lacks.kind, span, flows.scale, None, lacks.why, takes=takes, deadline=deadline or None)
            found.append((lacks.level, bound))
    order = list(items)
    return [bound for _, bound in sorted(found, key=lambda it: (-it[0], order.index(it[1].name)))]


def _counters(image: Image, flow: Flow) -> frozenset[str]:
    """The counters whose ticks release the jobs of a flow."""
    tasks = image.osek.allocation.osek.tasks if image.osek is not None else ()
    task = next((task for task in tasks if task.name == flow.name), None)
    return counters_of(image.osek.allocation.osek, task) if task is not None and image.osek is not None else frozenset()


def _loses_ticks(name: str, flows: Flows, releases: int) -> str:
    """Why a counter may lose ticks, and releases come late for ever; empty if it loses none."""
    flow, most = flows.counters[name]
    if any(lacks.level >= flow.level or lacks.reach >= flow.level for lacks in flows.unknown):
        return f"counter '{name}' loses ticks if it is held back for longer than it allows, and nothing bounds for how long it is"
    found = response(around(flow, flows.known, LATE), LATE, releases)
    if found is not None and found.bound < most:
        return ""
    how = f"{-(-found.bound // flows.scale)} ticks" if found is not None else "any time"
    return f"counter '{name}' may be held back for {how}, and loses ticks after {most // flows.scale}"


def _level(bound: Bound, flow: Flow, flows: Flows, releases: int) -> Bound:
    """The bound of a flow that has one if nothing unbounded is in its way."""
    ahead = _first(lacks for lacks in flows.unknown if lacks.level >= flow.level)
    if ahead is not None:
        return replace(bound, why=f"{_before(ahead)}: {ahead.why}")
    below = _first(lacks for lacks in flows.unknown if lacks.level < flow.level <= lacks.reach)
    if below is not None:
        return replace(bound, why=f"{below.kind} '{below.name}' may hold it back: {below.why}")
    others = around(flow, flows.known, LATE)
    if others.load > 1:
        takers = sorted((*others.above, *others.mates, flow), key=lambda other: -other.load)
        most = ", ".join(f"'{other.name}' {float(other.load):.1%}" for other in takers[:4])
        return replace(bound, why=f"overload: it and what runs before it need {float(others.load):.1%} of the processor ({most})")
    found = response(others, LATE, releases)
    if found is None:
        return replace(bound, why="what runs before it may follow each other for too long to be looked at")
    return replace(bound, bound=found.bound, terms=found.terms, jobs=found.jobs)


def _before(lacks: Unbounded) -> str:
    return "the kernel runs before it" if lacks.kind == "kernel" else f"{lacks.kind} '{lacks.name}' runs before it"


def _first(found: Iterable[Unbounded]) -> Unbounded | None:
    return next(iter(found), None)
