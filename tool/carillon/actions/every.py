# SPDX-License-Identifier: Apache-2.0
"""Every action: the files of this folder say which there are, so that a new one is in no list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from carillon import actions
from carillon.actions import Action
from carillon.model.osek import AlarmAction


def _found() -> dict[str, type[Action]]:
    modules = [import_module(f"{actions.__name__}.{m.name}") for m in iter_modules(actions.__path__) if m.name != "every"]
    classes = [c for m in modules for c in vars(m).values() if isinstance(c, type) and c.__module__ == m.__name__]
    return {c.__name__: c for c in classes if issubclass(c, Action)}


ACTIONS: dict[str, type[Action]] = _found()
"""By the name of its class, in the order of the files."""


def of(alarm: AlarmAction) -> Action:
    """What an alarm of the schedule does."""
    values: list[Any] = [getattr(alarm, f.name) for f in fields(alarm)]
    own = [tuple(of(one) for one in value) if isinstance(value, tuple) else value for value in values]
    found: Callable[..., Action] = next(c for c in ACTIONS.values() if c.says is type(alarm))
    return found(*own)
