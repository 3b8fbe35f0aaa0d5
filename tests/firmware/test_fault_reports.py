# SPDX-License-Identifier: Apache-2.0
"""A run that a fault ends says who faulted, where, by what, and how its stack was."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from laboratory import AST, MPS, RV32, Laboratory
from typer.testing import CliRunner

from carillon.cli import app

pytestmark = pytest.mark.compiles  # lines are what the tests' own builds leave out

MICROBIT = "microbit"
SCHEDULE = """
[stacks]
refuse = "none"
[osek]
dispatch = "{dispatch}"
[osek.task.Filter]
priority = 1
events = ["e"]
stack = 512
autostart = true
[osek.event.e]
[osek.counter.K]
tick = "1ms"
[osek.alarm.a]
counter = "K"
set_event = {{ task = "Filter", event = "e" }}
autostart = {{ at = 2, cycle = 2 }}
"""
CODE = """
static volatile unsigned sum;
__attribute__((noinline, unused)) static void deep(unsigned n)
{{
    volatile unsigned words[16];
    words[0] = n;
    if (n > 0u) {{
        deep(n - 1u);
    }}
    sum += words[0];
}}
TASK(Filter)
{{
    (void)WaitEvent(e);
    {fault}
    for (;;) {{
        (void)ClearEvent(e);
        (void)WaitEvent(e);
    }}
}}
"""
READ = "sum += *(volatile unsigned *)0xFFFF0000u;"
UNDEFINED = '__asm__ volatile(".short 0xde00");'
ILLEGAL = '__asm__ volatile("unimp");'


def said(lab: Laboratory, board: str, fault: str, folder: Path) -> tuple[int, list[tuple[str, str]]]:
    """The exit code of a run, and the errors: code and cause."""
    path = lab.write(SCHEDULE.format(dispatch="software" if board == RV32 else "hardware"), CODE.format(fault=fault))
    done = CliRunner().invoke(app, ["run", str(path), "--board", board, "--out", str(folder), "--for", "20ms", "--json"])
    found = json.loads(done.stdout)["diagnostics"]
    return done.exit_code, [(d["code"], d["cause"]) for d in found if d["severity"] == "error"]


@pytest.mark.parametrize(
    ("board", "fault", "words"),
    [
        (AST, READ, "access to 0xffff0000 (no memory there)"),
        (MPS, READ, "access to 0xffff0000 (no memory there)"),
        (RV32, READ, "load from 0xffff0000 (no memory there)"),
        (RV32, "*(volatile unsigned *)0xFFFF0000u = 1u;", "store to 0xffff0000 (no memory there)"),
        (AST, UNDEFINED, "an undefined instruction"),
        (MPS, UNDEFINED, "an undefined instruction"),
        (MICROBIT, UNDEFINED, "exception 3 (HardFault)"),
        (RV32, ILLEGAL, "an illegal instruction"),
    ],
)
def test_a_fault_is_told_with_its_place_and_its_stack(
    lab: Laboratory, board: str, fault: str, words: str, tmp_path: Path
) -> None:
    code, errors = said(lab, board, fault, tmp_path)
    ((number, cause),) = errors
    assert (code, number) == (1, "C322")
    place = r" at 0x[0-9a-f]+, carillon_task_Filter \(main\.c:\d+\)"
    stack = r"its stack: \d+ of 512 bytes used"
    assert re.fullmatch(rf"task 'Filter' faulted{place}, at 2\.\d+ms of the run: {re.escape(words)}; {stack}", cause), cause
    line = int(re.search(r"main\.c:(\d+)", cause)[1])  # type: ignore[index]
    path = next(p for p in lab.folder.glob("*/main.c") if fault in p.read_text(encoding="utf-8"))
    assert fault in path.read_text(encoding="utf-8").splitlines()[line - 1]


def test_a_stack_pointer_that_has_left_its_stack_is_told(lab: Laboratory, tmp_path: Path) -> None:
    _, ((number, cause),) = said(lab, MPS, "deep(1000u);", tmp_path)
    assert number == "C322"
    assert re.search(r"; the stack pointer, 0x[0-9a-f]+, is outside its stack, 0x[0-9a-f]+ to 0x[0-9a-f]+$", cause), cause


@pytest.mark.parametrize(
    ("board", "words"), [(AST, r"access to 0x[0-9a-f]+ \(no memory there\)"), (MICROBIT, r"exception 3 \(HardFault\)")]
)
def test_a_stack_that_runs_out_of_memory_is_told(lab: Laboratory, board: str, words: str, tmp_path: Path) -> None:
    code, ((number, cause),) = said(lab, board, "deep(1000u);", tmp_path)
    assert (code, number) == (1, "C322")
    outside = r"the stack pointer, 0x[0-9a-f]+, is outside its stack, 0x[0-9a-f]+ to 0x[0-9a-f]+"
    assert re.fullmatch(rf"task 'Filter' faulted, at 2\.\d+ms of the run: {words}; {outside}", cause), cause


@pytest.mark.parametrize("board", [AST, RV32])
def test_a_run_without_a_fault_tells_none(lab: Laboratory, board: str, tmp_path: Path) -> None:
    assert said(lab, board, "sum++;", tmp_path) == (0, [])
