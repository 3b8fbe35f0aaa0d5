# SPDX-License-Identifier: Apache-2.0
"""``carillon show --live``: the stream of a chip that runs, drawn while it comes."""

from __future__ import annotations

import signal
import time
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from carillon import console
from carillon.cli.capture import CaptureOptions, Showing
from carillon.cli.common import Report, counted, usage
from carillon.cli.runs import Asked
from carillon.diagnostics import CarillonError
from carillon.units import format_duration

if TYPE_CHECKING:
    from rich.console import RenderableType

    from carillon.capture.source import Source
    from carillon.capture.stream import Gap, Recording

MOST = 2_000_000
"""Events that are kept for the end, the last ones."""
DRAWN = 2_000
"""Events of which the picture is made, at most, while they come."""
EACH = 0.25
"""Seconds from one picture to the next."""
LISTED = 8
"""Gaps that are printed one by one."""


def show_live(name: str, baud: int | None, given: CaptureOptions, asked: Asked, report: Report) -> None:
    """Draw the stream of a source until it ends or is interrupted, and then show all of it."""
    from carillon.capture.source import MalformedSourceError, Source
    from carillon.capture.stream import Recording
    from carillon.timing.stream import line_of

    for option, value in {"sample-rate": given.sample_rate, "elf": given.elf, "base": given.base, "lane": given.lanes}.items():
        if value:
            usage(f"--{option} is for captures: give --from")
    if baud is not None and baud < 1:
        usage(f"--baud {baud}: write a rate, such as 115200")
    path = Path(name)
    showing = Showing(given, asked, report, "--live", [path] if path.is_file() else [])
    system = showing.planned.system
    recording = Recording(name, system, MOST)
    line = line_of(system)
    rate = baud if baud is not None else line.baud if line is not None else None
    try:
        with Source(name, rate) as source:
            _read(source, recording, showing, report)
    except MalformedSourceError as error:
        usage(f"--live {error}")
    recording.feed(None)
    report.status(f"reading {counted(len(recording.items), 'event')}")
    capture = recording.capture()
    more = {"stream": _as_json(recording)}
    showing.show(capture, more, _told(recording, capture.unit))


def _read(source: Source, recording: Recording, showing: Showing, report: Report) -> None:
    """Feed what comes, up to the end or an interrupt, which loses nothing of what came before."""
    from rich.live import Live

    ended = False

    def end(_number: int, _frame: object) -> None:
        nonlocal ended
        ended = True

    to = console.console()
    before = signal.signal(signal.SIGINT, end)
    try:
        picture = Picture(recording, showing)
        drawn = not report.as_json and to.is_terminal
        with Live(console=to, auto_refresh=False, transient=True) as live:
            due = time.monotonic() + EACH
            while not ended:
                data = source.read(EACH)
                if data is None:
                    return
                if data:
                    recording.feed(data)
                if drawn and time.monotonic() >= due:
                    live.update(picture.now(to.width), refresh=True)
                    due = time.monotonic() + EACH
    finally:
        signal.signal(signal.SIGINT, before)


class Picture:
    """The last rounds, and figures of all that has come."""

    def __init__(self, recording: Recording, showing: Showing) -> None:
        self._recording, self._showing = recording, showing
        self._worst: dict[str, int] = {}
        self._since, self._events, self._rate = time.monotonic(), 0, 0.0

    def now(self, width: int) -> RenderableType:
        """What is to be seen, as wide as the terminal."""
        from rich.console import Group
        from rich.text import Text

        from carillon.show import terminal

        recording, now = self._recording, time.monotonic()
        if now - self._since >= 1:
            self._rate = (recording.events - self._events) / (now - self._since)
            self._since, self._events = now, recording.events
        said = f"{counted(recording.events, 'event')}, {self._rate:.0f} a second; {summed(recording)}; {recording.file}"
        rows: list[RenderableType] = [Text(said, no_wrap=True)]
        try:
            _, panels = self._showing.panels(recording.capture(DRAWN))
        except CarillonError as error:
            cause = error.diagnostics[0].cause
            return Group(*rows, Text(f"waiting for more: {cause}" if recording.items else "waiting for events"))
        panel = panels[0]
        for task in panel.summary.tasks:
            if task.response is not None:
                self._worst[task.lane.name] = max(task.response.maximum, self._worst.get(task.lane.name, 0))
        length, end = panel.trace.round_length, panel.trace.length
        rows += terminal.timeline(panels, (max(0, end - 2 * length), end), width)
        hz = panel.trace.clock_hz
        for name, count in recording.starts.items():
            worst = f", worst response {format_duration(self._worst[name], hz)}" if name in self._worst else ""
            rows.append(Text(f"{name}: {counted(count, 'start')}{worst}", no_wrap=True))
        return Group(*rows)


def summed(recording: Recording) -> str:
    """How many gaps there are, and what they lost."""
    if not recording.gap_count:
        return "no gap"
    kept = f", {recording.dropped} of them on the chip" if recording.dropped else ""
    return f"{counted(recording.gap_count, 'gap')}, {counted(recording.lost, 'event')} lost{kept}"


def _told(recording: Recording, unit: Fraction) -> list[str]:
    """What a person must know of how the stream was read."""
    lines = [f"Stream: {counted(recording.events, 'event')}; {summed(recording)}."]
    gaps = list(recording.gaps)
    lines += [f"  {_gap(gap, unit)}" for gap in gaps[-LISTED:]]
    if recording.gap_count > LISTED:
        lines[1:1] = [f"  The last {LISTED} gaps:"]
    if recording.decoder.damaged:
        lines.append(f"{counted(recording.decoder.damaged, 'byte')} of the stream were damaged, or cut off.")
    if recording.swo is not None and recording.swo.overflows:
        lines.append(f"The buffer of SWO overflowed {counted(recording.swo.overflows, 'time')}.")
    if recording.restarts:
        lines.append(f"The chip started anew {counted(recording.restarts, 'time')}; shown is what came behind the last start.")
    if recording.left_out:
        lines.append(f"Shown are the last {len(recording.items)} events.")
    return lines


def _gap(gap: Gap, unit: Fraction) -> str:
    """A gap with its place and length."""
    least = "" if gap.exact else "at least "
    dropped = f"; the ring had no room for {gap.dropped}" if gap.dropped else ""
    if gap.since is None:
        return f"{least}{counted(gap.length, 'event')} before the first{dropped}"
    at, lasted = (format_duration(ticks * unit, 1) for ticks in (gap.since, gap.until - gap.since))
    return f"{least}{counted(gap.length, 'event')} from event {gap.number} on, behind {at}, for {lasted}{dropped}"


def _as_json(recording: Recording) -> dict[str, object]:
    """The same for ``--json``; times in units of the counter."""
    names = ("events", "gap_count", "lost", "dropped", "restarts", "left_out")
    told: dict[str, object] = {name: getattr(recording, name) for name in names}
    told["overflows"] = recording.swo.overflows if recording.swo is not None else None
    return told | {"damaged": recording.decoder.damaged, "gaps": [asdict(gap) for gap in recording.gaps]}
