# SPDX-License-Identifier: Apache-2.0
"""What a schedule says of a job for the analysis of response times (the keys of ``DeclaredTable``), in ticks."""

from __future__ import annotations

from carillon.model.declared import NOTHING_DECLARED, Declared
from carillon.read.schema_osek import DeclaredTable
from carillon.read.shape import Reading, describe
from carillon.read.spans import Path
from carillon.read.ticks import Ticks, whole

KEYS = ("wcet", "deadline", "min_interval", "jitter")
LONGER = ("wcet", "jitter")
"""What is rounded upwards: then a bound that rests on it holds."""


def declared(at: Reading, table: DeclaredTable, path: Path, ticks: Ticks, *, keys: tuple[str, ...] = KEYS) -> Declared:
    """What the table says with these keys; reports times that vanish (C041), and a jitter of no interval (C340)."""
    found: dict[str, int] = {}
    for key in keys:
        time = getattr(table, key)
        if time is None:
            continue
        span, phrase, upwards = at.places.value((*path, key)), describe(*path, key), key in LONGER
        exact = ticks.limited(time, phrase, span)
        if exact is None or (key != "jitter" and ticks.vanishes(exact, phrase, span, upwards=upwards)):
            continue
        found[key] = whole(exact, upwards) if upwards else int(exact)
    if not found:
        return NOTHING_DECLARED
    if "jitter" in found and table.min_interval is None and not at.broken.at(*path, "min_interval"):
        cause = f"{describe(*path)} has a jitter, and no min_interval that it is of"
        remedy = "write a min_interval, too, or leave the jitter out"
        at.diagnostics.error("C340", at.places.value((*path, "jitter")), cause, remedy)
    return Declared(**found, span=at.places.key((*path, next(iter(found)))))
