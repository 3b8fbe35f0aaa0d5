# SPDX-License-Identifier: Apache-2.0
"""Several objects on one interrupt source, whose handler asks the cells' flags: what is done where sources are short.

A source has one level.  So activations of two tasks may share one if neither has a point in a window of the other, or the one in
whose window it is runs lowered.  Then nothing on the source must preempt what else is on it.  To the levels the source is one
carrier, with all their points.

1. Who shares a source is chosen first, by what it costs: the handler asks at each point, and tasks are lowered.  So that the
   sources suffice, levels aside (:class:`_Groups`).
2. The rest is chosen as ever, with each group in the place of its demands as one.
3. Where the levels do not suffice for that, or only at a price, the groups are chosen anew, without those that were tried.  This
   ends when no groups that are left could cost less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from carillon.actions import CostTable
from carillon.allocate.options import Bundle, DemandOptions, Split
from carillon.allocate.problem import Budget, Choice, Failure, Judge, Problem, Solution, cell_cost, split_cost
from carillon.allocate.result import Style
from carillon.lower import Demand

MOST_TRIES = 40
"""So many ways to share sources are tried; what comes later is not looked at, and the plan says so."""

MOST_UNPROVED = 2
"""So many ways may come to the limit of work without an answer before no other is tried."""

LIMIT_SHARE = 0.25
"""Of the limit of a mode's work what each way may take."""

GROUP_WORK = 4.0
"""The work for one choice of groups, in CP-SAT's deterministic time."""


@dataclass(frozen=True, slots=True)
class Group:
    """Demands (indices) that share a source of a class, in the order of asking; ``lowered``: those that run lowered."""

    members: tuple[int, ...]
    group_class: int
    lowered: frozenset[int]


def gather(
    problem: Problem, solve: Callable[[Problem], Solution | Failure], without: Failure
) -> tuple[Solution, tuple[Group, ...]] | Failure:
    """A choice in which demands share sources, for a problem that has none otherwise; ``without`` is why.

    The solution has a choice for each demand, whether it shares a source or not.
    """
    able = gatherable(problem)
    if not able:
        return without
    chooser = _Groups(problem, able)
    judge = Judge(problem)
    best: tuple[Solution, tuple[Group, ...]] | None = None
    merit, unproved = (0, 0), 0
    for _ in range(MOST_TRIES):
        groups = chooser.choose()
        if groups is None or (best is not None and merit <= chooser.bound):
            break
        merged = solve(_gathered(problem, groups))
        if isinstance(merged, Solution):
            spread = _spread(problem, groups, merged)
            other = judge.values(spread.choices)[0], spread.overhead
            if best is None or other < merit:
                best, merit = (spread, groups), other
        elif not merged.proved:
            unproved += 1
            if unproved == MOST_UNPROVED:
                groups = ()
                break
        chooser.forbid(groups)
        chooser.proved = chooser.proved and not unproved and (isinstance(merged, Failure) or merged.optimal)
    else:
        groups = ()
    if best is None:
        return Failure(without.proved and chooser.proved and groups is None)
    solution, chosen = best
    certain = without.proved and ((chooser.proved and groups is None) or merit <= chooser.bound)
    least = chooser.bound[1] if chooser.bound[0] == merit[0] else 0
    bound = solution.overhead if certain else min(least, solution.overhead - 1) * without.proved
    return replace(solution, bound=bound, optimal=certain), chosen


def gatherable(problem: Problem) -> dict[int, list[int]]:
    """Per class of sources, the demands that could share a source; classes with fewer than two such demands are left out."""
    able: dict[int, list[int]] = {}
    for c, group in enumerate(problem.classes):
        for d, options in enumerate(problem.options):
            demand = options.demand
            if demand.action.gathers and group.asked(demand.role) > 1 and _whole(options, c) is not None:
                able.setdefault(c, []).append(d)
    return {c: own for c, own in able.items() if len(own) > 1}


def asking(costs: CostTable, options: Sequence[DemandOptions], group: Group) -> int:
    """Instructions per round that a group's handler spends on asking: at each point, all cells up to the member's own."""
    asked = total = 0
    for d in group.members:
        asked += _slots(options[d], group.group_class)
        total += costs.ask * asked * len(options[d].demand.points)
    return total


def _whole(options: DemandOptions, c: int) -> Split | None:
    """The way to carry all points by the fewest cells of one source of a class; None if there is none."""
    alone = [s for s in options.splits if s.style is Style.DIRECT and len(s.bundles) == 1 and c in s.bundles[0].classes]
    return min(alone, key=lambda s: len(s.bundles[0].progressions), default=None)


def _slots(options: DemandOptions, c: int) -> int:
    split = _whole(options, c)
    assert split is not None
    return len(split.bundles[0].progressions)


