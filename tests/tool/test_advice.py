# SPDX-License-Identifier: Apache-2.0
"""Which clock: the arithmetic against a simulation of every unit of time, and what is recommended where."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from carillon.advise import OSCILLATOR, Advice, Prediction, advise
from carillon.advise.automatic import why
from carillon.advise.periods import WITHIN, greatest_common_divisor, laps, rate, rounded_up, tick_choices
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.model.board import ClockCosts
from carillon.model.time import ClockKind, Period
from carillon.pipeline import Planned, plan
from carillon.resources import data_root
from sample import few

HEAD = '[system]\nname = "app"\n'
PERIODS = st.lists(st.integers(1, 24), min_size=1, max_size=6)


def planned(folder: Path, text: str, board: str) -> Planned:
    path = folder / "schedule.toml"
    path.write_text(HEAD + text, encoding="utf-8")
    (folder / "main.c").touch()
    return plan(path, Diagnostics(), board)


def advice(folder: Path, text: str, board: str = "ast1030-evb") -> Advice:
    found = planned(folder, text, board)
    result = advise(found.system, found.allocation)
    assert result is not None
    return result


def one_shot(periods: str) -> str:
    """Time services whose alarms have these periods."""
    return f"[time]\nperiods = [{periods}]\n[thread.Main]\npriority = 1\n"


def threads(*periods: str) -> str:
    """Time services of threads with these periods."""
    tables = (f'[thread.T{k}]\npriority = {k}\nperiod = "{period}"\n' for k, period in enumerate(periods))
    return '[time]\nclock = "one-shot"\n' + "".join(tables)


def of(found: Advice, name: str) -> Prediction:
    return next(p for p in found.predictions if p.name == name)


# The arithmetic


@settings(deadline=None)
@given(PERIODS, st.integers(1, 4))
def test_how_often_anything_is_due_is_what_a_walk_through_the_hyperperiod_counts(periods: list[int], part: int) -> None:
    cycle = math.lcm(*periods)
    assume(cycle <= 20_000)
    due = sum(any(t % p == 0 for p in periods) for t in range(1, cycle + 1))
    assert rate(Fraction(p, part) for p in periods) == Fraction(due * part, cycle)


@settings(deadline=None)
@given(PERIODS, st.integers(1, 8))
def test_a_timer_with_a_short_reach_is_set_so_much_more_often(periods: list[int], reach: int) -> None:
    cycle = math.lcm(*periods)
    assume(cycle <= 10_000)  # of longer patterns, a part is looked at
    interrupts, since = 0, 0
    for t in range(1, cycle + 1):
        since += 1
        if any(t % p == 0 for p in periods) or since == reach:
            interrupts += 1
            since = 0
    exact = [Fraction(p) for p in periods]
    assert rate(exact) + laps(exact, Fraction(reach)) == Fraction(interrupts, cycle)


@settings(deadline=None)
@given(PERIODS, st.integers(1, 4))
def test_the_greatest_common_divisor_is_the_longest_tick_that_keeps_all(periods: list[int], part: int) -> None:
    exact = [Fraction(p, part) for p in periods]
    common = greatest_common_divisor(exact)
    assert all((p / common).denominator == 1 for p in exact)
    assert common == max(Fraction(1, part) * k for k in range(1, max(periods) + 1) if all(p % k == 0 for p in periods))


@settings(deadline=None)
@given(st.lists(st.integers(1000, 9000), min_size=1, max_size=4), st.integers(1, 500))
def test_the_best_tick_is_exact_or_the_longest_within_the_bound(periods: list[int], shortest: int) -> None:
    exact = [Fraction(p) for p in periods]
    choices = tick_choices(exact, lambda tick: tick >= shortest)
    best = choices[0]
    assert best.tick >= shortest
    assert best.error == max((rounded_up(p, Fraction(best.tick)) - p) / p for p in exact)
    if math.gcd(*periods) >= shortest:
        assert (best.tick, best.error, len(choices)) == (math.gcd(*periods), 0, 1)
    for other in choices[1:]:
        assert (other.tick > best.tick) == (other.error > best.error)
        assert other.tick <= best.tick or other.error > WITHIN


COSTS = ClockCosts(interrupt=7, wake=11, alarm=31, beside=5)


@settings(max_examples=few(30), deadline=None)
@given(st.lists(st.tuples(st.integers(1, 16), st.booleans()), min_size=1, max_size=5), st.sampled_from([1, 2, 3]))
def test_the_predicted_code_is_that_of_every_handler_of_the_hyperperiod(
    tmp_path_factory: pytest.TempPathFactory, declared: list[tuple[int, bool]], tick: int
) -> None:
    """In milliseconds; a periodic clock is configured with a tick that rounds some of the periods."""
    found = planned(
        tmp_path_factory.mktemp("advice"),
        f'[time]\nclock = "periodic"\ntick = "{tick}ms"\n[thread.T]\npriority = 1\n',
        "ast1030-evb",
    )
    system, osek = found.system, found.allocation.osek
    assert osek is not None
    assert osek.clock is not None
    unit = system.clock_hz // 1000
    periods = tuple(Period(Fraction(p * unit), "T" if thread else None, osek.clock.services.span) for p, thread in declared)
    services = replace(osek.clock.services, periods=periods)
    board = system.board.model_copy(update={"costs": dict.fromkeys(ClockKind, COSTS)})
    osek = replace(osek, services=services)
    result = advise(replace(system, board=board), replace(found.allocation, osek=osek))
    assert result is not None
    alarm = COSTS.alarm + (COSTS.beside if len(declared) > 1 else 0)
    for prediction in result.predictions:
        if prediction.kind is None:
            assert prediction.interrupts == sum(Fraction(1000, p) for p, _ in declared)
            continue
        assert prediction.tick is not None
        step = math.ceil(prediction.tick / unit)  # of the one-shot clock, less than a millisecond
        kept = [(-(-p // step) * step, thread) for p, thread in declared]
        cycle = math.lcm(*(p for p, _ in kept), step)
        interrupts, code, longest = 0, 0, 0
        for now in range(step, cycle + 1, step):
            due = [thread for p, thread in kept if now % p == 0]
            if due or prediction.kind is ClockKind.PERIODIC:
                handler = COSTS.interrupt + sum(COSTS.wake if thread else alarm for thread in due)
                interrupts, code, longest = interrupts + 1, code + handler, max(longest, handler)
        assert prediction.interrupts == Fraction(1000 * interrupts, cycle)
        assert prediction.code == Fraction(1000 * code, cycle)
        assert prediction.longest == longest


# What is recommended


def test_periods_that_are_multiples_get_a_periodic_clock(tmp_path: Path) -> None:
    found = advice(tmp_path, threads("5ms", "10ms", "20ms"))
    assert (found.recommended.name, found.recommended.tick) == ("periodic", 78_125)
    assert found.recommended is not found.configured
    assert found.recommended.interrupts == of(found, "one-shot").interrupts == 200
    assert found.reason.startswith("periodic with 5ms: all 3 periods are multiples of it; 200 interrupts/s of ")


def test_rare_periods_that_share_a_short_tick_get_a_one_shot_clock(tmp_path: Path) -> None:
    found = advice(tmp_path, threads("33ms", "100ms"))
    assert found.recommended is found.configured is of(found, "one-shot")
    assert found.reason == (
        "one-shot: periods of 33ms, 100ms share no tick over 1ms: a periodic clock would interrupt 1000 times a second, "
        "where 40 interrupts serve all"
    )


def test_periods_without_threads_get_cells_while_there_are_any(tmp_path: Path) -> None:
    for board in ("ast1030-evb", "virtual-ast1030-evb"):  # where code takes no time, although it is more interrupts
        assert advice(tmp_path, one_shot('"480us", "800us"'), board).recommended.name == "cells"
    few = advice(tmp_path, one_shot(", ".join(f'"{k}ms"' for k in range(2, 12))))
    assert few.recommended.name != "cells"
    assert [r.why for r in few.refusals if r.name == "cells"] == ["no cell is left that can expire every 3ms"]


def test_a_timer_that_restarts_drifts_but_less_than_any_oscillator(tmp_path: Path) -> None:
    found = advice(tmp_path, threads("33ms", "100ms"), "mps2-an385")
    assert found.recommended is of(found, "one-shot")
    assert found.recommended.drift == Fraction(40 * 3600, 25_000_000) < OSCILLATOR * 3600
    assert found.reason.endswith("where 40 interrupts serve all, at a drift of 5.76ms an hour at most")


def test_where_code_takes_no_time_interrupts_decide(tmp_path: Path) -> None:
    found = advice(tmp_path, threads("33ms", "100ms"), "virtual-ast1030-evb")
    assert [(p.name, p.interrupts, p.code) for p in found.predictions] == [
        ("periodic", 1000, None), ("one-shot", 40, None), ("compare", 40, None),
    ]  # fmt: skip
    assert found.recommended.name == "one-shot"


def test_periods_with_no_tick_that_divides_them_get_a_short_list(tmp_path: Path) -> None:
    found = advice(tmp_path, threads("7.001ms", "11.0003ms"))
    assert 1 < len(found.ticks) <= 5
    assert 0 < found.ticks[0].error <= WITHIN
    assert of(found, "periodic").drift > 0
    assert found.recommended.name == "one-shot"
    assert "cannot be kept by a tick" in found.reason


def test_a_tick_that_no_cell_can_count_is_divided(tmp_path: Path) -> None:
    """5 ms are 80,000 ticks, and an ATmega's timers have 16 bits."""
    text = threads("5ms", "10ms", "20ms").replace('"one-shot"', '"periodic"\ntick = "1ms"')
    found = advice(tmp_path, text, "atmega128")
    assert [(choice.tick, choice.error) for choice in found.ticks] == [(40_000, 0)]


