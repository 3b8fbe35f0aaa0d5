# SPDX-License-Identifier: Apache-2.0
"""What a run means: deadlines met and missed, and figures of each task and of all."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction

from carillon.energy import Estimate
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

    In ticks: ``start_delay`` (start - nominal release) and ``jitter`` (its maximum - its minimum).  ``drift`` (its last value -
    its first) is over activations of one point that began in an idle system; of the point where that is most.  ``response`` (end
    - nominal release).  ``longest`` is the greatest time in ticks from a stretch's begin to its end, with what preempted it.  In
    units of ``n``: ``execution``, ``dispatch``, ``terminate``, each of stretches (of whole runs, for a task that does not wait).
    ``share`` is its part of the run's length.  ``unstarted`` counts releases within the trace that no start answers.
    ``lost`` counts activations that came while the task had all that it takes, as far as expiries are known.
    ``start_bound`` is the greatest ``start_delay`` that the plan allows; None for a task that starts on its tick.
    What is event-triggered has ``start_delay`` and ``response`` from its activation, of those jobs alone of which that is known:
    ``known_activations``.  The response of a job that waits is that of its first stretch: what woke it later is not known.
    ``response_bound``: the greatest response that an analysis allows, in ticks; None if there is none.
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
    budget_overruns: int = 0
    lost: int = 0
    known_activations: int = 0
    response_bound: int | None = None

    def as_json(self) -> dict[str, object]:
        """The form that ``--json`` prints."""
        record = {"name": self.lane.name, "kind": self.lane.kind.value, "event_triggered": self.event_triggered}
        values = {name: getattr(self, name) for name in (_OF_EVENTS if self.event_triggered else _OF_ROUNDS)}
        return record | {name: value.as_json() if isinstance(value, Spread) else value for name, value in values.items()}


_WORK = ("execution", "dispatch", "terminate")
_OF_ROUNDS = (
    *(
        "activations",
        "unstarted",
        "start_bound",
        "response_bound",
        "jitter",
        "drift",
        "preemptions",
        "deadlines_met",
        "deadlines_missed",
    ),
    "budget_overruns",
    "lost",
    *("start_delay", "response", *_WORK),
)
_OF_EVENTS = (
    *(
        "activations",
        "known_activations",
        "response_bound",
        "waits",
        "preemptions",
        "longest",
        "share",
        "deadlines_missed",
        "budget_overruns",
    ),
    *("lost", "start_delay", "response", *_WORK),
)
"""What ``--json`` prints of a task, by what triggers it."""


@dataclass(frozen=True, slots=True)
class Energy:
    """What a run of so many seconds is estimated to have taken."""

    estimate: Estimate
    seconds: Fraction

    @property
    def joules(self) -> Fraction:
        """The energy of the whole run."""
        return self.estimate.energy(self.seconds)

    def as_json(self) -> dict[str, float]:
        """The form that ``--json`` prints."""
        return {**self.estimate.as_json(), "energy_mj": float(self.joules * 1000)}


@dataclass(frozen=True, slots=True)
class Totals:
    """Figures of the whole run; shares lie between 0 and 1.

    ``kernel_share`` is the kernel's part of all instructions, None where code takes no time.
    ``interrupts_for_met_deadlines`` counts interrupts that did nothing but find deadlines met.  ``energy``: None where the board
    gives no currents.
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
    budget_overruns: int = 0
    lost: int = 0
    energy: Energy | None = None

    def as_json(self) -> dict[str, object]:
        """The form that ``--json`` prints."""
        names = {"kernel_n": "kernel_instructions", "total_n": "instructions"}
        by_kind = {kind.value: self.interrupts_by_kind[kind] for kind in HandlerKind}
        told = {names.get(name, name): value for name, value in asdict(replace(self, energy=None)).items()}
        return told | {"interrupts_by_kind": by_kind, "energy": self.energy.as_json() if self.energy is not None else None}


@dataclass(frozen=True, slots=True)
class Summary:
    """All that :func:`analyse` found.

    ``lanes`` is the order of display: tasks by first activation, interrupts, what is event-triggered by priority, schedule
    tables, pins, kernel, idle.  ``segments`` are in order of time, never overlap and cover the trace from ``begin`` to ``end`` in
    each of the three units.  ``scale`` is the number of units ``u`` in a tick.  ``high``: when each pin was high, in ``u``;
    ``unseen``: when nothing was seen, in ``u``.
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
    high: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    unseen: tuple[tuple[int, int], ...] = ()

    def as_json(self) -> dict[str, object]:
        """The figures, without segments and runs, in the form that ``--json`` prints."""
        return {"tasks": [task.as_json() for task in self.tasks], "totals": self.totals.as_json()}
