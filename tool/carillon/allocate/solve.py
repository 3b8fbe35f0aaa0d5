# SPDX-License-Identifier: Apache-2.0
"""The best choice among the options: from memory, or by search with CP-SAT.

What is best is the least penalty, instructions, cells, then levels.  CP-SAT is loaded only where :mod:`.memory` has no answer.
All solves run on one thread with a fixed seed, and their limit is one of work, not of time: equal input gives equal output,
however busy the machine is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING

from carillon.allocate.improve import improve
from carillon.allocate.levels import cliques, components, longest_paths
from carillon.allocate.options import DemandOptions, Split
from carillon.allocate.problem import Budget, Choice, Failure, Judge, Problem, Solution
from carillon.allocate.result import Style

if TYPE_CHECKING:
    from carillon.allocate.memory import Memory
    from carillon.allocate.model import ChoiceModel

MAX_ROUNDS = 60
"""Solves with cuts before the rest is repaired by lowering."""

DETERMINISTIC_SHARE = 0.4
"""Units of CP-SAT's deterministic time per second of the limit: less than any current processor does."""

EARLY_GAP = 0.01
"""Relative gap at which rounds stop that are only to find cuts."""

ROUND_SHARE = 0.05
ROUND_GROWTH = 1.3
"""Share of the deterministic time that the first round may take which is only to find cuts, and its growth by round."""

CELLS_SHARE = 0.01
LEVELS_SHARE = 0.03
"""Shares of the deterministic time for needing fewer cells at the same cost, and then fewer levels."""

FALLBACK_SHARE = 0.1
"""Share of the deterministic time for the choice to fall back on."""

CHANGES_PER_SECOND = 12_000
"""Changes of a choice that are tried per second of the limit, where not all pairs are looked at, nor does the first round come
to an end.  All deterministic time that is left goes to the bound then."""

PAIRS_PER_SECOND = 8_000
"""Pairs of possible carriers whose order may be looked at, per second of the limit; with more there is no search."""


