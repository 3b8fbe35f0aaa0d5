# SPDX-License-Identifier: Apache-2.0
"""What a processor draws: the estimate, its figures in plans, and what is said of a wrong ``[currents]``."""

from __future__ import annotations

import io
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from carillon import pipeline
from carillon.advise import advise
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.energy import Supply, energy_text
from carillon.model import Idle, System
from carillon.model.currents import Currents
from carillon.read.board import load_board
from carillon.resources import board_names, data_root, find_board
from carillon.show.plan import plan_json, render_plan
from carillon.trace import Event, Kind, Trace
from carillon.trace.analyse import analyse

ROOT = data_root()
TINY = (ROOT / "boards/virtual-tiny/board.toml").read_text(encoding="utf-8")
CURRENTS = {"active": '"17mA"', "idle": '"8mA"', "voltage": '"5V"', "frequency": '"8MHz"', "source": '"Data sheet, p. 319"'}
ROUND = """
[system]
board = "atmega128"
sources = []
clock = "2MHz"
[task.a]
period = "10ms"
wcet = "1ms"
deadline = "8ms"
[task.b]
period = "20ms"
offset = "4ms"
wcet = "500us"
deadline = "8ms"
"""
THREADS = """
[system]
board = "atmega128"
sources = []
[time]
clock = "one-shot"
[thread.T]
priority = 1
period = "10ms"
"""


def planned(folder: Path, text: str, board: str | None = None) -> pipeline.Planned:
    path = folder / "app.toml"
    path.write_text(text, encoding="utf-8")
    return pipeline.plan(path, Diagnostics(), board)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    return planned(tmp_path_factory.mktemp("energy"), ROUND).system


def shown(plan: pipeline.Planned) -> str:
    out = io.StringIO()
    render_plan(Console(file=out, width=1000), plan)
    return out.getvalue()


MICROAMPERES = st.integers(0, 10**7)


@given(
    idle=MICROAMPERES,
    more=st.integers(1, 10**7),
    millivolts=st.integers(1, 10**5),
    khz=st.integers(1, 10**6),
    share=st.fractions(0, 1),
    sleeps=st.booleans(),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_estimate_is_the_mean_of_both_currents_in_proportion_to_the_frequency(
    system: System, idle: int, more: int, millivolts: int, khz: int, share: Fraction, sleeps: bool
) -> None:
    written = {"active": f"{idle + more}uA", "idle": f"{idle} µA", "voltage": f"{millivolts}mV", "frequency": f"{khz}kHz"}
    board = system.board.model_copy(update={"currents": Currents.model_validate(written | {"source": "x"})})
    mode = Idle.SLEEP if sleeps else Idle.SPIN
    supply = Supply.of(replace(system, board=board, idle=mode))
    assert supply is not None
    found = supply.estimate(share)
    scale = Fraction(16_000, khz)
    microamperes = (idle + more) * (1 - share) + (idle if sleeps else idle + more) * share
    assert found.current == microamperes * scale / 10**6
    assert found.power == microamperes * scale * millivolts / 10**9
    assert found.energy(Fraction(7, 3)) == found.power * 7 / 3
    told = found.as_json()
    assert told == {
        "current_ma": float(found.current * 1000),
        "power_mw": float(found.power * 1000),
        "mah_a_day": float(found.current * 24_000),
    }


@pytest.mark.parametrize("share", [Fraction(-1, 10**9), Fraction(10**9 + 1, 10**9)])
def test_a_share_of_more_than_all_or_less_than_nothing_is_refused(system: System, share: Fraction) -> None:
    supply = Supply.of(system)
    assert supply is not None
    with pytest.raises(ValueError, match="a share of the time"):
        supply.estimate(share)


def test_where_the_emulator_counts_instructions_the_figures_hold_as_they_are_given(tmp_path: Path) -> None:
    found = planned(tmp_path, ROUND.replace('"2MHz"', '"15.625MHz"'), "ast1030-evb").system
    assert Supply.of(found) is None
    currents = load_board(ROOT / "boards/atmega128/board.toml").currents
    supply = Supply.of(replace(found, idle=Idle.SLEEP, board=found.board.model_copy(update={"currents": currents})))
    assert supply == Supply(Fraction(17, 1000), Fraction(8, 1000), Fraction(5), None)


@pytest.mark.parametrize(("joules", "text"), [(Fraction(1), "1000 mJ"), (Fraction(0), "0.000 mJ"), (Fraction(1, 3), "333.3 mJ")])
def test_an_energy_is_shown_with_four_digits(joules: Fraction, text: str) -> None:
    assert energy_text(joules) == text


# Board files


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"source": None}, "1:1 C050 [currents] has no 'source'"),
        ({"active": None}, "1:1 C050 [currents] has no 'active'"),
        ({"voltage": None}, "1:1 C050 [currents] has no 'voltage'"),
        ({"frequency": None}, "1:1 C050 [currents] has no 'frequency'"),
        ({"source": '""'}, "6:10 C050 'source' of [currents] is empty"),
        ({"source": '"  "'}, "6:10 C050 'source' of [currents]: it is blank"),
        ({"active": '"-17mA"'}, "2:10 C050 'active' of [currents]: '-17mA' is negative"),
        (
            {"active": '"0mA"'},
            "2:10 C050 'active' of [currents]: a processor that executes draws more than none",
        ),
        ({"active": "17"}, "2:10 C050 'active' of [currents]: a current is a string with a unit"),
        ({"active": "true"}, "2:10 C050 'active' of [currents]: a current is a string with a unit"),
        ({"active": '"17"'}, "2:10 C050 'active' of [currents]: '17' has no unit"),
        ({"active": '"17e-3A"'}, "2:10 C050 'active' of [currents]: '17e-3A' has an exponent"),
        ({"active": '"17ma"'}, "2:10 C050 'active' of [currents]: 'ma' is no unit of current"),
        ({"idle": '"8mV"'}, "3:8 C050 'idle' of [currents]: 'mV' is no unit of current"),
        (
            {"idle": '"17.001mA"'},
            "3:8 C050 'idle' of [currents]: it is above 'active', but a processor that idles draws no more",
        ),
        ({"voltage": '"0V"'}, "4:11 C050 'voltage' of [currents]: a voltage of zero"),
        ({"voltage": '"5"'}, "4:11 C050 'voltage' of [currents]: '5' has no unit"),
        ({"frequency": '"0Hz"'}, "5:13 C050 'frequency' of [currents]: a frequency of zero"),
        ({"sleep": '"1mA"'}, "7:1 C050 unknown key 'sleep' in [currents]"),
    ],
)
def test_wrong_currents_are_reported_with_their_place(tmp_path: Path, changes: dict[str, str | None], cause: str) -> None:
    written = {key: value for key, value in (CURRENTS | changes).items() if value is not None}
    text = TINY + "\n[currents]\n" + "\n".join(f"{key} = {value}" for key, value in written.items()) + "\n"
    path = tmp_path / "mine" / "board.toml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CarillonError) as refused:
        load_board(path)
    (found,) = refused.value.diagnostics
    assert found.span is not None
    assert found.remedy
    above = TINY.count("\n") + 1
    assert f"{found.span.line - above}:{found.span.column} {found.code} {found.cause}" == cause


