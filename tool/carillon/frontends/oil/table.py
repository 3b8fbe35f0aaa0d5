# SPDX-License-Identifier: Apache-2.0
"""Which attribute of OIL is which key of a schedule, where one attribute says what one key does.

What takes more than that is read where its object is: an ``ACTION``, what drives a counter, the points of a schedule table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from carillon.frontends.oil.resolve import AUTO, STACK_NAMES, Attributes
from carillon.frontends.oil.syntax import Name
from carillon.frontends.oil.values import Values
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


DECLARED = (
    Row("wcet", "CARILLON_WCET", _time),
    Row("deadline", "CARILLON_DEADLINE", _time),
    Row("min_interval", "CARILLON_MIN_INTERVAL", _time),
    Row("jitter", "CARILLON_JITTER", _time),
)
"""Of a task or an ISR, for the analysis of response times."""
SYSTEM = (
    Row("status", "STATUS", _one_of(STANDARD="standard", EXTENDED="extended")),
    Row("dispatch", "CARILLON_DISPATCH", _one_of(HARDWARE="hardware", SOFTWARE="software")),
    Row("budgets", "CARILLON_BUDGETS", _one_of(CELL="cell", CLOCK="clock")),
    Row("hook_wcet", "CARILLON_HOOK_WCET", _time),
)
SWITCHES = (
    Row("get_service_id", "USEGETSERVICEID", Values.flag),
    Row("parameter_access", "USEPARAMETERACCESS", Values.flag),
    Row("scheduler_resource", "USERESSCHEDULER", Values.flag),
    Row("stack_check", "STACKMONITORING", Values.flag),
)
TASK = (
    Row("priority", "PRIORITY", Values.integer),
    Row("schedule", "SCHEDULE", _one_of(FULL="full", NON="non", NONE="non")),
    Row("activations", "ACTIVATION", Values.integer),
    Row("autostart", "AUTOSTART", _autostart),
    Row("events", "EVENT", Values.names),
    Row("resources", "RESOURCE", Values.names),
    Row("stack", STACK_NAMES[0], _stack),
    Row("overrun", "CARILLON_OVERRUN", _one_of(GUARDED="guarded", NEVER="never")),
    *DECLARED,
)
TIME_FRAME = {"time_frame": ("CARILLON_TIME_FRAME", "TIMEFRAME")}
"""Of timing protection: a key, and what its time is called with its unit, and in seconds."""
ISR_TIMES = {"budget": ("CARILLON_BUDGET", "EXECUTIONTIME"), **TIME_FRAME}
"""An ISR's execution budget is called as a task's, too."""
TASK_TIMES = {
    "budget": ("CARILLON_BUDGET", "EXECUTIONBUDGET"),
    **TIME_FRAME,
    "all_interrupts_lock": ("CARILLON_ALL_INTERRUPTS_LOCK", "MAXALLINTERRUPTLOCKTIME"),
    "os_interrupts_lock": ("CARILLON_OS_INTERRUPTS_LOCK", "MAXOSINTERRUPTLOCKTIME"),
}
EVENT = (Row("mask", "MASK", Values.integer),)
COUNTER = (
    Row("max_allowed", "MAXALLOWEDVALUE", Values.integer),
    Row("ticks_per_base", "TICKSPERBASE", Values.integer),
    Row("min_cycle", "MINCYCLE", Values.integer),
    Row("readable", "CARILLON_READABLE", Values.flag),
)
ALARM_START = (
    Row("at", "ALARMTIME", Values.integer),
    Row("cycle", "CYCLETIME", Values.integer),
    Row("absolute", "TYPE", _one_of(ABSOLUTE=True, RELATIVE=False)),
    Row("modes", "APPMODE", Values.names),
)
SCHEDULE_TABLE = (
    Row("counter", "COUNTER", Values.name),
    Row("duration", "DURATION", Values.integer, ("LENGTH",)),
    Row("repeating", "REPEATING", Values.flag),
    Row("repeating", "PERIODIC", Values.flag),
    Row("cells", "CARILLON_CELLS", Values.flag),
    Row("followed", "CARILLON_FOLLOWED", Values.flag),
)
TABLE_PRECISION = (Row("precision", "EXPLICIT_PRECISION", Values.integer, ("PRECISION",)),)
TABLE_BEGIN = (Row("at", "START_VALUE", Values.integer, ("ABSVALUE", "RELOFFSET", "OFFSET", "START")),)
POINT = (Row("offset", "OFFSET", Values.integer),)
ADJUSTABLE = (
    Row("max_lengthen", "MAX_LENGTHEN", Values.integer, ("MAX_ADVANCE",)),
    Row("max_shorten", "MAX_SHORTEN", Values.integer, ("MAX_RETARD",)),
)


def fill(values: Values, attributes: Attributes, rows: tuple[Row, ...], path: Path) -> None:
    """Store what the attributes of these rows say in the table at ``path``."""
    for row in rows:
        written = (name for name in (row.name, *row.aliases) if name in attributes.values or name in attributes.wrong)
        row.read(values, attributes, next(written, row.name), (*path, row.key))


def names_of(*rows: Row) -> dict[str, str]:
    """Each key's name for authors: the attribute of the key's first row."""
    return {row.key: row.name for row in reversed(rows)}
