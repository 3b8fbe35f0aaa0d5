# SPDX-License-Identifier: Apache-2.0
"""Random schedule tables do what the exact model says, operation by operation, on counters of software and of hardware.

A program is a few hundred operations on several tables, alarms and counters, of a system that is drawn, too.  Compared after
each: status, value, the status of each table, the value of each counter, and the order of all that tasks and the error hook saw.
CARILLON_TRIES is the number of programs for each board and kind; without it they are few and the same each time.
Beneath a round, a time-triggered task interrupts the program, the tasks and the kernel in another place each time.  It is short,
so that it holds back no tick, and the model needs not know of it; and it begins on its tick, if the program does not lock it
out.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from laboratory import AST, MPS, RV32, VIRTUAL_AST, Laboratory
from table_model import System
from table_programs import Do, Drawing, draw_system, drawn, schedule

import asked
from carillon.diagnostics import Diagnostics
from carillon.model.osek import ActivateTask
from carillon.pipeline import plan

PROGRAMS = asked.tries(0)
FIRST = int(asked.seed(0))
ATMEGA = "atmega2560"
HERE = Path(__file__).parent
TICK = {VIRTUAL_AST: 15_625, AST: 62_500, MPS: 50_000, RV32: 10_000, ATMEGA: 4000}
"""Of the hardware counter, in ticks of the board's clock: long, so that the code between two of them does not count."""
HERTZ = {VIRTUAL_AST: 15_625_000, AST: 15_625_000, MPS: 25_000_000, RV32: 10_000_000, ATMEGA: 250_000}
SYSTEM = {ATMEGA: 'clock = "250kHz"'}
CLOCK = {VIRTUAL_AST: ("one-shot", "compare"), AST: ("one-shot",), MPS: ("one-shot",), RV32: ("compare",)}
"""Those that tell the ticks of tickless counters."""
TIME = [f'[time]\nqueue = "{queue}"\nbits = {bits}\n' for queue in ("list", "tree") for bits in (16, 32)]
"""What else queues the events of counters may stand in."""
OPERATIONS = {VIRTUAL_AST: 1500, AST: 200, MPS: 200, RV32: 100, ATMEGA: 60}
USUAL = {
    ("software", VIRTUAL_AST): [0, 770010],  # a table takes over what another has adjusted
    # Tables that end while some of their levels are held back; the same of one that is about to be synchronous.
    ("hardware", VIRTUAL_AST): [0, 308, 770018],
    ("hardware", AST): [0],
    ("software", MPS): [0],
    ("hardware", ATMEGA): [0],
    ("tickless, hardware", VIRTUAL_AST): [0, 308],
    ("tickless, hardware", AST): [0],
    ("tickless, hardware", RV32): [0],
    ("alone, hardware", VIRTUAL_AST): [0, 2, 3, 5, 6, 8, 9, 11],
    ("alone, hardware", AST): [0, 2],
    ("alone, hardware", MPS): [0],
    ("beneath, software", AST): [0],  # on a virtual board no time passes without a hardware counter
    ("beneath, hardware", AST): [0],
}
"""The programs by default."""


ABOVE = """
[task.Above]
wcet = "{wcet} ticks"
[mode.normal]
round = "{round} ticks"
window = "wcet"
points = [{{ at = "{at} ticks", activate = "Above" }}]
"""
ROUNDS_ON = (VIRTUAL_AST, AST, MPS)


