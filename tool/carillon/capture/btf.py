# SPDX-License-Identifier: Apache-2.0
"""The Best Trace Format of AMALTHEA: when processes started and terminated.

A line is ``time,source,instance,type,target,instance,event,note``.  Types other than tasks (``T``) and ISRs (``I``) are skipped.
"""

from __future__ import annotations

from fractions import Fraction

from carillon.capture import Capture, Recorder, broken
from carillon.units import shorten

UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12}
FIELDS = 7
"""Fields of a line, without the note."""
LONGEST = 24


def read_btf(text: str, file: str) -> Capture:
    """The processes as signals; raises CarillonError (C301) for what is no such file."""
    recorder, known, unit = Recorder(file), set[str](), Fraction(1, 10**9)
    changes: list[tuple[int, int, str, bool]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        said = line.strip()
        if said.startswith("#"):
            key, _, value = said[1:].partition(" ")
            if key == "timeScale":
                if value.strip() not in UNITS:
                    broken(file, number, f"{shorten(value.strip())} is no time scale", "it is one of s, ms, us, ns and ps")
                unit = Fraction(1, 10 ** UNITS[value.strip()])
            continue
        if not said:
            continue
        fields = [field.strip() for field in said.split(",")]
        if len(fields) < FIELDS:
            broken(file, number, f"{len(fields)} fields instead of {FIELDS}", "the file may be cut off; write it again")
        if not (fields[0].isascii() and fields[0].isdecimal() and len(fields[0]) <= LONGEST):
            broken(file, number, f"{shorten(fields[0])} is no time")
        name, event = fields[4], fields[6]
        if fields[3] in ("T", "I") and name not in known:
            known.add(name)
            recorder.add(name, [name, name.rpartition(".")[2]])
        told = fields[3] in ("T", "I") and event in ("start", "terminate")
        changes.append((int(fields[0]), number, name if told else "", event == "start"))
    for time, number, name, begins in changes:
        recorder.time(time, number, str(time))
        if name:
            recorder.edge(name, begins)
    if not changes:
        broken(file, 1, "the file has no events", "give a file with a line for each event")
    return recorder.capture(unit)
