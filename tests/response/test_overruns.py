# SPDX-License-Identifier: Apache-2.0
"""No job of a random system takes longer than ``carillon analyse`` says, although jobs of others use up their budgets.

``CARILLON_TRIES=N`` tries N systems of each kind, from another seed each time, which a failure names;
``CARILLON_SEED`` repeats one.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import pytest
from drawing_systems import Drawn, Profile, code, draw_overruns, toml
from former import let_none_be_late

import asked
from building import build
from carillon import pipeline
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import Planned
from carillon.run import run
from carillon.trace import Trace
from carillon.trace.analyse import analyse
from carillon.trace.bounds import broken
from carillon.trace.executions import exceeded
from carillon.trace.summary import Summary
from runnable import runnable

KINDS = [
    (Profile("virtual-ast1030-evb", 100, ("soft0",), hook=(30, 0)), "cell"),
    (Profile("virtual-ast1030-evb", 100, ("soft0",), hook=(30, 0)), "one-shot"),
    (Profile("ast1030-evb", 10_000, fast=(4, 10), hook=(300, 250), overhead=600), "cell"),
    (Profile("ast1030-evb", 10_000, fast=(4, 10), hook=(300, 250), overhead=600), "one-shot"),
    (Profile("ast1030-evb", 100_000, fast=(4, 10), hook=(300, 250), overhead=600), "periodic"),
    (Profile("mps2-an385", 10_000, fast=(4, 10), hook=(300, 250), overhead=900), "cell"),
    (Profile("mps2-an385", 100_000, fast=(4, 10), hook=(300, 250), overhead=900), "periodic"),
    (Profile("atmega128", 50_000, fast=(4, 10), hook=(600, 500), overhead=3000), "one-shot"),
    (Profile("qemu-rv32-virt", 20_000, fast=(4, 10), hook=(600, 500), overhead=1500), "added"),
    (Profile("microbit", 20_000, fast=(4, 10), hook=(600, 500), overhead=1000), "one-shot"),
]
USUAL = 3


@dataclass
class Tally:
    """What was tried, and the nearest that a response came to its bound; ``former``: runs that exceed it without lateness."""

    systems: int = 0
    late: int = 0
    overruns: int = 0
    bounds: int = 0
    nearest: Fraction = Fraction(0)
    former: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    without: Counter[str] = field(default_factory=Counter)


@pytest.mark.parametrize(
    ("profile", "keeper"),
    [kind for kind in KINDS if kind[0].board in {str(b) for b in runnable()}],
    ids=lambda it: getattr(it, "board", it),
)
def test_no_response_is_longer_than_its_bound(
    profile: Profile, keeper: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seed, tally = asked.seed(1), Tally()
    for number in range(asked.tries(USUAL)):
        drawn = draw_overruns(random.Random(f"{profile.board} {keeper} {seed} {number}"), profile, keeper)
        failed = try_system(drawn, tmp_path / "app", tally, monkeypatch)
        if failed:
            pytest.fail(f"seed {seed}, system {number}: {failed}\n{toml(drawn)}\n{code(drawn)}", pytrace=False)
    if asked.searches():
        with capsys.disabled():
            print(f"\nseed {seed}: nearest {float(tally.nearest):.3f}, {tally}")
    assert tally.late > tally.systems // 3


def try_system(drawn: Drawn, folder: Path, tally: Tally, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run one, and hold it against its bounds; what is wrong, or nothing."""
    folder.mkdir(exist_ok=True)
    (folder / "main.c").write_text(code(drawn))
    (folder / "schedule.toml").write_text(toml(drawn))
    diagnostics = Diagnostics()
    try:
        planned = pipeline.plan(folder / "schedule.toml", diagnostics, time_limit=2.0, verdicts=False)
    except CarillonError:
        tally.refused.update({f"{d.code} {d.cause}" for d in diagnostics.errors})
        return ""
    firmware = build(planned.image, folder / "build", diagnostics, verified=not asked.searches())
    assert firmware is not None, [str(d.cause) for d in diagnostics.in_order()]
    trace = run(planned.image, firmware, drawn.length, diagnostics, stimuli=planned.system.stimuli)
    assert trace is not None, [str(d.cause) for d in diagnostics.in_order()]
    summary = analyse(trace, ())
    tally.systems += 1
    over = list(exceeded(planned.system, trace, summary))
    if over:  # a task whose event is set again before it waits goes on: two jobs look like one
        waiting = [f"task '{item.name}'" for item in drawn.items if item.extended]
        return "" if all(one.name in waiting for one in over) else f"a job takes longer than its WCET: {over}"
    tally.late += bool(summary.totals.budget_overruns)
    tally.overruns += summary.totals.budget_overruns
    found = list(broken(trace, summary, pipeline.bounds_of(planned)))
    if found:
        return f"{found}"
    bounds = {bound.name: bound for bound in pipeline.analyse(planned)}
    tally.bounds += sum(bound.bound is not None for bound in bounds.values())
    tally.without.update(bound.why for bound in bounds.values() if bound.bound is None)
    for task in summary.tasks:
        bound = bounds.get(task.lane.name)
        if bound is not None and bound.ticks and task.response is not None:
            tally.nearest = max(tally.nearest, Fraction(task.response.maximum, bound.ticks))
    tally.former += bool(list(of_former(trace, summary, planned, monkeypatch)))
    return ""


def of_former(trace: Trace, summary: Summary, planned: Planned, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is broken of bounds in which no job is late."""
    with monkeypatch.context() as patched:
        let_none_be_late(patched)
        planned.analysed.clear()
        found = list(broken(trace, summary, pipeline.bounds_of(planned)))
        planned.analysed.clear()
    return list(found)
