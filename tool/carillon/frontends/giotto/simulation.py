# SPDX-License-Identifier: Apache-2.0
"""Plays microcode with full execution times, says whether its S code keeps its E code, and draws what happened.

The machine is that of the paper (algorithms 1 and 2): completions first, then triggers, then timeouts.  With no thread, a
scheduler chooses.  E code and S code take no time.  Guards of tasks and actuators are true, those of switches are false.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

from carillon.microcode import Opcode, Program
from carillon.microcode.compiled import Compiled
from carillon.units import format_number

_COLUMNS = 60
_MOST_ROUNDS = 16
MOST_THREADS = 16
MOST_STEPS = 4 * MOST_THREADS
"""So many times the number of instructions are carried out at an instant at most."""
_MOST_INSTANTS = 5000
Urgency = Callable[[int, int], int]
"""What a scheduler goes by: of a task's absolute deadline and its period, the least number runs."""


def by_deadline(deadline: int, _period: int) -> int:
    """EDF."""
    return deadline


def by_period(_deadline: int, period: int) -> int:
    """Rate-monotonic."""
    return period


@dataclass(slots=True)
class Played:
    """What happened.  Times are in parts of a millisecond, of which there are ``scale``.

    ``late``, ``shared``, ``endless``, ``preempted``, ``not_edf`` and ``asynchronous`` are the first time at which the
    contrary of a property was seen, and what it was; None if it never was.  Nothing is played behind one of the first three.
    """

    scale: int
    until: int = 0
    slices: list[tuple[str, int, int]] = field(default_factory=list)
    """Which task ran from when to when."""
    releases: list[tuple[str, int, int]] = field(default_factory=list)
    """Which task was released at what time, and its deadline."""
    late: tuple[int, str] | None = None
    shared: tuple[int, str] | None = None
    endless: tuple[int, str] | None = None
    preempted: tuple[int, str] | None = None
    not_edf: tuple[int, str] | None = None
    asynchronous: tuple[int, str] | None = None
    preemptions: int = 0
    places: tuple[int, ...] = ()
    """Where tasks are dispatched at the time of ``shared``: the first address of each task, in the order of tasks."""

    @property
    def broken(self) -> tuple[int, str] | None:
        """Why the S code does not keep the E code; None if it does."""
        return self.late or self.shared or self.endless

    def said(self) -> str:
        """What went wrong, and when."""
        assert self.broken is not None
        time, what = self.broken
        text = f"the task {what} has not ended at its deadline" if self.late is not None else what
        return f"after {self.shown(time)} ms, {text}"

    def timeline(self) -> list[str]:
        """A picture: a line a task, ``#`` where it runs, ``.`` where it waits, ``!`` at what went wrong."""
        end = max(self.broken[0] if self.broken else self.until, 1)
        names = list(dict.fromkeys(name for name, _, _ in self.releases))
        width = max((len(name) for name in names), default=0)
        columns = min(_COLUMNS, end)

        def column(time: int) -> int:
            return time * columns // end

        ended = {name: [stop for other, _, stop in self.slices if other == name] for name in names}
        lines = []
        for name in names:
            row = [" "] * columns
            begins = [(begin, deadline) for other, begin, deadline in self.releases if other == name]
            for begin, deadline in begins:
                stop = max((e for e in ended[name] if begin < e <= deadline), default=begin)
                if self.late and self.late[0] == deadline and self.late[1] == name:
                    stop = deadline
                for k in range(column(begin), min(-(-min(stop, end) * columns // end), columns)):
                    row[k] = "."
            for other, start, stop in self.slices:
                if other == name:
                    for k in range(column(start), max(column(start) + 1, -(-stop * columns // end))):
                        row[min(k, columns - 1)] = "#"
            mark = "!" if self.late and self.late[1] == name else "|"
            lines.append(f"{name:{width}} |{''.join(row)}{mark}")
        last = f"{self.shown(end)} ms"
        lines.append(f"{'':{width}}  0{last:>{max(columns, len(last) + 1)}}")
        return lines

    def shown(self, time: int) -> str:
        """A time in milliseconds."""
        return format_number(Fraction(time, self.scale), 3)


@dataclass(slots=True)
class _Instance:
    """A thread instance: a task or None for idle, where it goes on after the task, when it times out, where then, its time."""

    task: int | None
    after: int | None
    timeout: int | None
    other: int | None
    address: int
    time: int


@dataclass(slots=True)
class _Unfinished:
    left: int
    begin: int
    deadline: int
    begun: bool = False


class _EndError(Exception):
    """Nothing is played behind this."""


class _Player:
    def __init__(self, program: Program, times: Mapping[str, Fraction], urgency: Urgency) -> None:
        self.program = program
        self.names = [task.name for task in self.program.tasks]
        scale = math.lcm(1, *(time.denominator for time in times.values()))
        self.times = [int(times[name] * scale) if name in times else None for name in self.names]
        self.scale = scale
        self.urgency = urgency
        self.played = Played(scale)
        self.now = 0
        self.queue: list[tuple[int, int]] = []
        self.threads: list[_Instance] = []
        self.unfinished: dict[int, _Unfinished] = {}
        self.ran: int | None = None
        self.steps = 0
        self.instants = 0
        self.touched: dict[int, list[int]] = {}

    def play(self, address: int, period: int, joins: tuple[int, int, int] | None = None) -> Played:
        """Until what is left to do at the end of a period is what was at its begin, or something goes wrong.

        ``joins``: how long after a period has begun another program joins this one, its address, and the period of both.
        """
        self.queue.append((0, address))
        with suppress(_EndError):
            self.repeat(period)
            if joins is not None:
                phase, other, both = joins
                self.pass_time(phase)
                self.queue.append((self.now, other))
                self.repeat(both)
        self.played.until = self.now
        return self.played

    def play_both(self, entries: tuple[int, int], phase: int, period: int) -> Played:
        """As :meth:`play`, of two programs with this period of both; the second one begins ``phase`` ms behind the first."""
        self.queue += zip((0, phase * self.scale), entries, strict=True)
        with suppress(_EndError):
            self.instant()
            self.pass_time(phase)
            self.repeat(period)
        self.played.until = self.now
        return self.played

    def repeat(self, period: int) -> None:
        """From now on, until what is left to do at the end of a period is what was at its begin."""
        known = None
        for _ in range(_MOST_ROUNDS):
            self.instant()
            state = self.state()
            if state == known:
                return
            known = state
            self.pass_time(period)
        self.fault("endless", f"the S code does not repeat within {_MOST_ROUNDS} periods")

    def pass_time(self, period: int) -> None:
        """So many milliseconds, but for what happens at their end."""
        begin = self.now
        end = begin + period * self.scale
        while self.now < end:
            if self.now > begin:
                self.instant()
            self.advance(end)

    def state(self) -> object:
        """What decides all that follows, relative to now."""
        threads = [
            (i.task, i.after, None if i.timeout is None else i.timeout - self.now, i.other, i.address, self.now - i.time)
            for i in self.threads
        ]
        unfinished = [(task, its.left, its.deadline - self.now) for task, its in sorted(self.unfinished.items())]
        return threads, sorted((time - self.now, address) for time, address in self.queue), unfinished

    def fault(self, kind: str, text: str) -> None:
        setattr(self.played, kind, (self.now, text))
        self.played.until = self.now
        raise _EndError

    def see(self, kind: str, text: str) -> None:
        if getattr(self.played, kind) is None:
            setattr(self.played, kind, (self.now, text))

    # An instant

    def instant(self) -> None:
        """The event loop: algorithm 1."""
        self.steps = 0
        self.instants += 1
        if self.instants > _MOST_ROUNDS * (4 * len(self.program.code) + _MOST_INSTANTS):
            self.fault("endless", "the S code has too many instants to be checked")
        while True:
            thread = next((t for t in self.threads if t.task is not None and t.task not in self.unfinished), None)
            if thread is not None:
                self.threads.remove(thread)
                assert thread.after is not None
                self.interpret(thread.after, thread.time)
                continue
            due = next((entry for entry in self.queue if entry[0] <= self.now), None)
            if due is not None:
                self.queue.remove(due)
                self.interpret(due[1], self.now)
                continue
            self.in_time()
            thread = next((t for t in self.threads if self.expired(t)), None)
            if thread is None:
                break
            self.threads.remove(thread)
            self.interpret(thread.address, thread.time)
        dispatches = sorted((t.task, t.after - 1) for t in self.threads if t.task is not None and t.after is not None)
        tasks = dict(reversed(dispatches))
        if len(tasks) > 1:
            self.played.places = tuple(tasks[task] for task in sorted(tasks))
            shown = " and ".join(self.names[task] for task in sorted(tasks))
            self.fault("shared", f"{shown} are dispatched at one time")

    def in_time(self) -> None:
        for task, state in self.unfinished.items():
            if state.deadline <= self.now:
                self.fault("late", self.names[task])

    def expired(self, thread: _Instance) -> bool:
        if thread.other is not None:
            return thread.other in self.unfinished
        return thread.timeout is not None and thread.timeout <= self.now

    def interpret(self, address: int, time: int) -> None:
        """Algorithm 2."""
        while True:
            self.steps += 1
            if self.steps > MOST_STEPS * (len(self.program.code) + 1):
                self.fault("endless", "the S code goes round without taking time")
            i = self.program.code[address]
            address += 1
            if i.opcode is Opcode.CALL:
                self.touch(i.x)
            elif i.opcode is Opcode.RELEASE:
                self.release(i.x, i.time)
            elif i.opcode is Opcode.FUTURE:
                self.queue.append((self.now + i.time * self.scale, i.y))
            elif i.opcode is Opcode.IF:
                follows = self.program.code[address]
                if follows.opcode is Opcode.CALL and self.program.drivers[follows.x].name.startswith("switch:"):
                    address = i.y
            elif i.opcode is Opcode.JUMP:
                address = i.y
            elif i.opcode is Opcode.FORK:
                if len(self.threads) == MOST_THREADS:
                    self.fault("endless", f"there are more than {MOST_THREADS} threads")
                self.threads.append(_Instance(None, None, self.now, None, i.y, self.now))
            elif i.opcode is Opcode.RETURN:
                return
            else:
                self.wait(i.opcode, i.x, i.time, i.y, address, time)
                return

    def wait(self, opcode: Opcode, x: int, ticks: int, y: int, following: int, time: int) -> None:
        end = time + ticks * self.scale
        self.threads.append(
            {
                Opcode.DISPATCH: _Instance(x, following, None, None, following, time),
                Opcode.DISPATCH_TIME: _Instance(x, following, end, None, y, time),
                Opcode.DISPATCH_RELEASE: _Instance(x, following, None, ticks, y, time),
                Opcode.IDLE: _Instance(None, None, end, None, following, time),
                Opcode.IDLE_RELEASE: _Instance(None, None, None, x, following, time),
            }[opcode]
        )

    def touch(self, driver: int) -> None:
        """A driver neither reads what an unfinished task writes nor writes what it uses."""
        if driver not in self.touched:
            self.touched[driver] = self.program.touched(driver)
        for task in self.touched[driver]:
            if task in self.unfinished:
                self.fault("late", self.names[task])

    def release(self, task: int, ticks: int) -> None:
        if task in self.unfinished:
            self.fault("late", self.names[task])
        if any(state.begin < self.now for state in self.unfinished.values()):
            other = next(t for t, state in self.unfinished.items() if state.begin < self.now)
            self.see("asynchronous", f"{self.names[task]} is released before {self.names[other]} has ended")
        deadline = self.now + ticks * self.scale
        self.played.releases.append((self.names[task], self.now, deadline))
        time = self.times[task]
        assert time is not None
        if time:
            self.unfinished[task] = _Unfinished(time, self.now, deadline)

    # Between instants

    def running(self) -> int | None:
        """The task that runs now."""
        dispatched = [thread.task for thread in self.threads if thread.task is not None]
        if dispatched:
            return dispatched[0]
        if self.threads or not self.unfinished:
            return None

        def order(task: int) -> tuple[int, int]:
            state = self.unfinished[task]
            return self.urgency(state.deadline, state.deadline - state.begin), task

        return min(self.unfinished, key=order)

    def advance(self, end: int) -> None:
        """Run a task until something happens, or the period ends."""
        events = [time for time, _ in self.queue]
        events += [thread.timeout for thread in self.threads if thread.timeout is not None]
        events += [state.deadline for state in self.unfinished.values()]
        task = self.running()
        if task is not None:
            events.append(self.now + self.unfinished[task].left)
            self.look(task)
        elif self.unfinished:
            self.see("not_edf", f"{self.names[min(self.unfinished)]} waits while the processor idles")
        until = min([end, *(event for event in events if event > self.now)])
        if task is not None:
            state = self.unfinished[task]
            state.left -= until - self.now
            name, slices = self.names[task], self.played.slices
            if state.begun and slices[-1][0] == name and slices[-1][2] == self.now:
                slices[-1] = name, slices[-1][1], until
            else:
                slices.append((name, self.now, until))
            state.begun = True
            if state.left == 0:
                del self.unfinished[task]
        self.ran = task
        self.now = until

    def look(self, task: int) -> None:
        """What choosing this task says of the scheduling."""
        state = self.unfinished[task]
        if task != self.ran and self.ran in self.unfinished and self.unfinished[self.ran].begun:
            self.played.preemptions += 1
        for other, its in self.unfinished.items():
            if other != task and its.begun and not state.begun:
                self.see("preempted", f"{self.names[task]} runs before {self.names[other]} has ended")
            if its.deadline < state.deadline:
                self.see("not_edf", f"{self.names[task]} runs before {self.names[other]}, whose deadline is earlier")


def play(compiled: Compiled, times: Mapping[str, Fraction], label: str, period: int, urgency: Urgency = by_deadline) -> Played:
    """What happens from the label on, with a period in milliseconds; all tasks released there have execution times."""
    address = {name: address for address, name in compiled.program.labels}[label]
    return _Player(compiled.program, times, urgency).play(address, period)


def play_joined(
    program: Program, times: Mapping[str, Fraction], first: tuple[int, int], second: tuple[int, int]
) -> Iterator[tuple[int, Played]]:
    """What happens if a second program joins a first one at each millisecond of its period: when it joins, and what comes of it.

    Both are parts of ``program``, each an address and a period in milliseconds.
    """
    for phase in range(first[1]):
        player = _Player(program, times, by_deadline)
        yield phase, player.play(*first, (phase, second[0], math.lcm(first[1], second[1])))


def play_both(program: Program, times: Mapping[str, Fraction], entries: tuple[int, int], phase: int, period: int) -> Played:
    """What happens if the second of two programs begins ``phase`` milliseconds behind the first, with a period of both."""
    return _Player(program, times, by_deadline).play_both(entries, phase, period)
