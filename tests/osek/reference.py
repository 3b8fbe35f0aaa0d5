# SPDX-License-Identifier: Apache-2.0
"""A reference model of OSEK scheduling: what OSEK/VDX OS 2.2.3 says, written to be checked by reading.

An :class:`Application` has tasks, interrupt service routines, resources, events, software counters and alarms.  A
:class:`Program` says what their bodies do: lists of service calls, for each run of a body one of its variants.  No
time passes and nothing comes from outside, so a program has exactly one log, with three exceptions:

- Where several error codes apply to one call, the standard does not say which is returned.  The log has all of them.
- What is undefined (an error that STANDARD status does not check) or left open by the standard is not done: the
  operation is *skipped*, and the result says which ones were, by their number.
- What cannot be skipped ends the program before it (``Unspecified``).

Chapters in comments are those of OSEK/VDX OS 2.2.3.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum

E_OK, E_OS_ACCESS, E_OS_CALLEVEL, E_OS_ID, E_OS_LIMIT, E_OS_NOFUNC, E_OS_RESOURCE, E_OS_STATE, E_OS_VALUE = range(9)
E_OS_MISSINGEND, E_OS_DISABLEDINT = 11, 12

RUNNING, WAITING, READY, SUSPENDED = range(4)
INVALID_TASK = 255


class Code(IntEnum):
    """What an operation does.  The parameters x, y and z are object numbers, masks or ticks."""

    TERMINATE_TASK = 0
    CHAIN_TASK = 1  # x: task
    ACTIVATE_TASK = 2  # x: task
    SCHEDULE = 3
    GET_TASK_ID = 4
    GET_TASK_STATE = 5  # x: task
    GET_RESOURCE = 6  # x: resource, the number of resources for RES_SCHEDULER, one more for no resource
    RELEASE_RESOURCE = 7  # x: the same
    SET_EVENT = 8  # x: task, y: mask
    CLEAR_EVENT = 9  # x: mask
    GET_EVENT = 10  # x: task
    WAIT_EVENT = 11  # x: mask
    SET_REL_ALARM = 12  # x: alarm, y: increment, z: cycle
    SET_ABS_ALARM = 13  # x: alarm, y: start, z: cycle
    CANCEL_ALARM = 14  # x: alarm
    GET_ALARM = 15  # x: alarm
    GET_ALARM_BASE = 16  # x: alarm
    INCREMENT_COUNTER = 17  # x: counter
    DISABLE_ALL_INTERRUPTS = 18
    ENABLE_ALL_INTERRUPTS = 19
    SUSPEND_ALL_INTERRUPTS = 20
    RESUME_ALL_INTERRUPTS = 21
    SUSPEND_OS_INTERRUPTS = 22
    RESUME_OS_INTERRUPTS = 23
    GET_ACTIVE_APPLICATION_MODE = 24
    SHUTDOWN_OS = 25  # x: status
    PEND = 26  # x: ISR
    HALT = 27


@dataclass(frozen=True, slots=True)
class Op:
    """An operation, done in a function nested ``depth`` calls deep in the body."""

    code: Code
    x: int = 0
    y: int = 0
    z: int = 0
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """A task; ``events`` is the mask of those that it owns, 0: a basic task; ``autostart`` are application modes."""

    priority: int
    preemptable: bool = True
    activations: int = 1
    autostart: frozenset[int] = frozenset()
    events: int = 0
    resources: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Isr:
    """An interrupt service routine, requested by software only."""

    category: int
    priority: int
    resources: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource: a standard one, an internal one, or one linked to another, given by its number."""

    internal: bool = False
    linked: int | None = None


@dataclass(frozen=True, slots=True)
class Counter:
    """A software counter."""

    max_allowed: int
    ticks_per_base: int = 1
    min_cycle: int = 1


