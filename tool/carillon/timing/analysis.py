# SPDX-License-Identifier: Apache-2.0
"""The response times of all that runs: a bound for each, with the terms that it is made of, or why there is none.

Rounds are served as a stack: each activation preempts what runs, and each later one preempts it (OSEKtime OS 1.0).  So a job's
response ends where its own time, that of all later activations, and that of the interrupts above fit in.  All else is ordered by
levels (:mod:`carillon.timing.response`).  What a bound rests on is what ``check`` rests on: declared times, and the image.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

from carillon.check.simulation import KernelTime
from carillon.diagnostics import Span
from carillon.image import Image
from carillon.model import Mode, System
from carillon.model.osek import OsekTask
from carillon.timing.bound import Bound
from carillon.timing.flows import ROUNDS, Flows, Unbounded, flows_of, interrupt_flow, longer, round_flows
from carillon.timing.releases import UnknownError, counters_of
from carillon.timing.response import MOST_RELEASES, Flow, Others, Term, around, response
from carillon.timing.served import served_response

LATE = 1
"""What comes in the unit in which a job ends preempts it (:mod:`carillon.check.simulation`)."""
MOST_GROWTH = 1 << 40
STILL_RUNS = "it may still run when it is activated again"
NONE_GROWN: Mapping[str, int] = {}
RELEASES = 400_000
"""How many known releases are looked at for all flows together."""


class ProgramBounds(Protocol):
    """The analysis of a system's program, which its language knows."""

    def carriers(self, system: System) -> frozenset[str]:
        """The threads or tasks that carry the program's tasks out."""

    def bounds(self, system: System, image: Image, scale: int, grown: Mapping[str, int]) -> Iterable[Bound]:
        """The bounds of the program's tasks, in units of which a tick has ``scale``."""


def analyse_system(
    system: System,
    image: Image,
    kernel_times: tuple[KernelTime, ...],
    grown: Mapping[str, int] = NONE_GROWN,
    program: ProgramBounds | None = None,
) -> tuple[Bound, ...]:
    """The bounds of all that runs, from the most urgent down; ``kernel_times`` are those of the plan.

    ``grown``: by how many ticks WCETs are longer than they are declared.  ``program``: of a system that has one.
    """
    if grown:
        tasks = tuple(t if t.wcet is None else replace(t, wcet=t.wcet + grown.get(t.name, 0)) for t in system.tasks)
        interrupts = tuple(replace(i, declared=longer(i.declared, grown.get(i.name, 0))) for i in system.interrupts)
        system = replace(system, tasks=tasks, interrupts=interrupts)
    flows = flows_of(system, image, kernel_times, grown)
    found: list[Bound] = []
    for mode, kernel in zip(system.modes, kernel_times, strict=True):
        found += _rounds(system, mode, kernel, flows)
    if program is not None:
        found += program.bounds(system, image, flows.scale, grown)
    found += _levels(system, image, flows, program)
    return tuple(found)


def growth(
    system: System, image: Image, kernel_times: tuple[KernelTime, ...], name: str, program: ProgramBounds | None = None
) -> int | None:
    """By how many ticks a WCET may grow until a deadline that is met may be missed, or an activation lost that is not.

    None if nothing limits it, or it has none.  The search takes some forty analyses.
    """

    def kept(ticks: int) -> frozenset[tuple[str, str, str]]:
        return _kept(analyse_system(system, image, kernel_times, {name: ticks} if ticks else NONE_GROWN, program))

    sound = kept(0)
    low, high = 0, 1
    while sound <= kept(high):
        low, high = high, 2 * high
        if high > MOST_GROWTH:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if sound <= kept(middle):
            low = middle
        else:
            high = middle
    return low


