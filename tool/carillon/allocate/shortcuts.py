# SPDX-License-Identifier: Apache-2.0
"""Choices that need no search.

First each demand is given what is cheapest for it alone, as if there were no other; where the sources and the levels suffice for
that, nothing can be better.  Where they do not, the sources are given out as if any could serve anything.  Of the levels only
this counts: who cannot be beside whom unless one of them is lowered.  Where the true sources and levels suffice for the result,
nothing can be better either.  A round with more carriers than can be compared gets what is found greedily if that is not so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from carillon.allocate.levels import longest_paths, members
from carillon.allocate.options import Split
from carillon.allocate.problem import Choice, Judge, Solution
from carillon.allocate.result import Style

NEVER = 1 << 200
"""A value that no choice has."""

MOST_CASES = 40
"""Tables of demands and sources before what is known of the best choice is only a bound."""


@dataclass(frozen=True, slots=True)
class Cheapest:
    """The cheapest choice of each demand alone: instructions in all, whether it is unique, sources left over."""

    choices: list[Choice | None]
    bound: int
    unique: bool
    room: list[int]


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to carry a demand, or not to: what it adds to the objective at least, and how many sources it takes.

    ``rises``: the task keeps its level.  ``against``: the activations that must be lowered beside it, as a set of numbers.
    """

    value: int
    sources: int
    split: Split | None
    lowered: bool = False
    rises: bool = False
    against: int = 0


def cheapest(judge: Judge) -> Cheapest | None:
    """What is cheapest for each demand alone; None if one has no split, or the sources do not suffice for all.

    1. The objective is a sum over the demands: a wrapper, too, belongs to one of them, as all deadlines of a task are one
       demand.
    2. So no choice is better than each demand's least instructions, and with these the fewest cells.
    3. Nothing is left to choose where no other split of an activation comes to the same.
    """
    room = [group.room for group in judge.problem.classes]
    choices: list[Choice | None] = []
    bound, unique = 0, True
    for options in judge.problem.options:
        if not options.splits:
            if options.demand.required:
                return None
            choices.append(None)
            continue
        priced = sorted((*judge.price(options, split), s) for s, split in enumerate(options.splits))
        instructions, cells, classes, first = priced[0]
        if options.splits[first].style is Style.TABLE:
            return None
        if options.demand.action.runs and len(priced) > 1 and priced[1][:2] == (instructions, cells):
            unique = False
        bound += instructions
        choice = Choice(options.splits[first], classes, lowered=False)
        choices.append(choice)
        for c, taken in judge.taken(options.demand, choice):
            room[c] -= taken
    return Cheapest(choices, bound, unique, room) if min(room, default=0) >= 0 else None


def separately(judge: Judge, cheapest: Cheapest) -> Solution | None:
    """The cheapest choice, if it is unique and the levels suffice: no choice is better.  None if a search is needed."""
    if not cheapest.unique or not judge.fits_levels(cheapest.choices):
        return None
    return Solution(cheapest.choices, cheapest.bound, cheapest.bound, optimal=True, fewest_levels=True)


def by_sources(judge: Judge) -> tuple[Solution | None, int]:
    """The best choice, if it can be had by giving out numbers of sources, and a bound of the instructions of any choice.

    The bound is ``NEVER`` if there is no choice.
    1. The objective is a sum over the demands (:func:`cheapest`).  Take the ways to carry the first demand: each has its own
       value, and what the others come to with the sources that are left.  The least sum of these is the least that any choice can
       come to with so many sources for all demands.  So a table of demands and numbers of sources gives it.
    2. A carrier with a point q of another task in one of its windows, and a point in the window of q, preempts and is
       preempted by whatever carries q.  So either is lowered: a task that is carried like that, or the one of q.
    3. Ways that break this rule together are parted.  Either all tasks that a way is against are lowered, or it, and all ways
       that are against these too, are not taken.  A table for each case has the least value of all.
    4. No choice is better than that: it disregards which source serves what, and all else about the levels.  Where demands
       may share a source, no choice has more carriers than there are parts of sources.
    5. If the sources can be given out that way after all, and the levels suffice, it is a choice, and none is better.  Its
       levels are the fewest if any choice needs so many (:meth:`.Judge.levels_needed`).
    """
    room = sum(group.room for group in judge.problem.classes)
    everything = [_ways(judge, d, room) for d in range(len(judge.problem.options))]
    taken, least = _given_out(judge, everything, room) if all(everything) else ([], NEVER)
    if least >= NEVER:
        return None, NEVER
    penalty, value = divmod(least, judge.penalty_weight)
    choices = _on_classes(judge, taken) if taken else None
    if choices is None or penalty or not judge.keeps(choices) or judge.value(choices) != least:
        return None, value // judge.cell_weight if not penalty else 0
    needed = max((longest_paths(judge.carriers(choices)[2]) or ([],))[0], default=0)
    fewest = not any(c is not None and c.lowered for c in choices) and needed <= judge.levels_needed()
    instructions = judge.count(choices)
    return Solution(choices, instructions, instructions, optimal=True, fewest_levels=fewest), instructions


