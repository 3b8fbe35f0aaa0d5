# SPDX-License-Identifier: Apache-2.0
"""Work out the image of an allocation.

The rules are those of the start sequence (``ports/*``).  The stores that start cells are ``board.start_spacing`` ticks apart, and
the round's tick 0 is ``board.lead`` ticks after the first of them.  So a cell whose start store is the k-th has ``lead + offset -
k * spacing`` ticks to its first expiry.
"""

from __future__ import annotations

from dataclasses import replace

from carillon.actions.check_deadline import CheckDeadline
from carillon.actions.count import Count
from carillon.actions.dispatch import Dispatch
from carillon.actions.switch_mode import SwitchMode
from carillon.allocate.allocation import Allocation
from carillon.allocate.fit import intervals_of
from carillon.allocate.osek import OsekAllocation
from carillon.allocate.result import Carrier, Cell, CellUse, ModeAllocation, Progression, Style
from carillon.allocate.table_cells import near_of
from carillon.diagnostics import Diagnostics, Span
from carillon.image import (
    TIMEKEEPER_BEGIN,
    CellImage,
    Control,
    Image,
    ModeImage,
    Multiplex,
    OsekImage,
    StartStore,
    Step,
    TableEntry,
    TableImage,
    TickFrame,
    TimeBase,
)
from carillon.image.devices import devices
from carillon.image.handlers import direct, event_triggered, handlers, vector_tables, wrapped
from carillon.image.osek import with_levels
from carillon.image.stores import control_stores, of_sources, osek_with_stores, with_stores
from carillon.image.switches import switches
from carillon.image.sync import sync_image
from carillon.lower import Demand, ExpiryPoint, points_in_order
from carillon.lower.events import Series
from carillon.microcode.compiled import Blocks, Microcode
from carillon.model import System
from carillon.model.board import Board, Cells, Role
from carillon.model.family import BaseKind, Rearm, Start
from carillon.model.osek import ScheduleTable


def _number(system: System, cell: Cell) -> int:
    base = 0
    for array in system.board.cells:
        if array is cell.array or array == cell.array:
            break
        if array.family == cell.array.family:
            base += len(array.names)
    return base + cell.index


def _start_order(board: Board, uses: list[tuple[Carrier, CellUse]]) -> list[tuple[Cells, list[tuple[Carrier, CellUse]]]]:
    """The stores of the start sequence: first cells that start one by one, then timers, then groups.

    Where the stores are less than a tick apart, nothing makes up for their places: those that start a deadline's cell come first.
    A deadline on the tick of its task's next activation would else come after that has armed the cell, and be told as missed.
    """
    single = [(use.cell.array, [(carrier, use)]) for carrier, use in uses if use.cell.array.start is Start.EACH]
    groups: dict[str, tuple[Cells, list[tuple[Carrier, CellUse]]]] = {}
    for carrier, use in uses:
        if use.cell.array.start is Start.GROUP:
            groups.setdefault(use.cell.array.family.name, (use.cell.array, []))[1].append((carrier, use))
    timers: list[tuple[Cells, list[tuple[Carrier, CellUse]]]] = []
    for array in (a for a in board.cells if a.start is Start.TIMER):
        members = [(carrier, use) for carrier, use in uses if use.cell.array == array]
        timers += [(array, members)] if members else []
    found = [*single, *timers, *groups.values()]
    if single and not board.start_spacing:
        found.sort(key=lambda store: not any(isinstance(carrier.action, CheckDeadline) for carrier, _ in store[1]))
    return found


def _in_order(carrier: Carrier, round_length: int) -> list[int]:
    """The different times of a re-armed cell, as they come in the first round.

    A deadline at the round's end belongs to an activation before it, so it comes last.  The cell that began with it,
    at tick 0, would miss a deadline that no activation has.  Any other point is at its place in the round.
    """
    times = carrier.demand.followed
    return sorted(set(times) if isinstance(carrier.action, CheckDeadline) else {t % round_length for t in times})


