# SPDX-License-Identifier: Apache-2.0
"""The conventional kernel as an allocation: one system timer carries every point of the round.

It is what a time-triggered kernel with a software dispatcher table does (Sloth on Time, section IV-A), for
comparison of the same application side by side.
"""

from __future__ import annotations

from carillon.actions.dispatch import Dispatch
from carillon.allocate.allocation import Allocation
from carillon.allocate.fit import Fitter, source_classes
from carillon.allocate.result import Carrier, Cell, CellUse, ModeAllocation, Progression, Style
from carillon.diagnostics import Diagnostics
from carillon.lower import Demand, LoweredMode, points_in_order
from carillon.model import System
from carillon.model.board import Cells, Role
from carillon.model.family import Rearm, Start


def allocate_conventional(
    system: System,
    lowered: tuple[LoweredMode, ...],
    diagnostics: Diagnostics,
    taken: frozenset[int] = frozenset(),
    below: int = 0,
    kernel: str = "conventional",
) -> Allocation | None:
    """One re-armed cell per mode, the same in all, for all points, watched deadlines or not; None after an error.

    The cell is the first of the board's first array with role ``system`` that can express every interval
    between different ticks.  Errors: C064 there is no such array.
    """
    if system.sync is not None:
        diagnostics.error(
            "C234",
            system.sync.span,
            f"the {kernel} kernel, which is there for comparison, does not follow a global time",
            "remove [sync] to compare, or use the carillon kernel",
        )
        return None
    fitter = Fitter(system.board, system.clock_hz)
    modes = [(mode, _system_demand(mode)) for mode in lowered]
    refusals: list[tuple[Demand, str]] = []
    taken = taken | {interrupt.source for interrupt in system.interrupts}
    above = any(interrupt.above_tasks for interrupt in system.interrupts)
    level = 1 + below + any(not interrupt.above_tasks for interrupt in system.interrupts)
    for group in source_classes(system.board, taken):
        array = group.array
        if not group.slots(Role.SYSTEM) or array.rearm is Rearm.NONE or not group.can_share:
            continue
        source = group.sources[0]
        cell = Cell(array, source.slots(Role.SYSTEM, shared=True)[0], array.needed(Role.SYSTEM, shared=True))
        result = []
        for mode, demand in modes:
            answer = _prescaler(fitter, array, demand, mode.round_length)
            if isinstance(answer, str):
                refusals.append((demand, f"{array.family.name} cells: {answer}"))
                break
            progression = Progression(demand.points[0].at, mode.round_length)
            use = CellUse(cell, progression, answer, array.units(1, fitter.clock_hz, answer))
            carrier = Carrier(demand, source.number, (use,), Style.MULTIPLEXED, level=level, lowered=True)
            result.append(
                ModeAllocation(
                    mode=mode,
                    carriers=(carrier,),
                    unmonitored=(),
                    levels=level + above,
                    above_tasks_level=level + 1 if above else 0,
                    overhead=0,
                    bound=0,
                    optimal=True,
                    reasons=(
                        f"{cell.name} is the system timer: {len(demand.points)} points a round, dispatched in software",
                        *_limits(array, above),
                    ),
                )
            )
        else:
            return Allocation(kernel, tuple(result))
    why = "; ".join(text for _, text in refusals) or "none of its cells has the role 'system' and can be re-armed"
    diagnostics.error(
        "C064",
        refusals[0][0].span if refusals else (modes[0][1].span if modes else None),
        f"board '{system.board.name}' has no system timer for this schedule: {why}",
        "move points that nearly coincide further apart, or choose another board for the comparison",
    )
    return None


def _limits(array: Cells, above: bool) -> tuple[str, ...]:
    """What is lost while the timer is held back: its handler carries out one tick, and looks for the next that lies ahead.

    A handler that looks at a free-running counter does not see how often that has turned.
    """
    found = []
    if above:
        found.append("while an interrupt above tasks holds it back, the points of all ticks that pass but the first are lost")
    if array.rearm is Rearm.MATCH and array.start is Start.TIMER:
        turn = 1 << array.width
        found.append(
            f"its counter turns every {turn} ticks: if it is held back for longer, the round is out of phase from then on"
        )
    return tuple(found)


def _system_demand(mode: LoweredMode) -> Demand:
    points = tuple(points_in_order(mode.demands))
    return Demand(Dispatch("system timer"), points, required=True, bounded=True)


def _prescaler(fitter: Fitter, array: Cells, demand: Demand, round_length: int) -> int | str:
    """The prescaler with which the cell keeps every interval between different ticks, or why there is none."""
    times = sorted({time % round_length for time in demand.times})
    if len(times) == 1:
        return fitter.direct(array, Progression(times[0], round_length))
    return fitter.multiplexed(array, times, round_length)
