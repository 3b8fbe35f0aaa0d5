# SPDX-License-Identifier: Apache-2.0
"""Tables of levels, as Logic 2 of Saleae and sigrok write them.

A line has a time and a level for each signal, or is a sample and has only the levels.  Logic 2 writes a line for each change.
sigrok writes comments before, of which two are read: the names of the channels, and the sample rate.
"""

from __future__ import annotations

import re
from fractions import Fraction

from carillon.capture import Capture, Recorder, broken
from carillon.units import shorten

POWERS = {
    unit: power
    for power, units in (
        (0, ("s", "sec", "seconds")),
        (3, ("ms", "milliseconds")),
        (6, ("us", "µs", "μs", "microseconds")),
        (9, ("ns", "nanoseconds")),
        (12, ("ps", "picoseconds")),
        (15, ("fs", "femtoseconds")),
    )
    for unit in units
}
"""Units of time, as powers of ten in a second; the letter mu is written in two ways."""
SAMPLES = ("sample", "samples", "sample number")
NUMBER = re.compile(r"\s*([+-]?)(\d{1,24})(?:\.(\d{1,24}))?(?:[eE]([+-]?\d{1,2}))?\s*")
RATE = re.compile(r"samplerate:\s*(\d{1,12})(?:\.(\d{1,12}))?\s*([kMG]?)Hz", re.IGNORECASE)
AXES = ("x-axis", "x", "xaxis")
"""What oscilloscopes call the first column."""
SAMPLE_RATE = "say it with --sample-rate, such as 10MHz"


def read_csv(text: str, file: str, sample_rate: Fraction | None) -> Capture:
    """Levels by time, or by sample; raises CarillonError (C301) for what is no such file.

    ``sample_rate``, in Hz, counts for lines that are samples; it is the file's own where None.
    """
    lines = text.split("\n")
    names: list[str] = []
    at = 0
    while at < len(lines) and (not lines[at].strip() or lines[at].lstrip()[0] in ";#"):
        comment = lines[at].strip(" ;#\r")
        if comment.startswith("Channels") and ":" in comment:
            names = [name.strip() for name in comment.partition(":")[2].split(",")]
        rate = RATE.search(comment)
        if rate is not None and sample_rate is None:
            digits = Fraction(f"{rate[1]}.{rate[2] or 0}")
            sample_rate = digits * {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}[rate[3].lower()]
        at += 1
    if at == len(lines):
        broken(file, at, "the file has no levels")
    titles = [title.strip().strip('"') for title in lines[at].split(",")]
    if all(title in ("0", "1") for title in titles):
        titles = names if len(names) == len(titles) else [f"D{k}" for k in range(len(titles))]
        at -= 1
    timed, each = _first_column(titles, sample_rate, file, at + 1)
    columns = titles[1:] if timed else titles
    if len(names) == len(columns) and all(column == "logic" for column in columns):
        columns = names
    if not columns or len(set(columns)) < len(columns) or not all(columns):
        broken(file, at + 1, "each column of levels needs a name of its own", "export the capture with the channels' names")
    return _levels(lines, at + 1, columns, timed, each, file)


def _first_column(titles: list[str], sample_rate: Fraction | None, file: str, line: int) -> tuple[bool, Fraction]:
    """Whether the first column is a time, and the seconds that 1 is there (or that a line is later than the one before)."""
    first = titles[0].lower()
    unit = re.fullmatch(r"time\s*[\[(]\s*(\S+?)\s*[\])]", first)
    if sample_rate is not None and sample_rate <= 0:
        broken(file, line, "the sample rate is 0", SAMPLE_RATE)
    if first in AXES:
        remedy = "export the digital channels, as levels of 0 and 1, with the times in a column 'Time [s]'"
        broken(file, line, f"{shorten(titles[0])} begins an oscilloscope's table, of voltages and not of levels", remedy)
    if first == "time" and sample_rate is None:
        broken(file, line, f"the column {shorten(titles[0])} does not say its unit", "write it behind: 'Time [s]', 'Time [ns]'")
    if unit is None and first not in (*SAMPLES, "time", *POWERS):
        if sample_rate is None:
            cause = f"neither is {shorten(titles[0])}, the first column, a time, nor does the file say the sample rate"
            broken(file, line, cause, SAMPLE_RATE)
        return False, 1 / sample_rate
    word = unit[1] if unit is not None else first
    if word in SAMPLES:
        if sample_rate is None:
            broken(file, line, "the first column counts samples, and the file does not say the sample rate", SAMPLE_RATE)
        return True, 1 / sample_rate
    if sample_rate is not None and unit is None:  # sigrok writes samples times a period, which it has rounded down
        parts = 1
        while parts < sample_rate:
            parts *= 1000
        return True, 1 / sample_rate / max(1, int(parts / sample_rate))
    power = POWERS.get("s" if word == "time" else word)
    if power is None:
        broken(file, line, f"{shorten(word)} is no unit of time", "the units are s, ms, us, ns, ps and fs, as in 'Time [s]'")
    return True, Fraction(1, 10**power)


def _levels(lines: list[str], at: int, columns: list[str], timed: bool, each: Fraction, file: str) -> Capture:
    """Follow the lines from ``at`` on."""
    recorder = Recorder(file)
    for column in columns:
        recorder.add(column)
    rows: list[tuple[int, int, int, list[str]]] = []  # line, digits of the time as a whole number, its decimals, levels
    for number, line in enumerate(lines[at:], start=at + 1):
        if not line.strip() or line.lstrip()[0] in ";#":
            continue
        fields = line.split(",")
        if len(fields) != len(columns) + timed:
            cause = f"{len(fields)} fields instead of {len(columns) + timed}"
            broken(file, number, cause, "the file may be cut off; export the capture again")
        levels = [field.strip() for field in fields[timed:]]
        wrong = next((level for level in levels if level not in ("0", "1")), None)
        if wrong is not None:
            broken(file, number, f"{shorten(wrong)} is no level", "a level is 0 or 1; leave analog channels out of the export")
        time = len(rows), 0
        if timed:
            match = NUMBER.fullmatch(fields[0])
            if match is None:
                broken(file, number, f"{shorten(fields[0].strip())} is no time")
            decimals = match[3] or ""
            shift = int(match[4] or 0) - len(decimals)
            whole = int(match[1] + match[2] + decimals)
            time = (whole * 10**shift, 0) if shift >= 0 else (whole, -shift)
        rows.append((number, *time, levels))
    finest = max((decimals for _, _, decimals, _ in rows), default=0)
    for number, whole, decimals, levels in rows:
        recorder.time(whole * 10 ** (finest - decimals), number, lines[number - 1].split(",")[0].strip()[:20])
        for column, level in zip(columns, levels, strict=True):
            recorder.level(column, level == "1")
    if not timed:
        recorder.now += 1  # the last sample holds until there would be another
    return recorder.capture(each / 10**finest)
