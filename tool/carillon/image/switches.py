# SPDX-License-Identifier: Apache-2.0
"""What the generated C is compiled for: tables of switches, each with the function that gives its value.

A switch whose value is None is not defined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from carillon.actions.every import ACTIONS
from carillon.allocate.base import Base
from carillon.allocate.clock import ClockCell
from carillon.allocate.osek import TaskKind, TaskLevel
from carillon.allocate.queue import QueueTimes
from carillon.image import ActionSet, CellImage, Image, Microcode, OneOf, OsekImage, Unsigned, Value
from carillon.image.levels import base_levels, lowered_level
from carillon.image.osek import GUARD_WORDS, INTERRUPT_LOCKS
from carillon.model import Idle, OnDeadlineMiss, Synchronisation, SyncStart
from carillon.model.giotto import Upload
from carillon.model.osek import AlarmAction, CounterKind, Hook, Status
from carillon.model.osek import Synchronisation as TableSync
from carillon.model.time import ClockKind, QueueKind, TimedKind

_P = TypeVar("_P")


@dataclass(frozen=True, slots=True)
class _Group(Generic[_P]):
    """Switches of one part of the image, which are defined if it has that part."""

    part: Callable[[Image], _P | None]
    values: dict[str, Callable[[Image, _P], Value | None]]

    def of(self, image: Image) -> dict[str, Value]:
        part = self.part(image)
        values = {name: give(image, part) for name, give in self.values.items()} if part is not None else {}
        return {name: value for name, value in values.items() if value is not None}


def _clock(image: Image) -> ClockCell | None:
    return image.osek.allocation.clock if image.osek is not None else None


def _device(image: Image) -> CellImage | None:
    """The cell of a clock that is not periodic."""
    clock = _clock(image)
    if image.osek is None or clock is None or clock.services.clock is ClockKind.PERIODIC:
        return None
    return image.osek.cell(clock.carrier)


def _is_exposed(image: Image) -> bool:
    """Whether interrupts that the kernel's lock does not keep out may come within an operation of the clock's device."""
    isrs = image.osek.allocation.isrs if image.osek is not None else ()
    return bool(image.modes) or any(isr.category == 1 for isr, _ in isrs)


def _uses(image: Image) -> frozenset[TimedKind]:
    clock = _clock(image)
    return clock.services.uses if clock is not None else frozenset()


def _is_tree(image: Image) -> bool:
    clock = _clock(image)
    return clock is not None and clock.services.queue is QueueKind.TREE


def _hooks(image: Image) -> frozenset[Hook]:
    return image.osek.model.hooks if image.osek is not None else frozenset()


def _cells(image: Image) -> tuple[CellImage, ...]:
    return (*(c for m in image.modes for c in m.cells), *(image.osek.cells if image.osek is not None else ()))


def _start_mode(image: Image, _: Image) -> int:
    return [m.allocation.mode.name for m in image.modes].index(image.system.start_mode) if image.modes else 0


def _queues(_: Image, it: OsekImage) -> bool:
    """Whether something stands in the queue of a counter, or its time is asked for."""
    readable = any(c.readable and c.kind is CounterKind.HARDWARE for c in it.model.counters)
    advanced = any(it.allocation.is_advanced(it.model.counter(a.counter)) for a in it.model.alarms)
    return bool(it.allocation.cursors) or readable or advanced


def _queue_starts(_: Image, it: OsekImage) -> bool:
    """Whether an alarm in a queue is started with the system."""
    carried = [alarm for alarm, _ in it.allocation.alarms]
    return any(a.autostart is not None and a not in carried for a in it.model.alarms)


def _port_level(_: Image, it: OsekImage) -> str:
    """The controller's level for a logical one."""
    if not it.allocation.software:
        return "(level)"
    levels = len(it.allocation.levels)
    return f"((level)-{levels - 1}u)" if levels else "((level)+1u)"


def _keeps_out(it: OsekImage, level: int) -> Unsigned:
    """The controller's level that keeps out a logical one."""
    return Unsigned(max(1, it.allocation.hardware(level)))


def _managed(it: OsekImage) -> list[TaskLevel]:
    return [level for level in it.allocation.levels if level.kind is TaskKind.MANAGED]


