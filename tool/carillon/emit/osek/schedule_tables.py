# SPDX-License-Identifier: Apache-2.0
"""Tables of schedule tables: their points, and the cursors that go through these."""

from __future__ import annotations

from carillon.actions.every import of
from carillon.allocate.cursors import Cursor, Step
from carillon.allocate.osek import OsekAllocation
from carillon.emit import text
from carillon.emit.osek.common import mode_mask
from carillon.model.osek import AlarmAction, ScheduleTable, SetEvent, Synchronisation, TableStart


def schedule_tables(allocation: OsekAllocation) -> list[str]:
    """The actions of points, the steps of cursors, the cursors, and the tables."""
    model, cursors = allocation.osek, allocation.cursors
    if not model.schedule_tables:
        return []
    adjusts = any(t.sync is Synchronisation.EXPLICIT for t in model.schedule_tables)
    actions: list[str] = []
    steps: list[str] = []
    number = 0
    for cursor in cursors:
        where = _where(allocation, cursor)
        actions.append(f"    /* {where} */")
        steps += [f"/* {where}. */", f"static const struct carillon_osek_step {_name(cursor)}[] = {{"]
        for step in cursor.steps:
            steps.append(_step(step, number, adjusts))
            actions += [_action(allocation, action, step) for action in step.actions]
            number += len(step.actions)
        steps += ["};", ""]
    lines = ["const struct carillon_osek_point_action carillon_osek_point_actions[] = {", *actions, "};", "", *steps]
    lines += ["const struct carillon_osek_cursor carillon_osek_cursors[] = {"]
    for cursor in cursors:
        number = model.schedule_tables.index(cursor.table)
        lines.append(f"    {{{_name(cursor)}, CARILLON_COUNT({_name(cursor)}), {cursor.part}u, {number}u}},")
    lines += ["};", "", "const struct carillon_osek_schedule_table carillon_osek_schedule_tables[] = {"]
    for table in model.schedule_tables:
        lines += _table(allocation, table)
    return [*lines, "};", ""]


def _name(cursor: Cursor) -> str:
    return f"carillon_steps_{cursor.table.name}_{cursor.part}"


def _where(allocation: OsekAllocation, cursor: Cursor) -> str:
    part = next((p for p in allocation.counters if p.number == cursor.part), None)
    level = f", at level {part.level}" if part is not None and part.level else ""
    return f"Schedule table {cursor.table.name} ({text.place(cursor.table.span)}){level}"


def _step(step: Step, first: int, adjusts: bool) -> str:
    numbers = [step.delay, first if step.actions else 0, len(step.actions)]
    numbers += [step.offset & 0xFFFF_FFFF, step.max_lengthen, step.max_shorten] if adjusts else []
    what = text.place(step.span) if step.span is not None else "its end"
    at = f"at {step.offset}, {what}" if step.span is not None or step.offset else what
    return f"    {{{', '.join(f'{n}u' for n in numbers)}}}, /* {at} */"


def _action(allocation: OsekAllocation, action: AlarmAction, step: Step) -> str:
    model = allocation.osek
    task = [t.name for t in model.tasks].index(action.object)
    operand = ""
    what = action.object
    if isinstance(action, SetEvent):
        operand = f"{{.carillon_event = {next(e.mask for e in model.events if e.name == action.event):#x}u}}"
        what = f"{action.event} of {action.object}"
    fields = [f".operand = {operand}"] if operand else []
    fields += [f".action = {text.action(of(action))}", f".object = {task}"]
    return f"    {{{', '.join(fields)}}}, /* at {step.offset}: {what} */"


def _table(allocation: OsekAllocation, table: ScheduleTable) -> list[str]:
    model = allocation.osek
    own = [n for n, cursor in enumerate(allocation.cursors) if cursor.table is table]
    fields: dict[str, object] = {
        "duration": f"{table.duration & 0xFFFF_FFFF}u",
        "initial": f"{table.initial_offset}u",
        "precision": f"{table.precision}u",
        "first": own[0],
        "cursors": len(own),
        "counter": [c.name for c in model.counters].index(table.counter),
        "repeating": int(table.repeating),
        "sync": f"CARILLON_OSEK_SYNC_{table.sync.name}",
    }
    if table.autostart is not None:
        start = table.autostart
        fields |= {
            "autostart": mode_mask(model.modes, start.modes),
            "at": f"{start.at}u",
            "start": f"CARILLON_OSEK_START_{TableStart(start.kind).name}",
        }
    lines = [f"    {{ /* {table.name}, {text.place(table.span)} */"]
    return [*lines, *(f"        .{name} = {value}," for name, value in fields.items()), "    },"]
