# SPDX-License-Identifier: Apache-2.0
"""How long a run takes where nothing is said: each alarm that starts by itself expires twice."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from carillon.cli.runs import run_length
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan

HEAD = """[system]
name = "app"
board = "virtual-256"
[osek.task.A]
priority = 1
[osek.counter.C]
tick = "1ms"
max_allowed = 65535
ticks_per_base = 1
min_cycle = 1
"""
COUNTER = '[osek.counter.{}]\nkind = "software"\nmax_allowed = 255\nticks_per_base = 1\nmin_cycle = 1\n'
ALARM = '[osek.alarm.{}]\ncounter = "{}"\n{}\nautostart = {{ at = 10, cycle = 10 }}\n'
CHAIN = [("First", "C", 'increment = "S"'), ("Second", "S", 'increment = "T"'), ("Third", "T", 'activate = "A"')]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_chain_of_counters_is_followed_in_any_order(order: tuple[int, ...], tmp_path: Path) -> None:
    alarms = "".join(ALARM.format(*CHAIN[k]) for k in order)
    path = tmp_path / "schedule.toml"
    path.write_text(HEAD + COUNTER.format("S") + COUNTER.format("T") + alarms, encoding="utf-8")
    planned = plan(path, Diagnostics())
    expirations = 10 * 10 * (10 + 2 * 10 + 1)
    assert run_length(planned, None, None) == (expirations * planned.system.clock_hz // 1000, 0)
