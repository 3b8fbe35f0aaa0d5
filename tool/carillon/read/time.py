# SPDX-License-Identifier: Apache-2.0
"""Builds the model of the time services from the ``[time]`` and ``[thread]`` tables of a schedule file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from carillon.diagnostics import Span
from carillon.model.board import Board
from carillon.model.osek import Osek
from carillon.model.time import Automatic, ClockKind, Period, QueueKind, TimedKind, TimeServices
from carillon.read.schema import TimeServicesTable
from carillon.read.shape import Reading, describe
from carillon.read.ticks import Ticks, whole
from carillon.units import Time, shorten


def keeping_budgets(services: TimeServices | None, osek: Osek | None, board: Board) -> TimeServices | None:
    """The time services if the clock keeps budgets: it tells the time, and there is one without a ``[time]``.

    Without a ``[time]``, it is of the first kind that some cell of the board can be.  If that is the board's only cell, the clock
    tells the ticks of counters, too.
    """
    if osek is None or not osek.queued_budgets:
        return services
    kept = max([task.timed for task in osek.tasks], default=0)
    if services is not None:
        return replace(services, now=True, kept=kept)
    able = {kind for cells in board.cells for kind in cells.clocks}
    span = osek.bounded[0].span
    return TimeServices(
        clock=next((kind for kind in ClockKind if kind in able), ClockKind.ONE_SHOT),
        tick=None,
        bits=32,
        longest=None,
        queue=QueueKind.LIST,
        slice=None,
        now=True,
        span=span,
        spans=dict.fromkeys(TimeServicesTable.model_fields, span),
        uses=frozenset(),
        tickless=sum(len(cells.names) for cells in board.cells) == 1,
        kept=kept,
    )


class TimeReader(Reading):
    """Builds one TimeServices, or none."""

    def times(self) -> Iterator[Time]:
        """The times that the system's clock should be able to express."""
        if self.file.time is not None:
            yield from (time for time in (self.file.time.tick, self.file.time.slice) if time is not None)

    def resolve(self, board: Board | None) -> None:
        """Report what is wrong but for times; ``board``: None if there is none.

        C170 no tick, C175 slices without effect, C177 threads without time services, C186 tickless counters on a periodic clock,
        C274 no real-time clock.
        """
        table = self.file.time
        if table is None:
            if self.file.thread and not self.broken.at("time"):
                name = next(iter(self.file.thread))
                cause = f"thread {shorten(name)} has nothing to wait by: there are no time services"
                remedy = "add [time], or make it a task of [osek]"
                self.diagnostics.error("C177", self.places.key(("thread", name)), cause, remedy)
            return
        if table.clock == "periodic" and table.tick is None and not self.broken.under("time"):
            cause = "the clock is periodic, but [time] has no 'tick'"
            remedy = 'say how often it ticks, for example tick = "1ms", or use a one-shot clock'
            self.diagnostics.error("C170", self.places.key(("time",)), cause, remedy)
        if table.clock == "periodic" and table.tickless:
            cause = "tickless counters need a clock that is set to the next event, and this one is periodic"
            remedy = 'write clock = "one-shot" or "compare", or leave tickless out'
            self.diagnostics.error("C186", self.places.value(("time", "tickless")), cause, remedy)
        if table.calendar == "rtc" and board is not None and board.rtc is None:
            cause = f"the calendar is to be the board's real-time clock, and board '{board.name}' has none"
            remedy = 'write calendar = "counted", or choose a board whose file has an [rtc], such as stm32f4-discovery'
            self.diagnostics.error("C274", self.places.value(("time", "calendar")), cause, remedy)
        if table.slice is not None and not self._take_turns():
            cause = "no thread has the priority of another thread or task, so nobody shares the processor in slices"
            remedy = "give two of them the same priority, or leave the slice out: no cell is taken for it"
            self.diagnostics.warning("C175", self.places.value(("time", "slice")), cause, remedy)

    def build(self, ticks: Ticks) -> TimeServices | None:
        """The time services; None if there are none.  Reports times that are zero, or no whole number of ticks."""
        table = self.file.time
        if table is None:
            return None
        threads = self.file.thread.values()
        longest = self._ticks(ticks, "longest", table.longest, recurs=False, divides=False)
        tick = self._ticks(ticks, "tick", table.tick, recurs=True)
        slices = self._ticks(ticks, "slice", table.slice, recurs=False)
        auto = table.clock == "auto"
        return TimeServices(
            clock=ClockKind.ONE_SHOT if auto else ClockKind(table.clock),
            tick=None if auto else tick,
            automatic=Automatic(tick) if auto else None,
            bits=table.bits,
            longest=longest,
            longest_lock=self._ticks(ticks, "longest_lock", table.longest_lock, recurs=False, divides=False),
            slack=self._ticks(ticks, "slack", table.slack, recurs=False, divides=False),
            queue=QueueKind(table.queue),
            slice=slices if self._take_turns() else None,
            now=table.now or table.uptime or bool(self.file.server) or any(t.deadline for t in threads),
            uptime=table.uptime,
            rtc=table.calendar == "rtc",
            heap=table.heap,
            tickless=table.tickless,
            span=self.places.key(("time",)),
            spans={key: self._place(key) for key in TimeServicesTable.model_fields},
            periods=tuple(self._periods(ticks, tick, longest)),
            uses=frozenset(TimedKind if table.uses is None else map(TimedKind, table.uses)),
        )

    def _take_turns(self) -> bool:
        """Whether a thread has the priority of another thread or task; or the slice is the tick of a Giotto program's machine."""
        threads = [thread.priority for thread in self.file.thread.values()]
        tasks = {task.priority for task in self.file.osek.task.values()} if self.file.osek is not None else set()
        return len(set(threads)) < len(threads) or not tasks.isdisjoint(threads) or self.tables.giotto is not None

    def _periods(self, ticks: Ticks, tick: int | None, longest: int | None) -> Iterator[Period]:
        """The declared periods, exact: none has to divide.  Reports zero (C041), and C179 what the clock cannot keep."""
        assert self.file.time is not None
        declared: list[tuple[tuple[str | int, ...], Time, str | None]]
        declared = [(("time", "periods", k), time, None) for k, time in enumerate(self.file.time.periods)]
        declared += [(("thread", name, "period"), t.period, name) for name, t in self.file.thread.items() if t.period is not None]
        for path, time, thread in declared:
            span = self.places.value(path)
            exact = ticks.limited(time, describe(*path), span)
            if exact is None:
                continue
            if exact == 0:
                self.diagnostics.error("C041", span, f"{describe(*path)} is zero ticks", "write a time of at least one tick")
            elif exact < (tick or 1):
                than = f"shorter than a tick of the {'clock' if tick else 'system'}" + (
                    f", {self.file.time.tick}" if tick else ""
                )
                remedy = "write a longer period, or choose a shorter tick"
                self.diagnostics.error("C179", span, f"{describe(*path)}: {time} is {than}", remedy)
            elif longest is not None and exact > longest:
                cause = f"{describe(*path)}: {time} is longer than the longest time, {self.file.time.longest}"
                self.diagnostics.error("C179", span, cause, "write a shorter period, or a longer 'longest'")
            else:
                yield Period(exact, thread, span)

    def _place(self, key: str) -> Span:
        """Of the value of ``key``; of the table's name if it is not written."""
        written = key in self.file.time.model_fields_set if self.file.time is not None else False
        return self.places.value(("time", key)) if written else self.places.key(("time",))

    def _ticks(self, ticks: Ticks, key: str, time: Time | None, *, recurs: bool, divides: bool = True) -> int | None:
        """``time`` in ticks of the system clock; None if there is none, or after a diagnostic.

        ``divides``: it must be a whole number of them.
        """
        if time is None:
            return None
        span = self.places.value(("time", key))
        what = f"'{key}' of [time]"
        if divides:
            exact = ticks.exact(time, what, span, recurs, upwards=not recurs, counted=key == "tick")
        else:
            exact = ticks.limited(time, what, span)
        if exact is None or ticks.vanishes(exact, what, span, upwards=not recurs):
            return None
        return whole(exact, upwards=not recurs)
