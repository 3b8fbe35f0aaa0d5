# SPDX-License-Identifier: Apache-2.0
"""The switches of ``carillon_osek.h``, which an image with an event-triggered system has."""

from __future__ import annotations

from carillon.image import OneOf, Unsigned
from carillon.image.registry.switch import Kind, Switch
from carillon.model.osek import Hook

_HOOKS = {
    Hook.STARTUP: "StartupHook",
    Hook.SHUTDOWN: "ShutdownHook",
    Hook.ERROR: "ErrorHook",
    Hook.PRETASK: "PreTaskHook",
    Hook.POSTTASK: "PostTaskHook",
}

OSEK: dict[str, tuple[Switch, ...]] = {
    "Tasks, ISRs and levels": (
        Switch(
            "CARILLON_OSEK_TASKS",
            Kind.NUMBER,
            None,
            "`[osek.task.NAME]`, `[thread.NAME]`",
            "How many tasks there are, threads included.",
        ),
        Switch(
            "CARILLON_OSEK_TASK_LEVELS", Kind.NUMBER, None, "`priority` of `[osek.task.NAME]`", "How many levels the tasks have."
        ),
        Switch("CARILLON_OSEK_ISRS", Kind.NUMBER, None, "`[osek.isr.NAME]`", "How many ISRs there are."),
        Switch("CARILLON_OSEK_MODES", Kind.NUMBER, None, "`modes` of `[osek]`", "How many application modes there are."),
        Switch(
            "CARILLON_OSEK_DEFAULT_MODE",
            Kind.EXPRESSION,
            None,
            "`modes` of `[osek]`",
            "The application mode with which the default `main` calls `StartOS`.",
        ),
        Switch(
            "CARILLON_OSEK_RESOURCES",
            Kind.NUMBER,
            None,
            "`[osek.resource.NAME]`",
            "How many resources the services know; internal resources are not among them.",
        ),
        Switch("CARILLON_OSEK_MUTEXES", Kind.NUMBER, None, "`mutexes` of `[thread.NAME]`", "How many mutexes there are."),
        Switch("CARILLON_OSEK_SERVERS", Kind.NUMBER, None, "`[server.NAME]`", "How many servers bound threads."),
        Switch(
            "CARILLON_OSEK_FIRST_SERVED",
            Kind.NUMBER,
            Unsigned(255),
            "`[server.NAME]`",
            "The lowest level whose threads have a server.",
        ),
        Switch(
            "CARILLON_OSEK_IS_SERVED(level)",
            Kind.EXPRESSION,
            OneOf(()),
            "`[server.NAME]`",
            "Whether the threads of this level have a server.",
        ),
        Switch(
            "CARILLON_SERVERS_CONSTANT", Kind.YES_OR_NO, None, "`kind` of `[server.NAME]`", "A server is of constant bandwidth."
        ),
    ),
    "Counters, alarms and schedule tables": (
        Switch("CARILLON_OSEK_COUNTERS", Kind.NUMBER, None, "`[osek.counter.NAME]`", "How many counters there are."),
        Switch(
            "CARILLON_OSEK_PARTS",
            Kind.NUMBER,
            None,
            "`[osek.counter.NAME]`",
            "How many queues the counters have; a counter has several if what they start has several levels.",
        ),
        Switch(
            "CARILLON_OSEK_IS_HARDWARE(counter)",
            Kind.EXPRESSION,
            None,
            "`kind` of `[osek.counter.NAME]`",
            "Whether a timer advances this counter.",
        ),
        Switch("CARILLON_OSEK_ALARMS", Kind.NUMBER, None, "`[osek.alarm.NAME]`", "How many alarms there are."),
        Switch(
            "CARILLON_OSEK_SCHEDULE_TABLES",
            Kind.NUMBER,
            None,
            "`[osek.schedule_table.NAME]`",
            "How many schedule tables there are.",
        ),
        Switch(
            "CARILLON_OSEK_CURSORS",
            Kind.NUMBER,
            None,
            "`[osek.schedule_table.NAME]`",
            "How many cursors of schedule tables may stand in queues.",
        ),
        Switch(
            "CARILLON_OSEK_LONE_CURSORS",
            Kind.NUMBER,
            None,
            "`[osek.schedule_table.NAME]`",
            "In how many queues nothing but one cursor can wait.",
        ),
        Switch(
            "CARILLON_OSEK_TABLE_CELLS",
            Kind.NUMBER,
            None,
            "`cells` of `[osek.schedule_table.NAME]`",
            "How many cells carry schedule tables.",
        ),
        Switch(
            "CARILLON_OSEK_TABLE_ENDS",
            Kind.YES_OR_NO,
            None,
            "`cells` of `[osek.schedule_table.NAME]`",
            "A table on cells has a cell that expires at its end.",
        ),
        Switch(
            "CARILLON_OSEK_TABLE_ADJUSTS",
            Kind.YES_OR_NO,
            None,
            "`cells`, `sync` of `[osek.schedule_table.NAME]`",
            "A table on cells is adjusted to a global time.",
        ),
        Switch(
            "CARILLON_OSEK_TABLES_RESTART",
            Kind.YES_OR_NO,
            None,
            "`cells` of `[osek.schedule_table.NAME]`",
            "Cells of tables that are started again need no stores before.",
        ),
        Switch(
            "CARILLON_OSEK_TABLES_SET",
            Kind.YES_OR_NO,
            None,
            "`cells` of `[osek.schedule_table.NAME]`",
            "The cells of tables are set one by one while they stand still.",
        ),
        Switch(
            "CARILLON_OSEK_ADJUSTS",
            Kind.YES_OR_NO,
            None,
            "`sync` of `[osek.schedule_table.NAME]`",
            "A table in a queue is adjusted to a global time.",
        ),
        Switch(
            "CARILLON_OSEK_POINT_ACTIONS",
            Kind.EXPRESSION,
            None,
            "`point` of `[osek.schedule_table.NAME]`",
            "The kinds of what points of tables in queues do, a bit for each.",
        ),
        Switch(
            "CARILLON_OSEK_QUEUES",
            Kind.YES_OR_NO,
            None,
            "`[osek.alarm.NAME]`, `[osek.schedule_table.NAME]`, `readable` of `[osek.counter.NAME]`",
            "Something stands in the queue of a counter, or a counter's value is asked for.",
        ),
        Switch(
            "CARILLON_OSEK_QUEUE_STARTS",
            Kind.YES_OR_NO,
            None,
            "`autostart` of `[osek.alarm.NAME]`",
            "`StartOS` puts an alarm into a queue.",
        ),
        Switch(
            "CARILLON_OSEK_ALARM_ACTIONS",
            Kind.EXPRESSION,
            None,
            "`[osek.alarm.NAME]`",
            "The kinds of what alarms do, a bit for each.",
        ),
        Switch("CARILLON_OSEK_CELLS", Kind.YES_OR_NO, None, "`[osek.alarm.NAME]`", "An alarm has a cell of its own."),
        Switch(
            "CARILLON_OSEK_LEVEL_CELLS",
            Kind.YES_OR_NO,
            None,
            "`[osek.alarm.NAME]`",
            "A cell of an alarm or a counter has the level of tasks, whose handler serves it.",
        ),
        Switch(
            "CARILLON_OSEK_CELLS_TOLD",
            Kind.YES_OR_NO,
            None,
            "`hooks` of `[osek]`, `[osek.alarm.NAME]`",
            "The time base tells how often the cell of an alarm has expired.",
        ),
        Switch(
            "CARILLON_OSEK_LEVEL_COUNTERS",
            Kind.YES_OR_NO,
            None,
            "`[osek.counter.NAME]`",
            "The handler of a counter has the level of the tasks that it starts.",
        ),
        Switch(
            "CARILLON_OSEK_HAS_CELLS(level)",
            Kind.EXPRESSION,
            None,
            "`[osek.alarm.NAME]`",
            "Whether this level of tasks has cells that its handler serves.",
        ),
    ),
    "Checks, dispatching and interrupts": (
        Switch(
            "CARILLON_OSEK_EXTENDED",
            Kind.YES_OR_NO,
            None,
            "`status` of `[osek]`",
            "The status is extended: services check their arguments and where they are called.",
        ),
        Switch(
            "CARILLON_OSEK_SOFTWARE",
            Kind.YES_OR_NO,
            None,
            "`dispatch` of `[osek]`",
            "Software decides which task runs; otherwise the interrupt controller does.",
        ),
        Switch(
            "CARILLON_OSEK_DISPATCHER",
            Kind.NUMBER,
            None,
            "`dispatch` of `[osek]`",
            "The interrupt source of the software dispatcher.",
        ),
        Switch(
            "CARILLON_OSEK_TOP",
            Kind.NUMBER,
            None,
            "`[osek]`",
            "The level of the controller up to which the kernel's lock holds interrupts back.",
        ),
        Switch(
            "CARILLON_OSEK_ALL",
            Kind.NUMBER,
            None,
            "`[osek.isr.NAME]`",
            "The level of the controller up to which `DisableAllInterrupts` holds interrupts back.",
        ),
        Switch(
            "CARILLON_OSEK_BEGINS_MASKED",
            Kind.YES_OR_NO,
            None,
            "`resources` of `[osek.task.NAME]`, `[mode.NAME]`",
            "The handler of a task's level may begin while something is masked.",
        ),
        Switch(
            "CARILLON_OSEK_PORT_LEVEL(level)",
            Kind.EXPRESSION,
            None,
            "`dispatch` of `[osek]`",
            "The controller's level for this one of the event-triggered system.",
        ),
        Switch(
            "CARILLON_OSEK_DIRECT",
            Kind.YES_OR_NO,
            None,
            "`[osek.task.NAME]`",
            "A task is direct: it is an interrupt, and has no level's handler.",
        ),
        Switch(
            "CARILLON_OSEK_MANAGED",
            Kind.YES_OR_NO,
            None,
            "`[osek.task.NAME]`",
            "A task is managed: the handler of its level runs it.",
        ),
        Switch(
            "CARILLON_OSEK_BASIC",
            Kind.YES_OR_NO,
            None,
            "`events` of `[osek.task.NAME]`",
            "A managed task is basic: it cannot wait.",
        ),
        Switch(
            "CARILLON_OSEK_QUEUED",
            Kind.YES_OR_NO,
            None,
            "`activations` of `[osek.task.NAME]`",
            "A level has a queue of activations.",
        ),
        Switch(
            "CARILLON_OSEK_SHORT_RINGS",
            Kind.YES_OR_NO,
            None,
            "`activations` of `[osek.task.NAME]`",
            "A byte holds the sum of a place and a number of entries of each such queue.",
        ),
        Switch(
            "CARILLON_OSEK_MATES",
            Kind.YES_OR_NO,
            None,
            "`uses` of `[time]`, `priority` of `[thread.NAME]`",
            "Tasks of one level whose delays end in one tick become ready together.",
        ),
        Switch(
            "CARILLON_OSEK_EVENTS",
            Kind.YES_OR_NO,
            None,
            "`events` of `[osek.task.NAME]`",
            "A task is extended: it has events or waits.",
        ),
        Switch(
            "CARILLON_OSEK_INTERNAL",
            Kind.YES_OR_NO,
            None,
            "`resources`, `schedule` of `[osek.task.NAME]`",
            "A task runs at a higher level than that of its priority.",
        ),
        Switch(
            "CARILLON_OSEK_AUTOSTART", Kind.YES_OR_NO, None, "`autostart` of `[osek.task.NAME]`", "`StartOS` activates a task."
        ),
        *(
            Switch(
                f"CARILLON_OSEK_{hook.name}_HOOK", Kind.YES_OR_NO, None, "`hooks` of `[osek]`", f"The application has `{name}`."
            )
            for hook, name in _HOOKS.items()
        ),
        Switch(
            "CARILLON_OSEK_TASK_HOOKS",
            Kind.YES_OR_NO,
            None,
            "`hooks` of `[osek]`",
            "The application has `PreTaskHook` or `PostTaskHook`.",
        ),
        Switch(
            "CARILLON_OSEK_MISSING_END",
            Kind.YES_OR_NO,
            None,
            "`status`, `hooks` of `[osek]`",
            "The kernel notices a task that ends without `TerminateTask` or `ChainTask`.",
        ),
        Switch(
            "CARILLON_OSEK_SERVICE_ID",
            Kind.YES_OR_NO,
            None,
            "`get_service_id` of `[osek]`",
            "`OSErrorGetServiceId` works in the error hook.",
        ),
        Switch(
            "CARILLON_OSEK_PARAMETER_ACCESS",
            Kind.YES_OR_NO,
            None,
            "`parameter_access` of `[osek]`",
            "The `OSError_…` macros work in the error hook.",
        ),
        Switch(
            "CARILLON_OSEK_STACK_CHECK",
            Kind.YES_OR_NO,
            None,
            "`stack_check` of `[osek]`",
            "The stacks of extended tasks are checked at each switch.",
        ),
        Switch(
            "CARILLON_OSEK_GUARD",
            Kind.NUMBER,
            None,
            "`stack_check` of `[osek]`",
            "How many words at the end of a stack this check reads.",
        ),
        Switch(
            "CARILLON_OSEK_FAR",
            Kind.YES_OR_NO,
            None,
            "`max_allowed` of `[osek.counter.NAME]`",
            "An alarm may be further away than the queue's times hold.",
        ),
        Switch("CARILLON_OSEK_TIME", Kind.YES_OR_NO, None, "`[time]`", "There are time services."),
    ),
    "Timing protection": (
        Switch(
            "CARILLON_OSEK_BUDGETS",
            Kind.YES_OR_NO,
            False,
            "`budget` of `[osek.task.NAME]`",
            "Execution or lock budgets are kept.",
        ),
        Switch(
            "CARILLON_OSEK_ISR_BUDGETS", Kind.YES_OR_NO, False, "`budget` of `[osek.isr.NAME]`", "An ISR has an execution budget."
        ),
        Switch(
            "CARILLON_OSEK_SUSPENDED",
            Kind.NUMBER,
            None,
            "`[osek.isr.NAME]`",
            "The level of the controller up to which `SuspendOSInterrupts` holds interrupts back.",
        ),
        Switch(
            "CARILLON_OSEK_LOCKS",
            Kind.NUMBER,
            Unsigned(0),
            "`resource_lock` of `[osek.task.NAME]`",
            "How many locks have budgets for each task; with 0 none has.",
        ),
        Switch(
            "CARILLON_OSEK_FRAMES",
            Kind.NUMBER,
            Unsigned(0),
            "`time_frame` of `[osek.task.NAME]`",
            "How many tasks and ISRs time frames are kept for; with 0 there are none.",
        ),
        Switch(
            "CARILLON_OSEK_PROTECTION_HOOK", Kind.YES_OR_NO, False, "`hooks` of `[osek]`", "The application has `ProtectionHook`."
        ),
    ),
}
"""By part, in the order in which what is off is written."""
