# SPDX-License-Identifier: Apache-2.0
"""Fits TOML data into the schema: every misfit becomes a diagnostic, and the rest is kept.

A misfit is taken out of the data and remembered as *broken*, and the data is validated again.  So one
wrong value hides nothing else, and no later pass complains about what follows from it.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from carillon.diagnostics import Diagnostics, suggestion
from carillon.files import Search
from carillon.model.giotto import Giotto, Machine, Upload
from carillon.read.one_or_more import MORE, ONE
from carillon.read.schema import ScheduleFile, TaskTable
from carillon.read.schema_osek import (
    AutostartTable,
    OsekTable,
    ResourceLockTable,
    SetEventTable,
    TableAutostartTable,
    TablePointTable,
)
from carillon.read.spans import Path, SpanIndex
from carillon.read.tables import WANTED, depth, misfit, table_at
from carillon.read.values import toml_type
from carillon.units import shorten

MOST_ERRORS = 100
_SECTIONS = [key for key, field in ScheduleFile.model_fields.items() if get_origin(field.annotation) is dict]
"""Keys of the file whose tables have tables with names."""
_OSEK_SECTIONS = [key for key, field in OsekTable.model_fields.items() if get_origin(field.annotation) is dict]
"""Those of the event-triggered system."""
_SINGLE = ("system", "clock", "osek", "time", "sync", "start", "trace", "stacks", "stimuli")
_OSEK_PARTS: dict[type[BaseModel], str] = {
    AutostartTable: "autostart",
    SetEventTable: "event action",
    TableAutostartTable: "autostart",
    TablePointTable: "point",
}
"""What messages call the tables in those of alarms and of schedule tables."""
_OSEK_EXAMPLES: dict[type[BaseModel], str] = {
    ResourceLockTable: '{ resource = "Shared", budget = "100us" }',
    AutostartTable: "{ at = 1, cycle = 10 }",
    SetEventTable: '{ task = "Task1", event = "Event1" }',
    TableAutostartTable: "{ at = 1 }",
    TablePointTable: '{ offset = 0, activate = ["Task1"] }',
}


class Broken:
    """The paths of values that were wrong and are gone."""

    def __init__(self) -> None:
        self.paths: set[Path] = set()

    def add(self, path: Path) -> None:
        """Remember ``path``."""
        self.paths.add(path)

    def at(self, *path: str | int) -> bool:
        """Whether the value at ``path``, or a table around it, was wrong."""
        return any(path[:end] in self.paths for end in range(1, len(path) + 1))

    def instead_of(self, *section: str) -> bool:
        """Whether a table that was refused as unknown was probably meant as ``section``: ``[tasks.A]``, ``[osek.tasks.A]``."""
        beside = (p for p in self.paths if len(p) == len(section) and p[:-1] == section[:-1])
        return any(str(p[-1]).startswith(section[-1][:3]) for p in beside)

    def under(self, *path: str | int) -> bool:
        """Whether the table at ``path`` was wrong, or lost one of its keys, perhaps a misspelt key."""
        return self.at(*path) or any(broken[: len(path)] == path for broken in self.paths)


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a file, in whatever language it is; ``broken`` are those of its values that are missing.

    ``path`` is the file, or the first of several that are one; ``included`` are the others that belong to it.  ``giotto``:
    the program, if it is one, and ``machine`` what carries it out;
    ``upload``: how its image receives others; ``searches``: what was asked of the file system to read it.
    """

    path: FilePath
    file: ScheduleFile
    broken: Broken
    places: SpanIndex
    digest: str
    included: tuple[FilePath, ...] = ()
    giotto: Giotto | None = None
    machine: Machine = Machine.MICROCODE
    upload: Upload | None = None
    searches: tuple[Search, ...] = ()


class Reading:
    """A file while it is read: its tables, the places, and the values that are missing because they were wrong."""

    def __init__(self, tables: Tables, diagnostics: Diagnostics) -> None:
        self.tables, self.diagnostics = tables, diagnostics
        self.file, self.places, self.broken = tables.file, tables.places, tables.broken

    def has_period(self, task: str) -> bool:
        """Whether a task is periodic, or would be but for a wrong value or a misspelt key."""
        if self.file.task[task].period is not None or self.broken.at("task", task, "period"):
            return True
        lost = (path for path in self.broken.paths if len(path) > 2 and path[:2] == ("task", task))
        return any(path[2] not in TaskTable.model_fields for path in lost)


