# SPDX-License-Identifier: Apache-2.0
"""An entry of a dispatcher table: what ``struct carillon_entry`` has for an action."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """As in ``kernel/contract/table.h``."""

    function: str = "NULL"
    mask: str = "0u"
    object: int = 0
