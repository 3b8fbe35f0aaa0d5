# SPDX-License-Identifier: Apache-2.0
"""Set an event of an extended task."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import EventTriggered
from carillon.model.osek import SetEvent as SetEventAction


@dataclass(frozen=True, slots=True)
class SetEvent(EventTriggered):
    """The event is set, and the task goes on if it waits for it (OSEK OS 2.2.3, section 13.5.3)."""

    event: str

    word = "event"
    mark = "◆"
    constant = "SET_EVENT"
    says = SetEventAction
    does = "sets {event} of {object}"
