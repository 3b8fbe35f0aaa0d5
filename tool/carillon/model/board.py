# SPDX-License-Identifier: Apache-2.0
"""What a board is: its clock, its timer cells and their rules, its interrupt controller, how it is built and run.

A board is data, ``boards/<name>/board.toml``; no other file of the tool knows a chip.  SPEC documents every key.  The words are
those of the Sloth on Time paper, section III-B. A *cell* is one timer of an array.  It raises an interrupt *source*.  Its request
can be enabled and disabled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal, Protocol, Self

from pydantic import Field, PrivateAttr, StringConstraints, model_validator

from carillon.diagnostics import Span
from carillon.model.clock_tree import Chosen, ClockTree
from carillon.model.currents import Currents
from carillon.model.family import Capability, Driver, Family, Rearm, Start, Timed
from carillon.model.fields import Bit, Count, Flag, Frozen, Hertz, Identifier, Int, Source, Text, Word
from carillon.model.registers import Console, RealTimeClock, Store, TraceCounter
from carillon.model.time import ClockKind
from carillon.model.tools import Build, Debug, Flash, Run

ENABLE, FLAGS, BIT = "enable", "flags", "bit"
"""The registers, and the number of the bit in both, of a cell's source, in a family whose board says where they are."""


class Role(Enum):
    """What a cell is used for (paper, figure 3)."""

    ACTIVATION = "activation"
    DEADLINE = "deadline"
    CONTROL = "control"
    ENABLE = "enable"
    SYNC = "sync"  # where its family can synchronise, of cells that serve the control role
    SYSTEM = "system"  # the one timer of the conventional kernel


class Service(Enum):
    """What of the time services takes a cell."""

    CLOCK = "clock"
    SLICES = "slices"


class Clock(Frozen):
    """One setting of the board's clock.  A tick of the schedule is one period of ``hz``."""

    hz: Hertz
    core_hz: Hertz | None = None  # what the processor has meanwhile
    instructions_per_tick: Count = 1  # 0 on a board whose code takes no time
    qemu_shift: Annotated[int, Field(strict=True, ge=0, le=10)] | None = None
    lead: Count | None = None  # the board's lead at this clock, if it is another
    defines: dict[Identifier, Int] = Field(default_factory=dict)  # C macros that set this clock up


class ClockCosts(Frozen):
    """What the handler of a clock takes, in instructions of the processor, or cycles where the emulator is exact to them."""

    interrupt: Count  # every interrupt, whether anything is due or not
    serving: Count = 0  # more for each interrupt in which anything is due
    wake: Count  # more for each task whose delay is over
    alarm: Count  # more for each alarm that expires, activates a task and goes on
    beside: Count = 0  # more for each such alarm where others wait too
    based_interrupt: Count | None = None  # of a clock whose ticks the time base counts, instead
    based_serving: Count | None = None  # of a clock whose ticks the time base counts, instead

    @property
    def based(self) -> ClockCosts:
        """Of a periodic clock whose ticks the time base counts."""
        interrupt = self.interrupt if self.based_interrupt is None else self.based_interrupt
        serving = self.serving if self.based_serving is None else self.based_serving
        return self.model_copy(update={"interrupt": interrupt, "serving": serving})


