# SPDX-License-Identifier: Apache-2.0
"""Adjust a schedule table on cells to the global time."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import EventTriggered


@dataclass(frozen=True, slots=True)
class AdjustTable(EventTriggered):
    """The table's cells are shifted, from its last point on."""

    word = "adjustment of a schedule table"
    subject = "schedule table"
    mark = "~"
    named = False
