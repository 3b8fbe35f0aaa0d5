# SPDX-License-Identifier: Apache-2.0
"""Which clock?  What each kind of clock would cost the declared periods, and which of them is the best.

A periodic clock with the right tick is often no worse than a one-shot one, since systems are periodic by nature ("Periodic Timers
Revisited in the Real-Time Embedded Systems").  A one-shot clock wins where events are rare in the finest tick that they ask for.
What is off in the long run are the second and the third cause of drift of RELTEQ.

Code is counted from the first to the last instruction of the clock's interrupts, by the board's ``[costs]``; what
tasks spend in services is theirs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from carillon.advise.periods import TickChoice, greatest_common_divisor, laps, rate, rounded_up, tick_choices
from carillon.allocate.allocation import Allocation
from carillon.allocate.base import is_held
from carillon.allocate.clock import ClockCell, counting_cell
from carillon.allocate.fit import Fitter, Source
from carillon.allocate.groups import cell_sources, cell_use
from carillon.allocate.osek import OsekAllocation
from carillon.allocate.result import Progression
from carillon.model import System
from carillon.model.board import ClockCosts
from carillon.model.osek import Osek, Synchronisation
from carillon.model.time import ClockKind, Period
from carillon.units import format_duration, format_number

EMPTY_TICKS = Fraction(1, 20)
"""The part of the processor that ticks at which nothing is due may take; a shorter tick is too short."""

OSCILLATOR = Fraction(100, 1_000_000)
"""What a quartz is off anyway, the first cause of drift: less than that speaks against no clock."""

CELLS = "cells"

_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a clock would cost; ``kind`` None: cells of their own, whose expiries are activations.

    ``tick``: its unit of time, in ticks of the system clock.  ``interrupts`` a second.  ``code``: instructions or cycles a second
    in the clock's handler, which every task below loses; ``share``: that of the processor.  ``longest``: those of the handler in
    which everything is due.  None where they are not known, or code takes no time.

    In seconds, at worst: ``early``: a delay that begins anywhere in a tick.  ``late``: a release that others precede in the
    handler.  ``drift``: what adds up in an hour, of periods rounded up to whole ticks and of a timer that restarts.
    """

    kind: ClockKind | None
    tick: Fraction | None
    interrupts: Fraction
    code: Fraction | None
    share: Fraction | None
    longest: int | None
    early: Fraction
    late: Fraction
    drift: Fraction

    @property
    def name(self) -> str:
        """The clock, as the schedule names it."""
        return self.kind.value if self.kind is not None else CELLS


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no such clock here; ``name`` as that of a prediction."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Advice:
    """The answer.  ``releases`` a second of all periods; ``ticks`` for a periodic clock, the best first.

    ``clock``: the best of the clocks, where ``recommended`` may be cells.
    """

    periods: tuple[Period, ...]
    releases: Fraction
    ticks: tuple[TickChoice, ...]
    predictions: tuple[Prediction, ...]
    refusals: tuple[Refusal, ...]
    configured: Prediction
    recommended: Prediction
    reason: str
    clock: Prediction
    clock_reason: str


def advise(system: System, allocation: Allocation) -> Advice | None:
    """The advice; None if no periods are declared."""
    osek = allocation.osek
    if osek is None or osek.clock is None or not osek.clock.services.periods:
        return None
    return _Adviser(system, allocation, osek, osek.clock).advice()


def longest_tick(osek: Osek, counter: str) -> int | None:
    """How many ticks of a counter could be one, going by what starts on it; None if the application may need each of them."""
    alarms = [alarm.autostart for alarm in osek.alarms if alarm.counter == counter]
    tables = [table for table in osek.schedule_tables if table.counter == counter]
    times: list[int] = []
    for start in alarms:
        if start is None:
            return None
        times += (start.time, start.cycle)
    for table in tables:
        if table.autostart is None or table.sync is Synchronisation.EXPLICIT:
            return None
        times += (table.autostart.at, table.duration, *(point.offset for point in table.points))
    return None if osek.counter(counter).readable else math.gcd(*times)


