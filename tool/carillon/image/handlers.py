# SPDX-License-Identifier: Apache-2.0
"""The handlers of the rounds, and what each interrupt source is for.

A vector is the task's function itself unless something must be done around it: deadlines armed, a multiplexed cell moved
on, a request acknowledged, the execution priority lowered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from carillon import c_names
from carillon.allocate.osek import TaskKind
from carillon.allocate.result import Carrier
from carillon.image import Image, ModeImage, names
from carillon.image.forms import budget_kind, only_held, plain
from carillon.image.levels import mode_levels
from carillon.image.operations import Asked, Does, Frame, Handler, Operation, Part, Vector
from carillon.image.osek import serve
from carillon.image.pieces import OPERATIONS
from carillon.image.pieces.common import cells_of
from carillon.model import Interrupt
from carillon.model.family import Capability


def _around(image: Image) -> tuple[tuple[Operation, ...], tuple[Operation, ...]]:
    """Operations before and after a round's handler (``kernel/levels/budget.h``, 13, and ``kernel/core/round_budget.h``).

    With a cell for each budget of the rounds, ``kernel/core/task_budget.h`` says what they are.  There are none without budgets.
    """
    before, after = [], []
    if image.osek is not None and image.osek.allocation.budgets is not None:
        before, after = [Operation(Does.BUDGET_STOPS)], [Operation(Does.BUDGET_GOES_ON)]
    if image.system.bounded and budget_kind(image) == "task":
        before, after = [*before, Operation(Does.TASK_BUDGET_STOPS)], [Operation(Does.TASK_BUDGET_GOES_ON), *after]
    elif image.system.bounded:
        before, after = [*before, Operation(Does.ROUND_BUDGET_STOPS)], [Operation(Does.ROUND_BUDGET_GOES_ON), *after]
    return tuple(before), tuple(after)


def operations(image: Image, mode: ModeImage, carrier: Carrier) -> tuple[Operation, ...]:
    """All operations of a handler that alone has its source; none if the vector is the task's function."""
    found = _operations(image, mode, carrier)
    if found or not carrier.action.runs:
        return found
    function = image.system.task(carrier.demand.object).entry
    return (Operation(Does.RUN, name=function),) if function in called(image) else ()


def _operations(image: Image, mode: ModeImage, carrier: Carrier) -> tuple[Operation, ...]:
    """The same, as if a function that is a handler could be called."""
    around_task = OPERATIONS[type(carrier.action)](image, mode, carrier)
    before, after = _around(image)
    if not around_task and not before:
        return ()
    around_task = around_task or [Operation(Does.RUN, name=image.system.task(carrier.demand.object).entry)]
    if image.system.board.handlers == "own":
        bounded = {task.entry for task in image.system.bounded}
        around_task = [replace(it, does=Does.RUN_BOUNDED) if _runs(it, bounded) else it for it in around_task]
    return (*before, *around_task, *after)


def _runs(operation: Operation, functions: set[str]) -> bool:
    return operation.does is Does.RUN and operation.name in functions


def wrapped(image: Image, interrupt: Interrupt) -> tuple[Operation, ...]:
    """The operations of an interrupt's vector; none if the vector is the application's function.

    A handler of a kind of its own, which others may preempt, calls the function.
    """
    before, after = _around(image)
    if not interrupt.reenabled and not before and image.system.board.handlers != "own":
        return ()
    disarm = [Operation(Does.DISARM, sources=(interrupt.source,))] if interrupt.reenabled else []
    return (*before, *disarm, Operation(Does.RUN, name=interrupt.handler), *after)


def handlers(image: Image) -> tuple[tuple[Handler, ...], list[dict[int, str]]]:
    """All handlers, and for each mode the function that the vector of a source leads to.

    Handlers that do the same are one.
    """
    by_name: dict[str, Handler] = {}
    same: dict[tuple[Operation, ...], str] = {}
    vectors: list[dict[int, str]] = []
    functions = preempted(image)
    for number, mode in enumerate(image.modes):
        leads: dict[int, str] = {}
        sharing = Counter(c.source for c in mode.allocation.carriers)
        for carrier in mode.allocation.carriers:
            if carrier.source in leads:
                continue
            if sharing[carrier.source] > 1:
                made = _joined(image, number, carrier.source)
            elif only_held(image, mode, carrier):
                function, does = image.system.task(carrier.demand.object).entry, operations(image, mode, carrier)
                if does not in same:
                    same[does] = _free(f"carillon_held_{carrier.source}_{carrier.demand.object}", by_name)
                name = same[does]
                made = by_name.get(name) or Handler(name, number, (Part(carrier, does),), held=function)
            else:
                does = operations(image, mode, carrier)
                if not does and image.system.task(carrier.demand.object).entry not in functions:
                    leads[carrier.source] = image.system.task(carrier.demand.object).entry
                    continue
                if not does:
                    function = image.system.task(carrier.demand.object).entry
                    name = c_names.enter(function)
                    by_name.setdefault(name, Handler(name, number, (Part(carrier, ()),), held=function))
                    leads[carrier.source] = name
                    continue
                if does in same:
                    leads[carrier.source] = same[does]
                    continue
                name = _free(names.symbol(image, mode, carrier.action), by_name)
                same[does] = name
                apart = image.system.board.handlers == "own" and any(o.does in (Does.RUN_LOWERED, Does.DISPATCH) for o in does)
                nested = carrier.action.runs and not plain(image, carrier) and not apart  # it lowers itself, to be preempted
                made = Handler(name, number, (Part(carrier, does),), nested=nested or linked(image))
            by_name.setdefault(made.name, made)
            leads[carrier.source] = made.name
        for interrupt in image.system.interrupts:
            leads[interrupt.source] = interrupt.handler
            if image.wrapped[interrupt.name]:
                leads[interrupt.source] = f"carillon_interrupt_{interrupt.name}"
        vectors.append(leads)
    return tuple(by_name.values()), vectors


