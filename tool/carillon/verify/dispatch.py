# SPDX-License-Identifier: Apache-2.0
"""A table: one cell among points of several subjects, whose handler looks up in ROM what is due (``kernel/osektime/table.h``).

What the dispatcher makes of an entry is its code, which is read by nobody here. That it is called with the cell's own step, and
what each entry says, is read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from carillon.verify.contract import circle, tick
from carillon.verify.expected import Subject
from carillon.verify.hardware import Running

if TYPE_CHECKING:
    from carillon.verify.layout import Row
    from carillon.verify.rounds import Round

DISPATCHER = "carillon_table_dispatch"
ACTIVATE, DEADLINE, ENABLE = 1, 2, 3
"""Of ``kernel/contract/action.h``."""


def is_table(round_: Round, source: int) -> bool:
    """Whether a source's vector calls the dispatcher of tables."""
    return any(s.name == DISPATCHER for s in round_.meaning(source).every("call"))


def spread(round_: Round, running: Running) -> dict[Subject, Running]:
    """The table's cell once per subject of the table's entries, each with the expiries of this subject."""
    if running.multiplex is None:
        round_.error("C205", f"{running} leads to the dispatcher of tables, and is not re-armed")
        return {}
    steps = circle(running.multiplex.first)
    times: dict[Subject, list[int]] = {}
    told: set[str] = set()
    for number, at in enumerate(running.times):
        for entry in tick(steps[number % len(steps)]):
            subject = _subject(round_, entry)
            if isinstance(subject, str):
                if subject not in told:
                    told.add(subject)
                    round_.error("C205", f"the table of {running} {subject}, at {at % round_.mode.round_length}")
            else:
                times.setdefault(subject, []).append(at)
    return {subject: replace(running, times=tuple(own)) for subject, own in times.items()}


def _subject(round_: Round, entry: Row) -> Subject | str:
    """The subject of an entry; or the entry's fault."""
    system, action, number = round_.system, entry["action"], entry["object"]
    if action in (ACTIVATE, DEADLINE):
        if number >= len(system.tasks):
            return f"names task {number}, of {len(system.tasks)}"
        task = system.tasks[number]
        if action == DEADLINE:
            return Subject("deadline", task.name)
        function = round_.meanings.functions.get(entry["function"])
        return Subject("activation", task.name) if function == task.entry else f"runs '{function}' for task '{task.name}'"
    if action == ENABLE:
        interrupt = next((i for i in system.interrupts if i.source == number), None)
        if interrupt is None:
            return f"enables source {number}, which is no interrupt's"
        bit = round_.hardware.controller.mask(number)
        return (
            Subject("enable", interrupt.name)
            if entry["mask"] == bit
            else f"enables {interrupt.name} by the mask {entry['mask']:#x}"
        )
    return f"has an action {action}"
