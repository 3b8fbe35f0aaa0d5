# SPDX-License-Identifier: Apache-2.0
"""A static picture of a window of one or two traces, for documents: same input, same bytes.

Drawn after figures 1 and 6 of the Sloth on Time paper: a lane per task, circles for activations, crosses for deadlines.  The
kernel's time is dark and never thinner than :data:`THINNEST`, so that no interruption is too short to be seen.  It brings its own
background and so reads the same on a light and on a dark page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import IO
from xml.sax.saxutils import escape, quoteattr

from carillon.show.marks import RED, Mark, Shape
from carillon.show.scene import Panel, Window, checked_window, colours_of, explained, format_times, headings, labels_of, signs_of
from carillon.trace.timeline import Lane, LaneKind

WIDTH = 960
GUTTER = 118
WIDEST_LETTER = 0.58  # on average, in units of the font's size
RIGHT = 26
THINNEST = 1.6
INK, MUTED, GRID, PAPER, DARK = "#1b2430", "#5d6b7a", "#e6eaef", "#ffffff", "#111827"
IDLE_FILL = "#c9d1da"
BLOCKED = "#8a5a00"
HATCH = (
    '<defs><pattern id="blocked" width="5" height="5" patternUnits="userSpaceOnUse">'
    f'<path d="M-1 6L6 -1M-1 1L1 -1M4 6L6 4" stroke="{BLOCKED}" stroke-width="1.5"/></pattern></defs>'
)
"""Lines aslant, the fill of blocking."""
UNSEEN = (
    '<defs><pattern id="unseen" width="8" height="8" patternUnits="userSpaceOnUse">'
    f'<path d="M0 0L8 8M0 8L8 0" stroke="{MUTED}" stroke-width="0.6" stroke-opacity="0.6"/></pattern></defs>'
)
"""Crossed lines, the fill of what was not seen."""
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
WAITS = ' stroke-width="2" stroke-dasharray="1.5 4.5"'
MARKS, UNMARKED, BAR, GAP, KERNEL_BAR, IDLE_BAR, TABLE = 17, 3, 20, 9, 14, 8, 14


def number(value: float) -> str:
    """A coordinate with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def straight(x0: float, y0: float, x1: float, y1: float, colour: str, more: str = "") -> str:
    """An element: a line, with more attributes."""
    ends = f'x1="{number(x0)}" y1="{number(y0)}" x2="{number(x1)}" y2="{number(y1)}"'
    return f'<line {ends} stroke="{colour}"{more}/>'


def written(x: float, y: float, text: str, more: str = "", fill: str = INK, title: str = "") -> str:
    """An element: text, with more attributes; ``title`` is shown where the pointer is."""
    whole = f"<title>{escape(title)}</title>" if title else ""
    return f'<text x="{number(x)}" y="{number(y)}" fill="{fill}"{more}>{whole}{escape(text)}</text>'


class _Picture:
    """Elements in order, and the transformation from units to the picture's x."""

    def __init__(self, window: Window, scale: int) -> None:
        self.low, self.high, self.scale = window[0] * scale, window[1] * scale, scale
        self.width = WIDTH - GUTTER - RIGHT
        self.parts: list[str] = []

    def x(self, time: int) -> float:
        return GUTTER + float(Fraction((time - self.low) * self.width, self.high - self.low))

    def rectangle(self, x: float, y: float, width: float, height: float, fill: str, more: str = "") -> None:
        self.parts.append(
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" fill="{fill}"{more}/>'
        )

    def line(self, x0: float, y0: float, x1: float, y1: float, colour: str, more: str = "") -> None:
        self.parts.append(straight(x0, y0, x1, y1, colour, more))

    def text(self, x: float, y: float, text: str, more: str = "", fill: str = INK) -> None:
        self.parts.append(written(x, y, text, more, fill))

    def cross(self, path: str, mark: Mark, weight: str) -> None:
        more = f'stroke="{RED if mark.red else INK}" stroke-width="{weight}" stroke-linecap="round" fill="none"'
        self.parts.append(f'<path d="{path}" {more}/>')

    def sign(self, mark: Mark, x: float, y: float) -> None:
        """A mark by itself."""
        more = f'fill="{PAPER}" stroke="{INK}" stroke-width="1.6"'
        if mark.shape is Shape.CIRCLE:
            self.parts.append(f'<circle cx="{number(x)}" cy="{number(y)}" r="4" {more}/>')
        elif mark.shape is Shape.DIAMOND:
            self.parts.append(f'<path d="M{number(x)} {number(y - 5)}l5 5l-5 5l-5 -5z" {more}/>')
        else:
            self.cross(f"M{number(x - 4)} {number(y - 4)}l8 8m0 -8l-8 8", mark, "2")

    def clipped(self, intervals: Iterable[tuple[int, int, int]]) -> list[tuple[float, float]]:
        """The visible part of each interval, in x; parts less than a quarter of a unit apart are joined."""
        clipped: list[tuple[float, float]] = []
        for begin, end, _ in intervals:
            if end > self.low and begin < self.high and end > begin:
                left, right = self.x(max(begin, self.low)), self.x(min(end, self.high))
                if clipped and left - clipped[-1][1] < 0.25:
                    clipped[-1] = (clipped[-1][0], right)
                else:
                    clipped.append((left, right))
        return clipped

    def bars(
        self, intervals: Iterable[tuple[int, int, int]], y: float, height: float, fill: str, thinnest: float = 0.6, more: str = ""
    ) -> None:
        for left, right in self.clipped(intervals):
            self.rectangle(left, y, max(right - left, thinnest), height, fill, more)

    def sees(self, time: int) -> bool:
        return self.low <= time <= self.high


