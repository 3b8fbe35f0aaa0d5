# SPDX-License-Identifier: Apache-2.0
"""What a schedule means: docs/SPEC.md, "Meaning", played through tick by tick.

Nothing here comes from the tool.  Code takes no time but for its work, unless ``Costs`` say so.  Who preempts whom is
the specification's: an activation preempts whatever task runs.  Only where a job outlasts its window does it depend on
the levels of the plan, which are data (:class:`Carrier`): then the model is one of an interrupt controller.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import inf

# Jobs: what a task or an interrupt does each time that it runs.


@dataclass(frozen=True, slots=True)
class Work:
    """Keep the processor busy for so many ticks."""

    ticks: int


@dataclass(frozen=True, slots=True)
class Pend:
    """Request an interrupt of the application."""

    interrupt: str


@dataclass(frozen=True, slots=True)
class Switch:
    """Ask for a mode."""

    mode: str


Step = Work | Pend | Switch
Job = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """The jobs of one task or interrupt: the usual one, and others by their number, from 0."""

    usual: Job
    others: dict[int, Job] = field(default_factory=dict)

    def job(self, number: int) -> Job:
        return self.others.get(number, self.usual)


# Schedules.


@dataclass(frozen=True, slots=True)
class Task:
    name: str
    wcet: int = 0  # 0: none
    monitor: str = "always"
    period: int = 0  # 0: activated by points
    offset: int = 0
    deadlines: tuple[int, ...] = ()  # of a periodic one
    vouched: bool = False  # that it has ended when it is activated again


@dataclass(frozen=True, slots=True)
class Interrupt:
    name: str
    source: str
    above: bool = True


@dataclass(frozen=True, slots=True)
class Activation:
    at: int
    task: str
    deadlines: tuple[int, ...] = ()  # ticks of the round


@dataclass(frozen=True, slots=True)
class Enable:
    at: int
    interrupt: str


@dataclass(frozen=True, slots=True)
class Mode:
    """A round.  ``activations`` has those of its periodic tasks too, which are not written down as points."""

    name: str
    length: int
    window: str = "deadline"
    activations: tuple[Activation, ...] = ()
    enables: tuple[Enable, ...] = ()


@dataclass(frozen=True, slots=True)
class Schedule:
    tasks: tuple[Task, ...]
    modes: tuple[Mode, ...]
    interrupts: tuple[Interrupt, ...] = ()
    shutdown: bool = True  # on a missed deadline
    scripts: dict[str, Script] = field(default_factory=dict)
    length: int = 0  # of the run, in ticks
    start: str = ""  # the first mode; empty: the first of all

    def mode(self, name: str) -> Mode:
        return next(m for m in self.modes if m.name == name)

    def task(self, name: str) -> Task:
        return next(t for t in self.tasks if t.name == name)

    @property
    def gated(self) -> frozenset[str]:
        """The interrupts that re-enable points let through."""
        return frozenset(e.interrupt for m in self.modes for e in m.enables)


# The plan, as data.


@dataclass(frozen=True, slots=True)
class Carrier:
    """An interrupt source and the ticks of the round at which it asks, on behalf of a task."""

    deadline: bool  # watches, does not start
    task: str
    points: frozenset[int]
    source: int
    level: float
    lowered: bool = False
    shared: bool = False  # one cell, moved from point to point
    tabled: bool = False  # in a table, whose handler looks at each point
    turn: int = 0  # among those that have its source too: the order in which the handler asks their cells
    cells: tuple[frozenset[int], ...] = ()  # the points of each, of several, which the handler asks one after the other
    gate: int = -1  # what its task opens to be watched, if not its source: a cell that is enabled by itself

    def cell(self, point: int) -> int:
        """Which of its cells asks at a point."""
        return next((k for k, points in enumerate(self.cells) if point in points), 0)

    @property
    def armed(self) -> int:
        """What must be open for it to interrupt."""
        return self.source if self.gate < 0 else self.gate


@dataclass(frozen=True, slots=True)
class Plan:
    """What carries a mode: None for levels that keep the specification's order whatever happens."""

    carriers: tuple[Carrier, ...]
    control_at: int | None = None
    gap: int = 0  # between the round's end and the next mode's first round
    sources: dict[str, int] = field(default_factory=dict)  # of the interrupts
    conventional: bool = False  # one timer for all; and a mode that runs does not begin anew if asked for
    table: bool = False  # what is due interrupts, even if nothing comes of it