def fit(data: dict[str, Any], places: SpanIndex, diagnostics: Diagnostics) -> tuple[ScheduleFile, Broken]:
    """Validate ``data`` and return the part that fits the schema, and the broken paths.

    Reports C026 (a name with control characters), C013 (unknown key), C015 (wrong kind of value), C016 and C019
    (malformed time or frequency), at most :data:`MOST_ERRORS` of them.  Changes ``data``: misfits are removed.
    """
    broken = Broken()
    _drop_unprintable(data, places, diagnostics, broken)
    reported = 0
    while True:
        try:
            return ScheduleFile.model_validate(data), broken
        except ValidationError as error:
            seen: set[Path] = set()
            for detail in error.errors(include_url=False):
                loc = tuple(part for part in detail["loc"] if part not in (ONE, MORE))
                path = loc[: depth(data, loc)]
                if not path:
                    raise
                if path in seen:  # the other alternatives of a union
                    continue
                seen.add(path)
                if reported < MOST_ERRORS:
                    _report(detail, path, places, diagnostics)
                elif reported == MOST_ERRORS:
                    cause = f"more than {MOST_ERRORS} errors; the rest is not shown"
                    diagnostics.error("C015", places.value(path), cause, "correct these first")
                reported += 1
                broken.add(path)
            for path in broken.paths:
                _remove(data, path)


def _drop_unprintable(data: dict[str, Any], places: SpanIndex, diagnostics: Diagnostics, broken: Broken) -> None:
    """Remove tables whose names would spoil every message about them."""
    osek = data.get("osek")
    sections: list[tuple[Path, Any]] = [((section,), data.get(section)) for section in _SECTIONS]
    if isinstance(osek, dict):
        sections += ((("osek", section), osek.get(section)) for section in _OSEK_SECTIONS)
    for path, tables in sections:
        if not isinstance(tables, dict):
            continue
        for name in [name for name in tables if not name.isprintable()]:
            cause = f"the {_kind(path)} name {shorten(name)} is no C identifier"
            diagnostics.error("C026", places.key((*path, name)), cause, "use letters, digits and '_', not beginning with a digit")
            del tables[name]
            broken.add((*path, name))


def _named(path: Path) -> bool:
    """Whether ``path`` is that of a table with a name of its own: ``task.fuel``, ``osek.task.Blink``."""
    if path[0] == "osek":
        return len(path) == 3 and path[1] in _OSEK_SECTIONS
    return len(path) == 2 and path[0] in _SECTIONS


def _kind(path: Path) -> str:
    """What messages call an object of the section ``path``."""
    return "ISR" if path[-1] == "isr" else str(path[-1]).replace("_", " ")


def _remove(data: Any, path: Path) -> None:
    """Take the value at ``path`` out; a table among named or numbered tables is emptied instead."""
    if depth(data, path) < len(path):
        return
    parents = [data]
    for part in path[:-1]:
        parents.append(parents[-1][part])
    if _named(path) or (isinstance(path[-1], int) and path[-2] in ("points", "point", "rows")):
        parents[-1][path[-1]] = {}
        return
    level = len(path) - 1
    while isinstance(parents[level], list):  # the array goes as a whole: indices of other elements must not shift
        level -= 1
    parents[level].pop(path[level], None)


def _report(detail: ErrorDetails, path: Path, places: SpanIndex, diagnostics: Diagnostics) -> None:
    if detail["type"] == "extra_forbidden":
        known = list(table_at(ScheduleFile, path[:-1]).model_fields)
        if len(path) == 1:
            cause = f"unknown table or key {shorten(str(path[0]))} at the top of the file"
        else:
            cause = f"unknown key {shorten(str(path[-1]))} in {describe(*path[:-1])}"
        remedy = _elsewhere(str(path[-1]), known, osek=path[0] == "osek") or suggestion(str(path[-1]), known)
        diagnostics.error("C013", places.key(path), cause, remedy)
        return
    code = str((detail.get("ctx") or {}).get("code", "C015"))
    diagnostics.error(code, places.value(path), *_misfit(detail, path))


def _misfit(detail: ErrorDetails, path: Path) -> tuple[str, str]:
    """What is wrong with the value at ``path``, and what would be right."""
    value, where = detail["input"], describe(*path)
    if path[:2] == ("osek", "task") and path[-1] == "autostart":
        remedy = 'write true, or the application modes: autostart = ["normal"]'
        return f"{where} must be true, false or an array of strings, not {_held(value)}", remedy
    cause, better = misfit(detail, where)
    if path[:2] == ("osek", "alarm") and path[-1] == "increment" and isinstance(value, list):
        return cause, "an alarm increments one counter, the last thing that it does: write an alarm for each"
    wanted = WANTED.get(detail["type"].removesuffix("_type"))
    if wanted is not None:
        return cause, _example(path, wanted, value)
    if detail["type"] == "string_too_short":
        return cause, "write a name, or leave the key out"
    return cause, better or "SPEC, section 'Schedule file', says what it may hold"


def _held(value: object) -> str:
    return "an array that holds something else" if isinstance(value, list) else toml_type(value)