def test_beneath_rounds_only_what_locks_nothing_is_recommended(tmp_path: Path) -> None:
    rounds = '[task.Timed]\n[mode.normal]\nround = "10ms"\npoints = [{ at = "1ms", activate = "Timed" }]\n'
    text = threads("33ms", "100ms").replace('"one-shot"', '"periodic"\ntick = "1ms"') + rounds
    found = advice(tmp_path, text)
    assert found.recommended is found.configured
    assert found.reason.endswith("and no other clock is left")
    assert [r.why for r in found.refusals if r.name == "one-shot"] == [
        "setting it locks interrupts, for which the rounds' tasks would wait"
    ]


def test_without_declared_periods_there_is_no_advice(tmp_path: Path) -> None:
    found = planned(tmp_path, "[time]\n[thread.Main]\npriority = 1\n", "ast1030-evb")
    assert advise(found.system, found.allocation) is None


@pytest.mark.parametrize("name", ["control", "logger", "sampler"])
def test_declared_periods_change_nothing_that_is_generated(tmp_path: Path, name: str) -> None:
    schedule = data_root() / "bench/clocks" / name / "schedule.toml"
    text = schedule.read_text(encoding="utf-8").replace(f'[system]\nname = "{name}"\n', "")
    less = "\n".join(line for line in text.splitlines() if not line.startswith("period"))
    one, other = (planned(tmp_path, part, "ast1030-evb") for part in (text, less))
    assert one.system.clock_hz == other.system.clock_hz
    assert one.allocation.osek is not None
    assert other.allocation.osek is not None
    assert [c.cells for c in one.allocation.osek.carriers] == [c.cells for c in other.allocation.osek.carriers]


