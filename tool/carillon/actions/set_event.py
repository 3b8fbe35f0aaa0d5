# SPDX-License-Identifier: Apache-2.0
"""Set an event of an extended task."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import Action
from carillon.model.board import Role
from carillon.model.osek import SetEvent as SetEventAction


@dataclass(frozen=True, slots=True)
class SetEvent(Action):
    """The event is set, and the task goes on if it waits for it (OSEK OS 2.2.3, section 13.5.3)."""

    event: str

    role = Role.ACTIVATION
    word = "event"
    mark = "◆"
    order = 3
    rank = 5
    acknowledged = True
    constant = "SET_EVENT"
    says = SetEventAction
    does = "sets {event} of {object}"
