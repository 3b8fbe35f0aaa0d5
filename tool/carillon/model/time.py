# SPDX-License-Identifier: Apache-2.0
"""The model of the time services: the clock that drives the queue of timed events, and the time slices of threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from carillon.diagnostics import Span


class ClockKind(Enum):
    """How the clock's timer works (``kernel/clock/clock.h``)."""

    PERIODIC = "periodic"  # interrupts once a tick
    ONE_SHOT = "one-shot"  # counts down to the next event
    COMPARE = "compare"  # counts for ever, and interrupts where it equals a register


class TimedKind(Enum):
    """What an event of the time services does when it is due; and what else asks for code wherever tasks are activated or end."""

    DELAY = "delays"  # a task goes on that waits for a time
    TIMEOUT = "time-outs"  # a task goes on that waits for a semaphore, but no longer than some time
    FUNCTION = "functions"  # the others are alarms: they call a function,
    TASK = "tasks"  # activate a task,
    EVENT = "events"  # set events of a task,
    SEMAPHORE = "semaphores"  # or give a semaphore a unit
    SUSPENSION = "suspensions"  # no event: a thread goes on that has suspended itself
    JOIN = "joins"  # no event: a task goes on that waits for a thread's end


class QueueKind(Enum):
    """What the queue of timed events is made of."""

    LIST = "list"
    TREE = "tree"


@dataclass(frozen=True, slots=True)
class Period:
    """A period that the application will ask for, in ticks of :attr:`carillon.model.System.clock_hz`.

    ``thread``: of the thread of that name, which waits for it with ``carillon_delay_until``; None: of an alarm.
    """

    ticks: Fraction
    thread: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Automatic:
    """The tool chooses the kind of the clock.  ``tick``: that of a periodic clock, if one is written, in system ticks."""

    tick: int | None


@dataclass(frozen=True, slots=True)
class TimeServices:
    """The ``[time]`` of a schedule.

    ``tick``: a tick of time in ticks of :attr:`carillon.model.System.clock_hz`; None: one unit of the clock's cell.  ``bits`` of
    a time in C. ``longest``: the longest time that occurs, in ticks of :attr:`System.clock_hz`, None if there is none.
    ``longest_lock``: for how many of those interrupts are held back at most, None if nobody says.  ``slice``: of threads of equal
    priority, in ticks of the system clock, None if there is none.  ``now``: the time is kept while nothing waits, so that it can
    be asked for.  ``uses``: the kinds of events that the application has; the kernel has no code for others.  ``periods``: what
    is known of the use, for advice; nothing is generated from it.  ``spans``: where each key's value stands, or the table if it
    is not written.  ``tickless``: the clock tells the ticks of the hardware counters.  ``beat``: a tick of the machine of
    microcode in ticks of the system clock, if the clock wakes it and is its alone.  ``uptime``: the time since the start is kept
    in 64 bits, too.  ``automatic``: ``clock`` and ``tick`` are the tool's choice; before a plan,
    they are those that it tries first.  ``slack``: the longest of an alarm, in ticks of the system clock, None if none has any.
    ``rtc``: the calendar is the board's real-time clock, and is not counted.  ``kept``: the longest execution or lock budget that
    the clock keeps, in ticks of the system clock; 0 if it keeps none.  ``heap``: bytes for objects of programs for CMSIS-RTOS2
    and FreeRTOS, 0 if there are none.
    """

    clock: ClockKind
    tick: int | None
    bits: int
    longest: int | None
    queue: QueueKind
    slice: int | None
    now: bool
    span: Span
    spans: Mapping[str, Span]
    periods: tuple[Period, ...] = ()
    uses: frozenset[TimedKind] = frozenset(TimedKind)
    longest_lock: int | None = None
    tickless: bool = False
    beat: int | None = None
    uptime: bool = False
    automatic: Automatic | None = None
    slack: int | None = None
    rtc: bool = False
    kept: int = 0
    heap: int = 0
