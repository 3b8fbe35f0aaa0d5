# SPDX-License-Identifier: Apache-2.0
"""Which clock: a board's ``[costs]`` measured again, and the advice on ``bench/clocks`` against what runs."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest
from laboratory import AST, MPS, ROOT, VIRTUAL_AST, Laboratory

from carillon.allocate.advice import Advice, Prediction, advise
from carillon.build import build
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.emit import osek
from carillon.model.board import Board
from carillon.model.time import ClockKind
from carillon.pipeline import Planned, plan
from carillon.run import record
from carillon.run.records import DELIVER, Code

MEGA, MEGA2560 = "atmega128", "atmega2560"
ENTRY = 4
"""Cycles of an interrupt's entry, which simavr does not charge."""

TICK = 2000
"""Ticks of the system clock in a tick of time, of the programs that measure costs."""

PERIODIC, ONE_SHOT = ClockKind.PERIODIC, ClockKind.ONE_SHOT


BEGUN = 8
"""Interrupts after which every thread and alarm has begun."""


@dataclass(frozen=True)
class Handlers:
    """Interrupts of a run, from its start, and how long the kernel's code in them is."""

    begins: tuple[int, ...]
    lengths: tuple[int, ...]


def handlers(planned: Planned, folder: Path, ticks: int) -> Handlers:
    """Build and run; the clock's handlers, in instructions (ticks where code takes no time), or those of alarms' cells.

    A cell's vector is the task itself: the kernel has no code there.
    """
    diagnostics = Diagnostics()
    firmware = build(planned.image, folder, diagnostics)
    assert firmware is not None, [str(d) for d in diagnostics.found]
    recording = record(planned.image, firmware, ticks, diagnostics)
    assert recording is not None, [str(d) for d in diagnostics.found]
    allocation = planned.allocation.osek
    assert allocation is not None
    native = planned.system.board.run.kind == "native"
    entry_cycles = ENTRY if planned.system.board.run.kind == "simavr" else 0
    table, vectors = symbols(firmware.elf), osek.vectors(planned.image)
    if allocation.clock is None:
        assert all(alarm.direct for alarm in allocation.alarms)
    deliver = table.get(DELIVER, (-1, 0))[0]
    sources = [carrier.source for carrier in allocation.carriers]
    values = {source if native else table[vectors[source]][0] & ~1 for source in sources}
    begins: list[int] = []
    lengths: list[int] = []
    for entry in recording.records:
        delivers = entry.code == Code.CALL and entry.value == deliver  # in software, within the handler
        if (entry.code in (Code.ENTER, Code.EXIT) or delivers) and len(lengths) < len(begins):  # nothing is above it
            lengths.append(entry.time - begins[-1] + entry_cycles if allocation.clock is not None else 0)
        if entry.code == Code.ENTER and (entry.value if native else entry.value & ~1) in values:
            begins.append(entry.time)
    return Handlers(tuple(begins), tuple(lengths))


# The costs


def lengths(lab: Laboratory, board: str, clock: ClockKind, wakes: int, alarms: int) -> list[int]:
    """How long the clock's handlers are, the commonest first, with so many threads and alarms of one period."""
    unit = 1 if clock is PERIODIC else TICK
    tick = f'tick = "{TICK} ticks"\n' if clock is PERIODIC else ""
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
    found = handlers(plan(path, Diagnostics(), board), path.parent / f"build-{board}", 100 * TICK)
    counted = Counter(found.lengths[4:])  # the threads have begun
    return [length for length, _ in counted.most_common()]


