# SPDX-License-Identifier: Apache-2.0
"""Call a function of the application."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carillon.actions import Action
from carillon.model.board import Role
from carillon.model.osek import AlarmAction, Callback


@dataclass(frozen=True, slots=True)
class Call(Action):
    """The function is called on the kernel's level (OSEK OS 2.2.3, section 9.2: ALARMCALLBACK).

    No call may be lost: a cell that is held back for longer than its period keeps one expiry of several, a tick catches up.
    """

    role: ClassVar[Role] = Role.ACTIVATION
    word: ClassVar[str] = "call"
    subject: ClassVar[str] = "function"
    mark: ClassVar[str] = "○"
    order: ClassVar[int] = 3
    rank: ClassVar[int] = 5
    counts: ClassVar[bool] = True
    acknowledged: ClassVar[bool] = True
    constant: ClassVar[str] = "CALL"
    says: ClassVar[type[AlarmAction] | None] = Callback
    does: ClassVar[str] = "calls {object}"
