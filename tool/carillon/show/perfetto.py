# SPDX-License-Identifier: Apache-2.0
"""Export as Chrome trace-event JSON, which the Perfetto UI opens: a process per kernel, a track per lane.

Times are microseconds of the application's clock, to the nanosecond.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import IO

from carillon.show.scene import Panel
from carillon.trace.timeline import KERNEL, Lane, LaneKind


def write(stream: IO[str], panels: Sequence[Panel]) -> None:
    """Write every segment and every wait as a slice, every mark as an instant, one JSON object a line."""
    stream.write('{"displayTimeUnit":"ns","traceEvents":[\n')
    separator = ""
    for process, panel in enumerate(panels, start=1):
        for event in _events(panel, process):
            stream.write(separator + json.dumps(event, separators=(",", ":")))
            separator = ",\n"
    stream.write("\n]}\n")


def _events(panel: Panel, process: int) -> Iterator[dict[str, object]]:
    summary = panel.summary
    per_unit = Fraction(10**6, panel.trace.clock_hz * panel.scale)
    threads = {lane: index for index, lane in enumerate(summary.lanes, start=1)}

    def microseconds(units: int) -> float | int:
        value = round(units * per_unit, 3)
        return int(value) if value.denominator == 1 else float(value)

    def about(name: str, thread: int, key: str, value: object) -> dict[str, object]:
        return {"ph": "M", "name": name, "pid": process, "tid": thread, "args": {key: value}}

    def slice_of(name: str, kind: str, lane: Lane, since: int, until: int) -> dict[str, object]:
        own = {"ph": "X", "name": name, "cat": kind, "pid": process, "tid": threads[lane]}
        return {**own, "ts": microseconds(since), "dur": microseconds(until - since)}

    yield about("process_name", 0, "name", f"{panel.trace.application} on {panel.trace.board}: {panel.title}")
    yield about("process_sort_index", 0, "sort_index", process)
    for lane, thread in threads.items():
        yield about("thread_name", thread, "name", lane.name)
        yield about("thread_sort_index", thread, "sort_index", thread)
    for lane in threads:
        for since, until, owner in panel.waiting.get(lane, ()) if lane.kind is not LaneKind.TABLE else ():
            number = {"activation": summary.runs[owner].number}
            yield {**slice_of(f"{lane.name} waits", "waiting", lane, since, until), "args": number}
    states = {LaneKind.TABLE: [("started", panel.running), ("next", panel.waiting)], LaneKind.PIN: [("high", panel.running)]}
    for lane in threads:
        for state, intervals in states.get(lane.kind, []):
            for since, until, _ in intervals[lane]:
                yield slice_of(f"{lane.name} is {state}", lane.kind.value, lane, since, until)
    for segment in summary.segments:
        if segment.end.u == segment.begin.u:
            continue
        arguments: dict[str, object] = {"tick": segment.begin.t, "n": segment.begin.n}
        if segment.owner >= 0 and segment.lane is KERNEL:
            handler = summary.handlers[segment.owner]
            arguments |= {"interrupt": handler.object, "purpose": handler.kind.value}
        elif segment.owner >= 0:
            run = summary.runs[segment.owner]
            arguments["activation"] = run.number
            if run.since is not None:
                arguments |= {"release": run.since, "start_delay": run.start_delay}
            if run.response is not None:
                arguments["response"] = run.response
        lane = segment.lane
        yield {**slice_of(lane.name, lane.kind.value, lane, segment.begin.u, segment.end.u), "args": arguments}
    for lane, thread in threads.items():
        for time, name in sorted((time, mark.name) for mark, times in panel.marks_in(lane) for time in times):
            yield {"ph": "i", "s": "t", "name": name, "cat": "point", "pid": process, "tid": thread, "ts": microseconds(time)}
