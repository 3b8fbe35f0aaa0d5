# SPDX-License-Identifier: Apache-2.0
"""Random programs of threads, semaphores, mutexes, messages, locks and alarms, and what they look like in C."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import IntEnum

MUTEXES = (0, 1)
SIGNALS = (2, 3)
SEMAPHORES = len(MUTEXES) + len(SIGNALS)
PLACES = (1, 2)
"""Of each queue of messages."""
LOCKS = 3
"""Mutexes of the schedule."""
ALARMS = 3
SHAPES = {"three": (1, 1, 1, 2, 2, 3), "two": (1, 1, 1, 2, 2), "one": (1, 1, 1, 1), "split": (1, 2, 2, 3, 3)}
"""Priorities of an image's threads, of which a program uses some.  In "two" and "one" the most urgent ones take turns, so
that a resource of all threads masks no more than their level."""


class Do(IntEnum):
    """What a step does, by its code."""

    WORK = 0
    LOCK = 1  # works with all interrupts suspended
    HOLD = 2  # works with RES_SCHEDULER
    TAKE = 3
    GIVE = 4
    TAKE_WITHIN = 5
    DELAY = 6
    UNTIL = 7
    RESTART = 8  # stops an alarm and starts it anew
    LOCK_KERNEL = 9  # as LOCK, of category 2
    SEND = 10
    RECEIVE = 11
    SEND_WITHIN = 12
    RECEIVE_WITHIN = 13
    ENTER = 14  # locks a mutex of the schedule
    ENTER_WITHIN = 15
    LEAVE = 16
    SUSPEND = 17
    SUSPEND_WITHIN = 18
    RESUME = 19  # a thread


WAITS = (Do.DELAY, Do.UNTIL, Do.TAKE_WITHIN, Do.SEND_WITHIN, Do.RECEIVE_WITHIN, Do.SUSPEND_WITHIN)
"""What lets others run for some time."""


@dataclass(frozen=True)
class Step:
    """``object``: a semaphore, an alarm or a queue.  ``time``: ticks of the system for work, of the clock for waiting."""

    what: Do
    object: int = 0
    time: int = 0


@dataclass(frozen=True)
class Alarm:
    """Expires ``count`` times and gives a unit to a semaphore: itself, or (``calls``) in a function that writes it down."""

    calls: bool
    semaphore: int
    period: int
    count: int


@dataclass(frozen=True)
class Body:
    """What a thread does, so many times."""

    steps: tuple[Step, ...]
    times: int


@dataclass(frozen=True)
class Program:
    """``bodies``: by thread.  ``order``: in which they begin, ``phase`` ticks of the clock after the begin of a window."""

    bodies: dict[int, Body]
    order: tuple[int, ...]
    alarms: tuple[Alarm, ...]
    phase: int

    def code(self) -> str:
        """The initialisers of its steps, its threads and its alarms, for the tables of thread_programs.c."""
        steps = [f"{{{s.what.value}u, {s.object}u, {s.time}u}}" for i in self.order for s in self.bodies[i].steps]
        threads = [f"{{{i}u, {len(self.bodies[i].steps)}u, {self.bodies[i].times}u}}" for i in self.order]
        alarms = [f"{{{int(a.calls)}u, {a.semaphore}u, {a.count}u, {a.period}u}}" for a in self.alarms]
        return (
            f"{{{{{', '.join(steps)}}}, {{{', '.join(threads)}}}, {{{', '.join(alarms) or '{0}'}}}, "
            f"{len(threads)}u, {len(alarms)}u, {self.phase}u}}"
        )


@dataclass(frozen=True)
class Served:
    """A server of the threads of a priority; times in ticks of the clock."""

    priority: int
    constant: bool
    budget: int
    period: int


@dataclass(frozen=True)
class Scale:
    """Ticks of the system in a slice, in a tick of the clock, and in the step of which times are multiples.

    ``lock``: the longest lock.  ``slices``: how long a program runs; ``window``: from one program's begin to the next, both in
    slices.
    """

    slice: int
    tick: int = 1
    step: int = 1
    lock: int = 0
    slices: int = 24
    window: int = 40
    steps: int = 8
    threads: int = 5
    sliced: bool = True  # whether threads take turns: else a slice is a length of time alone
    shortest: int = 1  # period of an alarm, in ticks of the clock
    asks: bool = True  # whether threads can ask for the time, and so wait until one
    served: tuple[Served, ...] = ()

    @property
    def begin(self) -> int:
        """Ticks of the clock from one window's begin to the next."""
        return self.slice * self.window // self.tick


def locked_by(thread: int) -> tuple[int, ...]:
    """The mutexes that a thread may lock: two have one ceiling, for some threads name both."""
    return (2,) if thread % 2 else (0, 1)


