# SPDX-License-Identifier: Apache-2.0
"""What a benchmark yields: rows of figures, and what they are made of."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace

from carillon.trace.summary import Summary

BOARD = "ast1030-evb"
"""The board of the published figures."""
IN_CYCLES = "cv32e40x-rtl"
"""The board on which the same is measured in cycles: what is executed there is counted by the core in RTL."""
MUST = {
    "start_alone": 6,
    "start": 14,
    "start_deadline_1": 14,
    "start_deadline_2": 14,
    "end_alone": 6,
    "dispatch": 8,
    "dispatch_deadline_1": 8,
    "dispatch_deadline_2": 8,
    "terminate": 6,
    "minimal_period": 20,
    "tt_dispatch_extended_extended": 60,
    "start_schedule_table_rel": 80,
    "stop_schedule_table": 12,
}
"""The most that a figure may be there, in cycles.

A dispatch counts from the handler's first instruction on, which comes 6 cycles after the request.
"""

_measured = ContextVar("board", default=BOARD)


def board() -> str:
    """The board on which is measured what is measured on :data:`BOARD` as a rule."""
    return _measured.get()


@contextmanager
def measured_on(name: str) -> Iterator[None]:
    """Measure on a board: :data:`BOARD` or :data:`IN_CYCLES`."""
    before = _measured.set(name)
    try:
        yield
    finally:
        _measured.reset(before)


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of one kernel: ``minimum``, ``median`` and ``maximum`` over ``samples``, in ``unit``.

    ``must``: the most that ``maximum`` may be, None where nothing is asked.  ``goal``: the most that it is to be one day,
    where it is more yet.  ``peer``: the least that another kernel needs, ``peer_name``, as far as it is known.
    """

    metric: str
    kernel: str
    board: str
    unit: str
    minimum: float
    median: float
    maximum: float
    samples: int
    must: float | None = None
    goal: float | None = None
    peer: float | None = None
    peer_name: str = ""

    def as_json(self) -> dict[str, object]:
        """The form of ``--json``."""
        names = {"minimum": "min", "maximum": "max"}
        told = {key: value for key, value in asdict(self).items() if value is not None and (self.peer_name or key != "peer_name")}
        return {names.get(key, key): value for key, value in told.items()}


@dataclass(frozen=True, slots=True)
class Curve:
    """A line of a plot."""

    label: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture of figures; ``name`` is that of its file."""

    name: str
    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """What a benchmark yields; the figures of ``peers`` are in ``rows``, too."""

    rows: list[Row]
    plots: tuple[Plot, ...] = ()
    peers: tuple[Peer, ...] = ()


@dataclass(frozen=True, slots=True)
class Peer:
    """Another kernel that was measured beside Carillon's: its figures, or why there are none.

    ``versions``: of what it is made of, and of its compiler.  ``flags``: what the compiler was told.
    """

    name: str
    versions: dict[str, str]
    flags: str
    rows: tuple[Row, ...] = ()
    why_not: str = ""

    def told(self) -> str:
        """Versions and flags, or why there are no figures."""
        if self.why_not:
            return f"{self.name}: not measured: {self.why_not}"
        return f"{self.name}: {', '.join(f'{what} {version}' for what, version in self.versions.items())}; {self.flags}"

    def as_json(self) -> dict[str, object]:
        """The form of ``--json``, without the figures."""
        told: dict[str, object] = {"name": self.name, "versions": self.versions, "flags": self.flags}
        return told | ({"why_not": self.why_not} if self.why_not else {})


def row(metric: str, kernel: str, board: str, unit: str, values: Iterable[float], must: float | None = None) -> Row:
    """A row from its samples; ``values`` must not be empty.  On the board in RTL, what is executed is counted in cycles."""
    samples = list(values)
    if board == IN_CYCLES:
        unit, must = "cycles" if unit == "instructions" else unit, MUST.get(metric) if kernel == "carillon" else None
    middle = statistics.median(samples)
    middle = int(middle) if middle == int(middle) else middle
    return Row(metric, kernel, board, unit, min(samples), middle, max(samples), len(samples), must)


def beside(metric: str, board: str, unit: str, ours: float, theirs: float, columns: tuple[str, str]) -> list[Row]:
    """A figure and another kernel's, which was measured by others."""
    return [row(metric, column, board, unit, [value]) for column, value in zip(columns, (ours, theirs), strict=True)]


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric, where it is measured, and what is asked of it, as in :class:`Row`; ``alone``: only of Carillon's own kernel."""

    metric: str
    must: float | None = None
    goal: float | None = None
    peer: float | None = None
    peer_name: str = ""
    board: str = ""  # empty: what board() says
    unit: str = "instructions"
    alone: bool = False

    def row(self, kernel: str, values: Iterable[float]) -> Row:
        """The row of these samples."""
        made = row(self.metric, kernel, self.board or board(), self.unit, values, self.must)
        if made.board == IN_CYCLES:
            return made
        beyond = self.goal is not None and (self.must is None or self.goal < self.must)
        return replace(made, goal=self.goal if beyond else None, peer=self.peer, peer_name=self.peer_name)


Progress = Callable[[str], None]


def runs_of(summary: Summary, name: str, field: str) -> list[float]:
    """A field of every run of a task, where it is known."""
    return [value for r in summary.runs if r.lane.name == name and (value := getattr(r, field)) is not None]
