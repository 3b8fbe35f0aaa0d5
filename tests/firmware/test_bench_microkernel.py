# SPDX-License-Identifier: Apache-2.0
"""``carillon bench microkernel``: what its figures are, on a few cases."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from carillon.bench.microkernel import LOADS, MUST, Case, _rows, measured

pytestmark = pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="qemu-system-arm is not installed")


def test_the_parts_are_told_apart(tmp_path: Path) -> None:
    free = measured(Case(4, "edf", "short"), tmp_path / "free", 2)
    planned = measured(Case(4, "edf-s", "short"), tmp_path / "planned", 2)
    assert free is not None
    assert planned is not None
    for costs in (free, planned):
        assert abs(costs.utilisation - LOADS["short"]) < 0.01
        assert len(costs.microcode) == 120
        for metric, most in MUST.items():
            assert 0 < min(costs.samples[metric]) <= max(costs.samples[metric]) <= most
        parts = zip(costs.microcode, costs.e_code, costs.s_code, costs.scheduler, strict=True)
        assert all(whole >= e + s + chosen for whole, e, s, chosen in parts)
        assert sum(costs.e_code) > 0
        assert len(costs.samples["interpret_release"]) == 2 * (1 + 2 + 3 + 6)
    assert free.s_size == sum(free.s_code) == 0
    assert planned.s_size > 0
    assert sum(planned.scheduler) < sum(free.scheduler)
    assert sum(planned.s_code) > 0


def test_a_case_that_the_board_does_not_keep_is_late_and_has_no_other_figures(tmp_path: Path) -> None:
    case = Case(100, "edf-s", "long")
    costs = measured(case, tmp_path, 2)
    assert costs is not None
    assert len(costs.late) == 2
    assert min(costs.late) > 0
    assert [(r.metric, r.samples) for r in _rows(case, costs)] == [("late_100_long", 2)]
    assert [r.metric for r in _rows(case, None)] == ["infeasible_100_long"]
