# SPDX-License-Identifier: Apache-2.0
"""Items that have names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_Item = TypeVar("_Item", bound=_Named)


def named(items: Iterable[_Item], name: str) -> _Item:
    """The item of that name; KeyError if there is none."""
    for item in items:
        if item.name == name:
            return item
    raise KeyError(name)
