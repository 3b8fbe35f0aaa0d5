# SPDX-License-Identifier: Apache-2.0
"""Analysis of a run: who had the processor when, and what that means for every task.

:func:`analyse` reads the events once (:mod:`.walk`) and returns a :class:`.summary.Summary`.  It has the segments in which tasks,
interrupts, the kernel and the idle task really ran, one :class:`.timeline.Run` per activation and one :class:`.timeline.Handler`
per interrupt taken.  It also has one :class:`.summary.Verdict` per deadline, and figures for each task and for the whole run.
"""

from __future__ import annotations

import bisect
import itertools
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from fractions import Fraction

from carillon.groups import grouped
from carillon.trace import Event, Kind, Trace, Unseen
from carillon.trace.summary import Energy, Spread, Summary, TaskSummary, Totals, Verdict
from carillon.trace.timeline import IDLE, KERNEL, HandlerKind, Lane, LaneKind, Moment, Release, Run
from carillon.trace.walk import Walk

EARLY_TICKS = 2
"""How many ticks before its nominal release a start still counts as that release's."""


def analyse(trace: Trace, releases: Sequence[Release]) -> Summary:
    """Segments, runs, verdicts and figures of a trace; see :mod:`.walk` for what it expects.

    ``releases`` are the nominal releases in any order; those after the end of the trace are left out.
    """
    walk = Walk(trace)
    walk.follow()
    end = walk.end
    known = tuple(sorted((r for r in releases if r.at < end.t), key=lambda r: (r.at, r.task)))
    runs = tuple(walk.runs)
    _answer_releases(runs, known)
    _answer_activations(runs, trace, walk.activations)
    verdicts = _verdicts(trace.events, known, runs, end)
    lanes = _lanes(trace, runs)
    shares = _shares(walk)
    by_lane = grouped((run.lane, run) for run in runs)
    released = Counter(release.task for release in known)
    judged = grouped((verdict.task, verdict.missed) for verdict in verdicts)
    counts: Counter[tuple[Kind, str]] = Counter(
        (e.kind, e.object) for e in trace.events if e.kind in (Kind.BUDGET_OVERRUN, Kind.LOST)
    )
    tasks = tuple(
        _task_summary(trace, lane, shares.get(lane, 0.0), by_lane[lane], released[lane.name], judged[lane.name], counts)
        for lane in lanes
        if lane.kind in (LaneKind.TASK, LaneKind.INTERRUPT)
    )
    return Summary(
        begin=walk.begin,
        end=end,
        scale=walk.scale,
        lanes=lanes,
        segments=tuple(walk.segments),
        runs=runs,
        handlers=tuple(walk.handlers),
        releases=known,
        verdicts=verdicts,
        tasks=tasks,
        totals=_totals(trace, walk, verdicts, counts),
        high=walk.high(trace),
        unseen=tuple((gap.begin, gap.end) for gap in trace.unseen),
    )


