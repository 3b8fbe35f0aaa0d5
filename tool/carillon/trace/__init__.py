# SPDX-License-Identifier: Apache-2.0
"""Events of a run: the form in which every board reports what happened.

One JSON object a line: ``{"t": tick, "n": index, "event": kind, "object": name}``.  ``t`` counts ticks from the start of the
first round.  ``n`` is the index of the instruction (QEMU) or cycle (simavr) at which it happened, and equals ``t`` on virtual
boards.  Lines are ordered by ``n``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TextIO

from carillon.energy import Supply
from carillon.trace.course import Course
from carillon.trace.invocations import Invoked


class Kind(Enum):
    """What happened.  A task's own code runs between ``start`` and ``end``, less what preempts it."""

    EXPIRY = "expiry"  # an expiry point is due; object: task or interrupt it is for, or the schedule table it is of
    ACTIVATION = "activation"  # something else than an expiry activates what is event-triggered; object: the task or ISR
    ENTER = "enter"  # first instruction of an interrupt handler; object: what it serves
    START = "start"  # first instruction of a task (or application interrupt)
    PREEMPT = "preempt"  # a running task is interrupted; object: that task
    RESUME = "resume"  # it goes on
    WAIT = "wait"  # an extended task waits for an event; it goes on with ``resume``
    END = "end"  # the task's last instruction was executed
    EXIT = "exit"  # the handler's last instruction was executed
    DEADLINE_MET = "deadline_met"  # a deadline passed, its task had ended
    DEADLINE_MISSED = "deadline_missed"  # a deadline passed, its task had not ended
    LOST = "lost"  # an activation came while its task had all that it takes; object: the task
    BUDGET_OVERRUN = "budget_overrun"  # a job has used up an execution or lock budget; object: its task, or the ISR
    POINT = "point"  # the kernel serves a schedule table's point, at one level; object: the table
    IDLE = "idle"  # the idle task runs (again); object: "idle"
    STIMULUS = "stimulus"  # something happens from outside; object: what, such as "PD2=1"
    PIN = "pin"  # a pin has another level from here on; object: "PD2=1"


FROM_OUTSIDE = (Kind.STIMULUS, Kind.PIN)
"""What happens to the board, and not in it."""

ASIDE = (*FROM_OUTSIDE, Kind.ACTIVATION)
"""What says nothing about who has the processor."""


class Event(NamedTuple):
    """One event; see the module's text for the units.  A run has many, so that it is no dataclass."""

    t: int
    n: int
    kind: Kind
    object: str


@dataclass(frozen=True, slots=True)
class TableState:
    """A schedule table was started from tick ``begin`` to ``end``; or (``next``) named as the one that follows another."""

    name: str
    begin: int
    end: int
    next: bool = False


class Unseen(NamedTuple):
    """From ``begin`` to ``end`` (in ``n``), ``lost`` events were not seen; or at least so many, unless it is ``exact``."""

    begin: int
    end: int
    lost: int
    exact: bool

    @property
    def words(self) -> str:
        """How many they were."""
        return f"{'' if self.exact else 'at least '}{self.lost} event{'s' if self.lost != 1 else ''} lost"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of the processor: in ``words``, at ``pc`` (0: not known), which is ``where`` (a function and its line, or nothing).

    ``sp``: the stack pointer.  ``stacks``: of each stack, its name, its lowest address, its bytes, and those that were used.
    """

    words: str
    pc: int
    where: str
    sp: int
    stacks: tuple[tuple[str, int, int, int], ...] = ()

    @property
    def place(self) -> str:
        """Where it was, for a message."""
        return (f" at {self.pc:#x}" if self.pc else "") + (f", {self.where}" if self.where else "")

    def stack(self, name: str) -> str:
        """What is known of a task's own stack, for a message; empty if it has none."""
        for own, lowest, size, used in self.stacks:
            if own == name and lowest <= self.sp < lowest + size:
                return f"its stack: {used} of {size} bytes used"
            if own == name:
                return f"the stack pointer, {self.sp:#x}, is outside its stack, {lowest:#x} to {lowest + size - 1:#x}"
        return ""


