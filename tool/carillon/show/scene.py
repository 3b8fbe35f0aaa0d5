# SPDX-License-Identifier: Apache-2.0
"""What every picture of a run shares: panels, lanes, marks, windows, axes and the colours of tasks.

A *panel* is one trace with its analysis.  A picture shows one panel, or two above one another on a common
axis.  Positions are in units of 1/``scale`` ticks (``u``, see :mod:`carillon.trace.timeline`) until they are drawn.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from carillon.show.marks import MARKS, REAL, Mark, Marks, has_rounds, marks_of
from carillon.trace import Trace
from carillon.trace.analyse import analyse
from carillon.trace.blocking import blocking
from carillon.trace.summary import Summary
from carillon.trace.timeline import KERNEL, HandlerKind, Lane, LaneKind, Release, Run

Window = tuple[int, int]
"""A part of a run: from one tick to another, absolute."""

PALETTE = ("#3b7dd8", "#1f9e89", "#e8a33d", "#8b6cc7", "#d1669b", "#4fb0d9", "#8b9a35", "#b0764a")
"""Colours of tasks and interrupts in order of their lanes; none is close to the red of a missed deadline."""

BUSY_RUNS = 24
"""A default window shows a whole round if it has no more activations than this."""

MOST_RUNS = 96
"""A default window becomes no longer than so many activations, that jobs are seen from their start to their end."""

SILENT = (HandlerKind.TIMER, HandlerKind.DEADLINE, HandlerKind.OTHER)
"""Interrupts that run nothing of the application."""

KERNELS = {"carillon": "Carillon", "conventional": "Conventional kernel", "captured": "Captured"}


@dataclass(frozen=True, slots=True)
class Panel:
    """One trace, analysed, with the intervals to draw for each lane.

    ``running``, ``preempted`` and ``waiting`` (for an event) hold (begin, end, owner) in units of 1/scale ticks, ascending;
    owners are those of :class:`carillon.trace.timeline.Segment`.  ``marks`` has the instants.  Its activations are the nominal
    releases, and the interrupts' entries for runs that answer none.  Of what is event-triggered it has those that are known: when
    else something was activated the trace does not say.
    ``blocked`` holds when something less urgent had the processor while a job waited for it (:mod:`carillon.trace.blocking`).
    ``overhead`` is the kernel's time once more, in the lane of the task that it served or interrupted.  ``brief`` has the
    stretches of runs that took no time at all.  A schedule table's lane has in ``running`` when it is started, and in ``waiting``
    when it is the next one.  A pin's lane has in ``running`` when it is high.
    """

    trace: Trace
    summary: Summary
    running: dict[Lane, list[tuple[int, int, int]]]
    preempted: dict[Lane, list[tuple[int, int, int]]]
    waiting: dict[Lane, list[tuple[int, int, int]]]
    marks: Marks
    overhead: dict[Lane, list[tuple[int, int, int]]]
    brief: dict[Lane, list[int]]
    blocked: dict[Lane, list[tuple[int, int, int]]]

    @property
    def title(self) -> str:
        """The node's or the kernel's name as a heading."""
        return self.trace.node or KERNELS.get(self.trace.kernel, self.trace.kernel)

    @property
    def scale(self) -> int:
        """Units in a tick."""
        return self.summary.scale

    @property
    def counts_code(self) -> bool:
        """Whether code takes time on this board, so that counts of instructions mean something."""
        return self.trace.instructions_per_tick > 0

    @property
    def event_triggered(self) -> bool:
        """Whether there is an event-triggered system."""
        return bool(self.trace.event_triggered)

    @property
    def rounds(self) -> bool:
        """Whether there are dispatcher rounds, and with them releases and deadlines."""
        return has_rounds(self.trace)

    def marks_in(self, lane: Lane) -> list[tuple[Mark, list[int]]]:
        """The kinds of instants that a lane can have, each with those it has."""
        return [(mark, lanes[lane]) for mark, lanes in self.marks.items() if lane in lanes]

    def marked(self, lane: Lane) -> bool:
        """Whether a lane has a place for marks; of what is event-triggered only where there are any."""
        marks = self.marks_in(lane)
        return bool(marks) and (lane.name not in self.trace.event_triggered or any(times for _, times in marks))

    def explains(self, mark: Mark) -> bool:
        """Whether a legend has a mark."""
        return mark.expected(self.trace) or (not mark.verdict and any(self.marks[mark].values()))

    def silent(self) -> list[int]:
        """When interrupts were taken for which nothing of the application ran, in units of 1/scale ticks."""
        return [h.begin.u for h in self.summary.handlers if h.kind in SILENT]


def panels_of(traces: Trace | Sequence[Trace], releases: Sequence[Release]) -> tuple[Panel, ...]:
    """One or two traces, analysed.

    Raises:
        ValueError: not one or two traces, or two whose clocks differ, which have no common axis.
    """
    several = [traces] if isinstance(traces, Trace) else list(traces)
    if len(several) not in (1, 2):
        raise ValueError(f"one or two traces can be shown, not {len(several)}")
    if len({trace.clock_hz for trace in several}) > 1:
        rates = " and ".join(f"{trace.clock_hz} Hz" for trace in several)
        raise ValueError(f"two traces share an axis only if their clocks are equal; these have {rates}")
    return tuple(panel_of(trace, releases) for trace in several)


def panel_of(trace: Trace, releases: Sequence[Release]) -> Panel:
    """A trace, analysed."""
    summary = analyse(trace, releases)
    running: dict[Lane, list[tuple[int, int, int]]] = {lane: [] for lane in summary.lanes}
    preempted: dict[Lane, list[tuple[int, int, int]]] = {lane: [] for lane in summary.lanes}
    waiting: dict[Lane, list[tuple[int, int, int]]] = {lane: [] for lane in summary.lanes}
    waiters = {index for index, run in enumerate(summary.runs) if len(run.stretches) > 1 or run.waits}
    ran: dict[int, list[tuple[int, int]]] = {index: [] for index in waiters}
    last: dict[int, int] = {}
    for segment in summary.segments:
        running[segment.lane].append((segment.begin.u, segment.end.u, segment.owner))
        if segment.owner >= 0 and segment.lane.kind in REAL:
            if segment.owner in waiters:
                ran[segment.owner].append((segment.begin.u, segment.end.u))
                continue
            if segment.owner in last:
                preempted[segment.lane].append((last[segment.owner], segment.begin.u, segment.owner))
            last[segment.owner] = segment.end.u
    for owner, end in last.items():
        if summary.runs[owner].end is None and end < summary.end.u:
            preempted[summary.runs[owner].lane].append((end, summary.end.u, owner))
    for owner, intervals in ran.items():
        run = summary.runs[owner]
        waits = _waits(run, intervals, summary.end.u)
        waiting[run.lane] += [(begin, end, owner) for begin, end in waits]
        end = summary.end.u if run.end is None else run.end.u
        preempted[run.lane] += [(b, e, owner) for b, e in _between([*intervals, *waits], run.begin.u, end)]
    tables = {lane.name: lane for lane in summary.lanes if lane.kind is LaneKind.TABLE}
    for table in trace.tables:
        shown = waiting if table.next else running
        shown[tables[table.name]].append((table.begin * summary.scale, table.end * summary.scale, -1))
    for lane in summary.lanes:
        if lane.kind is LaneKind.PIN:
            running[lane] += [(begin, end, -1) for begin, end in summary.high[lane.name]]
        preempted[lane].sort()
        waiting[lane].sort()
    brief: dict[Lane, list[int]] = {lane: [] for lane in summary.lanes}
    for run in summary.runs:
        brief[run.lane] += [s.begin.u for s in run.stretches if s.end is not None and s.end.u == s.begin.u]
    marks, overhead, blocked = marks_of(trace, summary), _overhead(summary), blocking(trace, summary, preempted)
    return Panel(trace, summary, running, preempted, waiting, marks, overhead, brief, blocked)


def _waits(run: Run, ran: Sequence[tuple[int, int]], end: int) -> list[tuple[int, int]]:
    """The times at which a run waited, each from the instruction after the wait."""
    waits = []
    ends = [e for _, e in ran]
    for begin, until in run.waits:
        position = bisect.bisect_left(ends, begin.u)
        own = begin.u + 1
        first = own if position < len(ends) and ran[position][0] <= begin.u < ends[position] == own else begin.u
        last = end if until is None else until.u
        if last > first:
            waits.append((first, last))
    return waits


def _between(intervals: Iterable[tuple[int, int]], begin: int, end: int) -> Iterator[tuple[int, int]]:
    """What the intervals leave of [begin, end)."""
    for first, last in sorted(intervals):
        if first > begin:
            yield begin, min(first, end)
        begin = max(begin, last)
    if begin < end:
        yield begin, end


def _overhead(summary: Summary) -> dict[Lane, list[tuple[int, int, int]]]:
    """The kernel's segments per lane: the lane of the task dispatched or terminated, else of the interrupted task."""
    overhead: dict[Lane, list[tuple[int, int, int]]] = {lane: [] for lane in summary.lanes}
    begun = {(index, stretch.begin.u) for index, run in enumerate(summary.runs) for stretch in run.stretches}
    for index, segment in enumerate(summary.segments):
        if segment.lane is not KERNEL:
            continue
        kind = summary.handlers[segment.owner].kind if segment.owner >= 0 else HandlerKind.ACTIVATION
        before = summary.segments[index - 1] if index else None
        after = summary.segments[index + 1] if index + 1 < len(summary.segments) else None
        bearer = before.lane if before is not None else None
        if kind in (HandlerKind.ACTIVATION, HandlerKind.INTERRUPT, HandlerKind.TASK) and after is not None and after.owner >= 0:
            begins = after.lane is not KERNEL and (after.owner, segment.end.u) in begun
            bearer = after.lane if begins else bearer
        if bearer is not None and bearer.kind in REAL:
            overhead[bearer].append((segment.begin.u, segment.end.u, segment.owner))
    return overhead


