# SPDX-License-Identifier: Apache-2.0
"""What the kernel knows of the cells that it stops and sets while it runs: of alarms, of budgets, of the time base."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carillon.elf import UnreadableError
from carillon.model.osek import Alarm
from carillon.verify.contract import Reader
from carillon.verify.families import Cell

if TYPE_CHECKING:
    from carillon.verify.events import Events

FORGET, VECTOR, STRIKES = "carillon_budget_forget", "carillon_budget_vector", "carillon_budget_strikes"


def wrong_record(events: Events, alarm: Alarm, cell: Cell, record: int) -> str:
    """What is wrong with the record of an alarm's cell (``struct carillon_osek_cell``); empty if nothing is.

    It names the cell's counter, the units in a tick of the alarm's counter, and the stores that stop it.
    """
    reader = Reader(events.elf, events.elf.data(record))
    counter, units = reader.take(4), reader.take(4)
    stop = events.elf.data(reader.pointer())
    stores = events.tables.stores(stop, reader.take(2))
    if events.hardware.counter(counter) is not cell:
        return f"has its counter at {counter:#x}, which is not that of {cell.place.name}"
    if cell.ticks(units) != events.osek.counter(alarm.counter).tick:
        return f"has {units} units of {cell.place.name} in a tick of '{alarm.counter}'"
    running = [c for _, c in events.hardware.cells if c.started is not None]
    try:
        with events.hardware.tried():
            events.hardware.carry_out(stores, None)
            stopped = [c for c in running if c.started is None]
    except UnreadableError as error:
        return f"is stopped by {error}"
    others = [c.place.name for c in stopped if c is not cell]
    if others:
        return f"stops {', '.join(others)}, when its own cell is to be stopped"
    return "" if cell in stopped else f"does not stop {cell.place.name}, when that is to be stopped"


def check_budget_cell(events: Events) -> None:
    """The functions of the cell of budgets: what its vector goes on as, and what forgets its request."""
    cell = events.budget_cell
    forget, vector = events.elf.symbols.get(FORGET), events.elf.symbols.get(VECTOR)
    if cell is None:
        return
    if forget is not None:
        paths = events.meanings.of(forget.address).some_paths
        own = frozenset({cell.place.source})
        if any({s.sources for s in path if s.what == "unpend"} != {own} for path in paths) and cell.place.source >= 16:
            events.error("C205", None, f"'{FORGET}' does not forget what {cell.place.name} asked for")
    if vector is not None and STRIKES not in {s.name for s in events.meanings.of(vector.address).every("call")}:
        events.error("C205", None, f"'{VECTOR}' does not lead to '{STRIKES}'")


def wrong_base(cell: Cell, lead: int) -> str:
    """What is wrong with the time base: a cell that turns over when a whole number of its turns is over, from tick 0 on."""
    begins = cell.begins
    if begins is None or cell.again is None:
        return "is started without an interval"
    turn = cell.ticks(cell.again)
    return "" if turn > 0 and any((begins - origin) % turn == 0 for origin in (lead, 0)) else "does not begin a turn at tick 0"
