# SPDX-License-Identifier: Apache-2.0
"""Stop-watches on a periodic clock, below its tick, and the time since the start in 64 bits: on each kind of cell."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from laboratory import AST, MPS, RV32, VIRTUAL_AST, Laboratory, source

from carillon.elf import read_elf
from runnable import NODE, RIGLESS
from sample import few

MEGA, UNO, BIT, PILL, PICO = "atmega128", "arduino-uno", "microbit", "blackpill-f411", "raspberry-pi-pico"
BASED = ""
"""A periodic clock has a time base where nobody says how long a lock is, if the board has a counter of 32 bits."""
COUNTED = 'longest_lock = "10us"'


def threads(tick: int, keys: str) -> str:
    return f'[time]\nclock = "periodic"\ntick = "{tick} ticks"\n{keys}\n[thread.Main]\npriority = 1\n'


@dataclass(frozen=True)
class Place:
    """A board, whose clock ticks on a cell of some family every so many ticks of the system's clock."""

    board: str
    family: str  # of the cell that tells the time within a tick
    tick: int
    keys: str = COUNTED
    system: str = ""

    def __str__(self) -> str:
        words = [self.board, self.family, "counted" if self.keys else "based", self.system]
        return "-".join(word for word in words if word)


def reserve(*cells: str) -> str:
    return f"reserve = {list(cells)}".replace("'", '"')


TMR = "aspeed"
PWMS, ALARMS = [f"PWM{k}" for k in range(8)], [f"ALARM{k}" for k in range(4)]
PLACES = [
    Place(AST, TMR, 15_625, BASED),
    Place(AST, "systick", 15_625),
    Place(AST, TMR, 15_625, system=reserve("SysTick")),
    Place(AST, TMR, 4000, system='clock = "3.90625MHz"\n' + reserve("SysTick")),
    Place(MPS, "dualtimer", 25_000, BASED),
    Place(MPS, "systick", 25_000),
    Place(MPS, "cmsdk", 25_000, system=reserve("SysTick")),
    Place(MPS, "dualtimer", 25_000, system=reserve("SysTick", "TIMER0", "TIMER1")),
    Place(VIRTUAL_AST, "virtual", 15_625, BASED),
    Place(VIRTUAL_AST, "virtual", 15_625),
    Place(RV32, "mtime", 10_000, BASED),
    Place(RV32, "mtime", 10_000),
    Place(MEGA, "avr16", 32_000),
    Place(MEGA, "avr16", 16_000, 'longest_lock = "1ms"'),
    Place(MEGA, "avr16", 2000, system='clock = "250kHz"'),
    Place(MEGA, "avr16", 200, 'longest_lock = "1us"', system='clock = "15.625kHz"'),
    Place(UNO, "avr8", 250, system='clock = "250kHz"\n' + reserve("OC1A", "OC1B")),
    Place(BIT, "nrftimer", 2000),
    Place(BIT, "nrftimer", 500, system='clock = "125kHz"'),
    pytest.param(Place(PILL, "stm32match", 62_500, system=reserve("TIM1", "TIM3", "TIM4")), marks=RIGLESS),
    pytest.param(Place(PILL, "stm32tim", 62_500, system=reserve("TIM5_1", "TIM5_2", "TIM5_3", "TIM5_4")), marks=RIGLESS),
    pytest.param(Place(PICO, "rp2040alarm", 1000, system=reserve("SysTick", *PWMS)), marks=NODE),
    pytest.param(Place(PICO, "rp2040pwm", 1000, system=reserve("SysTick", *ALARMS)), marks=NODE),
]


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_the_time_within_a_tick_never_goes_back_at_its_end(lab: Laboratory, place: Place) -> None:
    slow = place.board in (MEGA, UNO)
    code = source(__file__, "ends_of_ticks.c", TIMES="16u" if slow else "24u", VIRTUAL=int(place.family == "virtual"))
    schedule = threads(place.tick, place.keys + '\nuses = ["delays"]')
    outcome = lab.run(schedule, code, place.board, system=place.system, ticks=200 * place.tick)
    assert outcome.trace.stopped == "the system was shut down", outcome.trace.output
    header = "carillon_tick.h" if outcome.planned.image.osek.allocation.clock.counted else "carillon_base.h"
    generated = next(outcome.firmware.folder.rglob(header)).read_text(encoding="utf-8")
    assert f'#include "cells/{place.family}/cell.h"' in generated
    assert outcome.said("back") + outcome.said("far") + outcome.said("off") == [0, 0, 0]
    assert outcome.said("units")[0] >= place.tick
    assert outcome.said("crossed") == [16 if slow else 24]


