# SPDX-License-Identifier: Apache-2.0
"""Which attribute of OIL is which key of a schedule, where one attribute says what one key does: it stands beside the key.

What takes more than that is read where its object is: an ``ACTION``, what drives a counter, the points of a schedule table.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from carillon.frontends.oil.resolve import AUTO, STACK_NAMES, Attributes
from carillon.frontends.oil.syntax import Name
from carillon.frontends.oil.values import Values
from carillon.read import schema_osek as schema
from carillon.read.called import Key, in_order, keys
from carillon.read.spans import Path

Read = Callable[[Values, Attributes, str, Path], object]
"""Stores what an attribute of some name says at a path, if it is there."""


@dataclass(frozen=True, slots=True)
class Row:
    """A key, and the attribute that sets it; tools may use one of ``aliases`` instead."""

    key: str
    name: str
    read: Read
    aliases: tuple[str, ...] = ()


def _one_of(**words: Any) -> Read:
    return lambda values, attributes, name, path: values.word(attributes, name, path, words)


def _autostart(values: Values, attributes: Attributes, name: str, path: Path) -> None:
    """A task's autostart: in all application modes, or in the listed modes."""
    start = values.truth(attributes, name, path)
    if start is not None and start.literal == Name("TRUE") and not values.names(start.block, "APPMODE", path):
        values.put(path, start, True)


def _stack(values: Values, attributes: Attributes, _name: str, path: Path) -> None:
    """The size of a task's stack under any tool's name; ignored for basic tasks, which share one stack."""
    extended = "events" in values.result.table(path[:-1])
    for name in STACK_NAMES:
        if name in attributes.wrong:
            values.result.broken.add(path)
        for value in attributes.values.get(name, []):
            size = value
            if isinstance(value.literal, Name) and value.literal.text == "PRIVATE":  # ERIKA
                size = next((s for n in ("SYS_SIZE", "SIZE") for s in value.block.all(n)), value)
            value.used = isinstance(size.literal, int) or value.literal in (AUTO, Name("SHARED"), Name("PRIVATE"))
            if extended and isinstance(size.literal, int) and not values.places.values.get(path):
                values.number(size, path)


def _time(values: Values, attributes: Attributes, name: str, path: Path) -> None:
    """A time with its unit."""
    value = values.one(attributes, name, path)
    if value is not None and name not in attributes.wrong:
        values.time(value, path)


_READS: dict[str, Read] = {
    "integer": Values.integer,
    "flag": Values.flag,
    "time": _time,
    "reference": Values.name,
    "references": Values.names,
}


def _row(key: Key) -> Row:
    words = {**key.words, **key.called.also_oil}
    read = _one_of(**words) if key.kind == "word" else _READS[key.kind]
    return Row(key.name, key.called.oil, read, key.called.oil_aliases)


def rows(table: type[BaseModel], *others: Row, without: Container[str] = ()) -> tuple[Row, ...]:
    """The rows of a table's keys that have one word of OIL, and others, in the order of the keys."""
    found = [_row(key) for key in keys(table) if key.called.oil and not any(key.called.seconds)] + list(others)
    order = in_order(table)
    return tuple(sorted((row for row in found if row.key not in without), key=lambda row: order.index(row.key)))


def times(table: type[BaseModel]) -> dict[str, tuple[str, str]]:
    """Of timing protection: a key, and what its time is called with its unit, and in seconds."""
    return {key.name: (key.called.oil, key.called.seconds[0]) for key in keys(table) if key.called.seconds[0]}


_FLAGS = [key.name for key in keys(schema.OsekTable) if key.kind == "flag"]
DECLARED = rows(schema.DeclaredTable)
"""Of a task or an ISR, for the analysis of response times."""
SYSTEM = rows(schema.OsekTable, without=_FLAGS)
SWITCHES = tuple(row for row in rows(schema.OsekTable) if row.key in _FLAGS)
"""They stand behind the hooks."""
TASK = rows(schema.OsekTaskTable, Row("autostart", "AUTOSTART", _autostart), Row("stack", STACK_NAMES[0], _stack))
TASK_TIMES = times(schema.OsekTaskTable)
ISR_TIMES = dict(sorted(times(schema.IsrTable).items()))
EVENT = rows(schema.EventTable)
COUNTER = rows(schema.CounterTable)
ALARM_START = rows(schema.AutostartTable, Row("absolute", "TYPE", _one_of(ABSOLUTE=True, RELATIVE=False)))
SCHEDULE_TABLE = rows(schema.ScheduleTableTable, Row("repeating", "PERIODIC", Values.flag), without=("precision",))
TABLE_PRECISION = tuple(row for row in rows(schema.ScheduleTableTable) if row.key == "precision")
TABLE_BEGIN = rows(schema.TableAutostartTable)
POINT = rows(schema.TablePointTable, without=("max_lengthen", "max_shorten"))
ADJUSTABLE = rows(schema.TablePointTable, without=("offset",))


def fill(values: Values, attributes: Attributes, rows: tuple[Row, ...], path: Path) -> None:
    """Store what the attributes of these rows say in the table at ``path``."""
    for row in rows:
        written = (name for name in (row.name, *row.aliases) if name in attributes.values or name in attributes.wrong)
        row.read(values, attributes, next(written, row.name), (*path, row.key))


def names_of(*rows: Row) -> dict[str, str]:
    """Each key's name for authors: the attribute of the key's first row."""
    return {row.key: row.name for row in reversed(rows)}
