# SPDX-License-Identifier: Apache-2.0
"""The cells that serve the clock, the time base, execution budgets and time frames; and the real-time clock.

The reasons for these values: ``kernel/clock/clock.h``, ``kernel/clock/base.h``, ``budget.h`` and ``frame.h``.
"""

from __future__ import annotations

from carillon.allocate.result import Carrier
from carillon.image import CellImage, Device, Image, OsekImage, Unsigned, Value
from carillon.image.sync import matches
from carillon.model import System
from carillon.model.family import BaseKind, Capability
from carillon.model.time import ClockKind

RETRY, STEP, PATIENCE = 64, 4, 512
"""In how many instructions the handler looks again for a job that is late (``kernel/levels/budget.h``, 6)."""
_AHEAD = 1 << 31
"""Of a match that keeps budgets: half of that lies ahead of the counter, and what is beyond has passed."""


def devices(system: System, osek: OsekImage, origin: int, guard: int) -> tuple[Device, ...]:
    """The generated headers of single cells, and of the real-time clock.

    ``origin``: what the time base reads at tick 0, or ``guard`` units before.
    """
    cells = (*_clock(system, osek), *_tick(osek), *_base(osek, origin, guard), *_budgets(system, osek), *_frames(osek))
    return (*cells, *_rtc(system, osek))


def sync_device(image: Image) -> Device:
    """How the cells of a round that follows a global time are moved."""
    sync = next(mode.sync for mode in image.modes if mode.sync is not None)
    if matches(sync):
        return Device("SYNC_CELLS", sync.moved[0].family.name, "The matches of a round are moved one by one.", {}, "sync")
    if sync.wrap is None:
        return Device("SYNC_CELLS", "osektime", "The cells of a round are moved one by one.", {}, "sync_shift", "kernel")
    return Device("SYNC_CELLS", sync.cell.family.name, "A round is a turn of each timer.", {}, "sync")


def _rtc(system: System, osek: OsekImage) -> list[Device]:
    clock, rtc = osek.allocation.clock, system.board.rtc
    if clock is None or not clock.services.rtc or rtc is None:
        return []
    values: dict[str, Value] = {"ADDRESS": Unsigned(rtc.address)}
    values |= {key.upper(): Unsigned(getattr(rtc, key)) for key in rtc.driver.keys}
    return [Device("RTC", rtc.driver.name, "The calendar is a real-time clock.", values, "rtc", "devices")]


def _clock(system: System, osek: OsekImage) -> list[Device]:
    """The cell of a clock that is not periodic."""
    clock = osek.allocation.clock
    if clock is None or clock.services.clock is ClockKind.PERIODIC:
        return []
    cell = osek.cell(clock.carrier)
    values: dict[str, Value] = {
        "CELL": Unsigned(cell.number),
        "SOURCE": Unsigned(clock.carrier.source),
        # Whether interrupts that the kernel's lock does not mask may occur within an operation of the device.
        "EXPOSED": bool(system.modes) or any(isr.category == 1 for isr, _ in osek.allocation.isrs),
    }
    return [Device("CLOCK", cell.family.name, f"The clock is {cell.use.cell.name}.", values, "clock")]


def units_of_tick(osek: OsekImage) -> int:
    """Units of a counter in a tick of the clock, in which the time within a tick is told; 1: whole ticks are."""
    clock = osek.allocation.clock
    if clock is None or clock.services.clock is not ClockKind.PERIODIC:
        return 1
    if clock.based:
        return clock.base_units
    cell = osek.cell(clock.carrier)
    return cell.period if cell.family.can & {Capability.REMAINING, Capability.WITHIN} else 1


def _tick(osek: OsekImage) -> list[Device]:
    """The cell of a periodic clock whose own counter tells the time within a tick."""
    clock = osek.allocation.clock
    if clock is None or not clock.counted or not clock.services.now or units_of_tick(osek) == 1:
        return []
    cell, can = osek.cell(clock.carrier), osek.cell(clock.carrier).family.can
    moves = {Capability.MATCH, Capability.ACKNOWLEDGE, Capability.WITHIN} <= can
    within = f"{cell.macro}_LEFT({cell.number}, UINT32_C({cell.period}))"
    asks = f"{cell.family.name}_asks({cell.number})"
    values: dict[str, Value] = {
        "LEFT": within if Capability.WITHIN in can else f"carillon_port_read({cell.says('COUNTER')})",
        "WAITS": asks if Capability.ASK in can else f"carillon_port_is_pending({clock.carrier.source}u)",
        # Of a match that the handler moves: what the counter counts, less 1.
        "MATCH": Unsigned((1 << min(cell.use.cell.array.width, 32)) - 1 if moves else 0),
    }
    return [Device("TICK", cell.family.name, f"The clock's ticks are those of {cell.use.cell.name}.", values)]


