# SPDX-License-Identifier: Apache-2.0
"""The sync point of a round: it comes after all other points, and moves all cells alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carillon.verify.contract import stores
from carillon.verify.expected import Subject
from carillon.verify.families.avr16 import WORD
from carillon.verify.hardware import Running

if TYPE_CHECKING:
    from carillon.verify.families import Cell
    from carillon.verify.layout import Row
    from carillon.verify.rounds import Round

AFTER = 2
"""Ticks from where timers begin anew to the interrupt that gives them their usual length."""


def check_sync(round_: Round, subject: Subject) -> None:
    """Compare the sync cell, its place, and the list of cells that it moves; C204 for each difference."""

    def error(cause: str) -> None:
        round_.error("C204", cause)

    sync, table, length = round_.system.sync, round_.sync, round_.mode.round_length
    cells = round_.of(subject)
    if sync is None or table is None:
        error(f"{', '.join(map(str, cells))} synchronises the round, and the schedule does not ask for that")
        return
    running = cells[0]
    round_.sound(subject, round_.mode.span, running)
    times = [t for t in running.times if 0 <= t < 2 * length]
    round_.report.expiries += len(times)
    if len(cells) > 1 or running.period != length or not times:
        error(f"a round is to be synchronised once, and {', '.join(map(str, cells))} expires at {times}")
        return
    at = times[0] % length
    lead = round_.system.board.lead_at(round_.system.clock_hz)
    points = {t for own in round_.expected.values() for t in own.at}
    if max(points) >= at and not (max(points) >= length - 1 and at < min(points)):
        error(f"the round is synchronised at {at}, and its last point is at {max(points)}")
    others = {t for r in round_.running if r is not running for t in r.times if t >= 0}
    slack = min(((t - at) % length for t in others), default=length)
    wraps = {r.family.begins_anew(r.cell) for r in round_.running}
    wrap = wraps.pop()
    what = "a cell expires"
    if wraps:
        error("the timers of the round do not all begin anew at the same tick")
    elif wrap is not None:
        room = int(wrap - lead - at) % length
        if not 0 < room < slack - AFTER:
            error(f"the timers begin anew {room} ticks after the sync point, and {slack} after it a cell expires")
        if table["place"] != length - room:
            error(f"the timers count {length - room} at the sync point, and the image has {table['place']}")
        slack, what = room, "the timers begin anew"
    if slack - (length - table["latest"]) <= table["shorten"]:
        error(
            f"a handler of the sync point that finds {table['latest']} in its counter makes the round up to "
            f"{table['shorten']} ticks shorter, and {slack} ticks after the point {what}"
        )
    told = tuple(table[name] for name in ("length", "at", "lengthen", "shorten", "source"))
    wanted = (length, at, sync.lengthen, sync.shorten, running.source)
    if told != wanted:
        error(f"length, place, limits and source of the sync point are {wanted}, and the image has {told}")
    edges, found = sync.edge_in(length), round_.edge
    if found is not None and (found["first"], found["between"]) != edges:  # an image has none that tells of none
        own = (found["first"], found["between"])
        error(f"the first edge of a round, and the time between two, are {edges}, and the image has {own}")
    apart = running.family.length(table["counter"]) is running.cell
    read = _told(running, table["counter"]) if wrap is None else running.family.rearmed(WORD | table["counter"])
    if apart:
        _apart(round_, table, running.cell)
    elif read is not running.cell:
        error(f"the sync point's time is read at {table['counter']:#x}, which is not the counter of {running}")
    bits = sum(r.family.bit_of(r.cell) for r in round_.running if not apart or r is not running)
    if table["moves"] != bits:
        error(f"handlers take the cells of the bits {table['moves']:#x} for the round's, which are {bits:#x}")
    _moved(round_, table, running.cell if apart else None)
    _held(round_, table, running)


def _told(running: Running, address: int) -> Cell | None:
    """The cell whose next expiry a register tells: of its family's down counters, or matches that handlers move."""
    family = running.family
    return family.rearmed(address) if running.cell.place.array.moves else family.counter(address)


def _apart(round_: Round, table: Row, cell: Cell) -> None:
    """Check the numbers of a sync cell that is another timer than that of the round's matches."""
    lead = round_.system.board.lead_at(round_.system.clock_hz)
    first = cell.ticks(cell.first or 0)
    told = table["unit"], table["first"], table["begins"]
    wanted = cell.prescaler, int(first), (int(first) - lead) % 2**32
    if told != wanted:
        round_.error("C204", f"units, first expiry and its time in the round of {cell} are {wanted}, and the image has {told}")


def _moved(round_: Round, table: Row, apart: Cell | None) -> None:
    """Every cell of the round is moved, once, and by nothing beside the correction; one that is ``apart`` by its length."""
    left = {id(r.cell): r for r in round_.running if r.cell is not apart}
    families = {id(r.family): r.family for r in round_.running}.values()
    for store in stores(table.listed("cells", table["cell_count"])):
        turned, length = next((found for f in families if (found := f.turn(store.address))[0]), ([], 0))
        for cell in turned:
            left.pop(id(cell), None)
        if turned:
            if store.value != length:
                round_.error("C204", f"the sync point gives {turned[0]} another length than the correction asks for")
            continue
        moved = next((r for r in round_.running if _told(r, store.address) is r.cell), None)
        if moved is None or id(moved.cell) not in left:
            cause = f"the sync point moves the counter at {store.address:#x}, which is no cell's that it is to move now"
            round_.error("C204", cause)
            continue
        del left[id(moved.cell)]
        before = moved.cell.first
        moved.family.shift(store.address, store.value)
        said = store.value == moved.cell.place.number if moved.cell.place.array.moves else moved.cell.first == before
        if not said:
            round_.error("C204", f"the sync point moves {moved} otherwise than by the correction")
        moved.cell.first = before
    for running in left.values():
        round_.error("C204", f"the sync point does not move {running}")


def _held(round_: Round, table: Row, running: Running) -> None:
    """Check a hard start: sources are held back, and released after their earlier requests were forgotten."""
    sync = round_.system.sync
    assert sync is not None
    hard = sync.start.value == "hard"
    store = round_.hardware.controller.store
    controlled = [r for r in round_.running if r.source >= round_.system.board.request_base and r is not running]
    waiting = {r.source for r in controlled if r.source in round_.hardware.enabled} if hard else set()
    own_sources = {r.source for r in controlled} if hard else set()
    done: list[tuple[str, set[int]]] = []
    for item in stores(row for name in ("hold", "release") for row in table.listed(name, table[f"{name}_count"])):
        kind, sources = store(item.address, item.value) or ("strange", frozenset())
        if done and done[-1][0] == kind:
            done[-1][1].update(sources)
        else:
            done.append((kind, set(sources)))
    wanted = [(kind, s) for kind, s in (("disable", waiting), ("unpend", own_sources), ("enable", waiting)) if s]
    if done != wanted:
        round_.error("C208", f"until the first synchronisation, the image does {done} with sources, and not {wanted}")