def above(board: str, hardware: bool) -> tuple[str, str]:
    """The schedule's part of a round, and its code.

    Its length is a prime number of ticks of the board's clock, so that another instruction is interrupted in each round.
    Where a counter ticks, rounds are few: what the program works is not measured by the counter while that is locked.
    """
    virtual = board.startswith("virtual")
    length = 997 if virtual else 9_973 if hardware else 499
    text = ABOVE.format(wcet=length // 10, round=length, at=length // 2)
    work = "" if virtual else "carillon_work(20u);"  # code takes no time there
    return text, f"ttTASK(Above);\nttTASK(Above)\n{{\n    {work}\n}}\n"


def parts(lab: Laboratory, system: System, text: str, board: str) -> tuple[int, ...]:
    """In which part of the hardware counter's queue each task's points stand; they are served one by one."""
    path = lab.write(text, "", system=SYSTEM.get(board, ""))
    osek = plan(path, Diagnostics(), board).allocation.osek
    assert osek is not None
    return tuple(osek.part_of("C0", ActivateTask(f"T{number}")) for number in range(len(system.tasks)))


def check(lab: Laboratory, board: str, seed: str, hardware: bool, dispatch: str, how: str = "") -> int:
    """Run a program; returns how many operations it has.

    ``how``: ``"beneath"``, a round runs above; ``"tickless"``, so is the counter; ``"alone"``, its table is alone in the queue.
    """
    beneath, tickless = how == "beneath", how == "tickless"
    rng = random.Random(seed)
    tick = TICK[board] * 1_000_000 // HERTZ[board]
    virtual = board.startswith("virtual")
    system = draw_system(rng, hardware=tick if hardware else 0, small=not virtual, alone=how == "alone")
    time = rng.choice(["", "", *TIME]) if virtual else ""
    the_round, its_code = above(board, hardware) if beneath else ("", "")
    if tickless:
        uses = rng.choice(["[]", '["delays"]'])
        time = f'[time]\ntickless = true\nclock = "{rng.choice(CLOCK[board])}"\nuses = {uses}\n'
    text = the_round + schedule(system, dispatch, time)
    system = replace(system, parts=parts(lab, system, text, board)) if hardware else system
    drawing = Drawing(rng, system, patience=70_000 if virtual and not hardware else 400, between=0 if virtual else 5)
    drawing.draw(OPERATIONS[board])
    code = its_code + drawn(system, drawing.operations, TICK[board] if hardware else 0)
    code += (HERE / "table_programs.c").read_text(encoding="utf-8").replace('#include "drawn.h"\n', "")
    passed = sum(o.late + (o.first if o.what in (Do.PASS, Do.LOCKED) else 0) for o in drawing.operations) + 3
    spare = 40_000_000 if not virtual else 1000
    outcome = lab.run(text, code, board, system=SYSTEM.get(board, ""), ticks=passed * (TICK[board] if hardware else 0) + spare)
    came = outcome.trace.output.splitlines()
    for number, (operation, must, line) in enumerate(zip(drawing.operations, drawing.lines, came, strict=False)):
        if must != line:
            before = [f"{o.code} {said}" for o, said in zip(drawing.operations[:number], drawing.lines, strict=False)][-12:]
            told = [f"{seed} on {board}, operation {number}: {operation}", *before, f"came {line}", f"must {must}"]
            pytest.fail("\n".join(told), pytrace=False)
    assert came[-1] == "end 0"
    assert len(came) == len(drawing.lines) + 1
    if beneath:
        its = outcome.task("Above")
        assert its.unstarted == 0
        assert its.activations > 10
        # Nothing but the program's own lock holds it back, in `record`, for as long as that writes: what a service gave may
        # have eight digits.
        longest = max(len(said) for said in re.findall(r"[a-z][0-9a-f]+\.[0-9a-f]+ ", outcome.trace.output))
        assert max(outcome.delays("Above")) < 64 + 12 * max(0, longest - 6)
    return len(drawing.lines)


@pytest.mark.parametrize(
    ("kind", "board"),
    [
        (kind, board)
        for kind in ("software", "hardware", "beneath, software", "beneath, hardware", "tickless, hardware", "alone, hardware")
        for board in TICK
        if (kind, board) in USUAL
        or (
            PROGRAMS
            and (not kind.startswith("beneath") or (board in ROUNDS_ON and (kind, board) != ("beneath, software", VIRTUAL_AST)))
            and (not kind.startswith("tickless") or board in CLOCK)
            and (not kind.startswith("alone") or board in ROUNDS_ON)
        )
    ],
)
def test_tables_do_what_the_model_says(
    lab: Laboratory, kind: str, board: str, record_property: Callable[[str, object], None]
) -> None:
    """``kind``: of the counters, and whether a round runs above them."""
    done = 0
    for seed in range(FIRST, FIRST + PROGRAMS) if PROGRAMS else USUAL[kind, board]:
        dispatch = "software" if board in (ATMEGA, RV32) or seed % 3 == 1 else "hardware"
        how, _, counters = kind.rpartition(", ")
        done += check(lab, board, f"{kind} {seed}", counters == "hardware", dispatch, how)
    record_property("schedule tables", {"operations": done})
