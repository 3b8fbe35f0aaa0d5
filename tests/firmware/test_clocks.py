# SPDX-License-Identifier: Apache-2.0
"""Which clock: a board's ``[costs]`` measured again, and the advice on ``bench/clocks`` against what runs."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from laboratory import AN505, AST, MPS, ROOT, VIRTUAL_AST, Laboratory

from bench.papers.clocks import handlers, measured
from carillon.advise import advise
from carillon.diagnostics import Diagnostics
from carillon.model.board import Board
from carillon.model.time import ClockKind
from carillon.pipeline import plan

MEGA, MEGA2560 = "atmega128", "atmega2560"

TICK = 2000
"""Ticks of the system clock in a tick of time, of the programs that measure costs."""

PERIODIC, ONE_SHOT = ClockKind.PERIODIC, ClockKind.ONE_SHOT


# The costs


def lengths(lab: Laboratory, board: str, clock: ClockKind, wakes: int, alarms: int, *, based: bool = False) -> list[int]:
    """How long the clock's handlers are, the commonest first, with so many threads and alarms of one period.

    ``based``: a time base counts the ticks of a periodic clock.
    """
    unit = 1 if clock is PERIODIC else TICK
    lock = "" if based else f'longest_lock = "{TICK // 2} ticks"\n'
    tick = f'tick = "{TICK} ticks"\n{lock}' if clock is PERIODIC else ""
    schedule = f'[time]\nclock = "{clock.value}"\n{tick}[thread.Main]\npriority = 90\n'
    starts, code = "", ""
    for k in range(alarms):
        schedule += f"[osek.task.A{k}]\npriority = {k + 20}\n"
        code += f"TASK(A{k}) {{ TerminateTask(); }}\nstatic struct carillon_alarm a{k} = CARILLON_ALARM_OF_TASK(A{k});\n"
        starts += f"(void)carillon_alarm_start(&a{k}, {4 * unit}, CARILLON_INFINITE);\n"
    for k in range(wakes):
        schedule += f"[thread.W{k}]\npriority = {k}\n"
        code += f"THREAD(W{k}) {{ carillon_time next = epoch; for (;;) {{ (void)carillon_delay_until(&next, {4 * unit}); }} }}\n"
    head = '#include "carillon/time.h"\nstatic carillon_time epoch;\n'
    path = lab.write(schedule, f"{head}{code}THREAD(Main)\n{{\nepoch = carillon_now();\n{starts}}}\n")
    found = handlers(plan(path, Diagnostics(), board), path.parent / f"build-{board}", 100 * TICK, Diagnostics())
    counted = Counter(handler.length for handler in found[4:])  # the threads have begun
    return [length for length, _ in counted.most_common()]


@pytest.mark.parametrize("board", [AST, MPS, AN505, MEGA, MEGA2560, "arduino-uno"])
def test_the_costs_of_a_boards_clocks_are_what_it_declares(lab: Laboratory, board: str) -> None:
    declared = board_of(board).costs
    one_shot, periodic = declared[ONE_SHOT], declared[PERIODIC]
    served = periodic.interrupt + periodic.serving
    assert lengths(lab, board, PERIODIC, 2, 0) == [periodic.interrupt, served + 2 * periodic.wake]
    assert lengths(lab, board, PERIODIC, 0, 1) == [periodic.interrupt, served + periodic.alarm]
    if periodic.based_interrupt is not None:
        own = periodic.based  # more for a task, less for an alarm: within a tenth
        for wakes, alarms, more in ((2, 0, 2 * own.wake), (0, 1, own.alarm)):
            found = lengths(lab, board, PERIODIC, wakes, alarms, based=True)
            assert found == [own.interrupt, pytest.approx(own.interrupt + own.serving + more, rel=0.1)]
    assert lengths(lab, board, ONE_SHOT, 1, 0) == [one_shot.interrupt + one_shot.serving + one_shot.wake]
    assert lengths(lab, board, ONE_SHOT, 0, 1) == [one_shot.interrupt + one_shot.serving + one_shot.alarm]
    # What waits beside an alarm depends on how many, and on where it is put: within a tenth.
    beside = periodic.alarm + periodic.beside
    assert lengths(lab, board, PERIODIC, 0, 2)[1] == pytest.approx(served + 2 * beside, rel=0.1)


def board_of(name: str) -> Board:
    """A board of Carillon's own."""
    from carillon.read.board import load_board

    return load_board(ROOT / "boards" / name / "board.toml")


# The applications


@pytest.mark.parametrize(
    ("name", "board", "hyperperiods", "recommended"),
    [
        ("control", AST, 10, "periodic"),
        ("logger", AST, 1, "one-shot"),
        ("logger", VIRTUAL_AST, 1, "one-shot"),
        ("sampler", AST, 10, "cells"),
    ],
)
def test_the_clock_that_is_recommended_is_the_cheapest_that_runs(
    tmp_path: Path, name: str, board: str, hyperperiods: int, recommended: str
) -> None:
    costs = {}
    for found in measured(name, board, tmp_path, Diagnostics(), hyperperiods):
        prediction = found.prediction
        assert found.recommended == (prediction.name == recommended)
        assert found.interrupts == prediction.interrupts, prediction.name
        if prediction.code is not None:
            assert found.code == pytest.approx(float(prediction.code), rel=0.05), prediction.name
        costs[prediction.name] = (prediction.kind is not None, found.code, found.interrupts)
    assert min(costs, key=lambda clock: costs[clock]) == recommended


def test_a_timer_that_cannot_count_so_far_interrupts_in_between_as_predicted(lab: Laboratory) -> None:
    """Two seconds are three times what an Aspeed timer of 24 bits is set to at most."""
    code = (
        '#include "carillon/time.h"\nTHREAD(Main)\n{\ncarillon_time next = carillon_now();\n'
        "for (;;) { (void)carillon_delay_until(&next, (carillon_time)CARILLON_SECONDS(2)); }\n}\n"
    )
    path = lab.write('[time]\nclock = "one-shot"\n[thread.Main]\npriority = 1\nperiod = "2s"\n', code)
    planned = plan(path, Diagnostics(), AST)
    advice = advise(planned.system, planned.allocation)
    assert advice is not None
    assert advice.configured.interrupts == Fraction(3, 2)
    costs = planned.system.board.costs[ONE_SHOT]
    found = handlers(planned, path.parent / "build", 5 * 15_625_000, Diagnostics())
    lengths = [handler.length for handler in found]
    assert lengths[:3] == lengths[3:6] == [costs.interrupt] * 2 + [costs.interrupt + costs.serving + costs.wake]
