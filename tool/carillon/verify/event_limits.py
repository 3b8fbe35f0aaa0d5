# SPDX-License-Identifier: Apache-2.0
"""What the image keeps for a task: its lock budgets and time frames, its state and stack, and the cells of its level."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from carillon.model.osek import Isr, OsekTask
from carillon.verify.contract import Reader

if TYPE_CHECKING:
    from carillon.verify.events import Events

FRAME_TABLE = "carillon_osek_frames"
LOCK_TABLE = "carillon_osek_lock_budgets"
LOCK_BEGINS = "carillon_osek_lock_begins"
"""What each service that takes a lock calls; it alone reads the table, so the linker drops both where nobody takes one."""


def check_lock_budgets(events: Events) -> None:
    """The table of lock budgets: of each task a row, of its resources in their order, then three of interrupts."""
    if not events.osek.lock_budgets or events.budget_cell is None:
        return
    symbol = events.elf.symbols.get(LOCK_TABLE)
    if symbol is None and LOCK_BEGINS not in events.elf.symbols:
        events.unverified.append("lock budgets: no service that takes a lock is in the image, so that nothing has one")
        return
    columns = symbol.size // (4 * len(events.osek.tasks)) if symbol is not None else 0
    if symbol is None or columns < 3 or symbol.size != 4 * columns * len(events.osek.tasks):
        events.error("C205", None, "the table of lock budgets is missing, or has no row for each task")
        return
    reader = Reader(events.elf, symbol.address)
    for task in events.osek.tasks:
        events.report.tables += 1
        units = [reader.take(4) for _ in range(columns)]
        row = [events.budget_cell.ticks(n) if n else Fraction(0) for n in units]
        interrupts = [task.all_interrupts_lock, task.all_interrupts_lock, task.os_interrupts_lock]
        held = sorted(Fraction(ticks) for _, ticks in task.resource_locks)
        if row[-3:] != interrupts or sorted(t for t in row[:-3] if t) != held:
            events.error("C205", task.span, f"the task '{task.name}' has other lock budgets than those of the schedule")


def check_frames(events: Events) -> None:
    """The table of time frames: of all tasks, then of all ISRs."""
    if not events.osek.framed:
        return
    if events.frame_cell is None:
        events.error("C204", None, "there are time frames, and no cell measures them")
        return
    every: list[OsekTask | Isr] = [*events.osek.tasks, *events.osek.isrs]
    symbol = events.elf.symbols.get(FRAME_TABLE)
    if symbol is None or symbol.size != 4 * len(every):
        events.error("C205", None, f"the table of time frames is missing, or has not {len(every)} of them")
        return
    reader = Reader(events.elf, symbol.address)
    for it in every:
        events.report.tables += 1
        frame = events.frame_cell.ticks(reader.take(4))
        if frame != it.time_frame:
            events.error("C205", it.span, f"'{it.name}' has a time frame of {float(frame):g} ticks, and not of {it.time_frame}")


def own_stack(events: Events, task: OsekTask, extended: int, stack: int, words: int) -> str:
    """What is wrong with the state and the stack that the table of tasks gives a task."""
    if bool(extended) != task.extended:
        return "has a stack of its own" if extended else "has no stack of its own"
    if not task.extended:
        return "has a stack, and cannot wait" if stack or words else ""
    state = events.elf.symbols.get(f"carillon_extended_{task.name}")
    if state is None or events.elf.data(extended) != state.address:
        return f"keeps its events in '{events.elf.name_of(events.elf.data(extended))}'"
    memory = events.elf.symbols.get(f"carillon_stack_{task.name}")
    if memory is None or events.elf.data(stack) != memory.address:
        return f"has '{events.elf.name_of(events.elf.data(stack))}' as its stack"
    said = task.stack or events.system.board.stack
    if 8 * words != memory.size or memory.size < said:
        return f"has {8 * words} bytes of stack, '{memory.name}' {memory.size}, and the schedule says {said}"
    return ""


def serves_cells(events: Events, level: int, cells: int) -> str:
    """What is wrong with the function that serves the cells at a task's level."""
    serves = events.elf.symbols.get(f"carillon_cells_{level}")
    if (events.elf.code(cells) if cells else 0) == (serves.address if serves is not None else 0):
        return ""
    return (
        f"has cells served by '{events.elf.name_of(events.elf.code(cells))}'"
        if cells
        else "does not serve the cells of its level"
    )
