# SPDX-License-Identifier: Apache-2.0
"""Budgets of the rounds' tasks; and times in ticks of the clock: of servers, of offsets and deadlines of threads, of budgets.

The tick of a clock that is set is no part of an image, if the schedule does not write it.  Then the times of the tables are
compared with one another: all are those of the schedule in one unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from carillon import c_names
from carillon.diagnostics import Span
from carillon.elf import AVR, REAL, UnreadableError
from carillon.model.osek import ServerKind
from carillon.model.time import ClockKind
from carillon.verify.code.done import Done
from carillon.verify.code.executed import executed
from carillon.verify.contract import Store
from carillon.verify.controllers import named
from carillon.verify.event_cells import budget_turn

if TYPE_CHECKING:
    from carillon.model import Task
    from carillon.verify.events import Events
    from carillon.verify.families import Cell, Match

HANDLER = "carillon_round_budget_vector"
CALLS = {"carillon_port_call": 0, "carillon_port_call_as": 1}
"""The port's functions that call a function with a frame to unwind to, and which argument that is."""
OTHERS = (1, 1 << 8, 1 << 15, 1 << 16, 0x5A5A_5A5A, 0xFFFF_FFFF)
"""What the watched word is while a job is watched, for what bounds another one: that it is not 0 is all that counts."""


class _Kind(NamedTuple):
    """How the image keeps these budgets: by one cell, or by a cell of each task's own."""

    table: str
    watched: str
    strikes: str


SHARED, OWN = (
    _Kind(f"carillon_{kind}_budgets", f"carillon_{kind}_budget_watched", f"carillon_{kind}_budget_strikes")
    for kind in ("round", "task")
)
SET = "carillon_round_budget_set"
"""The kernel's function that sets what is left, of a cell that is a match."""
AHEAD = 1 << 31
"""What such a cell counts: half of it lies ahead, and the other half has passed."""
HELD = 0x5AA5_A55A
"""What the units of a budget are taken for, so that they are known again."""
RUNS_IN = "carillon_task_budget_sources"
"""Of own cells: in which source's handler the last job of each task runs."""


def check_round_budgets(events: Events) -> None:
    """Check all of them: C204 without a cell, C205 what the image has instead, C207 the level of the cell."""
    system, elf, tasks = events.system, events.elf, events.system.bounded
    if not tasks:
        return
    kind = OWN if OWN.table in elf.symbols else SHARED
    sources = events.of_kind("round budgets")
    cells = _own_cells(events) if kind is OWN else [events.round_budget_cell] * len(system.bounded_functions)
    if len(sources) != (len(tasks) if kind is OWN else 1) or not all(cells):
        events.error("C204", "tasks of the rounds have execution budgets, and no cell keeps them", tasks[0].span)
        return
    for source in sources:
        if events.sources[source] != system.board.levels:
            cause = f"{named([source])}, of the rounds' budgets, has level {events.sources[source]} of {system.board.levels}"
            events.error("C207", f"{cause}, and not the highest", tasks[0].span)
    handler = elf.symbols.get(HANDLER)
    if handler is None or kind.strikes not in {s.name for s in events.meanings.of(handler.address).every("call")}:
        events.error("C205", f"'{HANDLER}' does not lead to '{kind.strikes}'", tasks[0].span)
    own = system.bounded_functions
    rows = elf.rows(kind.table)
    if len(rows) != len(own):
        events.error("C205", f"the table of the rounds' budgets is missing, or has not {len(own)} of them", tasks[0].span)
        return
    for number, (task, cell) in enumerate(zip(own, cells, strict=True)):
        assert cell is not None
        events.report.tables += 1
        begun = events.hardware.match_of(cell) is not None  # a unit has begun when a match is set to so many
        time, said = cell.ticks(rows[number]["units"] - begun), rows[number]["task"]
        if time != task.budget:
            cause = f"the task '{task.name}' has a budget of {float(time):g} ticks, and not of {task.budget}"
            events.error("C205", cause, task.span)
        if said != system.tasks.index(task):
            events.error("C205", f"ttErrorHook is told of task {said} where '{task.name}' has used up its budget", task.span)
        if REAL + task.entry not in elf.symbols:
            events.error("C205", f"nothing bounds the task '{task.name}': its function is called without a budget", task.span)
            continue
        try:
            wrong = next(_wrong_place(events, kind, task, number, cell), None)
        except UnreadableError as error:
            events.error("C209", f"what stands in the place of the task '{task.name}' cannot be read: {error}", task.span)
            continue
        if wrong is not None:
            events.error("C205", f"what stands in the place of the task '{task.name}' {wrong}", task.span)