@pytest.mark.parametrize(
    ("board", "osek", "why"),
    [
        ("ast1030-evb", "", None),
        ("ast1030-evb", 'dispatch = "software"\n', "no task is its own vector with dispatch in software"),
        ("raspberry-pi-pico", "", "no task is its own vector on this board"),
        ("microbit", 'dispatch = "software"\n', "no task is its own vector with dispatch in software"),
    ],
)
def test_cells_are_advised_only_where_a_task_can_be_its_vector(board: str, osek: str, why: str | None, tmp_path: Path) -> None:
    text = f'[osek]\n{osek}[osek.task.A]\npriority = 1\n[time]\nperiods = ["10ms"]\n'
    refused = {refusal.name: refusal.why for refusal in advice(tmp_path, text, board).refusals}
    assert refused.get("cells") == why


# The clock that the tool chooses

AUTO = '[time]\nclock = "auto"\n'
BOARDS = ("ast1030-evb", "atmega128", "mps2-an385", "microbit", "stm32f4-discovery", "raspberry-pi-pico")


def chosen(folder: Path, text: str, board: str = "ast1030-evb", time: str = "") -> Planned:
    return planned(
        folder, text.replace('[time]\nclock = "one-shot"\n', AUTO + time).replace("[time]\np", AUTO + time + "p"), board
    )


