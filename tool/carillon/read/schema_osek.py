# SPDX-License-Identifier: Apache-2.0
"""The shape of a schedule's event-triggered system (SPEC, section 'Schedule file'), and what OIL and ARXML call its keys."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from carillon.read.called import Called
from carillon.read.one_or_more import OneOrMore
from carillon.read.values import AnyTime, Identifier, Name, Table

STACK_SIZES = ("OsTaskStackSize", "ArcCoreOsTaskStackSize", "OsStacksize", "OsStackSize")
PROPERTIES = {"STANDARD": "standard", "INTERNAL": "internal", "LINKED": "linked"}
COUNTERS = {"HARDWARE": "hardware", "SOFTWARE": "software", "OS_TICK": "hardware"}
STARTS = ("ABSVALUE", "RELOFFSET", "OFFSET", "START")
ARXML_STARTS = ("OsScheduleTableAbsValue", "OsScheduleTableRelOffset", "ArcCoreOsScheduleTableOffset")
"""What tools of OIL and ARXML write in place of the standard's words."""


class DeclaredTable(Table):
    """What the analysis of response times is told, and nothing is generated from."""

    wcet: Annotated[AnyTime | None, Called("CARILLON_WCET", "CarillonWcet")] = Field(
        None, description="The longest execution of a job, for the analysis of response times."
    )
    deadline: Annotated[AnyTime | None, Called("CARILLON_DEADLINE", "CarillonDeadline")] = Field(
        None, description="How long after its activation it is to have ended."
    )
    min_interval: Annotated[AnyTime | None, Called("CARILLON_MIN_INTERVAL", "CarillonMinInterval")] = Field(
        None, description="How far apart its activations are at least, whoever makes them."
    )
    jitter: Annotated[AnyTime | None, Called("CARILLON_JITTER", "CarillonJitter")] = Field(
        None, description="By how much an activation may be late, beside its min_interval."
    )


class ResourceLockTable(Table):
    """How long a task may hold a resource."""

    model_config = ConfigDict(json_schema_extra={"required": ["resource", "budget"]})

    resource: Annotated[Identifier | None, Called(arxml="OsTaskResourceLockResourceRef", of="resource")] = Field(
        None, description="One of the task's resources."
    )
    budget: Annotated[
        AnyTime | None,
        Called("CARILLON_RESOURCE_LOCK", "CarillonResourceLockBudget", seconds=("RESOURCELOCKTIME", "OsTaskResourceLockBudget")),
    ] = Field(None, description="How long: ProtectionHook is called when it is used up.")


class OsekTaskTable(DeclaredTable):
    """An event-triggered task, defined in C by TASK(name)."""

    model_config = ConfigDict(json_schema_extra={"required": ["priority"]})

    priority: Annotated[int | None, Called("PRIORITY", "OsTaskPriority")] = Field(
        None, ge=0, le=65_535, description="The higher the more urgent."
    )
    schedule: Annotated[Literal["full", "non"], Called("SCHEDULE", "OsTaskSchedule", also_oil={"NONE": "non"})] = Field(
        "full", description="Whether other tasks may preempt it anywhere."
    )
    activations: Annotated[int, Called("ACTIVATION", "OsTaskActivation")] = Field(
        1, ge=1, le=255, description="Activations that may wait or run at the same time."
    )
    autostart: bool | list[Identifier] = Field(False, description="Activated by StartOS; in every application mode, or in these.")
    events: Annotated[list[Identifier], Called("EVENT", "OsTaskEventRef", of="event")] = Field(
        default_factory=list, description="Events that it owns; they make it an extended task."
    )
    resources: Annotated[list[Identifier], Called("RESOURCE", "OsTaskResourceRef", of="resource")] = Field(
        default_factory=list, description="Resources that it takes."
    )
    stack: Annotated[int | None, Called(arxml="CarillonStackSize", arxml_aliases=STACK_SIZES)] = Field(
        None, ge=128, le=1_048_576, description="Bytes of an extended task's stack."
    )
    budget: Annotated[
        AnyTime | None, Called("CARILLON_BUDGET", "CarillonExecutionBudget", seconds=("EXECUTIONBUDGET", "OsTaskExecutionBudget"))
    ] = Field(None, description="Execution budget of a job: ProtectionHook is called when it is used up.")
    time_frame: Annotated[
        AnyTime | None, Called("CARILLON_TIME_FRAME", "CarillonTimeFrame", seconds=("TIMEFRAME", "OsTaskTimeFrame"))
    ] = Field(None, description="Least time between activations; ProtectionHook hears of early ones.")
    overrun: Annotated[Literal["guarded", "never"], Called("CARILLON_OVERRUN", "CarillonOverrun")] = Field(
        "guarded", description="If its cell expires while it runs: nothing; or its author vouches that this never happens."
    )
    resource_lock: list[ResourceLockTable] = Field(default_factory=list, description="How long it may hold a resource.")
    all_interrupts_lock: Annotated[
        AnyTime | None,
        Called(
            "CARILLON_ALL_INTERRUPTS_LOCK",
            "CarillonAllInterruptLockBudget",
            seconds=("MAXALLINTERRUPTLOCKTIME", "OsTaskAllInterruptLockBudget"),
        ),
    ] = Field(None, description="How long it may disable all interrupts.")
    os_interrupts_lock: Annotated[
        AnyTime | None,
        Called(
            "CARILLON_OS_INTERRUPTS_LOCK",
            "CarillonOsInterruptLockBudget",
            seconds=("MAXOSINTERRUPTLOCKTIME", "OsTaskOsInterruptLockBudget"),
        ),
    ] = Field(None, description="How long it may suspend interrupts of category 2.")


