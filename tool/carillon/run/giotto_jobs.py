# SPDX-License-Identifier: Apache-2.0
"""The jobs of a Giotto program's tasks in a run: when each was released, and when it had ended.

1. The first interrupt of the machine, or on cells of the blocks, is the program's begin.  Instants are whole milliseconds
   after it.
2. A job was released at the latest instant before its begin at which any order of switches releases its task.  With one such
   instant in each period of the task, that is the one.  With several, it may have been an earlier one, and took longer.
3. A job has ended when its function has returned and its thread waits again, or has begun with the next job.  A thread that is
   preempted waits, too.  On virtual boards no return is known: there the last wait before the next job is the end.
4. On cells, tasks of one period are one job.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from carillon.groups import grouped
from carillon.model import System
from carillon.model.rates import rates_of
from carillon.model.releases import Releases, releases_of
from carillon.trace import Event, Kind
from carillon.trace.invocations import Invoked

_BEGINS = ("clock", "slices")
"""What the handlers of the machine and of blocks are for, as a trace names it."""
Calls = Sequence[tuple[str, int, int | None]]
"""As :attr:`.Trace.invocations`."""


def jobs(system: System, events: Sequence[Event], invocations: Calls, per_tick: int) -> list[Invoked]:
    """The jobs that have ended, of a system with a program; ``per_tick``: as in a trace, 0 if code takes no time."""
    begin = next((e.n for e in events if e.kind is Kind.ENTER and e.object in _BEGINS), None)
    if system.giotto is None or begin is None:
        return []
    scale = max(1, per_tick)
    ended = _of_threads(events, invocations, counts_code=per_tick > 0) if system.machine.interprets else _of_rates(events)
    found, known = [], _releases(system)
    per_ms = system.clock_hz * scale // 1000
    for lane, call, end in ended:
        releases = known.get(lane)
        at = -1 if releases is None or call < begin else releases.before((call - begin) // per_ms)
        if at >= 0:
            found.append(Invoked(lane, (begin + at * per_ms) // scale, call // scale, end // scale))
    return found


def _releases(system: System) -> dict[str, Releases]:
    """By the lane of a thread, or of a rate on cells."""
    assert system.giotto is not None
    program = system.giotto
    of_tasks = releases_of(program)
    lanes = dict(zip((task.name.text for task in program.tasks), program.thread_names, strict=True))
    if system.machine.interprets:
        return {lanes[name]: its for name, its in of_tasks.items()}
    alone = [rate for rate in rates_of(program, program.thread_names) if len(rate.tasks) == 1]
    return {rate.name: of_tasks[name] for rate in alone if (name := program.tasks[rate.tasks[0]].name.text) in of_tasks}


def _of_threads(events: Sequence[Event], invocations: Calls, *, counts_code: bool) -> Iterator[tuple[str, int, int]]:
    waits = grouped((event.object, event.n) for event in events if event.kind is Kind.WAIT)
    calls = grouped((lane, begin) for lane, begin, _ in invocations)
    for lane, begin, end in invocations:
        own = waits[lane]
        if end is None:
            continue
        if not counts_code:
            place = bisect_left(own, max(end, begin + 1)) - 1  # a wait at the next call is the next job's, which takes no time
            if place >= 0 and own[place] >= begin:
                yield lane, begin, own[place]
            continue
        place, following = bisect_left(own, end), bisect_right(calls[lane], begin)
        until = [*own[place : place + 1], *calls[lane][following : following + 1]]
        yield lane, begin, min(until, default=end)


def _of_rates(events: Sequence[Event]) -> Iterator[tuple[str, int, int]]:
    begun: dict[str, int] = {}
    for event in events:
        if event.kind is Kind.START:
            begun[event.object] = event.n
        elif event.kind is Kind.END and event.object in begun:
            yield event.object, begun.pop(event.object), event.n
