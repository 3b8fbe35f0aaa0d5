# SPDX-License-Identifier: Apache-2.0
"""What is known of a board's real-time clock, and of the driver of its kind."""

from __future__ import annotations

from pydantic import Field

from carillon.model.fields import Frozen, Text, Word


class RealTimeDriver(Frozen):
    """What ``devices/<name>/rtc.toml`` says of the driver beside it.

    ``ports``: of chips that have the device; none: of any.  ``keys``: those of [rtc] that not every driver has.  ``exact``: what
    is true of it, in sentences for its users.
    """

    name: Text
    ports: tuple[Text, ...] = ()
    keys: tuple[Text, ...] = ()
    exact: Text


class RealTimeClock(Frozen):
    """A clock that tells the date, also after a reset; the driver is ``devices/<driver>/rtc.h``."""

    driver: RealTimeDriver
    address: Word  # where its registers begin
    lse_ms: int = Field(default=0, strict=True, ge=0, le=60_000)
    """How long start-up waits for a crystal that does not run yet; 0: the board has none for the clock."""
