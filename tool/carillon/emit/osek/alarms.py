# SPDX-License-Identifier: Apache-2.0
"""Tables of counters and alarms, and the handlers of their cells."""

from __future__ import annotations

from collections.abc import Iterable

from carillon.actions.every import of
from carillon.allocate.osek import OsekAllocation
from carillon.allocate.result import Carrier
from carillon.emit import text
from carillon.image import CellImage, EventCall, EventHandler, OsekImage, Value
from carillon.model.osek import Alarm, CounterKind, SetEvent


def alarms(osek: OsekImage) -> list[str]:
    """Counters, alarms, and the handlers of their cells."""
    allocation = osek.allocation
    model = allocation.osek
    lines: list[str] = []
    if model.counters:
        rows = []
        leveled = {part.part for part in allocation.counters if part.task_level}
        for part_number, c in enumerate(allocation.parts):
            software = int(c.kind is CounterKind.SOFTWARE)
            set_anew = int(allocation.is_advanced(c))
            numbers = [c.max_allowed, c.ticks_per_base, c.min_cycle, allocation.base_units(c.name)]
            own = int(part_number in leveled)
            rows.append(f"{{{', '.join(f'{n}u' for n in numbers)}, {software}, {set_anew}, {own}}}, /* {c.name} */")
        lines += text.table("const struct carillon_osek_counter carillon_osek_counters[]", rows)
    for alarm, carrier in allocation.alarms:
        cell, name = osek.cell(carrier), alarm.name
        stop = f"carillon_alarm_{name}_stop"
        tick = cell.use.units(model.counter(alarm.counter).tick)
        row = [f"{text.macro(cell, 'COUNTER', cell.number)},", f"{tick}u,", f"{stop},", f"CARILLON_COUNT({stop}),"]
        lines.append(f"/* Alarm {name} on {cell.use.cell.name}. */")
        lines += text.array("struct carillon_store", stop, [f"{text.macro(cell, 'STOP', cell.number)},"])[:-1]
        lines += text.table(f"static const struct carillon_osek_cell carillon_alarm_{name}_cell", row)
    if model.alarms:
        carried = [alarm for alarm, _ in allocation.alarms]
        rows = [line for alarm in model.alarms for line in _alarm(allocation, alarm, alarm in carried)]
        lines += text.table("const struct carillon_osek_alarm carillon_osek_alarms[]", rows)
    for handler in osek.handlers:
        lines += _handler(handler)
    return lines + _serve_cells(osek)


def _handler(it: EventHandler) -> list[str]:
    """A handler of cells, of which several have one source, or of a source that another handler requests."""
    comments = [f"/* And {cell.use.cell.name}. */" for cell in it.also]
    body = ["    const carillon_base left = carillon_base_left();"] if it.requests else []
    body += [f"    carillon_osek_ask_part({number}u, {source}u, left);" for number, source in it.requests]
    cells = [call.cell for call in it.calls if call.cell is not None]
    if len(cells) > 1:
        comments += [f"/* {cell.use.cell.name}: alarm {cell.carrier.demand.name}, {_at(cell)}. */" for cell in cells]
        for cell, call in zip(cells, it.calls, strict=True):
            does = [f"    {line}" for line in (*text.acknowledging(cell), *_statements(call))]
            body += [f"    if ({cell.family.name}_asks({cell.number})) {{", *does, "    }"]
        return [*comments, *text.function(it.name, paused(it.pauses, body)), ""]
    body = paused(it.pauses, [*body, *_statements(it.calls[0])])
    comment = f"{cells[0].use.cell.name}, {_at(cells[0])}." if cells else f"Requested by {it.by}."
    first = text.acknowledging(cells[0]) if cells else []
    return [*comments, *text.function(it.name, [*first, *body], comment), ""]


def _at(cell: CellImage) -> str:
    """When a cell expires, and where that is written."""
    use = cell.use.progression
    return f"at {use.offset} + k * {use.period} ({text.place(cell.carrier.demand.span)})"


def _said(values: Iterable[Value]) -> str:
    return ", ".join(text.value(value) for value in values)


def _statements(it: EventCall) -> list[str]:
    """The statements of a call."""
    if it.runs is None:
        return [f"    {it.function}({_said(it.arguments)});"]
    if not it.runs:
        return [f"    (void){it.function}({_said(it.arguments)}, false);"]
    return [f"    if ({it.function}({_said(it.arguments)}, true)) {{", f"        carillon_level_{it.runs}();", "    }"]


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
            number, carrier = served.counter.part, served.counter
            lines += [
                f"    if (carillon_osek_counter_rests({number}u)) {{ /* {carrier.demand.name} */",
                f"        if (carillon_port_is_pending({carrier.source}u)) {{",
                *_taken_back(carrier, osek.cell(carrier) if carrier.cells else None, "        "),
                "        }",
                f"        carillon_osek_serve_counter({number}u);",
                "    }",
            ]
        for it in served.cells:
            assert it.cell is not None
            carrier = it.cell.carrier
            lines += [
                f"    if ({it.function}_waits({_said(it.asks)})) {{ /* {carrier.demand.name} */",
                *_taken_back(carrier, it.cell, "    "),
                f"        {it.function}_early({_said(it.arguments)});",
                "    }",
            ]
        lines += ["}", ""]
    return lines


def paused(pauses: bool, body: list[str]) -> list[str]:
    """The statements of a handler, which may take nothing from the budget of the task that it interrupts."""
    if not pauses:
        return body
    return ["    const carillon_budget_rest budget = carillon_pause_budget();", *body, "    carillon_resume_budget(budget);"]


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
