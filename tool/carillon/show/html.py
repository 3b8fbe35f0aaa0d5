# SPDX-License-Identifier: Apache-2.0
"""The timeline as one self-contained HTML file: nothing is loaded, no script comes from elsewhere.

The file carries the run as arrays of differences, which the page's script sums once; what it draws is
found by binary search, so that hundreds of thousands of events stay fluid.
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import IO

import jinja2

from carillon.show.scene import (
    MISSED,
    Panel,
    Window,
    checked_window,
    colours_of,
    default_window,
    describe,
    format_number,
    length_of,
    unit_of,
)
from carillon.show.terminal import spread_text, totals_rows
from carillon.trace.analyse import HandlerKind, LaneKind, Spread, TaskSummary

COLUMNS = (
    ("Runs", "Activations that began"),
    ("Start delay", "Start less nominal release, in ticks: min / median / max"),
    ("Jitter", "Greatest less least start delay, in ticks"),
    ("Drift", "Last less first start delay of activations in an idle system, in ticks"),
    ("Response", "End less nominal release, in ticks: min / median / max"),
    ("Execution", "What the task itself executed: min / median / max"),
    ("Preempted", "How often a run was interrupted"),
    ("Met", "Deadlines met"),
    ("Missed", "Deadlines missed"),
    ("Dispatch", "Instructions from the interrupt's entry to the task's first: min / median / max"),
    ("Terminate", "Instructions from the task's last to the first of what ran next: min / median / max"),
)


def write(stream: IO[str], panels: Sequence[Panel], window: Window | None = None) -> None:
    """Write the page; ``window`` (ticks) is what it shows first, None: the first round."""
    shown = checked_window(panels, window)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files("carillon.show").joinpath("timeline.html.j2").read_text(encoding="utf-8"))
    data = json.dumps(payload(panels, shown), separators=(",", ":"), ensure_ascii=False)
    for mark, escape in (("&", "\\u0026"), ("<", "\\u003c"), (">", "\\u003e"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        data = data.replace(mark, escape)
    first = panels[0]
    stream.write(
        template.render(
            application=first.trace.application,
            board=first.trace.board,
            clock=describe(first),
            panels=[{"title": p.title, "unit": unit_of(p), "rows": [_row(p, task) for task in p.summary.tasks]} for p in panels],
            columns=COLUMNS,
            totals=totals_rows(panels),
            cards=_cards(panels),
            data=data,
        )
    )


def _cards(panels: Sequence[Panel]) -> list[dict[str, object]]:
    """The few figures that stand above the picture."""
    rows = dict(totals_rows(panels))
    names = ("Interrupts taken", "Interrupts for deadlines that were met", "Kernel share", "Idle share", "Deadlines missed")
    return [
        {
            "name": name,
            "values": [
                {"panel": panel.trace.kernel.capitalize(), "text": text, "bad": name == "Deadlines missed" and text != "0"}
                for panel, text in zip(panels, rows[name], strict=True)
            ],
        }
        for name in names
        if any(text != "-" for text in rows[name])
    ]


def _row(panel: Panel, task: TaskSummary) -> dict[str, object]:
    """A row of the table: texts with the number that each is sorted by."""

    def spread(value: Spread | None, known: bool = True) -> tuple[str, float]:
        return (spread_text(value).replace("/", " / "), float(value.maximum)) if value is not None and known else ("-", -1.0)

    def single(value: int | None) -> tuple[str, float]:
        return ("-", -1.0) if value is None else (str(value), float(value))

    runs = f"{task.activations} (-{task.unstarted})" if task.unstarted else str(task.activations)
    cells = [
        (runs, float(task.activations)),
        spread(task.start_delay),
        single(task.jitter),
        single(task.drift),
        spread(task.response),
        spread(task.execution),
        single(task.preemptions),
        single(task.deadlines_met),
        single(task.deadlines_missed),
        spread(task.dispatch, panel.counts_code),
        spread(task.terminate, panel.counts_code),
    ]
    return {
        "name": task.lane.name,
        "colour": colours_of([panel])[task.lane],
        "cells": [{"text": text, "key": format_number(key)} for text, key in cells],
        "late": task.deadlines_missed > 0,
    }


def payload(panels: Sequence[Panel], window: Window) -> dict[str, object]:
    """What the page's script draws; see ``unpack`` in the template for the other side."""
    return {
        "clock": panels[0].trace.clock_hz,
        "begin": min(panel.summary.begin.t for panel in panels),
        "end": length_of(panels),
        "round": panels[0].trace.round_length,
        "first": default_window(panels),
        "window": window,
        "missed": MISSED,
        "kinds": [kind.value for kind in HandlerKind],
        "panels": [_panel(panel, panels) for panel in panels],
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
    verdicts = defaultdict(list)
    for verdict in summary.verdicts:
        verdicts[verdict.task].append(verdict)
    lanes = []
    for lane in summary.lanes:
        real = lane.kind in (LaneKind.TASK, LaneKind.INTERRUPT)
        own = verdicts[lane.name] if real else []
        lanes.append(
            {
                "name": lane.name,
                "kind": lane.kind.value,
                "colour": colours.get(lane, ""),
                "run": intervals(panel.running[lane], lane.kind is not LaneKind.IDLE),
                "wait": intervals(panel.preempted[lane]),
                "over": intervals(panel.overhead[lane], owners=False),
                "act": differences(panel.activations[lane]),
                "due": differences(v.at * panel.scale for v in own),
                "late": [index for index, v in enumerate(own) if v.missed],
                "dueRun": differences(v.run for v in own),
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
        "runs": {
            "lane": [numbers[run.lane] for run in runs],
            "number": [run.number for run in runs],
            "begin": differences(run.begin.u for run in runs),
            "length": [-1 if run.end is None else run.end.u - run.begin.u for run in runs],
            "delay": [None if run.release is None else run.begin.t - run.release.at for run in runs],
            "executed": [run.executed for run in runs],
            "preempted": [run.preemptions for run in runs],
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
