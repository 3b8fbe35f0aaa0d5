# SPDX-License-Identifier: Apache-2.0
"""The handlers of the rounds, and what each interrupt source is for.

A vector is the task's function itself unless something must be done around it: deadlines armed, a multiplexed cell moved
on, a request acknowledged, the execution priority lowered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from carillon.allocate.clock import ClockCell
from carillon.allocate.osek import TaskKind
from carillon.allocate.result import Carrier
from carillon.image import Image, ModeImage, Vector, names
from carillon.image.forms import only_held, plain
from carillon.image.operations import Does, Handler, Operation, Part
from carillon.image.pieces import OPERATIONS
from carillon.image.pieces.common import cells_of
from carillon.model import Interrupt
from carillon.model.time import ClockKind

FRAMED = "carillon_time_due"
"""What a vector calls that counts ticks itself."""


def keeps_budgets(image: Image) -> bool:
    """Whether jobs of the event-triggered system have budgets, which stand still while a round's handler runs."""
    return image.osek is not None and image.osek.allocation.budgets is not None


def around(image: Image) -> tuple[tuple[Operation, ...], tuple[Operation, ...]]:
    """What stands around all that a round's handler does (``kernel/osek/budget.h``, 13); nothing without budgets."""
    if not keeps_budgets(image):
        return (), ()
    return (Operation(Does.BUDGET_STOPS),), (Operation(Does.BUDGET_GOES_ON),)


def operations(image: Image, mode: ModeImage, carrier: Carrier) -> tuple[Operation, ...]:
    """All that a handler does that has its source to itself; nothing if the vector is the task's function."""
    own = OPERATIONS[type(carrier.action)](image, mode, carrier)
    before, after = around(image)
    if not own and not before:
        return ()
    own = own or [Operation(Does.RUN, name=image.system.task(carrier.demand.object).entry)]
    return (*before, *own, *after)


def wrapped(image: Image, interrupt: Interrupt) -> tuple[Operation, ...]:
    """What an interrupt's vector does, if it is not the application's function itself."""
    before, after = around(image)
    if not interrupt.reenabled and not before:
        return ()
    disarm = [Operation(Does.DISARM, sources=(interrupt.source,))] if interrupt.reenabled else []
    return (*before, *disarm, Operation(Does.RUN, name=interrupt.handler), *after)


def handlers(image: Image) -> tuple[tuple[Handler, ...], list[dict[int, str]]]:
    """All handlers, and for each mode the function that the vector of a source leads to.

    Handlers that do the same are one.
    """
    found: dict[str, Handler] = {}
    same: dict[tuple[Operation, ...], str] = {}
    vectors: list[dict[int, str]] = []
    for number, mode in enumerate(image.modes):
        leads: dict[int, str] = {}
        sharing = Counter(c.source for c in mode.allocation.carriers)
        for carrier in mode.allocation.carriers:
            if carrier.source in leads:
                continue
            if sharing[carrier.source] > 1:
                made = _joined(image, number, carrier.source)
            elif only_held(image, mode, carrier):
                name = f"carillon_held_{carrier.source}_{carrier.demand.object}"
                function = image.system.task(carrier.demand.object).entry
                made = found.get(name) or Handler(name, number, (Part(carrier, ()),), held=function)
            else:
                does = operations(image, mode, carrier)
                if not does:
                    leads[carrier.source] = image.system.task(carrier.demand.object).entry
                    continue
                if does in same:
                    leads[carrier.source] = same[does]
                    continue
                name = _free(names.symbol(image, mode, carrier.action), found)
                same[does] = name
                nested = carrier.action.runs and not plain(image, carrier)
                made = Handler(name, number, (Part(carrier, does),), nested=nested)
            found.setdefault(made.name, made)
            leads[carrier.source] = made.name
        for interrupt in image.system.interrupts:
            own = wrapped(image, interrupt)
            leads[interrupt.source] = f"carillon_interrupt_{interrupt.name}" if own else interrupt.handler
        vectors.append(leads)
    return tuple(found.values()), vectors


def _free(stem: str, taken: Iterable[str]) -> str:
    name, k = stem, 2
    while name in taken:
        name, k = f"{stem}_{k}", k + 1
    return name


def _joined(image: Image, number: int, source: int) -> Handler:
    """The handler of a source that several objects share: it asks each cell, in order of their turns."""
    mode = image.modes[number]
    carriers = sorted((c for c in mode.allocation.carriers if c.source == source), key=lambda c: c.turn)
    parts = tuple(
        Part(
            carrier,
            tuple(OPERATIONS[type(carrier.action)](image, mode, carrier)),
            tuple((c.family.name, c.number) for c in cells_of(mode, carrier)),
        )
        for carrier in carriers
    )
    return Handler(f"carillon_joined_{number}_{source}", number, parts, within=around(image))


