# SPDX-License-Identifier: Apache-2.0
"""``carillon verify`` finds each fault in images for the timer array and the controller with levels and vectors."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from verified_images import LEVELS, M0, M1, PREPARE, TABLES, Fault, Images, Patch, at, must_be_found, plus, to, value

ARRAY, CLIC = 0xFFFF_F800, 0x4001_0000
START, STOP, NOW, RESTART = ARRAY, ARRAY + 4, ARRAY + 0x10, ARRAY + 0x14
UNPEND, ENABLE, DISABLE = CLIC + 0x10, CLIC + 0x20, CLIC + 0x30  # of sources 0 to 31; those from 32 on, 4 behind
LETS, SILENCES = ARRAY + 8, ARRAY + 0xC  # a cell requests, and requests no more


def count(cell: int) -> int:
    """The register of a cell's count; 4 behind is its reload value, 8 behind what is added."""
    return ARRAY + 0x400 + 32 * cell


def bits(register: int, mask: int) -> Callable[[int, int], bool]:
    """A store of these bits."""
    return lambda a, v: (a, v) == (register, mask)


def without(mask: int) -> Callable[[int, int], tuple[int, int]]:
    return lambda a, v: (a, v & ~mask)


def nothing(a: int, _v: int) -> tuple[int, int]:
    return a, 0


def elsewhere(register: int) -> Callable[[int, int], tuple[int, int]]:
    return lambda _, v: (register, v)


def another(p: Patch, function: str, pattern: str, change: Callable[[int], int], which: int = 0) -> None:
    """Change the encoding of an instruction of a function, of those that fit the first one, or which."""
    where, size, _ = [it for it in p.code(function) if re.match(pattern, it[2])][which]
    p.put(where, change(int.from_bytes(p.data[p.offset(where) :][:size], "little")).to_bytes(size, "little"))


def upper(number: int) -> Callable[[int], int]:
    """The 20 bits that lui loads."""
    return lambda v: v & 0xFFF | number << 12


def always(branch: int) -> int:
    """A branch if 0 is less than a register goes there in any case: jal x0."""
    far = (branch >> 7 & 1) << 11 | (branch >> 25 & 63) << 5 | (branch >> 8 & 15) << 1
    return (far >> 1 & 0x3FF) << 21 | (far >> 11) << 20 | 0x6F


def swapped(branch: int, kind: int) -> int:
    """A branch with its registers the other way round, and of another kind."""
    return branch & ~0x1FFF000 | (branch >> 20 & 31) << 15 | (branch >> 15 & 31) << 20 | kind << 12


def inclusive(branch: int) -> int:
    """0 < register becomes register >= 0."""
    return swapped(branch, 5)


def exclusive(branch: int) -> int:
    """0 >= register becomes register < 0."""
    return swapped(branch, 4)


BODY = "carillon_body_carillon_"
OFTEN, SPARE = BODY + "activation_0_Often", BODY + "activation_1_Spare"
STEPS = "carillon_multiplex_activation_0_Often_steps"
VECTORS = "carillon_osek_vectors"
MOVE = "carillon_osek_table_move"
FAST, SLOWLY, KEPT = "carillon_table_Fast", "carillon_table_Slowly", "carillon_table_Kept"