class Cells(Frozen):
    """An array of equal timer cells, served by the driver ``cells/<family>``."""

    family: Family
    names: tuple[Identifier, ...] = Field(min_length=1, max_length=4096)  # one name per cell
    sources: tuple[Source, ...]  # the interrupt source of each cell; equal numbers share one
    width: int = Field(strict=True, ge=8, le=64)  # bits of the counter
    roles: tuple[Role, ...]
    adjacent: dict[Role, Annotated[int, Field(strict=True, ge=1, le=4096)]] = Field(default_factory=dict)
    """Neighbouring cells that one timer of a role needs."""
    hz: Hertz | None = None  # the cells' own clock; None: the board's clock
    prescalers: tuple[Annotated[int, Field(strict=True, ge=1, le=2**31)], ...] = Field(default=(1,), min_length=1, max_length=64)
    min_period_ns: Count = 0
    min_period_units: Annotated[Count, Field(ge=1)] = 1  # the same in what the cells count, if that is longer
    min_rearm_ticks: Annotated[Count, Field(ge=1)] = 1  # shortest interval that a re-armed cell can keep
    min_rearm_cycles: Count = 0  # the same in instructions or cycles of the processor
    start: Start = Start.EACH
    rearm: Rearm = Rearm.NONE
    prefer: Service | None = None  # the time service that has these cells if it has the choice
    acknowledge: Flag = False  # the handler must clear the request
    request_enable: Literal["controller", "cell"] = "controller"
    registers: dict[Identifier, tuple[Word, ...]] = Field(default_factory=dict)
    """Where the registers are that the family names: a value for each cell."""

    @model_validator(mode="after")
    def _names(self) -> Self:
        if len(self.names) != len(self.sources):
            raise ValueError(f"{len(self.names)} names but {len(self.sources)} sources")
        twice = [name for name, count in Counter(self.names).items() if count > 1]
        if twice:
            raise ValueError(f"two cells are called '{twice[0]}'")
        return self

    def serves(self, role: Role) -> bool:
        """Whether its cells can be used in a role.

        As sync cells can those that are made for it, matches that share no interrupt, and those that a switch of modes reads.
        """
        if role is Role.SYNC:
            apart = len(set(self.sources)) == len(self.sources)
            read = Role.CONTROL in self.roles or (self.rearm is Rearm.MATCH and apart)
            return Capability.SYNC_POINT in self.family.can or (read and Capability.SYNCHRONISE in self.family.can)
        return role in self.roles

    @property
    def moves(self) -> bool:
        """Whether acknowledging a request moves the cell's match to its next expiry."""
        return self.acknowledge and self.rearm is Rearm.MATCH

    @property
    def kind(self) -> str:
        """Equal for arrays of which either would do, but for how many cells they have and which service prefers them."""
        return self.model_dump_json(exclude={"names", "sources", "prefer", "registers"})

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


class Pins(Frozen):
    """Pins by whose edges software requests interrupts: their ports' registers, and a bit for each source."""

    direction: Word
    output: Word
    bits: tuple[Bit, ...]


class Requests(Frozen):
    """Where some sources that no cell raises are enabled, and where their requests stand; the bits are the same in both."""

    sources: tuple[Source, ...] = Field(min_length=1)
    enable: Word
    flags: Word
    bits: tuple[Bit, ...]
    pins: Pins | None = None

    @model_validator(mode="after")
    def _lengths(self) -> Self:
        for key, bits in (("bits", self.bits), ("pins.bits", self.pins.bits if self.pins else self.bits)):
            if len(bits) != len(self.sources):
                raise ValueError(f"{len(self.sources)} sources but {len(bits)} in '{key}'")
        return self


class Starter(Frozen):
    """The timer, no cell, that starts all cells of a board: what other timers may start it, and how they are selected.

    It counts ticks of the schedule.
    """

    triggers: dict[Identifier, Word] = Field(min_length=1)


class Written(Protocol):
    """Knows where the values of a board's files stand."""

    def place(self, path: tuple[str | int, ...]) -> Span:
        """Where the value at ``path`` stands."""


class Interrupts(Frozen):
    """What the chip's vendor calls its interrupts, in the file that the board names."""

    handler: Text = ""  # how the vendor's start-up code calls a handler; {} is the interrupt's name; empty: it has none
    first: Source = 0  # the source that the vendor counts as 0
    numbers: dict[Identifier, Source]  # the vendor's number of each interrupt
    irregular: dict[Identifier, Identifier] = Field(default_factory=dict)  # handlers that are called otherwise
    numbered: Text = ""  # how other start-up code calls a handler; {} is the interrupt's number
    exceptions: dict[Identifier, Source] = Field(default_factory=dict)
    """What that code calls the handlers of the processor's exceptions, with their sources."""

    @property
    def sources(self) -> dict[str, int]:
        """The source of each interrupt."""
        return {name: number + self.first for name, number in self.numbers.items()}

    @property
    def handlers(self) -> dict[int, str]:
        """The vendor's handler of each source; none of them, if its start-up code has no names for them."""
        if not self.handler:
            return {}
        return {s: self.irregular.get(name, self.handler.replace("{}", name)) for name, s in self.sources.items()}

    @property
    def other_handlers(self) -> dict[int, str]:
        """What other start-up code calls the handlers; none if there is no other."""
        if not self.numbered:
            return {}
        named = {number + self.first: self.numbered.replace("{}", str(number)) for number in self.numbers.values()}
        return named | {source: name for name, source in self.exceptions.items()}


