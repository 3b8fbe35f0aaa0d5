# SPDX-License-Identifier: Apache-2.0
"""What a run means: deadlines met and missed, and figures of each task and of all."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from carillon.trace.timeline import Handler, HandlerKind, Lane, Moment, Release, Run, Segment


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a deadline at tick ``at``.

    ``run`` is an index into :attr:`Summary.runs`, -1 if the activation never began.  ``observed``: an event
    of the run says so; otherwise it is computed (missed unless the task ended before the deadline).
    """

    task: str
    at: int
    run: int
    missed: bool
    observed: bool


@dataclass(frozen=True, slots=True)
class Spread:
    """Minimum, median and maximum of ``samples`` values; the median is exact, so it may end in .5."""

    minimum: int
    median: float
    maximum: int
    samples: int

    @staticmethod
    def of(values: Sequence[int]) -> Spread | None:
        """The spread of the values; None if there are none."""
        if not values:
            return None
        return Spread(min(values), float(statistics.median(values)), max(values), len(values))

    def as_json(self) -> dict[str, object]:
        """The form that ``--json`` prints."""
        return {"min": self.minimum, "median": self.median, "max": self.maximum, "samples": self.samples}


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """Figures of one task or application interrupt.

    In ticks: ``start_delay`` (start - nominal release), ``jitter`` (its maximum - its minimum), ``drift``
    (its last value - its first, over activations of one point that began in an idle system; of the point where that is most),
    ``response`` (end - nominal release).  ``longest`` is the greatest time in ticks from a stretch's begin to its end, with what
    preempted it.  In units of ``n``: ``execution``, ``dispatch``, ``terminate``, each of stretches (of whole runs, for a task
    that does not wait).  ``share`` is its part of the run's length.  ``unstarted`` counts releases within the trace that no
    start answers.  ``start_bound`` is the greatest ``start_delay`` that the plan allows; None for a task that starts on its
    tick.
    """

    lane: Lane
    activations: int
    unstarted: int
    start_delay: Spread | None
    jitter: int | None
    drift: int | None
    response: Spread | None
    execution: Spread | None
    preemptions: int
    deadlines_met: int
    deadlines_missed: int
    dispatch: Spread | None
    terminate: Spread | None
    event_triggered: bool
    waits: int
    longest: int | None
    share: float
    start_bound: int | None = None

    def as_json(self) -> dict[str, object]:
        """The form that ``--json`` prints."""
        record: dict[str, object] = {"name": self.lane.name, "kind": self.lane.kind.value}
        numbers = [
            "activations",
            "unstarted",
            "start_bound",
            "jitter",
            "drift",
            "preemptions",
            "deadlines_met",
            "deadlines_missed",
        ]
        spreads = ["start_delay", "response", "execution", "dispatch", "terminate"]
        if self.event_triggered:
            numbers = ["activations", "waits", "preemptions", "longest", "share", "deadlines_missed"]
            spreads = ["execution", "dispatch", "terminate"]
        record["event_triggered"] = self.event_triggered
        for name in numbers:
            record[name] = getattr(self, name)
        for name in spreads:
            spread: Spread | None = getattr(self, name)
            record[name] = spread.as_json() if spread else None
        return record


@dataclass(frozen=True, slots=True)
class Totals:
    """Figures of the whole run; shares lie between 0 and 1.

    ``kernel_share`` is the kernel's part of all instructions, None where code takes no time.
    ``interrupts_for_met_deadlines`` counts interrupts that did nothing but find deadlines met.
    """

    interrupts: int
    interrupts_by_kind: dict[HandlerKind, int]
    interrupts_for_met_deadlines: int
    kernel_n: int
    total_n: int
    kernel_share: float | None
    idle_share: float
    deadlines_met: int
    deadlines_missed: int

    def as_json(self) -> dict[str, object]:
        """The form that ``--json`` prints."""
        return {
            "interrupts": self.interrupts,
            "interrupts_by_kind": {kind.value: self.interrupts_by_kind[kind] for kind in HandlerKind},
            "interrupts_for_met_deadlines": self.interrupts_for_met_deadlines,
            "kernel_instructions": self.kernel_n,
            "instructions": self.total_n,
            "kernel_share": self.kernel_share,
            "idle_share": self.idle_share,
            "deadlines_met": self.deadlines_met,
            "deadlines_missed": self.deadlines_missed,
        }


@dataclass(frozen=True, slots=True)
class Summary:
    """All that :func:`analyse` found.

    ``lanes`` is the order of display: tasks by first activation, interrupts, what is event-triggered by priority,
    schedule tables, kernel, idle.  ``segments`` are
    in order of time, never overlap and cover the trace from ``begin`` to ``end`` in each of the three units.
    ``scale`` is the number of units ``u`` in a tick.
    """

    begin: Moment
    end: Moment
    scale: int
    lanes: tuple[Lane, ...]
    segments: tuple[Segment, ...]
    runs: tuple[Run, ...]
    handlers: tuple[Handler, ...]
    releases: tuple[Release, ...]
    verdicts: tuple[Verdict, ...]
    tasks: tuple[TaskSummary, ...]
    totals: Totals

    def as_json(self) -> dict[str, object]:
        """The figures, without segments and runs, in the form that ``--json`` prints."""
        return {"tasks": [task.as_json() for task in self.tasks], "totals": self.totals.as_json()}
