# SPDX-License-Identifier: Apache-2.0
"""``carillon verify`` finds each fault in budgets and time frames."""

from __future__ import annotations

from pathlib import Path

import pytest
from verified_images import LEVELS, M0, PREPARE, RELOAD, Fault, Images, Patch, at, must_be_found, plus, to, value

BOUNDED, OWN = "carillon_round_budgets", "carillon_task_budgets"
PICO, HANDLER, SET = "bounded on the Pico", "carillon_round_budget_vector", "carillon_round_budget_set"
JOB, BODY = "Bounded_within_its_budget", "__wrap_Bounded"
AVR = "bounded on AVR"
# Instructions of AVR: bytes, and which of their bits count.
CLI, STATUS, OR = (b"\xf8\x94", b"\xff\xff"), (b"\x0f\xbe", b"\x0f\xfe"), (b"\x00\x28", b"\x00\xfc")
STORED, FORGOTTEN, PUSH = (b"\x00\x92\x00\x00", b"\x0f\xfe\x00\xff"), (b"\x00\xba", b"\x00\xfe"), (b"\x0f\x92", b"\x0f\xfe")
NEAR = (b"\x00\x50", b"\x00\xf0")


def stored(patch: Patch) -> tuple[bytes, bytes]:
    """A store to the watched word's low byte."""
    low = patch.symbols["carillon_round_budget_watched"][0] & 0xFFFF
    return b"\x00\x92" + low.to_bytes(2, "little"), b"\x0f\xfe\xff\xff"