def called(image: Image) -> set[str]:
    """The application's functions that some handler calls, where a function cannot both be called and be a handler."""
    if image.system.board.handlers != "own":
        return set()
    found = {interrupt.handler for interrupt in image.system.interrupts}
    for mode in image.modes:
        sharing = Counter(c.source for c in mode.allocation.carriers)
        for carrier in mode.allocation.carriers:
            if carrier.action.runs and (sharing[carrier.source] > 1 or _operations(image, mode, carrier)):
                found.add(image.system.task(carrier.demand.object).entry)
        if mode.dispatch is not None:
            found |= {image.system.task(e.point.object).entry for e in mode.table if e.point.action.runs}
    return found


def linked(image: Image) -> bool:
    """Whether the kernel finds the handlers that have not ended by their frames, so that each must have one."""
    return image.system.board.handlers == "own" and image.osek is not None


def preempted(image: Image) -> set[str]:
    """The functions of tasks that something may preempt in some mode; none where handlers are of one kind."""
    if image.system.board.handlers != "own":
        return set()
    found = set()
    for mode in image.modes:
        highest = max(mode_levels(image, mode).values(), default=0) + linked(image)
        found |= {
            image.system.task(c.demand.object).entry for c in mode.allocation.carriers if c.action.runs and c.level < highest
        }
    return found


def _free(stem: str, taken: Iterable[str]) -> str:
    name, k = stem, 2
    while name in taken:
        name, k = f"{stem}_{k}", k + 1
    return name


def _joined(image: Image, number: int, source: int) -> Handler:
    """The handler of a source shared by several objects: it asks each cell, in the order of their turns."""
    mode = image.modes[number]
    carriers = sorted((c for c in mode.allocation.carriers if c.source == source), key=lambda c: c.turn)
    parts = tuple(
        Part(
            carrier,
            tuple(OPERATIONS[type(carrier.action)](image, mode, carrier)),
            tuple(
                Asked(c.family.name, c.number, carrier.action.gathers and Capability.DEFER in c.family.can)
                for c in cells_of(mode, carrier)
            ),
        )
        for carrier in carriers
    )
    return Handler(f"carillon_joined_{number}_{source}", number, parts, within=_around(image), nested=linked(image))


def direct(image: Image, found: Iterable[Handler], tables: Iterable[Iterable[Vector]]) -> dict[str, bool]:
    """The application's functions that are vectors, at least after a generated beginning -> preemptable or not."""
    entered = {handler.held for handler in found}
    used = {vector.symbol for table in tables for vector in table} | entered
    nested = image.system.board.nesting == "time"
    result = {entry: nested or entry in entered for entry in sorted(used & {task.entry for task in image.system.tasks})}
    return result | {i.handler: False for i in image.system.interrupts if i.handler in used}


def vector_tables(image: Image, leads: list[dict[int, str]]) -> tuple[tuple[Vector, ...], ...]:
    """What every source is for, in each mode; beneath the rounds too."""
    tables = []
    for mode, functions in zip(image.modes, leads, strict=True):
        vectors_of_mode = []
        for carrier in mode.allocation.carriers:
            task = carrier.demand.object if carrier.action.runs else None
            runs = image.system.task(task).entry if task is not None else ""
            vectors_of_mode.append(Vector(carrier.source, functions[carrier.source], carrier.demand.object, carrier.role, runs))
        vectors_of_mode += [Vector(i.source, functions[i.source], i.name, None, i.handler) for i in image.system.interrupts]
        tables.append((*image.beneath, *vectors_of_mode))
    return tuple(tables) or (image.beneath,)


def event_triggered(image: Image) -> tuple[Vector, ...]:
    """What the sources of everything event-triggered are for."""
    if image.osek is None:
        return ()
    allocation = image.osek.allocation
    by_source: dict[int, Vector] = {}

    def leads(source: int, symbol: str, name: str, runs: str = "") -> None:
        by_source[source] = Vector(source, symbol, name, None, runs)

    for isr, _ in allocation.isrs:
        leads(isr.source, c_names.isr(isr.name), isr.name, c_names.isr(isr.name))
    for handler in image.osek.handlers:
        for source, what in handler.leads:
            leads(source, handler.vector or handler.name, what)
    clock, ticks = allocation.clock, image.osek.tick_frame is not None
    if clock is not None and clock.carrier.source not in by_source:
        leads(clock.carrier.source, "carillon_time_due" if ticks else serve(clock), clock.carrier.demand.name)
    for number, source in allocation.turn_requests.items():
        leads(source, "carillon_port_turn_vector", "servers" if number in allocation.served_levels else "slices")
    if allocation.software and allocation.dispatcher:
        leads(allocation.dispatcher, "carillon_software_dispatch", "dispatcher")
    for level in allocation.levels if not allocation.software else ():
        task = level.tasks[0].name
        leads(level.source, names.level(level), task, c_names.task(task) if level.kind is TaskKind.DIRECT else "")
    if not image.system.board.own_handlers:
        return tuple(by_source.values())
    frames = {isr.source: Frame.CATEGORY_1 for isr, _ in allocation.isrs if isr.category == 1}
    frames |= {clock.carrier.source: Frame.TICK} if clock is not None and ticks else {}
    frames |= {direct.level.source: Frame.BODY for direct in image.osek.direct if direct.body}
    if image.system.board.nesting == "time" and allocation.round_budgets is not None:  # the port's vector saves what is used
        frames[allocation.round_budgets.source] = Frame.NONE
    return tuple(replace(vector, frame=frames.get(source, Frame.KERNEL)) for source, vector in by_source.items())
