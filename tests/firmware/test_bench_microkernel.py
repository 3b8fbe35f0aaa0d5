# SPDX-License-Identifier: Apache-2.0
"""``python -m bench.papers microkernel``: what its figures are, on a few cases."""

from __future__ import annotations

import io
import re
import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from rich.console import Console

import asked
from bench.papers.benchmarks import render
from bench.papers.laws import LAWS, law_rows
from bench.papers.microkernel import (
    LOADS,
    METHODS,
    MUST,
    MUST_IMAGE,
    TASKS,
    Case,
    Costs,
    _nonpreemptive,
    _rows,
    completions,
    measured,
    microkernel,
    of_image,
)
from bench.papers.rows import BOARD, row
from bench.papers.vee import METRICS
from bench.papers.watched import BEGIN, DISPATCHER, END, SCHEDULER, Watched
from carillon.diagnostics import Diagnostics
from carillon.trace.timeline import IDLE, KERNEL, Lane, LaneKind, Moment, Segment

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "papers.md"
COMMAND = "python -m bench.papers microkernel | sed -n '/^table 3/,$p' | sed '/^ *10 /,/^ *50 *cells/d'"
"""The guide shows the cases of 4 and 100 short tasks, and the figures of the machine."""
BLOCK = re.compile(
    rf"<!-- begin: {re.escape(COMMAND)} -->\n```console\n\$ {re.escape(COMMAND)}\n(.*?)```\n<!-- end -->", re.DOTALL
)
LEFT_OUT = re.compile(r"^ +10 .*?^ +50 +cells [^\n]*\n", re.DOTALL | re.MULTILINE)

PER_MS = 15_625
"""Instructions of the board in a millisecond."""

pytestmark = pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="qemu-system-arm is not installed")


def test_the_parts_are_told_apart(tmp_path: Path) -> None:
    free = measured(Case(4, "edf", "short"), tmp_path / "free", 2)
    planned = measured(Case(4, "edf-s", "short"), tmp_path / "planned", 2)
    assert free is not None
    assert planned is not None
    for costs in (free, planned):
        machines = Fraction(sum(costs.microcode), len(costs.microcode) * PER_MS)
        assert abs(costs.utilisation - machines - LOADS["short"]) < 0.001
        assert len(costs.microcode) == 120
        for metric, most in MUST.items():
            if metric == "completion_next" and costs is free:
                assert costs.samples[metric] == []
                continue
            assert 0 < min(costs.samples[metric]) <= max(costs.samples[metric]) <= most
        parts = zip(costs.microcode, *costs.parts.values(), strict=True)
        assert all(whole >= e + s + chosen for whole, e, s, chosen in parts)
        assert sum(costs.parts["e_code"]) > 0
        assert len(costs.samples["interpret_release"]) == 2 * (1 + 2 + 3 + 6)
    assert free.s_size == sum(free.parts["s_code"]) == 0
    assert planned.s_size > 0
    assert sum(planned.parts["scheduler"]) < sum(free.parts["scheduler"])
    assert sum(planned.parts["s_code"]) > 0


def test_a_completion_is_one_after_which_s_code_begins_another_task_at_once() -> None:
    def had(lane: Lane, begin: int, end: int) -> Segment:
        return Segment(lane, -1, Moment(0, begin, 0), Moment(0, end, 0))

    first, second, third = (Lane(LaneKind.TASK, name) for name in ("first", "second", "third"))
    segments = (
        had(first, 0, 130),
        had(second, 130, 500),  # it begins at 150
        had(third, 500, 900),  # it goes on, and has no begin
        had(second, 900, 1000),  # it begins at 920, after the scheduler was asked
        had(KERNEL, 1000, 1050),
        had(second, 1050, 1200),
        had(first, 1200, 1300),  # the second one has ended before the tick
        had(IDLE, 1300, 2000),
        had(KERNEL, 2000, 2200),
        had(first, 2200, 3000),
        had(second, 3000, 4000),
    )
    turns = [(10, BEGIN), (100, END), (110, *DISPATCHER), (150, BEGIN), (450, END), (800, END), (810, SCHEDULER[0])]
    turns += [(920, BEGIN), (990, END), (1220, BEGIN), (1280, END), (2230, BEGIN), (2970, END), (3019, BEGIN)]
    run = Watched(PER_MS, segments, tuple(turns), (1,) * len(turns), ())
    assert [*completions(run)] == [(100, 50), (2970, 49)]


