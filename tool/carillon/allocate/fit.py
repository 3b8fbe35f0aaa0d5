# SPDX-License-Identifier: Apache-2.0
"""Which timers a board has and what each can express.

Interrupt sources that are alike are one class: the solver counts them, it never tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from carillon.allocate.result import Progression
from carillon.model.board import Board, Cells, Role
from carillon.model.family import Capability, Rearm, Start

MOST_LAPS = 1 << 15
"""So many whole turns of a counter are counted to a point (``carillon_step``)."""
TIMEKEEPER_BITS = 32
"""Of the free-running cell beside one that is reloaded: what its driver counts in."""


@dataclass(frozen=True, slots=True)
class Source:
    """An interrupt source and the runs of neighbouring cells behind it, as (first index, length)."""

    number: int
    array: Cells
    runs: tuple[tuple[int, int], ...]

    def slots(self, role: Role, shared: bool = False) -> list[int]:
        """The index of the first cell of every timer that the source has for ``role``; ``shared``: of re-armed ones."""
        needed = self.array.needed(role, shared)
        return [first + k * needed for first, length in self.runs for k in range(length // needed)]


@dataclass(frozen=True, slots=True)
class SourceClass:
    """Interchangeable sources, ascending by number."""

    array: Cells
    sources: tuple[Source, ...]

    def slots(self, role: Role) -> int:
        """The number of timers of ``role`` in one source of the class; 0 if the class does not serve the role."""
        return len(self.sources[0].slots(role)) if self.array.serves(role) else 0

    @property
    def joined(self) -> int:
        """The number of objects that may join one source; 1 where the handler cannot ask and mask each cell by itself."""
        asked = Capability.ASK in self.array.family.can and self.array.request_enable == "cell"
        return max(1, self.slots(Role.DEADLINE)) if asked else 1

    def asked(self, role: Role) -> int:
        """The timers of ``role`` in one source that its handler can ask one by one; 0 if it cannot ask."""
        return self.slots(role) if Capability.ASK in self.array.family.can and self.array.acknowledge else 0

    @property
    def room(self) -> int:
        """The capacity of the class, in parts of a source; ``taken_by`` gives the parts that one carrier takes."""
        return self.joined * len(self.sources)

    def taken_by(self, joins: bool, progressions: int) -> int:
        """What one carrier takes of the room: a whole source, or (``joins``, with one cell) as much as each that may join it.

        Whole sources and single parts fit into the sources if and only if they fit into the room: as many sources as are
        left over have ``joined`` parts each.
        """
        return 1 if joins and progressions == 1 else self.joined

    @property
    def can_share(self) -> bool:
        """Whether a source has the neighbours that a re-armed cell needs."""
        return any(self.sources[0].slots(role, shared=True) for role in self.array.roles)

    @property
    def cells(self) -> int:
        """How many cells the class has."""
        return sum(length for source in self.sources for _, length in source.runs)

    def without(self, number: int) -> SourceClass:
        """The class less one source."""
        return SourceClass(self.array, tuple(s for s in self.sources if s.number != number))


def source_classes(
    board: Board, taken: frozenset[int] = frozenset(), timers: Mapping[str, int] | None = None
) -> list[SourceClass]:
    """The board's sources in classes, in the board's order, without those in ``taken`` and the application's.

    ``timers``: see :class:`Fitter`; channels of timers with different periods are not alike.
    A source number that two arrays name belongs to the first of them.
    """
    seen = taken | board.reserved_sources
    classes: dict[tuple[str, int | None, tuple[int, ...]], list[Source]] = {}
    for array in board.cells:
        cells: dict[int, list[int]] = {}
        for index, number in enumerate(array.sources):
            if number not in seen:
                cells.setdefault(number, []).append(index)
        seen |= cells.keys()
        properties = array.kind
        for number, indices in cells.items():
            runs: list[tuple[int, int]] = []
            for index in indices:
                if runs and sum(runs[-1]) == index:
                    runs[-1] = (runs[-1][0], runs[-1][1] + 1)
                else:
                    runs.append((index, 1))
            shape = tuple(length for _, length in runs)
            period = (timers or {}).get(array.names[0])
            classes.setdefault((properties, period, shape), []).append(Source(number, array, tuple(runs)))
    return [SourceClass(sources[0].array, tuple(sorted(sources, key=lambda s: s.number))) for sources in classes.values()]


@dataclass(frozen=True, slots=True)
class Fitter:
    """Answers whether an array can express given intervals; times are in ticks of ``clock_hz``.

    ``timers``: by the first of its cells, the period of each timer whose cells are channels, where that is not the round.  A
    timer whose period is its turn runs freely.  ``whole``: ticks, 0 for none, that are to be a whole number of a cell's units, as
    somebody reads it in these.
    """

    board: Board
    clock_hz: int
    round_length: int | None = None  # of the round that the cells serve; None: they serve no round
    timers: Mapping[str, int] = field(default_factory=dict)
    ticks: bool = False  # the cells only tick: what expires before the beginning does no harm
    longer: int | None = None  # ticks that the round is made longer by at most while it runs; None: it is never changed
    whole: int = 0

    @property
    def synchronised(self) -> bool:
        """Whether the round is made longer and shorter while it runs."""
        return self.longer is not None

    def direct(self, array: Cells, progression: Progression) -> int | str:
        """The smallest prescaler with which a free-running cell keeps ``progression``, or why there is none."""
        shortest = array.min_period(self.clock_hz)
        if self.synchronised and (reason := self.unmoved(array)):
            return reason
        if array.start is Start.TIMER:
            return self._channel(array, progression)
        if progression.period < shortest:
            return f"a period of {progression.period} ticks is below its minimum of {shortest}"
        return self._prescaler(array, (progression.period,), progression.offset, progression.period)

    def _channel(self, array: Cells, progression: Progression) -> int | str:
        """The same for a channel of a timer: it matches once in the timer's period."""
        period = self.timers.get(array.names[0], self.round_length)
        if period is not None and progression.period != period:
            return f"a channel expires once every {period} ticks, as its timer does, not every {progression.period}"
        # A match before the beginning is discarded.  Only one can occur, unless the cells only tick.
        shortest = array.min_period(self.clock_hz) if self.ticks else self.board.lead_at(self.clock_hz)
        if progression.period < shortest:
            return f"a period of {progression.period} ticks is below its minimum of {shortest}"
        if progression.period > 1 << array.width:
            return f"{progression.period} ticks need more than {array.width} bits"
        return array.prescalers[0]

    def multiplexed(self, array: Cells, times: Sequence[int], round_length: int, laps: bool = False) -> int | str:
        """The smallest prescaler with which one re-armed cell serves ``times`` (ascending), or why there is none.

        ``laps``: its handler may come at other times, too, and find that nothing is due.
        """
        if array.rearm is Rearm.NONE:
            return "its cells cannot be re-armed"
        if self.synchronised and (reason := self.unmoved(array)):
            return reason
        intervals = intervals_of(times, round_length)
        if array.start is Start.TIMER and self.round_length is not None:
            return self._channel_of_several(array, times[0], intervals, laps)
        if array.rearm is Rearm.RELOAD and array.width != TIMEKEEPER_BITS:
            return f"a cell that is reloaded needs a timekeeper of {TIMEKEEPER_BITS} bits, not {array.width}"
        shortest = self.shortest(array)
        if min(intervals) < shortest:
            return f"an interval of {min(intervals)} ticks is shorter than a re-armed cell can keep ({shortest})"
        if array.rearm is Rearm.SHIFT:
            if round_length < array.min_period(self.clock_hz):
                return f"a round of {round_length} ticks is below its minimum of {array.min_period(self.clock_hz)}"
            return self._prescaler(array, (*intervals, round_length), times[0], round_length)
        return self._prescaler(array, intervals, times[0], max(intervals))

    def turns(self, array: Cells) -> tuple[int, ...]:
        """The period of a free-running timer; empty if its channels cannot be moved, or if the timer can count the round."""
        turn = 1 << array.width
        able = array.rearm is Rearm.MATCH and Capability.MATCH_IN_ROUND in array.family.can
        return (turn,) if able and self.round_length is not None and turn < self.round_length else ()

    def free_turn(self, array: Cells) -> int:
        """The turn of an array's free-running timer, in ticks; 0 if the timer does not run freely."""
        free = array.start is Start.TIMER and self.turns(array) == (self.timers.get(array.names[0]),)
        return self.turn(array) if free and not (self.synchronised and self.unmoved(array)) else 0

    @property
    def frees(self) -> bool:
        """Whether a timer runs freely."""
        return any(self.free_turn(array) for array in self.board.cells)

    def turn(self, array: Cells) -> int:
        """The turn of a timer whose cells are channels, in ticks; by default the length of the round."""
        assert self.round_length is not None
        return self.timers.get(array.names[0], self.round_length)

    def _channel_of_several(self, array: Cells, offset: int, intervals: Sequence[int], laps: bool) -> int | str:
        """The same for a channel whose match is moved from point to point, of a timer that counts the round or runs freely.

        1. The handler adds the next interval to the match, modulo the timer's turn, so a point is told apart from others that
           are less than a turn away.
        2. A counter that begins anew with the round tells each of its points.  One that runs freely does not: each interval, and
           the time to the first point, must be less than its turn, or the handler counts whole turns (``laps``).
        3. What an interval has beyond whole turns is nothing, or long enough for the match to be moved in time.
        """
        if array.rearm is not Rearm.MATCH or Capability.MATCH_IN_ROUND not in array.family.can:
            return "a channel that is re-armed would take its timer from the others"
        turn, free = self.turn(array), self.turn(array) in self.turns(array)
        if turn != self.round_length and not free:
            return f"its timer counts {turn} ticks, and not the round"
        if min(intervals) < self.shortest(array):
            return f"an interval of {min(intervals)} ticks is shorter than a re-armed cell can keep ({self.shortest(array)})"
        longest, lead = max(intervals), self.board.lead_at(self.clock_hz)
        if free and laps and Capability.LAPS in array.family.can:
            if max(longest, lead + offset) > turn * MOST_LAPS:
                return f"its intervals are not all shorter than {MOST_LAPS} turns of the timer, {turn * MOST_LAPS} ticks"
            rest = min((i % turn for i in intervals if i % turn), default=turn)
            if rest < self.shortest(array):
                return (
                    f"an interval is {rest} ticks longer than whole turns of the timer, and {self.shortest(array)} is the least"
                )
            return self._channel(array, Progression(0, turn))
        if free and longest >= turn:
            return f"its intervals are not all shorter than a turn of the timer, {turn} ticks"
        if free and lead + offset > turn:
            return f"its first point, with {lead} ticks of lead, is not within a turn of the timer, {turn} ticks"
        if longest == turn:  # of one activation with several deadlines
            return "its match would be moved by a whole round, where it matches again in the same round"
        return self._channel(array, Progression(0, turn))

    def unmoved(self, array: Cells) -> str:
        """Why cells of an array cannot be in a round that is synchronised; empty if they can."""
        if not array.family.can & {Capability.SYNCHRONISE, Capability.SYNC_POINT}:
            return "a running cell of its family cannot be moved, as [sync] asks"
        if (array.hz or self.clock_hz) != self.clock_hz:
            return "its cells do not count ticks of the schedule, which [sync] moves them by"
        if array.start is Start.TIMER and self.round_length is not None:
            longest, most = self.round_length + min(self.longer or 0, self.round_length), 1 << array.width
            if self.turn(array) != self.round_length:
                return f"its timer counts {self.turn(array)} ticks, and [sync] moves a round by the length of a turn"
            if longest > most:
                return f"its timer counts {most} ticks at most, and a round that [sync] makes longer has {longest}"
        return ""

    def shortest(self, array: Cells) -> int:
        """The shortest interval that a re-armed cell can keep, in ticks."""
        per_tick = max(1, self.board.clock(self.clock_hz).instructions_per_tick)
        shortest = max(array.min_rearm_ticks, -(-array.min_rearm_cycles // per_tick))
        if array.rearm is Rearm.MATCH and array.min_rearm_cycles and per_tick > 1:
            shortest += 1  # between two ticks a handler reads the earlier one, and may still set the later one
        return max(shortest, array.min_period(self.clock_hz)) if array.rearm is Rearm.RELOAD else shortest

    def _prescaler(self, array: Cells, intervals: Sequence[int], offset: int, longest: int) -> int | str:
        hz = array.hz or self.clock_hz
        limit = (1 << array.width) - 1
        if len(intervals) > 1 and array.rearm is Rearm.SHIFT:
            limit = min(limit, (1 << 31) - 1)  # a shift is a signed number of 32 bits
        lead = self.board.lead_at(self.clock_hz)
        reason = ""
        if self.synchronised:  # a hard start moves it by a whole round
            longest = max(longest, 2 * (self.round_length or longest))
        only = 1 if self.synchronised and Capability.SYNC_POINT not in array.family.can else None
        for prescaler in sorted(array.prescalers)[:only]:
            unit = self.clock_hz * prescaler
            broken = next((t for t in (*intervals, offset, lead, self.board.start_spacing, self.whole) if t * hz % unit), None)
            if broken is not None:
                if not reason:
                    per_tick = array.units(1, self.clock_hz, prescaler)
                    reason = f"{broken} ticks are no whole number of its units ({per_tick} per tick)"
                continue
            if max(longest, lead + offset) * hz // unit <= limit:
                return prescaler
            what = f"{longest} ticks" if longest >= lead + offset else f"the offset of {offset} ticks with {lead} of lead"
            reason = f"{what} need more than {array.width} bits" + (f" with prescaler {prescaler}" if prescaler != 1 else "")
        return reason or "it has no prescaler"


def intervals_of(times: Sequence[int], round_length: int) -> tuple[int, ...]:
    """The intervals between consecutive times, the last one across the round's end."""
    return tuple(b - a for a, b in zip(times, [*times[1:], times[0] + round_length], strict=True))
