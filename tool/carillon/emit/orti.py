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

from carillon.actions.every import of
from carillon.allocate.osek import OsekAllocation, TaskKind, TaskLevel
from carillon.emit import text
from carillon.image import Image
from carillon.model.osek import CounterKind, OsekTask
from carillon.model.time import QueueKind

FILL = 0xC0DEC0DE
"""What stacks of extended tasks hold where nobody has been (``kernel/osek/start.c``), a word of it."""

NO_TASK = 255

# The kernel's variables (kernel/osek, osek.c).
RUNNING, JOBS, TASKS, FAILURE = ("carillon_osek_running", "carillon_osek_jobs", "carillon_osek_tasks", "carillon_osek_failure")
MODE, ALARMS, CELLS, COUNTERS, HOLDERS = (
    "osek_active_mode",
    "carillon_osek_alarm_states",
    "carillon_osek_alarm_cells",
    "carillon_osek_counter_states",
    "osek_resource_holders",
)

# Values of the enumerations, those of the kernel (carillon/osek.h, kernel/osek/alarm.c).
STATES = {"RUNNING": 0, "WAITING": 1, "READY": 2, "SUSPENDED": 3}
ON_CELL, QUEUED, IDLE = 0, 1, 2
ERRORS = (
    *("E_OK", "E_OS_ACCESS", "E_OS_CALLEVEL", "E_OS_ID", "E_OS_LIMIT", "E_OS_NOFUNC", "E_OS_RESOURCE", "E_OS_STATE"),
    *("E_OS_VALUE", "E_OS_SERVICEID", "E_OS_ILLEGAL_ADDRESS", "E_OS_MISSINGEND", "E_OS_DISABLEDINT", "E_OS_STACKFAULT"),
    *("E_OS_PARAM_POINTER", "E_OS_PROTECTION_TIME", "E_OS_PROTECTION_ARRIVAL", "E_OS_PROTECTION_LOCKED"),
)
SERVICES = (
    *("none", "ActivateTask", "TerminateTask", "ChainTask", "Schedule", "GetTaskID", "GetTaskState", "GetResource"),
    *("ReleaseResource", "SetEvent", "ClearEvent", "GetEvent", "WaitEvent", "GetAlarmBase", "GetAlarm", "SetRelAlarm"),
    *("SetAbsAlarm", "CancelAlarm", "IncrementCounter", "StartOS", "ShutdownOS"),
    *("StartScheduleTableRel", "StartScheduleTableAbs", "StartScheduleTableSynchron", "StopScheduleTable", "NextScheduleTable"),
    *("SyncScheduleTable", "SetScheduleTableAsync", "GetScheduleTableStatus", "GetCounterValue", "GetElapsedValue"),
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
    if controller is None and not image.osek.allocation.software:
        return None
    return _Writer(image, image.osek.allocation, controller, symbols).text()


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
        self.direct = [level for level in allocation.levels if level.kind is TaskKind.DIRECT]
        self.managed = RUNNING in symbols and JOBS in symbols

    def text(self) -> str:
        """The whole file."""
        kinds = [
            self._os(),
            ("TASK", "Tasks", self._task_attributes(), {t.name: self._task(t) for t in self.osek.tasks}),
            ("STACK", "Stacks", STACK, self._stacks()),
            ("ALARM", "Alarms", ALARM, self._alarms()),
            ("RESOURCE", "Resources", self._resource_attributes(), self._resources()),
            ("vs_COUNTER", "Counters", COUNTER, self._counters()),
        ]
        lines = [text.head(self.image, "ORTI: what a debugger knows of the event-triggered system.")]
        lines += ["VERSION {", '    KOIL = "2.2";', '    OSSEMANTICS = "ORTI", "2.2";', "};", ""]
        lines.append("IMPLEMENTATION Carillon {")
        for kind, title, attributes, objects in kinds:
            if objects:
                used = next(iter(objects.values()))
                lines.append(f"    {kind} {{")
                lines += [f'        {declared} {name}, "{meaning}";' for name, declared, meaning in attributes if name in used]
                lines.append(f'    }}, "{title}";')
        lines += ["};", ""]
        for kind, _, attributes, objects in kinds:
            for name, values in objects.items():
                lines.append(f"{kind} {name} {{")
                lines += [f'    {attribute} = "{values[attribute]}";' for attribute, _, _ in attributes if attribute in values]
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
            if self.managed and level.number < len(self.allocation.levels):
                case = f"({case} && !{self._is_above(level)})"
            cases.append(f"{case} ? {of_direct(level)} : ")
        return "".join(cases) + of_managed

    def _os(self) -> tuple[str, str, list[tuple[str, str, str]], dict[str, dict[str, str]]]:
        tasks = _enumeration("unsigned char", [("NO_TASK", NO_TASK), *self.numbers.items()])
        levels = [("NO_TASK", 0), *((str(level.tasks[0].priority), level.number) for level in self.allocation.levels)]
        isrs = [("NO_ISR", 0), *((isr.name, isr.source) for isr, _ in self.allocation.isrs)]
        modes = list(zip(self.osek.modes, range(len(self.osek.modes)), strict=True))
        services = list(zip(SERVICES, range(len(SERVICES)), strict=True))
        errors = list(zip(ERRORS, range(len(ERRORS)), strict=True))
        attributes = [
            ("RUNNINGTASK", tasks if self.direct else f"TOTRACE {tasks}", "Running task"),
            ("RUNNINGTASKPRIORITY", _enumeration("unsigned char", levels), "Priority of the running task, without ceilings"),
            ("RUNNINGISR2", _enumeration("unsigned short", isrs), "Running ISR"),
            ("CURRENTAPPMODE", _enumeration("unsigned char", modes), "Application mode"),
            ("LASTERROR", _enumeration("unsigned char", errors), "Last error"),
            ("vs_FAILEDSERVICE", _enumeration("unsigned char", services), "Service that called the error hook last"),
        ]
        values = {
            "RUNNINGTASK": self._topmost(
                lambda level: self.numbers[level.tasks[0].name], RUNNING if self.managed else str(NO_TASK)
            ),
            "RUNNINGTASKPRIORITY": self._topmost(
                lambda level: level.number,
                f"{RUNNING} == {NO_TASK} ? 0 : {TASKS}[{RUNNING}].level" if self.managed else "0",
            ),
            "CURRENTAPPMODE": MODE if MODE in self.symbols else "0",
        }
        if self.allocation.isrs and self.controller is not None:
            by_level = sorted(self.allocation.isrs, key=lambda pair: -pair[1])
            values["RUNNINGISR2"] = (
                "".join(f"{self.controller.active(isr.source)} ? {isr.source} : " for isr, _ in by_level) + "0"
            )
        if FAILURE in self.symbols:
            values["LASTERROR"] = f"{FAILURE}.status"
            values["vs_FAILEDSERVICE"] = f"{FAILURE}.service"
        return "OS", "OS", attributes, {_identifier(self.image.system.name): values}

    # Tasks and their stacks.

    def _task_attributes(self) -> list[tuple[str, str, str]]:
        levels = [(str(level.tasks[0].priority), level.number) for level in self.allocation.levels]
        stacks = [("shared", 0), *((t.name, number) for number, t in enumerate(self._extended(), 1))]
        return [
            ("PRIORITY", _enumeration("unsigned char", levels), "Priority"),
            ("STATE", _enumeration("unsigned char", STATES.items()), "State"),
            ("CURRENTACTIVATIONS", 'CTYPE "unsigned char"', "Activations that run or wait"),
            ("STACK", _enumeration("unsigned char", stacks), "Stack"),
        ]

    def _extended(self) -> list[OsekTask]:
        return [t for t in self.osek.tasks if t.extended and f"carillon_stack_{t.name}" in self.symbols]

    def _task(self, task: OsekTask) -> dict[str, str]:
        level = self.allocation.level_of(task)
        extended = [t.name for t in self._extended()]
        values = {
            "PRIORITY": str(level.number),
            "STACK": str(extended.index(task.name) + 1 if task.name in extended else 0),
        }
        above = [other.source for other in self.direct if other.number > level.number]
        covers = [f"({self.controller.any_active(above)}) != 0"] if above and self.controller is not None else []
        if level.kind is TaskKind.DIRECT:
            assert self.controller is not None
            active, pending = self.controller.active(level.source), self.controller.pending(level.source)
            if self.managed and level.number < len(self.allocation.levels):
                covers.append(self._is_above(level))
            running = f"({' || '.join(covers)}) ? {STATES['READY']} : {STATES['RUNNING']}" if covers else "0"
            values["STATE"] = f"{active} ? ({running}) : {pending} ? {STATES['READY']} : {STATES['SUSPENDED']}"
            values["CURRENTACTIVATIONS"] = f"{active} + {pending}"
        elif self.managed:
            number = self.numbers[task.name]
            runs = " && ".join([f"{RUNNING} == {number}", *(f"!({cover})" for cover in covers)])
            ready = str(STATES["READY"])
            if task.extended:
                ready = f"carillon_extended_{task.name}.waited != 0 ? {STATES['WAITING']} : {ready}"
            counted = f"{JOBS}[{number}].activations"
            values["STATE"] = f"({runs}) ? {STATES['RUNNING']} : {counted} == 0 ? {STATES['SUSPENDED']} : {ready}"
            values["CURRENTACTIVATIONS"] = counted
        return values

    def _stacks(self) -> dict[str, dict[str, str]]:
        return {
            f"Stack_{task.name}": {
                "SIZE": f"sizeof(carillon_stack_{task.name})",
                "BASEADDRESS": f"carillon_stack_{task.name}",
                "STACKDIRECTION": "DOWN",
                "FILLPATTERN": f"0x{FILL:X}",
            }
            for task in self._extended()
        }

    # Counters, alarms, resources.

    def _counters(self) -> dict[str, dict[str, str]]:
        ticked = {c.demand.name for c in self.allocation.counters}
        return {
            counter.name: {"VALUE": f"{COUNTERS}[{number}].value"}
            for number, counter in enumerate(self.osek.counters)
            if COUNTERS in self.symbols and (counter.name in ticked or counter.kind is CounterKind.SOFTWARE)
        }

    def _alarms(self) -> dict[str, dict[str, str]]:
        queues, cells = ALARMS in self.symbols, CELLS in self.symbols
        if not queues and not cells:
            return {}
        assert self.allocation.queue is not None
        event = "event.event" if self.allocation.queue.far_alarms else "event"
        tree = self.allocation.clock is not None and self.allocation.clock.services.queue is QueueKind.TREE
        carried = {alarm.name for alarm, _ in self.allocation.alarms}
        objects = {}
        for n, alarm in enumerate(self.osek.alarms):
            queued = f"{ALARMS}[{n}].{event}.{'parent' if tree else 'next'} != 0"
            on_cell = cells and alarm.name in carried
            cell = f"{CELLS}[{n}]" if on_cell else str(IDLE)
            runs = [queued] if queues else []
            runs += [f"{cell} == {ON_CELL}"] if on_cell else []
            cycle = str(alarm.autostart.cycle) if alarm.autostart is not None else "0"
            if queues:
                cycle = f"({cell} == {ON_CELL}) ? {cycle} : {ALARMS}[{n}].cycle" if on_cell else f"{ALARMS}[{n}].cycle"
            objects[alarm.name] = {
                "STATE": f"({' || '.join(runs)}) ? 1 : 0",
                "CYCLETIME": cycle,
                "ACTION": of(alarm.action).phrase,
                "COUNTER": alarm.counter,
                "vs_CARRIER": f"({queued}) ? {QUEUED} : {cell}" if queues else cell,
            }
            if queues and not tree:
                objects[alarm.name]["vs_BEFORE"] = f"{ALARMS}[{n}].{event}.time"
        return objects

    def _resource_attributes(self) -> list[tuple[str, str, str]]:
        levels = [(str(level.tasks[0].priority), level.number) for level in self.allocation.levels]
        levels += [(f"ISR {isr.name}", level) for isr, level in self.allocation.isrs]
        lockers = [("nobody", 0), *((name, number + 1) for name, number in self.numbers.items())]
        lockers += [(f"ISR {isr.name}", isr.source + 257) for isr, _ in self.allocation.isrs]
        return [
            ("PRIORITY", _enumeration("unsigned char", _first_of_each(levels)), "Ceiling"),
            ("STATE", _enumeration("unsigned char", [("UNLOCKED", 0), ("LOCKED", 1)]), "State"),
            ("LOCKER", _enumeration("unsigned short", lockers), "Who has taken it"),
        ]

    def _resources(self) -> dict[str, dict[str, str]]:
        found = {}
        for number, name in enumerate(self.allocation.named_resources):
            found[name] = {"PRIORITY": str(self.allocation.ceilings[name])}
            if HOLDERS in self.symbols:
                found[name] |= {"STATE": f"{HOLDERS}[{number}] != 0", "LOCKER": f"{HOLDERS}[{number}]"}
        return found


STACK = [
    ("SIZE", 'CTYPE "unsigned int"', "Bytes"),
    ("BASEADDRESS", 'CTYPE "unsigned char *"', "Lowest address"),
    ("STACKDIRECTION", "STRING", "Direction"),
    ("FILLPATTERN", 'CTYPE "unsigned int"', "What was never used"),
]
ALARM = [
    ("STATE", 'ENUM "unsigned char" [ "STOPPED" = 0, "RUNNING" = 1 ]', "State"),
    ("CYCLETIME", 'CTYPE "unsigned int"', "Cycle in ticks of its counter, 0: once"),
    ("ACTION", "STRING", "What it does"),
    ("COUNTER", "STRING", "Its counter"),
    ("vs_CARRIER", 'ENUM "unsigned char" [ "cell" = 0, "queue" = 1, "none" = 2, "none any more" = 3 ]', "What carries it"),
    ("vs_BEFORE", 'CTYPE "unsigned int"', "In the queue: ticks before the alarm after it"),
]
COUNTER = [("VALUE", 'CTYPE "unsigned int"', "Value")]


def _first_of_each(items: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """One name for each value."""
    found: dict[int, str] = {}
    for name, value in items:
        found.setdefault(value, name)
    return [(name, value) for value, name in found.items()]


def _enumeration(kind: str, items: Iterable[tuple[str, int]]) -> str:
    listed = ", ".join(f'"{name}" = {value}' for name, value in items)
    return f'ENUM "{kind}" [ {listed} ]'


def _identifier(name: str) -> str:
    return re.sub(r"\W", "_", name)
