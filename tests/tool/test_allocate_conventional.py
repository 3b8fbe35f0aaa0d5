# SPDX-License-Identifier: Apache-2.0
"""The conventional kernel has one timer for all points."""

from __future__ import annotations

from dataclasses import replace

import pytest
from allocations import act, array, board, demand, mode, system_of

from carillon.allocate.conventional import allocate_conventional
from carillon.allocate.result import Style
from carillon.diagnostics import Diagnostics, Span
from carillon.model import Interrupt
from carillon.model.board import Role
from carillon.model.family import Rearm


def test_the_conventional_kernel_has_one_system_timer_for_all_points() -> None:
    lowered = mode(
        100, act("a", 0, 40), act("b", 40), demand(Role.DEADLINE, "a", 30, 90, required=False), demand(Role.CONTROL, "m", 100)
    )
    target = board(array(1, roles=(Role.ACTIVATION,), rearm=Rearm.NONE), array(2, first_source=7))
    system = system_of(target, 1_000_000, (lowered,))
    diagnostics = Diagnostics()
    allocation = allocate_conventional(system, (lowered,), diagnostics)
    assert allocation is not None
    assert allocation.kernel == "conventional"
    (carrier,) = allocation.modes[0].carriers
    assert carrier.demand.times == (0, 30, 40, 40, 90, 100)
    assert (carrier.role, carrier.style, carrier.level, carrier.lowered) == (Role.SYSTEM, Style.MULTIPLEXED, 1, True)
    assert carrier.cells[0].cell.name == "C7_0"


@pytest.mark.parametrize("above", [True, False])
def test_the_conventional_kernel_says_that_an_interrupt_above_tasks_loses_points(above: bool) -> None:
    lowered = mode(100, act("a", 0), act("b", 50))
    system = system_of(board(array(2)), 1_000_000, (lowered,))
    system = replace(system, interrupts=(Interrupt("I", 500, "I", above, False, Span("test.toml")),))
    allocation = allocate_conventional(system, (lowered,), Diagnostics())
    assert allocation is not None
    assert any("the points of all ticks that pass but the first are lost" in r for r in allocation.modes[0].reasons) == above


def test_the_conventional_kernel_refuses_intervals_below_the_shortest() -> None:
    lowered = mode(100, act("a", 0), act("b", 3))
    diagnostics = Diagnostics()
    system = system_of(board(array(2, min_rearm_ticks=5)), 1_000_000, (lowered,))
    assert allocate_conventional(system, (lowered,), diagnostics) is None
    assert [d.code for d in diagnostics.errors] == ["C064"]
    assert "an interval of 3 ticks is shorter" in diagnostics.errors[0].cause
