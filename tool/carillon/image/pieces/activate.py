# SPDX-License-Identifier: Apache-2.0
"""Activate a task: arm its deadlines, run it within its guard, disarm them."""

from __future__ import annotations

from carillon.actions.activate import Activate
from carillon.allocate.result import Carrier, Guard, Style
from carillon.image import CellImage, Entry, Image, ModeImage, names
from carillon.image.forms import armed_by_expiry, deadline_cells, runs_apart
from carillon.image.levels import controlled
from carillon.image.operations import Does, Operation
from carillon.image.pieces.common import acknowledge, by_register, cells_of, operate, rearm, task_number
from carillon.lower import ExpiryPoint
from carillon.model.family import Capability


def operations(image: Image, mode: ModeImage, carrier: Carrier) -> list[Operation]:
    """What a task's handler does; nothing if the vector can be the task's function.

    What belongs to the cell is done at every expiry, what belongs to the task each time that it runs.
    """
    task = image.system.task(carrier.demand.object)
    deadlines = [] if carrier.source in armed_by_expiry(image, mode) else deadline_cells(mode, task.name)
    cells = cells_of(mode, carrier)
    before = acknowledge(image, mode, cells) + rearm(image, mode, carrier)
    after = _arming(image, deadlines, Does.DISARM)
    for cell in deadlines:
        if cell.carrier.style is Style.MULTIPLEXED:
            after.append(operate(cell, Does.POSTPONE, names.multiplex(image, mode, cell)))
    if not before and not after and not deadlines and not carrier.lowered and carrier.guard is Guard.NONE:
        return []
    start = _forgetting(image, mode, carrier) + _arming(image, deadlines, Does.ARM)
    if carrier.lowered and len(image.modes) > 1:
        start.append(Operation(Does.ONE_MORE_LOWERED))
        after.insert(0, Operation(Does.ONE_LESS_LOWERED))
    finish = []
    if before and _deferred(image, mode, carrier, cells):
        before, finish = [operate(cells[0], Does.BEGIN)], [operate(cells[0], Does.NEXT)]
    run = Operation(Does.RUN_LOWERED if runs_apart(image, carrier) else Does.RUN, name=task.entry)
    return _guarded(carrier, before, [*start, run, *after], finish)


def _deferred(image: Image, mode: ModeImage, carrier: Carrier, cells: list[CellImage]) -> bool:
    """Whether a match is moved after the task, so that less is done before it.

    Until then its cell expires no more, but for once in a turn of the counter; if that finds the task running, a guard says so.
    Nothing but this handler may move the match: no other cell of the task, and no synchronisation.
    """
    sharing = [c for c in mode.allocation.carriers if c.demand.object == carrier.demand.object and c.action.runs]
    alone = len(sharing) == len(cells) == 1 and carrier.style is Style.DIRECT and image.system.sync is None
    return alone and cells[0].use.cell.array.moves and Capability.DEFER in cells[0].family.can


def _arming(image: Image, cells: list[CellImage], how: Does) -> list[Operation]:
    """Arm or disarm direct deadline cells: one operation per request register of the controller, or one per cell."""
    held = [c for c in cells if c.disarmed]
    by_controller = [c.carrier.source for c in held if c.use.cell.array.request_enable == "controller"]
    found = [Operation(how, sources=sources) for sources in by_register(image.system.board, by_controller)]
    return found + [operate(c, how) for c in held if c.use.cell.array.request_enable == "cell"]


def _forgetting(image: Image, mode: ModeImage, carrier: Carrier) -> list[Operation]:
    """Take back what the task's other sources asked for."""
    board = image.system.board
    cells = [c for c in mode.cells if isinstance(c.carrier.action, Activate) and c.carrier.source in carrier.forgets]
    held = [source for source in carrier.forgets if controlled(board, source)]
    found = [Operation(Does.FORGET, sources=sources) for sources in by_register(board, held)]
    found += [Operation(Does.FORGET, sources=(s,)) for s in carrier.forgets if s not in held]
    return acknowledge(image, mode, cells, others=True) + found


def _guarded(carrier: Carrier, before: list[Operation], during: list[Operation], finish: list[Operation]) -> list[Operation]:
    """The operations ``before`` of every expiry, then the task's run (``during``) within its guard, and what follows a run."""
    if carrier.guard is Guard.HOLD:
        held = (carrier.source,)
        return [Operation(Does.HOLD, sources=held), *before, *during, *finish, Operation(Does.ENABLE, sources=held)]
    if carrier.guard is Guard.FLAG:
        waits, begin, end = (
            Operation(does, name=names.guard(carrier.demand.object))
            for does in (Does.GUARD_WAITS, Does.GUARD_BEGIN, Does.GUARD_END)
        )
        return [*before, waits, begin, *during, end, *finish]
    return [*before, *during, *finish]


def entry(image: Image, point: ExpiryPoint) -> Entry:
    """As an entry of a table: the task's function, and its number."""
    return Entry(image.system.task(point.object).entry, object=task_number(image, point.object))
