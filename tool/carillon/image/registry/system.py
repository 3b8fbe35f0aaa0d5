# SPDX-License-Identifier: Apache-2.0
"""The switches of ``carillon_config.h`` but those of times: of the whole system, of rounds and of microcode."""

from __future__ import annotations

from carillon.image import Unsigned
from carillon.image.registry.switch import Kind, Switch

WHOLE: dict[str, tuple[Switch, ...]] = {
    "The whole system": (
        Switch(
            "CARILLON_CLOCK_HZ",
            Kind.NUMBER,
            None,
            "`clock` of `[system]`",
            "The frequency of the schedule's clock, in hertz, for the application.",
        ),
        Switch(
            "CARILLON_INSTRUCTIONS_PER_TICK",
            Kind.NUMBER,
            None,
            "`clock` of `[system]`",
            "How many instructions the processor takes in a tick; with 0, there is no code that waits for a number of ticks.",
        ),
        Switch(
            "CARILLON_LEVELS",
            Kind.NUMBER,
            None,
            "`levels` of the board",
            "How many priority levels the interrupt controller has.",
        ),
        Switch(
            "CARILLON_MODES",
            Kind.NUMBER,
            None,
            "`[mode.NAME]`",
            "How many modes of rounds there are; with 0, there is no time-triggered system.",
        ),
        Switch(
            "CARILLON_START_MODE",
            Kind.NUMBER,
            None,
            "`start_mode` of `[system]`",
            "The number of the mode with which the default `main` calls `ttStartOS`.",
        ),
        Switch("CARILLON_OSEK", Kind.YES_OR_NO, None, "`[osek]` or `[time]`", "There is an event-triggered system."),
        Switch(
            "CARILLON_OSEK_SLICES",
            Kind.YES_OR_NO,
            None,
            "`slice` of `[time]`, `[server.NAME]`",
            "Threads make way for others of their priority, or for servers; the kernel has the code for that.",
        ),
        Switch(
            "CARILLON_OSEK_TURN_LEVELS",
            Kind.NUMBER,
            None,
            "`slice` of `[time]`",
            "How many levels have several threads that take turns.",
        ),
        Switch(
            "CARILLON_CONVENTIONAL",
            Kind.YES_OR_NO,
            None,
            "`--kernel` but `carillon`",
            "A tick carries out the rounds, and no cell has a point of its own.",
        ),
        Switch(
            "CARILLON_TABLES",
            Kind.YES_OR_NO,
            None,
            "`--kernel` but `carillon`",
            "A mode has a table of points that a handler walks through.",
        ),
        Switch(
            "CARILLON_LOWERED",
            Kind.NUMBER,
            None,
            "`[mode.NAME]`, `[osek]`",
            "The level at which handlers go on that have lowered the execution priority; 0: none does.",
        ),
        Switch("CARILLON_SOURCES", Kind.NUMBER, None, "`sources` of the board", "How many vectors the interrupt controller has."),
        Switch(
            "CARILLON_INITIALS",
            Kind.NUMBER,
            None,
            "`[interrupt.NAME]`",
            "How many stores enable the application's interrupts before the first start.",
        ),
        Switch(
            "CARILLON_BELOW_TASKS",
            Kind.NUMBER,
            None,
            "`[osek]`, `priority` of `[interrupt.NAME]`",
            "The highest level below the time-triggered tasks; starts of a mode hold back what is there. 0: nothing is.",
        ),
        Switch(
            "CARILLON_MULTIPLEXES",
            Kind.YES_OR_NO,
            None,
            "`[mode.NAME]`",
            "A mode has a cell that carries several points, or a table of points.",
        ),
        Switch(
            "CARILLON_TIMEKEEPERS",
            Kind.YES_OR_NO,
            None,
            "`[mode.NAME]`",
            "A timekeeper runs beside some cell, and tells when the cell is due next.",
        ),
        Switch(
            "CARILLON_LAPS",
            Kind.YES_OR_NO,
            None,
            "`[mode.NAME]`",
            "A cell that carries several points has an interval longer than a turn of its counter.",
        ),
        Switch(
            "CARILLON_ALIGNS",
            Kind.YES_OR_NO,
            None,
            "`align` of the cell",
            "A family of cells has something to align once the cells have started.",
        ),
        Switch(
            "CARILLON_FINISHES",
            Kind.YES_OR_NO,
            None,
            "`finish` of the cell",
            "A family of cells has stores that must follow the start before the first expiry.",
        ),
        Switch(
            "CARILLON_START_KEEPS",
            Kind.YES_OR_NO,
            None,
            "reserved cells of the board",
            "Starts store to registers with bits that are not the kernel's, and keep these bits.",
        ),
        Switch("CARILLON_SYNC", Kind.YES_OR_NO, None, "`[sync]`", "The rounds follow a global time."),
        Switch(
            "CARILLON_SHUTDOWN_ON_MISS",
            Kind.YES_OR_NO,
            None,
            "`on_deadline_miss` of `[system]`",
            "A missed deadline of a round's task stops the system.",
        ),
        Switch(
            "CARILLON_IDLE_SLEEP",
            Kind.YES_OR_NO,
            None,
            "`idle` of `[system]`",
            "The default idle task waits for an interrupt; otherwise it loops.",
        ),
        Switch(
            "CARILLON_COPY_DATA",
            Kind.YES_OR_NO,
            None,
            "`defines` of the board",
            "Start-up copies the initial values of variables from the image to memory.",
        ),
        Switch(
            "CARILLON_ADDRESS_BITS",
            Kind.NUMBER,
            None,
            "`defines` of the board",
            "The width of an address of a device register and of its value, in bits: 16 or 32.",
        ),
        Switch(
            "CARILLON_CONSTRUCTORS",
            Kind.YES_OR_NO,
            None,
            "`sources` of `[system]`",
            "There are files in C++, so that start-up calls constructors.",
        ),
        Switch(
            "CARILLON_GIOTTO",
            Kind.YES_OR_NO,
            None,
            "`--machine cells`",
            "Cells carry the blocks of a Giotto program, and `StartOS` begins with the first.",
        ),
    ),
}
"""What each image computes."""