def _given_out(judge: Judge, everything: list[list[_Way]], room: int) -> tuple[list[_Way], int]:
    """The ways of least value that break no rule together, and the value; no ways and a bound after too many cases."""
    calm = _calm(everything)
    taken, best = _least(calm, room) if all(calm) else ([], NEVER)
    cases = [(0, everything)]
    for _ in range(MOST_CASES):
        cases = [case for case in cases if case[0] < best]
        if not cases:
            return taken, best
        ways = cases.pop(min(range(len(cases)), key=lambda number: cases[number][0]))[1]
        ways = _possible(judge, ways, best)
        chosen, value = _least(ways, room)
        if value >= best:
            continue
        clash = next(((d, w.against) for d, w in enumerate(chosen) if w.rises and _clashes(judge, chosen, w)), None)
        if clash is None:
            best, taken = value, chosen
            continue
        d, against = clash
        low = {judge.activations[k] for k in members(against)}
        lowered = [[w for w in own if not w.rises] if e in low else own for e, own in enumerate(ways)]
        without = [[w for w in own if against & ~w.against or not w.rises] if e == d else own for e, own in enumerate(ways)]
        cases += [(value, case) for case in (lowered, without) if all(case)]
    return [], min([best, *(case[0] for case in cases)])


def _clashes(judge: Judge, chosen: Sequence[_Way], way: _Way) -> bool:
    """Whether a task that must be lowered beside ``way`` keeps its level."""
    return any(chosen[judge.activations[k]].rises for k in members(way.against))


def _calm(everything: Sequence[Sequence[_Way]]) -> list[list[_Way]]:
    """Per demand, the ways that require no other task to be lowered; every combination of them is consistent."""
    return [[way for way in own if not way.against] for own in everything]


def _possible(judge: Judge, everything: Sequence[Sequence[_Way]], best: int) -> list[list[_Way]]:
    """Per demand, the ways that could still beat ``best``, given the tasks that must be lowered beside each."""
    least = [min(way.value for way in ways) for ways in everything]
    low = [min((way.value for way in ways if not way.rises), default=NEVER) for ways in everything]
    total = sum(least)
    result = []
    for d, ways in enumerate(everything):
        kept: list[_Way] = []
        for way in ways:
            more = sum(low[e] - least[e] for e in (judge.activations[k] for k in members(way.against)))
            if total - least[d] + way.value + more < best or (not way.against and not kept):
                kept.append(way)
        result.append(kept or list(ways))
    return result


def _least(everything: Sequence[Sequence[_Way]], room: int) -> tuple[list[_Way], int]:
    """Of each demand a way, so that the sources suffice and the value is least; and the value, ``NEVER`` if there is none."""
    least = [0] * (room + 1)
    table: list[list[int]] = []
    for ways in reversed(everything):  # backwards, so that of equal demands the first in the file get sources
        best = [NEVER] * (room + 1)
        taken = [0] * (room + 1)
        for number, way in enumerate(ways):
            for k, before in enumerate(least[: room + 1 - way.sources], way.sources):
                if before + way.value < best[k]:
                    best[k], taken[k] = before + way.value, number
        table.append(taken)
        least = best
    if least[room] >= NEVER:
        return [], NEVER
    result: list[_Way] = []
    left = room
    for ways, taken in zip(everything, reversed(table), strict=True):
        result.append(ways[taken[left]])
        left -= result[-1].sources
    return result, least[room]


def _ways(judge: Judge, d: int, room: int) -> list[_Way]:
    """The ways to carry a demand that may be part of a best choice, cheapest first, and then from the most sources on."""
    options, problem = judge.problem.options[d], judge.problem
    acts = problem.activations_of(options.demand.object)
    ways = []
    if not options.demand.required:
        unwatched = min(len(options.demand.points), acts or 1)
        ways.append(_Way(judge.penalty_weight * unwatched if options.splits else 0, 0, None))
    runs = options.demand.action.runs
    can_lower = runs and problem.levels.for_activations(True, False) >= 1
    for split in options.splits:
        instructions, cells, _ = judge.price(options, split)
        value, sources = judge.cell_weight * instructions + cells, len(split.bundles)
        if sources > room:
            continue
        ways.append(_Way(value, sources, split, rises=runs, against=_against(judge, d, split) if runs else 0))
        if can_lower:
            ways.append(_Way(value + judge.cell_weight * problem.costs.lowered * acts, sources, split, lowered=True))
    kept: list[_Way] = []
    for way in sorted(ways, key=lambda way: (way.value, way.sources)):
        if not any(w.sources <= way.sources and not w.against & ~way.against and (way.rises or not w.rises) for w in kept):
            kept.append(way)
    return kept


