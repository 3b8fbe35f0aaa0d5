# SPDX-License-Identifier: Apache-2.0
"""The shape of a schedule file: which keys there are and what each may hold (SPEC, section 'Schedule file').

Every key is optional here, so that checks still see the rest of a table; :mod:`carillon.read.build` demands the required ones.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, WithJsonSchema

from carillon.read.one_or_more import OneOrMore, OneOrNamed
from carillon.read.schema_osek import DeclaredTable, OsekTable
from carillon.read.values import APPLICATION_NAME, AnyTime, AnyTimes, Frequency, Identifier, Name, Table


class SystemTable(Table):
    """The application as a whole."""

    name: Annotated[str, WithJsonSchema({"type": "string", "pattern": APPLICATION_NAME})] | None = Field(
        None, description="Name of the application; the file's stem if absent."
    )
    board: Name | None = Field(
        None, description='The board: a name ("carillon boards") or a path to a board.toml; "ast1030-evb" if absent.'
    )
    clock: Frequency | None = Field(
        None,
        description="Frequency of a tick, one of the board's; if absent, the first of them into whose ticks every time divides.",
    )
    sources: list[Name] | None = Field(
        None,
        description="C and C++ files of the application, relative to this file, or patterns such as src/**/*.c; if absent, "
        "those beside it, or else those in src or ../src.",
    )
    include: list[Name] | None = Field(
        None,
        description="Folders of the application's headers, relative to this file; inc and include beside the C files if absent.",
    )
    defines: list[Name] = Field(default_factory=list, description="Macros for the application's files: NAME or NAME=VALUE.")
    start_mode: Identifier | None = Field(
        None, description="The application mode that the default main starts with; the first mode of the file if absent."
    )
    on_deadline_miss: Literal["shutdown", "continue"] = Field(
        "shutdown", description="What follows ttErrorHook after a missed deadline."
    )
    on_budget_overrun: Literal["shutdown", "end"] = Field(
        "shutdown", description="What follows ttErrorHook after a task of the rounds has used up its budget: end ends the job."
    )
    check_start: bool = Field(
        True, description="The start of a library asks whether clocks, timers and vectors are as it must have them."
    )
    start_within: AnyTime | None = Field(
        None, description="If cells are short: how late a task may start, or a re-enable point come; 0 ticks if absent."
    )
    inexact_times: Literal["refuse", "round"] = Field(
        "refuse", description="A time that is no whole number of ticks is refused, or rounded and its drift reported."
    )
    timing: Literal["emulator", "silicon"] = Field(
        "emulator", description="Whether sequences may be timed by instructions, as an emulator takes them."
    )
    reserve: list[Name] = Field(
        default_factory=list, description="Cells and interrupt sources of the board that the application drives itself."
    )
    idle: Literal["spin", "sleep"] | None = Field(
        None, description="What the default ttIdleTask does; the board decides if absent."
    )


class ClockTable(Table):
    """The clocks of the chip, as its vendor's configurator shows them."""

    model_config = ConfigDict(json_schema_extra={"required": ["core", "timers"]})

    core: Frequency | None = Field(None, description="The processor's clock.")
    timers: OneOrNamed[Frequency] | None = Field(
        None, description='What the timers count: of all buses, or of each: { apb1 = "84MHz", apb2 = "168MHz" }.'
    )


class TraceTable(Table):
    """What the image of a chip tells of its tasks' starts and ends."""

    ring: int | None = Field(
        None, description="The last so many starts and ends are kept in memory, with their times: a power of two, 16 to 16384."
    )
    stream: Literal["uart", "rtt", "itm"] | None = Field(
        None,
        description="By what the ring's events are sent while the image runs, read by carillon show --live: the board's UART, a "
        "debugger (SEGGER RTT), or the pin SWO (ITM).",
    )
    itm_port: int | None = Field(None, description="The stimulus port of the ITM that has them: 0 to 31; 1 if absent.")
    swo_baud: int | None = Field(None, description="The rate of SWO, in bits a second; 2000000 if absent.")
    header: Name | None = Field(
        None,
        description="A header, relative to this file, that defines CARILLON_TRACE_ENTER(task) and CARILLON_TRACE_LEAVE(task): "
        "what is done at each task's start and end.",
    )


