# SPDX-License-Identifier: Apache-2.0
"""Cells, sources, levels and guards that single tasks and deadlines get."""

from __future__ import annotations

from dataclasses import replace

from allocations import act, array, board, check, demand, mode, only, solve, system_of
from hypothesis import given, settings
from hypothesis import strategies as st

from carillon.allocate.result import Guard, ModeAllocation, Style
from carillon.diagnostics import Span
from carillon.lower import Demand
from carillon.model import Interrupt
from carillon.model.board import Role
from carillon.model.family import Capability, Family, Rearm
from sample import few


def test_equally_spaced_activations_take_one_cell() -> None:
    result = only(board(array(4)), mode(1000, act("a", 50, 300, 550, 800)))
    (carrier,) = result.carriers
    assert (carrier.cells[0].progression.offset, carrier.cells[0].progression.period) == (50, 250)
    assert (result.overhead, result.levels) == (0, 1)
    assert result.reasons == ("task 'a': 4 activations are equally spaced, one cell of period 250 ticks carries them all",)


def test_irregular_activations_are_multiplexed_when_cells_run_short() -> None:
    result = only(board(array(2)), mode(1000, act("a", 0, 100, 350), act("b", 500)))
    assert [c.style for c in result.carriers] == [Style.MULTIPLEXED, Style.DIRECT]
    assert result.overhead == 36
    assert any("36 instructions a round instead of 3 timers" in reason for reason in result.reasons)


def test_two_activations_of_a_task_share_a_source_on_an_array_of_two_cells_per_activation() -> None:
    cells = array(8, per_source=4, adjacent={Role.ACTIVATION: 2})
    result = only(board(cells), mode(1000, act("a", 0, 100), demand(Role.DEADLINE, "a", 50, 150)))
    activation, deadline = result.carriers
    assert [use.cell.name for use in activation.cells] == ["C0_0+C0_1", "C0_2+C0_3"]
    assert [use.cell.name for use in deadline.cells] == ["C0_4", "C0_5"]
    assert result.overhead == 16


def test_alternating_windows_make_a_task_run_lowered() -> None:
    result = only(board(array(2)), mode(100, act("c", (0, 60), (50, 100)), act("d", (25, 75), (80, 100))))
    assert sum(c.lowered for c in result.carriers) == 1
    assert any("runs lowered: its windows and those of" in reason for reason in result.reasons)


def test_alternating_windows_are_split_over_cells_where_there_are_enough() -> None:
    result = only(board(array(4)), mode(100, act("c", (0, 60), (50, 100)), act("d", (25, 75))))
    assert not any(c.lowered for c in result.carriers)
    assert result.overhead == 0
    assert len(result.carriers) == 3


def test_optional_deadlines_are_left_out_last_of_all() -> None:
    lowered = mode(
        100,
        act("a", (0, 10)),
        act("b", (20, 30)),
        demand(Role.DEADLINE, "a", 10, required=False),
        demand(Role.DEADLINE, "b", 30, required=False),
    )
    result = only(board(array(3)), lowered)
    assert len(result.unmonitored) == 1
    assert any("are not watched: no cell left" in reason for reason in result.reasons)
    assert only(board(array(4)), lowered).unmonitored == ()


def test_interrupts_and_deadlines_have_levels_of_their_own() -> None:
    lowered = mode(100, act("a", (0, 50)), act("b", (20, 30)), demand(Role.DEADLINE, "a", 50), demand(Role.ENABLE, "can", 60))
    interrupts = tuple(
        Interrupt(name, 500 + n, name, above, False, Span("test.toml"))
        for n, (name, above) in enumerate((("can", True), ("uart", False)))
    )
    system = system_of(board(array(6)), 1_000_000, (lowered,), interrupts)
    result = only(system, lowered)
    assert [(c.demand.object, c.level) for c in result.carriers] == [("a", 2), ("b", 3), ("a", 5), ("can", 5)]
    assert (result.levels, result.above_tasks_level) == (5, 4)


def test_the_control_cell_is_the_last_and_the_same_in_all_modes() -> None:
    modes = (
        mode(100, act("a", 0), demand(Role.CONTROL, "run", 100), name="run"),
        mode(300, act("a", 0, 20, 70), demand(Role.CONTROL, "stop", 290), name="stop"),
    )
    target = board(array(3), array(1, first_source=9, roles=(Role.ACTIVATION,), rearm=Rearm.NONE))
    allocation, diagnostics = solve(target, *modes)
    assert allocation is not None, diagnostics.reported
    system = system_of(target, 1_000_000, modes)
    for lowered, result in zip(modes, allocation.modes, strict=True):
        check(system, lowered, result)
        (control,) = (c for c in result.carriers if c.role is Role.CONTROL)
        assert control.cells[0].cell.name == "C0_2"
        assert control.level == result.levels
    assert [[p.at for c in m.carriers if c.role is Role.CONTROL for p in c.demand.points] for m in allocation.modes] == [
        [100],
        [290],
    ]


