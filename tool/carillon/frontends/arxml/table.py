# SPDX-License-Identifier: Apache-2.0
"""What of an ``Os`` module is what of a schedule: the one table by which ARXML is read and written.

The names are those of the standard's ``Os`` module (SWS_Os, chapter 10), without ``/AUTOSAR/EcucDefs/Os``; tools prefix them
otherwise.  What only Carillon has, and the standard leaves to the implementation, has a name that begins with ``Carillon``.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from pydantic import BaseModel

from carillon.read import schema_osek as schema
from carillon.read.called import keys


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
_FIRST = ("status", "stack_check", "get_service_id", "parameter_access", "scheduler_resource")
_SYNC = ("sync", "precision")
_ALARM_STARTS = {"ABSOLUTE": {"absolute": True}, "RELATIVE": {}}
_TABLE_STARTS = {"SYNCHRON": {"synchron": True}, **_ALARM_STARTS}


def _refers(name: str, key: str, target: str, *, many: bool = False) -> Parameter:
    return Parameter(name, key, _K.REFERENCE, target=target, many=many)


_KINDS = {
    "integer": _K.INTEGER,
    "flag": _K.FLAG,
    "word": _K.WORD,
    "time": _K.TIME,
    "text": _K.TEXT,
    "reference": _K.REFERENCE,
    "references": _K.REFERENCE,
}
_CONTAINERS = {"event": "OsEvent", "resource": "OsResource", "mode": "OsAppMode", "counter": "OsCounter"}
"""What the objects of a section are here."""


def _parameters(table: type[BaseModel], *names: str, without: Container[str] = ()) -> tuple[Parameter, ...]:
    """The parameters of a table's keys, or of some of them, in their order; a time has the standard's one in seconds first."""
    found = []
    for key in keys(table):
        called = key.called
        if not called.arxml or key.name in without or (names and key.name not in names):
            continue
        if called.seconds[1]:
            found.append(Parameter(called.seconds[1], key.name, _K.SECONDS))
        words, many = key.words if key.kind == "word" else {}, key.kind == "references"
        target = _CONTAINERS.get(called.of, "")
        found.append(
            Parameter(called.arxml, key.name, _KINDS[key.kind], words, target=target, many=many, aliases=called.arxml_aliases)
        )
    return tuple(found)


def _times(table: type[BaseModel]) -> tuple[str, ...]:
    """The keys of timing protection."""
    return tuple(key.name for key in keys(table) if key.called.seconds[1])


def _sets_event(name: str, task: str, event: str, *, many: bool = False) -> Group:
    return Group(name, (_refers(task, "task", "OsTask"), _refers(event, "event", "OsEvent")), key="set_event", many=many)


SYSTEM = Group(
    "OsOS",
    (
        *_parameters(schema.OsekTable, *_FIRST),
        Parameter("OsScalabilityClass", "", _K.HARMLESS, {"SC1": None}),
        Parameter("OsNumberOfCores", "", _K.HARMLESS, {"1": None, "0": None}),
        Parameter(TICK_FREQUENCY, "", _K.HARMLESS),
        *_parameters(schema.OsekTable, without=_FIRST),
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
        _parameters(schema.OsekTaskTable, without=_times(schema.OsekTaskTable)),
        (
            Group(
                "OsTaskAutostart",
                (_refers("OsTaskAppModeRef", "autostart", "OsAppMode", many=True),),
                present={"autostart": True},
            ),
            Group(
                "OsTaskTimingProtection",
                _parameters(schema.OsekTaskTable, *_times(schema.OsekTaskTable)),
                (
                    Group(
                        "OsTaskResourceLock",
                        _parameters(schema.ResourceLockTable),
                        key="resource_lock",
                        many=True,
                    ),
                ),
            ),
        ),
    ),
    "isr": Group(
        "OsIsr",
        _parameters(schema.IsrTable, without=_times(schema.IsrTable)),
        (
            Group(
                "OsIsrTimingProtection",
                _parameters(schema.IsrTable, *_times(schema.IsrTable)),
            ),
        ),
    ),
    "resource": Group("OsResource", _parameters(schema.ResourceTable)),
    "event": Group("OsEvent", (*_parameters(schema.EventTable), Parameter("ArcOsEventAutoMask", "mask", _K.UNSAID))),
    "counter": Group("OsCounter", _parameters(schema.CounterTable)),
    "alarm": Group(
        "OsAlarm",
        _parameters(schema.AlarmTable),
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
                    *_parameters(schema.AutostartTable, without=("modes",)),
                    Parameter("OsAlarmAutostartType", "", _K.CHOICE, _ALARM_STARTS),
                    *_parameters(schema.AutostartTable, "modes"),
                ),
                key="autostart",
            ),
        ),
    ),
    "schedule_table": Group(
        "OsScheduleTable",
        _parameters(schema.ScheduleTableTable, without=_SYNC),
        (
            Group(
                "OsScheduleTableSync",
                _parameters(schema.ScheduleTableTable, *_SYNC),
            ),
            Group(
                "OsScheduleTableAutostart",
                (
                    *_parameters(schema.TableAutostartTable, "at"),
                    Parameter("OsScheduleTableAutostartType", "", _K.CHOICE, _TABLE_STARTS),
                    *_parameters(schema.TableAutostartTable, "modes"),
                ),
                key="autostart",
            ),
            Group(
                "OsScheduleTableExpiryPoint",
                _parameters(schema.TablePointTable, "offset"),
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
                        _parameters(schema.TablePointTable, without=("offset",)),
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
