# SPDX-License-Identifier: Apache-2.0
"""One allocation for all that is timed: rounds and the event-triggered system compete for the cells of the board.

What is event-triggered has the same cells in every mode, and rounds have what that leaves.  The shares that are cheapest for what
is event-triggered are tried first.  Where rounds would be better off with more, one model has both: the ways of all claims, and
of all demands of every mode, levels aside (:func:`.share_beside`).  Its best shares are tried, and what the modes come to beside
them is stated there, until its next best is no better than what was found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from carillon.allocate.allocation import Allocation
from carillon.allocate.claims import SECONDS, ClaimBuilder, Claims
from carillon.allocate.clock import check_budgets, check_servers, check_threads
from carillon.allocate.events import EventPlacer, check_ticks, warn_of_long_handler, warn_of_lost_ticks, warn_of_lost_turns
from carillon.allocate.memory import Memory
from carillon.allocate.refusal import Refusal
from carillon.allocate.result import ModeAllocation
from carillon.allocate.rounds import RoundAllocator, not_found
from carillon.allocate.share import Beside, Shares, Value, conflict, share, share_beside
from carillon.allocate.solve import DETERMINISTIC_SHARE
from carillon.allocate.tasks import TaskPlan, plan_tasks
from carillon.diagnostics import Diagnostic, Diagnostics
from carillon.lower import LoweredMode
from carillon.lower.events import LoweredEvents
from carillon.mends import Mend
from carillon.model import System

MOST_UNPROVED = 3
"""So many times the modes' limit of work may end before they are proved to be the best; then no other shares are tried."""


def allocate_system(
    system: System,
    lowered: tuple[LoweredMode, ...],
    events: LoweredEvents | None,
    diagnostics: Diagnostics,
    *,
    kernel: str = "carillon",
    time_limit: float = 20.0,
    memory: Memory | None = None,
) -> Allocation | None:
    """Allocate modes and the event-triggered system; None after an error was reported.

    Errors: those of :meth:`.RoundAllocator.allocate`; C160 more levels than the board can give.  Where the cells or sources do
    not suffice for what is event-triggered, C161, C162, C171, C172, C174, C178 and C185.
    """
    if events is None:
        return RoundAllocator(system, lowered, time_limit, memory, kernel=kernel).allocate(frozenset(), diagnostics)
    plan = plan_tasks(system, diagnostics, kernel)
    if plan is None:
        return None
    rounds = RoundAllocator(system, lowered, time_limit, memory, plan.hardware_levels, kernel)
    claims = ClaimBuilder(system, events, plan).build()
    placer = EventPlacer(system, events, plan, claims)
    best = share(claims)
    if best is None:
        Refusal(system, events, plan, claims, conflict(claims)[0]).report(diagnostics)
        return None
    search = _Search(system, plan, placer, rounds)
    best_whole = search.run(best) if lowered else _Found(best, Allocation(kernel, ()))
    if best_whole is None:
        search.report(events, claims, diagnostics)
        return None
    busy = frozenset(c.source for mode in best_whole.modes.modes for c in mode.carriers)
    osek = placer.place(best_whole.shares, busy, diagnostics)
    if osek is None:
        return None
    diagnostics.reported += best_whole.said
    warn_of_lost_ticks(system, osek, diagnostics)
    warn_of_lost_turns(system, osek, diagnostics)
    warn_of_long_handler(system, osek, diagnostics)
    check_ticks(system, osek, diagnostics)
    check_budgets(system, osek.clock, diagnostics)
    check_servers(system, osek.clock, diagnostics)
    check_threads(system, osek.clock, diagnostics)
    return replace(best_whole.modes, osek=replace(osek, proved=best_whole.proved))


def loses_nothing(one: Allocation, other: Allocation) -> bool:
    """Whether ``one`` watches, and has on cells, what ``other`` does, with no more kernel code in its rounds."""

    def misses(it: Allocation) -> tuple[int, int, int]:
        queued = len(it.osek.queued) if it.osek is not None else 0
        return sum(len(m.unmonitored) for m in it.modes), queued, sum(m.overhead for m in it.modes)

    return all(own <= its for own, its in zip(misses(one), misses(other), strict=True))


@dataclass(frozen=True, slots=True)
class _Found:
    """The shares, the modes on the cells left, and the modes' diagnostics; ``proved``: no other shares are better."""

    shares: Shares
    modes: Allocation
    said: tuple[Diagnostic, ...] = ()
    proved: bool = True


