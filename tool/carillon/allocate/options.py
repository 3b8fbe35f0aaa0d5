# SPDX-License-Identifier: Apache-2.0
"""The ways to carry one demand, from which the solver chooses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from carillon.allocate.fit import Fitter, SourceClass
from carillon.allocate.progressions import Partition, partition, partitions, prime_factors, split
from carillon.allocate.result import Progression, Style
from carillon.lower import Demand
from carillon.model import OnDeadlineMiss
from carillon.model.board import Role
from carillon.model.family import Capability, Rearm

ALL_GROUPINGS = 10
"""Up to this many progressions every way to put them on sources is considered, as far as the limit goes."""

GOES_ON = "a task that goes on after a missed deadline needs a cell per deadline"
"""Why deadlines cannot share a re-armed cell unless a missed one shuts the system down."""
WITHOUT = "not each of its activations has a deadline"
"""Why deadlines cannot share a re-armed cell, which follows them from an activation to the next."""
RUNS_ON = "an activation may still run when the next one is due, so they cannot share a re-armed cell"
"""Why activations whose windows overlap cannot share a re-armed cell, unless its handler is entered again while the task runs."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """The progressions that one source serves, the indices of their points, and the classes that can serve them all."""

    progressions: tuple[Progression, ...]
    points: frozenset[int]
    classes: tuple[int, ...]

    @property
    def kind(self) -> tuple[object, ...]:
        """What the price depends on, within a split."""
        return self.classes, len(self.progressions), len(self.points)


@dataclass(frozen=True, slots=True)
class Split:
    """One way to carry all points of a demand: one source per bundle."""

    style: Style
    bundles: tuple[Bundle, ...]

    @property
    def profile(self) -> tuple[object, ...]:
        """Equal for splits that use the same resources at the same cost."""
        kinds = sorted((b.classes, len(b.progressions), len(b.points)) for b in self.bundles)
        return (self.style.value, *kinds)


TABLED = Split(Style.TABLE, ())
"""The points are in the mode's table, whose one cell is no demand's own."""


@dataclass(slots=True)
class DemandOptions:
    """A demand's splits; ``refusals`` says per array why it cannot carry some interval, if no split is left.

    ``minimum`` is the least number of sources that any split takes, whether or not the board has so many.
    ``exact``: every partition of the points into progressions and of these over sources was considered.
    ``no_sharing`` says why the points cannot share one re-armed cell; empty if they can, or need not.
    """

    demand: Demand
    splits: list[Split]
    partition: Partition | None
    minimum: int
    exact: bool
    no_sharing: str = ""
    refusals: list[str] = field(default_factory=list)


class OptionBuilder:
    """Enumerates splits for the demands of one mode, given the board's classes of sources."""

    def __init__(
        self,
        fitter: Fitter,
        classes: Sequence[SourceClass],
        round_length: int,
        on_deadline_miss: OnDeadlineMiss,
        limit: int,
    ) -> None:
        self.fitter = fitter
        self.classes = classes
        self.round_length = round_length
        self.on_deadline_miss = on_deadline_miss
        self.limit = limit

    def _moves(self, c: int) -> bool:
        """Whether cells of a class can be in the round: one that follows a global time moves them."""
        return not self.fitter.synchronised or Capability.SYNC_POINT not in self.classes[c].array.family.can

    def build(self, demand: Demand, level_matters: bool, tabled: bool = False) -> DemandOptions:
        """The demand's options, without splits that are never better than another.  ``tabled``: a table can carry it."""
        role, times = demand.role, demand.times
        slots = [c.slots(role) for c in self.classes]
        usable = [c for c, count in enumerate(slots) if count and (role is Role.SYNC or self._moves(c))]
        index = {time % self.round_length: i for i, time in enumerate(times)}
        fits: dict[Progression, tuple[int, ...]] = {}

        def fitting(progression: Progression) -> tuple[int, ...]:
            if progression not in fits:
                fits[progression] = tuple(
                    c for c in usable if isinstance(self.fitter.direct(self.classes[c].array, progression), int)
                )
            return fits[progression]

        def allowed(progression: Progression) -> bool:
            return bool(fitting(progression))

        def bundle(group: Sequence[Progression]) -> Bundle | None:
            classes = tuple(c for c in fitting(group[0]) if slots[c] >= len(group) and all(c in fitting(p) for p in group[1:]))
            if not classes:
                return None
            points = frozenset(index[t] for p in group for t in p.times(self.round_length))
            return Bundle(tuple(group), points, classes)

        spaced = sorted(index)  # a deadline at the round's end expires with tick 0
        fewest = partition(spaced, self.round_length, allowed)
        covers, exact = self._covers(spaced, fewest, allowed)
        capacity = max(slots, default=0)
        splits: list[Split] = []
        minimum = 0
        sources = sum(len(c.sources) for c in self.classes)
        for cover in covers:
            if len(cover) > sources * capacity:
                fewest_sources = -(-len(cover) // capacity)
                minimum = min(minimum or fewest_sources, fewest_sources)
                continue
            groupings, all_groupings = self._groupings(cover, capacity, level_matters)
            exact = exact and all_groupings
            for grouping in groupings:
                bundles = [bundle(group) for group in grouping]
                if any(b is None for b in bundles):
                    continue
                minimum = min(minimum or len(bundles), len(bundles))
                if len(bundles) <= sources:
                    splits.append(Split(Style.DIRECT, tuple(b for b in bundles if b is not None)))
                if len(splits) >= 4 * self.limit:
                    exact = False
                    break
        sharing, no_sharing = self._multiplexed(demand, usable)
        if sharing is not None:
            splits.append(sharing)
            minimum = 1
        kept = splits if level_matters else _unequal(splits)
        joins = demand.action.joins and any(c.joined > 1 for c in self.classes)  # then more sources may take less of them
        options = DemandOptions(
            demand, _undominated(kept, level_matters or joins, self.limit), fewest, minimum, exact, no_sharing
        )
        if not minimum:
            options.refusals = self._refusals(demand, usable)
        if tabled:
            options.splits.append(TABLED)
        return options

    def _covers(
        self, times: Sequence[int], fewest: Partition | None, allowed: object
    ) -> tuple[list[tuple[Progression, ...]], bool]:
        """Partitions of the points to consider: all of them if they are few, else the fewest and ever finer ones."""
        assert callable(allowed)
        if fewest is None:
            return [], True
        covers, complete = partitions(times, self.round_length, allowed, self.limit)
        if complete:
            return sorted(covers, key=lambda c: (len(c), [(p.offset, p.period) for p in c])), True
        result = [fewest.progressions]
        finer = [fewest.progressions]
        bound = sum(len(c.sources) * max(c.slots(role) for role in Role) for c in self.classes)
        while finer and len(result) < self.limit // 2:
            cover = finer.pop(0)
            if len(cover) >= bound:
                continue
            for progression in cover:
                for factor in prime_factors(self.round_length // progression.period):
                    parts = split(progression, factor)
                    if len(cover) - 1 + factor > bound or not all(map(allowed, parts)):
                        continue
                    new = tuple(sorted([*(p for p in cover if p != progression), *parts], key=lambda p: (p.offset, p.period)))
                    if new not in result and len(result) < self.limit // 2:
                        result.append(new)
                        finer.append(new)
        single = tuple(Progression(time, self.round_length) for time in times[: bound + 1])
        if len(single) == len(times) and all(map(allowed, single)) and single not in result:
            result.append(single)
        return result, False

    def _groupings(
        self, cover: tuple[Progression, ...], capacity: int, level_matters: bool
    ) -> tuple[list[list[list[Progression]]], bool]:
        """Ways to put a cover's progressions on sources that hold at most ``capacity`` each."""
        if capacity <= 1 or len(cover) == 1:
            return [[[p] for p in cover]], True
        groupings: list[list[list[Progression]]] = []
        if len(cover) <= ALL_GROUPINGS:
            for grouping in _set_partitions(cover, capacity):
                if len(groupings) == self.limit:
                    break
                groupings.append(grouping)
            else:
                return groupings, True
        groupings = []
        for size in range(capacity, 0, -1):
            groupings.append([list(cover[k : k + size]) for k in range(0, len(cover), size)])
            if level_matters and size > 1:
                stride = -(-len(cover) // size)
                groupings.append([list(cover[k::stride]) for k in range(stride)])
                for paired in range(size, min(len(cover) - size, size * self.limit), size):
                    head = [list(cover[k : k + size]) for k in range(0, paired, size)]
                    groupings.append(head + [[p] for p in cover[paired:]])
                    groupings.append(
                        [[p] for p in cover[: len(cover) - paired]]
                        + [list(cover[k : k + size]) for k in range(len(cover) - paired, len(cover), size)]
                    )
        return groupings[: self.limit], False

    def _multiplexed(self, demand: Demand, usable: Iterable[int]) -> tuple[Split | None, str]:
        """All points on one re-armed cell, or why that cannot be.

        What the schedule could change is said only where the cells themselves could do it.
        """
        if not demand.action.shares or (len(demand.points) < 2 and not self.fitter.frees):
            return None, ""
        classes = []
        refusals = []
        for c in usable:
            answer = self._shared(demand, self.classes[c])
            if isinstance(answer, int):
                classes.append(c)
            else:
                refusals.append(answer)
        if not classes:
            return None, refusals[0] if refusals else "no cell has the role"
        if demand.action.wraps and not demand.bounded:
            return None, WITHOUT
        if demand.action.runs and not demand.bounded and self.fitter.board.nesting != "time":
            return None, RUNS_ON
        if demand.action.wraps and self.on_deadline_miss is not OnDeadlineMiss.SHUTDOWN:
            return None, GOES_ON
        whole = Progression(demand.followed[0], self.round_length)
        bundle = Bundle((whole,), frozenset(range(len(demand.points))), tuple(classes))
        return Split(Style.MULTIPLEXED, (bundle,)), ""

    def _shared(self, demand: Demand, group: SourceClass) -> int | str:
        """The prescaler with which one re-armed cell of the class serves all points, or why none does.

        A deadline that is met must not expire: its cell is moved on before, which not every family can do.
        """
        array = group.array
        if not group.can_share:
            return "its cells have no neighbour that could keep the time"
        moved = Capability.POSTPONE in array.family.can
        if demand.action.wraps and array.rearm is not Rearm.NONE and not moved:
            return "its cells cannot be moved on before they expire, as a deadline that was met has to be"
        return self.fitter.multiplexed(array, demand.followed, self.round_length, demand.action.runs)

    def _refusals(self, demand: Demand, usable: Sequence[int]) -> list[str]:
        """Why each array of the role fails: the first point that it cannot carry, and why its points cannot share a cell."""
        result = []
        for c in usable:
            array = self.classes[c].array
            reasons = []
            for time in demand.times:
                answer = self.fitter.direct(array, Progression(time % self.round_length, self.round_length))
                if isinstance(answer, str):
                    reasons.append(f"the point at {time}: {answer}")
                    break
            if len(demand.points) > 1:
                answer = self._shared(demand, self.classes[c])
                if isinstance(answer, str):
                    reasons.append(f"on one re-armed cell: {answer}")
            text = f"{array.family.name} cells {array.names[0]}..{array.names[-1]}: " + "; ".join(reasons)
            if len(array.names) == 1:
                text = f"{array.family.name} cell {array.names[0]}: " + "; ".join(reasons)
            if text not in result:
                result.append(text)
        if result:
            return result
        role = demand.role
        if any(array.serves(role) for array in self.fitter.board.cells):
            by = ["interrupts of the application", "the switch of modes"]
            own = [name for array in self.fitter.board.cells if array.serves(role) for name in array.names]
            kept = [name for name in self.fitter.board.reserved if name in own]
            by = [*by, f"'reserve', which names {', '.join(kept)}"] if kept else by
            taken = f"{', '.join(by[:-1])} or {by[-1]}"
            return [f"all cells that serve the role '{role.value}' are taken, by {taken}"]
        return [f"no cell of the board serves the role '{role.value}'"]


def _set_partitions(items: Sequence[Progression], size: int) -> Iterator[list[list[Progression]]]:
    """Every partition of ``items`` into groups of at most ``size``, those with few groups first where easily so."""

    def place(position: int, groups: list[list[Progression]]) -> Iterator[list[list[Progression]]]:
        if position == len(items):
            yield [list(g) for g in groups]
            return
        for group in groups:
            if len(group) < size:
                group.append(items[position])
                yield from place(position + 1, groups)
                group.pop()
        groups.append([items[position]])
        yield from place(position + 1, groups)
        groups.pop()

    return place(0, [])


def _unequal(splits: Iterable[Split]) -> list[Split]:
    """One split of each profile, the first."""
    kept: dict[tuple[object, ...], Split] = {}
    for candidate in splits:
        kept.setdefault(candidate.profile, candidate)
    return list(kept.values())


def _undominated(splits: list[Split], level_matters: bool, limit: int) -> list[Split]:
    """At most ``limit`` splits; where only resources count, direct ones that take more of the only class are dropped."""
    classes = {b.classes for s in splits for b in s.bundles}
    if not level_matters and len(classes) == 1 and len(next(iter(classes))) == 1:
        direct = [s for s in splits if s.style is Style.DIRECT]
        shared = [s for s in splits if s.style is Style.MULTIPLEXED]
        best: list[Split] = []
        for candidate in sorted(direct, key=lambda s: (len(s.bundles), _timers(s))):
            if all(_timers(candidate) < _timers(other) for other in best):
                best.append(candidate)
        return best + shared
    if len(splits) <= limit:
        return splits
    shared = [s for s in splits if s.style is Style.MULTIPLEXED]
    direct = sorted((s for s in splits if s.style is Style.DIRECT), key=lambda s: (len(s.bundles), _timers(s)))
    room = limit - len(shared)
    few = direct[: room - room // 2]
    fine = direct[len(few) :][-(room // 2) :]
    return few + fine + shared


def _timers(candidate: Split) -> int:
    return sum(len(b.progressions) for b in candidate.bundles)
