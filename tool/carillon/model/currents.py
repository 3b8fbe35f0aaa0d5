# SPDX-License-Identifier: Apache-2.0
"""What a board's chip draws, as its data sheet says: the table ``[currents]`` of a board file."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated

from pydantic import PlainValidator, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from carillon.model.fields import Frozen, Text
from carillon.units import MalformedError, format_number, parse_current, parse_frequency, parse_voltage


def _fault(cause: str, remedy: str) -> PydanticCustomError:
    return PydanticCustomError("written", "{cause}", {"cause": cause, "remedy": remedy})


def _written(parse: Callable[[str], Fraction], kind: str, example: str) -> PlainValidator:
    """Reads values that are written as a string with a unit."""

    def validate(value: object) -> Fraction:
        if isinstance(value, str):
            try:
                return parse(value)
            except MalformedError as malformed:
                cause, remedy = malformed.cause, malformed.remedy
        else:
            cause, remedy = f"a {kind} is a string with a unit", f"write a string, for example {example}"
        raise _fault(cause, remedy)

    return PlainValidator(validate)


Current = Annotated[Fraction, _written(parse_current, "current", '"17mA"')]
Voltage = Annotated[Fraction, _written(parse_voltage, "voltage", '"5V"')]
Frequency = Annotated[Fraction, _written(parse_frequency, "frequency", '"8MHz"')]


class Currents(Frozen):
    """Supply currents of the chip in amperes, at a supply voltage and a frequency of the processor."""

    active: Current  # while the processor executes
    idle: Current  # while it sleeps as the idle task lets it, and its timers count
    voltage: Voltage  # of the supply, in volts
    frequency: Frequency  # of the processor's clock, in Hz
    source: Text  # where the figures stand: the data sheet, its revision, the page

    @field_validator("active")
    @classmethod
    def _active(cls, active: Fraction) -> Fraction:
        if not active:
            raise _fault("a processor that executes draws more than none", "write the data sheet's active supply current")
        return active

    @field_validator("idle")
    @classmethod
    def _idle(cls, idle: Fraction, info: ValidationInfo) -> Fraction:
        active = info.data.get("active")
        if active is not None and idle > active:
            cause = "it is above 'active', but a processor that idles draws no more"
            raise _fault(cause, "compare both with the data sheet, and their units")
        return idle

    @field_validator("source")
    @classmethod
    def _source(cls, source: str) -> str:
        if not source.strip():
            raise _fault("it is blank", "name the data sheet, its revision and the page")
        return source

    def as_json(self) -> dict[str, float | str]:
        """The form that ``--json`` prints."""
        figures = {"active_ma": self.active * 1000, "idle_ma": self.idle * 1000, "voltage": self.voltage, "hz": self.frequency}
        return {key: float(value) for key, value in figures.items()} | {"source": self.source}

    def __str__(self) -> str:
        """The figures on a line, as they are given."""
        active, idle = (format_number(current * 1000, 6) for current in (self.active, self.idle))
        at = f"{format_number(self.voltage, 6)} V and {format_number(self.frequency / 10**6, 6)} MHz"
        return f"currents: active {active} mA, idle {idle} mA at {at} ({self.source})"
