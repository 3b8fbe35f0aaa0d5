# SPDX-License-Identifier: Apache-2.0
"""Attributes against their definitions: types, ranges, defaults, AUTO, and blocks that merge.

The definitions are Carillon's own (``standard.oil``), with those of the file's IMPLEMENTATION over them.  An
attribute that neither defines is kept as it is written: tools have many of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path

from pydantic import BaseModel

from carillon.check.common import article
from carillon.diagnostics import Diagnostics, Span, suggestion
from carillon.frontends.oil.lexer import Lexer
from carillon.frontends.oil.parser import Parser
from carillon.frontends.oil.syntax import NUMBERS, Assignment, Definition, Definitions, Literal, Name, Value, shown
from carillon.groups import grouped
from carillon.read import schema_osek as schema
from carillon.read.called import keys
from carillon.units import shorten

STANDARD = Path(__file__).with_name("standard.oil")
OWN = "CARILLON_"
"""How the names of attributes begin that only Carillon has."""
AUTO = Name("AUTO")
STACK_NAMES = ("STACKSIZE", "StackSize", "STACK_SIZE", "STACK")
"""What tools call the size of a task's stack."""
_BOUNDS = {
    "UINT32": (0, 2**32 - 1),
    "INT32": (-(2**31), 2**31 - 1),
    "UINT64": (0, 2**64 - 1),
    "INT64": (-(2**63), 2**63 - 1),
}
Error = Callable[[str, Span, str, str], None]


@dataclass(slots=True)
class Resolved:
    """A value of ``owner`` that fits its definition, with its block; ``key``: the place of the attribute's name."""

    owner: str
    name: str
    literal: Literal
    span: Span
    key: Span
    block: Attributes
    description: str = ""
    default: bool = False
    used: bool = False


@dataclass(slots=True)
class Attributes:
    """The attributes of an object or block.  ``wrong``: names of attributes with a refused value."""

    owner: str
    span: Span
    values: dict[str, list[Resolved]] = field(default_factory=dict)
    wrong: set[str] = field(default_factory=set)
    known: Definitions = field(default_factory=dict)

    def one(self, name: str) -> Resolved | None:
        """The value of an attribute, which is marked as used; None without a value."""
        values = self.all(name)
        return values[0] if values else None

    def all(self, name: str) -> list[Resolved]:
        """All values of an attribute, which are marked as used."""
        values = self.values.get(name, [])
        for value in values:
            value.used = True
        return values

    def unused(self) -> Iterator[tuple[str, Resolved]]:
        """Every attribute in this block that nobody asked for, with the owner of the attribute's block."""
        for values in self.values.values():
            for value in values:
                if value.used:
                    yield from value.block.unused()
                elif not value.default and (any(value.block.unused()) or not any(value.block.taken())):
                    yield self.owner, value

    def everywhere(self, name: str) -> Iterator[Resolved]:
        """The values of every attribute of that name in here and in the blocks within."""
        for values in self.values.values():
            for value in values:
                if value.name == name:
                    yield value
                yield from value.block.everywhere(name)

    def taken(self) -> Iterator[Resolved]:
        """Every attribute in here that was asked for."""
        for values in self.values.values():
            for value in values:
                if value.used:
                    yield value
                yield from value.block.taken()


@dataclass(slots=True)
class Merged:
    """All blocks of one object."""

    kind: str
    name: str
    span: Span
    attributes: Attributes


@cache
def standard() -> dict[str, Definitions]:
    """Carillon's implementation definition, with the attributes that only Carillon has."""
    diagnostics = Diagnostics()
    lexer = Lexer(STANDARD, diagnostics)
    tokens = lexer.run()
    assert tokens is not None
    file = Parser(lexer, tokens).run()
    assert not diagnostics.reported, diagnostics.reported
    for kind, table in _TABLES.items():
        file.implementation[kind] |= {name: its for name, its in _own(table) if name not in file.implementation[kind]}
    return file.implementation


_TABLES: dict[str, type[BaseModel]] = {
    "OS": schema.OsekTable,
    "TASK": schema.OsekTaskTable,
    "ISR": schema.IsrTable,
    "COUNTER": schema.CounterTable,
    "ALARM": schema.AlarmTable,
    "SCHEDULETABLE": schema.ScheduleTableTable,
}
_TYPES = {"integer": "UINT32", "flag": "BOOLEAN", "word": "ENUM", "time": "STRING"}