@pytest.mark.parametrize(("tasks", "percents"), [(4, (81, 81)), (100, (93, 86))])
def test_the_guide_says_which_part_of_the_processor_is_taken_with_edf_and_with_s_code(
    tmp_path: Path, tasks: int, percents: tuple[int, int]
) -> None:
    for method, percent in zip(("edf", "edf-s"), percents, strict=True):
        costs = measured(Case(tasks, method, "long"), tmp_path / method, 2)
        assert costs is not None
        assert round(100 * costs.utilisation) == percent
    shown = "{} % and {} %".format(*percents)
    (line,) = re.findall(r"^\| section 7: utilisation.*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert f"{shown} with {tasks}" in line


@pytest.mark.parametrize("tasks", TASKS)
def test_a_program_with_nonpreemptive_s_code_has_no_preemptions(tmp_path: Path, tasks: int) -> None:
    """With long tasks, what the machine takes moves the ends of many of them over the borders of blocks."""
    case = Case(tasks, "nonpreemptive-s", "long")
    costs = measured(case, tmp_path, 3)
    assert costs is not None
    assert costs.preemptions == costs.late == [0, 0, 0]
    assert costs.ended == 3 * sum((1, 2, 3, 6)[k % 4] for k in range(tasks))
    rows = _nonpreemptive(case, costs)
    assert [r.kernel for r in rows] == list(METHODS[:4])
    assert all(r.maximum == r.must == 0 for r in rows)


def test_preemptions_are_seen_where_there_are_any(tmp_path: Path) -> None:
    costs = measured(Case(100, "edf-s", "long"), tmp_path, 2)
    assert costs is not None
    assert min(costs.preemptions) > 0
    completions_next = costs.samples["completion_next"]
    assert 2 * len(completions_next) > costs.ended
    assert max(completions_next) <= MUST["completion_next"]


def test_e_code_is_linear_s_code_constant_and_edf_logarithmic_in_the_tasks(tmp_path: Path) -> None:
    cases = [Case(tasks, method, "short") for tasks in TASKS for method in ("edf", "edf-s")]
    found: dict[Case, Costs] = {}
    for case in cases:
        costs = measured(case, tmp_path / f"{case.tasks}-{case.method}", 1)
        assert costs is not None
        found[case] = costs
    of_cases = (law_rows(BOARD, case.method, case.tasks, costs.parts, costs.ended) for case, costs in found.items())
    rows = {r.metric: r for its in of_cases for r in its}
    assert set(rows) == {f"{law}_{tasks}" for law in LAWS for tasks in TASKS}
    for r in rows.values():
        assert r.must is not None
        assert 0 < r.maximum <= r.must
    edf = {tasks: rows[f"edf_per_task_{tasks}"].maximum for tasks in TASKS}
    assert edf[4] < edf[10] < edf[50] < edf[100] < 3 * edf[4]
    for part in ("e_code", "s_code"):
        assert rows[f"{part}_per_task_100"].maximum <= rows[f"{part}_per_task_50"].maximum


def test_a_case_that_the_board_does_not_keep_is_late_and_has_no_other_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LOADS, "long", Fraction(95, 100))  # and what microcode takes is more than the rest
    case = Case(100, "edf-s", "long")
    costs = measured(case, tmp_path, 2)
    assert costs is not None
    assert len(costs.late) == 2
    assert min(costs.late) > 0
    assert [(r.metric, r.samples) for r in _rows(case, costs)] == [("late_100_long", 2)]
    assert [r.metric for r in _rows(case, None)] == ["infeasible_100_long"]


def test_a_call_is_counted_without_its_driver_and_the_image_takes_8_kib(tmp_path: Path) -> None:
    found = of_image(tmp_path, 1)
    assert set(found) == set(MUST_IMAGE)
    assert len(found["interpret_call"]) > 3 * 5
    for metric, most in MUST_IMAGE.items():
        assert 0 < min(found[metric]) <= max(found[metric]) <= most
    assert min(found["flash"]) > 4096


def test_the_tables_have_100_columns_and_show_each_figure() -> None:
    figures = (13388.6, 39, 2809.5, 0.801, 5, 1310.4, 1310.4, 1848.2, 639, 322)
    rows = [row("infeasible_4_long", "nonpreemptive-s", BOARD, "", [1]), row("late_10_long", "nonpreemptive-s", BOARD, "", [4])]
    rows += [row(f"{m}_100_long", "nonpreemptive-s", BOARD, "", [n]) for m, n in zip(METRICS, figures, strict=True)]
    rows.append(row("nonpreemptive_100_long", "nonpreemptive-s", BOARD, "per round", [7], 0))
    out = io.StringIO()
    render(Console(file=out, width=100), "microkernel", rows)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 100
    ours = [" ".join(line.split()) for line in lines if "nonpreemptive-s" in line]
    assert ours == [
        "4 nonpreemptive-s infeasible",
        "10 nonpreemptive-s late",
        "50 nonpreemptive-s unmeasured",
        "100 nonpreemptive-s 13,389 39 2,810 0.80 5 1,310 1,310 1,848 639 322 7",
    ]


@pytest.mark.long
def test_the_guide_shows_every_figure_as_it_is_measured_and_none_is_above_its_bound() -> None:
    """Of all loads with CARILLON_SUITES=all, and of one of them by default: the cases of a load are a third of all."""
    everything = asked.all_cases()
    diagnostics = Diagnostics()
    rows = microkernel(1000, diagnostics, lambda _: None, () if everything else ("short",)).rows
    assert not diagnostics.reported
    assert [r.metric for r in rows if r.must is not None and r.maximum > r.must] == []
    assert sum(r.metric.startswith("nonpreemptive_") for r in rows) == (48 if everything else 16)
    out = io.StringIO()
    render(Console(width=100, file=out, color_system=None, highlight=False), "microkernel", rows)
    text = "\n".join(line.rstrip() for line in out.getvalue().split("\n")).strip("\n")
    (shown,) = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    if everything:
        assert LEFT_OUT.sub("", text[text.index("table 3") :]) + "\n" == shown
        return
    cases = [" ".join(line.split()) for line in text.splitlines() if re.match(r" +(4|100) +[a-z-]+ ", line)]
    assert len(cases) >= 8
    assert set(cases) <= {" ".join(line.split()) for line in shown.splitlines()}
