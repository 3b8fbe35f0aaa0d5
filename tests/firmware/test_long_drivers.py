# SPDX-License-Identifier: Apache-2.0
"""The machine's time where a driver, a lock or an ISR holds its tick back for several ticks: what comes next is in time again."""

from __future__ import annotations

import pytest
from laboratory import AST, HERE, MPS, VIRTUAL_AST, Laboratory

from carillon.model.giotto import Machine
from carillon.trace import Kind

HZ = {VIRTUAL_AST: 15_625_000, AST: 15_625_000, MPS: 25_000_000}
PROGRAM = """
actuator long led uses put_led;
output long o := zero;
task t () output (o) state () { schedule work(o) } [wcet 1]
driver d (o) output (long v) { if always() then move(o, v) }
start m { mode m () period 20 { actfreq 1 do led(d); taskfreq 1 do t(); } }
"""
CODE = """
#include "giotto.h"
#include "carillon/osek.h"
#include "carillon/work.h"
#include "report.h"
#define MS (CARILLON_CLOCK_HZ / 1000u)
void zero(long *o) { *o = 0; }
bool always(void) { return true; }
void put_led(const long *value) { report("led", (uint32_t)*value); }
void work(long *o)
{
    static long calls;
    *o += 1;
    calls++;
    if (calls % 5 == 2) { HELD_BY_TASK; }
}
void move(const long *from, long *to)
{
    static long calls;
    *to = *from;
    calls++;
    if (calls % 5 == 4) { HELD_BY_DRIVER; }
}
"""
LOCKED = "SuspendOSInterrupts(); carillon_work({ticks}); ResumeOSInterrupts()"
CASES = {
    "a driver": ("carillon_work(5u * MS / 2u)", "(void)0", {3}),
    "a driver for a whole period": ("carillon_work(21u * MS)", "(void)0", {3, 4}),
    "a lock": ("(void)0", LOCKED.format(ticks="73u * MS / 10u"), {1}),
    "a lock over an instant": ("(void)0", LOCKED.format(ticks="25u * MS"), {1, 2}),
    "both": ("carillon_work(7u * MS / 3u)", LOCKED.format(ticks="2u * MS"), {1, 3}),
}
"""What a driver does in its fourth call of five, and a task in its second; and in which instants of five something is late."""


@pytest.mark.parametrize("board", [VIRTUAL_AST, AST, MPS])
@pytest.mark.parametrize("case", CASES)
def test_what_comes_after_a_held_back_tick_is_in_time(lab: Laboratory, case: str, board: str) -> None:
    folder = lab.folder / f"held{list(CASES).index(case)}{board}"
    folder.mkdir()
    by_driver, by_task, lates = CASES[case]
    (folder / "held.giotto").write_text(PROGRAM, encoding="ascii")
    source = f"#define HELD_BY_DRIVER {by_driver}\n#define HELD_BY_TASK {by_task}\n{CODE}"
    (folder / "held.c").write_text(source, encoding="ascii")
    (folder / "report.h").write_text((HERE / "report.h").read_text(encoding="utf-8"), encoding="utf-8")
    outcome = lab.run_file(folder / "held.giotto", board, machine=Machine.MICROCODE, ticks=HZ[board] * 61 // 100)
    ms = HZ[board] // 1000 * outcome.per_tick
    times = [t / ms for t in outcome.at(Kind.RESUME, "t")]
    first = min(t % 20 for t in times)
    begun: dict[int, float] = {}
    for t in times:
        begun.setdefault(int((t - first) / 20), (t - first) % 20)
    late = {k for k, by in begun.items() if by > 0.2}
    assert late <= {k for k in range(31) if k % 5 in lates}, begun
    assert begun.keys() >= {k for k in range(30) if k % 5 not in lates}, begun
    assert len([value for name, value in outcome.reported if name == "led"]) == 31  # once in each instant
