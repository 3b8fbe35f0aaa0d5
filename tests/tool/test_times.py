# SPDX-License-Identifier: Apache-2.0
"""Times and frequencies are exact from the text to the tick."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carillon.read.rounds import least_common_multiple
from carillon.read.ticks import whole
from carillon.units import (
    FREQUENCY_PATTERN,
    SECONDS,
    TIME_PATTERN,
    MalformedError,
    Time,
    format_duration,
    format_frequency,
    format_number,
    parse_frequency,
    parse_time,
)

UNHURRIED = settings(deadline=None)
decimals = st.builds(lambda n, d: Fraction(n, 10**d), st.integers(0, 10**30 - 1), st.integers(0, 30))
units = st.sampled_from([*SECONDS, "ticks"])


@UNHURRIED
@given(decimals, units)
def test_a_time_that_is_written_reads_as_itself(number: Fraction, unit: str) -> None:
    assert parse_time(str(Time(number, unit))) == Time(number, unit)


@UNHURRIED
@given(decimals, units, st.sampled_from(["", " ", "  "]), st.sampled_from(["", " ", "\t"]))
def test_space_around_number_and_unit_does_not_matter(number: Fraction, unit: str, between: str, around: str) -> None:
    assert parse_time(f"{around}{format_number(number)}{between}{unit}{around}") == Time(number, unit)


@UNHURRIED
@given(st.integers(0, 10**12), st.integers(1, 10**10))
def test_ticks_convert_to_themselves_on_every_clock(number: int, hz: int) -> None:
    assert parse_time(f"{number} ticks").ticks(hz) == number


@UNHURRIED
@given(decimals, st.sampled_from(list(SECONDS)), st.integers(1, 10**10))
def test_a_time_in_ticks_lasts_as_long_as_the_time(number: Fraction, unit: str, hz: int) -> None:
    assert parse_time(f"{format_number(number)}{unit}").ticks(hz) / hz == number * SECONDS[unit]


@UNHURRIED
@given(st.integers(1, 10**15))
def test_a_frequency_that_is_written_reads_as_itself(hz: int) -> None:
    assert parse_frequency(format_frequency(hz)) == hz


@UNHURRIED
@given(st.from_regex(TIME_PATTERN, fullmatch=True))
def test_what_the_json_schema_calls_a_time_is_one(text: str) -> None:
    parse_time(text)


@UNHURRIED
@given(st.from_regex(FREQUENCY_PATTERN, fullmatch=True))
def test_what_the_json_schema_calls_a_frequency_is_one_unless_it_is_zero(text: str) -> None:
    if re.search("[1-9]", text):
        assert parse_frequency(text) > 0


@UNHURRIED
@given(st.text())
def test_any_other_text_is_refused_with_cause_and_remedy(text: str) -> None:
    for parse in (parse_time, parse_frequency):
        try:
            parse(text)
        except MalformedError as error:
            assert error.cause
            assert error.remedy
            assert "\n" not in error.cause


@pytest.mark.parametrize(
    "text",
    [
        "",
        "250",
        "us",
        "-1us",
        "+1us",
        "1e3us",
        ".5us",
        "5.us",
        "1,5us",
        "1_000us",
        "0x10us",
        "1 us us",
        "1\u00b5",
        "1m",
        "1US",
        "\u0661us",
    ],
)
def test_no_time(text: str) -> None:
    with pytest.raises(MalformedError):
        parse_time(text)


def test_one_tick_may_be_singular() -> None:
    assert parse_time("1 tick") == Time(Fraction(1), "ticks")


@pytest.mark.parametrize("unit", ["\u00b5s", "\u03bcs"])
def test_microseconds_may_have_their_sign(unit: str) -> None:
    assert parse_time(f"2.5 {unit}") == Time(Fraction(5, 2), "us")
    assert re.search(TIME_PATTERN, f"2.5 {unit}")


def test_a_clock_of_zero_hertz_is_refused() -> None:
    with pytest.raises(MalformedError):
        parse_frequency("0.0MHz")


def test_rounding_is_to_the_nearest_tick_and_of_a_wcet_upwards() -> None:
    assert [whole(Fraction(n, 4)) for n in (1, 2, 3, 6)] == [0, 0, 1, 2]
    assert [whole(Fraction(n, 4), upwards=True) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]


@UNHURRIED
@given(st.lists(st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=50), min_size=1, max_size=4))
def test_the_least_common_multiple_is_a_multiple_of_all_and_no_smaller_one_is(values: list[Fraction]) -> None:
    multiple = least_common_multiple(values)
    assert all((multiple / value).denominator == 1 for value in values)
    for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47):
        assert any((multiple / prime / value).denominator != 1 for value in values)


def test_durations_are_shown_in_the_largest_fitting_unit() -> None:
    shown = [format_duration(ticks, 1_000_000) for ticks in (0, 1, 1500, 2_000_000)]
    assert shown == ["0ns", "1us", "1.5ms", "2s"]
    assert format_duration(1, 3_000_000_000) == "0.333333ns"
