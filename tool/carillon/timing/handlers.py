# SPDX-License-Identifier: Apache-2.0
"""What handlers take at most: bounds in instructions, or cycles where the emulator is exact to them.

Each operation of a handler has a price that the port declares (``ports/<port>/costs.toml``), so that nothing is decided
here a second time.  An operation without a price is an error of the port, and a test asks for all.
The late paths of re-armed cells are not included: they are taken after an overrun.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from carillon.actions.activate import Activate
from carillon.actions.check_deadline import CheckDeadline
from carillon.actions.costs import port_prices as prices
from carillon.actions.enable_interrupt import EnableInterrupt
from carillon.allocate.result import Carrier, Style
from carillon.check.simulation import KernelTime
from carillon.image import Image, ModeImage
from carillon.image.forms import budget_kind, only_held
from carillon.image.handlers import operations, preempted, wrapped
from carillon.image.levels import base_levels
from carillon.image.operations import RUNS, Does
from carillon.image.sync import interrupts, matches
from carillon.lower import ExpiryPoint
from carillon.model import System


@dataclass(frozen=True, slots=True)
class HandlerCost:
    """Most instructions from the expiry to the task's first instruction, and from its last one to the handler's end."""

    before: int
    after: int

    @property
    def total(self) -> int:
        """Both together."""
        return self.before + self.after


def _per_tick(image: Image) -> int:
    return image.system.board.clock(image.system.clock_hz).instructions_per_tick


_MOVING = ("moved_acknowledge", "moved_rearm", "moved_arm", "take_back")


def _operations(image: Image) -> Mapping[str, int]:
    """The port's prices; whoever moves a match of a round that follows a global time holds back the sync point."""
    table = prices(image.system.board.port)
    if not any(mode.sync is not None and matches(mode.sync) for mode in image.modes):
        return table
    return {**table, **{name: table[name] + table["follow"] for name in _MOVING}}


def _prices(image: Image) -> Mapping[str, int]:
    """The port's prices; none where code takes no time.  What stands around tasks belongs to lowering, and to its end.

    Where there are several modes, a table's dispatcher counts the tasks that it runs, and saves a register more.
    """
    table = _operations(image) if _per_tick(image) else {}
    if table and len(image.modes) > 1:
        counts = table["lowered_tasks"]
        begins = {name: table[name] + 2 * counts for name in ("table_one", "table_run")}
        table = {**table, **begins, **{name: table[name] + counts for name in ("table_one_end", "table_run_end")}}
    before, after = _noted(image, table, bounded=bool(image.system.bounded))
    if table and base_levels(image):  # a lowered task has what is below all tasks masked
        before, after = before + table.get("mask_below", 0), after + table.get("unmask_below", 0)
    return {**table, "lower": table["lower"] + before, "raise": table["raise"] + after} if before else table


def _noted(image: Image, table: Mapping[str, int], *, bounded: bool) -> tuple[int, int]:
    """What it takes to note a task's start, and its end; and if the task is ``bounded``, to watch its execution budget."""
    tracing, before, after = image.system.tracing, 0, 0
    if table and tracing is not None and tracing.ring is not None:
        before, after = table["trace_begin"], table["trace_end"]
    if table and bounded:
        kind = budget_kind(image)
        before, after = before + table[f"{kind}_budget_begin"], after + table[f"{kind}_budget_end"]
    return before, after


def runs_beneath(system: System) -> bool:
    """Whether anything is event-triggered: budgets of the rounds' tasks alone take no time while all end in time."""
    osek = system.osek
    own = osek is not None and bool(osek.tasks or osek.isrs or osek.alarms or osek.counters)
    return own or system.time is not None


def _due(mode: ModeImage) -> dict[int, list[ExpiryPoint]]:
    """What the mode's table has for each tick of the round."""
    ticks: dict[int, list[ExpiryPoint]] = {}
    for entry in mode.table:
        ticks.setdefault(entry.point.at % mode.allocation.mode.round_length, []).append(entry.point)
    return ticks


