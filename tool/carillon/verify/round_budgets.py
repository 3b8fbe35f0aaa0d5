# SPDX-License-Identifier: Apache-2.0
"""Execution budgets of the rounds' tasks: their cell, its level, their table, and what stands in the tasks' places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carillon.elf import REAL
from carillon.verify.contract import Reader
from carillon.verify.controllers import named

if TYPE_CHECKING:
    from carillon.verify.events import Events

HANDLER, STRIKES = "carillon_round_budget_vector", "carillon_round_budget_strikes"
TABLE = "carillon_round_budgets"


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
    table = elf.symbols.get(TABLE)
    if table is None or table.size != 8 * len(own):
        events.error("C205", f"the table of the rounds' budgets is missing, or has not {len(own)} of them", tasks[0].span)
        return
    for number, task in enumerate(own):
        events.report.tables += 1
        reader = Reader(elf, table.address + 8 * number)
        time, said = cell.ticks(reader.take(4)), reader.take(2)
        if time != task.budget:
            cause = f"the task '{task.name}' has a budget of {float(time):g} ticks, and not of {task.budget}"
            events.error("C205", cause, task.span)
        if said != system.tasks.index(task):
            events.error("C205", f"ttErrorHook is told of task {said} where '{task.name}' has used up its budget", task.span)
        if REAL + task.entry not in elf.symbols:
            events.error("C205", f"nothing bounds the task '{task.name}': its function is called without a budget", task.span)
