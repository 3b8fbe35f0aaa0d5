# SPDX-License-Identifier: Apache-2.0
"""Call a function of the application."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import EventTriggered
from carillon.model.osek import Callback


@dataclass(frozen=True, slots=True)
class Call(EventTriggered):
    """The function is called on the kernel's level (OSEK OS 2.2.3, section 9.2: ALARMCALLBACK).

    No call may be lost: a cell that is held back for longer than its period keeps one expiry of several, a tick catches up.
    """

    word = "call"
    subject = "function"
    mark = "○"
    counts = True
    constant = "CALL"
    says = Callback
    does = "calls {object}"
