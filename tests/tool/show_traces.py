# SPDX-License-Identifier: Apache-2.0
"""A small scheduler that produces traces for the tests of the analysis and of the pictures.

Stack-based, as OSEKtime prescribes: each activation preempts what runs.  ``deadline_cost`` is None where
deadlines are watched without interrupts, else the instructions of a deadline interrupt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from carillon.trace import Event, Kind, Trace
from carillon.trace.timeline import Release

ROUND = 1000
PAPER = (  # task, activation, deadline: the round of figure 1 of the paper
    ("Task1", 100, 700),
    ("Task2", 250, 600),
    ("Task3", 400, 900),
)
WORK = {"Task1": 180, "Task2": 130, "Task3": 230}


@dataclass(frozen=True)
class Point:
    at: int
    kind: str  # "deadline", "activation" or "interrupt"
    object: str


class Simulator:
    def __init__(
        self,
        points: Sequence[Point],
        work: Mapping[str, int],
        per_tick: int,
        dispatch: int,
        terminate: int,
        deadline_cost: int | None,
    ) -> None:
        self.scale = max(1, per_tick)
        self.per_tick = per_tick
        order = {"deadline": 0, "activation": 1, "interrupt": 2}
        self.points = sorted(points, key=lambda p: (p.at, order[p.kind]))
        self.work = work
        self.dispatch, self.terminate, self.deadline_cost = dispatch, terminate, deadline_cost
        self.position = 0
        self.now = 0
        self.active: list[str] = []
        self.events: list[Event] = []

    def emit(self, kind: Kind, name: str, back: int = 0) -> None:
        n = self.now - back
        self.events.append(Event(n // self.scale, n, kind, name))

    def run(self, length: int) -> tuple[Event, ...]:
        self.emit(Kind.IDLE, "idle")
        self.spend(length * self.scale, None)
        return tuple(self.events)

    def due(self) -> int | None:
        return self.points[self.position].at * self.scale if self.position < len(self.points) else None

    def spend(self, amount: int, task: str | None) -> None:
        """``amount`` instructions of a task; of idle (None): until that time."""
        while True:
            due = self.due()
            left = amount if task else amount - self.now
            if due is None or due >= self.now + left:
                self.now += left
                return
            ran = max(0, due - self.now)
            self.now += ran
            amount -= ran if task else 0
            before = len(self.events)
            if task:
                self.emit(Kind.PREEMPT, task)
            while (due := self.due()) is not None and due <= self.now:
                self.position += 1
                self.handle(self.points[self.position - 1])
            if len(self.events) == before + bool(task):
                del self.events[before:]
            else:
                self.emit(Kind.RESUME if task else Kind.IDLE, task or "idle")

    def handle(self, point: Point) -> None:
        if point.kind == "deadline":
            late = point.object in self.active
            if self.deadline_cost is None and not late:
                return
            self.emit(Kind.ENTER, point.object)
            self.now += (self.deadline_cost or 20) if self.per_tick else 0
            self.emit(Kind.DEADLINE_MISSED if late else Kind.DEADLINE_MET, point.object)
            self.emit(Kind.EXIT, point.object)
            return
        code = bool(self.per_tick)
        self.emit(Kind.ENTER, point.object)
        self.now += self.dispatch * code
        self.active.append(point.object)
        self.emit(Kind.START, point.object)
        self.spend(self.work[point.object] * self.scale, point.object)
        self.emit(Kind.END, point.object, back=int(code))
        self.active.remove(point.object)
        self.now += self.terminate * code
        self.emit(Kind.EXIT, point.object)


def releases(rounds: int = 1, table: Sequence[tuple[str, int, int]] = PAPER, length: int = ROUND) -> tuple[Release, ...]:
    return tuple(
        Release(task, base + at, (base + deadline,)) for base in range(0, rounds * length, length) for task, at, deadline in table
    )


def trace(
    kernel: str = "carillon",
    *,
    rounds: int = 1,
    per_tick: int = 0,
    dispatch: int = 0,
    terminate: int = 0,
    deadline_cost: int | None = None,
    work: Mapping[str, int] | None = None,
    table: Sequence[tuple[str, int, int]] = PAPER,
    length: int = ROUND,
    interrupts: Mapping[str, Sequence[int]] | None = None,
    clock_hz: int = 1_000_000,
) -> Trace:
    """A trace of the table's round; ``interrupts`` gives the absolute ticks of application interrupts, work 15 each."""
    points = [Point(r.at, "activation", r.task) for r in releases(rounds, table, length)]
    points += [Point(d, "deadline", r.task) for r in releases(rounds, table, length) for d in r.deadlines]
    amounts = dict(work or WORK)
    for name, times in (interrupts or {}).items():
        points += [Point(at, "interrupt", name) for at in times]
        amounts.setdefault(name, 15)
    simulator = Simulator(points, amounts, per_tick, dispatch, terminate, deadline_cost)
    return Trace(
        application="paper",
        board="tc1796" if not per_tick else "ast1030-evb",
        kernel=kernel,
        clock_hz=clock_hz,
        instructions_per_tick=per_tick,
        rounds=rounds,
        length=rounds * length,
        round_length=length,
        tasks=tuple(name for name, _, _ in table),
        interrupts=tuple(interrupts or {}),
        events=simulator.run(rounds * length),
    )


