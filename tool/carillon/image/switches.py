# SPDX-License-Identifier: Apache-2.0
"""What the generated C is compiled for: for each generated file, its switches and their values.

A function gives the switches of one part of the image; one whose value is None is not defined.
"""

from __future__ import annotations

from collections.abc import Iterable

from carillon.actions.every import ACTIONS
from carillon.allocate.clock import ClockCell
from carillon.allocate.osek import OsekAllocation, TaskKind
from carillon.image import ActionSet, Image, OneOf, OsekImage, Unsigned, Value
from carillon.image.devices import units_of_tick
from carillon.image.forms import armed_by_expiry
from carillon.image.levels import base_levels, lowered_level
from carillon.image.osek import GUARD_WORDS, INTERRUPT_LOCKS, has_tick
from carillon.image.registry import OFF, OSEK_OFF
from carillon.microcode.compiled import Microcode
from carillon.model import Idle, OnBudgetOverrun, OnDeadlineMiss, Synchronisation, SyncStart
from carillon.model.osek import AlarmAction, CounterKind, Hook, ServerKind, Status
from carillon.model.time import ClockKind, QueueKind, TimedKind, TimeServices

Switches = dict[str, Value | None]

_KINDS = {ClockKind.PERIODIC: "TICK", ClockKind.ONE_SHOT: "ONE_SHOT", ClockKind.COMPARE: "COMPARE"}
_TAKES_OUT = frozenset({TimedKind.SEMAPHORE, TimedKind.TIMEOUT})
_REPEATED = frozenset({TimedKind.FUNCTION, TimedKind.TASK, TimedKind.EVENT, TimedKind.SEMAPHORE})
"""The kinds of events that are repeated."""


def switches(image: Image) -> dict[str, dict[str, Value]]:
    """For each generated file, the values of its switches in their order."""
    system, osek, clock = image.system, image.osek, image.osek.allocation.clock if image.osek is not None else None
    config = _of_all(image)
    config |= _of_sync(system.sync) if system.sync is not None else {}
    turns = [m.sync.cell.period for m in image.modes if m.sync is not None and m.sync.wrap is not None]
    config |= {"CARILLON_SYNC_TURN": Unsigned(turns[0])} if turns else {}
    config |= _of_queue(image, osek.allocation, clock) if osek is not None else {}
    config |= _of_clock(image, osek, clock) if osek is not None and clock is not None else {}
    if clock is not None and clock.services.tickless:
        config |= {"CARILLON_BASE_BITS": clock.services.bits, "CARILLON_TICKLESS": 1}
    elif osek is not None and osek.allocation.base is not None:
        config["CARILLON_BASE_BITS"] = osek.allocation.base.bits
    config |= _of_microcode(image, image.microcode) if image.microcode is not None else {}
    config["CARILLON_GIOTTO"] = image.blocks is not None
    config["CARILLON_TRACE"] = 1 if system.tracing is not None and system.tracing.ring is not None else None
    config["CARILLON_STREAM"] = 1 if system.tracing is not None and system.tracing.stream is not None else None
    config |= system.board.defines
    config |= {name: Unsigned(value) for name, value in system.board.clock(system.clock_hz).defines.items()}
    files = {"carillon_config.h": _whole(config, OFF), "carillon_osek.h": {}}
    if osek is not None:
        files["carillon_osek.h"] = _whole(_of_osek(image, osek), OSEK_OFF)
    return files


def _whole(said: Switches, off: dict[str, Value]) -> dict[str, Value]:
    """What is said, and of the others what they are in an image without their part."""
    found = {name: value for name, value in said.items() if value is not None}
    return found | {name: value for name, value in off.items() if name not in found}