ROUNDS: dict[str, tuple[Switch, ...]] = {
    "Rounds": (
        Switch(
            "CARILLON_ROUND_BUDGETS",
            Kind.NUMBER,
            Unsigned(0),
            "`budget` of `[task.NAME]`",
            "How many tasks of rounds have an execution budget.",
        ),
        Switch(
            "CARILLON_SHUTDOWN_ON_OVERRUN",
            Kind.YES_OR_NO,
            False,
            "`on_budget_overrun` of `[system]`",
            "A job of a round that has used up its budget stops the system.",
        ),
        Switch(
            "CARILLON_SYNC_HARD",
            Kind.YES_OR_NO,
            False,
            "`start` of `[sync]`",
            "No task of the rounds starts before the first `ttSyncTimes`.",
        ),
        Switch(
            "CARILLON_SYNC_PRECISION",
            Kind.NUMBER,
            Unsigned(0),
            "`precision` of `[sync]`",
            "How far from the global time a round may be and count as synchronous, in ticks.",
        ),
        Switch(
            "CARILLON_SYNC_SILENCE",
            Kind.NUMBER,
            Unsigned(0),
            "`silence` of `[sync]`",
            "After how many rounds without `ttSyncTimes` the system counts as asynchronous.",
        ),
    ),
    "Budgets and trace": (
        Switch(
            "CARILLON_BUDGETS_IN_QUEUE",
            Kind.YES_OR_NO,
            False,
            '`budgets = "clock"` of `[osek]`',
            "The clock's queue keeps the execution budgets, and no cell of their own.",
        ),
        Switch(
            "CARILLON_TRACE",
            Kind.YES_OR_NO,
            False,
            "`ring` of `[trace]`",
            "Starts and ends are kept in memory, and start-up begins this trace.",
        ),
    ),
    "Microcode": (
        Switch(
            "CARILLON_MICROCODE_TASKS", Kind.NUMBER, Unsigned(0), "a Giotto program", "How many tasks the machine's program has."
        ),
        Switch(
            "CARILLON_MICROCODE_BINDINGS",
            Kind.NUMBER,
            Unsigned(0),
            "a Giotto program, `triggers` of `NAME.upload`",
            "How many triggers wait at one time, at most.",
        ),
        Switch(
            "CARILLON_MICROCODE_THREADS",
            Kind.NUMBER,
            Unsigned(0),
            "a Giotto program, `threads` of `NAME.upload`",
            "How many threads of the machine wait at one time, at most.",
        ),
        Switch(
            "CARILLON_MICROCODE_MISSED",
            Kind.YES_OR_NO,
            False,
            "a Giotto program",
            "The application has `carillon_giotto_missed`, which is called for a task that is late.",
        ),
        Switch(
            "CARILLON_MICROCODE_TOLD",
            Kind.YES_OR_NO,
            False,
            "nothing: tests set it",
            "The owner of the machine is told of each release of a task.",
        ),
        Switch(
            "CARILLON_MICROCODE_UNITS",
            Kind.NUMBER,
            Unsigned(0),
            "a Giotto program",
            "How much the time base counts in a tick of the machine; with 0 no time base counts it.",
        ),
        Switch(
            "CARILLON_MICROCODE_WAKES",
            Kind.NUMBER,
            Unsigned(0),
            "a Giotto program, `[time]`",
            "How many ticks of the clock a tick of the machine has; with 0, a cell ticks.",
        ),
        Switch(
            "CARILLON_MICROCODE_RECORD",
            Kind.NUMBER,
            Unsigned(0),
            "`record` of `NAME.upload`",
            "How many decisions of the scheduler are recorded; with 0 there is no recorder.",
        ),
        Switch(
            "CARILLON_LOADER_BYTES",
            Kind.NUMBER,
            Unsigned(0),
            "`bytes` of `NAME.upload`",
            "The length of the longest program that the loader receives, in bytes; with 0 there is no loader.",
        ),
        Switch(
            "CARILLON_LOADER_RESETS",
            Kind.NAME,
            None,
            "`resets` of `NAME.upload`",
            "The application's function that returns a number that no reset repeats. Only an image with `resets` has it.",
        ),
    ),
}
"""By part, in the order in which what is off is written."""
