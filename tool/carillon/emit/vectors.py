# SPDX-License-Identifier: Apache-2.0
"""``vectors.c``: the handlers that need code, and each mode's vector table.

A vector is the task's function itself unless something must be done around it: deadlines armed, a
multiplexed cell moved on, a request acknowledged, the execution priority lowered.
"""

from __future__ import annotations

from collections import Counter

from carillon.allocate.result import Carrier, Guard, Style
from carillon.emit import clock, osek, text
from carillon.emit.pieces import BODIES, statements
from carillon.emit.pieces.activate import guard_name
from carillon.emit.pieces.common import asks, cells_of, run
from carillon.image import Image, ModeImage, Vector
from carillon.image.handlers import only_held, plain
from carillon.model.board import Board


def _comment(mode: ModeImage, carrier: Carrier) -> list[str]:
    cells = cells_of(mode, carrier)
    names = ", ".join(c.use.cell.name for c in cells)
    how = "multiplexed on" if carrier.style is Style.MULTIPLEXED else "carried by"
    lowered = ", lowered to the priority of what it preempts" if carrier.lowered else ""
    points = text.times(carrier, mode.allocation.mode.round_length)
    return [
        f"/* {carrier.role.value} of {carrier.demand.object} at {points} ({text.place(carrier.demand.span)}),",
        f" * {how} {names} (source {carrier.source}, level {carrier.level}{lowered}). */",
    ]


def table(image: Image) -> tuple[tuple[Vector, ...], ...]:
    """What every source is for, in each mode; beneath the rounds too."""
    below = osek.table(image)
    tables = []
    for mode, names in zip(image.modes, _handlers(image)[0], strict=True):
        own = []
        for carrier in mode.allocation.carriers:
            task = carrier.demand.object if carrier.action.runs else None
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
        sharing = Counter(c.source for c in mode.allocation.carriers)
        for carrier in mode.allocation.carriers:
            if sharing[carrier.source] > 1:
                if carrier.source not in names:
                    names[carrier.source] = _joined(image, mode, carrier.source, lines)
                continue
            if only_held(image, mode, carrier):
                function = image.system.task(carrier.demand.object).entry
                held = f"carillon_held_{carrier.source}_{carrier.demand.object}"
                if held not in used:
                    used.add(held)
                    lines += [*_comment(mode, carrier), f"CARILLON_HELD_VECTOR({held}, {function}, {carrier.source});", ""]
                names[carrier.source] = held
                continue
            body = statements(image, mode, carrier)
            if not body:
                names[carrier.source] = image.system.task(carrier.demand.object).entry
                continue
            name = bodies.get(tuple(body))
            if name is None:
                stem = text.symbol(image, mode, carrier.action)
                name, k = stem, 2
                while name in used:
                    name, k = f"{stem}_{k}", k + 1
                used.add(name)
                bodies[tuple(body)] = name
                nested = carrier.action.runs and not plain(image, carrier)
                lines += [*_comment(mode, carrier), _declaration(image, name, nested)]
                lines += [f"void {name}(void)", "{", *body, "}", ""]
            names[carrier.source] = name
        for interrupt in image.system.interrupts:
            wrapped = interrupt.reenabled or osek.budgets.are_kept(image)
            names[interrupt.source] = f"carillon_interrupt_{interrupt.name}" if wrapped else interrupt.handler
        vectors.append(names)
    return vectors, lines


_GATHERED = """/* Several cells ask for source {source}, which is requested while any of them asks.  The handler serves one:
 *
 * 1. It asks in a fixed order, and answers the first cell that asks, before it does what that cell is for.
 * 2. A cell that begins to ask while the handler runs, or was asked too early or not at all, goes on asking: the source
 *    is requested again when the handler has returned, and at its level the order decides once more.
 * 3. A cell that expires again before it is answered asks once: of its task one activation waits.  One that expires after
 *    it was answered asks anew, however near the two are, since it is answered by a store to a register of its own.
 * 4. If no cell asks, the one for which the source was requested has been answered meanwhile, and nothing is to be done. */"""


