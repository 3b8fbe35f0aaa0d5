# SPDX-License-Identifier: Apache-2.0
"""A task that ends on the very tick of another's activation is preempted by it, also where WCETs say how long windows are."""

from __future__ import annotations

from pathlib import Path

from boards import TARGETS
from drawing import Case
from machine import KINDS, Tally, Trial, Variant, data, divergences, execute, firmware, planning
from model import Activation, Mode, Schedule, Script, Task, Work, expected


def test_an_activation_on_the_last_tick_of_a_wcet_preempts(tmp_path: Path) -> None:
    target = TARGETS["virtual-256"]
    points = (Activation(0, "A"), Activation(20, "B"), Activation(60, "B"), Activation(65, "A"))
    schedule = Schedule(
        (Task("A", 20), Task("B", 5)),
        (Mode("m0", 100, "wcet", points),),
        scripts={"A": Script((Work(20),)), "B": Script((Work(5),))},
        length=200,
    )
    case = Case(schedule, target.profile)
    planned = planning(case, tmp_path / "schedule")
    assert planned is not None
    plans = data(planned, case)
    want = expected(schedule, plans)
    trial = Trial(case, target, planned, plans, tmp_path / "schedule", [Variant(schedule, want, want)])
    built = firmware(trial, Tally())
    assert built is not None
    trace = execute(trial, built, 0)
    assert divergences(trial, trial.variants[0], trace, Tally()) == []
    told = [f"{e.t} {KINDS[e.kind]} {e.object}" for e in trace.events if e.kind in KINDS and e.t < 100]
    assert told == [
        *("0 start A", "20 preempt A", "20 start B", "25 end B", "25 resume A", "25 end A"),
        *("60 start B", "65 preempt B", "65 start A", "85 end A", "85 resume B", "85 end B"),
    ]