def _steps(carrier: Carrier, use: CellUse, round_length: int) -> tuple[Step, ...]:
    """The intervals of a multiplexed cell; the first leads from its first point to its second."""
    times = _in_order(carrier, round_length)
    intervals = intervals_of(times, round_length)
    following = [*times[1:], times[0]]
    units = [use.units(interval) for interval in intervals]
    # The rest beyond whole turns is 1 to a whole turn; a whole turn reads 0 in the channel's bits.
    turn = 1 << use.cell.array.width
    counted = [((n - 1) // turn, n % turn) if use.cell.array.start is Start.TIMER else (0, n) for n in units]
    return tuple(Step(to, rest, laps) for to, (laps, rest) in zip(following, counted, strict=True))


def _recurring(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The first of some steps, as few as are the same in turn."""
    units = [(step.units, step.laps) for step in steps]
    counts = (n for n in range(1, len(steps)) if len(steps) % n == 0)
    return steps[: next((n for n in counts if units[:n] * (len(steps) // n) == units), len(steps))]


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
        cause = f"mode '{mode.mode.name}': a switch to another mode takes {board.switch_ticks} ticks, and the round has {length}"
        diagnostics.error("C195", point.span, cause, "lengthen the round: one that repeats the points means the same")
        return None
    target = cell.use.units(counts - board.switch_ticks)
    gap = at + board.switch_ticks + board.lead_at(system.clock_hz) - length
    return Control(cell, at, target, gap, *control_stores(cell))


def _time_base(cells: tuple[CellImage, ...], length: int, kernel: str) -> TimeBase | None:
    if kernel != "carillon":
        return None
    for cell in cells:
        use = cell.use
        # A family that can serve as the control cell has a counter that the driver can read.
        usable = Role.CONTROL in use.cell.array.roles and use.units_per_tick == 1 and cell.carrier.style is Style.DIRECT
        if usable and use.progression.period == length:
            return TimeBase(cell, use.progression.offset)
    return None


def build_image(system: System, allocation: Allocation, program: Microcode | Blocks | None, diagnostics: Diagnostics) -> Image:
    """Work out the image of every mode, and of a Giotto program.  Reports C094 or C195 where a switch of modes takes too long."""
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
            Multiplex(cell, _recurring(_steps(cell.carrier, cell.use, length)))
            for cell in in_order
            if cell.carrier.style is Style.MULTIPLEXED and not isinstance(cell.carrier.action, Dispatch)
        )
        table = tuple(entry for c in in_order if isinstance(c.carrier.action, Dispatch) for entry in _table(c, length))
        control = _control(system, mode, in_order, diagnostics)
        base = _time_base(in_order, length, allocation.kernel)
        sync = sync_image(system, mode, in_order, control.gap if control else 0, diagnostics)
        modes.append(ModeImage(mode, in_order, tuple(start), multiplexes, table, control, base, sync))
    blocks = program if isinstance(program, Blocks) else None
    microcode = program if isinstance(program, Microcode) else None
    osek = _osek(system, allocation.osek, not allocation.counters, microcode is not None) if allocation.osek is not None else None
    initials = of_sources(system.board, "ENABLE", [interrupt.source for interrupt in system.interrupts])
    image = Image(system, allocation, tuple(modes), osek, initials=initials, microcode=microcode, blocks=blocks)
    image = replace(image, modes=tuple(with_stores(image, mode) for mode in image.modes))
    image = replace(image, beneath=event_triggered(image), wrapped={it.name: wrapped(image, it) for it in system.interrupts})
    generated, leads = handlers(image)
    vectors = vector_tables(image, leads)
    called = direct(image, generated, vectors)
    return replace(image, handlers=generated, vectors=vectors, direct=called, switches=switches(image))


def _osek(system: System, allocation: OsekAllocation, counts_ticks: bool, microcode: bool) -> OsekImage:
    """The event-triggered system.  ``counts_ticks``: only the clock counts; ``microcode``: its tick ends slices."""
    started = [c for c in allocation.carriers if not isinstance(c.demand.whose, Series)]  # a table starts its own
    uses = [(carrier, use) for carrier in started for use in carrier.cells]
    board = system.board
    lead = board.lead_at(system.clock_hz)
    early = any(table.autostart is not None for table in allocation.on_cells)  # a table may begin right after tick 0
    lead = 0 if not early and all(use.progression.offset >= 2 * lead for _, use in uses) else lead
    base, origin, guard = allocation.base, 0, 0
    if base is not None:
        origin = base.period - (0 if base.kind is BaseKind.UP else lead)  # the base reads its period at its start
        if base.use is not None:
            progression = Progression(origin, base.period)
            point = ExpiryPoint(origin, Count("time base"), origin, Span(""))
            demand = Demand(Count("time base"), (point,), True, True)
            use = replace(base.use, progression=progression)
            uses.append((Carrier(demand, base.source, (use,), Style.DIRECT, 0, False), use))
    start: list[StartStore] = []
    cells: list[CellImage] = []
    for position, (array, members) in enumerate(_start_order(board, uses)):
        longest = [use.progression.offset + use.progression.period for _, use in members]
        images = tuple(_cell_image(system, c, u, position, n, lead) for (c, u), n in zip(members, longest, strict=True))
        cells.extend(images)
        begins = tuple(it for it in images if not it.carrier.action.stands)
        start += [StartStore(begins, array.start is Start.GROUP)] if begins else []
    base_cell = next((c for c in cells if base is not None and c.carrier.source == base.source and base.use is not None), None)
    if base_cell is not None and base is not None and base.kind is BaseKind.UP:
        origin -= base_cell.first - base.period  # the base counts from 0, and from its own start
    if base_cell is not None and base is not None:
        # Cells of one group start in the same cycle; others may differ by a part of a unit, and the base must not be behind.
        ticking = [carrier.cells[0].cell.array for carrier in allocation.ticking]
        together = base.array.start is Start.GROUP and all(array == base.array for array in ticking)
        guard = 0 if together else 1
        origin += guard
    tables = tuple(_table_image(system, allocation, table) for table in allocation.on_cells)
    clock, frame = allocation.clock, None
    if clock is not None and clock.counted and board.vectors == "code" and counts_ticks and not clock.services.uptime:
        frame = TickFrame(next(image for image in cells if image.carrier is clock.carrier), clock.services.now)
    osek = OsekImage(allocation, lead, tuple(cells), tuple(start), base_cell, tables, tick_frame=frame)
    osek = with_levels(osek, microcode, board)
    return osek_with_stores(board, replace(osek, devices=devices(system, osek, origin, guard)))


def _table_image(system: System, allocation: OsekAllocation, table: ScheduleTable) -> TableImage:
    """The cells of a schedule table; what is due before a start has set them is late."""
    cells = []
    near = near_of(system.board, system.clock_hz, table)
    counter = allocation.osek.counter(table.counter)
    for series, carrier in allocation.cells_of(table):
        (use,) = carrier.cells
        period = use.units(use.progression.period)
        first = series.offsets.start * counter.tick
        cells.append((series, CellImage(use, carrier, use.cell.array.family, _number(system, use.cell), first, period)))
    return TableImage(table, counter, tuple(cells), near, system.board.start_spacing)


def _table(timer: CellImage, length: int) -> tuple[TableEntry, ...]:
    """The dispatcher table: each point of the timer's cell, with the step of its tick."""
    points = points_in_order([timer.carrier.demand], length)
    times = sorted({p.at % length for p in points})
    steps = dict(zip(times, _steps(timer.carrier, timer.use, length), strict=True))
    ends = {p.at % length: k + 1 for k, p in enumerate(points)}
    behind = [(point, k + 1, ends[point.at % length]) for k, point in enumerate(points)]
    return tuple(TableEntry(p, steps[p.at % length], after < end, end % len(points)) for p, after, end in behind)