def _joined(image: Image, mode: ModeImage, source: int, lines: list[str]) -> str:
    """Append the handler of a source that several objects share: it asks each cell, in order of their turns; its name."""
    carriers = sorted((c for c in mode.allocation.carriers if c.source == source), key=lambda c: c.turn)
    name = f"carillon_joined_{image.modes.index(mode)}_{source}"
    gathered = carriers[0].action.gathers
    for carrier in carriers:
        lines += _comment(mode, carrier)
    lines += [_GATHERED.format(source=source)] if gathered else []
    asking = []
    for position, carrier in enumerate(carriers):
        body = BODIES[type(carrier.action)](image, mode, carrier)
        otherwise = "} else if" if gathered and position else "if"
        asking += [f"    {otherwise} ({asks(mode, carrier)}) {{", *("    " + line for line in body)]
        asking += [] if gathered else ["    }"]
    asking += ["    } else {", "        /* answered already */", "    }"] if gathered else []
    lines += [_declaration(image, name), f"void {name}(void)", "{", *osek.budgets.standing_still(image, asking), "}", ""]
    return name


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
    """Names for the linker: functions of the application whose symbols are those of handlers have their own too.

    A source that nobody uses leads to the application's own handler, which avr-libc's ISR() calls __vector_NUMBER, if it has one.
    """
    lines = [text.head(image, "The application's own names for its handlers; and its handlers of what the system leaves it."), ""]
    lines += [f"{function} = {text.HANDLER}{function};" for function in direct(image)]
    board = image.system.board
    free = [f"PROVIDE({_unused(board, s)} = {text.UNEXPECTED});" for s in range(board.system_vectors, board.sources)]
    return "\n".join([*lines, f"EXTERN({text.UNEXPECTED});", *free, ""])


def _unused(board: Board, source: int) -> str:
    """The function to which a vector leads that the system does not use."""
    return text.UNEXPECTED if board.vectors == "table" else f"{text.HANDLER}{source}"


def _table(image: Image, name: str, kind: str, comment: str, functions: dict[int, str]) -> list[str]:
    """A vector table: of addresses, or where vectors are code, of jumps."""
    board = image.system.board
    listed = [(s, functions.get(s) or _unused(board, s)) for s in range(board.system_vectors, board.sources)]
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
    lines = [text.head(image, "Interrupt handlers and vector tables."), '#include "kernel/core/kernel.h"', ""]
    lines += [f'#include "cells/{family}/cell.h"' for family in families]
    tabled = [m for m in image.modes if m.table]
    lines += ['#include "kernel/osektime/table.h"'] if tabled else []
    lines += ['#include "kernel/osektime/sync.h"'] if system.sync is not None else []
    lines += ['#include "kernel/osek/budget.h"'] if osek.budgets.are_kept(image) else []
    lines += ["", "/* Functions of the application. */"]
    functions = dict.fromkeys([t.entry for t in system.tasks] + [i.handler for i in system.interrupts])
    lines += [f"void {function}(void);" for function in functions]
    guards = dict.fromkeys(
        guard_name(c.demand.object) for m in image.modes for c in m.allocation.carriers if c.guard is Guard.FLAG
    )
    lines += ["", *(f"static struct carillon_guard {name};" for name in guards)] if guards else []
    rearmed = [(m, x.cell) for m in image.modes for x in m.multiplexes]
    rearmed += [(m, m.dispatch) for m in tabled if m.dispatch is not None]
    multiplexes = [f"extern struct carillon_multiplex {text.multiplex(image, m, cell)};" for m, cell in rearmed]
    lines += ["", *multiplexes] if multiplexes else []
    lines.append("")
    for interrupt in system.interrupts:
        if interrupt.reenabled or osek.budgets.are_kept(image):
            name = f"carillon_interrupt_{interrupt.name}"
            source = interrupt.source
            until = ": disabled until the round enables it again" if interrupt.reenabled else ""
            first = [f"    carillon_port_disarm({source}, CARILLON_SOURCE_BIT({source}));"] if interrupt.reenabled else []
            lines += [
                f"/* Interrupt {interrupt.name} ({text.place(interrupt.span)}){until}. */",
                _declaration(image, name),
                f"void {name}(void)",
                "{",
                *osek.budgets.standing_still(image, [*first, run(interrupt.handler)]),
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
        kind = 'CARILLON_VECTOR_TABLE(".reset")' if name == system.start_mode else 'CARILLON_VECTOR_TABLE("")'
        tables += _table(image, text.stem(image, mode), kind, f" /* {name} */", below | own)
    if not image.modes:
        tables += _table(image, "carillon_osek", 'CARILLON_VECTOR_TABLE(".reset")', "", below)
    return "\n".join(lines + tables)
