# SPDX-License-Identifier: Apache-2.0
"""``vectors.c``: the handlers that need code, and each mode's vector table.

A vector is the task's function itself unless something must be done around it: deadlines armed, a
multiplexed cell moved on, a request acknowledged, the execution priority lowered.
"""

from __future__ import annotations

from carillon import c_names
from carillon.allocate.result import Carrier, Style
from carillon.emit import library, text
from carillon.emit.handlers import asks, statements
from carillon.image import Image, ModeImage
from carillon.image.operations import Does, Frame, Handler, Part
from carillon.image.pieces.common import cells_of
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


def _handlers(image: Image) -> list[str]:
    """The C of all handlers of the rounds."""
    lines: list[str] = []
    for handler in image.handlers:
        mode = image.modes[handler.mode]
        for part in handler.parts:
            lines += _comment(mode, part.carrier)
        if handler.held:
            lines += [*_held(handler), ""]
            continue
        joined = len(handler.parts) > 1
        if joined and handler.parts[0].carrier.action.gathers:
            lines.append(_GATHERED.format(source=handler.parts[0].carrier.source))
        begin, end = (statements(operations) for operations in handler.within)
        body = _joined(handler.parts) if joined else statements(handler.parts[0].operations)
        lines += [_declaration(image, handler.name, handler.nested)]
        lines += [f"void {_function(image, handler.name, handler.nested)}(void)", "{", *begin, *body, *end, "}", ""]
    return lines


def _held(handler: Handler) -> list[str]:
    """A vector that the port begins and ends in its own way, and the deadlines that it arms between."""
    (part,) = handler.parts
    source, arms = part.carrier.source, [operation for operation in part.operations if operation.does in (Does.ARM, Does.DISARM)]
    if not arms:
        return [f"CARILLON_HELD_VECTOR({handler.name}, {handler.held}, {source});"]
    lines = [
        f"    CARILLON_HELD_{operation.does.name}({operation.sources[0]}, {text.bits(operation.sources)});"
        if operation.does is not Does.RUN
        else f"    CARILLON_HELD_RUN({handler.held});"
        for operation in part.operations
        if operation.does in (Does.ARM, Does.RUN, Does.DISARM)
    ]
    return [
        f"CARILLON_HELD({handler.name})",
        "{",
        f"    CARILLON_HELD_BEGIN({source});",
        *lines,
        f"    CARILLON_HELD_END({source});",
        "}",
    ]


_GATHERED = """/* Several cells ask for source {source}, which is requested while any of them asks.  The handler serves one:
 *
 * 1. It asks in a fixed order, and answers the first cell that asks, before it does what that cell is for.
 * 2. A cell that begins to ask while the handler runs, or was asked too early or not at all, goes on asking: the source
 *    is requested again when the handler has returned, and at its level the order decides once more.
 * 3. A cell that expires again before it is answered asks once: of its task one activation waits.  One that expires after
 *    it was answered asks anew, however near the two are, since it is answered by a store to a register of its own.
 * 4. If no cell asks, the one for which the source was requested has been answered meanwhile, and nothing is to be done. */"""


def _joined(parts: tuple[Part, ...]) -> list[str]:
    """The body of the handler of a source shared by several objects: it asks each cell."""
    gathered = parts[0].carrier.action.gathers
    lines = []
    for position, part in enumerate(parts):
        otherwise = "} else if" if gathered and position else "if"
        lines += [f"    {otherwise} ({asks(part.asks)}) {{", *statements(part.operations, 2)]
        lines += [] if gathered else ["    }"]
    return lines + (["    } else {", "        /* answered already */", "    }"] if gathered else [])


def _declaration(image: Image, name: str, nested: bool = False) -> str:
    """The declaration that makes a function a handler; ``nested``: other handlers may preempt it."""
    if not image.system.board.own_handlers:
        return f"void {name}(void);"
    return f"{'CARILLON_NESTED_HANDLER' if nested else 'CARILLON_HANDLER'}({name});"


def _function(image: Image, name: str, nested: bool) -> str:
    """The C function of a handler: its vector may be what goes before it."""
    return c_names.BODY + name if nested and image.system.board.handlers == "own" else name


def names(image: Image) -> str:
    """Names for the linker: functions of the application whose symbols are those of handlers have their own too.

    A source that nobody uses leads to the application's own handler, which avr-libc's ISR() calls __vector_NUMBER, if it has one.
    """
    lines = [text.head(image, "The application's own names for its handlers; and its handlers of what the system leaves it."), ""]
    lines += [f"{function} = {text.HANDLER}{function};" for function in image.direct]
    board = image.system.board
    free = [f"PROVIDE({_unused(board, s)} = {text.UNEXPECTED});" for s in range(board.system_vectors, board.sources)]
    return "\n".join([*lines, f"EXTERN({text.UNEXPECTED});", *free, ""])


def _unused(board: Board, source: int) -> str:
    """The function of a vector that the system does not use."""
    return text.UNEXPECTED if board.vectors == "table" else f"{text.HANDLER}{source}"