def test_the_boards_with_currents_say_where_they_stand() -> None:
    boards = [load_board(path) for name in board_names() if (path := find_board(name)) is not None]
    given = {board.name: board.currents for board in boards if board.currents is not None}
    assert set(given) == {"arduino-mega", "arduino-uno", "atmega128", "atmega128-xmem", "atmega2560"}
    assert all("data sheet" in currents.source and " p. " in currents.source for currents in given.values())


# Plans


def test_a_round_s_figures_are_worked_out_of_its_wcets_and_the_kernel_s_code(tmp_path: Path) -> None:
    plan = planned(tmp_path, ROUND)
    told = plan_json(plan)
    energy, (mode,) = told["energy"], told["modes"]
    (found,) = energy["modes"]
    busy = Fraction(2 * 16_000 + 8_000 + mode["kernel_at_most"], 20 * 16_000)  # in cycles
    current = 34 * busy + 16 * (1 - busy)
    assert found == {
        "mode": mode["mode"],
        "wakeups": 150.0,
        "idle_share": float(1 - busy),
        "unknown": [],
        "current_ma": pytest.approx(float(current)),
        "power_mw": pytest.approx(float(current * 5)),
        "mah_a_day": pytest.approx(float(current * 24)),
    }
    currents = {key: energy["currents"][key] for key in ("active_ma", "idle_ma", "voltage", "hz", "given_hz")}
    assert currents == {"active_ma": 34, "idle_ma": 16, "voltage": 5, "hz": 16_000_000, "given_hz": 8_000_000}
    text = shown(plan)
    assert "wake-ups: 150 a second, if each deadline is met; at least 87." in text
    assert "estimated with 34 mA, and 16 mA while the processor sleeps, at 5 V and 16MHz, in proportion from 8MHz" in text
    assert "source: Atmel, ATmega128 data sheet" in text


def test_an_idle_task_that_spins_draws_the_active_current_all_the_time(tmp_path: Path) -> None:
    plan = planned(tmp_path, ROUND.replace("sources = []", 'sources = []\nidle = "spin"'))
    energy = plan_json(plan)["energy"]
    assert (energy["idle"], energy["currents"]["idle_ma"], energy["modes"][0]["current_ma"]) == ("spin", 34, 34)
    assert 'estimated with 34 mA all the time, as idle = "spin" never sleeps, at 5 V' in shown(plan)


def test_at_the_data_sheet_s_frequency_nothing_is_scaled(tmp_path: Path) -> None:
    plan = planned(tmp_path, ROUND.replace('"2MHz"', '"1MHz"'))
    assert plan_json(plan)["energy"]["currents"]["active_ma"] == 17
    assert "while the processor sleeps, at 5 V and 8MHz\n" in shown(plan)


BESIDE = "[osek.task.U]\npriority = 1\n"


