# SPDX-License-Identifier: Apache-2.0
"""The hardware image of each mode: every number that the generated C contains, worked out here.

Emitters only write down what stands here, and :mod:`.build` works it out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from carillon.actions.check_deadline import CheckDeadline
from carillon.actions.dispatch import Dispatch
from carillon.allocate.allocation import Allocation
from carillon.allocate.fit import TIMEKEEPER_BITS
from carillon.allocate.osek import OsekAllocation, TaskLevel
from carillon.allocate.result import Carrier, CellUse, ModeAllocation, Style
from carillon.allocate.table_cells import is_set
from carillon.image.operations import Handler, Operation, Vector
from carillon.lower import ExpiryPoint
from carillon.lower.events import Series
from carillon.microcode.compiled import Blocks, Microcode
from carillon.model import System
from carillon.model.board import Board
from carillon.model.family import Capability, Family, Start
from carillon.model.osek import Counter, Osek, ScheduleTable

TIMEKEEPER_BEGIN = 2**TIMEKEEPER_BITS - 1
"""What the timekeeper beside a reloaded cell counts down from, again and again."""


class Unsigned(int):
    """A number that C takes as unsigned."""


class OneOf(tuple[int, ...]):
    """Whether a switch's argument is one of some numbers."""

    __slots__ = ()


class ActionSet(tuple[str, ...]):
    """A set of actions, by the names of their constants."""

    __slots__ = ()


Value: TypeAlias = int | str | OneOf | ActionSet
"""What a switch says; a word is C."""


@dataclass(frozen=True, slots=True)
class CellImage:
    """One cell of a mode: all intervals in the cell's units; ``number`` counts the family's cells of the board.

    ``due``: what the timekeeper, the cell beside it, reads at the cell's first expiry; None: it has none.
    """

    use: CellUse
    carrier: Carrier
    family: Family
    number: int
    first: int
    period: int
    due: int | None = None

    @property
    def macro(self) -> str:
        """The prefix of the driver's macros."""
        return self.family.name.upper()

    def says(self, what: str) -> str:
        """The C call of a macro of the cell's driver, with the cell's number."""
        return f"{self.macro}_{what}({self.number})"

    @property
    def disarmed(self) -> bool:
        """Whether the request is enabled only on demand, so that met deadlines and unwanted switches cost nothing."""
        return self.carrier.action.held and self.carrier.style is Style.DIRECT

    @property
    def laps(self) -> int:
        """Turns of the counter before the first point, of a channel that is re-armed by intervals; 0 of other cells."""
        free = self.carrier.style is Style.MULTIPLEXED and self.period == 1 << self.use.cell.array.width
        return (self.first - 1) // self.period if free and self.use.cell.array.start is Start.TIMER else 0

    @property
    def finishes(self) -> bool:
        """Whether the cell has stores right after the start."""
        channel = self.use.cell.array.start is Start.TIMER and not isinstance(self.carrier.action, Dispatch)
        again = self.first > self.period and (self.carrier.style is Style.DIRECT or channel) and not self.laps
        return self.family.finish and (again or not self.family.late)


@dataclass(frozen=True, slots=True)
class StartStore:
    """One store of the start sequence; several cells where the device starts a group at once.

    ``timekeeper``: what it starts is the timekeeper beside the cell.
    """

    cells: tuple[CellImage, ...]
    group: bool
    timekeeper: bool = False


@dataclass(frozen=True, slots=True)
class Store:
    """A store of a list: what a macro of a cell's driver says, or without a cell, one of the port.

    ``numbers``: the macro's arguments; of the port, a source that names a request register, and the sources whose bits it stores.
    ``together``: the cells whose bits are the argument instead.  ``about``: the cells that a comment names.
    """

    does: str
    cell: CellImage | None = None
    numbers: tuple[int, ...] = ()
    together: tuple[CellImage, ...] = ()
    about: tuple[CellImage, ...] = ()


Stores: TypeAlias = dict[str, tuple[Store, ...]]
"""Lists by their names (``struct carillon_mode``), in the order in which they stand in C."""


@dataclass(frozen=True, slots=True)
class Step:
    """An interval of a multiplexed cell to point ``to``: ``laps`` turns and ``units`` after the point before it."""

    to: int
    units: int
    laps: int = 0


