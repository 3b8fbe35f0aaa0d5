# SPDX-License-Identifier: Apache-2.0
"""S code for a Giotto program: which tasks are dispatched behind each block of E code, and in which order.

Behind its ``future``, a block dispatches tasks until the next block begins, and ends then.  Tasks are released at blocks only, so
that an order of tasks for each block is a whole schedule.  To dispatch a task that has ended, or was not released, is nothing.
At any instant there is one thread at most, in every mode and across switches.

*EDF.*  What a block dispatches, in the order of deadlines, is what runs there if all take their execution times: see
:func:`edf`.

*Rate-monotonic.*  Each block dispatches all tasks of the mode, the shortest period first, whether or not they are unfinished.
So blocks with the same time to the next one share their S code, as in the paper.

*Nonpreemptive.*  :func:`nonpreemptive` looks for an order of the invocations in a period in which each ends in time if each
takes its execution time.  A block dispatches the task that goes on there, or may go on, and then those that begin before the next
block.

1. By induction over the order, each invocation begins in its block, and not later than with the full execution times, since
   what is dispatched before it there ends no later.  So each ends in time.
2. If a task is unfinished when the next block begins, it would be with full execution times, too, so that block dispatches it
   first.  Nothing runs between.  The machine's own instructions are in no execution time: they move ends over the borders of
   blocks, and the more so the more has run without a pause.  So a block dispatches first, in the order of the search, what is
   unfinished there if each invocation takes :data:`SHARE` and :data:`EACH` more; once it has ended, that is nothing.
3. If a task is released that begins in a later block, the block idles at its end.  So the scheduler for what no S code dispatches
   does not begin it.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from carillon.diagnostics import Diagnostics, Span, suggestion
from carillon.frontends.giotto.blocks import Block, Walk, blocks
from carillon.frontends.giotto.compile import IDLE, Plan, compile_giotto
from carillon.frontends.giotto.load import execution_times
from carillon.frontends.giotto.simulation import Played, by_deadline, by_period, play
from carillon.microcode.compiled import Compiled
from carillon.microcode.text import Thread, assembled_thread
from carillon.model.giotto import Activity, Giotto, Mode
from carillon.model.instants import active_units, begins, entry_of, next_block
from carillon.read.text import read_text
from carillon.units import shorten

METHODS = ("edf", "nonpreemptive", "rate-monotonic")
SHARE = Fraction(1, 50)
EACH = Fraction(20, 1000)
"""What the machine takes at most, as nonpreemptive S code expects: of a task's time, and in milliseconds for each invocation."""
_MOST_RISES = 64
_MOST_WORK = 2_000_000
Left = dict[str, Fraction | float]


