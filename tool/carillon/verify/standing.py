# SPDX-License-Identifier: Apache-2.0
"""What holds for a whole mode: its interrupts, its levels, what it enables and stops, and that no handler is charged to a job.

The counter of budgets stands still while a handler runs: the handler sees to that.  One counter is that of the event-triggered
system's jobs, the other that of the rounds' own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from carillon.model import Interrupt
from carillon.verify.controllers import named
from carillon.verify.expected import Subject, windows
from carillon.verify.families import BEFORE
from carillon.verify.meaning import Meaning, Step, surplus

if TYPE_CHECKING:
    from carillon.verify.rounds import Round


def check_interrupts(round_: Round) -> None:
    """Check the application's own interrupts: their vectors, and that the round re-enables them where it must."""
    for interrupt in round_.system.interrupts:
        round_.report.vectors += 1
        meaning = round_.meaning(interrupt.source)
        wrong = _wrong(interrupt, meaning)
        if wrong:
            vector = f"the vector of source {interrupt.source}, '{meaning.symbol}', for the interrupt '{interrupt.name}',"
            round_.error("C205", f"{vector} {wrong}", interrupt.span)


def _wrong(interrupt: Interrupt, meaning: Meaning) -> str:
    if meaning.runs != {interrupt.handler}:
        return f"runs {', '.join(sorted(meaning.runs)) or 'nothing of the application'}, not '{interrupt.handler}'"
    for path in meaning.paths:
        before = list(takewhile(lambda step: step.kind != "run", path))
        disabled = {s for step in before if step.kind == "disable" for s in step.sources}
        if disabled != ({interrupt.source} if interrupt.reenabled else set()):
            return f"disables {named(disabled)} before it runs '{interrupt.handler}'"
        more = [s for s in path if s.kind not in ("run", "disable", "settle")]
        if more:
            return surplus(more[0])
    return ""


STOPS, GOES_ON = "carillon_budget_stops", "carillon_budget_goes_on"
ROUND_STOPS, ROUND_GOES_ON = "carillon_round_budget_stops", "carillon_round_budget_goes_on"
OWN_STOPS, OWN_GOES_ON = "carillon_task_budget_stops", "carillon_task_budget_goes_on"
"""The same where each task has a cell for its budget."""
ALL = (STOPS, GOES_ON, ROUND_STOPS, ROUND_GOES_ON, OWN_STOPS, OWN_GOES_ON)


def stopped(meaning: Meaning) -> Meaning:
    """A vector without the steps that stop the budgets' counter and let it go on."""
    return replace(meaning, some_paths=[[step for step in path if not _counts(step)] for path in meaning.some_paths])


def _counts(step: Step) -> bool:
    return step.kind == "call" and step.name in ALL


def check_started(round_: Round) -> None:
    """A timer of the application starts the cells behind its trigger, if the schedule says so: else C204."""
    system, start = round_.system, round_.system.start
    found = next((t for family in round_.hardware.families.values() if (t := family.triggered) is not None), None)
    if start is None:
        if found is not None:
            round_.error("C204", f"{found[0] or 'a timer'} starts its cells, and the schedule has no [start]")
        return
    if found is None:
        round_.error("C204", f"a store starts its cells, and not {start.by}")
        return
    by, delay = found
    phase = (delay + system.board.lead_at(system.clock_hz)) % start.period
    if by != start.by or phase != start.phase or delay > start.period:
        who = by or "a timer"
        round_.error("C204", f"{who} starts its cells {delay} ticks behind its trigger, so that it begins {phase} behind one")


def check_stopped(round_: Round) -> None:
    """Where jobs have budgets, each vector stops the counter before all else, and lets it go on after all else: else C205."""
    system, osek = round_.system, round_.system.osek
    kept = osek is not None and osek.celled_budgets
    own = OWN_STOPS in round_.hardware.elf.symbols
    stops = [STOPS] * kept + [OWN_STOPS if own else ROUND_STOPS] * bool(system.bounded)
    goes_on = [OWN_GOES_ON if own else ROUND_GOES_ON] * bool(system.bounded) + [GOES_ON] * kept
    for source in sorted({r.source for r in round_.running} | {i.source for i in round_.system.interrupts}):
        meaning = round_.meanings.of(round_.vector_of[source])
        for path in meaning.paths:
            found = [(number, step.name) for number, step in enumerate(path) if _counts(step)]
            due = [*enumerate(stops), *enumerate(goes_on, len(path) - len(goes_on))]
            if found != due:
                what = "does not keep the counter of budgets from counting" if due else "stops a counter of budgets that is none"
                round_.error("C205", f"the vector of source {source}, '{meaning.symbol}', {what}")
                break


