# SPDX-License-Identifier: Apache-2.0
"""Why there is no allocation: a smallest set of demands that the board's cells cannot serve together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from carillon.allocate.problem import Budget, Judge, Problem

ENUMERATED = 12
"""Up to this many demands a conflict is proved to have the fewest demands, on a board with several classes of cells."""

UNBOUNDED = 1e9
"""Work that no answer takes: where costs do not matter, CP-SAT is done at once."""

Together = Callable[[Sequence[int]], bool]
"""Whether some demands, by number, can be kept together, whatever the others need."""


def remembered(together: Together) -> Together:
    """The same, asked no question that an earlier answer decides.

    What is kept together is so without some of it, and what is not is not with more.
    """
    kept: list[set[int]] = []
    apart: list[set[int]] = []

    def asked(numbers: Sequence[int]) -> bool:
        these = set(numbers)
        if any(these <= others for others in kept):
            return True
        if any(others <= these for others in apart):
            return False
        answer = together(numbers)
        (kept if answer else apart).append(these)
        return answer

    return asked


def smallest(numbers: Sequence[int], together: Together) -> list[int]:
    """A set of ``numbers`` that cannot be kept together although every smaller part of it can.

    All of them cannot.  Of at most :data:`ENUMERATED` none has fewer; of more, those that come first are left out first.
    """
    together = remembered(together)
    kept = list(numbers)
    size = max(1, len(kept) // 2)
    while True:
        position = 0
        while position < len(kept):
            rest = kept[:position] + kept[position + size :]
            if rest and not together(rest):
                kept = rest
            else:
                position += size
        if size == 1:
            break
        size //= 2
    beyond: list[set[int]] = []  # what a largest feasible set leaves out: every conflict has a member of each
    for fewer in range(1, len(kept) + 1) if len(numbers) <= ENUMERATED else ():
        for chosen in combinations(sorted(numbers), fewer):
            if any(left_out.isdisjoint(chosen) for left_out in beyond):
                continue
            if not together(chosen):
                return list(chosen)
            largest = list(chosen)
            for k in numbers:
                if k not in largest and together([*largest, k]):
                    largest.append(k)
            beyond.append(set(numbers).difference(largest))
    return sorted(kept)


def feasible(problem: Problem) -> bool:
    """Whether the cells suffice for all that must be carried, costs aside; of levels only how many are spoken for."""
    required = [options for options in problem.options if options.demand.required]
    if any(not options.splits for options in required):
        return False
    only = single_class(problem)
    if only is not None and problem.classes[only].joined == 1:
        return sum(min(len(s.bundles) for s in o.splits) for o in required) <= len(problem.classes[only].sources)
    from carillon.allocate.ways import WaysModel

    return not WaysModel(Judge(problem), Budget(UNBOUNDED)).answer(UNBOUNDED).impossible


def single_class(problem: Problem) -> int | None:
    """The only class that any demand can use; None if there are several classes, or a table."""
    found = {c for o in problem.options for s in o.splits for b in s.bundles for c in b.classes}
    return found.pop() if len(found) == 1 and problem.table is None else None


def conflict(problem: Problem) -> list[int]:
    """The indices of a smallest set of the demands of a problem that is not feasible; it has no table.

    It has the fewest demands where all compete for one class of sources, or there are at most :data:`ENUMERATED` of them.
    """
    options, only = problem.options, single_class(problem)
    if only is not None and problem.classes[only].joined == 1:
        room = len(problem.classes[only].sources)
        needs = [min((len(s.bundles) for s in o.splits), default=room + 1) for o in options]
        chosen: list[int] = []
        for d in sorted(range(len(options)), key=lambda d: (-needs[d], d)):
            chosen.append(d)
            if sum(needs[k] for k in chosen) > room:
                break
        return sorted(chosen)
    first = sorted(range(len(options)), key=lambda d: (options[d].minimum, -d))  # who needs fewest is left out first
    return smallest(first, lambda kept: feasible(problem.part(kept).without_levels))
