# SPDX-License-Identifier: Apache-2.0
"""What several subjects share: a source, or a cell.

The vector of a shared source asks each cell, and serves each cell that has a request.  For tasks and re-enable points, the vector
serves one cell and returns; the source still requests for the others.  A shared cell is a table's: its handler looks up in ROM
what is due (``kernel/osektime/table.h``).  What the dispatcher makes of an entry is not read.  What each entry says is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from carillon.verify.contract import circle, tick
from carillon.verify.expected import Subject
from carillon.verify.families import Cell
from carillon.verify.hardware import Running
from carillon.verify.meaning import Meaning, Step

if TYPE_CHECKING:
    from carillon.verify.layout import Row
    from carillon.verify.rounds import Round


def joined(round_: Round, source: int) -> dict[int, Subject]:
    """By the identity of each of the source's cells, what it is for; C205 for what is wrong with the vector.

    Which way a branch goes is not read. So each path must ask all cells. It must do nothing but acknowledge the cell that was
    asked last, and say that its deadline is missed.
    """
    meaning = round_.meaning(source)
    cells = {id(r.cell): r for r in round_.own_cells(source)}
    found = _deadlines if meaning.every("missed") else _gathered
    subjects, wrong = found(round_, source, meaning, cells)
    if wrong:
        names = ", ".join(r.cell.place.name for r in cells.values())
        round_.error("C205", f"the vector of source {source}, '{meaning.symbol}', which {names} share, {wrong}")
    return subjects


def _deadlines(round_: Round, _: int, meaning: Meaning, cells: Mapping[int, Running]) -> tuple[dict[int, Subject], str]:
    """The subject of each cell, and the fault of the vector, where the vector names the task of a missed deadline."""
    numbers, wrong = _answers(meaning.paths, {key: str(r) for key, r in cells.items()}, lambda step: step.kind == "missed")
    tasks = round_.system.tasks
    subjects: dict[int, Subject] = {}
    for key, running in cells.items():
        known = [n for n in numbers[key] if n is not None and n < len(tasks)]
        if len(numbers[key]) != 1 or not known:
            wrong = wrong or f"does not say whose deadline {running} is"
        else:
            subjects[key] = Subject("deadline", tasks[known[0]].name)
    return subjects, wrong


ALARM = "carillon_osek_alarm_expired"
PAUSES = ("carillon_pause_budget", "carillon_resume_budget")


def joined_alarms(meaning: Meaning, cells: Sequence[Cell]) -> tuple[dict[int, int], str]:
    """By the identity of each cell of a source, the number of the alarm that its vector serves; and what is wrong with it.

    The numbers come in the order in which the vector asks.
    """
    paths = [[s for s in path if s.name not in PAUSES] for path in meaning.paths]
    numbers, wrong = _answers(paths, {id(cell): cell.place.name for cell in cells}, lambda s: (s.kind, s.name) == ("call", ALARM))
    order = dict.fromkeys(id(s.cell) for s in paths[-1] if s.kind == "ask") if paths else {}
    alarms = {key: n for key in order for n in numbers.get(key, ()) if n is not None}
    unclear = next((c.place.name for c in cells if len(numbers[id(c)]) != 1 or id(c) not in alarms), "")
    return alarms, wrong or (f"does not say whose alarm {unclear} is" if unclear else "")


def _answers(
    paths: Sequence[list[Step]], names: Mapping[int, str], answers: Callable[[Step], bool]
) -> tuple[dict[int, set[int | None]], str]:
    """Per cell (identity), the numbers that paths serve for it; and the first fault of a path."""
    numbers: dict[int, set[int | None]] = {key: set() for key in names}
    wrong = ""
    for path in paths:
        asked, found = _path(path, numbers, answers)
        left = [name for key, name in names.items() if key not in asked]
        wrong = wrong or found or (f"does not always ask {left[0]}" if left else "")
    return numbers, wrong


def _path(path: list[Step], numbers: dict[int, set[int | None]], answers: Callable[[Step], bool]) -> tuple[set[int], str]:
    """The cells that a path asks, and the path's fault; ``numbers`` collects the tasks or alarms that the path serves."""
    asked: set[int] = set()
    last: Cell | None = None
    cleared: Cell | None = None
    settled = True
    for step in path:
        if step.kind == "ask" and step.cell is not None:
            if id(step.cell) not in numbers:
                return asked, f"asks {step.cell.place.name}, which does not ask for it"
            last = step.cell
            asked.add(id(last))
        elif step.kind == "acknowledge":
            if last is None or step.cell is not last:
                return asked, f"acknowledges {step.cell.place.name if step.cell else 'a cell'} without having asked it"
            cleared, settled = last, False
        elif step.kind == "settle":
            settled = True
        elif step.kind == "set" and step.cell is not None and step.cell in (cleared, last):
            pass  # its next expiry; the request is taken back before or behind, as is looked at where it answers
        elif answers(step):
            if last is None or cleared is not last:
                return asked, "answers for a cell that it has not asked and acknowledged"
            numbers[id(last)].add(step.number)
            cleared = None
        else:
            return asked, f"does what is not its own ({step.name or step.kind})"
    if cleared is not None:
        return asked, f"acknowledges {cleared.place.name}, and does not answer for it"
    return asked, "" if settled else "may return before a request is taken back"


def _gathered(round_: Round, source: int, meaning: Meaning, cells: Mapping[int, Running]) -> tuple[dict[int, Subject], str]:
    """The same where tasks are run, or interrupts enabled, at each expiry: what is done is for the cell that was asked last.

    What a path does behind the cells that it asks is read as the vector of that cell's subject is (``Round.parts``).
    """
    behind: dict[int, list[list[Step]]] = {key: [] for key in cells}
    wrong = ""
    for path in meaning.paths:
        asks = [k for k, step in enumerate(path) if step.kind == "ask"]
        rest = path[asks[-1] + 1 :] if asks else path
        asked = [path[k].cell for k in asks]
        stranger = next((c for c in asked if id(c) not in cells), None)
        if stranger is not None:
            wrong = wrong or f"asks {stranger.place.name}, which does not ask for it"
        elif asks != list(range(len(asks))) or not asks:
            wrong = wrong or "does something before it has asked"
        elif len({id(c) for c in asked}) != len(asked):
            wrong = wrong or "asks a cell twice"
        elif rest:
            behind[id(asked[-1])].append(rest)
        else:
            left = [str(r) for key, r in cells.items() if key not in {id(c) for c in asked}]
            wrong = wrong or (f"does not always ask {left[0]}" if left else "")
    subjects: dict[int, Subject] = {}
    for key, running in cells.items():
        cell_meaning = Meaning(meaning.symbol, meaning.address, behind[key])
        subject = round_.named(cell_meaning, (running,)) if cell_meaning.paths else None
        if subject is None:
            wrong = wrong or cell_meaning.strange or f"does not say what {running} is for"
        else:
            subjects[key] = subject
            known = round_.parts.setdefault((source, subject), Meaning(meaning.symbol, meaning.address, []))
            known.some_paths += cell_meaning.some_paths
    return subjects, wrong


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
