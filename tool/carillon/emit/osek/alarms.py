# SPDX-License-Identifier: Apache-2.0
"""Tables of counters and alarms, and the handlers of their cells."""

from __future__ import annotations

from carillon.actions.every import of
from carillon.allocate.osek import AlarmCell, OsekAllocation, TableCell
from carillon.allocate.result import Carrier
from carillon.emit import text
from carillon.image import CellImage, LevelCell, OsekImage, names
from carillon.image.osek import level_cell
from carillon.model.osek import Alarm, CounterKind, SetEvent


def alarms(osek: OsekImage) -> list[str]:
    """Counters, alarms, and the handlers of their cells."""
    allocation = osek.allocation
    model = allocation.osek
    lines: list[str] = []
    if model.counters:
        rows = []
        leveled = {part.number for part in allocation.counters if part.level}
        for part_number, c in enumerate(allocation.parts):
            software = int(c.kind is CounterKind.SOFTWARE)
            set_anew = int(allocation.is_advanced(c))
            numbers = [c.max_allowed, c.ticks_per_base, c.min_cycle, allocation.base_units(c)]
            own = int(part_number in leveled)
            rows.append(f"{{{', '.join(f'{n}u' for n in numbers)}, {software}, {set_anew}, {own}}}, /* {c.name} */")
        lines += text.table("const struct carillon_osek_counter carillon_osek_counters[]", rows)
    carried = {a.alarm.name: a for a in allocation.alarms}
    for name, alarm_cell in carried.items():
        cell = osek.cell(alarm_cell.carrier)
        stop = f"carillon_alarm_{name}_stop"
        tick = cell.use.units(model.counter(alarm_cell.alarm.counter).tick)
        row = [f"{text.macro(cell, 'COUNTER', cell.number)},", f"{tick}u,", f"{stop},", f"CARILLON_COUNT({stop}),"]
        lines.append(f"/* Alarm {name} on {cell.use.cell.name}. */")
        lines += text.array("struct carillon_store", stop, [f"{text.macro(cell, 'STOP', cell.number)},"])[:-1]
        lines += text.table(f"static const struct carillon_osek_cell carillon_alarm_{name}_cell", row)
    if model.alarms:
        rows = [line for alarm in model.alarms for line in _alarm(allocation, alarm, alarm.name in carried)]
        lines += text.table("const struct carillon_osek_alarm carillon_osek_alarms[]", rows)
    for part in allocation.counters:
        only = allocation.only_alarm(part)
        alarm_number = f"{model.alarms.index(only)}u" if only is not None else "CARILLON_OSEK_NO_ALARM"
        handler = "carillon_osek_level_tick" if part.level else "carillon_osek_tick_over"
        requested = allocation.requested(part)
        ticks = ["    const carillon_base left = carillon_base_left();"] if requested else []
        ticks += [f"    carillon_osek_ask_part({p.number}u, {p.carrier.source}u, left);" for p in requested]
        ticks += [f"    {handler}({part.number}u, {alarm_number});"]
        name = names.part(allocation, part)
        if part.carrier.cells:
            lines += _cell_handler(name, osek.cell(part.carrier), *paused(allocation, ticks))
        else:
            first = names.part(allocation, allocation.first_part(part))
            lines += [*text.function(name, paused(allocation, ticks), f"Requested by {first}."), ""]
    for alarm_cell in allocation.alarms:
        if not alarm_cell.direct and alarm_cell.carrier.source not in allocation.joined:
            cell = osek.cell(alarm_cell.carrier)
            number = model.alarms.index(alarm_cell.alarm)
            name = names.alarm(allocation, alarm_cell)
            expired = [f"    carillon_osek_alarm_expired({number}u);"]
            does = _level_handler(level_cell(osek, alarm_cell)) if alarm_cell.level else expired
            lines += _cell_handler(name, cell, *paused(allocation, does))
    for cells in allocation.joined.values():
        lines += _joined(osek, cells)
    for name, (it, *more) in _named(allocation.handled).items():
        lines += [f"/* And {osek.cell(other.carrier).use.cell.name}. */" for other in more]
        number = model.schedule_tables.index(it.table)
        which = "end" if it.offsets.start == it.table.duration else "half"
        does = [f"    carillon_osek_{which}_table({number}u);"] if it.action is None else _level_handler(level_cell(osek, it))
        lines += _cell_handler(name, osek.cell(it.carrier), *does)
    return lines + _serve_cells(osek)


def _joined(osek: OsekImage, own: list[AlarmCell]) -> list[str]:
    """The handler of cells that have one source: it asks each, the highest task's first, and serves all that have expired.

    One that expires when it has been asked goes on asking, and the source with it: the handler is entered again.
    """
    allocation = osek.allocation
    name = names.alarm(allocation, own[0])
    lines: list[str] = []
    body: list[str] = []
    for it in own:
        cell = osek.cell(it.carrier)
        lines += [f"/* {cell.use.cell.name}: alarm {it.alarm.name}, {_at(cell)}. */"]
        number = allocation.osek.alarms.index(it.alarm)
        body += [f"    if ({cell.family.name}_asks({cell.number})) {{", *(f"    {line}" for line in text.acknowledging(cell))]
        body += [f"        carillon_osek_alarm_expired({number}u);", "    }"]
    return [*lines, *text.function(name, paused(allocation, body)), ""]