class StacksTable(Table):
    """What the code does not tell of the stacks that it needs."""

    calls: dict[str, OneOrMore[Name]] = Field(
        default_factory=dict, description="Of a function that calls an address: the functions that it may be of."
    )
    recursion: dict[str, Annotated[int, Field(ge=1, le=65535)]] = Field(
        default_factory=dict, description="Of a function that may call itself: how often it is active at once."
    )
    refuse: Literal["calls", "bound", "none"] = Field(
        "calls", description="Stacks that the build refuses: too small for their own calls, smaller than their bounds, or none."
    )


class TaskTable(Table):
    """A time-triggered task."""

    entry: Identifier | None = Field(None, description="C function void entry(void); the task's name if absent.")
    wcet: AnyTime | None = Field(None, description="Worst-case execution time; without it the task is not checked statically.")
    budget: AnyTime | None = Field(None, description="The longest that a job may run; it is stopped then (on_budget_overrun).")
    period: AnyTime | None = Field(
        None, description="Makes it periodic in each mode that has it: at offset, offset + period, ..."
    )
    offset: AnyTime | None = Field(None, description="First activation in the round, less than the period; 0 ticks if absent.")
    deadline: AnyTimes | None = Field(None, description="Deadline after each activation, or a list of them; only with period.")
    monitor: Literal["always", "if-cells-allow", "never"] = Field(
        "always", description="Who watches its deadlines: cells, cells if any are left, or only the analysis and the trace."
    )
    start_within: AnyTime | None = Field(
        None, description="How long after its tick it may start; as in [system] if absent, and 0 ticks is on its tick."
    )
    overrun: Literal["guarded", "never"] = Field(
        "guarded",
        description="What if it still runs when it is activated again: the activation waits, or the author vouches that it "
        "never does, so that nothing guards against it; that needs a wcet.",
    )


class InterruptTable(DeclaredTable):
    """An interrupt of the application."""

    model_config = ConfigDict(json_schema_extra={"required": ["source"]})

    source: Name | None = Field(None, description="One of the board's application sources, by name.")
    handler: Identifier | None = Field(None, description="C function void handler(void); the interrupt's name if absent.")
    priority: Literal["above-tasks", "below-tasks"] = Field("above-tasks", description="Whether it preempts tasks.")


class PointTable(Table):
    """An expiry point of a round: it activates a task, or enables an interrupt again."""

    model_config = ConfigDict(
        json_schema_extra={
            "required": ["at"],
            "oneOf": [{"required": ["activate"]}, {"required": ["enable"], "not": {"required": ["deadline_at"]}}],
        }
    )

    at: AnyTime | None = Field(None, description="When, from the start of the round.")
    activate: Identifier | None = Field(None, description="The task to activate.")
    deadline_at: AnyTimes | None = Field(
        None, description="Deadline of this activation, or a list of them, from the start of the round like 'at'."
    )
    enable: Identifier | None = Field(None, description="The interrupt to enable again.")


class ModeTable(Table):
    """An application mode and its dispatcher round."""

    round: AnyTime | None = Field(
        None, description="Length of the dispatcher round; the least common multiple of its tasks' periods if absent."
    )
    tasks: list[Identifier] | None = Field(
        None, description="Which periodic tasks take part; all tasks that have a period if absent."
    )
    window: Literal["deadline", "wcet"] = Field(
        "deadline",
        description="Until when an activation counts as running: its last enforced deadline, or its worst-case completion.",
    )
    points: list[PointTable] | None = Field(None, description="Expiry points in ascending order of 'at'.")