def write(stream: IO[str], panels: Sequence[Panel], window: Window | None = None) -> None:
    """Write the picture of a window (ticks; None: the first round)."""
    shown = checked_window(panels, window)
    colours = colours_of(panels)
    body: list[str] = []
    y = 16.0
    grids: list[tuple[float, float]] = []
    labels = labels_of(shown, 10)
    for heading, panel in zip(headings(panels), panels, strict=True):
        picture = _Picture(shown, panel.scale)
        totals = panel.summary.totals
        y += 16
        picture.text(14, y, heading, ' font-size="15" font-weight="600"')
        facts = [f"Whole run: {totals.interrupts} interrupts"]
        if panel.rounds:
            facts[0] += f", {totals.interrupts_for_met_deadlines} for deadlines that were met"
        if totals.kernel_share is not None:
            facts.append(f"kernel {100 * totals.kernel_share:.2f} % of instructions")
        if totals.deadlines_missed:
            facts.append(f"{totals.deadlines_missed} deadline{'s' if totals.deadlines_missed > 1 else ''} missed")
        picture.text(WIDTH - RIGHT, y, "; ".join(facts), ' font-size="12" text-anchor="end"', MUTED)
        y += 6
        top = y
        for lane in panel.summary.lanes:
            y = _lane(picture, panel, lane, y, colours.get(lane, DARK))
        _gaps(picture, panel, top, y - GAP)
        grids.append((top, y))
        body.extend(picture.parts)
        y += 14
    y -= 8
    axis = _axis(panels[0], shown, labels, y)
    y += 40
    legend = _legend(panels, y + 16)
    height = y + 34
    grid = _Picture(shown, 1)
    for top, bottom in grids:
        for tick in labels:
            grid.line(grid.x(tick), top, grid.x(tick), bottom, GRID)
    names = " above ".join(panel.title for panel in panels)
    title = f"Timeline of {panels[0].trace.application}: {names}"
    hatch = [fill for sign, fill in (("blocked", HATCH), ("unseen", UNSEEN)) if signs_of(panels)[sign]]
    write_picture(stream, height, title, _description(panels, shown), (*hatch, *grid.parts, *body, *axis, *legend))


def write_picture(stream: IO[str], height: float, title: str, words: str, elements: Iterable[str]) -> None:
    """Write a picture of elements on its own background; ``words`` describe it for readers who cannot see it."""
    stream.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {number(height)}" width="{WIDTH}" ')
    stream.write(f'height="{number(height)}" role="img" aria-label={quoteattr(title)} font-family="{FONT}">\n')
    stream.write("<!-- SPDX-License-Identifier: Apache-2.0 -->\n")
    stream.write(f"<title>{escape(title)}</title>\n<desc>{escape(words)}</desc>\n")
    size = f'width="{WIDTH - 1}" height="{number(height - 1)}"'
    stream.write(f'<rect x="0.5" y="0.5" {size} fill="{PAPER}" stroke="{IDLE_FILL}" rx="8"/>\n')
    stream.writelines(f"{element}\n" for element in elements)
    stream.write("</svg>\n")