def explained(panels: Sequence[Panel]) -> list[Mark]:
    """The marks that the legend of a picture of these panels has."""
    return [mark for mark in MARKS if any(panel.explains(mark) for panel in panels)]


def signs_of(panels: Sequence[Panel]) -> dict[str, bool]:
    """Whether a picture of these panels may contain other signs, for its legend."""
    return {
        "unseen": any(p.trace.unseen for p in panels),
        "pins": any(p.trace.pins for p in panels),
        "waits": any(any(p.waiting.values()) for p in panels),
        "blocked": any(any(p.blocked.values()) for p in panels),
    }


def headings(panels: Sequence[Panel]) -> list[str]:
    """The heading of each panel: kernels under comparison have letters."""
    if len(panels) == 1 or panels[0].trace.node:
        return [panel.title for panel in panels]
    return [f"({letter}) {panel.title}" for letter, panel in zip("ab", panels, strict=True)]


def colours_of(panels: Sequence[Panel]) -> dict[Lane, str]:
    """A colour for each task and interrupt, the same in every panel."""
    colours: dict[Lane, str] = {}
    for panel in panels:
        for lane in panel.summary.lanes:
            if lane.kind in REAL:
                colours.setdefault(lane, PALETTE[len(colours) % len(PALETTE)])
    return colours


