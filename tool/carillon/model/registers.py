# SPDX-License-Identifier: Apache-2.0
"""Registers of a board's file that no cell has: of the start, the console, the real-time clock and the ring of events."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from carillon.model.fields import Frozen, Hertz, Text, Word


class Store(Frozen):
    """A store to a register."""

    address: Word
    value: Word


class Console(Frozen):
    """A UART that is asked whether it takes a byte.

    ``full``, ``empty``: the bits of ``state`` of which one is set while it takes none, or while it takes one; one of these
    two is given.
    """

    data: Word
    state: Word
    full: Annotated[Word, Field(ge=1)] | None = None
    empty: Annotated[Word, Field(ge=1)] | None = None
    ready: Annotated[Word, Field(ge=1)] | None = None
    """The bits of 'state' of which one is set while 'data' has a byte that was received."""
    width: Literal[8, 32] = 32
    prepare: tuple[Store, ...] = ()  # before each byte

    @model_validator(mode="after")
    def _ready(self) -> Self:
        if (self.full is None) == (self.empty is None):
            raise ValueError("write either 'full' or 'empty'")
        return self


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


EVERY = 64
"""Events from one place that the stream tells to the next, as kernel/core/stream.c has it."""


class Line(Console):
    """A UART that carries the stream of events; ``baud``: the rate at which the board's start-up or ``prepare`` sets it."""

    baud: Hertz


class TraceCounter(Frozen):
    """A counter that counts for ever, whose time stands with each recorded event.

    ``set``: bits that are set when the image starts, so that it counts.  ``hz``: None where it counts ticks of the schedule.
    ``cell``: the one that it is, which no schedule has then.
    """

    counter: Word
    down: bool = Field(default=False, strict=True)
    bits: int = Field(default=32, strict=True, ge=16, le=32)
    hz: Hertz | None = None
    cell: Text | None = None
    uart: Line | None = None  # None: it has none to itself for the stream
    set: tuple[Store, ...] = Field(default=(), max_length=16)
