# SPDX-License-Identifier: Apache-2.0
"""The schedule tables of a plan: their part of ``plan --json``, and their words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from carillon.actions.every import of
from carillon.allocate.osek import OsekAllocation
from carillon.allocate.result import Carrier
from carillon.model.osek import AlarmAction, Osek, ScheduleTable, Synchronisation, TablePoint, TableStart


def part_json(allocation: OsekAllocation, carrier: Carrier | None) -> dict[str, Any]:
    """Where a part of a counter is served: cell, source and level; None each if there is none."""
    return {
        "cell": carrier.cells[0].cell.name if carrier is not None and carrier.cells else None,
        "source": carrier.source if carrier is not None else None,
        "level": allocation.hardware(carrier.level) if carrier is not None else None,
    }


def tables_json(allocation: OsekAllocation) -> list[dict[str, Any]]:
    """The schedule tables with their points."""
    osek = allocation.osek
    parts = {part.part: part for part in allocation.counters}
    return [
        {
            "line": table.span.line,
            "name": table.name,
            "counter": table.counter,
            "duration": table.duration,
            "repeating": table.repeating,
            "sync": table.sync.value,
            "precision": table.precision if table.sync is Synchronisation.EXPLICIT else None,
            "start": _start(osek, table),
            "on_cells": table in allocation.on_cells,
            "end": _own_json(allocation, table, "end"),
            "adjusted": _own_json(allocation, table, "adjust"),
            "points": [
                {
                    "line": point.span.line,
                    "offset": point.offset,
                    "max_lengthen": point.max_lengthen,
                    "max_shorten": point.max_shorten,
                    "actions": [
                        {"action": of(action).phrase} | part_json(allocation, _carrier(allocation, table, point, action, parts))
                        for action in point.actions
                    ],
                }
                for point in table.points
            ],
        }
        for table in osek.schedule_tables
    ]


def _own_json(allocation: OsekAllocation, table: ScheduleTable, part: str) -> dict[str, Any] | None:
    """The cell at the end of a table on cells, or of what adjusts it; None for a table without one."""
    cells = allocation.cells_of(table)
    own = next((carrier for series, carrier in cells if series.action is None and series.part == part), None)
    return part_json(allocation, own) if own is not None else None


def _carrier(
    allocation: OsekAllocation, table: ScheduleTable, point: TablePoint, action: AlarmAction, parts: Mapping[int, Carrier]
) -> Carrier | None:
    """The carrier of a point's action: a cell of a table on cells, or else the action's part of the queue."""
    cells = allocation.cells_of(table)
    own = next((carrier for series, carrier in cells if series.action == action and point.offset in series.offsets), None)
    return own or parts.get(allocation.part_of(table.counter, action))


def _start(osek: Osek, table: ScheduleTable) -> str | None:
    """How StartOS starts a table, in words; None if StartOS does not start the table."""
    start = table.autostart
    if start is None:
        return None
    words = {
        TableStart.RELATIVE: f"{start.at} tick{'s' * (start.at != 1)} after StartOS",
        TableStart.ABSOLUTE: f"at {start.at} of {table.counter}",
        TableStart.SYNCHRON: "once SyncScheduleTable is called",
    }[start.kind]
    return words + (f", in {', '.join(start.modes)}" if set(start.modes) != set(osek.modes) else "")


def about_table(table: dict[str, Any]) -> str:
    """A description of a schedule table without its points."""
    words: list[str] = []
    if table["sync"] != "none":
        words.append(f"synchronised {table['sync']}ly" + (f" to {table['precision']} ticks" if table["precision"] else ""))
    if table["start"] is not None:
        words.append(f"starts {table['start']}")
    return "; ".join(words)


def adjusted(point: dict[str, Any]) -> str:
    """By how much the delay to a point is adjusted."""
    words = [f"{ticks} {way}" for ticks, way in ((point["max_lengthen"], "later"), (point["max_shorten"], "sooner")) if ticks]
    return f" (up to {' or '.join(words)})" if words else ""
