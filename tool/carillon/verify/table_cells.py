# SPDX-License-Identifier: Apache-2.0
"""Schedule tables on cells: what a start of each makes the cells do, and what a stop does, against the schedule.

The stores and shifts of each table are carried out on the models of the devices, as the kernel does with the time base at the
table's begin. When each cell expires is compared with the points of the task that is its vector.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from carillon.elf import UnreadableError
from carillon.model.family import Start
from carillon.model.osek import ActivateTask, AlarmAction, Osek, ScheduleTable
from carillon.verify.contract import Store, stores
from carillon.verify.elf import Elf
from carillon.verify.families import BEFORE, Cell
from carillon.verify.hardware import Hardware
from carillon.verify.layout import Row
from carillon.verify.meaning import Service
from carillon.verify.schedule_tables import celled_tables

REST = 1 << 24
"""Ticks from the end of a table that does not repeat to the first of its cells that would expire once more (SPEC)."""
SINCE_READ = {"armv7m": 1, "host": 0, "rv32clic": 2}
"""Ticks from the reading of the time base to the store that starts cells, by port: carillon_port_read_and_start."""


@dataclass(frozen=True, slots=True)
class OnCells:
    """A schedule table on cells: a ``struct carillon_osek_table_on_cells``, and the stores that it leads to.

    ``starts``: one store for all cells; or one for each, of cells that are set while they stand still.  ``stop`` is None where
    the application stops no table: the linker left the stores out.  ``rows``: of each cell.  ``move``: what moves all cells that
    a start has begun, where one store does.
    """

    row: Row
    starts: tuple[Store, ...]
    prepare: tuple[Store, ...]
    stop: tuple[Store, ...] | None
    shifts: tuple[Store, ...]
    rows: tuple[tuple[int, ...], ...]
    move: tuple[Store, ...]

    @property
    def set(self) -> bool:
        """Whether cells are set while they stand still."""
        return "starts" in self.row

    @property
    def resume(self) -> tuple[Store, ...]:
        """What starts the cells of the first half anew."""
        found = stores([self.row.row("resume")] if "resume" in self.row else [])
        return tuple(it for it in found if self.row.get("early") or it.address or it.value)

    @property
    def hold(self) -> tuple[Store, ...]:
        """What stops them."""
        if "hold" not in self.row:
            return (self.stop or ())[: self.row.get("early")]
        return tuple(it for it in stores([self.row.row("hold")]) if self.row.get("early") or it.address or it.value)

    @property
    def moves(self) -> tuple[Store, ...]:
        """What moves each cell of a table that is adjusted."""
        return stores(self.row.listed("moves", len(self.rows))) if self.row.get("moves") else ()


ENDING = ("ends_at", "again", "ends_by", "early", "rest")
ADJUSTING = ("adjusts_by", "moves", "latest", "last", "max_lengthen", "max_shorten")


def on_cells(osek: Osek, elf: Elf) -> dict[int, OnCells]:
    """By the number of a schedule table, its cells in the image; tables in queues are left out."""
    stops = elf.rows("carillon_osek_table_stops", len(osek.schedule_tables))
    move = stores(elf.rows("carillon_osek_table_move", 1))
    by_number = {}
    for number, row in celled_tables(osek, elf).items():
        count = row["count"]
        if not count:
            raise UnreadableError(f"the schedule table '{osek.schedule_tables[number].name}' has no cells")
        starts = row.listed("starts", count) if "starts" in row else [row.row("start")]
        prepare: list[Row] = []
        stop: list[Row] | None = [stops[number]] if stops else None
        if "stop" in row:
            prepare, stop = (row.listed(name, row[f"{name}_count"]) for name in ("prepare", "stop"))
        cells = tuple(cell.values() for cell in row.listed("cells", count))
        shifts = stores(row.listed("shifts", count))
        by_number[number] = OnCells(
            row, stores(starts), stores(prepare), stores(stop) if stop is not None else None, shifts, cells, move
        )
    return by_number


class TableCellChecks:
    """The comparison; ``services``: by source, the service of its vector."""

    def __init__(self, osek: Osek, hardware: Hardware, services: Mapping[int, Service | None]) -> None:
        self.osek, self.hardware, self.services = osek, hardware, services

    def differences(self, table: ScheduleTable, image: OnCells) -> Iterator[str]:
        """The faults of a table on cells."""
        counter = self.osek.counter(table.counter)
        said = counter.tick, counter.tick * (counter.max_allowed + 1)
        tick, turn = image.row["tick"], image.row["turn"]
        if (tick, turn) != said:
            yield f"takes a tick of its counter for {tick} ticks of the clock and its turn for {turn}; they are {said}"
        ends_by = image.row.get("ends_by")
        never = table.repeating and not table.followed
        ends = any(map(image.row.get, ENDING)) or image.resume or image.hold
        if ends if never else self._action(table, ends_by) != "end":
            yield f"has its end served at source {ends_by}, which is for something else"
        if not table.shifted and any(map(image.row.get, ADJUSTING)):
            yield f"is adjusted by source {image.row.get('adjusts_by')}, and is not synchronised explicitly"
        with self.hardware.tried():
            yield from self._wrong_cells(table, counter.tick, image)

    def _wrong_cells(self, table: ScheduleTable, tick: int, image: OnCells) -> Iterator[str]:
        """The faults of the cells' behaviour under the table's stores."""
        for cell in (c for _, c in self.hardware.cells if c.started is not None):
            cell.started = (cell.started or Fraction(0)) - 1  # the others have run for a while: a start anew is another one
        before = {id(c): (c.begins, c.again) for _, c in self.hardware.cells if c.started is not None}
        yield from self._started(image, image.move)
        started = [c for _, c in self.hardware.cells if c.started is not None and id(c) not in before]
        began = {id(c): (c.begins, c.again) for c in started}
        for cell in (c for _, c in self.hardware.cells if before.get(id(c)) not in (None, (c.begins, c.again))):
            yield f"changes {cell}, which runs already, when it starts"
        yield from self._wrong_times(table, tick, started)
        yield from self._wrong_rows(image, started)
        yield from self._wrong_end(table, tick, image, started)
        yield from self._wrong_adjusting(table, tick, image, started)
        if stray := self.hardware.strays(image.stop or (), started if image.stop is not None else ()):
            yield f"has a stop that {stray}"
        self.hardware.carry_out(image.stop or (), None)
        still = sorted(c.place.name for c in started if c.started is not None)
        also = sorted(c.place.name for _, c in self.hardware.cells if c.started is None and id(c) in before)
        if image.stop is not None and (still or also):
            yield f"stops {', '.join(also) or 'nothing else'}, and leaves {', '.join(still) or 'nothing'} running"
        elif image.stop is not None:
            yield from self._started(image, ())
            if other := [c for c in started if (c.begins, c.again) != began[id(c)]]:
                yield f"starts {other[0]} otherwise when it has been stopped, or when it is late"

    def _started(self, image: OnCells, move: Sequence[Store]) -> Iterator[str]:
        """The table's start, at time 0; its faults.  ``move``: what moves all cells at once, else each is moved by itself."""
        self.hardware.carry_out(image.prepare, BEFORE)
        if image.set:  # each has less to its first expiry by what its own store comes later
            for k, (shift, store) in enumerate(zip(image.shifts, image.starts, strict=True)):
                apart = k * self.hardware.system.board.start_spacing
                self.hardware.carry_out([replace(shift, value=(shift.value - apart) % 2**32)], BEFORE)
                self.hardware.carry_out([store], Fraction(apart))
        else:
            self.hardware.add(image.starts[0], Fraction(0))
            self.hardware.carry_out(move, None)
            for shift in image.shifts if not move else ():
                if not any(family.shift(shift.address, shift.value) for family in self.hardware.families.values()):
                    yield f"shifts {shift.address:#x}, which is no counter that it has started"

    def _wrong_times(self, table: ScheduleTable, tick: int, started: list[Cell]) -> Iterator[str]:
        """At each point, one cell expires for each action."""
        left: set[tuple[AlarmAction | str, int]] = {(a, p.offset) for p in table.points for a in p.actions}
        left |= {("end", table.duration)} if table.followed or not table.repeating else set()
        left |= {("half", table.duration // 2)} if table.followed else set()
        left |= {("adjust", table.points[-1].offset)} if table.shifted else set()
        for cell in started:
            action = self._action(table, cell.place.source)
            if isinstance(action, AlarmAction) and action not in table.actions:
                yield f"starts {cell}, whose vector is for nothing of the table"
                continue
            if cell.begins is None or cell.again is None:
                yield f"starts {cell} without an interval"
                continue
            first, again = self._first(cell), cell.ticks(cell.again)
            turns = Fraction(table.duration * tick) / again if again > 0 else Fraction(0)
            expiries = {(action, (first + k * again) / tick) for k in range(int(turns) if turns.denominator == 1 else 0)}
            if table.followed or not table.repeating:
                period = table.duration * tick + (0 if table.repeating else REST)
                expiries = {(action, first / tick)} if again == period else set()
            if not expiries or not expiries <= left or not cell.lets:
                does = f"says '{action.key}' to '{action.object}'" if isinstance(action, AlarmAction) else f"has its {action}"
                says = ", ".join(str(p.offset * tick) for p in table.points if action in p.actions or action == "adjust")
                turn = f"{'in each turn of' if table.repeating else 'once, and an end at'} {table.duration * tick}"
                yield (
                    f"{does} by {cell} {float(first):g} ticks of the clock after its begin and every {float(again):g}; "
                    f"the schedule says {says} {turn}, each by one cell"
                )
            left -= expiries
        if left:
            missing = sorted((offset * tick, a.object if isinstance(a, AlarmAction) else f"its {a}") for a, offset in left)
            yield f"starts no cell for {', '.join(f'{name} at {at}' for at, name in missing)}"

    def _wrong_end(self, table: ScheduleTable, tick: int, image: OnCells, started: list[Cell]) -> Iterator[str]:
        """The faults of the cell that tells the table's end, and of the stop at the table's half before another table."""
        ends_at, again, ends_by, early, rest = map(image.row.get, ENDING)
        if not ends_by:
            return
        own = next((c for c in started if c.place.source == ends_by), None)
        if own is None or again != own.again or self.hardware.counter(ends_at) is not own:
            yield f"is told how long ago its end was by the register {ends_at:#x} and a period of {again}"
        half = table.duration // 2 if table.followed else 0
        before = [c for c in started if self._first(c) < half * tick]
        if early != len(before) or (before and rest != (table.duration - half) * tick):
            yield f"has {early} cells stopped {rest} ticks before its end, and {len(before)} have had their points then"
        if not before:
            if rest or image.resume or image.hold:
                yield "has stores for cells whose points are in its first half, and no such cells"
            return
        self.hardware.carry_out(image.hold, None)
        if {id(c) for c in started if c.started is None} != {id(c) for c in before}:
            yield "stops other cells at its half than those whose points have been"
        self.hardware.carry_out(image.prepare[: early * (len(image.prepare) // len(image.rows))], BEFORE)
        for store in image.resume:
            self.hardware.add(store, Fraction(0))
        still = [c.place.name for c in started if c.started is None]
        if still:
            yield f"does not start {', '.join(still)} anew if no table follows any more"

    def _wrong_adjusting(self, table: ScheduleTable, tick: int, image: OnCells, started: list[Cell]) -> Iterator[str]:
        """The faults of what keeps a table with the global time: at its last point, its cells are shifted as the first allows."""
        if not table.shifted:
            return
        first, last = table.points[0], table.points[-1].offset
        source, _, latest, *limits = map(image.row.get, ADJUSTING)
        own = next((c for c in started if self._action(table, c.place.source) == "adjust"), None)
        if own is None or own.place.source != source:
            yield f"is adjusted by source {source}, which is not its last point's"
        said = last, first.max_lengthen, first.max_shorten
        if (found := tuple(limits)) != said:
            yield f"has its last point, and what lengthens and shortens the way from there, as {found}; the schedule says {said}"
        apart = latest - (last - first.offset) * tick
        room = (table.duration - last + first.offset - first.max_shorten) * tick
        lead = self.hardware.system.board.lead_at(self.hardware.system.clock_hz)
        if apart != lead or lead >= room:
            yield f"is shifted up to {apart} ticks of the clock before its first point, which may come in {room}; it takes {lead}"
        left = {id(c): c for c in started}
        for move in image.moves:
            cell = self.hardware.counter(move.address)
            if cell is None or left.pop(id(cell), None) is None:
                yield f"is adjusted by the counter at {move.address:#x}, which is no cell's that it is to shift now"
                continue
            before = cell.first
            if not any(family.shift(move.address, move.value) for family in self.hardware.families.values()):
                yield f"is adjusted by the register at {move.address:#x}, to which nothing can be added"
            if cell.first != before:
                yield f"has {cell} shifted otherwise than by the adjustment"
            cell.first = before
        for cell in left.values():
            yield f"does not have {cell} shifted when it is adjusted"

    def _action(self, table: ScheduleTable, source: int) -> AlarmAction | str:
        """The action of a source's vector for a table, or "half", "end" or "adjust"; if there is none, an action of no table."""
        service = self.services.get(source) or Service("")
        if service.kind in ("half", "end", "adjust") and service.name == table.name:
            return service.kind
        if service.kind == "point" and service.name == table.name and 0 <= service.number < len(table.actions):
            return table.actions[service.number]
        return ActivateTask(service.name if service.kind == "task" else "")

    def _first(self, cell: Cell) -> Fraction:
        """A cell's first expiry, in ticks after the time base was read (as 0); a start adds the value that it reads.

        The counter has 32 bits, and is not read before that addition: a table's first point may be at its begin.
        """
        since = SINCE_READ[self.hardware.system.board.port] if cell.place.array.start is Start.GROUP else 0
        return ((cell.begins or Fraction(0)) + since) % 2**32

    def _wrong_rows(self, image: OnCells, started: list[Cell]) -> Iterator[str]:
        """What a late start goes by."""
        expected = sorted((int(self._first(c)), int(c.ticks(c.again or 0)), c.place.source) for c in started)
        counters = [self.hardware.counter(shift.address) for shift in image.shifts]
        sources = [c.place.source if c is not None else -1 for c in counters]
        if sorted(image.rows) != expected or [row[0] for row in image.rows] != sorted(row[0] for row in image.rows):
            yield f"has cells for late starts that say {list(image.rows)}, and its cells do {expected}"
        elif sources != [row[2] for row in image.rows] or image.row["first"] != image.rows[0][0]:
            yield f"has its cells in two orders, or {image.row['first']} for the first expiry of all"