def _description(panels: Sequence[Panel], window: Window) -> str:
    """A description of the picture in words, for readers who cannot see it."""
    words = [f"Ticks {window[0]} to {window[1]}."]
    for panel in panels:
        totals = panel.summary.totals
        due = (
            f", {totals.interrupts_for_met_deadlines} for deadlines that were met, {totals.deadlines_met} deadlines met,"
            f" {totals.deadlines_missed} missed"
        )
        words.append(f"{panel.title}: {totals.interrupts} interrupts{due if panel.rounds else ''}.")
    return " ".join(words)


def _gaps(picture: _Picture, panel: Panel, top: float, bottom: float) -> None:
    """What was not seen, over all lanes, and how many events that were."""
    for gap in panel.trace.unseen:
        for left, right in picture.clipped([(gap.begin, gap.end, -1)]):
            for fill in (PAPER, "url(#unseen)"):
                picture.rectangle(left, top, max(right - left, THINNEST), bottom - top, fill)
            more = (
                f' font-size="12" font-weight="600" text-anchor="middle" stroke="{PAPER}" stroke-width="4" paint-order="stroke"'
            )
            picture.text((left + right) / 2, (top + bottom) / 2, gap.words, more)


def _lane(picture: _Picture, panel: Panel, lane: Lane, y: float, colour: str) -> float:
    """Draw a lane whose top is ``y``; returns the top of the next."""
    running = panel.running[lane]
    if lane.kind is LaneKind.IDLE:
        picture.text(GUTTER - 12, y + IDLE_BAR, lane.name, ' font-size="11" text-anchor="end"', MUTED)
        picture.bars(running, y, IDLE_BAR, IDLE_FILL)
        return y + IDLE_BAR + GAP
    if lane.kind is LaneKind.KERNEL:
        y += 6
        picture.text(GUTTER - 12, y + KERNEL_BAR - 3, lane.name, ' font-size="12" text-anchor="end"', MUTED)
        picture.line(GUTTER, y + KERNEL_BAR, WIDTH - RIGHT, y + KERNEL_BAR, GRID)
        picture.bars(running, y, KERNEL_BAR, DARK, THINNEST)
        picture.bars(((at, at + 1, -1) for at in panel.silent() if picture.sees(at)), y, KERNEL_BAR, DARK, THINNEST)
        return y + KERNEL_BAR + GAP
    if lane.kind is LaneKind.PIN:
        _name(picture, lane.name, y + UNMARKED + KERNEL_BAR - 3, MUTED)
        picture.line(GUTTER, y + UNMARKED + KERNEL_BAR, WIDTH - RIGHT, y + UNMARKED + KERNEL_BAR, GRID)
        picture.bars(running, y + UNMARKED, KERNEL_BAR, MUTED, THINNEST)
        return y + UNMARKED + KERNEL_BAR + GAP
    if lane.kind is LaneKind.TABLE:
        return _table(picture, panel, lane, y)
    bar = y + (MARKS if panel.marked(lane) else UNMARKED)
    _name(picture, lane.name, bar + BAR - 5.5)
    picture.line(GUTTER, bar + BAR, WIDTH - RIGHT, bar + BAR, GRID)
    picture.bars(panel.preempted[lane], bar + 5, BAR - 10, colour, 0, ' fill-opacity="0.22"')
    picture.bars(panel.blocked[lane], bar + 1, BAR - 1, "url(#blocked)", THINNEST)
    for left, right in picture.clipped(panel.waiting[lane]):
        picture.line(left, bar + BAR / 2, right, bar + BAR / 2, colour, WAITS)
    picture.bars(running, bar, BAR, colour)
    picture.bars(((at, at + 1, -1) for at in panel.brief[lane]), bar, BAR, colour, THINNEST)
    picture.bars(panel.overhead[lane], bar, BAR, DARK, THINNEST)
    for shape in Shape:
        marks = [
            (mark, time)
            for mark, times in panel.marks_in(lane)
            if mark.shape is shape
            for time in mark.seen(times, picture.low, picture.high)
        ]
        for mark, time in sorted(marks, key=lambda it: it[1]):
            _mark(picture, mark, picture.x(time), y + 8.5, bar)
    return bar + BAR + GAP


