# SPDX-License-Identifier: Apache-2.0
"""A node's clock is exact: against fractions, at random errors, walks and steps, and over a time in which errors would add up."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from ctypes import POINTER, Structure, c_int, c_int64, c_uint32, c_uint64
from functools import cache
from math import floor
from pathlib import Path

import oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from carillon.model.network import Clock, Stretch

HERE = Path(__file__).parent
HOST = HERE.parents[1] / "emulators" / "network"
_folder = tempfile.TemporaryDirectory(prefix="carillon-network-")


class Step(Structure):
    _fields_ = (("at", c_uint64), ("error", c_int64))


@cache
def native() -> ctypes.CDLL:
    target = Path(_folder.name) / "oscillator.so"
    flags = ("-std=gnu11", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined")
    trap = "-fsanitize-undefined-trap-on-error"
    subprocess.run(["cc", *flags, trap, f"-I{HOST}", str(HERE / "oscillator.c"), "-o", str(target)], check=True)
    library = ctypes.CDLL(str(target))
    library.begin.argtypes = (c_uint64, c_uint64, c_uint64, c_uint64, POINTER(Step), c_uint32, c_int64, c_int64, c_uint64)
    for name, arguments in (("ticks_at", (c_uint64,)), ("time_of", (c_uint64, c_uint64))):
        function = getattr(library, name)
        function.restype, function.argtypes = c_uint64, arguments
    library.drawing.restype = c_uint64
    library.drawing.argtypes = (c_uint64, c_int, c_uint64, c_uint64, c_uint64, c_uint64)
    return library


class Native:
    """The oscillator in C, whose time only goes on; it notes its stretches as network.c does."""

    def __init__(self, it: oracle.Oscillator) -> None:
        self.library = native()
        self.steps = (Step * len(it.errors))(*(Step(*e) for e in it.errors))
        step, bound, every = it.wander or (0, 0, 0)
        self.library.begin(it.hz, it.seed, it.number, it.start, self.steps, len(it.errors), step, bound, every)
        self.hz = it.hz
        self.stretches = [self._stretch()]

    def _stretch(self) -> Stretch:
        line = (c_uint64 * 5)()
        self.library.stretch(line)
        begin, ticks, low, high, rate = line
        return Stretch(begin, ticks, low | high << 64, rate)

    def ticks_at(self, time: int) -> int:
        found = int(self.library.ticks_at(time))
        now = self._stretch()
        if now != self.stretches[-1]:
            self.stretches.append(now)
        return found

    def time_of(self, tick: int, limit: int) -> int:
        return int(self.library.time_of(tick, limit))


PPB = st.integers(-100_000_000, 100_000_000) | st.integers(-100_000, 100_000)
LENGTH = 40 * 10**9  # 40 ms


@st.composite
def oscillators(draw: st.DrawFn) -> oracle.Oscillator:
    times = sorted(draw(st.sets(st.integers(1, LENGTH), max_size=3)))
    errors = ((0, draw(PPB)), *((at, draw(PPB)) for at in times))
    wander = None
    if draw(st.booleans()):
        bound = draw(st.integers(1, 10**6))
        wander = draw(st.integers(1, bound)), bound, draw(st.integers(10**9, 15 * 10**9))
    hz = draw(st.sampled_from((1_000_000, 3_906_250, 15_625_000, 125_000_000)))
    return oracle.Oscillator(
        hz, draw(st.integers(0, 10**10)), errors, wander, draw(st.integers(0, 2**63 - 1)), draw(st.integers(0, 63))
    )


@settings(max_examples=60, deadline=None)
@given(oscillators(), st.lists(st.integers(0, LENGTH), min_size=1, max_size=6))
def test_ticks_and_times_are_those_of_exact_fractions(it: oracle.Oscillator, times: list[int]) -> None:
    clock = Native(it)
    for time in sorted(it.start + t for t in times):
        exact = it.ticks(time)
        assert clock.ticks_at(time) == floor(exact)
        for tick in (floor(exact) + 1, floor(exact) + 1000, floor(exact) + 200_000):
            due = it.time(tick, time + LENGTH)
            found = clock.time_of(tick, time + LENGTH)
            if due is None:
                assert found > time + LENGTH
            else:
                assert found == due
                assert it.ticks(due) >= tick > it.ticks(due - 1)  # the first picosecond at which it was made


@settings(max_examples=40, deadline=None)
@given(oscillators(), st.lists(st.integers(0, LENGTH), min_size=1, max_size=6))
def test_what_the_tool_reads_of_a_clock_is_the_clock(it: oracle.Oscillator, times: list[int]) -> None:
    native_clock = Native(it)
    end = it.start + LENGTH
    for at, _ in it.changes(end):  # it notes every stretch that it enters
        native_clock.ticks_at(at)
    clock = Clock(it.hz, tuple(native_clock.stretches))
    for time in (it.start + t for t in times):
        exact = it.ticks(time)
        assert clock.offset(time) == exact / it.hz - (time - it.start) * oracle.Fraction(1, oracle.SECOND)
        tick = floor(exact)
        assert clock.time_of(tick) == (it.time(tick, end) if tick else it.start)


def test_nothing_adds_up_over_a_day_of_wandering() -> None:
    day = 86400 * oracle.SECOND
    it = oracle.Oscillator(125_000_000, 0, ((0, -37_125),), (1, 7, 36 * oracle.SECOND + 1), 5, 3)
    clock = Native(it)
    assert clock.ticks_at(day) == floor(it.ticks(day))
    last = it.ticks(day)
    assert clock.time_of(floor(last) + 1, 2 * day) == it.time(floor(last) + 1, day + oracle.SECOND)


def test_chance_is_even_and_depends_on_the_seed_alone() -> None:
    c = native()
    numbers = [c.drawing(1, oracle.JITTER, 2, k, 3, 9) for k in range(4000)]
    assert numbers == [oracle.drawn(1, oracle.JITTER, 2, k, 3, 9) for k in range(4000)]
    assert all(330 < numbers.count(value) < 470 for value in range(10))
    assert c.drawing(9, oracle.LOSS, 1, 2, 3, 2**64 - 1) == oracle.draw(9, oracle.LOSS, 1, 2, 3)