class _Search:
    """Tries shares until none that is left can be better."""

    def __init__(self, system: System, plan: TaskPlan, placer: EventPlacer, rounds: RoundAllocator) -> None:
        self.system, self.plan, self.placer, self.rounds = system, plan, placer, rounds
        self.best: _Found | None = None
        self.unproved = 0

    def run(self, first: Shares) -> _Found | None:
        """The best shares with their modes; None if no shares leave what the modes need."""
        tried = [(first, self._try(first))]
        whole = self.rounds.allocate(self.plan.sources, Diagnostics())
        if whole is None:
            return None  # no shares help
        least = self._least(whole)
        if self.best is not None and self._value(first, least) >= self._merit(self.best):
            return self.best
        problems = self.rounds.problems(self.plan.sources)
        lengths = [mode.round_length for mode in self.rounds.lowered]
        known = tuple(zip(problems, lengths, strict=True)) if problems is not None else ()
        control = self.rounds.control_classes(self.plan.sources) if known else ()
        work, certain = DETERMINISTIC_SHARE * self.rounds.time_limit, True
        while self.unproved < MOST_UNPROVED:
            beside = Beside(self.system.clock_hz, known, control, least, tuple(tried), work)
            following = share_beside(self.placer.claims, beside)
            certain = certain and following.proved
            better = self.best is None or following.least < self._merit(self.best)
            if following.shares is None or not better:
                return replace(self.best, proved=certain) if self.best is not None else None
            tried.append((following.shares, self._try(following.shares)))
        return replace(self.best, proved=False) if self.best is not None else None

    def _try(self, shares: Shares) -> Value | None:
        """A lower bound of the modes' value on what shares leave; None without an allocation.  Keeps the best of all."""
        said = Diagnostics()
        modes = self.rounds.allocate(self.plan.sources | self.placer.hidden(shares), said)
        if modes is None or said.errors:
            self.unproved += any(Mend.SEARCH in error.mended_by for error in said.errors)
            return None
        self.unproved += not all(mode.optimal for mode in modes.modes)
        whole = _Found(shares, modes, tuple(said.reported))
        if self.best is None or self._merit(whole) < self._merit(self.best):
            self.best = whole
        return self._least(modes)

    def report(self, events: LoweredEvents, claims: Claims, diagnostics: Diagnostics) -> None:
        """Report why no shares leave enough to the modes: for the rounds alone, or the claims and demands that conflict."""
        said = Diagnostics()
        alone = self.rounds.allocate(self.plan.sources, said)
        if alone is None or said.errors:
            diagnostics.reported += said.reported
            return
        problems = self.rounds.problems(self.plan.sources)
        control = self.rounds.control_classes(self.plan.sources)
        known = tuple((problem.without_levels, 1) for problem in problems or ())
        if not known or share_beside(claims, Beside(1, known, control)).shares is not None:
            busy = frozenset(c.source for mode in alone.modes for c in mode.carriers)
            left = ClaimBuilder(self.system, events, self.plan, busy).build()
            if share(left) is not None:  # the modes alone leave enough: the search ended too early
                ended = not_found("rounds and what is event-triggered", self.rounds.time_limit)
                diagnostics.error("C063", self.system.modes[0].span, *ended)
                return
            Refusal(self.system, events, self.plan, left, conflict(left)[0]).report(diagnostics, rounds=True)
            return
        assert problems is not None
        kept, demands = conflict(claims, problems, control)
        rest = [
            (mode.name, problem.options[d].demand)
            for mode, problem, own in zip(self.rounds.lowered, problems, demands, strict=True)
            for d in own
        ]
        Refusal(self.system, events, self.plan, claims, kept, rest).report(diagnostics)

    def _merit(self, found: _Found) -> Value:
        return self._value(found.shares, self._of_modes(found.modes))

    @staticmethod
    def _value(shares: Shares, modes: Value) -> Value:
        return shares.missing + modes[0], shares.rate + modes[1]

    def _of_modes(self, modes: Allocation) -> Value:
        """Deadlines that nobody watches, and instructions, in all modes together."""
        missing = sum(len(d.points) for mode in modes.modes for d in mode.unmonitored)
        return missing, sum(self._rate(mode, mode.overhead) for mode in modes.modes)

    def _least(self, modes: Allocation) -> Value:
        """The same, of the best modes that there may be with the same sources."""
        optimal = all(mode.optimal for mode in modes.modes)
        return self._of_modes(modes)[0] if optimal else 0, sum(self._rate(mode, mode.bound) for mode in modes.modes)

    def _rate(self, mode: ModeAllocation, instructions: int) -> int:
        return -(-instructions * self.system.clock_hz * SECONDS // mode.mode.round_length)
