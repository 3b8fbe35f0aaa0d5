# SPDX-License-Identifier: Apache-2.0
"""A one-shot or compare clock loses nothing within what plan prints of locks, and C++ delays are never early."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from laboratory import AST, HERE, RV32, VIRTUAL, Laboratory
from typer.testing import CliRunner

from carillon.allocate.clock import ClockCell
from carillon.cli import app
from carillon.pipeline import Planned
from carillon.units import format_duration

LOCKS = """
#include "carillon/time.h"
THREAD(Main)
{
    for (uint32_t turn = 1u; turn <= 12u; turn++) {
        (void)carillon_delay(turn * 331u); /* whatever the clock is set to */
        const carillon_time before = carillon_now();
        DisableAllInterrupts();
        carillon_work(%du);
        EnableAllInterrupts();
        report("passed", (uint32_t)(carillon_now() - before));
    }
}
"""


def clock_of(planned: Planned) -> ClockCell:
    assert planned.image.osek is not None
    clock = planned.image.osek.allocation.clock
    assert clock is not None
    return clock


@pytest.mark.parametrize("kind", ["one-shot", "compare"])
@pytest.mark.parametrize("board", ["arduino-uno", "atmega128"])
def test_a_lock_as_long_as_the_plan_allows_loses_nothing(lab: Laboratory, board: str, kind: str) -> None:
    schedule = f'[time]\nclock = "{kind}"\n[thread.Main]\npriority = 1\n[osek]\n'
    planned, _ = lab.firmware(lab.write(schedule, LOCKS % 1), board)
    clock = clock_of(planned)
    lock = int(clock.held_back) - 300  # what stands around the work, and the clock's own time
    outcome = lab.run_file(lab.write(schedule, LOCKS % lock), board, ticks=planned.system.clock_hz // 4)
    passed = outcome.said("passed")
    assert len(passed) == 12
    assert all(lock <= ticks * clock.tick <= lock + 4000 for ticks in passed), passed
    said = CliRunner().invoke(app, ["plan", str(outcome.planned.system.file), "--board", board], env={"COLUMNS": "200"}).output
    assert f"may last {format_duration(clock.held_back, planned.system.clock_hz, 3)}; a longer one may lose a turn" in said


def test_rounds_that_hold_such_a_clock_back_for_too_long_are_told(lab: Laboratory) -> None:
    schedule = '[time]\nclock = "compare"\nbits = 16\n[thread.Main]\npriority = 1\n[osek]\n'
    schedule += '[task.R]\nperiod = "20ms"\nwcet = "{}"\n'
    code = LOCKS % 1 + "void R(void);\nvoid R(void) {}\n"
    for wcet, told in (("10us", False), ("19ms", True)):
        path = lab.write(schedule.format(wcet), code)
        said = CliRunner().invoke(app, ["check", str(path), "--board", VIRTUAL], env={"COLUMNS": "200"}).output
        assert ("C196: the compare clock may lose a turn" in said) == told, said


EARLY = """
#include "carillon/time.hpp"
#include "report.h"
#include "carillon/work.h"
using namespace carillon;
static Chronometer c;
THREAD(T)
{{
    for (uint32_t k = 1u; k <= 12u; k++) {{
        Alarm::delay(1);
        carillon_work(CARILLON_CLOCK_HZ / 1000000u * {phase}u * k); /* anywhere within a tick */
        c.reset();
        c.start();
        (void)Alarm::delay({time}u);
        c.stop();
        report("took", (uint32_t)c.read());
        c.reset();
        c.start();
        Delay pause({time}u);
        c.stop();
        report("took", (uint32_t)c.read());
    }}
}}
"""


PERIODIC = ['"periodic"\ntick = "10ms"', '"periodic"\ntick = "1ms"']
KINDS = {VIRTUAL: ['"one-shot"', '"compare"'], AST: ['"one-shot"'], RV32: ['"compare"'], "atmega128": ['"one-shot"', '"compare"']}


@pytest.mark.parametrize(("board", "clock"), [(board, clock) for board, own in KINDS.items() for clock in (*PERIODIC, *own)])
@pytest.mark.parametrize("longest", ["", 'longest = "15ms"\n'])
def test_a_delay_in_cplusplus_is_never_early(lab: Laboratory, tmp_path: Path, board: str, clock: str, longest: str) -> None:
    if longest and board != AST:
        pytest.skip("one board says it")
    keys = f"[time]\nclock = {clock}\n{longest}[thread.T]\npriority = 1\nstack = 1024\n"
    (tmp_path / "schedule.toml").write_text(f'[system]\nname = "early"\n{keys}', encoding="utf-8")
    (tmp_path / "main.cpp").write_text(EARLY.format(phase=731, time=15_000), encoding="utf-8")
    shutil.copy(HERE / "report.h", tmp_path)
    planned, _ = lab.firmware(tmp_path / "schedule.toml", board)
    outcome = lab.run_file(tmp_path / "schedule.toml", board, ticks=planned.system.clock_hz)
    took = outcome.said("took")
    late = 2 * clock_of(planned).tick * 1_000_000 / planned.system.clock_hz + 200
    assert len(took) == 24
    assert all(15_000 <= us <= 15_000 + late for us in took), took
