# SPDX-License-Identifier: Apache-2.0
"""Execution budgets of the rounds' tasks: their cell, its level, their table, and what stands in the tasks' places."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from carillon.elf import REAL, UnreadableError
from carillon.verify.code.exact import Done, Way, exact
from carillon.verify.controllers import named

if TYPE_CHECKING:
    from carillon.model import Task
    from carillon.verify.events import Events

HANDLER, STRIKES = "carillon_round_budget_vector", "carillon_round_budget_strikes"
TABLE, WATCHED = "carillon_round_budgets", "carillon_round_budget_watched"
CALLS = {"carillon_port_call": 0, "carillon_port_call_as": 1}
"""The port's functions that call a function with a frame to unwind to, and which argument that is."""
FAR = Fraction(1 << 22)
"""What the cell reads while the watched word is exchanged, in ticks: a quarter of its range."""


def check_round_budgets(events: Events) -> None:
    """Check all of them: C204 without a cell, C205 what the image has instead, C207 the level of the cell."""
    system, elf, tasks = events.system, events.elf, events.system.bounded
    sources = events.of_kind("round budgets")
    if not tasks:
        return
    cell = events.round_budget_cell
    if cell is None or len(sources) != 1:
        events.error("C204", "tasks of the rounds have execution budgets, and no cell keeps them", tasks[0].span)
        return
    source = next(iter(sources))
    if events.sources[source] != system.board.levels:
        cause = f"{named([source])}, of the rounds' budgets, has level {events.sources[source]} of {system.board.levels}"
        events.error("C207", f"{cause}, and not the highest", tasks[0].span)
    handler = elf.symbols.get(HANDLER)
    if handler is None or STRIKES not in {s.name for s in events.meanings.of(handler.address).every("call")}:
        events.error("C205", f"'{HANDLER}' does not lead to '{STRIKES}'", tasks[0].span)
    own = system.bounded_functions
    rows = elf.rows(TABLE)
    if len(rows) != len(own):
        events.error("C205", f"the table of the rounds' budgets is missing, or has not {len(own)} of them", tasks[0].span)
        return
    for number, task in enumerate(own):
        events.report.tables += 1
        time, said = cell.ticks(rows[number]["units"]), rows[number]["task"]
        if time != task.budget:
            cause = f"the task '{task.name}' has a budget of {float(time):g} ticks, and not of {task.budget}"
            events.error("C205", cause, task.span)
        if said != system.tasks.index(task):
            events.error("C205", f"ttErrorHook is told of task {said} where '{task.name}' has used up its budget", task.span)
        if REAL + task.entry not in elf.symbols:
            events.error("C205", f"nothing bounds the task '{task.name}': its function is called without a budget", task.span)
            continue
        try:
            wrong = next(_wrong_place(events, task, number), None)
        except UnreadableError as error:
            events.error("C209", f"what stands in the place of the task '{task.name}' cannot be read: {error}", task.span)
            continue
        if wrong is not None:
            events.error("C205", f"what stands in the place of the task '{task.name}' {wrong}", task.span)


def _wrong_place(events: Events, task: Task, number: int) -> Iterator[str]:
    """The faults of what is called in place of a task's function; each of its instructions is read.

    While no job is watched, it has the port call a function that watches the job, runs the task, and watches nothing again.
    Else a job of another task goes on in the task's own function.
    """
    elf = events.elf
    real, watched = elf.symbol(REAL + task.entry).address, elf.symbol(WATCHED).address
    place = elf.symbols.get(f"carillon_bounded_{task.entry}") or elf.symbol(task.entry)
    ways, within = {way.zero: way.done for way in exact(elf, place.address).ways()}, -1
    if set(ways) != {((("held", watched), True),), ((("held", watched), False),)}:
        yield "does not ask whether a job is watched"
        return
    for ((_, free),), done in ways.items():
        last = done[1] if len(done) == 2 and done[0] == Done("read", watched) and done[1].kind == "call" else Done("", 0)
        name = elf.name_of(last.address) if isinstance(last.address, int) and last.kind else "nothing"
        if not free and last.address != real:
            yield f"runs '{name}' as a part of another job"
        elif free and name not in CALLS:
            yield f"has '{name}' run what bounds the task"
        elif free:
            function = last.arguments[CALLS[name]]
            within = elf.code(function) if isinstance(function, int) else -1
            if CALLS[name] and last.arguments[0] != real:
                yield "is recorded as another function"
    for source in range(events.system.board.sources):
        yield from _wrong_job(events, exact(elf, within, source).ways(), real, number, source)


def _wrong_job(events: Events, ways: list[Way], real: int, number: int, source: int) -> Iterator[str]:
    """The faults of a function that bounds a task where it runs in a certain source's handler."""
    elf, cell = events.elf, events.round_budget_cell
    assert cell is not None
    units, watched = elf.rows(TABLE)[number].address, elf.symbol(WATCHED).address
    done = [it for it in ways[0].done if it != Done("read", units)]
    counter = next((d.address for d in done if isinstance(d.address, int) and events.hardware.counter(d.address) is cell), -1)
    far = next((d.value for d in done if d.address == counter and isinstance(d.value, int)), 0)
    wanted = [
        Done("write", counter, far),
        Done("write", watched, number + 1 | source << 16),
        Done("write", counter, ("held", units)),
        Done("call", real),
        Done("write", watched, 0),
    ]
    if len(ways) != 1 or cell.ticks(4 * far) != 4 * FAR:
        yield "does not keep its cell far from 0 while it begins to watch the job"
    elif done != wanted:
        first = next((k for k, (d, w) in enumerate(zip(done, wanted, strict=False)) if d != w), min(len(done), len(wanted)))
        said = ("keep the cell from 0", "watch this job", "load the task's budget", "run the task", "watch nothing at its end")
        yield f"does not {said[first]}" if first < len(said) else "does more than run the task within its budget"