class _Adviser:
    def __init__(self, system: System, allocation: Allocation, osek: OsekAllocation, clock: ClockCell) -> None:
        self.system = system
        self.osek = osek
        self.clock = clock
        self.declared = clock.services.periods
        self.periods = [p.ticks for p in self.declared]
        self.per_tick = system.board.clock(system.clock_hz).instructions_per_tick
        self.free = _free_sources(system, allocation, osek)

    def advice(self) -> Advice:
        """Every clock, then the choice."""
        ticks = self._tick_choices()
        predictions: list[Prediction] = []
        refusals: list[Refusal] = []
        if ticks:
            predictions.append(self._predict(ClockKind.PERIODIC, Fraction(ticks[0].tick)))
        else:
            refusals.append(Refusal(ClockKind.PERIODIC.value, "no free cell can keep a tick for these periods"))
        for kind in (ClockKind.ONE_SHOT, ClockKind.COMPARE):
            cell = self._counting(kind)
            if isinstance(cell, ClockCell):
                predictions.append(self._predict(kind, cell.tick, cell))
            else:
                refusals.append(Refusal(kind.value, cell))
        releases = sum((self.system.clock_hz / p for p in self.periods), Fraction(0))
        why = self._no_cells()
        if why is None:
            free = Fraction(0)
            predictions.append(Prediction(None, None, releases, free, free, 0, free, free, free))
        else:
            refusals.append(Refusal(CELLS, why))
        kind, tick = self.clock.services.clock, self.clock.tick
        configured = next((p for p in predictions if p.kind is kind and p.tick == tick), None)
        if configured is None:
            configured = self._predict(kind, tick, self.clock)
            predictions.insert(min(1, len(predictions)), configured)
        best = min(predictions, key=_rank)
        reason = self._reason(best, ticks, predictions)
        clock = best_clock(predictions)
        own = self._reason(clock, ticks, predictions)
        return Advice(self.declared, releases, ticks, tuple(predictions), tuple(refusals), configured, best, reason, clock, own)

    def _tick_choices(self) -> tuple[TickChoice, ...]:
        """The ticks of a periodic clock; where the tool chooses the clock, the tick that is written, if one is."""
        automatic = self.clock.services.automatic
        if automatic is None or automatic.tick is None:
            return tick_choices(self.periods, self._can_tick)
        tick = automatic.tick
        error = max((rounded_up(p, Fraction(tick)) - p) / p for p in self.periods)
        return (TickChoice(tick, error),) if self._has_cell(tick) else ()

    # What there is

    def _can_tick(self, tick: int) -> bool:
        """Whether a cell can, and the handler does not take too much of it."""
        costs = self._costs(ClockKind.PERIODIC, tick)
        if costs is not None and tick * self.per_tick < max(costs.interrupt / EMPTY_TICKS, Fraction(self._longest(costs))):
            return False
        return self._has_cell(tick)

    def _has_cell(self, tick: int) -> bool:
        fitter = Fitter(self.system.board, self.system.clock_hz)
        progression = Progression(tick, tick)
        return any(cell_use(fitter, source, progression, readable=False, pended=False) is not None for source in self.free)

    def _counting(self, kind: ClockKind) -> ClockCell | str:
        """The cell of a clock that is set, or why there is none."""
        services = self.clock.services
        if services.clock is kind:
            return self.clock
        able = [s for s in self.free if kind in s.array.clocks]
        gentle = [s for s in able if not (self.system.modes and s.array.clocks[kind].locks)]
        if able and not gentle:
            return "setting it locks interrupts, for which the rounds' tasks would wait"
        cell = counting_cell(
            self.system, replace(services, clock=kind, tick=None), self.osek.top, gentle, self.clock.carrier.demand
        )
        return cell if cell is not None else f"no free cell can be {_article(kind.value)} clock"

    def _no_cells(self) -> str | None:
        """Why the periods cannot have cells of their own; None if they can."""
        if any(p.thread is not None for p in self.declared):
            return "a cell activates a task, but wakes no thread"
        where = {"with dispatch in software": self.osek.software, "beneath rounds": bool(self.system.modes)}
        where["on this board"] = self.system.board.dispatch != "hardware"
        if any(where.values()):
            return f"no task is its own vector {next(words for words, holds in where.items() if holds)}"
        fitter = Fitter(self.system.board, self.system.clock_hz)
        free = list(self.free)
        for period in sorted(self.periods, reverse=True):
            progression = Progression(int(period), int(period))
            able = (s for s in free if cell_use(fitter, s, progression, readable=True, pended=True) is not None)
            source = next(able, None) if period.denominator == 1 else None
            if source is None:
                return f"no cell is left that can expire every {self._duration(period)}"
            mates = self.system.board.mates([source.number])
            free = [s for s in free if s.number not in mates]
        return None

    # What it costs

    def _costs(self, kind: ClockKind, tick: Fraction | int) -> ClockCosts | None:
        """What a clock costs with such a tick, as far as the board says."""
        costs = self.system.board.costs.get(kind)
        configured = self.clock.services.clock is kind and self.clock.tick == tick
        based = self.clock.based if configured else kind is ClockKind.PERIODIC and is_held(self.system, int(tick))
        return costs.based if costs is not None and based else costs

    def _longest(self, costs: ClockCosts) -> int:
        return costs.interrupt + costs.serving + sum(self._serving(costs, period) for period in self.declared)

    def _serving(self, costs: ClockCosts, period: Period) -> int:
        return costs.wake if period.thread is not None else costs.alarm + (costs.beside if len(self.declared) > 1 else 0)

    def _predict(self, kind: ClockKind, tick: Fraction, cell: ClockCell | None = None) -> Prediction:
        hz = self.system.clock_hz
        kept = [rounded_up(p, tick) for p in self.periods]
        drift = max((long - exact) / exact for long, exact in zip(kept, self.periods, strict=True))
        if kind is ClockKind.PERIODIC:
            interrupts = hz / tick
        else:
            assert cell is not None
            reach = ((1 << cell.driver.bits) - 1 - cell.latest) * tick
            interrupts = hz * (rate(kept) + laps(kept, reach))
            if cell.driver.restarts:  # up to a unit each time that it is set
                drift += interrupts * tick / hz
        code = share = longest = None
        costs = self._costs(kind, tick)
        served = Fraction(0)
        if costs is not None and self.per_tick:
            longest = self._longest(costs)
            code = interrupts * costs.interrupt + hz * rate(kept) * costs.serving
            code += sum(hz / long * self._serving(costs, period) for long, period in zip(kept, self.declared, strict=True))
            share = code / (hz * self.per_tick)
            served = Fraction(longest, hz * self.per_tick)
        off = tick / hz if kept != self.periods else Fraction(0)
        return Prediction(kind, tick, interrupts, code, share, longest, tick / hz, off + served, drift * _HOUR)

    # Which one

    def _reason(self, best: Prediction, ticks: tuple[TickChoice, ...], predictions: list[Prediction]) -> str:
        if best.kind is None:
            count = len(self.periods)
            many = f"{count} period{'s' if count > 1 else ''}, {len(self.free)} free cells"
            return f"cells: {many}: each expiry is an activation, for which no code of the kernel runs"
        if best.kind is ClockKind.PERIODIC:
            return self._why_periodic(best, [p for p in predictions if p.kind in (ClockKind.ONE_SHOT, ClockKind.COMPARE)])
        return self._why_set(best, ticks)

    def _why_periodic(self, best: Prediction, others: list[Prediction]) -> str:
        assert best.tick is not None
        count = len(self.periods)
        text = f"periodic with {self._duration(best.tick)}: "
        if best.drift > OSCILLATOR * _HOUR:
            text += f"no clock keeps the periods exactly, and this one is off by {_seconds(best.drift)} an hour at most"
        elif best.drift:
            text += f"it keeps the periods but for {_seconds(best.drift)} an hour"
        elif count > 1:
            text += f"{'both' if count == 2 else f'all {count}'} periods are multiples of it"
        else:
            text += "that is the period" if best.tick == self.periods[0] else "the period is a multiple of it"
        text += f"; {self._load(best)}"
        if not others:
            return f"{text}, and no other clock is left"
        other = min(others, key=_rank)
        text += f", where {_article(other.name)} clock would need {self._load(other)}"
        return text + (f", and drift up to {_seconds(other.drift)} an hour" if other.drift > best.drift else "")

    def _why_set(self, best: Prediction, ticks: tuple[TickChoice, ...]) -> str:
        if not ticks:
            return f"{best.name}: no cell can keep a tick for these periods"
        tick, several = ticks[0], len(self.periods) > 1
        shown = ", ".join(self._duration(p) for p in self.periods[:3]) + (", …" if len(self.periods) > 3 else "")
        text = f"{best.name}: " + (f"periods of {shown}" if several else f"a period of {shown}")
        if tick.error:
            text += f" cannot be kept by a tick: the best, {self._duration(tick.tick)}, is off by {float(tick.error):.2%}, and "
        elif self.clock.services.automatic is not None and self.clock.services.automatic.tick is not None:
            text += f", with the written tick of {self._duration(tick.tick)}: "
        elif tick.tick == greatest_common_divisor(self.periods):
            text += f" {'share' if several else 'has'} no tick over {self._duration(tick.tick)}: "
        else:
            text += f" {'need' if several else 'needs'} a tick of {self._duration(tick.tick)}, as no cell can keep a longer one: "
        often = format_number(Fraction(self.system.clock_hz, tick.tick), 1)
        served = format_number(best.interrupts, 1)
        text += f"a periodic clock would interrupt {often} times a second, where {served} interrupts serve all"
        return text + (f", at a drift of {_seconds(best.drift)} an hour at most" if best.drift else "")

    def _load(self, prediction: Prediction) -> str:
        """Interrupts a second, and how long they are in the mean."""
        text = f"{format_number(prediction.interrupts, 1)} interrupts/s"
        if prediction.code is not None:
            text += f" of {round(prediction.code / prediction.interrupts)} {self.system.board.code_unit}"
        return text

    def _duration(self, ticks: Fraction | int) -> str:
        return format_duration(ticks, self.system.clock_hz)