def _default_mode(_: Image, it: OsekImage) -> str:
    number = it.model.modes.index("OSDEFAULTAPPMODE") if "OSDEFAULTAPPMODE" in it.model.modes else 0
    return f"((AppModeType){number}u)"


def _actions(actions: Iterable[AlarmAction]) -> ActionSet:
    said = {type(action) for action in actions}
    return ActionSet(c.constant for c in ACTIONS.values() if c.says in said)


def _has_kind(kind: TimedKind) -> Callable[[Image, ClockCell], bool]:
    return lambda _, it: kind in it.services.uses


def _has(hook: Hook) -> Callable[[Image, OsekImage], bool]:
    return lambda _, it: hook in it.model.hooks


_KINDS = {ClockKind.PERIODIC: "TICK", ClockKind.ONE_SHOT: "ONE_SHOT", ClockKind.COMPARE: "COMPARE"}
_TAKES_OUT = frozenset({TimedKind.SEMAPHORE, TimedKind.TIMEOUT})
_REPEATED = frozenset(TimedKind) - {TimedKind.DELAY, TimedKind.TIMEOUT}
"""The kinds of events that are repeated."""

_CONFIG: _Group[Image] = _Group(
    lambda image: image,
    {
        "CARILLON_CLOCK_HZ": lambda image, _: Unsigned(image.system.clock_hz),
        "CARILLON_INSTRUCTIONS_PER_TICK": lambda image, _: Unsigned(
            image.system.board.clock(image.system.clock_hz).instructions_per_tick
        ),
        "CARILLON_LEVELS": lambda image, _: Unsigned(image.system.board.levels),
        "CARILLON_MODES": lambda image, _: len(image.modes),
        "CARILLON_START_MODE": _start_mode,
        "CARILLON_OSEK": lambda image, _: image.osek is not None,
        "CARILLON_OSEK_SLICES": lambda image, _: image.osek is not None and image.osek.allocation.slices is not None,
        "CARILLON_OSEK_TURN_LEVELS": lambda image, _: len(image.osek.allocation.turns) if image.osek is not None else 0,
        "CARILLON_CONVENTIONAL": lambda image, _: image.allocation.conventional and bool(image.modes),
        "CARILLON_TABLES": lambda image, _: any(m.table for m in image.modes),
        "CARILLON_LOWERED": lambda image, _: lowered_level(image),
        "CARILLON_SOURCES": lambda image, _: image.system.board.sources,
        "CARILLON_INITIALS": lambda image, _: len(image.initials),
        "CARILLON_BELOW_TASKS": lambda image, _: Unsigned(base_levels(image)) if base_levels(image) and image.modes else 0,
        "CARILLON_MULTIPLEXES": lambda image, _: any(m.multiplexes or m.table for m in image.modes),
        "CARILLON_TIMEKEEPERS": lambda image, _: any(c.due is not None for c in _cells(image)),
        "CARILLON_LAPS": lambda image, _: bool(image.laps),
        "CARILLON_ALIGNS": lambda image, _: any(c.family.align for c in _cells(image)),
        "CARILLON_FINISHES": lambda image, _: any(c.family.finish for c in _cells(image)),
        "CARILLON_START_KEEPS": lambda image, _: bool(image.system.board.kept),
        "CARILLON_SYNC": lambda image, _: any(m.sync for m in image.modes),
        "CARILLON_SHUTDOWN_ON_MISS": lambda image, _: image.system.on_deadline_miss is OnDeadlineMiss.SHUTDOWN,
        "CARILLON_IDLE_SLEEP": lambda image, _: image.system.idle is Idle.SLEEP,
        "CARILLON_COPY_DATA": lambda *_: 0,
        "CARILLON_ADDRESS_BITS": lambda *_: 32,
        "CARILLON_CONSTRUCTORS": lambda image, _: image.system.cplusplus or None,
    },
)
_SYNC: _Group[Synchronisation] = _Group(
    lambda image: image.system.sync,
    {
        "CARILLON_SYNC_HARD": lambda _, sync: sync.start is SyncStart.HARD,
        "CARILLON_SYNC_PRECISION": lambda _, sync: Unsigned(sync.precision),
        "CARILLON_SYNC_SILENCE": lambda _, sync: Unsigned(sync.silence),
    },
)
_QUEUE: _Group[QueueTimes] = _Group(
    lambda image: image.osek.allocation.queue if image.osek is not None else None,
    {
        "CARILLON_TIME_BITS": lambda _, it: it.bits,
        "CARILLON_DISTANCE_BITS": lambda _, it: it.distance_bits,
        "CARILLON_QUEUE_TREE": lambda image, _: _is_tree(image) and not image.allocation.counters,
        "CARILLON_QUEUE_COUNTERS": lambda image, _: image.allocation.counters,
        "CARILLON_QUEUE_MOVES": lambda image, _: bool(_uses(image) & _REPEATED),
    },
)
_CLOCK: _Group[ClockCell] = _Group(
    _clock,
    {
        "CARILLON_CLOCK": lambda _, it: f"CARILLON_CLOCK_{_KINDS[ClockKind.COMPARE if it.driver.free else it.services.clock]}",
        "CARILLON_CLOCK_BITS": lambda _, it: it.services.bits if it.services.clock is ClockKind.PERIODIC else it.driver.bits,
        "CARILLON_CLOCK_MINIMUM": lambda _, it: Unsigned(it.driver.minimum),
        "CARILLON_CLOCK_LATEST": lambda _, it: Unsigned(it.latest),
        "CARILLON_CLOCK_FARTHEST": lambda _, it: Unsigned(it.longest) if it.longest is not None else "CARILLON_LAP",
        # A periodic clock's time is the number of its ticks, which its handler counts apart if no time base does.
        "CARILLON_CLOCK_KEEPS_TIME": lambda _, it: it.services.now and not it.counted,
        "CARILLON_TIME_NOW": lambda _, it: it.services.now,
        "CARILLON_TIME_COUNTS": lambda _, it: it.services.now and it.counted,
        "CARILLON_CLOCK_REQUESTS": lambda _, it: it.driver.requests,
        "CARILLON_CLOCK_NESTS": lambda *_: 0,  # handlers of alarms never unlock
        # Functions may, and what gives a semaphore a unit takes the time-out of a task that waits for one out of the queue.
        "CARILLON_CLOCK_CALLED": lambda _, it: TimedKind.FUNCTION in it.services.uses or it.services.uses >= _TAKES_OUT,
        "CARILLON_CLOCK_HOOKED": lambda image, _: Hook.STARTUP in _hooks(image) or image.system.cplusplus,
        "CARILLON_CLOCK_RESTARTS": lambda _, it: it.driver.restarts,
        "CARILLON_CLOCK_COST": lambda _, it: Unsigned(it.driver.cost),
        "CARILLON_CLOCK_BEHIND": lambda image, it: Unsigned(it.behind(image.system)),
        "CARILLON_TIME_FAR": lambda _, it: it.longest is None,
        **{f"CARILLON_TIME_{kind.name}S": _has_kind(kind) for kind in TimedKind},
        "CARILLON_TIME_HZ": lambda image, it: Unsigned((image.system.clock_hz / it.tick).numerator),
        "CARILLON_TIME_HZ_DIVISOR": lambda image, it: Unsigned((image.system.clock_hz / it.tick).denominator),
        "CARILLON_CLOCK_UNITS": lambda _, it: Unsigned(it.base_units) if it.based else None,
    },
)
_DEVICE: _Group[CellImage] = _Group(
    _device,
    {
        "CARILLON_CLOCK_CELL": lambda _, cell: Unsigned(cell.number),
        "CARILLON_CLOCK_SOURCE": lambda _, cell: Unsigned(cell.carrier.source),
        "CARILLON_CLOCK_EXPOSED": lambda image, _: _is_exposed(image),
    },
)
_BASE: _Group[Base] = _Group(
    lambda image: image.osek.allocation.base if image.osek is not None else None,
    {"CARILLON_BASE_BITS": lambda _, base: base.bits},
)
_MICROCODE: _Group[Microcode] = _Group(
    lambda image: image.microcode,
    {
        "CARILLON_MICROCODE_TASKS": lambda _, it: Unsigned(len(it.compiled.program.tasks)),
        "CARILLON_MICROCODE_BINDINGS": lambda _, it: Unsigned(it.bindings),
        "CARILLON_MICROCODE_THREADS": lambda _, it: Unsigned(it.threads),
        "CARILLON_MICROCODE_MISSED": lambda *_: 1,
        "CARILLON_MICROCODE_UNITS": lambda image, _: Unsigned(
            image.osek.allocation.machine_units if image.osek is not None else 0
        ),
    },
)
_UPLOAD: _Group[Upload] = _Group(
    lambda image: image.system.upload if image.microcode is not None else None,
    {
        "CARILLON_LOADER_BYTES": lambda _, it: Unsigned(it.room),
        "CARILLON_MICROCODE_RECORD": lambda _, it: Unsigned(it.record),
        "CARILLON_LOADER_RESETS": lambda _, it: it.resets or None,
    },
)
_GIOTTO: _Group[Image] = _Group(lambda image: image, {"CARILLON_GIOTTO": lambda image, _: image.blocks is not None})

