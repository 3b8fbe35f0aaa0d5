# SPDX-License-Identifier: Apache-2.0
"""The shape of a schedule file: which keys there are and what each may hold (SPEC, section 'Schedule file').

Every key is optional here, so that the checks that follow still see the rest of a table from which a wrong
value was taken out; :mod:`carillon.read.build` demands the required ones.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from carillon.read.times import FREQUENCY_PATTERN, TIME_PATTERN, MalformedError, Time, parse_frequency, parse_time

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


def _one_or_many(value: object) -> object:
    return value if isinstance(value, list) else [value]


_CODES = {"time": "C016", "frequency": "C019"}
_TIME_SCHEMA = {"type": "string", "pattern": TIME_PATTERN, "examples": ["250us", "1.5 ms", "1000 ticks"]}
_TIMES_SCHEMA = {"anyOf": [_TIME_SCHEMA, {"type": "array", "items": _TIME_SCHEMA, "minItems": 1}]}
_FREQUENCY_SCHEMA = {"type": "string", "pattern": FREQUENCY_PATTERN, "examples": ["15.625MHz"]}
_IDENTIFIER = r"^[A-Za-z_][A-Za-z0-9_]*$"
APPLICATION_NAME = r"^[A-Za-z][A-Za-z0-9_-]*$"

AnyTime = Annotated[Time, PlainValidator(_written(parse_time, "time", '"250us"')), WithJsonSchema(_TIME_SCHEMA)]
AnyTimes = Annotated[list[AnyTime], BeforeValidator(_one_or_many), WithJsonSchema(_TIMES_SCHEMA)]
Frequency = Annotated[
    Fraction, PlainValidator(_written(parse_frequency, "frequency", '"15.625MHz"')), WithJsonSchema(_FREQUENCY_SCHEMA)
]
# The pattern is for editors alone: build reports a bad name together with the rules of C.
Identifier = Annotated[str, WithJsonSchema({"type": "string", "pattern": _IDENTIFIER})]
Name = Annotated[str, StringConstraints(min_length=1)]


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, arbitrary_types_allowed=True)


class SystemTable(_Table):
    """The application as a whole."""

    name: Annotated[str, WithJsonSchema({"type": "string", "pattern": APPLICATION_NAME})] | None = Field(
        None, description="Name of the application; the file's stem if absent."
    )
    board: Name | None = Field(
        None, description='The board: a name ("carillon boards") or a path to a board.toml; "ast1030-evb" if absent.'
    )
    clock: Frequency | None = Field(
        None,
        description="Frequency of a tick, one of the board's; if absent, the first of them into whose ticks every time divides.",
    )
    sources: list[Name] | None = Field(
        None, description="C files of the application, relative to this file; every *.c beside it if absent."
    )
    start_mode: Identifier | None = Field(
        None, description="The application mode that the default main starts with; the first mode of the file if absent."
    )
    on_deadline_miss: Literal["shutdown", "continue"] = Field(
        "shutdown", description="What follows ttErrorHook after a missed deadline."
    )
    inexact_times: Literal["refuse", "round"] = Field(
        "refuse", description="A time that is no whole number of ticks is refused, or rounded and its drift reported."
    )
    idle: Literal["spin", "sleep"] | None = Field(
        None, description="What the default ttIdleTask does; the board decides if absent."
    )


class TaskTable(_Table):
    """A time-triggered task."""

    entry: Identifier | None = Field(None, description="C function void entry(void); the task's name if absent.")
    wcet: AnyTime | None = Field(None, description="Worst-case execution time; without it the task is not checked statically.")
    period: AnyTime | None = Field(
        None, description="Makes the task periodic: activated at offset, offset + period, ... in each mode that includes it."
    )
    offset: AnyTime | None = Field(
        None, description="First activation in the round; only with period and less than it; 0 ticks if absent."
    )
    deadline: AnyTimes | None = Field(None, description="Deadline after each activation, or a list of them; only with period.")
    monitor: Literal["always", "if-cells-allow", "never"] = Field(
        "always", description="Who watches its deadlines: cells, cells if any are left, or only the analysis and the trace."
    )


class InterruptTable(_Table):
    """An interrupt of the application."""

    model_config = ConfigDict(json_schema_extra={"required": ["source"]})

    source: Name | None = Field(None, description="One of the board's application sources, by name.")
    handler: Identifier | None = Field(None, description="C function void handler(void); the interrupt's name if absent.")
    priority: Literal["above-tasks", "below-tasks"] = Field("above-tasks", description="Whether it preempts tasks.")


class PointTable(_Table):
    """An expiry point of a round: it activates a task, or enables an interrupt again."""

    model_config = ConfigDict(
        json_schema_extra={
            "required": ["at"],
            "oneOf": [{"required": ["activate"]}, {"required": ["enable"], "not": {"required": ["deadline_at"]}}],
        }
    )

    at: AnyTime | None = Field(None, description="When, from the start of the round.")
    activate: Identifier | None = Field(None, description="The task to activate.")
    deadline_at: AnyTimes | None = Field(
        None, description="Deadline of this activation, or a list of them, from the start of the round like 'at'."
    )
    enable: Identifier | None = Field(None, description="The interrupt to enable again.")


class ModeTable(_Table):
    """An application mode and its dispatcher round."""

    round: AnyTime | None = Field(
        None, description="Length of the dispatcher round; the least common multiple of its tasks' periods if absent."
    )
    tasks: list[Identifier] | None = Field(
        None, description="Which periodic tasks take part; all tasks that have a period if absent."
    )
    window: Literal["deadline", "wcet"] = Field(
        "deadline",
        description="Until when an activation counts as running: its last enforced deadline, or its worst-case completion.",
    )
    points: list[PointTable] | None = Field(None, description="Expiry points in ascending order of 'at'.")


class ScheduleFile(_Table):
    """A schedule: what Carillon compiles into timers and interrupts."""

    system: SystemTable = Field(default_factory=lambda: SystemTable.model_validate({}), description="The application as a whole.")
    task: dict[str, TaskTable] = Field(default_factory=dict, description="The time-triggered tasks, by name.")
    interrupt: dict[str, InterruptTable] = Field(default_factory=dict, description="The application's interrupts, by name.")
    mode: dict[str, ModeTable] = Field(
        default_factory=dict, description="The application modes, by name; without any there is one, 'default', with every task."
    )
