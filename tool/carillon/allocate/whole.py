# SPDX-License-Identifier: Apache-2.0
"""One allocation for all that is timed: rounds and the event-triggered system compete for the cells of the board.

What is event-triggered has the same cells in every mode, and rounds have what that leaves.  So the shares of the event-triggered
system are gone through from the best on, and each time the modes are allocated on the rest:

1. A whole allocation's kernel code is that of the shares plus that of each mode, all counted over the same time.
2. Modes need nothing but how many groups of each class are left.  So shares that take as many or more of every class than some
   that were tried leave no better modes, and cost no less, as they come later.
3. No mode is better than if it had the whole board.  So nothing that comes can be better once the shares alone, with modes as
   on the whole board, are no better than what was found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from carillon.allocate import allocate, allocate_conventional
from carillon.allocate.allocation import Allocation
from carillon.allocate.claims import SECONDS, ClaimBuilder
from carillon.allocate.events import EventPlacer, Refusal, check_ticks, warn_of_long_handler, warn_of_lost_ticks
from carillon.allocate.memory import Memory
from carillon.allocate.share import Shares, share
from carillon.allocate.tasks import TaskPlan, plan_tasks
from carillon.diagnostics import Diagnostic, Diagnostics
from carillon.lower import LoweredMode
from carillon.lower.events import LoweredEvents
from carillon.model import System

MOST_SHARES = 24
"""Of so many shares the modes are allocated; what comes later is not looked at, and the plan says so."""

Modes = Callable[[frozenset[int], Diagnostics], Allocation | None]


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

    Errors: those of :func:`~carillon.allocate.allocate` and of :func:`~carillon.allocate.allocate_conventional`; C160 more levels
    than the board can give; and where the cells or sources do not suffice for what is event-triggered, C161, C162, C171, C172,
    C174, C178 and C185.
    """
    if events is None:
        return _modes(system, lowered, kernel, time_limit, memory, 0)(frozenset(), diagnostics)
    plan = plan_tasks(system, diagnostics, kernel)
    if plan is None:
        return None
    modes = _modes(system, lowered, kernel, time_limit, memory, plan.hardware_levels)
    claims = ClaimBuilder(system, events, plan).build()
    placer = EventPlacer(system, events, plan, claims)
    best = share(claims)
    if best is None:
        Refusal(system, events, plan, claims).report(diagnostics)
        return None
    found = _Search(system, plan, placer, modes).run(best) if lowered else _Found(best, Allocation(kernel, ()))
    if found is None:
        _report(system, events, plan, modes, diagnostics)
        return None
    busy = frozenset(c.source for mode in found.modes.modes for c in mode.carriers)
    osek = placer.place(found.shares, busy, diagnostics)
    if osek is None:
        return None
    diagnostics.found += found.said
    warn_of_lost_ticks(system, osek, diagnostics)
    warn_of_long_handler(system, osek, diagnostics)
    check_ticks(system, osek, diagnostics)
    return replace(found.modes, osek=replace(osek, proved=found.proved))


@dataclass(frozen=True, slots=True)
class _Found:
    """Shares, the modes on what they leave, and what was said of these; ``proved``: none are better."""

    shares: Shares
    modes: Allocation
    said: tuple[Diagnostic, ...] = ()
    proved: bool = True


def _modes(
    system: System,
    lowered: tuple[LoweredMode, ...],
    kernel: str,
    time_limit: float,
    memory: Memory | None,
    below: int,
) -> Modes:
    """What allocates the modes without some sources; the lowest ``below`` levels are the event-triggered system's."""

    def modes(taken: frozenset[int], diagnostics: Diagnostics) -> Allocation | None:
        if not lowered:
            return Allocation(kernel, ())
        if kernel != "carillon":
            return allocate_conventional(system, lowered, diagnostics, taken, below, kernel)
        return allocate(system, lowered, diagnostics, time_limit=time_limit, taken=taken, below=below, memory=memory)

    return modes


class _Search:
    """Goes through shares until none that comes can be better."""

    def __init__(self, system: System, plan: TaskPlan, placer: EventPlacer, modes: Modes) -> None:
        self.system, self.plan, self.placer, self.modes = system, plan, placer, modes

    def run(self, first: Shares) -> _Found | None:
        """The best shares with their modes; None if no shares leave what the modes need."""
        known: list[Shares] = []
        best: _Found | None = None
        least: tuple[int, Fraction] | None = None
        shares: Shares | None = first
        while shares is not None and len(known) < MOST_SHARES:
            if best is not None and least is not None and self._value(shares, least) >= self._merit(best):
                return best
            said = Diagnostics()
            found = self.modes(self.plan.sources | self.placer.hidden(shares), said)
            if found is not None and not said.errors:
                one = _Found(shares, found, tuple(said.found))
                if best is None or self._merit(one) < self._merit(best):
                    best = one
            known.append(shares)
            if least is None:
                whole = self.modes(self.plan.sources, Diagnostics())
                if whole is None:
                    return None  # no shares help
                least = self._of_modes(whole)
            shares = share(self.placer.claims, known)
        return replace(best, proved=shares is None) if best is not None else None

    def _merit(self, found: _Found) -> tuple[int, Fraction]:
        return self._value(found.shares, self._of_modes(found.modes))

    @staticmethod
    def _value(shares: Shares, modes: tuple[int, Fraction]) -> tuple[int, Fraction]:
        """What is missing, and instructions in :data:`~carillon.allocate.claims.SECONDS`."""
        return shares.missing + modes[0], shares.rate + modes[1]

    def _of_modes(self, modes: Allocation) -> tuple[int, Fraction]:
        """Deadlines that nobody watches, and instructions, in all modes together."""
        missing = sum(len(d.points) for mode in modes.modes for d in mode.unmonitored)
        hz = self.system.clock_hz * SECONDS
        return missing, sum((Fraction(m.overhead * hz, m.mode.round_length) for m in modes.modes), Fraction(0))


def _report(system: System, events: LoweredEvents, plan: TaskPlan, modes: Modes, diagnostics: Diagnostics) -> None:
    """Say why no shares leave what the modes need: for the rounds alone, or else what is claimed beside them."""
    said = Diagnostics()
    alone = modes(plan.sources, said)
    if alone is None or said.errors:
        diagnostics.found += said.found
        return
    busy = frozenset(c.source for mode in alone.modes for c in mode.carriers)
    left = ClaimBuilder(system, events, plan, busy).build()
    Refusal(system, events, plan, left).report(diagnostics, rounds=True)
