# SPDX-License-Identifier: Apache-2.0
"""The hardware image of each mode: every number that the generated C contains, worked out here.

Emitters only write down what stands here.  The rules are those of the start sequence (``ports/*``): the
stores that start cells are ``board.start_spacing`` ticks apart, and the round's tick 0 is ``board.lead``
ticks after the first of them, so a cell whose start store is the k-th has ``lead + offset - k * spacing``
ticks to its first expiry.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from carillon.actions.activate import Activate
from carillon.actions.check_deadline import CheckDeadline
from carillon.actions.dispatch import Dispatch
from carillon.actions.switch_mode import SwitchMode
from carillon.allocate.fit import TIMEKEEPER_BITS, intervals_of
from carillon.allocate.osek import OsekAllocation
from carillon.allocate.result import Allocation, Carrier, Cell, CellUse, ModeAllocation, Progression, Style
from carillon.diagnostics import Diagnostics, Span
from carillon.lower import Demand, ExpiryPoint, points_in_order
from carillon.model import System
from carillon.model.board import BaseKind, Board, Cells, Family, Rearm, Role, Start

TIMEKEEPER_BEGIN = 2**TIMEKEEPER_BITS - 1
"""What the timekeeper beside a reloaded cell counts down from, again and again."""


@dataclass(frozen=True, slots=True)
class CellImage:
    """One cell of a mode: all intervals in the cell's units; ``number`` counts the family's cells of the board.

    ``due``: what the timekeeper, the cell beside it, reads at the cell's first expiry; None: it has none.
    """

    use: CellUse
    carrier: Carrier
    family: Family
    number: int
    first: int
    period: int
    due: int | None = None

    @property
    def macro(self) -> str:
        """The prefix of the driver's macros."""
        return self.family.name.upper()

    @property
    def disarmed(self) -> bool:
        """Whether its request is enabled only while it is wanted: met deadlines and unwanted switches cost nothing."""
        return self.carrier.action.held and self.carrier.style is Style.DIRECT

    @property
    def finishes(self) -> bool:
        """Whether the cell has stores right after the start."""
        again = self.first > self.period and self.carrier.style is Style.DIRECT
        return self.family.finish and (again or not self.family.late)


@dataclass(frozen=True, slots=True)
class StartStore:
    """One store of the start sequence; several cells where the device starts a group at once.

    ``timekeeper``: what it starts is the timekeeper beside the cell.
    """

    cells: tuple[CellImage, ...]
    group: bool
    timekeeper: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One interval of a multiplexed cell: to point ``to``; ``units`` counts from the point before it."""

    to: int
    units: int


@dataclass(frozen=True, slots=True)
class Multiplex:
    """The steps of a multiplexed cell in the order in which its handler takes them."""

    cell: CellImage
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class TableEntry:
    """One entry of the conventional kernel's dispatcher table; ``more``: the next is due in the same tick."""

    point: ExpiryPoint
    step: Step
    more: bool


@dataclass(frozen=True, slots=True)
class TimeBase:
    """A cell whose counter reads ``phase - time`` (modulo the round's length)."""

    cell: CellImage
    phase: int


@dataclass(frozen=True, slots=True)
class Control:
    """How the mode is left: ``target`` is the control cell's counter when the next mode's start store is due."""

    cell: CellImage
    at: int
    target: int
    gap: int


