# SPDX-License-Identifier: Apache-2.0
"""End a schedule table on cells."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import Action
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class EndTable(Action):
    """The table's cells, which would go on, are stopped."""

    role = Role.ACTIVATION
    word = "end of a schedule table"
    subject = "schedule table"
    mark = "!"
    order = 3
    rank = 5
    named = False
    acknowledged = True
