# SPDX-License-Identifier: Apache-2.0
"""What the time services take, as flows: the clock's interrupts, slices, and the budgets of servers.

*The clock* has an interrupt for each event that is due; several that are due together cost no more.  A thread has one event for
each of its releases, and an extended task, too.  A periodic clock has an interrupt for each of its ticks besides.

*Slices.*  Threads of a level that take turns do not wait for each other's ends.  So each of them may be preempted by all the
others of its level.

*A server* (``kernel/time/server.c``) lets its threads run for ``budget`` in each ``period``:

1. To what is below, its threads together are one flow: a budget in each period.  A budget may be used up at the end of one
   period, and the next one at once.  So the flow has a jitter of the period without the budget.  A constant-bandwidth server may
   begin a period before the last one is over, if it has used less than its bandwidth by then.  With a whole budget before that
   and one after, it takes at most two budgets more than its bandwidth.
2. To its own threads, the time in which they rest is a flow above them (:mod:`carillon.timing.served`).  They rest when a budget
   is used up and until it comes back, so for ``period - budget`` at most.  While threads are ready, periods follow each other
   without a gap.
3. What a thread runs beyond the budget while it holds something is owed, and nothing bounds that here.  So threads of a server
   that hold something have no bound, and neither have they with a periodic clock, which charges whole ticks.  Then nothing below
   them has one: no budget bounds what they take of others, and what rested may come with what is released later.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from carillon.allocate.clock import ClockCell
from carillon.model.osek import OsekTask, Server, ServerKind
from carillon.model.time import ClockKind, TimedKind
from carillon.timing.arrivals import Arrivals, Once, Pattern, Sporadic
from carillon.timing.prices import Prices
from carillon.timing.response import REST, SERVER, Flow

WAITS = frozenset({TimedKind.DELAY, TimedKind.TIMEOUT})
"""What threads and extended tasks have in the clock's queue."""


def ticks_of_clock(prices: Prices, clock: ClockCell) -> Iterator[Flow]:
    """The interrupts of a periodic clock in which nothing is due."""
    if clock.services.clock is ClockKind.PERIODIC:
        tick = int(clock.tick) * prices.scale
        level = clock.carrier.level
        yield Flow("the clock", "handler", level, level, prices.clock, Arrivals((Pattern((tick,), tick),)))


def events_of(prices: Prices, clock: ClockCell, task: OsekTask, arrivals: Arrivals) -> Iterator[Flow]:
    """The clock's interrupts for the releases of a thread or an extended task."""
    if task.extended and WAITS & clock.services.uses:
        level = clock.carrier.level
        yield Flow(f"the clock for {task.name}", "handler", level, level, prices.clock, arrivals)


def slices(prices: Prices) -> Iterator[Flow]:
    """The ends of slices."""
    carrier, services = prices.allocation.slices, prices.system.time
    if prices.allocation.sliced and carrier is not None and services is not None and services.slice:
        turn = Arrivals((Sporadic(services.slice * prices.scale),))
        yield Flow("ends of slices", "handler", carrier.level, carrier.level, prices.of("slice") + prices.handler, turn)


def charges_exactly(clock: ClockCell) -> bool:
    """Whether what threads run is charged to their servers to the tick."""
    return clock.services.clock is not ClockKind.PERIODIC


def of_server(server: Server, threads: list[OsekTask], clock: ClockCell, prices: Prices) -> Iterator[Flow]:
    """What stands for the threads of a server, and the clock's interrupts for it."""
    level = prices.allocation.level_of(threads[0]).number
    yield _demand_of(server, level, prices)
    yield _rest_of(server, level, clock, prices)
    yield _budgets_of(server, clock, prices)
    owed = max((task.declared.wcet for task in threads if _holds(task)), default=0) * prices.scale
    if owed:
        yield Flow(f"what server {server.name} owes", SERVER, level, level, owed, Arrivals((Once(),)), server=server.name)


def _holds(task: OsekTask) -> bool:
    return bool(task.resources or task.mutexes)


def _demand_of(server: Server, level: int, prices: Prices) -> Flow:
    """The threads of a server, to what is below them."""
    early = server.period - server.budget if server.kind is ServerKind.DEFERRABLE else 2 * server.period
    asked = Arrivals((Sporadic(server.period * prices.scale, early * prices.scale),))
    return Flow(f"server {server.name}", SERVER, level, level, server.budget * prices.scale, asked, server=server.name)


def _budgets_of(server: Server, clock: ClockCell, prices: Prices) -> Flow:
    """The clock's interrupts for a server: where a budget ends and where it comes back."""
    level = clock.carrier.level
    again = Arrivals((Sporadic(server.period * prices.scale),))
    return Flow(f"the clock for server {server.name}", "handler", level, level, 2 * (prices.clock + prices.of("server")), again)


def _rest_of(server: Server, level: int, clock: ClockCell, prices: Prices) -> Flow:
    """The time in which the threads of a server rest, to these: the clock rounds budgets down and periods up."""
    period = math.ceil(math.ceil(server.period / clock.tick) * clock.tick) * prices.scale
    apart = Arrivals((Sporadic(period),))
    rest = period - math.floor(math.floor(server.budget / clock.tick) * clock.tick) * prices.scale
    return Flow(f"rests of server {server.name}", REST, level + 1, level + 1, rest, apart, server=server.name)


def unbounded_rest(server: str, threads: list[OsekTask], clock: ClockCell) -> str:
    """Why the rests of a server's threads have no bound; empty if they have."""
    if not charges_exactly(clock):
        return f"the clock is periodic, so that server '{server}' is charged whole ticks"
    holder = next((task for task in threads if _holds(task)), None)
    if holder is None:
        return ""
    return f"thread '{holder.name}' may hold something when the budget of server '{server}' is used up, and goes on"