@dataclass(frozen=True, slots=True)
class ModeImage:
    """Everything about one mode."""

    allocation: ModeAllocation
    cells: tuple[CellImage, ...]
    start: tuple[StartStore, ...]
    multiplexes: tuple[Multiplex, ...]
    table: tuple[TableEntry, ...]
    control: Control | None
    time_base: TimeBase | None

    def last_before(self, cell: CellImage, board: Board) -> int:
        """When a cell expires for the last time before its first expiry, in its units since the first start store.

        What expires then is forgotten in the order of these times (``finish``), which forgets no expiry of the round:

        1. Each cell is waited for, so nothing is forgotten before it has expired.
        2. The wait is for a counter that cannot have begun anew: no period is shorter than the lead (``Fitter``).
        3. In this order the wait for one cell is over before the next one's, so each is forgotten at once, or behind the few
           that expired together with it; its own next expiry is a whole period, so the lead or more, away.
        """
        position = next(k for k, store in enumerate(self.start) if any(c.use is cell.use for c in store.cells))
        return cell.first + cell.use.units(position * board.start_spacing) - cell.period

    @property
    def dispatch(self) -> CellImage | None:
        """The cell of the table; None if the mode has none."""
        return next((cell for cell in self.cells if isinstance(cell.carrier.action, Dispatch)), None)

    @property
    def watched(self) -> frozenset[tuple[str, int]]:
        """The deadlines that the kernel watches: tasks and ticks of the round (its end is 0)."""
        length = self.allocation.mode.round_length
        tabled = {(e.point.object, e.point.at % length) for e in self.table if isinstance(e.point.action, CheckDeadline)}
        carriers = [c for c in self.allocation.carriers if isinstance(c.action, CheckDeadline)]
        return frozenset({(c.demand.object, t % length) for c in carriers for t in c.demand.times} | tabled)


@dataclass(frozen=True, slots=True)
class OsekImage:
    """The event-triggered system's hardware: cells of its counters and alarms, and their start sequence.

    ``lead`` is the ticks from the first start store to tick 0 of its counters: none where their first expiries are far
    enough away.  ``base``: the cell of the time base, and ``origin`` what the base reads at tick 0 (carillon/base.h).
    """

    allocation: OsekAllocation
    lead: int
    cells: tuple[CellImage, ...]
    start: tuple[StartStore, ...]
    base: CellImage | None = None
    origin: int = 0

    def cell(self, carrier: Carrier) -> CellImage:
        """The cell of a counter's or an alarm's carrier."""
        return next(cell for cell in self.cells if cell.carrier is carrier)


@dataclass(frozen=True, slots=True)
class Vector:
    """What an interrupt source is for while a mode runs.

    ``symbol`` is the C function that its vector names.  ``object`` is the task, interrupt, counter ... that it serves,
    ``role`` in which role of the rounds (None: an interrupt of the application, or event-triggered).  ``runs`` is the
    function of the application that its handler runs, or is; empty where the kernel decides what runs, or nothing does.
    """

    source: int
    symbol: str
    object: str
    role: Role | None
    runs: str


@dataclass(frozen=True, slots=True)
class Image:
    """Everything about the application; ``osek`` is None where all is time-triggered.

    ``vectors`` has a table for each mode, by source; one table where there is no mode.  Whatever reads a run reads
    there what an interrupt means.
    """

    system: System
    allocation: Allocation
    modes: tuple[ModeImage, ...]
    osek: OsekImage | None = None
    vectors: tuple[tuple[Vector, ...], ...] = ()


def base_levels(image: Image) -> int:
    """How many levels lie below everything time-triggered: the event-triggered system, then interrupts below tasks."""
    osek = image.osek.allocation.hardware_levels if image.osek is not None else 0
    return osek + any(not i.above_tasks for i in image.system.interrupts)


def _number(system: System, cell: Cell) -> int:
    base = 0
    for array in system.board.cells:
        if array is cell.array or array == cell.array:
            break
        if array.family == cell.array.family:
            base += len(array.names)
    return base + cell.index


def _start_order(board: Board, uses: list[tuple[Carrier, CellUse]]) -> list[tuple[Cells, list[tuple[Carrier, CellUse]]]]:
    """The stores of the start sequence: cells that start one by one come first, groups last."""
    single = [(use.cell.array, [(carrier, use)]) for carrier, use in uses if use.cell.array.start is Start.EACH]
    groups: list[tuple[Cells, list[tuple[Carrier, CellUse]]]] = []
    for carrier, use in uses:
        if use.cell.array.start is Start.GROUP:
            for array, members in groups:
                if array.family == use.cell.array.family:
                    members.append((carrier, use))
                    break
            else:
                groups.append((use.cell.array, [(carrier, use)]))
    timers: list[tuple[Cells, list[tuple[Carrier, CellUse]]]] = []
    for array in (a for a in board.cells if a.start is Start.TIMER):
        members = [(carrier, use) for carrier, use in uses if use.cell.array == array]
        timers += [(array, members)] if members else []
    return single + timers + groups


