# SPDX-License-Identifier: Apache-2.0
"""The timers of an STM32F4, in rigless: one store starts them, and each task starts on its tick."""

from __future__ import annotations

import pytest
from laboratory import Kind, Laboratory

from runnable import RIGLESS

BOARDS = ("stm32f4-discovery", "nucleo-f429zi", "blackpill-f411")
SCHEDULE = """
[task.Current]
period = "50us"
deadline = "40us"
monitor = "always"
[task.Speed]
period = "1ms"
offset = "10us"
[task.Position]
period = "10ms"
offset = "20us"
"""
CODE = "".join(f"void {name}(void)\n{{\n}}\n" for name in ("Current", "Speed", "Position"))


@RIGLESS
@pytest.mark.parametrize("board", BOARDS)
def test_tasks_of_three_rates_start_without_jitter_and_drift(lab: Laboratory, board: str) -> None:
    outcome = lab.run(SCHEDULE, CODE, board, rounds=10)
    for name, count in {"Current": 2000, "Speed": 100, "Position": 10}.items():
        assert len(outcome.events(Kind.START, of=name)) == count
        assert len(set(outcome.delays(name))) == 1
    assert not outcome.events(Kind.DEADLINE_MISSED)


@RIGLESS
@pytest.mark.parametrize("board", BOARDS)
def test_a_deadline_that_is_missed_is_seen(lab: Laboratory, board: str) -> None:
    late = CODE.replace(
        "void Current(void)\n{\n", "void Current(void)\n{\n    for (volatile int i = 0; i < 5000; i++) {\n    }\n"
    )
    assert lab.run(SCHEDULE, late, board).events(Kind.DEADLINE_MISSED, of="Current")
