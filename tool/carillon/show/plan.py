# SPDX-License-Identifier: Apache-2.0
"""The plan: schedule line, cell, vector, task, and why; as a table, a drawing, and JSON.

Of an event-triggered system: priority, level, source, task and how it is served; ISRs, counters, alarms, resources.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from carillon.actions.dispatch import Dispatch
from carillon.allocate.advice import Advice, Prediction, advise, longest_tick
from carillon.allocate.base import longest_stretch
from carillon.allocate.osek import OsekAllocation, TaskKind, TaskLevel
from carillon.allocate.result import Carrier, ModeAllocation, Style
from carillon.console import heading, verbatim
from carillon.emit.osek.common import GUARD_WORDS
from carillon.image import Image, ModeImage
from carillon.model import System
from carillon.model.osek import (
    RES_SCHEDULER,
    Action,
    ActivateTask,
    Alarm,
    Callback,
    CounterKind,
    IncrementCounter,
    Osek,
    OsekTask,
    Property,
    SetEvent,
)
from carillon.model.time import ClockKind
from carillon.show.table import Table
from carillon.units import format_duration, format_number

if TYPE_CHECKING:
    from rich.console import Console

    from carillon.pipeline import Planned


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
    """The tasks of the table: how many ticks after its own each starts at the latest, but for what preempts it."""
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
    below = {"osek": _osek_json(planned.image)} if planned.image.osek is not None else {}
    if planned.system.time is not None:
        below["time"] = _time_json(planned, advise(system, planned.allocation))
    return below | {
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
                "late_starts": _late_starts(planned, image),
            }
            for image in planned.image.modes
        ],
    }


def stack_bytes(image: Image, task: OsekTask) -> int:
    """Bytes of a task's own stack; 0 of a basic task, which runs on that of whatever it preempts."""
    assert image.osek is not None
    guard = GUARD_WORDS if image.osek.allocation.osek.stack_check else 0
    return (-(-(task.stack or image.system.board.stack) // 8) + guard) * 8 if task.extended else 0


def _served(level: TaskLevel, software: bool) -> str:
    """How a task level is served."""
    if level.kind is TaskKind.DIRECT:
        return "the vector is the task" + (", requested by its alarm's cell, too" if level.cell is not None else "")
    handler = "software dispatch" if software else "its level's handler"
    return handler + (f", queue of {level.capacity}" if level.capacity else "")


def _action(action: Action) -> str:
    match action:
        case ActivateTask(task):
            return f"activates {task}"
        case SetEvent(task, event):
            return f"sets {event} of {task}"
        case Callback(function):
            return f"calls {function}"
        case IncrementCounter(counter):
            return f"increments {counter}"


def _why_queued(osek: Osek, alarm: Alarm, reasons: tuple[str, ...], conventional: bool) -> str:
    """Why no cell carries an alarm."""
    start = alarm.autostart
    if osek.counter(alarm.counter).kind is CounterKind.SOFTWARE:
        return "its counter is no timer's"
    if start is None:
        return "it is set at run time"
    if isinstance(alarm.action, (Callback, IncrementCounter)) and not conventional:
        return "its calls and counts are not to be lost, which a tick can catch up with"
    if start.cycle == 0:
        return "it expires once"
    if set(start.modes) != set(osek.modes):
        return "not every application mode sets it"
    if start.time == 0:
        return "it begins with a value that comes around"
    if conventional:
        return "the conventional kernel has one timer"
    prefix = f"alarm {alarm.name} "
    return next((r.rpartition(": ")[2] for r in reasons if r.startswith(prefix)), "no cell is left that can")


def _osek_json(image: Image) -> dict[str, Any]:
    """The event-triggered system's allocation."""
    assert image.osek is not None
    allocation = image.osek.allocation
    osek = allocation.osek
    vectors = {v.source: v.symbol for v in image.vectors[0]}
    return {
        "status": osek.status.value,
        "dispatch": "software" if allocation.software else "hardware",
        "conformance": osek.conformance,
        "modes": list(osek.modes),
        "controller_levels": allocation.hardware_levels,
        "dispatcher_source": allocation.dispatcher or None,
        "stacks_bytes": sum(stack_bytes(image, t) for t in osek.tasks),
        "levels": [
            {
                "priority": level.tasks[0].priority,
                "level": level.number,
                "source": level.source or None,
                "vector": vectors.get(level.source) if level.source else None,
                "served": _served(level, allocation.software),
                "direct": level.kind is TaskKind.DIRECT,
                "queue": level.capacity,
                "cell": level.cell.cells[0].cell.name if level.cell is not None else None,
                "tasks": [_task_json(image, task) for task in level.tasks],
            }
            for level in reversed(allocation.levels)
        ],
        "isrs": [
            {
                "line": isr.span.line,
                "name": isr.name,
                "category": isr.category,
                "level": allocation.hardware(level),
                "source": isr.source,
                "vector": vectors[isr.source],
            }
            for isr, level in sorted(allocation.isrs, key=lambda x: -x[1])
        ],
        "counters": _counters_json(image, allocation),
        "alarms": _alarms_json(allocation, image.allocation.conventional),
        "resources": [
            {
                "name": name,
                "property": "standard" if name == RES_SCHEDULER else _property(osek, name),
                "ceiling": allocation.ceilings[name],
                "users": _users(osek, name),
            }
            for name in [*(r.name for r in osek.resources), *([RES_SCHEDULER] if osek.scheduler_resource else [])]
        ],
    }


def _property(osek: Osek, name: str) -> str:
    resource = next(r for r in osek.resources if r.name == name)
    return f"linked to {resource.linked}" if resource.property is Property.LINKED else resource.property.value


def _users(osek: Osek, name: str) -> list[str]:
    return [*(t.name for t in osek.tasks if name in t.resources), *(i.name for i in osek.isrs if name in i.resources)]


def _task_json(image: Image, task: OsekTask) -> dict[str, Any]:
    assert image.osek is not None
    return {
        "line": task.span.line,
        "name": task.name,
        "extended": task.extended,
        "preemptable": task.preemptable,
        "activations": task.activations,
        "runs_at": image.osek.allocation.running_level(task),
        "stack_bytes": stack_bytes(image, task),
    }


def _lateness(image: Image, what: str, tick: int, units: int) -> list[str]:
    """What is known of a tick that is held back: how much of it is counted all the same, and how late it may come.

    ``units``: of the time base in a tick, 0 if nothing counts the ticks but their interrupts.
    """
    assert image.osek is not None
    system, base = image.system, image.osek.allocation.base
    if base is None or units == 0:
        told = [f"{what}: held back for longer than its tick of {format_duration(tick, system.clock_hz)}, it loses ticks"]
    else:
        cell = base.use.cell.name if base.use is not None else f"{base.array.names[0]}'s counter"
        most = format_duration(base.most // units * tick, system.clock_hz)
        told = [f"{what}: ticks that are held back are counted by {cell}, up to {most}"]
    stretch = longest_stretch(system)
    if not system.modes:
        return [f"{told[0]}; only ISRs and locks, those of the application and the kernel's own, hold it back"]
    if stretch is None:
        return [f"{told[0]}; how late it comes is not known, since a task of the rounds has no wcet"]
    return [f"{told[0]}; the rounds' tasks make it up to {format_duration(stretch, system.clock_hz)} late"]


def _counters_json(image: Image, allocation: OsekAllocation) -> list[dict[str, Any]]:
    cells = {c.counter.name: c.carrier for c in allocation.counters}
    found = []
    for counter in allocation.osek.counters:
        carrier = cells.get(counter.name)
        if counter.kind is CounterKind.SOFTWARE:
            why = "advanced by software"
        elif carrier is None:
            why = "nothing ticks: no alarm of it is in the queue"
        else:
            why = "an interrupt every tick, for the alarms in its queue"
            longest = longest_tick(allocation.osek, counter.name)
            why += f"; one every {longest} ticks would do" if longest is not None and longest > 1 else ""
        found.append(
            {
                "line": counter.span.line,
                "name": counter.name,
                "tick": counter.tick or None,
                "max_allowed": counter.max_allowed,
                "cell": carrier.cells[0].cell.name if carrier is not None else None,
                "source": carrier.source if carrier is not None else None,
                "level": allocation.hardware(carrier.level) if carrier is not None else None,
                "why": why,
                "late": _lateness(image, f"counter {counter.name}", counter.tick, allocation.base_units(counter))
                if carrier is not None
                else [],
            }
        )
    return found


def _alarms_json(allocation: OsekAllocation, conventional: bool) -> list[dict[str, Any]]:
    osek = allocation.osek
    cells = {a.alarm.name: a for a in allocation.alarms}
    found = []
    for alarm in osek.alarms:
        on_cell = cells.get(alarm.name)
        carrier = on_cell.carrier if on_cell is not None else None
        if on_cell is None:
            why = _why_queued(osek, alarm, allocation.reasons, conventional)
        elif on_cell.direct:
            why = "its expiry is the activation"
        else:
            where = ", on its task's level" if on_cell.level else ", above all tasks"
            why = "its handler acts" + ("" if allocation.software else where)
        if on_cell is not None and not alarm.static:
            why += "; in the queue once it has been cancelled"
        found.append(
            {
                "line": alarm.span.line,
                "name": alarm.name,
                "counter": alarm.counter,
                "action": _action(alarm.action),
                "cell": carrier.cells[0].cell.name if carrier is not None else None,
                "source": carrier.source if carrier is not None else None,
                "level": allocation.hardware(carrier.level) if carrier is not None else None,
                "static": alarm.static,
                "why": why,
            }
        )
    return found


def _time_json(planned: Planned, advice: Advice | None) -> dict[str, Any]:
    """The cells of the time services, the threads, and which clock would be the best."""
    system, image = planned.system, planned.image
    assert image.osek is not None
    allocation = image.osek.allocation
    clock = allocation.clock
    assert clock is not None
    periods = {p.thread: p for p in clock.services.periods if p.thread is not None}
    return {
        "clock": {
            "line": clock.services.span.line,
            "kind": clock.services.clock.value,
            "tick": float(clock.tick),
            "why": "its tick" if clock.services.clock is ClockKind.PERIODIC else "whatever comes next",
            "late": _lateness(image, "clock", int(clock.tick), 0) if clock.services.clock is ClockKind.PERIODIC else [],
        }
        | _cell_json(allocation, clock.carrier),
        "slices": None
        if allocation.slices is None
        else {"tick": clock.services.slice, "why": "ends the slices of threads"} | _cell_json(allocation, allocation.slices),
        "threads": [
            {
                "line": task.span.line,
                "name": task.name,
                "priority": task.priority,
                "level": allocation.level_of(task).number,
                "stack_bytes": stack_bytes(image, task),
                "period": format_duration(periods[task.name].ticks, system.clock_hz) if task.name in periods else None,
            }
            for task in sorted(allocation.osek.tasks, key=lambda t: -t.priority)
            if task.thread
        ],
        "advice": _advice_json(advice, system.clock_hz) if advice is not None else None,
    }


def _cell_json(allocation: OsekAllocation, carrier: Carrier) -> dict[str, Any]:
    return {
        "cell": carrier.cells[0].cell.name,
        "source": carrier.source,
        "level": allocation.hardware(carrier.level),
    }


def _advice_json(advice: Advice, clock_hz: int) -> dict[str, Any]:
    """Figures a second, and times in seconds."""

    def number(value: Fraction | None) -> float | None:
        return None if value is None else float(value)

    def clock(prediction: Prediction) -> dict[str, Any]:
        return {
            "clock": prediction.name,
            "tick": number(prediction.tick),
            "interrupts": float(prediction.interrupts),
            "code": number(prediction.code),
            "share": number(prediction.share),
            "longest": prediction.longest,
            "early": float(prediction.early),
            "late": float(prediction.late),
            "drift": float(prediction.drift),
            "configured": prediction is advice.configured,
            "recommended": prediction is advice.recommended,
        }

    return {
        "periods": [format_duration(p.ticks, clock_hz) for p in advice.periods],
        "releases": float(advice.releases),
        "ticks": [{"tick": t.tick, "interrupts": clock_hz / t.tick, "error": float(t.error)} for t in advice.ticks],
        "clocks": [clock(prediction) for prediction in advice.predictions],
        "refused": [{"clock": refusal.name, "why": refusal.why} for refusal in advice.refusals],
        "reason": advice.reason,
    }


def _drawing(mode: ModeAllocation, width: int) -> list[tuple[str, str]]:
    """One line per carrier: its points along the round; activations with their windows."""
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
    about = f" on {system.board.name} at {system.clock_hz / 1e6:g} MHz, {planned.allocation.kernel} kernel"
    console.print(heading(system.name, about, ""))
    for drift in system.drifts:
        off = f"{drift.error_ticks:+g} ticks off"
        verbatim(console, f"  {drift.span}: {drift.written} is rounded to {drift.ticks} ticks, {off}")
    for image in planned.image.modes:
        mode = image.allocation
        length = mode.mode.round_length
        duration = f"{length / system.clock_hz * 1e3:g} ms"
        console.print(heading(f"mode {mode.mode.name}", f": a round of {length} ticks ({duration})"))
        table = Table("line", "role", "for", "at (ticks)", "cells", "source", "level", "vector")
        for row in _rows(planned, image):
            how = {"multiplexed": " multiplexed", "table": " re-armed"}.get(row["style"], "")
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
        table.print(console)
        late = _late_starts(planned, image)
        if late:
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
        console.print(Text("\n".join("  · " + reason for reason in mode.reasons)), end="\n" if mode.reasons else "")
    if planned.image.osek is not None:
        _render_osek(console, _osek_json(planned.image), system.board.levels)
    if system.time is not None:
        _render_time(console, planned)


def _render_time(console: Console, planned: Planned) -> None:
    """Print what :func:`_time_json` says."""
    system = planned.system
    advice = advise(system, planned.allocation)
    plan = _time_json(planned, advice)
    rows = Table("for", "tick (ticks)", "cell", "source", "level", "interrupts at")
    clock = plan["clock"]
    for what, row in ((f"{clock['kind']} clock", clock), ("slices", plan["slices"])):
        if row is not None:
            rows.add_row(what, f"{row['tick']:g}", row["cell"], str(row["source"]), str(row["level"]), row["why"])
    console.print(heading("time services"))
    rows.print(console)
    for line in clock["late"]:
        console.print(f"  · {line}", markup=False)
    rows = Table("line", "thread", "priority", "level", "stack", "period")
    for thread in plan["threads"]:
        rows.add_row(
            *(str(thread["line"]), thread["name"], str(thread["priority"]), str(thread["level"])),
            *(f"{thread['stack_bytes']} bytes", thread["period"] or "-"),
        )
    if rows.row_count:
        console.print(heading("threads"))
        rows.print(console)
    if advice is not None:
        _render_advice(console, advice, system)


def _named(prediction: Prediction, clock_hz: int) -> str:
    """A clock; a periodic one with its tick."""
    if prediction.kind is not ClockKind.PERIODIC or prediction.tick is None:
        return prediction.name
    return f"{prediction.name}, {format_duration(prediction.tick, clock_hz)}"


def _render_advice(console: Console, advice: Advice, system: System) -> None:
    """Print the clocks side by side, and which is the best."""
    from rich.text import Text

    def time(seconds: Fraction) -> str:
        return format_duration(seconds, 1, 3) if seconds else "0"

    unit = system.board.code_unit
    periods = ", ".join(format_duration(p.ticks, system.clock_hz) for p in advice.periods)
    console.print(heading("which clock", f": for periods of {periods}"))
    rows = Table("clock", "interrupts/s", f"{unit}/s", "CPU", "longest", "early", "late", "drift an hour")
    for prediction in advice.predictions:
        rows.add_row(
            _named(prediction, system.clock_hz),
            format_number(prediction.interrupts, 1),
            "-" if prediction.code is None else format_number(prediction.code, 0),
            "-" if prediction.share is None else f"{float(prediction.share):.3%}",
            "-" if prediction.longest is None else str(prediction.longest),
            *(time(prediction.early), time(prediction.late), time(prediction.drift)),
        )
    rows.print(console)
    if len(advice.ticks) > 1:
        rows = Table("tick", "interrupts/s", "periods longer by")
        for choice in advice.ticks:
            often = format_number(Fraction(system.clock_hz, choice.tick), 1)
            rows.add_row(format_duration(choice.tick, system.clock_hz), often, f"{float(choice.error):.3%}")
        rows.print(console)
    for refusal in advice.refusals:
        console.print(Text(f"  no {refusal.name}: {refusal.why}"))
    console.print(Text("  " + advice.reason))
    if advice.recommended is not advice.configured:
        console.print(Text("  note: this plan has another: " + _named(advice.configured, system.clock_hz)))


def _render_osek(console: Console, plan: dict[str, Any], board_levels: int) -> None:
    """Print what :func:`_osek_json` says, as tables."""

    def cell(value: object) -> str:
        return "-" if value is None else str(value)

    def show(title: str, rows: Table) -> None:
        if rows.row_count:
            console.print(heading(title))
            rows.print(console)

    about = f": {plan['conformance']}, {plan['status']} status, dispatch in {plan['dispatch']}, "
    console.print(heading("event-triggered system", f"{about}{plan['controller_levels']} of {board_levels} priority levels"))
    tasks = Table("line", "priority", "level", "source", "task", "served by", "stack")
    for level in plan["levels"]:
        for k, task in enumerate(level["tasks"]):
            first = k == 0
            kind = [task["name"]]
            kind += [f"x{task['activations']}"] if task["activations"] > 1 else []
            if task["runs_at"] > level["level"]:
                kind.append(f"(runs at level {task['runs_at']})")
            tasks.add_row(
                str(task["line"]),
                str(level["priority"]) if first else "",
                str(level["level"]) if first else "",
                cell(level["source"]) if first else "",
                " ".join(kind),
                level["served"] if first else "",
                f"{task['stack_bytes']} bytes" if task["extended"] else "shared",
            )
    tasks.print(console)
    if plan["dispatcher_source"]:
        console.print(f"tasks are dispatched by software, from source {plan['dispatcher_source']} at level 1")
    if plan["stacks_bytes"]:
        console.print(f"stacks of extended tasks: {plan['stacks_bytes']} bytes of RAM")
    rows = Table("line", "ISR", "category", "level", "source", "vector")
    for isr in plan["isrs"]:
        rows.add_row(*(str(isr[key]) for key in ("line", "name", "category", "level", "source", "vector")))
    show("ISRs", rows)
    rows = Table("line", "counter", "tick (ticks)", "up to", "cell", "source", "level", "why")
    for counter in plan["counters"]:
        rows.add_row(*(cell(counter[key]) for key in ("line", "name", "tick", "max_allowed", "cell", "source", "level", "why")))
    show("counters", rows)
    for counter in plan["counters"]:
        for line in counter["late"]:
            console.print(f"  · {line}", markup=False)
    rows = Table("line", "alarm", "counter", "what it does", "carried by", "source", "level", "why")
    for alarm in plan["alarms"]:
        rows.add_row(
            *(str(alarm["line"]), alarm["name"], alarm["counter"], alarm["action"], alarm["cell"] or "queue"),
            *(cell(alarm["source"]), cell(alarm["level"]), alarm["why"]),
        )
    show("alarms", rows)
    rows = Table("resource", "property", "ceiling", "taken by")
    for resource in plan["resources"]:
        if resource["users"] or resource["name"] != RES_SCHEDULER:
            rows.add_row(resource["name"], resource["property"], str(resource["ceiling"]), ", ".join(resource["users"]) or "-")
    show("resources", rows)
