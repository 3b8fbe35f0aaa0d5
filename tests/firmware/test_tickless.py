# SPDX-License-Identifier: Apache-2.0
"""A tickless counter interrupts when something is due, and not in each tick; and it has no drift."""

from __future__ import annotations

from itertools import pairwise

import pytest
from laboratory import AST, MPS, RV32, Laboratory

from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan
from carillon.trace import Kind

ATMEGA = "atmega128"
SYSTEM = {ATMEGA: 'clock = "250kHz"'}
SCHEDULE = """
{time}
[osek.counter.Main]
tick = "1ms"
max_allowed = {limit}
[osek.alarm.Beat]
counter = "Main"
activate = "Beats"
[osek.task.Beats]
priority = 2
[osek.task.Set]
priority = 1
autostart = true
"""
TIME = '[time]\ntickless = true\nclock = "{clock}"\nbits = {bits}\nuses = []\n'
CODE = """
TASK(Beats) {{ TerminateTask(); }}
TASK(Set) {{ (void)SetRelAlarm(Beat, {cycle}, {cycle}); TerminateTask(); }}
"""


@pytest.mark.parametrize(
    ("board", "clock", "bits"),
    [(AST, "one-shot", 32), (MPS, "one-shot", 32), (RV32, "compare", 32), (ATMEGA, "compare", 16), (ATMEGA, "one-shot", 32)],
)
def test_an_idle_second_takes_an_interrupt_for_each_expiry(lab: Laboratory, board: str, clock: str, bits: int) -> None:
    text = SCHEDULE.format(time=TIME.format(clock=clock, bits=bits), limit=65_535)
    hertz = {AST: 15_625_000, MPS: 25_000_000, RV32: 10_000_000, ATMEGA: 250_000}[board]
    outcome = lab.run(text, CODE.format(cycle=100), board, system=SYSTEM.get(board, ""), ticks=hertz + hertz // 100)
    starts = outcome.at(Kind.START, "Beats")
    assert len(starts) == 10
    own = [event for event in outcome.events(Kind.ENTER) if event.object not in ("Beats", "Set")]
    assert 9 <= len(own) <= 12, [event.object for event in own]
    apart = {later - earlier for earlier, later in pairwise(starts)}
    # In QEMU a unit of mtime is 25 instructions, and an interrupt comes with the first instruction after it.
    assert max(apart) - min(apart) <= (25 if board == RV32 else 0), apart


def test_a_counter_with_ticks_takes_an_interrupt_for_each_of_them(lab: Laboratory) -> None:
    text = SCHEDULE.format(time="", limit=65_535)
    outcome = lab.run(text, CODE.format(cycle=100), AST, ticks=15_625_000)
    own = [event for event in outcome.events(Kind.ENTER) if event.object not in ("Beats", "Set")]
    assert 998 <= len(own) <= 1001


EVERYWHERE = [
    *((board, "one-shot") for board in ("virtual-256", AST, MPS, "mps2-an505", "raspberry-pi-pico", "microbit", ATMEGA)),
    *((board, "compare") for board in ("virtual-ast1030-evb", RV32, ATMEGA)),
]


@pytest.mark.parametrize(("board", "clock"), EVERYWHERE)
@pytest.mark.parametrize("cycle", [4, 90])
def test_with_16_bits_each_expiry_comes_in_its_tick(lab: Laboratory, board: str, clock: str, cycle: int) -> None:
    """A cycle is shorter and longer than what 16 bits can tell."""
    text = SCHEDULE.format(time=TIME.format(clock=clock, bits=16), limit=65_535)
    text = text.replace('activate = "Beats"', f'activate = "Beats"\nautostart = {{ at = {cycle}, cycle = {cycle} }}')
    code = """
    TASK(Beats)
    {
        TickType value = 0u;
        (void)GetCounterValue(Main, &value);
        report("v", value);
        TerminateTask();
    }
    TASK(Set) { TerminateTask(); }
    """
    path = lab.write(text, code)
    hertz = plan(path, Diagnostics(), board).system.clock_hz
    outcome = lab.run(text, code, board, ticks=hertz * 400 // 1000)
    starts = [event.t for event in outcome.events(Kind.START) if event.object == "Beats"]
    period = hertz * cycle // 1000
    assert len(starts) == 399 // cycle
    assert all(abs(later - earlier - period) <= max(2, period // 1000) for earlier, later in pairwise(starts)), starts
    values = outcome.said("v")
    assert cycle - 1 <= values[0] <= cycle
    assert all(cycle - 1 <= later - earlier <= cycle + 1 for earlier, later in pairwise(values)), values


@pytest.mark.parametrize(("board", "clock", "bits"), [(AST, "one-shot", 32), (AST, "one-shot", 16), (ATMEGA, "compare", 16)])
def test_a_counter_that_nobody_waits_for_goes_on_counting(lab: Laboratory, board: str, clock: str, bits: int) -> None:
    """Longer than the clock's range: 1.07 s on AST's 24 bits, 0.26 s on AVR's 16."""
    code = """
    TASK(Beats) { TerminateTask(); }
    TASK(Set)
    {
        for (unsigned k = 0u; k < 20u; k++) {
            TickType value = 0u;
            carillon_work(CARILLON_CLOCK_HZ / 8u);
            (void)GetCounterValue(Main, &value);
            report("v", value);
        }
        carillon_port_halt();
    }
    """
    text = SCHEDULE.format(time=TIME.format(clock=clock, bits=bits), limit=999)
    hertz = {AST: 15_625_000, ATMEGA: 250_000}[board]
    values = lab.run(text, code, board, system=SYSTEM.get(board, ""), ticks=3 * hertz).said("v")
    steps = [(later - earlier) % 1000 for earlier, later in pairwise(values)]
    assert all(124 <= step <= 128 for step in steps), values


SOFTWARE = '[osek.counter.Soft]\nkind = "software"\n[osek.alarm.Late]\ncounter = "Soft"\nactivate = "Lone"\n'
UNUSED = '[osek.counter.Hard]\ntick = "1ms"\nmax_allowed = 99\n'
ON_CELL = '[osek.alarm.Late]\ncounter = "Hard"\nactivate = "Lone"\nautostart = { at = 5, cycle = 5 }\n'


@pytest.mark.parametrize("board", [AST, RV32, ATMEGA])
@pytest.mark.parametrize("uses", ["[]", '["delays"]'])
@pytest.mark.parametrize(
    "counters",
    ["", SOFTWARE, UNUSED, UNUSED + "readable = true\n", UNUSED + ON_CELL, UNUSED + ON_CELL + SOFTWARE.replace("Late", "Soon")],
)
def test_whatever_the_clock_has_to_tell_the_image_can_be_built(lab: Laboratory, board: str, uses: str, counters: str) -> None:
    clock = "one-shot" if board == AST else "compare"
    text = (
        f'[time]\ntickless = true\nclock = "{clock}"\nuses = {uses}\n[osek.task.Lone]\npriority = 1\nautostart = true\n{counters}'
    )
    outcome = lab.run(text, "TASK(Lone) { TerminateTask(); }", board, system=SYSTEM.get(board, ""), ticks=50_000)
    assert len(outcome.at(Kind.START, "Lone")) >= 1
