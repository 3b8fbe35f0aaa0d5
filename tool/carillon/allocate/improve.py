# SPDX-License-Identifier: Apache-2.0
"""A choice made better by small changes, for where the search ends without a proof.

A task that is lowered costs instructions, and a task that keeps its level must have one.  So carriers that keep their levels
stand in a line, and each preempts only the carriers before it.  A task is given another way to be carried, its carriers find a
place in the line, and tasks whose carriers then stand wrong are lowered.  A change is kept if it does not cost more than a
threshold, which falls to nothing (threshold accepting, after Dueck and Scheuer 1990).  The line is that of Galinier, Lemamou and
Bouzidi 2013 for the feedback vertex set problem.  All numbers are integers, and the changes are counted: equal input gives equal
output.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from carillon.allocate.levels import longest_paths, members
from carillon.allocate.options import Split
from carillon.allocate.problem import Choice, Judge
from carillon.allocate.result import Style

MOST_MADE_ROOM = 3
"""So many demands at most give up sources for one that takes more."""

FIRST_THRESHOLD = 50
"""Instructions that a change may cost at first: a little more than lowering a task of three activations does."""


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to carry a demand: its value, what it takes of each class, and its carriers if they need places in the line.

    ``bits``: these carriers as a set of numbers.
    """

    choice: Choice
    value: int
    taken: Counter[int]
    carriers: tuple[int, ...]
    bits: int
    sources: int


class _Line:
    """A choice under change: the number of each demand's way, and the order of the carriers that keep their levels."""

    def __init__(self, judge: Judge, choices: Sequence[Choice | None]) -> None:
        self.judge = judge
        self.owner: list[int] = []  # of each possible carrier its demand
        self.ways: list[list[_Way]] = []
        self.now: list[int] = []
        self.room = [group.room for group in judge.problem.classes]
        sets: list[frozenset[int]] = []
        known: dict[tuple[int, frozenset[int]], int] = {}
        for d, (options, choice) in enumerate(zip(judge.problem.options, choices, strict=True)):
            ways: list[_Way] = []
            if choice is not None:
                for split in (split for split in options.splits if split.style is not Style.TABLE):
                    for bundle in split.bundles if d in judge.position else ():
                        if (d, bundle.points) not in known:
                            known[d, bundle.points] = len(sets)
                            sets.append(bundle.points)
                            self.owner.append(d)
                    ways += self._of(d, split, known)
                own = [
                    n for n, way in enumerate(ways) if (way.choice.split, way.choice.lowered) == (choice.split, choice.lowered)
                ]
                mine = ways[own[0]] = self._way(d, choice, ways[own[0]].carriers)
                ways = [way for way in ways if way is mine or way.carriers or not self._beaten(way, ways)]
                self._take(mine, -1)
            self.ways.append(ways)
            self.now.append(ways.index(mine) if choice is not None else -1)
        self.sources = [self._way_of(d).sources if number >= 0 else 0 for d, number in enumerate(self.now)]
        self.without = [  # of each demand its ways without places in the line, cheapest first
            sorted((n for n, way in enumerate(ways) if not way.carriers), key=lambda n: ways[n].value) for ways in self.ways
        ]
        position, windows = judge.position, judge.windows
        bits = [windows.bits(position[d], points) for d, points in zip(self.owner, sets, strict=True)]
        inside = [windows.inside(position[d], points) for d, points in zip(self.owner, sets, strict=True)]
        holding = [0] * len(windows.owner)  # per point, the carriers that have the point
        for carrier, own_bits in enumerate(bits):
            for point in members(own_bits):
                holding[point] |= 1 << carrier
        self.above = [0] * len(sets)
        self.below = [0] * len(sets)
        for carrier, within in enumerate(inside):
            for point in members(within):
                self.above[carrier] |= holding[point]
            for other in members(self.above[carrier]):
                self.below[other] |= 1 << carrier
        self.standing = 0
        levels = longest_paths(judge.carriers(choices)[2])
        assert levels is not None
        stand = [known[d, bundle.points] for d, bundle in judge.carriers(choices)[0]]
        plain = {carrier for d, number in enumerate(self.now) if number >= 0 for carrier in self.ways[d][number].carriers}
        self.line = [carrier for _, carrier in sorted(zip(levels[0], stand, strict=True)) if carrier in plain]
        for carrier in self.line:
            self.standing |= 1 << carrier

    def _of(self, d: int, split: Split, known: dict[tuple[int, frozenset[int]], int]) -> list[_Way]:
        """The ways of one split: not lowered and, if levels allow, lowered."""
        options, problem = self.judge.problem.options[d], self.judge.problem
        classes = self.judge.price(options, split)[2]
        if not options.demand.action.runs:
            return [self._way(d, Choice(split, classes, lowered=False), ())]
        carriers = tuple(known[d, bundle.points] for bundle in split.bundles)
        ways = [self._way(d, Choice(split, classes, lowered=False), carriers)]
        if problem.levels.for_activations(True, False) >= 1:
            ways.append(self._way(d, Choice(split, classes, lowered=True), ()))
        return ways

    def _way(self, d: int, choice: Choice, carriers: tuple[int, ...]) -> _Way:
        judge, options = self.judge, self.judge.problem.options[d]
        prices = judge.price(options, choice.split)
        lowered = judge.problem.costs.lowered * judge.problem.activations_of(options.demand.object) * choice.lowered
        value = judge.cell_weight * (prices[0] + lowered) + prices[1]
        taken: Counter[int] = Counter()
        for c, amount in judge.taken(options.demand, choice):
            taken[c] += amount
        return _Way(choice, value, taken, carriers, sum(1 << carrier for carrier in carriers), len(choice.split.bundles))

    @staticmethod
    def _beaten(way: _Way, ways: Sequence[_Way]) -> bool:
        """Whether a way without places in the line is never needed: another one takes no more, and has less value."""
        return any(not w.carriers and w.value < way.value and w.taken <= way.taken for w in ways)

    def _take(self, way: _Way, sign: int) -> None:
        for c, taken in way.taken.items():
            self.room[c] += sign * taken

    def choices(self) -> list[Choice | None]:
        """The choice as it is now."""
        return [self.ways[d][number].choice if number >= 0 else None for d, number in enumerate(self.now)]

    def state(self) -> tuple[list[int], list[int], list[int], list[int], int]:
        """All that a change changes."""
        return list(self.now), list(self.sources), list(self.line), list(self.room), self.standing

    def restore(self, state: tuple[list[int], list[int], list[int], list[int], int]) -> None:
        """Undo all changes since :meth:`state`."""
        self.now, self.sources, self.line, self.room, self.standing = state

    def change(self, d: int, number: int, chance: random.Random) -> int | None:
        """Change a demand's way and lower tasks that then stand wrong; the change of the value, None if it is impossible."""
        delta = self._set(d, number)
        for _ in range(MOST_MADE_ROOM):
            if min(self.room) >= 0:
                break
            several = [e for e, sources in enumerate(self.sources) if sources > 1 and e != d]
            if not several:
                return None
            other = chance.choice(several)
            ways = self.ways[other]
            fewer = [n for n in self.without[other] if ways[n].sources < self.sources[other]]
            if not fewer:
                return None
            delta += self._set(other, min(fewer, key=lambda n: (ways[n].sources, ways[n].value)))
        if min(self.room) < 0:
            return None
        for carrier in self.ways[d][number].carriers:
            for e in sorted(self._stand(carrier, chance.randrange(2) == 0)):
                lowered = self._lowered(e)
                if lowered is None:
                    return None
                delta += self._set(e, lowered)
        return delta

    def _way_of(self, d: int) -> _Way:
        return self.ways[d][self.now[d]]

    def _set(self, d: int, number: int) -> int:
        """Carry a demand in another way, whose carriers have no places yet."""
        before, after = self._way_of(d), self.ways[d][number]
        self._take(before, 1)
        self._take(after, -1)
        self.now[d] = number
        self.sources[d] = after.sources
        self.standing &= ~before.bits
        for carrier in before.carriers:
            if carrier in self.line:
                self.line.remove(carrier)
        return after.value - before.value

    def _stand(self, carrier: int, late: bool) -> set[int]:
        """Insert a carrier after all carriers that it preempts (``late``), or before its preemptors; the demands then wrong."""
        line, below, above = self.line, self.below[carrier], self.above[carrier]
        if late:
            place = next((n for n in range(len(line), 0, -1) if below >> line[n - 1] & 1), 0)
            wrong = {self.owner[other] for other in line[:place] if above >> other & 1}
        else:
            place = next((n for n, other in enumerate(line) if above >> other & 1), len(line))
            wrong = {self.owner[other] for other in line[place:] if below >> other & 1}
        line.insert(place, carrier)
        self.standing |= 1 << carrier
        return wrong

    def _lowered(self, d: int) -> int | None:
        """The cheapest way of a task without places in the line for which the sources suffice."""
        before = self._way_of(d).taken
        for number in self.without[d]:
            if all(taken <= self.room[c] + before[c] for c, taken in self.ways[d][number].taken.items()):
                return number
        return None


