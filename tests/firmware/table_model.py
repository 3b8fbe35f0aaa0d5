# SPDX-License-Identifier: Apache-2.0
"""Counters, alarms, schedule tables and tasks as AUTOSAR OS (R4) says they are, with numbers that have no bounds.

A counter's time never wraps here: its value is the time modulo ``max_allowed`` + 1.  What is due in one tick is served in the
order in which it was set.  Tasks run between two services of a program that has the lowest priority of all.
"""

from __future__ import annotations

from dataclasses import dataclass, field

OK, ID, LIMIT, NOFUNC, STATE, VALUE, DISABLED = 0, 3, 4, 5, 7, 8, 12
STOPPED, NEXT, WAITING, RUNNING, SYNCHRONOUS = range(5)
END = -1  # what a table comes to beside its points, which have their indices


@dataclass(frozen=True)
class Counter:
    """``tick``: microseconds of a hardware counter; 0: of software."""

    max_allowed: int
    min_cycle: int = 1
    tick: int = 0

    @property
    def turn(self) -> int:
        return self.max_allowed + 1


@dataclass(frozen=True)
class Task:
    """An extended task has ``events``: it waits for them, records and clears what has come, and ends after the highest."""

    priority: int
    activations: int = 1
    events: int = 0


@dataclass(frozen=True)
class Point:
    offset: int
    activate: tuple[int, ...] = ()
    set_event: tuple[tuple[int, int], ...] = ()  # a task and one of its events
    lengthen: int = 0
    shorten: int = 0


@dataclass(frozen=True)
class Table:
    """``autostart``: "relative", "absolute" or "synchron", and when."""

    counter: int
    duration: int
    points: tuple[Point, ...]
    repeating: bool = False
    sync: str = "none"
    precision: int = 0
    autostart: tuple[str, int] | None = None

    @property
    def initial(self) -> int:
        return self.points[0].offset

    @property
    def final(self) -> int:
        return self.duration - self.points[-1].offset

    def delay(self, number: int) -> int:
        """Ticks to a point from the one before it; to the first from the last of the turn before."""
        return self.points[number].offset - self.points[number - 1].offset if number else self.final + self.initial


@dataclass(frozen=True)
class Alarm:
    """One of the actions."""

    counter: int
    activate: int | None = None
    set_event: tuple[int, int] | None = None
    increment: int | None = None


@dataclass(frozen=True)
class System:
    counters: tuple[Counter, ...]
    tables: tuple[Table, ...]
    tasks: tuple[Task, ...]
    alarms: tuple[Alarm, ...] = ()
    extended: bool = True  # status
    hook: bool = True  # of errors
    parts: tuple[int, ...] = ()  # of the first counter's queue, by task, as far as tasks have one; 0 is the kernel's


@dataclass
class Due:
    """What a counter serves at a time; ``turns`` order what is due together in a part of its queue."""

    time: int
    turns: dict[int, int]


@dataclass
class Chain:
    """What a table comes to in a tick: points, in which parts of the queue, and the table that is running then."""

    last: int
    turns: dict[int, int]
    points: list[Point] = field(default_factory=list)
    parts: set[int] = field(default_factory=set)


@dataclass
class TableState:
    status: int = STOPPED
    due: Due | None = None
    comes: int = END  # what is due
    next: int | None = None
    deviation: int | None = None  # ahead of the synchronisation counter; None: that is not known
    nears: bool = False  # the deviation will be within the precision where the table comes next


@dataclass
class AlarmState:
    due: Due | None = None
    cycle: int = 0


@dataclass
class TaskState:
    active: int = 0  # activations
    ready: int = 0  # when it became so, 0: it is not
    fresh: bool = False  # it has not begun
    events: int = 0


