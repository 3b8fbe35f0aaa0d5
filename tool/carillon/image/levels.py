# SPDX-License-Identifier: Apache-2.0
"""The level of each interrupt source in a mode and in the event-triggered system, and whether the source is enabled."""

from __future__ import annotations

from carillon.allocate.osek import OsekAllocation
from carillon.image import Image, ModeImage
from carillon.image.forms import armed_by_expiry
from carillon.model.board import Board


def base_levels(image: Image) -> int:
    """How many levels lie below everything time-triggered: the event-triggered system, then interrupts below tasks."""
    osek = image.osek.allocation.hardware_levels if image.osek is not None else 0
    return osek + any(not i.above_tasks for i in image.system.interrupts)


def mode_levels(image: Image, mode: ModeImage) -> dict[int, int]:
    """Source -> level, of what a mode's round uses."""
    levels = {c.carrier.source: c.carrier.level for c in mode.cells}
    for interrupt in image.system.interrupts:
        levels[interrupt.source] = mode.allocation.above_tasks_level if interrupt.above_tasks else base_levels(image)
    return levels


def osek_levels(allocation: OsekAllocation) -> dict[int, int]:
    """Source -> the controller's level, of what the event-triggered system uses."""
    levels = {c.source: allocation.hardware(c.level) for c in allocation.carriers}
    levels |= {isr.source: allocation.hardware(level) for isr, level in allocation.isrs}
    if allocation.software:
        return levels | ({allocation.dispatcher: 1} if allocation.dispatcher else {})
    levels |= {source: level + 1 for level, source in allocation.turns.items()}
    return levels | {level.source: level.number for level in allocation.levels}


def lowered_level(image: Image) -> int:
    """The level at which handlers go on that have lowered the execution priority: the highest of their own; 0 if none does.

    A round's handlers may be at any level, so theirs is the top.  What is event-triggered must not go on above a round.
    """
    modes = image.modes
    if any(c.lowered for m in modes for c in m.allocation.carriers):
        return image.system.board.levels
    if image.osek is None:
        return 0
    allocation = image.osek.allocation
    if allocation.software:
        return 1  # the dispatcher's
    return allocation.hardware(allocation.top) if allocation.slices or allocation.turns else 0


def controlled(board: Board, source: int) -> bool:
    """Whether the interrupt controller enables this source's requests (system exceptions have their own ways)."""
    return source >= board.request_base


def enabled(image: Image, mode: ModeImage) -> list[int]:
    """Sources that may interrupt as soon as the mode runs."""
    board = image.system.board
    armed = [cell for cells in armed_by_expiry(image, mode).values() for cell in cells]
    return [
        cell.carrier.source
        for cell in mode.cells
        if controlled(board, cell.carrier.source)
        and not (cell.disarmed and cell not in armed and cell.use.cell.array.request_enable == "controller")
    ]


def ground_state(image: Image, mode: ModeImage) -> tuple[tuple[int, ...], int]:
    """Sources of which none may be active when the mode is left, and how many of the first may not be waiting either.

    A task that is activated at the very tick of the switch, the first of a round that does not begin, may wait.  So may a
    table's handler, which asks itself where the table has the switch.
    """
    at = (mode.control.at if mode.control else 0) % mode.allocation.mode.round_length
    tasks = [c.carrier for c in mode.cells if c.carrier.action.runs]
    if mode.dispatch is not None and not (mode.control and mode.control.cell is mode.dispatch):
        tasks.append(mode.dispatch.carrier)
    due = {c.source for c in tasks if at in {t % mode.allocation.mode.round_length for t in c.demand.times}}
    first = sorted({c.source for c in tasks} - due)
    return (*first, *sorted(due), *sorted(i.source for i in image.system.interrupts)), len(first)
