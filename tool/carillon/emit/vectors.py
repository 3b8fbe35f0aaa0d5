# SPDX-License-Identifier: Apache-2.0
"""``vectors.c``: the handlers that need code, and each mode's vector table.

A vector is the task's function itself unless something must be done around it: deadlines armed, a
multiplexed cell moved on, a request acknowledged, the execution priority lowered.
"""

from __future__ import annotations

from carillon.allocate.result import Carrier, Guard, Style
from carillon.emit import clock, osek, text
from carillon.emit.image import CellImage, Image, ModeImage, Vector
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
    """The body of a task's handler; empty if the vector can be the task's function.

    What belongs to the cell is done at every expiry, what belongs to the task each time that it runs.
    """
    cells = _cells_of(mode, carrier)
    task = image.system.task(carrier.demand.object)
    deadlines = _deadline_cells(mode, task.name)
    before = _acknowledge(cells)
    before += [_operation(c, "rearm", _multiplex(image, mode, c)) for c in cells if carrier.style is Style.MULTIPLEXED]
    after = _arming(image, deadlines, "disarm")
    for cell in deadlines:
        if cell.carrier.style is Style.MULTIPLEXED:
            after.append(_operation(cell, "postpone", _multiplex(image, mode, cell)))
    if not before and not after and not deadlines and not carrier.lowered and carrier.guard is Guard.NONE:
        return []
    start = _forgetting(image, mode, carrier) + _arming(image, deadlines, "arm")
    if carrier.lowered and len(image.modes) > 1:
        start.append("    carillon_lowered_tasks++;")
        after.insert(0, "    carillon_lowered_tasks--;")
    apart = carrier.lowered or plain(image, carrier)  # the handler itself has interrupts off, or is above the task
    call = f"    carillon_port_run_lowered({task.entry});" if apart else f"    CARILLON_RUN({task.entry});"
    return _guarded(carrier, before, [*start, call, *after])


def only_held(image: Image, mode: ModeImage, carrier: Carrier) -> bool:
    """Whether all that stands around a task is its source's being held back, which the port does in its own way."""
    return (
        image.system.board.vectors == "code"
        and carrier.role is Role.ACTIVATION
        and carrier.guard is Guard.HOLD
        and carrier.style is Style.DIRECT
        and not carrier.lowered
        and not _acknowledge(_cells_of(mode, carrier))
        and not _deadline_cells(mode, carrier.demand.object)
    )


def plain(image: Image, carrier: Carrier) -> bool:
    """Whether the handler of an activation has interrupts off where others nest by time, to look at its task's flag."""
    return image.system.board.nesting == "time" and carrier.guard is Guard.FLAG


def guard_name(task: str) -> str:
    """The name of a task's flags."""
    return f"carillon_guard_{task}"


