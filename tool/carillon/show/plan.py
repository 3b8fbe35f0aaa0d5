# SPDX-License-Identifier: Apache-2.0
"""The plan: schedule line, cell, vector, task, and why; as a table, a drawing, and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carillon.allocate.result import Carrier, ModeAllocation, Style
from carillon.emit.image import ModeImage
from carillon.emit.vectors import handlers
from carillon.model.board import Role

if TYPE_CHECKING:
    from rich.console import Console

    from carillon.pipeline import Planned

_MARKS = {Role.ACTIVATION: "●", Role.DEADLINE: "×", Role.ENABLE: "+", Role.CONTROL: "▲", Role.SYSTEM: "●"}


def _points(carrier: Carrier, length: int) -> list[int]:
    if carrier.style is Style.MULTIPLEXED:
        return sorted(set(carrier.demand.times))
    return sorted(t for use in carrier.cells for t in use.progression.times(length))


def _when(carrier: Carrier, length: int) -> str:
    if carrier.style is Style.DIRECT:
        return ", ".join(
            str(u.progression.offset) + (f" + k·{u.progression.period}" if u.progression.period < length else "")
            for u in carrier.cells
        )
    times = _points(carrier, length)
    return ", ".join(str(t) for t in times[:4]) + (f", … ({len(times)})" if len(times) > 4 else "")


def _rows(planned: Planned, image: ModeImage) -> list[dict[str, Any]]:
    mode = image.allocation
    length = mode.mode.round_length
    vectors = handlers(planned.image, image)
    entries = {t.name: t.entry for t in planned.system.tasks}
    rows = []
    for carrier in mode.carriers:
        vector = vectors[carrier.source]
        rows.append(
            {
                "line": carrier.demand.span.line,
                "role": carrier.role.value,
                "object": carrier.demand.object,
                "when": _when(carrier, length),
                "points": len(_points(carrier, length)),
                "cells": [u.cell.name for u in carrier.cells],
                "source": carrier.source,
                "level": carrier.level,
                "style": carrier.style.value,
                "lowered": carrier.lowered,
                "vector": vector,
                "direct": carrier.role is Role.ACTIVATION and vector == entries.get(carrier.demand.object),
            }
        )
    return rows


def plan_json(planned: Planned) -> dict[str, Any]:
    """The plan as ``carillon plan --json`` prints it."""
    system = planned.system
    return {
        "system": system.name,
        "board": system.board.name,
        "clock_hz": system.clock_hz,
        "kernel": planned.allocation.kernel,
        "drifts": [
            {"line": d.span.line, "written": d.written, "ticks": d.ticks, "error_ticks": d.error_ticks} for d in system.drifts
        ],
        "modes": [
            {
                "mode": image.allocation.mode.name,
                "round_ticks": image.allocation.mode.round_length,
                "levels": image.allocation.levels,
                "overhead_instructions": image.allocation.overhead,
                "bound_instructions": image.allocation.bound,
                "optimal": image.allocation.optimal,
                "unmonitored": [d.object for d in image.allocation.unmonitored],
                "switch_gap_ticks": image.control.gap if image.control else None,
                "schedule_time": image.time_base is not None,
                "reasons": list(image.allocation.reasons),
                "carriers": _rows(planned, image),
            }
            for image in planned.image.modes
        ],
    }


def _drawing(mode: ModeAllocation, width: int) -> list[tuple[str, str]]:
    """One line per carrier: its points along the round; activations with their windows."""
    length = mode.mode.round_length
    lines = []
    for carrier in mode.carriers:
        track = [" "] * width
        for point in carrier.demand.points:
            if carrier.role is Role.ACTIVATION and point.at in set(_points(carrier, length)):
                for x in range(point.at * width // length, min(width, -(-point.window_end * width // length))):
                    track[x] = "─"
        for t in _points(carrier, length):
            track[min(width - 1, t % length * width // length)] = _MARKS[carrier.role]
        lines.append((f"{'+'.join(u.cell.name for u in carrier.cells)} {carrier.demand.object}", "".join(track)))
    return lines


def render_plan(console: Console, planned: Planned) -> None:
    """Print the plan: a table and a drawing of every mode, the objective and the reasons."""
    from rich.table import Table
    from rich.text import Text

    system = planned.system
    console.print(
        f"[bold]{system.name}[/] on {system.board.name} at {system.clock_hz / 1e6:g} MHz, {planned.allocation.kernel} kernel"
    )
    for drift in system.drifts:
        console.print(
            f"  {drift.span}: {drift.written} is rounded to {drift.ticks} ticks, {drift.error_ticks:+g} ticks off", markup=False
        )
    for image in planned.image.modes:
        mode = image.allocation
        length = mode.mode.round_length
        console.print(f"\n[bold]mode {mode.mode.name}[/]: a round of {length} ticks ({length / system.clock_hz * 1e3:g} ms)")
        table = Table(box=None, header_style="bold", pad_edge=False)
        for title in ("line", "role", "for", "at (ticks)", "cells", "source", "level", "vector"):
            table.add_column(title, overflow="fold")
        for row in _rows(planned, image):
            how = " multiplexed" if row["style"] == Style.MULTIPLEXED.value else ""
            vector = row["vector"] + (" (the task)" if row["direct"] else "") + (", lowered" if row["lowered"] else "")
            table.add_row(
                str(row["line"]),
                row["role"],
                row["object"],
                row["when"],
                "+".join(row["cells"]) + how,
                str(row["source"]),
                str(row["level"]),
                vector,
            )
        console.print(table)
        labels = _drawing(mode, 10)
        margin = max((len(label) for label, _ in labels), default=0) + 2
        width = max(20, console.width - margin - 2)
        console.print()
        for label, track in _drawing(mode, width):
            console.print(Text(label.ljust(margin) + track))
        console.print(Text(" " * margin + "0" + str(length).rjust(width - 1), style="dim"))
        if planned.allocation.kernel == "carillon":
            state = "proved least" if mode.optimal else f"not proved least: at least {mode.bound}"
            console.print(
                f"kernel code: some {mode.overhead} instructions a round by the cost table ({state}); "
                f"{mode.levels} of {system.board.levels} priority levels"
            )
        if image.control:
            gap = image.control.gap
            when = "at the end of the round" if gap == 0 else f"{gap} ticks after the end of the round"
            console.print(f"a switch of modes is taken at {image.control.at}; the next mode begins {when}")
        if image.time_base is None and planned.allocation.kernel == "carillon":
            console.print("ttGetScheduleTime is not available: no cell counts whole rounds")
        for reason in mode.reasons:
            console.print(Text("  · " + reason))