def check_standing_levels(round_: Round) -> None:
    """A later activation preempts an earlier one within its window; deadlines, switch and re-enable points all of them."""
    board = round_.system.board
    levels = dict(round_.table.levels)
    if len(levels) != len(round_.table.levels):
        round_.error("C207", "a source has two levels")
    needed = {r.source for r in round_.running} | {i.source for i in round_.system.interrupts}
    for source in sorted(needed - set(levels)):
        round_.error("C207", f"{named([source])} has no level")
        return
    for source, level in sorted(levels.items()):
        if source not in needed | round_.below:
            round_.error("C207", f"{named([source])} has a level, and nothing asks for it")
        if board.nesting == "levels" and not 1 <= level <= board.levels:
            round_.error("C207", f"{named([source])} has level {level} of {board.levels}")
    if board.nesting != "levels":
        return
    carried: dict[tuple[str, int], int] = {}
    length = round_.mode.round_length
    for subject, running in [*((round_.subject_of(r), r) for r in round_.running), *round_.tabled.items()]:
        if subject is not None and subject.kind == "activation":
            carried |= {(subject.name, t % length): running.source for t in running.times if t >= 0}
    activations = [
        (a, end, carried.get((a.task, a.at)))
        for a, end in zip(round_.mode.activations, windows(round_.mode, round_.system), strict=True)
    ]
    told: set[tuple[int, int]] = set()
    open_: list[tuple[int, int, str, int]] = []  # end, source, task, at
    lowered = {
        (s, x.name): part.lowered for s in round_.subjects for x, part in round_.serves(s).items() if x.kind == "activation"
    }
    tables = {s for s, x in round_.subjects.items() if x.kind == "table"}
    for activation, end, carrier in sorted(activations, key=lambda x: x[0].at):
        if carrier is None:
            continue
        source = carrier
        open_ = [x for x in open_ if x[0] > activation.at]
        for _, other, task, at in open_:
            if task == activation.task or other in tables or lowered[other, task] or (other, source) in told:
                continue
            if levels[source] <= levels[other]:
                told.add((other, source))
                what = f"the activation of '{activation.task}' at {activation.at} must preempt '{task}' of {at}, but its source"
                have = f"{source} has level {levels[source]}, and source {other} has level {levels[other]}"
                round_.error("C207", f"{what} {have}", activation.span)
        open_.append((end, source, activation.task, activation.at))
    _bands(round_, levels)


def _bands(round_: Round, levels: Mapping[int, int]) -> None:
    tasks = {s: levels[s] for s, x in round_.subjects.items() if x.kind == "activation"}
    highest, lowest = max(tasks.values(), default=0), min(tasks.values(), default=10**6)
    above = dict(round_.subjects)
    above.update({running.source: subject for subject, running in round_.tabled.items() if subject.kind != "activation"})
    for source, subject in above.items():
        if subject.kind not in ("activation", "table") and levels[source] <= highest:
            has = f"its source {source} has level {levels[source]}, and a task has {highest}"
            round_.error("C207", f"the {subject} must preempt every task, but {has}", round_._span(subject))
    for interrupt in round_.system.interrupts:
        level = levels[interrupt.source]
        if (level <= highest) if interrupt.above_tasks else (level >= lowest):
            what = f"the interrupt '{interrupt.name}' is to be {'above' if interrupt.above_tasks else 'below'} all tasks"
            round_.error("C207", f"{what}, but has level {level}, and tasks have {lowest} to {highest}", interrupt.span)
    for source in sorted(round_.below & set(levels)):
        if levels[source] >= lowest:
            round_.error("C207", f"{named([source])}, which is event-triggered, has level {levels[source]}, above a task's")


