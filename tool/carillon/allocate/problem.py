# SPDX-License-Identifier: Apache-2.0
"""The choice to be made for one mode: its options, its rules, the costs, and the levels needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from carillon.actions import CostTable, Served
from carillon.allocate.fit import SourceClass
from carillon.allocate.levels import Windows, longest_paths, successors
from carillon.allocate.options import Bundle, DemandOptions, Split
from carillon.allocate.result import Style
from carillon.lower import Demand
from carillon.model.board import Board, Role
from carillon.model.family import Rearm

MANY = 1000
"""More levels than are spoken for, whatever a mode's tasks need."""


@dataclass(frozen=True, slots=True)
class LevelRules:
    """The levels of a mode: the total, and the levels already spoken for (each flag costs one level)."""

    total: int
    below_tasks: int
    above_tasks: bool
    lowered: int

    def for_activations(self, lowered: bool, top: bool) -> int:
        """How many are left for activation carriers."""
        return self.total - self.below_tasks - self.above_tasks - top - (self.lowered if lowered else 0)


@dataclass(frozen=True, slots=True)
class Table:
    """The classes of sources that can carry a table, the demands that fit in, and pairs that must be apart."""

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
    costs: CostTable
    control: bool = False
    table: Table | None = None

    def part(self, kept: Sequence[int]) -> Problem:
        """The problem reduced to the demands of ``kept``, in this order."""
        number = {d: k for k, d in enumerate(kept)}
        table = self.table
        if table is not None:
            apart = tuple((number[d], number[e]) for d, e in table.apart if d in number and e in number)
            fits = frozenset(number[d] for d in table.fits if d in number)
            table = replace(table, fits=fits, apart=apart) if fits else None
        return replace(self, options=tuple(self.options[d] for d in kept), table=table)

    @property
    def without_levels(self) -> Problem:
        """The same with as many levels as any choice could need."""
        return replace(self, levels=replace(self.levels, total=MANY + sum(len(o.demand.points) for o in self.options)))

    @property
    def without_table(self) -> Problem:
        """The same where nothing is in a table."""
        options = [replace(o, splits=[s for s in o.splits if s.style is not Style.TABLE]) for o in self.options]
        return replace(self, options=tuple(options), table=None)

    def activations_of(self, task: str) -> int:
        """How often ``task`` is activated in a round; of several that share a source, by the name of all, how often they are."""
        runs = [o.demand for o in self.options if o.demand.action.runs]
        own = sum(len(demand.points) for demand in runs if demand.object == task)
        return own or sum(point.object == task for demand in runs for point in demand.points)


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
    """A choice per demand (None: not watched), with its instructions per round and a proved bound of them."""

    choices: list[Choice | None]
    overhead: int
    bound: int
    optimal: bool
    fewest_levels: bool


@dataclass(slots=True)
class Failure:
    """No solution: ``proved`` means that there is none, otherwise a limit of time was reached."""

    proved: bool


@dataclass(slots=True)
class Budget:
    """The remaining work of all searches, in CP-SAT's deterministic time."""

    left: float


