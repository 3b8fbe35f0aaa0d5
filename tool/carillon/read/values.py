# SPDX-License-Identifier: Apache-2.0
"""The kinds of values in files of TOML: times, frequencies, names; and what all tables of such files are."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainValidator, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from carillon.units import FREQUENCY_PATTERN, TIME_PATTERN, MalformedError, Time, parse_frequency, parse_time

TOML_TYPES = {bool: "a truth value", int: "an integer", float: "a number", str: "a string", list: "an array", dict: "a table"}


def toml_type(value: object) -> str:
    """What TOML calls a value of this type, with its article."""
    return TOML_TYPES.get(type(value), "a date")


def _written(parse: Callable[[str], Any], kind: str, example: str) -> Callable[[object], Any]:
    """A validator that parses strings and turns every failure into a finding with cause and remedy."""

    def validate(value: object) -> Any:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            shown = f"the number {value}" if len(str(value)) < 40 else "a number"
            cause, remedy = f"{shown} has no unit", f"write the {kind} as a string with a unit, for example {example}"
        elif not isinstance(value, str):
            cause, remedy = f"{toml_type(value)} is not a {kind}", f"write the {kind} as a string, for example {example}"
        else:
            try:
                return parse(value)
            except MalformedError as malformed:
                cause, remedy = malformed.cause, malformed.remedy
        raise PydanticCustomError("written", "{cause}", {"code": _CODES[kind], "cause": cause, "remedy": remedy})

    return validate


_CODES = {"time": "C016", "frequency": "C019"}
_TIME_SCHEMA = {"type": "string", "pattern": TIME_PATTERN, "examples": ["250us", "1.5 ms", "1000 ticks"]}
_TIMES_SCHEMA = {"anyOf": [_TIME_SCHEMA, {"type": "array", "items": _TIME_SCHEMA, "minItems": 1}]}
_FREQUENCY_SCHEMA = {"type": "string", "pattern": FREQUENCY_PATTERN, "examples": ["15.625MHz"]}
_IDENTIFIER = r"^[A-Za-z_][A-Za-z0-9_]*$"
APPLICATION_NAME = r"^[A-Za-z][A-Za-z0-9_-]*$"

PARSED_TIME = PlainValidator(_written(parse_time, "time", '"250us"'))
AnyTime = Annotated[Time, PARSED_TIME, WithJsonSchema(_TIME_SCHEMA)]
AnyTimes = Annotated[
    list[AnyTime], BeforeValidator(lambda it: it if isinstance(it, list) else [it]), WithJsonSchema(_TIMES_SCHEMA)
]
Frequency = Annotated[
    Fraction, PlainValidator(_written(parse_frequency, "frequency", '"15.625MHz"')), WithJsonSchema(_FREQUENCY_SCHEMA)
]
# The pattern is for editors alone: build reports a bad name together with the rules of C.
Identifier = Annotated[str, WithJsonSchema({"type": "string", "pattern": _IDENTIFIER})]
Name = Annotated[str, StringConstraints(min_length=1)]


class Table(BaseModel):
    """A table of a file: no key is unknown, no value is of another type, and nothing changes it."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, arbitrary_types_allowed=True)
