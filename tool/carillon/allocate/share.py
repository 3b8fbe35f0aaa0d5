# SPDX-License-Identifier: Apache-2.0
"""Which claims get which classes of groups: the choice with the least kernel code, proved.

CP-SAT chooses, first for the claims alone.  Where rounds are short of what that leaves, one model has the claims and the rounds'
modes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from carillon.allocate.claims import CLOCK, SECONDS, Claims, Way
from carillon.allocate.conflict import UNBOUNDED, smallest
from carillon.allocate.fit import SourceClass
from carillon.allocate.problem import Budget, Judge, Problem
from carillon.allocate.result import Form

MOST_MISSING = 1 << 30
MOST_RATE = 1 << 58
"""More than any modes come to."""


@dataclass(frozen=True, slots=True)
class Shares:
    """A way for each claim, how many groups of each class are taken, also by task levels, and what ticks for the time base.

    ``missing``, ``rate`` and ``cells``: of all ways together, what an allocation is to have least of, in this order.
    """

    ways: tuple[Way, ...]
    taken: tuple[int, ...]
    ticking: frozenset[str]
    missing: int
    rate: int
    cells: int


Value = tuple[int, int]
"""What is missing, and instructions in :data:`~carillon.allocate.claims.SECONDS`: the less the better, in this order."""


@dataclass(frozen=True, slots=True)
class Beside:
    """The rounds' modes, which have what the claims leave.

    ``problems``: of each mode, with the length of its round, what is to be chosen on the whole board.  It is empty where that
    does not say what modes need at least (:meth:`.RoundAllocator.problems`).  ``control``: the classes of which one source takes
    all switches of modes; empty without.  ``least``: what they come to on the whole board.  ``tried``: shares, and what modes
    come to on what these leave; None where there is no allocation.  ``work``: the limit of a solve, in CP-SAT's deterministic
    time.
    """

    hz: int
    problems: tuple[tuple[Problem, int], ...] = ()
    control: tuple[int, ...] = ()
    least: Value = (0, 0)
    tried: tuple[tuple[Shares, Value | None], ...] = ()
    work: float = UNBOUNDED


@dataclass(frozen=True, slots=True)
class Next:
    """The shares that may be the best; what no whole with shares not yet tried is better than; whether both are ``proved``.

    No shares: there are none, or (not ``proved``) none were found within the limit of work.
    """

    shares: Shares | None
    least: Value
    proved: bool


def share(claims: Claims) -> Shares | None:
    """The best shares, whatever they leave to others; None if there are none."""
    return share_beside(claims, None).shares


def share_beside(claims: Claims, beside: Beside | None) -> Next:
    """The best shares not yet tried, by the least sum of their own value and the modes' value."""
    too_short: list[tuple[int, frozenset[str]]] = []
    while True:
        result = _Model(claims, beside, too_short).solve()
        base = result.shares.ways[claims.base] if result.shares is not None and claims.base is not None else None
        if result.shares is None or base is None or base.form is not Form.CELL:
            return result
        if claims.base_fits(base.group, result.shares.ticking):
            return result
        too_short.append((base.group, result.shares.ticking))  # too short only for all of these counters together


def conflict(claims: Claims, modes: Sequence[Problem] = (), control: tuple[int, ...] = ()) -> tuple[list[int], list[list[int]]]:
    """A smallest set of claims, and of each mode's demands, that cannot be met together, where those of ``claims`` cannot all be.

    A claim with the index of how many there are stands for the sources of task levels.
    """
    levels = len(claims.all)
    every = [(-1, k) for k, claim in enumerate(claims.all) if claim.must] + [(-1, levels)]
    every += [(m, d) for m, mode in enumerate(modes) for d, o in enumerate(mode.options) if o.demand.required]

    def split(kept: Sequence[int]) -> tuple[list[int], list[list[int]]]:
        of = [[k for m, k in (every[number] for number in kept) if m == mode] for mode in range(-1, len(modes))]
        return of[0], of[1:]

    def together(kept: Sequence[int]) -> bool:
        kept_claims, rest = split(kept)
        beside = (
            Beside(1, tuple((p.part(ds).without_levels, 1) for p, ds in zip(modes, rest, strict=True)), control)
            if modes
            else None
        )
        return share_beside(claims.only(kept_claims, levels in kept_claims), beside).shares is not None

    return split(smallest(range(len(every))[::-1], together))


def _ticking(claims: Claims, ways: Sequence[Way]) -> frozenset[str]:
    """Names of claims that tick: required counters, counters with queued alarms, and a clock that is held back."""
    names = {claims.all[k].name for k in claims.counters}
    must = {claims.all[k].name for k in claims.counters if claims.all[k].must}
    clock = {CLOCK} if claims.held else set()
    return frozenset(must | clock | {claims.all[k].counter for k in claims.alarms if ways[k].form is Form.QUEUE} & names)