class IsrTable(DeclaredTable):
    """An interrupt service routine, defined in C by ISR(name)."""

    model_config = ConfigDict(json_schema_extra={"required": ["source"]})

    source: Annotated[Name | None, Called(arxml="CarillonInterruptSource", arxml_aliases=("OsIsrInterruptSource",))] = Field(
        None, description="One of the board's application sources, by name."
    )
    category: Annotated[
        Literal[1, 2], Called(arxml="OsIsrCategory", words={"CATEGORY_2": 2, "CATEGORY_1": 1, "2": 2, "1": 1})
    ] = Field(2, description="Category 2 may call services; category 1 is above it.")
    priority: Annotated[
        int, Called(arxml="CarillonInterruptPriority", arxml_aliases=("OsIsrInterruptPriority", "OsIsrPriority"))
    ] = Field(1, ge=0, le=65_535, description="Among the ISRs of its category, the higher the more urgent.")
    resources: Annotated[list[Identifier], Called("RESOURCE", "OsIsrResourceRef", of="resource")] = Field(
        default_factory=list, description="Resources that it takes."
    )
    time_frame: Annotated[
        AnyTime | None, Called("CARILLON_TIME_FRAME", "CarillonTimeFrame", seconds=("TIMEFRAME", "OsIsrTimeFrame"))
    ] = Field(None, description="Least time between runs; ProtectionHook hears of early requests.")
    budget: Annotated[
        AnyTime | None, Called("CARILLON_BUDGET", "CarillonExecutionBudget", seconds=("EXECUTIONTIME", "OsIsrExecutionBudget"))
    ] = Field(None, description="How long a run may take: ProtectionHook is called when it is used up.")


class ResourceTable(Table):
    """A resource (priority ceiling protocol)."""

    property: Annotated[Literal["standard", "internal", "linked"], Called(arxml="OsResourceProperty", words=PROPERTIES)] = Field(
        "standard", description="Its kind."
    )
    linked: Annotated[Identifier | None, Called(arxml="OsResourceLinkedResourceRef", of="resource")] = Field(
        None, description="The resource behind a linked one."
    )


class EventTable(Table):
    """An event."""

    mask: Annotated[int | None, Called("MASK", "OsEventMask")] = Field(
        None, ge=1, le=0xFFFF_FFFF, description="Its bits; the tool chooses one if absent."
    )


class CounterTable(Table):
    """A counter."""

    kind: Annotated[Literal["hardware", "software"], Called(arxml="OsCounterType", words=COUNTERS)] = Field(
        "hardware", description="Driven by a timer cell, or by IncrementCounter."
    )
    tick: Annotated[AnyTime | None, Called("CARILLON_TICK", "CarillonTick", seconds=("SECONDSPERTICK", "OsSecondsPerTick"))] = (
        Field(None, description="Length of a tick of a hardware counter.")
    )
    max_allowed: Annotated[int, Called("MAXALLOWEDVALUE", "OsCounterMaxAllowedValue")] = Field(
        0x7FFF_FFFF, ge=1, le=0xFFFF_FFFF, description="MAXALLOWEDVALUE: 0 follows it."
    )
    ticks_per_base: Annotated[int, Called("TICKSPERBASE", "OsCounterTicksPerBase")] = Field(
        1, ge=1, le=0xFFFF_FFFF, description="TICKSPERBASE."
    )
    min_cycle: Annotated[int, Called("MINCYCLE", "OsCounterMinCycle")] = Field(
        1, ge=1, le=0xFFFF_FFFF, description="MINCYCLE: shortest cycle of an alarm, in ticks."
    )
    readable: Annotated[bool, Called("CARILLON_READABLE", "CarillonReadable")] = Field(
        False, description="The application asks for its value: it ticks although nothing else needs that."
    )


