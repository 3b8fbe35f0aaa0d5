# SPDX-License-Identifier: Apache-2.0
"""The longest execution of each task, thread, ISR and interrupt that a run has: a WCET is not shorter, and may be longer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from carillon.diagnostics import Span
from carillon.groups import grouped
from carillon.model import System
from carillon.trace import Trace
from carillon.trace.summary import Summary
from carillon.trace.timeline import Lane, LaneKind, Stretch


@dataclass(frozen=True, slots=True)
class Longest:
    """What a run shows of the execution times of one task, thread, ISR or interrupt.

    ``path``: its table in a schedule file.  ``declared``: its WCET, in ticks.  ``ticks``: the longest execution, without what
    preempted it; None if it never ran.  ``jobs``: how many there were.  Of what waits, each part between two waits is one.
    ``at``: the tick in which the longest began.  ``ended``: whether it has ended in the run.  ``stopped``: what stops a thread
    in the middle of its jobs, which looks like a wait, so that only parts of jobs were seen; else empty.
    """

    name: str
    kind: str
    span: Span
    path: tuple[str, ...]
    declared: int | None
    ticks: Fraction | None
    jobs: int
    at: int | None
    ended: bool
    stopped: str = ""

    @property
    def exceeds(self) -> bool:
        """Whether the run refutes the declared WCET."""
        return self.declared is not None and self.ticks is not None and self.ticks > self.declared


def longest(system: System, trace: Trace, summary: Summary) -> tuple[Longest, ...]:
    """The longest executions: tasks of the rounds, interrupts, tasks and threads, ISRs, each in the schedule's order.

    Preemption does not count; a job that had not ended counts with the time that it has executed.
    """
    per_tick = max(1, trace.instructions_per_tick)
    stretches = grouped((run.lane, stretch) for run in summary.runs for stretch in run.stretches)
    found: list[tuple[str, str, Span, tuple[str, ...], int | None]] = []
    found += [("task", t.name, t.span, ("task", t.name), t.wcet) for t in system.tasks]
    found += [("interrupt", i.name, i.span, ("interrupt", i.name), i.declared.wcet or None) for i in system.interrupts]
    if system.osek is not None:
        for task in system.osek.tasks:
            path = ("thread", task.name) if task.thread else ("osek", "task", task.name)
            found.append(("thread" if task.thread else "task", task.name, task.span, path, task.declared.wcet or None))
        for isr in system.osek.isrs:
            found.append(("ISR", isr.name, isr.span, ("osek", "isr", isr.name), isr.declared.wcet or None))
    stopped = dict(_stopped(system))
    return tuple(
        _longest(kind, name, span, path, wcet, stretches[_lane(kind, name)], per_tick, stopped.get(name, ""))
        for kind, name, span, path, wcet in found
    )


def _stopped(system: System) -> Iterator[tuple[str, str]]:
    """The threads that something stops in the middle of their jobs, and what that is."""
    tasks = system.osek.tasks if system.osek is not None else ()
    often = Counter(task.priority for task in tasks)
    for task in tasks:
        if task.server is not None:
            yield task.name, f"server '{task.server}'"
        elif task.thread and system.time is not None and system.time.slice is not None and often[task.priority] > 1:
            yield task.name, "the end of a slice"


def _lane(kind: str, name: str) -> Lane:
    return Lane(LaneKind.TASK if kind in ("task", "thread") else LaneKind.INTERRUPT, name)


def _longest(
    kind: str,
    name: str,
    span: Span,
    path: tuple[str, ...],
    wcet: int | None,
    own: Iterable[Stretch],
    per_tick: int,
    stopped: str,
) -> Longest:
    own = list(own)
    if not own:
        return Longest(name, kind, span, path, wcet, None, 0, None, True, stopped)
    most = max(own, key=lambda stretch: stretch.executed)
    seen = Fraction(most.executed, per_tick)
    return Longest(name, kind, span, path, wcet, seen, len(own), most.begin.t, most.end is not None, stopped)
