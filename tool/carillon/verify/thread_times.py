# SPDX-License-Identifier: Apache-2.0
"""Times in ticks of the clock: of servers, of offsets and deadlines of threads, and of budgets that the clock keeps.

The tick of a clock that is set is no part of an image, if the schedule does not write it.  Then the times of the tables are
compared with one another: all are those of the schedule in one unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from carillon.diagnostics import Span
from carillon.model.osek import ServerKind
from carillon.model.time import ClockKind

if TYPE_CHECKING:
    from carillon.verify.events import Events


NOTE = "carillon_port_note"
"""Of virtual boards: it writes down that its caller has been called."""


class _Told(NamedTuple):
    """A time of the schedule, in ticks of the system clock, and of the image, in the clock's; which is rounded up or down."""

    what: str
    written: int
    ticks: int
    upwards: bool
    span: Span


def check_thread_times(events: Events) -> None:
    """C205 for each server, offset and deadline that is not what the schedule says."""
    _check_missed(events)
    told = [*_servers(events), *_times(events), *_budgets(events)]
    time = events.system.time
    least, most = Fraction(0), Fraction(1 << 62)  # the tick of the clock, in the system's
    if time is not None and time.tick is not None:
        least = most = Fraction(time.tick)
    for one in told:
        events.report.tables += 1
        # Rounded down, ticks <= written / tick < ticks + 1; rounded up, ticks - 1 < written / tick <= ticks.
        low, high = (one.ticks - 1, one.ticks) if one.upwards else (one.ticks, one.ticks + 1)
        fits_least = Fraction(one.written, high) if high > 0 else most + 1
        fits_most = Fraction(one.written, low) if low > 0 else most
        least, most = max(least, fits_least), min(most, fits_most)
        if least > most:
            events.error("C205", f"{one.what} has {one.ticks} ticks of the clock, which is no unit of the others", one.span)
            return


def _check_missed(events: Events) -> None:
    """C205 for each thread whose missed deadlines are not told by the function that a trace knows, or are told of another."""
    threads = {f"carillon_late_{t.name}": (n, t) for n, t in enumerate(events.osek.tasks) if t.deadline}
    calls = {symbol: _calls(events, symbol) for symbol in threads}
    for symbol, (number, thread) in threads.items():
        if calls[symbol] is not None and calls[symbol] != {("carillon_thread_missed", number)}:
            events.error("C205", f"the missed deadlines of thread '{thread.name}' are told otherwise ({symbol})", thread.span)
    told = _calls(events, "carillon_time_tell_missed") if threads else None
    if told is not None and {name for name, _ in told} - {"carillon_thread_missed"} != threads.keys():
        events.error("C205", "not the missed deadlines of each thread are told (carillon_time_tell_missed)")


def _calls(events: Events, symbol: str) -> set[tuple[str, int | None]] | None:
    """What a function calls on some path, each with its first argument, if that is known; None if there is no such function."""
    own = events.elf.symbols.get(symbol)
    if own is None:
        return None
    called = events.meanings.of(own.address).every("call")
    return {(step.name, step.number) for step in called if step.name != NOTE}


def _servers(events: Events) -> Iterator[_Told]:
    servers = [s for s in events.osek.servers if any(t.server == s.name for t in events.osek.tasks)]
    rows = events.elf.rows("carillon_servers") if servers else []
    if servers and len(rows) != len(servers):
        events.error("C205", f"there are {len(rows)} servers, and not {len(servers)}")
        return
    of_level = events.elf.values("carillon_server_of") if servers else []
    for number, (server, row) in enumerate(zip(servers, rows, strict=True), 1):
        budget, period, level, constant = (row[name] for name in ("budget", "period", "level", "constant"))
        own = {t.level for t in events.leveled if t.task.server == server.name}
        if own != {level} or of_level[level : level + 1] != [number]:
            events.error("C205", f"the server '{server.name}' has level {level}, and its threads {sorted(own)}", server.span)
        if constant != (server.kind is ServerKind.CONSTANT):
            events.error("C205", f"the server '{server.name}' is of another kind", server.span)
        yield _Told(f"the budget of server '{server.name}'", server.budget, budget, False, server.span)
        yield _Told(f"the period of server '{server.name}'", server.period, period, True, server.span)
    if servers and sorted(n for n in of_level if n) != list(range(1, len(servers) + 1)):
        events.error("C205", "the table of the servers of levels has one that is none, or twice")


def _times(events: Events) -> Iterator[_Told]:
    for table, key, upwards in (("carillon_time_offsets", "offset", True), ("carillon_time_deadlines", "deadline", False)):
        threads = {n: t for n, t in enumerate(events.osek.tasks) if getattr(t, key)}
        rows = events.elf.rows(table) if threads else []
        found = {row["thread"]: row["ticks"] for row in rows}
        for number, thread in threads.items():
            if number not in found or len(rows) != len(threads):
                events.error("C205", f"the {key} of thread '{thread.name}' is not in the table of {key}s", thread.span)
                return
            yield _Told(f"the {key} of thread '{thread.name}'", getattr(thread, key), found[number], upwards, thread.span)


def _budgets(events: Events) -> Iterator[_Told]:
    """Execution budgets of tasks, and of locks if the image takes any.  A clock that ticks counts the tick that has begun."""
    time = events.system.time
    if not events.osek.queued_budgets or time is None:
        return
    begun = int(time.clock is ClockKind.PERIODIC)
    for task, units in zip(events.osek.tasks, events.budgets, strict=False):
        written, found = [task.budget], [units]
        if task.name in events.locks:
            held = sorted(ticks for _, ticks in task.resource_locks)
            written += [*held, task.all_interrupts_lock, task.all_interrupts_lock, task.os_interrupts_lock]
            found += events.locks[task.name]
        for ticks, counted in zip_longest(written, found, fillvalue=0):
            if bool(ticks) != bool(counted):
                events.error("C205", f"the task '{task.name}' has other budgets than those of the schedule", task.span)
                return
            if ticks:
                yield _Told(f"a budget of task '{task.name}'", ticks, counted - begun, True, task.span)