def length_of(panels: Sequence[Panel]) -> int:
    """The last tick of the longest trace, at least 1."""
    return max(1, *(-(-panel.summary.end.u // panel.scale) for panel in panels))


def default_window(panels: Sequence[Panel]) -> Window:
    """The first round; of a round with many activations, its first busy part, with the ends of the tasks' first jobs if near."""
    length = length_of(panels)
    whole = min(max(panel.trace.round_length for panel in panels) or length, length)
    runs = [run for run in panels[0].summary.runs if run.begin.t < whole]
    starts = sorted(run.begin.t for run in runs)
    if len(starts) <= BUSY_RUNS:
        return 0, whole
    most = starts[MOST_RUNS] if len(starts) > MOST_RUNS else whole
    first: dict[Lane, int] = {}
    for run in sorted(runs, key=lambda run: run.begin.u):
        if run.end is not None:
            first.setdefault(run.lane, -(-run.end.u // panels[0].scale))
    ends = sorted(first.values())
    last = max([starts[BUSY_RUNS], *ends[:1], *(end for end in ends if end <= most)])
    step = step_for(max(1, last - starts[0]), 10)
    begin = max(0, starts[0] // step * step)
    return begin, min(whole, max(begin + 1, -(-last // step) * step))


def checked_window(panels: Sequence[Panel], window: Window | None) -> Window:
    """The window asked for, cut to the run; the default window if it is None.

    Raises:
        ValueError: the window is empty, or lies outside the run.
    """
    if window is None:
        return default_window(panels)
    first = min(0, *(panel.summary.begin.t for panel in panels))
    begin, end = max(window[0], first), min(window[1], length_of(panels))
    if begin >= end:
        raise ValueError(f"window {window[0]}..{window[1]} shows nothing of a run from tick {first} to {length_of(panels)}")
    return begin, end


def step_for(span: int, parts: int) -> int:
    """The smallest of 1, 2, 5, 10, 20, ... that divides ``span`` into at most ``parts`` parts."""
    step = 1
    while True:
        for factor in (1, 2, 5):
            if span <= step * factor * parts:
                return step * factor
        step *= 10


def labels_of(window: Window, parts: int) -> list[int]:
    """Ticks to label on an axis: multiples of a round step."""
    step = step_for(window[1] - window[0], max(1, parts))
    return list(range(-(-window[0] // step) * step, window[1] + 1, step))


def format_time(ticks: int | Fraction, clock_hz: int, digits: int = 3) -> str:
    """Real time with a unit: ``format_time(250, 1_000_000)`` is ``250 µs``; rounded to ``digits`` decimals."""
    seconds = Fraction(ticks) / clock_hz
    if seconds == 0:
        return "0"
    for unit, factor in (("s", 1), ("ms", 10**3), ("µs", 10**6), ("ns", 10**9)):
        if abs(seconds) * factor >= 1 or unit == "ns":
            return f"{format_number(seconds * factor, digits)} {unit}"
    raise AssertionError("unreachable")


def format_times(ticks: Sequence[int], clock_hz: int) -> list[str]:
    """Real times for an axis, with as many decimals as tell neighbours apart."""
    for digits in range(3, 9):
        texts = [format_time(tick, clock_hz, digits) for tick in ticks]
        if len(set(texts)) == len(texts):
            return texts
    return [format_time(tick, clock_hz, 9) for tick in ticks]


def format_number(value: int | float | Fraction, digits: int = 3) -> str:
    """Decimals only where needed: 12, 12.5, 0.125."""
    text = f"{float(value):.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def describe(panel: Panel) -> str:
    """The clock and what a tick is worth, for captions."""
    trace = panel.trace
    clock = next(
        f"{format_number(Fraction(trace.clock_hz, factor))} {unit}"
        for unit, factor in (("GHz", 10**9), ("MHz", 10**6), ("kHz", 10**3), ("Hz", 1))
        if trace.clock_hz >= factor or factor == 1
    )
    return f"1 tick = {format_time(1, trace.clock_hz)} ({clock})"


def unit_of(panel: Panel) -> str:
    """The unit of ``n`` on this board."""
    return panel.trace.unit if panel.counts_code else "ticks"