class ModeSolver:
    """Solves one :class:`Problem`; ``time_limit``: the work that a current processor does in as many seconds at most.

    ``memory``: what earlier searches found, if that is kept.
    """

    def __init__(self, problem: Problem, time_limit: float, memory: Memory | None = None) -> None:
        self.problem = problem
        self.limit = time_limit
        self.memory = memory
        self.judge = Judge(problem)
        self.budget = Budget(DETERMINISTIC_SHARE * time_limit)

    def solve(self) -> Solution | Failure:
        """The best choice found, or a failure: from memory, or from a search."""
        recalled = self.memory.recall(self) if self.memory is not None else None
        if recalled is not None:
            return recalled
        result = self._coarsely() if self.problem.table is not None and self._too_many else self._search()
        if isinstance(result, Solution) and self.memory is not None:
            self.memory.keep(self, result)
        return result

    @cached_property
    def _too_many(self) -> bool:
        """Whether there are more pairs of possible carriers than can be looked at."""
        return self.judge.most_carriers() ** 2 > PAIRS_PER_SECOND * self.limit

    def _cost(self, choices: Sequence[Choice | None]) -> int:
        """The value of a choice, but for its cells."""
        return self.judge.value(choices) - self.judge.values(choices)[2]

    def _search(self) -> Solution | Failure:
        """The best choice that the solver finds.

        Each round solves what is known so far, and cuts off what is wrong with the levels of the choice.  It repairs the choice
        as well, so that there is always something to go back to.  After the first round the model knows the levels, if that is
        not too much.  If it is, the rounds only look for cuts and stop at a small gap.  A choice without cuts is then proved with
        none.  Where the first round does not come to an end, the rules of which carriers exclude each other take more time than
        they save.  Another model, which knows ranks of the points instead, takes over.  Where that is too much as well, small
        changes improve the choice that was found without a proof, and the model only looks for a bound.
        """
        from carillon.allocate.model import ChoiceModel

        model = ChoiceModel(self.judge, self.budget)
        model.minimise()
        limits = self.budget.left
        relaxed, rounds, large = model, 0, False
        bound = 0
        gap = EARLY_GAP
        best = model.all_lowered(limits * FALLBACK_SHARE)
        best_value = self._cost(best) if best is not None else 0
        if best is not None:
            model.hint(best)
        while True:
            rounds += 1
            answer = model.solve(gap, limits * min(1.0, ROUND_SHARE * ROUND_GROWTH**rounds) if gap else limits)
            if answer.impossible:
                return Failure(proved=True)
            cuts, last = 0, gap == 0
            if answer.found:  # else there is what to fall back on
                bound = max(bound, ceil(answer.least - 1e-6))
                choices = model.read(answer)
                cuts = model.cut(choices)
                repaired = choices if not cuts else self._repair(model, choices)
                if repaired is not None:
                    value = self._cost(repaired)
                    if best is None or value < best_value:
                        best, best_value = repaired, value
            if best is not None and best_value <= bound:
                break
            if self.budget.left <= 0 or rounds == MAX_ROUNDS or (last and not cuts):
                break
            if rounds == 1 and not answer.optimal and self._too_many:
                if best is not None:
                    large = True
                    break
            elif rounds == 1 and not answer.optimal:
                model = ChoiceModel(self.judge, self.budget, ranks=True)
                model.minimise()
            if model.state_order() or not cuts:
                gap = 0
            if best is not None:
                model.hint(best)
        if best is None:
            return Failure(proved=False)
        if large:
            bound = max(bound, ceil(model.bound(limits) - 1e-6))
            best = improve(self.judge, best, round(CHANGES_PER_SECOND * self.limit))
            best_value = self._cost(best)
        penalty, instructions, _ = self.judge.values(best)
        least = min(instructions, max(0, (bound - self.judge.penalty_weight * penalty) // self.judge.cell_weight))
        solution = Solution(best, instructions, least, least == instructions, False)
        if best_value == bound:
            solution.choices, proved_cells = model.fewest_cells(best, limits * CELLS_SHARE)
            if proved_cells:
                relaxed.fewest_levels(solution, limits * LEVELS_SHARE)
        return solution

    def _coarsely(self) -> Solution | Failure:
        """A choice for a round that needs a table and has more carriers than can be compared, and a bound of its cost.

        1. Two tasks whose carriers must preempt each other, in the finest splits that there are, cannot both be without
           lowering, nor can they in coarser splits.  That, and how many sources there are, is a relaxation of the problem
           that is solved in full.
        2. Splits that take as much of the same classes, at the same price, are one to the relaxation.
        3. Its choice is made right: the dearest tasks come first, each as cheap as the levels let it be.
        """
        from carillon.allocate.ways import WaysModel

        options: list[DemandOptions] = []
        finest: dict[int, Split] = {}
        for d, of_demand in enumerate(self.problem.options):
            direct = [s for s in of_demand.splits if s.style is Style.DIRECT]
            if of_demand.demand.action.runs and direct:
                finest[d] = max(direct, key=lambda s: len(s.bundles))
            options.append(replace(of_demand, splits=list({s.profile: s for s in reversed(of_demand.splits)}.values())[::-1]))
        judge = Judge(replace(self.problem, options=tuple(options)))
        coarse = WaysModel(judge, self.budget)
        opposed = {}
        for d in finest:
            coarser = self._coarser(d, finest[d])
            plain = zip(coarse.vars[d].plain, options[d].splits, strict=True)
            opposed[d] = [variable for variable, split in plain if split.profile in coarser]
        for clique in self._cliques(finest):
            coarse.model.add_at_most_one([variable for d in clique for variable in opposed[d]])
        coarse.minimise()
        answer = coarse.answer(self.budget.left, linearization_level=2, cut_level=0)
        if not answer.found:
            return Failure(proved=answer.impossible)
        bound = ceil(answer.least - 1e-6)
        choices = self._made_right(coarse.read(answer))
        if choices is None:
            return Failure(proved=False)
        penalty, instructions, _ = self.judge.values(choices)
        least = min(instructions, max(0, (bound - judge.penalty_weight * penalty) // judge.cell_weight))
        return Solution(choices, instructions, least, least == instructions, fewest_levels=False)

    def _coarser(self, d: int, finest: Split) -> set[tuple[object, ...]]:
        """The profiles of a demand's splits whose carriers are unions of the finest split's carriers."""
        coarser: dict[tuple[object, ...], bool] = {}
        for split in self.problem.options[d].splits:
            home = {point: k for k, bundle in enumerate(split.bundles) for point in bundle.points}
            made = split.style is Style.DIRECT and all(len({home[p] for p in b.points}) == 1 for b in finest.bundles)
            coarser[split.profile] = coarser.get(split.profile, True) and made
        return {profile for profile, all_are in coarser.items() if all_are}

    def _cliques(self, finest: dict[int, Split]) -> list[list[int]]:
        """Sets of activations that oppose each other in pairs in these splits, large enough that each pair is in one set."""
        nodes = sorted(finest)
        place = {d: n for n, d in enumerate(nodes)}
        hulls = {}
        for d in nodes:
            k = self.judge.position[d]
            bundles = [b.points for b in finest[d].bundles]
            hulls[d] = [(self.judge.windows.bits(k, b), self.judge.windows.inside(k, b)) for b in bundles]
        adjacent = [0] * len(nodes)
        for n, d in enumerate(nodes):
            for e in nodes[n + 1 :]:
                if any(inside & own and within & bits for bits, inside in hulls[d] for own, within in hulls[e]):
                    adjacent[n] |= 1 << place[e]
                    adjacent[place[e]] |= 1 << n
        return [[nodes[n] for n in clique] for clique in cliques(adjacent, adjacent)]

    def _made_right(self, choices: list[Choice | None]) -> list[Choice | None] | None:
        """The same choice with tasks lowered, greedily few, until the levels suffice; None if they never do."""
        wanted = [d for d in self.judge.activations if (c := choices[d]) is not None and c.split.style is not Style.TABLE]
        result = list(choices)
        for d in wanted:
            choice = choices[d]
            assert choice is not None
            result[d] = replace(choice, lowered=True)
        if not self.judge.fits_levels(result):
            return None
        plain_first = sorted(wanted, key=lambda d: (choices[d].lowered, -len(self.problem.options[d].demand.points), d))  # type: ignore[union-attr]
        for d in plain_first:
            before = result[d]
            assert before is not None
            result[d] = replace(before, lowered=False)
            if not self.judge.fits_levels(result):
                result[d] = before
        return result

    def _repair(self, model: ChoiceModel, choices: list[Choice | None]) -> list[Choice | None] | None:
        """The same choice with tasks lowered, cheapest first, until its levels are right; None if they never are."""
        repaired = list(choices)
        while True:
            carriers, _, graph = self.judge.carriers(repaired)
            loops = components(graph)
            if loops:
                suspects = {carriers[n][0] for component in loops for n in component}
            else:
                paths = longest_paths(graph)
                assert paths is not None
                level, before = paths
                if not level or max(level) <= self.judge.available(repaired):
                    return self._raise(model, repaired)
                node = level.index(max(level))
                suspects = set()
                while before[node] >= 0:
                    node = before[node]
                    suspects.add(carriers[node][0])
            worst = sorted(d for d in suspects if (c := repaired[d]) is not None and not c.lowered)
            if not worst or self.problem.levels.for_activations(True, False) < 1:
                return None
            edges = dict.fromkeys(worst, 0)
            for u, targets in enumerate(graph):
                if carriers[u][0] in edges:
                    edges[carriers[u][0]] += len(targets)
            d = min(worst, key=lambda d: (len(self.problem.options[d].demand.points) / (1 + edges[d]), d))
            choice = repaired[d]
            assert choice is not None
            repaired[d] = Choice(choice.split, choice.classes, lowered=True)
            model.cut(repaired)

    def _raise(self, model: ChoiceModel, choices: list[Choice | None]) -> list[Choice | None]:
        """Undo the lowering of tasks that need not be, dearest first."""
        lowered = [(d, c) for d, c in enumerate(choices) if c is not None and c.lowered]
        for d, choice in sorted(lowered, key=lambda item: (-len(self.problem.options[item[0]].demand.points), item[0])):
            choices[d] = Choice(choice.split, choice.classes, lowered=False)
            paths = longest_paths(self.judge.carriers(choices)[2])
            if paths is None or max(paths[0]) > self.judge.available(choices):
                model.cut(choices)
                choices[d] = choice
        return choices