def _merged(problem: Problem, group: Group) -> DemandOptions:
    """A group's demands as one demand with one split.  A lowered task asks for no level: its windows are empty."""
    members = [problem.options[d] for d in group.members]
    points = sorted(
        (
            (replace(p, window_end=p.at) if d in group.lowered else p)
            for d in group.members
            for p in problem.options[d].demand.points
        ),
        key=lambda p: p.at,
    )
    first = members[0].demand
    name = " and ".join(sorted(o.demand.object for o in members))
    demand = Demand(replace(first.action, object=name), tuple(points), required=True, bounded=False, exclusive=True)
    splits = [_whole(o, group.group_class) for o in members]
    progressions = tuple(p for s in splits if s is not None for p in s.bundles[0].progressions)
    bundle = Bundle(progressions, frozenset(range(len(points))), (group.group_class,))
    return DemandOptions(demand, [Split(Style.DIRECT, (bundle,))], None, 1, True)


def _gathered(problem: Problem, groups: Sequence[Group]) -> Problem:
    """The problem with each group as one demand.  If a group has a lowered task, lowering's levels are taken in advance."""
    gone = {d for g in groups for d in g.members}
    kept = [d for d in range(len(problem.options)) if d not in gone]
    rest = problem.part(kept)
    rules = problem.levels
    if any(g.lowered for g in groups):
        rules = replace(rules, total=rules.total - rules.lowered, lowered=0)
    return replace(rest, options=rest.options + tuple(_merged(problem, g) for g in groups), levels=rules)


def _spread(problem: Problem, groups: Sequence[Group], solution: Solution) -> Solution:
    """The solution of a gathered problem as one of the problem itself."""
    gone = {d for g in groups for d in g.members}
    kept = [d for d in range(len(problem.options)) if d not in gone]
    choices: list[Choice | None] = [None] * len(problem.options)
    for k, d in enumerate(kept):
        choices[d] = solution.choices[k]
    overhead = solution.overhead
    for group, choice in zip(groups, solution.choices[len(kept) :], strict=True):
        assert choice is not None
        overhead += asking(problem.costs, problem.options, group)
        for d in group.members:
            split = _whole(problem.options[d], group.group_class)
            assert split is not None
            choices[d] = Choice(split, (group.group_class,), choice.lowered or d in group.lowered)
            if d in group.lowered and not choice.lowered:  # else that was charged for all of the group
                overhead += problem.costs.lowered * len(problem.options[d].demand.points)
    return Solution(choices, overhead, 0, optimal=False, fewest_levels=False)