def best_clock(predictions: Iterable[Prediction]) -> Prediction:
    """The best of those that are clocks; there must be one."""
    return min((p for p in predictions if p.kind is not None), key=_rank)


def _rank(prediction: Prediction) -> tuple[bool, bool, Fraction, Fraction]:
    """The less the better: what keeps the periods, then no code, then the least code, then the fewest interrupts."""
    drifts = prediction.drift > OSCILLATOR * _HOUR
    return drifts, prediction.kind is not None, prediction.code or Fraction(0), prediction.interrupts


def _seconds(time: Fraction) -> str:
    return format_duration(time, 1, 3)


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "aeiu" else f"a {name}"  # "one" begins with a consonant


def _free_sources(system: System, allocation: Allocation, osek: OsekAllocation) -> list[Source]:
    """Sources with cells that nothing takes but the clock; the least capable first, as for the clock itself."""
    board = system.board
    carriers = [c for mode in allocation.modes for c in mode.carriers]
    carriers += [c for c in osek.carriers if osek.clock is None or c is not osek.clock.carrier]
    taken = {i.source for i in system.interrupts} | {i.source for i in osek.osek.isrs}
    taken |= {level.source for level in osek.levels} | {osek.dispatcher} | board.unmaskable_sources
    free = cell_sources(board, frozenset(taken) | board.mates(c.source for c in carriers))
    return sorted(free, key=lambda s: (len(s.array.roles), s.array.rearm.value != "none"))
