# SPDX-License-Identifier: Apache-2.0
"""Draws who had the processor in the last period of a run.

``python timeline.py EVENTS MILLISECONDS``: EVENTS is what ``carillon run --events`` has written on ast1030-evb.  A period
begins where the longest pause ends.
"""

import json
import sys
from itertools import pairwise
from pathlib import Path

TICKS = 15_625  # a millisecond
events, period = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").splitlines()], int(sys.argv[2])
tasks = ("t1", "t2")
last = max(event["t"] for event in events) // TICKS
busy = {task: [0] * (last + 1) for task in tasks}
since = {}
for event in events:
    if event["object"] in tasks and event["event"] in ("start", "resume"):
        since[event["object"]] = event["t"]
    elif event["object"] in since and event["event"] in ("wait", "preempt"):
        at, end = since.pop(event["object"]), event["t"]
        for ms in range(at // TICKS, end // TICKS + 1):
            busy[event["object"]][ms] += min(end, (ms + 1) * TICKS) - max(at, ms * TICKS)
runs = {task: [ticks > TICKS // 2 for ticks in busy[task]] for task in tasks}
some = [ms for ms in range(last - 3 * period, last - period) if any(runs[task][ms] for task in tasks)]
begin = max(pairwise(some), key=lambda pause: pause[1] - pause[0])[1]
for task in tasks:
    print(f"{task} |{''.join('#' if ran else ' ' for ran in runs[task][begin : begin + period])}|")
print(f"    0{f'{period} ms':>{period - 1}}")