def _base(osek: OsekImage, origin: int, guard: int) -> list[Device]:
    base, cell, clock = osek.allocation.base, osek.base, osek.allocation.clock
    if clock is not None and clock.services.tickless:
        told: dict[str, Value] = {
            "PERIOD": Unsigned(0),
            "MOST": Unsigned((1 << clock.services.bits) - 1),
            "AHEAD": Unsigned(clock.ahead),
            "LEFT": "(0u - carillon_clock_now())",
        }
        return [Device("BASE", osek.cell(clock.carrier).family.name, "The time base is the clock.", told)]
    if base is None:
        return []
    family, whole = base.array.family.name, base.kind is not BaseKind.DOWN
    purpose = f"The time base is {cell.use.cell.name if cell is not None else 'a counter that never stops'}."
    values: dict[str, Value] = {
        "PERIOD": Unsigned(0 if whole else base.period),
        "MOST": Unsigned(base.counted),
        "AHEAD": Unsigned(base.ahead),
    }
    if cell is None:
        left = f"0u - {family.upper()}_FREE"
    elif base.kind is BaseKind.UP:
        left = f"0u - {cell.says('UP')}"
    else:
        counter = cell.says("COUNTER")
        left = f"carillon_port_read({counter})"
        if not whole and osek.tables:
            values["COUNTER"] = counter
            near = max(table.near for table in osek.tables)
            values["NEAR"] = f"{near}u /* a start of a schedule table takes less */"
            if osek.tables[0].sets:
                spacing, most = osek.tables[0].spacing, max(len(table.cells) for table in osek.tables)
                values["SET"] = f"{near - most * spacing - 1}u /* to the store that starts the first of its cells */"
                values["SPACING"] = f"{spacing}u /* from one such store to the next */"
            values["EARLY"] = f"{osek.lead}u /* from its start to time 0 */"
            values["GUARD"] = f"{guard}u /* from what it reads as time 0 to time 0 */"
    values["ORIGIN"] = f"((carillon_base){origin % (1 << base.bits if whole else base.period)}u)"
    values["LEFT"] = f"({left})"
    return [Device("BASE", family, purpose, values)]


def _budgets(system: System, osek: OsekImage) -> list[Device]:
    kept = (
        ("BUDGET", osek.allocation.budgets, "execution budgets"),
        ("ROUND_BUDGET", osek.allocation.round_budgets, "the execution budgets of the rounds' tasks"),
    )
    found = [_budget(system, osek, header, carrier, whose) for header, carrier, whose in kept if carrier is not None]
    own = list(osek.allocation.task_budgets.values())
    return [*found, _own_budgets(system, osek, own)] if own else found


def _budget(system: System, osek: OsekImage, header: str, carrier: Carrier, whose: str) -> Device:
    """A cell that counts down what is left of budgets."""
    cell = osek.cell(carrier)
    moves = Capability.BUDGET in cell.family.can  # a match, and no counter that is loaded
    values: dict[str, Value] = {"CELL": Unsigned(cell.number)} if moves else {"COUNTER": f"({cell.says('COUNTER')})"}
    turn = min(_AHEAD, 1 << cell.use.cell.array.width) if moves else cell.period
    values |= {"SOURCE": Unsigned(cell.carrier.source), "RANGE": f"UINT32_C({turn})"}
    values |= _looks(system, cell)
    driver = "budget" if moves else "cell"
    return Device(header, cell.family.name, f"The cell of {whose} is {cell.use.cell.name}.", values, driver)


def _own_budgets(system: System, osek: OsekImage, carriers: list[Carrier]) -> Device:
    """What stops and starts the cells of the tasks' own budgets."""
    cell = osek.cell(carriers[0])
    words = " | ".join(osek.cell(carrier).says("WORD") for carrier in carriers)
    values: dict[str, Value] = {"PAUSE": f"({cell.macro}_PAUSE)", "RESUME": f"({cell.macro}_RESUME)"}
    values |= {"ALL": f"{cell.macro}_ALL({words})"} | _looks(system, cell)
    names = ", ".join(osek.cell(carrier).use.cell.name for carrier in carriers)
    return Device("ROUND_BUDGET", cell.family.name, f"The cells of the budgets of the rounds' tasks are {names}.", values)


def _looks(system: System, cell: CellImage) -> dict[str, Value]:
    """In how many units of a cell its handler looks again for a job that is late."""
    per_tick = max(1, system.board.clock(system.clock_hz).instructions_per_tick)
    times = (("RETRY", RETRY), ("STEP", STEP), ("PATIENCE", PATIENCE))
    return {name: Unsigned(cell.use.units(-(-instructions // per_tick))) for name, instructions in times}


def _frames(osek: OsekImage) -> list[Device]:
    if osek.allocation.frames is None:
        return []
    cell = osek.cell(osek.allocation.frames)
    values: dict[str, Value] = {
        "COUNTER": f"({cell.says('COUNTER')})",
        "SOURCE": Unsigned(cell.carrier.source),
        "TURN": f"UINT32_C({cell.period})",
    }
    return [Device("FRAME", cell.family.name, f"The cell of time frames is {cell.use.cell.name}.", values)]