def _answer_releases(runs: Sequence[Run], releases: Sequence[Release]) -> None:
    """Give each run the release that it answers.

    From the last start backwards, each start takes the latest release that is not after it and not yet taken.  So a start
    after the next release still finds its own release, and a lost activation shifts no others.
    """
    started = grouped((run.lane.name, run) for run in runs)
    for task, task_releases in grouped((release.task, release) for release in releases).items():
        times = [release.at for release in task_releases]
        gap = min((b - a for a, b in itertools.pairwise(times)), default=8 * EARLY_TICKS)
        early = min(EARLY_TICKS, gap // 8)
        free = len(task_releases)
        for run in reversed(started[task]):
            free = min(free, bisect.bisect_right(times, run.begin.t + early)) - 1
            if free < 0:
                break
            run.release = task_releases[free]


def _answer_activations(runs: Sequence[Run], trace: Trace, activations: Sequence[tuple[Event, int]]) -> None:
    """Give each run of what is event-triggered its activation: the one that has waited longest and is not lost.

    A request of an interrupt waits in one bit.  So a run of an ISR answers all that came before it, and none from before
    the run that preceded it, which has taken that.  ``activations`` has those events, each with its time in ``u``.
    """
    lost = {(event.object, event.n) for event in trace.events if event.kind is Kind.LOST}
    come = grouped((event.object, (event, time)) for event, time in activations)
    begun = grouped((run.lane.name, run) for run in runs)
    for name in trace.event_triggered:
        waiting = deque((e, u) for e, u in come[name] if e.kind is Kind.ACTIVATION or (name, e.n) not in lost)
        taken = waiting[0][0].n if waiting else 0
        for run in begun[name]:
            while waiting and run.lane.kind is LaneKind.INTERRUPT and waiting[0][0].n < taken:
                waiting.popleft()
            taken = run.begin.n - (run.dispatch or 0)
            if waiting and waiting[0][0].n <= run.begin.n:
                event, run.activated = waiting.popleft()
                run.activation = event.t
                run.expiry = event.t if event.kind is Kind.EXPIRY else None


def _verdicts(events: Iterable[Event], releases: Sequence[Release], runs: Sequence[Run], end: Moment) -> tuple[Verdict, ...]:
    """One verdict per deadline that lies within the trace, in order of time; the events' word counts first."""
    judging = (event for event in events if event.kind in (Kind.DEADLINE_MET, Kind.DEADLINE_MISSED))
    observed = grouped((event.object, (event.t, event.kind is Kind.DEADLINE_MISSED)) for event in judging)
    answering = {(run.lane.name, run.release.at): index for index, run in enumerate(runs) if run.release is not None}
    due = grouped((release.task, (deadline, release.at)) for release in releases for deadline in release.deadlines)
    verdicts: list[Verdict] = []
    for task in sorted({*due, *observed}):
        told: dict[int, bool] = {}
        deadlines = sorted(due[task])
        times = [deadline for deadline, _ in deadlines]
        for t, missed in observed[task]:
            position = bisect.bisect_right(times, t) - 1
            if position < 0 or position in told:
                verdicts.append(Verdict(task, t, -1, missed, True))
            else:
                told[position] = missed
        for position, (deadline, at) in enumerate(deadlines):
            index = answering.get((task, at), -1)
            finished = runs[index].end if index >= 0 else None
            if position in told:
                verdicts.append(Verdict(task, deadline, index, told[position], True))
            elif finished is not None and deadline <= end.t:
                verdicts.append(Verdict(task, deadline, index, finished.t >= deadline, False))
            elif deadline < end.t:
                verdicts.append(Verdict(task, deadline, index, True, False))
    return tuple(sorted(verdicts, key=lambda v: (v.at, v.task, v.run)))


def _lanes(trace: Trace, runs: Sequence[Run]) -> tuple[Lane, ...]:
    """Tasks by first activation, those that never ran, interrupts, what is event-triggered, tables, pins, kernel, idle."""
    seen = dict.fromkeys(run.lane for run in runs)
    tasks = dict.fromkeys(lane for lane in seen if lane.kind is LaneKind.TASK)
    tasks.update(dict.fromkeys(Lane(LaneKind.TASK, name) for name in trace.tasks))
    interrupts = dict.fromkeys(Lane(LaneKind.INTERRUPT, name) for name in trace.interrupts)
    interrupts.update(dict.fromkeys(lane for lane in seen if lane.kind is LaneKind.INTERRUPT))
    below = [
        Lane(LaneKind.INTERRUPT if name in trace.interrupts else LaneKind.TASK, name)
        for name in dict.fromkeys(trace.event_triggered)
    ]
    above = [lane for lane in (*tasks, *interrupts) if lane not in below]
    tables = dict.fromkeys(Lane(LaneKind.TABLE, table.name) for table in trace.tables)
    pins = tuple(Lane(LaneKind.PIN, name) for name, _ in trace.pins)
    return (*above, *below, *tables, *pins, *(() if trace.captured else (KERNEL,)), IDLE)


def _shares(walk: Walk) -> dict[Lane, float]:
    """The part of the time in which each lane had the processor."""
    had: dict[Lane, int] = defaultdict(int)
    for segment in walk.segments:
        had[segment.lane] += segment.end.u - segment.begin.u
    length = walk.end.u - walk.begin.u
    return {lane: time / length for lane, time in had.items()} if length else {}


def _drift(answered: Sequence[tuple[Run, Release]]) -> int | None:
    """The drift of a task: the last delay minus the first of a point's undisturbed starts, of the point with the largest.

    Starts of different points, as of different tasks, differ by the work of the kernel; this difference is no drift.
    """
    first: dict[tuple[str, int], int] = {}
    last: dict[tuple[str, int], int] = {}
    again = set()
    for run, release in answered:
        if run.from_idle:
            delay = run.begin.t - release.at
            if release.point in first:
                again.add(release.point)
            first.setdefault(release.point, delay)
            last[release.point] = delay
    return max((last[point] - first[point] for point in first if point in again), key=abs, default=None)


def _task_summary(
    trace: Trace,
    lane: Lane,
    share: float,
    runs: Sequence[Run],
    released: int,
    judged: Sequence[bool],
    counts: Counter[tuple[Kind, str]],
) -> TaskSummary:
    """A lane's figures from its runs, its number of releases, which of its deadlines were missed, and how often what happened."""
    stretches = [stretch for run in runs for stretch in run.stretches]
    finished = [stretch for stretch in stretches if stretch.end is not None]
    answered = [(run, run.release) for run in runs if run.release is not None]
    invoked = [job for job in trace.invoked if job.lane == lane.name]
    delays = [run.start_delay for run in runs if run.start_delay is not None]
    responses = [run.response for run in runs if run.response is not None]
    known = len(delays)
    if invoked:  # else a thread is one job that waits
        delays, responses = [job.begin - job.release for job in invoked], [job.response for job in invoked]
    return TaskSummary(
        lane=lane,
        activations=len(runs),
        unstarted=released - len(answered),
        start_delay=Spread.of(delays),
        jitter=max(delays) - min(delays) if delays else None,
        drift=_drift(answered),
        response=Spread.of(responses),
        execution=Spread.of([stretch.executed for stretch in finished]),
        preemptions=sum(run.preemptions for run in runs),
        deadlines_met=judged.count(False),
        deadlines_missed=judged.count(True),
        dispatch=Spread.of([stretch.dispatch for stretch in stretches if stretch.dispatch is not None]),
        terminate=Spread.of([stretch.terminate for stretch in finished if stretch.terminate is not None]),
        event_triggered=lane.name in trace.event_triggered,
        waits=sum(len(run.waits) for run in runs),
        longest=max((stretch.end.t - stretch.begin.t for stretch in finished if stretch.end is not None), default=None),
        share=share,
        start_bound=dict(trace.start_bounds).get(lane.name),
        response_bound=dict(trace.response_bounds).get(lane.name),
        budget_overruns=counts[Kind.BUDGET_OVERRUN, lane.name],
        lost=counts[Kind.LOST, lane.name],
        known_activations=known,
    )


def _totals(trace: Trace, walk: Walk, verdicts: Sequence[Verdict], counts: Counter[tuple[Kind, str]]) -> Totals:
    kinds = Counter(handler.kind for handler in walk.handlers)
    kernel = sum(s.end.n - s.begin.n for s in walk.segments if s.lane is KERNEL)
    idle = sum(s.end.u - s.begin.u for s in walk.segments if s.lane is IDLE)
    total_n, total_u = walk.end.n - walk.begin.n, walk.end.u - walk.begin.u
    begins = [s.begin.u for s in walk.segments] if trace.unseen else []
    for gap in trace.unseen:  # who ran in it is not known
        within = walk.segments[max(0, bisect.bisect_right(begins, gap.begin) - 1) : bisect.bisect_left(begins, gap.end)]
        idle -= sum(_shared(gap, s.begin.u, s.end.u) for s in within if s.lane is IDLE)
        total_u -= _shared(gap, walk.begin.u, walk.end.u)
    return Totals(
        interrupts=len(walk.handlers),
        interrupts_by_kind={kind: kinds[kind] for kind in HandlerKind},
        interrupts_for_met_deadlines=sum(h.kind is HandlerKind.DEADLINE and not h.missed for h in walk.handlers),
        kernel_n=kernel,
        total_n=total_n,
        kernel_share=kernel / total_n if trace.instructions_per_tick > 0 and total_n else None,
        idle_share=idle / total_u if total_u else 0.0,
        deadlines_met=sum(not verdict.missed for verdict in verdicts),
        deadlines_missed=sum(verdict.missed for verdict in verdicts),
        budget_overruns=sum(counts[key] for key in counts if key[0] is Kind.BUDGET_OVERRUN),
        lost=sum(counts[key] for key in counts if key[0] is Kind.LOST),
        energy=_energy(trace, idle, total_u, walk.scale),
    )


def _shared(gap: Unseen, begin: int, end: int) -> int:
    """How much of [begin, end) lies in a gap."""
    return max(0, min(gap.end, end) - max(gap.begin, begin))


def _energy(trace: Trace, idle: int, total: int, scale: int) -> Energy | None:
    """What a run of ``total`` units took of which it idled for ``idle``, with ``scale`` units in a tick."""
    if trace.supply is None or not total:
        return None
    return Energy(trace.supply.estimate(Fraction(idle, total)), Fraction(total, scale * trace.clock_hz))
