# SPDX-License-Identifier: Apache-2.0
"""The rows of the kernel's tables that a handler of the event-triggered system touches.

A handler is the kernel's function with a constant number: of an alarm, a part of a counter's queue, or a level.  Loads,
stores and calls reveal the number, whatever the compiler made of it.  A row of another object is a difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from carillon import c_names
from carillon.elf import UnreadableError
from carillon.model.osek import ActivateTask, Alarm, SetEvent
from carillon.verify.code import Effect
from carillon.verify.meaning import Service, data_address

if TYPE_CHECKING:
    from carillon.verify.events import Events

CALLS = {
    "carillon_osek_alarm_expired": "alarm",
    "carillon_osek_tick": "part",
    "carillon_osek_last_tick": "part",
    "carillon_osek_ended": "task",
    "carillon_osek_run": "level",
    "carillon_osek_half_table": "table",
    "carillon_osek_end_table": "table",
    "carillon_osek_adjust_table": "table",
}
"""Functions of the kernel whose first argument is a row's number."""
ROWS = {
    "carillon_osek_alarm_cells": "alarm",
    "carillon_osek_alarm_due": "alarm",
    "carillon_osek_alarms": "alarm",
    "carillon_osek_counters": "part",
    "carillon_osek_counter_states": "part",
    "carillon_osek_jobs": "task",
    "carillon_osek_tasks": "task",
}
"""Tables, and what each row is of."""
RUNNING = "carillon_osek_running"
"""The kernel's variable with the number of the task that runs."""


@dataclass(frozen=True, slots=True)
class Touched:
    """A row that a handler's code names: the kind of table, the row's number, and the place in the code."""

    kind: str
    number: int
    where: str


class EventRows:
    """The comparison."""

    def __init__(self, events: Events) -> None:
        self.events = events
        osek = events.osek
        self._tasks = {t.name: k for k, t in enumerate(osek.tasks)}
        self._counts = {"alarm": len(osek.alarms), "part": len(events.parts.counters), "task": len(osek.tasks)}
        bodies = ((events.elf.symbols.get(c_names.task(name)), k) for name, k in self._tasks.items())
        self._bodies = {body.address: k for body, k in bodies if body is not None}

    def check(self) -> None:
        """Each handler."""
        levels = self.events.task_levels
        for service, address in self._handlers():
            allowed = self._allowed(service, levels)
            try:
                touched = set(self.touched(address))
            except UnreadableError:
                self.events.unverified.append(f"which rows '{self.events.elf.name_of(address)}' touches: its code is not read")
                continue
            for row in sorted(touched, key=lambda x: (x.kind, x.number)):
                if row.kind in allowed and row.number not in allowed[row.kind]:
                    whose = f"'{self.events.elf.name_of(address)}', of {service.kind} {service.name or service.number},"
                    self.events.error("C205", f"{whose} touches {row.kind} {row.number}, in '{row.where}'")
                    break

    def _handlers(self) -> Iterator[tuple[Service, int]]:
        """What there is a handler for, and where each is."""
        elf = self.events.elf
        for source, service in self.events.services.items():
            if service is None or service.kind not in ("counter", "alarm", "point", "half", "end", "adjust", "task"):
                continue
            for vectors in self.events.vectors:
                meaning = self.events.meanings.of(vectors[source])
                if meaning.direct is None:
                    yield service, meaning.address
        for name, symbol in elf.symbols.items():
            found = re.fullmatch(r"carillon_(level|cells)_(\d+)", name)
            if found is not None:
                yield Service(found[1], number=int(found[2])), symbol.address

    def _allowed(self, service: Service, levels: Mapping[str, int]) -> dict[str, set[int]]:
        """Per kind of row, the numbers that a handler may touch; of kinds left out, any number."""
        osek, parts = self.events.osek, self.events.parts
        at = {level: {self._tasks[t] for t in levels if levels[t] == level} for level in levels.values()}
        if service.kind == "level":
            return {"task": at.get(service.number, set()), "level": {service.number}}
        if service.kind in ("half", "end", "adjust"):
            return {"table": {service.number}}
        if service.kind == "alarm":
            return self._of_alarm(osek.alarms[service.number], service.number, at, levels) if service.number >= 0 else {}
        if service.kind == "task":  # the vector of a task's alarm, or of the task itself
            alarms = {k for k, a in enumerate(osek.alarms) if a.action.object == service.name}
            return {"alarm": alarms, "task": at.get(levels.get(service.name, -1), set())}
        if service.kind == "counter":
            counter = parts.counter(service.number)
            alarm_numbers = {k for k, a in enumerate(osek.alarms) if counter is not None and a.counter == counter.name}
            if any(a.action.subject == "counter" for a in osek.alarms):
                return {"alarm": alarm_numbers}
            first = service.number < len(osek.counters)  # the first part's handler requests the parts without a cell
            beside = {k for k, c in enumerate(parts.counters) if first and c == counter}
            return {"alarm": alarm_numbers, "part": {service.number} | beside}
        if service.kind == "cells":
            woken = at.get(service.number, set())
            alarms = {
                k for k, a in enumerate(osek.alarms) if any(self._tasks.get(one.object, -1) in woken for one in a.action.each)
            }
            return {"alarm": alarms, "task": woken}
        return {}

    def _of_alarm(self, alarm: Alarm, number: int, at: Mapping[int, set[int]], levels: Mapping[str, int]) -> dict[str, set[int]]:
        alarm_rows = {"alarm": {number}, "part": {self.events.parts.of.get(alarm.name, -1)}}
        if isinstance(alarm.action, ActivateTask | SetEvent):
            return {**alarm_rows, "task": at.get(levels.get(alarm.action.object, -1), set())}
        return {"alarm": alarm_rows["alarm"]} if alarm.action.subject != "counter" else {}

    def touched(self, address: int) -> Iterator[Touched]:
        """The rows that a function's code names."""
        for path in self.events.meanings.handlers.paths(address).effects:
            for effect in path:
                yield from self._of(effect)

    def _of(self, effect: Effect) -> Iterator[Touched]:
        elf = self.events.elf
        if effect.kind == "call":
            name = elf.name_of(effect.address) if effect.address >= 0 else ""
            first = dict(effect.arguments).get(0)
            if name in CALLS and first is not None:
                yield Touched(CALLS[name], first & 0xFF, name)
            return
        if effect.kind not in ("read", "write"):
            return
        symbol = elf.around(data_address(elf, effect.address))
        if symbol is None:
            return
        kind = ROWS.get(symbol.name)
        if kind is not None and self._counts[kind] and symbol.size % self._counts[kind] == 0:
            stride = symbol.size // self._counts[kind]
            yield Touched(kind, (data_address(elf, effect.address) - symbol.address) // stride, symbol.name)
        if effect.kind == "write" and effect.value is not None:
            if symbol.name == RUNNING and effect.value < len(self._tasks):
                yield Touched("task", effect.value, RUNNING)
            body = self._bodies.get(elf.code(effect.value))
            if body is not None:
                yield Touched("task", body, symbol.name)
