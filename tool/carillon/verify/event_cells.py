# SPDX-License-Identifier: Apache-2.0
"""The image's records of cells that the kernel stops and sets while it runs, and of each task's resources.

Cells are those of alarms, of budgets, of time frames and the time base; a task has budgets, a frame, a state and a stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from carillon import c_names
from carillon.diagnostics import Span
from carillon.elf import UnreadableError
from carillon.model.osek import Alarm, Isr, OsekTask
from carillon.verify.contract import stores
from carillon.verify.families import Cell

if TYPE_CHECKING:
    from carillon.verify.elf import Elf
    from carillon.verify.events import Events
    from carillon.verify.layout import Row
    from carillon.verify.meaning import Meaning, Meanings, Service

FORGET, VECTOR, STRIKES = "carillon_budget_forget", "carillon_budget_vector", "carillon_budget_strikes"
PORT_VECTORS = {
    "carillon_port_budget_vector": VECTOR,
    "carillon_port_round_budget_vector": "carillon_round_budget_vector",
}
"""The port's vectors of the cells of budgets, which go on as a handler that gets the frame of what was interrupted."""
FRAME_TABLE = "carillon_osek_frames"
ISR_TABLE = "carillon_osek_isr_budgets"
LOCK_TABLE = "carillon_osek_lock_budgets"
LOCK_BEGINS = "carillon_osek_lock_begins"
"""What each service that takes a lock calls; it alone reads the table, so the linker drops both where nobody takes one."""


def wrong_record(events: Events, alarm: Alarm, cell: Cell, record: Row) -> str:
    """What is wrong with the record of an alarm's cell (``struct carillon_osek_cell``); empty if nothing is.

    It names the cell's counter, the units in a tick of the alarm's counter, and the stores that stop it.
    """
    counter, units = record["counter"], record["units"]
    stop = stores(record.listed("stop", record["stop_count"]))
    if "ticks" in record:  # whose expiries the time base counts
        source, ticks = record["source"], record["ticks"]
        if source != cell.place.source:
            return f"has the source {source}, when {cell.place.name} has {cell.place.source}"
        if ticks != events.osek.counter(alarm.counter).tick:
            return f"has {ticks} units of the time base in a tick of '{alarm.counter}'"
    if events.hardware.counter(counter) is not cell:
        return f"has its counter at {counter:#x}, which is not that of {cell.place.name}"
    if cell.ticks(units) != events.osek.counter(alarm.counter).tick:
        return f"has {units} units of {cell.place.name} in a tick of '{alarm.counter}'"
    running = [c for _, c in events.hardware.cells if c.started is not None]
    try:
        with events.hardware.tried():
            events.hardware.carry_out(stop, None)
            stopped = [c for c in running if c.started is None]
    except UnreadableError as error:
        return f"is stopped by {error}"
    others = [c.place.name for c in stopped if c is not cell]
    if others:
        return f"stops {', '.join(others)}, when its own cell is to be stopped"
    if stray := events.hardware.strays(stop, [cell]):
        return stray
    return "" if cell in stopped else f"does not stop {cell.place.name}, when that is to be stopped"


def port_vector(meaning: Meaning, elf: Elf) -> str | None:
    """The port's vector of a cell of budgets that a vector is, if any, by its address: it may have the vendor's name, too."""
    return next((name for name in PORT_VECTORS if name in elf.symbols and elf.symbols[name].address == meaning.address), None)


def goes_on_as(meaning: Meaning, meanings: Meanings, elf: Elf) -> Meaning:
    """What a vector does; of a port's vector of a cell of budgets, what its handler does."""
    handler = elf.symbols.get(PORT_VECTORS.get(port_vector(meaning, elf) or "", ""))
    return meanings.of(handler.address) if handler is not None else meaning


def check_budget_cell(events: Events) -> None:
    """Check that budgets have their cell, the continuation of its vector, and the code that forgets its request."""
    cell = events.budget_cell
    forget, vector = events.elf.symbols.get(FORGET), events.elf.symbols.get(VECTOR)
    if cell is None:
        if events.osek.celled_budgets:
            events.error("C204", "tasks have execution budgets, and no cell keeps them")
        return
    if forget is not None:
        paths = events.meanings.of(forget.address).some_paths
        own = frozenset({cell.place.source})
        if any({s.sources for s in path if s.kind == "unpend"} != {own} for path in paths) and cell.place.source >= 16:
            events.error("C205", f"'{FORGET}' does not forget what {cell.place.name} asked for")
    if vector is not None and STRIKES not in {s.name for s in events.meanings.of(vector.address).every("call")}:
        events.error("C205", f"'{VECTOR}' does not lead to '{STRIKES}'")


def wrong_base(cell: Cell, lead: int) -> str:
    """The fault of the time base: it must turn over a whole number of turns after tick 0."""
    begins = cell.begins
    if begins is None or cell.again is None:
        return "is started without an interval"
    turn = cell.ticks(cell.again)
    return "" if turn > 0 and any((begins - origin) % turn == 0 for origin in (lead, 0)) else "does not begin a turn at tick 0"


