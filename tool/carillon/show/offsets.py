# SPDX-License-Identifier: Apache-2.0
"""A picture of the nodes' clocks over time: each oscillator's distance from true time, and each node's network time.

The second part is there if applications report a time (``carillon_bus_report``): its distance from the time of the
first node that reports, at that instant.  A report holds until the next; the node's own oscillator carries it on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from carillon.model.network import PARTS, PICOSECONDS
from carillon.run.network import NetworkRun, NodeRun
from carillon.show.scene import PALETTE, format_number, format_time, labels_of, step_for
from carillon.show.svg import GRID, MUTED, WIDTH, number, straight, write_picture, written

LEFT, RIGHT, HEIGHT = 84, 26, 210
COLUMNS = 425
"""Points of a line at most; of what lies closer together, the least and the greatest are drawn."""

Line = list[tuple[float, float, float]]
"""(picosecond, least, greatest) ahead, in picoseconds."""


@dataclass(frozen=True, slots=True)
class Part:
    """A plot with a line for each node; those without any point have none."""

    title: str
    lines: tuple[Line, ...]


def parts_of(run: NetworkRun) -> tuple[Part, ...]:
    """What is drawn of a run."""
    parts = [Part("Oscillators: how far they are ahead of true time", tuple(_oscillator(run, node) for node in run.nodes))]
    first = next((node for node in run.nodes if node.reports), None)
    if first is not None:
        lines = tuple(_bundled(reported(node, first), run.length) for node in run.nodes)
        parts.append(Part(f"The network's time as nodes report it: how far they are ahead of '{first.node.name}'", lines))
    return tuple(parts)


def _oscillator(run: NetworkRun, node: NodeRun) -> Line:
    """The oscillator's offset at the ends of its stretches, or at :data:`COLUMNS` + 1 times if there are more."""
    times = {run.length * k // COLUMNS for k in range(COLUMNS + 1)}
    if len(node.clock.stretches) <= COLUMNS:
        times = {s.begin for s in node.clock.stretches} | {run.length}
    points = ((time, float(node.clock.offset(time) * PICOSECONDS)) for time in sorted(times))
    return [(time, ahead, ahead) for time, ahead in points if node.node.start <= time <= run.length]


class _Time:
    """The network's time as a node takes it, also between its reports; ask at ascending times."""

    def __init__(self, node: NodeRun) -> None:
        self.clock, self.reports = node.clock, node.reports
        self.report = self.stretch = 0
        self.hz = node.clock.hz

    def _parts(self, time: int) -> int:
        """The value of the oscillator's counter at ``time``."""
        stretches = self.clock.stretches
        while self.stretch + 1 < len(stretches) and stretches[self.stretch + 1].begin <= time:
            self.stretch += 1
        it = stretches[self.stretch]
        return it.ticks * PARTS + it.more + it.rate * (time - it.begin)

    def at(self, time: int) -> tuple[int, float] | None:
        """The last report, in ticks, and the picoseconds since then; None before the first."""
        while self.report + 1 < len(self.reports) and self.reports[self.report + 1][0] <= time:
            self._last = self._parts(self.reports[self.report + 1][0])
            self.report += 1
        since, value = self.reports[self.report]
        if time < since:
            return None
        if self.report == 0:
            self._last = self._parts(since)
        return value, (self._parts(time) - self._last) / PARTS / self.hz * PICOSECONDS


def reported(node: NodeRun, first: NodeRun) -> Iterator[tuple[int, float]]:
    """(picosecond, how far ahead of ``first``'s time, in picoseconds) at each report of ``node`` after the first of that."""
    reference, hz, theirs = _Time(first), node.clock.hz, first.clock.hz
    for time, value in node.reports:
        there = reference.at(time)
        if there is not None:
            yield time, (value * theirs - there[0] * hz) / (hz * theirs) * PICOSECONDS - there[1]


def _bundled(points: Iterator[tuple[int, float]], length: int) -> Line:
    """Points in order, with one for each column."""
    line: Line = []
    column = -1
    for time, value in points:
        here = time * COLUMNS // length
        if here == column:
            at, least, greatest = line[-1]
            line[-1] = at, min(least, value), max(greatest, value)
        else:
            line.append((time, value, value))
            column = here
    return line


def write(stream: IO[str], run: NetworkRun) -> None:
    """Write the picture; same run, same bytes."""
    parts = parts_of(run)
    names = [node.node.name for node in run.nodes]
    body: list[str] = []
    y = 16.0
    for part in parts:
        y += 16
        body.append(written(14, y, part.title, ' font-size="14" font-weight="600"'))
        body += _plot(part, run.length, y + 14)
        y += HEIGHT + 14 + 34
    legend, height = _legend(names, y + 6)
    title = f"Clocks of the network {run.network.name}"
    words = f"{len(names)} nodes over {format_time(run.length, PICOSECONDS)}: " + "; ".join(part.title for part in parts) + "."
    write_picture(stream, height, title, words, (*body, *legend))


def _levels(part: Part) -> list[int]:
    """Values to label, in picoseconds, that enclose all lines: multiples of a round step."""
    values = [value for line in part.lines for _, least, greatest in line for value in (least, greatest)]
    low, high = min(0.0, *values), max(0.0, *values)
    step = step_for(max(1, round(high - low)), 5)
    return list(range(int(low // step) * step, int(-(-high // step)) * step + step, step))


def _plot(part: Part, length: int, top: float) -> list[str]:
    """Axes, grid and lines of a part whose field begins at ``top``."""
    levels = _levels(part)
    low, high = levels[0], levels[-1]
    bottom = top + HEIGHT

    def x(time: float) -> float:
        return LEFT + time * (WIDTH - LEFT - RIGHT) / length

    def y(value: float) -> float:
        return bottom - (value - low) * HEIGHT / (high - low)

    elements = []
    for level in levels:
        weight = ' stroke-width="1.2"' if level == 0 else ""
        elements.append(straight(LEFT, y(level), WIDTH - RIGHT, y(level), MUTED if level == 0 else GRID, weight))
        elements.append(written(LEFT - 8, y(level) + 4, _signed(level), ' font-size="11" text-anchor="end"', MUTED))
    for time in labels_of((0, length), 10):
        elements.append(straight(x(time), top, x(time), bottom, GRID))
        elements.append(written(x(time), bottom + 17, format_time(time, PICOSECONDS), ' font-size="11" text-anchor="middle"'))
    for index, line in enumerate(part.lines):
        colour = PALETTE[index % len(PALETTE)]
        forth = [f"{number(x(time))} {number(y(greatest))}" for time, _, greatest in line]
        back = [f"{number(x(time))} {number(y(least))}" for time, least, _ in reversed(line)]
        if any(least != greatest for _, least, greatest in line):
            elements.append(f'<path d="M{"L".join([*forth, *back])}Z" fill="{colour}" fill-opacity="0.25"/>')
        if line:
            middle = [f"{number(x(time))} {number(y((least + greatest) / 2))}" for time, least, greatest in line]
            dash = ' stroke-dasharray="6 3"' if index >= len(PALETTE) else ""
            elements.append(f'<path d="M{"L".join(middle)}" fill="none" stroke="{colour}" stroke-width="1.6"{dash}/>')
    return elements


def _signed(picoseconds: int) -> str:
    """A time with its sign."""
    text = format_time(abs(picoseconds), PICOSECONDS) if abs(picoseconds) >= 1000 else f"{format_number(abs(picoseconds))} ps"
    return "0" if picoseconds == 0 else f"{'+' if picoseconds > 0 else '−'}{text}"


def _legend(names: Sequence[str], y: float) -> tuple[list[str], float]:
    """A mark and a name for each node, and where the picture ends."""
    elements, x = [], float(LEFT)
    for index, name in enumerate(names):
        width = 32 + 7.2 * len(name)
        if x + width > WIDTH - RIGHT and x > LEFT:
            x, y = float(LEFT), y + 20
        colour = PALETTE[index % len(PALETTE)]
        dash = ' stroke-dasharray="6 3"' if index >= len(PALETTE) else ""
        elements.append(f'<path d="M{number(x)} {number(y - 4)}h18" stroke="{colour}" stroke-width="2.4"{dash}/>')
        elements.append(written(x + 24, y, name, ' font-size="12"', MUTED))
        x += width + 10
    return elements, y + 18
