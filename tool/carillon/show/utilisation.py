# SPDX-License-Identifier: Apache-2.0
"""Who has the processor over a whole run, as an element that a page takes: it has the page's colours, light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from carillon.show.svg import number
from carillon.trace.summary import Summary
from carillon.trace.timeline import LaneKind

PARTS = 150
"""Into so many equal parts a run is cut, if it is long enough."""

HEIGHT = 100
"""The picture's height is the whole processor, in per cent."""


class Part(NamedTuple):
    """What tasks and interrupts, the kernel, and nobody had of the processor in [begin, end), and what was not seen; in ``u``."""

    begin: int
    end: int
    tasks: int
    kernel: int
    idle: int
    unseen: int = 0

    @property
    def seen(self) -> int:
        """How much of it was seen."""
        return self.tasks + self.kernel + self.idle

    @property
    def shares(self) -> tuple[float, float, float]:
        """The three parts of the time that was seen, in per cent; zeros if nothing was."""
        length = max(1, self.seen)
        return 100 * self.tasks / length, 100 * self.kernel / length, 100 * self.idle / length


def parts_of(summary: Summary, most: int = PARTS) -> list[Part]:
    """A run in equal parts, but for a unit by which they differ if its length cannot be divided; none of an empty run."""
    first, length = summary.begin.u, summary.end.u - summary.begin.u
    count = min(most, length)
    edges = [first + length * k // count for k in range(count + 1)] if count > 0 else []
    had = [[0, 0] for _ in edges[1:]]
    place = 0
    for segment in summary.segments:
        if segment.lane.kind is LaneKind.IDLE:
            continue
        begin = max(segment.begin.u, first)
        while begin < min(segment.end.u, edges[-1] if edges else first):
            while edges[place + 1] <= begin:
                place += 1
            end = min(segment.end.u, edges[place + 1])
            had[place][segment.lane.kind is LaneKind.KERNEL] += end - begin
            begin = end
    parts = []
    for (begin, end), (tasks, kernel) in zip(pairwise(edges), had, strict=True):
        unseen = sum(max(0, min(last, end) - max(since, begin)) for since, last in summary.unseen)
        unseen = min(unseen, end - begin - tasks - kernel)  # what runs on into a gap was seen
        parts.append(Part(begin, end, tasks, kernel, end - begin - tasks - kernel - unseen, unseen))
    return parts


def share_text(parts: Sequence[Part], which: int) -> str:
    """The share of one of the three over the whole run, with the least and the greatest of a part."""
    length = max(1, sum(p.seen for p in parts))
    each = [p.shares[which] for p in parts if p.seen] or [0.0]
    mean = 100 * sum(p[2 + which] for p in parts) / length
    return f"{number(round(mean, 1))} % ({number(round(min(each), 1))} to {number(round(max(each), 1))} %)"


def picture(parts: Sequence[Part], title: str, scale: int) -> str:
    """An SVG element as wide as its place: tasks below, the kernel upon them, and idle time above.

    ``scale``: the units in a tick, for the words of each part.
    """
    first, length = parts[0].begin, parts[-1].end - parts[0].begin

    def x(at: int) -> float:
        return 1000 * (at - first) / length

    def area(heights: Iterable[float], fill: str) -> str:
        steps = "".join(f"V{number(HEIGHT - high)}H{number(x(p.end))}" for p, high in zip(parts, heights, strict=True))
        return f'<path d="M0 {HEIGHT}{steps}V{HEIGHT}Z" fill="{fill}"/>'

    words = ", ".join(f"{name} {share_text(parts, k)}" for k, name in enumerate(("tasks", "kernel", "idle")))
    drawn = [
        f'<rect width="1000" height="{HEIGHT}" fill="var(--idle)"/>',
        area((p.shares[0] + p.shares[1] for p in parts), "var(--kernel)"),
        area((p.shares[0] for p in parts), "var(--accent)"),
    ]
    for p in parts:
        tasks, kernel, idle = (number(round(share, 1)) for share in p.shares)
        ticks = f"{number(p.begin / scale)} to {number(p.end / scale)}"
        told = f"ticks {ticks}: tasks {tasks} %, kernel {kernel} %, idle {idle} %" if p.seen else f"ticks {ticks}: not seen"
        place = f'x="{number(x(p.begin))}" width="{number(x(p.end) - x(p.begin))}" height="{HEIGHT}"'
        fill = "transparent" if p.seen else "var(--paper)"
        drawn.append(f'<rect {place} fill="{fill}"><title>{told}</title></rect>')
    label = quoteattr(f"Who has the processor, {title}, whole run: {words}")
    return (
        f'<svg viewBox="0 0 1000 {HEIGHT}" preserveAspectRatio="none" role="img" aria-label={label}>'
        f'{"".join(drawn)}<rect class="seen" y="0" height="{HEIGHT}" width="0"/></svg>'
    )