@pytest.mark.parametrize(
    ("change", "unknown"),
    [
        (('wcet = "500us"\n', ""), ["task b"]),
        (("[task.a]", '[interrupt.I]\nsource = "soft0"\nhandler = "i"\npriority = "above-tasks"\n[task.a]'), ["interrupt I"]),
        (("[task.a]", BESIDE + "[task.a]"), ["the event-triggered system"]),
    ],
)
def test_what_executes_for_an_unknown_time_is_named_instead_of_a_figure(
    tmp_path: Path, change: tuple[str, str], unknown: list[str]
) -> None:
    board = "ast1030-evb" if "osek" in change[1] else None  # an AVR has no levels below rounds
    plan = planned(tmp_path, ROUND.replace(*change).replace('"2MHz"', '"15.625MHz"' if board else '"2MHz"'), board)
    (found,) = plan_json(plan)["energy"]["modes"]
    assert found["unknown"] == unknown
    assert {key: found[key] for key in ("idle_share", "current_ma", "power_mw", "mah_a_day")} == dict.fromkeys(
        ("idle_share", "current_ma", "power_mw", "mah_a_day")
    )
    text = shown(plan)
    assert "wake-ups of the round: 150 a second" in text
    assert f"how long the processor idles is not known: no WCET of {unknown[0]}\n" in text


def test_a_board_without_currents_says_so_and_nothing_is_guessed(tmp_path: Path) -> None:
    plan = planned(tmp_path, ROUND.replace('"2MHz"', '"15.625MHz"'), "ast1030-evb")
    energy = plan_json(plan)["energy"]
    assert energy["currents"] is None
    assert energy["modes"][0]["idle_share"] is not None
    assert energy["modes"][0]["current_ma"] is None
    text = shown(plan)
    assert "no current is estimated: the file of board 'ast1030-evb' has no [currents]" in text
    assert " mA" not in text


def test_each_clock_of_the_advice_has_its_current(tmp_path: Path) -> None:
    plan = planned(tmp_path, THREADS)
    advice = advise(plan.system, plan.allocation)
    assert advice is not None
    clocks = plan_json(plan)["energy"]["clocks"]
    assert [clock["clock"] for clock in clocks] == [p.name for p in advice.predictions]
    for clock, prediction in zip(clocks, advice.predictions, strict=True):
        assert prediction.share is not None
        assert clock["wakeups"] == float(prediction.interrupts)
        assert clock["current_ma"] == pytest.approx(float(16 + 18 * prediction.share))
    text = shown(plan)
    head = text.index("with nothing but this clock's handler")
    assert f"{clocks[0]['current_ma']:.4g}" in text[head:]
    assert f"{clocks[0]['mah_a_day']:.4g}" in text[head:]


def test_a_clock_whose_code_is_not_known_has_no_current(tmp_path: Path) -> None:
    plan = planned(tmp_path, THREADS)
    plan = replace(plan, system=replace(plan.system, board=plan.system.board.model_copy(update={"costs": {}})))
    clocks = plan_json(plan)["energy"]["clocks"]
    assert clocks
    assert all(clock["current_ma"] is None and clock["wakeups"] for clock in clocks)


def test_another_kernel_s_wake_ups_are_not_worked_out(tmp_path: Path) -> None:
    path = tmp_path / "app.toml"
    path.write_text(ROUND, encoding="utf-8")
    plan = pipeline.plan(path, Diagnostics(), None, "conventional")
    assert plan_json(plan)["energy"]["modes"] == []
    assert "no current is estimated: it is worked out of Carillon's own kernel alone\n" in shown(plan)


def test_without_declared_periods_it_is_said_that_wake_ups_are_not_known(tmp_path: Path) -> None:
    plan = planned(tmp_path, THREADS.replace('period = "10ms"\n', ""))
    energy = plan_json(plan)["energy"]
    assert (energy["modes"], energy["clocks"]) == ([], [])
    text = shown(plan)
    assert "how often the processor wakes up is not known, and no current is estimated: no periods are declared\n" in text


# Runs


def trace(**others: Any) -> Trace:
    """A thousand ticks of a millisecond, a quarter of which a task has."""
    events = (Event(0, 0, Kind.IDLE, "idle"), Event(500, 500, Kind.START, "a"), Event(750, 750, Kind.END, "a"))
    events += (Event(750, 750, Kind.IDLE, "idle"),)
    return Trace("x", "b", "carillon", 1_000, 0, 0, 1_000, 1_000, ("a",), (), events, **others)


def test_a_run_s_energy_is_that_of_how_long_it_idled() -> None:
    supply = Supply(Fraction(17, 1000), Fraction(8, 1000), Fraction(5), None)
    totals = analyse(trace(supply=supply), ()).totals
    assert totals.idle_share == 0.75
    assert totals.energy is not None
    assert totals.energy.seconds == 1
    assert totals.energy.joules == Fraction(17 + 3 * 8, 4 * 1000) * 5
    told = totals.as_json()
    assert told["energy"] == {"current_ma": 10.25, "power_mw": 51.25, "mah_a_day": 246.0, "energy_mj": 51.25}


def test_a_run_on_a_board_without_currents_has_no_energy() -> None:
    assert analyse(trace(), ()).totals.as_json()["energy"] is None