def _elsewhere(key: str, known: list[str], osek: bool) -> str | None:
    """The table that an unknown ``key`` belongs to, if it is a key of another one and no misspelt one of this.

    ``osek``: it stands in a table of the event-triggered system, whose tables are then looked at first.
    """
    if difflib.get_close_matches(key, known):
        return None
    places: dict[str, Path] = {"[system]": ("system",)}
    places |= {f"[{name}.NAME]": (name, "") for name in _SECTIONS if name != "thread"} | {"a point": ("mode", "", "points", 0)}
    event_triggered: dict[str, Path] = {"[osek]": ("osek",)}
    event_triggered |= {f"[osek.{name}.NAME]": ("osek", name, "") for name in _OSEK_SECTIONS}
    event_triggered |= {
        f"'{part}' of {owner}": ("osek", section, "", part, 0)
        for owner, section, parts in (
            ("an alarm", "alarm", ("set_event", "autostart")),
            ("a schedule table", "schedule_table", ("autostart", "point")),
        )
        for part in parts
    }
    places = event_triggered | places if osek else places | event_triggered
    places |= {"[time]": ("time",), "[thread.NAME]": ("thread", "")}
    places |= {"[stimuli]": ("stimuli",), "a row of [stimuli]": ("stimuli", "rows", 0)}
    tables = {name: table_at(ScheduleFile, path) for name, path in places.items()}
    homes = [name for name, table in tables.items() if key in table.model_fields]
    return f"'{key}' is a key of {homes[0]}; {suggestion(key, known)}" if homes else None


def describe(*path: str | int) -> str:
    """How messages name the value at ``path``: ``'deadline' of task 'fuel'``."""
    first = str(path[0])
    if len(path) == 1:
        return f"[{first}]" if first in ScheduleFile.model_fields else shorten(first)
    if first == "osek" and path[1] in _OSEK_SECTIONS:
        return _describe_osek(path)
    if first == "stimuli" and path[1] == "rows" and len(path) > 2:
        row = f"row {int(path[2]) + 1} of [stimuli]"
        return row if len(path) == 3 else f"'{path[3]}' of {row}"
    if first == "clock" and len(path) > 2:
        return f"'{path[2]}' of '{path[1]}' of [clock]"
    if first in _SINGLE:
        return f"'{path[1]}' of [{first}]" if len(path) == 2 else f"element {int(path[2]) + 1} of '{path[1]}' of [{first}]"
    owner = f"{first} {shorten(str(path[1]))}"
    if len(path) == 2:
        return owner
    if len(path) == 3:
        return f"'{path[2]}' of {owner}"
    element = int(path[3]) + 1
    if path[2] == "points":
        point = f"point {element} of {owner}"
        return point if len(path) == 4 else f"'{path[4]}' of {point}"
    return f"element {element} of '{path[2]}' of {owner}"


def _describe_osek(path: Path) -> str:
    """As :func:`describe`, for an object of the event-triggered system and what it holds."""
    if len(path) == 2:
        return f"[osek.{path[1]}]"
    owner = f"{_kind(path[:2])} {shorten(str(path[2]))}"
    rest = path[3:]
    while len(rest) > 1 and rest[0] in ("set_event", "autostart", "point"):
        numbered = isinstance(rest[1], int)
        part = _OSEK_PARTS.get(table_at(ScheduleFile, path[: len(path) - len(rest) + 1 + numbered]))
        if part is None:
            break
        owner = f"{part} {int(rest[1]) + 1} of {owner}" if numbered else f"the {part} of {owner}"
        rest = rest[2:] if numbered else rest[1:]
    if not rest:
        return owner
    key = f"'{rest[0]}' of {owner}"
    return key if len(rest) == 1 else f"element {int(rest[1]) + 1} of {key}"


def _example(path: Path, wanted: str, value: object) -> str:
    first, last = str(path[0]), str(path[-1])
    if wanted == "an integer" and isinstance(value, float):
        return "write it without a point and without an exponent"
    if wanted in ("true or false", "an integer"):
        return f"write it without quotes: {last} = {'true' if wanted == 'true or false' else '1'}"
    if wanted == "a table":
        if first == "osek":
            return _osek_example(path)
        if first == "stimuli" and len(path) == 3:
            return 'write a row as { at = "10ms", pin = "PD2", level = 1 }'
        if len(path) == 4:
            return 'write a point as { at = "100 ticks", activate = "Task1" }'
        return f"write it as [{first}]" if first in _SINGLE else f"write it as [{first}.NAME], followed by its keys"
    if wanted == "an array":
        if first == "osek" and last in ("point", "set_event"):
            return f"write it in brackets: {last} = [{_OSEK_EXAMPLES[table_at(ScheduleFile, (*path, 0))]}]"
        return f"write it in brackets: {last} = [{'...' if last == 'points' else chr(34) + '...' + chr(34)}]"
    return 'write it in quotes: "..."'


def _osek_example(path: Path) -> str:
    if len(path) > 3:
        example = _OSEK_EXAMPLES[table_at(ScheduleFile, path)]
        keys = [part for part in path if isinstance(part, str)]
        return f"write {keys[-1]} = {example}" if path[-1] == keys[-1] else f"write each element as {example}"
    return "write it as [osek]" if len(path) == 1 else f"write it as [osek.{path[1]}.NAME], followed by its keys"
