# SPDX-License-Identifier: Apache-2.0
"""Activate a task: arm its deadlines, run it within its guard, disarm them."""

from __future__ import annotations

from carillon.actions.activate import Activate
from carillon.allocate.result import Carrier, Guard, Style
from carillon.emit import text
from carillon.emit.pieces.common import acknowledge, cells_of, multiplex, operation, run
from carillon.emit.pieces.entry import Entry
from carillon.image import CellImage, Image, ModeImage
from carillon.image.handlers import deadline_cells, runs_apart
from carillon.image.levels import controlled
from carillon.lower import ExpiryPoint


def body(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    """The body of a task's handler; empty if the vector can be the task's function.

    What belongs to the cell is done at every expiry, what belongs to the task each time that it runs.
    """
    cells = cells_of(mode, carrier)
    task = image.system.task(carrier.demand.object)
    deadlines = deadline_cells(mode, task.name)
    before = acknowledge(cells)
    before += [operation(c, "rearm", multiplex(image, mode, c)) for c in cells if carrier.style is Style.MULTIPLEXED]
    after = _arming(image, deadlines, "disarm")
    for cell in deadlines:
        if cell.carrier.style is Style.MULTIPLEXED:
            after.append(operation(cell, "postpone", multiplex(image, mode, cell)))
    if not before and not after and not deadlines and not carrier.lowered and carrier.guard is Guard.NONE:
        return []
    start = _forgetting(image, mode, carrier) + _arming(image, deadlines, "arm")
    if carrier.lowered and len(image.modes) > 1:
        start.append("    carillon_lowered_tasks++;")
        after.insert(0, "    carillon_lowered_tasks--;")
    call = f"    carillon_port_run_lowered({task.entry});" if runs_apart(image, carrier) else run(task.entry)
    return _guarded(carrier, before, [*start, call, *after])


def _arming(image: Image, cells: list[CellImage], how: str) -> list[str]:
    """Statements that arm or disarm direct deadline cells: one for each request register, or one for each cell."""
    held = [c for c in cells if c.disarmed]
    by_controller = [c.carrier.source for c in held if c.use.cell.array.request_enable == "controller"]
    lines = [f"    carillon_port_{how}({s}, {bits});" for s, bits in text.masks(image.system.board, by_controller)]
    return lines + [operation(c, how, c.number) for c in held if c.use.cell.array.request_enable == "cell"]


def guard_name(task: str) -> str:
    """The name of a task's flags."""
    return f"carillon_guard_{task}"


def _forgetting(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    """Statements that take back what the task's other sources asked for."""
    board = image.system.board
    cells = [c for c in mode.cells if isinstance(c.carrier.action, Activate) and c.carrier.source in carrier.forgets]
    held = [source for source in carrier.forgets if controlled(board, source)]
    lines = [f"    carillon_port_forget({s}, {bits});" for s, bits in text.masks(board, held)]
    lines += [f"    carillon_port_forget({s}, CARILLON_SOURCE_BIT({s}));" for s in carrier.forgets if s not in held]
    return acknowledge(cells) + lines


def _guarded(carrier: Carrier, before: list[str], during: list[str]) -> list[str]:
    """A handler's body: what every expiry asks for, then the task's run within its guard."""
    source, bit = carrier.source, f"CARILLON_SOURCE_BIT({carrier.source})"
    if carrier.guard is Guard.HOLD:
        return [f"    carillon_port_hold({source}, {bit});", *before, *during, f"    carillon_port_enable({source}, {bit});"]
    if carrier.guard is Guard.FLAG:
        name = guard_name(carrier.demand.object)
        return [
            *before,
            f"    if (!carillon_guard_waits(&{name})) {{",
            "        do {",
            f"            carillon_guard_begin(&{name});",
            *("        " + line for line in during),
            f"        }} while (carillon_guard_end(&{name}));",
            "    }",
        ]
    return [*before, *during]


def entry(image: Image, point: ExpiryPoint) -> Entry:
    """As an entry of a table: the task's function, and its number."""
    return Entry(image.system.task(point.object).entry, "0u", text.task_number(image, point.object))