CASE = """
#include "carillon/time.h"
static struct carillon_chronometer watch;
THREAD(Main)
{
    (void)carillon_chronometer_start(&watch);
    carillon_work(@TICK@u / 2u);
    (void)carillon_chronometer_stop(&watch);
    report("half", (uint32_t)carillon_units_in_microseconds(carillon_chronometer_units(&watch)));
    carillon_chronometer_reset(&watch);
    (void)carillon_chronometer_start(&watch);
    carillon_work(@TICK@u * 3u / 2u);
    report("lap", (uint32_t)carillon_units_in_microseconds(carillon_chronometer_lap_units(&watch)));
    carillon_work(@TICK@u / 5u);
    report("ticks", (uint32_t)carillon_chronometer_read(&watch));
    carillon_port_halt();
}
"""


@pytest.mark.parametrize(("board", "keys"), [(VIRTUAL_AST, BASED), (VIRTUAL_AST, COUNTED), (AST, BASED), (AST, COUNTED)])
def test_half_a_tick_is_half_a_millisecond(lab: Laboratory, board: str, keys: str) -> None:
    outcome = lab.run(threads(15_625, keys), CASE.replace("@TICK@", "15625"), board, ticks=100 * 15_625)
    most = 0 if board == VIRTUAL_AST else 10  # there code takes time
    assert 500 <= outcome.said("half")[0] <= 500 + most
    assert 1500 <= outcome.said("lap")[0] <= 1500 + most
    assert outcome.said("ticks") == [2], "the nearest"


# --- against a model: the virtual board, where nothing but work takes time ---

TICK = 1000
PROGRAM = """
#include "carillon/time.h"
static struct carillon_chronometer watch;
static void say(uint64_t units) { report("high", (uint32_t)(units >> 32)); report("low", (uint32_t)units); }
THREAD(Main)
{
@CODE@
    carillon_port_halt();
}
"""


def program(rng: random.Random, room: int) -> tuple[list[str], list[int]]:
    """A program of ``carillon_work`` and services, and what it says: the exact numbers of ticks of the system.

    ``room``: for how long interrupts may be locked, before the end of how many ticks.
    """
    now, began, before, lap, locked = 0, None, 0, 0, 0
    code: list[str] = []
    said: list[int] = []
    for _ in range(60):
        read = before + (now - began if began is not None else 0)
        match rng.randrange(9):
            case 0 | 1 | 2:
                ticks = rng.choice([1, 2, TICK - 1, TICK, TICK + 1, rng.randrange(1, 5 * TICK)])
                now += ticks
                code.append(f"carillon_work({ticks}u);")
            case 3:
                # A lock that ends before the handler has been kept from `room` ends of ticks.
                ticks = rng.randrange(1, room * TICK - now % TICK)
                began_, now = now, now + ticks
                code += ["SuspendAllInterrupts();", f"carillon_work({ticks}u);", "say(carillon_chronometer_units(&watch));"]
                code.append("ResumeAllInterrupts();")
                said.append(read + (now - began_ if began is not None else 0))
                locked += 1
            case 4 if began is None:
                began = now
                code.append("(void)carillon_chronometer_start(&watch);")
            case 5 if began is not None:
                before, began = read, None
                code.append("(void)carillon_chronometer_stop(&watch);")
            case 6:
                said.append(read - lap)
                lap = read
                code.append("say(carillon_chronometer_lap_units(&watch));")
            case 7 if rng.randrange(4) == 0:
                before = lap = 0
                began = now if began is not None else None
                code.append("carillon_chronometer_reset(&watch);")
            case _:
                said.append(read)
                code.append("say(carillon_chronometer_units(&watch));")
    return code, said


