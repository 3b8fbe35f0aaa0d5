# SPDX-License-Identifier: Apache-2.0
"""What a board is: its clock, its timer cells and their rules, its interrupt controller, how it is built and run.

A board is data, ``boards/<name>/board.toml``; no other file of the tool knows a chip.  SPEC documents
every key.  The words are those of the Sloth on Time paper, section III-B: a *cell* is one timer of an
array; it raises an interrupt *source*; its request can be enabled and disabled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, StringConstraints, model_validator

from carillon.model.time import ClockKind


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("it holds a control character")
    return text


# What a board file may hold has an end, so that what is worked out of it fits into C and into memory.
Int = Annotated[int, Field(strict=True, ge=-(2**31), le=2**32)]
Count = Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)]
Hertz = Annotated[int, Field(strict=True, gt=0, le=10**11)]
Source = Annotated[int, Field(strict=True, ge=0, lt=4096)]
Text = Annotated[str, StringConstraints(min_length=1), AfterValidator(_printable)]
Flag = Annotated[bool, Field(strict=True)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


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
    RELOAD = "reload"  # write the interval after the running one, taken over at the next expiry; a neighbour keeps the time
    MATCH = "match"  # add to the value at which a free-running counter's channel matches
    NONE = "none"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


class Clock(_Frozen):
    """One setting of the board's clock.  A tick of the schedule is one period of ``hz``."""

    hz: Hertz
    instructions_per_tick: Count = Field(default=1, description="0 on a board whose code takes no time")
    qemu_shift: Annotated[int, Field(strict=True, ge=0, le=10)] | None = None
    lead: Count | None = Field(default=None, description="the board's lead at this clock, if it is another")
    defines: dict[Identifier, Int] = Field(default_factory=dict, description="C macros that set this clock up")


class ClockCosts(_Frozen):
    """What the handler of a clock takes, in instructions of the processor, or cycles where the emulator is exact to them."""

    interrupt: Count = Field(description="every interrupt, whether anything is due or not")
    serving: Count = Field(default=0, description="more for each interrupt in which anything is due")
    wake: Count = Field(description="more for each task whose delay is over")
    alarm: Count = Field(description="more for each alarm that expires, activates a task and goes on")
    beside: Count = Field(default=0, description="more for each such alarm where others wait too")


class BaseKind(Enum):
    """How a family of cells can be the time base (``kernel/include/carillon/base.h``)."""

    DOWN = "down"  # a cell of its own, which counts down and begins anew
    UP = "up"  # a cell of its own, which counts up through its whole width
    FREE = "free"  # a counter that counts whatever the cells do


class Driver(_Frozen):
    """What a family is as a clock of one kind (``kernel/include/carillon/clock.h``, where the figures are explained).

    ``bits`` of its counter that are used, at most; ``narrows``: fewer will do, too, where a board's cells are narrower;
    ``minimum`` and ``cost`` in units; ``restarts``: it can only be loaded anew; ``requests``: its interrupt can be
    requested by software; ``locks``: setting it locks all interrupts for a moment, unless nothing is above the kernel's
    lock; ``free``: its counter runs freely, as the macros FREE_PREPARE and FREE_START of ``cells/<family>/cell.h`` begin,
    so that a one-shot clock, too, is a compare clock whose match moves.
    """

    bits: int = Field(default=0, ge=0, le=64, strict=True)
    minimum: Count = 1
    cost: Count = 0
    restarts: Flag = False
    requests: Flag = False
    locks: Flag = False
    free: Flag = False
    narrows: Flag = False


class Family(_Frozen):
    """A family of cells, read from ``cells/<name>/cell.toml``.

    ``align``, ``finish``: its cells contribute to these lists of the driver; ``late``: to ``finish`` only cells whose first
    expiry is more than a period away.  ``base``: how a counter of it can be the time base; None: it cannot.  ``clock``: the
    kinds of clocks that its cells can be, other than periodic, which any cell can be.
    """

    name: str
    align: Flag
    finish: Flag
    late: Flag = False
    base: BaseKind | None = None
    clock: dict[ClockKind, Driver] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _kinds(self) -> Self:
        if ClockKind.PERIODIC in self.clock:
            raise ValueError("any cell can be a periodic clock: leave [clock.periodic] out")
        return self


