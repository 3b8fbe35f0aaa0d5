# SPDX-License-Identifier: Apache-2.0
"""The event-triggered system of the image against that of the schedule.

Compared are its cells (alarms, counters, a periodic clock, slices) and what their vectors do.  So are the vectors of its tasks
and ISRs, the order of levels, and the tables of tasks, counters and alarms.  What is decided while it runs (who waits in which
queue, what a clock that moves is set to) is no part of an image; ``verify`` says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from carillon import c_names
from carillon.diagnostics import Diagnostics, Span
from carillon.elf import UnreadableError
from carillon.model import System
from carillon.model.giotto import Machine
from carillon.model.osek import ActivateTask, Alarm, CounterKind, Dispatch, Osek
from carillon.model.time import ClockKind
from carillon.verify.budgets import check_pauses, check_round_budgets, check_thread_times
from carillon.verify.contract import ModeTable, Store, store, stores
from carillon.verify.controllers import named
from carillon.verify.elf import Elf
from carillon.verify.event_cells import (
    budget_turns,
    check_budget_cell,
    check_frames,
    check_isr_budgets,
    check_lock_budgets,
    goes_on_as,
    own_stack,
    port_vector,
    serves_cells,
    turns_of,
    wrong_base,
)
from carillon.verify.event_levels import (
    TaskLevel,
    check_at_tasks,
    check_ceilings,
    check_contexts,
    check_levels,
    check_order,
    check_turns,
)
from carillon.verify.event_rows import EventRows
from carillon.verify.event_tables import EXPIRE, EventReport, Parts, check_tables
from carillon.verify.families import Cell
from carillon.verify.hardware import Hardware
from carillon.verify.joined import joined_alarms
from carillon.verify.meaning import Meaning, Meanings, Service
from carillon.verify.rounds import REMEDY

CLOCKS = ("carillon_time_tick", "carillon_time_due", "carillon_clock_interrupt")
TICK = "carillon_clock_vector"
"""The handler of a clock's cell, which has the kernel's tick in it."""
TURNS = "carillon_port_turn_vector"
SLICES = ("carillon_port_slice_vector", "carillon_slice_over", "carillon_slice_timer")
WAKES = "carillon_microcode_start"
"""The kernel's function that sets the clock for the first time, of a machine of microcode that this wakes."""
RANGE = Fraction(1 << 24)
"""In how many ticks the cell of time frames counts down once (SPEC, 'Time frames')."""
NUMBERED = {"carillon_osek_tick": "counter", "carillon_osek_last_tick": "counter", "carillon_osek_alarm_expired": "alarm"}
"""What a vector serves that calls a function of the kernel with a number."""
WHOLE = {
    "clock": CLOCKS,
    "turn": (TURNS,),
    "slices": SLICES,
    "budgets": ("carillon_port_budget_vector",),
    "round budgets": ("carillon_port_round_budget_vector",),
    "frames": ("carillon_frame_vector",),
    "dispatcher": ("carillon_software_dispatch",),
}
"""What a vector serves that is, or calls, one of these; that of a turn is the kernel's own."""


