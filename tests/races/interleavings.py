# SPDX-License-Identifier: Apache-2.0
"""What a program of the reference model may do if an interrupt comes at any point of it.

The model (``tests/osek/reference.py``) does one service after the other.  Here the interrupt service routine 0 is
requested once, between two of its steps: before or after a service, or between a service and the dispatch that follows
from it.  A service is one step, whatever its instructions are, so that what is seen must be explained by the services
one after the other, in an order that the levels allow.  A service that finds an error is two: it finds the error, and
it says so.

The n-th run of a body does its variant n, and all later ones the last.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from reference import (
    E_OK,
    E_OS_LIMIT,
    E_OS_NOFUNC,
    E_OS_STATE,
    ISR,
    KERNEL_LEVEL,
    RUNNING,
    SUSPENDED,
    VOID,
    Application,
    Code,
    Isr,
    Machine,
    Op,
    Program,
    _Caller,
    _Frame,
    _Over,
    _Unspecified,
)


class Mark(Enum):
    """What a body does beside services."""

    ARM = "arm"  # from here on the interrupt may come
    DISARM = "disarm"  # and from here on not any more
    EXPIRE = "expire"  # the cell of a task's alarm expires
    EVENTS = "events"  # what GetEvent says of a task, if it is not suspended
    SET = "set"  # set all events of a task, if it is not suspended
    # The time services (carillon/time.h), in a time in which nothing expires: semaphore x, alarm x.
    TAKE = "take"  # a unit of a semaphore, waiting
    TAKE_WITHIN = "take within"  # the same for a long time
    TAKE_NOW = "take now"  # the same without waiting
    GIVE = "give"
    START = "start"
    STOP = "stop"
    CHANGE = "change"
    LEFT = "left"
    DELAY = "delay"  # for a long time
    # An alarm with a cell of its own, whose handler does what the alarm does; nothing expires by itself.
    REQUEST = "request"  # its cell expires
    HANDLE = "handle"  # what its handler does, which is no body of the application
    CANCEL = "cancel"
    SET_ANEW = "set anew"
    GET = "get"


@dataclass(frozen=True, slots=True)
class Do:
    """A mark with its object."""

    mark: Mark
    x: int = 0


Step = Op | Do


@dataclass(frozen=True, slots=True)
class CellAlarm:
    """An alarm that has a cell: it activates its task, or sets events of it.

    ``own``: the cell has the level of the task.  Its handler may wait, and nobody can tell that: whoever looks finds the action
    done.  But an error is told later, or not at all if the cell expires again meanwhile ("late").  And what comes while the
    handler begins, and has not got the lock, comes before the expiry (``kernel/counters/cells.h``, 3).
    """

    task: int
    mask: int = 0
    own: bool = False


AT, ANEW = 1000, 500
"""Ticks, none of which passes, that an alarm with a cell has from the start on, and when it is set anew."""

Word = tuple[str, frozenset[tuple[int, int]]]
"""A word of a log: what it is about, and the pairs of numbers that it may have."""


class Interleaved(Machine):
    """One run, in which the routine 0 is requested ``at`` so many steps after :attr:`Mark.ARM`; negative: not at all.

    ``waits``: an own cell whose handler waits for its turn.  Then the routine is requested at its ``at``-th beginning alone.
    """

    def __init__(
        self, application: Application, program: Program, at: int, cells: Sequence[CellAlarm], waits: int | None = None
    ) -> None:
        super().__init__(application, program)
        self.cells = cells
        self.waits = waits
        self.expired = False  # that cell, and nobody has found it so
        self.begins = False  # its handler
        self.left: list[int | None] = [AT] * len(cells)  # of their alarms
        self.at = at
        self.armed = False
        self.steps = 0
        self.words: list[Word] = []
        self.units = [0] * 4  # of semaphores, of which each may have one
        self.lines: list[list[_Frame]] = [[] for _ in self.units]
        self.running_alarms: set[int] = set()
        self.reserved: int | None = None  # a task that is being chained

    def say(self, about: str, *pairs: tuple[int, int]) -> None:
        self.words.append((about, frozenset(pairs)))

    def request(self, begins: bool = False) -> None:
        """A point between two steps, or the one at which a handler ``begins``."""
        if self.armed and begins == (self.waits is not None):
            if self.steps == self.at:
                self.pending.add(0)
            self.steps += 1

    def state(self, task: int) -> int:
        """What ChainTask has reserved is no activation before its caller has ended."""
        if task == self.reserved and self.activations[task] == 1:
            return SUSPENDED
        return super().state(task)

    def may_begin(self) -> bool:
        """Whether the handler of the cell that waits has the highest level."""
        if not self.expired or self.begins or self.frames or self.disabled or self.suspended:
            return False
        level = self.cell_level
        return level >= self.highest_ready() and (self.running is None or level > self.level(self.running))

    @property
    def cell_level(self) -> int:
        assert self.waits is not None
        return self.application.tasks[self.cells[self.waits].task].priority

    def begin_handler(self) -> None:
        """What preempts its first instructions comes before it, and so do all tasks that are then higher."""
        assert self.waits is not None
        self.expired = False
        self.begins = True
        self.request(begins=True)
        while (
            self.frames
            or self.deliverable() is not None
            or self.highest_ready() > self.cell_level
            or (self.running is not None and self.level(self.running) > self.cell_level)
        ):
            self.step()
        self.begins = False
        self.handle(self.waits)

    def look(self, *tasks: int) -> None:
        """A service is about to look at tasks, or to change them: the cells of their levels have expired."""
        if self.expired and self.cell_level in {self.application.tasks[task].priority for task in tasks}:
            assert self.waits is not None
            self.expired = False
            self.handle(self.waits)

    def step(self) -> bool:
        if self.may_begin():
            self.begin_handler()
        self.request()
        isr = self.deliverable()
        if isr is None and not self.frames:
            executing = self.running
            if executing is None or self.highest_ready() > self.level(executing):
                self.dispatch()
                return self.running is not None
        return super().step()

    def dispatch(self) -> None:
        """A task that has an internal resource has it from its choice on, before the hooks say that it runs."""
        level = self.highest_ready()
        chosen = self.ready[level][0] if level >= 0 else None
        if chosen is not None and "pretask" in self.application.hooks and self.internal_ceiling(chosen.number) is not None:
            self.request()
            if self.deliverable() is not None:
                super().step()
                while self.frames:
                    super().step()
                later = {above: self.ready.pop(above) for above in list(self.ready) if above > level}
                super().dispatch()
                self.ready |= later
                return
        super().dispatch()

    def body(self, frame: _Frame) -> Generator[None]:
        variants = self.program.bodies.get(frame.number, ((),))
        if variants[0][:1] != (Do(Mark.HANDLE, frame.number - ISR - 1),):
            yield
            self.say("begin", (0, frame.number))
        yield
        run = self.runs[frame.number]
        self.runs[frame.number] += 1
        for op in variants[min(run, len(variants) - 1)]:
            if isinstance(op, Do):
                yield from self.do(op, frame)
                continue
            if op.code is Code.HALT:
                raise _Over
            self.operations += 1
            self.look(*looked_at(op, frame))
            if self.unspecified(op, frame):
                raise _Unspecified
            always, checked = self.faults(op, frame)
            errors = always | checked
            if errors:
                yield
                self.error(op, errors)
                yield
                self.say("status", *((e, 0) for e in errors))
            else:
                if op.code is Code.CHAIN_TASK and op.x != frame.number and "posttask" in self.application.hooks:
                    # The place of the chained task's activation is taken when the service is called, but the caller ends
                    # with its hook.
                    self.activations[op.x] += 1
                    self.reserved = op.x
                    yield
                    self.activations[op.x] -= 1
                    self.reserved = None
                out = self.serve(op, frame)
                asked = [out[0] if out else 0]
                if op.code is Code.GET_TASK_ID and self.running is None:
                    asked = [*asked, *self.next_one()]
                if op.code is Code.GET_TASK_STATE and self.running is None and op.x in self.next_one():
                    asked.append(RUNNING)
                if op.code is Code.SCHEDULE and self.tells_schedule(frame):
                    yield
                    # A task that goes on is told so, and then takes its internal resource again.
                    frame.internal = False
                    yield
                    frame.internal = True
                if op.code not in VOID:
                    yield
                    self.say("status", *((E_OK, a) for a in asked))
            yield
        if frame.caller is _Caller.TASK:
            self.look(frame.number)
            self.missing_end()

    def tells_schedule(self, frame: _Frame) -> bool:
        return "pretask" in self.application.hooks and self.internal_ceiling(frame.number) is not None

    def next_one(self) -> list[int]:
        """Between the end of a task and the next dispatch: whoever may be the next of its level may count as running."""
        return [queue[0].number for queue in self.ready.values() if queue]

    def wait(self, frame: _Frame) -> None:
        """The task waits for something else than an event."""
        self.leave(frame)
        frame.internal = False
        self.waiting[frame.number] = (frame, 0)
        self.running = None

    def time_service(self, it: Do, frame: _Frame) -> int:
        """The status of a time service."""
        running = it.x in self.running_alarms
        match it.mark:
            case Mark.TAKE | Mark.TAKE_WITHIN | Mark.TAKE_NOW:
                if self.units[it.x]:
                    self.units[it.x] -= 1
                elif it.mark is Mark.TAKE_NOW:
                    return E_OS_NOFUNC
                else:
                    line = self.lines[it.x]
                    line.insert(sum(other.level >= frame.level for other in line), frame)
                    self.wait(frame)
            case Mark.GIVE:
                if self.lines[it.x]:
                    first = self.lines[it.x].pop(0)
                    self.make_ready(self.waiting.pop(first.number)[0])
                elif self.units[it.x]:
                    return E_OS_LIMIT
                else:
                    self.units[it.x] += 1
            case Mark.DELAY:
                self.wait(frame)
            case Mark.START:
                if running:
                    return E_OS_STATE
                self.running_alarms.add(it.x)
            case _:  # stop, change, left
                if not running:
                    return E_OS_NOFUNC
                if it.mark is Mark.STOP:
                    self.running_alarms.remove(it.x)
        return E_OK

    def do(self, it: Do, frame: _Frame) -> Iterator[None]:
        match it.mark:
            case Mark.ARM:
                self.armed = True
            case Mark.DISARM:
                self.armed = False
            case Mark.EXPIRE:
                if self.activations[it.x] < self.application.tasks[it.x].activations:
                    self.activate(it.x)
            case Mark.EVENTS:
                self.look(it.x)
                if self.state(it.x) != SUSPENDED:
                    self.say("out", (0, self.events[it.x]))
            case Mark.SET:
                self.look(it.x)
                if self.state(it.x) != SUSPENDED:
                    self.set_events(it.x, 7)
            case Mark.REQUEST if it.x == self.waits:
                self.expired = True
            case Mark.REQUEST if self.cells[it.x].own:
                self.handle(it.x)
            case Mark.REQUEST:
                self.pending.add(1 + it.x)
            case Mark.HANDLE:
                self.handle(it.x)
            case _:
                left = self.left[it.x] if it.mark is Mark.GET else None
                in_alarms = it.mark in (Mark.CANCEL, Mark.SET_ANEW, Mark.GET)
                status = self.alarm_service(it) if in_alarms else self.time_service(it, frame)
                yield
                if status != E_OK:
                    self.error(None, {status})
                    yield
                self.say("status", (status, left or 0))
        yield

    def alarm_service(self, it: Do) -> int:
        """The status of a service of an alarm that has a cell."""
        if it.mark is Mark.CANCEL:
            self.look(self.cells[it.x].task)
        runs = self.left[it.x] is not None
        if it.mark is Mark.SET_ANEW:
            self.left[it.x] = self.left[it.x] if runs else ANEW
            return E_OS_STATE if runs else E_OK
        if it.mark is Mark.CANCEL:
            self.left[it.x] = None
        return E_OK if runs else E_OS_NOFUNC

    def handle(self, cell: int) -> None:
        """The handler of an alarm's cell: nothing if the alarm was cancelled after the cell had asked for it."""
        it = self.cells[cell]
        if self.left[cell] != AT:
            return
        if not it.own:
            self.look(it.task)
        if not it.mask:
            if self.activations[it.task] < self.application.tasks[it.task].activations:
                self.activate(it.task)
            else:
                self.cell_fails(it, E_OS_LIMIT)
        elif self.activations[it.task]:
            self.set_events(it.task, it.mask)
        else:
            self.cell_fails(it, E_OS_STATE)

    def cell_fails(self, it: CellAlarm, status: int) -> None:
        if it.own and "error" in self.application.hooks:
            self.say("late", (status, 0))
        elif not it.own:
            self.error(None, {status})

    def locked_point(self) -> None:
        """A point at which the kernel holds back interrupts of category 2: one of category 1 runs, what it requests waits."""
        if self.application.isrs[0].category != 1:
            return
        self.request()
        depth = len(self.frames)
        self.frames.append(_Frame(-1, _Caller.CALLBACK, KERNEL_LEVEL, iter(())))
        while len(self.frames) > depth + 1 or self.deliverable() is not None:
            Machine.step(self)
        self.frames.pop()

    def call_hook(self, name: str) -> None:
        if name in self.application.hooks:
            self.locked_point()
        super().call_hook(name)

    def error(self, op: Op | None, statuses: set[int]) -> None:
        self.locked_point()
        if "error" in self.application.hooks and not self.in_error_hook:
            self.say("error", *((s, 0) for s in statuses))
        super().error(op, statuses)


