# SPDX-License-Identifier: Apache-2.0
"""What a debugger knows of the event-triggered system: ORTI 2.2 (OSEK Run Time Interface), parts A and B.

Written when the firmware is linked, because it names nothing that the linker left out.  A managed task's state is in
the kernel's variables, a direct task's in the active and pending bits of the interrupt controller.  Attributes whose
names begin with ``vs_`` are our own, as the standard wants them marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from carillon import c_names
from carillon.actions.every import of
from carillon.allocate.osek import OsekAllocation, TaskKind, TaskLevel
from carillon.emit import text
from carillon.image import Image
from carillon.model.osek import CounterKind
from carillon.model.time import QueueKind

FILL = 0xC0DEC0DE
"""What stacks of extended tasks hold where nobody has been (``kernel/jobs/stop.h``), a word of it."""

NO_TASK = 255

# The kernel's variables (kernel, osek.c).
RUNNING, JOBS, TASKS, FAILURE = ("carillon_osek_running", "carillon_osek_jobs", "carillon_osek_tasks", "carillon_osek_failure")
MODE, ALARMS, CELLS, COUNTERS, HOLDERS = (
    "osek_active_mode",
    "carillon_osek_alarm_states",
    "carillon_osek_alarm_cells",
    "carillon_osek_counter_states",
    "osek_resource_holders",
)

# Values of the enumerations, those of the kernel (carillon/osek.h, kernel/counters/alarm.c).
STATES = {"RUNNING": 0, "WAITING": 1, "READY": 2, "SUSPENDED": 3}
ON_CELL, QUEUED, IDLE = 0, 1, 2
ERRORS = (
    *("E_OK", "E_OS_ACCESS", "E_OS_CALLEVEL", "E_OS_ID", "E_OS_LIMIT", "E_OS_NOFUNC", "E_OS_RESOURCE", "E_OS_STATE"),
    *("E_OS_VALUE", "E_OS_SERVICEID", "E_OS_ILLEGAL_ADDRESS", "E_OS_MISSINGEND", "E_OS_DISABLEDINT", "E_OS_STACKFAULT"),
    *("E_OS_PARAM_POINTER", "E_OS_PROTECTION_TIME", "E_OS_PROTECTION_ARRIVAL", "E_OS_PROTECTION_LOCKED", "E_OS_SYS_START"),
)
SERVICES = (
    *("none", "ActivateTask", "TerminateTask", "ChainTask", "Schedule", "GetTaskID", "GetTaskState", "GetResource"),
    *("ReleaseResource", "SetEvent", "ClearEvent", "GetEvent", "WaitEvent", "GetAlarmBase", "GetAlarm", "SetRelAlarm"),
    *("SetAbsAlarm", "CancelAlarm", "IncrementCounter", "StartOS", "ShutdownOS"),
    *("StartScheduleTableRel", "StartScheduleTableAbs", "StartScheduleTableSynchron", "StopScheduleTable", "NextScheduleTable"),
    *("SyncScheduleTable", "SetScheduleTableAsync", "GetScheduleTableStatus", "GetCounterValue", "GetElapsedValue", "GetISRID"),
)


@dataclass(frozen=True, slots=True)
class _Controller:
    """C expressions of an interrupt controller's bits: of a source, 0 or 1; of any of several, 0 or not."""

    active: Callable[[int], str]
    pending: Callable[[int], str]
    any_active: Callable[[Sequence[int]], str]


def _nvic(base: int, source: int) -> str:
    """A bit of the NVIC (ARMv7-M Architecture Reference Manual, B3.4)."""
    number = source - 16
    return f"((*(unsigned int *)0x{base + number // 32 * 4:08X} >> {number % 32}) & 1)"


def _nvic_any(sources: Sequence[int]) -> str:
    masks: dict[int, int] = {}
    for source in sources:
        word = (source - 16) // 32
        masks[word] = masks.get(word, 0) | 1 << (source - 16) % 32
    words = [f"(*(unsigned int *)0x{0xE000E300 + 4 * word:08X} & 0x{mask:X})" for word, mask in sorted(masks.items())]
    return " | ".join(words)


_CONTROLLERS = {
    "armv7m": _Controller(lambda s: _nvic(0xE000E300, s), lambda s: _nvic(0xE000E200, s), _nvic_any),
    "host": _Controller(
        lambda s: f"machine.active[{s}]",
        lambda s: f"((machine.pending[{s // 32}] >> {s % 32}) & 1)",
        lambda sources: " | ".join(f"machine.active[{s}]" for s in sources),
    ),
}


