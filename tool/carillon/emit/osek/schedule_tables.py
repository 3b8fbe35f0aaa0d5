# SPDX-License-Identifier: Apache-2.0
"""Tables of schedule tables: their points, and the cursors that go through these."""

from __future__ import annotations

from carillon.actions.every import of
from carillon.allocate.cursors import Cursor, Step
from carillon.allocate.osek import OsekAllocation
from carillon.emit import text
from carillon.image import OsekImage, Store, TableImage
from carillon.model.osek import AlarmAction, ScheduleTable, SetEvent, TableStart


def schedule_tables(allocation: OsekAllocation) -> list[str]:
    """The actions of points, the steps of cursors, the cursors, and the tables."""
    model, cursors = allocation.osek, allocation.cursors
    if not model.schedule_tables:
        return []
    adjusts = allocation.adjusts
    actions: list[str] = []
    steps: list[str] = []
    number = 0
    for cursor in cursors:
        where, lines_of_cursor = _where(allocation, cursor), []
        actions.append(f"/* {where} */")
        for step in cursor.steps:
            lines_of_cursor.append(_step(step, number, adjusts))
            actions += [_action(allocation, action, step) for action in step.actions]
            number += len(step.actions)
        steps += [f"/* {where}. */", *text.array("struct carillon_osek_step", _name(cursor), lines_of_cursor)]
    lines: list[str] = []
    if cursors:
        lines += [*text.table("const struct carillon_osek_point_action carillon_osek_point_actions[]", actions), *steps]
        rows = [
            f"{{{_name(it)}, CARILLON_COUNT({_name(it)}), {it.part}u, {model.schedule_tables.index(it.table)}u}},"
            for it in cursors
        ]
        lines += text.table("const struct carillon_osek_cursor carillon_osek_cursors[]", rows)
    rows = [line for table in model.schedule_tables for line in _table(allocation, table)]
    return lines + text.table("const struct carillon_osek_schedule_table carillon_osek_schedule_tables[]", rows)


def tables_on_cells(osek: OsekImage) -> list[str]:
    """The cells of schedule tables, and the stores that start and stop the cells."""
    if not osek.tables:
        return []
    lines: list[str] = []
    rows: list[str] = []
    stops: list[str] = []
    ends = any(image.end is not None for image in osek.tables)
    on_cells = {image.table.name: image for image in osek.tables}
    for table in osek.allocation.osek.schedule_tables:
        image = on_cells.get(table.name)
        if image is None:
            rows.append(f"NULL, /* {table.name} stands in the queue of {table.counter} */")
            stops.append("{0u, 0u},")
        else:
            lines += _cells(image) + _on_cells(image, ends)
            rows.append(f"&carillon_table_{table.name},")
            if image.restarts:
                stops.append(f"{text.store(image.together('STOP_TOGETHER', (c for _, c in image.cells)))}, /* {table.name} */")
    if any(image.restarts for image in osek.tables):
        lines += text.table("const struct carillon_store carillon_osek_table_stops[]", stops)[:-1]
    for moved in [image for image in osek.tables if image.moves][:1]:
        lines.append(f"const struct carillon_store carillon_osek_table_move = {text.store(Store('MOVE', moved.cells[0][1]))};")
    return lines + text.table("const struct carillon_osek_table_on_cells *const carillon_osek_tables_on_cells[]", rows)


def _cells(image: TableImage) -> list[str]:
    """The lists of a table on cells."""
    stem = f"carillon_table_{image.table.name}"
    where = f"Schedule table {image.table.name} ({text.place(image.table.span)})"
    lines = [f"/* {where} on cells: each is its task's vector, or has its level. */"]
    shifts: list[str] = []
    rows: list[str] = []
    for series, cell in image.cells:
        points = [(p.offset, p.span.line) for p in image.table.points if p.offset in series.offsets]
        points = points if series.action is not None else [(series.offsets.start, image.table.span.line)]
        at, lines_of = (", ".join(str(x) for x in every) for every in zip(*points, strict=True))
        label = series.action.object if series.action else f"its {'adjustment' if series.adjusts else series.part}"
        first = f"{cell.first}u - CARILLON_PORT_SINCE_READ"
        shift = text.macro(cell, "ALIGN", cell.number, first, cell.period)
        shift = f"{{{text.macro(cell, 'FIRST', cell.number)}, {cell.first}u}}" if image.sets else shift
        shifts.append(f"{shift}, /* {cell.use.cell.name} */")
        rows.append(f"{{{cell.first}u, {cell.period}u, {cell.carrier.source}u}}, /* {label} at {at} (line {lines_of}) */")
    lines += text.array("struct carillon_shift", f"{stem}_shifts", shifts)
    lines += text.array("struct carillon_osek_table_cell", f"{stem}_cells", rows)
    if not image.restarts:
        cells = [cell for _, cell in image.cells]
        prepare = [text.macro(c, "PREPARE", c.number, c.period, c.period, c.use.prescaler) + "," for c in cells]
        lines += text.array("struct carillon_store", f"{stem}_prepare", prepare)
        lines += text.array("struct carillon_store", f"{stem}_stop", [text.macro(c, "STOP", c.number) + "," for c in cells])
    if image.adjusts is not None:
        moves = [f"{text.macro(cell, 'SYNC', cell.number)}, /* {cell.use.cell.name} */" for _, cell in image.cells]
        lines += text.array("struct carillon_shift", f"{stem}_moves", moves)
    if image.sets:
        starts = [text.macro(cell, "START", cell.number) + "," for _, cell in image.cells]
        lines += text.array("struct carillon_store", f"{stem}_starts", starts)
    return [*lines, ""]