def _of_all(image: Image) -> Switches:
    system, osek = image.system, image.osek
    cells = [*(c for m in image.modes for c in m.cells), *(osek.cells if osek is not None else ())]
    modes = [mode.allocation.mode.name for mode in image.modes]
    below = base_levels(image)
    return {
        "CARILLON_CLOCK_HZ": Unsigned(system.clock_hz),
        "CARILLON_INSTRUCTIONS_PER_TICK": Unsigned(system.board.clock(system.clock_hz).instructions_per_tick),
        "CARILLON_LEVELS": Unsigned(system.board.levels),
        "CARILLON_MODES": len(modes),
        "CARILLON_START_MODE": modes.index(system.start_mode) if modes else 0,
        "CARILLON_OSEK": osek is not None,
        "CARILLON_BUDGETS_IN_QUEUE": (osek is not None and osek.model.queued_budgets) or None,
        "CARILLON_OSEK_SLICES": osek is not None and (osek.allocation.slices is not None or bool(osek.model.servers)),
        "CARILLON_OSEK_SLICES_REST": osek is not None and osek.slices_rest,
        "CARILLON_OSEK_TURN_LEVELS": len(osek.allocation.turns) if osek is not None else 0,
        "CARILLON_CONVENTIONAL": image.allocation.conventional and bool(modes),
        "CARILLON_TABLES": any(m.table for m in image.modes),
        "CARILLON_LOWERED": lowered_level(image),
        "CARILLON_SOURCES": system.board.sources,
        "CARILLON_INITIALS": len(image.initials),
        "CARILLON_BELOW_TASKS": Unsigned(below) if below and modes else 0,
        "CARILLON_MULTIPLEXES": any(m.multiplexes or m.table for m in image.modes),
        "CARILLON_TIMEKEEPERS": any(c.due is not None for c in cells),
        "CARILLON_LAPS": bool(image.laps),
        "CARILLON_ARMS": any(armed_by_expiry(image, mode) for mode in image.modes),
        "CARILLON_ALIGNS": any(c.family.align for c in cells),
        "CARILLON_FINISHES": any(c.family.finish for c in cells),
        "CARILLON_START_KEEPS": bool(system.board.kept),
        "CARILLON_SYNC": any(m.sync for m in image.modes),
        "CARILLON_ROUND_BUDGETS": Unsigned(len(system.bounded)) if system.bounded else None,
        "CARILLON_SHUTDOWN_ON_OVERRUN": (system.on_budget_overrun is OnBudgetOverrun.SHUTDOWN if system.bounded else None),
        "CARILLON_SHUTDOWN_ON_MISS": system.on_deadline_miss is OnDeadlineMiss.SHUTDOWN,
        "CARILLON_IDLE_SLEEP": system.idle is Idle.SLEEP,
        "CARILLON_COPY_DATA": 0,
        "CARILLON_ADDRESS_BITS": 32,
        "CARILLON_CONSTRUCTORS": system.cplusplus,
    }


def _of_sync(sync: Synchronisation) -> Switches:
    return {
        "CARILLON_SYNC_HARD": sync.start is SyncStart.HARD,
        "CARILLON_SYNC_PRECISION": Unsigned(sync.precision),
        "CARILLON_SYNC_SILENCE": Unsigned(sync.silence),
        "CARILLON_SYNC_EDGES": sync.phase is not None,
    }


def _of_queue(image: Image, allocation: OsekAllocation, clock: ClockCell | None) -> Switches:
    """Of the queues of counters, and of the clock; nothing if there are none."""
    queue, counters = allocation.queue, image.allocation.counters
    if queue is None:
        return {}
    return {
        "CARILLON_TIME_BITS": queue.bits,
        "CARILLON_DISTANCE_BITS": queue.distance_bits,
        "CARILLON_QUEUE_TREE": clock is not None and clock.services.queue is QueueKind.TREE and not counters,
        "CARILLON_QUEUE_COUNTERS": counters,
        "CARILLON_QUEUE_MOVES": clock is not None and (bool(clock.services.uses & _REPEATED) or bool(allocation.osek.servers)),
    }


def _has(osek: OsekImage, services: TimeServices) -> frozenset[TimedKind]:
    """The kinds of events that there are: those of the application, and the one that activates a thread with an offset."""
    offsets = any(task.offset for task in osek.model.tasks)
    return services.uses | {TimedKind.TASK} if offsets else services.uses


