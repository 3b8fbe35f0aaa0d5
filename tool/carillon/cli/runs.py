# SPDX-License-Identifier: Apache-2.0
"""Run an application once for each kernel, and show what happened."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from carillon import console
from carillon.cli.common import Report, build_folder, check_machine, check_outputs, schedule_file, ticks_of, usage
from carillon.sources import files_of

if TYPE_CHECKING:
    from carillon.build import Firmware
    from carillon.model import System
    from carillon.model.stimuli import Stimuli
    from carillon.pipeline import Planned
    from carillon.run.hardware import Hardware
    from carillon.trace import Trace
    from carillon.trace.bounds import Bounds

EVENT_TRIGGERED_RUN = "100ms"
"""How long a system without rounds runs at least where nothing is said."""
LONGEST_RUN = "10s"
"""How long it runs at most, however rarely its alarms expire."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What ``run`` and ``show`` are asked for.

    ``files`` to write are named as the options that ask for them are.  ``strict``: exit with 3 if a deadline was
    missed, an activation lost, a budget used up, or a WCET exceeded in what was recorded.
    Of a comparison, that is the first run.
    """

    paths: list[Path] | None
    board: str | None
    include: list[Path] | None
    kernel: str
    machine: str
    rounds: int | None
    time: str | None
    window: str | None
    out: Path | None
    record: str | None
    time_limit: float
    files: Mapping[str, Path | None]
    strict: bool = False
    serial: Path | None = None
    compare: bool = False
    elf: Path | None = None
    stimuli: Path | None = None
    wait_states: int = 0

    @property
    def written(self) -> dict[str, Path]:
        """The files that are asked for."""
        return {option: path for option, path in self.files.items() if path is not None}

    def show_written(self) -> None:
        """Print which files were written."""
        for path in self.written.values():
            console.verbatim(console.console(), f"wrote {path}")

    def judge(self, missed: int, report: Report) -> None:
        """Let the command exit as ``strict`` says."""
        report.code = 3 if self.strict and missed else 0


def run_length(planned: Planned, rounds: int | None, time: str | None) -> tuple[int, int]:
    """(ticks, rounds) of a run."""
    length = next((m.round_length for m in planned.system.modes if m.name == planned.system.start_mode), None)
    if length is None:
        if rounds is not None:
            usage("an event-triggered system has no rounds: give --for")
        return ticks_of(time, planned.system.clock_hz, "--for") if time is not None else _two_expiries(planned.system), 0
    if rounds is not None and time is not None:
        usage("give either --rounds or --for")
    if time is not None:
        return ticks_of(time, planned.system.clock_hz, "--for"), 0
    count = 1 if rounds is None else rounds
    return count * length, count


def _two_expiries(system: System) -> int:
    """Ticks in which each alarm and each schedule table that starts by itself has expired twice."""
    from carillon.model.osek import CounterKind, IncrementCounter

    least, most = (ticks_of(time, system.clock_hz, "--for") for time in (EVENT_TRIGGERED_RUN, LONGEST_RUN))
    if system.osek is None:
        return least
    ticks = {counter.name: counter.tick for counter in system.osek.counters if counter.kind is CounterKind.HARDWARE}
    chains = [a for a in system.osek.alarms if isinstance(a.action, IncrementCounter) and a.autostart is not None]
    while known := [alarm for alarm in chains if alarm.counter in ticks]:  # each turn follows the chains by one counter
        for alarm in known:
            assert isinstance(alarm.action, IncrementCounter)
            assert alarm.autostart is not None
            ticks.setdefault(alarm.action.object, ticks[alarm.counter] * max(1, alarm.autostart.cycle))
        chains = [alarm for alarm in chains if alarm not in known]
    ends = [(a.counter, a.autostart.time + 2 * a.autostart.cycle) for a in system.osek.alarms if a.autostart is not None]
    ends += [(t.counter, t.autostart.at + 2 * t.duration) for t in system.osek.schedule_tables if t.autostart is not None]
    return min(most, max([least, *(ticks[counter] * (end + 1) for counter, end in ends if counter in ticks)]))


def built(
    planned: Planned,
    kernel: str,
    out: Path | None,
    report: Report,
    elf: Path | None = None,
    stimuli: Stimuli | None = None,
    hardware: Hardware | None = None,
) -> Firmware | None:
    """Build for a run, or take ``elf``, which others built, if it does what the schedule says; None after errors."""
    from carillon.build import build as build_firmware
    from carillon.build import built_elsewhere
    from carillon.files import alone
    from carillon.run import runnable
    from carillon.run.stimuli import fits

    if runnable(planned.system, report.diagnostics) is None:
        return None
    if stimuli is not None and not fits(stimuli, planned.system.board, report.diagnostics):
        return None
    if hardware is not None and not hardware.fits(planned.system.board, report.diagnostics):
        return None
    if elf is not None:
        return built_elsewhere(planned.image, elf, report.diagnostics)
    report.status(f"compiling for {planned.system.board.name}")
    folder = build_folder(planned, kernel, out)
    with alone(folder):
        return build_firmware(planned.image, folder, report.diagnostics)


def run_built(
    planned: Planned,
    firmware: Firmware,
    ticks: int,
    rounds: int,
    report: Report,
    serial: Path | None = None,
    stimuli: Stimuli | None = None,
    stacks: bool = False,
    hardware: Hardware | None = None,
) -> Trace | None:
    """Run what was built; None after errors.  ``stacks``: what was used of the main stack is told, too."""
    from carillon import pipeline
    from carillon.run import PLAIN
    from carillon.run import run as run_firmware

    report.status(f"running {ticks} ticks")
    trace = run_firmware(
        planned.image,
        firmware,
        ticks,
        report.diagnostics,
        rounds=rounds,
        serial=serial,
        stimuli=stimuli,
        stacks=stacks,
        hardware=hardware or PLAIN,
    )
    if trace is None or (hardware is not None and not hardware.as_planned):
        return trace
    return replace(trace, start_bounds=pipeline.start_bounds(planned), response_bounds=pipeline.response_bounds(planned))


def build_and_run(
    planned: Planned,
    kernel: str,
    out: Path | None,
    ticks: int,
    rounds: int,
    report: Report,
    serial: Path | None = None,
    elf: Path | None = None,
    stimuli: Stimuli | None = None,
    hardware: Hardware | None = None,
) -> Trace | None:
    """Build and run, or run ``elf``, which others built, if it does what the schedule says; None after errors."""
    firmware = built(planned, kernel, out, report, elf, stimuli, hardware)
    if firmware is None:
        return None
    return run_built(planned, firmware, ticks, rounds, report, serial, stimuli, hardware=hardware)


def stimuli_of(system: System, path: Path | None, report: Report) -> Stimuli | None:
    """What happens in the run: of a file, if one is given, instead of what the schedule says."""
    from carillon.read.stimuli import read_stimuli

    if path is None:
        return system.stimuli
    stimuli = read_stimuli(path, system, report.diagnostics)
    report.diagnostics.stop_on_errors()
    return stimuli


def window_ticks(text: str | None, hz: int, length: int) -> tuple[int, int] | None:
    """The ticks (from, to) of a run of ``length`` ticks; one of which the run has nothing is refused before the run."""
    from carillon.units import format_duration

    if text is None:
        return None
    begin, dots, end = text.partition("..")
    if not dots or not end:
        usage(f"--window '{text}': write FROM..TO, such as 0ms..20ms")
    first = (
        0 if begin.strip() in ("", "0") or re.fullmatch(r"0+(\.0+)?\s*\w+", begin.strip()) else ticks_of(begin, hz, "--window")
    )
    last = ticks_of(end, hz, "--window")
    if last <= first:
        usage(f"--window '{text}' is empty")
    if first >= length:
        usage(f"--window '{text}' begins after the run, which ends at {format_duration(length, hz)}")
    return first, last


def show_runs(asked: Asked, report: Report) -> None:
    """Run with each kernel, one below the other in what is shown."""
    from carillon import pipeline, show
    from carillon.files import replacing
    from carillon.run.hardware import Hardware
    from carillon.show import terminal
    from carillon.show.scene import panels_of
    from carillon.trace import write_events
    from carillon.trace.bounds import Bounds, report_broken, warn_of_refuted
    from carillon.trace.executions import warn_of_exceeded, warn_of_fault, warn_of_lost, warn_of_missed

    source = schedule_file(asked.paths, asked.include)
    read = (*files_of(source), *(() if asked.stimuli is None else (asked.stimuli,)))
    check_outputs(read, False, out=asked.out, serial=asked.serial, **asked.files)
    machine = check_machine(asked.machine, source)
    hardware = Hardware(asked.wait_states, asked.files.get("waveform"), stream=asked.files.get("stream"))
    traces: list[Trace] = []
    bounds: list[Bounds] = []
    clock: int | None = None
    for kernel in ("carillon", "conventional") if asked.compare else (asked.kernel,):
        report.status(f"allocating for the {kernel} kernel")
        planned = pipeline.plan(source, report.diagnostics, asked.board, kernel, asked.time_limit, clock, machine)
        clock = planned.system.clock_hz  # of all that are compared
        tracing = planned.system.tracing
        if hardware.stream is not None and (tracing is None or tracing.stream not in ("uart", "itm")):
            usage('--stream: the schedule has no [trace] with stream = "uart" or "itm"')
        ticks, count = run_length(planned, asked.rounds, asked.time)
        part = window_ticks(asked.window, planned.system.clock_hz, ticks)
        out = asked.out / kernel if asked.out and asked.compare else asked.out
        stimuli = stimuli_of(planned.system, asked.stimuli, report)
        trace = build_and_run(planned, kernel, out, ticks, count, report, asked.serial, asked.elf, stimuli, hardware)
        if trace is None:
            return
        traces.append(trace)
        bounds.append(pipeline.bounds_of(planned) if hardware.as_planned else Bounds())
    releases = pipeline.releases(planned.system, max(traces, key=lambda t: t.length))
    try:
        panels = panels_of(traces, releases)
        for option, path in asked.written.items():
            if option == "events":
                with replacing(path) as stream:
                    write_events(traces[0].events, stream)
            elif option not in ("waveform", "stream"):  # which the run has written
                show.write(option, path, panels, part)
        summaries = [panel.summary for panel in panels]
        totals = summaries[0].totals
        missed = totals.deadlines_missed + totals.budget_overruns + totals.lost
        missed += "carillon_port_unexpected" in traces[0].stopped
        warn_of_missed(planned.system, traces[0], report.diagnostics)
        warn_of_lost(planned.system, summaries[0], traces[0], report.diagnostics)
        warn_of_fault(planned.system, summaries[0], traces[0], report.diagnostics)
        exceeded = warn_of_exceeded(planned.system, traces[0], summaries[0], report.diagnostics)
        missed += exceeded
        if not exceeded:
            warn_of_refuted(traces[0], summaries[0], bounds[0], report.diagnostics)
            report_broken(traces[0], summaries[0], bounds[0], report.diagnostics)
        told = ("application", "board", "kernel", "length", "output", "stopped")
        runs = [
            {name: getattr(t, name) for name in told} | {"summary": s.as_json()} for t, s in zip(traces, summaries, strict=True)
        ]
        report.result({"runs": runs, "files": [str(path) for path in asked.written.values()]})
        if not report.as_json:
            report.warnings()
            terminal.render(console.console(), panels, part)
            for trace in traces:
                show_end(f"The {trace.kernel} kernel's run ended in tick {trace.length - 1}", trace.kernel, trace)
            asked.show_written()
        asked.judge(missed, report)
    except ValueError as error:
        usage(f"--window: {error}")


def show_end(ended: str, whose: str, trace: Trace) -> None:
    """Print the reason of a run's early stop, if any, and the firmware's output."""
    to = console.console()
    if trace.stopped:
        to.print(f"\n{ended}: {trace.stopped}.")
    if trace.output:
        to.print(f"\noutput of {whose}:")
        console.verbatim(to, trace.output)