_OSEK: _Group[OsekImage] = _Group(
    lambda image: image.osek,
    {
        "CARILLON_OSEK_TASKS": lambda _, it: Unsigned(len(it.model.tasks)),
        "CARILLON_OSEK_TASK_LEVELS": lambda _, it: Unsigned(len(it.allocation.levels)),
        "CARILLON_OSEK_ISRS": lambda _, it: Unsigned(len(it.model.isrs)),
        "CARILLON_OSEK_MODES": lambda _, it: Unsigned(len(it.model.modes)),
        "CARILLON_OSEK_RESOURCES": lambda _, it: Unsigned(len(it.allocation.named_resources)),
        "CARILLON_OSEK_COUNTERS": lambda _, it: Unsigned(len(it.model.counters)),
        "CARILLON_OSEK_PARTS": lambda _, it: Unsigned(len(it.allocation.parts)),
        "CARILLON_OSEK_IS_HARDWARE(counter)": lambda _, it: OneOf(
            n for n, c in enumerate(it.model.counters) if c.kind is CounterKind.HARDWARE
        ),
        "CARILLON_OSEK_ALARMS": lambda _, it: Unsigned(len(it.model.alarms)),
        "CARILLON_OSEK_SCHEDULE_TABLES": lambda _, it: Unsigned(len(it.model.schedule_tables)),
        "CARILLON_OSEK_CURSORS": lambda _, it: Unsigned(len(it.allocation.cursors)),
        "CARILLON_OSEK_TABLE_CELLS": lambda _, it: Unsigned(len(it.allocation.series)),
        "CARILLON_OSEK_TABLE_ENDS": lambda _, it: any(series.action is None for series, _ in it.allocation.series),
        "CARILLON_OSEK_TABLES_RESTART": lambda _, it: bool(it.tables) and it.tables[0].restarts,
        "CARILLON_OSEK_ADJUSTS": lambda _, it: any(t.sync is TableSync.EXPLICIT for t in it.model.schedule_tables),
        "CARILLON_OSEK_POINT_ACTIONS": lambda _, it: _actions(
            a for c in it.allocation.cursors for step in c.steps for a in step.actions
        ),
        "CARILLON_OSEK_QUEUES": _queues,
        "CARILLON_OSEK_QUEUE_STARTS": _queue_starts,
        "CARILLON_OSEK_ALARM_ACTIONS": lambda _, it: _actions(a.action for a in it.model.alarms),
        "CARILLON_OSEK_CELLS": lambda _, it: bool(it.allocation.alarms),
        "CARILLON_OSEK_LEVEL_CELLS": lambda _, it: bool(it.served),
        "CARILLON_OSEK_LEVEL_COUNTERS": lambda _, it: any(served.counter is not None for served in it.served),
        "CARILLON_OSEK_HAS_CELLS(level)": lambda _, it: OneOf(served.level for served in it.served),
        "CARILLON_OSEK_EXTENDED": lambda _, it: it.model.status is Status.EXTENDED,
        "CARILLON_OSEK_SOFTWARE": lambda _, it: it.allocation.software,
        "CARILLON_OSEK_DISPATCHER": lambda _, it: Unsigned(it.allocation.dispatcher),
        "CARILLON_OSEK_TOP": lambda _, it: _keeps_out(it, it.allocation.locked),
        "CARILLON_OSEK_ALL": lambda _, it: _keeps_out(it, it.allocation.all),
        "CARILLON_OSEK_PORT_LEVEL(level)": _port_level,
        "CARILLON_OSEK_DIRECT": lambda _, it: it.allocation.direct,
        "CARILLON_OSEK_MANAGED": lambda _, it: bool(_managed(it)),
        "CARILLON_OSEK_BASIC": lambda _, it: any(not task.extended for level in _managed(it) for task in level.tasks),
        "CARILLON_OSEK_QUEUED": lambda _, it: any(level.capacity for level in it.allocation.levels),
        "CARILLON_OSEK_MATES": lambda image, _: image.allocation.mates,
        "CARILLON_OSEK_EVENTS": lambda _, it: any(task.extended for task in it.model.tasks),
        "CARILLON_OSEK_INTERNAL": lambda _, it: any(
            it.allocation.running_level(task) > level.number for level in it.allocation.levels for task in level.tasks
        ),
        "CARILLON_OSEK_AUTOSTART": lambda _, it: any(task.autostart for task in it.model.tasks),
        **{
            f"CARILLON_OSEK_{hook.name}_HOOK": _has(hook)
            for hook in (Hook.STARTUP, Hook.SHUTDOWN, Hook.ERROR, Hook.PRETASK, Hook.POSTTASK)
        },
        "CARILLON_OSEK_TASK_HOOKS": lambda _, it: bool(it.model.hooks & {Hook.PRETASK, Hook.POSTTASK}),
        "CARILLON_OSEK_MISSING_END": lambda _, it: it.model.status is Status.EXTENDED or Hook.ERROR in it.model.hooks,
        "CARILLON_OSEK_SERVICE_ID": lambda _, it: it.model.service_id,
        "CARILLON_OSEK_PARAMETER_ACCESS": lambda _, it: it.model.parameter_access,
        "CARILLON_OSEK_STACK_CHECK": lambda _, it: it.model.stack_check,
        "CARILLON_OSEK_GUARD": lambda *_: Unsigned(GUARD_WORDS),
        "CARILLON_OSEK_FAR": lambda _, it: it.allocation.queue is not None and it.allocation.queue.far_alarms,
        "CARILLON_OSEK_TIME": lambda _, it: it.allocation.clock is not None,
        "CARILLON_OSEK_BUDGETS": lambda _, it: it.allocation.budgets is not None or None,
        "CARILLON_OSEK_SUSPENDED": lambda _, it: _keeps_out(it, it.allocation.top) if it.allocation.budgets is not None else None,
        "CARILLON_OSEK_LOCKS": lambda _, it: (
            Unsigned(len(it.allocation.named_resources) + len(INTERRUPT_LOCKS)) if it.model.lock_budgets else None
        ),
        "CARILLON_OSEK_FRAMES": lambda _, it: (
            Unsigned(len(it.model.tasks) + len(it.model.isrs)) if it.allocation.frames is not None else None
        ),
        "CARILLON_OSEK_PROTECTION_HOOK": lambda _, it: (
            Hook.PROTECTION in it.model.hooks if it.allocation.budgets is not None or it.allocation.frames is not None else None
        ),
        "CARILLON_OSEK_DEFAULT_MODE": _default_mode,
    },
)

_FILES: dict[str, tuple[_Group[Any], ...]] = {
    "carillon_config.h": (_CONFIG, _SYNC, _QUEUE, _CLOCK, _BASE, _MICROCODE, _UPLOAD, _GIOTTO),
    "carillon_clock_device.h": (_DEVICE,),
    "carillon_osek.h": (_OSEK,),
}


def switches(image: Image) -> dict[str, dict[str, Value]]:
    """For each generated file, the values of its switches in their order."""
    found = {file: {k: v for group in groups for k, v in group.of(image).items()} for file, groups in _FILES.items()}
    board = image.system.board
    clock = board.clock(image.system.clock_hz).defines
    found["carillon_config.h"] |= board.defines | {name: Unsigned(value) for name, value in clock.items()}
    return found
