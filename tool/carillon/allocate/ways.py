# SPDX-License-Identifier: Apache-2.0
"""The ways in which a mode's demands can be carried, as a model of CP-SAT that knows nothing of priority levels.

The model is free of symmetry: it counts the sources that each class gives, it does not name them.  What it allows without its
levels is more than what can be, and never less: so its best choice is a bound, and where it allows nothing, nothing can be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from carillon.allocate.cpsat import Answer, Model
from carillon.allocate.options import DemandOptions, Split
from carillon.allocate.problem import Budget, Choice, Judge, cell_cost, room_taken, split_cost
from carillon.allocate.result import Style
from carillon.model.board import Role


@dataclass(slots=True)
class _Kind:
    """Bundles of a split that differ only in their points, with the variables that count them per class."""

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


class WaysModel:
    """Of each demand one way.

    ``model``: where it is stated; several may be in one.  ``spare``: what others in that model take of each class's room.
    ``instead``: by demand a literal that says that it is carried otherwise, for which nothing is counted here.
    """

    def __init__(
        self,
        judge: Judge,
        budget: Budget,
        model: Model | None = None,
        spare: Sequence[Any] = (),
        instead: Mapping[int, Any] | None = None,
    ) -> None:
        self.judge = judge
        self.problem = judge.problem
        self.budget = budget
        self.model = model if model is not None else Model()
        self.vars: list[_Vars] = []
        self._build(spare or [0] * len(self.problem.classes), instead or {})

    def _build(self, spare: Sequence[Any], instead: Mapping[int, Any]) -> None:
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
                plain = self.model.new_bool_var()
                lowers = option.profile in useful and option.profile not in seen
                low = self.model.new_bool_var() if lowers else None
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
                self.model.add_exactly_one([*every, instead[d]] if d in instead else every)
            elif every:
                mine.watched = self.model.new_bool_var()
                self.model.add(sum(every) == mine.watched)
                penalty.append(min(len(demand.points), acts or 1) * (1 - mine.watched))
            else:
                mine.watched = 0
            lows = [v for v in mine.lowered if v is not None]
            if lows:
                mine.is_lowered = self.model.new_bool_var()
                self.model.add(sum(lows) == mine.is_lowered)
            if not demand.action.runs:
                tops.append(mine.watched - tabled[d] if d in tabled else mine.watched)
        for task, direct in wrapped.items():
            wrapper = self.model.new_bool_var()
            for variable in direct:
                self.model.add_implication(variable, wrapper)
            instructions.append(costs.wrapper * problem.activations_of(task) * wrapper)
        self._state_table(tabled, beside, used, cells)
        for group, variables, others in zip(problem.classes, used, spare, strict=True):
            if variables:
                self.model.add(sum(variables) + others <= group.room)
        self.top = self.model.any(tops)
        self.any_lowered = self.model.any([*(v.is_lowered for v in self.vars), *tabled.values()])
        self.instructions = sum(instructions) if instructions else 0
        self.cells = sum(cells) if cells else 0
        self.penalty = sum(penalty) if penalty else 0
        room = problem.levels.for_activations(False, False)
        # one level is a task's
        self.alone = self.model.any([1 - tabled[d] if d in tabled else 1 for d in self.judge.activations])
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
        """A table with any demand takes one cell and one level; a deadline is in the table only if its task is."""
        problem = self.problem
        self.table_of: dict[int, Any] = {}
        self.tabled = tabled
        self.has_table: Any = 0
        if not tabled:
            return
        assert problem.table is not None
        carried = self.has_table = self.model.any(list(tabled.values()))
        for c in problem.table.classes:
            taken = self.table_of[c] = self.model.new_bool_var()
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
                    counts[c] = self.model.new_int_var(0, min(len(indices), classes[c].room))
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

    def answer(self, limit: float, **parameters: Any) -> Answer:
        """Solve within ``limit`` of deterministic time and of the remaining budget, which is reduced by the work done."""
        answer = self.model.answer(min(limit, self.budget.left), **parameters)
        self.budget.left -= answer.work
        return answer

    def minimise(self) -> None:
        """Let the next solve look for the least penalty and instructions, whatever the cells."""
        self.model.minimize(self.objective())

    def objective(self) -> Any:
        """Penalty and instructions, in this order, weighted as a value is (:meth:`.Judge.value`)."""
        return self.judge.penalty_weight * self.penalty + self.judge.cell_weight * self.instructions

    def hint(self, choices: Sequence[Choice | None]) -> None:
        """Let the next solve begin with these choices."""
        hinted: list[tuple[Any, int]] = []
        for options, mine, choice in zip(self.problem.options, self.vars, choices, strict=True):
            lowered = None if choice is None or not choice.lowered else choice.split.profile
            for option, plain, low in zip(options.splits, mine.plain, mine.lowered, strict=True):
                hinted.append((plain, choice is not None and not choice.lowered and option is choice.split))
                if low is not None:
                    hinted.append((low, option.profile == lowered))
        self.model.hint(hinted)

    def read(self, answer: Answer) -> list[Choice | None]:
        """The choice of an answer."""
        choices: list[Choice | None] = []
        table = tuple(c for c, taken in self.table_of.items() if answer.value(taken))
        for options, mine in zip(self.problem.options, self.vars, strict=True):
            choice = None
            for s, option in enumerate(options.splits):
                low = mine.lowered[s]
                lowered = low is not None and bool(answer.value(low))
                if lowered or answer.value(mine.plain[s]):
                    if option.style is Style.TABLE:
                        choice = Choice(option, table, lowered=False)
                        continue
                    classes = [0] * len(option.bundles)
                    for kind in mine.kinds[s]:
                        order = [c for c in sorted(kind.counts) for _ in range(answer.value(kind.counts[c]))]
                        for b, c in zip(kind.bundles, order, strict=True):
                            classes[b] = c
                    choice = Choice(option, tuple(classes), lowered)
            choices.append(choice)
        return choices