def _own(table: type[BaseModel]) -> Iterator[tuple[str, Definition]]:
    """The attributes of an object that are keys of the table, and only Carillon's."""
    for key in keys(table):
        name = key.called.oil
        if name.startswith(OWN) and not any(key.called.seconds):
            yield name, Definition(name, _TYPES[key.kind], Span(str(STANDARD)), variants={word: {} for word in key.words})


class Resolver:
    """Checks attributes; ``error`` takes a code, a place, a cause and a remedy."""

    def __init__(self, implementation: dict[str, Definitions], error: Error, *, complete: bool) -> None:
        self.error = error
        self.complete = complete
        self.definitions = {kind: dict(attributes) for kind, attributes in standard().items()}
        for kind, attributes in implementation.items():
            self._check_defaults(attributes)
            self.definitions.setdefault(kind, {}).update(attributes)

    def resolve(self, kind: str, owner: str, span: Span, body: list[Assignment]) -> Attributes:
        """The attributes of an object of that kind; ``owner``: the object's name in messages."""
        return self._block(kind, owner, span, body, self.definitions.get(kind, {}))

    # Definitions

    def _check_defaults(self, attributes: Definitions) -> None:
        for definition in attributes.values():
            for nested in definition.variants.values():
                self._check_defaults(nested)
            default = definition.default
            if default is None:
                continue
            wrong = self._misfit(default, definition)
            if wrong is not None:
                cause, remedy = wrong
                self.error("C148", default.span, f"the default of {definition.name}: {cause}", remedy)
                definition.default = None

    # Values

    def _block(self, label: str, owner: str, span: Span, body: list[Assignment], defined: Definitions) -> Attributes:
        attributes = Attributes(label, span, known=defined)
        blocks: dict[str, list[tuple[Assignment, Resolved]]] = {}
        for assignment in body:
            name = self._attribute(assignment, defined)
            definition = defined.get(name)
            if assignment.value.wrong:
                attributes.wrong.add(name)
                continue
            wrong = self._misfit(assignment.value, definition)
            if wrong is not None:
                cause, remedy = wrong
                attributes.wrong.add(name)
                self.error("C145", assignment.value.span, f"{name} of {owner}: {cause}", remedy)
                continue
            values = attributes.values.setdefault(name, [])
            literal = assignment.value.literal
            if definition is not None and not definition.multiple and values:
                first = values[0]
                if first.literal != literal:
                    cause = (
                        f"{name} of {owner} is {shown(first.literal)} {first.key.beside(assignment.span)} "
                        f"and {shown(literal)} here"
                    )
                    remedy = "an attribute has one value, in all blocks of an object together: remove one"
                    self.error("C146", assignment.span, cause, remedy)
                else:
                    blocks[name].append((assignment, first))
                    first.description = first.description or assignment.description
                continue
            value = Resolved(
                owner, name, literal, assignment.value.span, assignment.span, Attributes("", span), assignment.description
            )
            values.append(value)
            blocks.setdefault(name, []).append((assignment, value))
        for name, parts in blocks.items():
            self._nested(label, owner, defined.get(name), parts)
        self._defaults(attributes, owner, defined)
        return attributes

    def _attribute(self, assignment: Assignment, defined: Definitions) -> str:
        """The attribute's name, corrected if only its case is wrong."""
        name = assignment.name
        if name in defined or name in STACK_NAMES or name.upper() not in defined:
            return name
        cause = f"{shorten(name)} is no attribute: OIL's names are case-sensitive"
        self.error("C144", assignment.span, cause, f"did you mean {name.upper()}?")
        return name.upper()

    def _nested(self, label: str, owner: str, definition: Definition | None, parts: list[tuple[Assignment, Resolved]]) -> None:
        """The blocks behind the values of one attribute; blocks behind the same value are merged."""
        bodies = grouped((id(value), inner) for assignment, value in parts for inner in assignment.value.block or ())
        for value in {id(value): value for _, value in parts}.values():
            variant = {} if definition is None else definition.variants.get(str(value.literal), definition.variants.get("", {}))
            text = f"{value.name} = {shown(value.literal)}"
            kind = value.name if value.name == "EXPIRY_POINT" else text  # whose value is its name
            value.block = self._block(f"{label}, {kind}", f"{text} of {owner}", value.key, bodies[id(value)], variant)

    def _defaults(self, attributes: Attributes, owner: str, defined: Definitions) -> None:
        """Values that the file's own implementation definition gives where the object gives none."""
        for name, definition in defined.items():
            if name in attributes.values or name in attributes.wrong or definition.span.file == str(STANDARD):
                continue
            default = definition.default
            if default is not None and default.literal != AUTO:
                variant = definition.variants.get(str(default.literal), {})
                block = self._block("", f"{name} of {owner}", definition.span, default.block or [], variant)
                attributes.values[name] = [Resolved(owner, name, default.literal, default.span, definition.span, block, "", True)]
            elif definition.required and self.complete:
                attributes.wrong.add(name)
                cause = f"{owner} has no {name}, which {definition.span.beside(attributes.span)} has NO_DEFAULT"
                self.error("C147", attributes.span, cause, f"write {name} = {_example(definition)};")

    def _misfit(self, value: Value, definition: Definition | None) -> tuple[str, str] | None:
        """The fault of a value and the remedy; None if the value fits."""
        literal = value.literal
        if definition is None:
            return None
        if literal == AUTO and "AUTO" not in definition.variants:
            if definition.auto:
                return None
            return "AUTO is only for attributes that are defined WITH_AUTO", f"write a value: {_example(definition)}"
        type_ = definition.type
        if type_ in NUMBERS:
            return _misfit_number(literal, definition)
        if type_ == "BOOLEAN":
            if isinstance(literal, Name) and literal.text in ("TRUE", "FALSE"):
                return None
            return f"{_quoted(literal)} is no truth value", "write TRUE or FALSE"
        if type_ == "ENUM":
            if isinstance(literal, Name) and literal.text in definition.variants:
                return None
            text = literal.text if isinstance(literal, Name) else str(literal)
            if isinstance(literal, str) and text in definition.variants:
                return f"{shorten(text)} is a string", f"write it without quotes: {text}"
            upper = text.upper() if text.upper() in definition.variants else None
            return f"{_quoted(literal)} is none of its values", (
                f"did you mean '{upper}'?" if upper else suggestion(text, definition.variants)
            )
        if type_ == "STRING":
            if isinstance(literal, (str, Name)):  # some tools leave the quotes out
                return None
            return f"{_quoted(literal)} is no string", f'write it in quotes: "{shown(literal)}"'
        if type_.endswith("_TYPE") and not isinstance(literal, Name):
            remedy = f"write it without quotes: {literal}" if isinstance(literal, str) else "write a name"
            return f"{_quoted(literal)} is no name of {article(type_.removesuffix('_TYPE'))}", remedy
        return None


