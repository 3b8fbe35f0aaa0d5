# SPDX-License-Identifier: Apache-2.0
"""The lists of stores by which a mode, and the event-triggered system, prepare, start, stop and leave their cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from carillon.actions.dispatch import Dispatch
from carillon.image import CellImage, Image, ModeImage, OsekImage, StartStore, Store
from carillon.image.forms import armed_by_expiry
from carillon.image.levels import controlled, enabled, ground_state, mode_levels, osek_levels
from carillon.image.pieces import ENTRIES
from carillon.image.pieces.common import by_register
from carillon.image.sync import first_of, place_of
from carillon.model import SyncStart
from carillon.model.board import Board
from carillon.model.family import Capability, Start


def of_sources(board: Board, does: str, sources: Iterable[int]) -> tuple[Store, ...]:
    """Stores for some sources: one for each request register."""
    return tuple(Store(does, numbers=(group[0], *group)) for group in by_register(board, sources))


def control_stores(cell: CellImage) -> tuple[Store, Store]:
    """The stores that forget, and that enable, the request by which a mode is left."""
    source = cell.carrier.source
    forget, enable = (Store(does, numbers=(source, source)) for does in ("UNPEND", "ENABLE"))
    if isinstance(cell.carrier.action, Dispatch):  # the table's cell interrupts anyway: nothing is forgotten
        return enable, enable
    return forget, _of(cell, "START") if cell.use.cell.array.request_enable == "cell" else enable


def with_stores(image: Image, mode: ModeImage) -> ModeImage:
    """The mode with its lists of stores, and the state of its sources while it runs."""
    board, cells = image.system.board, mode.cells
    control = mode.control.cell if mode.control is not None else None
    beneath = [cell for cell in image.osek.cells if not cell.carrier.action.stands] if image.osek is not None else ()
    sources_of_mode = [c.carrier.source for c in cells if controlled(board, c.carrier.source)]
    may = enabled(image, mode)
    armed, elsewhere = armed_by_expiry(image, mode), _arming(image)
    prepare, stop = [], []
    for cell in cells:
        if cell is not control:
            prepare += [
                _turned(cell, mode) or _apart(cell, mode) or _prepare(cell, first=_first(cell, mode)),
                *([_of(cell, "HOLD")] if _holds(cell) else []),
            ]
            stop.append(_of(cell, "STOP"))
        if cell.due is not None:
            prepare.append(Store("TIMEKEEPER_PREPARE", cell, (cell.number + 1,), about=(cell,)))
            stop.append(Store("STOP", cell, (cell.number + 1,)))
        deadlines = armed.get(cell.carrier.source, []) if cell.carrier.action.runs else []
        if deadlines or cell.use.cell.name in elsewhere:
            prepare.append(Store("ARMS", cell, (cell.number, sum(1 << c.number for c in deadlines)), about=(cell,)))
        prepare += [_of(cell, "HOLD")] if any(cell in cells for cells in armed.values()) else []
    if len(image.modes) > 1:  # a single mode stops for good, with interrupts locked
        stop += of_sources(board, "DISABLE", sources_of_mode) + of_sources(board, "UNPEND", sources_of_mode)
    waits, start = _triggered(image, mode) or ((), tuple(_start(store, beneath) for store in mode.start))
    stores = {
        "prepare": (*prepare, *waits, *of_sources(board, "UNPEND", sources_of_mode), *of_sources(board, "ENABLE", may)),
        "restart": (_of(control, "STOP"), _prepare(control)) if control is not None else (),
        "start": start,
        "finish": _finish(sorted(cells, key=lambda cell: mode.last_before(cell, board)), mode),
        "stop": tuple(stop),
        "align": _align(cells, mode),
    }
    table = tuple(replace(entry, does=ENTRIES[type(entry.point.action)](image, entry.point)) for entry in mode.table)
    levels = tuple(sorted(mode_levels(image, mode).items()))
    sync, limits = mode.sync, image.system.sync
    if sync is not None and limits is not None and limits.start is SyncStart.HARD:
        source = sync.cell.carrier.source
        waiting, forgotten = ([s for s in sources if s != source] for sources in (may, sources_of_mode))
        release = of_sources(board, "UNPEND", forgotten) + of_sources(board, "ENABLE", waiting)
        sync = replace(sync, hold=of_sources(board, "DISABLE", waiting), release=release)
    return replace(mode, stores=stores, table=table, levels=levels, ground=ground_state(image, mode), sync=sync)


def osek_with_stores(board: Board, osek: OsekImage) -> OsekImage:
    """The event-triggered system with its lists of stores, and the state of its sources while it runs."""
    levels = osek_levels(osek.allocation)
    nothing = Store("UNPEND", numbers=(board.request_base,))
    shared, own = osek.allocation.round_budgets, osek.allocation.task_budgets.values()
    rounds = [*own, *([shared] if shared is not None else [])]  # which ttStartOS admits, and no ShutdownOS stops
    admitted = {carrier.source for carrier in rounds}
    sources = [source for source in levels if controlled(board, source) and source not in admitted]
    kept = [cell for table in osek.tables if table.restarts for _, cell in table.cells]
    start = []
    for store in osek.start:
        cell = store.cells[0]
        together = store.cells if store.group else ()
        start.append(Store(_named(osek, cell, "START"), cell, (cell.number,), together, store.cells))
    prepare = []
    for cell in osek.cells:
        prepare += [
            _prepare(cell, _named(osek, cell, "PREPARE")),
            *([_of(cell, "HOLD")] if cell is osek.base and _has_mask(cell) else []),
        ]
    stores = {
        "prepare": (*prepare, *map(_prepare_table, kept)),
        "start": tuple(start) or (nothing,),  # marks the run's beginning where no cell starts
        "align": _align(osek.cells),
        "finish": _finish(osek.cells),
        "stop": tuple(_of(cell, "STOP") for cell in (*osek.cells, *osek.stopped) if cell.carrier not in rounds),
    }
    kinds = {"forget": "UNPEND", "enable": "ADMIT", "disable": "DISABLE"}
    requests = {name: of_sources(board, kind, sources) or (nothing,) for name, kind in kinds.items()}
    return replace(osek, stores=stores, requests=requests, levels=tuple(sorted(levels.items())))


def _arming(image: Image) -> set[str]:
    """The cells that arm deadlines in some mode: every other mode says that they arm none, or others."""
    return {
        cell.use.cell.name
        for mode in image.modes
        for source in armed_by_expiry(image, mode)
        for cell in mode.cells
        if cell.carrier.source == source and cell.carrier.action.runs
    }


def _of(cell: CellImage, does: str) -> Store:
    return Store(does, cell, (cell.number,))


def _prepare(cell: CellImage, does: str = "PREPARE", first: int | None = None) -> Store:
    first = cell.first if first is None else first
    times = (0, 0) if cell.carrier.action.stands else (first, cell.period)
    return Store(does, cell, (cell.number, *times, cell.use.prescaler), about=(cell,))


def _apart(cell: CellImage, mode: ModeImage) -> Store | None:
    """The store that prepares a sync cell that is another timer than the round's: for less than a round, if that comes first."""
    if mode.sync is None or mode.sync.unit is None or cell is not mode.sync.cell:
        return None
    return _prepare(cell, "SYNC_PREPARE", first_of(mode.sync) // mode.sync.unit)


def _prepare_table(cell: CellImage) -> Store:
    """Before any start of its schedule table: where one store moves all its cells, they begin at their first points."""
    if Capability.MOVE not in cell.family.can:
        return _prepare(cell, first=cell.period)
    return _prepare(cell, "RESTART_PREPARE")


def _first(cell: CellImage, mode: ModeImage | None = None) -> int:
    """The interval to the first expiry; of a match that arming moves on, to the expiry before the first that is watched.

    That is a period earlier, modulo the counter's turn, unless the task's first activation comes after the cell's first expiry.
    """
    array = cell.use.cell.array
    if mode is None or not (array.moves and _holds(cell)):
        return cell.first
    task, turn = cell.carrier.demand.object, 1 << array.width
    starts = min(
        t for c in mode.cells if c.carrier.action.runs and c.carrier.demand.object == task for t in c.carrier.demand.times
    )
    if starts >= cell.use.progression.offset and cell.first < turn - cell.period:
        return cell.first
    return (cell.first - cell.period) % turn


def _align(cells: Iterable[CellImage], mode: ModeImage | None = None) -> tuple[Store, ...]:
    moved = (cell for cell in cells if cell.family.align and not cell.carrier.action.stands)
    return tuple(Store("ALIGN", cell, (cell.number, _first(cell, mode), cell.period), about=(cell,)) for cell in moved)


def _finish(cells: Iterable[CellImage], mode: ModeImage | None = None) -> tuple[Store, ...]:
    sync = mode.sync if mode is not None else None
    return tuple(
        Store("TURN_FINISH", c, (c.number, place_of(sync, c)), about=(c,))
        if sync is not None and sync.wrap is not None
        else Store("FINISH", c, (c.number, c.first, c.period), about=(c,))
        for c in cells
        if c.finishes
    )


def _turned(cell: CellImage, mode: ModeImage) -> Store | None:
    """The store that prepares a channel of a timer whose turn is a round that follows a global time; None for another cell."""
    if mode.sync is None or mode.sync.wrap is None:
        return None
    place = place_of(mode.sync, cell)
    begin = (place - cell.first) % cell.period
    return Store("TURN_PREPARE", cell, (cell.number, begin, place), about=(cell,))


def _holds(cell: CellImage) -> bool:
    """Whether a cell is disarmed by a store of its own, because the store that starts it does not tell cells apart."""
    return cell.disarmed and _has_mask(cell)


def _has_mask(cell: CellImage) -> bool:
    """Whether a cell has a mask that is another register than what starts it."""
    return cell.use.cell.array.request_enable == "cell" and Capability.HOLD in cell.family.can


def _start(store: StartStore, beneath: Iterable[CellImage]) -> Store:
    """A store of a mode's start sequence; it leaves the cells ``beneath`` the round as they are."""
    cell = store.cells[0]
    if store.group:
        together = (*store.cells, *(other for other in beneath if other.family == cell.family))
        return Store("START", cell, together=together, about=store.cells)
    held = cell.disarmed and cell.use.cell.array.request_enable == "cell" and not _holds(cell)
    return Store(
        "START_DISARMED" if held or store.timekeeper else "START", cell, (cell.number + store.timekeeper,), about=store.cells
    )


def _triggered(image: Image, mode: ModeImage) -> tuple[tuple[Store, ...], tuple[Store, ...]] | None:
    """The stores that prepare another timer's trigger to start the cells, and that let it; None: a store starts them."""
    started, board = image.system.start, image.system.board
    if started is None:
        return None
    about = tuple(cell for store in mode.start for cell in store.cells)
    delay = started.delay(board.lead_at(image.system.clock_hz))
    prepare = Store("TRIGGER_PREPARE", about[0], (delay,))
    return (prepare,), (Store("TRIGGER_START", about[0], (board.triggers[started.by],), about=about),)


def _named(osek: OsekImage, cell: CellImage, does: str) -> str:
    """The driver's macro that prepares or starts a cell; nobody wants the interrupt of the time base's."""
    array, clock = cell.use.cell.array, osek.allocation.clock
    if cell.carrier == osek.allocation.round_budgets and array.start is Start.TIMER:
        return f"FREE_{does}"
    if cell is not osek.base:
        return f"FREE_{does}" if clock is not None and clock.driver.free and cell.carrier == clock.carrier else does
    if array.start is Start.TIMER:  # it may be free of a round
        return f"FREE_{does}"
    return "START_DISARMED" if does == "START" and array.request_enable == "cell" and not _has_mask(cell) else does