class SyncTable(Table):
    """Rounds follow a global time: each is made longer or shorter at its sync point, after its last deadline."""

    lengthen: AnyTime | None = Field(None, description="The most by which a round is made longer; 0 ticks if absent.")
    shorten: AnyTime | None = Field(None, description="The most by which a round is made shorter; 0 ticks if absent.")
    precision: AnyTime | None = Field(
        None, description="How far from the global time a round may be and count as synchronous; 0 ticks if absent."
    )
    silence: int = Field(10, ge=1, le=65_534, description="Rounds without ttSyncTimes after which it counts as asynchronous.")
    start: Literal["smooth", "hard"] = Field(
        "smooth", description="Whether tasks start at once, or not before the first ttSyncTimes, with a round in its phase."
    )
    phase: AnyTime | None = Field(None, description="Rounds follow ttSyncEdge: each begins so long behind an edge.")
    edges: int = Field(1, ge=1, le=65_535, description="How many edges a round has.")


class StartTable(Table):
    """A timer of the application starts the round in hardware, at a phase to its trigger, such as the update of a PWM."""

    model_config = ConfigDict(json_schema_extra={"required": ["by", "period"]})

    by: Name | None = Field(None, description="The timer, one that the board's cells can be started by: TIM1, say.")
    period: AnyTime | None = Field(None, description="From each of its triggers to the next; the round is a multiple.")
    phase: AnyTime | None = Field(None, description="How long behind a trigger the round begins; 0 ticks if absent.")


class ThreadTable(DeclaredTable):
    """A thread: an extended task, defined in C by THREAD(name), that can wait for times."""

    model_config = ConfigDict(json_schema_extra={"required": ["priority"]})

    priority: int | None = Field(None, ge=0, le=65_535, description="The higher the more urgent, among the tasks of [osek] too.")
    stack: int | None = Field(None, ge=128, le=1_048_576, description="Bytes of its stack; the board decides if absent.")
    period: AnyTime | None = Field(None, description="What it waits for with carillon_delay_until; for the plan's advice alone.")
    autostart: bool = Field(True, description="Whether StartOS activates it; else ActivateTask or an alarm does.")
    new: bool = Field(False, description="Whether `new Thread(&f)` of C++ takes it, and says what it runs.")
    offset: AnyTime | None = Field(None, description="How long after StartOS it is activated; at once if absent.")
    deadline: AnyTime | None = Field(None, description="How long after its release it is to have ended, or to wait for the next.")
    resources: list[Identifier] = Field(default_factory=list, description="Resources of [osek] that it takes.")
    mutexes: list[Identifier] = Field(default_factory=list, description="Mutexes that it locks; threads that share one name it.")
    server: Identifier | None = Field(None, description="The server whose budget it uses; it runs as it likes if absent.")


class ServerTable(Table):
    """A server: threads of one priority share a budget of time in each period."""

    model_config = ConfigDict(json_schema_extra={"required": ["budget", "period"]})

    kind: Literal["deferrable", "constant-bandwidth"] = Field(
        "deferrable", description="Whether the budget comes back at multiples of the period, or at a deadline."
    )
    budget: AnyTime | None = Field(None, description="For how long its threads run in each period, together.")
    period: AnyTime | None = Field(None, description="After which time the budget comes back.")


class TimeServicesTable(Table):
    """The time services: alarms, delays, semaphores with time-outs, chronometers and time slices."""

    clock: Literal["periodic", "one-shot", "compare", "auto"] = Field(
        "one-shot",
        description="What drives them: a timer that ticks, one that is set to the next event, or a compare register; "
        "auto: the best for the declared periods.",
    )
    tick: AnyTime | None = Field(
        None, description="The unit of time in C; required of a periodic clock, else one unit of the timer if absent."
    )
    bits: Literal[16, 32] = Field(32, description="Width of a time in C.")
    longest: AnyTime | None = Field(
        None, description="The longest delay and period that occurs; if absent there is none, at the cost of longer events."
    )
    longest_lock: AnyTime | None = Field(
        None,
        description="For how long locks and ISRs last at most; if absent, a periodic clock has a time base.",
    )
    slack: AnyTime | None = Field(None, description="The longest slack that an alarm may be given; if absent, none has any.")
    queue: Literal["list", "tree"] = Field("list", description="What the queue of events is: short, or fast with many events.")
    slice: AnyTime | None = Field(None, description="Time slice of threads of equal priority; they run to their end if absent.")
    tickless: bool = Field(
        False, description="The clock tells the ticks of the counters of [osek], which have no interrupts of their own."
    )
    now: bool = Field(True, description="The time can be asked for; without, the timer rests while nothing waits.")
    uptime: bool = Field(False, description="The time since the start can be asked for in 64 bits; now is true then.")
    calendar: Literal["counted", "rtc"] = Field(
        "counted", description="What the calendar is: seconds that an alarm counts, or the board's real-time clock."
    )
    uses: list[Literal["delays", "time-outs", "functions", "tasks", "events", "semaphores", "suspensions", "joins"]] | None = (
        Field(
            None,
            max_length=8,
            description="The kinds of timed events that the application has; all if absent, at the cost of code.",
        )
    )
    heap: int = Field(
        0,
        ge=0,
        le=16_777_216,
        description="Bytes for what programs for CMSIS-RTOS2 or FreeRTOS make as they run; with 0 there are none of their calls.",
    )
    periods: list[AnyTime] = Field(
        default_factory=list, max_length=32, description="Periods of the alarms that it will start; for the plan's advice alone."
    )