def handler_cost(image: Image, mode: ModeImage, carrier: Carrier) -> HandlerCost:
    """The bounds of one carrier's handler, the interrupt's entry by the board included; of a re-enable point as ``before``."""
    board, table = image.system.board, _prices(image)
    if not table:
        return HandlerCost(0, 0)
    task = image.system.task(carrier.demand.object) if carrier.action.runs else None
    noted_before, noted_after = _noted(image, table, bounded=bool(task.budget)) if task is not None else (0, 0)
    if only_held(image, mode, carrier):
        armed = sum(o.does is Does.ARM for o in operations(image, mode, carrier))
        before, after = table["held_before"] + armed * table["held_arm"], table["held_after"] + armed * table["held_disarm"]
        return HandlerCost(board.interrupt_entry + before + noted_before, after + noted_after)
    linked = table.get("linked", 0) if image.system.osek is not None else 0
    does = operations(image, mode, carrier)
    if not does and task is not None and task.entry in preempted(image):
        before, after = table["entered_before"] + linked, table["entered_after"] + linked
        return HandlerCost(board.interrupt_entry + before + noted_before, after + noted_after)
    shared = sum(c.source == carrier.source for c in mode.allocation.carriers) > 1
    if not does and not shared:
        return HandlerCost(board.interrupt_entry + noted_before, table["direct_end"] + noted_after)
    before, after = board.interrupt_entry + table["frame_begin"] + linked, table["frame_end"] + linked
    seen = not carrier.action.runs
    if shared:  # the handler asks the cells of all carriers up to this one
        asked = [c for c in mode.allocation.carriers if c.source == carrier.source and c.turn <= carrier.turn]
        before += table["asks"] * sum(len(c.cells) for c in asked)
    for operation in does:
        if operation.does in RUNS:
            seen = True
            if operation.does is Does.RUN_LOWERED:
                before, after = before + table["lower"], after + table["raise"]
            else:
                before, after = before + noted_before, after + noted_after
            continue
        price = operation.priced(table)
        before, after = (before, after + price) if seen else (before + price, after)
    return HandlerCost(before, after)


def kernel_round(image: Image, mode: ModeImage) -> int:
    """What all handlers of a round take together at most, if each deadline is met; 0 where code takes no time."""
    price = _prices(image)
    if not price:
        return 0
    length = mode.allocation.mode.round_length
    carriers = [c for c in mode.allocation.carriers if isinstance(c.action, Activate | EnableInterrupt)]
    whole = sum(_expiries(c, length) * handler_cost(image, mode, c).total for c in carriers)
    whole += sum(taken for _, taken in _laps(image, mode))
    whole += _sync_time(image, mode) * interrupts(mode.sync)
    for points in _due(mode).values():
        runs = sum(p.action.runs for p in points) * (price["lower"] + price["raise"])
        whole += sum(_around_table(image, mode)) + runs
        if len(points) == 1:
            whole += price["table_one"] + price["table_one_end"]
            continue
        whole += price["table_begin"] + price["table_tick"] + len(points) * price["table_entry"]
        whole += sum(p.action.runs for p in points) * (price["table_run"] + price["table_run_end"])
    return whole


def round_interrupts(image: Image, mode: ModeImage) -> int:
    """How many interrupts a round has if each deadline is met, those of the application's own sources left out."""
    length = mode.allocation.mode.round_length
    carriers = [c for c in mode.allocation.carriers if isinstance(c.action, Activate | EnableInterrupt)]
    alone = sum(_expiries(c, length) for c in carriers) + len(_laps(image, mode))
    return alone + len(_due(mode)) + interrupts(mode.sync)


def _sync_time(image: Image, mode: ModeImage) -> int:
    """What the handler of the sync cell takes at most."""
    price = _prices(image)
    if mode.sync is None or not price:
        return 0
    cells = len(mode.sync.moved) * price["synchronise_cell"]
    around = image.system.board.interrupt_entry + price["frame_end"]
    around += price["synchronise_apart"] if mode.sync.unit is not None else 0
    return around + price["synchronise"] + price["synchronise_shift"] + cells


def _expiries(carrier: Carrier, length: int) -> int:
    """How often a carrier's cells expire in a round."""
    if carrier.style is Style.MULTIPLEXED:
        return len(carrier.demand.points)
    return sum(len(use.progression.times(length)) for use in carrier.cells)


