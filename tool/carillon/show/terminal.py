# SPDX-License-Identifier: Apache-2.0
"""The timeline and its figures in a terminal: fits any width, and reads the same without colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from carillon.energy import current_text, energy_text
from carillon.show.marks import ACTIVATION
from carillon.show.scene import (
    Panel,
    Window,
    checked_window,
    colours_of,
    describe,
    explained,
    format_number,
    format_times,
    labels_of,
    length_of,
    signs_of,
    unit_of,
)
from carillon.trace.summary import Spread, TaskSummary
from carillon.trace.timeline import HandlerKind, Lane, LaneKind

MARGIN = 1
WIDEST_NAME = 20


@dataclass(frozen=True, slots=True)
class Signs:
    """The characters of a timeline; ``cells`` is indexed by which halves of a cell are filled: none, left, right, both."""

    cells: tuple[str, str, str, str]
    sliver: str
    preempted: str
    waiting: str
    unseen: str
    line: str
    tick: str
    tilde: str


BLOCKS = Signs((" ", "▌", "▐", "█"), "│", "░", "┈", "╳", "─", "┬", "…")
ASCII = Signs((" ", "#", "#", "#"), "|", ".", "-", "x", "-", "+", "~")


def render(console: Console, panels: Sequence[Panel], window: Window | None = None) -> None:
    """Print the timeline of a window (ticks), then the figures of the whole run."""
    signs = ASCII if console.options.ascii_only else BLOCKS
    shown = checked_window(panels, window)
    for line in timeline(panels, shown, console.width, signs):
        console.print(line, no_wrap=True, overflow="crop", crop=True, highlight=False)
    rest = length_of(panels)
    if shown != (0, rest):
        text = f"Ticks {shown[0]} to {shown[1]} of {rest}; --window FROM..TO shows others."
        console.print(text, style="dim", highlight=False, soft_wrap=True)
    for panel in panels:
        console.print()
        for table in figures(panel, signs):
            console.print(table)
    console.print()
    console.print(totals(panels))


def timeline(panels: Sequence[Panel], window: Window, width: int, signs: Signs = BLOCKS) -> list[Text]:
    """The lines of the picture, none wider than ``width`` characters (at least 30)."""
    names = [lane.name for panel in panels for lane in panel.summary.lanes]
    gutter = min(max(len(name) for name in [*names, "ticks"]), WIDEST_NAME, max(5, width // 4)) + 2
    columns = max(30, width) - gutter - MARGIN
    lines: list[Text] = []
    for index, panel in enumerate(panels):
        if index:
            lines.append(Text())
        heading = Text(panel.title, style="bold")
        heading.append(f"  {panel.trace.application} on {panel.trace.board}", style="not bold")
        lines.append(heading)
        if not panel.trace.node:
            lines.extend(_axis(panel, window, gutter, columns, signs))
        elif index == 0:
            lines.extend(_axis(panel, window, gutter, columns, signs)[1:])  # nodes have no ticks in common, but the time
        lines.extend(_lost(panel, window, gutter, columns, signs))
        colours = colours_of(panels)
        for lane in panel.summary.lanes:
            name = _fitted(lane.name, gutter, signs)
            style = colours.get(lane, "bold" if lane.kind is LaneKind.KERNEL else "dim")
            if lane.kind is LaneKind.TABLE:
                lines.append(Text(name.ljust(gutter), style=style) + _table_line(panel, lane, window, columns, signs))
                continue
            if panel.marked(lane):
                lines.append(Text(" " * gutter) + _marks(panel, lane, window, [" "] * columns, signs))
            elif lane.kind is LaneKind.KERNEL:
                lines.append(Text())
            lines.append(Text(name.ljust(gutter), style=style) + _bar(panel, lane, window, columns, signs, style))
    lines.extend((Text(), *_legend(panels, gutter, width, signs), *_names(names, gutter, max(30, width), signs)))
    for line in lines:
        line.rstrip()
        line.truncate(width, overflow="crop")
    return lines


def _fitted(name: str, gutter: int, signs: Signs) -> str:
    """A lane's name as the gutter has room for it."""
    return name if len(name) <= gutter - 2 else name[: gutter - 3] + signs.tilde