def _in_order(carrier: Carrier, round_length: int) -> list[int]:
    """The different times of a re-armed cell, as they come in the first round.

    A deadline at the round's end belongs to an activation before it, so it comes last.  The cell that began with it,
    at tick 0, would miss a deadline that no activation has.  Any other point is at its place in the round.
    """
    times = carrier.demand.times
    return sorted(set(times) if isinstance(carrier.action, CheckDeadline) else {t % round_length for t in times})


def _steps(carrier: Carrier, use: CellUse, round_length: int) -> tuple[Step, ...]:
    """The intervals of a multiplexed cell, beginning with that from its first point to the second."""
    times = _in_order(carrier, round_length)
    intervals = intervals_of(times, round_length)
    following = [*times[1:], times[0]]
    return tuple(Step(to, use.units(interval)) for to, interval in zip(following, intervals, strict=True))


def _cell_image(
    system: System, carrier: Carrier, use: CellUse, position: int, round_length: int, lead: int | None = None
) -> CellImage:
    board = system.board
    times = _in_order(carrier, round_length)
    offset = times[0] if carrier.style is Style.MULTIPLEXED else use.progression.offset
    if isinstance(carrier.action, SwitchMode) and offset == 0:
        offset = round_length  # the end of the first round, not its beginning
    first = use.units((board.lead_at(system.clock_hz) if lead is None else lead) + offset - position * board.start_spacing)
    period = use.units(use.progression.period)
    if carrier.style is Style.MULTIPLEXED and use.cell.array.rearm is Rearm.RELOAD:
        period = use.units(times[1] - times[0] if len(times) > 1 else round_length)
    due = None
    if _has_timekeeper(carrier, use):  # the timekeeper is started by the store before
        due = TIMEKEEPER_BEGIN - first - use.units(board.start_spacing)
    return CellImage(use, carrier, use.cell.array.family, _number(system, use.cell), first, period, due)


def _has_timekeeper(carrier: Carrier, use: CellUse) -> bool:
    """Whether a cell's neighbour tells its handler the time."""
    return carrier.style is Style.MULTIPLEXED and use.cell.array.rearm is Rearm.RELOAD


def _control(system: System, mode: ModeAllocation, cells: tuple[CellImage, ...], diagnostics: Diagnostics) -> Control | None:
    """Where the mode is left, and how late the next round begins (0 if the slack of the round suffices)."""
    point = next((d.points[0] for d in mode.mode.demands if isinstance(d.action, SwitchMode)), None)
    if point is None:
        return None
    board, length = system.board, mode.mode.round_length
    own = [c for c in cells if isinstance(c.carrier.action, SwitchMode)]
    cell = own[0] if own else next(c for c in cells if isinstance(c.carrier.action, Dispatch))
    at = point.at
    counts = length
    if isinstance(cell.carrier.action, Dispatch):
        times = sorted({t % length for t in cell.carrier.demand.times})
        following = [t for t in times if t > at % length]
        counts = (following[0] if following else times[0] + length) - at % length
        if counts <= board.switch_ticks:
            diagnostics.error(
                "C094",
                point.span,
                f"mode '{mode.mode.name}': the conventional kernel takes {board.switch_ticks} ticks to switch modes, but "
                f"its timer is due {counts} ticks after the switch at {at}",
                "leave more time between the round's last window and the first point of the next round",
            )
            return None
    elif counts <= board.switch_ticks:
        diagnostics.error(
            "C195",
            point.span,
            f"mode '{mode.mode.name}': a switch to another mode takes {board.switch_ticks} ticks, and the round has {length}",
            "lengthen the round: one that repeats the points means the same",
        )
        return None
    target = cell.use.units(counts - board.switch_ticks)
    return Control(cell, at, target, at + board.switch_ticks + board.lead_at(system.clock_hz) - length)


def _time_base(cells: tuple[CellImage, ...], length: int, kernel: str) -> TimeBase | None:
    if kernel != "carillon":
        return None
    for cell in cells:
        use = cell.use
        # A family that can be the control cell has a counter that the driver can read.
        usable = Role.CONTROL in use.cell.array.roles and use.units_per_tick == 1 and cell.carrier.style is Style.DIRECT
        if usable and use.progression.period == length:
            return TimeBase(cell, use.progression.offset)
    return None


