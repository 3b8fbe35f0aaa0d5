# SPDX-License-Identifier: Apache-2.0
"""What handlers do, one file for each action: as statements of a handler of its own, and as an entry of a table."""

from __future__ import annotations

from collections.abc import Callable

from carillon.actions import Action
from carillon.actions.activate import Activate
from carillon.actions.check_deadline import CheckDeadline
from carillon.actions.dispatch import Dispatch
from carillon.actions.enable_interrupt import EnableInterrupt
from carillon.actions.switch_mode import SwitchMode
from carillon.allocate.result import Carrier
from carillon.emit.pieces import activate, check_deadline, dispatch, enable_interrupt, switch_mode
from carillon.emit.pieces.entry import Entry
from carillon.image import Image, ModeImage
from carillon.lower import ExpiryPoint

BODIES: dict[type[Action], Callable[[Image, ModeImage, Carrier], list[str]]] = {
    Activate: activate.body,
    CheckDeadline: check_deadline.body,
    SwitchMode: switch_mode.body,
    EnableInterrupt: enable_interrupt.body,
    Dispatch: dispatch.body,
}
"""The statements of a carrier's handler; none if the vector is the task's function."""

ENTRIES: dict[type[Action], Callable[[Image, ExpiryPoint], Entry]] = {
    Activate: activate.entry,
    CheckDeadline: check_deadline.entry,
    SwitchMode: switch_mode.entry,
    EnableInterrupt: enable_interrupt.entry,
}
"""What an entry of a table says of a point."""
