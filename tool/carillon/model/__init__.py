# SPDX-License-Identifier: Apache-2.0
"""The model of an application: what every pass after ``read`` works on.

All classes are frozen: ``read`` builds the model, ``check`` inspects it, and nobody changes it
afterwards.  Every time is an ``int`` in ticks of :attr:`System.clock_hz`, relative to the start of the
dispatcher round unless it says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from carillon import c_names
from carillon.diagnostics import Span
from carillon.files import Search
from carillon.model.board import Board
from carillon.model.declared import NOTHING_DECLARED, Declared
from carillon.model.giotto import Giotto, Machine, Upload
from carillon.model.named import named
from carillon.model.osek import Osek, OsekTask
from carillon.model.stacks import StackHints
from carillon.model.stimuli import Stimuli
from carillon.model.time import TimeServices


class Monitor(Enum):
    """Whether hardware watches a deadline (a cell of its own role) or only the analysis and the trace do."""

    ALWAYS = "always"
    IF_CELLS_ALLOW = "if-cells-allow"
    NEVER = "never"


class Window(Enum):
    """How long an activation may run before later points need not preempt it any more.

    ``DEADLINE``: to its enforced deadline, or to the end of the round where none is enforced.
    ``WCET``: to its worst-case completion, computed from the WCETs of the round's tasks.
    """

    DEADLINE = "deadline"
    WCET = "wcet"


class OnDeadlineMiss(Enum):
    """What follows ``ttErrorHook(TT_E_OS_DEADLINE)`` (OSEKtime OS 1.0: shutdown)."""

    SHUTDOWN = "shutdown"
    CONTINUE = "continue"


class OnBudgetOverrun(Enum):
    """What follows ``ttErrorHook(TT_E_OS_PROTECTION_TIME)``, after a job of a round has used up its execution budget."""

    SHUTDOWN = "shutdown"
    END = "end"


class Overrun(Enum):
    """Whether a task may still run when it is activated again.

    ``GUARDED``: it may, and the new activation waits.  ``NEVER``: the schedule's author vouches that it does not, so
    that nothing keeps it from being entered again.
    """

    GUARDED = "guarded"
    NEVER = "never"


class SyncStart(Enum):
    """How a system begins that is synchronised.

    ``SMOOTH``: rounds begin at once and converge.  ``HARD``: no task starts before the first global time is known, and the
    first round is in its phase.
    """

    SMOOTH = "smooth"
    HARD = "hard"


class Idle(Enum):
    """What ``ttIdleTask`` does unless the application defines its own: loop, or wait for an interrupt."""

    SPIN = "spin"
    SLEEP = "sleep"


@dataclass(frozen=True, slots=True)
class Task:
    """A time-triggered task: a C function ``void entry(void)``; ``wcet`` in ticks, None if not given.

    ``start_within``: ticks after its own within which kernel code may delay its start; 0: none.  ``budget``: how long a job may
    run, in ticks; 0: as long as it likes.
    """

    name: str
    entry: str
    wcet: int | None
    span: Span
    overrun: Overrun = Overrun.GUARDED
    start_within: int = 0
    budget: int = 0


@dataclass(frozen=True, slots=True)
class Interrupt:
    """An interrupt of the application.

    ``source`` is a number of the board's interrupt controller.  With ``reenabled`` set, taking the
    interrupt disables it until the round's next re-enable point (bounded arrival rate, OSEKtime OS 1.0).
    """

    name: str
    source: int
    handler: str
    above_tasks: bool
    reenabled: bool
    span: Span
    declared: Declared = NOTHING_DECLARED


@dataclass(frozen=True, slots=True)
class Activation:
    """One activation of a task in a round; ``deadlines`` are absolute in the round, ascending, each > ``at``."""

    task: str
    at: int
    deadlines: tuple[int, ...]
    monitor: Monitor
    span: Span


@dataclass(frozen=True, slots=True)
class Enable:
    """A point that re-enables an interrupt of the application."""

    interrupt: str
    at: int
    span: Span


@dataclass(frozen=True, slots=True)
class Mode:
    """An application mode and its dispatcher round of ``round_length`` ticks; points in ascending order of time."""

    name: str
    round_length: int
    activations: tuple[Activation, ...]
    enables: tuple[Enable, ...]
    window: Window
    span: Span


@dataclass(frozen=True, slots=True)
class Synchronisation:
    """How rounds follow a global time (OSEKtime OS 1.0): in ticks, the most that a round is made longer or shorter by.

    ``precision``: how far a round that counts as synchronous may be off; ``silence``: for how many rounds it does so without
    hearing the global time.  ``lengthened``, ``shortened``: where the limits stand in the file.
    ``phase``: rounds follow edges of a plant, and begin so many ticks behind one; None: they do not.  ``edges``: of a round.
    """

    lengthen: int
    shorten: int
    precision: int
    silence: int
    start: SyncStart
    span: Span
    lengthened: Span
    shortened: Span
    phase: int | None
    edges: int
    phased: Span

    def edge_in(self, length: int) -> tuple[int, int] | None:
        """Of rounds that follow edges: where the first edge of a round of ``length`` is, and ticks from one to the next."""
        if self.phase is None:
            return None
        between = length // self.edges
        return -self.phase % between, between


@dataclass(frozen=True, slots=True)
class Started:
    """What starts the round in hardware: each trigger of the timer ``by`` is ``period`` ticks behind the one before it.

    The round begins ``phase`` ticks behind one of them.  ``named``, ``timed``, ``phased``: where the three stand in the file.
    """

    by: str
    phase: int
    period: int
    span: Span
    named: Span
    timed: Span
    phased: Span

    def delay(self, lead: int) -> int:
        """Ticks from the trigger that starts the cells to their start, 1 or more, if they start ``lead`` ticks early."""
        return (self.phase - lead - 1) % self.period + 1


@dataclass(frozen=True, slots=True)
class Drift:
    """A time that does not divide into ticks and was rounded: the reality is ``actual_ppm`` off."""

    span: Span
    written: str
    ticks: int
    error_ticks: float


@dataclass(frozen=True, slots=True)
class Tracing:
    """What an image tells of the starts and ends of tasks: to a ring of so many words, and to a header's macros.

    ``stream``: by what the ring is sent on while the image runs, ``uart``, ``rtt`` or ``itm``; of the last, its stimulus
    port and the rate of its pin.
    """

    ring: int | None = None
    header: Path | None = None
    stream: str | None = None
    itm_port: int = 1
    swo_baud: int = 2_000_000
    span: Span = field(default_factory=lambda: Span(""), compare=False)


@dataclass(frozen=True, slots=True)
class System:
    """A whole application, ready to be checked and lowered.

    ``modes`` are its rounds and ``osek`` is its event-triggered system; it has at least one of the two.  Without
    rounds ``modes`` is empty and ``start_mode`` is "".  ``time`` are its time services, which ask for ``osek``.
    """

    name: str
    file: Path
    digest: str
    board: Board
    clock_hz: int
    tasks: tuple[Task, ...]
    interrupts: tuple[Interrupt, ...]
    modes: tuple[Mode, ...]
    start_mode: str
    on_deadline_miss: OnDeadlineMiss
    idle: Idle
    sources: tuple[Path, ...]
    drifts: tuple[Drift, ...]
    osek: Osek | None = None
    time: TimeServices | None = None
    other_clocks: tuple[int, ...] = ()  # those, too, that every time divides at, in Hz
    clock_given: bool = False  # by the schedule
    start_within: int = 0  # of what no task says otherwise, as Task.start_within
    silicon: Span | None = None  # where the schedule says that no sequence may be timed by instructions
    sync: Synchronisation | None = None
    start: Started | None = None  # None: software starts the round
    giotto: Giotto | None = None  # the program that it was made of
    upload: Upload | None = None  # how its image receives other programs
    machine: Machine = Machine.MICROCODE  # what carries out `giotto`: its tasks are threads, in their order, or `rates`
    include: tuple[Path, ...] = ()  # folders of the application's headers
    defines: tuple[str, ...] = ()  # macros of the application: NAME or NAME=VALUE
    searches: tuple[Search, ...] = field(default=(), compare=False)  # what was asked of the file system to find these
    tracing: Tracing | None = None  # what the image tells of its tasks
    stimuli: Stimuli | None = None  # what happens from outside in a run
    on_budget_overrun: OnBudgetOverrun = OnBudgetOverrun.SHUTDOWN
    check_start: bool = True  # of a library: whether it asks what the project has left to it
    stacks: StackHints = field(default_factory=StackHints)  # what the code does not tell of its stacks
    inputs: tuple[Path, ...] = ()  # what it was read from: the schedule, what that includes, the board's files

    @property
    def cplusplus(self) -> bool:
        """Whether any source of the application is C++."""
        return any(path.suffix != ".c" for path in self.sources)

    def folder(self, kernel: str) -> str:
        """What the folder is called in which it is built with a kernel."""
        return f"{self.board.name}-{kernel}" + ("" if self.machine is Machine.MICROCODE else f"-{self.machine.value}")

    @property
    def clocks(self) -> str:
        """At which clock ticks are counted, and the processor's where that is known to be another."""
        core = self.board.clock(self.clock_hz).core_hz or self.clock_hz
        ticks = f"{self.clock_hz / 1e6:g} MHz"
        return f"at {ticks}" if core == self.clock_hz else f"with ticks of {ticks}, core {core / 1e6:g} MHz"

    @property
    def bounded(self) -> tuple[Task, ...]:
        """The tasks of the rounds that have execution budgets."""
        return tuple(task for task in self.tasks if task.budget)

    @property
    def bounded_functions(self) -> tuple[Task, ...]:
        """The first task of each function that has an execution budget."""
        return tuple({task.entry: task for task in reversed(self.bounded)}.values())[::-1]

    @property
    def wrapped(self) -> tuple[str, ...]:
        """The functions in whose place others stand: of those that are recorded, and of tasks with execution budgets."""
        return tuple(dict.fromkeys([*self.traced, *(task.entry for task in self.bounded)]))

    @property
    def traced(self) -> tuple[str, ...]:
        """The functions whose starts and ends are recorded by what stands in their place, in the order of their numbers.

        They are those of the rounds' tasks and interrupts; and in a ring, those of ISRs.
        """
        if self.tracing is None:
            return ()
        isrs = [c_names.isr(isr.name) for isr in self.osek.isrs] if self.osek is not None and self.tracing.ring else []
        return tuple(dict.fromkeys([*(t.entry for t in self.tasks), *(i.handler for i in self.interrupts), *isrs]))

    @property
    def noted(self) -> tuple[OsekTask, ...]:
        """The event-triggered tasks of which the kernel tells the ring, in the order of their numbers."""
        known = self.tracing is not None and self.tracing.ring is not None and self.giotto is None
        return self.osek.tasks if known and self.osek is not None else ()

    @property
    def recorded(self) -> int:
        """How many numbers the ring has: if any of ``noted`` can wait, each of these has a second one for that."""
        return len(self.traced) + len(self.noted) * (2 if any(task.extended for task in self.noted) else 1)

    def task(self, name: str) -> Task:
        """The task of that name; KeyError if there is none."""
        return named(self.tasks, name)

    def interrupt(self, name: str) -> Interrupt:
        """The interrupt of that name; KeyError if there is none."""
        return named(self.interrupts, name)
