# SPDX-License-Identifier: Apache-2.0
"""The choice among the options, by CP-SAT: least penalty, instructions, cells, then levels.

The model is free of symmetry: it counts the sources that each class gives, it does not name them.
Priority levels come in lazily.  A choice is checked on its true relation; a cycle, or a chain with too
many levels, becomes a cut: "not all of these demands have these points on one carrier that is not
lowered".  The cut names points, not carriers, so it holds for every coarser carrier as well.  What is
left of the levels, to need as few as possible at the same cost, is a second solve with level variables.

Before all that each demand is given what is cheapest for it alone, as if there were no other; where the sources
and the levels suffice for that, nothing can be better, and nothing is searched.  Where they do not, the sources are given
out as if any could serve anything and levels were free; that is no search either, and where the true sources and the fewest
levels that any choice needs suffice for the result, nothing can be better.  CP-SAT is loaded only for what is left.

All solves run on one thread with a fixed seed, and their limit is one of work, not of time: equal input gives
equal output, however busy the machine is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any

from carillon.actions import COSTS, CostTable, Served
from carillon.allocate.fit import SourceClass
from carillon.allocate.levels import Windows, cliques, components, longest_paths, members, short_cycle, successors
from carillon.allocate.options import Bundle, DemandOptions, Split
from carillon.allocate.result import Style
from carillon.lower import Demand
from carillon.model.board import Board, Rearm, Role

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    from carillon.allocate.memory import Memory

MAX_ROUNDS = 60
"""Solves with cuts before the rest is repaired by lowering."""

DETERMINISTIC_SHARE = 0.4
"""Units of CP-SAT's deterministic time per second of the limit: less than any current processor does."""

EARLY_GAP = 0.01
"""Relative gap at which rounds stop that are only to find cuts."""

ROUND_SHARE = 0.1
ROUND_GROWTH = 1.3
"""Share of the deterministic time that the first round may take which is only to find cuts, and its growth by round."""

LEVELS_SHARE = 0.03
"""Share of the deterministic time for needing fewer levels at the same cost."""

FALLBACK_SHARE = 0.1
"""Share of the deterministic time for the choice to fall back on."""

PAIRS_PER_SECOND = 8_000
"""Pairs of possible carriers whose order may be looked at, per second of the limit; with more there is no search."""

MAX_STATED = 20_000
"""Cycles of two or three carriers are stated before the first solve up to this number of constraints."""

NEVER = 1 << 200
"""A value that no choice has."""

MAX_CANDIDATES = 3_000
MAX_LEVEL_PAIRS = 60_000
"""With more possible carriers, or pairs of them that need an order, levels are not minimised at equal cost."""


@dataclass(frozen=True, slots=True)
class LevelRules:
    """The levels of a mode: how many there are, and which are spoken for (each flag costs one)."""

    total: int
    below_tasks: int
    above_tasks: bool
    lowered: int

    def for_activations(self, lowered: bool, top: bool) -> int:
        """How many are left for activation carriers."""
        return self.total - self.below_tasks - self.above_tasks - top - (self.lowered if lowered else 0)


