# SPDX-License-Identifier: Apache-2.0
"""Everything of an image that takes the processor, as flows of jobs at levels, for the analysis of response times.

Levels, from the lowest up: those of the event-triggered system (:mod:`carillon.allocate.osek`), the interrupts below tasks, the
rounds, the interrupts above tasks.  Times are in fractions of a tick: instructions or cycles where code takes time
(:attr:`Flows.scale` of them are a tick), else ticks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from carillon.allocate.osek import OsekAllocation
from carillon.allocate.result import Carrier
from carillon.check.simulation import KernelTime
from carillon.image import Image
from carillon.model import Interrupt, Mode, System
from carillon.model.declared import Declared
from carillon.model.osek import RES_SCHEDULER, AlarmAction, Callback, Isr, OsekTask, Property
from carillon.timing import services
from carillon.timing.arrivals import Arrival, Arrivals, Once, Pattern, Sporadic, Work
from carillon.timing.handlers import around_interrupt
from carillon.timing.lateness import let_be_late
from carillon.timing.prices import Prices
from carillon.timing.releases import UnknownError, alarm_arrivals, declared_arrivals, table_arrivals, task_arrivals
from carillon.timing.response import Flow

BELOW_TASKS, ROUNDS, ABOVE_TASKS = 10_000, 20_000, 30_000


@dataclass(frozen=True, slots=True)
class Unbounded:
    """What takes the processor for a time, or so often, that nothing bounds: ``why`` says what is missing.

    ``reach``: the highest level that it keeps out for a time that nothing bounds; -1: none above its own.  ``server``: whose
    budget bounds what it takes from others than the threads of that server.
    """

    name: str
    kind: str
    level: int
    why: str
    reach: int = -1
    server: str = ""


@dataclass(slots=True)
class Flows:
    """The flows of an image, and what of it cannot be one; ``scale``: units in a tick.

    ``around``: what the kernel takes around an interrupt of the rounds.
    """

    scale: int
    around: int = 0
    known: list[Flow] = field(default_factory=list)
    unknown: list[Unbounded] = field(default_factory=list)
    counters: dict[str, tuple[Flow, int]] = field(default_factory=dict)
    """The handler of each counter that ticks, and for how long it may be held back before the counter loses a tick."""


def longer(declared: Declared, ticks: int) -> Declared:
    """The same with a longer WCET, if there is one."""
    return replace(declared, wcet=declared.wcet + ticks) if declared.wcet and ticks else declared


def flows_of(system: System, image: Image, kernel_times: tuple[KernelTime, ...], grown: Mapping[str, int]) -> Flows:
    """What runs beneath the rounds, with the rounds and interrupts above it; ``grown``: by how many ticks WCETs are longer."""
    scale = max(1, system.board.clock(system.clock_hz).instructions_per_tick)
    flows = Flows(scale, around_interrupt(image, every=True))
    for interrupt in system.interrupts:
        _add_interrupt(system, interrupt, flows)
    if len(system.modes) > 1:
        flows.unknown.append(Unbounded("rounds", "mode", ROUNDS, "the rounds of several modes follow each other"))
    elif system.modes:
        _add_rounds(system, kernel_times[0], flows)
    if image.osek is not None:
        _Events(system, image.osek.allocation, flows, grown).add()
    return flows


def _add_rounds(system: System, kernel: KernelTime, flows: Flows) -> None:
    """The rounds, as what runs beneath them sees them: their work in turn, from any time on.

    The event-triggered system starts in the rounds' idle time, and nothing says when.
    """
    points: list[tuple[int, int]] = []
    for flow in round_flows(system, system.modes[0], kernel, flows.scale, flows.unknown):
        for part in flow.arrivals.parts:
            points += [(at, flow.cost) for at in part.times] if isinstance(part, Pattern) else []
    if points:
        length = (system.modes[0].round_length - _shorter(system)) * flows.scale
        flows.known.append(Flow("the rounds", "rounds", ROUNDS, ROUNDS, 1, Arrivals((Work(tuple(sorted(points)), length),))))


def _add_interrupt(system: System, interrupt: Interrupt, flows: Flows) -> None:
    level = ABOVE_TASKS if interrupt.above_tasks else BELOW_TASKS
    try:
        flows.known.append(interrupt_flow(system, interrupt, flows))
    except UnknownError as unknown:
        flows.unknown.append(Unbounded(interrupt.name, "interrupt", level, str(unknown)))


def interrupt_flow(system: System, interrupt: Interrupt, flows: Flows) -> Flow:
    """An interrupt of the rounds, with the kernel's code around it.

    Raises :class:`UnknownError` if nothing says how long it takes, or how often it comes.
    """
    if not interrupt.declared.wcet:
        raise UnknownError(f"interrupt '{interrupt.name}' has no wcet")
    arrivals = declared_arrivals(interrupt.declared) or _enabled(system, interrupt)
    cost = interrupt.declared.wcet * flows.scale + flows.around
    level = ABOVE_TASKS if interrupt.above_tasks else BELOW_TASKS
    return Flow(interrupt.name, "interrupt", level, level, cost, scaled(arrivals, flows.scale))


def _enabled(system: System, interrupt: Interrupt) -> Arrivals:
    """What re-enable points bound: once between two of them, at any time."""
    if not interrupt.reenabled or len(system.modes) != 1:
        raise UnknownError(f"interrupt '{interrupt.name}' has no min_interval")
    mode = system.modes[0]
    times = tuple(enable.at for enable in mode.enables if enable.interrupt == interrupt.name)
    apart = max(after - before for before, after in zip(times, (*times[1:], times[0] + mode.round_length), strict=True))
    return Arrivals((Pattern(times, mode.round_length - _shorter(system), apart, phased=False),))


def _shorter(system: System) -> int:
    """By how many ticks a round may be shorter than it is written."""
    return system.sync.shorten if system.sync is not None else 0


def round_flows(system: System, mode: Mode, kernel: KernelTime, scale: int, unknown: list[Unbounded]) -> Iterator[Flow]:
    """The tasks of a mode's rounds, each with the kernel's code around it, and the handlers that are for no task."""
    phased, length = system.sync is None, mode.round_length - _shorter(system)

    def flow(name: str, kind: str, times: list[int], ticks: int) -> Flow:
        pattern = Pattern(tuple(sorted(times)), length, phased=phased)
        return Flow(name, kind, ROUNDS, ROUNDS, ticks * scale, scaled(Arrivals((pattern,)), scale))

    for task in system.tasks:
        times = [a.at for a in mode.activations if a.task == task.name]
        if times and task.wcet is None:
            unknown.append(Unbounded(task.name, "task", ROUNDS, f"task '{task.name}' has no wcet"))
        elif times:
            yield flow(task.name, "task", times, (task.wcet or 0) + kernel.tasks.get(task.name, 0))
        checks = [d for a in mode.activations if a.task == task.name for d in a.deadlines] if kernel.checks.get(task.name) else []
        if checks:
            yield flow(f"deadlines of {task.name}", "handler", [d % length for d in checks], kernel.checks[task.name])
    for interrupt in system.interrupts:
        times = [e.at for e in mode.enables if e.interrupt == interrupt.name] if kernel.enables.get(interrupt.name) else []
        if times:
            yield flow(f"enabling {interrupt.name}", "handler", times, kernel.enables[interrupt.name])
    laps: dict[int, list[int]] = {}
    for at, ticks in kernel.laps:
        laps.setdefault(ticks, []).append(at)
    for ticks, times in laps.items():
        yield flow("turns of timers", "handler", times, ticks)


def scaled(arrivals: Arrivals, scale: int) -> Arrivals:
    """Arrivals in ticks, in units of which ``scale`` are a tick."""
    return Arrivals(tuple(_scaled(part, scale) for part in arrivals.parts)) if scale > 1 else arrivals


def _scaled(part: Arrival, scale: int) -> Arrival:
    match part:
        case Sporadic():
            return Sporadic(part.interval * scale, part.jitter * scale)
        case Pattern():
            return Pattern(tuple(at * scale for at in part.times), part.period * scale, part.jitter * scale, part.phased)
        case Once():
            return part
        case Work():
            return Work(tuple((at * scale, work * scale) for at, work in part.points), part.period * scale)


class _Events:
    """The flows of the event-triggered system."""

    def __init__(self, system: System, allocation: OsekAllocation, flows: Flows, grown: Mapping[str, int]) -> None:
        self.system, self.allocation, self.flows, self.grown = system, allocation, flows, grown
        self.osek = allocation.osek
        self.scale = flows.scale
        self.prices = Prices(system, allocation, flows.scale)
        self.bounded: dict[str, tuple[OsekTask | Isr, list[tuple[int, int]]]] = {}

    def add(self) -> None:
        """Add all of them."""
        top = self.allocation.all
        for why in filter(None, (self.prices.lacking, self._unknown_hook(), self._unknown_alarms())):
            self.flows.unknown.append(Unbounded("kernel", "kernel", top, why))
        if self.prices.lock:
            lock = Flow("kernel", "lock", -1, -1, 0, Arrivals(()), ((self.allocation.locked, self.prices.lock),))
            self.flows.known.append(lock)
        for alarm in self.osek.alarms:
            calls = [action.object for action in alarm.action.each if isinstance(action, Callback)]
            if calls:
                why = f"nothing says how long callback '{calls[0]}' of alarm '{alarm.name}' takes"
                self.flows.unknown.append(Unbounded(alarm.name, "alarm", self.allocation.top, why))
        if self.system.time is not None and self.system.time.longest_lock:
            holds = ((top, self.system.time.longest_lock * self.scale),)
            self.flows.known.append(Flow("locks (longest_lock)", "lock", -1, -1, 0, Arrivals(()), holds))
        for counter in self.allocation.counters:
            if counter.cells and counter.part == self.allocation.first_part(counter).part:
                self._add_counter(counter)
        self._add_handlers()
        for isr, level in self.allocation.isrs:
            self._add(isr, "ISR", level, level)
        for task in self.osek.tasks:
            level = self.allocation.level_of(task).number
            self._add(task, "thread" if task.thread else "task", level, max(level, self.allocation.running_level(task)))
        self._add_services()
        late = let_be_late(self.prices, self.flows.known, self.bounded)
        self.flows.known = late.flows
        for it in late.unseen:
            self.flows.unknown.append(Unbounded(it.flow.name, it.flow.kind, it.flow.level, it.why, it.reach))

    def _add_services(self) -> None:
        """What the time services take: the clock, slices, servers."""
        clock, known = self.allocation.clock, self.flows.known
        if clock is None:
            return
        known += services.ticks_of_clock(self.prices, clock)
        known += services.slices(self.prices)
        for task in [t for t in self.osek.tasks if self.prices.clock]:
            released = next((flow.arrivals for flow in known if flow.name == task.name), Arrivals(()))
            known += services.events_of(self.prices, clock, task, released)
        for server in self.osek.servers:
            threads = [task for task in self.osek.tasks if task.server == server.name]
            if threads and services.charges_exactly(clock):
                known += services.of_server(server, threads, clock, self.prices)

    def _unknown_hook(self) -> str:
        hook = self.prices.unknown_hook
        return f"nothing says how long hook '{hook}' takes: write hook_wcet in [osek]" if hook else ""

    def _unknown_alarms(self) -> str:
        if not self.prices.unknown_alarms:
            return ""
        return "nothing says what alarms of the time services do: write uses in [time] without what the application does not have"

    def _add_handlers(self) -> None:
        """The handlers of alarms: of their cells, and of the queues in which the others stand."""
        carried = dict(self.allocation.alarms)
        for alarm in self.osek.alarms if self.prices.counts_code else ():
            try:
                arrivals = scaled(Arrivals((alarm_arrivals(self.osek, alarm),)), self.scale)
            except UnknownError:
                continue  # what it activates is said to be unknown
            carrier = carried.get(alarm)
            if carrier is not None and carrier.direct:
                continue
            if carrier is not None:
                self._handler(f"alarm {alarm.name}", carrier.level, self.prices.of("alarm"), arrivals)
            for action in alarm.action.each if carrier is None else ():
                self._queued(alarm.counter, f"alarm {alarm.name}", action, arrivals)
        for table in self.osek.schedule_tables if self.prices.counts_code else ():
            cells = [carrier for _, carrier in self.allocation.cells_of(table)]
            for step in table_arrivals(self.osek, table):
                if any(not carrier.direct for carrier in cells):
                    top = max(carrier.level for carrier in cells)
                    arrivals = scaled(Arrivals((step.arrivals,)), self.scale)
                    self._handler(f"table {table.name}", top, self.prices.of("cell"), arrivals)
                for action in step.actions if not cells else ():
                    self._queued(table.counter, f"table {table.name}", action, scaled(Arrivals((step.arrivals,)), self.scale))

    def _queued(self, counter: str, name: str, action: AlarmAction, arrivals: Arrivals) -> None:
        """What serves an action of an alarm or a schedule table that stands in a part of a counter's queue."""
        number = self.allocation.part_of(counter, action)
        part = next((p for p in self.allocation.counters if p.part == number), None)
        if part is None and self.allocation.tickless and self.allocation.clock is not None:
            self._handler(name, self.allocation.clock.carrier.level, self.prices.clock + self.prices.of("due"), arrivals)
        if part is None:
            return  # of a software counter, too: whoever advances it serves it
        first = self.allocation.first_part(part)
        apart = part is not first
        self._handler(name, part.level, self.prices.of("due") + self.prices.of("part") * apart, arrivals)
        if apart:
            self._handler(f"request for {name}", first.level, self.prices.of("part"), arrivals)

    def _handler(self, name: str, level: int, cost: int, arrivals: Arrivals) -> None:
        more = self.prices.handler + self.prices.activation
        self.flows.known.append(Flow(name, "handler", level, level, cost + more, arrivals))

    def _add_counter(self, part: Carrier) -> None:
        """The handler of a counter's ticks."""
        name = part.action.object
        tick = self.osek.counter(name).tick * self.scale
        cost = self.prices.of("tick") + self.prices.handler
        flow = Flow(f"counter {name}", "handler", part.level, part.level, cost, Arrivals((Pattern((tick,), tick),)))
        self.flows.known.append(flow)
        self.flows.counters[name] = flow, tick * max(1, self.allocation.held(name))

    def _add(self, item: OsekTask | Isr, kind: str, level: int, runs_at: int) -> None:
        """Add a flow; of what nothing bounds, what is known of the sections in which it keeps others out.

        What rests on a budget is longer by its lateness, which depends on the other flows (:mod:`carillon.timing.lateness`).
        """
        wcet = longer(item.declared, self.grown.get(item.name, 0)).wcet or item.budget
        sections = [(self._ceiling(it), 0) for it in item.resources] if isinstance(item, Isr) else self._sections(item)
        self.bounded[item.name] = item, sections
        known = tuple((at, min(n or wcet, wcet or n) * self.scale) for at, n in sections if n or wcet)
        cost = wcet * self.scale + self.prices.job(item) if wcet else 0
        server, why = self._served(item)
        flow = Flow(item.name, kind, level, runs_at, cost, Arrivals(()), known, level in self.allocation.sliced, server)
        try:
            if not wcet:
                raise UnknownError(f"{kind} '{item.name}' has no wcet")
            self.flows.known.append(replace(flow, arrivals=scaled(self._arrivals(item), self.scale)))
            if why:  # it has no bound itself; nor have others, if they may meet what it did not run while its server rested
                self.flows.unknown.append(Unbounded(item.name, kind, level, why, server=str(item.name) if server else ""))
        except UnknownError as unknown:
            reach = -1 if wcet else max([runs_at if runs_at > level else -1, *(at for at, n in sections if not n)])
            self.flows.unknown.append(Unbounded(item.name, kind, level, str(unknown), reach, server))
            self.flows.known.append(flow)

    def _served(self, item: OsekTask | Isr) -> tuple[str, str]:
        """The server that bounds what a thread takes of others, and why its own rests are not bounded; each may be empty."""
        clock = self.allocation.clock
        if isinstance(item, Isr) or item.server is None or clock is None:
            return "", ""
        threads = [task for task in self.osek.tasks if task.server == item.server]
        why = services.unbounded_rest(item.server, threads, clock)
        return (item.server if services.charges_exactly(clock) else ""), why

    def _arrivals(self, item: OsekTask | Isr) -> Arrivals:
        """Its releases; raises :class:`UnknownError` if they are not bounded."""
        if isinstance(item, Isr):
            declared = declared_arrivals(item.declared)
            if declared is None:
                raise UnknownError(f"ISR '{item.name}' has no min_interval")
            return declared
        return task_arrivals(self.system, self.osek, item)

    def _sections(self, task: OsekTask) -> list[tuple[int, int]]:
        """The sections in which a task keeps others out: up to which level, and for how many ticks (0: all of it may be one)."""
        locks = dict(task.resource_locks)
        found = [(self._ceiling(n), locks.get(n, 0)) for n in task.resources if n == RES_SCHEDULER or self._takes(n)]
        ceilings = dict(zip((mutex.name for mutex in self.osek.mutexes), self.allocation.mutex_ceilings, strict=True))
        found += [(ceilings[name], 0) for name in task.mutexes]
        if task.all_interrupts_lock:
            found.append((self.allocation.all, task.all_interrupts_lock))
        if task.os_interrupts_lock:
            found.append((self.allocation.top, task.os_interrupts_lock))
        return found

    def _takes(self, name: str) -> bool:
        return self.osek.resource(name).property is not Property.INTERNAL

    def _ceiling(self, name: str) -> int:
        return self.allocation.ceilings[name if name == RES_SCHEDULER else self.osek.resource(name).name]
