# SPDX-License-Identifier: Apache-2.0
"""Who had the processor when: what a run consists of.

:mod:`.walk` fills in handlers, stretches and runs while it follows the events, and :mod:`.analyse` the releases of runs; behind
that nobody changes them.

Units: ``t`` in ticks; ``n`` in instructions (QEMU) or cycles (simavr); ``u`` in fractions of a tick, see
:class:`Moment`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Release:
    """A nominal release: ``at`` and ``deadlines`` are absolute ticks from the start of the first round.

    ``point``: the mode, and the tick of its round; the same for all that should be alike.
    """

    task: str
    at: int
    deadlines: tuple[int, ...] = ()
    point: tuple[str, int] = ("", 0)


class Moment(NamedTuple):
    """When something happened, in three units.

    ``u`` is the time in units of ``1 / Summary.scale`` ticks.  It follows ``n`` as long as instructions pass
    evenly and jumps where they do not (a processor that sleeps executes none), and ``u // scale == t``.
    """

    t: int
    n: int
    u: int


class LaneKind(Enum):
    """Kinds of lanes: the holders of the processor; and schedule tables and pins, which never hold it."""

    TASK = "task"
    INTERRUPT = "interrupt"
    TABLE = "table"
    PIN = "pin"
    KERNEL = "kernel"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Lane:
    """One row of a timeline."""

    kind: LaneKind
    name: str


KERNEL = Lane(LaneKind.KERNEL, "kernel")


IDLE = Lane(LaneKind.IDLE, "idle")


class Segment(NamedTuple):
    """``lane`` had the processor in [begin, end).

    ``owner`` is an index into :attr:`Summary.runs` for tasks and interrupts, and into :attr:`Summary.handlers` for the kernel.
    It is -1 where there is none (idle, or a run whose start lies before the trace).
    """

    lane: Lane
    owner: int
    begin: Moment
    end: Moment


class HandlerKind(Enum):
    """The purpose of an interrupt: the first of these that applies."""

    ACTIVATION = "activation"  # it started a time-triggered task
    INTERRUPT = "interrupt"  # it started an interrupt of the application
    TASK = "task"  # it started an event-triggered task, or let one go on that had waited
    TIMER = "timer"  # it served a counter or an alarm
    DEADLINE = "deadline"  # it only checked deadlines
    OTHER = "other"  # nothing that the application sees: ticks, re-arming, control points


@dataclass(slots=True)
class Handler:
    """One interrupt taken.  ``end`` is None where the trace is cut; ``kernel_n`` is the kernel's part of it.

    ``timer``: it is that of a counter or an alarm.  ``started``: what it started.  ``met`` and ``missed`` count the deadlines
    that it checked.
    """

    object: str
    begin: Moment
    timer: bool
    end: Moment | None = None
    kernel_n: int = 0
    started: set[HandlerKind] = field(default_factory=set)
    met: int = 0
    missed: int = 0

    @property
    def kind(self) -> HandlerKind:
        """The purpose of the interrupt."""
        if self.timer:
            return HandlerKind.TIMER
        for kind in (HandlerKind.ACTIVATION, HandlerKind.INTERRUPT, HandlerKind.TASK):
            if kind in self.started:
                return kind
        return HandlerKind.DEADLINE if self.met + self.missed else HandlerKind.OTHER


@dataclass(slots=True)
class Stretch:
    """A part of a run from its start, or the end of a wait, to its end, or the next wait (None: the end of the trace).

    ``executed`` (unit ``n``) leaves out what preempted it.  ``dispatch`` is the instructions between the interrupt's entry and
    the task's first one.  ``terminate`` is those from the task's last one to the first of what ran next (a bare return: 1).  None
    where unknown.
    """

    begin: Moment
    dispatch: int | None
    end: Moment | None = None
    executed: int = 0
    terminate: int | None = None


@dataclass(slots=True)
class Run:
    """One activation as it ran; ``number`` counts from 1 for each task.

    ``end`` is the task's last instruction (None: still running when the trace ended).  ``from_idle``: nothing else was active
    when it began.  ``release``: the one that it answers.  ``expiry``: of what is event-triggered, the tick of the expiry that it
    answers; None if what activated it is not known, or is no expiry.  ``activation``: the tick at which it was activated, by an
    expiry or by anything else, and ``activated`` the same in ``u``; None if that is not known.
    An extended task's run has a stretch more than it has waits; any other has one.
    """

    lane: Lane
    number: int
    from_idle: bool
    stretches: list[Stretch]
    end: Moment | None = None
    preemptions: int = 0
    release: Release | None = None
    expiry: int | None = None
    activation: int | None = None
    activated: int | None = None

    @property
    def begin(self) -> Moment:
        """The task's first instruction."""
        return self.stretches[0].begin

    @property
    def since(self) -> int | None:
        """The tick from which its delay and its response count: its release, or its activation; None if neither is known."""
        return self.release.at if self.release is not None else self.activation

    @property
    def start_delay(self) -> int | None:
        """Ticks from then to its start."""
        return self.begin.t - self.since if self.since is not None else None

    @property
    def response(self) -> int | None:
        """Ticks from then to its end; of what is event-triggered and waits, to its first wait."""
        end = self.end if self.release is not None else self.stretches[0].end
        return end.t - self.since if self.since is not None and end is not None else None

    @property
    def executed(self) -> int:
        """The run's execution time, in units of ``n``."""
        return sum(stretch.executed for stretch in self.stretches)

    @property
    def dispatch(self) -> int | None:
        """The dispatch of the first stretch."""
        return self.stretches[0].dispatch

    @property
    def terminate(self) -> int | None:
        """The terminate of the last stretch."""
        return self.stretches[-1].terminate

    @property
    def waits(self) -> tuple[tuple[Moment, Moment | None], ...]:
        """The run's waits: the begin, and the end of each (None: the run waited when the trace ended)."""
        begins = [s.end for s in self.stretches if s.end is not None]
        ends = [s.begin for s in self.stretches[1:]]
        open_ended = len(ends) < len(begins) and self.end is None
        return tuple(zip(begins, [*ends, None] if open_ended else ends, strict=False))
