# SPDX-License-Identifier: Apache-2.0
"""End a schedule table on cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carillon.actions import Action
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class EndTable(Action):
    """The table's cells, which would go on, are stopped."""

    role: ClassVar[Role] = Role.ACTIVATION
    word: ClassVar[str] = "end of a schedule table"
    subject: ClassVar[str] = "schedule table"
    mark: ClassVar[str] = "!"
    order: ClassVar[int] = 3
    rank: ClassVar[int] = 5
    named: ClassVar[bool] = False
    acknowledged: ClassVar[bool] = True
