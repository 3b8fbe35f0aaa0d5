# SPDX-License-Identifier: Apache-2.0
"""What a board is: its clock, its timer cells and their rules, its interrupt controller, how it is built and run.

A board is data, ``boards/<name>/board.toml``; no other file of the tool knows a chip.  SPEC documents
every key.  The words are those of the Sloth on Time paper, section III-B: a *cell* is one timer of an
array; it raises an interrupt *source*; its request can be enabled and disabled.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from carillon.diagnostics import CarillonError, Diagnostic, Span
from carillon.model.time import ClockKind


class Role(Enum):
    """What a cell is used for (paper, figure 3)."""

    ACTIVATION = "activation"
    DEADLINE = "deadline"
    CONTROL = "control"
    ENABLE = "enable"
    SYSTEM = "system"  # the one timer of the conventional kernel


class Start(Enum):
    """How the cells of a family are started."""

    GROUP = "group"  # all by one store
    EACH = "each"  # one store per cell, at a fixed spacing
    TIMER = "timer"  # one store per array: its cells are the channels of one timer, and have one period


class Service(Enum):
    """What of the time services takes a cell."""

    CLOCK = "clock"
    SLICES = "slices"


class Rearm(Enum):
    """How a running cell is given its next interval without drift, if it can be."""

    SHIFT = "shift"  # add to the running counter
    RELOAD = "reload"  # write the interval after the running one, taken over at the next expiry
    MATCH = "match"  # add to the value at which a free-running counter's channel matches
    NONE = "none"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


class Clock(_Frozen):
    """One setting of the board's clock.  A tick of the schedule is one period of ``hz``."""

    hz: int = Field(gt=0)
    instructions_per_tick: int = Field(default=1, ge=0, description="0 on a board whose code takes no time")
    qemu_shift: int | None = None
    defines: dict[str, int] = Field(default_factory=dict, description="C macros that set this clock up")


class ClockCosts(_Frozen):
    """What the handler of a clock takes, in instructions of the processor, or cycles where the emulator is exact to them."""

    interrupt: int = Field(ge=0, description="every interrupt, whether anything is due or not")
    serving: int = Field(default=0, ge=0, description="more for each interrupt in which anything is due")
    wake: int = Field(ge=0, description="more for each task whose delay is over")
    alarm: int = Field(ge=0, description="more for each alarm that expires, activates a task and goes on")
    beside: int = Field(default=0, ge=0, description="more for each such alarm where others wait too")


