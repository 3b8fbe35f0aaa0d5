# SPDX-License-Identifier: Apache-2.0
"""Stands for a logic analyser of 100 MHz whose clock is 38 ppm fast: makes the CSV file of Logic 2 from the VCD file of a run."""

import re
import sys
from pathlib import Path

FAST = 1 + 38e-6
SAMPLE = 10  # ns
TASKS = ("current", "speed", "report")

codes, levels, now, rows = {}, dict.fromkeys(TASKS, "0"), 0, {}
scope = ""
with Path(sys.argv[1]).open(encoding="utf-8") as file:
    for line in file:
        word = line.split()
        if word[:1] == ["$timescale"]:
            unit = {"ps": 1e-3, "ns": 1.0, "us": 1e3}[word[2]] * int(word[1])  # ns
        elif word[:1] == ["$scope"]:
            scope = word[2]
        elif word[:1] == ["$var"] and word[4] == "active" and scope in TASKS:
            codes[word[3]] = scope
        elif line[0] == "#":
            now = round(int(line[1:]) * unit * FAST / SAMPLE) * SAMPLE
        elif re.fullmatch(r"[01]\S+\n", line) and line[1:-1] in codes:
            levels[codes[line[1:-1]]] = line[0]
            rows[now] = ",".join(levels.values())
print("Time [s],Channel 0,Channel 1,Channel 2")
for time, row in rows.items():
    print(f"{time * 1e-9:.9f},{row}")