@dataclass(frozen=True, slots=True)
class Multiplex:
    """The steps of a multiplexed cell in the order in which its handler takes them."""

    cell: CellImage
    steps: tuple[Step, ...]

    def interval(self, step: Step) -> Store:
        """The store of a step: a deadline's cell is postponed, and any other cell goes on from its last point."""
        if isinstance(self.cell.carrier.action, CheckDeadline):
            return Store("POSTPONE", self.cell, (step.units,))
        return Store("INTERVAL", self.cell, (step.units, self.cell.period))

    @property
    def laps(self) -> int:
        """Expiries per round, at other times than the points, that only count turns, also before the first point."""
        rounds = len(self.cell.carrier.demand.points) // len(self.steps)
        return self.cell.laps + rounds * sum(step.laps for step in self.steps)


@dataclass(frozen=True, slots=True)
class Entry:
    """As in ``kernel/contract/table.h``: a function of the application, a source that is enabled, and a number."""

    function: str = ""
    source: int | None = None
    object: int = 0


@dataclass(frozen=True, slots=True)
class TableEntry:
    """One entry of the conventional kernel's dispatcher table.

    ``more``: the next is due in the same tick.  ``following``: the number of the first entry that is not.
    """

    point: ExpiryPoint
    step: Step
    more: bool
    following: int
    does: Entry = field(default_factory=Entry)


@dataclass(frozen=True, slots=True)
class TimeBase:
    """A cell whose counter reads ``phase - time`` (modulo the round's length)."""

    cell: CellImage
    phase: int


@dataclass(frozen=True, slots=True)
class Control:
    """How the mode is left: ``target`` is the control cell's counter at the next start; ``forget``, ``enable`` its request."""

    cell: CellImage
    at: int
    target: int
    gap: int
    forget: Store
    enable: Store


@dataclass(frozen=True, slots=True)
class SyncImage:
    """How the round is synchronised: ``cell`` expires at tick ``at``, from where on nothing is due for ``slack`` ticks.

    ``latest``: what its counter reads at least when there is time to move all cells.  ``leave``: from its next expiry to the
    next round when the mode is left.  ``hold``, ``release``: what keeps sources quiet until there is a global time.  ``moved``:
    the cells, or one of each timer whose turn is the round, which begins anew at tick ``wrap``.  ``unit``: ticks of a count.
    """

    cell: CellImage
    at: int
    slack: int
    latest: int
    leave: int
    moved: tuple[CellImage, ...]
    wrap: int | None = None
    unit: int | None = None
    hold: tuple[Store, ...] = ()
    release: tuple[Store, ...] = ()

    @property
    def late(self) -> int:
        """How many ticks after the sync point there is time to move all cells."""
        return self.cell.use.progression.period - self.latest


@dataclass(frozen=True, slots=True)
class ModeImage:
    """Everything about one mode.

    ``levels``: each source and its level.  ``ground``: the sources of which none may be active when the mode is left, and how
    many of the first may not be waiting either.
    """

    allocation: ModeAllocation
    cells: tuple[CellImage, ...]
    start: tuple[StartStore, ...]
    multiplexes: tuple[Multiplex, ...]
    table: tuple[TableEntry, ...]
    control: Control | None
    time_base: TimeBase | None
    sync: SyncImage | None = None
    stores: Stores = field(default_factory=dict, hash=False)
    levels: tuple[tuple[int, int], ...] = ()
    ground: tuple[tuple[int, ...], int] = ((), 0)

    def last_before(self, cell: CellImage, board: Board) -> int:
        """When a cell expires for the last time before its first expiry, in its units since the first start store.

        What expires then is forgotten in the order of these times (``finish``), which forgets no expiry of the round:

        1. Each cell is waited for, so nothing is forgotten before it has expired.
        2. The wait is for a counter that cannot have begun anew: no period is shorter than the lead (``Fitter``).
        3. In this order the wait for one cell is over before the next one's.  So each is forgotten at once, or behind the few
           that expired together with it.  Its own next expiry is a whole period, so the lead or more, away.
        """
        position = next(k for k, store in enumerate(self.start) if any(c.use is cell.use for c in store.cells))
        return cell.first + cell.use.units(position * board.start_spacing) - cell.period

    @property
    def dispatch(self) -> CellImage | None:
        """The cell of the table; None if the mode has none."""
        return next((cell for cell in self.cells if isinstance(cell.carrier.action, Dispatch)), None)

    @property
    def watched(self) -> frozenset[tuple[str, int]]:
        """The deadlines that the kernel watches: tasks and ticks of the round (its end is 0)."""
        length = self.allocation.mode.round_length
        tabled = {(e.point.object, e.point.at % length) for e in self.table if isinstance(e.point.action, CheckDeadline)}
        carriers = [c for c in self.allocation.carriers if isinstance(c.action, CheckDeadline)]
        return frozenset({(c.demand.object, t % length) for c in carriers for t in c.demand.times} | tabled)


