# SPDX-License-Identifier: Apache-2.0
"""What switches of the kernel there are (``registry.toml``), and what each is in an image that lacks its part.

Every switch is in each image that has the file, so that C asks for a value, never whether there is one.  Of an image without an
event-triggered system there is no ``carillon_osek.h``, and none of the files that read it is compiled.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from carillon.image import OneOf, Unsigned, Value


class Kind(Enum):
    """What the value of a switch is."""

    FLAG = "flag"  # 1 or 0
    NUMBER = "number"
    NAME = "name"  # of a macro or a function
    EXPRESSION = "expression"  # of C: perhaps with an argument, or a number, or the macro of one


@dataclass(frozen=True, slots=True)
class Switch:
    """A macro of the kernel's configuration."""

    name: str
    kind: Kind
    off: Value | None  # in an image without the part; None: each image computes it
    asks: str  # what of the schedule, or else of the board, asks for it
    says: str


def _value(written: Any) -> Value | None:
    """A value as ``registry.toml`` has it."""
    if isinstance(written, list):
        return OneOf(written)
    if isinstance(written, str) and written[:1].isdigit():
        return Unsigned(written.removesuffix("u"))
    found: Value | None = written
    return found


def _read() -> dict[str, dict[str, tuple[Switch, ...]]]:
    def switch(row: dict[str, Any]) -> Switch:
        return Switch(row["name"], Kind(row["kind"]), _value(row.get("off")), row["asks"], row["says"])

    files = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {file: {part: tuple(map(switch, rows)) for part, rows in parts.items()} for file, parts in files.items()}


FILES = _read()
"""All switches, by generated file and part."""

OPTIONAL = frozenset({"CARILLON_LOADER_RESETS"})
"""What only some images define: the name of a function of the application, which others do not have."""


def of_file(name: str) -> tuple[Switch, ...]:
    """All switches of a generated file."""
    return tuple(switch for part in FILES[name].values() for switch in part)


def _off(name: str) -> dict[str, Value]:
    return {switch.name: switch.off for switch in of_file(name) if switch.off is not None}


OFF = _off("carillon_config.h")
"""What the switches of ``carillon_config.h`` are where nothing else is said."""

OSEK_OFF = _off("carillon_osek.h")
"""What switches of ``carillon_osek.h`` are where nothing else is said."""
