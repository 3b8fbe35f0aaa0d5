# SPDX-License-Identifier: Apache-2.0
"""The static check of a dispatcher table against an oracle that plays it through tick by tick."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carillon.check import check_system
from carillon.check.simulation import KernelTime, completions, simulate_round
from carillon.check.utilisation import demand
from carillon.diagnostics import Diagnostics, Span
from carillon.model import Activation, Enable, Idle, Mode, Monitor, OnDeadlineMiss, System, Task, Window
from carillon.read.board import load_board
from carillon.resources import find_board
from carillon.verify.expected import completions as verified_completions

UNHURRIED = settings(deadline=None)
HERE = Span("f")


def make_system(wcets: dict[str, int | None], points: list[tuple[str, int, tuple[int, ...]]], round_length: int) -> System:
    """A system with one mode; every point has a place of its own."""
    path = find_board("virtual-256")
    assert path is not None
    activations = tuple(Activation(t, at, d, Monitor.ALWAYS, Span("f", n + 1)) for n, (t, at, d) in enumerate(points))
    return System(
        name="s",
        file=Path("f"),
        digest="",
        board=load_board(path),
        clock_hz=1_000_000,
        tasks=tuple(Task(name, name, wcet, HERE) for name, wcet in wcets.items()),
        interrupts=(),
        modes=(Mode("m", round_length, activations, (), Window.DEADLINE, HERE),),
        start_mode="m",
        on_deadline_miss=OnDeadlineMiss.SHUTDOWN,
        idle=Idle.SPIN,
        sources=(),
        drifts=(),
    )


@st.composite
def systems(draw: st.DrawFn) -> System:
    wcets: dict[str, int | None] = {f"t{n}": draw(st.integers(1, 9)) for n in range(draw(st.integers(1, 4)))}
    times = sorted(draw(st.sets(st.integers(0, 39), max_size=9)))
    points = []
    for at in times:
        deadlines = draw(st.sets(st.integers(at + 1, 40), max_size=2))
        points.append((draw(st.sampled_from(sorted(wcets))), at, tuple(sorted(deadlines))))
    return make_system(wcets, points, 40)


def played(mode: Mode, wcets: dict[str, int]) -> list[int]:
    """When each activation is finished, by executing one tick after the other.

    What has nothing left ends at the next tick's beginning, after the activations of that tick.  If the same task is
    activated then, it ends before.
    """
    left: dict[int, int] = {}
    ends = [0] * len(mode.activations)
    tick = 0
    while tick <= mode.round_length or left:
        for number, activation in enumerate(mode.activations):
            if activation.at == tick:
                own = max((n for n in left if mode.activations[n].task == activation.task), default=None)
                if own is not None and not any(ticks for n, ticks in left.items() if n >= own):
                    ends[own] = tick
                    del left[own]
                left[number] = wcets[activation.task]
        while left and left[max(left)] == 0:
            ends[max(left)] = tick
            del left[max(left)]
        if left:
            left[max(left)] -= 1
        tick += 1
    return ends


def reported(system: System) -> list[str]:
    """The codes of what the check says."""
    diagnostics = Diagnostics()
    check_system(system, diagnostics)
    return [d.code for d in diagnostics.reported]


@UNHURRIED
@given(systems())
def test_the_simulation_agrees_with_playing_tick_by_tick(system: System) -> None:
    mode = system.modes[0]
    wcets = {task.name: task.wcet or 0 for task in system.tasks}
    found = simulate_round(mode, system)
    assert [completion.activation for completion in found] == list(mode.activations)
    assert [completion.end for completion in found] == played(mode, wcets)
    assert completions(mode, system) == found
    assert verified_completions(mode, system) == [min(completion.end, mode.round_length) for completion in found]


@UNHURRIED
@given(systems())
def test_every_late_activation_is_reported_and_no_other(system: System) -> None:
    mode = system.modes[0]
    wcets = {task.name: task.wcet or 0 for task in system.tasks}
    diagnostics = Diagnostics()
    check_system(system, diagnostics)
    found = {d.span: d.code for d in diagnostics.reported if d.code in ("C043", "C044", "C045")}
    if sum(demand(mode, system).values()) > mode.round_length:
        assert not found
        assert "C042" in {d.code for d in diagnostics.reported}
        return
    expected = {}
    for number, (activation, end) in enumerate(zip(mode.activations, played(mode, wcets), strict=True)):
        again = [a.at for a in mode.activations[number + 1 :] if a.task == activation.task]
        if any(deadline <= end for deadline in activation.deadlines):
            expected[activation.span] = "C043"
        elif again and again[0] < end:
            expected[activation.span] = "C045"
        elif end > mode.round_length:
            expected[activation.span] = "C044"
    assert found == expected


def test_the_last_activated_runs_first_and_the_preempted_goes_on() -> None:
    system = make_system({"a": 10, "b": 3, "c": 2}, [("a", 0, ()), ("b", 4, ()), ("c", 5, ())], 100)
    assert [c.end for c in simulate_round(system.modes[0], system)] == [15, 9, 7]


@pytest.mark.parametrize(
    ("at", "apart", "ends"),
    [
        (4, {"i"}, [12, 9]),  # its handler is above the task of its tick
        (3, {"i"}, [12, 8]),  # and goes on there
        (2, {"i"}, [12, 7]),
        (5, {"i"}, [12, 9]),
        (4, set(), [12, 7]),  # of a table, whose handler is counted with the task that it starts
    ],
)
def test_a_task_that_is_activated_while_a_re_enable_point_is_handled_begins_after_it(
    at: int, apart: set[str], ends: list[int]
) -> None:
    system = make_system({"a": 7, "b": 3}, [("a", 0, ()), ("b", 4, ())], 100)
    mode = replace(system.modes[0], enables=(Enable("i", at, HERE),))
    kernel = KernelTime(enables={"i": 2}, apart=frozenset(apart))
    assert [c.end for c in simulate_round(mode, system, kernel=kernel)] == ends


@pytest.mark.parametrize(("deadline", "found"), [(4, ["C043"]), (5, ["C043"]), (7, ["C043"]), (8, [])])
def test_a_task_that_ends_at_the_tick_of_the_next_activation_has_not_ended_before_that_tick(
    deadline: int, found: list[str]
) -> None:
    system = make_system({"a": 4, "b": 3}, [("a", 0, (deadline,)), ("b", 4, ())], 100)
    assert [c.end for c in simulate_round(system.modes[0], system)] == [7, 7]
    assert reported(system) == found


def test_a_task_that_ends_at_the_tick_of_its_own_next_activation_ends_before_that_begins() -> None:
    # If the first "a" is shorter, the second preempts "b" on its last tick.
    system = make_system({"a": 4, "b": 3}, [("a", 0, ()), ("b", 4, ()), ("a", 7, ())], 100)
    assert [c.end for c in simulate_round(system.modes[0], system)] == [7, 11, 11]
    assert not reported(system)


def test_a_task_preempted_on_its_last_tick_may_still_run_when_it_is_activated_again() -> None:
    system = make_system({"a": 4, "b": 3}, [("a", 0, ()), ("b", 4, ()), ("a", 6, ())], 100)
    assert reported(system) == ["C045"]


@pytest.mark.parametrize(("deadlines", "found"), [((), []), ((100,), ["C043"])])
def test_a_task_may_end_with_the_round_but_not_before_a_deadline_there(deadlines: tuple[int, ...], found: list[str]) -> None:
    system = make_system({"a": 4}, [("a", 96, deadlines)], 100)
    assert reported(system) == found


def test_tasks_without_a_wcet_are_not_reported_but_the_others_are() -> None:
    system = make_system({"a": 10, "b": None}, [("a", 0, (5,)), ("b", 20, (21,))], 100)
    diagnostics = Diagnostics()
    check_system(system, diagnostics)
    assert [(d.code, d.span) for d in diagnostics.reported] == [("C043", Span("f", 1))]


def test_completions_need_every_wcet() -> None:
    system = make_system({"a": 10, "b": None}, [("a", 0, ()), ("b", 20, ())], 100)
    with pytest.raises(ValueError, match="no wcet of 'b'"):
        completions(system.modes[0], system)


def test_a_long_round_takes_no_longer_than_its_points() -> None:
    points: list[tuple[str, int, tuple[int, ...]]] = [(f"t{n % 50}", n * 10, ()) for n in range(20_000)]
    system = make_system({f"t{n}": 9 for n in range(50)}, points, 10**15)
    assert all(c.end == c.activation.at + 9 for c in simulate_round(system.modes[0], system))