def test_a_cell_of_another_clock_serves_only_what_it_can_express() -> None:
    systick = array(1, first_source=15, roles=(Role.ACTIVATION,), rearm=Rearm.NONE, hz=12_800_000, width=24)
    result = only(board(array(1), systick, start_spacing=5, lead=160), mode(100_000, act("a", 7), act("b", 10)))
    assert {c.demand.object: c.cells[0].cell.name for c in result.carriers} == {"a": "C0_0", "b": "C15_0"}
    assert str(next(c for c in result.carriers if c.demand.object == "b").cells[0].units_per_tick) == "64/5"


def test_the_smallest_prescaler_that_fits_is_taken() -> None:
    cells = array(2, width=16, prescalers=(1, 8, 64))
    result = only(board(cells), mode(64 * 10_000, act("a", 64)))
    assert result.carriers[0].cells[0].prescaler == 64


def test_a_period_below_the_minimum_is_spread_over_cells() -> None:
    result = only(board(array(4, min_period_ns=20_000)), mode(40, act("a", 0, 10, 20, 30)))
    assert [u.progression.period for c in result.carriers for u in c.cells] == [20, 20]


ASKED = Family(name="dualtimer", can=frozenset({Capability.ASK, Capability.MASK}), align=False, finish=False)


@settings(deadline=None, max_examples=few(60))
@given(st.data())
def test_as_many_deadlines_as_there_are_cells_fit_beside_activations_that_take_whole_sources(data: st.DataObject) -> None:
    alone, sources, cells = data.draw(st.integers(0, 3)), data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    arrays = [array(alone, rearm=Rearm.NONE)] if alone else []
    arrays.append(
        array(sources * cells, per_source=cells, first_source=50, rearm=Rearm.NONE, family=ASKED, request_enable="cell")
    )
    points = data.draw(st.lists(st.sampled_from([0, 1, 1, 1, 2, 3]), min_size=1, max_size=4))
    demands, needed = [], 0
    for k, count in enumerate(points):
        demands.append(act(f"t{k}", 1000 * k))
        if count:
            demands.append(demand(Role.DEADLINE, f"t{k}", *(1000 * k + 100 + 7 * j * j + 3 * j for j in range(count))))
            needed += count
    beside = max(len(points) - alone, 0)
    room = max(alone - len(points), 0) + cells * (sources - beside)
    fits = beside <= sources and needed <= room
    allocation, diagnostics = solve(board(*arrays), mode(5000, *demands))
    assert (allocation is not None) == fits, diagnostics.reported
    if allocation is not None:
        only(board(*arrays), mode(5000, *demands))
    else:
        assert [d.code for d in diagnostics.errors] == ["C060"]


def test_deadlines_join_a_source_only_where_its_cells_are_asked_and_masked_each() -> None:
    demands = [act("a", 0), act("b", 10), demand(Role.DEADLINE, "a", 20), demand(Role.DEADLINE, "b", 30)]
    alone = array(2, rearm=Rearm.NONE)
    asked = {"per_source": 2, "first_source": 50, "rearm": Rearm.NONE}
    result = only(board(alone, array(2, family=ASKED, request_enable="cell", **asked)), mode(100, *demands))
    assert [(c.source, c.cells[0].cell.name) for c in result.carriers[2:]] == [(50, "C50_0"), (50, "C50_1")]
    assert result.reasons[-1] == (
        "the deadlines of 'a' and 'b' have interrupt source 50 together: its handler asks the cells' flags, some 6 instructions "
        "when one is missed, and none otherwise"
    )
    masked = Family(name="cmsdk", can=frozenset({Capability.MASK}), align=False, finish=False)
    for other in ({"family": ASKED}, {"family": masked, "request_enable": "cell"}):
        _, diagnostics = solve(board(alone, array(2, **asked, **other)), mode(100, *demands))
        assert [d.code for d in diagnostics.errors] == ["C060"]


