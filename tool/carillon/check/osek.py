# SPDX-License-Identifier: Apache-2.0
"""The objects of the event-triggered system (OSEK/VDX OS 2.2.3) go together, and with the rounds.

Their names become macros of one C header: they are C identifiers (C026), none of the operating system's own
(C101), and one name is one object (C102).  An interrupt source has one handler (C049).  Nothing is declared that
nobody uses (C104, a warning), and something can run (C105, a warning).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from carillon.check.common import article
from carillon.check.names import CPP_KEYWORDS, fault
from carillon.diagnostics import Diagnostics, Span
from carillon.model import System
from carillon.model.osek import Osek
from carillon.units import shorten

DEFAULT_MODE = "OSDEFAULTAPPMODE"

# The names that <os.h> defines or will define: the standard's (chapter 13), AUTOSAR's in the kernel, and THREAD.
API_NAMES = frozenset(
    """E_OK StatusType TaskType TaskRefType TaskStateType TaskStateRefType ResourceType EventMaskType EventMaskRefType
    CounterType AlarmType TickType TickRefType AlarmBaseType AlarmBaseRefType AppModeType OSServiceIdType
    maxallowedvalue ticksperbase mincycle
    INVALID_TASK INVALID_RESOURCE INVALID_COUNTER INVALID_ALARM RUNNING WAITING READY SUSPENDED RES_SCHEDULER OSDEFAULTAPPMODE
    TASK THREAD ISR ALARMCALLBACK DeclareTask DeclareISR DeclareResource DeclareEvent DeclareAlarm DeclareCounter
    ActivateTask TerminateTask ChainTask Schedule GetTaskID GetTaskState
    EnableAllInterrupts DisableAllInterrupts ResumeAllInterrupts SuspendAllInterrupts ResumeOSInterrupts SuspendOSInterrupts
    GetResource ReleaseResource SetEvent ClearEvent GetEvent WaitEvent
    GetAlarmBase GetAlarm SetRelAlarm SetAbsAlarm CancelAlarm
    IncrementCounter GetCounterValue GetElapsedValue GetElapsedCounterValue GetISRID INVALID_ISR ISRType
    ScheduleTableType ScheduleTableStatusType ScheduleTableStatusRefType INVALID_SCHEDULETABLE DeclareScheduleTable
    StartScheduleTableRel StartScheduleTableAbs StartScheduleTableSynchron StopScheduleTable NextScheduleTable
    SyncScheduleTable SetScheduleTableAsync GetScheduleTableStatus
    GetActiveApplicationMode StartOS ShutdownOS
    StartupHook ShutdownHook ErrorHook PreTaskHook PostTaskHook ProtectionHook ProtectionReturnType""".split()  # noqa: SIM905
)
API_PREFIXES = (
    "E_OS_",
    "PRO_",
    "SCHEDULETABLE_",
    "OSServiceId_",
    "OSError",
    "OSMAXALLOWEDVALUE",
    "OSTICKSPERBASE",
    "OSMINCYCLE",
    "OSTICKDURATION",
)
# C11 7.19 and 7.20: what the kernel's own headers use, where the application expands their macros.
_C_HEADERS = re.compile(
    r"u?int(_least|_fast)?(8|16|32|64)_t|u?int(max|ptr)_t|U?INT\w*_(MAX|MIN|C)|(size|ptrdiff|wchar|max_align)_t|NULL|offsetof",
    re.ASCII,
)
_PASTED = {"avr-gcc": frozenset({"U"})}
"""What headers that come with a compiler paste to the numbers of their macros, after they have expanded it: UINT64_MAX."""
_FUNCTIONS = frozenset({"task", "thread", "ISR"})
"""Kinds of objects with a function of their name, which is none of C's library; other objects are but macros."""
# The names in <carillon/time.hpp>, if the application uses that header.
CPP_NAMES = frozenset(
    """Alarm Chronometer Clock Date Delay Handler Handler_Event Handler_Function Handler_Semaphore Handler_Task
    Handler_Thread INFINITE Microsecond Mutex Second Semaphore Thread activate alarm carillon chronometer count date
    delay delay_for event exact exactly function handler id infinite join kind lap left length lock microseconds
    microseconds_per_second most mutex now number other p period read reset result resume runs seconds self semaphore set
    start state status stop suspend task ticks timed times unlock uptime v whole within""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Named:
    """An object of the event-triggered system, or (``kind`` with an article) beside it; messages say ``kind``."""

    kind: str
    name: str
    span: Span


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report interrupt sources with two handlers; warn of unused objects, but not after errors."""
    if system.osek is None:
        return
    _check_sources(system, system.osek, diagnostics)
    if any(source.suffix != ".c" for source in system.sources):
        _check_cplusplus(system.osek, diagnostics, time=system.time is not None)
    if not diagnostics.errors:
        _check_unused(system, system.osek, diagnostics)


def reserved(name: str) -> str | None:
    """Whose name ``name`` is, in words, if no macro may have it; else None."""
    if name == "defined":  # C11 6.10.8: no macro
        return "is an operator of C's preprocessor"
    if name == "main":
        return "is the program's entry point"
    if _C_HEADERS.fullmatch(name):
        return "is a name of C's headers"
    return "is a name of the operating system" if name in API_NAMES or name.startswith(API_PREFIXES) else None


def is_pasted(name: str, compiler: str) -> bool:
    """Whether headers of that compiler would not compile if ``name`` were a macro of the application's."""
    return any(name in names for kind, names in _PASTED.items() if kind in compiler.rpartition("/")[2])


def check_names(objects: Iterable[Named], others: Iterable[Named], diagnostics: Diagnostics, compiler: str = "") -> None:
    """Report every name that C would not take (C026), that is taken (C101), or that is used twice (C102).

    Names of OSEKtime are taken in systems with rounds alone.  ``others`` are names beside the system's: of time-triggered
    tasks, and of C functions of the rounds.  ``compiler`` is that of the board, if it is known.

    ``read`` calls this, because the model does not keep the places of application modes.  Leave out what is
    allowed to have the operating system's own name: RES_SCHEDULER and OSDEFAULTAPPMODE themselves.
    """
    seen: dict[str, Named] = {}
    others = list(others)
    rounds = any("time-triggered" in other.kind for other in others)
    for item in objects:
        problem = fault(item.name, function=item.kind in _FUNCTIONS, rounds=rounds)
        owner = reserved(item.name)
        if problem:
            diagnostics.error("C026", item.span, f"the {item.kind} name {shorten(item.name)} {problem[0]}", problem[1])
        elif is_pasted(item.name, compiler):
            cause = f"the {item.kind} name {shorten(item.name)} ends numbers in the headers of {compiler.rpartition('/')[2]}"
            diagnostics.error("C026", item.span, cause, f"it becomes a macro: choose another name, for example '{item.name}1'")
        elif owner:
            diagnostics.error("C101", item.span, f"the {item.kind} name {shorten(item.name)} {owner}", "choose another name")
        first = seen.setdefault(item.name, item)
        if first is not item:
            remedy = "rename one of them: both become macros of one C header"
            _report_twice(item.name, article(item.kind), item.span, article(first.kind), first.span, remedy, diagnostics)
    for other in others:
        if other.name in seen:
            item = seen[other.name]
            remedy = "rename one of them: the one becomes a macro of C and would replace the other"
            _report_twice(other.name, article(item.kind), item.span, other.kind, other.span, remedy, diagnostics)


def _report_twice(
    name: str, item: str, item_span: Span, other: str, other_span: Span, remedy: str, diagnostics: Diagnostics
) -> None:
    """Report at the later of the two places."""
    (first_span, first), (second_span, second) = sorted([(item_span, item), (other_span, other)])
    place = f"line {first_span.line}" if first_span.file == second_span.file else f"{first_span.file}, line {first_span.line}"
    diagnostics.error("C102", second_span, f"{shorten(name)} is {second} and {first} ({place})", remedy)


def _check_cplusplus(osek: Osek, diagnostics: Diagnostics, *, time: bool) -> None:
    """The objects' names become macros: none may be a keyword of C++, or a name of carillon/time.hpp if used (C101)."""
    kinds = (
        ("task", [task for task in osek.tasks if not task.thread]),
        ("thread", [task for task in osek.tasks if task.thread]),
        ("ISR", osek.isrs),
        ("resource", osek.resources),
        ("event", osek.events),
        ("counter", osek.counters),
        ("alarm", osek.alarms),
        ("schedule table", osek.schedule_tables),
    )
    for kind, objects in kinds:
        for item in objects:
            owner = "keyword of C++" if item.name in CPP_KEYWORDS else "name of carillon/time.hpp"
            if item.name in CPP_KEYWORDS or (time and item.name in CPP_NAMES):
                cause = f"the {kind} name {shorten(item.name)} is a {owner}, and the application has C++ sources"
                diagnostics.error("C101", item.span, cause, "choose another name")


def _check_sources(system: System, osek: Osek, diagnostics: Diagnostics) -> None:
    taken = {interrupt.source: f"interrupt {shorten(interrupt.name)}" for interrupt in reversed(system.interrupts)}
    for isr in osek.isrs:
        phrase = f"ISR {shorten(isr.name)}"
        if isr.source in taken:
            cause = f"{taken[isr.source]} and {phrase} have the same source"
            diagnostics.error("C049", isr.span, cause, "a source has one handler: give each a source of its own")
        taken.setdefault(isr.source, phrase)


def _check_unused(system: System, osek: Osek, diagnostics: Diagnostics) -> None:
    owned = {event for task in osek.tasks for event in task.events}
    for event in osek.events:
        if event.name not in owned:
            cause = f"event {shorten(event.name)} belongs to no task"
            diagnostics.warning("C104", event.span, cause, "add it to a task's events, or remove it")
    links = {resource.name: resource.linked for resource in osek.resources}
    used: set[str] = set()
    if not osek.tasks and not osek.isrs and not osek.alarms and not system.bounded:  # schedule tables are for tasks
        cause = "the event-triggered system does nothing: it has no task, no ISR and no alarm"
        diagnostics.warning("C105", osek.span, cause, "declare a task")
    for name in (name for owners in (osek.tasks, osek.isrs) for owner in owners for name in owner.resources):
        behind: str | None = name
        while behind is not None and behind not in used:
            used.add(behind)
            behind = links.get(behind)
    for resource in osek.resources:
        if resource.name not in used:
            cause = f"resource {shorten(resource.name)} is taken by no task and no ISR"
            diagnostics.warning("C104", resource.span, cause, "add it to the resources of those that take it, or remove it")
    for mutex in osek.mutexes:
        users = [task.name for task in osek.tasks if mutex.name in task.mutexes]
        if len(users) == 1:
            cause = f"mutex {shorten(mutex.name)} is locked by thread {shorten(users[0])} alone"
            diagnostics.warning("C104", mutex.span, cause, "add it to the mutexes of the others that lock it, or remove it")