def _names(names: Sequence[str], gutter: int, width: int, signs: Signs) -> list[Text]:
    """The names that are cut, and each in full."""
    lines: list[Text] = []
    for name in dict.fromkeys(name for name in names if len(name) > gutter - 2):
        pieces = [name[at : at + width - gutter] for at in range(0, len(name), width - gutter)]
        starts = [_fitted(name, gutter, signs), *[""] * (len(pieces) - 1)]
        lines.extend(Text(start.ljust(gutter) + piece, style="dim") for start, piece in zip(starts, pieces, strict=True))
    return lines


def _legend(panels: Sequence[Panel], gutter: int, width: int, signs: Signs) -> list[Text]:
    """The meaning of the signs, in as many lines as necessary."""
    lines = [Text(" " * gutter)]
    shown = signs_of(panels)
    for sign, meaning, red in (
        *((mark.signs[signs is ASCII], mark.words, mark.red) for mark in explained(panels)),
        (signs.cells[3], "runs, or is high" if shown["pins"] else "runs", 0),
        (signs.preempted, "preempted", 0),
        *([(signs.waiting, "waits", 0)] if shown["waits"] else []),
        (signs.sliver, "brief", 0),
        *([(signs.unseen, "not seen", 0)] if shown["unseen"] else []),
    ):
        if lines[-1].cell_len + len(meaning) + 2 > width and lines[-1].cell_len > gutter:
            lines.append(Text(" " * gutter))
        lines[-1].append(sign, style="bold red" if red else "bold").append(f" {meaning}  ", style="dim")
    return lines