def _of_clock(image: Image, osek: OsekImage, clock: ClockCell) -> Switches:
    system, services, driver = image.system, clock.services, clock.driver
    rate, units = system.clock_hz / clock.tick, units_of_tick(osek) if services.now else 1
    return {
        "CARILLON_CLOCK": f"CARILLON_CLOCK_{_KINDS[ClockKind.COMPARE if driver.free else services.clock]}",
        "CARILLON_CLOCK_BITS": services.bits if services.clock is ClockKind.PERIODIC else driver.bits,
        "CARILLON_CLOCK_MINIMUM": Unsigned(driver.minimum),
        "CARILLON_CLOCK_LATEST": Unsigned(clock.latest),
        "CARILLON_CLOCK_FARTHEST": Unsigned(clock.longest) if clock.longest is not None else "CARILLON_LAP",
        # A periodic clock's time is its number of ticks, which the handler counts separately if no time base counts them.
        "CARILLON_CLOCK_KEEPS_TIME": services.now and not clock.counted,
        "CARILLON_TIME_NOW": services.now,
        "CARILLON_TIME_COUNTS": services.now and clock.counted,
        "CARILLON_TIME_UPTIME": services.uptime,
        "CARILLON_TIME_UNITS": Unsigned(units) if units > 1 else None,
        "CARILLON_TIME_UNIT_HZ": Unsigned((rate * units).numerator) if units > 1 else None,
        "CARILLON_TIME_UNIT_HZ_DIVISOR": Unsigned((rate * units).denominator) if units > 1 else None,
        "CARILLON_TIME_TICKS_INLINE": has_tick(clock) and osek.tick_frame is None,
        "CARILLON_CLOCK_REQUESTS": driver.requests,
        "CARILLON_CLOCK_NESTS": 0,  # handlers of alarms never unlock
        # Functions and tickless counters may use the clock; a unit of a semaphore cancels the time-out of a waiting task.
        "CARILLON_CLOCK_CALLED": clock.services.tickless
        or TimedKind.FUNCTION in services.uses
        or services.uses >= _TAKES_OUT
        or bool(osek.model.servers or osek.model.queued_budgets)
        or any(t.deadline for t in osek.model.tasks),
        "CARILLON_CLOCK_HOOKED": Hook.STARTUP in osek.model.hooks or system.cplusplus,
        "CARILLON_CLOCK_RESTARTS": driver.restarts,
        "CARILLON_CLOCK_COST": Unsigned(driver.cost),
        "CARILLON_CLOCK_BEHIND": Unsigned(clock.behind(system)),
        "CARILLON_TIME_SLACK": Unsigned(clock.slack),
        "CARILLON_CLOCK_SLACK": Unsigned(clock.deferred),
        "CARILLON_TIME_FAR": clock.longest is None,
        **{f"CARILLON_TIME_{kind.name}S": kind in _has(osek, services) for kind in TimedKind},
        "CARILLON_TIME_RTC": 1 if services.rtc else None,
        "CARILLON_TIME_OFFSETS": Unsigned(sum(bool(t.offset) for t in osek.model.tasks)),
        "CARILLON_TIME_DEADLINES": Unsigned(sum(bool(t.deadline) for t in osek.model.tasks)),
        "CARILLON_NEW_THREADS": Unsigned(sum(t.new for t in osek.model.tasks)),
        "CARILLON_RTOS_HEAP": Unsigned(services.heap),
        "CARILLON_TIME_HZ": Unsigned(rate.numerator),
        "CARILLON_TIME_HZ_DIVISOR": Unsigned(rate.denominator),
        "CARILLON_CLOCK_UNITS": Unsigned(clock.base_units) if clock.based else None,
    }