def _own_cells(events: Events) -> list[Cell | None]:
    """The cell of each task's own budget, by its counter; None where it is no cell that stands behind such a source."""
    sources = events.of_kind("round budgets")
    found: list[Cell | None] = []
    for row in events.elf.rows(OWN.table):
        cell = events.hardware.counter(row["counter"])
        stands = cell is not None and cell.started is None and cell.again == 0 and not cell.mute
        fits = cell is not None and cell.place.source == row["source"] and cell.place.source in sources
        found.append(cell if stands and fits and cell not in found else None)
    return found


PAUSE, RESUME = "carillon_pause_budget", "carillon_resume_budget"
PAUSED = {"counter", "alarm", "joined", "point", "half", "end", "adjust", "frames"}
"""What the kernel's own handlers serve that use up nobody's budget."""


def check_pauses(events: Events) -> None:
    """Where jobs have budgets, each handler of the kernel's own pauses them before its first call, and resumes them last."""
    if not events.osek.celled_budgets:
        return
    for source, service in sorted(events.services.items()):
        if service is None or service.kind not in PAUSED:
            continue
        for vectors in events.vectors:
            meaning = events.meanings.of(vectors[source])
            calls = [[step.name for step in path if step.kind == "call"] for path in meaning.paths]
            if any(not names or (names[0], names[-1]) != (PAUSE, RESUME) for names in calls):
                cause = f"the vector of {named([source])}, '{meaning.symbol}', uses up the budget of the job that it preempts"
                events.error("C205", cause)
                break


def _wrong_place(events: Events, kind: _Kind, task: Task, number: int, cell: Cell) -> Iterator[str]:
    """The faults of what is called in place of a task's function; each of its instructions is read.

    While no job is watched, it has the port call a function that watches the job, runs the task, and watches nothing again.
    Else a job of another task goes on in the task's own function.
    """
    elf = events.elf
    real, watched = elf.symbol(REAL + task.entry).address, elf.symbol(kind.watched).address
    place = elf.symbols.get(c_names.bounded(task.entry)) or elf.symbol(task.entry)
    done = executed(elf, place.address, {watched: 0})
    beneath = {executed(elf, place.address, {watched: other}) for other in OTHERS if elf.machine != AVR or other & 0xFFFF}
    if any(len(each) != 2 or each[0] != Done("read", watched) or each[1].kind != "call" for each in (done, *beneath)):
        yield "does not ask whether a job is watched"
        return
    others = {elf.name_of(each[1].address) for each in beneath if each[1].address != real}
    name, arguments = elf.name_of(done[1].address), done[1].arguments
    if others:
        yield f"runs '{others.pop()}' as a part of another job"
    elif name not in CALLS:
        yield f"has '{name}' run what bounds the task"
    elif CALLS[name] and arguments[0] != real:
        yield "is recorded as another function"
    else:
        within = elf.code(arguments[CALLS[name]])
        wrong = _wrong_own_job if kind is OWN else _wrong_job
        for source in range(events.system.board.sources):
            yield from wrong(events, within, real, number, source, cell)


def _wrong_job(events: Events, within: int, real: int, number: int, source: int, cell: Cell) -> Iterator[str]:
    """The faults of a function that bounds a task where it runs in a certain source's handler."""
    elf, leveled = events.elf, events.system.board.nesting == "levels"
    units, watched = elf.rows(SHARED.table)[number].address, elf.symbol(SHARED.watched).address
    done = [it for it in executed(elf, within, {units: HELD}, source) if it != Done("read", units)]
    counter = next((it.address for it in done if events.hardware.counter(it.address) is cell), -1)
    turn = budget_turn(cell)
    if (kept := events.hardware.match_of(cell)) is not None:
        turn = cell.ticks(min(AHEAD, 1 << kept.bits))
        counter = kept.register
        if not _sets(events, kept, cell.place.source):
            yield f"sets its cell by '{SET}', which does not"
            return
        if events.elf.machine == AVR and not all(it.locked for it in done if it.address == watched):
            yield "stores the watched word piece by piece while interrupts come"
            return
        done = [_set(events, it, kept, units) for it in done]
    far = next((it.value for it in done if it.address == counter and isinstance(it.value, int)), 0)
    wanted = [
        ("keep the cell from 0", Done("write", counter, far)),
        ("watch this job", Done("write", watched, number + 1 | (source << 16 if leveled else 0))),
        ("load the task's budget", Done("write", counter, ("held", units))),
        ("run the task", Done("call", real)),
        ("watch nothing at its end", Done("write", watched, 0)),
    ]
    if cell.ticks(4 * far) != turn:  # a quarter of what it counts
        yield "does not keep its cell far from 0 while it begins to watch the job"
    else:
        yield from _other(done, wanted)


