# SPDX-License-Identifier: Apache-2.0
"""Jobs of a Giotto program's tasks."""

from __future__ import annotations

from typing import NamedTuple


class Invoked(NamedTuple):
    """A job that has ended: its lane, and the ticks of its release, of its function's call, and of its end."""

    lane: str
    release: int
    begin: int
    end: int

    @property
    def response(self) -> int:
        """Ticks from its release to its end."""
        return self.end - self.release