def called(patch: Patch, function: str) -> tuple[bytes, bytes]:
    """A call of a function."""
    return b"\x0e\x94" + (patch.symbols[function][0] // 2).to_bytes(2, "little"), b"\xff" * 4


FAULTS = [
    Fault(
        "budgets", "another budget", "C205", lambda p: p.number("carillon_osek_tasks", 9, plus(1)), "has a budget of 46876 ticks"
    ),
    Fault("budgets", "no budget", "C205", lambda p: p.number("carillon_osek_tasks", 19, to(0)), "has a budget of 0 ticks"),
    Fault("budgets", "a budget too many", "C205", lambda p: p.number("carillon_osek_tasks", 29, to(5)), "and not of 0"),
    Fault("budgets", "the cell turns sooner", "C204", lambda p: p.store(PREPARE, at(RELOAD), value(plus(-1)))),
    Fault("budgets", "the cell's level below category 1", "C207", lambda p: p.number(LEVELS, 9, to(4), 2), "cell of budgets"),
    Fault("frames", "another frame", "C205", lambda p: p.number("carillon_osek_frames", 1, plus(1)), "a time frame of 46876"),
    Fault("frames", "no frame", "C205", lambda p: p.number("carillon_osek_frames", 2, to(0)), "'Device' has a time frame of 0"),
    Fault("frames", "a frame too many", "C205", lambda p: p.number("carillon_osek_frames", 0, to(5)), "and not of 0"),
    Fault("frames", "the cell of frames turns sooner", "C204", lambda p: p.store(PREPARE, at(RELOAD), value(plus(-1)))),
    Fault("budgets", "the cell's vector exchanged", "C205", lambda p: p.swap("carillon_osek_vectors", 32, 48, 4)),
    Fault(
        "beneath",
        "a budget that counts on above",
        "C205",
        lambda p: p.call("carillon_activation_0_Plain", "carillon_budget_stops", "carillon_budget_goes_on"),
        "does not keep the counter of budgets from counting",
    ),
    Fault(
        "beneath",
        "a budget that never goes on",
        "C205",
        lambda p: p.call("carillon_activation_0_Watched", "carillon_budget_goes_on", "carillon_budget_stops"),
        "does not keep the counter of budgets from counting",
    ),
    Fault("beneath", "a budget that no call stops", "C205", lambda p: p.drop("carillon_activation_0_Plain", r"^bl "), "budgets"),
    *(
        Fault(
            "tables with budgets",
            f"nothing paused in {where}",
            "C205",
            lambda p, where=where: p.call(f"carillon_{where}", "carillon_pause_budget", "carillon_resume_budget"),
            f"'carillon_{where}', uses up the budget of the job that it preempts",
        )
        for where in ("point_Once_0", "point_Once_1", "end_Once", "counter_Clock")
    ),
    Fault("bounded", "nobody let in", "C208", lambda p: p.number("carillon_initials", 1, plus(1 << 16)), "let in"),
    Fault("bounded", "another budget", "C205", lambda p: p.number(BOUNDED, 0, plus(1)), "has a budget of 7501 ticks"),
    Fault("bounded", "another task to blame", "C205", lambda p: p.number(BOUNDED, 1, plus(1)), "told of task 2 where 'Bounded'"),
    Fault("bounded", "no function that bounds", "C205", lambda p: p.rename("__wrap_Watched", "__wrop_Watched"), "nothing bounds"),
    Fault("bounded", "another task run", "C205", lambda p: p.call(JOB, "Bounded", "Watched"), "does not run the task"),
    Fault("bounded on the host", "another task's", "C205", lambda p: p.call(JOB, "Bounded", "Watched"), "does not run the task"),
    Fault("bounded", "a part of a job that is none", "C205", lambda p: p.call(BODY, "Bounded", "Watched"), "of another job"),
    Fault("bounded on the host", "a part of another", "C205", lambda p: p.call(BODY, "Bounded", "Watched"), "of another job"),
    Fault("bounded", "a job without a frame", "C205", lambda p: p.call(BODY, "carillon_port_call", "Bounded"), "run what bounds"),
    Fault("bounded", "a job that does not begin", "C205", lambda p: p.drop(JOB, r"str .*r3", 0), "does not watch this job"),
    Fault("bounded", "a job that does not end", "C205", lambda p: p.drop(JOB, r"str .*r3", 1), "watch nothing at its end"),
    Fault("bounded", "no budget loaded", "C205", lambda p: p.drop(JOB, r"str .*r1"), "load the task's budget"),
    Fault("bounded", "a cell that goes by 0", "C205", lambda p: p.drop(JOB, r"str .*r0"), "far from 0"),
    Fault("bounded", "a caller's register lost", "C209", lambda p: p.drop(JOB, r"push"), "loads from where is not known"),
    Fault("bounded on the host", "no budget", "C205", lambda p: p.drop(JOB, r"call .*", 1), "load the task's budget"),
    Fault("bounded on the host", "no end", "C205", lambda p: p.drop(JOB, r"mov .*, 0$"), "watch nothing at its end"),
    Fault(
        "bounded", "no table", "C205", lambda p: p.rename(BOUNDED, BOUNDED[:-1] + "x"), "table of the rounds' budgets is missing"
    ),
    Fault(
        "bounded",
        "a handler that forgives",
        "C205",
        lambda p: p.call("carillon_round_budget_vector", "carillon_round_budget_strikes", "carillon_round_budget_stops"),
        "does not lead to 'carillon_round_budget_strikes'",
    ),
    *(
        Fault(
            name,
            "a vector that hands over no frame",
            "C205",
            lambda p, table=table, handler=handler: p.number(table, 32, to(p.symbols[handler][0] | 1)),
            f"'{handler}', serves nothing",
        )
        for name, table, handler in (
            ("bounded", "carillon_mode0_vectors", "carillon_round_budget_vector"),
            ("budgets", "carillon_osek_vectors", "carillon_budget_vector"),
        )
    ),
    Fault("bounded in RTL", "another budget", "C205", lambda p: p.number(OWN, 0, plus(1)), "has a budget of 3001 ticks"),
    Fault("bounded in RTL", "another task to blame", "C205", lambda p: p.number(OWN, 7, plus(1), 2), "told of task 2 where"),
    Fault("bounded in RTL", "another's counter", "C204", lambda p: p.number(OWN, 2, plus(32)), "and no cell keeps them"),
    Fault("bounded in RTL", "another's source", "C204", lambda p: p.number(OWN, 6, plus(1), 2), "and no cell keeps them"),
    Fault("bounded in RTL", "another's cell", "C205", lambda p: p.number(OWN, 1, to(4)), "does not start the task's cell"),
    Fault("bounded in RTL", "two cells", "C205", lambda p: p.number(OWN, 1, plus(1)), "does not start the task's cell"),
    Fault("bounded in RTL", "no cell", "C205", lambda p: p.number(OWN, 1, to(0)), "does not start the task's cell"),
    Fault("bounded in RTL", "another task run", "C205", lambda p: p.call(JOB, "Bounded", "Watched"), "does not run the task"),
    Fault("bounded in RTL", "a job's part", "C205", lambda p: p.call(BODY, "Bounded", "Watched"), "of another job"),
    Fault("bounded in RTL", "no frame", "C205", lambda p: p.call(BODY, "carillon_port_call", "Bounded"), "run what bounds"),
    Fault("bounded in RTL", "no place", "C205", lambda p: p.drop(JOB, r"sw a4, .*gp"), "does not say where the job runs"),
    Fault("bounded in RTL", "no budget loaded", "C205", lambda p: p.drop(JOB, r"sw a2, .*a3"), "load the task's budget"),
    Fault("bounded in RTL", "no begin", "C205", lambda p: p.drop(JOB, r"sw s0, .*gp"), "does not watch this job"),
    Fault("bounded in RTL", "no start", "C205", lambda p: p.drop(JOB, r"sw s0, .*zero", 0), "the task's cell"),
    Fault("bounded in RTL", "no end", "C205", lambda p: p.drop(JOB, r"sw zero, .*gp"), "watch nothing at its end"),
    Fault("bounded in RTL", "no stop", "C205", lambda p: p.drop(JOB, r"sw s0, .*zero", 1), "the task's cell"),
    Fault("bounded in RTL", "another source", "C209", lambda p: p.drop(JOB, r"c.slli a4"), "what its caller has left"),
    Fault("bounded in RTL", "a register lost", "C209", lambda p: p.drop(JOB, r"c.lwsp ra"), "loads from where"),
    Fault("bounded in RTL", "the cell's level on a task's", "C207", lambda p: p.number(LEVELS, 1, to(3), 2), "not the highest"),
    Fault(PICO, "another budget", "C205", lambda p: p.number(BOUNDED, 0, plus(1)), "has a budget of 61 ticks"),
    Fault(PICO, "a budget without the unit that has begun", "C205", lambda p: p.number(BOUNDED, 0, plus(-1)), "of 59 ticks"),
    Fault(PICO, "another task to blame", "C205", lambda p: p.number(BOUNDED, 1, plus(1)), "told of task 2 where 'Bounded'"),
    Fault(PICO, "another task run", "C205", lambda p: p.call(JOB, "Bounded", "Watched"), "does not run the task"),
    Fault(PICO, "a part of a job that is none", "C205", lambda p: p.call(BODY, "Bounded", "Watched"), "of another job"),
    Fault(PICO, "a job without a frame", "C205", lambda p: p.call(BODY, "carillon_port_call", "Bounded"), "run what bounds"),
    Fault(PICO, "a job that does not begin", "C205", lambda p: p.drop(JOB, r"str .*r4"), "does not watch this job"),
    Fault(PICO, "a job that does not end", "C205", lambda p: p.drop(JOB, r"str .*r3"), "watch nothing at its end"),
    Fault(PICO, "no budget loaded", "C205", lambda p: p.drop(JOB, r"bl ", 1), "load the task's budget"),
    Fault(PICO, "an alarm that is not far", "C205", lambda p: p.drop(JOB, r"bl ", 0), "far from 0"),
    Fault(PICO, "another place", "C209", lambda p: p.drop(JOB, r"mrs"), "what its caller has left"),
    *(
        Fault(PICO, name, "C205", lambda p, text=text: p.drop(SET, text), f"sets its cell by '{SET}', which does not")
        for name, text in (
            ("an alarm that is not set", r"str .*\[r4\]"),
            ("an alarm that has passed", r"bne"),
            ("an alarm that a handler moves meanwhile", r"cpsid"),
        )
    ),
    Fault(PICO, "an alarm at no time", "C209", lambda p: p.drop(SET, r"adds .*r0, r3"), "what its caller has left"),
    Fault(PICO, "a request that stays", "C205", lambda p: p.drop(HANDLER, r"str "), "does not acknowledge it"),
    Fault(
        PICO,
        "a handler that forgives",
        "C205",
        lambda p: p.call(HANDLER, "carillon_round_budget_strikes", "carillon_round_budget_stops"),
        "does not lead to 'carillon_round_budget_strikes'",
    ),
    Fault(PICO, "no frame", "C205", lambda p: p.number(M0 + "vectors", 16, to(p.symbols[HANDLER][0] | 1)), "serves nothing"),
    Fault(PICO, "the cell's level on a task's", "C207", lambda p: p.number(LEVELS, 1, to(3), 2), "and not the highest"),
    Fault(PICO, "the cell's vector exchanged", "C205", lambda p: p.swap(M0 + "vectors", 16, 17, 4)),
    Fault(AVR, "another budget", "C205", lambda p: p.number(BOUNDED, 0, plus(1)), "has a budget of 961 ticks"),
    Fault(AVR, "a budget without the unit that has begun", "C205", lambda p: p.number(BOUNDED, 0, plus(-1)), "of 959 ticks"),
    Fault(AVR, "another task to blame", "C205", lambda p: p.number(BOUNDED, 1, plus(1)), "told of task 2 where 'Bounded'"),
    Fault(AVR, "another task run", "C205", lambda p: p.call(JOB, "Bounded", "Watched"), "does not run the task"),
    Fault(AVR, "a part of a job that is none", "C205", lambda p: p.call(BODY, "Bounded", "Watched"), "of another job"),
    Fault(AVR, "a job without a frame", "C205", lambda p: p.call(BODY, "carillon_port_call", "Bounded"), "run what bounds"),
    Fault(AVR, "half of the question", "C205", lambda p: p.blank(BODY, *OR), "run what bounds"),
    Fault(AVR, "a job that does not begin", "C209", lambda p: p.blank(JOB, *stored(p)), "writes a byte at"),
    Fault(AVR, "a job that does not end", "C209", lambda p: p.blank(JOB, *stored(p), which=1), "writes a byte at"),
    Fault(AVR, "a word in pieces", "C205", lambda p: p.blank(JOB, *CLI), "piece by piece while interrupts come"),
    Fault(AVR, "a word in pieces at the end", "C205", lambda p: p.blank(JOB, *CLI, which=1), "piece by piece"),
    Fault(AVR, "interrupts stay off", "C209", lambda p: p.blank(JOB, *STATUS), "what masks interrupts"),
    Fault(AVR, "no budget loaded", "C205", lambda p: p.blank(JOB, *called(p, SET), which=1), "load the task's budget"),
    Fault(AVR, "a match that is not far", "C205", lambda p: p.blank(JOB, *called(p, SET)), "far from 0"),
    Fault(AVR, "a register lost", "C209", lambda p: p.blank(JOB, *PUSH), "its caller's"),
    *(
        Fault(AVR, name, "C205", lambda p, old=old, which=which: p.blank(SET, *old, which=which), f"by '{SET}', which does not")
        for name, old, which in (
            ("half of a match", STORED, 0),
            ("no match", STORED, 1),
            ("a match that another handler may tear", CLI, 0),
            ("a request that stays", FORGOTTEN, 0),
        )
    ),
    Fault(AVR, "a match too near", "C205", lambda p: p.blank(SET, *NEAR), "which does not"),
    Fault(
        AVR,
        "a handler that forgives",
        "C205",
        lambda p: p.call(HANDLER, "carillon_round_budget_strikes", "carillon_round_budget_stops"),
        "does not lead to 'carillon_round_budget_strikes'",
    ),
    Fault(AVR, "the cell's vector exchanged", "C205", lambda p: p.swap(M0 + "vectors", 42, 43, 4)),
    Fault(AVR, "another prescaler", "C204", lambda p: p.store("carillon_osek_start", at(0xA1), value(to(2)))),
    Fault(AVR, "a timer that counts a round", "C209", lambda p: p.store("carillon_osek_start", at(0xA1), value(to(0x19)))),
    Fault("bounded", "the cell turns sooner", "C204", lambda p: p.store(PREPARE, at(RELOAD), value(plus(-1)))),
    Fault("bounded", "the cell's level on a task's", "C207", lambda p: p.number(LEVELS, 1, to(3), 2), "and not the highest"),
    Fault("bounded", "the cell's vector exchanged", "C205", lambda p: p.swap("carillon_mode0_vectors", 32, 48, 4)),
    *(
        Fault(
            image,
            f"a budget that {what} in {where}",
            "C205",
            lambda p, vector=vector + where, calls=calls: p.call(vector, *calls),
            "does not keep the counter of budgets from counting",
        )
        for image, vector, kind in (
            ("bounded", "carillon_", "round"),
            (PICO, "carillon_", "round"),
            (AVR, "carillon_", "round"),
            ("bounded in RTL", "carillon_body_carillon_", "task"),
        )
        for where in ("activation_0_Plain", "interrupt_I0", "deadline_0_Watched")
        for what, calls in (
            ("counts on", (f"carillon_{kind}_budget_stops", f"carillon_{kind}_budget_goes_on")),
            ("never goes on", (f"carillon_{kind}_budget_goes_on", f"carillon_{kind}_budget_stops")),
        )
    ),
]


@pytest.mark.parametrize("fault", [pytest.param(f, marks=pytest.mark.costly) if f.image == PICO else f for f in FAULTS], ids=str)
def test_a_fault_of_a_budget_is_found(fault: Fault, images: Images, tmp_path: Path) -> None:
    must_be_found(fault, images, tmp_path)
