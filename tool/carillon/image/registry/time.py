# SPDX-License-Identifier: Apache-2.0
"""The switches of ``carillon_config.h`` of queues, the clock, the time services and the time base."""

from __future__ import annotations

from carillon.image import Unsigned
from carillon.image.registry.switch import Kind, Switch
from carillon.model.time import TimedKind

_TIMED = {
    TimedKind.DELAY: "Tasks wait for a time.",
    TimedKind.TIMEOUT: "Tasks wait for a semaphore, a mutex or a message, and no longer than some time.",
    TimedKind.FUNCTION: "Alarms call functions.",
    TimedKind.TASK: "Alarms activate tasks.",
    TimedKind.EVENT: "Alarms set events of tasks.",
    TimedKind.SEMAPHORE: "Alarms give a semaphore a unit.",
    TimedKind.SUSPENSION: "A thread may suspend itself, and another one lets it go on.",
    TimedKind.JOIN: "A task may wait for a thread's end.",
}

TIME: dict[str, tuple[Switch, ...]] = {
    "Queues of counters and of the clock": (
        Switch(
            "CARILLON_TIME_BITS",
            Kind.NUMBER,
            32,
            "`bits` of `[time]`, `max_allowed` of `[osek.counter.NAME]`",
            "The width of a time in the queues, in bits: 8, 16, 32 or 64.",
        ),
        Switch(
            "CARILLON_DISTANCE_BITS",
            Kind.NUMBER,
            64,
            "`longest` of `[time]`, `max_allowed` of `[osek.counter.NAME]`",
            "The width of a distance that may be longer than a time, in bits.",
        ),
        Switch(
            "CARILLON_QUEUE_TREE",
            Kind.YES_OR_NO,
            False,
            "`queue` of `[time]`",
            "Events are queued in a tree; otherwise they are in a list.",
        ),
        Switch(
            "CARILLON_QUEUE_COUNTERS",
            Kind.YES_OR_NO,
            False,
            "`--kernel counter-per-task`",
            "There is no queue: each event has a counter that its tick counts down.",
        ),
        Switch(
            "CARILLON_QUEUE_MOVES",
            Kind.YES_OR_NO,
            False,
            "`uses` of `[time]`, `[server.NAME]`",
            "Repeated events are moved in the queue, so that a list keeps in mind what moved last.",
        ),
    ),
    "The clock of the time services": (
        Switch(
            "CARILLON_CLOCK",
            Kind.NAME,
            "CARILLON_CLOCK_NONE",
            "`clock` of `[time]`",
            "The kind of the clock's timer: `CARILLON_CLOCK_TICK`, `_ONE_SHOT` or `_COMPARE`; with `_NONE` there is no clock.",
        ),
        Switch(
            "CARILLON_CLOCK_BITS",
            Kind.NUMBER,
            32,
            "`[time]`, `bits` of the cell",
            "The width of the timer's counter, in bits; of a tick clock, that of a time.",
        ),
        Switch(
            "CARILLON_CLOCK_MINIMUM",
            Kind.NUMBER,
            Unsigned(1),
            "`minimum` of the cell",
            "How many ticks ahead an expiry must be when it is set, for the timer to see it.",
        ),
        Switch(
            "CARILLON_CLOCK_LATEST",
            Kind.NUMBER,
            Unsigned(0),
            "`[time]`",
            "How many ticks after an expiry the clock's handler may end, at most.",
        ),
        Switch(
            "CARILLON_CLOCK_FARTHEST",
            Kind.EXPRESSION,
            "CARILLON_LAP",
            "`longest` of `[time]`",
            "The longest distance of an event that occurs, in ticks; `CARILLON_LAP` if any distance may.",
        ),
        Switch(
            "CARILLON_CLOCK_KEEPS_TIME",
            Kind.YES_OR_NO,
            False,
            "`now` of `[time]`",
            "The clock keeps the time while nothing waits.",
        ),
        Switch(
            "CARILLON_CLOCK_REQUESTS",
            Kind.YES_OR_NO,
            False,
            "`requests` of the cell",
            "Software can request the timer's interrupt.",
        ),
        Switch(
            "CARILLON_CLOCK_NESTS",
            Kind.YES_OR_NO,
            False,
            "nothing: tests set it",
            "The handler of an event may unlock, so that the timer's handler may come within itself.",
        ),
        Switch(
            "CARILLON_CLOCK_CALLED",
            Kind.YES_OR_NO,
            False,
            "`uses`, `tickless` of `[time]`; `budgets` of `[osek]`; `[server.NAME]`; `deadline` of `[thread.NAME]`",
            "While the clock serves events, something may use the clock beyond the event itself.",
        ),
        Switch(
            "CARILLON_CLOCK_HOOKED",
            Kind.YES_OR_NO,
            False,
            "`hooks` of `[osek]`, `sources` of `[system]`",
            "`StartupHook` or constructors run before the clock starts, so that services check whether it has.",
        ),
        Switch(
            "CARILLON_CLOCK_RESTARTS",
            Kind.YES_OR_NO,
            False,
            "`restarts` of the cell",
            "The timer can only be loaded anew, and not be shifted while it counts.",
        ),
        Switch(
            "CARILLON_CLOCK_COST",
            Kind.NUMBER,
            Unsigned(0),
            "`cost` of the cell",
            "How many ticks pass from reading the counter of such a timer to loading it.",
        ),
        Switch(
            "CARILLON_CLOCK_BEHIND",
            Kind.NUMBER,
            Unsigned(0),
            "`[time]`",
            "How late the handler may be before it lets others in, in ticks; with 0 it serves all that is overdue.",
        ),
        Switch(
            "CARILLON_CLOCK_SLACK",
            Kind.NUMBER,
            Unsigned(0),
            "`slack` of `[time]`",
            "The longest slack of an event, in ticks, by which the queue may serve it later; with 0 there is none.",
        ),
        Switch(
            "CARILLON_CLOCK_UNITS",
            Kind.NUMBER,
            Unsigned(0),
            "`longest_lock` of `[time]`",
            "How much the time base counts in a tick of a periodic clock; with 0 only interrupts tell the ticks.",
        ),
    ),
    "The time services": (
        Switch("CARILLON_TIME_NOW", Kind.YES_OR_NO, False, "`now` of `[time]`", "The application can ask for the time."),
        Switch(
            "CARILLON_TIME_COUNTS",
            Kind.YES_OR_NO,
            False,
            "`now` of `[time]`",
            "The handler of the tick counts the time apart from the queue.",
        ),
        Switch(
            "CARILLON_TIME_UPTIME",
            Kind.YES_OR_NO,
            False,
            "`uptime` of `[time]`",
            "The application can ask for the time since the start, in 64 bits.",
        ),
        Switch(
            "CARILLON_TIME_UNITS",
            Kind.NUMBER,
            Unsigned(1),
            "`now` of `[time]`",
            "How many units of its timer a tick of a periodic clock has; with 1, whole ticks are told.",
        ),
        Switch(
            "CARILLON_TIME_UNIT_HZ",
            Kind.EXPRESSION,
            "CARILLON_TIME_HZ",
            "`now` of `[time]`",
            "How many of these units a second has, multiplied by the divisor that follows.",
        ),
        Switch(
            "CARILLON_TIME_UNIT_HZ_DIVISOR",
            Kind.EXPRESSION,
            "CARILLON_TIME_HZ_DIVISOR",
            "`now` of `[time]`",
            "What `CARILLON_TIME_UNIT_HZ` is divided by.",
        ),
        Switch(
            "CARILLON_TIME_TICKS_INLINE",
            Kind.YES_OR_NO,
            False,
            "`clock` of `[time]`",
            "The handler of the clock's cell has the tick's code in itself, without a call.",
        ),
        Switch(
            "CARILLON_TIME_SLACK",
            Kind.NUMBER,
            Unsigned(0),
            "`slack` of `[time]`",
            "The longest slack that an alarm may be given, in ticks; with 0, there is no such service.",
        ),
        Switch(
            "CARILLON_TIME_FAR",
            Kind.YES_OR_NO,
            False,
            "`longest` of `[time]`",
            "A delay may be longer than a time, so that all events count laps.",
        ),
        Switch(
            "CARILLON_TIME_RTC", Kind.YES_OR_NO, False, "`calendar` of `[time]`", "The calendar is the board's real-time clock."
        ),
        Switch(
            "CARILLON_TIME_OFFSETS", Kind.NUMBER, Unsigned(0), "`offset` of `[thread.NAME]`", "How many threads have an offset."
        ),
        Switch(
            "CARILLON_TIME_DEADLINES",
            Kind.NUMBER,
            Unsigned(0),
            "`deadline` of `[thread.NAME]`",
            "How many threads have a deadline.",
        ),
        Switch(
            "CARILLON_TIME_HZ",
            Kind.NUMBER,
            Unsigned(0),
            "`tick` of `[time]`",
            "How many ticks of the clock a second has, multiplied by the divisor that follows.",
        ),
        Switch(
            "CARILLON_TIME_HZ_DIVISOR", Kind.NUMBER, Unsigned(1), "`tick` of `[time]`", "What `CARILLON_TIME_HZ` is divided by."
        ),
        *(
            Switch(f"CARILLON_TIME_{kind.name}S", Kind.YES_OR_NO, False, "`uses` of `[time]`", says)
            for kind, says in _TIMED.items()
        ),
    ),
    "The time base": (
        Switch(
            "CARILLON_BASE_BITS",
            Kind.NUMBER,
            0,
            "`[osek.counter.NAME]`, `tickless` of `[time]`",
            "The width of the time base that counts ticks that interrupts may miss, in bits; with 0 there is none.",
        ),
        Switch(
            "CARILLON_TICKLESS",
            Kind.YES_OR_NO,
            False,
            "`tickless` of `[time]`",
            "The clock tells the ticks of hardware counters, which have no interrupts of their own.",
        ),
    ),
}
"""By part, in the order in which what is off is written."""
