# SPDX-License-Identifier: Apache-2.0
"""The numbers of a mode's synchronisation, and the check that the round's slack suffices for its limits."""

from __future__ import annotations

from collections.abc import Sequence

from carillon.actions.check_deadline import CheckDeadline
from carillon.actions.costs import port_prices
from carillon.actions.switch_mode import SwitchMode
from carillon.actions.synchronise import Synchronise
from carillon.allocate.result import ModeAllocation, Style
from carillon.diagnostics import Diagnostics
from carillon.image import CellImage, SyncImage
from carillon.lower.sync import sync_point, sync_unit
from carillon.model import Synchronisation, SyncStart, System
from carillon.model.family import Capability, Start
from carillon.units import format_duration

BACK = 4
"""Ticks from where a timer begins anew to the interrupt that restores its length, and what is lost to whole ticks."""


def interrupts(sync: SyncImage | None) -> int:
    """How many the sync cell has in a round at most: timers get their usual length back by one more."""
    return 0 if sync is None else 1 if sync.wrap is None else 2


def matches(sync: SyncImage) -> bool:
    """Whether the round's cells are matches that handlers move."""
    return sync.moved[0].use.cell.array.moves


def first_of(sync: SyncImage) -> int:
    """Ticks from the start to the first expiry of a cell that is another timer: a round before its point, if that is so far."""
    length = sync.cell.use.progression.period
    return sync.cell.first * (sync.unit or 1) % length or length


def place_of(sync: SyncImage, cell: CellImage) -> int:
    """What a timer whose turn is the round counts when one of its cells is at its first point."""
    offset, times = cell.use.progression.offset, cell.carrier.demand.followed
    if cell.carrier.style is Style.MULTIPLEXED:
        offset = min(t if isinstance(cell.carrier.action, CheckDeadline) else t % cell.period for t in times)
    return (offset - (sync.wrap or 0)) % cell.period


def _skips(sync: Synchronisation, moved: Sequence[CellImage]) -> bool:
    """Whether matches are moved on by the sync point's handler until the first global time, as their own handlers do not run."""
    return sync.start is SyncStart.HARD and any(cell.use.cell.array.moves for cell in moved)


def _whole_units(sync: Synchronisation, mode: str, unit: int, diagnostics: Diagnostics) -> None:
    """Report limits and a precision that are below what a sync cell of units can correct."""
    for key, limit, least, span, what in (
        ("lengthen", sync.lengthen, unit, sync.lengthened, "corrects nothing"),
        ("shorten", sync.shorten, unit, sync.shortened, "corrects nothing"),
        ("precision", sync.precision, unit - 1, sync.span, "may never be reached"),
    ):
        if 0 < limit < least:
            counts = f"the sync cell of mode '{mode}' counts units of {unit} ticks"
            remedy = f'write {key} = "{least} ticks" at least, or choose a shorter round'
            diagnostics.error("C231", span, f"{counts}, so that {key} of {limit} ticks {what}", remedy)


def sync_image(
    system: System, mode: ModeAllocation, cells: tuple[CellImage, ...], gap: int, diagnostics: Diagnostics
) -> SyncImage | None:
    """The mode's synchronisation; None without one.

    C231 to C233 where the sync cell or the round does not allow the limits.

    ``gap``: ticks from the end of this round to the beginning of another mode.
    """
    sync, length = system.sync, mode.mode.round_length
    cell = next((c for c in cells if isinstance(c.carrier.action, Synchronise)), None)
    if sync is None or cell is None:
        return None
    board = system.board
    unit = sync_unit(board, system.clock_hz, length)
    at, slack = sync_point([d for d in mode.mode.demands if not isinstance(d.action, Synchronise)], length, unit)
    _whole_units(sync, mode.mode.name, unit, diagnostics)
    apart = Capability.SYNC_POINT in cell.family.can
    per_tick = board.clock(system.clock_hz).instructions_per_tick
    price = port_prices(board.port)
    before = shift = after = 0
    turns = cell.use.cell.array.start is Start.TIMER
    moved = tuple({c.use.cell.array.names: c for c in reversed(cells)}.values()) if turns else cells
    moved = tuple(c for c in moved if c is not cell) if apart else moved
    if price and per_tick:
        skipped = sum(len(c.use.progression.times(length)) + 1 for c in moved) if _skips(sync, moved) else 0
        begun = (
            price["frame_begin"]
            + price["synchronise"]
            + apart * price.get("synchronise_apart", 0)
            + skipped * price.get("synchronise_skip", 0)
        )
        before = -(-(board.interrupt_entry + begun) // per_tick)
        shift = -(-(price["synchronise_shift"] + len(moved) * price["synchronise_cell"]) // per_tick)
        after = -(-(price["synchronise_shift"] + price["frame_end"]) // per_tick)
    # Timers begin anew so long before the next point that the sync point's handler, and then the one that restores their length,
    # have ended.
    room = slack - (before + shift + after + BACK if turns else 0)
    most = room - before - shift - 1

    def time(ticks: int) -> str:
        return f"{ticks} ticks ({format_duration(ticks, system.clock_hz)})"

    if sync.shorten > most:
        shorter = f'write shorten = "{most} ticks" at most, or ' if most > 0 else ""
        diagnostics.error(
            "C232",
            sync.shortened,
            f"a round of mode '{mode.mode.name}' cannot be made {time(sync.shorten)} shorter: from its sync point at tick {at} "
            f"to the next point it has {time(max(slack, 0))}, of which the handler takes {slack - most - 1}",
            f"{shorter}leave more time between the last point of the round and the first of the next one",
        )
    if sync.lengthen > at:
        diagnostics.error(
            "C233",
            sync.lengthened,
            f"a round of mode '{mode.mode.name}' cannot be made {time(sync.lengthen)} longer: its sync point is at tick {at}, "
            "and the time within the round would go back behind its beginning",
            f'write lengthen = "{at} ticks" at most, or make the round longer',
        )
    switch = next((d.points[0].at for d in mode.mode.demands if isinstance(d.action, SwitchMode)), length)
    # At the switch, the synchronisation's expiry has passed, or lies ahead in the round that does not come.
    leave = length - at if at > switch % length and switch < length else -at
    wrap = (at + room) % length if turns else None
    latest = length - (room - sync.shorten - shift - 1)
    return SyncImage(cell, at, slack, latest, leave + gap, moved, wrap, cell.use.prescaler if apart else None)