@dataclass(frozen=True, slots=True)
class Costs:
    """What the kernel's code takes at most, in ticks: where code takes time, a run lies between none and this."""

    begin: int = 0  # from an interrupt to the first instruction
    end: int = 0  # from the last instruction to what follows
    hook: int = 0  # a missed deadline
    step: int = 0  # each step of a job
    guard: int = 0  # a handler that finds its task running or waiting


# What happens.


@dataclass(frozen=True, slots=True, order=True)
class Happening:
    t: int
    what: str  # start, end, preempt, resume
    who: str


@dataclass
class Expected:
    happenings: list[Happening] = field(default_factory=list)
    verdicts: list[tuple[int, str, bool]] = field(default_factory=list)  # tick, task, whether met
    hooks: list[tuple[int, str]] = field(default_factory=list)
    modes: list[tuple[int, str]] = field(default_factory=list)
    expiries: list[tuple[int, str]] = field(default_factory=list)
    enables: list[int] = field(default_factory=list)
    starts: int = 0
    undelayed: dict[int, tuple[str, str, int, int]] = field(default_factory=dict)  # start's number: mode, task, source, cell
    spans: list[tuple[str, int, int, int]] = field(default_factory=list)  # job: task, released, started, ended
    absorbed: int = 0
    waited: int = 0
    crossed: int = 0  # of these, at another source than what ran or waited
    switches: int = 0
    lost_deadlines: set[tuple[int, str]] = field(default_factory=set)  # of activations that never ran
    broken: int | None = None  # first tick at which an activation did not preempt what ran
    certain: float = inf  # from this tick on the specification leaves open what happens
    stopped: int | None = None
    end: int = 0
    vain: bool = False  # a task was activated again, of which its author vouches that it is not


@dataclass
class _Frame:
    who: str
    level: float
    steps: list[Step]
    carrier: Carrier | None  # None: an interrupt
    released: int
    started: int
    cost: int  # of the prologue, then of steps and the epilogue: time to pass before going on
    least: float  # level, if another of the carriers whose requests are one waiting activation counts
    most: float
    carriers: frozenset[Carrier] = frozenset()  # that may have started it, or what it went on from
    begun: bool = False
    ending: bool = False


BELOW = 0.5  # the level of interrupts below the tasks: above idle


