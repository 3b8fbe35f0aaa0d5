# SPDX-License-Identifier: Apache-2.0
"""The cell of the time services' clock."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from carillon.allocate.base import longest_stretch
from carillon.allocate.fit import Source
from carillon.allocate.result import Carrier, Cell, CellUse, Progression, Style
from carillon.diagnostics import Diagnostics
from carillon.lower import Demand
from carillon.lower.events import can_wake
from carillon.model import System
from carillon.model.board import Role
from carillon.model.family import Driver
from carillon.model.osek import Counter, CounterKind
from carillon.model.time import ClockKind, TimeServices
from carillon.units import format_duration

BATCHES = 8
"""After how many overdue ticks' expiries the handler of a one-shot or compare clock lets others in (``clock.h``)."""
UNMEASURED = 400
"""What an interrupt of the clock with one expiry is taken for, in cycles, on a board that does not declare it."""


@dataclass(frozen=True, slots=True)
class ClockCell:
    """The clock and its cell.  ``based``: the time base counts its ticks."""

    services: TimeServices
    carrier: Carrier
    based: bool = False

    @property
    def counted(self) -> bool:
        """Whether the clock's own handler counts ticks: the clock is periodic, and no time base counts them."""
        return self.services.clock is ClockKind.PERIODIC and not self.based

    @property
    def driver(self) -> Driver:
        """The capabilities of the cell's driver for a clock that is set."""
        kind = self.services.clock
        return Driver() if kind is ClockKind.PERIODIC else self.carrier.cells[0].cell.array.clocks[kind]

    @property
    def tick(self) -> Fraction:
        """A tick of time, in ticks of the system clock."""
        periodic = self.services.clock is ClockKind.PERIODIC
        return Fraction(self.carrier.demand.period) if periodic else 1 / self.carrier.cells[0].units_per_tick

    @property
    def base_units(self) -> int:
        """Units of the time base in a tick of a periodic clock; 0 if the time base does not count the clock's ticks."""
        return int(self.tick) if self.based else 0

    @property
    def latest(self) -> int:
        """The handler's latest end, in ticks of time: a quarter of the range of the cell and of a time (clock.h)."""
        bits = self.services.bits if self.services.clock is ClockKind.PERIODIC else min(self.driver.bits, self.services.bits)
        return ((1 << bits) - 1) // 4

    @property
    def held_back(self) -> Fraction:
        """For how long the interrupt of a one-shot or compare clock may be held back, in ticks of the system clock.

        After longer the timer's counter may have begun anew, and the clock has lost a :attr:`turn` (clock.h).
        """
        return self.latest * self.tick

    @property
    def turn(self) -> Fraction:
        """How long the timer of a one-shot or compare clock takes to begin anew, in ticks of the system clock."""
        return (1 << self.driver.bits) * self.tick

    def expiry(self, system: System) -> int:
        """The length of an interrupt with one expiry, in ticks of time, rounded up; 0 where code takes no time."""
        board = system.board
        costs = board.costs.get(self.services.clock)
        taken = UNMEASURED if costs is None else costs.interrupt + costs.serving + max(costs.wake, costs.alarm)
        per_tick = board.clock(system.clock_hz).instructions_per_tick * self.tick
        return math.ceil(taken / per_tick) if per_tick else 0

    def behind(self, system: System) -> int:
        """How late the handler is when it lets others in, in ticks of time; 0: never (``CARILLON_CLOCK_BEHIND``)."""
        return 0 if self.services.clock is ClockKind.PERIODIC else self.expiry(system)

    def locked(self, system: System) -> int | None:
        """For how long its handler holds interrupts back at most, in instructions or cycles, with the declared periods alone.

        A one-shot or compare clock lets others in after the expiries of :data:`BATCHES` overdue ticks.  It serves what falls due
        while it is no later than an expiry takes: each period once, as none is shorter.  A periodic clock serves a tick, or where
        the time base counts its ticks, all that rounds' tasks and ``longest_lock`` have held back.  None where no period is
        declared, or the board has no costs, or nothing says for how long such a clock is held back.
        """
        costs, services = system.board.costs.get(self.services.clock), self.services
        if costs is None or not services.periods:
            return None
        costs = costs.based if self.based else costs
        several = len(services.periods) > 1
        each = [costs.wake if p.thread is not None else costs.alarm + costs.beside * several for p in services.periods]
        tick = costs.interrupt + costs.serving
        if services.clock is not ClockKind.PERIODIC:
            slack = services.slack or 0  # what waits within it is not overdue, so the handler lets nobody in between
            waits = [(slack // p.ticks + 1) * (tick + cost) for p, cost in zip(services.periods, each, strict=True)]
            return BATCHES * (tick + sum(each)) + int(sum(waits))
        if not self.based:
            return tick + sum(each)
        stretch = longest_stretch(system)
        if services.longest_lock is None or stretch is None:
            return None
        held = services.longest_lock + stretch
        return tick + sum((held // p.ticks + 1) * (costs.serving + cost) for p, cost in zip(services.periods, each, strict=True))

    @property
    def slack(self) -> int:
        """The longest slack of an alarm, in ticks of time, rounded up as C's macros do; 0: no alarm has any."""
        return math.ceil((self.services.slack or 0) / self.tick)

    @property
    def deferred(self) -> int:
        """For how many ticks the clock lets alarms wait: a periodic clock, which has all interrupts anyway, lets none."""
        return 0 if self.services.clock is ClockKind.PERIODIC else self.slack

    @property
    def ahead(self) -> int:
        """The longest a tickless counter may go unread, in ticks of time: later, the elapsed time is ambiguous."""
        return longest_without_laps(self.services.bits, self.latest)

    @property
    def longest(self) -> int | None:
        """The longest time, in ticks of time; None: there is none.  Without services in use, the counters' longest."""
        kept = self.budget(self.services.kept) if self.services.kept else 0
        counters = max(self.ahead if self.services.tickless else 0, kept)
        if not self.services.uses:
            return counters
        if self.services.longest is None:
            return None
        return max(int(-(-self.services.longest // self.tick)), counters)

    def budget(self, time: int) -> int:
        """An execution or lock budget in ticks of time, rounded up; a clock that ticks counts the tick that has begun, too."""
        return self.at_least(time) + int(self.services.clock is ClockKind.PERIODIC)

    def at_most(self, time: int) -> int:
        """A time of the schedule in ticks of time, rounded down."""
        return int(time // self.tick)

    def at_least(self, time: int) -> int:
        """The same rounded up."""
        return int(-(-time // self.tick))


def check_threads(system: System, clock: ClockCell | None, diagnostics: Diagnostics) -> None:
    """C179: the clock cannot tell a thread's deadline."""
    threads = [t for t in system.osek.tasks if t.deadline] if system.osek is not None and clock is not None else []
    for thread in threads:
        assert clock is not None
        most = longest_without_laps(clock.services.bits, clock.latest) // 2  # from one release to the next one's deadline
        deadline, ticks = format_duration(thread.deadline, system.clock_hz), clock.at_most(thread.deadline)
        if ticks < 1:
            cause = f"'deadline' of thread '{thread.name}': {deadline} is shorter than a tick of the clock"
            diagnostics.error("C179", thread.span, cause, "write a longer deadline, or choose a shorter tick")
        elif ticks > most:
            told = format_duration(most * clock.tick, system.clock_hz)
            cause = f"'deadline' of thread '{thread.name}': {deadline} is longer than the clock can tell beside a period, {told}"
            diagnostics.error("C179", thread.span, cause, "write a shorter deadline, a longer tick, or times of 32 bits")


def check_budgets(system: System, clock: ClockCell | None, diagnostics: Diagnostics) -> None:
    """C188: the clock cannot tell a budget that it keeps: that is less than a tick, or more than a time can hold."""
    if system.osek is None or not system.osek.queued_budgets or clock is None:
        return
    most = min(longest_without_laps(clock.services.bits, clock.latest), 1 << (clock.services.bits - 1)) - 1
    tick, told = (format_duration(ticks * clock.tick, system.clock_hz) for ticks in (1, most))
    for task in system.osek.tasks:
        every = (task.budget, task.all_interrupts_lock, task.os_interrupts_lock, *(ticks for _, ticks in task.resource_locks))
        for budget in filter(None, every):
            which = "the" if budget == task.budget else "a lock"
            cause = f"{which} budget of task '{task.name}', {format_duration(budget, system.clock_hz)}, is "
            if clock.at_most(budget) < 1:
                remedy = "write a budget of many ticks, or choose a one-shot or compare clock"
                diagnostics.error("C188", task.span, f"{cause}shorter than a tick of the clock, {tick}", remedy)
            elif clock.at_least(budget) > most:
                remedy = "write a shorter budget, a longer tick, or times of 32 bits"
                diagnostics.error("C188", task.span, f"{cause}more than the clock can tell at once, {told}", remedy)


def check_servers(system: System, clock: ClockCell | None, diagnostics: Diagnostics) -> None:
    """C201: the clock cannot tell a server's budget or period; or (a warning) rounds' tasks are charged to servers."""
    servers = system.osek.servers if system.osek is not None and clock is not None else ()
    for server in servers:
        assert clock is not None
        longest = clock.longest
        if longest is None:
            longest = longest_without_laps(clock.services.bits, clock.latest)
        most = min(longest, longest_without_laps(clock.services.bits, clock.latest))
        tick = format_duration(clock.tick, system.clock_hz)
        if clock.at_most(server.budget) < 1:
            budget = format_duration(server.budget, system.clock_hz)
            cause = f"the budget of server '{server.name}' is {budget}, and a tick of the clock is {tick}"
            diagnostics.error("C201", server.span, cause, "write a budget of many ticks, or choose a shorter tick")
        elif clock.at_least(server.period) > most:
            period = format_duration(server.period, system.clock_hz)
            told = format_duration(most * clock.tick, system.clock_hz)
            cause = f"the period of server '{server.name}' is {period}, and the clock tells {told} at once"
            remedy = "write a shorter period, choose a longer tick, or times of 32 bits; 'longest' of [time] counts, too"
            diagnostics.error("C201", server.span, cause, remedy)
        elif system.modes:
            cause = f"the rounds' tasks are charged to server '{server.name}' if they interrupt its threads"
            diagnostics.warning("C201", server.span, cause, "add what they take in a period to the budget")


def longest_without_laps(bits: int, latest: int) -> int:
    """The longest delay of events that are not far, in ticks (``CARILLON_LONGEST`` less ``CARILLON_CLOCK_LATEST``)."""
    return (1 << bits) - 1 - 2 - latest


def told(system: System, services: TimeServices) -> list[Counter]:
    """The counters whose ticks the clock tells."""
    counters = system.osek.counters if services.tickless and system.osek is not None else ()
    return [counter for counter in counters if counter.kind is CounterKind.HARDWARE]


def counting_cell(system: System, services: TimeServices, top: int, free: list[Source], demand: Demand) -> ClockCell | None:
    """A cell that counts units of the tick, or its own if there is none, for a one-shot or a compare clock.

    The tick of each counter that it tells is a whole number of its units; of units that may be chosen, the longest is best.
    """
    board, ticks = system.board, [counter.tick for counter in told(system, services)]
    free = sorted(free, key=lambda s: s.array.hz is not None)  # the schedule's own ticks first
    for source in free:
        array = source.array
        driver = array.clocks[services.clock]
        if driver.requests and source.number < board.request_base:
            continue
        if services.beat is not None and not can_wake(array, system.clock_hz, services.clock, services.beat):
            continue
        units = [(1 / array.units(1, system.clock_hz, prescaler), prescaler) for prescaler in array.prescalers]
        for unit, prescaler in sorted(units, key=lambda it: -it[0]) if ticks else units:
            if (services.tick is not None and unit != services.tick) or any(tick % unit for tick in ticks):
                continue
            period = unit * (1 << driver.bits)
            if period.denominator != 1:
                continue
            # It starts with a whole range ahead.
            progression = Progression(int(period) - board.lead_at(system.clock_hz), int(period))
            cell = Cell(array, source.slots(Role.ACTIVATION)[0], array.needed(Role.ACTIVATION))
            use = CellUse(cell, progression, prescaler, array.units(1, system.clock_hz, prescaler))
            return ClockCell(services, Carrier(demand, source.number, (use,), Style.DIRECT, top, False))
    return None


def cannot_keep(clock: ClockCell, system: System, diagnostics: Diagnostics) -> bool:
    """C172: the longest time does not fit.  C179: a thread's period does not fit, or is too short.  C279: slack is too long."""
    services = clock.services
    laps = clock.longest is None  # then a period may have some; else that is a promise about all of them
    most = (1 << (2 * services.bits - 1)) - 1 if laps else longest_without_laps(services.bits, clock.latest)
    long = [p for p in services.periods if p.thread is not None and p.ticks > most * clock.tick]
    for period in long:  # carillon_delay_until refuses it
        diagnostics.error(
            "C179",
            period.span,
            f"the period of thread '{period.thread}', {-(-period.ticks // clock.tick)} ticks of the clock, is more than "
            f"the {most} that a clock of {services.bits} bits can keep",
            ("write bits = 32, or " if services.bits == 16 else "") + "choose a clock with a longer tick",
        )
    shortest = clock.expiry(system) * clock.tick
    short = [p for p in services.periods if p.ticks < shortest]
    for period in short:  # carillon_alarm_start refuses it
        whose = "a period" if period.thread is None else f"the period of thread '{period.thread}'"
        least = format_duration(shortest, system.clock_hz)
        diagnostics.error(
            "C179",
            period.span,
            f"{whose}, {format_duration(period.ticks, system.clock_hz)}, is shorter than what an interrupt that serves it takes: "
            f"the shortest is {least}",
            f"make it {least} or longer, or choose a faster clock of the board",
        )
    wide = clock.deferred > clock.latest // 2
    if wide:
        widest = format_duration(clock.latest // 2 * clock.tick, system.clock_hz, 3)
        diagnostics.error(
            "C279",
            services.spans["slack"],
            f"the longest slack, {clock.deferred} ticks of the clock, is more than the {clock.latest // 2} by which the clock "
            "may put its interrupt off",
            f"write a slack of at most {widest}"
            + (", or bits = 32" if services.bits == 16 else "")
            + ", or choose a clock that counts longer units",
        )
    if long or short or wide:
        return True
    if clock.longest is None or clock.longest <= most:
        return False
    diagnostics.error(
        "C172",
        services.spans["longest"],
        f"the longest time, {clock.longest} ticks of the clock, is more than the {most} that {services.bits} bits can hold",
        "leave 'longest' out: then times may be of any length, for a little more code and memory"
        + (", or write bits = 32" if services.bits == 16 else ", or choose a clock with a longer tick"),
    )
    return True


def cannot_tell(clock: ClockCell, system: System, diagnostics: Diagnostics) -> bool:
    """C187 for each tickless counter whose tick is longer than the clock can be set ahead."""
    long = [counter for counter in told(system, clock.services) if counter.tick > clock.ahead * clock.tick]
    for counter in long:
        most = format_duration(clock.ahead * clock.tick, system.clock_hz, 3)
        diagnostics.error(
            "C187",
            counter.span,
            f"the tick of the tickless counter '{counter.name}', {format_duration(counter.tick, system.clock_hz)}, is longer "
            f"than the clock can be set ahead, {most}",
            ("write bits = 32 in [time], or " if clock.services.bits == 16 else "write ")
            + "a shorter tick, and more ticks where they are counted"
            + f"{', or a longer one in [time]' * (clock.services.tick is not None)}, or leave tickless out",
        )
    return bool(long)
