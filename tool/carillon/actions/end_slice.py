# SPDX-License-Identifier: Apache-2.0
"""End the slice of the thread that runs."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import Action
from carillon.model.board import Role


@dataclass(frozen=True, slots=True)
class EndSlice(Action):
    """The next ready thread of the same priority goes on."""

    role = Role.ACTIVATION
    word = "end of a slice"
    subject = "thread"
    mark = "¦"
    order = 3
    rank = 5
    named = False
    acknowledged = True