def _at(cell: CellImage) -> str:
    """When a cell expires, and where that is written."""
    use = cell.use.progression
    return f"at {use.offset} + k * {use.period} ({text.place(cell.carrier.demand.span)})"


def _named(cells: tuple[TableCell, ...]) -> dict[str, list[TableCell]]:
    """By the name of their handler, cells of schedule tables."""
    found: dict[str, list[TableCell]] = {}
    for it in cells:
        found.setdefault(names.point(it), []).append(it)
    return found


def _level_does(it: LevelCell) -> tuple[str, str]:
    """What begins the names of the kernel's functions for a cell, and what they are called with."""
    if it.action is None:
        return "carillon_osek_level_alarm", f"{it.number}u"
    return "carillon_osek_level_point", f"{text.action(it.action)}, {it.number}u, {it.event:#x}u"


def _level_handler(it: LevelCell) -> list[str]:
    """The statements of the handler of a cell that has its task's level."""
    acts, what = _level_does(it)
    if not it.runs:
        return [f"    (void){acts}({what}, false);"]
    return [f"    if ({acts}({what}, true)) {{", f"        carillon_level_{it.runs}();", "    }"]


def _taken_back(carrier: Carrier, cell: CellImage | None, indent: str) -> list[str]:
    """The statements that take back what a source, and its cell, have asked for."""
    lines = [*(text.acknowledging(cell) if cell is not None else [])]
    lines += [f"    carillon_port_forget({carrier.source}u, CARILLON_SOURCE_BIT({carrier.source}u));"]
    return [indent + line for line in lines]


def _serve_cells(osek: OsekImage) -> list[str]:
    """What serves the cells of a level before their handlers do."""
    lines: list[str] = []
    for served in osek.served:
        lines += [f"/* The cells of level {served.level}: what their handlers would do is done. */"]
        lines += [f"void carillon_cells_{served.level}(void)", "{"]
        if served.counter is not None:
            number, carrier = served.counter.number, served.counter.carrier
            lines += [
                f"    if (carillon_osek_counter_rests({number}u)) {{ /* {served.counter.counter.name} */",
                f"        if (carillon_port_is_pending({carrier.source}u)) {{",
                *_taken_back(carrier, osek.cell(carrier) if carrier.cells else None, "        "),
                "        }",
                f"        carillon_osek_serve_counter({number}u);",
                "    }",
            ]
        for it in served.cells:
            acts, what = _level_does(it)
            carrier = it.cell.carrier
            asked = f"{carrier.source}u" if it.action is not None else f"{what}, {carrier.source}u"
            lines += [
                f"    if ({acts}_waits({asked})) {{ /* {carrier.demand.asker} */",
                *_taken_back(carrier, it.cell, "    "),
                f"        {acts}_early({what});",
                "    }",
            ]
        lines += ["}", ""]
    return lines


def paused(allocation: OsekAllocation, body: list[str]) -> list[str]:
    """The statements of a handler, which take nothing from the budget of the task that it interrupts."""
    if allocation.budgets is None:
        return body
    return ["    const carillon_budget_rest budget = carillon_pause_budget();", *body, "    carillon_resume_budget(budget);"]


def _cell_handler(name: str, cell: CellImage, *body: str) -> list[str]:
    return [*text.function(name, [*text.acknowledging(cell), *body], f"{cell.use.cell.name}, {_at(cell)}."), ""]


def _alarm(allocation: OsekAllocation, alarm: Alarm, on_cell: bool) -> list[str]:
    model = allocation.osek
    counters = [c.name for c in model.counters]
    numbers = {"counter": counters, "task": [t.name for t in model.tasks]}
    what = alarm.action
    fields: dict[str, object] = {"counter": allocation.part_of(alarm.counter, what), "action": text.action(of(what))}
    if what.subject in numbers:
        fields["object"] = numbers[what.subject].index(what.object)
    else:
        fields["operand.function"] = f"carillon_callback_{what.object}"
    if isinstance(what, SetEvent):
        fields["operand.carillon_event"] = f"{model.event(what.event).mask:#x}u"
    if on_cell:
        fields["cell"] = f"&carillon_alarm_{alarm.name}_cell"
    if alarm.autostart is not None:
        start = alarm.autostart
        fields |= {
            "autostart": text.mode_mask(model, start.modes),
            "start": f"{start.time}u",
            "cycle": f"{start.cycle}u",
            "absolute": int(start.absolute),
        }
    return text.fields(f"{alarm.name}, {text.place(alarm.span)}", fields)
