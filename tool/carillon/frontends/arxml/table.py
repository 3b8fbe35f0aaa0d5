# SPDX-License-Identifier: Apache-2.0
"""What of an ``Os`` module is what of a schedule: the one table by which ARXML is read and written.

The names are those of the standard's ``Os`` module (SWS_Os, chapter 10), without ``/AUTOSAR/EcucDefs/Os``; tools prefix them
otherwise.  What only Carillon has, and the standard leaves to the implementation, has a name that begins with ``Carillon``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Kind(Enum):
    """The form of a parameter's value, and so its conversion."""

    INTEGER = "an integer"
    FLAG = "a truth value"
    MEMBER = "a truth value: whether a word is in a list"
    WORD = "one of several words"
    CHOICE = "one of several words, each of which says some keys"
    TEXT = "a text"
    FUNCTION = "the name of a C function"
    SECONDS = "a length of time in seconds"
    TIME = "a length of time as a schedule writes it, if seconds cannot say it"
    REFERENCE = "a reference to a container"
    UNSAID = "a truth value: whether the tool chooses, and what the key says is nothing"
    HARMLESS = "one of several words, which change nothing; others are not supported"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter or a reference.

    ``key`` is that of the group's table in the schedule, or of its table ``system`` if ``system``.  ``words`` are those of the
    file with what a schedule has for each, the first of a meaning being the one that is written.  A schedule has a value, or of a
    CHOICE keys with theirs.  Of a MEMBER the word is ``member``.  ``target`` is the definition of the containers that a reference
    may name; ``many``: it may stand several times.  ``aliases`` are what tools call it.
    """

    name: str
    key: str
    kind: Kind
    words: Mapping[str, Any] = field(default_factory=dict)
    member: str = ""
    target: str = ""
    many: bool = False
    system: bool = False
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """A container: its parameters and the containers in it.

    ``key`` is that of its own table within the table of the container around it; "" if it has none, but adds to that one.
    ``present`` is what the container says by being there, unless a parameter says more.  ``choice``: it holds one of its groups;
    some tools leave the container out and write that group in its place.  ``many``: it may stand several times, and its tables
    are an array, in the order of the parameter ``order`` if it has one.  Without a key, what it says is added up.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    groups: tuple[Group, ...] = ()
    key: str = ""
    present: Mapping[str, Any] = field(default_factory=dict)
    choice: bool = False
    many: bool = False
    order: str = ""


_K = Kind
TICK_FREQUENCY = "OsTickFrequency"
"""Some tools' parameter of the OS: how often in a second the counters advance that do not say it."""
_NUMBERED_CATEGORIES = {"CATEGORY_2": 2, "CATEGORY_1": 1, "2": 2, "1": 1}
_OLD_START_VALUES = ("OsScheduleTableAbsValue", "OsScheduleTableRelOffset", "ArcCoreOsScheduleTableOffset")
_ALARM_STARTS = {"ABSOLUTE": {"absolute": True}, "RELATIVE": {}}
_TABLE_STARTS = {"SYNCHRON": {"synchron": True}, **_ALARM_STARTS}


def _refers(name: str, key: str, target: str, *, many: bool = False) -> Parameter:
    return Parameter(name, key, _K.REFERENCE, target=target, many=many)


def _lasts(seconds: str, own: str, key: str) -> tuple[Parameter, Parameter]:
    """A time in the standard's seconds, and as a schedule writes it."""
    return Parameter(seconds, key, _K.SECONDS), Parameter(own, key, _K.TIME)


_DECLARED = (
    Parameter("CarillonWcet", "wcet", _K.TIME),
    Parameter("CarillonDeadline", "deadline", _K.TIME),
    Parameter("CarillonMinInterval", "min_interval", _K.TIME),
    Parameter("CarillonJitter", "jitter", _K.TIME),
)
"""Of a task or an ISR, for the analysis of response times."""


def _sets_event(name: str, task: str, event: str, *, many: bool = False) -> Group:
    return Group(name, (_refers(task, "task", "OsTask"), _refers(event, "event", "OsEvent")), key="set_event", many=many)