def improve(judge: Judge, choices: Sequence[Choice | None], changes: int) -> list[Choice | None]:
    """A choice of no greater value, after so many changes were tried; ``choices`` keeps all rules, and so does the result.

    What is not watched stays so.  A change concerns one demand, and a table is shared by several: a choice that uses one is
    not changed, and no change puts a demand into one.  Chains that are too long for the levels are not known here: such a
    choice is not taken.
    """
    best, least = list(choices), judge.value(choices)
    if any(choice is not None and choice.split.style is Style.TABLE for choice in choices):
        return best
    line = _Line(judge, choices)
    tried = [[n for n, way in enumerate(ways) if way.carriers or d not in judge.position] for d, ways in enumerate(line.ways)]
    free = [d for d, ways in enumerate(line.ways) if len(ways) > 1 and tried[d]]
    if not free:
        return best
    chance = random.Random(1)
    value = lowest = sum(line.ways[d][number].value for d, number in enumerate(line.now) if number >= 0)
    first = FIRST_THRESHOLD * judge.cell_weight
    for step in range(changes):
        d = chance.choice(free)
        number = chance.choice(tried[d])  # a task is lowered only because another task's change makes it necessary
        if number == line.now[d]:
            continue
        before = line.state()
        delta = line.change(d, number, chance)
        if delta is None or delta > chance.randrange(first * (changes - step) // changes + 1):
            line.restore(before)
            continue
        value += delta
        if value < lowest:
            found = line.choices()
            if judge.value(found) < least and judge.keeps(found):
                best, least, lowest = found, judge.value(found), value
    return best
