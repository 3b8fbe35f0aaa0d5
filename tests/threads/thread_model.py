# SPDX-License-Identifier: Apache-2.0
"""What threads, slices, semaphores, mutexes, messages and alarms mean: an exact model, played through as events of time.

It knows levels of threads, the clock above all of them, and the ends of slices.  With dispatch by hardware an end of a slice is
a request that stays until nothing above the thread runs and nothing is masked (docs/guide/time.md, "Slices"): of the highest
level whose threads take turns it is the timer's own, which asks for the others' where a thread is ready there.

A thread that holds mutexes runs at the highest ceiling of them.  If it has not waited since it locked them, it masks what is not
above that; else it has been woken at that level, and goes to its own when it has unlocked.

Code takes no time here, or what ``costs`` draws before each step and after it: so it is seen which programs mean the same
however long code takes, and between which times each of their events comes.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from thread_drawing import LOCKS, MUTEXES, PLACES, SEMAPHORES, Alarm, Do, Program, Scale, Served, Step, locked_by

NOTHING, LATE, OK, STATE = 5, 4, 0, 7
"""E_OS_NOFUNC, E_OS_LIMIT, E_OK and E_OS_STATE."""
OF_ALARM = 8
OF_MESSAGE = 8
"""What a message says is added to this, in place of OK."""
MESSAGES = 8
"""A message says which of the messages of its thread it is, modulo this."""
WAIT = -1
MOVED = -2
OF_LOCKS = SEMAPHORES + 2 * len(PLACES)
"""The first of the lines at which threads wait for mutexes."""
SUSPENDED = OF_LOCKS + LOCKS
"""The line of those that have suspended themselves."""


class Way(NamedTuple):
    """How an image is made: with dispatch in software; and what the end of a slice is served before, of what has its level.

    That is the clock, if no thread is above those that take turns; and else the threads of the level above.  ``rests``: no end of
    a slice is asked for while nobody waits for a turn that another has.
    """

    software: bool
    slice_first: bool
    before_threads: bool = True
    rests: bool = False


class Event(NamedTuple):
    """A thread's step has ended, with a status; or (``who`` from OF_ALARM) an alarm's function was called."""

    time: int
    who: int
    step: int
    status: int


@dataclass(eq=False)
class Thread:
    """``left``: of what it works on.  ``timed``: the number of its event in the queue.

    ``since``: how long the threads of its level had run when it became ready.  ``at``: the level where it runs.  ``held``: the
    mutexes that it holds, each with what its unlocking masks; ``mask``: the level up to which it masks.
    """

    number: int
    level: int
    life: Iterator[int] = field(default_factory=lambda: iter(()))
    left: int = 0
    result: int = OK
    waits: int = WAIT
    timed: int = 0
    since: int = 0
    sent: int = 0
    message: int = 0
    at: int = 0
    mask: int = 0
    held: dict[int, int] = field(default_factory=dict)


@dataclass
class Semaphore:
    count: int
    line: list[Thread] = field(default_factory=list)


@dataclass(eq=False)
class Server:
    """A server of a level, in ticks of the clock.  ``end``, ``again``: the numbers of its events in the queue; 0: it has none.

    ``busy``: a thread of the level runs, or was ready when one ended.
    """

    level: int
    said: Served
    left: int
    owed: int = 0
    end: int = 0
    again: int = 0
    busy: bool = False


class Due(NamedTuple):
    """The end of a server's budget is due, or its return."""

    server: Server
    returns: bool