def test_a_reloaded_cell_keeps_no_interval_below_its_minimum() -> None:
    near, far = mode(1000, act("a", 0, 10, 300, 610)), mode(1000, act("a", 0, 100, 300, 610))
    target = board(array(2, per_source=2, rearm=Rearm.RELOAD, min_period_ns=20_000))
    allocation, diagnostics = solve(target, near)
    assert allocation is None
    assert [d.code for d in diagnostics.errors] == ["C060"]
    assert only(target, far).carriers[0].style is Style.MULTIPLEXED


def test_a_reloaded_cell_is_shared_only_beside_one_that_keeps_the_time() -> None:
    points = mode(1000, act("a", 0, 100, 300, 610))
    (use,) = only(board(array(2, per_source=2, rearm=Rearm.RELOAD)), points).carriers[0].cells
    assert (use.cell.index, use.cell.count) == (0, 2)
    for alone in (array(2, rearm=Rearm.RELOAD), array(2, per_source=2, rearm=Rearm.RELOAD, width=24)):
        _, diagnostics = solve(board(alone), points)
        assert [d.code for d in diagnostics.errors] == ["C060"]


def test_levels_force_lowering_although_nothing_alternates() -> None:
    chain = [act(f"t{n}", (10 * n, 100)) for n in range(5)]
    assert not any(c.lowered for c in only(board(array(8), levels=5), mode(100, *chain)).carriers)
    assert sum(c.lowered for c in only(board(array(8), levels=4), mode(100, *chain)).carriers) == 1
    assert sum(c.lowered for c in only(board(array(8), levels=4, lowered_levels=1), mode(100, *chain)).carriers) == 2


def test_a_deadline_at_the_end_of_the_round_expires_with_tick_zero() -> None:
    result = only(board(array(4)), mode(100, act("a", (0, 100)), demand(Role.DEADLINE, "a", 100)))
    assert result.carriers[1].cells[0].progression.offset == 0


# Guards: one activation of a task runs, one waits


def guards_of(result: ModeAllocation) -> list[tuple[Guard, int]]:
    return [(c.guard, c.level) for c in result.carriers if c.role is Role.ACTIVATION]


def open_ended(name: str, *at: int) -> Demand:
    """Activations that nothing ends before the end of a round of 1000 ticks."""
    return replace(act(name, *((t, 1000) for t in at), bounded=False), exclusive=False)


def test_a_task_on_one_source_needs_no_guard() -> None:
    assert guards_of(only(board(array(4)), mode(1000, open_ended("a", 100, 600)))) == [(Guard.NONE, 1)]


def test_a_task_on_several_sources_gets_one_level_for_them() -> None:
    result = only(board(array(4)), mode(1000, open_ended("a", 100, 250, 900)))
    assert guards_of(result) == [(Guard.FORGET, 1)] * 3
    assert [set(c.forgets) for c in result.carriers] == [{1, 2}, {0, 2}, {0, 1}]
    assert any("forgets what its other sources asked for; 4 instructions an activation" in r for r in result.reasons)


def test_a_task_between_whose_activations_another_one_must_preempt_it_has_a_flag() -> None:
    # b preempts a at 300 and a's last activation preempts b, unless a still runs: two levels, and a flag.
    result = only(board(array(4)), mode(1000, open_ended("a", 100, 250, 900), open_ended("b", 300)))
    levels = {level for guard, level in guards_of(result) if guard is Guard.FLAG}
    assert levels == {1, 3}
    assert any("a flag says that it runs" in r for r in result.reasons)


def test_deadlines_that_stop_the_system_spare_the_guard() -> None:
    a = act("a", (100, 200), (250, 300), (900, 950))
    stopped = replace(a, points=tuple(replace(p, stopped_at=p.window_end) for p in a.points))
    deadlines = demand(Role.DEADLINE, "a", 200, 300, 950)
    assert {g for g, _ in guards_of(only(board(array(8)), mode(1000, stopped, deadlines)))} == {Guard.NONE}
    # Another task that nothing ends may hold it back until its deadline has passed.
    blocked = only(board(array(8)), mode(1000, stopped, deadlines, replace(act("b", (950, 960)), exclusive=False)))
    assert {c.guard for c in blocked.carriers if c.role is Role.ACTIVATION and c.demand.object == "a"} == {Guard.FORGET}


def test_the_author_may_vouch_that_a_task_has_ended() -> None:
    vouched = replace(open_ended("a", 100, 250, 900), exclusive=True, vouched=True)
    assert {g for g, _ in guards_of(only(board(array(4)), mode(1000, vouched)))} == {Guard.NONE}
