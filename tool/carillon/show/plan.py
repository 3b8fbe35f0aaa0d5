# SPDX-License-Identifier: Apache-2.0
"""The plan: schedule line, cell, vector, task, and why; as a table, a drawing, and JSON.

Of an event-triggered system: priority, level, source, task and how it is served; ISRs, counters, alarms, resources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carillon.actions.dispatch import Dispatch
from carillon.advise import advise
from carillon.allocate.result import Carrier, ModeAllocation, Style
from carillon.console import heading, verbatim
from carillon.image import ModeImage
from carillon.show.plan_energy import energy_json, mode_text, notes
from carillon.show.plan_osek import osek_json, render_osek
from carillon.show.plan_time import render_time, time_json
from carillon.show.table import Table
from carillon.timing.handlers import kernel_round
from carillon.timing.silicon import timed_sequences

if TYPE_CHECKING:
    from rich.console import Console

    from carillon.pipeline import Planned


def _points(carrier: Carrier, length: int) -> list[int]:
    if carrier.style is Style.MULTIPLEXED:
        return sorted(set(carrier.demand.followed))
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
    vectors = {v.source: v for v in planned.image.vectors[planned.image.modes.index(image)]}
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
                "style": (Style.TABLE if isinstance(carrier.action, Dispatch) else carrier.style).value,
                "lowered": carrier.lowered,
                "guard": carrier.guard.value,
                "vector": vector.symbol,
                "direct": carrier.action.runs and vector.symbol == vector.runs,
            }
        )
    return rows


def _late_starts(planned: Planned, image: ModeImage) -> list[dict[str, Any]]:
    """The tasks of the table, each with its latest start in ticks after its own tick, not counting preemption."""
    if image.dispatch is None or not planned.kernel_times:
        return []
    starts = planned.kernel_times[planned.image.modes.index(image)].starts
    tasks = dict.fromkeys(e.point.object for e in image.table if e.point.action.runs)
    return [
        {
            "task": name,
            "activations": sum(e.point.object == name and e.point.action.runs for e in image.table),
            "late_ticks": starts.get(name, 0),
            "within_ticks": planned.system.task(name).start_within,
        }
        for name in tasks
    ]


def plan_json(planned: Planned) -> dict[str, Any]:
    """The plan as ``carillon plan --json`` prints it."""
    system = planned.system
    below = {"osek": osek_json(planned.image)} if planned.image.osek is not None else {}
    advice = advise(system, planned.allocation)
    if planned.system.time is not None:
        below["time"] = time_json(planned, advice)
    return below | {
        "energy": energy_json(planned, advice),
        "system": system.name,
        "board": system.board.name,
        "clock_hz": system.clock_hz,
        "core_hz": system.board.clock(system.clock_hz).core_hz,
        "kernel": planned.allocation.kernel,
        "timed": list(timed_sequences(planned.image)),
        "reserved": [{"name": name, "source": system.board.application_sources[name]} for name in system.board.reserved],
        "start": {"by": it.by, "phase": it.phase, "period": it.period} if (it := system.start) is not None else None,
        "drifts": [
            {"line": d.span.line, "written": d.written, "ticks": d.ticks, "error_ticks": d.error_ticks} for d in system.drifts
        ],
        "modes": [
            {
                "mode": image.allocation.mode.name,
                "round_ticks": image.allocation.mode.round_length,
                "levels": image.allocation.levels,
                "kernel_at_most": kernel_round(planned.image, image),
                "overhead_instructions": image.allocation.overhead,
                "bound_instructions": image.allocation.bound,
                "optimal": image.allocation.optimal,
                "unmonitored": [d.object for d in image.allocation.unmonitored],
                "switch_gap_ticks": image.control.gap if image.control else None,
                "schedule_time": image.time_base is not None,
                "sync": {"at": image.sync.at, "slack_ticks": image.sync.slack, "latest_ticks": image.sync.late}
                if image.sync
                else None,
                "reasons": list(image.allocation.reasons),
                "carriers": _rows(planned, image),
                "late_starts": _late_starts(planned, image),
            }
            for image in planned.image.modes
        ],
    }


def _drawing(mode: ModeAllocation, width: int) -> list[tuple[str, str]]:
    """One line per carrier: its points along the round, and the windows of activations."""
    length = mode.mode.round_length
    lines = []
    for carrier in mode.carriers:
        track = [" "] * width
        served = _points(carrier, length)
        own = set(served) if carrier.action.runs else set()
        for point in carrier.demand.points:
            if point.at in own:
                for x in range(point.at * width // length, min(width, -(-point.window_end * width // length))):
                    track[x] = "─"
        for t in served:
            track[min(width - 1, t % length * width // length)] = carrier.action.mark
        lines.append((_label(carrier), "".join(track)))
    return lines


def _label(carrier: Carrier) -> str:
    return f"{'+'.join(u.cell.name for u in carrier.cells)} {carrier.demand.object}"


def render_plan(console: Console, planned: Planned) -> None:
    """Print the plan: a table and a drawing of every mode, the objective and the reasons."""
    from rich.text import Text

    system = planned.system
    about = f" on {system.board.name} {system.clocks}, {planned.allocation.kernel} kernel"
    console.print(heading(system.name, about, ""))
    for drift in system.drifts:
        off = f"{drift.error_ticks:+g} ticks off"
        verbatim(console, f"  {drift.span}: {drift.written} is rounded to {drift.ticks} ticks, {off}")
    if system.board.reserved:
        kept = ", ".join(f"{name} (source {system.board.application_sources[name]})" for name in system.board.reserved)
        console.print(f"reserved for the application: {kept}")
    if system.start is not None:
        by, phase, period = system.start.by, system.start.phase, system.start.period
        console.print(
            f"{by} starts the round, {phase} ticks behind a trigger, of which each comes {period} ticks behind the last"
        )
    if system.silicon is not None:
        console.print("no sequence is timed by instructions:")
        for text in dict.fromkeys(cell.family.exact for image in planned.image.modes for cell in image.cells):
            console.print(f"  · {text}")
    advice = advise(system, planned.allocation)
    energy = energy_json(planned, advice)
    for place, image in enumerate(planned.image.modes):
        mode = image.allocation
        length = mode.mode.round_length
        duration = f"{length / system.clock_hz * 1e3:g} ms"
        console.print(heading(f"mode {mode.mode.name}", f": a round of {length} ticks ({duration})"))
        table = Table("line", "role", "for", "at (ticks)", "cells", "source", "level", "vector")
        for row in _rows(planned, image):
            how = {"multiplexed": " multiplexed", "table": " re-armed"}.get(row["style"], "")
            vector = row["vector"] + (" (the task)" if row["direct"] else "") + (", lowered" if row["lowered"] else "")
            told = [str(row[key]) for key in ("line", "role", "object", "when")]
            table.add_row(*told, "+".join(row["cells"]) + how, str(row["source"]), str(row["level"]), vector)
        table.print(console)
        if late := _late_starts(planned, image):
            rows = Table("in the table", "activations", "starts late by at most (ticks)", "start_within (ticks)")
            for entry in late:
                rows.add_row(entry["task"], str(entry["activations"]), str(entry["late_ticks"]), str(entry["within_ticks"]))
            rows.print(console)
        margin = max((len(_label(carrier)) for carrier in mode.carriers), default=0) + 2
        width = max(20, console.width - margin - 2)
        console.print()
        console.print(Text("\n".join(label.ljust(margin) + track for label, track in _drawing(mode, width))))
        console.print(Text(" " * margin + "0" + str(length).rjust(width - 1), style="dim"))
        if planned.allocation.kernel == "carillon":
            state = "proved least" if mode.optimal else f"not proved least: at least {mode.bound}"
            most = kernel_round(planned.image, image)
            timed = system.board.clock(system.clock_hz).instructions_per_tick > 0
            takes = f"at most {most} {system.board.code_unit} a round" if timed else "takes no time here"
            levels = f"{mode.levels} of {system.board.levels} levels"
            console.print(f"kernel code: {takes}; {mode.overhead} by the cost table ({state}); {levels}")
            console.print(mode_text(energy["modes"][place]), markup=False)
        if image.control:
            gap = image.control.gap
            when = "at the end of the round" if gap == 0 else f"{gap} ticks after the end of the round"
            console.print(f"a switch of modes is taken at {image.control.at}; the next mode begins {when}")
        if image.sync:
            slack = f"nothing is due for {image.sync.slack} ticks, of which its handler may be {image.sync.late} late"
            console.print(f"the round is synchronised at {image.sync.at}: {slack}")
            if (image.sync.unit or 1) > 1:
                console.print(f"corrections are whole {image.sync.unit} ticks: what is less waits, and counts for 'precision'")
        if image.time_base is None and planned.allocation.kernel == "carillon":
            console.print("ttGetScheduleTime is not available: no cell counts whole rounds")
        console.print(Text("\n".join("  · " + reason for reason in mode.reasons)), end="\n" if mode.reasons else "")
    if planned.image.osek is not None:
        render_osek(console, osek_json(planned.image), system.board.levels)
    if system.time is not None:
        render_time(console, planned, advice)
    if energy["modes"] or energy["clocks"] or energy["currents"] is not None:
        console.print(Text("\n".join("  · " + note for note in notes(planned, energy))))
