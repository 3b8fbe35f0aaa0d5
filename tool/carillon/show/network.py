# SPDX-License-Identifier: Apache-2.0
"""A network's run for the pictures: every node on the axis of true time, and tables of nodes and of their tasks.

On that axis a tick is a nanosecond from the network's start.  Tables of tasks are in each node's own ticks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from rich.console import Console
from rich.table import Table

from carillon.model.network import PICOSECONDS
from carillon.run.network import NetworkRun, NodeRun
from carillon.show.scene import Panel, Window, checked_window, format_number, format_time, length_of, panel_of
from carillon.show.terminal import ASCII, BLOCKS, Signs, missed_text, runs_text, spread_text, table_of, timeline
from carillon.trace import Trace
from carillon.trace.summary import Summary
from carillon.trace.timeline import IDLE, Release

NANOSECONDS = 10**9
"""In a second: the clock of the common axis."""
_GRAIN = PICOSECONDS // NANOSECONDS
SHOWN_ROUNDS = 2
"""Of the node that begins last, in the window that is shown first."""


@dataclass(frozen=True, slots=True)
class Pictured:
    """A run prepared for pictures: a panel for each node on the common axis, and a summary in the node's own ticks."""

    run: NetworkRun
    panels: tuple[Panel, ...]
    summaries: tuple[Summary, ...]


def pictured(run: NetworkRun, releases: Sequence[Sequence[Release]]) -> Pictured:
    """Analyse a run; ``releases`` are those of each node, in its ticks."""
    panels, summaries = [], []
    for node, its in zip(run.nodes, releases, strict=True):
        summaries.append(panel_of(node.trace, its).summary)
        panels.append(_panel(run, node, its))
    return Pictured(run, tuple(panels), tuple(summaries))


def _true(node: NodeRun) -> Callable[[int], int]:
    """From a tick of the node's trace to the nanosecond of the common axis."""

    @cache
    def nanosecond(tick: int) -> int:
        return node.clock.time_of(node.begin + tick) // _GRAIN

    return nanosecond


def _panel(run: NetworkRun, node: NodeRun, releases: Sequence[Release]) -> Panel:
    at = _true(node)
    trace = true_trace(run, node, at)
    panel = panel_of(trace, [Release(r.task, at(r.at), tuple(at(d) for d in r.deadlines), r.point) for r in releases])
    power_up = node.node.start // _GRAIN
    for lane in panel.running:
        if lane == IDLE:  # the node is not idle, but off
            panel.running[lane][:] = [(max(b, power_up), e, owner) for b, e, owner in panel.running[lane] if e > power_up]
    return panel


def true_trace(run: NetworkRun, node: NodeRun, at: Callable[[int], int]) -> Trace:
    """A node's trace on the common axis."""
    trace = node.trace
    per_tick = Fraction(NANOSECONDS, trace.clock_hz)
    ended = at(trace.length) if trace.stopped else min(run.recorded, run.length) // _GRAIN
    return replace(
        trace,
        node=node.node.name,
        clock_hz=NANOSECONDS,
        length=ended,
        round_length=round(trace.round_length * per_tick),
        events=tuple(e._replace(t=at(e.t), n=at(e.n)) for e in trace.events),
        modes=tuple((at(tick), mode) for tick, mode in trace.modes),
        round_lengths=tuple((mode, round(length * per_tick)) for mode, length in trace.round_lengths),
    )


def first_window(picture: Pictured) -> Window:
    """The first rounds of the node that begins last."""
    begin = max(_true(node)(0) for node in picture.run.nodes)
    rounds = max(panel.trace.round_length for panel in picture.panels)
    end = min(length_of(picture.panels), begin + SHOWN_ROUNDS * rounds)
    return max(0, min(begin, end - 1)), end


def drift_ppm(run: NetworkRun, node: NodeRun) -> Fraction:
    """The error of a node's clock over the whole run, in ppm."""
    lasted = run.length - node.node.start
    return node.clock.offset(run.length) * PICOSECONDS / lasted * 10**6 if lasted > 0 else Fraction(0)


def render(console: Console, picture: Pictured, window: Window | None) -> None:
    """Print the timeline of a window (nanoseconds; None: the first rounds), and the tables."""
    signs = ASCII if console.options.ascii_only else BLOCKS
    shown = checked_window(picture.panels, window or first_window(picture))
    for line in timeline(picture.panels, shown, console.width, signs):
        console.print(line, no_wrap=True, overflow="crop", crop=True, highlight=False)
    console.print("The axis is true time: a tick of it is a nanosecond.", style="dim", highlight=False, soft_wrap=True)
    console.print()
    console.print(_nodes(picture, signs))
    console.print(_tasks(picture, signs))


def _nodes(picture: Pictured, signs: Signs) -> Table:
    micro = "µs" if signs is BLOCKS else "us"
    columns = ("Clock, ppm", f"Ahead, {micro}", "Sent", "Lost", "Doubled", "Received")
    table = table_of(f"Nodes after {format_time(picture.run.length, PICOSECONDS)}", columns, signs, ("Node",))
    for node in picture.run.nodes:
        table.add_row(
            node.node.name,
            format_number(drift_ppm(picture.run, node)),
            format_number(node.clock.offset(picture.run.length) * 10**6),
            *(str(count) for count in (node.sent, node.lost, node.doubled, node.received)),
        )
    return table


def _tasks(picture: Pictured, signs: Signs) -> Table:
    part = format_time(min(picture.run.recorded, picture.run.length), PICOSECONDS)
    columns = ("Runs", "Start delay", "Jitter", "Response", "Met", "Missed")
    caption = f"Tasks in the first {part}: min/median/max in each node's own ticks"
    table = table_of(caption, columns, signs, ("Node", "Task"))
    for node, summary in zip(picture.run.nodes, picture.summaries, strict=True):
        for task in summary.tasks:
            ticks = (spread_text(spread) for spread in (task.start_delay, task.jitter, task.response))
            met = (str(task.deadlines_met), missed_text(task))
            table.add_row(node.node.name, task.lane.name, runs_text(task), *ticks, *met)
    return table


def as_json(picture: Pictured) -> list[dict[str, object]]:
    """A node's figures each, in the form that ``--json`` prints."""
    return [
        {
            "node": node.node.name,
            "application": node.trace.application,
            "board": node.trace.board,
            "clock_hz": node.clock.hz,
            "begin": node.begin,
            "length": node.trace.length,
            "clock_ppm": float(drift_ppm(picture.run, node)),
            "ahead": float(node.clock.offset(picture.run.length)),
            "sent": node.sent,
            "lost": node.lost,
            "doubled": node.doubled,
            "received": node.received,
            "output": node.trace.output,
            "stopped": node.trace.stopped,
            "summary": summary.as_json(),
        }
        for node, summary in zip(picture.run.nodes, picture.summaries, strict=True)
    ]
