# SPDX-License-Identifier: Apache-2.0
"""End a schedule table on cells."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import EventTriggered


@dataclass(frozen=True, slots=True)
class EndTable(EventTriggered):
    """The table's cells, which would go on, are stopped."""

    word = "end of a schedule table"
    subject = "schedule table"
    mark = "!"
    named = False
