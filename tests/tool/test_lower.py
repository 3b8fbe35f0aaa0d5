# SPDX-License-Identifier: Apache-2.0
"""What a schedule is lowered to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from carillon.check import check_system
from carillon.diagnostics import Diagnostics
from carillon.frontends import read_schedule
from carillon.lower import Demand, LoweredMode
from carillon.lower.lower import lower
from carillon.model import System
from carillon.model.board import Role

HEAD = '[system]\nboard = "virtual-tiny"\n'


def checked(tmp_path: Path, text: str) -> System:
    path = tmp_path / "engine.toml"
    path.write_text(HEAD + text)
    diagnostics = Diagnostics()
    system = read_schedule(path, diagnostics)
    assert system is not None
    check_system(system, diagnostics)
    assert {d.code for d in diagnostics.reported} <= {"C310"}, diagnostics.reported  # of interrupts above tasks
    return system


def lowered(tmp_path: Path, text: str) -> tuple[LoweredMode, ...]:
    return lower(checked(tmp_path, text))


def shown(demands: tuple[Demand, ...]) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(demand.role.value, demand.object, demand.times) for demand in demands]


def test_each_task_is_one_activation_demand_and_one_deadline_demand_if_it_is_monitored(tmp_path: Path) -> None:
    text = """
[task.a]
period = "50us"
deadline = ["20us", "30us"]

[task.b]
period = "100us"
offset = "10us"
deadline = "90us"
monitor = "never"

[task.c]
period = "100us"
offset = "60us"
deadline = "30us"
monitor = "if-cells-allow"
"""
    (mode,) = lowered(tmp_path, text)
    assert mode.name == "default"
    assert mode.round_length == 100
    assert shown(mode.demands) == [
        ("activation", "a", (0, 50)),
        ("activation", "b", (10,)),
        ("activation", "c", (60,)),
        ("deadline", "a", (20, 30, 70, 80)),
        ("deadline", "c", (90,)),
    ]
    assert [demand.required for demand in mode.demands] == [True, True, True, True, False]


def test_an_interrupt_is_one_enable_demand(tmp_path: Path) -> None:
    text = """
[task.a]
period = "100us"

[interrupt.i]
source = "ext0"

[mode.run]
points = [{ at = "10us", enable = "i" }, { at = "30us", enable = "i" }]
"""
    (mode,) = lowered(tmp_path, text)
    assert shown(mode.demands)[1:] == [("enable", "i", (10, 30))]


def test_a_window_ends_at_the_enforced_deadline_or_with_the_round(tmp_path: Path) -> None:
    points = """
[task.watched]

[task.unwatched]
monitor = "if-cells-allow"

[task.spare]

[mode.run]
round = "100us"
points = [
    { at = "0us", activate = "watched", deadline_at = ["20us", "30us"] },
    { at = "10us", activate = "unwatched", deadline_at = "40us" },
    { at = "20us", activate = "spare" },
]
"""
    (mode,) = lowered(tmp_path, points)
    assert [d.points[0].window_end for d in mode.demands if d.role is Role.ACTIVATION] == [30, 100, 100]


def test_a_window_ends_at_the_worst_case_completion(tmp_path: Path) -> None:
    text = """
[task.a]
wcet = "20us"

[task.b]
wcet = "5us"

[mode.run]
round = "100us"
window = "wcet"
points = [{ at = "0us", activate = "a", deadline_at = "90us" }, { at = "10us", activate = "b" }]
"""
    (mode,) = lowered(tmp_path, text)
    assert [d.points[0].window_end for d in mode.demands if d.role is Role.ACTIVATION] == [25, 15]


def test_an_activation_on_the_tick_of_a_worst_case_completion_lies_in_the_window(tmp_path: Path) -> None:
    text = """
[task.a]
wcet = "20us"

[task.b]
wcet = "5us"

[mode.run]
round = "100us"
window = "wcet"
points = [{ at = "0us", activate = "a" }, { at = "20us", activate = "b" }, { at = "25us", activate = "a" }]
"""
    (mode,) = lowered(tmp_path, text)
    ends = {d.object: [p.window_end for p in d.points] for d in mode.demands if d.role is Role.ACTIVATION}
    assert ends == {"a": [25, 45], "b": [45]}


def test_a_demand_is_bounded_if_every_window_ends_before_the_next_activation(tmp_path: Path) -> None:
    text = """
[task.once]

[task.twice]

[task.watched]

[mode.run]
round = "100us"
points = [
    { at = "0us", activate = "once" },
    { at = "10us", activate = "twice" },
    { at = "20us", activate = "watched", deadline_at = "60us" },
    { at = "50us", activate = "twice" },
    { at = "60us", activate = "watched", deadline_at = "100us" },
]
"""
    (mode,) = lowered(tmp_path, text)
    assert {d.object: d.bounded for d in mode.demands if d.role is Role.ACTIVATION} == {
        "once": True,
        "twice": False,
        "watched": True,
    }
    assert all(d.bounded for d in mode.demands if d.role is not Role.ACTIVATION)


def test_each_of_several_modes_is_left_after_its_last_window_and_enabling_but_as_late_as_the_switch_allows(
    tmp_path: Path,
) -> None:
    text = """
[task.watched]
wcet = "10us"

[task.known]
wcet = "20us"

[task.spare]

[interrupt.i]
source = "ext0"

[mode.watched]
round = "100us"
points = [{ at = "0us", activate = "watched", deadline_at = "30us" }, { at = "10us", enable = "i" }]

[mode.known]
round = "100us"
points = [{ at = "0us", activate = "watched" }, { at = "5us", activate = "known" }, { at = "8us", enable = "i" }]

[mode.spare]
round = "100us"
points = [
    { at = "0us", activate = "watched", deadline_at = "30us" },
    { at = "40us", activate = "spare" },
    { at = "50us", enable = "i" },
]

[mode.enable]
round = "100us"
points = [{ at = "0us", activate = "known" }, { at = "70us", enable = "i" }]
"""
    system = checked(tmp_path, text)

    def controls(switch_ticks: int, lead: int) -> list[tuple[str, tuple[int, ...]]]:
        board = system.board.model_copy(update={"switch_ticks": switch_ticks, "lead": lead})
        modes = lower(replace(system, board=board))
        return [(d.object, d.times) for mode in modes for d in mode.demands if d.role is Role.CONTROL]

    assert controls(1000, 0) == [("watched", (30,)), ("known", (30,)), ("spare", (100,)), ("enable", (70,))]
    assert controls(40, 10) == [("watched", (50,)), ("known", (50,)), ("spare", (100,)), ("enable", (70,))]
    assert controls(0, 0) == [("watched", (100,)), ("known", (100,)), ("spare", (100,)), ("enable", (100,))]


def test_a_single_mode_has_no_control_demand(tmp_path: Path) -> None:
    (mode,) = lowered(tmp_path, '[task.a]\nperiod = "1ms"\n')
    assert all(d.role is not Role.CONTROL for d in mode.demands)
