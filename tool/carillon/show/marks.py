# SPDX-License-Identifier: Apache-2.0
"""The instants in lanes: one row for each kind, which says how every picture and every format shows it.

All of them go through :data:`MARKS`, so that a new kind of instant is a new row here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from carillon.groups import grouped
from carillon.trace import Kind, Trace
from carillon.trace.summary import Summary
from carillon.trace.timeline import Lane, LaneKind
from carillon.trace.walk import fine_times

REAL = (LaneKind.TASK, LaneKind.INTERRUPT)
"""What is of the application and runs."""

RED = "#d92638"
"""The colour of what is bad."""


class Shape(Enum):
    """The page's outline, around 0.  A picture draws a lane's shapes in this order.

    Crosses may be red, and circles and diamonds are not.  A triangle is red, and an SVG's legend has none.
    """

    CIRCLE = "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z"
    DIAMOND = "M0-5l5 5l-5 5l-5-5z"
    CROSS = "M-4-4l8 8m0-8l-8 8"
    TRIANGLE = "M-4-4h8l-4 7z"


def has_rounds(trace: Trace) -> bool:
    """Whether there are dispatcher rounds, and with them releases and deadlines."""
    return bool(trace.modes) or not trace.event_triggered


def has_tables(trace: Trace) -> bool:
    """Whether there are lanes of schedule tables."""
    return bool(trace.tables)


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """A kind of instant: ``name`` it has in the page's data and in Perfetto, ``words`` in legends.

    ``signs``: a terminal's in Unicode and in ASCII; ``on_activation``: the same where an activation has its place.  ``room``: how
    wide the words are in an SVG's legend; 0: not in it.  ``vcd``: its event's name; empty: none.  ``events``: the events of the
    trace that are such instants, if any.  ``expected``: whether a legend has it though there is none.  ``verdict``: on a deadline
    of rounds, which legends and wires of other lanes do not have.  ``red``: how wide the words beside the sign are, which is then
    red; 0: it is nothing bad.
    """

    name: str
    words: str
    signs: str
    shape: Shape
    room: int = 0
    vcd: str = ""
    events: tuple[Kind, ...] = ()
    lanes: tuple[LaneKind, ...] = REAL
    expected: Callable[[Trace], bool] = lambda _: False
    verdict: bool = False
    on_activation: str = ""
    red: int = 0

    @property
    def nominal(self) -> bool:
        """Whether it stands at its tick, and not at a window's end."""
        return self.shape in (Shape.CIRCLE, Shape.DIAMOND)

    def seen(self, times: list[int], low: int, high: int) -> list[int]:
        """Those of the times that a window shows."""
        return [time for time in times if low <= time < high + (not self.nominal)]


ACTIVATION = Mark(
    "activation", "activation", "○o", Shape.CIRCLE, 88, "activation", (Kind.EXPIRY, Kind.ACTIVATION), expected=has_rounds
)
POINT = Mark(
    "expiry point", "expiry point", "◇*", Shape.DIAMOND, 98, "point", (Kind.EXPIRY, Kind.POINT), (LaneKind.TABLE,), has_tables
)
MET = Mark(
    "deadline met", "deadline", "×x", Shape.CROSS, 74, "deadline_met", expected=has_rounds, verdict=True, on_activation="⊗X"
)
MISSED = Mark("deadline missed", "missed", "✗!", Shape.CROSS, 70, "deadline_missed", expected=has_rounds, verdict=True, red=52)
OVERRUN = Mark("budget used up", "budget used up", "▼v", Shape.TRIANGLE, events=(Kind.BUDGET_OVERRUN,), red=92)

MARKS = (ACTIVATION, POINT, MET, MISSED, OVERRUN)
"""In the order of legends; where a terminal has one place for two, it shows the later one."""

Marks = dict[Mark, dict[Lane, list[int]]]
"""When the instants of each kind were, ascending, in units of 1/scale ticks."""


def marks_of(trace: Trace, summary: Summary) -> Marks:
    """All instants of a run."""
    marks: Marks = {mark: {lane: [] for lane in summary.lanes if lane.kind in mark.lanes} for mark in MARKS}
    lanes = {(mark, lane.name): times for mark, its in marks.items() for lane, times in its.items()}

    def add(mark: Mark, name: str, time: int) -> None:
        if (mark, name) in lanes:
            lanes[mark, name].append(time)

    for release in summary.releases:
        add(ACTIVATION, release.task, release.at * summary.scale)
    for run in summary.runs:
        if run.release is None and run.lane.name not in trace.event_triggered:
            add(ACTIVATION, run.lane.name, run.begin.u - (run.dispatch or 0))
    for verdict in summary.verdicts:
        add(MISSED if verdict.missed else MET, verdict.task, verdict.at * summary.scale)
    direct = grouped((kind, mark) for mark in MARKS for kind in mark.events)
    for event, time in zip(trace.events, fine_times(trace.events, trace.instructions_per_tick), strict=True):
        for mark in direct[event.kind]:
            if mark is not ACTIVATION or event.object in trace.event_triggered:  # others have releases
                add(mark, event.object, event.t * summary.scale if mark.nominal else time)
    for times in lanes.values():
        times.sort()
    return marks
