# SPDX-License-Identifier: Apache-2.0
"""Matches of a counter that turns: what a handler may be late by."""

from __future__ import annotations

import pytest
from laboratory import Laboratory, task

from carillon.trace import Kind

PERIOD = 40_000
TURN = 65_536
SYSTEM = 'clock = "1MHz"'


@pytest.mark.parametrize("work", [39_990, 79_980, 95_000])
def test_a_handler_that_is_late_by_less_than_a_turn_keeps_its_phase(lab: Laboratory, work: int) -> None:
    """The handler that is late is that of the expiry at 2 * PERIOD: by 0, by a period less, and by a period more."""
    code = task("A", f"static int n;\nif (++n == 2) {{ carillon_work({work}u); }}")
    outcome = lab.run(f'[task.A]\nperiod = "{PERIOD} ticks"\n', code, "microbit", system=SYSTEM, rounds=9)
    late = [n / outcome.per_tick % PERIOD for n in outcome.at(Kind.START, "A")]
    assert all(phase < 3 or PERIOD - phase < 3 for phase in late[4:])
    assert len(late) > 5


def test_the_plan_says_how_long_a_turn_is(lab: Laboratory) -> None:
    path = lab.write(f'[task.A]\nperiod = "{PERIOD} ticks"\n', task("A"), system=SYSTEM)
    for board, turns in (("microbit", True), ("raspberry-pi-pico", False)):
        planned, _ = lab.firmware(path, board)
        said = [r for r in planned.allocation.modes[0].reasons if f"turns every {TURN} ticks" in r]
        assert bool(said) == turns, board
