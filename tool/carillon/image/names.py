# SPDX-License-Identifier: Apache-2.0
"""The names of variables and functions that the generated C defines for an allocation."""

from __future__ import annotations

from carillon import c_names
from carillon.actions import Action
from carillon.allocate.osek import OsekAllocation, TaskKind, TaskLevel
from carillon.allocate.result import Carrier
from carillon.image import CellImage, Image, ModeImage
from carillon.lower.events import Series
from carillon.model.osek import Alarm


def symbol(image: Image, mode: ModeImage, action: Action) -> str:
    """The name of a generated handler: role, number of the mode, object; the order keeps all names different."""
    name = f"carillon_{action.role.value}_{image.modes.index(mode)}"
    return f"{name}_{action.object}" if action.named else name


def multiplex(image: Image, mode: ModeImage, cell: CellImage) -> str:
    """The name of what a multiplexed cell is at."""
    return "carillon_multiplex_" + symbol(image, mode, cell.carrier.action).removeprefix("carillon_")


def guard(task: str) -> str:
    """The name of a task's flags."""
    return f"carillon_guard_{task}"


def point(series: Series, own: bool) -> str:
    """What the handler of a schedule table's cell is called: the table, and the number of the action.

    ``own``: each cell of an action has a handler, and all but the first have greater numbers.
    """
    if series.action is None:
        return f"carillon_{series.part}_{series.table.name}"
    actions = series.table.actions
    turn = series.table.series(series.action).index(series.offsets) if own else 0
    return f"carillon_point_{series.table.name}_{actions.index(series.action) + turn * len(actions)}"


def alarm(allocation: OsekAllocation, it: Alarm, carrier: Carrier) -> str:
    """The name of the handler of an alarm's cell; the handler of several cells is named after their source."""
    return f"carillon_joined_{carrier.source}" if carrier.source in allocation.joined else f"carillon_alarm_{it.name}"


def part(allocation: OsekAllocation, carrier: Carrier) -> str:
    """What the handler of a part of a counter's queue is called."""
    first = carrier.part < len(allocation.osek.counters)
    return f"carillon_counter_{carrier.demand.name}" if first else f"carillon_part_{carrier.demand.name}_{carrier.level}"


def level(it: TaskLevel) -> str:
    """What the handler of a level of tasks is called."""
    return f"carillon_vector_{it.tasks[0].name}" if it.kind is TaskKind.DIRECT else c_names.level(it.number)