def looked_at(op: Op, frame: _Frame) -> tuple[int, ...]:
    """The tasks that a service looks at or changes; at its end, a task changes itself."""
    match op.code:
        case Code.ACTIVATE_TASK | Code.GET_TASK_STATE | Code.SET_EVENT | Code.GET_EVENT:
            return (op.x,)
        case Code.CHAIN_TASK:
            return (frame.number, op.x) if frame.caller is _Caller.TASK else (op.x,)
        case Code.TERMINATE_TASK | Code.WAIT_EVENT | Code.CLEAR_EVENT if frame.caller is _Caller.TASK:
            return (frame.number,)
        case _:
            return ()


def one(
    application: Application, program: Program, at: int, cells: Sequence[CellAlarm], waits: int | None = None
) -> Interleaved | None:
    """A run; None if the standard does not say what it does."""
    machine = Interleaved(application, program, at, cells, waits)
    try:
        machine.run()
    except _Unspecified:
        return None
    return machine


def allowed(application: Application, program: Program, cells: Sequence[CellAlarm] = ()) -> set[tuple[Word, ...]] | None:
    """Every log that the program may leave; None if some order of its services is unspecified.

    The handlers of alarms' ``cells`` are interrupt service routines like 0, as which they stand behind it.
    """
    handlers = tuple(Isr(2, application.isrs[0].priority) for _ in cells)
    application = replace(application, isrs=(*application.isrs, *handlers))
    bodies = {ISR + len(application.isrs) - len(cells) + n: ((Do(Mark.HANDLE, n),),) for n in range(len(cells))}
    program = replace(program, bodies={**program.bodies, **bodies})  # type: ignore[dict-item]
    never = one(application, program, -1, cells)
    if never is None:
        return None
    logs = {tuple(never.words)}
    for waits in (None, *(n for n, cell in enumerate(cells) if cell.own)):
        at = 0
        while True:
            machine = one(application, program, at, cells, waits)
            if machine is None:
                return None
            logs.add(tuple(machine.words))
            if machine.steps <= at:
                break
            at += 1
    return logs