def planned(method: str, source: Giotto, diagnostics: Diagnostics) -> Plan | None:
    """The S code of a program by one of the ``METHODS``; None after errors, C270 or C271."""
    if method == "nonpreemptive":
        return nonpreemptive(source, diagnostics)
    return edf(source) if method == "edf" else rate_monotonic(source)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Who runs: S code in the blocks, by a method, or a thread beside them, or neither; and who chooses while no thread waits."""

    plan: Plan | None = None
    thread: Thread | None = None
    scheduler: str = "edf"
    method: str | None = None
    handlers: Thread | None = None
    """What has handlers, but no thread."""

    @property
    def written(self) -> Thread | None:
        """What is compiled beside the plan."""
        return self.thread or self.handlers

    @property
    def by_periods(self) -> bool:
        """Whether all tasks run by rate-monotonic priorities."""
        free = self.plan is None and self.thread is None
        return self.method == "rate-monotonic" or (free and self.scheduler == "rm")


SCHEDULERS = ("edf", "rm")
"""Who may choose: deadlines or periods."""
_SETTINGS = {"method": METHODS, "scheduler": SCHEDULERS}


def chosen_in(file: Path, source: Giotto, diagnostics: Diagnostics) -> Chosen | None:
    """What a file of S code says; None after errors, C010, C267, C270 or C271.

    It has a method, or instructions of a thread that begins behind the first block, or the order of tasks behind blocks; or
    it says the scheduler alone.  C241 is a warning.
    """
    text = read_text(file, diagnostics, "S code", ".scode")
    tasks = tuple(task.name.text for task in source.tasks)
    handled = None
    if text is not None and re.search(r"^\s*\.(late|shared)\b", text.content, re.MULTILINE):
        compiled = compile_giotto(source, Diagnostics())  # what a handler may call
        handled = None if compiled is None else compiled.program
    found = None if text is None else assembled_thread(text.content, str(file), tasks, diagnostics, _SETTINGS, handled)
    if found is None:
        return None
    handlers = found if found.has_handlers else None
    method, scheduler = found.settings.get("method"), found.settings.get("scheduler", "edf")
    ways = {"a .method": method is not None, ".order": bool(found.orders), "instructions": not found.is_empty}
    written = [way for way, is_there in ways.items() if is_there]
    if len(written) > 1:
        line = found.orders[0][0] if found.is_empty else found.code[0][0]
        cause = f"the file has {written[0]}, and {written[1]}, too"
        diagnostics.error("C267", Span(str(file), line), cause, "write either: it is all S code of the program")
        return None
    if found.orders:
        ordered = _ordered(file, found, source, diagnostics)
        return None if ordered is None else Chosen(ordered, None, scheduler, None, handlers)
    if method is not None:
        plan = planned(method, source, diagnostics)
        return None if plan is None else Chosen(plan, None, scheduler, method, handlers)
    if found.is_empty:
        return Chosen(scheduler=scheduler, handlers=handlers)
    if len(source.modes) > 1 or source.modes[0].switches:
        cause = "the S code of a file is one thread, and this program has switches of modes"
        remedy = f"write .method and one of {', '.join(METHODS)} instead"
        diagnostics.error("C271", source.start.span, cause, remedy)
        return None
    return Chosen(None, found, scheduler)


def _ordered(file: Path, found: Thread, source: Giotto, diagnostics: Diagnostics) -> Plan | None:
    """The plan of a file's orders; None after C267, and with C241 if nothing proves it across switches."""
    known = {str(block): block for block in blocks(source)}
    plan = Plan({}, {})
    before = len(diagnostics.errors)
    seen = set()
    for line, name, order in found.orders:
        block = known.get(name)
        if block is None or name in seen:
            cause = f"the program has no block {shorten(name)}" if block is None else f"the block {name} is there twice"
            remedy = suggestion(name, known) if block is None else "write all its tasks in one line"
            diagnostics.error("C267", Span(str(file), line), cause, remedy)
            continue
        seen.add(name)
        block.set(plan, order)
    if len(diagnostics.errors) > before:
        return None
    if any(mode.switches for mode in source.modes) and (lacking := _first_unproved(plan, source)) is not None:
        block, needed = lacking
        cause = "nothing proves that all tasks end in time across switches with this S code"
        remedy = f"let the line of each block begin as .method edf would: .order {block} {', '.join(needed)}"
        diagnostics.warning("C241", Span(str(file), found.orders[0][0]), cause, remedy)
    return plan


def _first_unproved(plan: Plan, source: Giotto) -> tuple[Block, tuple[str, ...]] | None:
    """The first block that does not begin with what EDF dispatches there, and that; None: it is EDF in every execution.

    What follows that is left to the time that EDF leaves, and what is not there, to the scheduler behind the block.
    """
    full = edf(source)
    for block in blocks(source):
        needed = block.order(full)
        if block.order(plan)[: len(needed)] != needed:
            return block, needed
    return None


def played(source: Giotto, mode: Mode, compiled: Compiled, chosen: Chosen) -> Played:
    """A period of a mode with its S code, all of whose tasks have execution times."""
    label = f"{mode.name}@0" if chosen.thread is None else "start"
    urgency = by_period if chosen.scheduler == "rm" else by_deadline
    return play(compiled, execution_times(source), label, mode.period, urgency)


def _period(mode: Mode, invocation: Activity) -> int:
    return mode.period // invocation.frequency


