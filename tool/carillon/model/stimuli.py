# SPDX-License-Identifier: Apache-2.0
"""What happens to a board from outside during a run: pins, voltages, received bytes and requests of interrupts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from carillon.diagnostics import Span


class StimulusKind(Enum):
    """What a stimulus does; the value is its key in a row."""

    PIN = "pin"  # gives an input a level
    ADC = "adc"  # gives a channel of the converter a voltage
    UART = "uart"  # sends bytes to the board's serial line
    SOURCE = "source"  # requests an interrupt


@dataclass(frozen=True, slots=True)
class Stimulus:
    """A row: ``at`` ticks after tick 0 of the run, or (None) from reset on.

    ``name`` is the pin, the source or the channel.  ``value`` is the level, microvolts, or the text; 0 of a source.
    With ``every`` it happens again after so many ticks, ``count`` times in all, or (0) to the end of the run.
    """

    kind: StimulusKind
    name: str
    value: int | str
    at: int | None
    every: int
    count: int
    span: Span

    def __str__(self) -> str:
        """As events name it."""
        if self.kind is StimulusKind.PIN:
            return f"{self.name}={self.value}"
        if self.kind is StimulusKind.ADC:
            return f"ADC{self.name}={int(self.value) / 1e6:g}V"
        return f"uart={self.value}" if self.kind is StimulusKind.UART else self.name


@dataclass(frozen=True, slots=True)
class Stimuli:
    """All rows, and the pins whose levels are recorded without being given, with where they are named."""

    rows: tuple[Stimulus, ...] = ()
    watch: tuple[tuple[str, Span], ...] = ()