def direct(image: Image, found: Iterable[Handler], tables: Iterable[Iterable[Vector]]) -> dict[str, bool]:
    """The application's functions that are vectors, or all but their beginning, and whether others may preempt them."""
    used = {vector.symbol for table in tables for vector in table} | {handler.held for handler in found}
    result = dict.fromkeys(sorted(used & {task.entry for task in image.system.tasks}), True)
    return result | {i.handler: False for i in image.system.interrupts if i.handler in used}


def vector_tables(image: Image, leads: list[dict[int, str]]) -> tuple[tuple[Vector, ...], ...]:
    """What every source is for, in each mode; beneath the rounds too."""
    below = _event_triggered(image)
    tables = []
    for mode, functions in zip(image.modes, leads, strict=True):
        own = []
        for carrier in mode.allocation.carriers:
            task = carrier.demand.object if carrier.action.runs else None
            runs = image.system.task(task).entry if task is not None else ""
            own.append(Vector(carrier.source, functions[carrier.source], carrier.demand.object, carrier.role, runs))
        own += [Vector(i.source, functions[i.source], i.name, None, i.handler) for i in image.system.interrupts]
        tables.append((*below, *own))
    return tuple(tables) or (below,)


def event_vectors(image: Image) -> dict[int, str]:
    """Source -> C function, of everything event-triggered."""
    return {vector.source: vector.symbol for vector in _event_triggered(image)}


def framed(image: Image) -> frozenset[int]:
    """Sources whose vector is a frame of their own: where vectors are code, a tick is counted before all is saved."""
    if image.osek is None or image.osek.allocation.clock is None or image.system.board.vectors == "table":
        return frozenset()
    clock = image.osek.allocation.clock
    return frozenset({clock.carrier.source} if clock.counted and not image.allocation.counters else ())


def is_wrapped(clock: ClockCell) -> bool:
    """Whether the clock's handler is more than the kernel's function: a cell to acknowledge, which others do by themselves."""
    return clock.services.clock is ClockKind.PERIODIC and clock.carrier.cells[0].cell.array.acknowledge


def serve(clock: ClockCell) -> str:
    """The kernel's function that serves the clock.  Its level keeps out everything else that uses the clock."""
    return "carillon_time_tick" if clock.counted else "carillon_clock_interrupt"


def _event_triggered(image: Image) -> tuple[Vector, ...]:
    """What the sources of everything event-triggered are for."""
    if image.osek is None:
        return ()
    allocation = image.osek.allocation
    found: dict[int, Vector] = {}

    def leads(source: int, symbol: str, name: str, runs: str = "") -> None:
        found[source] = Vector(source, symbol, name, None, runs)

    for isr, _ in allocation.isrs:
        leads(isr.source, f"carillon_isr_{isr.name}", isr.name, f"carillon_isr_{isr.name}")
    for handler in image.osek.handlers:
        for source, what in handler.leads:
            leads(source, handler.name, what)
    if allocation.clock is not None:
        clock = allocation.clock.carrier
        own_symbol = "carillon_clock_vector" if is_wrapped(allocation.clock) else serve(allocation.clock)
        leads(clock.source, FRAMED if clock.source in framed(image) else own_symbol, clock.demand.name)
    if allocation.slices is not None:
        turns, slices = list(allocation.turns.values()), allocation.slices
        name = "slices" if slices.source in turns else slices.demand.name
        leads(slices.source, "carillon_slice_timer" if allocation.software else "carillon_port_slice_vector", name)
        for source in turns[1:]:
            leads(source, "carillon_port_turn_vector", "slices")
    if allocation.budgets is not None:
        leads(allocation.budgets.source, "carillon_port_budget_vector", allocation.budgets.demand.name)
    if allocation.frames is not None:
        leads(allocation.frames.source, "carillon_frame_vector", allocation.frames.demand.name)
    if allocation.software and allocation.dispatcher:
        leads(allocation.dispatcher, "carillon_software_dispatch", "dispatcher")
    for level in allocation.levels if not allocation.software else ():
        task = level.tasks[0].name
        leads(level.source, names.level(level), task, f"carillon_task_{task}" if level.kind is TaskKind.DIRECT else "")
    return tuple(found.values())
