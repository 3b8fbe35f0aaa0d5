# SPDX-License-Identifier: Apache-2.0
"""Intervals are not shorter than the board's cells can keep (C040).

A cell has a shortest period.  It bounds the round from below, and how many points of one task or interrupt
may lie within one such period: each needs a cell of its own.  Where several arrays could serve a role, the
one with the shortest period decides; whether enough cells are free in the end is the allocation's matter.
"""

from __future__ import annotations

from collections.abc import Iterator

from carillon.check.common import by_task, time
from carillon.diagnostics import Diagnostics, Span
from carillon.groups import grouped
from carillon.model import Mode, System
from carillon.model.board import Role


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report rounds and intervals that no cell of the board can keep."""
    for mode in system.modes:
        for role, subject, points in _demands(mode):
            arrays = [cells for cells in system.board.cells if role in cells.roles]
            if not arrays or mode.round_length == 0:
                continue
            shortest = min(cells.min_period(system.clock_hz) for cells in arrays)
            limit = f"the shortest {role.value} period of a cell of board '{system.board.name}', {time(shortest, system)}"
            if mode.round_length < shortest:
                cause = f"the round of mode '{mode.name}', {time(mode.round_length, system)}, is shorter than {limit}"
                remedy = f"write a round of at least {shortest} ticks (several short rounds in one), or use another board"
                diagnostics.error("C040", mode.span, cause, remedy)
                break
            cells = sum(len(array.names) // array.needed(role) for array in arrays)
            _check_crowd(mode, subject, points, shortest, cells, limit, system, diagnostics)


def _check_crowd(
    mode: Mode,
    subject: str,
    points: list[tuple[int, Span]],
    shortest: int,
    cells: int,
    limit: str,
    system: System,
    diagnostics: Diagnostics,
) -> None:
    """Report the first ``cells + 1`` points that lie within less than ``shortest`` ticks, across the round's end too."""
    if len(points) <= cells:
        return
    for first in range(len(points)):
        last = (first + cells) % len(points)
        distance = points[last][0] - points[first][0] + (mode.round_length if last <= first else 0)
        if 0 < distance < shortest:
            interval = "an interval" if cells == 1 else f"{cells} intervals in a row, together"
            cause = (
                f"{subject} in mode '{mode.name}' has {interval} of {time(distance, system)}, up to tick {points[last][0]}: "
                f"less than {limit}, of which there {'is' if cells == 1 else 'are'} {cells}"
            )
            remedy = f"keep {'its points' if cells == 1 else f'any {cells + 1} of its points'} at least {shortest} ticks apart"
            diagnostics.error("C040", points[last][1], cause, remedy)
            return


def _demands(mode: Mode) -> Iterator[tuple[Role, str, list[tuple[int, Span]]]]:
    for task, activations in by_task(mode).items():
        yield Role.ACTIVATION, f"task '{task}'", [(a.at, a.span) for a in activations]
        deadlines = [(d, a.span) for a in activations for d in a.deadlines]
        if deadlines and activations[0].monitor.value == "always":
            yield Role.DEADLINE, f"the monitoring of task '{task}'", deadlines
    for interrupt, points in grouped((point.interrupt, (point.at, point.span)) for point in mode.enables).items():
        yield Role.ENABLE, f"the enabling of interrupt '{interrupt}'", points
