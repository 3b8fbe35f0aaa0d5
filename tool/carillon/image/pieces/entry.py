# SPDX-License-Identifier: Apache-2.0
"""An entry of a dispatcher table: what ``struct carillon_entry`` has for an action."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """As in ``kernel/contract/table.h``: a function of the application, a source that is enabled, and a number."""

    function: str = ""
    source: int | None = None
    object: int = 0