def edf(source: Giotto) -> Plan:
    """S code that serves deadlines in their order.

    1. ``left`` of a task at a block is the most that it may still need there.  Served in the order of deadlines, the work
       that is left grows with the work that was there, task by task.  So the largest values that come from the blocks
       before, and from the switches into the mode, are bounds of all executions.  They are a least fixed point; a value
       that rises too often becomes the whole execution time, which is a bound, too.
    2. A block need not dispatch what has nothing left, nor what the ones before it leave no time for: its bound stays as
       it is.  If all bounds are 0 at deadlines, all tasks end in time with these blocks, which are the smallest.
    3. If not, since execution times are missing, or several switches lead to one block, each block dispatches all that
       has something left.  That is EDF in every execution.
    """
    times = execution_times(source)
    walk = Walk(source)
    full, short = Plan({}, {}), Plan({}, {})
    kept: dict[object, bool] = {}
    """Whether the bounds of what ends behind a block are 0."""
    entering: dict[tuple[str, int], Left] = {(name, 0): {} for name in walk.modes}
    rises: Counter[tuple[str, int]] = Counter()
    waiting = list(entering)

    def join(mode: Mode, time: int, left: Left) -> None:
        key = mode.name.text, time % mode.period // int(mode.unit)
        known = entering.get(key)
        goes_on = [a.target.text for a in mode.invocations if time % _period(mode, a) != 0]
        new = {name: max(left.get(name, Fraction(0)), (known or {}).get(name, Fraction(0))) for name in goes_on}
        if new != known:
            rises[key] += 1
            if rises[key] > _MOST_RISES:
                new = {name: times.get(name, math.inf) for name, value in new.items() if value > 0}
            entering[key] = new
            waiting.append(key)

    def served(mode: Mode, time: int, left: Left, key: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Dispatch what is left from ``time`` to the next block, which gets the rest: all of it, and what has time to run."""
        until = next_block(mode, walk.active[mode.name.text], time)
        order = sorted(
            (((time // _period(mode, a) + 1) * _period(mode, a), _period(mode, a), place, a.target.text))
            for place, a in enumerate(mode.invocations)
            if left.get(a.target.text, 0) > 0 or (a.target.text in left and time % _period(mode, a) == 0)
        )
        room: Fraction | float = Fraction(until - time)
        after: Left = {}
        run = []
        kept[key] = True
        for deadline, _, _, name in order:
            if room > 0 or left[name] == 0:
                run.append(name)
            after[name] = max(Fraction(0), left[name] - room)
            room = max(Fraction(0), room - left[name])
            kept[key] = kept[key] and (deadline > until or after[name] == 0)
        join(mode, until, after)
        return tuple(name for _, _, _, name in order), tuple(run)

    while waiting:
        name, unit = key = waiting.pop()
        mode, before = walk.modes[name], entering[key]
        begun = {a.target.text: times.get(a.target.text, math.inf) for a in mode.invocations if begins(mode, a, unit)}
        full.units[key], short.units[key] = served(mode, unit * int(mode.unit), before | begun, key)
        for switch in mode.switches:
            if not begins(mode, switch, unit):
                continue
            target = walk.modes[switch.target.text]
            there = {a.target.text for a in mode.interrupted(unit)}
            left = {task: value for task, value in before.items() if task in there}
            time = walk.waited(mode, unit, target)
            if time is None:
                join(target, entry_of(mode, unit, target).unit * int(target.unit), left)
            else:
                wait = name, unit, target.name.text
                full.waits[wait], short.waits[wait] = served(target, time, left, wait)
    return short if all(kept.values()) else full


def rate_monotonic(source: Giotto) -> Plan:
    """S code that runs the unfinished task of the shortest period, in every execution."""
    walk = Walk(source)
    plan = Plan({}, {})
    for name, mode in walk.modes.items():
        order = sorted(mode.invocations, key=lambda a: -a.frequency)
        for unit in walk.active[name]:
            plan.units[name, unit] = tuple(a.target.text for a in order)
            there = {a.target.text for a in mode.interrupted(unit)}
            for switch in mode.switches:
                target = walk.modes[switch.target.text]
                if begins(mode, switch, unit) and walk.waited(mode, unit, target) is not None:
                    found = tuple(a.target.text for a in order if a.target.text in there)
                    plan.waits[name, unit, target.name.text] = found
    return plan


@dataclass(frozen=True, slots=True, order=True)
class Job:
    """An invocation in a period: when it may begin, when it has to have ended, how long it takes, and its task's name."""

    deadline: int
    release: int
    time: int
    task: str


def nonpreemptive(source: Giotto, diagnostics: Diagnostics) -> Plan | None:
    """S code in which no task runs between the begin and the end of another; None after C270 or C271."""
    times = execution_times(source)
    scale = math.lcm(*(time.denominator for time in times.values()))
    plan = Plan({}, {})
    for mode in source.modes:
        active = active_units(mode)
        if not _suited(mode, active, times, diagnostics):
            continue
        jobs = [
            Job((k + 1) * period * scale, k * period * scale, int(times[a.target.text] * scale), a.target.text)
            for a in mode.invocations
            for period in (_period(mode, a),)
            for k in range(a.frequency)
        ]
        try:
            found = in_order(jobs)
        except OutOfWorkError:
            found, cause = None, "no nonpreemptive order was found, and the limit of the search is reached"
        else:
            cause = "there is no nonpreemptive order in which all of them end in time"
        if found is None:
            remedy = "use --s-code edf, or give the tasks shorter execution times"
            diagnostics.error("C270", mode.name.span, f"of the invocations of the mode {mode.name}, {cause}", remedy)
            continue
        latest = _latest_ends(found, EACH * scale)
        for unit in active:
            begin = unit * int(mode.unit)
            end = next_block(mode, active, begin)
            order = [
                job.task
                for (start, job), last in zip(found, latest, strict=True)
                if start < end * scale and (start >= begin * scale or (last >= begin * scale and job.deadline > begin * scale))
            ]
            waits = any(job.release <= begin * scale and start >= end * scale for start, job in found)
            plan.units[mode.name.text, unit] = (*order, IDLE) if waits else tuple(order)
    return None if diagnostics.errors else plan


def _latest_ends(found: Sequence[tuple[int, Job]], each: Fraction) -> list[Fraction]:
    """When the invocations end, in their order, with what the machine takes; ``each`` in their unit of time."""
    ends = []
    now = Fraction(0)
    for start, job in found:
        now = max(now, Fraction(start)) + job.time * (1 + SHARE) + each
        ends.append(now)
    return ends


def _suited(mode: Mode, active: Sequence[int], times: dict[str, Fraction], diagnostics: Diagnostics) -> bool:
    """Whether a nonpreemptive order of a mode can be looked for; C271 if not."""
    suited = True
    for invocation in mode.invocations:
        if invocation.target.text not in times:
            cause = f"nonpreemptive S code needs the execution time of the task {invocation.target}"
            diagnostics.error("C271", invocation.target.span, cause, "write [wcet ...] behind the task")
            suited = False
    for switch in mode.switches:
        if any(begins(mode, switch, unit) and mode.interrupted(unit) for unit in active):
            cause = f"nonpreemptive S code cannot have the switch to {switch.target}, which interrupts tasks"
            diagnostics.error("C271", switch.span, cause, "give the switch a frequency at which no task is unfinished")
            suited = False
    return suited


class OutOfWorkError(Exception):
    """The search for an order has a limit of work, and has reached it."""


def in_order(jobs: Sequence[Job], work: int = _MOST_WORK) -> list[tuple[int, Job]] | None:
    """Jobs and when they begin, so that one runs at a time and each ends in time; None if there is no such order.

    The earliest deadline first, if it does; otherwise a search.  A branch is left if

    1. what remains could not end in time with preemption either; or
    2. the same jobs remained before, not later; or
    3. the next job would begin when another one, put before it, has already ended.  If an order has that other one later,
       there is one that has it before, in which nothing begins later.
    """
    found = _earliest_deadline_first(jobs)
    if found is not None or not _preemptive(0, jobs):
        return found
    listed = sorted(jobs)
    failed: dict[int, int] = {}
    everything = (1 << len(listed)) - 1
    path: list[tuple[int, Job]] = []
    stack: list[tuple[int, int, int]] = [(0, everything, 0)]  # depth, what remains, time
    while stack:
        depth, remains, now = stack.pop()
        del path[max(depth - 1, 0) :]
        if depth:
            index = remains >> len(listed)
            remains &= everything
            job = listed[index]
            path.append((now, job))
            now += job.time
            if not remains:
                return path
        if failed.get(remains, now + 1) <= now:
            continue
        # The search returns at the first success, so what it comes back from has failed.
        failed[remains] = now
        rest = [k for k in range(len(listed)) if remains >> k & 1]
        work -= len(rest) * 4
        if work < 0:
            raise OutOfWorkError
        if not _preemptive(now, [listed[k] for k in rest]):
            continue
        first_end = min(max(now, listed[k].release) + listed[k].time for k in rest)
        tried: set[tuple[int, int, int]] = set()
        branches = []
        for k in rest:
            job = listed[k]
            same = job.deadline, job.release, job.time
            start = max(now, job.release)
            if start < first_end and same not in tried:
                tried.add(same)
                branches.append((depth + 1, remains & ~(1 << k) | k << len(listed), start))
        stack += reversed(branches)
    return None


def _earliest_deadline_first(jobs: Sequence[Job]) -> list[tuple[int, Job]] | None:
    """Of those that may begin, the earliest deadline, without preemption; None if one is late."""
    coming = sorted(jobs, key=lambda job: job.release)
    ready: list[Job] = []
    found = []
    now = place = 0
    while ready or place < len(coming):
        if not ready:
            now = max(now, coming[place].release)
        while place < len(coming) and coming[place].release <= now:
            heapq.heappush(ready, coming[place])
            place += 1
        job = heapq.heappop(ready)
        found.append((now, job))
        now += job.time
        if now > job.deadline:
            return None
    return found


def _preemptive(now: int, jobs: Sequence[Job]) -> bool:
    """Whether all end in time with preemption, from ``now`` on."""
    coming = sorted((max(job.release, now), job.deadline, job.time) for job in jobs)
    ready: list[tuple[int, int]] = []
    place = 0
    while ready or place < len(coming):
        if not ready:
            now = coming[place][0]
        while place < len(coming) and coming[place][0] <= now:
            heapq.heappush(ready, coming[place][1:])
            place += 1
        deadline, left = heapq.heappop(ready)
        ran = min(left, coming[place][0] - now) if place < len(coming) else left
        now += ran
        if now > deadline:
            return False
        if ran < left:
            heapq.heappush(ready, (deadline, left - ran))
    return True