def _table(image: Image, mode: ModeImage | None, functions: dict[int, str]) -> list[str]:
    """A vector table, of a mode or of all: of addresses, or where vectors are code, of jumps."""
    board, name = image.system.board, text.stem(image, mode) if mode is not None else "carillon_osek"
    first = mode is None or mode.allocation.mode.name == image.system.start_mode
    kind = f'CARILLON_VECTOR_TABLE("{".reset" if first else ""}")'
    comment = f" /* {mode.allocation.mode.name} */" if mode is not None else ""
    listed = [(s, functions.get(s) or _unused(board, s)) for s in range(board.system_vectors, board.sources)]
    declaration = f"extern const carillon_vector {name}_vectors[];{comment}"
    if board.vectors == "code":
        jumps = [f"        CARILLON_VECTOR({function}) /* {s} */" for s, function in listed]
        begin = f"__asm__(CARILLON_VECTORS_BEGIN({name}_vectors)"
        return [declaration, begin, *jumps, "        CARILLON_VECTORS_END);", ""]
    entries = [f"    {function}, /* {s} */" for s, function in listed]
    return [declaration, f"{kind} const carillon_vector {name}_vectors[] = {{", "    CARILLON_SYSTEM_VECTORS", *entries, "};", ""]


_FRAMES = {Frame.KERNEL: "CARILLON_FRAME", Frame.CATEGORY_1: "CARILLON_FRAME_OF_CATEGORY_1"}


def _beneath(image: Image) -> list[str]:
    """The declarations and frames for the vectors of the event-triggered system."""
    if not image.beneath:
        return []
    declared = sorted({vector.entry for vector in image.beneath if vector.frame in (Frame.NONE, Frame.BODY)})
    lines = ["/* The event-triggered system. */", *(f"void {function}(void);" for function in declared)]
    for it in sorted((v for v in image.beneath if v.frame is Frame.BODY), key=lambda v: v.source):
        lines += [f"CARILLON_HELD_VECTOR({c_names.enter(it.runs)}, {it.runs}, {it.source});"]
        lines += [f"CARILLON_FRAME({it.source}, carillon_framed_{it.object});"]
    framed = sorted((v for v in image.beneath if v.frame in _FRAMES), key=lambda v: v.source)
    return [*lines, *(f"{_FRAMES[v.frame]}({v.source}, {v.symbol});" for v in framed), ""]


_HEADERS = {
    Does.LOOK_UP: "osektime/table.h",
    Does.SYNCHRONISE: "osektime/sync.h",
    Does.BUDGET_STOPS: "levels/budget.h",
    Does.ROUND_BUDGET_STOPS: "core/round_budget.h",
    Does.TASK_BUDGET_STOPS: "core/task_budget.h",
}
"""The kernel's headers that declare what operations call."""


def emit(image: Image) -> str:
    """Handlers and vector tables."""
    system = image.system
    families = sorted({c.family.name for m in image.modes for c in m.cells})
    lines = [text.head(image, "Interrupt handlers and vector tables."), '#include "kernel/core/kernel.h"', ""]
    lines += [f'#include "cells/{family}/cell.h"' for family in families]
    operations = [operation for handler in image.handlers for operation in handler.operations]
    operations += [operation for wrapped in image.wrapped.values() for operation in wrapped]
    lines += [f'#include "kernel/{header}"' for does, header in _HEADERS.items() if any(call.does is does for call in operations)]
    lines += ["", "/* Functions of the application. */"]
    functions = dict.fromkeys([t.entry for t in system.tasks] + [i.handler for i in system.interrupts])
    lines += [f"void {function}(void);" for function in functions]
    guards = dict.fromkeys(call.name for call in operations if call.does is Does.GUARD_BEGIN)
    lines += ["", *(f"static struct carillon_guard {guard};" for guard in guards)] if guards else []
    rearmed = dict.fromkeys(call.at for call in operations if call.at)
    lines += ["", *(f"extern struct carillon_multiplex {at};" for at in rearmed)] if rearmed else []
    lines.append("")
    for interrupt in system.interrupts:
        body = statements(image.wrapped[interrupt.name])
        if body:
            name = f"carillon_interrupt_{interrupt.name}"
            until = ": disabled until the round enables it again" if interrupt.reenabled else ""
            nested = system.board.handlers == "own"
            lines += [
                f"/* Interrupt {interrupt.name} ({text.place(interrupt.span)}){until}. */",
                _declaration(image, name, nested),
            ]
            lines += [f"void {_function(image, name, nested)}(void)", "{", *body, "}", ""]
    lines += [*_beneath(image), *_handlers(image)]
    if image.library:
        lines += [*library.branches(image), *library.defaults(image)]
    for mode, table in zip(image.modes or (None,), image.vectors, strict=True):
        leads = {vector.source: vector.entry for vector in table}
        if not image.library:
            lines += _table(image, mode, leads)
        elif mode is not None and library.own_table(image):
            lines += library.table(image, mode, leads)
    return "\n".join(lines)
