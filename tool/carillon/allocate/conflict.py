# SPDX-License-Identifier: Apache-2.0
"""Why there is no allocation: a smallest set of demands that the board's cells cannot serve together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from carillon.allocate.fit import SourceClass
from carillon.allocate.options import DemandOptions
from carillon.allocate.problem import room_taken

ENUMERATED = 12
"""Up to this many demands a conflict is proved to have the fewest demands, on a board with several classes of cells."""


def feasible(options: Sequence[DemandOptions], classes: Sequence[SourceClass]) -> bool:
    """Whether the cells suffice for all of ``options``, levels and costs aside."""
    only = single_class(options)
    if only is not None and classes[only].joined == 1:
        fewest = sum(min(len(s.bundles) for s in o.splits) if o.splits else len(classes[only].sources) + 1 for o in options)
        return fewest <= len(classes[only].sources)
    if not options:
        return True
    if any(not o.splits for o in options):
        return False
    from carillon.allocate.cpsat import cp_model

    model = cp_model.CpModel()
    used: list[list[cp_model.LinearExpr]] = [[] for _ in classes]
    for demand in options:
        taken = [model.new_bool_var("") for _ in demand.splits]
        model.add_exactly_one(taken)
        for option, variable in zip(demand.splits, taken, strict=True):
            kinds: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
            for bundle in option.bundles:
                weights = tuple(room_taken(demand.demand, option.style, bundle, classes[c]) for c in bundle.classes)
                kinds[bundle.classes, weights] = kinds.get((bundle.classes, weights), 0) + 1
            for (usable, weights), count in kinds.items():
                parts = [model.new_int_var(0, min(count, classes[c].room), "") for c in usable]
                model.add(sum(parts) == count * variable)
                for c, weight, part in zip(usable, weights, parts, strict=True):
                    used[c].append(weight * part)
    for group, parts_of in zip(classes, used, strict=True):
        if parts_of:
            model.add(sum(parts_of) <= group.room)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    return bool(solver.solve(model) != cp_model.INFEASIBLE)


def single_class(options: Sequence[DemandOptions]) -> int | None:
    """The only class that any of ``options`` can use, if there is just one."""
    found = {c for o in options for s in o.splits for b in s.bundles for c in b.classes}
    return found.pop() if len(found) == 1 else None


def conflict(options: Sequence[DemandOptions], classes: Sequence[SourceClass]) -> list[int]:
    """The indices of a set of demands that is not feasible although every smaller part of it is.

    It has the fewest demands where all compete for one class of sources, or there are at most
    :data:`ENUMERATED` of them; ``options`` as a whole must not be feasible.
    """
    only = single_class(options)
    if only is not None and classes[only].joined == 1:
        needs = [min((len(s.bundles) for s in o.splits), default=len(classes[only].sources) + 1) for o in options]
        chosen: list[int] = []
        for d in sorted(range(len(options)), key=lambda d: (-needs[d], d)):
            chosen.append(d)
            if sum(needs[k] for k in chosen) > len(classes[only].sources):
                break
        return sorted(chosen)
    kept = _shrink(options, classes)
    if len(options) <= ENUMERATED:
        for size in range(1, len(kept)):
            for chosen_part in combinations(range(len(options)), size):
                if not feasible([options[d] for d in chosen_part], classes):
                    return list(chosen_part)
    return kept


def _shrink(options: Sequence[DemandOptions], classes: Sequence[SourceClass]) -> list[int]:
    """An irreducible set, by leaving out ever smaller parts; those that need least are tried first."""
    kept = sorted(range(len(options)), key=lambda d: (options[d].minimum, -d))
    size = max(1, len(kept) // 2)
    while True:
        position = 0
        while position < len(kept):
            rest = kept[:position] + kept[position + size :]
            if rest and not feasible([options[d] for d in rest], classes):
                kept = rest
            else:
                position += size
        if size == 1:
            return sorted(kept)
        size //= 2