def clock_of(found: Planned) -> tuple[ClockKind, int | None]:
    assert found.system.time is not None
    return found.system.time.clock, found.system.time.tick


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("text", [threads("5ms", "10ms", "20ms"), threads("33ms", "100ms"), one_shot('"3ms", "7ms", "11ms"')])
def test_the_tool_chooses_the_clock_that_its_own_advice_on_the_plan_recommends(tmp_path: Path, text: str, board: str) -> None:
    found = chosen(tmp_path, text, board)
    result = advise(found.system, found.allocation)
    assert result is not None
    clocks = [p for p in result.predictions if p.kind is not None]
    assert result.configured is result.clock and result.clock in clocks
    assert result.recommended is result.clock or result.recommended.kind is None
    least = min(clocks, key=lambda p: (p.drift > OSCILLATOR * 3600, p.code or 0, p.interrupts))
    assert (least.code, least.interrupts) == (result.clock.code, result.clock.interrupts)
    assert why(found.system.time, result) == result.clock_reason  # type: ignore[arg-type]


def test_the_choice_of_a_clock_is_the_plan_in_which_that_clock_is_written(tmp_path: Path) -> None:
    found = chosen(tmp_path, threads("5ms", "10ms"), time='longest_lock = "1ms"\n')
    kind, tick = clock_of(found)
    assert (kind, tick) == (ClockKind.PERIODIC, 78_125)
    periodic = 'clock = "periodic"\ntick = "5ms"\nlongest_lock = "1ms"'
    same = planned(tmp_path, threads("5ms", "10ms").replace('clock = "one-shot"', periodic), "ast1030-evb")
    assert same.allocation.osek is not None and found.allocation.osek is not None
    carriers = [(c.source, c.cells, c.style, c.level) for p in (same, found) for c in p.allocation.osek.carriers]  # type: ignore[union-attr]
    assert carriers[: len(carriers) // 2] == carriers[len(carriers) // 2 :]


@pytest.mark.parametrize(("board", "kind"), [("ast1030-evb", ClockKind.ONE_SHOT), ("qemu-rv32-virt", ClockKind.COMPARE)])
def test_without_periods_the_tool_chooses_the_first_clock_that_the_board_has(tmp_path: Path, board: str, kind: ClockKind) -> None:
    found = planned(tmp_path, AUTO + "[thread.Main]\npriority = 1\n", board)
    assert clock_of(found) == (kind, None)
    assert "no periods are declared" in why(found.system.time, None)  # type: ignore[arg-type]


def test_the_tick_that_is_written_is_that_of_the_periodic_clock(tmp_path: Path) -> None:
    found = chosen(tmp_path, threads("10ms", "20ms"), time='tick = "5ms"\nlongest_lock = "1ms"\n')
    assert clock_of(found) == (ClockKind.PERIODIC, 78_125)  # the advice alone would take 10 ms
    found = chosen(tmp_path, threads("33ms", "100ms"), time='tick = "1ms"\n')
    assert clock_of(found) == (ClockKind.ONE_SHOT, None)


def test_tickless_counters_are_given_no_periodic_clock(tmp_path: Path) -> None:
    assert clock_of(chosen(tmp_path, threads("5ms", "10ms"))) == (ClockKind.PERIODIC, 78_125)
    assert clock_of(chosen(tmp_path, threads("5ms", "10ms"), time="tickless = true\n")) == (ClockKind.ONE_SHOT, None)


def test_beneath_rounds_the_tool_chooses_no_clock_that_locks_interrupts(tmp_path: Path) -> None:
    rounds = '[task.x]\nperiod = "1ms"\nwcet = "1us"\n'
    found = planned(tmp_path, AUTO + 'tick = "1ms"\n[thread.Main]\npriority = 1\n' + rounds, "ast1030-evb")
    assert clock_of(found)[0] is ClockKind.PERIODIC


def test_an_error_that_no_clock_mends_is_reported_as_it_is(tmp_path: Path) -> None:
    text = '[time]\nclock = "auto"\nslice = "1ms"\n[thread.A]\npriority = 1\n[thread.B]\npriority = 1\nstack = 4000000\n'
    with pytest.raises(CarillonError) as error:
        planned(tmp_path, text, "microbit")
    assert "C278" not in {d.code for d in error.value.diagnostics}