def _summed(claims: Claims, ways: Sequence[Way], for_levels: Sequence[int]) -> Shares:
    ticking = _ticking(claims, ways)
    based = claims.base is None or ways[claims.base].form is Form.CELL
    rate = sum(w.rate for w in ways) + (0 if based else sum(claims.alone.get(name, 0) for name in ticking))
    missing = sum(w.missing for w in ways) if ticking else 0
    counts = Counter((w.group, w.form is Form.JOINED) for w in ways)
    taken = (n + counts[g, False] - (-counts[g, True] // max(claims.groups[g].asked, 1)) for g, n in enumerate(for_levels))
    cells = sum(w.cells for w in ways) + sum(for_levels)
    return Shares(tuple(ways), tuple(taken), ticking, missing, rate, cells)


class _Model:
    """The claims as a model of CP-SAT."""

    def __init__(self, claims: Claims, beside: Beside | None, too_short: Sequence[tuple[int, frozenset[str]]]) -> None:
        from carillon.allocate.cpsat import Model

        self.claims, self.beside = claims, beside
        self.model = model = Model()
        self.takes = [[model.new_bool_var() for _ in claim.ways] for claim in claims.all]
        self.for_levels = [
            model.new_int_var(0, len(group.groups) if usable else 0)
            for group, usable in zip(claims.groups, claims.usable, strict=True)
        ]
        self.ticks: dict[str, Any] = {}
        self._state_ways()
        self._state_levels()
        self.used = [self._state_group(g) + self.for_levels[g] for g in range(len(claims.groups))]
        for used, kind in zip(self.used, claims.groups, strict=True):
            model.add(used <= len(kind.groups))
        self.modes: tuple[Any, Any] = (0, 0)
        if beside is not None:
            self.modes = self._state_modes(beside)
        for group, ticking in too_short:
            assert claims.base is not None
            on_it = [v for w, v in zip(claims.all[claims.base].ways, self.takes[claims.base], strict=True) if w.group == group]
            # Too short for these is too short for more, except where the clock was alone: beside counters it goes uncounted.
            more = [v for name, v in self.ticks.items() if name not in ticking] if ticking == {CLOCK} else []
            model.add_bool_or([*(v.negated() for v in (*on_it, *(self.ticks[name] for name in sorted(ticking)))), *more])

    def _state_modes(self, beside: Beside) -> tuple[Any, Any]:
        """What the modes come to at least: what is missing, and their rate.

        1. On what is left of each class every demand of a mode has one of its ways; of the levels this knows nothing.
        2. Modes need nothing but how many groups of each class are left.  So where shares take as many or more of every class
           than some that were tried, the modes are no better than on what these left.  On as many, they are the same.
        """
        from carillon.allocate.ways import WaysModel

        model = self.model
        missing, rate = model.new_int_var(0, MOST_MISSING), model.new_int_var(0, MOST_RATE)
        penalties, rates = [], []
        control = {c: model.new_bool_var() for c in beside.control}
        if control:
            model.add_exactly_one(control.values())
        for problem, length in beside.problems:
            judge, classes = Judge(problem), problem.classes
            spare = [self._taken_of(group) + group.joined * control.get(c, 0) for c, group in enumerate(classes)]
            mode = WaysModel(judge, Budget(beside.work), model, spare)
            penalties.append(mode.penalty)
            most = judge.instructions_limit()
            mode_rate = model.new_int_var(0, -(-most * beside.hz * SECONDS // length))
            model.add(length * mode_rate >= beside.hz * SECONDS * mode.instructions)
            rates.append(mode_rate)
        model.add(missing >= sum(penalties))
        model.add(rate >= sum(rates))
        self._state_least(missing, rate, beside.least, [])
        for shares, value in beside.tried:
            fewer = [model.new_bool_var() for _ in self.used]
            more = [model.new_bool_var() for _ in self.used]
            for less, greater, used, n in zip(fewer, more, self.used, shares.taken, strict=True):
                model.add(used < n).only_enforce_if(less)
                model.add(used > n).only_enforce_if(greater)
            if value is None:
                model.add_bool_or(fewer)
                continue
            model.add_bool_or([*fewer, *more])
            self._state_least(missing, rate, value, fewer)
        return missing, rate

    def _state_least(self, missing: Any, rate: Any, least: Value, unless: Sequence[Any]) -> None:
        """State that ``missing`` and ``rate`` are at least ``least``, unless one of the literals ``unless`` is true."""
        model = self.model
        so, worse = model.new_bool_var(), model.new_bool_var()
        model.add_bool_or([so, *unless])
        model.add(missing >= least[0] + worse).only_enforce_if(so)
        model.add(rate >= least[1]).only_enforce_if(so, worse.negated())

    def _taken_of(self, kind: SourceClass) -> Any:
        """The room that the claims take of a mode's class: per group taken, at least its sources of this class."""
        numbers = {source.number for source in kind.sources}
        taken: Any = 0
        for used, groups in zip(self.used, self.claims.groups, strict=True):
            own = min((sum(s.number in numbers for s in group) for group in groups.groups), default=0)
            taken += kind.joined * own * used
        return taken

    def _state_group(self, g: int) -> Any:
        """The number of groups of a class that cells take: one per cell, or one per set of alarms that a group can join."""
        kind = self.claims.groups[g]
        on = [
            (w.form is Form.JOINED, v)
            for c, vs in zip(self.claims.all, self.takes, strict=True)
            for w, v in zip(c.ways, vs, strict=True)
            if w.group == g
        ]
        alone = sum(v for joins, v in on if not joins)
        members = [v for joins, v in on if joins]
        if not members:
            return alone
        joined = self.model.new_int_var(0, len(kind.groups))
        self.model.add(sum(members) <= kind.asked * joined)
        self.model.add(sum(members) > kind.asked * (joined - 1))
        return alone + joined

    def _state_ways(self) -> None:
        """One way per claim; a counter has a cell if and only if it must tick, or an alarm waits in its queue."""
        model, claims = self.model, self.claims
        for k in claims.counters:
            self.ticks[claims.all[k].name] = model.new_bool_var()
        waiting: dict[str, list[Any]] = {name: [] for name in self.ticks}
        for k, claim in enumerate(claims.all):
            if k in claims.counters:
                model.add(sum(self.takes[k]) == self.ticks[claim.name])
                if claim.must:
                    model.add(self.ticks[claim.name] == 1)
            else:
                model.add_exactly_one(self.takes[k])
            for way, taken in zip(claim.ways, self.takes[k], strict=True):
                if way.form is Form.QUEUE and claim.counter in self.ticks:
                    model.add_implication(taken, self.ticks[claim.counter])
                    waiting[claim.counter].append(taken)
        for k in claims.counters:
            if not claims.all[k].must:
                model.add_bool_or([self.ticks[claims.all[k].name].negated(), *waiting[claims.all[k].name]])
        if claims.held:
            self.ticks[CLOCK] = model.new_constant(1)
        self.based: Any = 1
        if claims.base is not None:
            on_cells = zip(claims.all[claims.base].ways, self.takes[claims.base], strict=True)
            self.based = sum(v for w, v in on_cells if w.form is Form.CELL)
            if not claims.all[claims.base].must and not claims.told:
                model.add(self.based <= sum(self.ticks.values()))

    def _state_levels(self) -> None:
        """State: at most one vector per level, one action for all handlers on a level, and a source per level."""
        model, claims = self.model, self.claims
        vectors: dict[int, list[Any]] = {}
        actions: dict[tuple[int, str], Any] = {}
        for k in claims.alarms:
            claim = claims.all[k]
            for way, taken in zip(claim.ways, self.takes[k], strict=True):
                if way.form is Form.VECTOR:
                    vectors.setdefault(claim.level, []).append(taken)
                elif way.form is Form.OWN:
                    if claims.told:
                        model.add(self.based >= taken)
                    key = claim.level, claim.does
                    if key not in actions:
                        actions[key] = model.new_bool_var()
                    model.add_implication(taken, actions[key])
        for of_level in vectors.values():
            model.add_at_most_one(of_level)
        for level in {level for level, _ in actions}:
            model.add_at_most_one(v for (its, _), v in actions.items() if its == level)
        served = sum(v for of_level in vectors.values() for v in of_level)
        more = sum(n * usable for n, usable in zip(self.for_levels, claims.usable, strict=True))
        model.add(served + claims.plain + more >= claims.sources)

    def solve(self) -> Next:
        """The best shares, and what they come to at least with the modes.

        One goal comes after the other, since the figures of all together would not fit in 64 bits.
        """
        claims, model = self.claims, self.model
        pairs = [(w, v) for c, vs in zip(claims.all, self.takes, strict=True) for w, v in zip(c.ways, vs, strict=True)]
        missing = model.new_bool_var()
        alone: list[Any] = []
        if claims.base is not None:
            for name, ticks in self.ticks.items():
                unbased = model.new_bool_var()
                model.add(unbased >= ticks - self.based)
                model.add_implication(unbased, missing)
                alone.append(claims.alone.get(name, 0) * unbased)
        places = [k for k, claim in enumerate(claims.all) for _ in claim.ways]  # who comes first, has the first choice
        ranks: Any = sum(w.rank * (len(claims.all) - k) * v for (w, v), k in zip(pairs, places, strict=True))
        goals: list[Any] = [missing + self.modes[0], sum(w.rate * v for w, v in pairs) + sum(alone) + self.modes[1]]
        goals += [sum(w.cells * v for w, v in pairs) + sum(self.for_levels), ranks]
        least: list[int] = []
        proved = True
        for goal in goals:
            model.minimize(goal)
            # The linear relaxation proves this at once, where search alone needs thousands of steps.
            answer = model.answer(self.beside.work if self.beside is not None else None, linearization_level=2)
            if not answer.found:
                return Next(None, (0, 0), answer.impossible)
            least.append(ceil(answer.least - 1e-6) if proved else 0)  # where one goal is not proved, nothing is known of the next
            proved = proved and answer.optimal
            model.add(goal <= answer.value(goal))
        ways = []
        for claim, taken in zip(claims.all, self.takes, strict=True):
            chosen = [w for w, v in zip(claim.ways, taken, strict=True) if answer.value(v)]
            ways.append(chosen[0] if chosen else Way(Form.NOTHING))
        shares = _summed(claims, ways, [answer.value(v) for v in self.for_levels])
        return Next(shares, (least[0], least[1]), proved)
