# SPDX-License-Identifier: Apache-2.0
"""The model does what SPEC says, on schedules that can be followed by hand."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from model import (
    Activation,
    Carrier,
    Enable,
    Expected,
    Happening,
    Interrupt,
    Mode,
    Pend,
    Plan,
    Schedule,
    Script,
    Switch,
    Task,
    Work,
    expected,
    windows,
)


def script(*ticks: int) -> Script:
    """Jobs that work for so long, the last of them always again."""
    return Script((Work(ticks[-1]),), {n: (Work(t),) for n, t in enumerate(ticks[:-1])})


def schedule(
    length: int, *points: tuple[int, str] | tuple[int, str, tuple[int, ...]], run: int = 0, **scripts: Script
) -> Schedule:
    activations = tuple(Activation(p[0], p[1], p[2] if len(p) > 2 else ()) for p in points)
    tasks = tuple(Task(name) for name in sorted({a.task for a in activations}))
    return Schedule(tasks, (Mode("m", length, activations=activations),), scripts=scripts, length=run or length, shutdown=False)


def plan(
    *carriers: tuple[str, tuple[int, ...], int, int], lowered: str = "", watched: tuple[tuple[str, int], ...] = ()
) -> dict[str, Plan]:
    """Carriers of tasks, at these points, with a source and a level; and deadlines that are watched."""
    found = [Carrier(False, task, frozenset(points), source, level, task == lowered) for task, points, source, level in carriers]
    found += [Carrier(True, task, frozenset((at,)), 100 + n, inf) for n, (task, at) in enumerate(watched)]
    return {"m": Plan(tuple(found))}


def told(found: Expected) -> list[str]:
    return [f"{h.t} {h.what} {h.who}" for h in found.happenings]


def test_a_later_activation_preempts_whatever_runs() -> None:
    found = expected(schedule(100, (0, "A"), (10, "B"), (20, "C"), A=script(30), B=script(30), C=script(5)), None)
    assert told(found) == [
        "0 start A", "10 preempt A", "10 start B", "20 preempt B", "20 start C", "25 end C", "25 resume B", "45 end B",
        "45 resume A", "65 end A",
    ]  # fmt: skip
    assert found.broken is None


def test_one_activation_runs_and_one_waits() -> None:
    # As in the case "absorb": of three that come while the first runs, one waits.
    of = schedule(100, (10, "A"), (20, "A"), (30, "A"), (40, "A"), A=script(60, 5))
    assert told(expected(of, None)) == ["10 start A", "70 end A", "70 start A", "75 end A"]
    assert expected(of, None).absorbed == 2


def test_a_task_is_never_entered_twice() -> None:
    # As in "reenter": whatever the levels say.
    of = schedule(90, (10, "A"), (20, "A"), (43, "A"), A=script(15))
    carriers = plan(("A", (10,), 0, 1), ("A", (20,), 1, 2), ("A", (43,), 2, 3))
    assert told(expected(of, carriers)) == [
        f"{t} {w} A" for t, w in ((10, "start"), (25, "end"), (25, "start"), (40, "end"), (43, "start"), (58, "end"))
    ]


def test_a_deadline_is_met_if_the_task_ended_before_it() -> None:
    for work, met in ((39, True), (40, False), (41, False)):
        of = schedule(100, (10, "A", (50,)), A=script(work))
        found = expected(of, plan(("A", (10,), 0, 1), watched=(("A", 50),)))
        assert found.verdicts == [(50, "A", met)]
        assert found.hooks == ([] if met else [(50, "A")])


def test_a_missed_deadline_shuts_down() -> None:
    of = replace(schedule(100, (10, "A", (50,)), A=script(60), run=200), shutdown=True)
    found = expected(of, plan(("A", (10,), 0, 1), watched=(("A", 50),)))
    assert (found.stopped, told(found)) == (50, ["10 start A"])


def test_a_deadline_at_the_end_of_the_round_belongs_to_an_activation_before_it() -> None:
    of = schedule(100, (10, "A", (100,)), A=script(95, 5), run=250)
    found = expected(of, plan(("A", (10,), 0, 1), watched=(("A", 0),)))
    assert found.verdicts == [(100, "A", False), (200, "A", True)]
    assert found.hooks == [(100, "A")]


def test_levels_decide_where_a_window_is_broken() -> None:
    of = schedule(100, (10, "A"), (20, "B"), (30, "C"), A=script(30), B=script(5), C=script(5))
    carriers = plan(("A", (10,), 0, 1), ("B", (20,), 1, 1), ("C", (30,), 2, 2))
    found = expected(of, carriers)
    assert told(found) == [
        "10 start A",
        "30 preempt A",
        "30 start C",
        "35 end C",
        "35 resume A",
        "45 end A",
        "45 start B",
        "50 end B",
    ]
    assert found.broken == 20


def test_a_lowered_task_is_preempted_by_every_later_one() -> None:
    of = schedule(100, (10, "A"), (20, "B"), A=script(30), B=script(5))
    found = expected(of, plan(("A", (10,), 0, 2), ("B", (20,), 1, 1), lowered="A"))
    assert told(found)[:3] == ["10 start A", "20 preempt A", "20 start B"]


def test_an_interrupt_is_taken_once_between_re_enable_points() -> None:
    for above, begins in ((True, 12), (False, 14)):
        of = schedule(100, (10, "A"), (50, "A"), A=script(1), run=100)
        job = (Work(2), Pend("I"), Pend("I"), Work(2))
        of = replace(
            of,
            interrupts=(Interrupt("I", "x", above),),
            modes=(replace(of.modes[0], enables=(Enable(70, "I"),)),),
            scripts={"A": Script(job), "I": script(3)},
        )
        plans = {"m": Plan((Carrier(False, "A", frozenset((10, 50)), 0, 1),), sources={"I": 9})}
        assert [h.t for h in expected(of, plans).happenings if h == Happening(h.t, "start", "I")] == [begins, 70]


def test_modes_are_switched_at_the_end_of_the_round_when_nothing_runs() -> None:
    modes = (Mode("m", 100, activations=(Activation(10, "A"),)), Mode("n", 50, activations=(Activation(5, "B"),)))
    for work, begin in ((20, 100), (85, 200)):  # in the second case A runs at the control point
        of = Schedule((Task("A"), Task("B")), modes, shutdown=False, length=260, scripts={
            "A": Script((Switch("n"), Work(1)), {0: (Switch("n"), Work(work))}), "B": script(1),
        })  # fmt: skip
        plans = {
            "m": Plan((Carrier(False, "A", frozenset((10,)), 0, 1),), control_at=90),
            "n": Plan((Carrier(False, "B", frozenset((5,)), 0, 1),), control_at=45),
        }
        assert expected(of, plans).modes == [(0, "m"), (begin, "n")]


def test_windows() -> None:
    of = schedule(100, (10, "A", (50, 60)), (20, "B"), A=script(1), B=script(1))
    assert windows(of, of.modes[0]) == {10: 60, 20: 100}
    worst = replace(of, tasks=(Task("A", 20), Task("B", 7)))
    assert windows(worst, replace(of.modes[0], window="wcet")) == {10: 37, 20: 27}
    edge = replace(of, tasks=(Task("A", 10), Task("B", 80)), modes=(replace(of.modes[0], window="wcet"),))
    assert windows(edge, edge.modes[0]) == {10: 100, 20: 100}  # B's activation is on A's last tick