def check_lock_budgets(events: Events) -> None:
    """The table of lock budgets: of each task a row, of its resources in their order, then three of interrupts."""
    if not events.osek.lock_budgets:
        return
    symbol = events.elf.symbols.get(LOCK_TABLE)
    if symbol is None and LOCK_BEGINS not in events.elf.symbols:
        events.unverified.append("lock budgets: no service that takes a lock is in the image, so that nothing has one")
        return
    every = events.elf.values(LOCK_TABLE)
    columns = len(every) // len(events.osek.tasks)
    if columns < 3 or len(every) != columns * len(events.osek.tasks):
        events.error("C205", "the table of lock budgets is missing, or has no row for each task")
        return
    for number, task in enumerate(events.osek.tasks):
        events.report.tables += 1
        units = every[number * columns : (number + 1) * columns]
        interrupts = [task.all_interrupts_lock, task.all_interrupts_lock, task.os_interrupts_lock]
        held = sorted(Fraction(ticks) for _, ticks in task.resource_locks)
        cell = events.budget_cell
        if cell is None:
            events.locks[task.name] = [*sorted(n for n in units[:-3] if n), *units[-3:]]
            continue
        row = [cell.ticks(n) if n else Fraction(0) for n in units]
        if row[-3:] != interrupts or sorted(t for t in row[:-3] if t) != held:
            events.error("C205", f"the task '{task.name}' has other lock budgets than those of the schedule", task.span)


def check_isr_budgets(events: Events) -> None:
    """The table of ISRs' budgets."""
    if events.osek.bounded_isrs and events.budget_cell is not None:
        _check_times(events, events.budget_cell, ISR_TABLE, "budget", [(it, it.budget) for it in events.osek.isrs])


def check_frames(events: Events) -> None:
    """The table of time frames: of all tasks, then of all ISRs."""
    if events.osek.framed and events.frame_cell is None:
        events.error("C204", "there are time frames, and no cell measures them")
    elif events.osek.framed and events.frame_cell is not None:
        every: list[OsekTask | Isr] = [*events.osek.tasks, *events.osek.isrs]
        _check_times(events, events.frame_cell, FRAME_TABLE, "time frame", [(it, it.time_frame) for it in every])


def _check_times(events: Events, cell: Cell, table: str, what: str, wanted: Sequence[tuple[OsekTask | Isr, int | None]]) -> None:
    """Compare a table of times, each in units of a cell that counts down, with what the schedule says of each object."""
    every = events.elf.values(table)
    if len(every) != len(wanted):
        events.error("C205", f"the table of {what}s, '{table}', is missing, or has not {len(wanted)} of them")
        return
    for (it, ticks), units in zip(wanted, every, strict=True):
        events.report.tables += 1
        time = cell.ticks(units) if units else Fraction(0)
        if time != ticks:
            events.error("C205", f"'{it.name}' has a {what} of {float(time):g} ticks, and not of {ticks}", it.span)


def budget_turn(cell: Cell) -> Fraction:
    """In how many ticks a cell of budgets counts down once (SPEC, 'Execution budgets')."""
    return Fraction(1 << min(24, cell.place.array.width - 1))


def budget_turns(events: Events, cell: Cell) -> tuple[Fraction, Fraction]:
    """When a cell of budgets turns over first, and how often: at any time, of a match whose counter nobody sets."""
    kept = events.hardware.match_of(cell)
    if kept is None or kept.bits >= 32 or cell.begins is None:
        return budget_turn(cell), budget_turn(cell)
    return cell.begins - events.system.board.lead_at(events.system.clock_hz), cell.ticks(1 << kept.bits)


def turns_of(events: Events, service: Service, cell: Cell) -> tuple[Span, str] | None:
    """Of a cell that does nothing but count down again and again, the place in the schedule, and a phrase; None of others."""
    osek, bounded = events.osek, events.system.bounded
    if service.kind == "budgets" and osek.budgets:
        events.budget_cell = cell
    elif service.kind == "round budgets" and bounded:
        events.round_budget_cell = cell
    elif service.kind == "frames" and osek.framed:
        events.frame_cell = cell
    else:
        return None
    return bounded[0].span if service.kind == "round budgets" else osek.span, f"turn of the cell of {service.kind}"


def own_stack(events: Events, task: OsekTask, row: Row) -> str:
    """The fault of the state and the stack that the table of tasks gives a task."""
    extended, stack, words = row["extended"], row["stack"], row["stack_words"]
    if bool(extended) != task.extended:
        return "has a stack of its own" if extended else "has no stack of its own"
    if not task.extended:
        return "has a stack, and cannot wait" if stack or words else ""
    state = events.elf.symbols.get(c_names.extended(task.name))
    if state is None or extended != state.address:
        return f"keeps its events in '{events.elf.name_of(extended)}'"
    memory = events.elf.symbols.get(c_names.stack(task.name))
    if memory is None or stack != memory.address:
        return f"has '{events.elf.name_of(stack)}' as its stack"
    said = task.stack or events.system.board.stack
    if 8 * words != memory.size or memory.size < said:
        return f"has {8 * words} bytes of stack, '{memory.name}' {memory.size}, and the schedule says {said}"
    return ""


def serves_cells(events: Events, level: int, cells: int) -> str:
    """The fault of the function that serves the cells at a task's level."""
    serves = events.elf.symbols.get(c_names.cells(level))
    if cells == (serves.address if serves is not None else 0):
        return ""
    return f"has cells served by '{events.elf.name_of(cells)}'" if cells else "does not serve the cells of its level"