def _against(judge: Judge, d: int, split: Split) -> int:
    """The activations that preempt a task carried in this way and are preempted by it, as a set of numbers."""
    windows, k = judge.windows, judge.position[d]
    both = 0
    for bundle in split.bundles:
        if len(bundle.points) > 1:
            around = 0
            for point in bundle.points:
                around |= windows.around(k, point)
            both |= around & windows.inside(k, bundle.points)
    result = 0
    while both:
        other = windows.owner[(both & -both).bit_length() - 1][0]
        result |= 1 << other
        both &= windows.others(other)
    return result


def _on_classes(judge: Judge, taken: Sequence[_Way]) -> list[Choice | None] | None:
    """Each bundle on one of its cheapest classes; None if their sources do not suffice."""
    wanted: list[list[int]] = []
    for options, way in zip(judge.problem.options, taken, strict=True):
        split = way.split
        if split is None:
            continue
        known: dict[tuple[object, ...], list[int]] = {}
        for bundle in split.bundles:
            if bundle.kind not in known:
                prices = judge.prices(options.demand, split, bundle)
                known[bundle.kind] = [c for *price, c in prices if price == list(min(prices)[:2])]
            wanted.append(known[bundle.kind])
    given: list[list[int]] = [[] for _ in judge.problem.classes]  # per class, the bundles that have one of its sources
    home = [-1] * len(wanted)

    def put(bundle: int, tried: set[int]) -> bool:
        """Give ``bundle`` a source, if need be by giving another bundle one of another class."""
        for c in wanted[bundle]:
            if c in tried:
                continue
            tried.add(c)
            if len(given[c]) >= len(judge.problem.classes[c].sources):
                moved = next((other for other in given[c] if put(other, tried)), None)
                if moved is None:
                    continue
                given[c].remove(moved)
            given[c].append(bundle)
            home[bundle] = c
            return True
        return False

    if not all(put(bundle, set()) for bundle in range(len(wanted))):
        return None
    homes = iter(home)
    return [
        None if way.split is None else Choice(way.split, tuple(next(homes) for _ in way.split.bundles), way.lowered)
        for way in taken
    ]


def greedily(judge: Judge, cheapest: Cheapest, least: int = 0) -> Solution | None:
    """A choice for more carriers than can be searched: every task is lowered, then as many as can be are not.

    The dearest come first, each on the fewest sources with which the levels suffice, or on the most if that is better in all.
    ``least``: instructions that any choice takes, if more is known than what is cheapest for each demand.
    """
    candidates = [choices for choices in (_raised(judge, cheapest, 1), _raised(judge, cheapest, -1)) if choices is not None]
    if not candidates:
        return None
    choices = min(candidates, key=judge.values)
    instructions = judge.values(choices)[1]
    bound = max(cheapest.bound, least)
    return Solution(choices, instructions, bound, instructions == bound, fewest_levels=False)


def _raised(judge: Judge, cheapest: Cheapest, order: int) -> list[Choice | None] | None:
    """One such choice: splits are tried from the fewest sources on, or with ``order`` -1 from the most."""
    choices = list(cheapest.choices)
    room = list(cheapest.room)
    for d in judge.activations:
        choice = choices[d]
        if choice is not None:
            choices[d] = Choice(choice.split, choice.classes, lowered=True)
    if not judge.fits_levels(choices):
        return None
    for d in sorted(judge.activations, key=lambda d: (-len(judge.problem.options[d].demand.points), d)):
        before = choices[d]
        if before is None:
            continue
        options = judge.problem.options[d]
        splits = sorted(options.splits, key=lambda s: (s.style is not Style.DIRECT, len(s.bundles)))
        direct = [s for s in splits if s.style is Style.DIRECT] or splits
        for split in [direct[0], direct[len(direct) // 2], direct[-1]][::order]:
            raised = Choice(split, judge.price(options, split)[2], lowered=False)
            left = list(room)
            for c, taken in judge.taken(options.demand, before):
                left[c] += taken
            for c, taken in judge.taken(options.demand, raised):
                left[c] -= taken
            if min(left) < 0:
                continue
            choices[d] = raised
            if judge.fits_levels(choices):
                room = left
                break
            choices[d] = before
    return choices
