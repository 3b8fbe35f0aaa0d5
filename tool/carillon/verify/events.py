# SPDX-License-Identifier: Apache-2.0
"""The event-triggered system of the image against that of the schedule.

Compared are its cells (alarms, counters, a periodic clock, slices), what their vectors do, the vectors of its tasks and
ISRs, the order of levels, and the tables of tasks, counters and alarms.  What is decided while it runs (who waits in which
queue, what a clock that moves is set to) is no part of an image; ``verify`` says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from carillon.diagnostics import Diagnostics, Span
from carillon.elf import UnreadableError
from carillon.model import System
from carillon.model.osek import ActivateTask, Alarm, CounterKind, Dispatch, Osek, SetEvent
from carillon.model.time import ClockKind
from carillon.verify.contract import ModeTable, Reader, Store, Tables
from carillon.verify.controllers import named
from carillon.verify.elf import Elf
from carillon.verify.event_tables import EventReport, EventTables, Parts
from carillon.verify.families import Cell, Family
from carillon.verify.hardware import Hardware
from carillon.verify.meaning import Meaning, Meanings, Step
from carillon.verify.rounds import REMEDY

CLOCKS = ("carillon_time_tick", "carillon_time_due", "carillon_clock_interrupt")
SLICES = ("carillon_port_slice_vector", "carillon_slice_over", "carillon_slice_timer")


@dataclass(frozen=True, slots=True)
class Service:
    """What a vector serves: ``kind`` is "task", "isr", "level", "counter", "alarm", "clock", "slices" or "dispatcher"."""

    kind: str
    name: str = ""
    number: int = -1


@dataclass(slots=True)
class Events:
    """The comparison."""

    system: System
    osek: Osek
    elf: Elf
    tables: Tables
    table: ModeTable
    hardware: Hardware
    meanings: Meanings
    vectors: Sequence[Mapping[int, int]]
    """The address of each source's vector, in each mode of the rounds, or once."""
    diagnostics: Diagnostics
    report: EventReport = field(default_factory=EventReport)
    unverified: list[str] = field(default_factory=list)
    carried: set[str] = field(default_factory=set)
    parts: Parts = field(default_factory=Parts)
    ticked: dict[int, int] = field(default_factory=dict)
    """By the number of a part of the counters' queues, the level at which that is served."""

    def error(self, code: str, span: Span | None, cause: str) -> None:
        """A difference."""
        self.diagnostics.error(code, span or self.osek.span, f"event-triggered system: {cause}", REMEDY)

    @property
    def software(self) -> bool:
        """Whether tasks are dispatched by software, so that they have no sources."""
        return self.osek.dispatch is Dispatch.SOFTWARE or self.system.board.dispatch == "software"

    @property
    def sources(self) -> dict[int, int]:
        """The sources of the system, with their levels."""
        return dict(self.table.levels)

    def check(self, started: Sequence[tuple[Family, Cell]]) -> None:
        """Everything about it; ``started``: its cells, which run."""
        self.parts = Parts.read(self.osek, self.elf)
        services = {source: self._service(source) for source in sorted(self.sources)}
        self._cells(started, services)
        self._requested_parts(started, services)
        self._isrs(services)
        self._tasks(services)
        self._order(services)
        self._level_alarms(services)
        EventTables(self).check()
        self._requests()
        self._stopped(started)
        if any(a.name not in self.carried for a in self.osek.alarms):
            self.unverified.append("alarms in their counters' queues: what is queued while it runs (their tables are compared)")
        if self.system.time is not None:
            self.unverified.append("threads, delays and alarms of the time services: what is queued while it runs")
        if self.software and self.osek.tasks:
            self.unverified.append("dispatch in software: which task runs is decided while it runs (their tables are compared)")

    # What vectors serve.

    def _service(self, source: int) -> Service | None:
        found: set[Service | None] = set()
        for vectors in self.vectors:
            address = vectors.get(source)
            if address is None:
                self.error("C205", None, f"{named([source])} has no vector")
                return None
            meaning = self.meanings.of(address)
            self.report.vectors += 1
            service = self._serves(meaning)
            if service is None:
                self.error("C205", None, f"the vector of source {source}, '{meaning.symbol}', serves nothing of the schedule")
                return None
            found.add(service)
        if len(found) > 1:
            self.error("C205", None, f"the vector of source {source} serves different objects in different modes")
        return found.pop()

    def _serves(self, meaning: Meaning) -> Service | None:
        calls = {(s.name, s.number) for s in meaning.every("call")}
        names = {name for name, _ in calls} | {meaning.symbol}
        runs = meaning.runs
        level = re.fullmatch(r"carillon_level_(\d+)", meaning.symbol)
        if level is not None:  # the kernel's handler of managed tasks, within which the compiler may have its functions
            return Service("level", number=int(level[1]))
        if len(runs) == 1:
            function = next(iter(runs))
            kind, _, name = function.removeprefix("carillon_").partition("_")
            return Service(kind, name) if kind in ("task", "isr") else None
        if runs:
            return None
        alarm = re.fullmatch(r"carillon_alarm_(\w+)", meaning.symbol)
        ends = [s.name for s in meaning.every("call") if s.name.startswith("carillon_level_")]
        if alarm is not None and (
            ends or meaning.every("pend")
        ):  # it acts on its task's level, and the compiler has the action within it
            numbers = {a.name: k for k, a in enumerate(self.osek.alarms)}
            return Service("alarm", alarm[1], numbers[alarm[1]]) if alarm[1] in numbers else None
        for name, number in sorted(calls, key=str):
            kinds = {"carillon_osek_tick": "counter", "carillon_osek_last_tick": "counter"}
            kinds |= {"carillon_osek_alarm_expired": "alarm"}
            if name in kinds and number is not None:
                return Service(kinds[name], number=number & 0xFF)
        if names & set(CLOCKS):
            return Service("clock")
        if names & set(SLICES):
            return Service("slices")
        return Service("dispatcher") if "carillon_software_dispatch" in names else None

    # Cells.

    def _cells(self, started: Sequence[tuple[Family, Cell]], services: Mapping[int, Service | None]) -> None:
        lead = self.system.board.lead_at(self.system.clock_hz)
        wanted: list[tuple[Cell, Span, str, set[tuple[Fraction, Fraction]]]] = []
        for family, cell in started:
            service = services.get(cell.place.source)
            if cell.place.source not in self.sources:
                self._base(cell)
                continue
            self.report.cells += 1
            if service is None:
                continue
            if cell.begins is None or cell.again is None:
                self.error("C204", None, f"{self._named(cell)} is started without an interval")
                continue
            expected = self._expected(cell, service)
            if expected is not None:
                wanted.append((cell, *expected))
            if cell.place.array.acknowledge:
                self._acknowledges(family, cell)
        for origin in (lead, 0):
            wrong = [x for x in wanted if not self._fits(x[0], x[3], origin)]
            if not wrong:
                break
        for cell, span, what, times in [x for x in wanted if not self._fits(x[0], x[3], lead)] if wrong else []:
            shown = " or ".join(
                f"{float(first):g} and every {float(period):g} ticks" for first, period in sorted(times) if first > 0
            )
            assert cell.begins is not None and cell.again is not None
            self.error(
                "C204",
                span,
                f"the {what} is expected at {shown}; {self._named(cell)} expires at {float(cell.begins - lead):g} and every "
                f"{float(cell.ticks(cell.again)):g}",
            )

    @staticmethod
    def _named(cell: Cell) -> str:
        return f"{cell.place.name} (source {cell.place.source})"

    @staticmethod
    def _fits(cell: Cell, times: set[tuple[Fraction, Fraction]], origin: int) -> bool:
        assert cell.begins is not None and cell.again is not None
        return (cell.begins - origin, cell.ticks(cell.again)) in times

    def _ticks(self, every: int) -> set[tuple[Fraction, Fraction]]:
        """The first expiry and period of what only ticks: it may begin whole periods early, between the start and tick 0.

        The kernel forgets what was asked for before it enables the source.
        """
        before = range(self.system.board.lead_at(self.system.clock_hz) // every + 1)
        return {(Fraction(every - k * every), Fraction(every)) for k in before}

    def _requested_parts(self, started: Sequence[tuple[Family, Cell]], services: Mapping[int, Service | None]) -> None:
        """Parts of counters' queues that have no cell: the handler of the first part of the same counter requests them."""
        celled = {cell.place.source for _, cell in started}
        parts = {s: x.number for s, x in services.items() if x is not None and x.kind == "counter"}
        for source, number in parts.items():
            counter = self.parts.counter(number)
            if counter is None or source in celled:
                continue
            self.ticked[number] = self.sources[source]
            first = next((s for s, other in parts.items() if s in celled and other == self.osek.counters.index(counter)), -1)
            asking = [self.meanings.of(vectors[first]) for vectors in self.vectors if first in vectors]
            if not asking or not all(self._requests_source(meaning, source) for meaning in asking):
                self.error("C205", counter.span, f"nothing requests source {source}, where part {number} of a queue is served")
            if self.sources[source] >= self.sources.get(first, 0):
                self.error("C207", counter.span, f"source {source} has a level that is not below that of source {first}")

    @staticmethod
    def _requests_source(meaning: Meaning, source: int) -> bool:
        """Whether a vector requests a source, by a store or by the port's function."""
        calls = [s for s in meaning.every("call") if s.name == "carillon_port_request"]
        return any(source in s.sources for s in meaning.every("pend")) or any(s.number == source for s in calls)

    def _expected(self, cell: Cell, service: Service) -> tuple[Span, str, set[tuple[Fraction, Fraction]]] | None:
        """Where it is said, what it is, and the first expiry and period that it may have; None if anything may be."""
        osek, time = self.osek, self.system.time
        counter = self.parts.counter(service.number) if service.kind == "counter" else None
        if counter is not None:
            self.ticked[service.number] = self.sources[cell.place.source]
            tick = Fraction(counter.tick)
            if counter.kind is not CounterKind.HARDWARE:
                self.error(
                    "C205", counter.span, f"{self._named(cell)} ticks the counter '{counter.name}', which software advances"
                )
                return None
            return counter.span, f"tick of the counter '{counter.name}'", {(tick, tick)}
        if service.kind == "alarm" and service.number < len(osek.alarms):
            alarm = osek.alarms[service.number]
            self.carried.add(alarm.name)
            return alarm.span, f"alarm '{alarm.name}'", self._alarm_times([alarm])
        if service.kind == "task":
            alarms = [a for a in osek.alarms if isinstance(a.action, ActivateTask) and a.action.object == service.name]
            fitting = [a for a in alarms if a.autostart is not None and a.autostart.cycle]
            if not fitting:
                self.error(
                    "C205", osek.task(service.name).span, f"{self._named(cell)} activates '{service.name}', which no alarm does"
                )
                return None
            own = [a for a in fitting if self._carries(cell, a)] or fitting
            self.carried.add(own[0].name)
            return own[0].span, f"alarm '{own[0].name}'", self._alarm_times(own)
        if service.kind == "clock" and time is not None:
            if time.clock is ClockKind.PERIODIC and time.tick is not None:
                return time.span, "tick of the clock", self._ticks(time.tick)
            self.unverified.append(f"the {time.clock.value} clock on {cell.place.name}: it is set while it runs")
            return None
        if service.kind == "slices" and time is not None and time.slice is not None:
            return time.span, "end of slices", self._ticks(time.slice)
        self.error("C205", None, f"{self._named(cell)} expires, and its vector serves no alarm, counter or clock")
        return None

    def _alarm_times(self, alarms: Sequence[Alarm]) -> set[tuple[Fraction, Fraction]]:
        found = set()
        for alarm in alarms:
            tick, start = self.osek.counter(alarm.counter).tick, alarm.autostart
            if start is not None:
                found.add((Fraction(start.time * tick), Fraction(start.cycle * tick)))
        return found

    def _carries(self, cell: Cell, alarm: Alarm) -> bool:
        lead = self.system.board.lead_at(self.system.clock_hz)
        return any(self._fits(cell, self._alarm_times([alarm]), origin) for origin in (lead, 0))

    def _base(self, cell: Cell) -> None:
        """A cell without a level can only be the time base, which nobody interrupts for."""
        self.unverified.append(f"the time base of counters, {cell.place.name}: what it reads is compiled into the kernel")
        if cell.place.source in self.hardware.enabled and cell.lets:
            self.error("C208", None, f"{self._named(cell)} has no level, and its request is enabled")

    def _acknowledges(self, family: Family, cell: Cell) -> None:
        for vectors in self.vectors:
            meaning = self.meanings.of(vectors[cell.place.source])
            paths = meaning.paths
            if meaning.direct is not None or any(
                not any(s.cell is cell and s.what in ("acknowledge", "set") for s in path) for path in paths
            ):
                if meaning.symbol in (*CLOCKS, *SLICES):  # whose code is the kernel's
                    continue
                self.error("C205", None, f"'{meaning.symbol}', the vector of source {cell.place.source}, does not acknowledge it")

    # Tasks, ISRs, levels.

    def _isrs(self, services: Mapping[int, Service | None]) -> None:
        for isr in self.osek.isrs:
            service = services.get(isr.source)
            if service is None or service != Service("isr", isr.name):
                what = f"serves {service.kind} {service.name}" if service is not None else "serves nothing"
                self.error("C205", isr.span, f"the vector of source {isr.source}, of the ISR '{isr.name}', {what}")

    def _tasks(self, services: Mapping[int, Service | None]) -> None:
        """The table of tasks, and that each task's source leads to it."""
        symbol = self.elf.symbols.get("carillon_osek_tasks")
        count = len(self.osek.tasks)
        if symbol is None or not count or symbol.size % count:
            return
        members: dict[int, set[str]] = {}
        for number, task in enumerate(self.osek.tasks):
            self.report.tables += 1
            reader = Reader(self.elf, symbol.address + number * (symbol.size // count))
            function = self.elf.code(reader.pointer())
            extended = reader.pointer()
            reader.pointer()
            reader.take(4)
            request = self._store(reader)
            autostart, source, level = reader.take(4), reader.take(2), reader.take(1)
            ceiling, activations, direct = reader.take(1), reader.take(1), reader.take(1)
            body = self.elf.symbols.get(f"carillon_task_{task.name}")
            wrong = ""
            if body is None or function != body.address:
                wrong = f"runs '{self.elf.name_of(function)}'"
            elif autostart != sum(1 << self.osek.modes.index(m) for m in task.autostart):
                wrong = f"is activated at the start of application modes {autostart:#x}"
            elif activations != task.activations:
                wrong = f"may be activated {activations} times"
            elif bool(extended) != task.extended:
                wrong = "has a stack of its own" if extended else "has no stack of its own"
            elif ceiling < level:
                wrong = f"runs at level {ceiling}, below its own, {level}"
            elif not self.software:
                wrong = self._source(task.name, source, level, bool(direct), request, services)
            if wrong:
                self.error("C205", task.span, f"the task '{task.name}' {wrong}")
            members.setdefault(source, set()).add(f"carillon_task_{task.name}")
        for source, own in members.items() if not self.software else ():
            for vectors in self.vectors:
                meaning = self.meanings.of(vectors[source]) if source in vectors else None
                if meaning is not None and meaning.runs - own:
                    what = ", ".join(sorted(r.removeprefix("carillon_task_") for r in meaning.runs - own))
                    self.error("C205", None, f"the vector of source {source}, '{meaning.symbol}', runs '{what}'")

    def _source(
        self, task: str, source: int, level: int, direct: bool, request: Store, services: Mapping[int, Service | None]
    ) -> str:
        service = services.get(source)
        if service != (Service("task", task) if direct else Service("level", number=level)):
            return f"is requested at source {source}, whose vector serves something else"
        requests = self.hardware.controller.store(request.address, request.value)
        if requests != ("pend", frozenset({source})):
            return f"is not requested by the store that is to request source {source}"
        if self.sources.get(source) != level:
            return f"is taken for level {level}, and its source has level {self.sources.get(source)}"
        return ""

    def _store(self, reader: Reader) -> Store:
        word = self.tables.word
        address, value = reader.take(word), reader.take(word)
        return Store(address, value, reader.at)

    def _order(self, services: Mapping[int, Service | None]) -> None:
        """A higher priority is a higher level; ISRs are above tasks, those of category 1 above those of category 2."""
        board = self.system.board
        if board.nesting != "levels":
            return
        levels = self.sources
        for source, level in sorted(levels.items()):
            if not 1 <= level <= board.levels:
                self.error("C207", None, f"{named([source])} has level {level} of {board.levels}")
        known = [
            (0, t.priority, level, f"task '{t.name}'", t.span) for t in self.osek.tasks if (level := self._level(t.name)) >= 0
        ]
        known += [
            ((i.category == 2 and 1) or 3, i.priority, levels.get(i.source, 0), f"ISR '{i.name}'", i.span) for i in self.osek.isrs
        ]
        for source, service in services.items():
            if service is not None and self._has_own_level(source, service):
                continue
            if service is not None and service.kind in ("counter", "alarm", "clock", "slices"):
                known.append((2, 0, levels[source], f"{service.kind} at source {source}", self.osek.span))
        ordered = sorted(known, key=lambda x: (x[0], x[1]))
        for low, high in pairwise(ordered):
            same = (low[0], low[1]) == (high[0], high[1])
            if (high[2] != low[2] and low[0] in (0, 2)) if same else self._is_disordered(low[0], low[2], high[0], high[2]):
                self.error("C207", high[4], f"the {high[3]} has level {high[2]}, and the {low[3]} has level {low[2]}")

    def _woken(self, service: Service) -> str | None:
        """The task that an alarm activates or sets an event of."""
        if service.kind != "alarm" or service.number >= len(self.osek.alarms):
            return None
        action = self.osek.alarms[service.number].action
        return action.object if isinstance(action, ActivateTask | SetEvent) else None

    def _has_own_level(self, source: int, service: Service) -> bool:
        """Whether a vector has the level of the tasks that its alarm, or its counter's queue, wakes, and not the kernel's."""
        if self.software:
            return False
        if service.kind == "counter":
            return self.is_at_its_tasks(service.number)
        task = self._woken(service)
        return task is not None and self.sources[source] == self._level(task)

    def _queued(self, number: int) -> set[str | None]:
        """The tasks that the alarms of a part wake which may stand in it; None: one of them does something else."""
        alarms = [a for a in self.osek.alarms if self.parts.of.get(a.name) == number]
        actions = [a.action for a in alarms if not (a.static and a.name in self.carried)]
        return {a.object if isinstance(a, ActivateTask | SetEvent) else None for a in actions}

    def is_at_its_tasks(self, part: int) -> bool:
        """Whether a part is served at the level of the tasks that its alarms wake."""
        woken = self._queued(part)
        return not self.software and bool(woken) and all(t and self.ticked.get(part) == self._level(t) for t in woken)

    def level_of(self, alarm: Alarm) -> int:
        """The level of the task that an alarm wakes; -1 if it wakes none."""
        return self._level(alarm.action.object) if isinstance(alarm.action, ActivateTask | SetEvent) else -1

    def _level_alarms(self, services: Mapping[int, Service | None]) -> None:
        """Alarms at their tasks' levels: their vectors request the task, and services that look at the task find it done."""
        for source, service in services.items():
            if service is None or not self._has_own_level(source, service):
                continue
            if service.kind == "counter":
                self._level_counter(source, service.number)
                continue
            alarm, level = self.osek.alarms[service.number], self.sources[source]
            requests = frozenset({self._task_source(self._woken(service) or "")})
            for vectors in self.vectors:
                meaning = self.meanings.of(vectors[source])
                runs = {s.name for s in meaning.every("call") if s.name.startswith("carillon_level_")}
                if runs != {f"carillon_level_{level}"} and (runs or {s.sources for s in meaning.every("pend")} != {requests}):
                    self.error(
                        "C205", alarm.span, f"'{meaning.symbol}', the vector of source {source}, does not run level {level}"
                    )
            symbol = self.elf.symbols.get(f"carillon_cells_{level}")
            paths = self.meanings.of(symbol.address).paths if symbol is not None else []
            if not any(self._takes(path, source, requests) for path in paths):
                self.error(
                    "C205",
                    alarm.span,
                    f"no service serves source {source}, of the alarm '{alarm.name}' at level {level}, before its handler",
                )

    def _level_counter(self, source: int, number: int) -> None:
        """A counter at its tasks' level: services that look at such a task have what is due served."""
        counter, level = self.parts.counter(number), self.sources[source]
        symbol = self.elf.symbols.get(f"carillon_cells_{level}")
        calls = self.meanings.of(symbol.address).every("call") if symbol is not None else []
        if not any(s.name == "carillon_osek_tick" and s.number is not None and s.number & 0xFF == number for s in calls):
            assert counter is not None
            self.error(
                "C205", counter.span, f"no service serves the counter '{counter.name}' at level {level} before its handler"
            )

    @staticmethod
    def _takes(path: Sequence[Step], source: int, requests: frozenset[int]) -> bool:
        """Whether a source's request is taken back, and what it asks for requested."""
        taken = next((k for k, s in enumerate(path) if s.what == "unpend" and source in s.sources), len(path))
        return any(s.what == "pend" and s.sources == requests for s in path[taken:])

    @staticmethod
    def _is_disordered(low: int, low_level: int, high: int, high_level: int) -> bool:
        """The kernel's own interrupts are on the level of the highest ISR of category 2, which its lock masks."""
        return high_level != low_level if (low, high) == (1, 2) else high_level <= low_level

    def _level(self, task: str) -> int:
        """The level of a task's source; -1 where it has none."""
        source = self._task_source(task)
        return self.sources.get(source, 0) if source >= 0 else -1

    def _task_source(self, task: str) -> int:
        """The source of a task; -1 where it has none."""
        symbol = self.elf.symbols.get("carillon_osek_tasks")
        if self.software or symbol is None or not symbol.size:
            return -1
        number = next(k for k, t in enumerate(self.osek.tasks) if t.name == task)
        reader = Reader(self.elf, symbol.address + number * (symbol.size // len(self.osek.tasks)))
        for _ in range(3):
            reader.pointer()
        reader.take(4)
        self._store(reader)
        reader.take(4)
        return reader.take(2)

    # What is enabled, forgotten, stopped.

    def _requests(self) -> None:
        board = self.system.board
        own = {s for s in self.sources if s >= board.request_base}
        for list_, kind in (("forget", "unpend"), ("enable", "enable"), ("disable", "disable")):
            symbol = self.elf.symbols.get(f"carillon_osek_{list_}")
            if symbol is None:
                continue
            done: set[int] = set()
            for store in self.tables.stores(symbol.address, symbol.size // (2 * self.tables.word)):
                requests = self.hardware.controller.store(store.address, store.value)
                if requests is None:
                    raise UnreadableError(f"carillon_osek_{list_} stores to {store.address:#x}, which no rule reads")
                if requests[1] and requests[0] != kind:
                    self.error("C208", None, f"carillon_osek_{list_} {requests[0]}s {named(requests[1])}")
                done |= requests[1]
            if done != own:
                verb = {"forget": "forgotten", "enable": "enabled", "disable": "disabled"}[list_]
                for source in sorted(own - done):
                    self.error("C208", None, f"{named([source])} is not {verb}")
                for source in sorted(done - own):
                    self.error("C208", None, f"{named([source])} is {verb}, which is not the event-triggered system's")

    def _stopped(self, started: Sequence[tuple[Family, Cell]]) -> None:
        saved = [(cell, cell.started, dict(cell.registers)) for _, cell in started]
        self.hardware.carry_out(self.table.stop, None)
        for _, cell in started:
            if cell.started is not None:
                self.error("C208", None, f"{self._named(cell)} still runs when the system has been shut down")
        for cell, at, registers in saved:
            cell.started, cell.registers = at, registers
