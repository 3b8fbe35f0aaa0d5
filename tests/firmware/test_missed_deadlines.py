# SPDX-License-Identifier: Apache-2.0
"""Giotto programs whose tasks take too long: each missed deadline is an event, a figure and a warning; --strict ends with 3."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from carillon.cli import app

PROGRAM = """\
output long o := zero; long p := zero;
task t () output (o) state () { schedule work(o) } [wcet 8]
task u () output (p) state () { schedule other(p) } [wcet 4]
start m { mode m () period 20 { taskfreq 1 do t(); taskfreq 2 do u(); } }
"""
CODE = """\
#include "giotto.h"
#include "carillon/work.h"
#include "carillon_config.h"
void zero(long *o) { *o = 0; }
void work(long *o) { *o += 1; carillon_work((uint32_t)(%dull * CARILLON_CLOCK_HZ / 1000000u)); }
void other(long *o) { *o += 1; carillon_work((uint32_t)(%dull * CARILLON_CLOCK_HZ / 1000000u)); }
"""
MACHINES = [("virtual-256", m) for m in ("microcode", "cells")]
MACHINES += [("ast1030-evb", m) for m in ("microcode", "cells")]
MACHINES += [("mps2-an385", m) for m in ("microcode", "cells")]
MACHINES += [("arduino-uno", "cells"), ("qemu-rv32-virt", "cells")]


def ran(
    folder: Path, board: str, machine: str, work: int, other: int
) -> tuple[int, str, list[tuple[float, str]], dict[str, int]]:
    """What a run of 200 ms gives: its exit code, its warnings, when each deadline was missed, and how many by the summary."""
    (folder / "over.giotto").write_text(PROGRAM, encoding="ascii")
    (folder / "over.c").write_text(CODE % (work, other), encoding="ascii")
    program = str(folder / "over.giotto")
    options = ["--board", board, "--machine", machine, "--json"]
    length = ["--for", "200ms", "--strict", "--events", str(folder / "events"), "--out", str(folder / "build")]
    result = CliRunner().invoke(app, ["run", program, *options, *length])
    report = json.loads(result.stdout)
    said = "\n".join(f"{d['code']} {d['cause']}" for d in report["diagnostics"])
    lines = [json.loads(line) for line in (folder / "events").read_text(encoding="ascii").splitlines()]
    planned = json.loads(CliRunner().invoke(app, ["plan", program, *options]).stdout)
    missed = [(1000 * e["t"] / planned["clock_hz"], e["object"]) for e in lines if e["event"] == "deadline_missed"]
    tasks = {task["name"]: task["deadlines_missed"] for task in report["runs"][0]["summary"]["tasks"]}
    return result.exit_code, said, missed, tasks


@pytest.mark.parametrize(("board", "machine"), MACHINES)
def test_what_takes_too_long_is_told(tmp_path: Path, board: str, machine: str) -> None:
    """110 % of the processor: t takes 14 ms of 20, and u 4 of 10."""
    code, said, missed, tasks = ran(tmp_path, board, machine, 14_000, 3_900)
    assert code == 3
    late = "u" if machine == "microcode" else "t"  # by deadlines, or by periods
    assert re.search(r"^C245 task 't' executed for 14(\.0\d*)?ms, and its WCET is 8ms: what was checked", said, re.M), said
    assert re.search(
        rf"^C249 task '{late}' missed 9 of its deadlines, the first at [23]\d(\.0\d*)?ms: its results were due", said, re.M
    )
    assert said.count("C245") == said.count("C249") == 1
    assert {task for _, task in missed} == {late}
    assert tasks == {"t": 0, "u": 0} | {late: 9}
    # The start is at the first tick, a millisecond (microcode) or 10 (cells); each is found at an instant.
    first = 1 if machine == "microcode" else 10
    assert all(((at - first) % 10) < 0.2 for at, _ in missed), missed


@pytest.mark.parametrize(("board", "machine"), MACHINES)
def test_what_takes_as_long_as_is_declared_is_not(tmp_path: Path, board: str, machine: str) -> None:
    code, said, missed, tasks = ran(tmp_path, board, machine, 7_900, 3_900)
    assert (code, said, missed, tasks) == (0, "", [], {"t": 0, "u": 0})
