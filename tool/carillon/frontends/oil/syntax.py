# SPDX-License-Identifier: Apache-2.0
"""The contents of an OIL file before checks: values, assignments, objects and attribute definitions."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from carillon.diagnostics import Span

OBJECTS = (
    "OS",
    "TASK",
    "COUNTER",
    "ALARM",
    "RESOURCE",
    "EVENT",
    "ISR",
    "MESSAGE",
    "COM",
    "NM",
    "APPMODE",
    "IPDU",
    "NETWORKMESSAGE",
    "SCHEDULETABLE",
    "APPLICATION",
    "OSAPPLICATION",
    "SPINLOCK",
)
"""Kinds of objects: OIL 2.5's and the AUTOSAR OS's."""
NUMBERS = ("UINT32", "INT32", "UINT64", "INT64", "FLOAT")
TYPES = (*NUMBERS, "ENUM", "STRING", "BOOLEAN")
"""Types of attributes.  References are further ones: TASK_TYPE and the like."""


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier as a value: an enumerator, an object's name, TRUE, FALSE or AUTO."""

    text: str

    def __str__(self) -> str:
        return self.text


Literal = int | Fraction | str | Name
"""A value as written: an integer, a number with a point, a string, or a name."""


@dataclass(slots=True)
class Value:
    """A value, and the block of attributes behind it; ``wrong``: the value was reported already."""

    literal: Literal
    span: Span
    block: list[Assignment] | None = None
    wrong: bool = False


@dataclass(slots=True)
class Assignment:
    """``name = value;`` and its description."""

    name: str
    span: Span
    value: Value
    description: str = ""


@dataclass(slots=True)
class Object:
    """One block of an object, or of a CPU; several blocks of the same kind and name are one object."""

    kind: str
    name: str
    span: Span
    body: list[Assignment] = field(default_factory=list)
    description: str = ""


@dataclass(slots=True)
class Definition:
    """An attribute of an implementation definition.

    ``type`` is one of TYPES, a reference such as TASK_TYPE, or what a tool has beyond them.  ``low`` and ``high``, or
    ``choices``, limit a number; ``variants`` are the enumerators, or TRUE and FALSE, and the attributes behind each.
    """

    name: str
    type: str
    span: Span
    auto: bool = False
    low: int | Fraction | None = None
    high: int | Fraction | None = None
    choices: list[int | Fraction] | None = None
    variants: dict[str, Definitions] = field(default_factory=dict)
    multiple: bool = False
    default: Value | None = None
    required: bool = False
    description: str = ""


Definitions = dict[str, Definition]


@dataclass(slots=True)
class OilFile:
    """The contents of a file and its includes, in order; ``description`` is that of the version."""

    version: tuple[str, Span] | None = None
    description: str = ""
    implementation: dict[str, Definitions] = field(default_factory=dict)
    cpus: list[Object] = field(default_factory=list)
    objects: list[Object] = field(default_factory=list)
    malformed: bool = False


def shown(literal: Literal) -> str:
    """How messages and comments write a value."""
    if isinstance(literal, str):
        return '"' + literal.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(literal, Fraction):
        return str(float(literal))
    return str(literal)