def draw_served(rng: random.Random, scale: Scale, priorities: tuple[int, ...]) -> tuple[Served, ...]:
    """Servers of some priorities, whose periods divide the time from one window's begin to the next."""
    slice_ticks = max(1, scale.slice // scale.tick)
    periods = [n for n in range(max(2, slice_ticks), 6 * slice_ticks + 1) if scale.begin % n == 0]
    levels = sorted(set(priorities))
    found = []
    for priority in rng.sample(levels, rng.randint(1, len(levels))) if periods else ():
        period = rng.choice(periods)
        budget = min(period, max(1, round(period * rng.choice([0.2, 0.35, 0.5, 0.8, 1]))))
        found.append(Served(priority, rng.random() < 0.5, budget, period))
    return tuple(found)


class Draw:
    """Draws a program for the threads of a shape."""

    def __init__(self, rng: random.Random, shape: str, scale: Scale) -> None:
        self.rng, self.scale, self.priorities = rng, scale, SHAPES[shape]

    def length(self, most: float) -> int:
        """Ticks of the system, from one step of the scale to so many slices."""
        scale = self.scale
        top = max(1, int(most * scale.slice) // scale.step)
        return scale.step * self.rng.randint(1, top)

    def wait(self, most: float) -> int:
        """Ticks of the clock."""
        scale = self.scale
        return max(scale.shortest, -(-self.length(most) // scale.tick))

    def lock(self) -> int:
        return min(self.length(self.rng.choice([0.2, 0.6, 1.3, 3.4])), self.scale.lock)

    def section(self, locks: tuple[int, ...], urgent: bool) -> list[Step]:
        """What a thread does with a mutex, and perhaps with another one."""
        rng = self.rng
        lock = rng.choice(locks)
        within = rng.random() < 0.3
        steps = [Step(Do.ENTER_WITHIN, lock, self.wait(2)) if within else Step(Do.ENTER, lock)]
        leaves = [Step(Do.LEAVE, lock)]
        for kind in rng.sample("WDTGX", rng.randint(1, 2)):
            match kind:
                case "W":
                    steps.append(Step(Do.WORK, 0, self.length(0.4 if urgent else 0.8)))
                case "D":
                    steps.append(Step(Do.DELAY, 0, self.wait(1)))
                case "T":
                    steps.append(Step(Do.TAKE_WITHIN, rng.choice(SIGNALS), self.wait(1.5)))
                case "G":
                    steps.append(Step(Do.GIVE, rng.choice(SIGNALS)))
                case _:
                    other = rng.choice(locks)
                    steps.append(Step(Do.ENTER_WITHIN, other, self.wait(1)))  # for ever might be a deadlock
                    leaves.insert(rng.randint(0, 1), Step(Do.LEAVE, other))
        return steps + leaves

    def piece(self, urgent: bool, locks: tuple[int, ...]) -> list[Step]:
        """One step, or those that belong together."""
        rng = self.rng
        work = 0.4 if urgent else rng.choice([0.3, 0.8, 2.5])
        match rng.choice("WWWLLHMMGGTTIDDURSSEEXXXXPNN"):
            case "W":
                return [Step(Do.WORK, 0, self.length(work))]
            case "L":
                return [Step(rng.choice([Do.LOCK, Do.LOCK_KERNEL]), 0, self.lock())]
            case "H":
                return [Step(Do.HOLD, 0, self.length(rng.choice([0.3, 1.6])))]
            case "M":
                mutex = rng.choice(MUTEXES)
                within = [Step(Do.WORK, 0, self.length(work))]
                if rng.random() < 0.3:
                    within.append(Step(Do.DELAY, 0, self.wait(1)))
                return [Step(Do.TAKE, mutex), *within, Step(Do.GIVE, mutex)]
            case "P":
                within = rng.random() < 0.8
                return [Step(Do.SUSPEND_WITHIN if within else Do.SUSPEND, 0, self.wait(2.5) if within else 0)]
            case "N":
                return [Step(Do.RESUME, rng.randrange(len(self.priorities)))]
            case "X":
                return self.section(locks, urgent)
            case "G":
                return [Step(Do.GIVE, rng.choice(SIGNALS))]
            case "T":
                return [Step(Do.TAKE, rng.choice(SIGNALS))]
            case "I":
                return [Step(Do.TAKE_WITHIN, rng.choice(SIGNALS), self.wait(2.5))]
            case "S" | "E" as way:
                within = rng.random() < 0.4
                what = (Do.SEND, Do.SEND_WITHIN) if way == "S" else (Do.RECEIVE, Do.RECEIVE_WITHIN)
                return [Step(what[within], rng.randrange(len(PLACES)), self.wait(2.5) if within else 0)]
            case "U" if self.scale.asks:
                return [Step(Do.UNTIL, 0, self.wait(rng.choice([1, 4])))]
            case "D" | "U":
                return [Step(Do.DELAY, 0, self.wait(rng.choice([0.5, 2.2])))]
            case _:
                return [Step(Do.RESTART, rng.randrange(ALARMS))]

    def body(self, thread: int) -> Body:
        urgent = self.priorities[thread] == max(self.priorities) > 1
        steps: list[Step] = []
        while len(steps) < self.rng.randint(2, self.scale.steps - 3):
            steps += self.piece(urgent, locked_by(thread))
        if urgent and not any(s.what in WAITS for s in steps):
            steps.append(Step(Do.DELAY, 0, self.wait(2)))  # or nobody else would do much
        return Body(tuple(steps[: self.scale.steps]), self.rng.choice([1, 2, 3, 6]))

    def program(self) -> Program:
        rng = self.rng
        everyone = range(len(self.priorities))
        order = rng.sample(everyone, rng.randint(2, min(len(everyone), self.scale.threads)))
        alarms = []
        for _ in range(rng.randint(0, ALARMS)):
            period = self.wait(rng.choice([0.5, 2, 5]))
            alarms.append(Alarm(rng.random() < 0.6, rng.choice(SIGNALS), period, rng.choice([1, 2, 5, 12])))
        bodies = {i: self.body(i) for i in order}
        return Program(
            bodies, tuple(order), tuple(alarms), rng.randrange(0, 2 * self.scale.slice, self.scale.step) // self.scale.tick + 1
        )
