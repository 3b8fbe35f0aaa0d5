# SPDX-License-Identifier: Apache-2.0
"""Reads a network file: its nodes, the errors of their clocks, and the properties of the bus (SPEC, 'Network file')."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, PlainValidator, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from carillon.diagnostics import Diagnostics
from carillon.model.network import BILLION, CHANCE, NODES, PICOSECONDS, Link, Network, Node, Oscillator, Wander
from carillon.read.spans import Path as Place
from carillon.read.spans import SpanIndex
from carillon.read.tables import Layers, validate
from carillon.read.text import LONGEST_FILE, read_toml
from carillon.read.values import PARSED_TIME, Name, Table, toml_type
from carillon.units import TIME_PATTERN, Time, shorten

FILE = "network.toml"
"""What a network's file in a folder is called."""
NAME = r"^[A-Za-z][A-Za-z0-9_-]*$"
LONGEST_NAME = 40
MOST_PPM = 100_000
MOST_STEPS = 1000
_NETWORK = re.compile(r"^[ \t]*(\[[ \t]*(network|bus)[ \t]*\]|\[\[[ \t]*node[ \t]*\]\])", re.MULTILINE)
_REMEDY = "SPEC, section 'Network file', lists the keys; examples/nodes has one"


def _finding(cause: str, remedy: str) -> PydanticCustomError:
    return PydanticCustomError("written", "{cause}", {"code": "C225", "cause": cause, "remedy": remedy})


def _number(value: object, phrase: str) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _finding(f"{toml_type(value)} is not {phrase}", "write a number without quotes")
    if value != value or value in (float("inf"), float("-inf")):
        raise _finding(f"{value} is not {phrase}", "write a number")
    return Fraction(repr(value))  # as it is written, not as the machine holds it


def _ppm(value: object) -> int:
    """An error of a clock in parts of 10^9."""
    parts = _number(value, "a clock's error") * 1000
    if parts.denominator != 1:
        raise _finding(f"{value} ppm is finer than a thousandth of a ppm", "write at most three decimals")
    if abs(parts) > MOST_PPM * 1000:
        raise _finding(f"{value} ppm is no clock any more", f"write at most {MOST_PPM} ppm, which is ten percent")
    return int(parts)


def _chance(value: object) -> int:
    """A chance in parts of :data:`CHANCE`."""
    part = _number(value, "a chance")
    if not 0 <= part <= 1:
        raise _finding(f"{value} is no chance", "write a number from 0, never, to 1, always")
    return int(part * CHANCE)


def _real(value: Time) -> int:
    """A time in picoseconds."""
    if value.unit == "ticks":
        raise _finding(f"'{value}': a network has no ticks, since each node has a clock of its own", "use ns, us, ms or s")
    time = value.ticks(PICOSECONDS)
    if time.denominator != 1:
        raise _finding(f"'{value}' is no whole number of picoseconds", "write fewer decimals")
    if time > 10**6 * PICOSECONDS:
        raise _finding(f"'{value}' is longer than any run", "write at most 1000000 s")
    return int(time)


_NUMBER = {"type": "number"}
Ppm = Annotated[int, PlainValidator(_ppm), WithJsonSchema(_NUMBER)]
Chance = Annotated[int, PlainValidator(_chance), WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})]
_TIME = {"type": "string", "pattern": TIME_PATTERN.replace("|ticks|tick", ""), "examples": ["250us", "1.5 ms"]}
RealTime = Annotated[int, PARSED_TIME, AfterValidator(_real), WithJsonSchema(_TIME)]


class NetworkTable(Table):
    """The network as a whole."""

    name: Name | None = Field(None, description="Name of the network; the folder's if absent.")
    seed: Annotated[int, Field(ge=0, lt=2**63)] = Field(
        1, description="Decides what is left to chance: the same seed, the same run."
    )


class LateTable(Table):
    """Messages that take longer than the others."""

    chance: Chance = Field(description="Part of the messages that are late, 0 to 1.")
    by: RealTime = Field(description="How much longer they take at most.")


class BusTable(Table):
    """How messages travel; each receiver has its own luck."""

    latency: RealTime | None = Field(None, description='Shortest time from sending to arrival, more than 0; "10us" if absent.')
    jitter: RealTime | None = Field(None, description="How much longer a message may take; 0 if absent.")
    loss: Chance | None = Field(None, description="Part of the messages that never arrive, 0 to 1; 0 if absent.")
    duplicate: Chance | None = Field(None, description="Part of the messages that arrive twice, 0 to 1; 0 if absent.")
    late: LateTable | None = Field(None, description="Messages that are late beyond the jitter; none if absent.")


class WanderTable(Table):
    """A random walk of a clock's error."""

    step: Ppm = Field(description="The most by which the error changes at once, in ppm.")
    bound: Ppm = Field(description="The most that the walk adds to the error or takes from it, in ppm.")
    every: RealTime = Field(description="The time between two changes.")


class StepTable(Table):
    """Another error from some time on, as when a board gets warm."""

    at: RealTime = Field(description="True time from the network's start.")
    ppm: Ppm = Field(description="The error from then on.")


class ClockTable(Table):
    """A node's oscillator."""

    ppm: Ppm = Field(0, description="By how many parts of a million it is fast, or slow if negative; 0 if absent.")
    wander: WanderTable | None = Field(None, description="A random walk on top; none if absent.")
    steps: list[StepTable] = Field([], max_length=MOST_STEPS, description="Other errors from given times on, ascending.")


