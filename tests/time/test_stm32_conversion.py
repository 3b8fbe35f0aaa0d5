# SPDX-License-Identifier: Apache-2.0
"""Seconds as an STM32's TR and DR, and back (``devices/stm32/rtc.h``): what Python's datetime says, from 2000 to 2099."""

from __future__ import annotations

import ctypes
import functools
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
PORT = """
#include <stdbool.h>
#include <stdint.h>
#define CARILLON_RTC_ADDRESS 0x40002800u
#define CARILLON_RTC_LSE_MS 0u
extern uint32_t (*load)(uint32_t address);
extern uint32_t stored;
#define CARILLON_REGISTER(address) stored
#define carillon_port_read(address) load(address)
"""
CODE = """
#include "devices/stm32/rtc.h"
uint32_t (*load)(uint32_t address);
uint32_t stored;
bool reads(uint32_t (*from)(uint32_t address), uint32_t *seconds);
bool reads(uint32_t (*from)(uint32_t address), uint32_t *seconds)
{
    load = from;
    return carillon_rtc_read(seconds);
}
uint32_t time_of(uint32_t seconds);
uint32_t time_of(uint32_t seconds)
{
    return stm32_time_of(seconds);
}
uint32_t date_of(uint32_t seconds);
uint32_t date_of(uint32_t seconds)
{
    return stm32_date_of(seconds);
}
bool has(uint32_t seconds);
bool has(uint32_t seconds)
{
    return carillon_rtc_has(seconds);
}
bool second_of(uint32_t time, uint32_t date, uint32_t *seconds);
bool second_of(uint32_t time, uint32_t date, uint32_t *seconds)
{
    return stm32_second_of(time, date, seconds);
}
"""
FLAGS = ("-std=c11", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsanitize=undefined")
FIRST = datetime(2000, 1, 1, tzinfo=UTC)
SECONDS = 36525 * 86400

_folder = tempfile.TemporaryDirectory(prefix="carillon-stm32-")


@functools.cache
def library() -> ctypes.CDLL:
    folder = Path(_folder.name)
    (folder / "carillon_port.h").write_text(PORT, encoding="utf-8")
    (folder / "code.c").write_text(CODE, encoding="utf-8")
    command = ["gcc", *FLAGS, "-fsanitize-undefined-trap-on-error", f"-I{ROOT}", f"-I{folder}", str(folder / "code.c")]
    subprocess.run([*command, "-o", str(folder / "code.so")], check=True)
    loaded = ctypes.CDLL(str(folder / "code.so"))
    loaded.has.restype = loaded.second_of.restype = loaded.reads.restype = ctypes.c_bool
    loaded.time_of.restype = loaded.date_of.restype = ctypes.c_uint32
    return loaded


def back(time: int, day: int) -> int | None:
    """The second of TR and DR, None for none."""
    seconds = ctypes.c_uint32(0)
    return seconds.value if library().second_of(time, day, ctypes.byref(seconds)) else None


LOAD = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)
BDCR, TR, DR, ISR, SSR = 0x40023870, 0x40002800, 0x40002804, 0x4000280C, 0x40002828
OLD, NEW = (0x235959, 0x24 << 16 | 3 << 13 | 0x228), (0, 0x24 << 16 | 4 << 13 | 0x229)
"""TR and DR around the midnight of a leap day."""


def told(unlocks_before: int) -> tuple[int, list[int]]:
    """The second that the driver reads, and the registers in its order, if the chip copies its calendar before a load.

    It copies the next day's before that one of the loads, though SSR or TR was read: the erratum ES0206, 2.9.2.
    """
    order: list[int] = []

    def values() -> Iterator[int]:
        while True:
            time, day = NEW if len(order) > unlocks_before else OLD
            part = 255 if len(order) > unlocks_before else 0
            yield {BDCR: 0x8000, ISR: 0x20, TR: time, DR: day, SSR: part}[order[-1]]

    each = values()

    def load(address: int) -> int:
        order.append(address)
        return next(each)

    seconds = ctypes.c_uint32(0)
    assert library().reads(LOAD(load), ctypes.byref(seconds))
    return seconds.value, order


def digits(day: date) -> int:
    """DR: the two digits of the year, the day of the week, month and day."""
    return int(day.strftime("%y"), 16) << 16 | day.isoweekday() << 13 | int(day.strftime("%m%d"), 16)


def test_each_day_from_2000_to_2099_is_as_in_python() -> None:
    for number in range(36525):
        day = FIRST + timedelta(days=number)
        at = int(day.timestamp())
        assert library().date_of(at) == library().date_of(at + 86399) == digits(day.date()), day
        assert back(0, digits(day.date())) == at, day
        assert back(0x235959, digits(day.date())) == at + 86399, day


@given(st.integers(0, SECONDS - 1))
def test_each_second_from_2000_to_2099_is_as_in_python(number: int) -> None:
    moment = FIRST + timedelta(seconds=number)
    at = int(moment.timestamp())
    assert library().has(at)
    assert library().time_of(at) == int(moment.strftime("%H%M%S"), 16)
    assert library().date_of(at) == digits(moment.date())
    assert back(library().time_of(at), library().date_of(at)) == at


def test_there_is_nothing_before_2000_and_after_2099() -> None:
    at = int(FIRST.timestamp())
    inside = {0: False, at - 1: False, at: True, at + SECONDS - 1: True, at + SECONDS: False, 2**32 - 1: False}
    assert {second: library().has(second) for second in inside} == inside


def test_a_year_0_whose_days_of_the_week_nobody_has_set_or_that_is_2100_has_no_date() -> None:
    """The chip counts from a Monday on, or goes on after 2099; it takes both years for leap years."""
    for number in range(366):
        day = (FIRST + timedelta(days=number)).date()
        right = digits(day)
        for first in (1, 5):  # a Monday; the Friday with which 2100 begins
            weekday = (first - 1 + number) % 7 + 1
            assert back(0, right & ~(7 << 13) | weekday << 13) is None, day
        assert back(0, right) is not None


def test_a_day_of_the_week_that_somebody_else_has_set_does_not_matter_after_2000() -> None:
    day = date(2024, 2, 29)
    for weekday in range(8):
        found = back(0x120000, digits(day) & ~(7 << 13) | weekday << 13)
        assert found == int(datetime(2024, 2, 29, 12, tzinfo=UTC).timestamp())


def test_a_read_whose_shadows_the_chip_does_not_lock_is_made_again() -> None:
    """A second goes by before each load in turn; and DR is read last, which unlocks the shadows for the next one."""
    midnight = int(datetime(2024, 2, 29, tzinfo=UTC).timestamp())
    found = [told(unlocks_before) for unlocks_before in range(10)]
    assert {second for second, _ in found} == {midnight - 1, midnight}
    assert {len(order) for _, order in found} == {7, 10}
    for _, order in found:
        assert order[:3] == [BDCR, ISR, SSR]
        assert order[-4:] == [TR, DR, SSR, DR]
