# SPDX-License-Identifier: Apache-2.0
"""Of what form the handler of a task of the rounds is."""

from __future__ import annotations

from carillon.actions.activate import Activate
from carillon.actions.check_deadline import CheckDeadline
from carillon.allocate.result import Carrier, Guard, Style
from carillon.image import CellImage, Image, ModeImage
from carillon.model.family import Capability


def deadline_cells(mode: ModeImage, task: str) -> list[CellImage]:
    """The cells of a task's deadlines, which the task's handler arms and disarms."""
    return [c for c in mode.cells if isinstance(c.carrier.action, CheckDeadline) and c.carrier.demand.object == task]


def only_held(image: Image, mode: ModeImage, carrier: Carrier) -> bool:
    """Whether the port holds a task's source back around the task, and arms its deadlines, in its own way, and does no more."""
    deadlines = deadline_cells(mode, carrier.demand.object)
    return (
        image.system.board.vectors == "code"
        and not image.system.bounded
        and isinstance(carrier.action, Activate)
        and carrier.guard is Guard.HOLD
        and carrier.style is Style.DIRECT
        and not carrier.lowered
        and not any(c.use.cell.array.acknowledge for c in mode.cells if c.carrier is carrier)
        and not carrier.forgets
        and all(c.disarmed and c.carrier.style is Style.DIRECT for c in deadlines)
        and all(c.use.cell.array.request_enable == "controller" for c in deadlines)
    )


def armed_by_expiry(image: Image, mode: ModeImage) -> dict[int, list[CellImage]]:
    """By the source of an activation, the deadlines that the expiry of its cell arms, and the end of its handler disarms.

    So its vector has nothing to do around the task.  Of one cell's activations one waits at most, as in the interrupt controller:
    the array counts them in the same way.
    """
    found: dict[int, list[CellImage]] = {}
    if image.system.board.handlers != "own" or image.system.bounded or (image.osek and image.osek.allocation.budgets):
        return found
    for cell in mode.cells:
        carrier, name = cell.carrier, cell.carrier.demand.object
        if not isinstance(carrier.action, Activate) or Capability.ARMS not in cell.family.can or carrier.lowered:
            continue
        alone = [c for c in mode.cells if c.carrier.demand.object == name and isinstance(c.carrier.action, Activate)] == [cell]
        if not alone or carrier.style is not Style.DIRECT or carrier.guard is not Guard.NONE or carrier.forgets:
            continue
        deadlines = deadline_cells(mode, name)
        if deadlines and all(c.disarmed and c.use.cell.array == cell.use.cell.array for c in deadlines):
            found[carrier.source] = deadlines
    return found


def plain(image: Image, carrier: Carrier) -> bool:
    """Whether an activation's handler has interrupts off where others nest by time: for a flag, or to re-arm its cell.

    Of a system with budgets each has, so that their cell never asks within a handler, but in a task.
    """
    needed = carrier.guard is Guard.FLAG or carrier.style is Style.MULTIPLEXED or bool(image.system.bounded)
    return image.system.board.nesting == "time" and needed


def runs_apart(image: Image, carrier: Carrier) -> bool:
    """Whether a task's level differs from its handler's: the handler is above the task, or has interrupts off."""
    return carrier.lowered or plain(image, carrier)


def budget_kind(image: Image) -> str:
    """``task`` if each of the rounds' tasks has a cell for its budget, else ``round``: so files and prices are named."""
    return "task" if image.osek is not None and image.osek.allocation.task_budgets else "round"