def _of_microcode(image: Image, microcode: Microcode) -> Switches:
    upload, allocation = image.system.upload, image.osek.allocation if image.osek is not None else None
    switches: Switches = {
        "CARILLON_MICROCODE_TASKS": Unsigned(len(microcode.compiled.program.tasks)),
        "CARILLON_MICROCODE_BINDINGS": Unsigned(microcode.bindings),
        "CARILLON_MICROCODE_THREADS": Unsigned(microcode.threads),
        "CARILLON_MICROCODE_MISSED": 1,
        "CARILLON_MICROCODE_UNITS": Unsigned(allocation.machine_units if allocation is not None else 0),
        "CARILLON_MICROCODE_WAKES": Unsigned(allocation.wakes) if allocation is not None and allocation.wakes else None,
    }
    if upload is not None:
        switches["CARILLON_LOADER_BYTES"] = Unsigned(upload.room)
        switches["CARILLON_MICROCODE_RECORD"] = Unsigned(upload.record)
        switches["CARILLON_MICROCODE_GENERATES"] = Unsigned(-(-upload.generate * 1_000_000 // microcode.compiled.program.tick_ns))
        switches["CARILLON_LOADER_LOAD"] = Unsigned(upload.load)
        switches["CARILLON_LOADER_LOG"] = Unsigned(upload.log)
        switches["CARILLON_LOADER_STOPS"] = Unsigned(int(upload.stops))
        switches["CARILLON_LOADER_RESETS"] = upload.resets or None
    return switches


def _of_osek(image: Image, osek: OsekImage) -> Switches:
    allocation, model = osek.allocation, osek.model
    levels, cursors, hooks = allocation.levels, allocation.cursors, model.hooks
    managed = [level for level in levels if level.kind is TaskKind.MANAGED]
    carried = [alarm for alarm, _ in allocation.alarms]
    readable = any(c.readable and c.kind is CounterKind.HARDWARE for c in model.counters)
    advanced = any(allocation.is_advanced(model.counter(a.counter)) for a in model.alarms)
    port_level = f"((level)-{len(levels) - 1}u)" if levels else "((level)+1u)"
    budgets, frames = model.budgets, allocation.frames is not None
    served = allocation.served_levels
    locks = len(allocation.named_resources) + len(INTERRUPT_LOCKS)

    def keeps_out(level: int) -> Unsigned:
        """The lowest level of the controller that masks a logical level; 0, which masks none, if the rounds have all levels."""
        return Unsigned(max(0 if image.modes and not allocation.all else 1, allocation.hardware(level)))

    return {
        "CARILLON_OSEK_TASKS": Unsigned(len(model.tasks)),
        "CARILLON_OSEK_TASK_LEVELS": Unsigned(len(levels)),
        "CARILLON_OSEK_ISRS": Unsigned(len(model.isrs)),
        "CARILLON_OSEK_MODES": Unsigned(len(model.modes)),
        "CARILLON_OSEK_RESOURCES": Unsigned(len(allocation.named_resources)),
        "CARILLON_OSEK_MUTEXES": Unsigned(len(model.mutexes)),
        "CARILLON_OSEK_SERVERS": Unsigned(len(served)),
        "CARILLON_OSEK_FIRST_SERVED": Unsigned(min(served)) if served else None,
        "CARILLON_OSEK_IS_SERVED(level)": OneOf(served) if served else None,
        "CARILLON_SERVERS_CONSTANT": any(s.kind is ServerKind.CONSTANT for s in model.servers),
        "CARILLON_OSEK_COUNTERS": Unsigned(len(model.counters)),
        "CARILLON_OSEK_PARTS": Unsigned(len(allocation.parts)),
        "CARILLON_OSEK_IS_HARDWARE(counter)": OneOf(n for n, c in enumerate(model.counters) if c.kind is CounterKind.HARDWARE),
        "CARILLON_OSEK_ALARMS": Unsigned(len(model.alarms)),
        "CARILLON_OSEK_SCHEDULE_TABLES": Unsigned(len(model.schedule_tables)),
        "CARILLON_OSEK_CURSORS": Unsigned(len(cursors)),
        "CARILLON_OSEK_LONE_CURSORS": Unsigned(len(allocation.lone)),
        "CARILLON_OSEK_TABLE_CELLS": Unsigned(len(allocation.series)),
        "CARILLON_OSEK_TABLE_ENDS": any(series.ends for series, _ in allocation.series),
        "CARILLON_OSEK_TABLE_ADJUSTS": any(series.adjusts for series, _ in allocation.series),
        "CARILLON_OSEK_TABLES_RESTART": bool(osek.tables) and osek.tables[0].restarts,
        "CARILLON_OSEK_TABLES_MOVE": bool(osek.tables) and osek.tables[0].moves,
        "CARILLON_OSEK_TABLES_BESIDE": bool(osek.tables) and bool(image.modes),
        "CARILLON_OSEK_TABLES_SET": bool(osek.tables) and osek.tables[0].sets,
        "CARILLON_OSEK_ADJUSTS": allocation.adjusts,
        "CARILLON_OSEK_POINT_ACTIONS": _actions(a for c in cursors for step in c.steps for a in step.actions),
        # Whether something stands in the queue of a counter, or its time is asked for.
        "CARILLON_OSEK_QUEUES": bool(cursors) or readable or advanced,
        "CARILLON_OSEK_QUEUE_STARTS": any(a.autostart is not None and a not in carried for a in model.alarms),
        "CARILLON_OSEK_ALARM_ACTIONS": _actions(it for a in model.alarms for it in (a.action, *a.action.each)),
        "CARILLON_OSEK_CELLS": bool(carried),
        "CARILLON_OSEK_LEVEL_CELLS": bool(osek.served),
        "CARILLON_OSEK_CELLS_TOLD": allocation.told,
        "CARILLON_OSEK_LEVEL_COUNTERS": any(served.counter is not None for served in osek.served),
        "CARILLON_OSEK_HAS_CELLS(level)": OneOf(served.level for served in osek.served),
        "CARILLON_OSEK_EXTENDED": model.status is Status.EXTENDED,
        "CARILLON_OSEK_SOFTWARE": allocation.software,
        "CARILLON_OSEK_DISPATCHER": Unsigned(allocation.dispatcher),
        "CARILLON_OSEK_TOP": keeps_out(allocation.locked),
        "CARILLON_OSEK_ALL": keeps_out(allocation.all),
        # Whether the handler of a task's level may begin while something is masked.  That is a resource or a mutex of lower
        # tasks alone, or what waits while a round lowers a task.
        "CARILLON_OSEK_BEGINS_MASKED": bool(image.modes)
        or any(0 < level < len(levels) for level in (*allocation.ceilings.values(), *allocation.mutex_ceilings)),
        # The controller's level for a logical one.
        "CARILLON_OSEK_PORT_LEVEL(level)": port_level if allocation.software else "(level)",
        "CARILLON_OSEK_DIRECT": allocation.direct,
        "CARILLON_OSEK_MANAGED": bool(managed),
        "CARILLON_OSEK_BASIC": any(not task.extended for level in managed for task in level.tasks),
        "CARILLON_OSEK_QUEUED": any(level.capacity for level in levels),
        "CARILLON_OSEK_SHORT_RINGS": all(level.capacity <= SHORT_RING for level in levels),
        "CARILLON_OSEK_MATES": image.allocation.mates,
        "CARILLON_OSEK_EVENTS": any(task.extended for task in model.tasks),
        "CARILLON_OSEK_INTERNAL": any(allocation.running_level(task) > x.number for x in levels for task in x.tasks),
        "CARILLON_OSEK_AUTOSTART": any(task.autostart for task in model.tasks),
        **{f"CARILLON_OSEK_{hook.name}_HOOK": hook in hooks for hook in Hook if hook is not Hook.PROTECTION},
        "CARILLON_OSEK_TASK_HOOKS": bool(hooks & {Hook.PRETASK, Hook.POSTTASK}),
        "CARILLON_OSEK_MISSING_END": model.status is Status.EXTENDED or Hook.ERROR in hooks,
        "CARILLON_OSEK_SERVICE_ID": model.service_id,
        "CARILLON_OSEK_PARAMETER_ACCESS": model.parameter_access,
        "CARILLON_OSEK_STACK_CHECK": model.stack_check,
        "CARILLON_OSEK_GUARD": Unsigned(GUARD_WORDS),
        "CARILLON_OSEK_FAR": allocation.queue is not None and allocation.queue.far_alarms,
        "CARILLON_OSEK_TIME": allocation.clock is not None,
        "CARILLON_OSEK_BUDGETS": budgets or None,
        "CARILLON_OSEK_ISR_BUDGETS": 1 if model.bounded_isrs else None,
        # The highest level of ISRs of category 2.  The kernel's lock is above it where there are budgets.
        "CARILLON_OSEK_SUSPENDED": keeps_out(allocation.top if budgets else allocation.locked),
        "CARILLON_OSEK_LOCKS": Unsigned(locks) if model.lock_budgets else None,
        "CARILLON_OSEK_FRAMES": Unsigned(len(model.tasks) + len(model.isrs)) if frames else None,
        "CARILLON_OSEK_PROTECTION_HOOK": Hook.PROTECTION in hooks if budgets or frames else None,
        "CARILLON_OSEK_DEFAULT_MODE": f"((AppModeType){model.modes.index(_DEFAULT) if _DEFAULT in model.modes else 0}u)",
    }


_DEFAULT = "OSDEFAULTAPPMODE"

SHORT_RING = 127
"""The longest queue of activations in which a byte holds the sum of a place and a number of entries."""


def _actions(actions: Iterable[AlarmAction]) -> ActionSet:
    said = {type(action) for action in actions}
    return ActionSet(c.constant for c in ACTIONS.values() if c.says in said)
