# SPDX-License-Identifier: Apache-2.0
"""``vectors.c``: the handlers that need code, and each mode's vector table.

A vector is the task's function itself unless something must be done around it: deadlines armed, a
multiplexed cell moved on, a request acknowledged, the execution priority lowered.
"""

from __future__ import annotations

from carillon.allocate.result import Carrier, Style
from carillon.emit import clock, osek, text
from carillon.emit.image import CellImage, Image, ModeImage
from carillon.emit.tables import disarmed
from carillon.model.board import Role


def _operation(cell: CellImage, name: str, argument: object) -> str:
    return f"    {cell.family.name}_{name}({argument});"


def _multiplex(image: Image, mode: ModeImage, cell: CellImage) -> str:
    return "&" + text.multiplex(image, mode, cell)


def _cells_of(mode: ModeImage, carrier: Carrier) -> list[CellImage]:
    return [cell for cell in mode.cells if cell.carrier is carrier]


def _acknowledge(cells: list[CellImage]) -> list[str]:
    return [_operation(c, "acknowledge", c.number) for c in cells if c.use.cell.array.acknowledge]


def _deadline_cells(mode: ModeImage, task: str) -> list[CellImage]:
    return [c for c in mode.cells if c.carrier.role is Role.DEADLINE and c.carrier.demand.object == task]


def _arming(image: Image, cells: list[CellImage], operation: str) -> list[str]:
    """Statements that arm or disarm direct deadline cells: one for each request register, or one for each cell."""
    held = [c for c in cells if disarmed(c)]
    by_controller = [c.carrier.source for c in held if c.use.cell.array.request_enable == "controller"]
    lines = [f"    carillon_port_{operation}({s}, {bits});" for s, bits in text.masks(image.system.board, by_controller)]
    return lines + [_operation(c, operation, c.number) for c in held if c.use.cell.array.request_enable == "cell"]


