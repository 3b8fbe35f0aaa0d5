# SPDX-License-Identifier: Apache-2.0
"""A schedule's event-triggered tables, their places, and the functions that their readers share."""

from __future__ import annotations

from collections.abc import Iterable

from carillon.check.common import joined
from carillon.check.osek import DEFAULT_MODE
from carillon.diagnostics import Diagnostics, Span, suggestion
from carillon.model.osek import RES_SCHEDULER
from carillon.read.schema_osek import OsekTable, OsekTaskTable
from carillon.read.shape import Reading, Tables
from carillon.read.spans import Path
from carillon.units import shorten

EVENT_BITS = 32
TIME_BITS = 2  # of a task's events, which say what it waits for where there are time services
# The most objects of each kind: identifiers have 8 bits, 255 means no object, and RES_SCHEDULER is an additional
# resource; masks of modes have 32 bits.
MOST = {"task": 250, "isr": 255, "resource": 254, "counter": 255, "alarm": 255, "schedule_table": 255, "modes": 32}
MOST_MUTEXES = 250
KINDS = {
    "task": "task",
    "isr": "ISR",
    "resource": "resource",
    "event": "event",
    "counter": "counter",
    "alarm": "alarm",
    "schedule_table": "schedule table",
    "modes": "application mode",
}


class OsekFile(Reading):
    """The tables of one file; ``table`` is the file's ``[osek]``, or an empty table."""

    def __init__(self, tables: Tables, table: OsekTable, diagnostics: Diagnostics) -> None:
        super().__init__(tables, diagnostics)
        # A thread is a task, too, but has another table.
        self.threads = dict.fromkeys(name for name in self.file.thread if name not in table.task)
        threads = {
            name: OsekTaskTable.model_validate(
                {"priority": thread.priority, "autostart": thread.autostart, "resources": thread.resources}
            )
            for name, thread in self.file.thread.items()
            if name in self.threads
        }
        self.table = table.model_copy(update={"task": {**table.task, **threads}})
        self.mutexes: dict[str, Span] = {}
        for name in self.threads:
            for number, mutex in enumerate(self.file.thread[name].mutexes):
                self.mutexes.setdefault(mutex, self.places.value(("thread", name, "mutexes", number)))
        self.event_bits = EVENT_BITS - TIME_BITS if self.file.time is not None else EVENT_BITS
        self.modes = tuple(dict.fromkeys(table.modes or ())) or (DEFAULT_MODE,)
        self.names: dict[str, dict[str, int]] = {}
        for section in KINDS:
            listed = self.modes if section == "modes" else getattr(self.table, section)
            self.names[section] = {name: number for number, name in enumerate(listed)}

    def error(self, code: str, span: Span, cause: str, remedy: str) -> None:
        """Report what makes the schedule unusable."""
        self.diagnostics.error(code, span, cause, remedy)

    def path(self, *path: str | int) -> Path:
        """Where a value stands in the file."""
        if len(path) > 1 and path[0] == "task" and path[1] in self.threads:
            return ("thread", *path[1:])
        return ("osek", *path)

    def key(self, *path: str | int) -> Span:
        """The place of a key."""
        return self.places.key(self.path(*path))

    def value(self, *path: str | int) -> Span:
        """The place of a value."""
        return self.places.value(self.path(*path))

    def lost(self, *path: str | int) -> bool:
        """Whether the value at ``path`` was wrong and is gone."""
        return self.broken.at(*self.path(*path))

    def incomplete(self, *path: str | int) -> bool:
        """Whether the object at ``path`` lost a value, perhaps by a misspelt key."""
        return self.broken.under(*self.path(*path))

    def known(self, name: str, section: str, path: Path, phrase: str) -> bool:
        """Whether the file has an object ``name`` of ``section``; else C100, unless that follows from another error."""
        if section == "resource" and name == RES_SCHEDULER:
            return self.table.scheduler_resource  # see _taken
        known = self.names[section]
        if name in known:
            return True
        if self.lost(section) or (not known and self.broken.instead_of("osek", section)):
            return False
        if section == "modes" and self.incomplete("modes"):  # a wrong element takes the list along
            return False
        remedy = suggestion(name, known if section != "resource" else [*known, RES_SCHEDULER])
        if section == "task" and name in self.file.task:
            remedy = f"{shorten(name)} is a time-triggered task, which only its rounds activate"
        cause = f"{phrase} names the unknown {KINDS[section]} {shorten(name)}"
        self.diagnostics.error_once((section, name), "C100", self.value(*path), cause, remedy)
        return False

    def listed(self, names: Iterable[str], section: str, path: Path, phrase: str) -> tuple[str, ...]:
        """The known ones of ``names``, each once; reports unknown names (C100) and repeated names (C049)."""
        known_names: dict[str, bool] = {}
        for number, name in enumerate(names):
            if name in known_names:
                self.twice(KINDS[section], name, (*path, number), f" by {phrase}")
            else:
                known_names[name] = self.known(name, section, (*path, number), phrase)
        return tuple(name for name, known in known_names.items() if known)

    def missing(self, path: Path, phrase: str, key: str, remedy: str) -> None:
        """Report a key that an object lacks (C014), unless the object lost a value: perhaps this key, misspelt."""
        if not self.incomplete(*path):
            self.error("C014", self.key(*path), f"{phrase} has no '{key}'", remedy)

    def counter(self, name: str | None, path: Path, phrase: str) -> str | None:
        """The counter of the alarm or schedule table at ``path``; None after a diagnostic."""
        if name is None:
            self.missing(path, phrase, "counter", "name the counter whose ticks it counts")
            return None
        return name if self.known(name, "counter", (*path, "counter"), phrase) else None

    def modes_of(self, names: list[str] | None, autostart: Path, own: str) -> tuple[str, ...]:
        """The application modes of the ``autostart`` of an alarm or a schedule table."""
        return self.modes if names is None else self.listed(names, "modes", (*autostart, "modes"), own)

    def check_begin(self, at: int, absolute: bool, most: int, counter: str, path: Path, phrase: str) -> None:
        """C116: a counter cannot count to the autostart's value ``at``, or to so many ticks."""
        least = 0 if absolute else 1
        if not least <= at <= most:
            when = f"at the value {at}" if absolute else f"after {at} ticks"
            cause = f"the autostart of {phrase} is {when}, but {counter} allows {least} to {most}"
            self.error("C116", self.value(*path, "at"), cause, f"write a number from {least} to {most}")

    def twice(self, kind: str, name: str, path: Path, where: str) -> None:
        """Report what a list names twice (C049)."""
        self.error("C049", self.value(*path), f"{kind} {shorten(name)} is listed twice{where}", f"list every {kind} once")


def some(names: Iterable[str], most: int = 5) -> str:
    """``'a', 'b' and 'c'``: at most ``most`` of the names, safe for a message."""
    return joined((shorten(name) for name in dict.fromkeys(names)), most)