@pytest.mark.parametrize("board", [AST, MPS, MEGA, MEGA2560])
def test_the_costs_of_a_boards_clocks_are_what_it_declares(lab: Laboratory, board: str) -> None:
    declared = board_of(board).costs
    one_shot, periodic = declared[ONE_SHOT], declared[PERIODIC]
    served = periodic.interrupt + periodic.serving
    assert lengths(lab, board, PERIODIC, 2, 0) == [periodic.interrupt, served + 2 * periodic.wake]
    assert lengths(lab, board, PERIODIC, 0, 1) == [periodic.interrupt, served + periodic.alarm]
    assert lengths(lab, board, ONE_SHOT, 1, 0) == [one_shot.interrupt + one_shot.serving + one_shot.wake]
    assert lengths(lab, board, ONE_SHOT, 0, 1) == [one_shot.interrupt + one_shot.serving + one_shot.alarm]
    # What waits beside an alarm depends on how many, and on where it is put: within a tenth.
    beside = periodic.alarm + periodic.beside
    assert lengths(lab, board, PERIODIC, 0, 2)[1] == pytest.approx(served + 2 * beside, rel=0.1)


def board_of(name: str) -> Board:
    """A board of Carillon's own."""
    from carillon.model.board import load_board

    return load_board(ROOT / "boards" / name / "board.toml")


# The applications


def under(lab: Laboratory, name: str, board: str, prediction: Prediction) -> Planned:
    """An application of ``bench/clocks`` with another clock."""
    source = ROOT / "bench/clocks" / name
    copy = lab.folder / f"{name}-{board}-{prediction.name}-{prediction.tick}"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("build"), dirs_exist_ok=True)
    schedule = copy / "schedule.toml"
    if prediction.kind is None:
        return plan(copy / "cells.toml", Diagnostics(), board)
    tick = f'\ntick = "{prediction.tick} ticks"' if prediction.kind is PERIODIC else ""
    text = re.sub(r"^tick = .*\n", "", schedule.read_text(encoding="utf-8"), flags=re.MULTILINE)
    schedule.write_text(re.sub(r"^clock = .*", f'clock = "{prediction.name}"{tick}', text, flags=re.MULTILINE), encoding="utf-8")
    return plan(schedule, Diagnostics(), board)


def advised(name: str, board: str) -> Advice:
    planned = plan(ROOT / "bench/clocks" / name / "schedule.toml", Diagnostics(), board)
    found = advise(planned.system, planned.allocation)
    assert found is not None
    return found


def measured(lab: Laboratory, name: str, board: str, prediction: Prediction, cycle: int) -> tuple[Fraction, Fraction]:
    """Interrupts and code a second in the clock's handlers, over a hyperperiod of so many ticks."""
    planned = under(lab, name, board, prediction)
    clock = planned.system.board.clock(planned.system.clock_hz)
    found = handlers(planned, planned.system.file.parent / "build", 2 * cycle)
    begin = sum(found.begins[BEGUN : BEGUN + 2]) // 2  # between two interrupts
    end = begin + cycle * (clock.instructions_per_tick or 1)
    assert found.begins[-1] >= end
    chosen = [length for at, length in zip(found.begins, found.lengths, strict=False) if begin <= at < end]
    seconds = Fraction(cycle, clock.hz)
    return len(chosen) / seconds, sum(chosen) / seconds


@pytest.mark.parametrize(
    ("name", "board", "cycle", "recommended"),
    [
        ("control", AST, 10 * 312_500, "periodic"),
        ("logger", AST, 51_562_500, "one-shot"),
        ("logger", VIRTUAL_AST, 51_562_500, "one-shot"),
        ("sampler", AST, 10 * 37_500, "cells"),
    ],
)
def test_the_clock_that_is_recommended_is_the_cheapest_that_runs(
    lab: Laboratory, name: str, board: str, cycle: int, recommended: str
) -> None:
    advice = advised(name, board)
    assert advice.recommended.name == recommended
    costs = {}
    for prediction in advice.predictions:
        interrupts, code = measured(lab, name, board, prediction, cycle)
        assert interrupts == prediction.interrupts, prediction.name
        if prediction.code is not None:
            assert code == pytest.approx(float(prediction.code), rel=0.05), prediction.name
        costs[prediction.name] = (prediction.kind is not None, code, interrupts)
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
    found = handlers(planned, path.parent / "build", 5 * 15_625_000)
    assert found.lengths[2] == found.lengths[5] == costs.interrupt + costs.wake
    assert found.lengths[:2] == found.lengths[3:5] == pytest.approx((costs.interrupt,) * 2, rel=0.05)
