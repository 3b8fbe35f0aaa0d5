# SPDX-License-Identifier: Apache-2.0
"""``carillon verify`` finds nothing in the image of a random schedule: every board, every way to carry a round.

Every build verifies, so test_rounds.py tries its images too.  ``CARILLON_TRIES=N`` is the number of schedules for each
board, ``CARILLON_SEED=S`` another seed.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from boards import TARGETS
from drawing import Draw, toml

import asked
from building import build
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan
from sample import DRAW

WANTED = asked.tries(1)
SEED = asked.seed(DRAW)
IN_SOFTWARE = "dispatch in software: which task runs is decided while it runs (their tables are compared)"
OSEK = """
#include "os.h"
DeclareTask(High);
TASK(Low)
{
    for (;;) {
        (void)ActivateTask(High);
    }
}
TASK(High)
{
    TerminateTask();
}
"""


@pytest.mark.parametrize("board", sorted(TARGETS))
def test_nothing_is_found_where_nothing_is_wrong(board: str, tmp_path: Path) -> None:
    done = 0
    for number in range(1, 20 * WANTED + 20):
        case = Draw(random.Random(f"{SEED} {board} {number}"), TARGETS[board].profile).case()
        schedule = case.schedule
        names = [x.name for x in (*schedule.tasks, *schedule.interrupts)]
        bodies = [f"volatile unsigned n_{n};\nvoid {n}(void);\nvoid {n}(void)\n{{\n    n_{n}++;\n}}\n" for n in names]
        (tmp_path / "schedule.toml").write_text(toml(case), encoding="utf-8")
        code = '#include "carillon/osektime.h"\n' + "".join(bodies) + (OSEK if case.osek else "")
        (tmp_path / "main.c").write_text(code, encoding="utf-8")
        try:
            planned = plan(tmp_path / "schedule.toml", Diagnostics(), time_limit=1.0)
        except CarillonError:
            continue
        diagnostics = Diagnostics()
        firmware = build(planned.image, tmp_path / "build", diagnostics)
        assert firmware is not None, f"schedule {number}: " + "\n".join(map(str, diagnostics.errors)) + "\n" + toml(case)
        assert firmware.verified is not None
        in_software = planned.allocation.osek is not None and planned.allocation.osek.software
        assert firmware.verified.unverified == ((IN_SOFTWARE,) if in_software else ())
        assert sum(m.expiries for m in firmware.verified.modes) or not any(m.activations for m in schedule.modes)
        done += 1
        if done == WANTED:
            break
    assert done == WANTED