@pytest.mark.parametrize("seed", range(few(3)))
@pytest.mark.parametrize(("keys", "room"), [(BASED, 40), (COUNTED, 2)])
def test_random_programs_read_the_exact_time(lab: Laboratory, keys: str, room: int, seed: int) -> None:
    code, said = program(random.Random(seed), room)
    schedule = threads(TICK, f'bits = {random.Random(seed).choice([16, 32])}\nuses = ["delays"]\n{keys}')
    outcome = lab.run(
        schedule, PROGRAM.replace("@CODE@", "\n".join(code)), VIRTUAL_AST, system=reserve("SysTick"), ticks=2000 * TICK
    )
    highs, lows = outcome.said("high"), outcome.said("low")
    assert [(high << 32) + low for high, low in zip(highs, lows, strict=True)] == said


# --- 64 bits ---


@pytest.mark.parametrize(
    ("board", "clock", "tick"),
    [
        (VIRTUAL_AST, "one-shot", 1),
        (VIRTUAL_AST, "compare", 1),
        (VIRTUAL_AST, "periodic", 10),
        (AST, "one-shot", 1),
        (MPS, "one-shot", 1),
        (RV32, "compare", 1),
        (MEGA, "one-shot", 1),
        (VIRTUAL_AST, "periodic", 20),
        (BIT, "compare", 1),
    ],
)
def test_the_time_in_64_bits_goes_on_where_that_of_16_begins_anew(lab: Laboratory, board: str, clock: str, tick: int) -> None:
    system = {MEGA: 'clock = "250kHz"'}.get(board, "")
    lock = "" if tick == 10 else '\nlongest_lock = "1us"'  # a time base tells the ticks, or the clock's own handler
    keys = f'tick = "{tick} ticks"{lock}\n' if clock == "periodic" else ""
    schedule = f'[time]\nclock = "{clock}"\nbits = 16\nuptime = true\nuses = ["delays", "functions"]\n{keys}'
    schedule += "[thread.Main]\npriority = 1\n"
    code = source(__file__, "uptime.c", WORK=f"{200_000 * tick}u")
    outcome = lab.run(schedule, code, board, system=system, ticks=900_000 * tick)
    assert outcome.trace.stopped == "the system was shut down", outcome.trace.output
    assert outcome.said("back") == [0]
    assert outcome.said("wrong") == [0, 0]
    assert outcome.said("called")[0] >= 12 * 30_000 // 7001
    # A little more on boards where code takes time; and a service's own tick.
    late = 0 if board == VIRTUAL_AST else 12 * 400
    assert 12 * 30_000 - 1 <= outcome.said("passed")[0] <= 12 * 30_000 + late
    assert 200_000 - 1 <= outcome.said("more")[0] <= 200_000 * (1 if board == VIRTUAL_AST else 2)


def test_what_nobody_asks_for_is_not_in_the_image(lab: Laboratory) -> None:
    schedule = threads(15_625, 'uses = ["delays"]')
    code = '#include "carillon/time.h"\nTHREAD(Main) { (void)carillon_delay(3u); carillon_port_halt(); }\n'
    with_ = lab.firmware(lab.write(schedule.replace("[time]", "[time]\nuptime = true"), code), AST)[1]
    without = lab.firmware(lab.write(schedule, code), AST)[1]
    symbols = [" ".join(symbol.name for symbol in read_elf(f.elf).symbols) for f in (with_, without)]
    assert all("carillon_clock_moment" not in image and "carillon_chronometer" not in image for image in symbols)
    assert "carillon_uptime" not in symbols[1]