FAULTS = [
    # The cells' registers.
    Fault("array", "a reload value one more", "C204", lambda p: p.store(M0 + "prepare", at(count(4) + 4), value(plus(1)))),
    Fault("array", "a reload value of 0", "C209", lambda p: p.store(M0 + "prepare", at(count(3) + 4), nothing)),
    Fault(
        "array",
        "a first count one less",
        "C204",
        lambda p: p.store(M0 + "prepare", at(count(4)), value(plus(-1))),
        "found at 69999",
    ),
    Fault("array", "a deadline's first count", "C204", lambda p: p.store(M0 + "prepare", at(count(5)), value(plus(1)))),
    Fault("array", "a deadline's reload value", "C204", lambda p: p.store(M0 + "prepare", at(count(10) + 4), value(plus(-1)))),
    Fault("array", "a first count of another mode", "C204", lambda p: p.store(M1 + "prepare", at(count(2)), value(plus(1)))),
    Fault("array", "a count in another cell", "C209", lambda p: p.store(M0 + "prepare", at(count(4)), elsewhere(count(5)))),
    Fault("array", "a count to be added", "C209", lambda p: p.store(M0 + "prepare", at(count(4)), elsewhere(count(4) + 8))),
    Fault(
        "array",
        "a cell that nobody tells that it arms nothing",
        "C206",
        lambda p: p.store(M0 + "prepare", at(count(0) + 12), elsewhere(count(20) + 12)),
        "T0 (source 16) goes on to arm what it arms in mode",
    ),
    Fault(
        "array", "a reload value in ARMS", "C209", lambda p: p.store(M0 + "prepare", at(count(4) + 4), elsewhere(count(4) + 12))
    ),
    Fault("array", "a count in NOW", "C209", lambda p: p.store(M0 + "prepare", at(count(4)), elsewhere(NOW))),
    Fault("array", "a cell beyond the array", "C209", lambda p: p.store(M0 + "prepare", at(count(4)), elsewhere(count(32)))),
    Fault("array", "a cell that does not request", "C204", lambda p: p.store(M0 + "prepare", bits(LETS, 1 << 4), nothing)),
    Fault(
        "array",
        "a deadline that does not request",
        "C204",
        lambda p: p.store(M0 + "prepare", bits(LETS, 1 << 6), nothing),
        "T6 (source 22) is started, but never asks",
    ),
    Fault("array", "an enable that does not request", "C204", lambda p: p.store(M0 + "prepare", bits(LETS, 1 << 12), nothing)),
    Fault("array", "requests that end", "C204", lambda p: p.store(M0 + "prepare", bits(LETS, 1 << 4), elsewhere(SILENCES))),
    Fault("array", "a cell that is not started", "C204", lambda p: p.store(M0 + "start", at(START), without(1 << 4)), "'Short'"),
    Fault(
        "array",
        "a deadline that is not started",
        "C204",
        lambda p: p.store(M0 + "start", at(START), without(1 << 6)),
        "deadline of 'Often'",
    ),
    Fault("array", "a switch that is not started", "C205", lambda p: p.store(M0 + "start", at(START), without(1 << 31))),
    Fault("array", "another cell started", "C209", lambda p: p.store(M0 + "start", at(START), value(lambda v: v ^ 0x2010))),
    Fault("array", "a cell too many started", "C209", lambda p: p.store(M0 + "start", at(START), value(lambda v: v | 1 << 13))),
    Fault("array", "a start from the first count", "C209", lambda p: p.store(M0 + "start", at(START), elsewhere(RESTART))),
    Fault("array", "a start that is a stop", "C209", lambda p: p.store(M1 + "start", at(START), elsewhere(STOP))),
    Fault(
        "array",
        "a cell that is not stopped",
        "C208",
        lambda p: p.store(M0 + "stop", bits(STOP, 1 << 4), nothing),
        "T4 (source 20) still runs",
    ),
    Fault("array", "a deadline that is not stopped", "C208", lambda p: p.store(M1 + "stop", bits(STOP, 1 << 5), nothing)),
    Fault("array", "another cell stopped", "C208", lambda p: p.store(M0 + "stop", bits(STOP, 1 << 4), value(lambda v: v << 9))),
    Fault("array", "a stop that is a start", "C208", lambda p: p.store(M0 + "stop", bits(STOP, 1 << 4), elsewhere(START))),
    Fault(
        "array",
        "a switch that is not stopped",
        "C208",
        lambda p: p.store(M1 + "restart", bits(STOP, 1 << 31), nothing),
        "T31 (source 47) still runs",
    ),
    Fault(
        "array",
        "a switch one later",
        "C208",
        lambda p: p.store(M0 + "restart", at(count(31)), value(plus(1))),
        "the next round begins at 200001",
    ),
    Fault("array", "a switch of another period", "C204", lambda p: p.store(M1 + "restart", at(count(31) + 4), value(plus(1)))),
    Fault(
        "array",
        "a switch that does not request",
        "C204",
        lambda p: p.store(M0 + "restart", at(LETS), nothing),
        "T31 (source 47) is started, but never asks",
    ),
    Fault("array", "a switch of another cell", "C208", lambda p: p.number(M0 + "control", 0, plus(32))),
    Fault("array", "a switch at another time", "C208", lambda p: p.number(M0 + "control", 1, plus(1))),
    Fault("array", "a switch that forgets another source", "C208", lambda p: p.number(M0 + "control", 3, to(1 << 14))),
    Fault("array", "a switch that enables another source", "C208", lambda p: p.number(M1 + "control", 5, to(1 << 16))),
    Fault("array", "a switch that disables its source", "C208", lambda p: p.number(M1 + "control", 4, plus(32))),
    Fault("array", "a time base that is one ahead", "C204", lambda p: p.number("carillon_time_bases", 1, plus(1))),
    Fault("array", "a time base of another cell", "C204", lambda p: p.number("carillon_time_bases", 0, plus(32))),
    # Levels, vectors and the controller's words.
    Fault("array", "a task at the level of what it preempts", "C207", lambda p: p.number(M0 + "levels", 2 * 4 + 1, to(1), 2)),
    Fault("array", "a deadline below the tasks", "C207", lambda p: p.number(M0 + "levels", 2 * 5 + 1, to(1), 2)),
    Fault("array", "the interrupt below the tasks", "C207", lambda p: p.number(M1 + "levels", 2 * 10 + 1, to(1), 2)),
    Fault("array", "a source without a level", "C207", lambda p: p.number(M0 + "levels", 2 * 4, to(60), 2)),
    Fault("array", "level 0", "C207", lambda p: p.number(M0 + "levels", 1, to(0), 2)),
    Fault("array", "a level that there is not", "C207", lambda p: p.number(M0 + "levels", 2 * 13 + 1, to(256), 2)),
    Fault("array", "vectors of two tasks exchanged", "C204", lambda p: p.swap(M0 + "vectors", 19, 20, 4)),
    Fault("array", "vectors of two activations exchanged", "C205", lambda p: p.swap(M1 + "vectors", 19, 20, 4)),
    Fault("array", "vectors of two deadlines exchanged", "C204", lambda p: p.swap(M0 + "vectors", 26, 27, 4)),
    Fault("array", "vectors of a task and a deadline exchanged", "C204", lambda p: p.swap(M0 + "vectors", 20, 27, 4)),
    Fault("array", "the switch's vector is the enable's", "C208", lambda p: p.swap(M0 + "vectors", 28, 47, 4)),
    Fault(
        "array",
        "a vector that jumps past its first instruction",
        "C205",
        lambda p: p.number(M0 + "vectors", 19, plus(4)),
    ),
    Fault("array", "a vector that is the task itself", "C205", lambda p: p.number(M0 + "vectors", 19, to(p.symbols["Long"][0]))),
    Fault("array", "an odd vector", "C205", lambda p: p.number(M0 + "vectors", 19, plus(1))),
    Fault("array", "a vector without a source", "C205", lambda p: p.number(M0 + "vectors", 60, to(p.symbols["Short"][0]))),
    Fault(
        "array",
        "a vector that leads nowhere",
        "C205",
        lambda p: p.number(M0 + "vectors", 26, to(p.symbols["carillon_port_unexpected"][0])),
    ),
    Fault("array", "a task that is not enabled", "C204", lambda p: p.store(M0 + "prepare", at(ENABLE), without(1 << 20))),
    Fault("array", "an enable that is not enabled", "C204", lambda p: p.store(M0 + "prepare", at(ENABLE), without(1 << 28))),
    Fault(
        "array",
        "a deadline armed from the start",
        "C206",
        lambda p: p.store(M0 + "prepare", at(ENABLE), value(lambda v: v | 1 << 21)),
    ),
    Fault("array", "sources disabled at the start", "C204", lambda p: p.store(M0 + "prepare", at(ENABLE), elsewhere(DISABLE))),
    Fault("array", "sources requested at the start", "C209", lambda p: p.store(M0 + "prepare", at(ENABLE), elsewhere(CLIC))),
    Fault(
        "array", "sources of the next word enabled", "C208", lambda p: p.store(M0 + "prepare", at(ENABLE), elsewhere(ENABLE + 4))
    ),
    Fault(
        "array", "a request not forgotten at the start", "C208", lambda p: p.store(M0 + "prepare", at(UNPEND), without(1 << 19))
    ),
    Fault("array", "a request not forgotten at the end", "C208", lambda p: p.store(M0 + "stop", at(UNPEND), without(1 << 19))),
    Fault(
        "array", "a source that stays enabled", "C208", lambda p: p.store(M0 + "stop", at(DISABLE), without(1 << 25)), "source 25"
    ),
    Fault(
        "array",
        "the switch's source stays enabled",
        "C208",
        lambda p: p.store(M1 + "stop", at(DISABLE + 4), nothing),
        "source 47",
    ),
    Fault("array", "a source's own word stored", "C209", lambda p: p.store(M0 + "prepare", at(UNPEND), elsewhere(CLIC + 0x1050))),
    Fault("array", "the table's address stored", "C209", lambda p: p.store(M0 + "stop", at(UNPEND), elsewhere(CLIC + 0x100))),
    Fault("array", "the interrupt not enabled", "C208", lambda p: p.number("carillon_initials", 1, to(0)), "'I0'"),
    Fault("array", "another interrupt enabled", "C208", lambda p: p.number("carillon_initials", 1, plus(1 << 16))),
    # Handlers.
    Fault("array", "a deadline never armed", "C206", lambda p: p.drop(OFTEN, r"c\.sw a4, 0x20\(a5\)")),
    Fault("array", "another deadline armed", "C205", lambda p: another(p, OFTEN, r"lui a4, 0x1e00", upper(0xA000))),
    Fault("array", "some deadlines armed", "C206", lambda p: another(p, OFTEN, r"lui a4, 0x1e00", upper(0x1C00))),
    Fault("array", "a deadline not disarmed", "C206", lambda p: p.drop(OFTEN, r"c\.sw a4, 0x30\(a5\)")),
    Fault("array", "no deadline armed by an expiry", "C206", lambda p: p.store(M0 + "prepare", at(count(3) + 12), nothing)),
    Fault(
        "array",
        "another deadline armed by an expiry",
        "C206",
        lambda p: p.store(M0 + "prepare", at(count(3) + 12), value(lambda v: v ^ 0xC00)),
    ),
    Fault(
        "array", "armed by another expiry", "C206", lambda p: p.store(M0 + "prepare", at(count(3) + 12), elsewhere(count(4) + 12))
    ),
    Fault(
        "array",
        "a deadline armed from the start on",
        "C206",
        lambda p: p.store(M0 + "prepare", bits(SILENCES, 1 << 10), nothing),
        "may interrupt as soon as the mode runs",
    ),
    Fault(
        "array",
        "an end that does not disarm",
        "C206",
        lambda p: p.drop("Long", r"sw t0, -0x7e8"),
        "leaves its deadlines armed when 'Long' returns",
    ),
    Fault("array", "an end of another's deadlines", "C206", lambda p: another(p, "Long", r"sw t0, -0x7e8", lambda v: v ^ 4 << 7)),
    Fault("array", "another activation's request not forgotten", "C205", lambda p: p.drop(SPARE, r"c\.sw a4, 0x10\(a5\)")),
    Fault("array", "another request forgotten", "C205", lambda p: another(p, SPARE, r"lui a4", upper(0x200)), "source 21"),
    Fault("array", "its own request forgotten", "C205", lambda p: another(p, SPARE, r"lui a4", upper(0x80)), "source 20"),
    Fault("array", "a task that is not called", "C205", lambda p: p.drop(OFTEN, r"jal")),
    Fault("array", "another task called", "C204", lambda p: p.call(OFTEN, "Often", "Long")),
    Fault(
        "array", "a deadline of another task", "C206", lambda p: another(p, "carillon_deadline_0_Long", r"c\.li a0", plus(1 << 2))
    ),
    Fault("array", "a deadline without consequence", "C205", lambda p: p.drop("carillon_deadline_0_Long", r"c\.jal")),
    Fault("array", "an interrupt that stays enabled", "C205", lambda p: p.drop(BODY + "interrupt_I0", r"c\.sw a4, 0x34\(a5\)")),
    Fault(
        "array",
        "another interrupt disabled",
        "C205",
        lambda p: another(p, BODY + "interrupt_I0", r"c\.lui a4", lambda v: v ^ 0xC),
    ),
    Fault("array", "an interrupt not enabled again", "C205", lambda p: p.drop("carillon_enable_0_I0", r"c\.sw a4, 0x24\(a5\)")),
    Fault(
        "array", "another enabled again", "C205", lambda p: another(p, "carillon_enable_0_I0", r"c\.lui a4", lambda v: v ^ 0xC)
    ),
    Fault("array", "a switch that does nothing", "C208", lambda p: p.drop("carillon_control_0", r"c\.jal|jal")),
    # A cell with several steps.
    Fault("steps of the array", "a step one longer", "C204", lambda p: p.number(STEPS, 1, plus(1)), "10501"),
    Fault("steps of the array", "a step one shorter", "C204", lambda p: p.number(STEPS, 41, plus(-1))),
    Fault("steps of the array", "the last step", "C204", lambda p: p.number(STEPS, 71, plus(1))),
    Fault("steps of the array", "a step to itself", "C209", lambda p: p.number(STEPS, 2, plus(-8))),
    Fault("steps of the array", "a step left out", "C204", lambda p: p.number(STEPS, 2, plus(8))),
    Fault("steps of the array", "a step to nowhere", "C209", lambda p: p.number(STEPS, 2, to(0))),
    Fault("steps of the array", "begins with the second step", "C204", lambda p: p.number(M0 + "multiplexes", 1, plus(8))),
    Fault(
        "steps of the array",
        "re-armed in the count",
        "C209",
        lambda p: p.number("carillon_multiplex_activation_0_Often", 1, plus(-8)),
    ),
    Fault(
        "steps of the array",
        "re-armed in another cell",
        "C204",
        lambda p: p.number("carillon_multiplex_activation_0_Often", 1, plus(32)),
    ),
    Fault("steps of the array", "a deadline not disarmed", "C206", lambda p: p.drop(OFTEN, r"c\.sw a4, 0x30\(a5\)")),
    # Alarms on cells, counters, tasks.
    Fault(
        "events of the array", "an alarm one later", "C204", lambda p: p.store(PREPARE, at(count(2)), value(plus(1))), "'Beat'"
    ),
    Fault(
        "events of the array", "an alarm's cycle", "C204", lambda p: p.store(PREPARE, at(count(4) + 4), value(plus(-1))), "'Wake'"
    ),
    Fault("events of the array", "a tick", "C204", lambda p: p.store(PREPARE, at(count(0) + 4), value(plus(1))), "'Coarse'"),
    Fault(
        "events of the array",
        "an alarm that does not request",
        "C204",
        lambda p: p.store(PREPARE, bits(LETS, 4), nothing),
        "T2 (source 18) is started, but never asks",
    ),
    Fault("events of the array", "an alarm not started", "C204", lambda p: p.store("carillon_osek_start", at(START), without(4))),
    Fault(
        "events of the array",
        "another started",
        "C204",
        lambda p: p.store("carillon_osek_start", at(START), value(lambda v: v ^ 0x44)),
    ),
    Fault("events of the array", "an alarm not stopped", "C208", lambda p: p.store("carillon_osek_stop", bits(STOP, 4), nothing)),
    Fault(
        "events of the array", "an alarm's stop of another cell", "C204", lambda p: p.number("carillon_alarm_Beat_stop", 1, to(8))
    ),
    Fault(
        "events of the array",
        "an alarm's stop of two cells",
        "C204",
        lambda p: p.number("carillon_alarm_Beat_stop", 1, to(12)),
        "stops T3",
    ),
    Fault("events of the array", "an alarm's stop of none", "C204", lambda p: p.number("carillon_alarm_Beat_stop", 1, to(0))),
    Fault(
        "events of the array", "an alarm's stop that starts", "C204", lambda p: p.number("carillon_alarm_Beat_stop", 0, to(START))
    ),
    Fault("events of the array", "an alarm's counter", "C204", lambda p: p.number("carillon_alarm_Beat_cell", 0, plus(32))),
    Fault(
        "events of the array",
        "an alarm's counter is its reload",
        "C204",
        lambda p: p.number("carillon_alarm_Beat_cell", 0, plus(4)),
    ),
    Fault("events of the array", "an alarm's tick", "C204", lambda p: p.number("carillon_alarm_Beat_cell", 1, plus(1))),
    Fault("events of the array", "vectors of two tasks exchanged", "C205", lambda p: p.swap(VECTORS, 18, 19, 4)),
    Fault("events of the array", "vectors of two alarms exchanged", "C204", lambda p: p.swap(VECTORS, 18, 20, 4)),
    Fault("events of the array", "the ISR's vector is a task", "C205", lambda p: p.swap(VECTORS, 48, 18, 4)),
    Fault(
        "events of the array",
        "a frame of a level that is a task",
        "C205",
        lambda p: p.call("carillon_frame_57", "carillon_level_3", "carillon_callback_Call"),
    ),
    Fault(
        "events of the array",
        "a frame of the ISR",
        "C205",
        lambda p: p.call("carillon_frame_48", "carillon_isr_Device", "carillon_callback_Call"),
    ),
    Fault("events of the array", "a frame that calls nothing", "C205", lambda p: p.drop("carillon_frame_57", r"c\.jal")),
    Fault("events of the array", "a frame past its beginning", "C205", lambda p: p.number(VECTORS, 57, plus(2))),
    Fault("events of the array", "a frame past what it saves", "C205", lambda p: p.number(VECTORS, 57, plus(0x38))),
    Fault(
        "events of the array",
        "a frame that ends elsewhere",
        "C205",
        lambda p: p.call("carillon_frame_57", "carillon_port_frame_end", "carillon_task_Low"),
    ),
    Fault("events of the array", "a level", "C207", lambda p: p.number(LEVELS, 3, to(2), 2)),
    Fault("events of the array", "an alarm above its task", "C207", lambda p: p.number(LEVELS, 7, to(4), 2)),
    Fault(
        "events of the array",
        "a source not enabled",
        "C208",
        lambda p: p.number("carillon_osek_enable", 1, lambda v: v & ~(1 << 18)),
    ),
    Fault(
        "events of the array",
        "the ISR not enabled",
        "C208",
        lambda p: p.number("carillon_osek_enable", 3, lambda v: v & ~(1 << 16)),
    ),
    Fault(
        "events of the array",
        "a request not forgotten",
        "C208",
        lambda p: p.number("carillon_osek_forget", 1, lambda v: v & ~(1 << 18)),
    ),
    Fault(
        "events of the array",
        "an early alarm's request not forgotten",
        "C205",
        lambda p: p.drop("carillon_cells_3", r"c\.sw a5, 0x10\(a4\)"),
        "'Wake'",
    ),
    Fault(
        "events of the array",
        "a task's request of another source",
        "C205",
        lambda p: p.number("carillon_osek_tasks", 35, to(1 << 19)),
    ),
    Fault(
        "events of the array", "a task's request is an enable", "C205", lambda p: p.number("carillon_osek_tasks", 34, plus(0x20))
    ),
    # Schedule tables on cells.
    Fault("cells of the array", "another cell restarted", "C204", lambda p: p.number(FAST, 1, lambda v: v << 1)),
    Fault("cells of the array", "a cell too few restarted", "C204", lambda p: p.number(FAST, 1, to(2))),
    Fault("cells of the array", "the time base restarted", "C204", lambda p: p.number(FAST, 1, to(7)), "changes T0"),
    Fault("cells of the array", "started from its count", "C204", lambda p: p.number(FAST, 0, to(START)), "'Fast'"),
    Fault("cells of the array", "a shift one later", "C204", lambda p: p.number(FAST + "_shifts", 1, plus(1))),
    Fault("cells of the array", "a shift one earlier", "C204", lambda p: p.number(SLOWLY + "_shifts", 3, plus(-1))),
    Fault("cells of the array", "a shift of another cell", "C204", lambda p: p.number(FAST + "_shifts", 0, plus(32))),
    Fault("cells of the array", "a shift of the reload value", "C204", lambda p: p.number(FAST + "_shifts", 0, plus(-4))),
    Fault("cells of the array", "a shift of the count", "C204", lambda p: p.number(FAST + "_shifts", 0, plus(-8))),
    Fault("cells of the array", "a stop that leaves a cell", "C204", lambda p: p.number("carillon_osek_table_stops", 1, to(2))),
    Fault("cells of the array", "a stop of the time base", "C204", lambda p: p.number("carillon_osek_table_stops", 1, to(7))),
    Fault("cells of the array", "stops exchanged", "C204", lambda p: p.swap("carillon_osek_table_stops", 0, 1, 8)),
    Fault("cells of the array", "a stop that starts", "C204", lambda p: p.number("carillon_osek_table_stops", 0, to(START))),
    Fault("cells of the array", "a period one longer", "C204", lambda p: p.store(PREPARE, at(count(1) + 4), value(plus(1)))),
    Fault("cells of the array", "another first point", "C204", lambda p: p.number(FAST, 5, plus(1)), "first expiry"),
    Fault("cells of the array", "moved one more", "C204", lambda p: p.number(MOVE, 1, plus(1))),
    Fault("cells of the array", "moved by another register", "C209", lambda p: p.number(MOVE, 0, plus(4))),
    Fault("cells of the array", "moved by a cell's register", "C209", lambda p: p.number(MOVE, 0, to(count(1) + 8))),
    Fault("cells of the array", "another first count", "C204", lambda p: p.store(PREPARE, at(count(2) + 16), value(plus(1)))),
    Fault("cells of the array", "another cell's points", "C204", lambda p: p.number(FAST + "_cells", 2, plus(1))),
    Fault("cells of the array", "another autostart", "C204", lambda p: p.number(TABLES, 3, plus(1))),
    Fault(
        "cells of the array",
        "a frame of another point",
        "C204",
        lambda p: p.call("carillon_frame_20", "carillon_point_Slowly_1", "carillon_level_5"),
    ),
    Fault("cells of the array", "vectors exchanged", "C205", lambda p: p.swap(VECTORS, 17, 18, 4)),
    Fault("cells of the array", "a point's level", "C207", lambda p: p.number(LEVELS, 7, to(4), 2)),
    Fault("adjusted on the array", "a move one more", "C204", lambda p: p.number(KEPT + "_moves", 3, plus(1))),
    Fault("adjusted on the array", "a move of another cell", "C204", lambda p: p.number(KEPT + "_moves", 0, plus(32))),
    Fault(
        "adjusted on the array",
        "a move of the count",
        "C204",
        lambda p: p.number(KEPT + "_moves", 0, plus(-8)),
        "to which nothing can be added",
    ),
    Fault("adjusted on the array", "a cell not restarted", "C204", lambda p: p.number(KEPT, 1, to(6))),
    # What a vector leaves as it was.
    Fault(
        "array",
        "a vector that jumps past its beginning",
        "C205",
        lambda p: p.number(M0 + "vectors", 16, to(p.symbols[OFTEN][0])),
    ),
    Fault(
        "array",
        "an entry that loses the cause",
        "C205",
        lambda p: p.drop("carillon_enter_Long", r"csrr t0, mcause"),
        "does not save what 'Long' takes back at its end",
    ),
    Fault("array", "an entry that does not save it", "C205", lambda p: p.drop("carillon_enter_Long", r"sw t0, -0xc")),
    Fault(
        "array",
        "an entry that lets nothing in",
        "C205",
        lambda p: p.drop("carillon_enter_Long", r"csrsi"),
        "runs 'Long' while no other interrupt can come",
    ),
    Fault("steps of the array", "not re-armed", "C205", lambda p: p.drop(OFTEN, r"sw a4, 0\(a7\)"), "stores nothing"),
    Fault("steps of the array", "not stepped on", "C205", lambda p: p.drop(OFTEN, r"sw a3, 0\(a6\)"), "due"),
    Fault(
        "steps of the array",
        "re-armed by where it goes on",
        "C205",
        lambda p: another(p, OFTEN, r"c\.lw a4, 4", lambda v: v ^ 0x40),
    ),
    Fault(
        "steps of the array",
        "stepped on too early",
        "C205",
        lambda p: another(p, OFTEN, r"c\.lw a3, 0\(a3\)", lambda v: v ^ 0x40, 1),
    ),
    *(
        Fault("steps of the array", what, "C205", change, found)
        for what, change, found in (
            ("skips no point", lambda p: another(p, OFTEN, "bgtz", always), "where 1 point has passed"),
            ("skips a point that lies ahead", lambda p: p.drop(OFTEN, "bgtz"), "and to move it to the point that is due takes"),
            ("skips one point at most", lambda p: p.drop(OFTEN, "blez"), "where 2 points have passed"),
            ("skips no point that is just now", lambda p: another(p, OFTEN, "bgtz", inclusive), "where 1 point has passed"),
            ("nor does its loop", lambda p: another(p, OFTEN, "blez", exclusive), "where 2 points have passed"),
            ("skips by what the cell adds itself", lambda p: p.drop(OFTEN, r"c\.add a5, a2"), "where 1 point has passed"),
            (
                "skips to where it goes on",
                lambda p: another(p, OFTEN, r"c\.lw a3, 0", lambda v: v ^ 0x40),
                "where 1 point has passed",
            ),
        )
    ),
    Fault(
        "events of the array",
        "an entry that is the function",
        "C205",
        lambda p: p.number(VECTORS, 18, to(p.symbols["carillon_task_High"][0])),
        "'carillon_task_High', does not leave x2, x5, x6, mepc, mcause, mscratch as they were",
    ),
    *(
        Fault(
            "events of the array",
            f"an entry without {what}",
            "C205",
            lambda p, code=code: p.drop("carillon_enter_carillon_task_High", code),
            "does not save what 'carillon_task_High' takes back at its end",
        )
        for what, code in (
            ("its cause", r"csrr t0, mcause"),
            ("its place", r"csrr t0, mepc"),
            ("its link", r"csrrw t0, mscratch"),
            ("what is below", r"c?\.?sws?p? t0, (0xc|12)\(sp\)"),
            ("a register", r"sw t1"),
        )
    ),
    Fault(
        "events of the array",
        "an entry that lets nothing in",
        "C205",
        lambda p: p.drop("carillon_enter_carillon_task_High", r"csrsi"),
        "while no other interrupt can come",
    ),
    Fault(
        "events of the array",
        "a frame that does not save a register",
        "C205",
        lambda p: p.drop("carillon_frame_57", r"c\.swsp a3"),
        "does not leave x13 as it was",
    ),
    Fault(
        "events of the array",
        "a frame that is not linked",
        "C205",
        lambda p: p.drop("carillon_frame_57", r"csrrw t0, mscratch"),
        "does not leave mscratch as it was",
    ),
    Fault("events of the array", "a frame without its cause", "C205", lambda p: p.drop("carillon_frame_57", r"csrr t0, mcause")),
    Fault(
        "events of the array",
        "a frame that lets nothing in",
        "C205",
        lambda p: p.drop("carillon_frame_57", r"csrsi"),
        "while no other",
    ),
    Fault("events of the array", "a frame that does not end", "C205", lambda p: p.drop("carillon_frame_57", r"j ")),
    Fault(
        "events of the array",
        "the frames' end without a register",
        "C205",
        lambda p: p.drop("carillon_port_frame_end", r"c\.lwsp a3"),
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_found_on_the_timer_array(fault: Fault, images: Images, tmp_path: Path) -> None:
    must_be_found(fault, images, tmp_path)