# What is enabled, forgotten, stopped.


def check_requests(round_: Round) -> None:
    """What the mode enables, forgets and stops is what it asks for."""
    board = round_.system.board
    hardware = round_.hardware
    sources = {r.source for r in round_.running if r.source >= board.request_base}
    for running in round_.running:
        if running.source in sources and running.source not in hardware.cleared:
            round_.error("C208", f"what {running} asked for before the mode is not forgotten when it starts")
            sources.discard(running.source)
    for source in sorted(hardware.enabled - sources - round_.below - {i.source for i in round_.system.interrupts}):
        if source not in {r.source for r in round_.running}:
            round_.error("C208", f"{named([source])} is enabled, and nothing of the mode asks for it")
    early = sorted(s for s, after in hardware.since_enabled.items() if s in sources and not after)
    if early:
        round_.error("C208", f"{named(early)} is enabled before its earlier requests are forgotten")
    _stopped(round_, sources)
    _ground_state(round_)


def _stopped(round_: Round, sources: set[int]) -> None:
    hardware = round_.hardware
    several = len(round_.system.modes) > 1
    hardware.cleared = set()
    hardware.named = set()
    others = [c for _, c in hardware.cells if c.started is not None and not any(c is sources for sources in round_.started)]
    for cell in others:
        if not cell.lets and cell.place.source in round_.below:
            round_.error("C208", f"the mode's start takes its interrupt from {cell.place.name}")
    let_in = {r.source for r in round_.running if r.source in sources and r.cell.place.array.request_enable == "controller"}
    hardware.enabled |= let_in  # by handlers and services, if not from the start
    hardware.carry_out(round_.table.stores("stop"), None)
    surplus = hardware.named - {c.place.source for c in round_.started} - {i.source for i in round_.system.interrupts}
    if surplus:
        round_.error("C208", f"the mode is stopped by stores for {named(surplus)}, which it has not")
    for cell in others:
        if cell.started is None:
            round_.error("C208", f"{cell.place.name}, which is not of the mode, is stopped with it")
    for running in round_.running:
        control = round_.subjects.get(running.source, Subject("", "")).kind == "control"
        if running.cell.started is not None and not control:
            round_.error("C208", f"{running} still runs when the mode has been stopped")
    with hardware.tried():
        hardware.carry_out(round_.table.stores("restart"), BEFORE)
        for running in round_.running:
            if running.cell.started is not None:
                round_.error("C208", f"{running} still runs when a switch of modes has set it, before the next mode starts it")
    if several:
        for source in sorted(sources & hardware.enabled):
            round_.error("C208", f"{named([source])} is still enabled when the mode has been stopped")
        for source in sorted(sources - hardware.cleared):
            round_.error("C208", f"{named([source])}: what it asked for is not forgotten when the mode has been stopped")


def _ground_state(round_: Round) -> None:
    """The sources of which none may be active, and which may wait, at a switch of modes."""
    if len(round_.system.modes) == 1:
        return
    length = round_.mode.round_length
    at = {t % length for r in round_.running if round_.subjects.get(r.source, Subject("", "")).kind == "control" for t in r.times}
    tasks = {s for s, x in round_.subjects.items() if x.kind in ("activation", "table")}
    begin = {round_.subject_of(r) for r in round_.running if r.source in tasks and at & {t % length for t in r.times if t >= 0}}
    due = {s for s in tasks if begin & round_.serves(s).keys()}  # of a task that the next round would begin with
    all_of_them = tasks | {i.source for i in round_.system.interrupts}
    waiting = set(round_.table.waiting)
    missing = all_of_them - set(round_.table.tasks)
    if missing:
        round_.error("C208", f"{named(missing)} is not asked whether it is active when the mode is to be left")
    elif tasks - due - waiting:
        round_.error("C208", f"{named(tasks - due - waiting)} is not asked whether it waits when the mode is to be left")
    elif set(round_.table.tasks) - all_of_them or waiting - (tasks - due):
        surplus = (set(round_.table.tasks) - all_of_them) | (waiting - tasks) | (waiting & due)
        round_.error("C208", f"{named(surplus)} holds up the switch of modes")