def _forgetting(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    """Statements that take back what the task's other sources asked for."""
    board = image.system.board
    cells = [c for c in mode.cells if c.carrier.role is Role.ACTIVATION and c.carrier.source in carrier.forgets]
    held = [source for source in carrier.forgets if text.controlled(board, source)]
    lines = [f"    carillon_port_forget({s}, {bits});" for s, bits in text.masks(board, held)]
    lines += [f"    carillon_port_unpend({s});" for s in carrier.forgets if s not in held]
    return _acknowledge(cells) + lines


def _guarded(carrier: Carrier, before: list[str], run: list[str]) -> list[str]:
    """A handler's body: what every expiry asks for, then the task's run within its guard."""
    source, bit = carrier.source, f"CARILLON_SOURCE_BIT({carrier.source})"
    if carrier.guard is Guard.HOLD:
        return [f"    carillon_port_hold({source}, {bit});", *before, *run, f"    carillon_port_enable({source}, {bit});"]
    if carrier.guard is Guard.FLAG:
        name = guard_name(carrier.demand.object)
        return [
            *before,
            f"    if (carillon_guard_waits(&{name})) {{",
            "        return;",
            "    }",
            "    do {",
            f"        carillon_guard_begin(&{name});",
            *("    " + line for line in run),
            f"    }} while (carillon_guard_end(&{name}));",
        ]
    return [*before, *run]


def _deadline(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    cells = _cells_of(mode, carrier)
    return [*_acknowledge(cells), f"    carillon_deadline_missed({text.task_number(image, carrier.demand.object)}u);"]


def _enable(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    cells = _cells_of(mode, carrier)
    lines = _acknowledge(cells)
    lines += [_operation(c, "rearm", _multiplex(image, mode, c)) for c in cells if carrier.style is Style.MULTIPLEXED]
    source = image.system.interrupt(carrier.demand.object).source
    length = mode.allocation.mode.round_length
    if mode.control is not None and any((t - mode.control.at) % length == 0 for t in carrier.demand.times):
        lines += [f"    if (carillon_leaves({mode.control.cell.carrier.source}u)) {{", "        return;", "    }"]
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


def body(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    """The statements of a carrier's handler; none if the vector is the task's function."""
    if carrier.role is Role.ACTIVATION:
        return _activation(image, mode, carrier)
    if carrier.role is Role.DEADLINE:
        return _deadline(image, mode, carrier)
    if carrier.role is Role.ENABLE:
        return _enable(image, mode, carrier)
    return _control(mode, carrier) if carrier.role is Role.CONTROL else _system_timer(mode, carrier)


def table(image: Image) -> tuple[tuple[Vector, ...], ...]:
    """What every source is for, in each mode; beneath the rounds too."""
    below = osek.table(image)
    tables = []
    for mode, names in zip(image.modes, _handlers(image)[0], strict=True):
        own = []
        for carrier in mode.allocation.carriers:
            task = carrier.demand.object if carrier.role is Role.ACTIVATION else None
            runs = image.system.task(task).entry if task is not None else ""
            own.append(Vector(carrier.source, names[carrier.source], carrier.demand.object, carrier.role, runs))
        own += [Vector(i.source, names[i.source], i.name, None, i.handler) for i in image.system.interrupts]
        tables.append((*below, *own))
    return tuple(tables) or (below,)


def _handlers(image: Image) -> tuple[list[dict[int, str]], list[str]]:
    """The vectors of each mode, and the C of all handlers; handlers that do the same are one."""
    vectors: list[dict[int, str]] = []
    lines: list[str] = []
    bodies: dict[tuple[str, ...], str] = {}
    used: set[str] = set()
    for mode in image.modes:
        names: dict[int, str] = {}
        for carrier in mode.allocation.carriers:
            if only_held(image, mode, carrier):
                function = image.system.task(carrier.demand.object).entry
                held = f"carillon_held_{carrier.source}_{carrier.demand.object}"
                if held not in used:
                    used.add(held)
                    lines += [*_comment(mode, carrier), f"CARILLON_HELD_VECTOR({held}, {function}, {carrier.source});", ""]
                names[carrier.source] = held
                continue
            statements = body(image, mode, carrier)
            if not statements:
                names[carrier.source] = image.system.task(carrier.demand.object).entry
                continue
            name = bodies.get(tuple(statements))
            if name is None:
                stem = text.symbol(image, mode, carrier.demand.object, carrier.role)
                name, k = stem, 2
                while name in used:
                    name, k = f"{stem}_{k}", k + 1
                used.add(name)
                bodies[tuple(statements)] = name
                nested = carrier.role is Role.ACTIVATION and not plain(image, carrier)
                lines += [*_comment(mode, carrier), _declaration(image, name, nested)]
                lines += [f"void {name}(void)", "{", *statements, "}", ""]
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
    """The application's functions that are vectors, or all but their beginning, and whether others may preempt them."""
    tasks = {t.entry for t in image.system.tasks}
    used = {vector.symbol for mode in image.vectors for vector in mode}
    for mode in image.modes:
        held = (c for c in mode.allocation.carriers if only_held(image, mode, c))
        used |= {image.system.task(c.demand.object).entry for c in held}
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
    guards = dict.fromkeys(
        guard_name(c.demand.object) for m in image.modes for c in m.allocation.carriers if c.guard is Guard.FLAG
    )
    lines += ["", *(f"static struct carillon_guard {name};" for name in guards)] if guards else []
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
                f"    CARILLON_RUN({interrupt.handler});",
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