class Board(Frozen):
    """A board, read from its TOML."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
    summary: Text
    port: Text  # the folder in ports/ that runs its processor
    levels: int = Field(strict=True, ge=1, le=4096)  # priority levels of the interrupt controller
    nesting: Literal["levels", "time"] = "levels"
    """What preempts: a higher level, or (time) whatever comes later, as there are no levels."""
    dispatch: Literal["hardware", "software", "either"] = "hardware"
    """``software``: the controller cannot dispatch event-triggered tasks; ``either``: it can dispatch few, and does not say which
    handlers are active."""
    vectors: Literal["table", "code"] = "table"  # code: vectors are jumps, and handlers functions of a kind of their own
    handlers: Literal["functions", "own"] = "functions"  # own: handlers are of a kind of their own without that
    stack: int = Field(default=1024, strict=True, ge=128, le=1_048_576)
    """Bytes of an extended task's stack where the schedule says none."""
    sources: int = Field(strict=True, ge=1, le=4096)  # vectors of the interrupt controller, system exceptions included
    application_sources: dict[Identifier, Source] = Field(default_factory=dict)  # sources that the application may name
    interrupts: Interrupts | None = None  # the chip's own names of its interrupts: a file
    software_sources: tuple[Source, ...] = ()
    """Sources of devices that applications rarely use: event-triggered tasks may have them."""
    dispatcher_source: Source | None = None  # source of the software dispatcher; None: any spare one
    unmaskable_levels: Count = 0  # top levels that a mask of levels cannot hold back
    clocks: tuple[Clock, ...] = Field(min_length=1)
    clock_tree: ClockTree | None = None  # None: no schedule chooses other clocks than these
    cells: tuple[Cells, ...] = Field(min_length=1)
    starter: Starter | None = None  # None: cells are started by stores alone
    costs: dict[ClockKind, ClockCosts] = Field(default_factory=dict)  # of each kind of clock, as measured
    currents: Currents | None = None  # None: no energy can be estimated
    interrupt_entry: Count = 0  # instructions or cycles before and after each handler
    system_vectors: Source = 0  # vectors before the first that the tool fills
    defines: dict[Identifier, Int] = Field(default_factory=dict)  # C macros for this board
    request_base: Source = 0  # first source whose request the controller can enable
    request_bits: int = Field(default=32, strict=True, ge=1, le=64)  # sources that share a request-enable register
    start_spacing: Count = 0  # ticks between two stores of the start sequence
    lead: Count = 0  # ticks from the first start store to the round's first tick
    switch_ticks: Count = 0  # ticks from a mode switch's interrupt to its first start store
    lowered_levels: Count = 0  # top levels that lowering the execution priority takes
    idle: Literal["spin", "sleep"] = "sleep"
    requests: tuple[Requests, ...] = ()  # of sources that no cell raises
    startup: tuple[Store, ...] = Field(default=(), max_length=256)  # before variables have their values
    console: Console | None = None  # None: the port's, a C file of the board's, or the application's
    rtc: RealTimeClock | None = None  # None: the calendar can only be counted
    trace: TraceCounter | None = None  # None: no events can be recorded in memory
    build: Build
    run: Run | None = None  # None: nothing here runs its images
    flash: Flash | None = None  # None: the tool does not load its images
    debug: Debug | None = None  # None: no debugger gets at the chip
    _files: tuple[Path, ...] = PrivateAttr(default=())
    _written: Written | None = PrivateAttr(default=None)
    _reserved: tuple[str, ...] = PrivateAttr(default=())
    _chosen: Chosen | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        numbers = [("a cell", source) for array in self.cells for source in array.sources]
        numbers += [(f"'{name}' of 'application_sources'", source) for name, source in self.application_sources.items()]
        numbers += [("'software_sources'", source) for source in self.software_sources]
        numbers += [("'dispatcher_source'", source) for source in (self.dispatcher_source,) if source is not None]
        named = self.interrupts.sources if self.interrupts is not None else {}
        numbers += [(f"interrupt '{name}'", source) for name, source in named.items()]
        beyond = next(((what, source) for what, source in numbers if source >= self.sources), None)
        if beyond is not None:
            raise ValueError(f"{beyond[0]} has source {beyond[1]}, but there are {self.sources} sources, numbered from 0")
        for key, taken in (("unmaskable_levels", self.unmaskable_levels), ("lowered_levels", self.lowered_levels)):
            if taken > self.levels:
                raise ValueError(f"'{key}' is {taken}, but there are {self.levels} levels")
        twice = [hz for hz, count in Counter(clock.hz for clock in self.clocks).items() if count > 1]
        if twice:
            raise ValueError(f"two clocks have {twice[0]} Hz")
        raised = [source for array in self.cells if ENABLE in array.registers for source in array.sources]
        others = [source for requests in self.requests for source in requests.sources]
        again = [source for k, source in enumerate(others) if source in raised or source in others[:k]]
        if again:
            raise ValueError(f"source {again[0]} has two places where it is enabled")
        cells = {name: array.hz is not None for array in self.cells for name in array.names}
        if fault := self.clock_tree.fault(cells) if self.clock_tree is not None else "":
            raise ValueError(fault)
        groups = all(a.start is Start.GROUP and Capability.TRIGGER in a.family.can for a in self.cells)
        if self.starter is not None and (self.start_spacing or not groups):
            raise ValueError("'starter' is for boards all of whose cells one store starts, and have drivers that can \"trigger\"")
        if self.native and (self.startup or self.console or self.requests or self.rtc):
            raise ValueError("a program of this machine has no registers: leave 'startup', 'console', 'requests' and 'rtc' out")
        return self

    @property
    def requested(self) -> dict[int, tuple[int, int, int]]:
        """Source -> its registers (enable, flags) and its bit in both; empty where the port knows them."""
        requests = {s: (r.enable, r.flags, bit) for r in self.requests for s, bit in zip(r.sources, r.bits, strict=True)}
        for array in (a for a in self.cells if ENABLE in a.registers):
            registers = (array.registers[key] for key in (ENABLE, FLAGS, BIT))
            requests |= dict(zip(array.sources, zip(*registers, strict=True), strict=True))
        return requests

    @property
    def files(self) -> tuple[Path, ...]:
        """The files it was read from, the board's own first."""
        return self._files

    def written(self, *path: str | int) -> Span:
        """Where its files say what is at ``path``, in keys and indices: where they say the most of it."""
        return self._written.place(path) if self._written is not None else Span(self.name)

    def cell_written(self, cell: str, key: str) -> Span:
        """Where its files say ``key`` of a cell: "source", or a register."""
        number = next(n for n, array in enumerate(self.cells) if cell in array.names)
        return self.written("cells", number, *(("sources",) if key == "source" else ("registers", key)))

    @property
    def reserved(self) -> tuple[str, ...]:
        """The names of the sources and cells that are the application's own; see :meth:`reserving`."""
        return self._reserved

    @property
    def chosen(self) -> Chosen | None:
        """The clocks that a schedule has chosen; None if it is content with one of :attr:`clocks`."""
        return self._chosen

    def at_clocks(self, chosen: Chosen, changed: dict[str, object]) -> Board:
        """The board with what a choice of clocks changes of it."""
        board = self.model_copy(update=changed)
        board._chosen = chosen
        return board

    @property
    def reserved_sources(self) -> frozenset[int]:
        """Their sources."""
        return frozenset(self.application_sources[name] for name in self._reserved)

    @property
    def named_sources(self) -> dict[str, int]:
        """The sources that an application may name for its interrupts: its own, and whatever the vendor names and no cell raises.

        Where the board says where sources are enabled, they are those of which it does.  The dispatcher's is none of them.
        """
        taken = {source for array in self.cells for source in array.sources} - set(self.application_sources.values())
        return {n: s for n, s in self._vendors.items() if s not in taken} | self.application_sources

    @property
    def _vendors(self) -> dict[str, int]:
        """The vendor's names of the sources that can be enabled, without the software dispatcher's."""
        known = self.requested
        names = self.interrupts.sources if self.interrupts is not None else {}
        return {n: s for n, s in names.items() if s != self.dispatcher_source and (not known or s in known)}

    @property
    def nameable(self) -> dict[str, int]:
        """What an application may reserve: sources that it may name, and cells, by the source of each."""
        cells = {n: s for a in self.cells for n, s in zip(a.names, a.sources, strict=True)}
        return self._vendors | self.application_sources | cells

    @property
    def triggers(self) -> dict[str, int]:
        """The cells that may start all others, and how the starter selects each; none where stores alone do."""
        named = {name for array in self.cells for name in array.names}
        known = self.starter.triggers if self.starter is not None else {}
        return {name: select for name, select in known.items() if name in named}

    @property
    def kept(self) -> list[tuple[str, int, str]]:
        """Family, number in it, and name of the reserved cells that have bits in a register to which starts store."""
        names: list[tuple[str, int, str]] = []
        count: dict[str, int] = {}
        for array in self.cells:
            family = array.family.name
            first = count.get(family, 0)
            count[family] = first + len(array.names)
            if Capability.KEEP in array.family.can:
                names += [(family, first + k, name) for k, name in enumerate(array.names) if name in self._reserved]
        return names

    def reserving(self, names: Iterable[str]) -> Self:
        """The board without these sources and cells, whose sources the application may then name; KeyError for an unknown one.

        Cells that share a source, and channels of one timer, are reserved together: they have one handler, or one counter.
        """
        known = self.nameable
        wanted = self.mates(known[name] for name in names)
        reserved = {name: source for name, source in known.items() if source in wanted}
        other = self.interrupts.numbers if self.interrupts is not None else {}
        once = {source for name, source in reserved.items() if name not in other}
        reserved = {name: source for name, source in reserved.items() if name not in other or source not in once}
        board = self.model_copy(update={"application_sources": self.application_sources | reserved})
        board._reserved = tuple(reserved)
        return board

    @property
    def native(self) -> bool:
        """Whether an image is a program of this machine."""
        return self.run is not None and self.run.kind == "native"

    @property
    def own_handlers(self) -> bool:
        """Whether a handler is a function of a kind of its own."""
        return self.vectors == "code" or self.handlers == "own"

    @property
    def cell_count(self) -> int:
        """All cells of the board."""
        return sum(len(group.names) for group in self.cells)

    @property
    def code_unit(self) -> str:
        """What code is counted in."""
        return "cycles" if self.run is not None and self.run.kind in ("simavr", "rtl") else "instructions"

    @property
    def caveat(self) -> str:
        """What to know of the cycles of the emulator; empty where there is nothing."""
        if self.run is None or self.run.kind != "simavr":
            return ""
        return "Cycles are simavr's, which charges none for entering an interrupt; the processor takes 4 or 5."

    @property
    def unmaskable_sources(self) -> frozenset[int]:
        """The sources of cells that no mask of levels holds back, so that they serve rounds alone.

        On ARMv6-M masks are stores to the NVIC, which does not know the exceptions of the processor.
        """
        every = {source for array in self.cells for source in array.sources}
        return frozenset(source for source in every if self.port == "armv6m" and source < self.request_base)

    def timed(self, array: Cells) -> frozenset[Timed]:
        """What of an array of cells instructions time.  Where a whole start takes less than a tick, no start does."""
        return frozenset(array.family.timed) - (frozenset() if self.start_spacing else {Timed.START})

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