@dataclass(frozen=True, slots=True)
class TableImage:
    """A schedule table on cells, each with what it carries, in the order of their first points.

    ``near``: ticks of the system clock within which a start has set all of them.  ``spacing``: from the store that starts one to
    that of the next, if each has its own.
    """

    table: ScheduleTable
    counter: Counter
    cells: tuple[tuple[Series, CellImage], ...]
    near: int
    spacing: int

    @property
    def restarts(self) -> bool:
        """Whether stopped cells keep their periods, so that one store stops them all."""
        return Capability.RESTART in self.cells[0][1].family.can

    @property
    def moves(self) -> bool:
        """Whether one store moves all cells that another one has started."""
        return Capability.MOVE in self.cells[0][1].family.can

    @property
    def sets(self) -> bool:
        """Whether each cell is set while it stands still, and started by a store of its own."""
        return is_set(self.cells[0][1].use.cell.array)

    @property
    def end(self) -> CellImage | None:
        """The cell of its end."""
        return next((cell for it, cell in reversed(self.cells) if it.ends), None)

    @property
    def adjusts(self) -> CellImage | None:
        """The cell of its last point, at which it is adjusted, of a table that is synchronised explicitly."""
        return next((cell for it, cell in self.cells if it.adjusts), None)

    @property
    def latest(self) -> int:
        """Ticks of the system clock to the next last point, of which more are left when cells can still be shifted."""
        return (self.table.points[-1].offset - self.table.initial_offset) * self.counter.tick + self.near

    @property
    def early(self) -> tuple[CellImage, ...]:
        """Of a table that has an end and may be followed, the cells of points in its first half; else none."""
        points = self.cells if self.table.followed and self.end is not None else ()
        return tuple(cell for it, cell in points if it.action is not None and it.offsets.start < self.table.half)

    def together(self, does: str, cells: Iterable[CellImage]) -> Store:
        """One store for some of the table's cells."""
        return Store(does, self.cells[0][1], together=tuple(cells))


@dataclass(frozen=True, slots=True)
class EventCall:
    """What the handler of an event-triggered cell calls of the kernel; ``cell``: None if another handler requests it.

    ``runs``: of a cell at its task's level, the level as whose handler its own goes on, 0 if it returns; None of other cells.
    ``asks``: what services ask with whether such a cell waits.
    """

    cell: CellImage | None
    function: str
    arguments: tuple[Value, ...]
    runs: int | None = None
    asks: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class EventHandler:
    """A handler of event-triggered cells: a call for its cell, or for each of several, which it asks in this order.

    One that expires when it has been asked goes on asking, and the source with it: the handler is entered again.  ``leads``: the
    sources that lead to it, each with what it is for.  ``also``: cells that lead to it alike.  ``requests``: numbers and sources
    of parts of a counter's queue; ``by``: the handler that requests it.  ``pauses``: no budget is used up meanwhile.
    ``vector``: the port's function that calls it with the frame of what was interrupted; empty if it is the vector.
    ``header``: of the kernel, which declares what it calls; empty if ``kernel/run/kernel.h`` does.
    """

    name: str
    leads: tuple[tuple[int, str], ...]
    calls: tuple[EventCall, ...]
    pauses: bool
    also: tuple[CellImage, ...] = ()
    requests: tuple[tuple[int, int], ...] = ()
    by: str = ""
    vector: str = ""
    header: str = ""


@dataclass(frozen=True, slots=True)
class TickFrame:
    """The frame of the clock's vector that counts a tick before it saves all; ``totals``: the time since the start as well."""

    cell: CellImage
    totals: bool


@dataclass(frozen=True, slots=True)
class Device:
    """``carillon_HEADER.h``: the cell of a family that serves a ``purpose``, as macros.  ``driver``: the driver's file.

    ``folder``: where the family is; ``devices`` for what is no cell.
    """

    header: str
    family: str
    purpose: str
    values: dict[str, Value]
    driver: str = "cell"
    folder: str = "cells"


