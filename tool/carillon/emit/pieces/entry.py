# SPDX-License-Identifier: Apache-2.0
"""An entry of a dispatcher table: what ``struct carillon_entry`` has for an action."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """``action`` is the end of the name in ``enum carillon_action``; the rest is as in ``kernel/contract/table.h``."""

    action: str
    function: str = "NULL"
    mask: str = "0u"
    object: int = 0
