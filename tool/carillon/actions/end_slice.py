# SPDX-License-Identifier: Apache-2.0
"""End the slice of the thread that runs."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import EventTriggered


@dataclass(frozen=True, slots=True)
class EndSlice(EventTriggered):
    """The next ready thread of the same priority goes on."""

    word = "end of a slice"
    subject = "thread"
    mark = "¦"
    named = False
