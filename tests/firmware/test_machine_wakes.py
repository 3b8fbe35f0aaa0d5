# SPDX-License-Identifier: Apache-2.0
"""The clock wakes the machine of microcode when something is due: no more often than that, on time, with the tick's results."""

from __future__ import annotations

import random
from math import lcm
from pathlib import Path

import pytest
from laboratory import AST, HERE, VIRTUAL_AST, Laboratory, Outcome

from carillon.model.giotto import Machine
from carillon.trace import Kind

MS = 15_625
REACH = (1 << 24) - 1 - ((1 << 24) - 1) // 4
"""How far the clock of these boards can be set ahead, in ticks."""
BOARDS = [AST, VIRTUAL_AST]
CODE = """\
#include "giotto.h"
#include "carillon/osek.h"
#include "carillon/work.h"
#include "report.h"
#define MS (CARILLON_CLOCK_HZ / 1000u)
bool always(void) { return true; }
void zero(int *o) { *o = 0; }
void move(const int *from, int *to) { *to = *from; }
void put(const int *value) { report("put", (uint32_t)*value); }
"""


def made(folder: Path, frequencies: list[int], period: int, work: list[str], scode: str = "") -> Path:
    """A program whose tasks run so often in a period of so many milliseconds, each with a driver of its results."""
    folder.mkdir()
    tasks = range(len(frequencies))
    lines = [f"actuator {' '.join(f'int seen{k} uses put;' for k in tasks)}"]
    lines += [f"output {' '.join(f'int o{k} := zero;' for k in tasks)}"]
    lines += [f"task t{k} () output (o{k}) state () {{ schedule work{k}(o{k}) }} [wcet 1]" for k in tasks]
    lines += [f"driver d{k} (o{k}) output (int v) {{ if always() then move(o{k}, v) }}" for k in tasks]
    lines += [f"start m {{ mode m () period {period} {{"]
    lines += [f"actfreq {often} do seen{k}(d{k});" for k, often in enumerate(frequencies)]
    lines += [f"taskfreq {often} do t{k}();" for k, often in enumerate(frequencies)]
    functions = [f"void work{k}(int *o)\n{{\n    *o += {k + 1};\n    {does};\n}}\n" for k, does in enumerate(work)]
    (folder / "woken.giotto").write_text("\n".join([*lines, "} }"]) + "\n", encoding="ascii")
    (folder / "woken.c").write_text(CODE + "".join(functions), encoding="ascii")
    (folder / "report.h").write_text((HERE / "report.h").read_text(encoding="utf-8"), encoding="utf-8")
    if scode:
        (folder / "woken.scode").write_text(f".method {scode}\n", encoding="ascii")
    return folder / "woken.giotto"


def woken(outcome: Outcome) -> list[int]:
    """When the clock's interrupts come."""
    return outcome.at(Kind.ENTER, "clock")


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("seed", range(4))
def test_the_machine_is_woken_at_every_instant_and_at_no_other_time(lab: Laboratory, seed: int, board: str) -> None:
    chance = random.Random(seed)
    frequencies = [chance.randint(1, 4) for _ in range(chance.randint(1, 3))]
    unit = chance.randint(2, 30)
    period = unit * lcm(*frequencies)
    path = made(lab.folder / f"often{seed}{board}", frequencies, period, ["(void)0"] * len(frequencies))
    times = woken(lab.run_file(path, board, ticks=MS * period * 5))
    instants = sorted({k * period // often for often in frequencies for k in range(5 * often)})
    found = [round((t - times[0]) / MS) for t in times]
    assert found == instants[: len(found)], (frequencies, period)
    assert len(found) >= len(instants) - 1
    assert all(abs(t - times[0] - at * MS) < 100 for t, at in zip(times, instants, strict=False))  # nothing adds up


@pytest.mark.parametrize("board", BOARDS)
def test_what_is_farther_than_the_clock_reaches_comes_in_time(lab: Laboratory, board: str) -> None:
    path = made(lab.folder / f"far{board}", [1], 1900, ["(void)0"])
    outcome = lab.run_file(path, board, ticks=MS * 3 * 1900)
    assert len(woken(outcome)) <= 3 * (1 + 1900 * MS // (REACH // MS * MS))
    first, *later = outcome.at(Kind.RESUME, "t0")
    assert [round((t - first) / MS, 1) for t in later] == [1900.0, 3800.0]


LOCKED = "SuspendOSInterrupts(); carillon_work({}); ResumeOSInterrupts()"
WORK = {
    "a task ends between ticks": ["carillon_work(7u * MS / 3u)", "carillon_work(17u * MS / 10u)"],
    "the handler is held back": [LOCKED.format("33u * MS / 10u"), "(void)0"],
    "a task ends in a tick that is held back": [
        LOCKED.format("10u * MS"),
        "(void)0",
    ],
}


@pytest.mark.parametrize("scode", ["", "edf"])
@pytest.mark.parametrize("case", WORK)
def test_all_is_as_with_a_tick(lab: Laboratory, case: str, scode: str) -> None:
    path = made(lab.folder / f"same{list(WORK).index(case)}{scode}", [2, 5], 100, WORK[case], scode)
    outcomes = [lab.run_file(path, AST, machine=machine, ticks=MS * 505) for machine in (Machine.MICROCODE, Machine.TICKS)]
    reported = [outcome.reported for outcome in outcomes]
    least = min(map(len, reported))
    assert least > 30
    assert reported[0][:least] == reported[1][:least]
    for task in ("t0", "t1"):
        ends = [outcome.at(Kind.WAIT, task) for outcome in outcomes]
        shifts = {(one - other) * 10 // MS for one, other in zip(*ends, strict=False)}
        assert len(ends[0]) > 8
        assert max(shifts) - min(shifts) <= 1, shifts
    assert len(woken(outcomes[0])) <= 40  # 6 instants in each 100 ms, and what S code notes