def orti(image: Image, symbols: Collection[str]) -> str | None:
    """The file's text for firmware with these symbols; None without event-triggered tasks, or for a port that is not known."""
    if image.osek is None or not image.osek.allocation.osek.tasks:
        return None
    controller = _CONTROLLERS.get(image.system.board.port)
    if controller is None and any(level.kind is TaskKind.DIRECT for level in image.osek.allocation.levels):
        return None
    return _Writer(image, image.osek.allocation, controller, symbols).text()


Attribute = tuple[str, str, str, Callable[[int], str | None]]
"""Its name, its type, what it means, and its value for the object with a number; None: it has none."""
Kind = tuple[str, str, dict[str, int], list[Attribute]]
"""A kind of objects: what ORTI calls it, its title, its objects with their numbers, and their attributes."""


class _Writer:
    """Declares only attributes that every object of their kind can have."""

    def __init__(
        self, image: Image, allocation: OsekAllocation, controller: _Controller | None, symbols: Collection[str]
    ) -> None:
        self.image = image
        self.allocation = allocation
        self.osek = allocation.osek
        self.controller = controller
        self.symbols = symbols
        self.numbers = {task.name: number for number, task in enumerate(self.osek.tasks)}
        self.extended = [t.name for t in self.osek.tasks if t.extended and c_names.stack(t.name) in symbols]
        self.levels = [(str(level.tasks[0].priority), level.number) for level in allocation.levels]
        self.direct = [level for level in allocation.levels if level.kind is TaskKind.DIRECT]
        self.managed = RUNNING in symbols and JOBS in symbols

    def text(self) -> str:
        """The whole file."""
        kinds = [self._os(), self._tasks(), self._stacks(), self._alarms(), self._resources(), self._counters()]
        lines = [text.head(self.image, "ORTI: what a debugger knows of the event-triggered system.")]
        lines += ["VERSION {", '    KOIL = "2.2";', '    OSSEMANTICS = "ORTI", "2.2";', "};", ""]
        lines.append("IMPLEMENTATION Carillon {")
        for kind, title, objects, attributes in kinds:
            for first in list(objects.values())[:1]:
                lines.append(f"    {kind} {{")
                lines += [f'        {type_} {name}, "{means}";' for name, type_, means, value in attributes if value(first)]
                lines.append(f'    }}, "{title}";')
        lines += ["};", ""]
        for kind, _, objects, attributes in kinds:
            for name, number in objects.items():
                values = [(attribute, value(number)) for attribute, _, _, value in attributes]
                lines += [f"{kind} {name} {{", *(f'    {attribute} = "{value}";' for attribute, value in values if value)]
                lines += ["};", ""]
        return "\n".join(lines)

    # Which task runs.

    def _is_above(self, level: TaskLevel) -> str:
        """Whether the managed task that runs is of a higher level."""
        return f"({RUNNING} != {NO_TASK} && {TASKS}[{RUNNING}].level > {level.number})"

    def _topmost(self, of_direct: Callable[[TaskLevel], object], of_managed: str) -> str:
        """An expression by cases: the highest direct task that is active, unless the managed one that runs is higher."""
        cases = []
        for level in reversed(self.direct):
            assert self.controller is not None
            case = self.controller.active(level.source)
            if self.managed and level.number < len(self.levels):
                case = f"({case} && !{self._is_above(level)})"
            cases.append(f"{case} ? {of_direct(level)} : ")
        return "".join(cases) + of_managed

    def _isr(self, _: int) -> str | None:
        """An expression by cases: the highest ISR that is active."""
        if not self.allocation.isrs or self.controller is None:
            return None
        by_level = sorted(self.allocation.isrs, key=lambda pair: -pair[1])
        return "".join(f"{self.controller.active(isr.source)} ? {isr.source} : " for isr, _ in by_level) + "0"

    def _os(self) -> Kind:
        tasks = _enumeration("unsigned char", [("NO_TASK", NO_TASK), *self.numbers.items()])
        isrs = [("NO_ISR", 0), *((isr.name, isr.source) for isr, _ in self.allocation.isrs)]
        runs = self._topmost(lambda level: self.numbers[level.tasks[0].name], RUNNING if self.managed else str(NO_TASK))
        of_managed = f"{RUNNING} == {NO_TASK} ? 0 : {TASKS}[{RUNNING}].level" if self.managed else "0"
        priority = self._topmost(lambda level: level.number, of_managed)
        levels = _enumeration("unsigned char", [("NO_TASK", 0), *self.levels])
        status, service = (f"{FAILURE}.{field}" if FAILURE in self.symbols else None for field in ("status", "service"))
        mode = MODE if MODE in self.symbols else "0"
        return "OS", "OS", {_identifier(self.image.system.name): 0}, [
            ("RUNNINGTASK", tasks if self.direct else f"TOTRACE {tasks}", "Running task", lambda _: runs),
            ("RUNNINGTASKPRIORITY", levels, "Priority of the running task, without ceilings", lambda _: priority),
            ("RUNNINGISR2", _enumeration("unsigned short", isrs), "Running ISR", self._isr),
            ("CURRENTAPPMODE", _numbered(self.osek.modes), "Application mode", lambda _: mode),
            ("LASTERROR", _numbered(ERRORS), "Last error", lambda _: status),
            ("vs_FAILEDSERVICE", _numbered(SERVICES), "Service that called the error hook last", lambda _: service),
        ]  # fmt: skip

    # Tasks and their stacks.

    def _tasks(self) -> Kind:
        levels, stacks = self.allocation.level_of, {name: k for k, name in enumerate(self.extended, 1)}
        tasks = self.osek.tasks
        return "TASK", "Tasks", self.numbers, [
            ("PRIORITY", _enumeration("unsigned char", self.levels), "Priority", lambda n: str(levels(tasks[n]).number)),
            ("STATE", _enumeration("unsigned char", STATES.items()), "State", self._state),
            ("CURRENTACTIVATIONS", 'CTYPE "unsigned char"', "Activations that run or wait", self._activations),
            ("STACK", _numbered(["shared", *stacks]), "Stack", lambda n: str(stacks.get(tasks[n].name, 0))),
        ]  # fmt: skip

    def _state(self, number: int) -> str | None:
        task = self.osek.tasks[number]
        level = self.allocation.level_of(task)
        above = [other.source for other in self.direct if other.number > level.number]
        covers = [f"({self.controller.any_active(above)}) != 0"] if above and self.controller is not None else []
        if level.kind is TaskKind.DIRECT:
            assert self.controller is not None
            if self.managed and level.number < len(self.levels):
                covers.append(self._is_above(level))
            running = f"({' || '.join(covers)}) ? {STATES['READY']} : {STATES['RUNNING']}" if covers else "0"
            active, pending = self.controller.active(level.source), self.controller.pending(level.source)
            return f"{active} ? ({running}) : {pending} ? {STATES['READY']} : {STATES['SUSPENDED']}"
        if not self.managed:
            return None
        runs = " && ".join([f"{RUNNING} == {number}", *(f"!({cover})" for cover in covers)])
        ready = str(STATES["READY"])
        if task.extended:
            ready = f"{c_names.extended(task.name)}.waited != 0 ? {STATES['WAITING']} : {ready}"
        return f"({runs}) ? {STATES['RUNNING']} : {self._activations(number)} == 0 ? {STATES['SUSPENDED']} : {ready}"

    def _activations(self, number: int) -> str | None:
        level = self.allocation.level_of(self.osek.tasks[number])
        if level.kind is TaskKind.DIRECT:
            assert self.controller is not None
            return f"{self.controller.active(level.source)} + {self.controller.pending(level.source)}"
        return f"{JOBS}[{number}].activations" if self.managed else None

    def _stacks(self) -> Kind:
        names = [c_names.stack(name) for name in self.extended]
        return "STACK", "Stacks", {f"Stack_{name}": n for n, name in enumerate(self.extended)}, [
            ("SIZE", 'CTYPE "unsigned int"', "Bytes", lambda n: f"sizeof({names[n]})"),
            ("BASEADDRESS", 'CTYPE "unsigned char *"', "Lowest address", lambda n: names[n]),
            ("STACKDIRECTION", "STRING", "Direction", lambda _: "DOWN"),
            ("FILLPATTERN", 'CTYPE "unsigned int"', "What was never used", lambda _: f"0x{FILL:X}"),
        ]  # fmt: skip

    # Counters, alarms, resources.

    def _counters(self) -> Kind:
        ticked = {c.demand.name for c in self.allocation.counters}
        counters = {
            counter.name: number
            for number, counter in enumerate(self.osek.counters)
            if COUNTERS in self.symbols and (counter.name in ticked or counter.kind is CounterKind.SOFTWARE)
        }
        value: Attribute = ("VALUE", 'CTYPE "unsigned int"', "Value", lambda n: f"{COUNTERS}[{n}].value")
        return "vs_COUNTER", "Counters", counters, [value]

    def _alarms(self) -> Kind:
        queues, cells = ALARMS in self.symbols, CELLS in self.symbols
        queue, clock, alarms = self.allocation.queue, self.allocation.clock, self.osek.alarms
        event = "event.event" if queue is not None and queue.far_alarms else "event"
        tree = clock is not None and clock.services.queue is QueueKind.TREE
        carried = {alarm.name for alarm, _ in self.allocation.alarms} if cells else set()

        def queued(n: int) -> str:
            return f"{ALARMS}[{n}].{event}.{'parent' if tree else 'next'} != 0"

        def cell(n: int) -> str:
            return f"{CELLS}[{n}]" if alarms[n].name in carried else str(IDLE)

        def state(n: int) -> str:
            runs = [queued(n)] if queues else []
            runs += [f"{cell(n)} == {ON_CELL}"] if alarms[n].name in carried else []
            return f"({' || '.join(runs)}) ? 1 : 0"

        def cycle(n: int) -> str:
            start = alarms[n].autostart
            own_cycle = str(start.cycle) if start is not None else "0"
            if not queues:
                return own_cycle
            at_run_time = f"{ALARMS}[{n}].cycle"
            return f"({cell(n)} == {ON_CELL}) ? {own_cycle} : {at_run_time}" if alarms[n].name in carried else at_run_time

        def time(n: int) -> str | None:
            return f"{ALARMS}[{n}].{event}.time" if queues and not tree else None

        def carrier(n: int) -> str:
            return f"({queued(n)}) ? {QUEUED} : {cell(n)}" if queues else cell(n)

        carriers = 'ENUM "unsigned char" [ "cell" = 0, "queue" = 1, "none" = 2, "none any more" = 3 ]'
        before = "In the queue: ticks before the alarm after it"
        return "ALARM", "Alarms", {a.name: n for n, a in enumerate(alarms) if queues or cells}, [
            ("STATE", _numbered(["STOPPED", "RUNNING"]), "State", state),
            ("CYCLETIME", 'CTYPE "unsigned int"', "Cycle in ticks of its counter, 0: once", cycle),
            ("ACTION", "STRING", "What it does", lambda n: of(alarms[n].action).phrase),
            ("COUNTER", "STRING", "Its counter", lambda n: alarms[n].counter),
            ("vs_CARRIER", carriers, "What carries it", carrier),
            ("vs_BEFORE", 'CTYPE "unsigned int"', before, time),
        ]  # fmt: skip

    def _resources(self) -> Kind:
        names, isrs = self.allocation.named_resources, self.allocation.isrs
        levels = _first_of_each([*self.levels, *((f"ISR {isr.name}", level) for isr, level in isrs)])
        lockers = [("nobody", 0), *((name, number + 1) for name, number in self.numbers.items())]
        lockers += [(f"ISR {isr.name}", isr.source + 257) for isr, _ in isrs]
        locker, held = _enumeration("unsigned short", lockers), HOLDERS in self.symbols
        return "RESOURCE", "Resources", {name: number for number, name in enumerate(names)}, [
            ("PRIORITY", _enumeration("unsigned char", levels), "Ceiling", lambda n: str(self.allocation.ceilings[names[n]])),
            ("STATE", _numbered(["UNLOCKED", "LOCKED"]), "State", lambda n: f"{HOLDERS}[{n}] != 0" if held else None),
            ("LOCKER", locker, "Who has taken it", lambda n: f"{HOLDERS}[{n}]" if held else None),
        ]  # fmt: skip


def _first_of_each(items: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """One name for each value."""
    names: dict[int, str] = {}
    for name, value in items:
        names.setdefault(value, name)
    return [(name, value) for value, name in names.items()]


def _enumeration(kind: str, items: Iterable[tuple[str, int]]) -> str:
    listed = ", ".join(f'"{name}" = {value}' for name, value in items)
    return f'ENUM "{kind}" [ {listed} ]'


def _numbered(names: Iterable[str]) -> str:
    """The same of names with the numbers from 0."""
    return _enumeration("unsigned char", ((name, number) for number, name in enumerate(names)))


def _identifier(name: str) -> str:
    return re.sub(r"\W", "_", name)
