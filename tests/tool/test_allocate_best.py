# SPDX-License-Identifier: Apache-2.0
"""An allocation keeps the rules, and is as good as the best that there is: each choice of small rounds is tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from random import Random

import pytest
from allocations import act, array, asked, bench, board, check, demand, instructions, least_levels, mode, small_cases, solve
from hypothesis import given, settings

from carillon.actions.dispatch import Dispatch
from carillon.allocate.options import TABLED, DemandOptions
from carillon.allocate.problem import Choice, Failure, Judge, Problem
from carillon.allocate.result import Style
from carillon.allocate.solve import ModeSolver
from carillon.diagnostics import Diagnostics
from carillon.lower import Demand, ExpiryPoint, LoweredMode
from carillon.model import OnDeadlineMiss, System
from carillon.model.board import Role
from carillon.model.family import Rearm
from sample import few

# Brute force: every choice of every demand.


@dataclass(frozen=True)
class Way:
    """One way to carry a demand: per source its points, and how many cells it takes."""

    groups: tuple[tuple[ExpiryPoint, ...], ...]
    cells: int
    style: Style
    lowered: bool


def partitions_of(items: Sequence[tuple[int, ...]], size: int) -> Iterator[list[list[tuple[int, ...]]]]:
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for count in range(min(size - 1, len(rest)) + 1):
        for chosen in combinations(rest, count):
            for others in partitions_of([r for r in rest if r not in chosen], size):
                yield [[first, *chosen], *others]


def covers_of(times: Sequence[int], length: int) -> Iterator[list[tuple[int, ...]]]:
    if not times:
        yield []
        return
    for count in range(1, len(times) + 1):
        if length % count == 0:
            coset = tuple(sorted((times[0] + k * (length // count)) % length for k in range(count)))
            if set(coset) <= set(times):
                for rest in covers_of([t for t in times if t not in coset], length):
                    yield [coset, *rest]


def ways(system: System, wanted: Demand, length: int) -> list[Way]:
    cells = system.board.cells[0]
    able = cells.rearm is Rearm.SHIFT and length >= max(cells.min_period(system.clock_hz), cells.min_rearm_ticks)
    tabled = [Way((), 0, Style.TABLE, lowered=False)] if wanted.within and able else []
    return [*ways_on_cells(system, wanted, length), *tabled]


def ways_on_cells(system: System, wanted: Demand, length: int) -> list[Way]:
    cells = system.board.cells[0]
    per_source = sum(s == cells.sources[0] for s in cells.sources)
    slots = per_source // cells.needed(wanted.role)
    if slots == 0:
        return []
    result = []
    by_time = {p.at % length: p for p in wanted.points}
    for cover in covers_of(sorted(by_time), length):
        if any(length // len(coset) < cells.min_period(system.clock_hz) for coset in cover):
            continue
        for grouping in partitions_of(cover, slots):
            groups = tuple(tuple(by_time[t] for coset in group for t in coset) for group in grouping)
            result.append(Way(groups, len(cover) * cells.needed(wanted.role), Style.DIRECT, lowered=False))
    times = wanted.times
    gaps = [b - a for a, b in zip(times, [*times[1:], times[0] + length], strict=True)]
    allowed = wanted.bounded if wanted.role is Role.ACTIVATION else system.on_deadline_miss is OnDeadlineMiss.SHUTDOWN
    if len(times) > 1 and allowed and cells.rearm is Rearm.SHIFT and min(gaps) >= cells.min_rearm_ticks:
        result.append(Way((wanted.points,), cells.needed(wanted.role), Style.MULTIPLEXED, lowered=False))
    if wanted.role is Role.ACTIVATION:
        result += [replace(way, lowered=True) for way in result]
    return result


def keeps_the_table(lowered: LoweredMode, taken: Sequence[tuple[Demand, Way]], least: int) -> bool:
    """Whether what is in the table can be: its ticks are apart, and deadlines are there with their tasks."""
    tabled = [d for d, w in taken if w.style is Style.TABLE]
    ticks = sorted({t % lowered.round_length for d in tabled for t in d.times})
    gaps = [b - a for a, b in zip(ticks, [*ticks[1:], ticks[0] + lowered.round_length], strict=True)] if ticks else []
    if len(ticks) > 1 and min(gaps) < least:
        return False
    tasks = {d.object for d in tabled if d.role is Role.ACTIVATION}
    watched = [(d.object in tasks, w.style is Style.TABLE) for d, w in taken if d.role is Role.DEADLINE]
    return all(task == deadline for task, deadline in watched)


def best_by_brute_force(system: System, lowered: LoweredMode, together: bool = False) -> tuple[int, int, int, int] | None:
    """(penalty, instructions, cells, levels) of the best choice, or None if there is none; one array, no interrupts.

    ``together``: of two tasks on one source.
    """
    cells = system.board.cells[0]
    sources = len(set(cells.sources))
    best = None
    options = [[*ways(system, d, lowered.round_length), *([] if d.required else [None])] for d in lowered.demands]
    for choice in product(*options):
        taken = [(d, w) for d, w in zip(lowered.demands, choice, strict=True) if w is not None]
        table = any(w.style is Style.TABLE for _, w in taken)
        alone = [(d, w) for d, w in taken if d.role is Role.ACTIVATION and w.style is Style.DIRECT and len(w.groups) == 1]
        pair = together and len(alone) == 2 and sum(w.cells for _, w in alone) <= len(cells.sources) // sources
        if together and not pair:
            continue
        if sum(len(w.groups) for _, w in taken) + table - pair > sources or not keeps_the_table(
            lowered, taken, cells.min_rearm_ticks
        ):
            continue
        acts = {d.object: len(d.points) for d in lowered.demands if d.role is Role.ACTIVATION}
        missed = sum(min(len(d.points), acts.get(d.object, 1)) for d, w in zip(lowered.demands, choice, strict=True) if w is None)
        cost = (
            missed,
            instructions(lowered, [(d, w.style, w.lowered, cells, len(w.groups)) for d, w in taken])
            + pair * asked([(d, w.cells // cells.needed(d.role)) for d, w in alone]),
            sum(w.cells for _, w in taken) + table * cells.needed(Role.SYSTEM, shared=True),
        )
        if best is not None and cost > best[:3]:
            continue
        groups = [g for d, w in taken if d.role is Role.ACTIVATION for g in w.groups]
        flags = [w.lowered for d, w in taken if d.role is Role.ACTIVATION for _ in w.groups]
        levels = least_levels(groups, flags, [0] * len(groups) if pair else None)
        if levels is None:
            continue
        levels += table + any(d.role is not Role.ACTIVATION and w.style is not Style.TABLE for d, w in taken)
        if levels > system.board.levels - (system.board.lowered_levels if any(flags) or table else 0):
            continue
        if best is None or (*cost, levels) < best:
            best = (*cost, levels)
    return best


@given(small_cases(tasks=2))
@settings(max_examples=few(120), deadline=None)
def test_a_small_allocation_is_as_good_as_the_best_of_all(case: tuple[System, LoweredMode]) -> None:
    system, lowered = case
    expected = best_by_brute_force(system, lowered)
    if expected is None and system.board.cells[0].acknowledge:
        expected = best_by_brute_force(system, lowered, together=True)
    diagnostics = Diagnostics()
    allocation = bench.allocate(system, (lowered,), diagnostics)
    if allocation is None or expected is None:
        assert allocation is None
        assert expected is None
        assert {d.code for d in diagnostics.errors} <= {"C060", "C061", "C062"}
        return
    result = allocation.modes[0]
    check(system, lowered, result)
    assert result.optimal
    acts = {d.object: len(d.points) for d in lowered.demands if d.role is Role.ACTIVATION}
    cells = sum(use.cell.count for c in result.carriers for use in c.cells)
    missed = sum(min(len(d.points), acts[d.object]) for d in result.unmonitored)
    assert (missed, result.overhead, cells) == expected[:3]
    if any(isinstance(c.action, Dispatch) for c in result.carriers):  # it may need no level of its own
        assert result.levels <= expected[3]
        return
    shared = any(c.forgets for c in result.carriers)  # a level for all of a task's sources may cost one more
    assert result.levels >= expected[3] if shared else result.levels == expected[3]


@given(small_cases(tasks=6, points=4))
@settings(max_examples=few(80), deadline=None)
def test_every_allocation_keeps_the_rules(case: tuple[System, LoweredMode]) -> None:
    system, lowered = case
    diagnostics = Diagnostics()
    allocation = bench.allocate(system, (lowered,), diagnostics)
    if allocation is None:
        assert len(diagnostics.errors) >= 1
    else:
        check(system, lowered, allocation.modes[0])


# What a choice keeps, judged anew


def mixed(chance: Random) -> Problem:
    """A problem of two classes of sources, some demands of which may be in a table."""
    length = 72
    demands = []
    for name in "abcd"[: chance.randint(1, 4)]:
        times = sorted(chance.sample(range(length - 2), chance.choice([1, 2, 2, 3])))
        ends = [min(length, t + chance.choice([1, 4, 10, 30])) for t in times]
        own = [act(name, *zip(times, ends, strict=True))]
        if chance.random() < 0.4:
            own.append(demand(Role.DEADLINE, name, *ends, required=chance.random() < 0.7))
        within = chance.choice([0, 5])
        demands += [replace(d, within=within) for d in own]
    if chance.random() < 0.3:
        demands.append(replace(demand(Role.ENABLE, "can", chance.randrange(length)), within=chance.choice([0, 5])))
    lowered = mode(length, *demands)
    same = {"min_rearm_ticks": 3}
    arrays = [array(chance.randint(1, 6), **same), array(chance.randint(0, 3) or 1, first_source=100, width=31, **same)]
    target = board(*arrays, levels=chance.randint(1, 5), lowered_levels=chance.choice([0, 1]))
    problems: list[Problem] = []

    def take(self: ModeSolver) -> Failure:
        problems.append(self.problem)
        return Failure(proved=False)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModeSolver, "solve", take)
        solve(target, lowered)
    return problems[0] if problems else mixed(chance)


def a_choice(chance: Random, options: DemandOptions, table: int) -> Choice | None:
    """Any choice, most often one that is a choice at all."""
    if not options.splits or chance.random() < (0.04 if options.demand.required else 0.4):
        return None
    split = chance.choice(options.splits) if chance.random() < 0.97 else TABLED
    classes = [chance.choice(bundle.classes) for bundle in split.bundles]
    if split.style is Style.TABLE:
        classes = [table if chance.random() < 0.9 else 1 - table]
    if classes and chance.random() < 0.03:
        classes[0] = 2
    may = options.demand.action.runs and split.style is not Style.TABLE
    return Choice(split, tuple(classes), lowered=chance.random() < (0.3 if may else 0.02))


def keeps_all(problem: Problem, choices: Sequence[Choice | None]) -> bool:
    """The rules of a choice, from the points and the board alone."""
    pairs = list(zip(problem.options, choices, strict=True))
    if any(o.demand.required and c is None for o, c in pairs):
        return False
    chosen = [(o.demand, c) for o, c in pairs if c is not None]
    tabled = [(d, c) for d, c in chosen if c.split.style is Style.TABLE]
    others = [(d, c) for d, c in chosen if c.split.style is not Style.TABLE]
    if any(c.lowered for _, c in tabled) or any(c.lowered and d.role is not Role.ACTIVATION for d, c in chosen):
        return False
    used = [number for _, c in others for number in c.classes] + sorted({c.classes[0] for _, c in tabled})
    if any(number >= len(problem.classes) for number in used) or len({c.classes for _, c in tabled}) > 1:
        return False
    if any(used.count(number) > len(group.sources) for number, group in enumerate(problem.classes)):
        return False
    told = [(d, Way((), 0, c.split.style, c.lowered)) for d, c in chosen]
    if any(not d.within for d, _ in tabled) or not keeps_the_table(mode(72, *(d for d, _ in chosen)), told, 3):
        return False
    groups = [[d.points[i] for i in b.points] for d, c in others if d.role is Role.ACTIVATION for b in c.split.bundles]
    flags = [c.lowered for d, c in others if d.role is Role.ACTIVATION for _ in c.split.bundles]
    levels = least_levels(groups, flags)
    watched = any(d.role is not Role.ACTIVATION for d, _ in others)
    below = problem.levels.lowered if any(flags) or tabled else 0
    return levels is not None and levels + bool(tabled) + watched <= problem.levels.total - below


def test_the_judge_of_a_choice_agrees_with_the_rules_counted_anew() -> None:
    chance = Random(1)
    verdicts: list[bool] = []
    for _ in range(300):
        problem = mixed(chance)
        judge = Judge(problem)
        for _ in range(20):
            table = chance.randrange(2)
            choices = [a_choice(chance, options, table) for options in problem.options]
            verdicts.append(keeps_all(problem, choices))
            assert judge.keeps(choices) == verdicts[-1], choices
    assert min(verdicts.count(True), verdicts.count(False)) > len(verdicts) // 10