def _sets(events: Events, kept: Match, source: int) -> bool:
    """Whether the kernel's function that sets a match to so many units ahead does so, locked, and until no tick comes between."""
    place, most, controller = events.elf.symbols.get(SET), (1 << kept.bits) - 1, events.hardware.controller
    units = 0x5AA5_A55A & most
    if place is None:
        return False
    for reads in ((17, 17), (17, 18, 18, 18), (most, 0, 0, 5, 5, 5)):
        done: list[Done] = []
        for before in reads[::2] if kept.again else reads[:1]:
            done += [Done("read", kept.counter), Done("write", kept.register, before + units + kept.further & most)]
            done += [Done("read", kept.counter)] if kept.again else []
        found = list(executed(events.elf, place.address, {}, 0, (units,), {kept.counter: reads}))
        locked = all(it.locked for it in found)
        last = found.pop() if kept.forgets and found else None
        if last is not None and isinstance(last.value, int):
            locked = locked and controller.store(last.address, last.value) == ("unpend", frozenset({source}))
        if found != done or not locked:
            return False
    return True


def _set(events: Events, done: Done, kept: Match, units: int) -> Done:
    """What calls that function, as what it stores; anything else as it is."""
    if done.kind != "call" or done.address != events.elf.symbol(SET).address:
        return done
    asked = done.arguments[0]
    return Done("write", kept.register, ("held", units) if asked == HELD & (1 << kept.bits) - 1 else asked)


def _other(done: Sequence[Done], wanted: Sequence[tuple[str, Done]]) -> Iterator[str]:
    """The first thing that is not done as it must be."""
    if list(done) != [one for _, one in wanted]:
        first = next((k for k, (d, (_, w)) in enumerate(zip(done, wanted, strict=False)) if d != w), min(len(done), len(wanted)))
        yield f"does not {wanted[first][0]}" if first < len(wanted) else "does more than run the task within its budget"


def _wrong_own_job(events: Events, within: int, real: int, number: int, source: int, cell: Cell) -> Iterator[str]:
    """The same of a task with a cell for its budget, which a store starts and another one stops."""
    elf, row = events.elf, events.elf.rows(OWN.table)[number]
    places = {name: row.address + 4 * k for k, name in enumerate(("units", "cell", "counter"))}
    counter = 0x5AA5_A560  # so that what is stored there, and where, is known to be what the row says
    held = {places["units"]: 0x5AA5_A55A, places["cell"]: 0x5AA5_A55B, places["counter"]: counter}
    reads = {Done("read", place) for place in places.values()}
    done = [it for it in executed(elf, within, held, source) if it not in reads]
    runs_in, watched = elf.symbol(RUNS_IN).address + 4 * number, elf.symbol(OWN.watched).address
    word = ("held", places["cell"])
    resume = next((it.address for it in done if it.value == word and it.address != watched), -1)
    pause = next((it.address for it in reversed(done) if it.value == word and it.address != watched), -1)
    wanted = [
        ("say where the job runs", Done("write", runs_in, source)),
        ("load the task's budget", Done("write", counter, ("held", places["units"]))),
        ("watch this job", Done("write", watched, word)),
        ("start the task's cell", Done("write", resume, word)),
        ("run the task", Done("call", real)),
        ("watch nothing at its end", Done("write", watched, 0)),
        ("stop the task's cell", Done("write", pause, word)),
    ]
    running = [c for _, c in events.hardware.cells if c.started is not None]
    with events.hardware.tried():
        events.hardware.carry_out([Store(resume, row["cell"], 0)], Fraction(0))
        starts = [c for _, c in events.hardware.cells if c.started is not None and c not in running] == [cell]
        events.hardware.carry_out([Store(pause, row["cell"], 0)], None)
        stops = [c for _, c in events.hardware.cells if c.started is not None] == running
    if not starts or not stops:
        yield f"does not {'stop' if starts else 'start'} the task's cell, and no other"
    else:
        yield from _other(done, wanted)


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
    threads = {c_names.late(t.name): (n, t) for n, t in enumerate(events.osek.tasks) if t.deadline}
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
