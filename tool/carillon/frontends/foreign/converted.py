# SPDX-License-Identifier: Apache-2.0
"""A schedule's data from a file of another tool, with its places, notes and omissions."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from carillon.diagnostics import Diagnostics, Span
from carillon.files import Search
from carillon.frontends.foreign.places import Places
from carillon.frontends.foreign.words import Words
from carillon.read.shape import Tables, fit
from carillon.read.spans import Path


@dataclass(frozen=True, slots=True)
class Leftover:
    """Something that is not carried over: the object that has it, its text, and its place."""

    owner: str
    text: str
    span: Span


@dataclass(slots=True)
class Converted:
    """A schedule's data as TOML would give them, and what else is known of them.

    ``language`` is that of the file. ``descriptions`` are the file's, by the path of what they describe. ``notes`` say what
    Carillon chose. ``broken`` are the paths of values that were refused. ``searches`` are what was asked of the file system.
    """

    language: str
    data: dict[str, Any]
    places: Places
    broken: set[Path] = field(default_factory=set)
    descriptions: dict[Path, str] = field(default_factory=dict)
    notes: dict[Path, str] = field(default_factory=dict)
    leftovers: list[Leftover] = field(default_factory=list)
    searches: list[Search] = field(default_factory=list)

    def table(self, path: Path) -> dict[str, Any]:
        """The table at ``path``; if there is none, a new table that is not stored."""
        table: Any = self.data
        for part in path:
            table = table[int(part)] if isinstance(table, list) else table.get(str(part), {})
        assert isinstance(table, dict)
        return table

    def names(self) -> set[str]:
        """The names of all objects."""
        osek = self.data.get("osek", {})
        return {*osek.get("modes", ()), *(name for table in osek.values() if isinstance(table, dict) for name in table)}

    def store(self, path: Path, content: Any) -> None:
        """Store a value at ``path``, where arrays on the way are long enough; its place is another matter."""
        table: Any = self.data
        for part in path[:-1]:
            table = table[int(part)] if isinstance(table, list) else table.setdefault(str(part), {})
        table[int(path[-1]) if isinstance(table, list) else str(path[-1])] = content

    def append(self, path: Path, content: Any, value: Span, key: Span) -> Path:
        """Append an element to the array at ``path``, which may be new, with its places; the path of the element."""
        listed = self.table(path[:-1]).get(str(path[-1]))
        if listed is None:
            listed = []
            self.store(path, listed)
        element = (*path, len(listed))
        listed.append(content)
        self.places.put(path, value, key)
        self.places.put(element, value, key)
        return element


@dataclass(frozen=True, slots=True)
class Foreign:
    """A file of another tool as a schedule's data; ``words`` are its language's.

    ``digest`` is the SHA-256 of it and of all that belongs to it; ``included`` are those other files.
    """

    converted: Converted
    digest: str
    included: tuple[FilePath, ...]
    words: Words


def foreign_tables(foreign: Foreign, diagnostics: Diagnostics) -> Tables:
    """The tables of a file that was read; changes the file's data."""
    converted = foreign.converted
    diagnostics.speak = foreign.words.speaker(converted.names())
    file, broken = fit(converted.data, converted.places, diagnostics)
    for wrong in converted.broken:
        broken.add(wrong)
    path, searches = FilePath(converted.places.file), tuple(converted.searches)
    return Tables(path, file, broken, converted.places, foreign.digest, foreign.included, searches=searches)
