# SPDX-License-Identifier: Apache-2.0
"""A Giotto program on cells: which task of the kernel computes each of its tasks with each period, and at which ticks."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from carillon.diagnostics import Diagnostics
from carillon.model import System
from carillon.model.giotto import Giotto
from carillon.verify.elf import Elf
from carillon.verify.rounds import REMEDY


def check_invocations(system: System, program: Giotto, elf: Elf, diagnostics: Diagnostics) -> str:
    """Report C204, C205 and C207; what remains unverified.

    - Each task is computed for each period that a mode invokes it with, and for no other.
    - A shorter period is more urgent, and one period is one task of the kernel: so do rate-monotonic priorities say, for which
      the program was proved.
    - All that a mode does comes at ticks of the clock.
    """
    assert system.osek is not None
    assert system.time is not None
    names = [task.name.text for task in program.tasks]
    times = [Fraction(mode.period, a.frequency) for mode in program.modes for a in mode.activities]
    tick = Fraction(system.time.tick or 0) * 1000 / system.clock_hz
    if any(tick == 0 or time % tick for time in times):
        diagnostics.error("C204", program.start.span, f"the clock ticks every {tick} ms, at which not all blocks are due", REMEDY)
    rows = elf.rows("carillon_giotto_invocations")
    found = {(row["task"], row["period"]): row for row in rows if row["period"]}
    wanted = {
        (names.index(a.target.text), mode.period // a.frequency): a for mode in program.modes for a in mode.invocations
    }  # fmt: skip
    for (task, period), activity in wanted.items():
        if (task, period) not in found:
            cause = f"the image does not compute the task {names[task]} for {period} ms"
            diagnostics.error("C205", activity.span, cause, REMEDY)
    for task, period in found.keys() - wanted.keys():
        which = names[task] if task < len(names) else f"number {task}"
        cause = f"the image computes the task {which} for {period} ms, which no mode does"
        diagnostics.error("C205", program.start.span, cause, REMEDY)
    priorities = [task.priority for task in system.osek.tasks]
    wrong = [row for row in found.values() if row["rate"] >= len(priorities)]
    for row in wrong:
        cause = f"what is invoked every {row['period']} ms is computed by task {row['rate']} of the kernel, which there is not"
        diagnostics.error("C205", program.start.span, cause, REMEDY)
    for one, other in product([row for row in found.values() if row not in wrong], repeat=2):
        if one["period"] < other["period"] and priorities[one["rate"]] <= priorities[other["rate"]]:
            cause = f"what is invoked every {one['period']} ms is no more urgent than what is invoked every {other['period']} ms"
        elif one["period"] == other["period"] and one["rate"] < other["rate"]:
            cause = f"what is invoked every {one['period']} ms has two tasks of the kernel"
        else:
            continue
        diagnostics.error("C207", program.start.span, cause, REMEDY)
        break
    return "what a Giotto program's blocks and tasks do when they are called: that is compiled into functions"