class Action(Enum):
    """What an alarm does."""

    ACTIVATE = "activate"
    SET_EVENT = "set_event"
    CALLBACK = "callback"
    INCREMENT = "increment"


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm: ``object`` is its task or counter; ``modes`` those in which it is started with ``at`` and ``cycle``."""

    counter: int
    action: Action
    object: int = 0
    mask: int = 0
    modes: frozenset[int] = frozenset()
    at: int = 1
    cycle: int = 0
    absolute: bool = False


HOOKS = ("startup", "error", "pretask", "posttask", "shutdown")


@dataclass(frozen=True, slots=True)
class Application:
    """A configuration.  Objects are numbered from 0 in their tuples; internal resources come last."""

    tasks: tuple[Task, ...]
    extended_status: bool = True
    hooks: frozenset[str] = frozenset()
    service_id: bool = True
    parameters: bool = True  # needs the former
    modes: int = 1
    isrs: tuple[Isr, ...] = ()
    resources: tuple[Resource, ...] = ()
    counters: tuple[Counter, ...] = ()
    alarms: tuple[Alarm, ...] = ()

    @property
    def explicit_resources(self) -> int:
        """How many resources GetResource knows by number, RES_SCHEDULER apart."""
        return sum(not r.internal for r in self.resources)


# Bodies have numbers: tasks theirs, then these.  An alarm's callback has its alarm's.
ISR, CALLBACK, HOOK = 20, 30, 40
BODIES = HOOK + len(HOOKS)


def hook(name: str) -> int:
    """The number of a hook's body."""
    return HOOK + HOOKS.index(name)


Body = tuple[tuple[Op, ...], ...]


@dataclass(frozen=True, slots=True)
class Program:
    """Bodies by number; the n-th run of one does its variant n modulo their count.

    The operation number ``budget``, counted from 0 over the whole run, is not done: it ends the program.
    """

    bodies: dict[int, Body]
    mode: int = 0
    budget: int = 200