def _laps(image: Image, mode: ModeImage) -> list[tuple[int, int]]:
    """Expiries per round that only count turns, as (tick, instructions of the handler)."""
    price = prices(image.system.board.port)
    does = ["frame_begin", "lap", "frame_end"]
    does += ["round_budget_stops", "round_budget_goes_on"] if image.system.bounded else []
    taken = image.system.board.interrupt_entry + sum(price.get(what, 0) for what in does)
    length, laps = mode.allocation.mode.round_length, []
    for multiplex in (x for x in mode.multiplexes if x.laps):
        turn = multiplex.cell.use.progression.period
        times = sorted(t % length for t in multiplex.cell.carrier.demand.times)
        for before, at in zip([times[-1] - length, *times], times, strict=False):
            laps += [((at - turn * k) % length, taken) for k in range(1, (at - before - 1) // turn + 1)]
    return laps


def _around_table(image: Image, mode: ModeImage) -> tuple[int, int]:
    """Instructions of a table's handler until it looks up what is due, and after all that was due.

    Before, the cell is answered and re-armed, as its family does.
    """
    price = _operations(image)
    assert mode.dispatch is not None
    does = operations(image, mode, mode.dispatch.carrier)
    at = [operation.does for operation in does].index(Does.DISPATCH)
    before = sum(operation.priced(price) for operation in does[:at] if operation.does is not Does.LOOK_UP)
    after = sum(operation.priced(price) for operation in does[at + 1 :])
    return image.system.board.interrupt_entry + price["frame_begin"] + before, price["frame_end"] + after


def kernel_times(image: Image) -> list[KernelTime]:
    """What handlers take in each mode, in ticks, rounded up.

    To each activation's own handler comes the longest piece of another one's that may be under way when it is due, on its
    level or above.  A start also waits for the handlers of re-enable points, and for what is around an interrupt of the
    application that came before.
    """
    return [_kernel_time(image, mode) for mode in image.modes]


def _kernel_time(image: Image, mode: ModeImage) -> KernelTime:
    # Others take nothing, or come after a miss.
    carriers = [c for c in mode.allocation.carriers if isinstance(c.action, Activate | EnableInterrupt)]
    costs = {id(c): handler_cost(image, mode, c) for c in carriers}
    activations = [c for c in carriers if c.action.runs]
    enabling = _Enabling(image, mode, {id(c): cost.total for c in carriers if not c.action.runs for cost in [costs[id(c)]]})
    arriving, beneath = around_interrupt(image), _beneath(image)
    table_level = mode.dispatch.carrier.level if mode.dispatch is not None else 0
    longest = max((max(costs[id(c)].before, costs[id(c)].after) for c in activations), default=0)

    def held(at: int, taken: int) -> int:
        return arriving + enabling.most((at,), table_level, taken + arriving)

    table, piece = _table_time(image, mode, longest + beneath, held)
    laps = _laps(image, mode)
    turned = {id(x.cell.carrier) for x in mode.multiplexes if x.laps}
    lap = max((taken for _, taken in laps), default=0)
    tasks, starts = dict(table.tasks), dict(table.starts)
    enables, checks = dict(table.enables), dict(table.checks)
    for carrier in carriers:
        cost, name = costs[id(carrier)], carrier.demand.object
        if not carrier.action.runs:
            enables[name] = cost.total
            continue
        others = [c for c in activations if c is not carrier and (c.level >= carrier.level or c.lowered)]
        pieces = [piece] if table_level >= carrier.level else [0]
        blocking = max([*pieces, *(max(costs[id(c)].before, costs[id(c)].after) for c in others)]) + beneath
        tasks[name] = max(cost.total + blocking, tasks.get(name, 0))
        turns = lap * len(turned - {id(carrier)})  # all turns may be counted at the task's tick
        start = cost.before + blocking + turns + arriving
        starts[name] = max(start + enabling.most(carrier.demand.times, carrier.level, start), starts.get(name, 0))
    per_tick = _per_tick(image)
    every = tuple(sorted((at, _ticks(taken, per_tick)) for at, taken in laps))
    behind = _behind(image, mode)
    for part in (tasks, enables, checks, starts):
        part.update({name: taken + behind for name, taken in part.items()})
    found = [{n: _ticks(i, per_tick) for n, i in part.items()} for part in (tasks, enables, checks, starts)]
    return KernelTime(found[0], found[1], found[2], found[3], every, frozenset(enables) - frozenset(table.enables))


def _beneath(image: Image) -> int:
    """What a handler below the rounds keeps interrupts off for at most: where the port's entry does, as it begins or ends."""
    below = runs_beneath(image.system) or any(not interrupt.above_tasks for interrupt in image.system.interrupts)
    return _prices(image).get("beneath", 0) if below else 0


def around_interrupt(image: Image, *, every: bool = False) -> int:
    """What the kernel does before and after an interrupt above tasks, or ``every`` one of the rounds.

    It may be under way when a task is due.
    """
    board, price = image.system.board, _prices(image)
    if not price:
        return 0
    found = [0]
    for interrupt in image.system.interrupts:
        if interrupt.above_tasks or every:
            around = [operation.priced(price) for operation in wrapped(image, interrupt) if operation.does not in RUNS]
            frame = price["frame_begin"] + price["frame_end"] if around else price["direct_end"]
            found.append(board.interrupt_entry + frame + sum(around))
    return max(found)


class _Enabling:
    """The handlers of a mode's re-enable points that have cells, and of its sync cell, as what keeps tasks from their start.

    1. Such a handler runs no task, so it keeps a start on its level or below out as a whole.  Where interrupts nest by time, it
       keeps every start out.
    2. It is at hand if one of its points is as near to the task's as all that the kernel may have to do there takes.
    3. It may also come later than its point: after a task on its level or above, or an interrupt above tasks.  Its cell then asks
       once, whatever its points are.
    """

    def __init__(self, image: Image, mode: ModeImage, taken: Mapping[int, int]) -> None:
        """``taken``: instructions of each handler, by the identity of its carrier."""
        self.length, self.per_tick = mode.allocation.mode.round_length, _per_tick(image)
        self.by_time = image.system.board.nesting == "time"
        above = any(interrupt.above_tasks for interrupt in image.system.interrupts)
        running = [c.level for c in mode.allocation.carriers if c.action.runs and not c.lowered and not self.by_time]
        self.handlers = [
            (c.level, taken[id(c)], {t % self.length for t in c.demand.times}, above or max(running, default=0) >= c.level)
            for c in mode.allocation.carriers
            if id(c) in taken
        ]
        if mode.sync is not None:  # above all tasks
            self.handlers.append((mode.sync.cell.carrier.level, _sync_time(image, mode), {mode.sync.at % self.length}, above))

    def most(self, times: tuple[int, ...], level: int, other: int) -> int:
        """Instructions in a task's way at one of ``times``, if it is on ``level`` and ``other`` instructions come before it."""
        return max((self._at(at, level, other) for at in times), default=0) if self.per_tick else 0

    def _at(self, at: int, level: int, other: int) -> int:
        keeping = [handler for handler in self.handlers if handler[0] >= level or self.by_time]
        found = sum(taken for _, taken, _, _ in keeping)
        while True:  # if more is found than what is looked for, there may be more in that time
            reach = _ticks(other + found, self.per_tick)
            now = sum(
                taken * max(sum(self._apart(at, t) <= reach for t in times), int(late)) for _, taken, times, late in keeping
            )
            if now <= found:
                return now
            found = now

    def _apart(self, one: int, other: int) -> int:
        """The ticks between two points of rounds."""
        return min((one - other) % self.length, (other - one) % self.length)


def _behind(image: Image, mode: ModeImage) -> int:
    """How much later than tick 0 the round of the cell that starts last begins, of a board that starts cells within a tick."""
    if image.system.board.start_spacing:
        return 0
    return _prices(image).get("start_store", 0) * len(mode.start)


def _table_time(image: Image, mode: ModeImage, other: int, held: Callable[[int, int], int]) -> tuple[KernelTime, int]:
    """The times of the mode's table, and the longest piece in which it keeps everything else out, in instructions at most.

    ``other``: the longest pieces of other handlers, which may be under way when it is due.  ``held``: what else keeps a start
    at a tick out that takes so many instructions.

    The end of the handler for another of its tasks may be under way, too, whenever that task was activated.

    The handler of a tick may have to wait for that of the tick before.  So all ticks are gone through in order of time,
    twice, with what is left to do; a handler that comes for several ticks takes less.
    """
    price, per_tick = _prices(image), _per_tick(image)
    if not mode.table or not price:
        return KernelTime(), 0
    length = mode.allocation.mode.round_length
    arrive, leave = _around_table(image, mode)
    whole = price["table_run"] + price["lower"] + price["raise"] + price["table_run_end"]
    other += price["raise"] + price["table_run_end"] + leave
    tasks: dict[str, int] = {}
    enables: dict[str, int] = {}
    checks: dict[str, int] = {}
    starts: dict[str, int] = {}
    piece = free = 0
    for turn in (0, 1):
        for at, points in sorted(_due(mode).items()):
            due = (at + turn * length) * per_tick
            wait = max(0, free - due)
            ready = arrive + price["table_begin"] + price["table_tick"] + len(points) * price["table_entry"]
            alone = len(points) == 1 and not wait
            total = ready + sum(whole for p in points if p.action.runs) + leave
            before = 0
            for point in points:
                name = point.object
                if not point.action.runs:
                    kind = checks if isinstance(point.action, CheckDeadline) else enables
                    kind[name] = max(kind.get(name, 0), wait + ready + leave)
                    continue
                start = arrive + price["table_one"] if alone else wait + ready + before + price["table_run"]
                begin = start + price["lower"] + other
                starts[name] = max(starts.get(name, 0), begin + held(at, begin))
                own = start + price["lower"] + price["raise"] + price["table_run_end"] + leave
                tasks[name] = max(tasks.get(name, 0), own + other)
                before += whole
            piece = max(piece, ready + max(price["table_run"] + price["lower"], leave))
            free = max(free, due) + total
    return KernelTime(tasks, enables, checks, starts), piece


def _ticks(instructions: int, per_tick: int) -> int:
    return -(-instructions // per_tick) if per_tick else 0