def _misfit_number(literal: Literal, definition: Definition) -> tuple[str, str] | None:
    example = _example(definition)
    if isinstance(literal, str):
        number = literal.strip()
        return f"{shorten(literal)} is a string", f"write a number without quotes: {number if number.isdecimal() else example}"
    if isinstance(literal, Name):
        return f"{_quoted(literal)} is no number", f"write a number: {example}"
    if isinstance(literal, Fraction) and definition.type != "FLOAT":
        return f"{shown(literal)} is no integer", f"write a number without a point: {example}"
    if definition.choices is not None:
        if literal in definition.choices:
            return None
        return f"{shown(literal)} is none of its values", "write " + " or ".join(shown(c) for c in definition.choices)
    low, high = _range(definition)
    if (low is not None and literal < low) or (high is not None and literal > high):
        assert low is not None
        assert high is not None
        return f"{shown(literal)} is out of range", f"write a number from {shown(low)} to {shown(high)}"
    return None


def _range(definition: Definition) -> tuple[int | Fraction | None, int | Fraction | None]:
    """The range of a number's definition, within the range of its type."""
    low, high = _BOUNDS.get(definition.type, (None, None))
    return (low if definition.low is None else definition.low), (high if definition.high is None else definition.high)


def _example(definition: Definition) -> str:
    """A value that the definition allows."""
    if definition.choices:
        return shown(definition.choices[0])
    if definition.type in NUMBERS:
        low, _ = _range(definition)
        return shown(max(low, 1) if low is not None and definition.high != low else low or 1)
    if definition.type == "STRING":
        return '"..."'
    if definition.type == "BOOLEAN":
        return "TRUE"
    return next(iter(definition.variants), "") or "Name"


def _quoted(literal: Literal) -> str:
    if isinstance(literal, str):
        return "the string " + shorten(literal)
    return shorten(str(literal)) if isinstance(literal, Name) else shown(literal)
