# SPDX-License-Identifier: Apache-2.0
"""Choices that need no search.

First each demand is given what is cheapest for it alone, as if there were no other; where the sources and the levels
suffice for that, nothing can be better.  Where they do not, the sources are given out as if any could serve anything and
levels were free; where the true sources and the fewest levels that any choice needs suffice for the result, nothing can be
better either.  A round with more carriers than can be compared gets what is found greedily.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from carillon.allocate.levels import longest_paths
from carillon.allocate.options import DemandOptions, Split
from carillon.allocate.problem import Choice, Judge, Solution
from carillon.allocate.result import Style

NEVER = 1 << 200
"""A value that no choice has."""


@dataclass(frozen=True, slots=True)
class Cheapest:
    """What is cheapest for each demand alone: its instructions in all, whether there is nothing as cheap, sources left over."""

    choices: list[Choice | None]
    bound: int
    unique: bool
    room: list[int]


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to carry a demand, or not to: what it adds to the objective at least, and how many sources it takes."""

    value: int
    sources: int
    split: Split | None


def cheapest(judge: Judge) -> Cheapest | None:
    """What is cheapest for each demand alone; None if one has no split, or the sources do not suffice for all.

    1. The objective is a sum over the demands: a wrapper, too, belongs to one of them, as all deadlines of a task are one
       demand.
    2. So no choice is better than each demand's least instructions, and with these the fewest cells.
    3. Nothing is left to choose where no other split of an activation comes to the same.
    """
    room = [len(group.sources) for group in judge.problem.classes]
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
        choices.append(Choice(options.splits[first], classes, lowered=False))
        for c in classes:
            room[c] -= 1
    return Cheapest(choices, bound, unique, room) if min(room, default=0) >= 0 else None


def separately(judge: Judge, cheapest: Cheapest) -> Solution | None:
    """That, if the levels suffice for it: nothing can be better; None if it has to be searched for."""
    if not cheapest.unique or not judge.fits_levels(cheapest.choices):
        return None
    return Solution(cheapest.choices, cheapest.bound, cheapest.bound, optimal=True, fewest_levels=True)


def by_sources(judge: Judge) -> Solution | None:
    """The best choice, if it can be had by giving out numbers of sources; None if it has to be searched for.

    1. As the objective is a sum over the demands (:func:`cheapest`), the least that any choice can come to with so many
       sources for all demands is the least, over the ways to carry the first demand, of its own value and of what the
       others come to with the sources that are left: a table of demands and numbers of sources.
    2. No choice is better than that: it disregards which source serves what, and the levels.
    3. If the sources can be given out that way after all, and the levels of the result are as few as any choice needs
       (:meth:`.Judge.levels_needed`), it is a choice, and none is better.
    """
    room = sum(len(group.sources) for group in judge.problem.classes)
    least = [0] * (room + 1)
    table: list[tuple[list[_Way], list[int]]] = []
    for options in reversed(judge.problem.options):  # so that of equal ones those that come first in the file get sources
        ways = _ways(judge, options, room)
        if not ways:
            return None
        best = [NEVER] * ways[0].sources + [before + ways[0].value for before in least[: room + 1 - ways[0].sources]]
        taken = [0] * (room + 1)
        for number, way in enumerate(ways[1:], 1):
            for k, before in enumerate(least[: room + 1 - way.sources], way.sources):
                if before + way.value < best[k]:
                    best[k], taken[k] = before + way.value, number
        table.append((ways, taken))
        least = best
    if least[room] >= NEVER:
        return None
    splits: list[Split | None] = []
    left = room
    for ways, taken in reversed(table):
        way = ways[taken[left]]
        splits.append(way.split)
        left -= way.sources
    choices = _on_classes(judge, splits)
    if choices is None:
        return None
    paths = longest_paths(judge.carriers(choices)[2])
    if paths is None or max(paths[0], default=0) > min(judge.levels_needed(), judge.available(choices)):
        return None
    instructions = judge.values(choices)[1]
    return Solution(choices, instructions, instructions, optimal=True, fewest_levels=True)


def _ways(judge: Judge, options: DemandOptions, room: int) -> list[_Way]:
    """The ways to carry a demand that may be part of a best choice, cheapest first, and then from the most sources on."""
    ways = []
    if not options.demand.required:
        unwatched = min(len(options.demand.points), judge.problem.activations_of(options.demand.object) or 1)
        ways.append(_Way(judge.penalty_weight * unwatched if options.splits else 0, 0, None))
    for split in options.splits:
        instructions, cells, _ = judge.price(options, split)
        ways.append(_Way(judge.cell_weight * instructions + cells, len(split.bundles), split))
    kept: list[_Way] = []
    for way in sorted(ways, key=lambda way: (way.value, way.sources)):
        if way.sources <= room and (not kept or way.sources < kept[-1].sources):
            kept.append(way)
    return kept


def _on_classes(judge: Judge, splits: Sequence[Split | None]) -> list[Choice | None] | None:
    """Each bundle on one of the classes on which it costs least; None if their sources do not suffice."""
    wanted: list[list[int]] = []
    for options, split in zip(judge.problem.options, splits, strict=True):
        if split is None:
            continue
        known: dict[tuple[object, ...], list[int]] = {}
        for bundle in split.bundles:
            if bundle.kind not in known:
                prices = judge.prices(options.demand, split, bundle)
                known[bundle.kind] = [c for *price, c in prices if price == list(min(prices)[:2])]
            wanted.append(known[bundle.kind])
    given: list[list[int]] = [[] for _ in judge.problem.classes]  # per class the bundles that have a source of it
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
    return [None if s is None else Choice(s, tuple(next(homes) for _ in s.bundles), lowered=False) for s in splits]


def greedily(judge: Judge, cheapest: Cheapest) -> Solution | None:
    """A choice for more carriers than can be searched: every task is lowered, then as many as can be are not.

    The dearest come first, each on the fewest sources with which the levels suffice, or on the most if that is better in all.
    """
    found = [choices for choices in (_raised(judge, cheapest, 1), _raised(judge, cheapest, -1)) if choices is not None]
    if not found:
        return None
    choices = min(found, key=judge.values)
    instructions = judge.values(choices)[1]
    return Solution(choices, instructions, cheapest.bound, instructions == cheapest.bound, fewest_levels=False)


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
        splits = sorted(judge.problem.options[d].splits, key=lambda s: (s.style is not Style.DIRECT, len(s.bundles)))
        direct = [s for s in splits if s.style is Style.DIRECT] or splits
        for split in [direct[0], direct[len(direct) // 2], direct[-1]][::order]:
            classes = judge.price(judge.problem.options[d], split)[2]
            left = list(room)
            for c in before.classes:
                left[c] += 1
            for c in classes:
                left[c] -= 1
            if min(left) < 0:
                continue
            choices[d] = Choice(split, classes, lowered=False)
            if judge.fits_levels(choices):
                room = left
                break
            choices[d] = before
    return choices
