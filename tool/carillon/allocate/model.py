# SPDX-License-Identifier: Apache-2.0
"""The choice among the options as a model of CP-SAT.

The model is free of symmetry: it counts the sources that each class gives, it does not name them.
Priority levels come in lazily.  A choice is checked on its true relation; a cycle, or a chain with too
many levels, becomes a cut: "not all of these demands have these points on one carrier that is not
lowered".  The cut names points, not carriers, so it holds for every coarser carrier as well.  Where the first
choice is not right and the relation is not too large, each possible carrier gets a variable for its level: then no
choice of the model breaks a rule of the levels, and one solve finds what rounds of cuts only come near to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from carillon.allocate.levels import cliques, components, longest_paths, members, short_cycle
from carillon.allocate.options import DemandOptions, Split
from carillon.allocate.problem import Budget, Choice, Judge, Solution, cell_cost, room_taken, split_cost
from carillon.allocate.ranks import state_ranks
from carillon.allocate.result import Style
from carillon.model.board import Role

if TYPE_CHECKING:
    from carillon.allocate.cpsat import cp_model

MAX_STATED = 20_000
"""Cycles of two or three carriers are stated before the first solve up to this number of constraints."""

MAX_CANDIDATES = 3_000
MAX_LEVEL_PAIRS = 60_000
"""With more possible carriers, or pairs of them that need an order, levels are not minimised at equal cost."""


@dataclass(slots=True)
class _Kind:
    """Bundles of a split that only differ in their points, and the variables that count them per class."""

    bundles: list[int]
    counts: dict[int, Any]


@dataclass(slots=True)
class _Vars:
    """A demand's variables: per split whether it is taken with the task not lowered, and lowered."""

    plain: list[Any] = field(default_factory=list)
    lowered: list[Any] = field(default_factory=list)
    kinds: list[list[_Kind]] = field(default_factory=list)
    is_lowered: Any = 0
    watched: Any = 1