def _on_cells(image: TableImage, ends: bool) -> list[str]:
    """The entry of a table on cells; ``ends``: some have cells at their ends."""
    stem = f"carillon_table_{image.table.name}"
    cell = image.cells[0][1]
    fields = {"starts": f"{stem}_starts"}
    if not image.sets:
        starts = "RESTART" if image.restarts else "START"
        fields = {"start": text.store(image.together(starts, (c for _, c in image.cells)))}
    for name in ("prepare", "stop") if not image.restarts else ():
        fields |= text.counted(name, f"{stem}_{name}")
    fields |= {"shifts": f"{stem}_shifts", "cells": f"{stem}_cells", "count": f"CARILLON_COUNT({stem}_cells)"}
    fields["first"] = f"{cell.first}u"
    fields |= {"tick": f"{image.counter.tick}u", "turn": f"{image.counter.tick * (image.counter.max_allowed + 1)}u"}
    if ends:
        fields |= _end(image)
    fields |= _adjusts(image)
    rows = [f".{name} = {value}," for name, value in fields.items()]
    return text.table(f"static const struct carillon_osek_table_on_cells {stem}", rows)


def _end(image: TableImage) -> dict[str, str]:
    """The fields that serve the table's end; none for a table without a cell for its end."""
    end, early, table = image.end, image.early, image.table
    if end is None:
        return {}
    counter = text.macro(end, "COUNTER", end.number)
    fields = {"ends_at": counter, "again": f"{end.period}u", "ends_by": f"{end.carrier.source}u"}
    if not early:
        return fields
    fields |= {"early": f"{len(early)}u", "rest": f"{(table.duration - table.half) * image.counter.tick}u"}
    fields["resume"] = text.store(image.together("RESTART" if image.restarts else "START", early))
    return fields | ({"hold": text.store(image.together("STOP_TOGETHER", early))} if image.restarts else {})


def _adjusts(image: TableImage) -> dict[str, str]:
    """The fields that keep the table with the global time; none for a table that is not synchronised explicitly."""
    cell, points = image.adjusts, image.table.points
    if cell is None:
        return {}
    return {
        "adjusts_by": f"{cell.carrier.source}u",
        "moves": f"carillon_table_{image.table.name}_moves",
        "latest": f"{image.latest}u",
        "last": f"{points[-1].offset}u",
        "max_lengthen": f"{points[0].max_lengthen}u",
        "max_shorten": f"{points[0].max_shorten}u",
    }


def _name(cursor: Cursor) -> str:
    return f"carillon_steps_{cursor.table.name}_{cursor.part}"


def _where(allocation: OsekAllocation, cursor: Cursor) -> str:
    part = next((p for p in allocation.counters if p.part == cursor.part), None)
    level = f", at level {part.level}" if part is not None and part.task_level else ""
    return f"Schedule table {cursor.table.name} ({text.place(cursor.table.span)}){level}"


def _step(step: Step, first: int, adjusts: bool) -> str:
    numbers = [step.delay, first if step.actions else 0, len(step.actions)]
    numbers += [step.offset & 0xFFFF_FFFF, step.max_lengthen, step.max_shorten] if adjusts else []
    what = text.place(step.span) if step.span is not None else "its end"
    at = f"at {step.offset}, {what}" if step.span is not None or step.offset else what
    return f"{{{', '.join(f'{n}u' for n in numbers)}}}, /* {at} */"


def _action(allocation: OsekAllocation, action: AlarmAction, step: Step) -> str:
    model = allocation.osek
    task = [t.name for t in model.tasks].index(action.object)
    operand = ""
    label = action.object
    if isinstance(action, SetEvent):
        operand = f"{{.carillon_event = {model.event(action.event).mask:#x}u}}"
        label = f"{action.event} of {action.object}"
    fields = [f".operand = {operand}"] if operand else []
    fields += [f".action = {text.action(of(action))}", f".object = {task}"]
    return f"{{{', '.join(fields)}}}, /* at {step.offset}: {label} */"


def _table(allocation: OsekAllocation, table: ScheduleTable) -> list[str]:
    model = allocation.osek
    cursor_numbers = [n for n, cursor in enumerate(allocation.cursors) if cursor.table is table]
    fields: dict[str, object] = {
        "duration": f"{table.duration & 0xFFFF_FFFF}u",
        "initial": f"{table.initial_offset}u",
        "precision": f"{table.precision}u",
        "first": cursor_numbers[0] if cursor_numbers else 0,
        "cursors": len(cursor_numbers),
        "counter": [c.name for c in model.counters].index(table.counter),
        "repeating": int(table.repeating),
        "sync": f"CARILLON_OSEK_SYNC_{table.sync.name}",
    }
    if table.autostart is not None:
        start = table.autostart
        fields |= {
            "autostart": text.mode_mask(model, start.modes),
            "at": f"{start.at}u",
            "start": f"CARILLON_OSEK_START_{TableStart(start.kind).name}",
        }
    if allocation.has_lone_parts(table):
        fields["lone"] = 1
    return text.fields(f"{table.name}, {text.place(table.span)}", fields)
