# SPDX-License-Identifier: Apache-2.0
"""What a target's machine has done, for people and as rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from carillon.microcode.upload import LOST, Entry

KINDS = ("a program begins", "released", "begins", "ends", "is late")
"""What entries say, by their kind."""


def row(entry: Entry, names: Sequence[str]) -> dict[str, object]:
    """An entry by names: ``what``, and ``tick`` and ``task``, or how many were ``lost``."""
    if entry.kind == LOST:
        return {"what": "lost", "lost": entry.time}
    what = KINDS[entry.kind] if entry.kind < len(KINDS) else f"kind {entry.kind}"
    return {"what": what, "tick": entry.time, "task": names[entry.task] if entry.task < len(names) else None}


def lines(before: int, entries: Iterable[Entry], names: Sequence[str]) -> list[str]:
    """An entry a line; what was overwritten is a line, too."""
    found = [f"{before} overwritten before these"] if before else []
    for entry in entries:
        said = row(entry, names)
        who = f"{said['task']} " if said.get("task") else ""
        lost = entry.kind == LOST
        found.append(f"{entry.time} overwritten while this was read" if lost else f"{entry.time:>10}  {who}{said['what']}")
    return found or ["the log is empty"]