class Model:
    """Plays one program that begins at ``begin``, a time in ticks of the system."""

    def __init__(
        self,
        program: Program,
        priorities: tuple[int, ...],
        scale: Scale,
        begin: int,
        way: Way,
        costs: Callable[[], int] = lambda: 0,
        phase: int = 0,
        resting: Callable[[], int] | None = None,
    ) -> None:
        """``phase``: how much later slices end than they should; ``resting``: how long the clock lets others in."""
        self.resting = resting or costs
        self.program, self.scale, self.begin, self.costs, self.way = program, scale, begin, costs, way
        numbers = sorted(set(priorities))
        self.threads = {i: Thread(i, numbers.index(priorities[i]) + 1) for i in program.order}
        self.top = len(numbers)
        self.ready: dict[int, deque[Thread]] = {level: deque() for level in range(1, self.top + 1)}
        self.begun: dict[int, Thread] = {}
        self.guests: dict[int, deque[Thread]] = {level: deque() for level in self.ready}
        allowed = [(numbers.index(p) + 1, locked_by(thread)) for thread, p in enumerate(priorities)]
        self.ceilings = [max((level for level, locks in allowed if k in locks), default=0) for k in range(LOCKS)]
        self.owners: list[Thread | None] = [None] * LOCKS
        self.turning = [level for level in self.ready if scale.sliced and priorities.count(numbers[level - 1]) > 1]
        served = {numbers.index(s.priority) + 1: s for s in scale.served}
        self.celled = self.turning[-1] if self.turning and self.turning[-1] not in served else 0
        self.semaphores = [Semaphore(int(k in MUTEXES)) for k in range(SEMAPHORES)]
        self.semaphores += [Semaphore(count) for places in PLACES for count in (0, places)]  # messages, and free places
        self.semaphores += [Semaphore(0) for _ in range(LOCKS + 1)]  # who waits for a mutex, or has suspended itself
        self.messages: list[deque[int]] = [deque() for _ in PLACES]
        self.queue: list[tuple[int, int]] = []  # time and number
        self.what: dict[int, Thread | int | Due] = {}  # by number: whose, or which alarm
        self.servers = {level: Server(level, said, said.budget) for level, said in served.items()}
        self.resting_levels: set[int] = set()
        self.charged: Server | None = None
        self.since = 0
        self.phase = phase
        self.expiries = [a.count for a in program.alarms]
        self.running_alarm = [0] * len(program.alarms)  # the number of its event; 0: it does not run
        self.inserted = 0
        self.now = begin
        self.next_slice = (begin - phase - 1) // scale.slice * scale.slice + scale.slice + phase
        self.locked = False
        self.held = False
        self.over: set[int] = set()  # levels whose slice is over
        self.rests = 0  # until then the clock lets others in
        self.asked = False  # the timer's own request
        self.beat_rests = way.rests
        self.asked_below: set[int] = set()
        self.events: list[Event] = []
        self.turns = 0
        self.late = 0  # what came a tick late or more
        self.ran = dict.fromkeys(self.ready, 0)
        self.waited = dict.fromkeys(self.ready, 0)  # the longest that a thread was ready while others of its level ran

    # --- the clock ---

    def insert(self, time: int, what: Thread | int | Due) -> int:
        self.inserted += 1
        heapq.heappush(self.queue, (time, self.inserted))
        self.what[self.inserted] = what
        return self.inserted

    def after(self, ticks: int) -> int:
        """The time of the clock's so-manieth edge from now."""
        return (self.now // self.scale.tick + ticks) * self.scale.tick

    def first(self) -> int | None:
        while self.queue and self.queue[0][1] not in self.what:
            heapq.heappop(self.queue)
        return self.queue[0][0] if self.queue else None

    @property
    def due(self) -> bool:
        first = self.first()
        return first is not None and max(first, self.rests) <= self.now

    def interrupt(self) -> None:
        """What a handler takes is taken from what it interrupts."""
        thread = self.running
        if thread is not None:
            thread.left += self.costs()

    def serve(self) -> None:
        self.interrupt()
        time, number = heapq.heappop(self.queue)
        self.late += time + self.scale.tick <= self.now
        if time < self.now and self.scale.tick > 1:  # all ticks are made up at once
            self.now += self.costs()
        elif time < self.now:  # overdue; of eight such ticks one is followed by a rest
            self.rests = self.now + self.resting()
        what = self.what.pop(number)
        if isinstance(what, Due):
            (self.return_budget if what.returns else self.end_budget)(what.server, time)
            return
        if isinstance(what, Thread):
            if what.waits != WAIT:
                self.semaphores[what.waits].line.remove(what)
                what.waits, what.result = WAIT, NOTHING
            self.wake(what)
            return
        alarm = self.program.alarms[what]
        self.expiries[what] -= 1
        self.running_alarm[what] = self.insert(time + alarm.period * self.scale.tick, what) if self.expiries[what] else 0
        if alarm.calls:
            self.events.append(Event(self.now, OF_ALARM + what, 0, OK))
        self.give(alarm.semaphore)

    # --- servers ---

    def charge(self) -> None:
        """Charge whole ticks of the clock that have passed."""
        now = self.now // self.scale.tick
        if self.charged is not None:
            used = now - self.since
            self.charged.owed += max(0, used - self.charged.left)
            self.charged.left = max(0, self.charged.left - used)
        self.since = now

    def charge_running(self) -> None:
        """What runs now is charged from now on."""
        self.charge()
        self.charged = self.servers.get(self.running.level) if self.running is not None else None
        if self.charged is not None:
            if self.charged.said.constant and not self.charged.again:
                self.begin_budget(self.charged)
            self.watch(self.charged)

    def watch(self, server: Server) -> None:
        if not server.end and server.left:
            server.end = self.insert(self.after(server.left), Due(server, False))

    def refill(self, server: Server) -> None:
        paid = min(server.owed, server.said.budget)
        server.owed -= paid
        server.left = server.said.budget - paid

    def rest_or_go(self, server: Server) -> None:
        if server.left:
            self.resting_levels.discard(server.level)
            return
        self.resting_levels.add(server.level)
        (self.over if self.way.software else self.asked_below).add(server.level)

    def end_budget(self, server: Server, _: int) -> None:
        server.end = 0
        self.charge()
        if not server.left:
            self.rest_or_go(server)
        elif self.charged is server:
            self.watch(server)

    def return_budget(self, server: Server, time: int) -> None:
        self.charge()
        server.again = 0
        if server.said.constant and not server.busy and self.charged is not server and not server.owed:
            return
        server.again = self.insert(time + server.said.period * self.scale.tick, Due(server, True))
        self.refill(server)
        self.rest_or_go(server)
        if self.charged is server:
            self.watch(server)

    def admits(self, level: int) -> bool:
        """Whether the first thread that is ready at a level may run there."""
        server = self.servers.get(level)
        if server is not None and not self.guests[level]:
            server.busy = True
        return level not in self.resting_levels or bool(self.guests[level])

    def set_deadline(self, server: Server) -> None:
        said = server.said
        if server.again:
            due = next(time for time, number in self.queue if number == server.again)
            until = max(0, due // self.scale.tick - self.now // self.scale.tick)
            if server.left * said.period <= until * said.budget:
                return
            del self.what[server.again]
        self.begin_budget(server)

    def begin_budget(self, server: Server) -> None:
        """A whole budget now, and a deadline."""
        self.refill(server)
        server.again = self.insert(self.after(server.said.period), Due(server, True))
        self.rest_or_go(server)

    def leave_level(self, level: int) -> None:
        """The thread that runs at a level ends, waits or gives way."""
        del self.begun[level]
        self.charge_running()
        if level in self.servers and not self.ready[level]:
            self.servers[level].busy = False

    # --- semaphores ---

    def wake(self, thread: Thread) -> None:
        level = self.effective(thread)
        (self.guests[level] if level > thread.level else self.ready[level]).append(thread)
        server = self.servers.get(level)
        if server is not None and level == thread.level and server.said.constant and not server.busy:
            server.busy = True
            self.charge_running()
            self.set_deadline(server)
        thread.at, thread.mask = level, 0
        thread.held = dict.fromkeys(thread.held, 0)
        thread.since = self.ran[thread.level]
        self.goes_on(level)

    def waits_for_turn(self, level: int) -> bool:
        """Whether a thread waits for a turn that another of its level has."""
        begun = self.begun.get(level)
        return begun is not None and begun.level == level and bool(self.ready[level])

    def goes_on(self, level: int) -> None:
        """Somebody may have come to wait for a turn, or begins one while others wait: what was asked for before is forgotten."""
        if self.beat_rests and self.waits_for_turn(level):
            self.beat_rests = self.asked = False

    def give(self, number: int) -> None:
        semaphore = self.semaphores[number]
        if not semaphore.line:
            semaphore.count += 1
            return
        thread = semaphore.line.pop(0)
        self.what.pop(thread.timed, None)
        thread.waits, thread.result = WAIT, OK
        self.wake(thread)

    def resume(self, number: int) -> int:
        line = self.semaphores[SUSPENDED].line
        place = next((k for k, thread in enumerate(line) if thread.number == number), None)
        if place is None:
            return LATE
        line.insert(0, line.pop(place))
        self.give(SUSPENDED)
        return OK

    # --- mutexes ---

    def effective(self, thread: Thread) -> int:
        return max([thread.level, *(self.ceilings[lock] for lock in thread.held)])

    def enter(self, thread: Thread, step: Step) -> Iterator[int]:
        lock = step.object
        if self.owners[lock] is thread:
            thread.result = STATE
        elif self.owners[lock] is None:
            self.owners[lock], thread.held[lock] = thread, thread.mask
            if self.ceilings[lock] > thread.at:
                thread.mask = max(thread.mask, self.ceilings[lock])
        else:
            self.line_up(thread, OF_LOCKS + lock)
            thread.timed = self.insert(self.after(step.time), thread) if step.what is Do.ENTER_WITHIN else 0
            yield WAIT

    def leave(self, thread: Thread, lock: int) -> Iterator[int]:
        if self.owners[lock] is not thread:
            thread.result = NOTHING
            return
        order = list(thread.held)
        mask = thread.held.pop(lock)
        if order[-1] == lock:
            thread.mask = mask
        else:
            thread.held[order[order.index(lock) + 1]] = mask
        self.owners[lock] = None
        line = self.semaphores[OF_LOCKS + lock].line
        if line:
            self.owners[lock] = line[0]
            line[0].held[lock] = 0
            self.give(OF_LOCKS + lock)
        if thread.at > self.effective(thread):
            at = thread.at
            self.wake(thread)
            self.leave_level(at)
            yield MOVED

    def line_up(self, thread: Thread, number: int) -> None:
        line = self.semaphores[number].line
        place = next((k for k, other in enumerate(line) if other.level < thread.level), len(line))
        line.insert(place, thread)
        thread.waits = number

    # --- threads ---

    def life(self, thread: Thread) -> Iterator[int]:
        """Yields how long it works until what it does next; WAIT: until it is woken."""
        body = self.program.bodies[thread.number]
        until = self.begin
        for _ in range(body.times):
            for k, step in enumerate(body.steps):
                yield self.costs()
                thread.result = OK
                if step.what is Do.UNTIL:
                    until += step.time * self.scale.tick
                    if until <= self.now // self.scale.tick * self.scale.tick:
                        thread.result = LATE
                    else:
                        self.insert(until, thread)
                        yield WAIT
                else:
                    yield from self.done(thread, step)
                yield self.costs()
                self.events.append(Event(self.now, thread.number, k, thread.result))
        for lock in range(LOCKS):
            yield from self.leave(thread, lock)

    def done(self, thread: Thread, step: Step) -> Iterator[int]:
        match step.what:
            case Do.LOCK | Do.LOCK_KERNEL:
                self.locked = True
                yield step.time
                self.locked = False
            case Do.HOLD:
                self.held = True
                yield step.time
                self.held = False
                if not self.way.software:
                    self.asked_below |= self.over - {self.celled}
                    self.asked |= self.celled in self.over
                    self.over.clear()
            case Do.TAKE | Do.TAKE_WITHIN if self.semaphores[step.object].count:
                self.semaphores[step.object].count -= 1
            case Do.TAKE | Do.TAKE_WITHIN:
                self.line_up(thread, step.object)
                thread.timed = self.insert(self.after(step.time), thread) if step.what is Do.TAKE_WITHIN else 0
                yield WAIT
            case Do.GIVE:
                self.give(step.object)
            case Do.SEND | Do.SEND_WITHIN:
                yield from self.send(thread, step)
            case Do.RECEIVE | Do.RECEIVE_WITHIN:
                yield from self.receive(thread, step)
            case Do.ENTER | Do.ENTER_WITHIN:
                yield from self.enter(thread, step)
            case Do.LEAVE:
                yield from self.leave(thread, step.object)
            case Do.SUSPEND | Do.SUSPEND_WITHIN:
                self.line_up(thread, SUSPENDED)
                thread.timed = self.insert(self.after(step.time), thread) if step.what is Do.SUSPEND_WITHIN else 0
                yield WAIT
            case Do.RESUME:
                thread.result = self.resume(step.object)
            case Do.DELAY:
                self.insert(self.after(step.time), thread)
                yield WAIT
            case Do.RESTART:
                thread.result = self.restart(step.object)
            case _:
                yield step.time
        yield 0

    def send(self, thread: Thread, step: Step) -> Iterator[int]:
        sent = SEMAPHORES + 2 * step.object
        thread.message = (2 * thread.number + thread.sent) % MESSAGES
        thread.sent += 1
        if self.semaphores[sent].line:
            self.semaphores[sent].line[0].message = thread.message
            self.give(sent)
        elif self.semaphores[sent + 1].count:
            self.semaphores[sent + 1].count -= 1
            self.messages[step.object].append(thread.message)
            self.give(sent)
        else:
            self.line_up(thread, sent + 1)
            thread.timed = self.insert(self.after(step.time), thread) if step.what is Do.SEND_WITHIN else 0
            yield WAIT

    def receive(self, thread: Thread, step: Step) -> Iterator[int]:
        sent, messages = SEMAPHORES + 2 * step.object, self.messages[step.object]
        if self.semaphores[sent].count:
            self.semaphores[sent].count -= 1
            thread.message = messages.popleft()
            if self.semaphores[sent + 1].line:
                messages.append(self.semaphores[sent + 1].line[0].message)
                self.semaphores[sent].count += 1
            self.give(sent + 1)
        else:
            self.line_up(thread, sent)
            thread.timed = self.insert(self.after(step.time), thread) if step.what is Do.RECEIVE_WITHIN else 0
            yield WAIT
        if thread.result == OK:
            thread.result = OF_MESSAGE + thread.message

    def restart(self, number: int) -> int:
        if number >= len(self.program.alarms):
            return NOTHING
        ran = self.what.pop(self.running_alarm[number], None) is not None
        self.start(number, self.program.alarms[number])
        return OK if ran else NOTHING

    def start(self, number: int, alarm: Alarm) -> None:
        self.expiries[number] = alarm.count
        self.running_alarm[number] = self.insert(self.after(alarm.period), number)

    # --- dispatch ---

    @property
    def running(self) -> Thread | None:
        return self.begun[max(self.begun)] if self.begun else None

    def deliver(self) -> None:
        """All that may preempt what runs does so."""
        while not self.locked:
            mask = 0 if self.running is None else self.running.mask
            least = self.top if self.held else max(mask, max(self.begun, default=0))
            ends = self.asked and (self.way.software or self.turning[-1] + 1 > least)
            if ends and (self.way.slice_first or not self.due) and (self.way.software or self.turning[-1] == self.top):
                self.end_slice()
                continue
            if self.due:
                self.serve()
                continue
            found = [(level, 1) for level in self.ready if self.next_at(level) and level not in self.begun]
            found += [(level + 1, 0) for level in self.asked_below]
            found += [(self.turning[-1] + 1, 2)] if ends else []
            before = (0, 1, 2 if self.way.before_threads else 0)
            level, kind = max((x for x in found if x[0] > least), key=lambda x: (x[0], before[x[1]], x[1]), default=(0, 0))
            running = self.running
            if (
                running is not None
                and running.level in self.over
                and self.way.software
                and not self.held
                and max(running.at, running.mask) <= running.level
                and level <= running.level
            ):
                self.over.discard(running.level)
                self.turn(running)
            elif level == 0:
                return
            elif kind == 2:
                self.end_slice()
            elif kind == 1:
                if not self.admits(level):
                    continue
                thread = self.next_at(level).popleft()
                self.begun[level] = thread
                self.charge_running()
                self.goes_on(level)
                if thread.level == level:
                    self.waited[level] = max(self.waited[level], self.ran[level] - thread.since)
                    self.over.discard(level)
            else:
                self.asked_below.discard(level - 1)
                self.give_way(level - 1)

    def next_at(self, level: int) -> deque[Thread]:
        """The line whose first thread is the next to run at a level."""
        return self.guests[level] or (self.ready[level] if level not in self.resting_levels else deque())

    def end_slice(self) -> None:
        """The timer that ends slices is served."""
        self.interrupt()
        self.asked = False
        waits = (self.ready[level] if self.way.software else self.waits_for_turn(level) for level in self.turning)
        self.beat_rests = self.way.rests and not any(waits)
        if self.way.software:
            self.over |= {level for level in self.turning if self.ready[level]}
        else:
            self.asked_below |= {below for below in self.turning if below != self.celled and self.ready[below]}
            if self.celled:
                self.give_way(self.celled)

    def give_way(self, level: int) -> None:
        """A slice is over for a thread of the level, if one runs and another is ready."""
        thread = self.running
        if thread is None or thread.level != level or thread.at != level:
            return
        if not self.ready[level] and level not in self.resting_levels:
            return
        if self.held:
            self.over.add(level)
        else:
            while self.due:  # who is woken at the same time is before it
                self.serve()
            self.turn(thread)

    def turn(self, thread: Thread) -> None:
        self.turns += 1
        self.wake(thread)
        self.leave_level(thread.level)

    def settle(self) -> None:
        """All that happens now, in no time."""
        while True:
            self.deliver()
            thread = self.running
            if thread is None or thread.left:
                return
            more = next(thread.life, None)
            if more is None or more == WAIT:
                self.leave_level(thread.at)
            elif more != MOVED:
                thread.left = more

    @property
    def starves(self) -> bool:
        """Whether a thread waited for longer than each other one of its level may run: a slice, and what it locks or holds."""
        kinds = (Do.LOCK, Do.LOCK_KERNEL, Do.HOLD)
        held = max((s.time for b in self.program.bodies.values() for s in b.steps if s.what in kinds), default=0)
        sliced = [level for level in self.turning if level not in self.servers]
        sizes = {level: sum(t.level == level for t in self.threads.values()) for level in sliced}
        return any(self.waited[level] > (size - 1) * (self.scale.slice + held) for level, size in sizes.items() if size)

    def run(self) -> list[Event]:
        """The events, in their order, until the program is stopped."""
        for server in self.servers.values():
            if not server.said.constant:
                period = server.said.period * self.scale.tick
                time = (self.begin - self.phase) // period * period + period + self.phase
                server.again = self.insert(time, Due(server, True))
        for k, alarm in enumerate(self.program.alarms):
            self.now += self.costs() if k else 0  # one handler starts them all
            self.start(k, alarm)
        for i in self.program.order:
            self.threads[i].life = self.life(self.threads[i])
            self.wake(self.threads[i])
        end = self.begin + self.scale.slice * self.scale.slices
        while True:
            if self.next_slice <= self.now:
                self.asked = bool(self.turning) and not self.beat_rests
                self.next_slice += self.scale.slice
            self.settle()
            thread, first = self.running, self.first()
            times = [self.next_slice]
            if first is not None and max(first, self.rests) > self.now:
                times.append(max(first, self.rests))
            if thread is not None:
                times.append(self.now + thread.left)
            then = max(self.now, min(times))
            if then >= end:
                return self.events
            if thread is not None:
                thread.left -= then - self.now
                if max(thread.at, thread.mask) <= thread.level:  # a slice's end does not reach who runs above the level
                    self.ran[thread.level] += then - self.now
            self.now = then


class Bounds(NamedTuple):
    """What happens, and the earliest and latest time of each event."""

    events: list[Event]
    first: list[int]
    last: list[int]


def bounds(
    program: Program, priorities: tuple[int, ...], scale: Scale, begin: int, way: Way, cost: int, seed: int = 0, tries: int = 24
) -> tuple[list[Bounds], Bounds | None]:
    """What may happen where code takes up to ``cost`` before each step and after it; and, if that is one thing, its times.

    Each try has a pace of its own: how much of the cost code takes at most, from a fiftieth on.
    """
    rng = random.Random(seed)

    def costs(number: int) -> Callable[[], int]:
        most = cost * 50 ** (number / (tries - 1) - 1)
        least = most * rng.choice([0, 0.5, 1])
        return lambda: round(rng.uniform(least, most))

    paces: list[Callable[[], int]] = [lambda: 0, lambda: cost, *map(costs, range(tries))]
    models = [Model(program, priorities, scale, begin, way, pace) for pace in paces]
    models += [Model(program, priorities, scale, begin, way, pace, phase) for phase in (-cost, cost) for pace in paces[:4]]
    models += [Model(program, priorities, scale, begin, way, paces[0], resting=lambda: rng.choice([0, cost])) for _ in range(4)]
    stories: dict[tuple[object, ...], list[list[Event]]] = {}
    for model in models:
        events = model.run()
        stories.setdefault(tuple(e[1:] for e in events), []).append(events)
    found = []
    for runs in stories.values():  # the first one's are those where code takes no time
        times = list(zip(*([e.time for e in run] for run in runs), strict=True))
        found.append(Bounds(runs[0], [min(t) for t in times], [max(t) for t in times]))
    return found, found[0] if len(found) == 1 else None
