# SPDX-License-Identifier: Apache-2.0
"""The handlers of event-triggered cells, and the functions by which services act in place of the handlers."""

from __future__ import annotations

from collections.abc import Iterable

from carillon import c_names
from carillon.allocate.result import Carrier
from carillon.emit import text
from carillon.image import CellImage, EventCall, EventHandler, OsekImage, Value


def handlers(osek: OsekImage) -> list[str]:
    """The handlers of the cells, and what serves the cells of levels."""
    lines = [line for handler in osek.handlers for line in _handler(handler)]
    if osek.tick_frame is not None:
        cell, totals = osek.tick_frame.cell, osek.tick_frame.totals
        what = f"{cell.carrier.source}, carillon_time_due, carillon_clock_queue.head.time"
        frame = f"CARILLON_COUNTED_TICK_FRAME({what}, carillon_time_ticks)" if totals else f"CARILLON_TICK_FRAME({what})"
        lines += [f"/* {cell.use.cell.name}: {cell.carrier.demand.name}, {_at(cell)}. */", frame, ""]
    return lines + _slices(osek) + _serve_cells(osek)


def _slices(osek: OsekImage) -> list[str]:
    """What enables and disables the interrupt that ends slices; what its cell has asked for before is forgotten."""
    slices = osek.allocation.slices
    if slices is None or not osek.slices_rest:
        return []
    request = f"({slices.source}u, CARILLON_SOURCE_BIT({slices.source}u));"
    enables = [*text.acknowledging(osek.cell(slices)), f"    carillon_port_arm{request}"]
    return [
        *text.function("carillon_slices_enable", enables, "Somebody waits for a turn that another has."),
        "",
        *text.function("carillon_slices_disable", [f"    carillon_port_disarm{request}"]),
        "",
    ]


def _asks(parts: Iterable[tuple[int, int]], left: str) -> list[str]:
    """Ask parts of a counter's queue, by their numbers and sources, whether anything in them is due at a reading of the base."""
    return [f"carillon_osek_ask_part({number}u, {source}u, {left});" for number, source in parts]


def _handler(handler: EventHandler) -> list[str]:
    """A handler of one cell, of several cells on one source, or of a source that another handler requests."""
    comments = [f"/* And {cell.use.cell.name}. */" for cell in handler.also]
    body = ["    const carillon_base left = carillon_base_left();"] if handler.requests else []
    body += [f"    {ask}" for ask in _asks(handler.requests, "left")]
    cells = [call.cell for call in handler.calls if call.cell is not None]
    if len(cells) > 1:
        comments += [f"/* {cell.use.cell.name}: alarm {cell.carrier.demand.name}, {_at(cell)}. */" for cell in cells]
        for cell, call in zip(cells, handler.calls, strict=True):
            does = [f"    {line}" for line in (*text.acknowledging(cell), *_statements(call))]
            body += [f"    if ({cell.family.name}_asks({cell.number})) {{", *does, "    }"]
        return [*comments, *text.function(handler.name, _paused(handler.pauses, body)), ""]
    body = _paused(handler.pauses, [*body, *(line for call in handler.calls for line in _statements(call))])
    first = cells[0] if cells else None
    comment = f"{first.use.cell.name}: {first.carrier.demand.name}, {_at(first)}." if first else f"Requested by {handler.by}."
    body = [*(text.acknowledging(first) if first else []), *body]
    return [*comments, *text.function(handler.name, body, comment, "const void *frame" if handler.vector else "void"), ""]


def _at(cell: CellImage) -> str:
    """When a cell expires, and where that is written."""
    use = cell.use.progression
    return f"at {use.offset} + k * {use.period} ({text.place(cell.carrier.demand.span)})"


def _said(values: Iterable[Value]) -> str:
    return ", ".join(text.value(value) for value in values)


def _statements(call: EventCall) -> list[str]:
    """The statements of a call."""
    if call.runs is None:
        return [f"    {call.function}({_said(call.arguments)});"]
    if not call.runs:
        return [f"    (void){call.function}({_said(call.arguments)}, false);"]
    return [f"    if ({call.function}({_said(call.arguments)}, true)) {{", f"        {c_names.level(call.runs)}();", "    }"]


def _taken_back(carrier: Carrier, cell: CellImage | None, indent: str) -> list[str]:
    """The statements that withdraw the request of a source, and of its cell."""
    lines = [*(text.acknowledging(cell) if cell is not None else [])]
    lines += [f"    carillon_port_forget({carrier.source}u, CARILLON_SOURCE_BIT({carrier.source}u));"]
    return [indent + line for line in lines]


def _serve_cells(osek: OsekImage) -> list[str]:
    """The functions that serve the cells of a level before the cells' handlers can."""
    lines: list[str] = []
    for served in osek.served:
        lines += [f"/* The cells of level {served.level}: what their handlers would do is done. */"]
        lines += [f"void {c_names.cells(served.level)}(void)", "{"]
        if served.counter is not None:
            number, carrier = served.counter.part, served.counter
            own = [(part.part, part.source) for part in osek.allocation.requested(carrier)]
            lines += [
                f"    if (carillon_osek_counter_rests({number}u)) {{ /* {carrier.demand.name} */",
                f"        if (carillon_port_is_pending({carrier.source}u)) {{",
                *_taken_back(carrier, osek.cell(carrier) if carrier.cells else None, "        "),
                *(f"            {ask}" for ask in _asks(own, "carillon_base_left()")),
                "        }",
                f"        carillon_osek_serve_counter({number}u);",
                "    }",
            ]
        for call in served.cells:
            assert call.cell is not None
            carrier = call.cell.carrier
            lines += [
                f"    if ({call.function}_waits({_said(call.asks)})) {{ /* {carrier.demand.name} */",
                *_taken_back(carrier, call.cell, "    "),
                f"        {call.function}_early({_said(call.arguments)});",
                "    }",
            ]
        lines += ["}", ""]
    return lines


def _paused(pauses: bool, body: list[str]) -> list[str]:
    """The statements of a handler; the budget of the interrupted task stands still meanwhile."""
    if not pauses:
        return body
    return ["    const carillon_budget_rest budget = carillon_pause_budget();", *body, "    carillon_resume_budget(budget);"]