@dataclass
class Model:
    system: System
    now: list[int] = field(default_factory=list)  # of each counter, without bounds
    said: list[tuple[str, int, int]] = field(default_factory=list)
    turn: int = 0
    held: bool = False  # no task runs
    queued: dict[int, list[int]] = field(default_factory=dict)  # when each activation of a task came that has not begun
    chain: Chain = field(default_factory=lambda: Chain(0, {}))  # of the table that is being served or started

    def __post_init__(self) -> None:
        self.now = [0] * len(self.system.counters)
        self.tables = [TableState() for _ in self.system.tables]
        self.alarms = [AlarmState() for _ in self.system.alarms]
        self.tasks = [TaskState() for _ in self.system.tasks]
        for number, table in enumerate(self.system.tables):
            match table.autostart:
                case ("relative", at):
                    assert self.start_relative(number, at) == OK
                case ("absolute", at):
                    assert self.start_absolute(number, at) == OK
                case ("synchron", _):
                    assert self.start_synchron(number) == OK

    # Time.

    def _part(self, counter: int, task: int | None) -> int:
        """Where what a counter does to a task is served."""
        return self.system.parts[task] if counter == 0 and task is not None and self.system.parts else 0

    def _turn(self) -> int:
        self.turn += 1
        return self.turn

    def value(self, counter: int) -> int:
        return self.now[counter] % self.system.counters[counter].turn

    def until(self, counter: int, value: int) -> int:
        """Ticks until the counter next has a value; a whole turn if it has it now."""
        turn = self.system.counters[counter].turn
        return (value - self.now[counter] - 1) % turn + 1

    def first(self, counter: int) -> int | None:
        """Ticks to what the counter serves next."""
        times = [s.due.time for s, t in zip(self.tables, self.system.tables, strict=True) if s.due and t.counter == counter]
        times += [s.due.time for s, a in zip(self.alarms, self.system.alarms, strict=True) if s.due and a.counter == counter]
        return min(times) - self.now[counter] if times else None

    def tick(self, counter: int) -> None:
        """A tick of a counter, and all that is due in it.

        Each part of the queue is served for itself.  What a part does to a task comes behind what the task's own part has due.
        """
        self.now[counter] += 1
        now = self.now[counter]
        tables = [n for n, t in enumerate(self.system.tables) if t.counter == counter and self._is_due(self.tables[n].due, now)]
        alarms = [n for n, a in enumerate(self.system.alarms) if a.counter == counter and self._is_due(self.alarms[n].due, now)]
        chains = {number: self._chain(number) for number in tables}
        for part in sorted({0, *(self.system.parts if counter == 0 else ())}, reverse=True):
            entries = [(chain.turns.get(part, 0), True, number) for number, chain in chains.items() if part in chain.parts]
            for number in alarms:
                alarm, due = self.system.alarms[number], self.alarms[number].due
                task = alarm.set_event[0] if alarm.set_event else alarm.activate
                if self._part(counter, task) == part and due is not None:
                    entries.append((due.turns[0], False, number))
            for _, is_table, number in sorted(entries):
                if is_table:
                    self._serve(counter, part, chains[number])
                else:
                    self._expire(number)

    @staticmethod
    def _is_due(due: Due | None, now: int) -> bool:
        return due is not None and due.time <= now

    def _serve(self, counter: int, part: int, chain: Chain) -> None:
        """Do what a table comes to in a tick, as far as that is a part's."""
        last = self.tables[chain.last].due
        if last is not None:
            last.turns[part] = self._turn()
        for point in chain.points:
            for task in point.activate:
                if self._part(counter, task) == part:
                    self._act(self._activated(task))
            for task, event in point.set_event:
                if self._part(counter, task) == part:
                    self._act(self._event(task, event))

    def ticks(self, counter: int, count: int) -> None:
        """So many ticks, between which tasks run."""
        while count:
            first = self.first(counter)
            idle = min(count, (count if first is None else first) - 1)
            self.now[counter] += max(0, idle)
            count -= max(0, idle)
            if count:
                self.tick(counter)
                count -= 1
                self.run()

    # Tables.

    def _chain(self, number: int) -> Chain:
        """What is due of a table comes, and what follows in the same tick."""
        state = self.tables[number]
        assert state.due is not None
        self.chain = Chain(number, dict(state.due.turns))
        state.due = None
        if state.comes == END:
            self._end(number)
        else:
            self._point(number, state.comes)
        return self.chain

    def _set(self, number: int, comes: int, ticks: int) -> None:
        """Set a table to what comes next."""
        state, table = self.tables[number], self.system.tables[number]
        state.comes = comes
        state.due = Due(self.now[table.counter] + ticks, dict(self.chain.turns))

    def _begin(self, number: int, early: int = 0) -> None:
        """``early``: how much shorter the initial part is made."""
        initial = self.system.tables[number].initial - early
        if initial:
            self._set(number, 0, initial)
        else:
            self._point(number, 0)

    def _visit(self, number: int, point: Point | None) -> None:
        """A table comes to a point, or to its end, in the parts that have something to do there: at the end, all; also at each
        point of a table that is adjusted at all of them."""
        table = self.system.tables[number]
        if point is not None:
            self.chain.points.append(point)
            tasks = [*point.activate, *(task for task, _ in point.set_event)]
            self.chain.parts |= {self._part(table.counter, task) for task in tasks}
        if point is None or table.sync == "explicit":
            self.chain.parts |= {0, *(self.system.parts if table.counter == 0 else ())}

    def _end(self, number: int, early: int = 0) -> None:
        state, table = self.tables[number], self.system.tables[number]
        self._visit(number, None)
        self._arrive(number, early)
        if state.next is not None:
            to = self.tables[state.next]
            to.status, to.deviation, to.nears = state.status, state.deviation, False
            self.tables[number] = TableState()
            self.chain.last = state.next
            self._begin(state.next)
        elif table.repeating:
            self._begin(number, early)
        else:
            self.tables[number] = TableState()

    def _adjust(self, number: int, point: int) -> int:
        """How much longer the delay to a point is made; the deviation is smaller by that."""
        state, table = self.tables[number], self.system.tables[number]
        if state.deviation is None:
            return 0
        by = min(state.deviation, table.points[point].lengthen)
        by = max(by, -table.points[point].shorten)
        state.deviation -= by
        if state.status == RUNNING:
            state.nears = abs(state.deviation) <= table.precision
        return by

    def _arrive(self, number: int, early: int = 0) -> None:
        """``early``: by how much the way to the next point is still to be made shorter."""
        state = self.tables[number]
        if state.nears and early <= self.system.tables[number].precision:
            state.status, state.nears = SYNCHRONOUS, False

    def _point(self, number: int, point: int) -> None:
        state, table = self.tables[number], self.system.tables[number]
        self._arrive(number)
        ended, early = False, 0
        if point + 1 < len(table.points):
            self._set(number, point + 1, table.delay(point + 1) + self._adjust(number, point + 1))
        else:
            final = table.final
            if table.repeating and state.next is None:
                final += self._adjust(number, 0)
                early = max(0, -final)  # what the final part has no room for
                final = max(0, final)
            ended = final == 0
            if not ended:
                self._set(number, END, final)
        self._visit(number, table.points[point])
        if ended:
            self._end(number, early)

    def position(self, number: int) -> int:
        """Where a running table is, of its duration."""
        state, table = self.tables[number], self.system.tables[number]
        assert state.due is not None
        left = state.due.time - self.now[table.counter]
        if state.comes == END:
            return (table.duration - left) % table.duration
        return (table.points[state.comes].offset - left) % table.duration

    # Services of tables.

    def _fails(self, *checks: tuple[bool, int]) -> int:
        """The status of the first check that does not hold; E_OS_ID and E_OS_VALUE are found in extended status alone."""
        for holds, status in checks:
            if not holds and (self.system.extended or status not in (ID, VALUE)):
                return self._failed(status)
        return OK

    def _failed(self, status: int) -> int:
        if self.system.hook:
            self.said.append(("e", status, 0))
        return status

    def _valid(self, number: int) -> bool:
        return 0 <= number < len(self.system.tables)

    def start_relative(self, number: int, offset: int) -> int:
        if not self._valid(number):
            return self._failed(ID)
        table = self.system.tables[number]
        counter = self.system.counters[table.counter]
        if status := self._fails(
            (table.sync != "implicit", ID),
            (0 < offset <= counter.max_allowed - table.initial, VALUE),
            (self.tables[number].status == STOPPED, STATE),
        ):
            return status
        self._start(number, RUNNING, offset)
        return OK

    def start_absolute(self, number: int, start: int) -> int:
        if not self._valid(number):
            return self._failed(ID)
        table = self.system.tables[number]
        if status := self._fails(
            (start <= self.system.counters[table.counter].max_allowed, VALUE),
            (self.tables[number].status == STOPPED, STATE),
        ):
            return status
        self._start(number, SYNCHRONOUS if table.sync == "implicit" else RUNNING, self.until(table.counter, start))
        return OK

    def _start(self, number: int, status: int, ticks: int) -> None:
        state = self.tables[number]
        turn = self._turn()
        self.chain = Chain(number, dict.fromkeys((0, *self.system.parts), turn))
        state.status = status
        state.deviation = None
        self._set(number, 0, ticks + self.system.tables[number].initial)

    def start_synchron(self, number: int) -> int:
        if not self._valid(number):
            return self._failed(ID)
        explicit = self.system.tables[number].sync == "explicit"
        if status := self._fails((explicit, ID), (self.tables[number].status == STOPPED, STATE)):
            return status
        self.tables[number].status = WAITING
        return OK

    def stop(self, number: int) -> int:
        if not self._valid(number):
            return self._failed(ID)
        state = self.tables[number]
        if status := self._fails((state.status != STOPPED, NOFUNC)):
            return status
        if state.next is not None:
            self.tables[state.next] = TableState()
        for other in self.tables:
            if other.next == number:
                other.next = None
        self.tables[number] = TableState()
        return OK

    def next(self, number: int, to: int) -> int:
        if not self._valid(number) or not self._valid(to):
            return self._failed(ID)
        one, other = self.system.tables[number], self.system.tables[to]
        state = self.tables[number]
        if status := self._fails(
            (one.counter == other.counter and one.sync == other.sync, ID),
            (state.status not in (STOPPED, NEXT), NOFUNC),
            (self.tables[to].status == STOPPED, STATE),
        ):
            return status
        if state.next is not None:
            self.tables[state.next] = TableState()
        state.next = to
        self.tables[to].status = NEXT
        return OK

    def synchronise(self, number: int, value: int) -> int:
        if not self._valid(number):
            return self._failed(ID)
        state, table = self.tables[number], self.system.tables[number]
        if status := self._fails(
            (table.sync == "explicit", ID),
            (0 <= value < table.duration, VALUE),
            (state.status not in (STOPPED, NEXT), STATE),
        ):
            return status
        if state.status == WAITING:
            self._start(number, SYNCHRONOUS, table.duration - value)
            state.deviation = 0
            return OK
        deviation = (self.position(number) - value) % table.duration
        state.deviation = deviation if 2 * deviation < table.duration else deviation - table.duration
        state.status = SYNCHRONOUS if abs(state.deviation) <= table.precision else RUNNING
        state.nears = False
        return OK

    def asynchronous(self, number: int) -> int:
        if not self._valid(number):
            return self._failed(ID)
        state = self.tables[number]
        if status := self._fails(
            (self.system.tables[number].sync == "explicit", ID),
            (state.status in (RUNNING, SYNCHRONOUS), STATE),
        ):
            return status
        state.status, state.nears = RUNNING, False
        state.deviation = None
        return OK

    # Alarms.

    def _expire(self, number: int) -> None:
        state, alarm = self.alarms[number], self.system.alarms[number]
        state.due = Due(self.now[alarm.counter] + state.cycle, {0: self._turn()}) if state.cycle else None
        if alarm.activate is not None:
            self._act(self._activated(alarm.activate))
        elif alarm.set_event is not None:
            self._act(self._event(*alarm.set_event))
        elif alarm.increment is not None:
            self.tick(alarm.increment)

    def _valid_alarm(self, number: int, first: bool, cycle: int) -> int:
        counter = self.system.counters[self.system.alarms[number].counter]
        return self._fails(
            (first and (cycle == 0 or counter.min_cycle <= cycle <= counter.max_allowed), VALUE),
            (self.alarms[number].due is None, STATE),
        )

    def set_relative(self, number: int, increment: int, cycle: int) -> int:
        counter = self.system.alarms[number].counter
        if status := self._valid_alarm(number, 0 < increment <= self.system.counters[counter].max_allowed, cycle):
            return status
        self.alarms[number] = AlarmState(Due(self.now[counter] + increment, {0: self._turn()}), cycle)
        return OK

    def set_absolute(self, number: int, start: int, cycle: int) -> int:
        counter = self.system.alarms[number].counter
        if status := self._valid_alarm(number, start <= self.system.counters[counter].max_allowed, cycle):
            return status
        self.alarms[number] = AlarmState(Due(self.now[counter] + self.until(counter, start), {0: self._turn()}), cycle)
        return OK

    def cancel(self, number: int) -> int:
        if status := self._fails((self.alarms[number].due is not None, NOFUNC)):
            return status
        self.alarms[number] = AlarmState()
        return OK

    def left(self, number: int) -> tuple[int, int]:
        """Status, and ticks until an alarm expires, as a TickType: a turn of 2**32 ticks does not fit."""
        due = self.alarms[number].due
        if due is None:
            return self._failed(NOFUNC), 0
        return OK, (due.time - self.now[self.system.alarms[number].counter]) % 2**32

    # Counters.

    def increment(self, counter: int, count: int) -> int:
        """The status of the last of so many calls."""
        if not 0 <= counter < len(self.now) or self.system.counters[counter].tick:
            return [self._failed(ID) for _ in range(count)][-1]
        self.ticks(counter, count)
        return OK

    def elapsed(self, counter: int, previous: int) -> tuple[int, int]:
        """Status, and ticks since the counter had a value, which is of the turn before at most."""
        if not 0 <= counter < len(self.now):
            return self._failed(ID), 0
        if status := self._fails((previous <= self.system.counters[counter].max_allowed, VALUE)):
            return status, 0
        return OK, (self.value(counter) - previous) % self.system.counters[counter].turn

    # Tasks.

    def _act(self, status: int) -> None:
        """An action that fails tells the hook."""
        if status != OK:
            self._failed(status)

    def _activated(self, number: int) -> int:
        state, task = self.tasks[number], self.system.tasks[number]
        if state.active == task.activations:
            return LIMIT
        state.active += 1
        self.turn += 1
        if state.active == 1:
            state.ready, state.fresh, state.events = self.turn, True, 0
        self.queued.setdefault(number, []).append(self.turn)
        return OK

    def _event(self, number: int, event: int) -> int:
        state = self.tasks[number]
        if not state.active:
            return STATE
        waits = not state.ready
        state.events |= event
        if waits:
            self.turn += 1
            state.ready = self.turn
        return OK

    def activate(self, number: int) -> int:
        status = self._activated(number)
        return self._failed(status) if status else OK

    def run(self) -> None:
        """Tasks run until none is ready, the highest first, then the oldest; unless they are held back."""
        while not self.held:
            ready = [(-self.system.tasks[n].priority, s.ready, n) for n, s in enumerate(self.tasks) if s.ready]
            if not ready:
                return
            number = min(ready)[2]
            state, task = self.tasks[number], self.system.tasks[number]
            if task.events:
                self._run_extended(number, state, task)
                continue
            self.said.append(("t", number, self.value(0) % 256))
            queued = self.queued[number]
            queued.pop(0)
            state.active -= 1
            state.ready = queued[0] if queued else 0

    def _run_extended(self, number: int, state: TaskState, task: Task) -> None:
        if state.fresh:
            self.queued[number] = []
            state.fresh = False
            self.said.append(("t", number, self.value(0) % 256))
        state.ready = 0
        come, state.events = state.events, 0
        if come:
            self.said.append(("v", number, come))
            if come & (1 << (task.events - 1)):
                state.active = 0
