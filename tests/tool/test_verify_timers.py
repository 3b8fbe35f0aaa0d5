# SPDX-License-Identifier: Apache-2.0
"""``carillon verify`` finds each fault in cells, vectors and handlers of rounds, for each family of timers."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from verified_images import (
    DISABLE,
    ENABLE,
    LEVELS,
    M0,
    M1,
    RELOAD,
    UNPEND,
    Fault,
    Images,
    Patch,
    at,
    must_be_found,
    plus,
    to,
    value,
)


def late_returns(p: Patch) -> None:
    """The late path of a handler that counts turns goes to where an expiry ends that is no point."""
    laps = p.symbols["carillon_multiplex_activation_0_Often"][0] + 4 & 0xFFFF
    end = p.find("carillon_activation_0_Often", b"\x80\x93" + laps.to_bytes(2, "little")) + 4
    late = (p.symbols["avr16_late"][0] // 2).to_bytes(2, "little")
    jump = p.find("carillon_activation_0_Often", b"\x0e\x94" + late) + 4
    p.put(jump, (0xC000 | (end - jump - 2) // 2 & 0xFFF).to_bytes(2, "little"))


JOINED = "carillon_joined_0_26"
SHARED = "carillon_joined_0_66"


def nowhere(_a: int, _v: int) -> tuple[int, int]:
    """A store that does nothing: forgetting of no request."""
    return UNPEND, 0


def forced(address: int, _v: int) -> tuple[int, int]:
    """The store to CCMR1 of STM32's starter, in the place of one to its SMCR, that starts its slaves."""
    return address + 0x10, 0x50


STARTER = 0x4000_0000  # TIM2 of STM32
TABLE = M0 + "table"  # entries of 20 bytes
OFTEN = "carillon_multiplex_activation_0_Often_steps"
DUE = "carillon_multiplex_deadline_0_Often_steps"
TICK = "carillon_clock_vector"
HELD = "carillon_held_12_Often"
LONG, SHORT = "carillon_activation_0_Long", "carillon_activation_0_Short"

