# SPDX-License-Identifier: Apache-2.0
"""End the slice of the thread that runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carillon.actions import Action
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class EndSlice(Action):
    """The next ready thread of the same priority goes on."""

    role: ClassVar[Role] = Role.ACTIVATION
    word: ClassVar[str] = "end of a slice"
    subject: ClassVar[str] = "thread"
    mark: ClassVar[str] = "¦"
    order: ClassVar[int] = 3
    rank: ClassVar[int] = 5
    named: ClassVar[bool] = False
    acknowledged: ClassVar[bool] = True
