# SPDX-License-Identifier: Apache-2.0
"""From attributes of OIL to values in the tables of a schedule, each with its place."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Le

from carillon.diagnostics import Span
from carillon.frontends.foreign.converted import Converted
from carillon.frontends.oil.resolve import AUTO, Attributes, Error, Resolved
from carillon.frontends.oil.syntax import Name, shown
from carillon.read.schema import ScheduleFile
from carillon.read.spans import Path
from carillon.read.tables import table_at
from carillon.units import MalformedError, parse_time


def _limits(path: Path) -> tuple[int, int]:
    """The least and the greatest number allowed at ``path`` of a schedule."""
    field = table_at(ScheduleFile, path[:-1]).model_fields[str(path[-1])]
    if get_origin(field.annotation) is Literal:
        return min(get_args(field.annotation)), max(get_args(field.annotation))
    bounds = field.metadata
    low, high = next(it.ge for it in bounds if isinstance(it, Ge)), next(it.le for it in bounds if isinstance(it, Le))
    assert isinstance(low, int)
    assert isinstance(high, int)
    return low, high


class Values:
    """Stores values in ``result``.  What Carillon cannot use is reported to ``error``; ``warnings`` are for the end."""

    def __init__(self, result: Converted, error: Error) -> None:
        self.result, self.places, self.data = result, result.places, result.data
        self.error = error
        self.warnings: list[tuple[str, Span, str, str]] = []

    def put(self, path: Path, value: Resolved, content: Any) -> None:
        """Store a value at ``path``, with its places and description."""
        self.store(path, content)
        self.places.put(path, value.span, value.key)
        if value.description:
            self.result.descriptions[path] = value.description

    def store(self, path: Path, content: Any) -> None:
        """Store what stands nowhere in the file."""
        self.result.store(path, content)

    def warn(self, code: str, span: Span, cause: str, remedy: str) -> None:
        """Warn, once the whole file is known to be well-formed."""
        self.warnings.append((code, span, cause, remedy))

    def refuse(self, path: Path, value: Resolved, cause: str, remedy: str) -> None:
        """Report a value that a tool's own definition allows and Carillon cannot use."""
        self.result.broken.add(path)
        self.error("C145", value.span, f"{value.name} of {value.owner}: {shown(value.literal)} {cause}", remedy)

    def one(self, attributes: Attributes, name: str, path: Path) -> Resolved | None:
        """The value of an attribute; None without a value, for AUTO, and for a wrong value."""
        if name in attributes.wrong:
            self.result.broken.add(path)
        value = attributes.one(name)
        return None if value is None or value.literal == AUTO else value

    def integer(self, attributes: Attributes, name: str, path: Path) -> None:
        """Store a number, if there is one."""
        value = self.one(attributes, name, path)
        if value is not None:
            self.number(value, path)

    def number(self, value: Resolved, path: Path) -> None:
        """Store a number; a tool's own definition may allow more than Carillon does."""
        low, high = _limits(path)
        if not isinstance(value.literal, int):
            self.refuse(path, value, "is no integer", f"write a number from {low} to {high}")
        elif path[-1] == "min_cycle" and value.literal == 0:
            self.put(path, value, 1)  # no cycle is shorter anyway
        elif path[-1] == "stack" and 0 <= value.literal < low:
            cause = f"{value.name} of {value.owner}: {value.literal} bytes are less than a stack of Carillon's has at least"
            self.warn("C320", value.span, cause, f"Carillon takes {low} bytes; write as many, or more")
            self.put(path, value, low)
        elif not low <= value.literal <= high:
            cause = f"is {'less' if value.literal < low else 'more'} than Carillon has"
            self.refuse(path, value, cause, f"write a number from {low} to {high}")
        else:
            self.put(path, value, value.literal)

    def written_time(self, value: Resolved, path: Path) -> str | None:
        """A time as a schedule writes it; None if the value is no time."""
        text = str(value.literal)
        try:
            parse_time(text)
        except MalformedError as malformed:
            self.refuse(path, value, f"is no time: {malformed.cause}", malformed.remedy)
            return None
        return text

    def time(self, value: Resolved, path: Path) -> None:
        """Store a time as a schedule writes it."""
        text = self.written_time(value, path)
        if text is not None:
            self.put(path, value, text)

    def word(self, attributes: Attributes, name: str, path: Path, words: dict[str, str]) -> str | None:
        """Store the meaning of one of several words; None without a word."""
        value = self.one(attributes, name, path)
        if value is None:
            return None
        word = words.get(value.literal.text) if isinstance(value.literal, Name) else None
        if word is None:
            first = {meaning: name for name, meaning in reversed(words.items())}
            cause = "is nothing that Carillon has"
            self.refuse(path, value, cause, "write " + " or ".join(first[m] for m in dict.fromkeys(words.values())))
        else:
            self.put(path, value, word)
        return word

    def truth(self, attributes: Attributes, name: str, path: Path) -> Resolved | None:
        """TRUE or FALSE, which is not stored."""
        value = self.one(attributes, name, path)
        if value is not None and value.literal not in (Name("TRUE"), Name("FALSE")):
            self.refuse(path, value, "is no truth value", "write TRUE or FALSE")
            return None
        return value

    def flag(self, attributes: Attributes, name: str, path: Path) -> None:
        """Store TRUE or FALSE."""
        value = self.truth(attributes, name, path)
        if value is not None:
            self.put(path, value, value.literal == Name("TRUE"))

    def name(self, attributes: Attributes, name: str, path: Path) -> Resolved | None:
        """A reference, or a string in place of a reference; the name is stored."""
        value = self.one(attributes, name, path)
        if value is None:
            return None
        if not isinstance(value.literal, (Name, str)):
            self.refuse(path, value, "is no name", "write a name")
            return None
        self.put(path, value, str(value.literal))
        return value

    def names(self, attributes: Attributes, name: str, path: Path) -> bool:
        """A list of references; whether there is one."""
        if name in attributes.wrong:
            self.result.broken.add(path)
        values = [value for value in attributes.all(name) if value.literal != AUTO]
        names: dict[str, None] = {}
        for value in values:
            if not isinstance(value.literal, Name):
                self.refuse(path, value, "is no name", "write a name")
            elif value.literal.text not in names:  # two blocks of an object may name the same one
                self.places.put(path, value.span, value.key)
                self.places.put((*path, len(names)), value.span, value.key)
                names[value.literal.text] = None
        if names:
            self.store(path, list(names))
        return bool(names)