def _kept(bounds: Iterable[Bound]) -> frozenset[tuple[str, str, str]]:
    """What is sure: whose deadlines are met, and who loses no activation."""
    found: list[tuple[str, str, str]] = []
    for bound in bounds:
        found += [(bound.mode, bound.name, "met")] * (bound.met is True)
        found += [(bound.mode, bound.name, "kept")] * (bound.bound is not None and bool(bound.takes) and not bound.loses)
        found += [(bound.mode, bound.name, "again")] * (bound.bound is not None and not bound.takes)
    return frozenset(found)


# The rounds.


def _rounds(system: System, mode: Mode, kernel: KernelTime, flows: Flows) -> list[Bound]:
    """The tasks of a mode, each by its worst activation."""
    above: list[Flow] = []
    unknown: list[Unbounded] = []
    for interrupt in system.interrupts:
        if interrupt.above_tasks:
            try:
                above.append(interrupt_flow(system, interrupt, flows))
            except UnknownError as lacks:
                unknown.append(Unbounded(interrupt.name, "interrupt", ROUNDS + 1, str(lacks)))
    costs = {t.name: None if t.wcet is None else (t.wcet + kernel.tasks.get(t.name, 0)) * flows.scale for t in system.tasks}
    handlers = [flow for flow in round_flows(system, mode, kernel, flows.scale, []) if flow.kind == "handler"]
    nested = _Nested(mode, costs, [*above, *handlers], flows.scale)
    several = len(system.modes) > 1
    found: list[Bound] = []
    for task in system.tasks:
        own = [number for number, a in enumerate(mode.activations) if a.task == task.name]
        if not own:
            continue
        made = [nested.bound(number) for number in own]
        bounds = [replace(bound, span=task.span, mode=mode.name if several else "") for bound in made]
        lacking = next((bound for bound in bounds if bound.bound is None), None)
        worst = lacking or max(bounds, key=lambda bound: bound.bound or 0)
        if unknown and worst.bound is not None:
            worst = replace(worst, bound=None, why=unknown[0].why, terms=(), slack=None)
        slacks = [bound.slack for bound in bounds if bound.slack is not None]
        load = Fraction(len(own) * (costs[task.name] or 0), mode.round_length * flows.scale)
        found.append(replace(worst, slack=min(slacks) if slacks and worst.bound is not None else None, load=load))
    return found


class _Nested:
    """The activations of a mode's rounds, each of which preempts what runs."""

    def __init__(self, mode: Mode, costs: dict[str, int | None], above: Sequence[Flow], scale: int) -> None:
        self.activations, self.length = mode.activations, mode.round_length * scale
        self.costs, self.above, self.scale = costs, above, scale
        self.at = [activation.at * scale for activation in mode.activations]

    def later(self, number: int) -> Iterator[tuple[int, str]]:
        """The activations after one, in this round and once more up to itself: how long after it, and of whom."""
        count, begin = len(self.at), self.at[number]
        for k in range(number + 1, number + 1 + count):
            turn, other = divmod(k, count)
            yield self.at[other] - begin + turn * self.length, self.activations[other].task

    def again(self, number: int) -> int:
        """How long after an activation its task is activated again."""
        task = self.activations[number].task
        return next(at for at, name in self.later(number) if name == task)

    def bound(self, number: int) -> Bound:
        """The bound of one activation."""
        activation = self.activations[number]
        due = min((d - activation.at for d in activation.deadlines), default=None)
        none = Bound(activation.task, "task", activation.span, self.scale, None, deadline=due)
        own = self.costs[activation.task]
        if own is None:
            return replace(none, why=f"task '{activation.task}' has no wcet")
        coming = self.later(number)
        following = next(coming, None)
        preempting: dict[str, int] = {}
        nested = 0
        end = own + self._interrupts(1)
        while end <= self.length:
            while following is not None and following[0] < end + LATE:
                name = following[1]
                if name == activation.task:  # it waits for this job's end, which is not later: else there is no bound
                    following = next(coming, None)
                    continue
                cost = self.costs[name]
                if cost is None:
                    return replace(none, why=f"task '{name}', which preempts it, has no wcet")
                preempting[name] = preempting.get(name, 0) + 1
                nested += cost
                following = next(coming, None)
            needed = own + nested + self._interrupts(end + LATE)
            if needed <= end:
                break
            end = needed
        if end > self.length or end > self.again(number):
            return replace(none, why=STILL_RUNS)
        terms = [Term("execution", activation.task, 1, own)]
        terms += [Term("preemption", name, often, self.costs[name] or 0) for name, often in preempting.items()]
        often_above = [(flow, flow.arrivals.most(end + LATE)) for flow in self.above]
        terms += [Term("preemption", flow.name, often, flow.cost) for flow, often in often_above if often]
        slack = due * self.scale - end - LATE if due is not None else None
        return replace(none, bound=end, terms=tuple(terms), slack=slack)

    def _interrupts(self, length: int) -> int:
        return sum(flow.cost * flow.arrivals.most(length) for flow in self.above)


