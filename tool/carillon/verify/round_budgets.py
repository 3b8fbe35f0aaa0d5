# SPDX-License-Identifier: Apache-2.0
"""Execution budgets of the rounds' tasks: their cell, its level, their table, and what stands in the tasks' places."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from carillon.elf import REAL, UnreadableError
from carillon.verify.code.executed import Done, executed
from carillon.verify.controllers import named

if TYPE_CHECKING:
    from carillon.model import Task
    from carillon.verify.events import Events

HANDLER, STRIKES = "carillon_round_budget_vector", "carillon_round_budget_strikes"
TABLE, WATCHED = "carillon_round_budgets", "carillon_round_budget_watched"
CALLS = {"carillon_port_call": 0, "carillon_port_call_as": 1}
"""The port's functions that call a function with a frame to unwind to, and which argument that is."""
OTHERS = (1, 1 << 16, 0x5A5A_5A5A, 0xFFFF_FFFF)
"""What the watched word is while a job is watched, for what bounds another one: that it is not 0 is all that counts."""
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
    done = executed(elf, place.address, {watched: 0})
    beneath = {executed(elf, place.address, {watched: other}) for other in OTHERS}
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
        for source in range(events.system.board.sources):
            yield from _wrong_job(events, within, real, number, source)


def _wrong_job(events: Events, within: int, real: int, number: int, source: int) -> Iterator[str]:
    """The faults of a function that bounds a task where it runs in a certain source's handler."""
    elf, cell = events.elf, events.round_budget_cell
    assert cell is not None
    units, watched = elf.rows(TABLE)[number].address, elf.symbol(WATCHED).address
    done = [it for it in executed(elf, within, {units: 0x5AA5_A55A}, source) if it != Done("read", units)]
    counter = next((it.address for it in done if events.hardware.counter(it.address) is cell), -1)
    far = next((it.value for it in done if it.address == counter and isinstance(it.value, int)), 0)
    wanted = [
        Done("write", counter, far),
        Done("write", watched, number + 1 | source << 16),
        Done("write", counter, ("held", units)),
        Done("call", real),
        Done("write", watched, 0),
    ]
    if cell.ticks(4 * far) != 4 * FAR:
        yield "does not keep its cell far from 0 while it begins to watch the job"
    elif done != wanted:
        first = next((k for k, (d, w) in enumerate(zip(done, wanted, strict=False)) if d != w), min(len(done), len(wanted)))
        said = ("keep the cell from 0", "watch this job", "load the task's budget", "run the task", "watch nothing at its end")
        yield f"does not {said[first]}" if first < len(said) else "does more than run the task within its budget"