@dataclass(frozen=True, slots=True)
class Trace:
    """A run's events with what is needed to read them.

    ``instructions_per_tick`` is 0 where code takes no time (virtual boards).  ``rounds`` is how many rounds were asked for, 0 if
    a time was; ``length`` how many ticks the run lasted; ``output`` is what the firmware wrote.  ``modes`` lists (tick, mode):
    when the first round of each mode in turn began; ``round_lengths`` has (mode, ticks of its round) for every mode.
    ``courses``: of each of ``modes``, when its rounds were, if the run tells.  ``stopped`` says why the firmware stopped before
    its time.  Of ``tasks`` and ``interrupts``, ``event_triggered`` has those of the event-triggered system, if there is one, ISRs
    and tasks each by falling priority.  ``equals`` has those of them that have one priority.  ``timers`` are its counters and
    alarms, which handlers can be for.  ``unit`` is what ``n`` counts where code takes time, and
    ``caveat`` what to know of that.  ``start_bounds`` has (task, ticks) for tasks that the plan lets start late: after so many
    ticks at most, but for what preempts them.  ``response_bounds``: the longest responses that the analysis allows, likewise.
    ``node`` is the node's name in a network, else empty.  ``tables`` says what is known of schedule tables; their points are
    among the events.  ``missed``: of a Giotto program, the tick and the task of each missed deadline; None of others.  The
    events have the task's lane, on cells that of its rate.  ``invocations``: of a Giotto
    program as microcode, the lane, and from when to when (in ``n``) its function was called; None: to the end of the trace.
    ``invoked``: of a Giotto program, the jobs of each task that have ended.
    ``captured``: recorded of a chip's tasks alone, so that nothing is known of the kernel.  ``unseen``: gaps in that.
    ``pins``: those that are watched, each with its level before tick 0; the events have the changes.
    ``supply``: what the processor draws; None where its board does not say.  ``frames``: of a run that a fault ended, each task
    with a stack of its own.  With it are the bytes of the stack, and those that its function takes by itself (None: not known).
    ``stacks_used``: how many bytes of each stack the run has used at most, where the emulator tells.
    ``fault``: that which ended the run; None of other runs, and where the emulator does not tell.
    """

    application: str
    board: str
    kernel: str
    clock_hz: int
    instructions_per_tick: int
    rounds: int
    length: int
    round_length: int
    tasks: tuple[str, ...]
    interrupts: tuple[str, ...]
    events: tuple[Event, ...]
    output: str = ""
    modes: tuple[tuple[int, str], ...] = ()
    round_lengths: tuple[tuple[str, int], ...] = ()
    courses: tuple[Course, ...] = ()
    stopped: str = ""
    event_triggered: tuple[str, ...] = ()
    equals: tuple[tuple[str, ...], ...] = ()
    timers: tuple[str, ...] = ()
    unit: str = "instructions"
    caveat: str = ""
    start_bounds: tuple[tuple[str, int], ...] = ()
    response_bounds: tuple[tuple[str, int], ...] = ()
    node: str = ""
    tables: tuple[TableState, ...] = ()
    missed: tuple[tuple[int, str], ...] | None = None
    invocations: tuple[tuple[str, int, int | None], ...] = ()
    invoked: tuple[Invoked, ...] = ()
    captured: bool = False
    unseen: tuple[Unseen, ...] = ()
    pins: tuple[tuple[str, int], ...] = ()
    supply: Supply | None = None
    frames: tuple[tuple[str, int, int | None], ...] = ()
    stacks_used: tuple[tuple[str, int], ...] = ()
    fault: Fault | None = None


def write_events(events: Iterable[Event], stream: TextIO) -> None:
    """Write the documented line form; same events, same bytes."""
    for event in events:
        stream.write(json.dumps({"t": event.t, "n": event.n, "event": event.kind.value, "object": event.object}) + "\n")