class Machine:
    """Plays a schedule."""

    def __init__(self, schedule: Schedule, plans: dict[str, Plan] | None, by_time: bool, costs: Costs | None) -> None:
        self.schedule = schedule
        self.plans = plans
        self.by_time = by_time or plans is None  # no levels: whatever comes later preempts
        self.costs = costs or Costs()
        self.result = Expected()
        self.frames: list[_Frame] = []
        self.waiting: dict[str, tuple[Carrier, int, set[Carrier]]] = {}  # who, since when, and who was absorbed by it
        self.requests: dict[str, int] = {}  # interrupts that were requested, since when
        self.open = {i.name: True for i in schedule.interrupts}
        self.interrupts = {i.name: i for i in schedule.interrupts}
        self.jobs: dict[str, int] = {}
        self.armed: set[int] = set()
        self.held: list[tuple[int, Carrier]] = []  # missed deadlines that an interrupt above tasks holds back
        self.wanted: str | None = None
        self.now = 0
        self.events: list[tuple[int, int, int, str, object]] = []
        self.count = 0
        self.mode = schedule.mode(schedule.start) if schedule.start else schedule.modes[0]
        self.enter(self.mode, 0)

    # Rounds.

    def carriers(self, mode: Mode) -> tuple[Carrier, ...]:
        if self.plans is not None:
            return self.plans[mode.name].carriers
        found = [Carrier(False, a.task, frozenset((a.at,)), n, 1) for n, a in enumerate(mode.activations)]
        found += [
            Carrier(True, a.task, frozenset((d % mode.length,)), 1000 + n, inf)
            for n, (a, d) in enumerate((a, d) for a in mode.activations for d in a.deadlines)
        ]
        return tuple(found)

    def enter(self, mode: Mode, start: int) -> None:
        self.mode = mode
        self.result.modes.append((start, mode.name))
        self.active = self.carriers(mode)
        self.armed.clear()
        self.round(start)

    def push(self, t: int, order: int, what: str, of: object) -> None:
        self.count += 1
        heapq.heappush(self.events, (t, order, self.count, what, of))

    def watch(self, task: str, point: int) -> int:
        """The source that watches a deadline; a table's come last."""
        return min((c.source for c in self.active if c.deadline and c.task == task and point in c.points), default=0)

    began = 0  # the round

    def round(self, start: int) -> None:
        mode = self.mode
        self.began = start
        for a in mode.activations:
            self.push(start + a.at, 3, "activate", a)
        due = [(start + d, a.task, d % mode.length) for a in mode.activations for d in a.deadlines]
        for t, task, point in sorted(due, key=lambda d: self.watch(d[1], d[2])):  # on one tick, the first source comes first
            self.push(t, 0, "deadline", (task, point))
        for e in mode.enables:
            self.push(start + e.at, 2, "enable", e)
        if self.plans is not None and self.plans[mode.name].control_at is not None:
            self.push(start + (self.plans[mode.name].control_at or 0), 1, "control", start)
        self.push(start + mode.length, 1, "round", start)

    # What runs.

    def level(self) -> float:
        return max((f.level for f in self.frames), default=0)

    def open_from(self, t: float) -> None:
        """The specification does not say what happens from this tick on."""
        self.result.certain = min(self.result.certain, t)

    def busy(self, task: str) -> bool:
        return any(f.who == task and f.carrier is not None for f in self.frames)

    def say(self, what: str, who: str) -> None:
        self.result.happenings.append(Happening(self.now, what, who))

    def dispatch(self) -> bool:
        """Take the interrupt that is due, if one is."""
        level = self.level()
        least, most = (max((of(f) for f in self.frames), default=0) for of in (lambda f: f.least, lambda f: f.most))
        interrupted = any(f.carrier is None and self.interrupts[f.who].above for f in self.frames)
        found: list[tuple[float, int, int, str]] = []
        unclear = False
        for task, (carrier, _, others) in self.waiting.items():
            if self.busy(task):
                continue
            if not interrupted if self.by_time else carrier.level > level:
                found.append((-carrier.level, carrier.source, carrier.turn, task))
            if not self.by_time:
                unclear |= len({c.level > x for c in others for x in (least, most)}) > 1
                unclear |= len(others) > 1 and any(
                    min(c.level for c in others) <= o.level <= max(c.level for c in others)
                    for name, (o, _, _) in self.waiting.items()
                    if name != task and not self.busy(name)
                )
        if unclear:
            self.open_from(self.now)
        top = max((c.level for c in self.active if not c.deadline), default=1) + 0.5
        for name in self.requests:
            interrupt = self.interrupts[name]
            own = top if interrupt.above else BELOW
            fits = (not interrupted if self.by_time and interrupt.above else own > level) and self.open[name]
            source = self.plans[self.mode.name].sources[name] if self.plans is not None else 0
            if fits and not (not interrupt.above and self.frames):
                found.append((-own, source, 0, name))
        if (
            self.held
            and not interrupted
            and not any(name in self.interrupts and self.interrupts[name].above for *_, name in found)
        ):
            held, self.held = self.held, []
            for t, carrier in held:
                self.check(t, carrier)
            return True
        if not found:
            return False
        if self.by_time and len(found) > 1:  # nothing says in which order they are taken
            self.open_from(self.now)
        *_, name = min(found)
        below = any(self.open[n] and not self.interrupts[n].above for n in self.requests)
        if self.costs.begin and name not in self.interrupts and not self.frames and below:
            self.open_from(self.now)  # an interrupt below may be entered first, and be requested again before it begins
        if self.frames and not self.preempted:
            self.say("preempt", self.frames[-1].who)
        self.preempted = False
        if name in self.interrupts:
            self.requests.pop(name)
            if name in self.schedule.gated:
                self.open[name] = False
            self.begin(name, {top if self.interrupts[name].above else BELOW}, None, self.now)
        else:
            carrier, released, others = self.waiting.pop(name)
            # A lowered task runs at the level of what it preempted, but above the interrupts below tasks.
            levels = [BELOW if c.lowered else c.level for c in (carrier, *others)]
            self.begin(name, set(levels), carrier, released, levels[0], {carrier, *others})
        return True

    def begin(
        self,
        who: str,
        levels: set[float],
        carrier: Carrier | None,
        released: int,
        level: float | None = None,
        carriers: Iterable[Carrier] = (),
    ) -> None:
        number = self.jobs.get(who, 0)
        self.jobs[who] = number + 1
        steps = list(self.schedule.scripts[who].job(number))
        level = max(levels) if level is None else level
        cost = self.costs.begin
        frame = _Frame(who, level, steps, carrier, released, self.now, cost, min(levels), max(levels), frozenset(carriers))
        self.frames.append(frame)
        if carrier is not None:
            self.armed |= {c.armed for c in self.active if c.deadline and c.task == who and not c.shared}
        if not frame.cost:
            self.started()

    def started(self) -> None:
        frame = self.frames[-1]
        frame.begun = True
        # A table's handler looks at its entries of this tick before, also where nothing comes of it.
        within = (frame.started - self.began) % self.mode.length
        tabled = any(c.tabled and c is not frame.carrier and within in c.points for c in self.active)
        if frame.carrier is not None and not tabled and frame.released == frame.started != self.kernel:
            self.result.undelayed[self.result.starts] = (
                self.mode.name,
                frame.who,
                frame.carrier.source,
                frame.carrier.cell(within),
            )
        self.result.starts += 1
        self.say("start", frame.who)

    preempted = False  # what is innermost was preempted, and did not go on yet

    def ended(self) -> None:
        frame = self.frames.pop()
        self.result.spans.append((frame.who, frame.released, frame.started, self.now))
        if frame.carrier is not None:
            self.armed -= {c.armed for c in self.active if c.deadline and c.task == frame.who}
        self.preempted = bool(self.frames)

    def step(self) -> None:
        """Go on with what is innermost: something that takes no time."""
        frame = self.frames[-1]
        if not frame.begun:
            self.started()
            return
        if frame.ending:
            self.ended()
            return
        if not frame.steps:
            self.say("end", frame.who)
            frame.ending = True
            frame.cost = self.costs.end
            if not frame.cost:
                self.ended()
            return
        step = frame.steps[0]
        if isinstance(step, Work):
            frame.cost += self.costs.step
            frame.steps[0] = Work(0)
            frame.cost += step.ticks
            if step.ticks == 0:
                frame.cost -= self.costs.step
                frame.steps.pop(0)
            return
        frame.steps.pop(0)
        frame.cost += self.costs.step
        if isinstance(step, Pend):
            self.requests.setdefault(step.interrupt, self.now)
        else:
            self.wanted = step.mode

    kernel = -1  # the last tick at which the kernel had something else to do

    # Time.

    def play(self) -> Expected:
        result = self.result
        while self.now < self.schedule.length and result.stopped is None:
            while self.events and self.events[0][0] <= self.now and result.stopped is None:
                self.happen()
            if result.stopped is not None:
                break
            if self.dispatch():
                continue
            if self.preempted:
                self.preempted = False
                self.say("resume", self.frames[-1].who)
            if self.frames and not self.frames[-1].cost:
                self.step()
                continue
            upcoming = self.events[0][0]
            if self.frames:
                frame = self.frames[-1]
                until = min(upcoming, self.now + frame.cost)
                frame.cost -= until - self.now
                self.now = until
            else:
                self.now = upcoming
        result.end = min(self.now, self.schedule.length)
        result.spans += [(f.who, f.released, f.started, 10**18) for f in self.frames]  # that have not ended
        return result

    def happen(self) -> None:
        t, _, _, what, of = heapq.heappop(self.events)
        result = self.result
        if t >= self.schedule.length:
            self.now = t
            return
        if self.frames and self.plans is not None and self.plans[self.mode.name].table:
            self.frames[-1].cost += self.costs.hook
        if what == "activate":
            assert isinstance(of, Activation)
            result.expiries.append((t, of.task))
            self.activate(of, t)
        elif what == "deadline":
            task, point = of  # type: ignore[misc]
            self.deadline(t, task, point)
        elif what == "enable":
            assert isinstance(of, Enable)
            result.enables.append(t)
            result.expiries.append((t, of.interrupt))
            self.open[of.interrupt] = True
            self.kernel = t
            within = (t - self.began) % self.mode.length
            at_once = self.interrupts[of.interrupt].above and of.interrupt in self.requests
            if at_once and any(c.tabled and within in c.points for c in self.active):
                self.open_from(t)  # it preempts the table's handler, which has read the time, and begins no task yet
        elif what == "control":
            self.control(of)  # type: ignore[arg-type]
        else:
            self.round(t)

    def activate(self, of: Activation, t: int) -> None:
        carrier = next(c for c in self.active if not c.deadline and c.task == of.task and of.at in c.points)
        self.kernel = t if carrier.tabled else self.kernel
        for frame, above in pairwise(self.frames):
            at_once = frame.carrier is not None and above.carrier is not None and frame.started == above.started
            if at_once and frame.who == of.task and frame.carrier.tabled and above.carrier.tabled:  # type: ignore[union-attr]
                self.open_from(t)  # of two that were held back the table begins the later first: the earlier has not begun
        if self.frames and (of.task in self.waiting or self.busy(of.task)):
            self.frames[-1].cost += self.costs.guard
        if self.schedule.task(of.task).vouched and (of.task in self.waiting or self.busy(of.task)):
            self.result.vain = True
        if of.task in self.waiting:
            self.result.absorbed += 1
            first, since, others = self.waiting[of.task]
            self.result.crossed += first.source != carrier.source
            self.waiting[of.task] = (first, since, others | {carrier})
            least = max((f.least for f in self.frames), default=0)
            if first.source != carrier.source and not self.busy(of.task) and carrier.level > least:
                self.open_from(t)  # it could run at once, and leave the other waiting
            self.result.lost_deadlines |= {(t - of.at + d, of.task) for d in of.deadlines}
            return
        if self.busy(of.task):
            self.result.waited += 1
            self.result.crossed += any(f.who == of.task and f.carrier and f.carrier.source != carrier.source for f in self.frames)
        running = [f for f in self.frames if f.carrier is not None]
        held = any(f.carrier is None and self.interrupts[f.who].above for f in self.frames)
        if held or (running and not self.busy(of.task) and not self.by_time and carrier.level <= self.level()):
            self.broken(t)
        # What waits may begin at its own source's level, or go on at that of what it waits for.
        own = {c for f in self.frames if f.who == of.task for c in f.carriers}
        self.waiting[of.task] = (carrier, t, {carrier} | own)

    def broken(self, t: int) -> None:
        if self.result.broken is None:
            self.result.broken = t

    def deadline(self, t: int, task: str, point: int) -> None:
        unfinished = self.busy_before_end(task) or task in self.waiting
        self.result.verdicts.append((t, task, not unfinished))
        for carrier in [c for c in self.active if c.deadline and c.task == task and point in c.points]:
            self.kernel = t if carrier.tabled or carrier.shared else self.kernel
            if unfinished if carrier.shared else carrier.armed in self.armed:
                if (
                    not self.by_time
                    and carrier.lowered
                    and any(f.carrier is None and self.interrupts[f.who].above for f in self.frames)
                ):
                    self.held.append((t, carrier))  # a table's, which is below such interrupts
                else:
                    self.check(t, carrier)

    def check(self, t: int, carrier: Carrier) -> None:
        """Say that a deadline was missed."""
        if self.result.stopped is not None:
            return
        if self.by_time and self.frames[-1].carrier is None:
            self.open_from(t)  # without levels an interrupt above tasks delays deadlines too
        self.result.hooks.append((self.now, carrier.task))
        self.kernel = self.now
        if self.frames:
            self.frames[-1].cost += self.costs.hook
        if self.schedule.shutdown:
            self.result.stopped = self.now
            # An activation on this tick may come before the deadline, where no levels say otherwise.
            due = {of.task for at, *_, of in self.events if at == self.now and isinstance(of, Activation)}
            self.result.vain |= self.by_time and any(self.schedule.task(name).vouched and self.busy(name) for name in due)

    def busy_before_end(self, task: str) -> bool:
        return any(f.who == task and f.carrier is not None and not f.ending for f in self.frames)

    def control(self, start: int) -> None:
        if self.wanted is not None and self.frames:
            self.frames[-1].cost += self.costs.hook
            self.kernel = self.now
        if self.wanted is None or self.frames or self.waiting:
            return
        plan = (self.plans or {})[self.mode.name]
        if self.wanted == self.mode.name and plan.conventional:
            return
        mode = self.schedule.mode(self.wanted)
        self.wanted = None
        self.result.switches += 1
        begin = start + self.mode.length + plan.gap
        if begin >= self.schedule.length:  # no record says of a switch that it was decided, before the next mode begins
            self.result.certain = min(self.result.certain, start + self.mode.length)
        # What is left of the round are deadlines at its end, of tasks that have ended.
        for at, _, _, what, of in sorted(self.events, key=lambda e: e[:3]):
            if what == "deadline" and at <= start + self.mode.length:
                self.result.verdicts.append((at, of[0], True))  # type: ignore[index]
        self.events.clear()
        self.enter(mode, begin)


def expected(schedule: Schedule, plans: dict[str, Plan] | None, *, by_time: bool = False, costs: Costs | None = None) -> Expected:
    return Machine(schedule, plans, by_time, costs).play()


def windows(schedule: Schedule, mode: Mode) -> dict[int, int]:
    """Until when each activation of a round may run, by its tick (docs/guide/priorities.md)."""
    if mode.window == "wcet":
        alone = replace(
            schedule,
            modes=(replace(mode, activations=tuple(replace(a, deadlines=()) for a in mode.activations), enables=()),),
            interrupts=(),
            scripts={t.name: Script((Work(t.wcet),)) for t in schedule.tasks},
            length=2 * mode.length,
            start="",
        )
        spans = expected(alone, None).spans
        return {released: min(end, mode.length) for _, released, _, end in spans if released < mode.length}
    watched = {t.name for t in schedule.tasks if t.monitor == "always"}
    return {a.at: max(a.deadlines) if a.deadlines and a.task in watched else mode.length for a in mode.activations}