@dataclass(frozen=True, slots=True)
class ServedLevel:
    """A level whose cells services serve; ``counter``: a part of a counter's queue, ``cells``: of alarms and points."""

    level: int
    counter: Carrier | None
    cells: tuple[EventCall, ...]
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DirectTask:
    """A task that is its vector.

    ``cell``: whose expiry its activation is, and which goes on asking.  ``serves``: its end serves the cells of its level;
    ``takes_back``: and what its cell has asked for while it ran.  ``body``: its function is a handler's body, which saves
    what it uses, and no more.
    """

    level: TaskLevel
    cell: CellImage | None
    serves: bool
    takes_back: bool
    body: bool


@dataclass(frozen=True, slots=True)
class OsekImage:
    """The event-triggered system's hardware: cells of its counters and alarms, and their start sequence.

    ``lead`` is the ticks from the first start store to tick 0 of its counters: none where their first expiries are far
    enough away.  ``tables``: the schedule tables on cells.  ``base``: the cell of the time base.  ``folded``: numbers, of each
    task or of each level, that the compiler folds where a service is called.  ``contexts``: what each source is, and its level.
    ``requests``: of all its sources, what forgets, enables and disables them.  ``levels``: each source and
    the controller's level.
    """

    allocation: OsekAllocation
    lead: int
    cells: tuple[CellImage, ...]
    start: tuple[StartStore, ...]
    base: CellImage | None = None
    tables: tuple[TableImage, ...] = ()
    served: tuple[ServedLevel, ...] = ()
    direct: tuple[DirectTask, ...] = ()
    handlers: tuple[EventHandler, ...] = ()
    folded: dict[str, tuple[int, ...]] = field(default_factory=dict, hash=False)
    contexts: dict[int, tuple[str, int]] = field(default_factory=dict, hash=False)
    stores: Stores = field(default_factory=dict, hash=False)
    requests: Stores = field(default_factory=dict, hash=False)
    levels: tuple[tuple[int, int], ...] = ()
    tick_frame: TickFrame | None = None
    devices: tuple[Device, ...] = ()
    slices_rest: bool = False

    @property
    def model(self) -> Osek:
        """What the schedule says of the system."""
        return self.allocation.osek

    @property
    def stopped(self) -> tuple[CellImage, ...]:
        """The cells of schedule tables, which stand still until a table starts."""
        return tuple(cell for table in self.tables for _, cell in table.cells)

    def cell(self, carrier: Carrier) -> CellImage:
        """The cell of a counter's, an alarm's or a schedule table's carrier."""
        return next(cell for cell in (*self.cells, *self.stopped) if cell.carrier is carrier)


@dataclass(frozen=True, slots=True)
class Image:
    """Everything about the application; ``osek`` is None where all is time-triggered.

    ``vectors`` has a table for each mode, by source; one table where there is no mode.  Whatever reads a run reads
    there what an interrupt means.  ``beneath``: what all tables have of the event-triggered system.  ``wrapped``: of the
    application's interrupts, what their vectors do that are not the application's function itself.  ``handlers``: the functions
    that vectors of the rounds lead to, unless those are tasks.  ``initials`` enable the application's interrupts, once.
    ``direct``: the application's functions that are vectors, or all but their beginning, and whether others may preempt them.
    ``switches``: for each generated file, what it is compiled for (:mod:`.switches`).  ``library``: for an image that somebody
    else's start-up code begins, and whose vector table is theirs (:mod:`carillon.emit.library`).
    """

    system: System
    allocation: Allocation
    modes: tuple[ModeImage, ...]
    osek: OsekImage | None = None
    vectors: tuple[tuple[Vector, ...], ...] = ()
    beneath: tuple[Vector, ...] = ()
    wrapped: dict[str, tuple[Operation, ...]] = field(default_factory=dict, hash=False)
    handlers: tuple[Handler, ...] = ()
    initials: tuple[Store, ...] = ()
    direct: dict[str, bool] = field(default_factory=dict, hash=False)
    switches: dict[str, dict[str, Value]] = field(default_factory=dict, hash=False)
    microcode: Microcode | None = None
    blocks: Blocks | None = None
    library: bool = False

    @property
    def laps(self) -> int:
        """How many turns of cells' counters are counted in the rounds; 0 where none are."""
        return sum(multiplex.laps for mode in self.modes for multiplex in mode.multiplexes)

    @property
    def freely(self) -> bool:
        """Whether a timer whose cells are channels runs freely, as it is too narrow for the round."""
        return not self.allocation.conventional and any(
            cell.use.cell.array.start is Start.TIMER and mode.allocation.mode.round_length > 1 << cell.use.cell.array.width
            for mode in self.modes
            for cell in mode.cells
            if cell.carrier.style is Style.MULTIPLEXED
        )