@dataclass(frozen=True, slots=True)
class Table:
    """What can carry a table: classes of sources; which demands can be in it; and which not together, in pairs."""

    classes: tuple[int, ...]
    fits: frozenset[int]
    apart: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One mode's choice: per demand its options, per class how many sources there are.

    A demand without splits that is not required is never carried.  ``control``: the mode has a control cell
    besides, which needs the top level.  ``table``: None where no cell can carry one.
    """

    board: Board
    options: tuple[DemandOptions, ...]
    classes: tuple[SourceClass, ...]
    levels: LevelRules
    control: bool = False
    costs: CostTable = COSTS
    table: Table | None = None

    def activations_of(self, task: str) -> int:
        """How often ``task`` is activated in a round."""
        return sum(len(o.demand.points) for o in self.options if o.demand.action.runs and o.demand.object == task)


@dataclass(frozen=True, slots=True)
class Choice:
    """How a demand is carried: its split, the class of each of its bundles, and whether its task runs lowered.

    Of a demand in the table there is one class, that of the table's source.
    """

    split: Split
    classes: tuple[int, ...]
    lowered: bool


@dataclass(slots=True)
class Solution:
    """A choice per demand (None: not watched) and what is known of its quality, in instructions per round."""

    choices: list[Choice | None]
    overhead: int
    bound: int
    optimal: bool
    fewest_levels: bool


@dataclass(slots=True)
class Failure:
    """No solution: ``proved`` means that there is none, otherwise a limit of time was reached."""

    proved: bool


@dataclass(frozen=True, slots=True)
class _Cheapest:
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

    def plain_but_table(self, options: DemandOptions) -> list[Any]:
        """The literals that say that the demand is on cells of its own, and not lowered."""
        return [v for v, s in zip(self.plain, options.splits, strict=True) if s.style is not Style.TABLE]


class ModeSolver:
    """Solves one :class:`Problem`; ``time_limit``: the work that a current processor does in as many seconds at most.

    ``memory``: what earlier searches found, if that is kept.
    """

    def __init__(self, problem: Problem, time_limit: float, memory: Memory | None = None) -> None:
        self.problem = problem
        self.memory = memory
        self.activations = [d for d, o in enumerate(problem.options) if o.demand.action.runs]
        demands = [problem.options[d].demand for d in self.activations]
        self.windows = Windows(demands, problem.board.nesting == "time")
        self.position = {d: k for k, d in enumerate(self.activations)}
        self.limit = time_limit
        self.work = DETERMINISTIC_SHARE * time_limit  # what is left of it, in CP-SAT's deterministic time
        self.vars: list[_Vars] = []
        self.rounds = 0
        self.cliques = 0
        self.stated: set[tuple[object, ...]] = set()
        self.holders: dict[tuple[int, frozenset[frozenset[int]]], tuple[int, ...]] = {}
        self.cell_weight = problem.board.cell_count + 1
        self.penalty_weight = self.cell_weight * (self._instructions_limit() + 1)

    # Building the model

    def _build(self, levels: bool = True) -> None:
        """The model; without ``levels`` it does not know who must preempt whom, and its optimum is a bound."""
        from ortools.sat.python import cp_model

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
            for option in options.splits:
                plain = self.model.new_bool_var("")
                lowers = can_lower and option.style is not Style.TABLE and option.profile not in seen
                low = self.model.new_bool_var("") if lowers else None
                seen.add(option.profile)
                mine.plain.append(plain)
                mine.lowered.append(low)
                taken = plain if low is None else plain + low
                if low is not None:
                    instructions.append(costs.lowered * acts * low)
                instructions.append(_split_cost(costs, demand, option, acts) * taken)
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
                self.model.add(sum(variables) <= len(group.sources))
        self.top = self._any(tops)
        self.any_lowered = self._any([*(v.is_lowered for v in self.vars), *tabled.values()])
        self.instructions = sum(instructions) if instructions else 0
        self.cells = sum(cells) if cells else 0
        self.penalty = sum(penalty) if penalty else 0
        room = problem.levels.for_activations(False, False)
        alone = self._any([1 - tabled[d] if d in tabled else 1 for d in self.activations])  # one level at least is a task's
        taken = self.top + self.has_table + problem.levels.lowered * self.any_lowered
        self.model.add(taken + alone <= self.model.new_constant(room))
        if levels:
            self._state_short_cycles()
            self._state_open_windows()

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
            used[c].append(taken)
            cells.append(problem.classes[c].array.needed(Role.SYSTEM, shared=True) * taken)
            self.ranks.append(c * taken)
        self.model.add(sum(self.table_of.values()) == carried)
        tasks = {problem.options[d].demand.object: tabled.get(d) for d in self.activations}
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
                    counts[c] = self.model.new_int_var(0, min(len(indices), len(classes[c].sources)), "")
                self.model.add(sum(counts.values()) == len(indices) * taken)
                self.ranks += [c * count for c, count in counts.items()]
            for c, count in counts.items():
                used[c].append(count)
                needed = classes[c].array.needed(demand.role, option.style is Style.MULTIPLEXED)
                cells.append(len(bundle.progressions) * needed * count)
                price = _cell_cost(self.problem.costs, demand, option.style, classes[c], bundle)
                if price:
                    instructions.append(price * count)
            result.append(_Kind(indices, counts))
        return result

    def _instructions_limit(self) -> int:
        """No choice costs more instructions than this."""
        costs = self.problem.costs
        dearest = (
            costs.lowered
            + costs.forget
            + costs.multiplexed_activation
            + costs.multiplexed_deadline
            + costs.multiplexed_reload
            + costs.wrapper
            + costs.multiplexed_enable
            + costs.enable
            + costs.acknowledge
            + costs.table_activation
        )
        total = 0
        for options in self.problem.options:
            points = len(options.demand.points) + self.problem.activations_of(options.demand.object)
            total += dearest * points
        return total

    def _candidates(self) -> list[tuple[int, frozenset[int], Any]]:
        """Every set of points that may become one carrier that is not lowered, with a literal that says it does."""
        result: list[tuple[int, frozenset[int], Any]] = []
        for d in self.activations:
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
        self.relation: list[tuple[int, int]] = []
        self.relation_known = len(self.candidates) <= MAX_CANDIDATES
        if not self.relation_known:
            return
        bits = [self.windows.bits(self.position[d], points) for d, points, _ in self.candidates]
        inside = [self.windows.inside(self.position[d], points) for d, points, _ in self.candidates]
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
        nodes = [(d, s) for d in self.activations for s in range(len(self.vars[d].plain))]
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
        for d in self.activations:
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
        for k, own in enumerate(self.activations):
            for i, point in enumerate(self.problem.options[own].demand.points):
                latest: dict[int, tuple[int, int]] = {}
                for number in members(self.windows.around(k, i)):
                    other, index = self.windows.owner[number]
                    latest[self.problem.options[self.activations[other]].demand.points[index].at] = (other, index)
                if len(latest) < scarce or len(stated) >= MAX_STATED:
                    continue
                still_open: dict[int, set[int]] = {}
                for at, (other, index) in latest.items():
                    if at < point.at:
                        still_open.setdefault(self.activations[other], set()).add(index)
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

    # Solving

    def _solve(self, gap: float, limit: float) -> tuple[str, cp_model.CpSolver]:
        """Solve to a relative ``gap``, within ``limit`` of deterministic time and what is left of it."""
        from ortools.sat.python import cp_model

        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.num_workers = 1
        parameters.random_seed = 1
        parameters.linearization_level = 2
        parameters.cut_level = 0  # our own cuts are tighter; generic ones double the time to a proof
        parameters.relative_gap_limit = gap
        parameters.max_deterministic_time = max(min(limit, self.work), 0.001)
        status = solver.solve(self.model)
        self.work -= solver.response_proto.deterministic_time
        return solver.status_name(status), solver

    def solve(self) -> Solution | Failure:
        """The best choice found, or why there is none: by what shows it at once, from memory, or by search."""
        cheapest = self._cheapest()
        found = self._separately(cheapest) if cheapest is not None else None
        if found is None and self.problem.table is None:
            found = self._by_sources()
        if found is None and cheapest is not None and self._most_carriers() ** 2 > PAIRS_PER_SECOND * self.limit:
            found = self._greedily(cheapest)
        if found is None and self.memory is not None:
            found = self.memory.recall(self)
        if found is not None:
            return found
        if cheapest is None and self.problem.table is not None and self._most_carriers() ** 2 > PAIRS_PER_SECOND * self.limit:
            result = self._coarsely()
        else:
            result = self._search()
        if isinstance(result, Solution) and self.memory is not None:
            self.memory.keep(self, result)
        return result

    def _search(self) -> Solution | Failure:
        """The best choice that the solver finds.

        Each round solves what is known so far, cuts off what is wrong with the levels of the choice, and
        repairs the choice as well, so that there is always something to go back to.  The first rounds only
        look for cuts and stop at a small gap; a choice without cuts is proved with none.
        """
        self._build()
        self.model.minimize(self._objective())
        limits = self.work
        bound = 0
        gap = EARLY_GAP
        best = self._all_lowered(limits * FALLBACK_SHARE)
        best_value = self._value(best) if best is not None else 0
        if best is not None:
            self._hint(best)
        while True:
            self.rounds += 1
            status, solver = self._solve(gap, limits * min(1.0, ROUND_SHARE * ROUND_GROWTH**self.rounds) if gap else limits)
            if status == "INFEASIBLE":
                return Failure(proved=True)
            if status == "UNKNOWN":
                break  # with what there is to fall back on
            bound = max(bound, ceil(solver.best_objective_bound - 1e-6))
            choices = self._read(solver)
            cuts = self._cut(choices)
            repaired = choices if not cuts else self._repair(choices)
            if repaired is not None:
                value = self._value(repaired)
                if best is None or value < best_value:
                    best, best_value = repaired, value
            if best is not None and best_value <= bound:
                break
            if self.work <= 0 or self.rounds == MAX_ROUNDS:
                break
            if not cuts:
                if gap == 0:
                    break
                gap = 0
            self._hint(best if best is not None else choices)
        if best is None:
            return Failure(proved=False)
        penalty, instructions, _ = self._values(best)
        least = min(instructions, max(0, (bound - self.penalty_weight * penalty) // self.cell_weight))
        solution = Solution(best, instructions, least, least == instructions, False)
        if best_value == bound:
            self._fewest_levels(solution, best_value, limits * LEVELS_SHARE)
        return solution

    def _cheapest(self) -> _Cheapest | None:
        """What is cheapest for each demand alone; None if one has no split, or the sources do not suffice for all.

        1. The objective is a sum over the demands: a wrapper, too, belongs to one of them, as all deadlines of a task are one
           demand.
        2. So no choice is better than each demand's least instructions, and with these the fewest cells.
        3. Nothing is left to choose where no other split of an activation comes to the same.
        """
        room = [len(group.sources) for group in self.problem.classes]
        choices: list[Choice | None] = []
        bound, unique = 0, True
        for options in self.problem.options:
            if not options.splits:
                if options.demand.required:
                    return None
                choices.append(None)
                continue
            priced = sorted((*self._price(options, split), s) for s, split in enumerate(options.splits))
            instructions, cells, classes, first = priced[0]
            if options.splits[first].style is Style.TABLE:
                return None
            if options.demand.action.runs and len(priced) > 1 and priced[1][:2] == (instructions, cells):
                unique = False
            bound += instructions
            choices.append(Choice(options.splits[first], classes, lowered=False))
            for c in classes:
                room[c] -= 1
        return _Cheapest(choices, bound, unique, room) if min(room, default=0) >= 0 else None

    def _separately(self, cheapest: _Cheapest) -> Solution | None:
        """That, if the levels suffice for it: nothing can be better; None if it has to be searched for."""
        if not cheapest.unique or not self.fits_levels(cheapest.choices):
            return None
        return Solution(cheapest.choices, cheapest.bound, cheapest.bound, optimal=True, fewest_levels=True)

    def _by_sources(self) -> Solution | None:
        """The best choice, if it can be had by giving out numbers of sources; None if it has to be searched for.

        1. As the objective is a sum over the demands (:meth:`_cheapest`), the least that any choice can come to with so many
           sources for all demands is the least, over the ways to carry the first demand, of its own value and of what the
           others come to with the sources that are left: a table of demands and numbers of sources.
        2. No choice is better than that: it disregards which source serves what, and the levels.
        3. If the sources can be given out that way after all, and the levels of the result are as few as any choice needs
           (:meth:`_levels_needed`), it is a choice, and none is better.
        """
        room = sum(len(group.sources) for group in self.problem.classes)
        least = [0] * (room + 1)
        table: list[tuple[list[_Way], list[int]]] = []
        for options in reversed(self.problem.options):  # so that of equal ones those that come first in the file get sources
            ways = self._ways(options, room)
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
        choices = self._on_classes(splits)
        if choices is None:
            return None
        paths = longest_paths(self._carriers(choices)[2])
        if paths is None or max(paths[0], default=0) > min(self._levels_needed(), self._available(choices)):
            return None
        instructions = self._values(choices)[1]
        return Solution(choices, instructions, instructions, optimal=True, fewest_levels=True)

    def _ways(self, options: DemandOptions, room: int) -> list[_Way]:
        """The ways to carry a demand that may be part of a best choice, cheapest first, and then from the most sources on."""
        ways = []
        if not options.demand.required:
            unwatched = min(len(options.demand.points), self.problem.activations_of(options.demand.object) or 1)
            ways.append(_Way(self.penalty_weight * unwatched if options.splits else 0, 0, None))
        for split in options.splits:
            instructions, cells, _ = self._price(options, split)
            ways.append(_Way(self.cell_weight * instructions + cells, len(split.bundles), split))
        kept: list[_Way] = []
        for way in sorted(ways, key=lambda way: (way.value, way.sources)):
            if way.sources <= room and (not kept or way.sources < kept[-1].sources):
                kept.append(way)
        return kept

    def _on_classes(self, splits: Sequence[Split | None]) -> list[Choice | None] | None:
        """Each bundle on one of the classes on which it costs least; None if their sources do not suffice."""
        wanted: list[list[int]] = []
        for options, split in zip(self.problem.options, splits, strict=True):
            if split is None:
                continue
            known: dict[tuple[object, ...], list[int]] = {}
            for bundle in split.bundles:
                if bundle.kind not in known:
                    prices = self._prices(options.demand, split, bundle)
                    known[bundle.kind] = [c for *price, c in prices if price == list(min(prices)[:2])]
                wanted.append(known[bundle.kind])
        given: list[list[int]] = [[] for _ in self.problem.classes]  # per class the bundles that have a source of it
        home = [-1] * len(wanted)

        def put(bundle: int, tried: set[int]) -> bool:
            """Give ``bundle`` a source, if need be by giving another bundle one of another class."""
            for c in wanted[bundle]:
                if c in tried:
                    continue
                tried.add(c)
                if len(given[c]) >= len(self.problem.classes[c].sources):
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

    def _levels_needed(self) -> int:
        """No choice in which no task is lowered has fewer levels of activations: tasks open at one point preempt in pairs."""
        most = int(bool(self.activations))
        for k, own in enumerate(self.activations):
            for i, point in enumerate(self.problem.options[own].demand.points):
                owners = (self.windows.owner[number] for number in members(self.windows.around(k, i)))
                before = {d for d, j in owners if self.problem.options[self.activations[d]].demand.points[j].at < point.at}
                most = max(most, 1 + len(before))
        return most

    def _greedily(self, cheapest: _Cheapest) -> Solution | None:
        """A choice for more carriers than can be searched: every task is lowered, then as many as can be are not.

        The dearest come first, each on the fewest sources with which the levels suffice, or on the most if that is better in all.
        """
        found = [choices for choices in (self._raised(cheapest, 1), self._raised(cheapest, -1)) if choices is not None]
        if not found:
            return None
        choices = min(found, key=self._values)
        instructions = self._values(choices)[1]
        return Solution(choices, instructions, cheapest.bound, instructions == cheapest.bound, fewest_levels=False)

    def _coarsely(self) -> Solution | Failure:
        """A choice for a round that needs a table and has more carriers than can be compared, and a bound of its cost.

        1. Two tasks that must preempt each other whatever carries them, even if each point has a cell of its own, cannot both
           be without lowering.  That, and how many sources there are, is a relaxation of the problem that is solved in full.
        2. Its choice is made right: the dearest tasks come first, each as cheap as the levels let it be.
        """
        problem = self.problem
        options = []
        finest: dict[int, Split] = {}
        for d, one in enumerate(problem.options):
            if one.demand.action.runs:
                direct = [s for s in one.splits if s.style is Style.DIRECT]
                if direct:
                    finest[d] = max(direct, key=lambda s: len(s.bundles))
                kept = sorted(direct, key=lambda s: (self._price(one, s)[0], len(s.bundles)))[:1]
                kept += sorted(direct, key=lambda s: len(s.bundles))[:1] if kept else []
                splits = [s for s in one.splits if s.style is not Style.DIRECT or any(s is k for k in kept)]
                one = replace(one, splits=splits)
            options.append(one)
        coarse = ModeSolver(replace(problem, options=tuple(options)), self.limit)
        coarse._build(levels=False)
        for clique in self._cliques(finest):
            coarse.model.add_at_most_one([v for d in clique for v in coarse.vars[d].plain_but_table(options[d])])
        coarse.model.minimize(coarse._objective())
        status, solver = coarse._solve(0, self.work)
        self.work = coarse.work
        if status == "INFEASIBLE":
            return Failure(proved=True)
        if status == "UNKNOWN":
            return Failure(proved=False)
        bound = ceil(solver.best_objective_bound - 1e-6)
        choices = self._made_right(coarse._read(solver))
        if choices is None:
            return Failure(proved=False)
        penalty, instructions, _ = self._values(choices)
        least = min(instructions, max(0, (bound - coarse.penalty_weight * penalty) // coarse.cell_weight))
        return Solution(choices, instructions, least, least == instructions, fewest_levels=False)

    def has_cells(self) -> bool:
        """Whether there is a choice if levels do not matter; true if that is not known within the limit."""
        self._build(levels=False)
        return self._solve(1, self.work)[0] != "INFEASIBLE"

    def _cliques(self, finest: dict[int, Split]) -> list[list[int]]:
        """Sets of activations of which any two oppose each other in these splits, so large that each pair is in one."""
        nodes = sorted(finest)
        place = {d: n for n, d in enumerate(nodes)}
        hulls = {}
        for d in nodes:
            k = self.position[d]
            bundles = [b.points for b in finest[d].bundles]
            hulls[d] = [(self.windows.bits(k, b), self.windows.inside(k, b)) for b in bundles]
        adjacent = [0] * len(nodes)
        for n, d in enumerate(nodes):
            for e in nodes[n + 1 :]:
                if any(inside & own and within & bits for bits, inside in hulls[d] for own, within in hulls[e]):
                    adjacent[n] |= 1 << place[e]
                    adjacent[place[e]] |= 1 << n
        return [[nodes[n] for n in clique] for clique in cliques(adjacent, adjacent)]

    def _made_right(self, choices: list[Choice | None]) -> list[Choice | None] | None:
        """The same choice with tasks lowered so that the levels suffice; None if they do not."""
        wanted = [d for d in self.activations if (c := choices[d]) is not None and c.split.style is not Style.TABLE]
        result = list(choices)
        for d in wanted:
            choice = choices[d]
            assert choice is not None
            result[d] = replace(choice, lowered=True)
        if not self.fits_levels(result):
            return None
        plain_first = sorted(wanted, key=lambda d: (choices[d].lowered, -len(self.problem.options[d].demand.points), d))  # type: ignore[union-attr]
        for d in plain_first:
            before = result[d]
            assert before is not None
            result[d] = replace(before, lowered=False)
            if not self.fits_levels(result):
                result[d] = before
        return result

    def _raised(self, cheapest: _Cheapest, order: int) -> list[Choice | None] | None:
        """One such choice: splits are tried from the fewest sources on, or with ``order`` -1 from the most."""
        choices = list(cheapest.choices)
        room = list(cheapest.room)
        for d in self.activations:
            choice = choices[d]
            if choice is not None:
                choices[d] = Choice(choice.split, choice.classes, lowered=True)
        if not self.fits_levels(choices):
            return None
        for d in sorted(self.activations, key=lambda d: (-len(self.problem.options[d].demand.points), d)):
            before = choices[d]
            if before is None:
                continue
            splits = sorted(self.problem.options[d].splits, key=lambda s: (s.style is not Style.DIRECT, len(s.bundles)))
            direct = [s for s in splits if s.style is Style.DIRECT] or splits
            for split in [direct[0], direct[len(direct) // 2], direct[-1]][::order]:
                classes = self._price(self.problem.options[d], split)[2]
                left = list(room)
                for c in before.classes:
                    left[c] += 1
                for c in classes:
                    left[c] -= 1
                if min(left) < 0:
                    continue
                choices[d] = Choice(split, classes, lowered=False)
                if self.fits_levels(choices):
                    room = left
                    break
                choices[d] = before
        return choices

    def fits_levels(self, choices: Sequence[Choice | None]) -> bool:
        """Whether the levels suffice for a choice, and an order of them exists."""
        paths = longest_paths(self._carriers(choices)[2])
        return paths is not None and max(paths[0], default=0) <= self._available(choices)

    def _price(self, options: DemandOptions, split: Split) -> tuple[int, int, tuple[int, ...]]:
        """What a split costs at least: instructions, cells, and the class of each of its bundles, the first of the cheapest."""
        problem, costs, demand = self.problem, self.problem.costs, options.demand
        activations = problem.activations_of(demand.object)
        instructions, cells, classes = _split_cost(costs, demand, split, activations), 0, []
        if demand.action.wraps and split.style is Style.DIRECT:
            instructions += costs.wrapper * activations
        known: dict[tuple[object, ...], tuple[int, int, int]] = {}
        for bundle in split.bundles:
            price, needed, c = known.get(bundle.kind) or known.setdefault(bundle.kind, min(self._prices(demand, split, bundle)))
            instructions += price
            cells += needed
            classes.append(c)
        return instructions, cells, tuple(classes)

    def _prices(self, demand: Demand, split: Split, bundle: Bundle) -> list[tuple[int, int, int]]:
        """Instructions and cells of a bundle on each class that can have it, and the class."""
        prices = []
        for c in bundle.classes:
            group = self.problem.classes[c]
            needed = len(bundle.progressions) * group.array.needed(demand.role, split.style is Style.MULTIPLEXED)
            prices.append((_cell_cost(self.problem.costs, demand, split.style, group, bundle), needed, c))
        return prices

    def _all_lowered(self, limit: float) -> list[Choice | None] | None:
        """Every task lowered, which leaves no order to keep: dear, but something to fall back on, and found quickly."""
        from ortools.sat.python import cp_model

        model = self.model.clone()
        for d in self.activations:
            for plain, low in zip(self.vars[d].plain, self.vars[d].lowered, strict=True):
                if low is not None or any(v is not None for v in self.vars[d].lowered):
                    model.add(model.get_bool_var_from_proto_index(plain.index) == 0)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = max(min(limit, self.work), 0.001)
        solver.parameters.stop_after_first_solution = True
        status = solver.solve(model)
        self.work -= solver.response_proto.deterministic_time
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        choices = self._read(solver)
        return choices if not self._cut(choices) else None

    def _value(self, choices: Sequence[Choice | None]) -> int:
        penalty, instructions, cells = self._values(choices)
        return self.penalty_weight * penalty + self.cell_weight * instructions + cells

    def _objective(self) -> Any:
        return self.penalty_weight * self.penalty + self.cell_weight * self.instructions + self.cells

    def _hint(self, choices: Sequence[Choice | None]) -> None:
        """Let the next solve begin with these choices."""
        self.model.clear_hints()  # type: ignore[no-untyped-call]
        for options, mine, choice in zip(self.problem.options, self.vars, choices, strict=True):
            lowered = None if choice is None or not choice.lowered else choice.split.profile
            for option, plain, low in zip(options.splits, mine.plain, mine.lowered, strict=True):
                self.model.add_hint(plain, choice is not None and not choice.lowered and option is choice.split)
                if low is not None:
                    self.model.add_hint(low, option.profile == lowered)

    def _read(self, solver: cp_model.CpSolver) -> list[Choice | None]:
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

    def count(self, choices: Sequence[Choice | None]) -> int:
        """The instructions of a choice in a round, counted anew."""
        return self._values(choices)[1]

    def _values(self, choices: Sequence[Choice | None]) -> tuple[int, int, int]:
        """Penalty, instructions and cells of a choice, counted anew."""
        problem, costs = self.problem, self.problem.costs
        penalty = instructions = cells = 0
        table = False
        wrapped: set[str] = set()
        for options, choice in zip(problem.options, choices, strict=True):
            demand = options.demand
            acts = problem.activations_of(demand.object)
            if choice is None:
                if options.splits:
                    penalty += min(len(demand.points), acts or 1)
                continue
            instructions += _split_cost(costs, demand, choice.split, acts) + (costs.lowered * acts if choice.lowered else 0)
            if demand.action.wraps and choice.split.style is Style.DIRECT and demand.object not in wrapped:
                wrapped.add(demand.object)
                instructions += costs.wrapper * acts
            if choice.split.style is Style.TABLE:
                cells += 0 if table else problem.classes[choice.classes[0]].array.needed(Role.SYSTEM, shared=True)
                table = True
                continue
            for bundle, c in zip(choice.split.bundles, choice.classes, strict=True):
                group = problem.classes[c]
                instructions += _cell_cost(costs, demand, choice.split.style, group, bundle)
                cells += len(bundle.progressions) * group.array.needed(demand.role, choice.split.style is Style.MULTIPLEXED)
        return penalty, instructions, cells

    # Levels

    def _carriers(self, choices: Sequence[Choice | None]) -> tuple[list[tuple[int, Bundle]], list[bool], list[list[int]]]:
        """The activation carriers of a choice, whether each is lowered, and their relation."""
        carriers: list[tuple[int, Bundle]] = []
        lowered: list[bool] = []
        for d in self.activations:
            choice = choices[d]
            if choice is not None:
                for bundle in choice.split.bundles:
                    carriers.append((d, bundle))
                    lowered.append(choice.lowered)
        bits = [self.windows.bits(self.position[d], b.points) for d, b in carriers]
        inside = [self.windows.inside(self.position[d], b.points) for d, b in carriers]
        return carriers, lowered, successors(bits, inside, lowered)

    def _flags(self, choices: Sequence[Choice | None]) -> tuple[bool, bool, bool]:
        """Whether any task runs lowered, whether anything needs the top level, and whether there is a table."""
        pairs = list(zip(choices, self.problem.options, strict=True))
        table = any(c is not None and c.split.style is Style.TABLE for c in choices)
        lowered = any(c is not None and c.lowered for c in choices)
        watched = any(c is not None and c.split.style is not Style.TABLE and not o.demand.action.runs for c, o in pairs)
        return lowered or table, watched or self.problem.control, table

    def _available(self, choices: Sequence[Choice | None]) -> int:
        """How many levels activations may take in this choice."""
        lowered, top, table = self._flags(choices)
        return self.problem.levels.for_activations(lowered, top) - table

    def _cut(self, choices: Sequence[Choice | None]) -> int:
        """Forbid what is wrong with the levels of a choice; how many cuts that took, 0 if nothing is wrong."""
        carriers, _, graph = self._carriers(choices)
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
        available = self._available(choices)
        if not level or max(level) <= available:
            return 0
        # One chain per carrier that stands too high, so that a round removes many.
        found = 0
        for node in sorted((n for n in range(len(level)) if level[n] == available + 1), key=lambda n: min(carriers[n][1].points)):
            chain = [node]
            while before[chain[-1]] >= 0:
                chain.append(before[chain[-1]])
            chain.reverse()
            self._forbid(sets, list(pairwise(chain)), self._flags(choices))
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

    def _most_carriers(self) -> int:
        """How many carriers of activations there can be, in all splits together."""
        return sum(len({b.points for split in self.problem.options[d].splits for b in split.bundles}) for d in self.activations)

    def _witness(self, d: int, points: frozenset[int], e: int, other: frozenset[int]) -> tuple[int, int]:
        """One of ``points`` in whose window one of ``other`` lies, and that one."""
        target = self.windows.bits(self.position[e], other)
        for a in sorted(points):
            hit = self.windows.point_inside(self.position[d], a) & target
            if hit:
                return a, self.windows.owner[(hit & -hit).bit_length() - 1][1]
        raise AssertionError((d, e))

    def _repair(self, choices: list[Choice | None]) -> list[Choice | None] | None:
        """The same choice with tasks lowered, cheapest first, until its levels are right; None if they never are."""
        repaired = list(choices)
        while True:
            carriers, _, graph = self._carriers(repaired)
            loops = components(graph)
            if loops:
                suspects = {carriers[n][0] for component in loops for n in component}
            else:
                paths = longest_paths(graph)
                assert paths is not None
                level, before = paths
                if not level or max(level) <= self._available(repaired):
                    return self._raise(repaired)
                node = level.index(max(level))
                suspects = set()
                while before[node] >= 0:
                    node = before[node]
                    suspects.add(carriers[node][0])
            worst = sorted(d for d in suspects if self._can_lower(repaired[d]))
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
            self._cut(repaired)

    def _raise(self, choices: list[Choice | None]) -> list[Choice | None]:
        """Undo the lowering of tasks that need not be, dearest first."""
        lowered = [(d, c) for d, c in enumerate(choices) if c is not None and c.lowered]
        for d, choice in sorted(lowered, key=lambda item: (-len(self.problem.options[item[0]].demand.points), item[0])):
            choices[d] = Choice(choice.split, choice.classes, lowered=False)
            paths = longest_paths(self._carriers(choices)[2])
            if paths is None or max(paths[0]) > self._available(choices):
                self._cut(choices)
                choices[d] = choice
        return choices

    @staticmethod
    def _can_lower(choice: Choice | None) -> bool:
        return choice is not None and not choice.lowered

    def _add_levels(self, most: int) -> None:
        """Level variables, up to ``most``, for the carriers that are not lowered; pairs that clauses exclude need none."""
        model = self.model
        self.levels = model.new_int_var(min(1, most), most, "")
        level = {n: model.new_int_var(1, most, "") for n in sorted({n for pair in self.relation for n in pair})}
        for n, variable in level.items():
            model.add(self.levels >= variable).only_enforce_if(self.candidates[n][2])
        targets: dict[tuple[int, int], None] = {}
        for u, v in self.relation:
            literal_u, literal_v = self.candidates[u][2], self.candidates[v][2]
            model.add(level[v] >= level[u] + 1).only_enforce_if(literal_u, literal_v)
            targets[u, self.candidates[v][0]] = None
        for u, e in targets:
            if not isinstance(self.vars[e].is_lowered, int):
                model.add(self.levels >= level[u] + 1).only_enforce_if(self.candidates[u][2], self.vars[e].is_lowered)
        rules = self.problem.levels
        if self.activations:
            taken = self.top + self.has_table + rules.lowered * self.any_lowered
            model.add(self.levels + taken <= rules.for_activations(False, False))

    def _fewest_levels(self, solution: Solution, value: int, limit: float) -> None:
        """Among the choices of the same value, one with the fewest levels, then from the first classes."""
        _, _, graph = self._carriers(solution.choices)
        paths = longest_paths(graph)
        assert paths is not None
        most = max(paths[0], default=0)
        if not self.relation_known or self.work <= 0:
            return
        model = self.model
        model.add(self._objective() == value)
        self._add_levels(most)
        weight = sum(len(o.demand.points) for o in self.problem.options) * len(self.problem.classes) + 1
        model.minimize(weight * (self.levels + self.top) + sum(self.ranks))
        self._hint(solution.choices)
        status, solver = self._solve(0, limit)
        if status in ("OPTIMAL", "FEASIBLE"):
            choices = self._read(solver)
            if self._cut(choices) == 0:
                solution.choices = choices
                solution.fewest_levels = status == "OPTIMAL"


def _split_cost(costs: CostTable, demand: Demand, option: Split, activations: int) -> int:
    """Instructions of a split that do not depend on the cells chosen; the handler wrapper is paid once per task elsewhere."""
    several = len(option.bundles) > 1 and not demand.exclusive
    shared, table = option.style is Style.MULTIPLEXED, option.style is Style.TABLE
    return demand.action.price(Served(len(demand.points), activations, shared, several, table), costs)


def _cell_cost(costs: CostTable, demand: Demand, style: Style, group: SourceClass, bundle: Bundle) -> int:
    """Instructions of a bundle that depend on the cells chosen."""
    a_point = costs.acknowledge if group.array.acknowledge and demand.action.acknowledged else 0
    if style is Style.MULTIPLEXED and group.array.rearm is Rearm.RELOAD:
        a_point += costs.multiplexed_reload
    return a_point * len(bundle.points)