def carillon(rounds: int = 2, **more: object) -> Trace:
    return trace("carillon", rounds=rounds, per_tick=12, dispatch=0, terminate=5, **more)  # type: ignore[arg-type]


def conventional(rounds: int = 2, **more: object) -> Trace:
    return trace("conventional", rounds=rounds, per_tick=12, dispatch=96, terminate=60, deadline_cost=95, **more)  # type: ignore[arg-type]


SYSTEM = (  # n, kind, object: an ISR above three tasks; Server waits for events, Alarm's cell activates Blink
    (40, Kind.ENTER, "Server"),
    (50, Kind.START, "Server"),
    (69, Kind.WAIT, "Server"),
    (80, Kind.EXIT, "Server"),
    (80, Kind.ENTER, "Low"),
    (90, Kind.START, "Low"),
    (200, Kind.EXPIRY, "Blink"),
    (200, Kind.PREEMPT, "Low"),
    (200, Kind.ENTER, "Blink"),
    (200, Kind.START, "Blink"),
    (259, Kind.END, "Blink"),
    (260, Kind.EXIT, "Blink"),
    (260, Kind.RESUME, "Low"),
    (300, Kind.PREEMPT, "Low"),
    (300, Kind.ENTER, "Button"),
    (300, Kind.START, "Button"),
    (329, Kind.END, "Button"),
    (330, Kind.EXIT, "Button"),
    (330, Kind.RESUME, "Low"),
    (330, Kind.PREEMPT, "Low"),
    (330, Kind.ENTER, "Server"),
    (345, Kind.RESUME, "Server"),
    (400, Kind.PREEMPT, "Server"),
    (400, Kind.ENTER, "Clock"),
    (430, Kind.EXIT, "Clock"),
    (430, Kind.RESUME, "Server"),
    (499, Kind.WAIT, "Server"),
    (510, Kind.EXIT, "Server"),
    (510, Kind.RESUME, "Low"),
    (649, Kind.END, "Low"),
    (660, Kind.EXIT, "Low"),
    (660, Kind.IDLE, "idle"),
    (700, Kind.EXPIRY, "Blink"),
    (700, Kind.ENTER, "Blink"),
    (700, Kind.START, "Blink"),
    (739, Kind.END, "Blink"),
    (740, Kind.EXIT, "Blink"),
    (740, Kind.IDLE, "idle"),
)
TIMED = (  # preempts Server and, in idle, nobody
    (450, Kind.EXPIRY, "Timed"),
    (450, Kind.PREEMPT, "Server"),
    (450, Kind.ENTER, "Timed"),
    (450, Kind.START, "Timed"),
    (479, Kind.END, "Timed"),
    (480, Kind.EXIT, "Timed"),
    (480, Kind.RESUME, "Server"),
)


def osek(mixed: bool = False, per_tick: int = 1) -> Trace:
    """A trace of an event-triggered system; ``mixed``: with a time-triggered task above it, released at tick 450."""
    records = sorted((*SYSTEM, *(TIMED if mixed else ())), key=lambda record: record[0])
    return Trace(
        application="events",
        board="ast1030-evb" if per_tick else "tc1796",
        kernel="carillon",
        clock_hz=1_000_000,
        instructions_per_tick=per_tick,
        rounds=0,
        length=1000,
        round_length=1000,
        tasks=(*(["Timed"] if mixed else []), "Blink", "Server", "Low"),
        interrupts=("Button",),
        events=tuple(Event(n, n, kind, name) for n, kind, name in records),
        modes=((0, "normal"),) if mixed else (),
        event_triggered=("Button", "Blink", "Server", "Low"),
        timers=("Clock", "Alarm"),
    )


def osek_releases(mixed: bool = False) -> tuple[Release, ...]:
    return (Release("Timed", 450, (700,)),) if mixed else ()
