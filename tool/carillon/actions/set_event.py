# SPDX-License-Identifier: Apache-2.0
"""Set an event of an extended task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carillon.actions import Action
from carillon.model.board import Role
from carillon.model.osek import AlarmAction
from carillon.model.osek import SetEvent as SetEventAction


@dataclass(frozen=True, slots=True)
class SetEvent(Action):
    """The event is set, and the task goes on if it waits for it (OSEK OS 2.2.3, section 13.5.3)."""

    event: str

    role: ClassVar[Role] = Role.ACTIVATION
    word: ClassVar[str] = "event"
    mark: ClassVar[str] = "◆"
    order: ClassVar[int] = 3
    rank: ClassVar[int] = 5
    acknowledged: ClassVar[bool] = True
    constant: ClassVar[str] = "SET_EVENT"
    says: ClassVar[type[AlarmAction] | None] = SetEventAction
    does: ClassVar[str] = "sets {event} of {object}"