class _Groups:
    """Chooses groups with which the sources suffice, levels aside, at the least cost; each time others."""

    def __init__(self, problem: Problem, able: dict[int, list[int]]) -> None:
        from carillon.allocate.cpsat import Model
        from carillon.allocate.ways import WaysModel

        self.problem, self.able = problem, able
        self.model = model = Model()
        self.proved = True
        self.bound = 0, 0
        self.pairs: dict[tuple[int, int], Any] = {}
        self.on: dict[tuple[int, int, int], Any] = {}  # demand, class, source of the class
        self.low: dict[int, Any] = {}
        self.shares = {d: model.new_bool_var() for d in sorted({d for demands in able.values() for d in demands})}
        used: list[list[Any]] = [[] for _ in problem.classes]
        cost: list[Any] = []
        for c, demands in able.items():
            self._state_sources(c, demands, used[c], cost)
        model.add(sum(self.shares.values()) >= 1)  # without a shared source this would be the problem that has no solution
        for d, shares in self.shares.items():
            model.add(sum(v for (e, _, _), v in self.on.items() if e == d) == shares)
        judge = Judge(problem)
        self._state_pairs(judge, cost)
        # A demand that shares no source is carried in one of its splits.
        self.ways = WaysModel(judge, Budget(GROUP_WORK), model, [sum(parts) for parts in used], self.shares)
        # Of groups with equal cost, choose the demands that stand last in the file: the first ones get sources of their own.
        self.weight = len(problem.options) ** 2
        self.most = judge.penalty_weight // judge.cell_weight
        ranks = sum((len(problem.options) - d) * shares for d, shares in self.shares.items())
        price = self.most * self.ways.penalty + self.ways.instructions + sum(cost)
        model.minimize(self.weight * price + ranks)

    def _state_sources(self, c: int, demands: list[int], used: list[Any], cost: list[Any]) -> None:
        """State which demands share a source: two at least, of one role, within the cells of the source."""
        model, group = self.model, self.problem.classes[c]
        roles = {self.problem.options[d].demand.role for d in demands}
        before: Any = 1
        for s in range(min(len(group.sources), len(demands) // 2)):
            taken = model.new_bool_var()
            kinds = {role: model.new_bool_var() for role in sorted(roles, key=lambda r: r.value)}
            model.add(sum(kinds.values()) == taken)
            on = {d: model.new_bool_var() for d in demands}
            for d, variable in on.items():
                self.on[d, c, s] = variable
                model.add_implication(variable, kinds[self.problem.options[d].demand.role])
                cost.append(self._alone(d, c) * variable)
            for role, kind in kinds.items():
                mine = [d for d in demands if self.problem.options[d].demand.role is role]
                cells = sum(_slots(self.problem.options[d], c) * on[d] for d in mine)
                model.add(cells <= group.asked(role) * kind)
            model.add(sum(on.values()) >= 2 * taken)
            model.add(taken <= before)  # sources of a class are alike
            before = taken
            used.append(group.joined * taken)

    def _state_pairs(self, judge: Judge, cost: list[Any]) -> None:
        """Who shares a source with whom; in whose window another has a point there runs lowered."""
        model, problem, windows = self.model, self.problem, judge.windows
        can_lower = problem.levels.for_activations(True, False) >= 1
        members = sorted(self.shares)
        bits = {d: windows.bits(k, range(len(problem.options[d].demand.points))) for d, k in judge.position.items()}
        inside = {d: windows.inside(k, range(len(problem.options[d].demand.points))) for d, k in judge.position.items()}
        sources = sorted({(c, s) for _, c, s in self.on})
        for d in (d for d in members if problem.options[d].demand.action.runs):
            self.low[d] = model.new_bool_var()
            cost.append(problem.costs.lowered * len(problem.options[d].demand.points) * self.low[d])
            model.add_implication(self.low[d], self.shares[d])
            if not can_lower:
                model.add(self.low[d] == 0)
        for d in members:
            demand = problem.options[d].demand
            for e in (e for e in members if e > d and problem.options[e].demand.role is demand.role):
                both = self.pairs[d, e] = model.new_bool_var()
                first, last = sorted((d, e), key=self._urgency)
                for c, s in sources:
                    if (d, c, s) in self.on and (e, c, s) in self.on:
                        first_on, second_on = self.on[d, c, s], self.on[e, c, s]
                        here = model.new_bool_var()
                        model.add_bool_or([~first_on, ~second_on, here])
                        model.add_implication(here, both)
                        model.add_bool_or([~both, ~first_on, second_on])
                        model.add_bool_or([~both, first_on, ~second_on])
                        asked = _slots(problem.options[first], c) * len(problem.options[last].demand.points)
                        cost.append(problem.costs.ask * asked * here)
                model.add_implication(both, self.shares[d])
                model.add_implication(both, self.shares[e])
                for a, b in ((d, e), (e, d)):
                    if demand.action.runs and inside[a] & bits[b]:
                        model.add_implication(both, self.low[a])

    def choose(self) -> tuple[Group, ...] | None:
        """The cheapest groups that were not forbidden; None if there are none, or (not ``proved``) none was found."""
        answer = self.model.answer(GROUP_WORK)
        if not answer.found:
            self.proved = self.proved and answer.impossible
            return None
        penalty, instructions = divmod(int(answer.least) // self.weight, self.most)
        self.bound = penalty, instructions
        members_by_source: dict[tuple[int, int], list[int]] = {}
        for (d, c, s), variable in self.on.items():
            if answer.value(variable):
                members_by_source.setdefault((c, s), []).append(d)
        lowered = frozenset(d for d, variable in self.low.items() if answer.value(variable))
        return tuple(
            Group(tuple(sorted(members, key=self._urgency)), c, lowered & frozenset(members))
            for (c, _), members in sorted(members_by_source.items())
        )

    def _alone(self, d: int, c: int) -> int:
        """Instructions of a demand on one source of a class, including those for asking its own cells."""
        problem, options = self.problem, self.problem.options[d]
        split = _whole(options, c)
        assert split is not None
        acts = problem.activations_of(options.demand.object)
        asked = problem.costs.ask * len(split.bundles[0].progressions) * len(options.demand.points)
        own = split_cost(problem.costs, options.demand, split, acts)
        return own + asked + cell_cost(problem.costs, options.demand, split.style, problem.classes[c], split.bundles[0])

    def _urgency(self, d: int) -> tuple[int, int, int]:
        """Sort key of the order of asking: the shortest window first, then the most points, then the place in the file."""
        demand = self.problem.options[d].demand
        return min(p.window_end - p.at for p in demand.points), -len(demand.points), d

    def forbid(self, groups: Sequence[Group]) -> None:
        """Do not choose exactly these groups again."""
        together = {(d, e) for g in groups for d in g.members for e in g.members if d < e}
        self.model.add_bool_or([~v if pair in together else v for pair, v in self.pairs.items()])
