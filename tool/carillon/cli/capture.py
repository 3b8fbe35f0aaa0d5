# SPDX-License-Identifier: Apache-2.0
"""``carillon show --from``: what was recorded of a chip, against the plan."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from carillon import console
from carillon.cli.common import Report, check_machine, check_outputs, schedule_file, ticks_of, usage
from carillon.cli.runs import Asked, window_ticks
from carillon.sources import files_of

if TYPE_CHECKING:
    from carillon.capture import Capture
    from carillon.capture.clock import Fit
    from carillon.capture.trace import Captured
    from carillon.model import System
    from carillon.show.scene import Panel


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """The options for captures alone, as they were given."""

    lanes: list[str]
    sample_rate: str | None
    least_delay: str | None
    elf: Path | None
    base: str | None

    def refuse(self) -> None:
        """End with a usage error if any was given where there is no capture."""
        given: dict[str, object] = {"lane": self.lanes, "sample-rate": self.sample_rate, "least-delay": self.least_delay}
        given |= {"elf": self.elf, "base": self.base}
        for option, value in given.items():
            if value:
                usage(f"--{option} is for captures: give --from")

    def named(self) -> dict[str, str]:
        """The tasks that signals are said to be."""
        found: dict[str, str] = {}
        for text in self.lanes:
            signal, equals, task = (part.strip() for part in text.rpartition("="))
            if not (signal and equals and task):
                usage(f"--lane '{text}': write SIGNAL=TASK, such as CH0=current")
            if signal in found:
                usage(f"--lane names signal '{signal}' twice")
            found[signal] = task
        return found

    def address(self) -> int | None:
        """Where the first byte of a dump of memory was."""
        if self.base is None:
            return None
        if re.fullmatch(r"0[xX][0-9a-fA-F]{1,8}|[0-9]{1,10}", self.base) is None:
            usage(f"--base '{self.base}': write an address, such as 0x20000000")
        if self.elf is None:
            usage("--base needs --elf, which says where the ring is")
        return int(self.base, 0) if self.base[:2].lower() == "0x" else int(self.base)

    def hertz(self) -> Fraction | None:
        """The sample rate."""
        from carillon.units import MalformedError, parse_frequency

        try:
            return parse_frequency(self.sample_rate) if self.sample_rate is not None else None
        except MalformedError as error:
            usage(f"--sample-rate: {error}")


def show_capture(path: Path, given: CaptureOptions, asked: Asked, report: Report) -> None:
    """Read a capture, and show it as a run."""
    sample_rate, base = given.hertz(), given.address()
    showing = Showing(given, asked, report, "--from", [path])
    showing.show(read_capture(path, sample_rate, showing.planned.system, given.elf, base))


class Showing:
    """A plan, against which captures are shown."""

    def __init__(self, given: CaptureOptions, asked: Asked, report: Report, option: str, read: Sequence[Path]) -> None:
        from carillon import pipeline

        unfit = {"compare": asked.compare, "rounds": asked.rounds, "for": asked.time, "out": asked.out, "record": asked.record}
        unfit |= {"offsets": asked.files.get("offsets"), "wait-states": asked.wait_states}
        unfit |= {"waveform": asked.files.get("waveform")}
        for name, value in unfit.items():
            if value:
                usage(f"--{name} is for runs, and {option} runs nothing")
        source = schedule_file(asked.paths, asked.include)
        check_outputs([*files_of(source), *read], False, **asked.files)
        self.asked, self.report, self.named = asked, report, given.named()
        machine = check_machine(asked.machine, source)
        self.planned = pipeline.plan(source, report.diagnostics, asked.board, asked.kernel, asked.time_limit, machine=machine)
        system = self.planned.system
        self.delay = given.least_delay or "0"
        asks = given.least_delay is not None
        self._delay = ticks_of(self.delay, system.clock_hz, "--least-delay") if asks else 0
        self._bounds = pipeline.start_bounds(self.planned), pipeline.response_bounds(self.planned)

    def panels(self, capture: Capture) -> tuple[Captured, tuple[Panel, ...]]:
        """A capture as a run.  Raises CarillonError (C302, C303)."""
        from carillon import pipeline
        from carillon.capture.trace import lanes_of, trace_of
        from carillon.show.scene import panels_of
        from carillon.trace.beneath import by_priority

        system = self.planned.system
        isrs, tasks = by_priority(system.osek)
        names = [*(task.name for task in system.tasks), *(it.name for it in system.interrupts), *isrs, *tasks]
        found = trace_of(capture, lanes_of(capture, self.named, names), system, self._delay)
        trace = replace(found.trace, start_bounds=self._bounds[0], response_bounds=self._bounds[1])
        return found, panels_of([trace], found.seen(pipeline.releases(system, trace)))

    def show(self, capture: Capture, more: Mapping[str, object] | None = None, lines: Sequence[str] = ()) -> None:
        """Show a capture, with ``more`` for ``--json``, and ``lines`` for a person."""
        from carillon import show
        from carillon.show import terminal

        asked, report = self.asked, self.report
        found, panels = self.panels(capture)
        trace = panels[0].trace
        part = window_ticks(asked.window, self.planned.system.clock_hz, trace.length)
        try:
            for option, output in asked.written.items():
                show.write(option, output, panels, part)
            summary = panels[0].summary.as_json()
            known = {"capture": capture.file, "missing": list(found.missing), "clock": clock_json(found.fit)}
            told = {name: getattr(trace, name) for name in ("application", "board", "kernel", "length")}
            run = {**told, **known, "summary": {"tasks": summary["tasks"]}, **(more or {})}
            report.result({"runs": [run], "files": [str(output) for output in asked.written.values()]})
            if not report.as_json:
                report.warnings()
                to = console.console()
                terminal.render(to, panels, part)
                to.print()
                for line in [*said(found.fit, self.delay if trace.modes else None, found.missing), *lines]:
                    console.verbatim(to, line)
                asked.show_written()
        except ValueError as error:
            usage(f"--window: {error}")


def read_capture(path: Path, sample_rate: Fraction | None, system: System, elf: Path | None, base: int | None) -> Capture:
    """The capture in a file, whose form is that of its name, or else of its begin."""
    from carillon.capture.btf import read_btf
    from carillon.capture.csv import read_csv
    from carillon.capture.ring import read_ring
    from carillon.capture.vcd import read_vcd

    if path.suffix.lower() == ".bin":
        return read_ring(path.read_bytes(), str(path), system, elf, base)
    if elf is not None:
        usage("--elf is for a dump of memory, whose name ends with '.bin'")
    text = path.read_bytes().decode("utf-8", errors="replace").removeprefix("\ufeff")
    suffix = path.suffix.lower()
    if suffix == ".vcd" or (suffix != ".csv" and text.lstrip().startswith("$")):
        return read_vcd(text, str(path))
    if suffix == ".btf":
        return read_btf(text, str(path))
    return read_csv(text, str(path), sample_rate)


def clock_json(fit: Fit) -> dict[str, object]:
    """What is known of a capture's clock, for ``--json``."""
    return {"ppm": fit.ppm, "uncertainty_ppm": fit.uncertainty, "corrected": fit.corrected, "origin_seconds": float(fit.origin)}


def said(fit: Fit, delay: str | None, missing: tuple[str, ...]) -> list[str]:
    """What a person must know of how a capture was read; ``delay``: None without rounds."""
    if delay is None:
        lines = ["Tick 0 is the first start. Without rounds, the error of the capture's clock is not known."]
    elif fit.ppm is None or fit.uncertainty is None:
        lines = ["No point of the round was seen twice: the error of the capture's clock is not known."]
    else:
        digits = max(0, min(6, 1 - math.floor(math.log10(fit.uncertainty)))) if fit.uncertainty > 0 else 6
        error = f"{abs(fit.ppm):.{digits}f} ± {fit.uncertainty:.{digits}f} ppm"
        if fit.corrected:
            lines = [
                f"The capture's clock is {error} {'fast' if fit.ppm > 0 else 'slow'} against the schedule; times are corrected."
            ]
        else:
            lines = [f"The capture's clock agrees with the schedule: the difference, {error}, may be none; nothing is corrected."]
    if delay is not None:
        lines.append(f"Tick 0 lies where the least start delay, on average over a point's starts, is {delay}.")
    if missing:
        lines.append(f"Without a signal: {', '.join(missing)}.")
    return lines