def _activation(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    """The body of a task's handler; empty if the vector can be the task's function."""
    cells = _cells_of(mode, carrier)
    task = image.system.task(carrier.demand.object)
    deadlines = _deadline_cells(mode, task.name)
    before = _acknowledge(cells)
    before += [_operation(c, "rearm", _multiplex(image, mode, c)) for c in cells if carrier.style is Style.MULTIPLEXED]
    before += _arming(image, deadlines, "arm")
    after = _arming(image, deadlines, "disarm")
    for cell in deadlines:
        if cell.carrier.style is Style.MULTIPLEXED:
            after.append(_operation(cell, "postpone", _multiplex(image, mode, cell)))
    if not before and not after and not carrier.lowered:
        return []
    if image.system.board.nesting == "time":  # nothing but this keeps a task from being entered again while it runs
        source, bit = carrier.source, f"CARILLON_SOURCE_BIT({carrier.source})"
        before.insert(0, f"    carillon_port_hold({source}, {bit});")
        after.append(f"    carillon_port_enable({source}, {bit});")
    call = f"    carillon_port_run_lowered({task.entry});" if carrier.lowered else f"    {task.entry}();"
    if carrier.lowered:
        before, after = _lowered(image, carrier, before, after)
    return [*before, call, *after]


def _lowered(image: Image, carrier: Carrier, before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """What keeps a lowered task from being started again while it runs: its exception has ended, its run has not.

    A source that the controller can hold back waits.  One that it cannot is turned away: the activation is lost, as
    it would be if one waited already.
    """
    several = len(image.modes) > 1
    count = ["    carillon_lowered_tasks++;"] if several else []
    discount = ["    carillon_lowered_tasks--;"] if several else []
    source, bit = carrier.source, f"CARILLON_SOURCE_BIT({carrier.source})"
    if text.controlled(image.system.board, source):
        hold, release = [f"    carillon_port_hold({source}, {bit});"], [f"    carillon_port_enable({source}, {bit});"]
    else:
        hold = [
            "    static volatile uint8_t running;",
            "    if (running != 0u) {",
            "        return;",
            "    }",
            "    running = 1u;",
        ]
        release = ["    running = 0u;"]
    return [*hold, *before, *count], [*discount, *after, *release]


def _deadline(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    cells = _cells_of(mode, carrier)
    return [*_acknowledge(cells), f"    carillon_deadline_missed({text.task_number(image, carrier.demand.object)}u);"]


def _enable(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    cells = _cells_of(mode, carrier)
    lines = _acknowledge(cells)
    lines += [_operation(c, "rearm", _multiplex(image, mode, c)) for c in cells if carrier.style is Style.MULTIPLEXED]
    source = image.system.interrupt(carrier.demand.object).source
    return [*lines, f"    carillon_port_enable({source}, CARILLON_SOURCE_BIT({source}));"]


def _control(mode: ModeImage, carrier: Carrier) -> list[str]:
    return [*_acknowledge(_cells_of(mode, carrier)), "    carillon_control();"]


def _system_timer(mode: ModeImage, carrier: Carrier) -> list[str]:
    cell = _cells_of(mode, carrier)[0]
    return [
        *_acknowledge([cell]),
        "    const struct carillon_entry *const entry = (const struct carillon_entry *)carillon_system.next;",
        _operation(cell, "rearm", "&carillon_system"),
        "    carillon_conventional_dispatch(entry);",
    ]


def _comment(mode: ModeImage, carrier: Carrier) -> list[str]:
    cells = _cells_of(mode, carrier)
    names = ", ".join(c.use.cell.name for c in cells)
    how = "multiplexed on" if carrier.style is Style.MULTIPLEXED else "carried by"
    lowered = ", lowered to the priority of what it preempts" if carrier.lowered else ""
    points = text.times(carrier, mode.allocation.mode.round_length)
    return [
        f"/* {carrier.role.value} of {carrier.demand.object} at {points} ({text.place(carrier.demand.span)}),",
        f" * {how} {names} (source {carrier.source}, level {carrier.level}{lowered}). */",
    ]


def _body(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    if carrier.role is Role.ACTIVATION:
        return _activation(image, mode, carrier)
    if carrier.role is Role.DEADLINE:
        return _deadline(image, mode, carrier)
    if carrier.role is Role.ENABLE:
        return _enable(image, mode, carrier)
    return _control(mode, carrier) if carrier.role is Role.CONTROL else _system_timer(mode, carrier)


def handlers(image: Image, mode: ModeImage) -> dict[int, str]:
    """The vector of every source that the mode uses: source -> C function."""
    return _handlers(image)[0][image.modes.index(mode)]


def _handlers(image: Image) -> tuple[list[dict[int, str]], list[str]]:
    """The vectors of each mode, and the C of all handlers; handlers that do the same are one."""
    vectors: list[dict[int, str]] = []
    lines: list[str] = []
    bodies: dict[tuple[str, ...], str] = {}
    used: set[str] = set()
    for mode in image.modes:
        names: dict[int, str] = {}
        for carrier in mode.allocation.carriers:
            body = _body(image, mode, carrier)
            if not body:
                names[carrier.source] = image.system.task(carrier.demand.object).entry
                continue
            name = bodies.get(tuple(body))
            if name is None:
                stem = text.symbol(image, mode, carrier.demand.object, carrier.role)
                name, k = stem, 2
                while name in used:
                    name, k = f"{stem}_{k}", k + 1
                used.add(name)
                bodies[tuple(body)] = name
                nested = carrier.role is Role.ACTIVATION
                lines += [*_comment(mode, carrier), _declaration(image, name, nested), f"void {name}(void)", "{", *body, "}", ""]
            names[carrier.source] = name
        for interrupt in image.system.interrupts:
            names[interrupt.source] = f"carillon_interrupt_{interrupt.name}" if interrupt.reenabled else interrupt.handler
        vectors.append(names)
    return vectors, lines


def _declaration(image: Image, name: str, nested: bool = False) -> str:
    """What makes a function a handler; ``nested``: others may preempt it."""
    if image.system.board.vectors == "table":
        return f"void {name}(void);"
    return f"{'CARILLON_NESTED_HANDLER' if nested else 'CARILLON_HANDLER'}({name});"


def direct(image: Image) -> dict[str, bool]:
    """The application's functions that are vectors themselves, and whether others may preempt them."""
    tasks = {t.entry for t in image.system.tasks}
    used = {function for names in _handlers(image)[0] for function in names.values()}
    result = dict.fromkeys(sorted(used & tasks), True)
    return result | {i.handler: False for i in image.system.interrupts if i.handler in used}


def names(image: Image) -> str:
    """Names for the linker: functions of the application whose symbols are those of handlers have their own too."""
    lines = [text.head(image, "The application's own names for its handlers."), ""]
    return "\n".join([*lines, *(f"{function} = {text.HANDLER}{function};" for function in direct(image)), ""])


def _table(image: Image, name: str, kind: str, comment: str, functions: dict[int, str]) -> list[str]:
    """A vector table: of addresses, or where vectors are code, of jumps."""
    board = image.system.board
    listed = [(s, functions.get(s, "carillon_port_unexpected")) for s in range(board.system_vectors, board.sources)]
    declaration = f"extern const carillon_vector {name}_vectors[];{comment}"
    if board.vectors == "code":
        jumps = [f"        CARILLON_VECTOR({function}) /* {s} */" for s, function in listed]
        begin = f"__asm__(CARILLON_VECTORS_BEGIN({name}_vectors)"
        return [declaration, begin, *jumps, "        CARILLON_VECTORS_END);", ""]
    entries = [f"    {function}, /* {s} */" for s, function in listed]
    return [declaration, f"{kind} const carillon_vector {name}_vectors[] = {{", "    CARILLON_SYSTEM_VECTORS", *entries, "};", ""]


def _event_triggered(image: Image) -> tuple[dict[int, str], list[str]]:
    """The vectors of the event-triggered system, and the C that they need beside it."""
    below = osek.vectors(image)
    if not below:
        return {}, []
    lines = ["/* The event-triggered system. */"]
    if image.system.board.vectors == "table" or image.osek is None:
        return below, [*lines, *(f"void {function}(void);" for function in sorted(set(below.values()))), ""]
    first = {isr.source for isr, _ in image.osek.allocation.isrs if isr.category == 1}
    own = clock.framed(image)
    kinds = {s: "CARILLON_FRAME_OF_CATEGORY_1" if s in first else "CARILLON_FRAME" for s in below}
    lines += [f"{kinds[source]}({source}, {function});" for source, function in sorted(below.items()) if source not in own]
    return {source: f"carillon_frame_{source}" for source in below}, [*lines, ""]


def emit(image: Image) -> str:
    """Handlers and vector tables."""
    system = image.system
    families = sorted({c.family.name for m in image.modes for c in m.cells})
    lines = [text.head(image, "Interrupt handlers and vector tables."), '#include "carillon/kernel.h"', ""]
    lines += [f'#include "cells/{family}/cell.h"' for family in families]
    if image.allocation.conventional and image.modes:
        lines += ['#include "carillon/conventional.h"', "", "extern struct carillon_multiplex carillon_system;"]
    lines += ["", "/* Functions of the application. */"]
    functions = dict.fromkeys([t.entry for t in system.tasks] + [i.handler for i in system.interrupts])
    lines += [f"void {function}(void);" for function in functions]
    multiplexes = [
        f"extern struct carillon_multiplex {text.multiplex(image, m, x.cell)};" for m in image.modes for x in m.multiplexes
    ]
    lines += ["", *multiplexes] if multiplexes else []
    lines.append("")
    for interrupt in system.interrupts:
        if interrupt.reenabled:
            name = f"carillon_interrupt_{interrupt.name}"
            source = interrupt.source
            lines += [
                f"/* Interrupt {interrupt.name} ({text.place(interrupt.span)}): disabled until the round enables it again. */",
                _declaration(image, name),
                f"void {name}(void)",
                "{",
                f"    carillon_port_disarm({source}, CARILLON_SOURCE_BIT({source}));",
                f"    {interrupt.handler}();",
                "}",
                "",
            ]
    tables: list[str] = []
    below, frames = _event_triggered(image)
    lines += frames
    vectors, handler_lines = _handlers(image)
    lines += handler_lines
    for mode, own in zip(image.modes, vectors, strict=True):
        name = mode.allocation.mode.name
        kind = "CARILLON_RESET_VECTOR_TABLE" if name == system.start_mode else "CARILLON_VECTOR_TABLE"
        tables += _table(image, text.stem(image, mode), kind, f" /* {name} */", below | own)
    if not image.modes:
        tables += _table(image, "carillon_osek", "CARILLON_RESET_VECTOR_TABLE", "", below)
    return "\n".join(lines + tables)
