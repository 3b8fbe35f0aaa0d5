# SPDX-License-Identifier: Apache-2.0
"""Microseconds and their kin as ticks (``carillon/time.h``): what Python computes with whole numbers, or what is refused."""

from __future__ import annotations

import ctypes
import functools
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sample import few

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CODE = """
#include <stdbool.h>
#include <stdint.h>
#include "kernel/clock/clock.h"
TIMES
static uint64_t hz, divisor;
#undef CARILLON_TIME_HZ
#undef CARILLON_TIME_HZ_DIVISOR
#define CARILLON_TIME_HZ hz
#define CARILLON_TIME_HZ_DIVISOR divisor
struct found {
    uint64_t ticks, refused, longest, whole, part, parts;
};
void convert(uint64_t count, uint64_t per_second, uint64_t hertz, uint64_t by, struct found *found);
void convert(uint64_t count, uint64_t per_second, uint64_t hertz, uint64_t by, struct found *found)
{
    hz = hertz;
    divisor = by;
    struct carillon_period exact = CARILLON_EXACT(count, per_second);
    found->ticks = CARILLON_TICKS(count, per_second);
    found->refused = (carillon_duration)~(carillon_duration)0;
    found->longest = CARILLON_LONGEST_DURATION;
    found->whole = exact.whole;
    found->part = exact.numerator;
    found->parts = exact.denominator;
}
"""


class Found(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("ticks", "refused", "longest", "whole", "part", "parts"))


_folder = tempfile.TemporaryDirectory(prefix="carillon-conversions-")


@functools.cache
def library(bits: int, far: bool) -> ctypes.CDLL:
    source = Path(_folder.name) / "convert.c"
    header = (ROOT / "kernel/api/carillon/time.h").read_text(encoding="utf-8")
    times = header[header.index("/* A time from now, and") : header.index("/* What the queue has for a service")]
    source.write_text(CODE.replace("TIMES", times), encoding="utf-8")
    target = Path(_folder.name) / f"convert{bits}{far}.so"
    options = [
        "-std=c11",
        "-O1",
        "-shared",
        "-fPIC",
        "-Wall",
        "-Werror",
        "-fsanitize=undefined",
        "-fsanitize-undefined-trap-on-error",
    ]
    folders = ["kernel/api", ".", "ports/host", "tests/time", "tests/time/config"]
    defines = {
        "CLOCK": "CARILLON_CLOCK_ONE_SHOT",
        "TIME_COUNTS": 0,
        "TIME_NOW": 1,
        "TIME_FAR": int(far),
        "CLOCK_KEEPS_TIME": 1,
        "MODES": 0,
        "OSEK": 0,
        "TIME_BITS": bits,
    }
    command = ["gcc", *options, *(f"-DCARILLON_{name}={value}" for name, value in defines.items())]
    command += [part for folder in folders for part in ("-I", str(ROOT / folder))]
    subprocess.run([*command, str(source), "-o", str(target)], check=True)
    return ctypes.CDLL(str(target))


NUMBERS = st.one_of(
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**34),
    st.builds(lambda power, off: max(0, min(2**64 - 1, (1 << power) + off)), st.integers(0, 64), st.integers(-2, 2)),
)


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("bits", [16, 32])
@settings(max_examples=few(3000))
@given(NUMBERS, st.sampled_from([1, 1000, 1_000_000]), st.integers(1, 2**32 - 1), st.integers(1, 4000))
def test_a_time_is_exact_or_refused(bits: int, far: bool, count: int, per_second: int, hz: int, divisor: int) -> None:
    found = Found()
    convert = library(bits, far).convert
    convert.argtypes = (ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.POINTER(Found))
    convert(count, per_second, hz, divisor, ctypes.byref(found))
    parts = per_second * divisor
    ticks = -(-count * hz // parts)
    assert found.ticks == (ticks if ticks <= found.longest else found.refused)
    assert found.longest < found.refused
    whole, part = divmod(count * hz, parts)
    if whole < found.longest:
        assert (found.whole, found.part, found.parts) == (whole, part, parts)
    else:
        assert found.whole == found.longest  # which no service takes
