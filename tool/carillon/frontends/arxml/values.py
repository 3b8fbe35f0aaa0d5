# SPDX-License-Identifier: Apache-2.0
"""From the texts of parameters to the values of a schedule."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from carillon.diagnostics import suggestion
from carillon.frontends.arxml.table import Kind, Parameter
from carillon.frontends.foreign.choices import duration
from carillon.units import MalformedError, parse_time, shorten

_INTEGER = re.compile(r"[+-]?(0[xX][0-9a-fA-F]{1,16}|0[bB][01]{1,64}|[0-9]{1,20})", re.ASCII)
_DECIMAL = re.compile(r"[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?", re.ASCII)
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


def frequency(text: str) -> Fraction | None:
    """A number of times a second, None if it is none, or 0."""
    number = _number(text)
    return number if number is not None and number > 0 else None


def convert(parameter: Parameter, text: str) -> Any:
    """The schedule's value for a parameter that is no reference, None for no value; raises MalformedError."""
    return _CONVERTERS[parameter.kind](parameter, text)


def _integer(parameter: Parameter, text: str) -> int:  # noqa: ARG001 (of one kind with the others)
    match = _INTEGER.fullmatch(text)
    if match is not None:
        return int(text, 0) if match[1][:2].lower() in ("0x", "0b") else int(text)
    number = _number(text)
    if number is not None and number.denominator == 1 and abs(number) < 2**64:
        return int(number)
    raise MalformedError(f"{shorten(text)} is no integer", "write a number without a point: 1")


def _number(text: str) -> Fraction | None:
    return Fraction(text) if _DECIMAL.fullmatch(text) else None


def _flag(parameter: Parameter, text: str) -> bool:  # noqa: ARG001
    truth = _TRUTHS.get(text.lower())
    if truth is None:
        raise MalformedError(f"{shorten(text)} is no truth value", "write true or false")
    return truth


def _word(parameter: Parameter, text: str) -> Any:
    if text in parameter.words:
        return parameter.words[text]
    upper = text.upper() if text.upper() in parameter.words else None
    raise MalformedError(
        f"{shorten(text)} is none of its values", f"did you mean '{upper}'?" if upper else suggestion(text, parameter.words)
    )


def _text(parameter: Parameter, text: str) -> str:  # noqa: ARG001
    return text


def _seconds(parameter: Parameter, text: str) -> str | None:  # noqa: ARG001
    number = _number(text)
    if number is None:
        raise MalformedError(f"{shorten(text)} is no number", "write a number of seconds greater than 0: 0.001")
    if number == 0:
        return None  # as some tools write it where there is nothing to say
    if number < 0:
        raise MalformedError(f"{shorten(text)} is no length of time", "write a number of seconds greater than 0: 0.001")
    return duration(number)


def _time(parameter: Parameter, text: str) -> str:  # noqa: ARG001
    parse_time(text)
    return text


_CONVERTERS: dict[Kind, Callable[[Parameter, str], Any]] = {
    Kind.INTEGER: _integer,
    Kind.FLAG: _flag,
    Kind.MEMBER: _flag,
    Kind.UNSAID: _flag,
    Kind.WORD: _word,
    Kind.CHOICE: _word,
    Kind.TEXT: _text,
    Kind.FUNCTION: _text,
    Kind.SECONDS: _seconds,
    Kind.TIME: _time,
    Kind.HARMLESS: _text,
}