def _table(picture: _Picture, panel: Panel, lane: Lane, y: float) -> float:
    """A schedule table: a line while it is started, and a diamond for each expiry point; returns the top of the next lane."""
    middle = y + UNMARKED + TABLE / 2
    _name(picture, lane.name, middle + 4.5, MUTED)
    for left, right in picture.clipped(panel.running[lane]):
        picture.line(left, middle, right, middle, MUTED, ' stroke-width="2"')
    for left, right in picture.clipped(panel.waiting[lane]):
        picture.line(left, middle, right, middle, MUTED, WAITS)
    for mark, times in panel.marks_in(lane):
        for time in mark.seen(times, picture.low, picture.high):
            picture.sign(mark, picture.x(time), middle)
    return y + UNMARKED + TABLE + GAP


def _name(picture: _Picture, name: str, y: float, fill: str = INK) -> None:
    """A lane's name; a long one is written smaller."""
    shown = name if len(name) <= 16 else name[:15] + "…"
    size = min(13.0, (GUTTER - 20) / (WIDEST_LETTER * max(1, len(shown))))
    more = f' font-size="{number(size)}" text-anchor="end"'
    picture.parts.append(written(GUTTER - 12, y, shown, more, fill, name if shown != name else ""))


def _mark(picture: _Picture, mark: Mark, x: float, y: float, bar: float) -> None:
    """A mark above a lane's bar, and a line to it or over it: fine, or red and with words."""
    if mark.nominal:
        picture.line(x, y + 3.5, x, bar, INK, ' stroke-width="1.2"')
        picture.sign(mark, x, y)
        return
    crossed = mark.shape is Shape.CROSS
    arm, weight, dash = (
        (5, "2.4", ' stroke-width="1.6"') if mark.red else (3.8, "1.7", ' stroke-width="1" stroke-dasharray="2 2"')
    )
    picture.line(x, y + arm * crossed, x, bar + BAR, RED if mark.red else INK, dash)
    if crossed:
        left, right, top, bottom = (number(v) for v in (x - arm, x + arm, y - arm, y + arm))
        picture.cross(f"M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}", mark, weight)
    if mark.red:
        near_edge, apart = x > WIDTH - RIGHT - mark.red, 9 if crossed else 5
        anchor = ' text-anchor="end"' if near_edge else ""
        picture.text(x + (-apart if near_edge else apart), y + 4, mark.words, f' font-size="11" font-weight="600"{anchor}', RED)


def _axis(panel: Panel, window: Window, labels: Sequence[int], y: float) -> list[str]:
    """The common axis: ticks, and real time below."""
    picture = _Picture(window, 1)
    picture.line(GUTTER, y, WIDTH - RIGHT, y, MUTED, ' stroke-width="1.2"')
    picture.text(14, y + 17, "ticks", ' font-size="11"', MUTED)
    picture.text(14, y + 32, "time", ' font-size="11"', MUTED)
    for tick, time in zip(labels, format_times(labels, panel.trace.clock_hz), strict=True):
        x = picture.x(tick)
        picture.line(x, y, x, y + 5, MUTED, ' stroke-width="1.2"')
        picture.text(x, y + 17, str(tick), ' font-size="11" text-anchor="middle"')
        picture.text(x, y + 32, time, ' font-size="11" text-anchor="middle"', MUTED)
    return picture.parts


def _legend(panels: Sequence[Panel], y: float) -> list[str]:
    """The meaning of the signs, in one line."""
    picture = _Picture((0, 1), 1)
    small = ' font-size="11.5"'
    x = float(GUTTER)
    neutral = "#6b7f99"
    shown = signs_of(panels)
    for mark in explained(panels):
        if mark.room:
            picture.sign(mark, x + 4, y - 4)
            picture.text(x + 14, y, mark.words, small, MUTED)
            x += mark.room
    for width, fill, more, word, room in (
        (22, neutral, "", "runs", 64),
        (22, neutral, ' fill-opacity="0.25"', "preempted", 106),
        (22, "url(#blocked)", f' stroke="{BLOCKED}"', "blocked", 84),
        (22, "", "", "waits", 70),
        (5, DARK, "", "kernel", 68),
        (22, IDLE_FILL, "", "idle", 0),
    ):
        if not shown.get(word, True):
            continue
        if fill:
            picture.rectangle(x, y - 9, width, 10, fill, more)
        else:
            picture.line(x, y - 4, x + width, y - 4, neutral, WAITS)
        picture.text(x + width + 7, y, word, small, MUTED)
        x += room
    return picture.parts
