# SPDX-License-Identifier: Apache-2.0
"""What handlers do, one file for each action: as statements of a handler of its own, and as an entry of a table.

The file has the name of the action's.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from carillon.actions import Action
from carillon.actions.every import ACTIONS
from carillon.allocate.result import Carrier
from carillon.emit.osek import budgets
from carillon.emit.pieces.common import run
from carillon.emit.pieces.entry import Entry
from carillon.image import Image, ModeImage
from carillon.lower import ExpiryPoint

_FILES = {m.name for m in iter_modules(__path__)}


def _module(action: type[Action]) -> ModuleType | None:
    name = action.__module__.rpartition(".")[2]
    return import_module(f"{__name__}.{name}") if name in _FILES else None


_MODULES = {action: module for action in ACTIONS.values() if (module := _module(action)) is not None}

BODIES: dict[type[Action], Callable[[Image, ModeImage, Carrier], list[str]]] = {a: m.body for a, m in _MODULES.items()}
"""The statements of a carrier's handler; none if the vector is the task's function."""

ENTRIES: dict[type[Action], Callable[[Image, ExpiryPoint], Entry]] = {
    a: m.entry for a, m in _MODULES.items() if hasattr(m, "entry")
}
"""What an entry of a table says of a point."""


def statements(image: Image, mode: ModeImage, carrier: Carrier) -> list[str]:
    """The same as :data:`BODIES`, and what stands around them in a handler that has its source to itself."""
    own = BODIES[type(carrier.action)](image, mode, carrier)
    if not own and not budgets.are_kept(image):
        return []
    return budgets.standing_still(image, own or [run(image.system.task(carrier.demand.object).entry)])