class NodeTable(Table):
    """A virtual board in the network."""

    name: Annotated[str, StringConstraints(pattern=NAME, max_length=LONGEST_NAME)] = Field(
        description="Name of the node: letters, digits, '_' and '-'."
    )
    schedule: Name = Field(description="Its schedule or OIL file, or the folder of a schedule.toml, relative to this file.")
    board: Name | None = Field(None, description="A virtual board, instead of the schedule's.")
    start: RealTime = Field(0, description='When its power comes on; "0s" if absent.')
    clock: ClockTable | None = Field(None, description="Its oscillator; exact if absent.")
    bus: BusTable | None = Field(None, description="How what it sends travels, where that differs from [bus].")


class NetworkFile(Table):
    """A network file."""

    network: NetworkTable | None = Field(None, description="The network as a whole.")
    bus: BusTable | None = Field(None, description="How messages travel.")
    node: list[NodeTable] = Field(min_length=1, max_length=NODES, description="The nodes, in the order of their numbers.")


def network_file(path: Path) -> Path | None:
    """The network file at a path of the command line: a file by its content, a folder by its file's name; else None."""
    if path.is_dir():
        return path / FILE if (path / FILE).is_file() and not (path / "schedule.toml").is_file() else None
    try:
        if path.suffix == ".toml" and path.is_file() and path.stat().st_size <= LONGEST_FILE:
            return path if _NETWORK.search(path.read_text(encoding="utf-8")) else None
    except (OSError, UnicodeDecodeError):
        pass  # the file's reader reports the error
    return None


def read_network(path: Path, diagnostics: Diagnostics) -> Network | None:
    """Read a network file; None after errors: C010 to C012, C016, and C225 to C230."""
    parsed = read_toml(path, diagnostics)
    if parsed is None:
        return None
    layers = Layers([(parsed.data, parsed.places)])
    file = validate(NetworkFile, parsed.data, layers, _REMEDY, diagnostics, "C225")
    if file is None:
        return None
    nodes = [_node(file, number, table, path, parsed.places, diagnostics) for number, table in enumerate(file.node)]
    whole = file.network or NetworkTable.model_validate({})
    return Network(whole.name or path.resolve().parent.name, whole.seed, tuple(nodes), path)


def _node(file: NetworkFile, number: int, table: NodeTable, path: Path, places: SpanIndex, diagnostics: Diagnostics) -> Node:
    at: Place = ("node", number)
    first = next(k for k, other in enumerate(file.node) if other.name == table.name)
    if first < number:
        cause = f"node {first + 1} is called '{table.name}', too"
        diagnostics.error("C226", places.value((*at, "name")), cause, "give every node its own name")
    schedule = path.parent / table.schedule
    if schedule.is_dir():
        schedule /= "schedule.toml"
    if not schedule.is_file():
        cause = f"node '{table.name}' has no schedule: there is no file {shorten(table.schedule)}"
        remedy = "write the path of a schedule or OIL file, or of the folder of a schedule.toml, relative to this file"
        diagnostics.error("C227", places.value((*at, "schedule")), cause, remedy)
    oscillator = _oscillator(table, at, places, diagnostics)
    link = _link(file, table, at, places, diagnostics)
    return Node(table.name, schedule, table.board, table.start, oscillator, link, places.value((*at, "schedule")))


def _oscillator(table: NodeTable, at: Place, places: SpanIndex, diagnostics: Diagnostics) -> Oscillator:
    clock = table.clock or ClockTable.model_validate({})
    errors = [(0, clock.ppm)]
    for k, step in enumerate(clock.steps):
        if step.at <= errors[-1][0]:
            cause = f"step {k + 1} of the clock of node '{table.name}' is not later than what comes before it"
            remedy = "write the steps in the order of their times, from the first after 0"
            diagnostics.error("C229", places.value((*at, "clock", "steps", k, "at")), cause, remedy)
        errors.append((step.at, step.ppm))
    if clock.wander is None:
        return Oscillator(tuple(errors))
    wander = Wander(clock.wander.step, clock.wander.bound, clock.wander.every)
    place = places.value((*at, "clock", "wander"))
    if not 0 < wander.step <= wander.bound:
        cause = f"the clock of node '{table.name}' changes by {wander.step / 1000:g} ppm within {wander.bound / 1000:g} ppm"
        diagnostics.error("C229", place, cause, "write a step of more than 0 and not more than the bound")
    if wander.every < BILLION:
        cause = f"the clock of node '{table.name}' changes more often than once in a millisecond"
        diagnostics.error("C229", place, cause, 'write a time of at least a millisecond: every = "10ms"')
    return Oscillator(tuple(errors), wander)


def _link(file: NetworkFile, table: NodeTable, at: Place, places: SpanIndex, diagnostics: Diagnostics) -> Link:
    said: dict[str, Any] = {"latency": 10_000_000}
    for bus in (file.bus, table.bus):
        said |= {key: value for key, value in bus or () if value is not None}
    if said["latency"] < 1000:
        own_latency = table.bus is not None and table.bus.latency is not None
        cause = f"what node '{table.name}' sends arrives at once"
        remedy = "write a latency of at least a nanosecond: nothing is faster than light"
        diagnostics.error("C230", places.value((*at, "bus", "latency") if own_latency else ("bus", "latency")), cause, remedy)
    late: LateTable | None = said.pop("late", None)
    return Link(**said) if late is None else Link(**said, late=late.chance, late_by=late.by)