class Judge:
    """The costs of a problem's choices, and whether the levels suffice for a choice; a judge makes no choice."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.activations = [d for d, o in enumerate(problem.options) if o.demand.action.runs]
        self.position = {d: k for k, d in enumerate(self.activations)}
        self.cell_weight = problem.board.cell_count + 1
        self.penalty_weight = self.cell_weight * (self.instructions_limit() + 1)

    @cached_property
    def windows(self) -> Windows:
        """The windows of the activations, with the points inside each."""
        demands = [self.problem.options[d].demand for d in self.activations]
        return Windows(demands, self.problem.board.nesting == "time")

    def values(self, choices: Sequence[Choice | None]) -> tuple[int, int, int]:
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
            instructions += split_cost(costs, demand, choice.split, acts) + (costs.lowered * acts if choice.lowered else 0)
            if demand.action.wraps and choice.split.style is Style.DIRECT and demand.object not in wrapped:
                wrapped.add(demand.object)
                instructions += costs.wrapper * acts
            if choice.split.style is Style.TABLE:
                cells += 0 if table else problem.classes[choice.classes[0]].array.needed(Role.SYSTEM, shared=True)
                table = True
                continue
            for bundle, c in zip(choice.split.bundles, choice.classes, strict=True):
                group = problem.classes[c]
                instructions += cell_cost(costs, demand, choice.split.style, group, bundle)
                cells += len(bundle.progressions) * group.array.needed(demand.role, choice.split.style is Style.MULTIPLEXED)
        return penalty, instructions, cells

    def count(self, choices: Sequence[Choice | None]) -> int:
        """The instructions of a choice in a round, counted anew."""
        return self.values(choices)[1]

    def value(self, choices: Sequence[Choice | None]) -> int:
        """What is to be least: penalty, then instructions, then cells."""
        penalty, instructions, cells = self.values(choices)
        return self.penalty_weight * penalty + self.cell_weight * instructions + cells

    def instructions_limit(self) -> int:
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
            + costs.stopped
            + costs.table_activation
        )
        total = 0
        for options in self.problem.options:
            points = len(options.demand.points) + self.problem.activations_of(options.demand.object)
            total += dearest * points
        return total

    def price(self, options: DemandOptions, split: Split) -> tuple[int, int, tuple[int, ...]]:
        """The least cost of a split: instructions, cells, and for each bundle the first of the cheapest classes."""
        problem, costs, demand = self.problem, self.problem.costs, options.demand
        activations = problem.activations_of(demand.object)
        instructions, cells, classes = split_cost(costs, demand, split, activations), 0, []
        if demand.action.wraps and split.style is Style.DIRECT:
            instructions += costs.wrapper * activations
        known: dict[tuple[object, ...], tuple[int, int, int]] = {}
        for bundle in split.bundles:
            price, needed, c = known.get(bundle.kind) or known.setdefault(bundle.kind, min(self.prices(demand, split, bundle)))
            instructions += price
            cells += needed
            classes.append(c)
        return instructions, cells, tuple(classes)

    def prices(self, demand: Demand, split: Split, bundle: Bundle) -> list[tuple[int, int, int]]:
        """Instructions and cells of a bundle on each class that can carry it, each with the class."""
        prices = []
        for c in bundle.classes:
            group = self.problem.classes[c]
            needed = len(bundle.progressions) * group.array.needed(demand.role, split.style is Style.MULTIPLEXED)
            prices.append((cell_cost(self.problem.costs, demand, split.style, group, bundle), needed, c))
        return prices

    def carriers(self, choices: Sequence[Choice | None]) -> tuple[list[tuple[int, Bundle]], list[bool], list[list[int]]]:
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

    def flags(self, choices: Sequence[Choice | None]) -> tuple[bool, bool, bool]:
        """Whether any task runs lowered, whether anything needs the top level, and whether there is a table."""
        pairs = list(zip(choices, self.problem.options, strict=True))
        table = any(c is not None and c.split.style is Style.TABLE for c in choices)
        lowered = any(c is not None and c.lowered for c in choices)
        watched = any(c is not None and c.split.style is not Style.TABLE and not o.demand.action.runs for c, o in pairs)
        return lowered or table, watched or self.problem.control, table

    def available(self, choices: Sequence[Choice | None]) -> int:
        """How many levels activations may take in this choice."""
        lowered, top, table = self.flags(choices)
        return self.problem.levels.for_activations(lowered, top) - table

    def keeps(self, choices: Sequence[Choice | None]) -> bool:
        """Whether a choice keeps all rules, counted without the model: sources, the table, who is lowered, levels."""
        used: Counter[int] = Counter()
        tabled: dict[int, int] = {}
        for d, (options, choice) in enumerate(zip(self.problem.options, choices, strict=True)):
            if choice is None:
                if options.demand.required:
                    return False
            elif choice.lowered and (choice.split.style is Style.TABLE or not options.demand.action.runs):
                return False
            elif choice.split.style is Style.TABLE:
                (tabled[d],) = choice.classes
            elif len(choice.classes) != len(choice.split.bundles) or any(
                c not in bundle.classes for c, bundle in zip(choice.classes, choice.split.bundles, strict=True)
            ):
                return False
            else:
                for c, taken in self.taken(options.demand, choice):
                    used[c] += taken
        if not self._keeps_table(choices, tabled):
            return False
        for c in set(tabled.values()):
            used[c] += self.problem.classes[c].joined
        enough = all(count <= self.problem.classes[c].room for c, count in used.items())
        return enough and self.fits_levels(choices)

    def taken(self, demand: Demand, choice: Choice) -> list[tuple[int, int]]:
        """The room that a choice takes: per bundle, the class and the number of parts."""
        groups = self.problem.classes
        pairs = zip(choice.classes, choice.split.bundles, strict=True)
        return [(c, room_taken(demand, choice.split.style, bundle, groups[c])) for c, bundle in pairs]

    def _keeps_table(self, choices: Sequence[Choice | None], tabled: dict[int, int]) -> bool:
        """Whether ``tabled`` (demand: class) fits one table, a task's deadlines in it if and only if the task is."""
        table, classes = self.problem.table, set(tabled.values())
        if table is None:
            return not tabled
        demands = [options.demand for options in self.problem.options]
        tasks = {demands[d].object for d in tabled if demands[d].action.runs}
        parted = any(
            choice is not None and demand.action.wraps and (d in tabled) is not (demand.object in tasks)
            for d, (demand, choice) in enumerate(zip(demands, choices, strict=True))
        )
        apart = any(d in tabled and e in tabled for d, e in table.apart)
        return tabled.keys() <= table.fits and len(classes) <= 1 and classes <= set(table.classes) and not parted and not apart

    def fits_levels(self, choices: Sequence[Choice | None]) -> bool:
        """Whether the levels suffice for a choice, and an order of them exists."""
        paths = longest_paths(self.carriers(choices)[2])
        return paths is not None and max(paths[0], default=0) <= self.available(choices)

    def most_carriers(self) -> int:
        """How many carriers of activations there can be, in all splits together."""
        return sum(len({b.points for split in self.problem.options[d].splits for b in split.bundles}) for d in self.activations)


def split_cost(costs: CostTable, demand: Demand, option: Split, activations: int) -> int:
    """Instructions of a split whatever its cells; without the handler's wrapper, which a task pays for once."""
    several = len(option.bundles) > 1 and not demand.exclusive
    shared, table = option.style is Style.MULTIPLEXED, option.style is Style.TABLE
    return demand.action.price(Served(len(demand.points), activations, shared, several, table), costs)


def room_taken(demand: Demand, style: Style, bundle: Bundle, group: SourceClass) -> int:
    """The room that a bundle takes of its class, in parts of a source."""
    return group.taken_by(demand.action.joins and style is Style.DIRECT, len(bundle.progressions))


def cell_cost(costs: CostTable, demand: Demand, style: Style, group: SourceClass, bundle: Bundle) -> int:
    """Instructions of a bundle that depend on the cells chosen."""
    a_point = costs.acknowledge if group.array.acknowledge and demand.action.acknowledged else 0
    if demand.action.acknowledged and style is Style.DIRECT and group.array.moves:
        a_point += costs.moved
    if not (demand.action.held and style is Style.DIRECT):
        a_point += costs.stopped
    if style is Style.MULTIPLEXED and group.array.rearm is Rearm.RELOAD:
        a_point += costs.multiplexed_reload
    return a_point * len(bundle.points)