SYSTEM = Group(
    "OsOS",
    (
        Parameter("OsStatus", "status", _K.WORD, {"STANDARD": "standard", "EXTENDED": "extended"}),
        Parameter("OsScalabilityClass", "", _K.HARMLESS, {"SC1": None}),
        Parameter("OsNumberOfCores", "", _K.HARMLESS, {"1": None, "0": None}),
        Parameter("OsStackMonitoring", "stack_check", _K.FLAG),
        Parameter("OsUseGetServiceId", "get_service_id", _K.FLAG),
        Parameter("OsUseParameterAccess", "parameter_access", _K.FLAG),
        Parameter("OsUseResScheduler", "scheduler_resource", _K.FLAG),
        Parameter(TICK_FREQUENCY, "", _K.HARMLESS),
        Parameter("CarillonBudgets", "budgets", _K.WORD, {"CELL": "cell", "CLOCK": "clock"}),
        Parameter("CarillonHookWcet", "hook_wcet", _K.TIME),
        Parameter("CarillonDispatch", "dispatch", _K.WORD, {"HARDWARE": "hardware", "SOFTWARE": "software"}),
        Parameter("CarillonName", "name", _K.TEXT, system=True),
        Parameter("CarillonBoard", "board", _K.TEXT, system=True),
        Parameter("CarillonSource", "sources", _K.TEXT, many=True, system=True),
        Parameter("CarillonInclude", "include", _K.TEXT, many=True, system=True),
        Parameter("CarillonDefine", "defines", _K.TEXT, many=True, system=True),
    ),
    (
        Group(
            "OsHooks",
            (
                Parameter("OsErrorHook", "hooks", _K.MEMBER, member="error"),
                Parameter("OsPostTaskHook", "hooks", _K.MEMBER, member="posttask"),
                Parameter("OsPreTaskHook", "hooks", _K.MEMBER, member="pretask"),
                Parameter("OsProtectionHook", "hooks", _K.MEMBER, member="protection"),
                Parameter("OsShutdownHook", "hooks", _K.MEMBER, member="shutdown"),
                Parameter("OsStartupHook", "hooks", _K.MEMBER, member="startup"),
            ),
        ),
    ),
)
MODE = Group("OsAppMode")
SECTIONS: dict[str, Group] = {
    "task": Group(
        "OsTask",
        (
            Parameter("OsTaskPriority", "priority", _K.INTEGER),
            Parameter("OsTaskSchedule", "schedule", _K.WORD, {"FULL": "full", "NON": "non"}),
            Parameter("OsTaskActivation", "activations", _K.INTEGER),
            _refers("OsTaskEventRef", "events", "OsEvent", many=True),
            _refers("OsTaskResourceRef", "resources", "OsResource", many=True),
            Parameter(
                "CarillonStackSize",
                "stack",
                _K.INTEGER,
                aliases=("OsTaskStackSize", "ArcCoreOsTaskStackSize", "OsStacksize", "OsStackSize"),
            ),
            Parameter("CarillonOverrun", "overrun", _K.WORD, {"GUARDED": "guarded", "NEVER": "never"}),
            *_DECLARED,
        ),
        (
            Group(
                "OsTaskAutostart",
                (_refers("OsTaskAppModeRef", "autostart", "OsAppMode", many=True),),
                present={"autostart": True},
            ),
            Group(
                "OsTaskTimingProtection",
                (
                    *_lasts("OsTaskExecutionBudget", "CarillonExecutionBudget", "budget"),
                    *_lasts("OsTaskTimeFrame", "CarillonTimeFrame", "time_frame"),
                    *_lasts("OsTaskAllInterruptLockBudget", "CarillonAllInterruptLockBudget", "all_interrupts_lock"),
                    *_lasts("OsTaskOsInterruptLockBudget", "CarillonOsInterruptLockBudget", "os_interrupts_lock"),
                ),
                (
                    Group(
                        "OsTaskResourceLock",
                        (
                            _refers("OsTaskResourceLockResourceRef", "resource", "OsResource"),
                            *_lasts("OsTaskResourceLockBudget", "CarillonResourceLockBudget", "budget"),
                        ),
                        key="resource_lock",
                        many=True,
                    ),
                ),
            ),
        ),
    ),
    "isr": Group(
        "OsIsr",
        (
            Parameter("CarillonInterruptSource", "source", _K.TEXT, aliases=("OsIsrInterruptSource",)),
            Parameter("OsIsrCategory", "category", _K.WORD, _NUMBERED_CATEGORIES),
            Parameter("CarillonInterruptPriority", "priority", _K.INTEGER, aliases=("OsIsrInterruptPriority", "OsIsrPriority")),
            _refers("OsIsrResourceRef", "resources", "OsResource", many=True),
            *_DECLARED,
        ),
        (
            Group(
                "OsIsrTimingProtection",
                (
                    *_lasts("OsIsrExecutionBudget", "CarillonExecutionBudget", "budget"),
                    *_lasts("OsIsrTimeFrame", "CarillonTimeFrame", "time_frame"),
                ),
            ),
        ),
    ),
    "resource": Group(
        "OsResource",
        (
            Parameter(
                "OsResourceProperty",
                "property",
                _K.WORD,
                {"STANDARD": "standard", "INTERNAL": "internal", "LINKED": "linked"},
            ),
            _refers("OsResourceLinkedResourceRef", "linked", "OsResource"),
        ),
    ),
    "event": Group(
        "OsEvent",
        (Parameter("OsEventMask", "mask", _K.INTEGER), Parameter("ArcOsEventAutoMask", "mask", _K.UNSAID)),
    ),
    "counter": Group(
        "OsCounter",
        (
            Parameter("OsCounterType", "kind", _K.WORD, {"HARDWARE": "hardware", "SOFTWARE": "software", "OS_TICK": "hardware"}),
            *_lasts("OsSecondsPerTick", "CarillonTick", "tick"),
            Parameter("OsCounterMaxAllowedValue", "max_allowed", _K.INTEGER),
            Parameter("OsCounterTicksPerBase", "ticks_per_base", _K.INTEGER),
            Parameter("OsCounterMinCycle", "min_cycle", _K.INTEGER),
            Parameter("CarillonReadable", "readable", _K.FLAG),
        ),
    ),
    "alarm": Group(
        "OsAlarm",
        (
            _refers("OsAlarmCounterRef", "counter", "OsCounter"),
            Parameter("CarillonStatic", "static", _K.FLAG),
        ),
        (
            Group(
                "OsAlarmAction",
                groups=(
                    Group("OsAlarmActivateTask", (_refers("OsAlarmActivateTaskRef", "activate", "OsTask"),)),
                    _sets_event("OsAlarmSetEvent", "OsAlarmSetEventTaskRef", "OsAlarmSetEventRef"),
                    Group("OsAlarmCallback", (Parameter("OsAlarmCallbackName", "callback", _K.FUNCTION),)),
                    Group("OsAlarmIncrementCounter", (_refers("OsAlarmIncrementCounterRef", "increment", "OsCounter"),)),
                ),
                choice=True,
            ),
            Group(
                "OsAlarmAutostart",
                (
                    Parameter("OsAlarmAlarmTime", "at", _K.INTEGER),
                    Parameter("OsAlarmCycleTime", "cycle", _K.INTEGER),
                    Parameter("OsAlarmAutostartType", "", _K.CHOICE, _ALARM_STARTS),
                    _refers("OsAlarmAppModeRef", "modes", "OsAppMode", many=True),
                ),
                key="autostart",
            ),
        ),
    ),
    "schedule_table": Group(
        "OsScheduleTable",
        (
            _refers("OsScheduleTableCounterRef", "counter", "OsCounter"),
            Parameter("OsScheduleTableDuration", "duration", _K.INTEGER),
            Parameter("OsScheduleTableRepeating", "repeating", _K.FLAG),
            Parameter("CarillonCells", "cells", _K.FLAG),
            Parameter("CarillonFollowed", "followed", _K.FLAG),
        ),
        (
            Group(
                "OsScheduleTableSync",
                (
                    Parameter(
                        "OsScheduleTblSyncStrategy",
                        "sync",
                        _K.WORD,
                        {"NONE": "none", "IMPLICIT": "implicit", "EXPLICIT": "explicit"},
                    ),
                    Parameter("OsScheduleTblExplicitPrecision", "precision", _K.INTEGER),
                ),
            ),
            Group(
                "OsScheduleTableAutostart",
                (
                    Parameter("OsScheduleTableStartValue", "at", _K.INTEGER, aliases=_OLD_START_VALUES),
                    Parameter("OsScheduleTableAutostartType", "", _K.CHOICE, _TABLE_STARTS),
                    _refers("OsScheduleTableAppModeRef", "modes", "OsAppMode", many=True),
                ),
                key="autostart",
            ),
            Group(
                "OsScheduleTableExpiryPoint",
                (Parameter("OsScheduleTblExpPointOffset", "offset", _K.INTEGER),),
                (
                    Group(
                        "OsScheduleTableTaskActivation",
                        (_refers("OsScheduleTableActivateTaskRef", "activate", "OsTask", many=True),),
                        many=True,
                    ),
                    _sets_event(
                        "OsScheduleTableEventSetting", "OsScheduleTableSetEventTaskRef", "OsScheduleTableSetEventRef", many=True
                    ),
                    Group(
                        "OsScheduleTblAdjustableExpPoint",
                        (
                            Parameter("OsScheduleTableMaxLengthen", "max_lengthen", _K.INTEGER),
                            Parameter("OsScheduleTableMaxShorten", "max_shorten", _K.INTEGER),
                        ),
                    ),
                ),
                key="point",
                many=True,
                order="OsScheduleTblExpPointOffset",
            ),
        ),
    ),
}
"""Sections of a schedule's ``[osek]`` with the containers that are their objects."""

UNSUPPORTED = {
    "OsApplication": "every object may use every other: nothing protects one application from another",
    "OsIoc": "exchange data by shared variables and resources",
    "OsIsrAllInterruptLockBudget": "nothing bounds how long the ISR disables interrupts: bound it by design",
    "OsIsrOsInterruptLockBudget": "nothing bounds how long the ISR disables interrupts: bound it by design",
    "OsIsrResourceLock": "nothing bounds how long the ISR holds a resource: bound it by design",
    "OsPeripheralArea": "access the registers directly",
    "OsSpinlock": "use a resource: there is one core",
    "OsTimeConstant": "define the constant in C",
}
"""Containers and parameters of the standard that Carillon reads over, each with what to do instead."""

WITHOUT_EFFECT = ("AccessingApplication", "OsDriver", "OsTaskPeriod", "OsIsrPeriod", "OsMemoryMappingCodeLocationRef")
"""How the names of the standard's parameters and containers end that change nothing here: Carillon takes a timer itself."""