class StimulusTable(Table):
    """What happens to the board from outside at a time of the run."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": ["pin", "level"]},
                {"required": ["adc", "volts"]},
                {"required": ["at", "uart"]},
                {"required": ["at", "source"]},
            ]
        }
    )

    at: AnyTime | None = Field(
        None, description="When, from tick 0 of the run; if absent, a level or a voltage holds from reset on."
    )
    every: AnyTime | None = Field(None, description="After which time it happens again.")
    count: int | None = Field(
        None, ge=1, le=1_000_000, description="How often in all, with every; to the end of the run if absent."
    )
    pin: Name | None = Field(None, description="The pin that gets a level, as the chip's vendor names it: PD2, GPIO15.")
    level: int | None = Field(None, ge=0, le=1, description="Its level: 0 or 1.")
    adc: int | None = Field(None, ge=0, le=255, description="The channel of the converter that gets a voltage.")
    volts: float | None = Field(None, description="Its voltage.")
    uart: str | None = Field(None, description="A text that the serial line receives.")
    source: Name | None = Field(None, description="The interrupt that is requested: a source of the board's.")


class StimuliTable(Table):
    """What happens to the board from outside in 'carillon run', and what is watched of its pins."""

    rows: list[StimulusTable] = Field(default_factory=list, description="The stimuli, in any order.")
    watch: list[Name] = Field(default_factory=list, description="Pins whose levels the timeline shows, too: outputs, say.")


class ScheduleFile(Table):
    """A schedule: what Carillon compiles into timers and interrupts."""

    system: SystemTable = Field(default_factory=lambda: SystemTable.model_validate({}), description="The application as a whole.")
    clock: ClockTable | None = Field(None, description="The clocks of the chip, where the board lets schedules choose.")
    task: dict[str, TaskTable] = Field(default_factory=dict, description="The time-triggered tasks, by name.")
    interrupt: dict[str, InterruptTable] = Field(default_factory=dict, description="The application's interrupts, by name.")
    mode: dict[str, ModeTable] = Field(
        default_factory=dict, description="The application modes, by name; without any there is one, 'default', with every task."
    )
    sync: SyncTable | None = Field(None, description="How rounds follow a global time, if they do.")
    start: StartTable | None = Field(None, description="What starts the round, if software does not.")
    osek: OsekTable | None = Field(None, description="The event-triggered system, if there is one.")
    time: TimeServicesTable | None = Field(None, description="The time services, if there are any.")
    thread: dict[str, ThreadTable] = Field(default_factory=dict, description="The threads, by name.")
    server: dict[str, ServerTable] = Field(default_factory=dict, description="The servers of threads, by name.")
    trace: TraceTable | None = Field(None, description="What is recorded of tasks on the chip, if anything is.")
    stacks: StacksTable | None = Field(None, description="What the code does not tell of its stacks, if anything is said.")
    stimuli: StimuliTable | None = Field(None, description="What happens to the board from outside in a run, if anything does.")
