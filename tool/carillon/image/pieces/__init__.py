# SPDX-License-Identifier: Apache-2.0
"""The actions at expiry points, one file each: as operations of a handler, and as an entry of a table.

A file is named after its action.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from carillon.actions import Action
from carillon.actions.every import ACTIONS
from carillon.allocate.result import Carrier
from carillon.image import Entry, Image, ModeImage
from carillon.image.operations import Operation
from carillon.lower import ExpiryPoint

_FILES = {m.name for m in iter_modules(__path__)}


def _module(action: type[Action]) -> ModuleType | None:
    name = action.__module__.rpartition(".")[2]
    return import_module(f"{__name__}.{name}") if name in _FILES else None


_MODULES = {action: module for action in ACTIONS.values() if (module := _module(action)) is not None}

OPERATIONS: dict[type[Action], Callable[[Image, ModeImage, Carrier], list[Operation]]] = {
    a: m.operations for a, m in _MODULES.items()
}
"""What is done at an expiry of a carrier; nothing if the vector is the task's function."""

ENTRIES: dict[type[Action], Callable[[Image, ExpiryPoint], Entry]] = {
    a: m.entry for a, m in _MODULES.items() if hasattr(m, "entry")
}
"""What an entry of a table says of a point."""