class Cells(_Frozen):
    """An array of equal timer cells, served by the driver ``cells/<family>``."""

    family: str
    names: tuple[str, ...] = Field(description="one name per cell")
    sources: tuple[int, ...] = Field(description="the interrupt source of each cell; equal numbers share one")
    width: int = Field(ge=8, le=64, description="bits of the counter")
    roles: tuple[Role, ...]
    adjacent: dict[Role, int] = Field(default_factory=dict, description="neighbouring cells that one timer of a role needs")
    hz: int | None = Field(default=None, description="the cells' own clock; None: the board's clock")
    prescalers: tuple[int, ...] = (1,)
    min_period_ns: int = 0
    min_period_units: int = Field(default=1, ge=1, description="the same in what the cells count, if that is longer")
    min_rearm_ticks: int = Field(default=1, ge=1, description="shortest interval that a re-armed cell can keep")
    min_rearm_cycles: int = Field(default=0, ge=0, description="the same in instructions or cycles of the processor")
    start: Start = Start.EACH
    rearm: Rearm = Rearm.NONE
    prefer: Service | None = Field(default=None, description="the time service that has these cells if it has the choice")
    acknowledge: bool = Field(default=False, description="the handler must clear the request")
    request_enable: Literal["controller", "cell"] = "controller"

    @model_validator(mode="after")
    def _lengths(self) -> Cells:
        if len(self.names) != len(self.sources):
            raise ValueError(f"{len(self.names)} names but {len(self.sources)} sources")
        return self

    def needed(self, role: Role) -> int:
        """How many neighbouring cells one timer in ``role`` takes (TC1796: two per activation)."""
        return self.adjacent.get(role, 1)

    def units(self, ticks: int, clock_hz: int, prescaler: int) -> Fraction:
        """``ticks`` of the schedule in units of these cells; a fraction where it does not divide."""
        return Fraction(ticks * (self.hz or clock_hz), clock_hz * prescaler)

    def min_period(self, clock_hz: int) -> int:
        """The shortest period of these cells, in ticks of the schedule, rounded up."""
        counted = -(-self.min_period_units * clock_hz // (self.hz or clock_hz))
        return max(counted, -(-self.min_period_ns * clock_hz // 1_000_000_000))


class Build(_Frozen):
    """How firmware for the board is compiled.  Paths are relative to the board's folder."""

    compiler: str
    size: str = "size"
    cflags: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    linker_script: str | None = None
    packages: tuple[str, ...] = Field(default=(), description="Debian packages that bring the compiler")


class Run(_Frozen):
    """How an image is run: natively, or in an emulator that the tracing plugin watches."""

    kind: Literal["native", "qemu", "simavr"]
    command: tuple[str, ...] = Field(default=(), description="the emulator and its options; of simavr the device")
    packages: tuple[str, ...] = ()
    ram_end: int = Field(default=0, ge=0, description="last address of external memory, which simavr is to have; 0: it has none")
    warm_up_at: int | None = Field(
        default=None,
        description="address of free memory, where the emulator's timers cannot be shifted further back than its power-up: "
        "the runner puts a loop of one round's length there that runs before reset",
    )
    code_base: int = Field(default=0, description="where the code region begins, for the tracing plugin")
    code_bytes: int = Field(default=0x100000, description="its size")


class Board(_Frozen):
    """A board, read from its TOML."""

    name: str
    summary: str
    port: str = Field(description="the folder in ports/ that runs its processor")
    levels: int = Field(ge=1, description="priority levels of the interrupt controller")
    nesting: Literal["levels", "time"] = Field(
        default="levels", description="what preempts: a higher level, or (time) whatever comes later, as there are no levels"
    )
    dispatch: Literal["hardware", "software"] = Field(
        default="hardware", description="software: the controller cannot dispatch event-triggered tasks"
    )
    vectors: Literal["table", "code"] = Field(
        default="table", description="code: vectors are jumps, and handlers functions of a kind of their own"
    )
    stack: int = Field(default=1024, ge=64, description="bytes of an extended task's stack where the schedule says none")
    sources: int = Field(ge=1, description="vectors of the interrupt controller, system exceptions included")
    application_sources: dict[str, int] = Field(default_factory=dict, description="sources that the application may name")
    software_sources: tuple[int, ...] = Field(
        default=(), description="sources of devices that applications rarely use: event-triggered tasks may have them"
    )
    dispatcher_source: int | None = Field(default=None, description="source of the software dispatcher; None: any spare one")
    unmaskable_levels: int = Field(default=0, ge=0, description="top levels that a mask of levels cannot hold back")
    clocks: tuple[Clock, ...] = Field(min_length=1)
    cells: tuple[Cells, ...]
    costs: dict[ClockKind, ClockCosts] = Field(default_factory=dict, description="of each kind of clock, as measured")
    system_vectors: int = Field(default=0, ge=0, description="vectors before the first that the tool fills")
    defines: dict[str, int] = Field(default_factory=dict, description="C macros for this board")
    request_base: int = Field(default=0, ge=0, description="first source whose request the controller can enable")
    request_bits: int = Field(default=32, ge=1, description="sources that share a request-enable register")
    start_spacing: int = Field(default=0, ge=0, description="ticks between two stores of the start sequence")
    lead: int = Field(default=0, ge=0, description="ticks from the first start store to the round's first tick")
    switch_ticks: int = Field(default=0, ge=0, description="ticks from a mode switch's interrupt to its first start store")
    lowered_levels: int = Field(default=0, ge=0, description="top levels that lowering the execution priority takes")
    idle: Literal["spin", "sleep"] = "sleep"
    build: Build
    run: Run
    folder: Path = Path()

    @property
    def cell_count(self) -> int:
        """All cells of the board."""
        return sum(len(group.names) for group in self.cells)

    @property
    def code_unit(self) -> str:
        """What code is counted in."""
        return "cycles" if self.run.kind == "simavr" else "instructions"

    def mates(self, sources: Iterable[int]) -> frozenset[int]:
        """These sources, and those of the other channels of the same timers."""
        own = set(sources)
        arrays = [a for a in self.cells if a.start is Start.TIMER and own & set(a.sources)]
        return frozenset(own.union(*(a.sources for a in arrays)))

    def clock(self, hz: int) -> Clock:
        """The clock setting of exactly ``hz``; KeyError if the board has none."""
        for clock in self.clocks:
            if clock.hz == hz:
                return clock
        raise KeyError(hz)


def _read(path: Path) -> dict[str, Any]:
    """A board's tables, over those of the board beside it that it names as its ``base``."""
    data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    base = data.pop("base", None)
    return _over(_read(path.parent.parent / str(base) / "board.toml"), data) if base is not None else data


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """``above``, and of ``below`` what that does not say; tables are merged, arrays are not."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def load_board(path: Path) -> Board:
    """Read ``path``, a ``board.toml``.

    Raises :class:`CarillonError` with code C050 if it cannot be read, is not TOML, or breaks a rule above.
    """
    remedy = "SPEC, section 'Board file', lists the keys; boards/virtual-tiny is the smallest example"
    try:
        data = _read(path)
        data["folder"] = path.parent
        return Board.model_validate(data)
    except ValidationError as error:
        raise CarillonError(
            Diagnostic("C050", Span(str(path)), f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}", remedy)
            for e in error.errors()
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CarillonError([Diagnostic("C050", Span(str(path)), f"cannot read the board: {error}", remedy)]) from None
