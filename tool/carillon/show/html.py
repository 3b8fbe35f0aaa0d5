# SPDX-License-Identifier: Apache-2.0
"""The timeline as one self-contained HTML file, which loads nothing: its scripts are inside.

The file contains the run as arrays of differences, which the page's script sums once.  The script finds the part to
draw by binary search, so that hundreds of thousands of events stay fluid.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from fractions import Fraction
from importlib.resources import files
from typing import IO

import jinja2
from markupsafe import Markup

from carillon.groups import grouped
from carillon.show import utilisation
from carillon.show.histogram import histogram
from carillon.show.marks import MARKS, REAL, RED
from carillon.show.scene import (
    SILENT,
    Panel,
    Window,
    checked_window,
    colours_of,
    default_window,
    describe,
    format_number,
    format_time,
    headings,
    length_of,
    unit_of,
)
from carillon.show.terminal import runs_text, spread_text, totals_rows
from carillon.trace.summary import Spread, TaskSummary
from carillon.trace.timeline import HandlerKind, LaneKind

ROUNDS = (
    ("Runs", "activations", "Activations that began"),
    ("Start delay", "start_delay", "Start less nominal release, in ticks: min / median / max"),
    ("Jitter", "jitter", "Greatest less least start delay, in ticks"),
    ("Drift", "drift", "Last less first start delay of activations in an idle system, in ticks"),
    ("Response", "response", "End less nominal release, in ticks: min / median / max"),
    ("Execution", "execution", "What the task itself executed: min / median / max"),
    ("Preempted", "preemptions", "How often a run was interrupted"),
    ("Met", "deadlines_met", "Deadlines met"),
    ("Missed", "deadlines_missed", "Deadlines missed"),
    ("Dispatch", "dispatch", "Instructions from the interrupt's entry to the task's first: min / median / max"),
    ("Terminate", "terminate", "Instructions from the task's last to the first of what ran next: min / median / max"),
)
"""Columns: what each is called, which figure of a task it has, and what that is."""
EVENTS = (
    ("Runs", "activations", "Activations that began"),
    ("Waits", "waits", "How often it waited for an event"),
    ("Preempted", "preemptions", "How often it was interrupted"),
    ("Known", "known_activations", "Runs whose activation is known"),
    ("Start delay", "start_delay", "Start less activation, of runs whose activation is known, in ticks: min / median / max"),
    (
        "Response",
        "response",
        "End, or begin of the first wait, less activation, of runs whose activation is known, in ticks: min / median / max",
    ),
    ("Longest", "longest", "Longest time from a start or the end of a wait to the end or the next wait, in ticks"),
    ("Share", "share", "Its part of the run's time"),
    (
        "Execution",
        "execution",
        "What it executed itself from a start or the end of a wait to the end or the next wait: min / median / max",
    ),
    ("Dispatch", "dispatch", "Instructions from the interrupt's entry to its first after a start or a wait: min / median / max"),
    (
        "Terminate",
        "terminate",
        "Instructions from its last before the end or a wait to the first of what ran next: min / median / max",
    ),
)
_TICKS = ("start_delay", "jitter", "drift", "response", "longest")
"""Figures that are times, so that a page says them in seconds, too."""


def write(stream: IO[str], panels: Sequence[Panel], window: Window | None = None, network: str = "") -> None:
    """Write the page; ``window``: the ticks shown first (None: the first round); ``network``: a network's name."""
    shown = checked_window(panels, window)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files("carillon.show").joinpath("timeline.html.j2").read_text(encoding="utf-8"))
    data = json.dumps(payload(panels, shown), separators=(",", ":"), ensure_ascii=False)
    for mark, escape in (("&", "\\u0026"), ("<", "\\u003c"), (">", "\\u003e"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        data = data.replace(mark, escape)
    first = panels[0]
    stream.write(
        template.render(
            application=network or first.trace.application,
            board=f"{len(panels)} virtual boards" if network else first.trace.board,
            clock=describe(first),
            titles=[p.title for p in panels],
            tables=[table for p in panels for table in _tables(p)],
            uses=[use for p in panels if (use := _use(p))],
            responses=[{"title": p.title, "plots": plots} for p in panels if (plots := _responses(p, panels))],
            rounds=any(p.rounds for p in panels),
            marks=MARKS,
            totals=totals_rows(panels),
            cards=_cards(panels),
            data=data,
        )
    )


def _cards(panels: Sequence[Panel]) -> list[dict[str, object]]:
    """The few figures that stand above the picture."""
    rows = dict(totals_rows(panels))
    names = [
        *("Interrupts taken", "Interrupts for deadlines that were met", "  of counters and alarms"),
        *("Kernel share", "Idle share", "Deadlines missed", "Budgets used up"),
    ]
    return [
        {
            "name": name if not name.startswith(" ") else f"Interrupts{name[1:]}",
            "values": [
                {
                    "panel": panel.trace.node or panel.trace.kernel.capitalize(),
                    "text": text,
                    "bad": name in ("Deadlines missed", "Budgets used up") and text != "0",
                }
                for panel, text in zip(panels, rows[name], strict=True)
            ],
        }
        for name in names
        if name in rows and any(text != "-" for text in rows[name])
    ]


def _tables(panel: Panel) -> list[dict[str, object]]:
    """The tables of a panel: tasks of the rounds, and event-triggered tasks and ISRs."""
    events = [task for task in panel.summary.tasks if task.event_triggered]
    rounds = [task for task in panel.summary.tasks if not task.event_triggered]
    others = "ISRs and tasks" if any(task.lane.kind is LaneKind.INTERRUPT for task in events) else "tasks"
    both = panel.rounds and panel.event_triggered
    return [
        {
            "title": f"{panel.title}: {kind if both else ''}{who}",
            "columns": [(title, meaning) for title, _, meaning in columns],
            "rows": [_row(panel, task) for task in tasks],
            "help": f"{ticks} in ticks, execution in {unit_of(panel)}, dispatch and terminate in {panel.trace.unit}",
        }
        for there, kind, who, columns, tasks, ticks in (
            (panel.rounds, "time-triggered ", "tasks", ROUNDS, rounds, "Start delay, jitter, drift and response"),
            (panel.event_triggered, "event-triggered ", others, EVENTS, events, "Start delay, response and longest"),
        )
        if there
    ]


def _use(panel: Panel) -> dict[str, object]:
    """Who has the processor over the run: the picture, and each sign of its legend; empty if the run is."""
    parts = utilisation.parts_of(panel.summary)
    if not parts:
        return {}
    tasks = "tasks and interrupts" if panel.trace.interrupts else "tasks"
    signs = (("--accent", tasks), ("--kernel", "kernel"), ("--idle", "idle"))
    return {
        "title": panel.title,
        "parts": len(parts),
        "picture": Markup(utilisation.picture(parts, panel.title, panel.scale)),
        "signs": [
            {"colour": colour, "name": name, "share": utilisation.share_text(parts, which)}
            for which, (colour, name) in enumerate(signs)
            if which != 1 or any(part.kernel for part in parts)
        ],
    }


def _responses(panel: Panel, panels: Sequence[Panel]) -> list[dict[str, object]]:
    """A histogram for each task and interrupt of which a response is known."""
    values = grouped((run.lane, run.response) for run in panel.summary.runs if run.response is not None)
    colours = colours_of(panels)
    return [
        {
            "name": task.lane.name,
            "colour": colours[task.lane],
            "jobs": len(own),
            "picture": Markup(histogram(task.lane.name, own, task.response_bound, colours[task.lane], panel.trace.clock_hz)),
        }
        for task in panel.summary.tasks
        if (own := values[task.lane])
    ]


def _row(panel: Panel, task: TaskSummary) -> dict[str, object]:
    """A row of the table."""
    cells = [_cell(panel, task, key) for _, key, _ in (EVENTS if task.event_triggered else ROUNDS)]
    if not task.event_triggered:
        cells[0]["text"] = runs_text(task)
    return {
        "name": task.lane.name,
        "colour": colours_of([panel])[task.lane],
        "cells": cells,
    }


def _cell(panel: Panel, task: TaskSummary, key: str) -> dict[str, object]:
    """A figure of a task: its text, the number to sort rows by, and a time also in seconds."""
    value: Spread | int | float | None = getattr(task, key)
    if value is None or (key in ("dispatch", "terminate") and not panel.counts_code):
        return {"text": "-", "key": "-1", "time": "", "bad": False}
    if isinstance(value, float):
        return {"text": f"{100 * value:.2f} %", "key": format_number(value, 6), "time": "", "bad": False}
    several = isinstance(value, Spread)
    numbers = [value.minimum, value.median, value.maximum] if isinstance(value, Spread) else [value]
    times = [format_time(Fraction(number), panel.trace.clock_hz) for number in numbers] if key in _TICKS else []
    if len(set(times)) == 1:
        times = [] if numbers[0] == 0 else times[:1]
    text = spread_text(value)
    return {
        "text": text.replace("/", " / ") if several else text,
        "key": format_number(float(numbers[-1]), 6),
        "time": " / ".join(times),
        "bad": key == "deadlines_missed" and task.deadlines_missed > 0,
    }


def payload(panels: Sequence[Panel], window: Window) -> dict[str, object]:
    """What the page's script draws; see ``unpack`` in the template for the other side."""
    return {
        "clock": panels[0].trace.clock_hz,
        "begin": min(panel.summary.begin.t for panel in panels),
        "end": length_of(panels),
        "round": panels[0].trace.round_length if panels[0].rounds and not panels[0].trace.node else 0,
        "modes": [] if panels[0].trace.node else panels[0].trace.modes,  # each node has its own
        "rounds": dict(panels[0].trace.round_lengths),
        "first": default_window(panels),
        "window": window,
        "missed": RED,
        "marks": [
            {
                **{key: getattr(m, key) for key in ("name", "words", "red", "verdict")},
                "shape": m.shape.name,
                "path": m.shape.value,
            }
            for m in MARKS
        ],
        "kinds": [kind.value for kind in HandlerKind],
        "silent": [kind.value for kind in SILENT],
        "panels": [
            {"heading": heading, **_panel(panel, panels)} for heading, panel in zip(headings(panels), panels, strict=True)
        ],
    }


def differences(values: Iterable[int]) -> list[int]:
    """The first value, then each value less the one before."""
    return [after - before for before, after in itertools.pairwise(itertools.chain((0,), values))]


def intervals(values: Sequence[tuple[int, int, int]], owners: bool = True) -> dict[str, list[int]]:
    """Begins as differences, lengths, owners as differences."""
    packed = {"b": differences(v[0] for v in values), "l": [v[1] - v[0] for v in values]}
    if owners:
        packed["o"] = differences(v[2] for v in values)
    return packed


def _panel(panel: Panel, panels: Sequence[Panel]) -> dict[str, object]:
    colours = colours_of(panels)
    summary = panel.summary
    numbers = {lane: index for index, lane in enumerate(summary.lanes)}
    verdicts = grouped((verdict.task, verdict) for verdict in summary.verdicts)
    lanes = []
    for lane in summary.lanes:
        lane_verdicts = verdicts[lane.name] if lane.kind in REAL else []
        lanes.append(
            {
                "name": lane.name,
                "kind": lane.kind.value,
                "event": lane.name in panel.trace.event_triggered,
                "colour": colours.get(lane, ""),
                "marked": panel.marked(lane),
                "run": intervals(panel.running[lane], lane.kind is not LaneKind.IDLE),
                "wait": intervals(panel.preempted[lane]),
                "sleep": intervals(panel.waiting[lane]),
                "block": intervals(panel.blocked[lane]),
                "over": intervals(panel.overhead[lane], owners=False),
                "marks": {mark.name: differences(times) for mark, times in panel.marks_in(lane) if not mark.verdict},
                "due": differences(v.at * panel.scale for v in lane_verdicts),
                "late": [index for index, v in enumerate(lane_verdicts) if v.missed],
                "dueRun": differences(v.run for v in lane_verdicts),
            }
        )
    objects = {name: index for index, name in enumerate(dict.fromkeys(h.object for h in summary.handlers))}
    kinds = list(HandlerKind)
    runs = summary.runs
    return {
        "title": panel.title,
        "board": panel.trace.board,
        "scale": panel.scale,
        "code": panel.counts_code,
        "unit": unit_of(panel),
        "lanes": lanes,
        "silent": differences(panel.silent()),
        "gaps": [[gap.begin / panel.scale, gap.end / panel.scale, gap.words] for gap in panel.trace.unseen],
        "runs": {
            "lane": [numbers[run.lane] for run in runs],
            "number": [run.number for run in runs],
            "begin": differences(run.begin.u for run in runs),
            "length": [-1 if run.end is None else run.end.u - run.begin.u for run in runs],
            "delay": [run.start_delay for run in runs],
            "response": [run.response for run in runs],
            "executed": [run.executed for run in runs],
            "preempted": [run.preemptions for run in runs],
            "waits": [len(run.waits) for run in runs],
            "dispatch": [-1 if run.dispatch is None else run.dispatch for run in runs],
            "terminate": [-1 if run.terminate is None else run.terminate for run in runs],
        },
        "objects": list(objects),
        "handlers": {
            "object": [objects[h.object] for h in summary.handlers],
            "kind": [kinds.index(h.kind) for h in summary.handlers],
            "begin": differences(h.begin.u for h in summary.handlers),
            "kernel": [h.kernel_n for h in summary.handlers],
        },
    }