# A line of the log: what it is about, and the numbers that it may have.
Line = tuple[str, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Expected:
    """What a program does: its log, the numbers of the operations that are skipped, and where it ends."""

    log: tuple[Line, ...]
    skipped: frozenset[int]
    budget: int


class _Over(Exception):  # noqa: N818 - no error
    """The program has ended."""


class _Unspecified(Exception):  # noqa: N818 - no error
    """The standard does not say what comes next."""


# Levels of execution: tasks have their priorities, interrupts are above them.
ISR2_LEVEL, KERNEL_LEVEL, ISR1_LEVEL = 1000, 1999, 2000


class _Caller(Enum):
    TASK = 0
    ISR1 = 1
    ISR2 = 2
    ERROR = 3
    PRETASK = 4
    POSTTASK = 5
    STARTUP = 6
    SHUTDOWN = 7
    CALLBACK = 8


_HOOK_CALLERS = {
    "startup": _Caller.STARTUP,
    "error": _Caller.ERROR,
    "pretask": _Caller.PRETASK,
    "posttask": _Caller.POSTTASK,
    "shutdown": _Caller.SHUTDOWN,
}

_TASK = frozenset({_Caller.TASK})
_TASK_ISR = _TASK | {_Caller.ISR2}
_QUERY = _TASK_ISR | {_Caller.ERROR, _Caller.PRETASK, _Caller.POSTTASK}
_BODY = _TASK_ISR | {_Caller.ISR1}

# Chapter 12.2.2, figure 12-1: who may call what.
ALLOWED = {
    Code.TERMINATE_TASK: _TASK,
    Code.CHAIN_TASK: _TASK,
    Code.ACTIVATE_TASK: _TASK_ISR,
    Code.SCHEDULE: _TASK,
    Code.GET_TASK_ID: _QUERY,
    Code.GET_TASK_STATE: _QUERY,
    Code.GET_RESOURCE: _TASK_ISR,
    Code.RELEASE_RESOURCE: _TASK_ISR,
    Code.SET_EVENT: _TASK_ISR,
    Code.CLEAR_EVENT: _TASK,
    Code.GET_EVENT: _QUERY,
    Code.WAIT_EVENT: _TASK,
    Code.SET_REL_ALARM: _TASK_ISR,
    Code.SET_ABS_ALARM: _TASK_ISR,
    Code.CANCEL_ALARM: _TASK_ISR,
    Code.GET_ALARM: _QUERY,
    Code.GET_ALARM_BASE: _QUERY,
    Code.INCREMENT_COUNTER: _TASK_ISR,
    Code.DISABLE_ALL_INTERRUPTS: _BODY,
    Code.ENABLE_ALL_INTERRUPTS: _BODY,
    Code.SUSPEND_ALL_INTERRUPTS: _BODY | _QUERY | {_Caller.CALLBACK},
    Code.RESUME_ALL_INTERRUPTS: _BODY | _QUERY | {_Caller.CALLBACK},
    Code.SUSPEND_OS_INTERRUPTS: _BODY,
    Code.RESUME_OS_INTERRUPTS: _BODY,
    Code.GET_ACTIVE_APPLICATION_MODE: _QUERY | {_Caller.STARTUP, _Caller.SHUTDOWN},
    Code.SHUTDOWN_OS: _TASK_ISR | {_Caller.ERROR, _Caller.STARTUP},
}

# Codes without a status, so without an error: what is wrong with them is undefined.
INTERRUPT_SERVICES = frozenset(
    {
        Code.DISABLE_ALL_INTERRUPTS,
        Code.ENABLE_ALL_INTERRUPTS,
        Code.SUSPEND_ALL_INTERRUPTS,
        Code.RESUME_ALL_INTERRUPTS,
        Code.SUSPEND_OS_INTERRUPTS,
        Code.RESUME_OS_INTERRUPTS,
    }
)
VOID = INTERRUPT_SERVICES | {Code.GET_ACTIVE_APPLICATION_MODE, Code.SHUTDOWN_OS, Code.PEND, Code.HALT}

# OSServiceId_... (kernel/api/carillon/osek.h).
SERVICE_IDS = {
    Code.ACTIVATE_TASK: 1,
    Code.TERMINATE_TASK: 2,
    Code.CHAIN_TASK: 3,
    Code.SCHEDULE: 4,
    Code.GET_TASK_ID: 5,
    Code.GET_TASK_STATE: 6,
    Code.GET_RESOURCE: 7,
    Code.RELEASE_RESOURCE: 8,
    Code.SET_EVENT: 9,
    Code.CLEAR_EVENT: 10,
    Code.GET_EVENT: 11,
    Code.WAIT_EVENT: 12,
    Code.GET_ALARM_BASE: 13,
    Code.GET_ALARM: 14,
    Code.SET_REL_ALARM: 15,
    Code.SET_ABS_ALARM: 16,
    Code.CANCEL_ALARM: 17,
    Code.INCREMENT_COUNTER: 18,
}

# How many of x, y and z are parameters that OSError_... macros give.
PARAMETERS = {
    Code.CHAIN_TASK: 1,
    Code.ACTIVATE_TASK: 1,
    Code.GET_TASK_STATE: 1,
    Code.GET_RESOURCE: 1,
    Code.RELEASE_RESOURCE: 1,
    Code.SET_EVENT: 2,
    Code.CLEAR_EVENT: 1,
    Code.GET_EVENT: 1,
    Code.WAIT_EVENT: 1,
    Code.SET_REL_ALARM: 3,
    Code.SET_ABS_ALARM: 3,
    Code.CANCEL_ALARM: 1,
    Code.GET_ALARM: 1,
    Code.GET_ALARM_BASE: 1,
    Code.INCREMENT_COUNTER: 1,
}


@dataclass(eq=False, slots=True)
class _Frame:
    """Something that executes: an activation of a task, an ISR, or the kernel while it calls a hook or a callback."""

    number: int  # of its body
    caller: _Caller
    level: int
    body: Iterator[None]
    held: list[int] = field(default_factory=list)  # resources, in the order in which they were taken
    internal: bool = False  # has its internal resource


@dataclass(slots=True)
class _AlarmState:
    in_use: bool = False
    left: int = 0  # ticks; 0 while the tick is served in which it is due
    cycle: int = 0
    place: int = 0  # in the order in which alarms were set


class Machine:
    """One run of a program."""

    def __init__(self, application: Application, program: Program) -> None:
        self.application = application
        self.program = program
        self.log: list[Line] = []
        self.skipped: set[int] = set()
        self.operations = 0
        self.runs = [0] * BODIES

        tasks = application.tasks
        # The task level: one queue for each priority, the running task, the waiting ones.
        self.ready: dict[int, list[_Frame]] = {}
        self.running: _Frame | None = None
        self.waiting: dict[int, tuple[_Frame, int]] = {}  # by task: what waits, and for which events
        self.activations = [0] * len(tasks)
        self.events = [0] * len(tasks)

        # Above it: what interrupts, the last on top.
        self.frames: list[_Frame] = []
        self.pending: set[int] = set()  # ISRs
        self.disabled = False  # DisableAllInterrupts is in force
        self.suspended: list[Code] = []  # Suspend... calls that are in force
        self.in_error_hook = False

        self.values = [0] * len(application.counters)
        self.alarms = [_AlarmState() for _ in application.alarms]
        self.alarms_set = 0

        self.scheduler_ceiling = max(t.priority for t in tasks)
        self.ceilings = [self._ceiling(number) for number in range(len(application.resources))]
        self.ceilings.insert(application.explicit_resources, self.scheduler_ceiling)

    # The log.

    def note(self, about: str, *numbers: int) -> None:
        self.log.append((about, frozenset(numbers)))

    # Levels (chapter 8.5).

    def _base(self, resource: int) -> int:
        linked = self.application.resources[resource].linked
        return resource if linked is None else self._base(linked)

    def _ceiling(self, resource: int) -> int:
        """The highest level of all that take a resource, or one that is linked to the same."""
        base = self._base(resource)
        levels = [t.priority for t in self.application.tasks if base in map(self._base, t.resources)]
        levels += [self.isr_level(n) for n, i in enumerate(self.application.isrs) if base in map(self._base, i.resources)]
        return max(levels, default=0)

    def isr_level(self, isr: int) -> int:
        it = self.application.isrs[isr]
        return it.priority + (ISR1_LEVEL if it.category == 1 else ISR2_LEVEL)

    def internal_ceiling(self, task: int) -> int | None:
        """The ceiling of a task's internal resource, None without one.

        A non-preemptable task has one with the highest task priority (chapter 4.6.2).
        """
        it = self.application.tasks[task]
        ceilings = [] if it.preemptable else [self.scheduler_ceiling]
        internal = [r for r in it.resources if self.application.resources[r].internal]
        ceilings += [self.ceilings[r + 1] for r in internal]  # they are behind RES_SCHEDULER
        return max(ceilings, default=None)

    def level(self, frame: _Frame) -> int:
        """The level at which something executes, or waits to go on."""
        levels = [frame.level, *(self.ceilings[r] for r in frame.held)]
        if frame.internal:
            levels.append(self.internal_ceiling(frame.number) or 0)
        return max(levels)

    # The run.

    def run(self) -> None:
        """Start the system and go on until the program is over or nothing is left to do."""
        try:
            self.call_hook("startup")
            for number, task in enumerate(self.application.tasks):
                if self.program.mode in task.autostart:
                    self.activate(number)
            for number, alarm in enumerate(self.application.alarms):
                if self.program.mode in alarm.modes:
                    self.set_alarm(number, self.until(number, alarm.at) if alarm.absolute else alarm.at, alarm.cycle)
            while self.step():
                pass
        except _Over:
            pass

    def step(self) -> bool:
        """Let what has the highest level do one operation; False if there is nothing."""
        isr = self.deliverable()
        if isr is not None:
            self.pending.remove(isr)
            caller = _Caller.ISR1 if self.application.isrs[isr].category == 1 else _Caller.ISR2
            self.frames.append(self.frame(ISR + isr, caller, self.isr_level(isr)))
        elif self.frames:
            if not self.go_on(self.frames[-1]):
                self.frames.pop()
        else:
            self.dispatch()
            if self.running is None:
                return False
            self.go_on(self.running)
        return True

    def frame(self, number: int, caller: _Caller, level: int) -> _Frame:
        frame = _Frame(number, caller, level, iter(()))
        frame.body = self.body(frame)
        return frame

    @staticmethod
    def go_on(frame: _Frame) -> bool:
        """Do one operation; False if the body has ended."""
        try:
            next(frame.body)
        except StopIteration:
            return False
        return True

    def deliverable(self) -> int | None:
        """The pending ISR that interrupts now: the highest, of equal ones the first."""
        executing = self.frames[-1] if self.frames else self.running
        floor = self.level(executing) if executing else 0
        best = None
        for isr in sorted(self.pending):
            masked = self.disabled or Code.SUSPEND_ALL_INTERRUPTS in self.suspended
            if self.application.isrs[isr].category == 2:
                masked = masked or bool(self.suspended)
            if not masked and self.isr_level(isr) > floor:
                best, floor = isr, self.isr_level(isr)
        return best

    def highest_ready(self) -> int:
        return max((level for level, queue in self.ready.items() if queue), default=-1)

    def dispatch(self) -> None:
        """The scheduler (chapter 4.6): the highest ready task runs, preempting one of a lower level.

        A preempted task is the oldest of its level.
        """
        highest = self.highest_ready()
        if self.running is not None and highest > self.level(self.running):
            self.leave(self.running)
            self.ready.setdefault(self.level(self.running), []).insert(0, self.running)
            self.running = None
        if self.running is None and highest >= 0:
            self.running = self.ready[highest].pop(0)
            self.running.internal = self.internal_ceiling(self.running.number) is not None
            self.call_hook("pretask")

    def leave(self, task: _Frame) -> None:
        """What happens while a task is still RUNNING, before it is not any more."""
        assert task is self.running
        self.call_hook("posttask")

    def make_ready(self, frame: _Frame) -> None:
        """A task that was activated, or that has waited, is the youngest of its priority."""
        self.ready.setdefault(frame.level, []).append(frame)

    def activate(self, task: int) -> None:
        """One more activation; a suspended extended task has no events."""
        if self.activations[task] == 0:
            self.events[task] = 0
        self.activations[task] += 1
        self.make_ready(self.frame(task, _Caller.TASK, self.application.tasks[task].priority))

    def terminate(self) -> None:
        assert self.running is not None
        self.leave(self.running)
        self.activations[self.running.number] -= 1
        self.running = None

    def state(self, task: int) -> int:
        if self.running is not None and self.running.number == task:
            return RUNNING
        if task in self.waiting:
            return WAITING
        return READY if self.activations[task] else SUSPENDED

    def set_events(self, task: int, mask: int) -> None:
        self.events[task] |= mask
        if task in self.waiting and self.events[task] & self.waiting[task][1]:
            self.make_ready(self.waiting.pop(task)[0])

    # Bodies.

    def body(self, frame: _Frame) -> Generator[None]:
        """A run of a body: each turn of the generator ends where others may come in between."""
        self.note("begin", frame.number)
        variants = self.program.bodies.get(frame.number, ((),))
        operations = variants[self.runs[frame.number] % len(variants)]
        self.runs[frame.number] += 1
        for index, op in enumerate(operations):
            where = frame.number * 100 + index
            if self.operations == self.program.budget or op.code is Code.HALT:
                self.note("end", self.operations)
                raise _Over
            self.operations += 1
            if self.unspecified(op, frame):
                self.skipped.add(self.operations - 1)
                self.note("skip", where)
                continue
            self.note("call", where)
            statuses, out = self.call(op, frame)
            yield
            self.note("status", *statuses)
            for number in out:
                self.note("out", number)
        if frame.caller is _Caller.TASK:
            self.missing_end()

    def missing_end(self) -> None:
        """The end of a task's function without TerminateTask or ChainTask: an error, and the task terminates."""
        task = self.running
        assert task is not None
        if self.application.extended_status or "error" in self.application.hooks:
            self.error(None, {E_OS_MISSINGEND})
        if self.pending:
            raise _Unspecified  # whether the ISR comes before or after PostTaskHook and the next PreTaskHook
        self.terminate()
        self.disabled = False
        self.suspended.clear()

    def call_now(self, number: int, caller: _Caller) -> None:
        """The kernel calls a body: no task and no ISR of category 2 comes in between."""
        frame = self.frame(number, caller, KERNEL_LEVEL)
        depth = len(self.frames)
        self.frames.append(frame)
        while len(self.frames) > depth:
            self.step()

    def call_hook(self, name: str) -> None:
        if name in self.application.hooks:
            self.call_now(hook(name), _HOOK_CALLERS[name])

    def error(self, op: Op | None, statuses: set[int]) -> None:
        """Call the error hook (chapter 11.2), not recursively; ``op`` None: a missing end, as if TerminateTask failed."""
        if "error" not in self.application.hooks or self.in_error_hook:
            return
        self.in_error_hook = True
        self.note("error", *statuses)
        if self.application.service_id:
            self.note("service", SERVICE_IDS[op.code if op else Code.TERMINATE_TASK])
            if self.application.parameters and op is not None:
                for number in (op.x, op.y, op.z)[: PARAMETERS.get(op.code, 0)]:
                    self.note("parameter", number)
        self.call_hook("error")
        self.in_error_hook = False

    # Services (chapter 13).

    @property
    def locked(self) -> bool:
        """Whether interrupts are disabled by the application."""
        return self.disabled or bool(self.suspended)

    def unspecified(self, op: Op, frame: _Frame) -> bool:
        """Whether the standard leaves open what an operation does."""
        code = op.code
        if code is Code.PEND:  # within a switch of tasks: before, between or after its hooks
            return any(f.caller in (_Caller.PRETASK, _Caller.POSTTASK, _Caller.STARTUP) for f in self.frames)
        if code in VOID and frame.caller not in ALLOWED[code]:
            return True
        if frame.caller is _Caller.ISR1 and code not in INTERRUPT_SERVICES:
            return True  # chapter 6: no services of the operating system
        if code in INTERRUPT_SERVICES:
            return self.unspecified_lock(code)
        if self.locked and frame.caller not in _BODY and code is not Code.GET_ACTIVE_APPLICATION_MODE:
            return True  # a hook within, or with, a critical section
        always, checked = self.faults(op, frame)
        if checked and not self.application.extended_status:
            return True
        if always or checked:
            return False
        # Whether chaining itself is a transition from suspended to ready, which clears the events.
        return code is Code.CHAIN_TASK and op.x == frame.number and self.events[op.x] != 0

    def unspecified_lock(self, code: Code) -> bool:
        """Locks must nest, and DisableAllInterrupts stands alone (chapter 13.3.2)."""
        if code is Code.DISABLE_ALL_INTERRUPTS:
            return self.locked
        if code is Code.ENABLE_ALL_INTERRUPTS:
            return not self.disabled
        if code is Code.RESUME_ALL_INTERRUPTS:
            return self.suspended[-1:] != [Code.SUSPEND_ALL_INTERRUPTS]
        if code is Code.RESUME_OS_INTERRUPTS:
            return self.suspended[-1:] != [Code.SUSPEND_OS_INTERRUPTS]
        return self.disabled

    def faults(self, op: Op, frame: _Frame) -> tuple[set[int], set[int]]:
        """The errors that apply to a call: those of both statuses, and those that only EXTENDED checks."""
        code, application = op.code, self.application
        always: set[int] = set()
        checked: set[int] = set()
        if code in VOID:
            return always, checked
        if frame.caller not in ALLOWED[code]:
            checked.add(E_OS_CALLEVEL)
        if self.locked:
            checked.add(E_OS_DISABLEDINT)
        of_task = frame.caller is _Caller.TASK
        match code:
            case Code.TERMINATE_TASK | Code.SCHEDULE:
                if of_task and frame.held:
                    checked.add(E_OS_RESOURCE)
            case Code.CHAIN_TASK | Code.ACTIVATE_TASK:
                if op.x >= len(application.tasks):
                    checked.add(E_OS_ID)
                elif self.activations[op.x] >= application.tasks[op.x].activations and not (
                    code is Code.CHAIN_TASK and of_task and op.x == frame.number
                ):
                    always.add(E_OS_LIMIT)
                if code is Code.CHAIN_TASK and of_task and frame.held:
                    checked.add(E_OS_RESOURCE)
            case Code.GET_TASK_STATE:
                if op.x >= len(application.tasks):
                    checked.add(E_OS_ID)
            case Code.GET_RESOURCE | Code.RELEASE_RESOURCE:
                if op.x > application.explicit_resources:
                    checked.add(E_OS_ID)
                elif code is Code.GET_RESOURCE:
                    if self.holder(op.x) or frame.level > self.ceilings[op.x]:
                        checked.add(E_OS_ACCESS)
                else:
                    if frame.held[-1:] != [op.x]:
                        checked.add(E_OS_NOFUNC)
                    if frame.level > self.ceilings[op.x]:
                        checked.add(E_OS_ACCESS)
            case Code.SET_EVENT | Code.GET_EVENT:
                if op.x >= len(application.tasks):
                    checked.add(E_OS_ID)
                elif not application.tasks[op.x].events:
                    checked.add(E_OS_ACCESS)
                elif self.state(op.x) == SUSPENDED:
                    checked.add(E_OS_STATE)
            case Code.CLEAR_EVENT | Code.WAIT_EVENT:
                if of_task and not application.tasks[frame.number].events:
                    checked.add(E_OS_ACCESS)
                if of_task and frame.held and code is Code.WAIT_EVENT:
                    checked.add(E_OS_RESOURCE)
            case Code.SET_REL_ALARM | Code.SET_ABS_ALARM | Code.CANCEL_ALARM | Code.GET_ALARM | Code.GET_ALARM_BASE:
                if op.x >= len(application.alarms):
                    checked.add(E_OS_ID)
                else:
                    self.alarm_faults(op, always, checked)
            case Code.INCREMENT_COUNTER:
                if op.x >= len(application.counters):
                    checked.add(E_OS_ID)
            case _:
                assert code is Code.GET_TASK_ID, code
        return always, checked

    def alarm_faults(self, op: Op, always: set[int], checked: set[int]) -> None:
        counter = self.application.counters[self.application.alarms[op.x].counter]
        in_use = self.alarms[op.x].in_use
        if op.code in (Code.CANCEL_ALARM, Code.GET_ALARM):
            if not in_use:
                always.add(E_OS_NOFUNC)
        elif op.code is not Code.GET_ALARM_BASE:
            if in_use:
                always.add(E_OS_STATE)
            if op.code is Code.SET_REL_ALARM and op.y == 0:
                always.add(E_OS_VALUE)  # AUTOSAR; in OSEK up to the implementation
            if op.y > counter.max_allowed or (op.z and not counter.min_cycle <= op.z <= counter.max_allowed):
                checked.add(E_OS_VALUE)

    def holder(self, resource: int) -> bool:
        """Whether anyone occupies a resource."""
        everyone = [*self.frames, *(f for queue in self.ready.values() for f in queue)]
        if self.running is not None:
            everyone.append(self.running)
        return any(resource in frame.held for frame in everyone)

    def call(self, op: Op, frame: _Frame) -> tuple[set[int], list[int]]:
        """Do a call: the statuses that it may return, and what it puts out."""
        always, checked = self.faults(op, frame)
        errors = always | checked
        if errors:
            self.error(op, errors)
            return errors, []
        return {E_OK}, self.serve(op, frame)

    def serve(self, op: Op, frame: _Frame) -> list[int]:
        """What a service does that finds nothing wrong."""
        application = self.application
        match op.code:
            case Code.TERMINATE_TASK:
                self.terminate()
            case Code.CHAIN_TASK:
                self.terminate()
                self.activate(op.x)
            case Code.ACTIVATE_TASK:
                self.activate(op.x)
            case Code.SCHEDULE:
                self.schedule(frame)
            case Code.GET_TASK_ID:
                return [self.running.number if self.running is not None else INVALID_TASK]
            case Code.GET_TASK_STATE:
                return [self.state(op.x)]
            case Code.GET_RESOURCE:
                frame.held.append(op.x)
            case Code.RELEASE_RESOURCE:
                frame.held.pop()
            case Code.SET_EVENT:
                self.set_events(op.x, op.y)
            case Code.CLEAR_EVENT:
                self.events[frame.number] &= ~op.x
            case Code.GET_EVENT:
                return [self.events[op.x]]
            case Code.WAIT_EVENT:
                if not self.events[frame.number] & op.x:
                    self.leave(frame)
                    frame.internal = False
                    self.waiting[frame.number] = (frame, op.x)
                    self.running = None
            case Code.SET_REL_ALARM:
                self.set_alarm(op.x, op.y, op.z)
            case Code.SET_ABS_ALARM:
                self.set_alarm(op.x, self.until(op.x, op.y), op.z)
            case Code.CANCEL_ALARM:
                self.alarms[op.x] = _AlarmState()
            case Code.GET_ALARM:
                return [self.alarms[op.x].left]
            case Code.GET_ALARM_BASE:
                counter = application.counters[application.alarms[op.x].counter]
                return [counter.max_allowed, counter.ticks_per_base, counter.min_cycle]
            case Code.INCREMENT_COUNTER:
                self.increment(op.x)
            case Code.DISABLE_ALL_INTERRUPTS:
                self.disabled = True
            case Code.ENABLE_ALL_INTERRUPTS:
                self.disabled = False
            case Code.SUSPEND_ALL_INTERRUPTS | Code.SUSPEND_OS_INTERRUPTS:
                self.suspended.append(op.code)
            case Code.RESUME_ALL_INTERRUPTS | Code.RESUME_OS_INTERRUPTS:
                self.suspended.pop()
            case Code.GET_ACTIVE_APPLICATION_MODE:
                return [self.program.mode]
            case Code.PEND:
                self.pending.add(op.x)
            case Code.SHUTDOWN_OS:
                self.shut_down(op.x)
        return []

    def schedule(self, task: _Frame) -> None:
        """Without its internal resource a task may be preempted; it has it again when it goes on (chapter 13.2.3.4)."""
        if task.internal:
            task.internal = False
            if self.highest_ready() > self.level(task):
                self.leave(task)
                self.ready.setdefault(self.level(task), []).insert(0, task)
                self.running = None
            else:
                task.internal = True

    def shut_down(self, status: int) -> None:
        if "shutdown" in self.application.hooks:
            self.note("shutdown", status)
            self.disabled = True
            self.call_hook("shutdown")
        self.note("end", self.operations)
        raise _Over

    def until(self, alarm: int, start: int) -> int:
        """Ticks until a counter has a value: a whole turn if it has it now (chapter 13.6.3.4)."""
        counter = self.application.alarms[alarm].counter
        turn = self.application.counters[counter].max_allowed + 1
        return (start - self.values[counter]) % turn or turn

    def set_alarm(self, alarm: int, left: int, cycle: int) -> None:
        self.alarms_set += 1
        self.alarms[alarm] = _AlarmState(True, left, cycle, self.alarms_set)

    def increment(self, counter: int) -> None:
        """A tick.  Alarms of one tick expire in the order in which they were set; a cyclic one is set again at once.

        The standard does not give an order; this is kernel/counters/alarm.c's.
        """
        self.values[counter] = (self.values[counter] + 1) % (self.application.counters[counter].max_allowed + 1)
        expired = []
        for number, state in enumerate(self.alarms):
            if self.application.alarms[number].counter == counter and state.in_use:
                state.left -= 1
                if state.left == 0:
                    expired.append(number)
        for number in sorted(expired, key=lambda n: self.alarms[n].place):
            cycle = self.alarms[number].cycle
            if cycle:
                self.set_alarm(number, cycle, cycle)
            else:
                self.alarms[number] = _AlarmState()
            self.expire(number)

    def expire(self, number: int) -> None:
        """An alarm's action; what goes wrong is told to the error hook only."""
        alarm = self.application.alarms[number]
        match alarm.action:
            case Action.ACTIVATE:
                if self.activations[alarm.object] >= self.application.tasks[alarm.object].activations:
                    self.error(Op(Code.ACTIVATE_TASK, alarm.object), {E_OS_LIMIT})
                else:
                    self.activate(alarm.object)
            case Action.SET_EVENT:
                if self.state(alarm.object) != SUSPENDED:
                    self.set_events(alarm.object, alarm.mask)
                else:  # in both statuses, as kernel/counters/alarm.c does; undefined in STANDARD
                    self.error(Op(Code.SET_EVENT, alarm.object, alarm.mask), {E_OS_STATE})
            case Action.CALLBACK:
                self.call_now(CALLBACK + number, _Caller.CALLBACK)
            case Action.INCREMENT:
                self.increment(alarm.object)


def expected(application: Application, program: Program) -> Expected:
    """What a program does."""
    while True:
        machine = Machine(application, program)
        try:
            machine.run()
        except _Unspecified:
            # End before the operation that led there.
            program = replace(program, budget=machine.operations - 1)
            continue
        return Expected(tuple(machine.log), frozenset(machine.skipped), program.budget)
