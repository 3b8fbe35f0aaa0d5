# SPDX-License-Identifier: Apache-2.0
"""The choice among the ways, with priority levels, as a model of CP-SAT.

Priority levels come in lazily.  A choice is checked on its true relation.  A cycle, or a chain with too many levels, becomes a
cut: "not all of these demands have these points on one carrier that is not lowered".  The cut names points, not carriers, so it
holds for every coarser carrier as well.  Where the first choice is not right and the relation is not too large, each possible
carrier gets a variable for its level.  Then no choice of the model breaks a rule of the levels.  One solve finds what rounds of
cuts only come near to.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from carillon.allocate.cpsat import Answer
from carillon.allocate.levels import cliques, components, longest_paths, members, short_cycle
from carillon.allocate.problem import Budget, Choice, Judge, Solution
from carillon.allocate.ranks import state_ranks
from carillon.allocate.ways import WaysModel

MAX_STATED = 20_000
"""Cycles of two or three carriers are stated before the first solve up to this number of constraints."""

MAX_CANDIDATES = 3_000
MAX_LEVEL_PAIRS = 60_000
"""With more possible carriers, or pairs of them that need an order, levels are not minimised at equal cost."""


class ChoiceModel(WaysModel):
    """The ways of a problem, and who must preempt whom.

    With ``ranks`` it knows that by the points alone (:func:`.state_ranks`), and none of the possible carriers.
    """

    def __init__(self, judge: Judge, budget: Budget, ranks: bool = False) -> None:
        super().__init__(judge, budget)
        self.stated: set[tuple[object, ...]] = set()
        self.ordered = False
        self.candidates: list[tuple[int, frozenset[int], Any]] = []
        self.relation: list[tuple[int, int]] = []
        self.relation_known = False
        self.holders: dict[tuple[int, frozenset[frozenset[int]]], tuple[int, ...]] = {}
        if ranks:
            self.ordered = True
            state_ranks(self)
        else:
            self._state_short_cycles()
            self._state_open_windows()

    def _candidates(self) -> list[tuple[int, frozenset[int], Any]]:
        """Every set of points that may be one carrier not lowered, with a literal: this carrier is chosen."""
        result: list[tuple[int, frozenset[int], Any]] = []
        for d in self.judge.activations:
            holders: dict[frozenset[int], list[Any]] = {}
            for option, variable in zip(self.problem.options[d].splits, self.vars[d].plain, strict=True):
                for bundle in option.bundles:
                    holders.setdefault(bundle.points, []).append(variable)
            for points, variables in holders.items():
                if len(variables) == 1:
                    result.append((d, points, variables[0]))
                else:
                    literal = self.model.new_bool_var()
                    self.model.add(sum(variables) == literal)
                    result.append((d, points, literal))
        return result

    def _state_short_cycles(self) -> None:
        """State up front that no two or three carriers must preempt each other in a circle; note the relation otherwise."""
        self.candidates = self._candidates()
        self.relation_known = len(self.candidates) <= MAX_CANDIDATES
        if not self.relation_known:
            return
        bits = [self.judge.windows.bits(self.judge.position[d], points) for d, points, _ in self.candidates]
        inside = [self.judge.windows.inside(self.judge.position[d], points) for d, points, _ in self.candidates]
        above: list[list[int]] = [[] for _ in self.candidates]
        opposed: set[tuple[int, tuple[int, ...], int, tuple[int, ...]]] = set()
        for u, (d, points_u, _) in enumerate(self.candidates):
            window = inside[u]
            if not window:
                continue
            for v, own in enumerate(bits):
                if not window & own or v == u:
                    continue
                e, points_v, _ = self.candidates[v]
                if d == e and points_u & points_v:
                    continue
                if not inside[v] & bits[u]:
                    self.relation.append((u, v))
                    above[u].append(v)
                elif u < v:
                    a, b = self._witness(d, points_u, *self.candidates[v][:2])
                    c, f = self._witness(*self.candidates[v][:2], d, points_u)
                    mine = self._holding(d, frozenset({frozenset({a, f})}))
                    other = self._holding(e, frozenset({frozenset({b, c})}))
                    opposed.add((d, mine, e, other))
        self._state_cliques(opposed)
        self.relation_known = len(self.relation) <= MAX_LEVEL_PAIRS and len(self.stated) < MAX_STATED
        below = [set(targets) for targets in above]
        for u, targets in enumerate(above):
            for v in targets:
                if u < v:
                    for w in above[v]:
                        if u < w and u in below[w]:
                            self._forbid_candidates([u, v, w])

    def _state_cliques(self, opposed: set[tuple[int, tuple[int, ...], int, tuple[int, ...]]]) -> None:
        """State which splits exclude each other, as few and as large sets as greedily found: their relaxation is tighter."""
        nodes = [(d, s) for d in self.judge.activations for s in range(len(self.vars[d].plain))]
        number = {node: n for n, node in enumerate(nodes)}
        adjacent = [0] * len(nodes)
        for d, mine, e, other in opposed:
            mine_bits = sum(1 << number[d, s] for s in mine)
            other_bits = sum(1 << number[e, s] for s in other)
            for s in mine:
                adjacent[number[d, s]] |= other_bits
            for s in other:
                adjacent[number[e, s]] |= mine_bits
        uncovered = list(adjacent)
        for d in self.judge.activations:
            splits = sum(1 << number[d, s] for s in range(len(self.vars[d].plain)))
            for s in range(len(self.vars[d].plain)):
                adjacent[number[d, s]] |= splits & ~(1 << number[d, s])
        for clique in cliques(adjacent, uncovered):
            self.model.add_at_most_one(self.vars[d].plain[s] for d, s in (nodes[n] for n in clique))

    def _state_open_windows(self) -> None:
        """State how many tasks with windows open at one point there can be, unless lowered: each needs its own level.

        Such tasks preempt each other in pairs, so lowering some does not part the others.
        """
        rules = self.problem.levels
        scarce = rules.for_activations(True, True)
        stated: set[tuple[object, ...]] = set()
        for k, demand in enumerate(self.judge.activations):
            for i, point in enumerate(self.problem.options[demand].demand.points):
                latest: dict[int, tuple[int, int]] = {}
                for number in members(self.judge.windows.around(k, i)):
                    other, index = self.judge.windows.owner[number]
                    latest[self.problem.options[self.judge.activations[other]].demand.points[index].at] = (other, index)
                if len(latest) < scarce or len(stated) >= MAX_STATED:
                    continue
                still_open: dict[int, set[int]] = {}
                for at, (other, index) in latest.items():
                    if at < point.at:
                        still_open.setdefault(self.judge.activations[other], set()).add(index)
                terms = []
                for d, indices in sorted(still_open.items()):
                    for s, option in enumerate(self.problem.options[d].splits):
                        terms.append((d, s, int(any(not indices.isdisjoint(b.points) for b in option.bundles))))
                known = (*terms, demand if demand in self.tabled else -1)
                if known not in stated:
                    stated.add(known)
                    taken = rules.lowered * self.any_lowered + self.top + self.has_table
                    held = sum(count * self.vars[d].plain[s] for d, s, count in terms)
                    in_table = self.tabled.get(demand, 0)  # then the point's own level is the table's
                    self.model.add(held + taken <= rules.for_activations(False, False) - 1 + in_table)

    def _forbid_candidates(self, cycle: Sequence[int]) -> None:
        """Forbid choosing these carriers together, and all coarser carriers that hold the same points."""
        if len(self.stated) < MAX_STATED:
            carriers = [(d, points) for d, points, _ in (self.candidates[n] for n in cycle)]
            self._forbid(carriers, list(pairwise([*range(len(cycle)), 0])))

    def bound(self, limit: float) -> float:
        """No choice has a lower objective, as far as that is proved within ``limit``; choices are not looked for.

        A tree of the least bounds first raises it, where search from a good choice does not within the same work.  So it
        begins with none.
        """
        self.model.hint([])
        return self.solve(0, limit, raises=True).least

    def solve(self, gap: float, limit: float, raises: bool = False) -> Answer:
        """Solve to a relative ``gap``, within ``limit`` of deterministic time and what is left of it.

        With level variables it is search that proves.  What CP-SAT does by default before it, and to shorten what it learns,
        costs more than it saves (measured on the synthetic rounds of bench/allocation.py).  ``raises``: see :meth:`bound`.
        """
        more = {"cp_model_probing_level": 0, "binary_minimization_algorithm": "NO_BINARY_MINIMIZATION"} if self.ordered else {}
        return self.answer(
            limit,
            linearization_level=1 if self.ordered else 2,
            cut_level=0,  # our own cuts are tighter; generic ones double the time to a proof
            optimize_with_lb_tree_search=raises,
            relative_gap_limit=gap,
            **more,
        )

    def fewest_cells(self, choices: Sequence[Choice | None], limit: float) -> tuple[list[Choice | None], bool]:
        """Among the choices of the same penalty and instructions one with the fewest cells, and whether none has fewer."""
        cells = self.judge.values(choices)[2]
        self.model.add(self.objective() == self.judge.value(choices) - cells)
        self.model.minimize(self.cells)
        self.hint(choices)
        answer = self.solve(0, limit)
        if answer.found:
            better = self.read(answer)
            if self.judge.keeps(better) and self.judge.values(better)[2] <= cells:
                return better, answer.optimal
        return list(choices), False

    def cut(self, choices: Sequence[Choice | None]) -> int:
        """Forbid the cycles and long chains of a choice's levels; the number of cuts, 0 if the levels are right."""
        carriers, _, graph = self.judge.carriers(choices)
        loops = components(graph)
        cuts: set[tuple[int, ...]] = set()
        for component in loops:
            within = set(component)
            for node in component:
                cycle = short_cycle(graph, node, within)
                smallest = cycle.index(min(cycle))
                cuts.add(tuple(cycle[smallest:] + cycle[:smallest]))
        sets = [(d, bundle.points) for d, bundle in carriers]
        for cut in sorted(cuts):
            self._forbid(sets, list(pairwise([*cut, cut[0]])))
        if cuts:
            return len(cuts)
        paths = longest_paths(graph)
        assert paths is not None
        level, before = paths
        available = self.judge.available(choices)
        if not level or max(level) <= available:
            return 0
        # One chain per carrier just above the last level, so that one round removes many chains.
        chains = 0
        for node in sorted((n for n in range(len(level)) if level[n] == available + 1), key=lambda n: min(carriers[n][1].points)):
            chain = [node]
            while before[chain[-1]] >= 0:
                chain.append(before[chain[-1]])
            chain.reverse()
            self._forbid(sets, list(pairwise(chain)), self.judge.flags(choices))
            chains += 1
            if chains == 32:
                break
        return chains

    def _forbid(
        self,
        carriers: Sequence[tuple[int, frozenset[int]]],
        edges: Sequence[tuple[int, int]],
        chain: tuple[bool, bool, bool] | None = None,
    ) -> None:
        """Forbid a cycle of carriers, given as (demand, points), in all splits that have it.

        Or a ``chain`` with more edges than there are levels; its flags are those of :meth:`_flags`.
        """
        needs: dict[int, dict[int, set[int]]] = {}
        for u, v in edges:
            a, b = self._witness(*carriers[u], *carriers[v])
            needs.setdefault(carriers[u][0], {}).setdefault(u, set()).add(a)
            needs.setdefault(carriers[v][0], {}).setdefault(v, set()).add(b)
        if chain is not None and edges:
            # The top of the chain only has to be above: lowered or not, on whatever carrier, unless its own
            # task's other carriers are in the chain.
            last = edges[-1][1]
            if len(needs[carriers[last][0]]) == 1:
                del needs[carriers[last][0]]
        groups = [(d, self._holding(d, frozenset(map(frozenset, parts.values())))) for d, parts in sorted(needs.items())]
        slack: Any = 0
        if chain is not None:
            # The chain may be too long only because of the levels that lowering and the top level take.
            rules = self.problem.levels
            lowered, top, table = chain
            if lowered and rules.for_activations(False, top) - table <= len(edges):
                lowered = False
            if top and rules.for_activations(lowered, False) - table <= len(edges):
                top = False
            if table and rules.for_activations(lowered, top) <= len(edges):
                table = False
            slack = (1 - self.any_lowered if lowered else 0) + (1 - self.top if top else 0) + (1 - self.has_table if table else 0)
            key: tuple[object, ...] = (tuple(groups), lowered, top, table)
        else:
            key = tuple(groups)
        if key not in self.stated:
            self.stated.add(key)
            taken = [self.vars[d].plain[s] for d, holding in groups for s in holding]
            self.model.add(sum(taken) <= len(groups) - 1 + slack)

    def _holding(self, d: int, parts: frozenset[frozenset[int]]) -> tuple[int, ...]:
        """The demand's splits that have a separate carrier for each of these sets of points."""
        splits_of_parts = self.holders.get((d, parts))
        if splits_of_parts is None:
            splits = []
            for s, option in enumerate(self.problem.options[d].splits):
                homes = [k for wanted in parts for k, bundle in enumerate(option.bundles) if wanted <= bundle.points]
                if len(homes) == len(parts) and len(set(homes)) == len(parts):
                    splits.append(s)
            splits_of_parts = self.holders[d, parts] = tuple(splits)
        return splits_of_parts

    def _witness(self, d: int, points: frozenset[int], e: int, other: frozenset[int]) -> tuple[int, int]:
        """A point of ``points`` and a point of ``other`` that lies in its window."""
        target = self.judge.windows.bits(self.judge.position[e], other)
        for a in sorted(points):
            hit = self.judge.windows.point_inside(self.judge.position[d], a) & target
            if hit:
                return a, self.judge.windows.owner[(hit & -hit).bit_length() - 1][1]
        raise AssertionError((d, e))

    def state_order(self) -> bool:
        """Give possible carriers levels, so that every choice keeps the rules; whether that is stated now.

        Where there are more levels than sources, an order is all that matters: who is in no cycle of the relation needs none.
        """
        if self.ordered or not self.relation_known:
            return self.ordered
        self.ordered = True
        relation, most = self.relation, sum(len(group.sources) for group in self.problem.classes)
        if most <= self.problem.levels.for_activations(True, True) - 1:
            graph: list[list[int]] = [[] for _ in self.candidates]
            for u, v in relation:
                graph[u].append(v)
            home = {n: k for k, component in enumerate(components(graph)) for n in component}
            relation = [(u, v) for u, v in relation if u in home and home[u] == home.get(v)]
        self._state_levels(relation, most)
        return True

    def _state_levels(self, relation: Sequence[tuple[int, int]], most: int) -> Any:
        """Level variables, from 1 to at most ``most``, for carriers in a relation; how many levels there are, as a variable.

        Pairs that clauses exclude need none.
        """
        model, rules, windows = self.model, self.problem.levels, self.judge.windows
        room = rules.for_activations(False, False)
        most = max(1, min(room, most))
        levels = model.new_int_var(0, most)
        model.add(levels >= self.alone)
        level = {n: model.new_int_var(1, most) for n in sorted({n for pair in relation for n in pair})}
        for n, variable in level.items():
            model.add(levels >= variable).only_enforce_if(self.candidates[n][2])
        for u, v in relation:
            model.add(level[v] >= level[u] + 1).only_enforce_if(self.candidates[u][2], self.candidates[v][2])
        whole = {d: windows.bits(k, range(len(self.problem.options[d].demand.points))) for d, k in self.judge.position.items()}
        for u, (d, points, literal) in enumerate(self.candidates):
            inside = windows.inside(self.judge.position[d], points)
            for e, bits in whole.items():  # a lowered task imposes nothing, and is above all the same
                if inside & bits and not isinstance(self.vars[e].is_lowered, int):
                    model.add(levels >= level.get(u, 1) + 1).only_enforce_if(literal, self.vars[e].is_lowered)
        if self.judge.activations:
            taken = self.top + self.has_table + rules.lowered * self.any_lowered
            model.add(levels + taken <= room)
        return levels

    def fewest_levels(self, solution: Solution, limit: float) -> None:
        """Among the choices of the same value, one with the fewest levels, then from the first classes."""
        paths = longest_paths(self.judge.carriers(solution.choices)[2])
        assert paths is not None
        if not self.relation_known or self.budget.left <= 0:
            return
        model = self.model
        model.add(self.objective() + self.cells == self.judge.value(solution.choices))
        levels = self._state_levels(self.relation, max(paths[0], default=0))
        weight = sum(len(o.demand.points) for o in self.problem.options) * len(self.problem.classes) + 1
        model.minimize(weight * (levels + self.top) + sum(self.ranks))
        self.hint(solution.choices)
        answer = self.solve(0, limit)
        if answer.found:
            choices = self.read(answer)
            if self.cut(choices) == 0:
                solution.choices = choices
                solution.fewest_levels = answer.optimal

    def all_lowered(self, limit: float) -> list[Choice | None] | None:
        """Every task lowered, which leaves no order to keep: dear, but something to fall back on, and found quickly."""
        model = self.model.copied()
        for d in self.judge.activations:
            for plain, low in zip(self.vars[d].plain, self.vars[d].lowered, strict=True):
                if low is not None or any(v is not None for v in self.vars[d].lowered):
                    model.add(model.variable(plain.index) == 0)
        answer = model.answer(min(limit, self.budget.left), stop_after_first_solution=True)
        self.budget.left -= answer.work
        choices = self.read(answer) if answer.found else None
        return choices if choices is not None and not self.cut(choices) else None