class SetEventTable(Table):
    """An alarm's event."""

    task: Identifier | None = Field(None, description="The extended task.")
    event: Identifier | None = Field(None, description="One of its events.")


class AutostartTable(Table):
    """What StartOS sets an alarm to."""

    at: Annotated[int, Called("ALARMTIME", "OsAlarmAlarmTime")] = Field(
        1, ge=0, le=0xFFFF_FFFF, description="First expiry, in ticks of the counter."
    )
    cycle: Annotated[int, Called("CYCLETIME", "OsAlarmCycleTime")] = Field(
        0, ge=0, le=0xFFFF_FFFF, description="Ticks between expiries; 0: once."
    )
    absolute: bool = Field(False, description="Whether 'at' is a value of the counter instead of a distance.")
    modes: Annotated[list[Identifier] | None, Called("APPMODE", "OsAlarmAppModeRef", of="mode")] = Field(
        None, description="Application modes; every one if absent."
    )


class AlarmTable(Table):
    """An alarm; its actions are done in the order of their keys here."""

    model_config = ConfigDict(json_schema_extra={"required": ["counter"]})

    counter: Annotated[Identifier | None, Called(arxml="OsAlarmCounterRef", of="counter")] = Field(
        None, description="Its counter."
    )
    activate: OneOrMore[Identifier] | None = Field(None, description="Action: the task to activate, or tasks.")
    set_event: OneOrMore[SetEventTable] | None = Field(None, description="Action: the event to set, or events.")
    callback: OneOrMore[Identifier] | None = Field(None, description="Action: the function, ALARMCALLBACK(name), or functions.")
    increment: Identifier | None = Field(None, description="Action: the software counter to advance.")
    autostart: AutostartTable | None = Field(None, description="Set by StartOS.")
    static: Annotated[bool, Called("CARILLON_STATIC", "CarillonStatic")] = Field(
        False, description="It is never cancelled nor set anew: a cell alone may carry it."
    )


class TablePointTable(Table):
    """An expiry point of a schedule table."""

    model_config = ConfigDict(json_schema_extra={"required": ["offset"]})

    offset: Annotated[int | None, Called("OFFSET", "OsScheduleTblExpPointOffset")] = Field(
        None, ge=0, le=0xFFFF_FFFF, description="Ticks of the counter after the table's begin."
    )
    activate: list[Identifier] = Field(default_factory=list, description="Tasks to activate, before events are set.")
    set_event: list[SetEventTable] = Field(default_factory=list, description="Events to set.")
    max_lengthen: Annotated[int, Called("MAX_LENGTHEN", "OsScheduleTableMaxLengthen", oil_aliases=("MAX_ADVANCE",))] = Field(
        0, ge=0, le=0xFFFF_FFFF, description="How much longer the delay to it may be made, in ticks."
    )
    max_shorten: Annotated[int, Called("MAX_SHORTEN", "OsScheduleTableMaxShorten", oil_aliases=("MAX_RETARD",))] = Field(
        0, ge=0, le=0xFFFF_FFFF, description="How much shorter the delay to it may be made, in ticks."
    )


class TableAutostartTable(Table):
    """How StartOS starts a schedule table."""

    at: Annotated[
        int | None, Called("START_VALUE", "OsScheduleTableStartValue", oil_aliases=STARTS, arxml_aliases=ARXML_STARTS)
    ] = Field(None, ge=0, le=0xFFFF_FFFF, description="When the table begins, in ticks of the counter.")
    absolute: bool = Field(False, description="Whether 'at' is a value of the counter instead of a distance.")
    synchron: bool = Field(False, description="It waits until the application says what the global time is.")
    modes: Annotated[list[Identifier] | None, Called(arxml="OsScheduleTableAppModeRef", of="mode")] = Field(
        None, description="Application modes; every one if absent."
    )