def build_image(system: System, allocation: Allocation, diagnostics: Diagnostics) -> Image:
    """Work out the image of every mode.  Reports C094 or C195 where a switch of modes takes too long."""
    from carillon.emit import vectors

    modes = []
    for mode in allocation.modes:
        length = mode.mode.round_length
        uses = [(carrier, use) for carrier in mode.carriers for use in carrier.cells]
        start: list[StartStore] = []
        cells: list[CellImage] = []
        for array, members in _start_order(system.board, uses):
            based = _has_timekeeper(*members[0])
            position = len(start) + based
            images = tuple(_cell_image(system, carrier, use, position, length) for carrier, use in members)
            cells.extend(images)
            start += [StartStore(images, False, timekeeper=True)] if based else []
            start.append(StartStore(images, array.start is Start.GROUP))
        order = {id(use): place for place, (_, use) in enumerate(uses)}
        in_order = tuple(sorted(cells, key=lambda c: order[id(c.use)]))
        multiplexes = tuple(
            Multiplex(cell, _steps(cell.carrier, cell.use, length))
            for cell in in_order
            if cell.carrier.style is Style.MULTIPLEXED and not isinstance(cell.carrier.action, Dispatch)
        )
        table: tuple[TableEntry, ...] = ()
        timer = next((c for c in in_order if isinstance(c.carrier.action, Dispatch)), None)
        if timer is not None:
            table = _table(timer, length)
        modes.append(
            ModeImage(
                mode,
                in_order,
                tuple(start),
                multiplexes,
                table,
                _control(system, mode, in_order, diagnostics),
                _time_base(in_order, length, allocation.kernel),
            )
        )
    osek = _osek(system, allocation.osek) if allocation.osek is not None else None
    image = Image(system, allocation, tuple(modes), osek)
    return replace(image, vectors=vectors.table(image))


def _osek(system: System, allocation: OsekAllocation) -> OsekImage:
    uses = [(carrier, use) for carrier in allocation.carriers for use in carrier.cells]
    board = system.board
    lead = board.lead_at(system.clock_hz)
    lead = 0 if all(use.progression.offset >= 2 * lead for _, use in uses) else lead
    base, origin = allocation.base, 0
    if base is not None:
        origin = base.period - (0 if base.kind is BaseKind.UP else lead)  # it is at its period when it is started
        if base.use is not None:
            progression = Progression(origin, base.period)
            point = ExpiryPoint(origin, Activate("base"), origin, Span(""))
            demand = Demand(Activate("time base"), (point,), True, True)
            use = replace(base.use, progression=progression)
            uses.append((Carrier(demand, base.source, (use,), Style.DIRECT, 0, False), use))
    start: list[StartStore] = []
    cells: list[CellImage] = []
    for position, (array, members) in enumerate(_start_order(board, uses)):
        longest = [use.progression.offset + use.progression.period for _, use in members]
        images = tuple(_cell_image(system, c, u, position, n, lead) for (c, u), n in zip(members, longest, strict=True))
        cells.extend(images)
        start.append(StartStore(images, array.start is Start.GROUP))
    own = next((cell for cell in cells if base is not None and cell.carrier.source == base.source and base.use is not None), None)
    if own is not None and base is not None and base.kind is BaseKind.UP:
        origin -= own.first - base.period  # it counts from 0, and from its own start
    if own is not None and base is not None:
        # Cells of one group begin in the same cycle; others may be a part of a unit apart, and the base is not to be behind.
        ticking = [carrier.cells[0].cell.array for carrier in allocation.ticking]
        together = base.array.start is Start.GROUP and all(array == base.array for array in ticking)
        origin += 0 if together else 1
    return OsekImage(allocation, lead, tuple(cells), tuple(start), own, origin)


def _table(timer: CellImage, length: int) -> tuple[TableEntry, ...]:
    """The dispatcher table: every point that its cell carries, each with the step that its tick takes."""
    points = points_in_order([timer.carrier.demand], length)
    times = sorted({p.at % length for p in points})
    steps = dict(zip(times, _steps(timer.carrier, timer.use, length), strict=True))
    return tuple(
        TableEntry(point, steps[point.at % length], k + 1 < len(points) and points[k + 1].at % length == point.at % length)
        for k, point in enumerate(points)
    )