# What levels order.


def _levels(system: System, image: Image, flows: Flows, program: ProgramBounds | None) -> list[Bound]:
    items: dict[str, tuple[Span, int, int]] = {i.name: (i.span, i.declared.deadline, 0) for i in system.interrupts}
    if image.osek is not None:
        osek = image.osek.allocation.osek
        items |= {isr.name: (isr.span, isr.declared.deadline, 0) for isr in osek.isrs}
        items |= {t.name: (t.span, t.declared.deadline or t.deadline, _takes(t)) for t in osek.tasks}
    for name in () if program is None else program.carriers(system):
        items.pop(name, None)
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
        found.append((flow.level, replace(told, bound=None, why=late, terms=()) if late and told.bound is not None else told))
    for lacks in flows.unknown:
        if lacks.name in items and lacks.level != ROUNDS:
            span, deadline, takes = items[lacks.name]
            bound = Bound(lacks.name, lacks.kind, span, flows.scale, None, lacks.why, takes=takes, deadline=deadline or None)
            found.append((lacks.level, bound))
    order = list(items)
    return [bound for _, bound in sorted(found, key=lambda it: (-it[0], order.index(it[1].name)))]


def _takes(task: OsekTask) -> int:
    """How many activations a task takes at once; 0 of one that waits, and of one whose time frame may refuse some."""
    return 0 if task.extended or task.time_frame else task.activations


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
    ahead = _first(lacks for lacks in flows.unknown if lacks.level >= flow.level and lacks.server in ("", flow.server))
    if ahead is not None:
        return replace(bound, why=f"{_before(ahead)}: {ahead.why}")
    below = _first(lacks for lacks in flows.unknown if lacks.level < flow.level <= lacks.reach)
    if below is not None:
        return replace(bound, why=f"{below.kind} '{below.name}' may hold it back: {below.why}")
    others = around(flow, flows.known, LATE)
    if flow.server:
        return _served(bound, others)
    if others.load > 1:
        takers = sorted((*others.above, *others.mates, flow), key=lambda other: -other.load)
        most = ", ".join(f"'{other.name}' {float(other.load):.1%}" for other in takers[:4])
        return replace(bound, why=f"overload: it and what runs before it need {float(others.load):.1%} of the processor ({most})")
    found = response(others, LATE, releases)
    if found is None:
        return replace(bound, why="what runs before it may follow each other for too long to be looked at")
    return replace(bound, bound=found.bound, terms=found.terms, jobs=found.jobs)


def _served(bound: Bound, others: Others) -> Bound:
    """The bound of a thread that runs on a server's budget."""
    found = served_response(others, LATE)
    if found is not None:
        return replace(bound, bound=found.bound, terms=found.terms, jobs=found.jobs)
    server = others.flow.server
    why = f"its threads need more than the budget of server '{server}', or what is above them leaves less than that in a period"
    return replace(bound, why=why)


def _before(lacks: Unbounded) -> str:
    return "the kernel runs before it" if lacks.kind == "kernel" else f"{lacks.kind} '{lacks.name}' runs before it"


def _first(found: Iterable[Unbounded]) -> Unbounded | None:
    return next(iter(found), None)