@dataclass(slots=True)
class Events:
    """The comparison."""

    system: System
    osek: Osek
    elf: Elf
    table: ModeTable
    hardware: Hardware
    meanings: Meanings
    vectors: Sequence[Mapping[int, int]]
    """The address of each source's vector, in each mode of the rounds, or once."""
    diagnostics: Diagnostics
    report: EventReport = field(default_factory=EventReport)
    unverified: list[str] = field(default_factory=list)
    carried: dict[str, Cell] = field(default_factory=dict)
    """By the name of an alarm, the cell that expires for it."""
    parts: Parts = field(default_factory=Parts)
    ticked: dict[int, int] = field(default_factory=dict)
    """By the number of a part of the counters' queues, the level at which that is served."""
    teller: Cell | None = None
    """The cell of the clock that tells the ticks of tickless counters."""
    based: bool = False
    """Whether a cell that nobody interrupts for runs, which is the time base."""
    budget_cell: Cell | None = None
    """The cell of execution budgets."""
    round_budget_cell: Cell | None = None  # of the rounds' tasks
    served: dict[int, Service] = field(default_factory=dict)
    """By the identity of a cell that shares its source with others: what is done for it alone."""
    frame_cell: Cell | None = None
    """The cell of time frames."""
    budgets: list[int] = field(default_factory=list)
    """What the table of tasks says of each: units of the cell, or ticks of the clock."""
    locks: dict[str, list[int]] = field(default_factory=dict)
    """Of each task whose lock budgets the clock keeps, those of resources in order of length, then three of interrupts."""
    leveled: list[TaskLevel] = field(default_factory=list)
    """What the table of tasks says of each."""
    services: dict[int, Service | None] = field(default_factory=dict)
    """What the vector of each source serves."""

    def error(self, code: str, cause: str, span: Span | None = None) -> None:
        """A difference."""
        self.diagnostics.error(code, span or self.osek.span, f"event-triggered system: {cause}", REMEDY)

    @property
    def software(self) -> bool:
        """Whether tasks are dispatched by software, so that they have no sources."""
        either = self.system.board.dispatch == "either" and "carillon_software_dispatch" in self.elf.symbols
        return (
            self.osek.queued_budgets
            or self.osek.dispatch is Dispatch.SOFTWARE
            or self.system.board.dispatch == "software"
            or either
        )

    @property
    def task_levels(self) -> dict[str, int]:
        """The level of each task, by the table of tasks."""
        return {it.task.name: it.level for it in self.leveled}

    @property
    def sources(self) -> dict[int, int]:
        """The sources of the system, with their levels."""
        return dict(self.table.levels)

    def of_kind(self, kind: str) -> dict[int, Service]:
        """The sources whose vectors serve something of a kind."""
        return {source: it for source, it in self.services.items() if it is not None and it.kind == kind}

    def check(self, started: Sequence[Cell]) -> None:
        """Check all parts of the system; ``started``: its running cells."""
        self.parts = Parts.read(self.osek, self.elf)
        self.services = {source: self._service(source) for source in sorted(self.sources)}
        for source in self.of_kind("joined"):
            self._joined(source, [cell for cell in started if cell.place.source == source])
        self._cells(started)
        self._requested_parts(started)
        self._isrs()
        self._tasks()
        check_budget_cell(self)
        check_frames(self)
        check_lock_budgets(self)
        check_isr_budgets(self)
        check_round_budgets(self)
        check_pauses(self)
        check_thread_times(self)
        check_order(self)
        check_at_tasks(self)
        check_tables(self)
        if self.of_kind("point"):
            self.unverified.append("which event a schedule table's cell sets: that is compiled into its handler")
        self._requests()
        self._stopped(started)
        if any(a.name not in self.carried for a in self.osek.alarms):
            self.unverified.append("alarms in their counters' queues: what is queued while it runs (their tables are compared)")
        if self.parts.cursors or any(not t.cells for t in self.osek.schedule_tables):
            runs = not EXPIRE.isdisjoint(self.elf.symbols)
            difference = (
                "what is started while it runs (their tables are compared)" if runs else "nothing in the image goes through them"
            )
            self.unverified.append(f"schedule tables in their counters' queues: {difference}")
        if self.system.time is not None:
            self.unverified.append("threads, delays and alarms of the time services: what is queued while it runs")
        if self.software and self.osek.tasks:
            self.unverified.append("dispatch in software: which task runs is decided while it runs (their tables are compared)")

    # What vectors serve.

    def _service(self, source: int) -> Service | None:
        services: set[Service | None] = set()
        for vectors in self.vectors:
            address = vectors.get(source)
            if address is None:
                self.error("C205", f"{named([source])} has no vector")
                return None
            meaning = self.meanings.of(address)
            self.report.vectors += 1
            service = self._serves(meaning)
            if service is None:
                self.error("C205", f"the vector of source {source}, '{meaning.symbol}', serves nothing of the schedule")
                return None
            services.add(service)
        if len(services) > 1:
            self.error("C205", f"the vector of source {source} serves different objects in different modes")
        return services.pop()

    def _serves(self, meaning: Meaning) -> Service | None:
        calls = {(s.name, s.number) for s in meaning.every("call")}
        runs = meaning.runs
        level = re.fullmatch(rf"{c_names.LEVEL}(\d+)", meaning.symbol)
        if level is not None:  # the kernel's handler of managed tasks; the compiler may have inlined its functions
            return Service("level", number=int(level[1]))
        if len(runs) == 1:
            function = next(iter(runs))
            kind, _, name = function.removeprefix("carillon_").partition("_")
            return Service(kind, name) if kind in ("task", "isr") else None
        if runs:
            return None
        alarm = re.fullmatch(r"carillon_alarm_(\w+)", meaning.symbol)
        point = re.fullmatch(r"carillon_point_(\w+)_(\d+)", meaning.symbol)
        for k, table in enumerate(self.osek.schedule_tables):
            for which in ("half", "end", "adjust"):
                if meaning.symbol == f"carillon_{which}_{table.name}" and (f"carillon_osek_{which}_table", k) in calls:
                    return Service(which, table.name, k)
        acts = any(s.name.startswith(c_names.LEVEL) for s in meaning.every("call")) or meaning.every("pend")
        if point is not None and acts:
            actions = next((len(t.actions) for t in self.osek.schedule_tables if t.name == point[1]), 1)
            return Service("point", point[1], int(point[2]) % actions)
        if alarm is not None and acts:  # on its task's level, with the action inlined by the compiler
            numbers = {a.name: k for k, a in enumerate(self.osek.alarms)}
            return Service("alarm", alarm[1], numbers[alarm[1]]) if alarm[1] in numbers else None
        if meaning.every("ask"):
            return Service("joined", meaning.symbol)
        if meaning.symbol == TICK and self.meanings.changes(meaning, "carillon_clock"):
            return Service("clock")
        for name, number in sorted(calls, key=str):
            if name in NUMBERED and number is not None:
                return Service(NUMBERED[name], number=number & 0xFF)
        names = {name for name, _ in calls} - {TURNS} | {meaning.symbol, port_vector(meaning, self.elf)}
        return next((Service(kind) for kind, functions in WHOLE.items() if names.intersection(functions)), None)

    def _joined(self, source: int, cells: Sequence[Cell]) -> None:
        """Check a source of several alarms: the vector asks each cell, the highest task's first, and serves its alarm."""
        for vectors in self.vectors:
            meaning = self.meanings.of(vectors[source])
            alarms, wrong = joined_alarms(meaning, cells)
            known = [self.osek.alarms[n & 0xFF] for n in alarms.values() if n & 0xFF < len(self.osek.alarms)]
            tasks = {t.name: t.priority for t in self.osek.tasks}
            order = [max(tasks.get(one.object, 0) for one in a.action.each) for a in known]
            if not wrong and order != sorted(order, reverse=True):
                wrong = "asks the cell of a lower task's alarm before that of a higher one's"
            if wrong:
                self.error("C205", f"'{meaning.symbol}', the vector of source {source}, {wrong}")
            self.served |= {key: Service("alarm", number=n & 0xFF) for key, n in alarms.items()}

    # Cells.

    def _cells(self, started: Sequence[Cell]) -> None:
        lead = self.system.board.lead_at(self.system.clock_hz)
        wanted: list[tuple[Cell, Span, str, set[tuple[Fraction, Fraction]]]] = []
        for cell in started:
            service = self.served.get(id(cell)) or self.services.get(cell.place.source)
            if cell.place.source not in self.sources:
                self._base(cell)
                continue
            self.report.cells += 1
            if service is None:
                continue
            if cell.begins is None or cell.again is None:
                self.error("C204", f"{cell} is started without an interval")
                continue
            if cell.mute:
                self.error("C204", f"{cell} is started, but never asks for its source")
            expected = self._expected(cell, service)
            if expected is not None:
                wanted.append((cell, *expected))
            if cell.place.array.acknowledge and id(cell) not in self.served:
                self.acknowledges(cell)
        if any(all(self._fits(cell, times, origin) for cell, _, _, times in wanted) for origin in (lead, 0)):
            return
        for cell, span, subject, times in [x for x in wanted if not self._fits(x[0], x[3], lead)]:
            shown = " or ".join(
                f"{float(first):g} and every {float(period):g} ticks" for first, period in sorted(times) if first > 0
            )
            assert cell.begins is not None and cell.again is not None
            found = f"{float(cell.begins - lead):g} and every {float(cell.ticks(cell.again)):g}"
            self.error("C204", f"the {subject} is expected at {shown}; {cell} expires at {found}", span)

    @staticmethod
    def _fits(cell: Cell, times: set[tuple[Fraction, Fraction]], origin: int) -> bool:
        assert cell.begins is not None and cell.again is not None
        return (cell.begins - origin, cell.ticks(cell.again)) in times

    def _ticks(self, every: int) -> set[tuple[Fraction, Fraction]]:
        """The first expiry and the period of a cell that only ticks: the first may be whole periods early.

        The kernel forgets earlier requests before it enables the source.
        """
        before = range(self.system.board.lead_at(self.system.clock_hz) // every + 1)
        return {(Fraction(every - k * every), Fraction(every)) for k in before}

    def _requested_parts(self, started: Sequence[Cell]) -> None:
        """Check parts without a cell: the handler of the same counter's first part requests them."""
        celled = {cell.place.source for cell in started}
        parts = {source: it.number for source, it in self.of_kind("counter").items()}
        for source, number in parts.items():
            counter = self.parts.counter(number)
            if counter is None or source in celled:
                continue
            self.ticked[number] = self.sources[source]
            first = next((s for s, other in parts.items() if s in celled and other == self.osek.counters.index(counter)), -1)
            asking = [self.meanings.of(vectors[first]) for vectors in self.vectors if first in vectors]
            if not asking or not all(self._requests_source(meaning, source) for meaning in asking):
                self.error("C205", f"nothing requests source {source}, where part {number} of a queue is served", counter.span)
            if self.sources[source] >= self.sources.get(first, 0):
                self.error("C207", f"source {source} has a level that is not below that of source {first}", counter.span)

    @staticmethod
    def _requests_source(meaning: Meaning, source: int) -> bool:
        """Whether a vector requests a source, by a store or by the port's function."""
        calls = [s for s in meaning.every("call") if s.name == "carillon_port_request"]
        return any(source in s.sources for s in meaning.every("pend")) or any(s.number == source for s in calls)

    def _expected(self, cell: Cell, service: Service) -> tuple[Span, str, set[tuple[Fraction, Fraction]]] | None:
        """The place, a phrase, and the possible first expiries and periods of a cell; None if anything is allowed."""
        osek, time = self.osek, self.system.time
        counter = self.parts.counter(service.number) if service.kind == "counter" else None
        if counter is not None:
            self.ticked[service.number] = self.sources[cell.place.source]
            tick = Fraction(counter.tick)
            if counter.kind is not CounterKind.HARDWARE:
                self.error("C205", f"{cell} ticks the counter '{counter.name}', which software advances", counter.span)
                return None
            return counter.span, f"tick of the counter '{counter.name}'", {(tick, tick)}
        if service.kind == "alarm" and service.number < len(osek.alarms):
            alarm = osek.alarms[service.number]
            self.carried[alarm.name] = cell
            return alarm.span, f"alarm '{alarm.name}'", self._alarm_times([alarm])
        if service.kind == "task":
            alarms = [a for a in osek.alarms if isinstance(a.action, ActivateTask) and a.action.object == service.name]
            fitting = [a for a in alarms if a.autostart is not None and a.autostart.cycle]
            if not fitting:
                self.error("C205", f"{cell} activates '{service.name}', which no alarm does", osek.task(service.name).span)
                return None
            origins = (self.system.board.lead_at(self.system.clock_hz), 0)
            own = [a for a in fitting if any(self._fits(cell, self._alarm_times([a]), o) for o in origins)] or fitting
            self.carried[own[0].name] = cell
            return own[0].span, f"alarm '{own[0].name}'", self._alarm_times(own)
        if service.kind == "clock" and time is not None:
            if time.clock is ClockKind.PERIODIC and time.tick is not None:
                return time.span, "tick of the clock", self._ticks(time.tick)
            what = f"the {time.clock.value} clock" if time.automatic is None else "the clock that the tool has chosen,"
            why = "it is set while it runs" if time.automatic is None else "the schedule says neither its kind nor its tick"
            self.unverified.append(f"{what} on {cell.place.name}: {why}")
            self.teller = cell if time.tickless else None
            return None
        woken = self.system.machine is Machine.MICROCODE and WAKES in self.elf.symbols
        if service.kind == "slices" and woken:
            self.unverified.append(f"the clock that wakes the machine, on {cell.place.name}: it is set while it runs")
            return None
        if service.kind == "slices" and time is not None and time.slice is not None:
            return time.span, "end of slices", self._ticks(time.slice)
        if turns := turns_of(self, service, cell):
            return *turns, {(RANGE, RANGE) if service.kind == "frames" else budget_turns(self, cell)}
        self.error("C205", f"{cell} expires, and its vector serves no alarm, counter or clock")
        return None

    def _alarm_times(self, alarms: Sequence[Alarm]) -> set[tuple[Fraction, Fraction]]:
        starts = ((self.osek.counter(a.counter).tick, a.autostart) for a in alarms)
        return {(Fraction(it.time * tick), Fraction(it.cycle * tick)) for tick, it in starts if it is not None}

    def _base(self, cell: Cell) -> None:
        """A cell without a level can only be the time base, which nobody interrupts for."""
        self.based = True
        if wrong := wrong_base(cell, self.system.board.lead_at(self.system.clock_hz)):
            self.error("C204", f"the time base, {cell}, {wrong}")
        self.unverified.append(f"the time base, {cell.place.name}: what it reads is compiled into the kernel")
        if cell.place.source in self.hardware.enabled and cell.lets:
            self.error("C208", f"{cell} has no level, and its request is enabled")

    def acknowledges(self, cell: Cell) -> None:
        """Report vectors that do not acknowledge their cell."""
        for vectors in self.vectors:
            meaning = goes_on_as(self.meanings.of(vectors[cell.place.source]), self.meanings, self.elf)
            if meaning.symbol in (*CLOCKS, *SLICES):  # whose code is the kernel's
                continue
            if not self.meanings.acknowledges(meaning, cell):
                self.error("C205", f"'{meaning.symbol}', the vector of source {cell.place.source}, does not acknowledge it")

    # Tasks, ISRs, levels.

    def _isrs(self) -> None:
        for isr in self.osek.isrs:
            service = self.services.get(isr.source)
            if service is None or service != Service("isr", isr.name):
                what = f"serves {service.kind} {service.name}" if service is not None else "serves nothing"
                self.error("C205", f"the vector of source {isr.source}, of the ISR '{isr.name}', {what}", isr.span)

    def _tasks(self) -> None:
        """Check the table of tasks, and that each task's source leads to the task."""
        rows = self.elf.rows("carillon_osek_tasks", len(self.osek.tasks)) if self.osek.tasks else []
        if not rows:
            return
        members: dict[int, set[str]] = {}
        for number, (task, row) in enumerate(zip(self.osek.tasks, rows, strict=True)):
            self.report.tables += 1
            function, source, level, ceiling = (row[name] for name in ("function", "source", "level", "ceiling"))
            request, thread = store(row.row("request")), row.truth("thread")
            units = row.get("budget")
            budget = self.budget_cell.ticks(units) if self.budget_cell is not None else Fraction(units)
            self.budgets.append(units)
            memory = own_stack(self, task, row)
            body = self.elf.symbols.get(c_names.task(task.name))
            wrong = ""
            if body is None or function != body.address:
                wrong = f"runs '{self.elf.name_of(function)}'"
            elif row["autostart"] != sum(1 << self.osek.modes.index(m) for m in task.autostart):
                wrong = f"is activated at the start of application modes {row['autostart']:#x}"
            elif self.osek.celled_budgets and budget != task.budget:
                wrong = f"has a budget of {float(budget):g} ticks, and not of {task.budget}"
            elif row["activations"] != task.activations:
                wrong = f"may be activated {row['activations']} times"
            elif memory:
                wrong = memory
            elif thread != task.thread:
                wrong = "is taken for a thread" if thread else "is not taken for a thread"
            elif served := serves_cells(self, level, row.get("cells")):
                wrong = served
            elif ceiling < level:
                wrong = f"runs at level {ceiling}, below its own, {level}"
            elif not self.software:
                wrong = self._source(task.name, source, level, row.truth("direct"), request)
            if wrong:
                self.error("C205", f"the task '{task.name}' {wrong}", task.span)
            members.setdefault(source, set()).add(c_names.task(task.name))
            self.leveled.append(TaskLevel(number, task, level, request, source, ceiling))
        check_levels(self)
        check_turns(self)
        check_contexts(self)
        check_ceilings(self)
        EventRows(self).check()
        for source, functions in members.items() if not self.software else ():
            for vectors in self.vectors:
                meaning = self.meanings.of(vectors[source]) if source in vectors else None
                if meaning is not None and meaning.runs - functions:
                    what = ", ".join(sorted(r.removeprefix(c_names.TASK) for r in meaning.runs - functions))
                    self.error("C205", f"the vector of source {source}, '{meaning.symbol}', runs '{what}'")

    def _source(self, task: str, source: int, level: int, direct: bool, request: Store) -> str:
        service = self.services.get(source)
        if service != (Service("task", task) if direct else Service("level", number=level)):
            return f"is requested at source {source}, whose vector serves something else"
        requests = self.hardware.controller.store(request.address, request.value)
        if requests != ("pend", frozenset({source})):
            return f"is not requested by the store that is to request source {source}"
        if self.sources.get(source) != level:
            return f"is taken for level {level}, and its source has level {self.sources.get(source)}"
        return ""

    # What is enabled, forgotten, stopped.

    def _requests(self) -> None:
        board = self.system.board
        own_sources = {s for s in self.sources if s >= board.request_base} - set(self.of_kind("round budgets"))
        for list_, kind in (("forget", "unpend"), ("enable", "enable"), ("disable", "disable")):
            rows = self.elf.rows(f"carillon_osek_{list_}")
            if not rows:
                continue
            done: set[int] = set()
            count = next(iter(self.elf.values(f"carillon_osek_{list_}_count")), len(rows))
            if count > len(rows):
                self.error("C208", f"carillon_osek_{list_} has {len(rows)} stores, and {count} are made")
            for made in stores(rows[:count]):
                requests = self.hardware.controller.store(made.address, made.value)
                if requests is None:
                    raise UnreadableError(f"carillon_osek_{list_} stores to {made.address:#x}, which no rule reads")
                if requests[1] and requests[0] != kind:
                    self.error("C208", f"carillon_osek_{list_} {requests[0]}s {named(requests[1])}")
                done |= requests[1]
            if done != own_sources:
                verb = {"forget": "forgotten", "enable": "enabled", "disable": "disabled"}[list_]
                for source in sorted(own_sources - done):
                    self.error("C208", f"{named([source])} is not {verb}")
                for source in sorted(done - own_sources):
                    self.error("C208", f"{named([source])} is {verb}, which is not the event-triggered system's")

    def _stopped(self, started: Sequence[Cell]) -> None:
        if self.table.row["control"] or self.table.tasks:
            self.error("C208", "the system is said to switch modes")
        self.hardware.named = set()
        with self.hardware.tried():
            self.hardware.carry_out(self.table.stores("stop"), None)
            running = [c for c in started if c.started is not None and c is not self.round_budget_cell]
        surplus = self.hardware.named - set(self.sources)
        if surplus:
            self.error("C208", f"the system is shut down by stores for {named(surplus)}, which it has not")
        for cell in running:
            self.error("C208", f"{cell} still runs when the system has been shut down")