class ScheduleTableTable(Table):
    """A schedule table (AUTOSAR OS)."""

    model_config = ConfigDict(json_schema_extra={"required": ["counter", "duration", "point"]})

    counter: Annotated[Identifier | None, Called("COUNTER", "OsScheduleTableCounterRef", of="counter")] = Field(
        None, description="Its counter."
    )
    duration: Annotated[int | None, Called("DURATION", "OsScheduleTableDuration", oil_aliases=("LENGTH",))] = Field(
        None, ge=1, le=0x1_0000_0000, description="Ticks of the counter from its begin to its end."
    )
    repeating: Annotated[bool, Called("REPEATING", "OsScheduleTableRepeating")] = Field(
        False, description="Whether it begins again at its end."
    )
    sync: Annotated[Literal["none", "implicit", "explicit"], Called(arxml="OsScheduleTblSyncStrategy")] = Field(
        "none", description="What keeps it with a global time."
    )
    precision: Annotated[int, Called("EXPLICIT_PRECISION", "OsScheduleTblExplicitPrecision", oil_aliases=("PRECISION",))] = Field(
        0, ge=0, le=0xFFFF_FFFF, description="Of sync = explicit: the deviation in ticks that is none."
    )
    autostart: TableAutostartTable | None = Field(None, description="Started by StartOS.")
    cells: Annotated[bool, Called("CARILLON_CELLS", "CarillonCells")] = Field(
        False, description="Whether cells carry its points."
    )
    followed: Annotated[bool, Called("CARILLON_FOLLOWED", "CarillonFollowed")] = Field(
        False, description="Of cells, if it repeats: NextScheduleTable may let another table follow it."
    )
    point: list[TablePointTable] = Field(default_factory=list, description="Its expiry points, in order of time.")


class OsekTable(Table):
    """The event-triggered system (OSEK/VDX OS 2.2.3); it runs alone, or in the idle time of the rounds."""

    status: Annotated[Literal["standard", "extended"], Called("STATUS", "OsStatus")] = Field(
        "standard", description="How much the services check."
    )
    dispatch: Annotated[Literal["hardware", "software"], Called("CARILLON_DISPATCH", "CarillonDispatch")] = Field(
        "hardware", description="Whether the interrupt controller orders the tasks, or a software one."
    )
    hooks: list[Literal["startup", "shutdown", "error", "pretask", "posttask", "protection"]] = Field(
        default_factory=list, description="Hook routines that the application defines."
    )
    hook_wcet: Annotated[AnyTime | None, Called("CARILLON_HOOK_WCET", "CarillonHookWcet")] = Field(
        None, description="For how long a call of an error, task or protection hook takes at most; for carillon analyse alone."
    )
    get_service_id: Annotated[bool, Called("USEGETSERVICEID", "OsUseGetServiceId")] = Field(
        False, description="OSErrorGetServiceId works in the error hook."
    )
    parameter_access: Annotated[bool, Called("USEPARAMETERACCESS", "OsUseParameterAccess")] = Field(
        False, description="The OSError_... macros work in the error hook."
    )
    scheduler_resource: Annotated[bool, Called("USERESSCHEDULER", "OsUseResScheduler")] = Field(
        True, description="RES_SCHEDULER exists."
    )
    stack_check: Annotated[bool, Called("STACKMONITORING", "OsStackMonitoring")] = Field(
        False, description="Stacks of extended tasks are checked at each switch."
    )
    budgets: Annotated[Literal["cell", "clock"] | None, Called("CARILLON_BUDGETS", "CarillonBudgets")] = Field(
        None, description="What keeps budgets; if absent, a cell where one can."
    )
    modes: list[Identifier] | None = Field(
        None, description='Application modes; the first is what the default main starts; ["OSDEFAULTAPPMODE"] if absent.'
    )
    task: dict[str, OsekTaskTable] = Field(default_factory=dict, description="The event-triggered tasks, by name.")
    isr: dict[str, IsrTable] = Field(default_factory=dict, description="Interrupt service routines, by name.")
    resource: dict[str, ResourceTable] = Field(default_factory=dict, description="Resources, by name.")
    event: dict[str, EventTable] = Field(default_factory=dict, description="Events, by name.")
    counter: dict[str, CounterTable] = Field(default_factory=dict, description="Counters, by name.")
    alarm: dict[str, AlarmTable] = Field(default_factory=dict, description="Alarms, by name.")
    schedule_table: dict[str, ScheduleTableTable] = Field(default_factory=dict, description="Schedule tables, by name.")
