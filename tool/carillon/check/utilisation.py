# SPDX-License-Identifier: Apache-2.0
"""The worst-case execution times of a round's activations fit into the round (C042)."""

from __future__ import annotations

from carillon.check.common import by_task, time
from carillon.diagnostics import Diagnostics
from carillon.model import Mode, System

CODES = ("C042",)


def demand(mode: Mode, system: System) -> dict[str, int]:
    """Ticks of execution that each task needs in a round; tasks without a WCET count as nothing."""
    wcets = {task.name: task.wcet or 0 for task in system.tasks}
    return {task: wcets[task] * len(activations) for task, activations in by_task(mode).items()}


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report modes that need more than the whole processor, with each task's share."""
    for mode in system.modes:
        needed = demand(mode, system)
        total = sum(needed.values())
        if mode.round_length == 0 or total <= mode.round_length:
            continue
        shares = sorted(((ticks, task) for task, ticks in needed.items() if ticks), key=lambda s: (-s[0], s[1]))
        shown = ", ".join(f"'{task}' {_percent(ticks, mode)}" for ticks, task in shares[:8]) + (
            ", ..." if len(shares) > 8 else ""
        )
        cause = (
            f"mode '{mode.name}' needs {_percent(total, mode)} of the processor: {time(total, system)} of execution in "
            f"a round of {time(mode.round_length, system)}; {shown}"
        )
        diagnostics.error("C042", mode.span, cause, "lengthen the round or the periods, or shorten the tasks (and their wcet)")


def _percent(ticks: int, mode: Mode) -> str:
    """The share of the round with one decimal; a share above 100 % is rounded upwards, so that the excess shows."""
    tenths = -(-1000 * ticks // mode.round_length) if ticks > mode.round_length else 1000 * ticks // mode.round_length
    return f"{tenths // 10}.{tenths % 10} %"
