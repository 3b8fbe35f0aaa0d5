# SPDX-License-Identifier: Apache-2.0
"""Times, frequencies, currents and voltages as they are written, kept as exact fractions.

A time is a decimal number and a unit (SPEC, section 'Times').  Nothing is rounded here: whether a time
is a whole number of ticks is decided where the clock is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

TIME_PATTERN = r"^ *[0-9]{1,30}(\.[0-9]{1,30})? ?(ns|us|\u00b5s|\u03bcs|ms|s|ticks|tick) *$"
FREQUENCY_PATTERN = r"^ *[0-9]{1,30}(\.[0-9]{1,30})? ?(Hz|kHz|MHz|GHz) *$"

SECONDS = {"ns": Fraction(1, 10**9), "us": Fraction(1, 10**6), "ms": Fraction(1, 1000), "s": Fraction(1)}
HERTZ = {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9}
AMPERES = {"uA": Fraction(1, 10**6), "mA": Fraction(1, 1000), "A": Fraction(1)}
VOLTS = {"mV": Fraction(1, 1000), "V": Fraction(1)}
_ALIASES = {"tick": "ticks", "\u00b5s": "us", "\u03bcs": "us"}
"""Other words for a unit of time: a micro sign, and the Greek letter that keyboards and editors write for one."""

_NUMBER = re.compile(r"\s*([+-]?)([0-9]+)(?:\.([0-9]+))?[ \t]*([^\s]*)\s*", re.ASCII)
_LONGEST_NUMBER = 30
_SHOWN = 40


class MalformedError(ValueError):
    """A text that is not what it is to be: a time, a number, a line; carries what is wrong and what would be right."""

    def __init__(self, cause: str, remedy: str) -> None:
        self.cause = cause
        self.remedy = remedy
        super().__init__(f"{cause}; {remedy}")


@dataclass(frozen=True, slots=True)
class Time:
    """A time as written: ``number`` of ``unit``, one of ns, us, ms, s, ticks, whatever word was written for it."""

    number: Fraction
    unit: str

    def ticks(self, clock_hz: Fraction | int) -> Fraction:
        """The time in ticks of a clock of ``clock_hz``; a fraction where it does not divide."""
        return self.number if self.unit == "ticks" else self.number * SECONDS[self.unit] * clock_hz

    def __str__(self) -> str:
        """As SPEC writes it; :func:`parse_time` reads it back to an equal time if the number is decimal."""
        return f"{format_number(self.number)} {self.unit}" if self.unit == "ticks" else f"{format_number(self.number)}{self.unit}"


def shorten(text: str) -> str:
    """``text`` quoted, on one line and short enough for a message: cut in the middle, as names and paths differ at their ends."""
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]}...{text[-_SHOWN // 2 :]}"
    return ascii(shown) if not shown.isprintable() else f"'{shown}'"


def format_number(value: Fraction, digits: int = 30) -> str:
    """A fraction as a decimal number: exact if ``digits`` decimals suffice, else rounded to so many."""
    scaled = round(abs(value) * 10**digits)
    whole, part = divmod(scaled, 10**digits)
    decimals = str(part).rjust(digits, "0").rstrip("0") if digits else ""
    return ("-" if value < 0 else "") + str(whole) + ("." + decimals if decimals else "")


def format_duration(ticks: Fraction | int, clock_hz: int, digits: int = 6) -> str:
    """``ticks`` in the largest unit in which the number is at least 1, for messages."""
    seconds = Fraction(ticks) / clock_hz
    for unit in ("s", "ms", "us"):
        if abs(seconds) >= SECONDS[unit]:
            return format_number(seconds / SECONDS[unit], digits) + unit
    return format_number(seconds / SECONDS["ns"], digits) + "ns"


def format_frequency(hz: int) -> str:
    """``hz`` in the largest unit in which the number is at least 1: ``15.625MHz``."""
    for unit in ("GHz", "MHz", "kHz"):
        if hz >= HERTZ[unit]:
            return format_number(Fraction(hz, HERTZ[unit])) + unit
    return f"{hz}Hz"


def parse_time(text: str) -> Time:
    """Read a time.

    Raises :class:`MalformedError` if ``text`` is not a decimal number without sign or exponent, at most 30 digits
    on either side of the point, followed by one of the units.
    """
    number, unit = _split(text, "time", '"250us" or "1000 ticks"', (*SECONDS, "ticks"), tuple(_ALIASES))
    return Time(number, _ALIASES.get(unit, unit))


def parse_frequency(text: str) -> Fraction:
    """Read a frequency and return it in Hz; raises :class:`MalformedError` as :func:`parse_time` does, or if it is zero."""
    number, unit = _split(text, "frequency", '"15.625MHz"', tuple(HERTZ), ())
    if number == 0:
        raise MalformedError("a frequency of zero", 'a clock has a positive frequency, for example "15.625MHz"')
    return number * HERTZ[unit]


def parse_current(text: str) -> Fraction:
    """Read a current and return it in amperes; raises :class:`MalformedError` as :func:`parse_time` does."""
    aliases = {"\u00b5A": "uA", "\u03bcA": "uA"}
    number, unit = _split(text, "current", '"17mA"', tuple(AMPERES), tuple(aliases))
    return number * AMPERES[aliases.get(unit, unit)]


def parse_voltage(text: str) -> Fraction:
    """Read a voltage and return it in volts; raises :class:`MalformedError` as :func:`parse_time` does, or if it is zero."""
    number, unit = _split(text, "voltage", '"5V"', tuple(VOLTS), ())
    if number == 0:
        raise MalformedError("a voltage of zero", 'a supply has a positive voltage, for example "5V"')
    return number * VOLTS[unit]


def _split(text: str, kind: str, example: str, units: tuple[str, ...], aliases: tuple[str, ...]) -> tuple[Fraction, str]:
    match = _NUMBER.fullmatch(text)
    if match is not None and not match[1] and match[3] is None and match[4] in units and len(match[2]) <= _LONGEST_NUMBER:
        return Fraction(int(match[2])), match[4]  # as most are, of which a file may have thousands
    shown = shorten(text)
    listed = ", ".join(units[:-1]) + " or " + units[-1]
    if match is None:
        raise MalformedError(f"{shown} is not a {kind}", f"write a decimal number and a unit ({listed}), for example {example}")
    sign, whole, part, unit = match.groups()
    if not unit:
        raise MalformedError(f"{shown} has no unit", f"add one of {listed}, for example {example}")
    if re.fullmatch(r"[eE][+-]?\d+[A-Za-z]*", unit, re.ASCII):
        raise MalformedError(f"{shown} has an exponent", "write the number out, or use a larger or a smaller unit")
    if unit not in units and unit not in aliases:
        by_case = [u for u in units if u.lower() == unit.lower()]
        remedy = f"did you mean '{by_case[0]}'? " if by_case else ""
        raise MalformedError(f"{shorten(unit)} is no unit of {kind}", f"{remedy}the units are {listed}")
    if sign == "-":
        raise MalformedError(f"{shown} is negative", f"a {kind} is zero or more: write it without the sign")
    if sign == "+":
        raise MalformedError(f"{shown} has a sign", f"write the {kind} without the '+'")
    if len(whole) > _LONGEST_NUMBER or len(part or "") > _LONGEST_NUMBER:
        raise MalformedError(
            f"{shown} has more than {_LONGEST_NUMBER} digits on one side of the point",
            "write fewer digits, or use another unit",
        )
    return Fraction(f"{whole}.{part}" if part else whole), unit