class Cells(_Frozen):
    """An array of equal timer cells, served by the driver ``cells/<family>``."""

    family: Family
    names: tuple[Identifier, ...] = Field(min_length=1, max_length=4096, description="one name per cell")
    sources: tuple[Source, ...] = Field(description="the interrupt source of each cell; equal numbers share one")
    width: int = Field(strict=True, ge=8, le=64, description="bits of the counter")
    roles: tuple[Role, ...]
    adjacent: dict[Role, Annotated[int, Field(strict=True, ge=1, le=4096)]] = Field(
        default_factory=dict, description="neighbouring cells that one timer of a role needs"
    )
    hz: Hertz | None = Field(default=None, description="the cells' own clock; None: the board's clock")
    prescalers: tuple[Annotated[int, Field(strict=True, ge=1, le=2**31)], ...] = Field(default=(1,), min_length=1, max_length=64)
    min_period_ns: Count = 0
    min_period_units: Annotated[Count, Field(ge=1)] = Field(
        default=1, description="the same in what the cells count, if that is longer"
    )
    min_rearm_ticks: Annotated[Count, Field(ge=1)] = Field(
        default=1, description="shortest interval that a re-armed cell can keep"
    )
    min_rearm_cycles: Count = Field(default=0, description="the same in instructions or cycles of the processor")
    start: Start = Start.EACH
    rearm: Rearm = Rearm.NONE
    prefer: Service | None = Field(default=None, description="the time service that has these cells if it has the choice")
    acknowledge: Flag = Field(default=False, description="the handler must clear the request")
    request_enable: Literal["controller", "cell"] = "controller"

    @model_validator(mode="after")
    def _names(self) -> Self:
        if len(self.names) != len(self.sources):
            raise ValueError(f"{len(self.names)} names but {len(self.sources)} sources")
        twice = [name for name, count in Counter(self.names).items() if count > 1]
        if twice:
            raise ValueError(f"two cells are called '{twice[0]}'")
        return self

    @property
    def clocks(self) -> dict[ClockKind, Driver]:
        """The kinds of clocks that these cells can be, other than periodic: those for which they are wide enough.

        ``bits`` is what such a clock counts in: never more than the cells have.
        """
        return {
            kind: driver.model_copy(update={"bits": min(driver.bits, self.width)})
            for kind, driver in self.family.clock.items()
            if driver.narrows or driver.bits <= self.width
        }

    def needed(self, role: Role, shared: bool = False) -> int:
        """How many neighbouring cells one timer in ``role`` takes (TC1796: two per activation).

        ``shared``: it is re-armed among several points.  A cell that is reloaded needs a second one then, which runs freely:
        by that it knows whether it has expired more than once since it was reloaded.
        """
        return max(self.adjacent.get(role, 1), 2 if shared and self.rearm is Rearm.RELOAD else 1)

    def units(self, ticks: int, clock_hz: int, prescaler: int) -> Fraction:
        """``ticks`` of the schedule in units of these cells; a fraction where it does not divide."""
        return Fraction(ticks * (self.hz or clock_hz), clock_hz * prescaler)

    def min_period(self, clock_hz: int) -> int:
        """The shortest period of these cells, in ticks of the schedule, rounded up."""
        counted = -(-self.min_period_units * clock_hz // (self.hz or clock_hz))
        return max(counted, -(-self.min_period_ns * clock_hz // 1_000_000_000))


class Build(_Frozen):
    """How firmware for the board is compiled.  Paths are absolute here, in the file relative to its own folder."""

    compiler: Text
    size: Text = "size"
    objcopy: Text = "objcopy"
    cflags: tuple[Text, ...] = ()
    ldflags: tuple[Text, ...] = ()
    sources: tuple[Text, ...] = ()
    linker_script: Text | None = None
    packages: tuple[Text, ...] = Field(default=(), description="Debian packages that bring the compiler")


class Run(_Frozen):
    """How an image is run: natively, or in an emulator that the tracing plugin watches."""

    kind: Literal["native", "qemu", "simavr"]
    command: tuple[Text, ...] = Field(default=(), description="the emulator and its options; of simavr the device")
    packages: tuple[Text, ...] = ()
    ram_end: Count = Field(default=0, description="last address of external memory, which simavr is to have; 0: it has none")
    warm_up_at: Annotated[int, Field(strict=True, ge=0, lt=2**32)] | None = Field(
        default=None,
        description="address of free memory, where the emulator's timers cannot be shifted further back than its power-up: "
        "the runner puts a loop of one round's length there that runs before reset",
    )
    code_base: Annotated[int, Field(strict=True, ge=0, lt=2**32)] = Field(
        default=0, description="where the code region begins, for the tracing plugin"
    )
    code_bytes: Annotated[int, Field(strict=True, ge=1, le=2**32)] = Field(default=0x100000, description="its size")

    @model_validator(mode="after")
    def _emulator(self) -> Self:
        if self.kind != "native" and not self.command:
            raise ValueError(f"kind = \"{self.kind}\" needs a 'command'")
        return self


class Board(_Frozen):
    """A board, read from its TOML."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
    summary: Text
    port: Text = Field(description="the folder in ports/ that runs its processor")
    levels: int = Field(strict=True, ge=1, le=4096, description="priority levels of the interrupt controller")
    nesting: Literal["levels", "time"] = Field(
        default="levels", description="what preempts: a higher level, or (time) whatever comes later, as there are no levels"
    )
    dispatch: Literal["hardware", "software"] = Field(
        default="hardware", description="software: the controller cannot dispatch event-triggered tasks"
    )
    vectors: Literal["table", "code"] = Field(
        default="table", description="code: vectors are jumps, and handlers functions of a kind of their own"
    )
    stack: int = Field(
        default=1024,
        strict=True,
        ge=128,
        le=1_048_576,
        description="bytes of an extended task's stack where the schedule says none",
    )
    sources: int = Field(
        strict=True, ge=1, le=4096, description="vectors of the interrupt controller, system exceptions included"
    )
    application_sources: dict[Identifier, Source] = Field(
        default_factory=dict, description="sources that the application may name"
    )
    software_sources: tuple[Source, ...] = Field(
        default=(), description="sources of devices that applications rarely use: event-triggered tasks may have them"
    )
    dispatcher_source: Source | None = Field(default=None, description="source of the software dispatcher; None: any spare one")
    unmaskable_levels: Count = Field(default=0, description="top levels that a mask of levels cannot hold back")
    clocks: tuple[Clock, ...] = Field(min_length=1)
    cells: tuple[Cells, ...] = Field(min_length=1)
    costs: dict[ClockKind, ClockCosts] = Field(default_factory=dict, description="of each kind of clock, as measured")
    interrupt_entry: Count = Field(default=0, description="instructions or cycles before and after each handler")
    system_vectors: Source = Field(default=0, description="vectors before the first that the tool fills")
    defines: dict[Identifier, Int] = Field(default_factory=dict, description="C macros for this board")
    request_base: Source = Field(default=0, description="first source whose request the controller can enable")
    request_bits: int = Field(default=32, strict=True, ge=1, le=64, description="sources that share a request-enable register")
    start_spacing: Count = Field(default=0, description="ticks between two stores of the start sequence")
    lead: Count = Field(default=0, description="ticks from the first start store to the round's first tick")
    switch_ticks: Count = Field(default=0, description="ticks from a mode switch's interrupt to its first start store")
    lowered_levels: Count = Field(default=0, description="top levels that lowering the execution priority takes")
    idle: Literal["spin", "sleep"] = "sleep"
    build: Build
    run: Run | None = Field(default=None, description="None: nothing here runs its images")
    _files: tuple[Path, ...] = PrivateAttr(default=())

    @model_validator(mode="after")
    def _whole(self) -> Self:
        numbers = [("a cell", source) for array in self.cells for source in array.sources]
        numbers += [(f"'{name}' of 'application_sources'", source) for name, source in self.application_sources.items()]
        numbers += [("'software_sources'", source) for source in self.software_sources]
        numbers += [("'dispatcher_source'", source) for source in (self.dispatcher_source,) if source is not None]
        beyond = next(((what, source) for what, source in numbers if source >= self.sources), None)
        if beyond is not None:
            raise ValueError(f"{beyond[0]} has source {beyond[1]}, but there are {self.sources} sources, numbered from 0")
        for key, taken in (("unmaskable_levels", self.unmaskable_levels), ("lowered_levels", self.lowered_levels)):
            if taken > self.levels:
                raise ValueError(f"'{key}' is {taken}, but there are {self.levels} levels")
        twice = [hz for hz, count in Counter(clock.hz for clock in self.clocks).items() if count > 1]
        if twice:
            raise ValueError(f"two clocks have {twice[0]} Hz")
        return self

    @property
    def files(self) -> tuple[Path, ...]:
        """The files it was read from, the board's own first."""
        return self._files

    @property
    def native(self) -> bool:
        """Whether an image is a program of this machine."""
        return self.run is not None and self.run.kind == "native"

    @property
    def cell_count(self) -> int:
        """All cells of the board."""
        return sum(len(group.names) for group in self.cells)

    @property
    def code_unit(self) -> str:
        """What code is counted in."""
        return "cycles" if self.run is not None and self.run.kind == "simavr" else "instructions"

    def mates(self, sources: Iterable[int]) -> frozenset[int]:
        """These sources, and those of the other channels of the same timers."""
        own = set(sources)
        arrays = [a for a in self.cells if a.start is Start.TIMER and own & set(a.sources)]
        return frozenset(own.union(*(a.sources for a in arrays)))

    def lead_at(self, hz: int) -> int:
        """Ticks from the first start store to the round's first tick, at a clock of exactly ``hz``."""
        own = self.clock(hz).lead
        return self.lead if own is None else own

    def clock(self, hz: int) -> Clock:
        """The clock setting of exactly ``hz``; KeyError if the board has none."""
        for clock in self.clocks:
            if clock.hz == hz:
                return clock
        raise KeyError(hz)