FAULTS = [
    # Aspeed's timers, SysTick, the NVIC; re-armed cells; two modes.
    Fault("ast", "a period one longer", "C204", lambda p: p.store(M0 + "prepare", at(RELOAD + 0x10), value(plus(1)))),
    Fault("ast", "a period half as long", "C204", lambda p: p.store(M0 + "prepare", at(RELOAD + 0x10), value(lambda v: v // 2))),
    Fault("ast", "a shift one longer", "C204", lambda p: p.store(M0 + "align", at(RELOAD + 0xC), value(plus(1))), "70001"),
    Fault(
        "ast", "a shift one shorter, of another mode", "C204", lambda p: p.store(M1 + "align", at(RELOAD - 4), value(plus(-1)))
    ),
    Fault(
        "ast", "a shift of another counter", "C204", lambda p: p.store(M0 + "align", at(RELOAD + 0xC), lambda a, v: (a + 16, v))
    ),
    Fault("ast", "SysTick's first interval", "C204", lambda p: p.store(M0 + "prepare", at(0xE000_E014), value(plus(13)))),
    Fault(
        "ast",
        "SysTick's first interval between ticks",
        "C204",
        lambda p: p.store(M0 + "prepare", at(0xE000_E014), value(plus(1))),
    ),
    Fault("ast", "SysTick's period", "C204", lambda p: p.store(M0 + "finish", at(0xE000_E014), value(plus(13)))),
    Fault("ast", "the start stores in the wrong order", "C204", lambda p: p.swap(M0 + "start", 0, 1, 8)),
    Fault(
        "ast", "a cell that is not started", "C209", lambda p: p.store(M0 + "start", at(0x7E78_2030), value(lambda v: v & ~0xF0))
    ),
    Fault(
        "ast",
        "a cell that is started without interrupt",
        "C204",
        lambda p: p.store(M0 + "start", at(0x7E78_2030), value(lambda v: v & ~0x40)),
    ),
    Fault("ast", "a time base that is one ahead", "C204", lambda p: p.number("carillon_time_bases", 1, plus(1))),
    Fault("ast", "a time base of another cell", "C204", lambda p: p.number("carillon_time_bases", 0, plus(0x20))),
    Fault("ast", "a step one longer", "C204", lambda p: p.number(OFTEN, 1, plus(1)), "11001"),
    Fault("ast", "a step to the wrong step", "C204", lambda p: p.number(OFTEN, 2, plus(8))),
    Fault("ast", "the last step one shorter", "C204", lambda p: p.number(OFTEN, 7, plus(-1))),
    Fault("ast", "a deadline's step one longer", "C204", lambda p: p.number(DUE, 3, plus(1)), "34001"),
    Fault("ast", "re-arming begins with the second step", "C204", lambda p: p.number(M0 + "multiplexes", 1, plus(8))),
    Fault("ast", "vectors of two tasks exchanged", "C204", lambda p: p.swap(M0 + "vectors", 32, 33, 4)),
    Fault("ast", "vectors of a task and a deadline exchanged", "C204", lambda p: p.swap(M0 + "vectors", 33, 35, 4)),
    Fault("ast", "vectors of two deadlines exchanged", "C204", lambda p: p.swap(M0 + "vectors", 36, 37, 4)),
    Fault(
        "ast",
        "a deadline's vector leads nowhere",
        "C205",
        lambda p: p.number(M0 + "vectors", 37, to(p.symbols["carillon_port_unexpected"][0] | 1)),
    ),
    Fault(
        "ast",
        "the switch's vector is a deadline's",
        "C208",
        lambda p: p.number(M0 + "vectors", 39, to(p.symbols["carillon_deadline_0_Long"][0] | 1)),
    ),
    Fault("ast", "a vector without a source", "C205", lambda p: p.number(M0 + "vectors", 60, to(p.symbols["Short"][0] | 1))),
    Fault(
        "ast", "the interrupt's vector is a task", "C205", lambda p: p.number(M0 + "vectors", 16, to(p.symbols["Long"][0] | 1))
    ),
    Fault("ast", "a task on the level of what it preempts", "C207", lambda p: p.number(M0 + "levels", 7, to(1), 2)),
    Fault("ast", "a deadline below the tasks", "C207", lambda p: p.number(M0 + "levels", 13, to(1), 2)),
    Fault("ast", "the interrupt below the tasks", "C207", lambda p: p.number(M0 + "levels", 3, to(1), 2)),
    Fault("ast", "a source without a level", "C207", lambda p: p.number(M0 + "levels", 4, to(60), 2)),
    Fault("ast", "a level that there is not", "C207", lambda p: p.number(M0 + "levels", 19, to(17), 2)),
    Fault(
        "ast",
        "a deadline that is armed from the start",
        "C206",
        lambda p: p.store(M0 + "prepare", at(ENABLE), value(lambda v: v | 1 << 35 - 16)),
    ),
    Fault(
        "ast",
        "an activation that is not enabled",
        "C204",
        lambda p: p.store(M0 + "prepare", at(ENABLE), value(lambda v: v & ~(1 << 33 - 16))),
    ),
    Fault(
        "ast",
        "an enable of a source that nobody uses",
        "C208",
        lambda p: p.store(M0 + "prepare", at(ENABLE), value(lambda v: v | 1 << 28)),
    ),
    Fault(
        "ast",
        "requests that are not forgotten at the start",
        "C208",
        lambda p: p.store(M0 + "prepare", at(UNPEND), value(lambda v: v & ~(1 << 34 - 16))),
    ),
    Fault("ast", "a store to nowhere", "C209", lambda p: p.store(M0 + "prepare", at(UNPEND), lambda _, v: (0x2000_0000, v))),
    Fault(
        "ast",
        "a cell that is not stopped",
        "C208",
        lambda p: p.store(M0 + "stop", lambda a, v: a == 0x7E78_203C and v == 0x50, nowhere),
    ),
    Fault(
        "ast",
        "a source that is not disabled at the end",
        "C208",
        lambda p: p.store(M0 + "stop", at(DISABLE), value(lambda v: v & ~(1 << 38 - 16))),
    ),
    Fault(
        "ast",
        "a request that is not forgotten at the end",
        "C208",
        lambda p: p.store(M1 + "stop", at(UNPEND), value(lambda v: v & ~(1 << 33 - 16))),
    ),
    Fault(
        "ast",
        "a switch at another tick",
        "C208",
        lambda p: p.store(M0 + "align", lambda a, _v: a == RELOAD + 0x7C, value(plus(-100_000))),
    ),
    Fault("ast", "the next mode begins a tick too early", "C208", lambda p: p.number(M0 + "control", 1, plus(1))),
    Fault("ast", "the switch waits for another counter", "C208", lambda p: p.number(M1 + "control", 0, plus(-16))),
    Fault("ast", "a switch whose old request is not forgotten", "C208", lambda p: p.number(M0 + "control", 3, to(1))),
    Fault("ast", "a switch that enables another source", "C208", lambda p: p.number(M0 + "control", 5, to(1 << 38 - 16))),
    Fault("ast", "a task that is not asked before a switch", "C208", lambda p: p.number(M0 + "tasks", 1, to(40), 2)),
    Fault(
        "ast",
        "a deadline that is not forgotten before it is armed",
        "C206",
        lambda p: p.drop(SHORT, r"^str\S* .*#0x280"),
        "without forgetting",
    ),
    Fault("ast", "a deadline that is not armed", "C206", lambda p: p.drop(SHORT, r"^str\S* .*#0x100"), "without arming"),
    Fault("ast", "a deadline that is not disarmed", "C206", lambda p: p.drop(SHORT, r"^str\S* .*#0x180"), "armed"),
    Fault("ast", "a disarming that has not arrived", "C206", lambda p: p.drop(SHORT, r"^dsb")),
    Fault("ast", "a handler that runs another task", "C204", lambda p: p.call(LONG, "Long", "Short")),
    Fault("ast", "a handler that runs nothing", "C205", lambda p: p.drop(LONG, r"^bl ")),
    Fault("ast", "a deadline of another task", "C204", lambda p: p.drop("carillon_deadline_0_Long", r"^movs r0")),
    Fault("ast", "a re-enable point that enables nothing", "C205", lambda p: p.drop("carillon_enable_0_I0", r"^str")),
    Fault("ast", "an interrupt that stays enabled", "C205", lambda p: p.drop("carillon_interrupt_I0", r"^str")),
    # The CMSDK's timers: masks in the cells, a cell that is reloaded, its timekeeper.
    Fault(
        "mps2",
        "a first interval one longer",
        "C204",
        lambda p: p.store(M0 + "prepare", at(0x4000_0004), value(plus(1))),
        "750001",
    ),
    Fault("mps2", "a period one longer", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_0008), value(plus(1)))),
    Fault("mps2", "the background load one longer", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_2018), value(plus(1)))),
    Fault(
        "mps2", "a deadline that is armed from the start", "C206", lambda p: p.store(M0 + "start", at(0x4000_0000), value(to(9)))
    ),
    Fault(
        "mps2",
        "the timekeeper is not started",
        "C204",
        lambda p: p.store(M0 + "start", at(0x4000_2028), lambda _a, _v: (0x4000_202C, 1)),
    ),
    Fault("mps2", "what the timekeeper reads", "C204", lambda p: p.number(M0 + "multiplexes", 2, plus(1))),
    Fault(
        "mps2",
        "a deadline's cell that is not armed",
        "C206",
        lambda p: p.drop("carillon_activation_0_Short", r"^str\S* .*(r4|r5)", 0),
    ),
    Fault("mps2", "a cell that is not acknowledged", "C205", lambda p: p.drop("carillon_deadline_0_Short", r"^str")),
    Fault("mps2", "an acknowledgement that has not arrived", "C205", lambda p: p.drop("carillon_activation_0_Often", r"^dsb", 0)),
    Fault("mps2", "start stores in another order", "C204", lambda p: p.swap(M0 + "start", 0, 1, 8)),
    # Two deadlines whose cells share a source: the handler asks both, in 0x40002014 and 0x40002034.
    Fault("joined", "a cell that is not asked", "C205", lambda p: p.drop(JOINED, r"^ldr r2, \[r3, #0x14\]"), "DUAL1"),
    Fault("joined", "another cell that is asked", "C205", lambda p: p.put(p.find(JOINED, b"\x5a\x69"), b"\x5a\x6b"), "DUAL1"),
    Fault("joined", "a shared cell that is not acknowledged", "C205", lambda p: p.drop(JOINED, r"^str r2, \[r3, #0xc\]"), "DUAL"),
    Fault("joined", "another cell is acknowledged", "C205", lambda p: p.put(p.find(JOINED, b"\xda\x60"), b"\xda\x62"), "DUAL2"),
    Fault("joined", "the deadline of another task", "C204", lambda p: p.put(p.find(JOINED, b"\x00\x20"), b"\x01\x20"), "Often"),
    Fault("joined", "a shared acknowledgement that has not arrived", "C205", lambda p: p.drop(JOINED, r"^dsb", 1), "before"),
    # Two tasks whose cells share a source: Spare's cell, the second, is asked first; Long runs lowered.
    Fault("gathered", "a cell that is not asked", "C205", lambda p: p.drop(JOINED, r"^ldr r2, \[r3, #0x34\]"), "DUAL2"),
    Fault("gathered", "a cell that is asked twice", "C205", lambda p: p.put(p.find(JOINED, b"\x5a\x69"), b"\x5a\x6b"), "DUAL1"),
    Fault("gathered", "a cell that is not acknowledged", "C205", lambda p: p.drop(JOINED, r"^str r2, \[r3, #0x2c\]"), "DUAL2"),
    Fault(
        "gathered", "the other cell is acknowledged", "C205", lambda p: p.put(p.find(JOINED, b"\xda\x62"), b"\xda\x60"), "DUAL2"
    ),
    Fault("gathered", "a cell that runs another task", "C204", lambda p: p.call(JOINED, "Spare", "Other"), "Spare"),
    Fault("gathered", "an acknowledgement that has not arrived", "C205", lambda p: p.drop(JOINED, r"^dsb", 1), "taken back"),
    Fault("gathered", "a level that lets a task wait", "C207", lambda p: p.number(M0 + "levels", 5, to(1), 2), "preempt"),
    Fault("gathered", "a cell that is started later", "C204", lambda p: p.swap(M0 + "start", 1, 2, 8)),
    # The 16-bit timers of AVR.
    Fault("avr", "a match one later", "C204", lambda p: p.store(M0 + "prepare", at(0x804A), value(plus(1))), "2001"),
    Fault("avr", "a round one longer", "C204", lambda p: p.store(M0 + "prepare", at(0x8046), value(plus(1)))),
    Fault("avr", "another prescaler", "C204", lambda p: p.store(M0 + "start", at(0x4E), value(plus(1)))),
    Fault("avr", "another waveform mode", "C204", lambda p: p.store(M0 + "prepare", at(0x4F), value(to(2)))),
    Fault("avr", "vectors of two tasks exchanged", "C204", lambda p: p.swap(M0 + "vectors", 12, 13, 4)),
    Fault(
        "avr",
        "a deadline's vector leads nowhere",
        "C205",
        lambda p: p.put(24 * 4 + 2, struct.pack("<H", p.symbols["carillon_port_unexpected"][0] // 2)),
    ),
    Fault("avr", "a vector that is no jump", "C209", lambda p: p.put(12 * 4, b"\0\0")),
    Fault(
        "avr",
        "a deadline that is armed from the start",
        "C206",
        lambda p: p.store(M0 + "prepare", lambda a, _v: a == 0x4057, lambda _a, _v: (0x407D, 1)),
    ),
    Fault("avr", "a handler that runs another task", "C204", lambda p: p.call("carillon_held_13_Short", "Short", "Often")),
    Fault(
        "avr",
        "a handler that does not hold its source",
        "C205",
        lambda p: p.put(p.find("carillon_held_13_Short", b"\x80\x93\x57\x00"), bytes(4)),
    ),
    Fault(
        "avr",
        "a deadline that is not armed",
        "C206",
        lambda p: p.put(p.find(HELD, b"\x80\x93\x7d\x00"), bytes(4)),
    ),
    Fault(
        "avr",
        "a deadline that is not forgotten before it is armed",
        "C206",
        lambda p: p.put(p.find(HELD, b"\x80\x93\x7c\x00"), bytes(4)),
    ),
    Fault(
        "avr",
        "a deadline that is armed again in place of disarmed",
        "C206",
        lambda p: p.put(p.find(HELD, b"\x8e\x7f\x80\x93\x7d\x00"), b"\x81\x60"),
    ),
    # Several points on one channel, OC1A with the first match at 2500; its deadlines on another.
    Fault("channels", "a step one longer", "C204", lambda p: p.number(OFTEN, 1, plus(1)), "Often"),
    Fault("channels", "a first match one later", "C204", lambda p: p.store(M0 + "prepare", at(0x804A), value(plus(1)))),
    Fault(
        "channels",
        "a deadline's step one longer",
        "C204",
        lambda p: p.number("carillon_multiplex_deadline_0_Often_steps", 1, plus(1)),
    ),
    Fault("channels", "a match that is in force a turn later", "C204", lambda p: p.store(M0 + "prepare", at(0x4F), value(to(2)))),
    Fault(
        "channels",
        "a handler that does not run its task",
        "C205",
        lambda p: p.call("carillon_activation_0_Often", "carillon_port_run_lowered", "Long"),
    ),
    # Periods of some turns of a timer that runs freely: steps have turns, and the start has those before the first point.
    Fault("laps", "what is beyond whole turns one longer", "C204", lambda p: p.number(OFTEN, 1, plus(1)), "Often"),
    Fault("laps", "a turn more between points", "C204", lambda p: p.number(OFTEN, 2, plus(1)), "Often"),
    Fault("laps", "no turns between points", "C204", lambda p: p.number(OFTEN, 2, to(0)), "Often"),
    Fault("laps", "no turn before the first point", "C204", lambda p: p.number(M0 + "multiplexes", 5, plus(-1)), "Long"),
    Fault("laps", "a first match one later", "C204", lambda p: p.store(M0 + "prepare", at(0x804A), value(plus(1)))),
    Fault("laps", "a turn one shorter", "C204", lambda p: p.store(M0 + "prepare", at(0x8046), value(plus(-1)))),
    Fault(
        "laps",
        "a handler that is re-armed and does not run its task",
        "C205",
        lambda p: p.call("carillon_activation_0_Often", "carillon_port_run_lowered", "avr16_late"),
    ),
    Fault("laps", "a late handler that is re-armed and returns, as if turns were left", "C205", lambda p: late_returns(p)),
    # RISC-V's machine timer.
    Fault(
        "rv32", "a first interval one longer", "C204", lambda p: p.store(M0 + "prepare", at(0x0200_4000), value(plus(1))), "10001"
    ),
    Fault("rv32", "a first interval 2^32 longer", "C204", lambda p: p.store(M0 + "prepare", at(0x0200_4004), value(plus(1)))),
    Fault("rv32", "mtime that is not set", "C204", lambda p: p.store(M0 + "start", at(0x0200_BFF8), value(to(1)))),
    Fault("rv32", "a step one longer", "C204", lambda p: p.number(OFTEN, 1, plus(1))),
    Fault(
        "rv32",
        "a vector that leads nowhere",
        "C205",
        lambda p: p.number(M0 + "vectors", 7, to(p.symbols["carillon_port_unexpected"][0])),
    ),
    # Matches that are set after their tasks.
    Fault(
        "matches", "a match that is not set again", "C205", lambda p: p.drop(SHARED, r"^str\.w r3, \[r4, #0xc38\]"), "next expiry"
    ),
    Fault(
        "matches", "a match that is not answered", "C205", lambda p: p.drop(SHARED, r"^str\.w r3, \[r4, #0xc10\]"), "acknowledge"
    ),
    # Threads that the NVIC of ARMv6-M dispatches, and a clock's handler that has the tick in it.
    Fault(
        "few levels",
        "a tick that counts nothing",
        "C205",
        lambda p: [p.drop(TICK, r"^str r2, \[r3, #(8|0xc)\]", k) for k in (1, 0)],
        "'carillon_clock_vector', serves nothing",
    ),
    Fault("few levels", "a tick that is not answered", "C205", lambda p: p.drop(TICK, r"^str r2, \[r3\]"), "acknowledge"),
    Fault("few levels", "vectors of two levels exchanged", "C205", lambda p: p.swap("carillon_osek_vectors", 42, 43, 4)),
    Fault("few levels", "a level that no mask holds back", "C207", lambda p: p.number(LEVELS, 1, to(4), 2), "no mask"),
    Fault("pico", "an alarm that is not set again", "C205", lambda p: p.drop(SHORT, r"^str r3, \[r0\]"), "next expiry"),
    Fault("pico", "an alarm that is not answered", "C205", lambda p: p.drop(SHORT, r"^str r3, \[r2\]", 1), "acknowledge"),
    # STM32: the timer that starts the others, by a store or by another timer's trigger.
    Fault("stm32", "a start that is none", "C209", lambda p: p.store(M0 + "start", at(STARTER + 0x18), value(to(0x40)))),
    Fault("triggered", "a phase one longer", "C204", lambda p: p.store(M0 + "prepare", at(STARTER + 0x34), value(plus(1)))),
    Fault(
        "triggered", "a phase a period longer", "C204", lambda p: p.store(M0 + "prepare", at(STARTER + 0x34), value(plus(3125)))
    ),
    Fault("triggered", "no phase", "C209", lambda p: p.store(M0 + "prepare", at(STARTER + 0x34), value(to(0)))),
    Fault("triggered", "a prescaled phase", "C209", lambda p: p.store(M0 + "prepare", at(STARTER + 0x28), value(to(1)))),
    Fault("triggered", "a short counter", "C209", lambda p: p.store(M0 + "prepare", at(STARTER + 0x2C), value(to(1000)))),
    Fault("triggered", "a counter that is not at 0", "C209", lambda p: p.store(M0 + "prepare", at(STARTER + 0x14), nowhere)),
    Fault("triggered", "a counter that runs", "C209", lambda p: p.store(M0 + "prepare", at(STARTER), value(to(1)))),
    Fault("triggered", "forced, not matched", "C209", lambda p: p.store(M0 + "prepare", at(STARTER + 0x18), value(to(0x50)))),
    Fault("triggered", "another timer", "C204", lambda p: p.store(M0 + "start", at(STARTER + 8), value(to(0x16))), "TIM8"),
    Fault("triggered", "no trigger mode", "C209", lambda p: p.store(M0 + "start", at(STARTER + 8), value(to(4)))),
    Fault("triggered", "a store starts them", "C204", lambda p: p.store(M0 + "start", at(STARTER + 8), forced), "a store"),
    # nRF51: a start sets up each channel, and starts its timer.
    Fault("nrf", "a first match one later", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_8540), value(plus(1))), "1"),
    Fault(
        "nrf", "a match of another channel", "C209", lambda p: p.store(M0 + "prepare", at(0x4000_8540), lambda a, v: (a + 4, v))
    ),
    Fault("nrf", "a match beyond 16 bits", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_9540), value(plus(1 << 16)))),
    Fault("nrf", "another prescaler", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_8510), value(plus(1)))),
    Fault("nrf", "another width", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_8508), value(to(3)))),
    Fault("nrf", "a counter that counts events", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_8504), value(to(1)))),
    Fault("nrf", "an event that is made", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_8140), value(to(1)))),
    Fault(
        "nrf", "a channel without interrupt", "C204", lambda p: p.store(M0 + "prepare", at(0x4000_8304), lambda a, v: (a + 4, v))
    ),
    Fault("nrf", "a deadline that is armed", "C206", lambda p: p.store(M0 + "prepare", at(0x4000_A308), lambda a, v: (a - 4, v))),
    Fault(
        "nrf", "a timer that is not started", "C204", lambda p: p.store(M0 + "start", at(0x4000_9000), lambda a, v: (a + 4, v))
    ),
    Fault(
        "nrf",
        "a counter that is not cleared",
        "C204",
        lambda p: p.store(M0 + "prepare", at(0x4000_800C), lambda a, v: (a - 8, v)),
    ),
    # RP2040: alarms are set when the start has read the counter, slices of the PWM begin with their first interval.
    Fault("pico", "an alarm one later", "C204", lambda p: p.number(M0 + "align", 1, plus(1)), "1"),
    Fault("pico", "an alarm of another cell", "C209", lambda p: p.number(M0 + "align", 0, plus(12))),
    Fault(
        "pico",
        "an alarm without interrupt",
        "C204",
        lambda p: p.store(M0 + "prepare", lambda a, v: (a, v) == (0x4005_6038, 1), lambda a, v: (a + 0x1000, v)),
    ),
    Fault("pico", "a first interval one longer", "C204", lambda p: p.store(M0 + "prepare", at(0x4005_0010), value(plus(1)))),
    Fault("pico", "a period one longer", "C204", lambda p: p.store(M0 + "finish", at(0x4005_0010), value(plus(1)))),
    Fault("pico", "another divider", "C204", lambda p: p.store(M0 + "prepare", at(0x4005_0004), value(plus(16)))),
    Fault("pico", "a divider with a fraction", "C204", lambda p: p.store(M0 + "prepare", at(0x4005_0004), value(plus(8)))),
    Fault("pico", "a slice that begins elsewhere", "C204", lambda p: p.store(M0 + "prepare", at(0x4005_0008), value(to(1)))),
    Fault("pico", "a slice that is not started", "C204", lambda p: p.store(M0 + "start", at(0x4005_20A0), value(to(2)))),
    Fault(
        "pico",
        "a deadline that is armed",
        "C206",
        lambda p: p.store(M0 + "prepare", at(0x4005_30A8), lambda a, v: (a - 0x1000, v)),
    ),
    *(
        Fault(
            image,
            "a vector that leads nowhere",
            "C205",
            lambda p, source=source: p.number(M0 + "vectors", source, to(p.symbols["carillon_port_unexpected"][0] | 1)),
        )
        for image, source in (("nrf", 24), ("pico", 16))
    ),
    # A table: the entries are Often's activation and deadline, Short's activation, and Often's once more.
    Fault("table", "a step one longer", "C204", lambda p: p.number(TABLE, 1, plus(1)), "10001"),
    Fault("table", "a step to the tick after the next", "C204", lambda p: p.number(TABLE, 5, plus(20))),
    Fault("table", "an entry that runs another task", "C205", lambda p: p.number(TABLE, 2, to(p.symbols["Short"][0]))),
    Fault("table", "an activation of another task", "C205", lambda p: p.number(TABLE, 8, to(1), 2)),
    Fault("table", "a deadline of another task", "C204", lambda p: p.number(TABLE, 18, to(1), 2)),
    Fault("table", "a deadline that is an activation", "C205", lambda p: p.number(TABLE, 38, to(0), 1)),
    Fault("table", "an entry with the next one's tick", "C204", lambda p: p.number(TABLE, 19, to(1), 1)),
    Fault("table", "a task that does not exist", "C205", lambda p: p.number(TABLE, 8, to(9), 2)),
    Fault("table", "an action that does not exist", "C205", lambda p: p.number(TABLE, 18, to(7), 1)),
    # The virtual controller.
    Fault("virtual", "a period one longer", "C204", lambda p: p.store(M0 + "prepare", at(0x30_0004), value(plus(1)))),
    Fault("virtual", "a prescaler", "C204", lambda p: p.store(M0 + "prepare", at(0x30_000C), value(to(2)))),
    Fault("virtual", "a shift one longer", "C204", lambda p: p.store(M0 + "align", at(0x30_0010), value(plus(1))), "12001"),
    Fault("virtual", "vectors of two tasks exchanged", "C204", lambda p: p.swap(M0 + "vectors", 0, 1, 8)),
    Fault("virtual", "a deadline that is not armed", "C206", lambda p: p.drop("carillon_activation_0_Often", r"^call", 1)),
    Fault("virtual", "a level that lets a task wait", "C207", lambda p: p.number(M0 + "levels", 5, to(1), 2)),
    Fault(
        "virtual", "a cell that is not stopped", "C208", lambda p: p.store(M0 + "stop", at(0x30_0018), lambda a, _v: (a + 4, 1))
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_of_a_timer_is_found(fault: Fault, images: Images, tmp_path: Path) -> None:
    must_be_found(fault, images, tmp_path)