class ChoiceModel:
    """The model of a problem; without ``levels`` it does not know who must preempt whom, and its optimum is a bound.

    With ``ranks`` it knows that by the points alone (:func:`.state_ranks`), and none of the possible carriers.
    """

    def __init__(self, judge: Judge, budget: Budget, levels: bool = True, ranks: bool = False) -> None:
        self.judge = judge
        self.problem = judge.problem
        self.budget = budget
        self.vars: list[_Vars] = []
        self.cliques = 0
        self.stated: set[tuple[object, ...]] = set()
        self.ordered = False
        self.candidates: list[tuple[int, frozenset[int], Any]] = []
        self.relation: list[tuple[int, int]] = []
        self.relation_known = False
        self.holders: dict[tuple[int, frozenset[frozenset[int]]], tuple[int, ...]] = {}
        self._build()
        if ranks:
            self.ordered = True
            state_ranks(self)
        elif levels:
            self._state_short_cycles()
            self._state_open_windows()

    def _build(self) -> None:
        from carillon.allocate.cpsat import cp_model

        self.model = cp_model.CpModel()
        problem, costs = self.problem, self.problem.costs
        used: list[list[Any]] = [[] for _ in problem.classes]
        instructions: list[Any] = []
        cells: list[Any] = []
        penalty: list[Any] = []
        self.ranks: list[Any] = []
        wrapped: dict[str, list[Any]] = {}
        tops: list[Any] = [int(problem.control)]
        tabled: dict[int, Any] = {}
        beside: dict[str, list[Any]] = {}  # deadlines of a task that are not in the table
        for d, options in enumerate(problem.options):
            demand = options.demand
            mine = _Vars()
            self.vars.append(mine)
            acts = problem.activations_of(demand.object)
            seen: set[tuple[object, ...]] = set()
            can_lower = demand.action.runs and problem.levels.for_activations(True, False) >= 1
            useful = self._useful_lowered(options) if can_lower else set()
            for option in options.splits:
                plain = self.model.new_bool_var("")
                lowers = option.profile in useful and option.profile not in seen
                low = self.model.new_bool_var("") if lowers else None
                seen.add(option.profile)
                mine.plain.append(plain)
                mine.lowered.append(low)
                taken = plain if low is None else plain + low
                if low is not None:
                    instructions.append(costs.lowered * acts * low)
                instructions.append(split_cost(costs, demand, option, acts) * taken)
                if option.style is Style.TABLE:
                    tabled[d] = plain
                elif demand.action.wraps:
                    beside.setdefault(demand.object, []).append(plain)
                if demand.action.wraps and option.style is Style.DIRECT:
                    wrapped.setdefault(demand.object, []).append(plain)
                mine.kinds.append(self._count_classes(options, option, taken, used, instructions, cells))
            every = [v for v in (*mine.plain, *mine.lowered) if v is not None]
            if demand.required:
                self.model.add_exactly_one(every)
            elif every:
                mine.watched = self.model.new_bool_var("")
                self.model.add(sum(every) == mine.watched)
                penalty.append(min(len(demand.points), acts or 1) * (1 - mine.watched))
            else:
                mine.watched = 0
            lows = [v for v in mine.lowered if v is not None]
            if lows:
                mine.is_lowered = self.model.new_bool_var("")
                self.model.add(sum(lows) == mine.is_lowered)
            if not demand.action.runs:
                tops.append(mine.watched - tabled[d] if d in tabled else mine.watched)
        for task, direct in wrapped.items():
            wrapper = self.model.new_bool_var("")
            for variable in direct:
                self.model.add_implication(variable, wrapper)
            instructions.append(costs.wrapper * problem.activations_of(task) * wrapper)
        self._state_table(tabled, beside, used, cells)
        for group, variables in zip(problem.classes, used, strict=True):
            if variables:
                self.model.add(sum(variables) <= group.room)
        self.top = self._any(tops)
        self.any_lowered = self._any([*(v.is_lowered for v in self.vars), *tabled.values()])
        self.instructions = sum(instructions) if instructions else 0
        self.cells = sum(cells) if cells else 0
        self.penalty = sum(penalty) if penalty else 0
        room = problem.levels.for_activations(False, False)
        self.alone = self._any([1 - tabled[d] if d in tabled else 1 for d in self.judge.activations])  # one level is a task's
        taken = self.top + self.has_table + problem.levels.lowered * self.any_lowered
        self.model.add(taken + self.alone <= self.model.new_constant(room))

    def _useful_lowered(self, options: DemandOptions) -> set[tuple[object, ...]]:
        """The profiles of splits in which a lowered task may be best: where there is one class, those that no other beats.

        A lowered task imposes nothing on others, so that only what it costs and what it takes of the class counts.
        """
        able = [split for split in options.splits if split.style is not Style.TABLE]
        classes = {bundle.classes for split in able for bundle in split.bundles}
        if len(classes) != 1 or len(next(iter(classes))) != 1:
            return {split.profile for split in able}
        best: dict[int, tuple[int, int, tuple[object, ...]]] = {}
        for split in able:
            instructions, cells, chosen = self.judge.price(options, split)
            taken = sum(taken for _, taken in self.judge.taken(options.demand, Choice(split, chosen, lowered=True)))
            if taken not in best or (instructions, cells) < best[taken][:2]:
                best[taken] = (instructions, cells, split.profile)
        useful: set[tuple[object, ...]] = set()
        least: tuple[int, int] | None = None
        for taken in sorted(best):
            if least is None or best[taken][:2] < least:
                least = best[taken][:2]
                useful.add(best[taken][2])
        return useful

    def _state_table(self, tabled: dict[int, Any], beside: dict[str, list[Any]], used: list[list[Any]], cells: list[Any]) -> None:
        """One cell, and one level, is the table's if anything is in it; a deadline is in it only if its task is."""
        problem = self.problem
        self.table_of: dict[int, Any] = {}
        self.tabled = tabled
        self.has_table: Any = 0
        if not tabled:
            return
        assert problem.table is not None
        carried = self.has_table = self._any(list(tabled.values()))
        for c in problem.table.classes:
            taken = self.table_of[c] = self.model.new_bool_var("")
            used[c].append(problem.classes[c].joined * taken)
            cells.append(problem.classes[c].array.needed(Role.SYSTEM, shared=True) * taken)
            self.ranks.append(c * taken)
        self.model.add(sum(self.table_of.values()) == carried)
        tasks = {problem.options[d].demand.object: tabled.get(d) for d in self.judge.activations}
        for d, variable in tabled.items():
            action = problem.options[d].demand.action
            if action.wraps:
                task = tasks.get(action.object)
                self.model.add(variable == 0) if task is None else self.model.add_implication(variable, task)
        for name, others in beside.items():
            task = tasks.get(name)
            if task is not None:
                for variable in others:
                    self.model.add(variable + task <= 1)
        for d, e in problem.table.apart:
            if d in tabled and e in tabled:
                self.model.add_bool_or([~tabled[d], ~tabled[e]])

    def _any(self, literals: Sequence[Any]) -> Any:
        """A variable that is true if and only if one of the literals is; a constant where that is known."""
        if any(isinstance(literal, int) and literal for literal in literals):
            return 1
        variables = [literal for literal in literals if not isinstance(literal, int)]
        if not variables:
            return 0
        result = self.model.new_bool_var("")
        self.model.add_max_equality(result, variables)
        return result

    def _count_classes(
        self,
        options: DemandOptions,
        option: Split,
        taken: Any,
        used: list[list[Any]],
        instructions: list[Any],
        cells: list[Any],
    ) -> list[_Kind]:
        """Charge the split's sources, cells and acknowledgements to the classes; variables only where there is a choice."""
        demand, classes = options.demand, self.problem.classes
        kinds: dict[tuple[object, ...], list[int]] = {}
        for b, bundle in enumerate(option.bundles):
            kinds.setdefault(bundle.kind, []).append(b)
        result = []
        for indices in kinds.values():
            bundle = option.bundles[indices[0]]
            counts: dict[int, Any] = {}
            if len(bundle.classes) == 1:
                counts[bundle.classes[0]] = len(indices) * taken
            else:
                for c in bundle.classes:
                    counts[c] = self.model.new_int_var(0, min(len(indices), classes[c].room), "")
                self.model.add(sum(counts.values()) == len(indices) * taken)
                self.ranks += [c * count for c, count in counts.items()]
            for c, count in counts.items():
                used[c].append(room_taken(demand, option.style, bundle, classes[c]) * count)
                needed = classes[c].array.needed(demand.role, option.style is Style.MULTIPLEXED)
                cells.append(len(bundle.progressions) * needed * count)
                price = cell_cost(self.problem.costs, demand, option.style, classes[c], bundle)
                if price:
                    instructions.append(price * count)
            result.append(_Kind(indices, counts))
        return result

    def _candidates(self) -> list[tuple[int, frozenset[int], Any]]:
        """Every set of points that may become one carrier that is not lowered, with a literal that says it does."""
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
                    literal = self.model.new_bool_var("")
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
            own = sum(1 << number[d, s] for s in range(len(self.vars[d].plain)))
            for s in range(len(self.vars[d].plain)):
                adjacent[number[d, s]] |= own & ~(1 << number[d, s])
        for clique in cliques(adjacent, uncovered):
            self.model.add_at_most_one(self.vars[d].plain[s] for d, s in (nodes[n] for n in clique))
            self.cliques += 1

    def _state_open_windows(self) -> None:
        """State how many tasks with windows open at one point there can be, unless lowered: each needs its own level.

        Such tasks preempt each other in pairs, so lowering some does not part the others.
        """
        rules = self.problem.levels
        scarce = rules.for_activations(True, True)
        stated: set[tuple[object, ...]] = set()
        for k, own in enumerate(self.judge.activations):
            for i, point in enumerate(self.problem.options[own].demand.points):
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
                known = (*terms, own if own in self.tabled else -1)
                if known not in stated:
                    stated.add(known)
                    taken = rules.lowered * self.any_lowered + self.top + self.has_table
                    held = sum(count * self.vars[d].plain[s] for d, s, count in terms)
                    in_table = self.tabled.get(own, 0)  # then the point's own level is the table's
                    self.model.add(held + taken <= rules.for_activations(False, False) - 1 + in_table)

    def _forbid_candidates(self, cycle: Sequence[int]) -> None:
        """Forbid that these carriers are chosen together, and all that hold the same points."""
        if len(self.stated) < MAX_STATED:
            carriers = [(d, points) for d, points, _ in (self.candidates[n] for n in cycle)]
            self._forbid(carriers, list(pairwise([*range(len(cycle)), 0])))

    def bound(self, limit: float) -> float:
        """No choice has a lower objective, as far as that is proved within ``limit``; choices are not looked for.

        A tree of the least bounds first raises it, where search from a good choice does not within the same work.  So it
        begins with none.
        """
        self.model.clear_hints()  # type: ignore[no-untyped-call]
        return self.solve(0, limit, raises=True)[1].best_objective_bound

    def solve(self, gap: float, limit: float, raises: bool = False) -> tuple[str, cp_model.CpSolver]:
        """Solve to a relative ``gap``, within ``limit`` of deterministic time and what is left of it.

        With level variables it is search that proves: what CP-SAT does by default before it, and to shorten what it learns,
        costs more than it saves (measured on the synthetic rounds of bench/allocation.py).  ``raises``: see :meth:`bound`.
        """
        from carillon.allocate.cpsat import cp_model

        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.num_workers = 1
        parameters.random_seed = 1
        parameters.linearization_level = 2
        if self.ordered:
            parameters.linearization_level = 1
            parameters.cp_model_probing_level = 0
            parameters.binary_minimization_algorithm = parameters.NO_BINARY_MINIMIZATION
        parameters.cut_level = 0  # our own cuts are tighter; generic ones double the time to a proof
        parameters.optimize_with_lb_tree_search = raises
        parameters.relative_gap_limit = gap
        parameters.max_deterministic_time = max(min(limit, self.budget.left), 0.001)
        status = solver.solve(self.model)
        self.budget.left -= solver.response_proto.deterministic_time
        return solver.status_name(status), solver

    def minimise(self) -> None:
        """Let the next solve look for the least penalty and instructions, whatever the cells."""
        self.model.minimize(self.objective())

    def objective(self) -> Any:
        """Penalty and instructions, in this order, weighted as a value is (:meth:`.Judge.value`)."""
        return self.judge.penalty_weight * self.penalty + self.judge.cell_weight * self.instructions

    def fewest_cells(self, choices: Sequence[Choice | None], limit: float) -> tuple[list[Choice | None], bool]:
        """Among the choices of the same penalty and instructions one with the fewest cells, and whether none has fewer."""
        cells = self.judge.values(choices)[2]
        self.model.add(self.objective() == self.judge.value(choices) - cells)
        self.model.minimize(self.cells)
        self.hint(choices)
        status, solver = self.solve(0, limit)
        if status in ("OPTIMAL", "FEASIBLE"):
            found = self.read(solver)
            if self.judge.keeps(found) and self.judge.values(found)[2] <= cells:
                return found, status == "OPTIMAL"
        return list(choices), False

    def hint(self, choices: Sequence[Choice | None]) -> None:
        """Let the next solve begin with these choices."""
        self.model.clear_hints()  # type: ignore[no-untyped-call]
        for options, mine, choice in zip(self.problem.options, self.vars, choices, strict=True):
            lowered = None if choice is None or not choice.lowered else choice.split.profile
            for option, plain, low in zip(options.splits, mine.plain, mine.lowered, strict=True):
                self.model.add_hint(plain, choice is not None and not choice.lowered and option is choice.split)
                if low is not None:
                    self.model.add_hint(low, option.profile == lowered)

    def read(self, solver: cp_model.CpSolver) -> list[Choice | None]:
        """The choice that a solve ended with."""
        choices: list[Choice | None] = []
        table = tuple(c for c, taken in self.table_of.items() if solver.value(taken))
        for options, mine in zip(self.problem.options, self.vars, strict=True):
            choice = None
            for s, option in enumerate(options.splits):
                low = mine.lowered[s]
                lowered = low is not None and bool(solver.value(low))
                if lowered or solver.value(mine.plain[s]):
                    if option.style is Style.TABLE:
                        choice = Choice(option, table, lowered=False)
                        continue
                    classes = [0] * len(option.bundles)
                    for kind in mine.kinds[s]:
                        order = [c for c in sorted(kind.counts) for _ in range(solver.value(kind.counts[c]))]
                        for b, c in zip(kind.bundles, order, strict=True):
                            classes[b] = c
                    choice = Choice(option, tuple(classes), lowered)
            choices.append(choice)
        return choices

    def cut(self, choices: Sequence[Choice | None]) -> int:
        """Forbid what is wrong with the levels of a choice; how many cuts that took, 0 if nothing is wrong."""
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
        # One chain per carrier that stands too high, so that a round removes many.
        found = 0
        for node in sorted((n for n in range(len(level)) if level[n] == available + 1), key=lambda n: min(carriers[n][1].points)):
            chain = [node]
            while before[chain[-1]] >= 0:
                chain.append(before[chain[-1]])
            chain.reverse()
            self._forbid(sets, list(pairwise(chain)), self.judge.flags(choices))
            found += 1
            if found == 32:
                break
        return found

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
        """The demand's splits that have a carrier of its own for each of these sets of points."""
        found = self.holders.get((d, parts))
        if found is None:
            splits = []
            for s, option in enumerate(self.problem.options[d].splits):
                homes = [k for wanted in parts for k, bundle in enumerate(option.bundles) if wanted <= bundle.points]
                if len(homes) == len(parts) and len(set(homes)) == len(parts):
                    splits.append(s)
            found = self.holders[d, parts] = tuple(splits)
        return found

    def _witness(self, d: int, points: frozenset[int], e: int, other: frozenset[int]) -> tuple[int, int]:
        """One of ``points`` in whose window one of ``other`` lies, and that one."""
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
        levels = model.new_int_var(0, most, "")
        model.add(levels >= self.alone)
        level = {n: model.new_int_var(1, most, "") for n in sorted({n for pair in relation for n in pair})}
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
        status, solver = self.solve(0, limit)
        if status in ("OPTIMAL", "FEASIBLE"):
            choices = self.read(solver)
            if self.cut(choices) == 0:
                solution.choices = choices
                solution.fewest_levels = status == "OPTIMAL"

    def all_lowered(self, limit: float) -> list[Choice | None] | None:
        """Every task lowered, which leaves no order to keep: dear, but something to fall back on, and found quickly."""
        from carillon.allocate.cpsat import cp_model

        model = self.model.clone()
        for d in self.judge.activations:
            for plain, low in zip(self.vars[d].plain, self.vars[d].lowered, strict=True):
                if low is not None or any(v is not None for v in self.vars[d].lowered):
                    model.add(model.get_bool_var_from_proto_index(plain.index) == 0)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = max(min(limit, self.budget.left), 0.001)
        solver.parameters.stop_after_first_solution = True
        status = solver.solve(model)
        self.budget.left -= solver.response_proto.deterministic_time
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        choices = self.read(solver)
        return choices if not self.cut(choices) else None