def _gaps(panel: Panel, window: Window, columns: int) -> list[tuple[int, int, str]]:
    """From which column to which nothing was seen, at least one, and how many events that were."""
    low, span = window[0] * panel.scale, (window[1] - window[0]) * panel.scale
    found = []
    for gap in panel.trace.unseen:
        if gap.begin < low + span and gap.end > low:
            first = max(0, gap.begin - low) * columns // span
            found.append((first, max(first + 1, min(span, gap.end - low) * columns // span), gap.words))
    return found


def _lost(panel: Panel, window: Window, gutter: int, columns: int, signs: Signs) -> list[Text]:
    """A line that says of each gap what was lost, where there is room for it."""
    gaps, cells, free = _gaps(panel, window, columns), [" "] * columns, 0
    for first, last, words in gaps:
        start = min(max(free, (first + last - len(words)) // 2), columns - len(words))
        if start >= free and start <= last:
            cells[start : start + len(words)] = words
            free = start + len(words) + 2
        else:
            cells[max(first, free) : last] = signs.unseen * max(0, last - max(first, free))
            free = max(free, last)
    return [Text("gap".ljust(gutter) + "".join(cells), style="bold")] if gaps else []


def _axis(panel: Panel, window: Window, gutter: int, columns: int, signs: Signs) -> list[Text]:
    """Labels in ticks, labels in real time, and the line with a tick at each."""
    begin, span = window[0], window[1] - window[0]
    clock = panel.trace.clock_hz
    parts = max(1, columns // 8)
    while True:
        at = labels_of(window, parts)
        times = format_times(at, clock)
        room = columns * (at[1] - at[0]) // span if len(at) > 1 else columns
        if parts == 1 or all(len(text) + 2 <= room for text in [*times, *map(str, at)]):
            break
        parts -= 1
    ticks, real, ruler = [" "] * columns, [" "] * columns, [signs.line] * columns
    for tick, text in zip(at, times, strict=True):
        column = (tick - begin) * columns // span
        if column < columns:
            ruler[column] = signs.tick
        for row, label in ((ticks, str(tick)), (real, text if signs is BLOCKS else text.replace("µ", "u"))):
            start = column if column + len(label) <= columns else columns - len(label)
            if start >= 0 and (start == column or row[start - 1 : start + len(label)].count(" ") == len(label) + 1):
                row[start : start + len(label)] = label
    return [
        Text("ticks".ljust(gutter), style="dim") + Text("".join(ticks), style="dim"),
        Text("time".ljust(gutter), style="dim") + Text("".join(real), style="dim"),
        Text(" " * gutter) + Text("".join(ruler), style="dim"),
    ]


def _marks(panel: Panel, lane: Lane, window: Window, cells: list[str], signs: Signs) -> Text:
    """Cells with the marks of a lane; one at the window's very end belongs to the last cell."""
    low, span, which = window[0] * panel.scale, (window[1] - window[0]) * panel.scale, signs is ASCII
    red: set[int] = set()
    for mark, times in panel.marks_in(lane):
        both = ACTIVATION.signs[which] + mark.on_activation[which] if mark.on_activation else ""
        for time in mark.seen(times, low, low + span):
            place = min((time - low) * len(cells) // span, len(cells) - 1)
            cells[place] = both[1] if cells[place] in both else mark.signs[which]
            if mark.red:
                red.add(place)
    text = Text("".join(cells))
    for place in red:
        text.stylize("bold red", place, place + 1)
    return text


def _table_line(panel: Panel, lane: Lane, window: Window, columns: int, signs: Signs) -> Text:
    """A schedule table's line: drawn while the table is started, with its expiry points."""
    low, span = window[0] * panel.scale, (window[1] - window[0]) * panel.scale
    cells = [" "] * columns
    for sign, intervals in ((signs.waiting, panel.waiting[lane]), (signs.line, panel.running[lane])):
        for begin, end, _ in intervals:
            first, last = max(0, begin - low) * columns // span, -(-min(span, end - low) * columns // span)
            cells[first:last] = sign * max(0, last - first)
    return _marks(panel, lane, window, cells, signs)


def _bar(panel: Panel, lane: Lane, window: Window, columns: int, signs: Signs, style: str) -> Text:
    """A lane's bar: each character has two halves, and a thin line stands for less than half of a half."""
    low, span = window[0] * panel.scale, (window[1] - window[0]) * panel.scale
    halves = columns * 2
    ran, stood, waited = [0] * halves, [0] * halves, [0] * halves
    for target, intervals in ((ran, panel.running[lane]), (stood, panel.preempted[lane]), (waited, panel.waiting[lane])):
        for begin, end, _ in intervals:
            first, last = max(0, (begin - low) * halves), min(span * halves, (end - low) * halves)
            for half in range(first // span, -(-last // span) if first < last else 0):
                target[half] += min(last, (half + 1) * span) - max(first, half * span)
    points = panel.silent() if lane.kind is LaneKind.KERNEL else panel.brief[lane]
    marks = {(time - low) * columns // span for time in points if low <= time < low + span}
    cells: list[str] = []
    for cell in range(columns):
        left, right = ran[2 * cell], ran[2 * cell + 1]
        sign = signs.cells[(2 * left >= span) + 2 * (2 * right >= span)]
        if sign == " " and (left or right or cell in marks):
            sign = signs.sliver
        elif sign == " ":
            without, asleep = stood[2 * cell] + stood[2 * cell + 1], waited[2 * cell] + waited[2 * cell + 1]
            if without + asleep >= span:
                sign = signs.preempted if without >= asleep else signs.waiting
        cells.append(sign)
    for begin, end, _ in _gaps(panel, window, columns):
        cells[begin:end] = signs.unseen * (end - begin)
    return Text("".join(cells), style=style)


def runs_text(task: TaskSummary) -> str:
    """How often a task ran, and how many of its releases no start answers."""
    return str(task.activations) + (f" (-{task.unstarted})" if task.unstarted else "")


def spread_text(spread: Spread | int | None) -> str:
    """``min/median/max``; one number if there is only one value; ``-`` without a value."""
    if spread is None or isinstance(spread, int):
        return "-" if spread is None else str(spread)
    if spread.minimum == spread.maximum:
        return str(spread.minimum)
    return f"{spread.minimum}/{format_number(spread.median)}/{spread.maximum}"


def table_of(caption: str, columns: Sequence[str], signs: Signs, names: Sequence[str] = ("Task",)) -> Table:
    """A table of figures, behind columns of names."""
    shape = box.ASCII if signs is ASCII else box.SIMPLE_HEAD
    title = caption if signs is BLOCKS else caption.replace("µ", "u")
    table = Table(box=shape, title=title, title_justify="left", title_style="bold")
    for name in names:
        table.add_column(name, no_wrap=True, overflow="ellipsis", min_width=5)
    for name in columns:
        table.add_column(name, justify="right")
    return table


def figures(panel: Panel, signs: Signs = BLOCKS) -> list[Table]:
    """The tables of tasks' figures: times in ticks, then executed instructions; tasks of the rounds come first."""
    tables = _of_rounds(panel, signs) if panel.rounds else []
    return tables + (_of_events(panel, signs) if panel.event_triggered else [])


def _of_events(panel: Panel, signs: Signs) -> list[Table]:
    """What is event-triggered has an activation instead of a release, which may not be known, and no deadline but of Giotto.

    Where all that is known are jobs that wait, there are no responses: they are those to a first wait alone.
    """
    code = panel.counts_code
    title = f"{panel.title}, event-triggered: in ticks" if panel.rounds else f"{panel.title}: in ticks, {describe(panel)}"
    late = panel.trace.missed is not None or any(t.deadlines_missed for t in panel.summary.tasks if t.event_triggered)
    lost = any(task.lost for task in panel.summary.tasks if task.event_triggered)
    tasks = [task for task in panel.summary.tasks if task.event_triggered]
    columns = ("Runs", *(["Lost"] if lost else []), "Waits", "Preempted", "Longest", "Share", *(["Missed"] if late else []))
    times = table_of(title, columns if code else (*columns, "Execution"), signs)
    title = f"{panel.title}, event-triggered: in" if panel.rounds else f"{panel.title}: min/median/max in"
    work = table_of(f"{title} {unit_of(panel)}", ("Execution", "Dispatch", "Terminate"), signs)
    for task in tasks:
        runs, *numbers = (spread_text(n) for n in (task.activations, task.waits, task.preemptions, task.longest))
        of_lost = [lost_text(task)] if lost else []
        more: list[str | Text] = [*([missed_text(task)] if late else []), *([] if code else [spread_text(task.execution)])]
        times.add_row(task.lane.name, runs, *of_lost, *numbers, f"{100 * task.share:.2f} %", *more)
        work.add_row(task.lane.name, spread_text(task.execution), spread_text(task.dispatch), spread_text(task.terminate))
    title = f"{panel.title}, event-triggered" if panel.rounds else panel.title
    answers = table_of(f"{title}: responses in ticks", ("Known", "Start delay", "Response"), signs)
    for task in tasks:
        known = f"{task.known_activations} of {task.activations}"
        answers.add_row(task.lane.name, known, spread_text(task.start_delay), spread_text(task.response))
    told = [answers] if any(task.known_activations and not task.waits for task in tasks) else []
    return [times, *told, work] if code else [times, *told]


def lost_text(task: TaskSummary) -> Text:
    """How many activations of a task were lost, to be seen at once."""
    return Text(str(task.lost), style="bold red" if task.lost else "")


def missed_text(task: TaskSummary) -> Text:
    """How many deadlines a task missed, to be seen at once."""
    return Text(str(task.deadlines_missed), style="bold red" if task.deadlines_missed else "")


def _of_rounds(panel: Panel, signs: Signs) -> list[Table]:
    """Time-triggered tasks, and the interrupts beside them."""
    bounded = any(task.start_bound is not None for task in panel.summary.tasks)
    most = {"At most": "start_bound"} if bounded else {}
    spreads = {"Start delay": "start_delay", **most, "Jitter": "jitter", "Drift": "drift", "Response": "response"}
    title = f"{panel.title}: min/median/max in"
    lost = any(task.lost for task in panel.summary.tasks if not task.event_triggered)
    columns = ("Runs", *(["Lost"] if lost else []), *spreads, "Met", "Missed")
    times = table_of(f"{title} ticks, {describe(panel)}", columns, signs)
    of_kernel = () if panel.trace.captured else ("Dispatch", "Terminate")
    work = table_of(f"{title} {unit_of(panel)}", ("Execution", "Preempted", *of_kernel), signs)
    for task in panel.summary.tasks:
        if task.event_triggered:
            continue
        ticks = (spread_text(getattr(task, key)) for key in spreads.values())
        of_lost = [lost_text(task)] if lost else []
        times.add_row(task.lane.name, runs_text(task), *of_lost, *ticks, str(task.deadlines_met), missed_text(task))
        kernels = (spread_text(it if panel.counts_code else None) for it in (task.dispatch, task.terminate))
        work.add_row(task.lane.name, spread_text(task.execution), str(task.preemptions), *(kernels if of_kernel else ()))
    return [times, work]


def totals_rows(panels: Sequence[Panel]) -> list[tuple[str, list[str]]]:
    """The figures of the whole run by name, one value for each panel."""
    all_totals = [panel.summary.totals for panel in panels]
    rounds, events = any(p.rounds for p in panels), any(p.event_triggered for p in panels)
    if all(p.trace.captured for p in panels):
        met, missed = ([str(getattr(t, f"deadlines_{how}")) for t in all_totals] for how in ("met", "missed"))
        idle = [f"{100 * t.idle_share:.2f} %" for t in all_totals]
        return [("Deadlines met", met), ("Deadlines missed", missed), ("Share in which no task ran", idle)]
    rows = [("Interrupts taken", [str(t.interrupts) for t in all_totals])]
    for kind, name, used in (
        (HandlerKind.ACTIVATION, "that started a time-triggered task" if events else "that started a task", rounds),
        (HandlerKind.INTERRUPT, "of the application", True),
        (HandlerKind.TASK, "that started an event-triggered task" if rounds else "that started a task", events),
        (HandlerKind.TIMER, "of counters and alarms", events),
        (HandlerKind.DEADLINE, "that checked a deadline", rounds),
        (HandlerKind.OTHER, "for the kernel itself", True),
    ):
        if used:
            rows.append((f"  {name}", [str(t.interrupts_by_kind[kind]) for t in all_totals]))
    if rounds:
        rows.append(("Interrupts for deadlines that were met", [str(t.interrupts_for_met_deadlines) for t in all_totals]))
        rows.append(("Deadlines met", [str(t.deadlines_met) for t in all_totals]))
    if rounds or any(p.trace.missed is not None or p.summary.totals.deadlines_missed for p in panels):
        rows.append(("Deadlines missed", [str(t.deadlines_missed) for t in all_totals]))
    if any(t.lost for t in all_totals):
        rows.append(("Activations lost", [str(t.lost) for t in all_totals]))
    if any(t.budget_overruns for t in all_totals):
        rows.append(("Budgets used up", [str(t.budget_overruns) for t in all_totals]))
    kernel = [str(t.kernel_n) if p.counts_code else "-" for p, t in zip(panels, all_totals, strict=True)]
    rows.append((f"Kernel {panels[0].trace.unit}", kernel))
    rows.append(("Kernel share", ["-" if t.kernel_share is None else f"{100 * t.kernel_share:.3f} %" for t in all_totals]))
    rows.append(("Idle share", [f"{100 * t.idle_share:.2f} %" for t in all_totals]))
    if any(t.energy is not None for t in all_totals):
        rows.append(
            ("Current, estimated", [current_text(t.energy.estimate) if t.energy is not None else "-" for t in all_totals])
        )
        rows.append(("Energy, estimated", [energy_text(t.energy.joules) if t.energy is not None else "-" for t in all_totals]))
    return rows


def totals(panels: Sequence[Panel]) -> Table:
    """The figures of the whole run, panels side by side."""
    table = Table(
        box=None, pad_edge=False, title="Whole run", title_justify="left", title_style="bold", show_header=len(panels) > 1
    )
    table.add_column("", no_wrap=True)
    for panel in panels:
        table.add_column(panel.title, justify="right")
    for name, values in totals_rows(panels):
        table.add_row(name, *values)
    if panels[0].trace.caveat:
        table.caption = panels[0].trace.caveat
        table.caption_justify = "left"
    return table
