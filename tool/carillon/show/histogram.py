# SPDX-License-Identifier: Apache-2.0
"""A histogram of a task's responses, as an element that a page takes: it has the page's colours, light and dark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from xml.sax.saxutils import quoteattr

from carillon.show.scene import format_time
from carillon.show.svg import number, straight, written

WIDTH, HEIGHT = 280, 108
TOP, LEFT, BASE = 16, 6, 78
"""Above is a place for the bound's name; below the base are ticks, and times."""
MOST_BARS = 28
THINNEST = 1.5


def steps_of(values: Sequence[int], last: int) -> tuple[int, Counter[int]]:
    """How many ticks a bar is wide, and how many of the values each has, by its number from the least value on.

    ``last``: the axis goes from the least value, of one at least, to this.
    """
    first = min(values)
    step = -(-(last - first + 1) // MOST_BARS)
    return step, Counter((value - first) // step for value in values)


def histogram(name: str, values: Sequence[int], bound: int | None, colour: str, clock_hz: int) -> str:
    """An SVG element: the responses of a task's jobs in ticks, one at least, and its bound if there is one."""
    first, most = min(values), max(values)
    last = max(most, bound if bound is not None else most)
    step, bars = steps_of(values, last)
    late = {(value - first) // step for value in values if bound is not None and value > bound}
    whole = (last - first) // step + 1
    each, tall = Fraction(WIDTH - 2 * LEFT, max(whole, 8)), max(bars.values())

    def x(value: int) -> float:
        """Where the tick ``value`` begins."""
        return LEFT + float(Fraction(value - first, step) * each)

    parts = []
    for place, count in sorted(bars.items()):
        begin = first + place * step
        height = max(float(Fraction(count * (BASE - TOP), tall)), THINNEST)
        fill = "var(--missed)" if place in late else colour
        size = f'width="{number(max(float(each) - 1, THINNEST))}" height="{number(height)}"'
        ticks = f"{begin}" if step == 1 else f"{begin} to {begin + step - 1}"
        words = f"{ticks} ticks: {count} job{'s' if count > 1 else ''}"
        at = f'x="{number(x(begin))}" y="{number(BASE - height)}"'
        parts.append(f'<rect {at} {size} fill="{fill}"><title>{words}</title></rect>')
    parts.append(straight(LEFT, BASE, WIDTH - LEFT, BASE, "var(--round)"))
    if bound is not None:
        end = max(LEFT, x(bound) + float(each) / step)
        parts.append(straight(end, TOP - 2, end, BASE, "var(--missed)", ' stroke-width="1.6" stroke-dasharray="4 2"'))
        anchor = "end" if end > WIDTH / 2 else "start"
        parts.append(written(end, TOP - 5, f"bound {bound}", f' font-size="10" text-anchor="{anchor}"', "var(--missed)"))
    end = max(x(most) + float(each / step), WIDTH / 2)  # not so far left that the two overlap
    for tick, at_x, anchor in ((first, x(first), "start"), *([] if first == most else [(most, end, "end")])):
        more = f' font-size="10" text-anchor="{anchor}"'
        parts.append(written(at_x, BASE + 12, str(tick), more, "currentColor"))
        parts.append(written(at_x, BASE + 24, format_time(tick, clock_hz), more, "var(--muted)"))
    limit = "" if bound is None else f"; its bound is {bound}"
    words = f"Responses of {name}: {len(values)} job{'s' if len(values) > 1 else ''}, {first} to {most} ticks{limit}"
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label={quoteattr(words)}>{"".join(parts)}</svg>'
