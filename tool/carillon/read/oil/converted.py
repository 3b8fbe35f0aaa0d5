# SPDX-License-Identifier: Apache-2.0
"""A schedule's data as an OIL file gives them, and what else is known of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from carillon.diagnostics import Span
from carillon.read.oil.places import OilPlaces
from carillon.read.oil.resolve import Attributes
from carillon.read.spans import Path


@dataclass(frozen=True, slots=True)
class Leftover:
    """Something that is not carried over: of which object, as it is written, and where."""

    owner: str
    text: str
    span: Span


@dataclass(slots=True)
class Converted:
    """A schedule's data as TOML would give them, and what else is known of them.

    ``descriptions`` are OIL's, by the path of what they describe; ``notes`` say what Carillon chose.
    """

    data: dict[str, Any]
    places: OilPlaces
    broken: set[Path] = field(default_factory=set)
    descriptions: dict[Path, str] = field(default_factory=dict)
    notes: dict[Path, str] = field(default_factory=dict)
    leftovers: list[Leftover] = field(default_factory=list)


@dataclass(slots=True)
class Merged:
    """All blocks of one object."""

    kind: str
    name: str
    span: Span
    attributes: Attributes
