# SPDX-License-Identifier: Apache-2.0
"""Cells that the application drives itself: Carillon uses none of them, and changes nothing of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from laboratory import AST, MPS, Laboratory

from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan
from carillon.read.board import load_board
from carillon.resources import find_board
from carillon.trace import Kind
from carillon.verify import verify

DRIVER = """
static uint32_t runs;
static void driver_start(void)
{
    *(volatile uint32_t *)0x7E782004u = 4999u; /* TMR1: reload */
    *(volatile uint32_t *)0x7E782030u = 5u;    /* enable, interrupt */
}
void driver(void)
{
    carillon_work(20u);
    runs++;
}
void ttStartupHook(void)
{
    driver_start();
}
"""
ROUND = """
reserve = ["TMR1"]
[interrupt.driver]
source = "TMR1"
[task.A]
period = "10000 ticks"
wcet = "100 ticks"
[task.B]
period = "20000 ticks"
offset = "3000 ticks"
wcet = "100 ticks"
"""


@pytest.mark.parametrize("kernel", ["carillon", "conventional"])
def test_a_reserved_timer_runs_on_beside_a_round(lab: Laboratory, kernel: str) -> None:
    code = DRIVER + 'ttTASK(A) { report("runs", runs); }\nttTASK(B) { }\n'
    outcome = lab.run(ROUND, code, AST, kernel=kernel, rounds=5)
    assert [b - a for a, b in pairwise(outcome.said("runs"))] == [2] * 9
    assert all("TMR1" not in use.cell.name for m in outcome.planned.allocation.modes for c in m.carriers for use in c.cells)
    assert len(outcome.at(Kind.START, "A")) == 10


EVENTS = """
[system]
reserve = ["{0}"]
[osek.counter.C]
tick = "1ms"
max_allowed = 100
[osek.counter.D]
tick = "2ms"
max_allowed = 100
[osek.alarm.A]
counter = "C"
activate = "T"
autostart = {{ at = 1, cycle = 2 }}
static = true
[osek.alarm.B]
counter = "D"
activate = "U"
autostart = {{ at = 1, cycle = 3 }}
[osek.task.T]
priority = 2
budget = "100us"
[osek.task.U]
priority = 1
[time]
clock = "one-shot"
[thread.X]
priority = 3
"""


@pytest.mark.parametrize("board", [AST, MPS, "atmega128", "atmega2560", "virtual-ast1030-evb", "tc1796"])
def test_nothing_uses_what_is_reserved_whatever_it_is(tmp_path: Path, board: str) -> None:
    path = find_board(board, None)
    assert path is not None
    names = [array.names[k] for array in load_board(path).cells for k in sorted({0, len(array.names) - 1})]
    used = 0
    for text in (
        EVENTS,
        EVENTS.replace('budget = "100us"\n', "").replace("static = true\n", ""),
        "[system]" + ROUND.replace("TMR1", "{0}"),
    ):
        for name in names:
            schedule = tmp_path / "schedule.toml"
            schedule.write_text(text.format(name), encoding="utf-8")
            diagnostics = Diagnostics()
            try:
                planned = plan(schedule, diagnostics, board)
            except CarillonError:  # the others do not suffice
                continue
            osek = planned.image.osek
            cells = [c.use.cell.name for c in osek.cells] if osek is not None else []
            cells += [c.use.cell.name for m in planned.image.modes for c in m.cells]
            assert not set(planned.system.board.reserved) & set(cells), name
            used += len(cells)
    assert used


@pytest.mark.parametrize(("name", "what"), [("TMR2", "TMR2"), ("TMR8", "TMR8")], ids=["used", "its bits overwritten"])
def test_verify_refuses_an_image_that_changes_a_reserved_cell(lab: Laboratory, name: str, what: str) -> None:
    code = DRIVER + 'ttTASK(A) { report("runs", runs); }\nttTASK(B) { }\n'
    outcome = lab.run(ROUND, code, AST, rounds=5)
    system = outcome.planned.system
    elsewhere = replace(system, board=system.board.reserving(["TMR1", name]))
    diagnostics = Diagnostics()
    verify(elsewhere, outcome.firmware.elf, diagnostics)
    assert [d.code for d in diagnostics.errors] == ["C209"]
    assert f"changes {what}; the schedule reserves it" in str(diagnostics.errors[0])
    diagnostics = Diagnostics()
    verify(system, outcome.firmware.elf, diagnostics)
    assert not diagnostics.reported
