# SPDX-License-Identifier: Apache-2.0
"""The event-triggered system of a plan: its part of ``plan --json``, and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carillon.actions import Served
from carillon.actions.costs import cost_table
from carillon.actions.every import of
from carillon.advise import longest_tick
from carillon.allocate.base import longest_stretch
from carillon.allocate.osek import OsekAllocation, TaskKind, TaskLevel
from carillon.allocate.result import Carrier
from carillon.console import heading
from carillon.image import Image
from carillon.image.osek import GUARD_WORDS
from carillon.model.board import Board
from carillon.model.osek import (
    RES_SCHEDULER,
    ActivateTask,
    AlarmAction,
    Counter,
    CounterKind,
    Hook,
    Isr,
    Osek,
    OsekTask,
    Property,
    SetEvent,
)
from carillon.show.plan_tables import about_table, adjusted, part_json, tables_json
from carillon.show.table import Table
from carillon.units import format_duration

if TYPE_CHECKING:
    from rich.console import Console


def stack_bytes(image: Image, task: OsekTask) -> int:
    """Bytes of a task's own stack; 0 for a basic task, which runs on the stack of the task that it preempts."""
    assert image.osek is not None
    guard = GUARD_WORDS if image.osek.allocation.osek.stack_check else 0
    return (-(-(task.stack or image.system.board.stack) // 8) + guard) * 8 if task.extended else 0


def _bounded(osek: Osek) -> list[OsekTask | Isr]:
    """The ISRs and tasks with execution budgets, the most urgent ones first."""
    return [*osek.bounded_isrs, *sorted((t for t in osek.tasks if t.budget), key=lambda t: -t.priority)]


def _whose(item: OsekTask | Isr) -> dict[str, str | None]:
    """Whose budget it is."""
    is_task = isinstance(item, OsekTask)
    return {"task": item.name if is_task else None, "isr": None if is_task else item.name}


def _served(level: TaskLevel, allocation: OsekAllocation) -> str:
    """How a task level is served."""
    if level.kind is TaskKind.DIRECT:
        whose = "schedule table" if any(carrier is level.cell for _, carrier in allocation.series) else "alarm"
        return "the vector is the task" + (f", requested by its {whose}'s cell, too" if level.cell is not None else "")
    handler = "software dispatch" if allocation.software else "its level's handler"
    return handler + (f", queue of {level.capacity}" if level.capacity else "")


def osek_json(image: Image) -> dict[str, Any]:
    """The event-triggered system's allocation."""
    assert image.osek is not None
    allocation = image.osek.allocation
    osek = allocation.osek
    vectors = {v.source: v.symbol for v in image.vectors[0]}
    linked = {r.name: f"linked to {r.linked}" for r in osek.resources if r.property is Property.LINKED}
    properties = {r.name: linked.get(r.name, r.property.value) for r in osek.resources}
    properties |= {RES_SCHEDULER: "standard"} if osek.scheduler_resource else {}
    return {
        "status": osek.status.value,
        "dispatch": "software" if allocation.software else "hardware",
        "software_because": allocation.why or None,
        "conformance": osek.conformance,
        "modes": list(osek.modes),
        "controller_levels": allocation.hardware_levels,
        "dispatcher_source": allocation.dispatcher or None,
        "shares_proved": allocation.proved,
        "stacks_bytes": sum(stack_bytes(image, t) for t in osek.tasks),
        "levels": [
            {
                "priority": level.tasks[0].priority,
                "level": level.number,
                "source": level.source or None,
                "vector": vectors.get(level.source) if level.source else None,
                "served": _served(level, allocation),
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
        "alarms": _alarms_json(image.system.board, allocation),
        "schedule_tables": tables_json(allocation),
        "budgets": [
            {"line": t.span.line, **_whose(t), "ticks": t.budget, "by": "cell" if osek.celled_budgets else "clock"}
            | part_json(allocation, allocation.budgets or (allocation.clock.carrier if allocation.clock is not None else None))
            for t in _bounded(osek)
        ]
        + [
            {"line": t.span.line, "task": t.name, "isr": None, "ticks": t.budget, "by": "cell"}
            | part_json(allocation, allocation.task_budgets.get(t.name, allocation.round_budgets))
            for t in image.system.bounded
        ],
        "time_frames": [
            {"line": it.span.line, "name": it.name, "ticks": it.time_frame} | part_json(allocation, allocation.frames)
            for it in osek.framed
            if allocation.frames is not None
        ],
        "resources": [
            {
                "name": name,
                "property": property_,
                "ceiling": allocation.ceilings[name],
                "users": [user.name for users in (osek.tasks, osek.isrs) for user in users if name in user.resources],
            }
            for name, property_ in properties.items()
        ]
        + [
            {
                "name": mutex.name,
                "property": "mutex",
                "ceiling": ceiling,
                "users": [task.name for task in osek.tasks if mutex.name in task.mutexes],
            }
            for mutex, ceiling in zip(osek.mutexes, allocation.mutex_ceilings, strict=True)
        ],
    }


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


def lateness(image: Image, subject: str, tick: int, held: int, level: int = 0, holders: str = "ISRs and locks") -> list[str]:
    """What is known of a tick that is held back: how much of it is counted all the same, and how late it may come.

    ``held``: the ticks that the time base counts, 0 if nothing counts them but their interrupts.  ``level``: where tasks above
    hold it back; 0 if no task does.  ``holders``: what holds it back otherwise.
    """
    assert image.osek is not None
    system, base = image.system, image.osek.allocation.base
    if base is None or held == 0:
        told = [f"{subject}: held back for longer than its tick of {format_duration(tick, system.clock_hz)}, it loses ticks"]
    else:
        cell = base.use.cell.name if base.use is not None else f"{base.array.names[0]}'s counter"
        most = format_duration(held * tick, system.clock_hz)
        told = [f"{subject}: ticks that are held back are counted by {cell}, up to {most}"]
    stretch = longest_stretch(system)
    if level:
        return [f"{told[0]}; all that is above level {level} holds it back, and services serve what is due meanwhile"]
    if not system.modes:
        return [f"{told[0]}; only {holders}, those of the application and the kernel's own, hold it back"]
    if stretch is None:
        return [f"{told[0]}; how late it comes is not known, since a task of the rounds has no wcet"]
    return [f"{told[0]}; the rounds' tasks make it up to {format_duration(stretch, system.clock_hz)} late"]


def _counters_json(image: Image, allocation: OsekAllocation) -> list[dict[str, Any]]:
    counters = []
    for counter in allocation.osek.counters:
        parts = [part for part in allocation.counters if part.demand.name == counter.name]
        first = parts[0] if parts else None
        if counter.kind is CounterKind.SOFTWARE:
            why = "advanced by software"
        elif allocation.tickless and allocation.clock is not None:
            why = f"tickless: the clock, {allocation.clock.carrier.cells[0].cell.name}, is set to what is due next"
        elif first is None:
            base = "nothing ticks: the time base says its value to the schedule tables, which are on cells"
            tables = any(series.counter == counter for series, _ in allocation.series)
            why = base if tables else "nothing ticks: no alarm of it is in the queue"
        else:
            why = f"an interrupt every tick, {_ticks_for(allocation, counter)}"
            longest = longest_tick(allocation.osek, counter.name)
            why += f"; one every {longest} ticks would do" if longest is not None and longest > 1 else ""
        late: list[str] = []
        if allocation.tickless and counter.kind is not CounterKind.SOFTWARE:
            most = format_duration(allocation.held(counter.name) * counter.tick, image.system.clock_hz)
            late = [f"counter {counter.name}: an interrupt that is held back for up to {most} loses no tick"]
        if first is not None:
            late = lateness(image, f"counter {counter.name}", counter.tick, allocation.held(counter.name), first.task_level)
            held = "all that is above holds it back, and services serve what is due meanwhile"
            late += [f"counter {counter.name}, level {part.level}: {held}" for part in parts[1:]]
            late += _shared(image.system.board, allocation, first)
        counters.append(
            {
                "line": counter.span.line,
                "name": counter.name,
                "tick": counter.tick or None,
                "max_allowed": counter.max_allowed,
                **part_json(allocation, first),
                "why": why,
                "late": late,
                "parts": [
                    part_json(allocation, part)
                    | {"alarms": [a.name for a in allocation.alarms_of(part)], "schedule_tables": _tables_of(allocation, part)}
                    for part in parts
                ],
            }
        )
    return counters


def _ticks_for(allocation: OsekAllocation, counter: Counter) -> str:
    """What a counter ticks for."""
    queue = ["alarms"] * any(a.counter == counter.name for a in allocation.osek.alarms)
    queue += ["schedule tables"] * any(c.table.counter == counter.name for c in allocation.cursors)
    return f"for the {' and '.join(queue)} in its queue" if queue else "as the application reads it"


def _tables_of(allocation: OsekAllocation, part: Carrier) -> list[str]:
    """The schedule tables with an action in a part of a counter's queue."""
    return [c.table.name for c in allocation.cursors if c.part == part.part and any(step.actions for step in c.steps)]


def _shared(board: Board, allocation: OsekAllocation, first: Carrier) -> list[str]:
    """The cost of a counter's parts without a cell of their own, and of alarms without a level of their own."""
    told: list[str] = []
    requested = allocation.requested(first)
    if requested:
        costs = cost_table(board.port)
        most = costs.ask_parts + len(requested) * costs.ask_part
        which = ", ".join(str(part.source) for part in requested)
        told.append(
            f"counter {first.demand.name}: its tick requests source{'s' * (len(requested) > 1)} {which}, which takes up to "
            f"{most} {board.code_unit} from the tasks between"
        )
    carried = [alarm for alarm, _ in allocation.alarms]
    queued = [a for a in allocation.alarms_of(first) if a not in carried]
    wakes = {a.name: [one for one in a.action.each if isinstance(one, ActivateTask | SetEvent)] for a in queued}
    several = [a.name for a in queued if wakes[a.name] and _of_no_level(allocation, a.action)]
    waking = [name for name, actions in wakes.items() if actions and name not in several] + _tables_of(allocation, first)
    able = allocation.base is not None and allocation.base.ahead and not allocation.software
    if waking and not first.task_level and able and Hook.ERROR not in allocation.osek.hooks:
        told.append(
            f"counter {first.demand.name}: these expire above all tasks, since the level of their tasks has a thread or another "
            f"cell, or no cell and no source is left for it: {', '.join(waking)}"
        )
    if several and not allocation.software:
        told.append(
            f"counter {first.demand.name}: these expire above all tasks, since what they do belongs to no single level of tasks: "
            f"{', '.join(several)}"
        )
    return told


def _of_no_level(allocation: OsekAllocation, action: AlarmAction) -> bool:
    """Whether an alarm does something to tasks of several levels, or more than wake tasks."""
    tasks = {one.object if isinstance(one, ActivateTask | SetEvent) else "" for one in action.each}
    return all(not tasks <= {t.name for t in level.tasks} for level in allocation.levels)


def _alarms_json(board: Board, allocation: OsekAllocation) -> list[dict[str, Any]]:
    osek, costs = allocation.osek, cost_table(board.port)
    cells = {alarm.name: carrier for alarm, carrier in allocation.alarms}
    alarms = []
    for alarm in osek.alarms:
        carrier = cells.get(alarm.name)
        if carrier is None:
            why = allocation.queued[alarm.name]
        elif carrier.direct:
            why = "its expiry is the activation"
        else:
            where = ", on its task's level" if carrier.task_level else ", above all tasks"
            why = "its handler acts" + ("" if allocation.software else where)
            others = [a.name for a, c in allocation.joined.get(carrier.source, []) if c is not carrier]
            if others:
                price = of(alarm.action).price(Served(1, 1, False, handled=True, apart=True), costs)
                price += costs.acknowledge + (len(others) + 1) * costs.ask
                why += f"; it asks the cell of {', '.join(others)} too: higher tasks lose some {price} {board.code_unit}"
        if carrier is not None and allocation.told:
            why += f"; the time base counts its expiries for the error hook: {costs.told} {board.code_unit} more"
        if carrier is not None and not alarm.static:
            why += "; in the queue once it has been cancelled"
        alarms.append(
            {
                "line": alarm.span.line,
                "name": alarm.name,
                "counter": alarm.counter,
                "action": of(alarm.action).phrase,
                **part_json(allocation, carrier),
                "static": alarm.static,
                "why": why,
            }
        )
    return alarms


def _cell(value: object) -> str:
    return "-" if value is None else str(value)


def _render_tasks(console: Console, plan: dict[str, Any], board_levels: int) -> None:
    """Print the head and the tasks."""
    about = f": {plan['conformance']}, {plan['status']} status, dispatch in {plan['dispatch']}, "
    console.print(heading("event-triggered system", f"{about}{plan['controller_levels']} of {board_levels} priority levels"))
    if not plan["shares_proved"]:
        console.print("  · cells may be shared better between this and the rounds: not all ways were compared")
    tasks = Table("line", "priority", "level", "source", "task", "served by", "stack")
    for level in plan["levels"]:
        for k, task in enumerate(level["tasks"]):
            kind = [task["name"]]
            kind += [f"x{task['activations']}"] if task["activations"] > 1 else []
            kind += [f"(runs at level {task['runs_at']})"] if task["runs_at"] > level["level"] else []
            own = [_cell(level[key]) if k == 0 else "" for key in ("priority", "level", "source", "served")]
            stack = f"{task['stack_bytes']} bytes" if task["extended"] else "shared"
            tasks.add_row(str(task["line"]), *own[:3], " ".join(kind), own[3], stack)
    tasks.print(console)
    if plan["dispatcher_source"]:
        why = f": {plan['software_because']}" if plan["software_because"] else ""
        console.print(f"tasks are dispatched by software, from source {plan['dispatcher_source']} at level 1{why}")
    if plan["stacks_bytes"]:
        console.print(f"stacks of extended tasks: {plan['stacks_bytes']} bytes of RAM")


def render_osek(console: Console, plan: dict[str, Any], board_levels: int) -> None:
    """Print what :func:`osek_json` says, as tables."""

    def plain(title: str, objects: list[dict[str, Any]], columns: dict[str, str]) -> None:
        """Show a table with the JSON line of each object, and its fields under ``columns``."""
        rows = Table("line", *columns)
        for it in objects:
            rows.add_row(*(_cell(it[key]) for key in ("line", *columns.values())))
        rows.show(console, title)

    if not any(plan[what] for what in ("levels", "isrs", "alarms", "counters")) and plan["budgets"]:
        console.print(heading("event-triggered system", ": none, but for what it keeps of the rounds"))
    else:
        _render_tasks(console, plan, board_levels)
    plain("ISRs", plan["isrs"], {"ISR": "name", "category": "category", "level": "level", "source": "source", "vector": "vector"})
    rows = Table("line", "counter", "tick (ticks)", "up to", "cell", "source", "level", "why")
    for counter in plan["counters"]:
        rows.add_row(*(_cell(counter[key]) for key in ("line", "name", "tick", "max_allowed", "cell", "source", "level", "why")))
        for part in counter["parts"][1:]:
            served = ", ".join([*part["alarms"], *part["schedule_tables"]])
            where = (_cell(part[key]) for key in ("cell", "source", "level"))
            rows.add_row(*[""] * 4, *where, f"{'the same' if part['cell'] else 'requested by that'}, for {served}")
    rows.show(console, "counters")
    for counter in plan["counters"]:
        for line in counter["late"]:
            console.print(f"  · {line}", markup=False)
    ends = {"source": "source", "level": "level"}
    alarms = [alarm | {"cell": alarm["cell"] or "queue"} for alarm in plan["alarms"]]
    shown = {"alarm": "name", "counter": "counter", "what it does": "action", "carried by": "cell"}
    plain("alarms", alarms, {**shown, **ends, "why": "why"})
    rows = Table("line", "schedule table", "counter", "at (ticks)", "what it does", "carried by", "source", "level")
    for table in plan["schedule_tables"]:
        span = f"{'every' if table['repeating'] else 'ends at'} {table['duration']}"
        end = table["end"] or table["adjusted"] or {"cell": "", "source": "", "level": ""}
        rows.add_row(
            *(str(table["line"]), table["name"], table["counter"], span, about_table(table)),
            *(str(end[key]) for key in ("cell", "source", "level")),
        )
        for point in table["points"]:
            before = None
            for action in point["actions"]:
                carried = [_cell(action["source"]), _cell(action["level"])]
                at = (str(point["line"]), f"{point['offset']}{adjusted(point)}") if before is None else ("", "")
                by = action["cell"] if table["on_cells"] else "queue"
                rows.add_row(at[0], "", "", at[1], action["action"], *((by, *carried) if carried != before else ("", "", "")))
                before = carried
    rows.show(console, "schedule tables")
    budgets = [
        it | {"task": it["task"] or f"ISR {it['isr']}", "cell": it["cell"] if it["by"] == "cell" else f"the clock, {it['cell']}"}
        for it in plan["budgets"]
    ]
    plain("execution budgets", budgets, {"execution budget of": "task", "ticks": "ticks", "kept by": "cell", **ends})
    plain("time frames", plan["time_frames"], {"time frame of": "name", "ticks": "ticks", "measured by": "cell", **ends})
    rows = Table("resource", "property", "ceiling", "taken by")
    for resource in plan["resources"]:
        if resource["users"] or resource["name"] != RES_SCHEDULER:
            rows.add_row(resource["name"], resource["property"], str(resource["ceiling"]), ", ".join(resource["users"]) or "-")
    rows.show(console, "resources and mutexes" if any(r["property"] == "mutex" for r in plan["resources"]) else "resources")
