# SPDX-License-Identifier: Apache-2.0
"""The tables of counters and alarms of the image against the schedule, and against the cells that expire for alarms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from carillon.diagnostics import Span
from carillon.model.osek import ActivateTask, Alarm, Callback, Counter, CounterKind, IncrementCounter, Osek, SetEvent
from carillon.verify.contract import Reader
from carillon.verify.elf import Elf


@dataclass(slots=True)
class EventReport:
    """What was compared of the event-triggered system."""

    cells: int = 0
    vectors: int = 0
    tables: int = 0


class Context(Protocol):
    """What is known of the event-triggered system when its tables are compared."""

    osek: Osek
    elf: Elf
    report: EventReport
    carried: set[str]
    ticked: set[str]

    def error(self, code: str, span: Span | None, cause: str) -> None:
        """A difference."""


class EventTables:
    """The comparison."""

    def __init__(self, events: Context) -> None:
        self.events = events

    def check(self) -> None:
        """Everything that the tables say."""
        self._counter_table()
        symbol = self.events.elf.symbols.get("carillon_osek_alarms")
        alarms = self.events.osek.alarms
        cells: dict[str, bool] = {}
        if symbol is not None and alarms and symbol.size and not symbol.size % len(alarms):
            for number, alarm in enumerate(alarms):
                self.events.report.tables += 1
                reader = Reader(self.events.elf, symbol.address + number * (symbol.size // len(alarms)))
                callback, cell = self.events.elf.code(reader.pointer()), reader.pointer()
                cells[alarm.name] = bool(cell)
                rest = [reader.take(size) for size in (4, 4, 4, 4, 1, 1, 1, 1)]
                wrong = self._alarm(alarm, callback, rest)
                if wrong:
                    self.events.error("C204", alarm.span, f"the alarm '{alarm.name}' {wrong}")
        for alarm in alarms:
            counter = self.events.osek.counter(alarm.counter)
            on_cell = alarm.name in self.events.carried
            if cells and cells[alarm.name] != on_cell:
                what = (
                    "is on a cell, and its table does not say so" if on_cell else "is to be on a cell, and no cell expires for it"
                )
                self.events.error("C204", alarm.span, f"the alarm '{alarm.name}' {what}")
            elif not on_cell and counter.kind is CounterKind.HARDWARE and counter.name not in self.events.ticked:
                self.events.error(
                    "C204", alarm.span, f"nothing carries the alarm '{alarm.name}': its counter '{counter.name}' has no tick"
                )

    def _alarm(self, alarm: Alarm, callback: int, rest: Sequence[int]) -> str:
        event, start, cycle, autostart, counter, action, number, absolute = rest
        names = {name: k for k, name in enumerate(t.name for t in self.events.osek.tasks)}
        counters = [c.name for c in self.events.osek.counters]
        if counter != counters.index(alarm.counter):
            return f"is on counter {counter}, not on '{alarm.counter}'"
        begin = alarm.autostart
        modes = sum(1 << self.events.osek.modes.index(m) for m in begin.modes) if begin is not None else 0
        expected = (begin.time, begin.cycle, modes, int(begin.absolute)) if begin is not None else (0, 0, 0, 0)
        if (start, cycle, autostart, absolute) != expected:
            return f"is set to {start}, cycle {cycle}, at the start, and the schedule says {expected[0]}, cycle {expected[1]}"
        match alarm.action:
            case ActivateTask(task):
                fits = (action, number) == (0, names[task])
            case SetEvent(task, name):
                mask = next(e.mask for e in self.events.osek.events if e.name == name)
                fits = (action, number, event) == (1, names[task], mask)
            case Callback(function):
                body = self.events.elf.symbols.get(f"carillon_callback_{function}")
                fits = action == 2 and body is not None and body.address == callback
            case IncrementCounter(name):
                fits = (action, number) == (3, counters.index(name))
        return "" if fits else "does something else than the schedule says"

    def _counter_table(self) -> None:
        symbol = self.events.elf.symbols.get("carillon_osek_counters")
        counters: Sequence[Counter] = self.events.osek.counters
        if symbol is None or not counters or not symbol.size or symbol.size % len(counters):
            return
        for number, counter in enumerate(counters):
            self.events.report.tables += 1
            reader = Reader(self.events.elf, symbol.address + number * (symbol.size // len(counters)))
            found = tuple(reader.take(4) for _ in range(3))
            expected = (counter.max_allowed, counter.ticks_per_base, counter.min_cycle)
            if found != expected:
                self.events.error(
                    "C204", counter.span, f"the counter '{counter.name}' has {found}, and the schedule says {expected}"
                )
