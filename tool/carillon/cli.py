# SPDX-License-Identifier: Apache-2.0
"""The command ``carillon``.

Exit codes: 0 success, 1 the input has errors, 2 the command line is wrong, 3 the run showed a missed
deadline that ``--strict`` asked about.  With ``--json`` every command prints one JSON object on standard
output and diagnostics are part of it.
"""

from __future__ import annotations

import gc
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from carillon import __version__, console
from carillon.diagnostics import CarillonError, Diagnostic, Diagnostics, Severity, suggestion

if TYPE_CHECKING:
    from carillon.pipeline import Planned
    from carillon.trace import Trace

app = typer.Typer(
    name="carillon",
    help="Compile a real-time schedule into a microcontroller's timers and interrupt controller.",
    epilog="Start with: carillon new my-app; cd my-app; carillon run",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)

SCHEDULE = "schedule.toml"
EVENT_TRIGGERED_RUN = "100ms"
"""How long a system without rounds runs where nothing is said."""

Schedule = Annotated[
    Path, typer.Argument(help="Schedule file, OIL file, or a folder with a schedule.toml.", show_default="./schedule.toml")
]
BoardOption = Annotated[
    str | None, typer.Option("--board", "-b", help="Board, instead of the schedule's: a name or a board.toml.")
]
KernelOption = Annotated[str, typer.Option("--kernel", "-k", help="carillon, or for comparison: conventional, counter-per-task.")]
TimeLimitOption = Annotated[
    float,
    typer.Option(
        "--time-limit", help="What the allocation may cost for each mode: the work of a processor in so many seconds.", min=0.1
    ),
]
TIME_LIMIT = 20.0
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", help="Build folder.", show_default="build/BOARD-KERNEL beside the schedule")
]


@dataclass
class _Report:
    """Where a command puts its findings and its result."""

    as_json: bool
    diagnostics: Diagnostics

    def status(self, text: str) -> None:
        """Progress, on standard error, for a person."""
        if not self.as_json and sys.stderr.isatty():
            console.console(stderr=True).print(console.heading(f"{text} ...", "", "", "dim"))

    def warnings(self) -> None:
        """Print what was found so far, for a person."""
        if not self.as_json:
            console.diagnostics(self.diagnostics.in_order())
            self.diagnostics.found.clear()

    def result(self, value: dict[str, Any]) -> None:
        """Print the command's JSON."""
        if self.as_json:
            value["diagnostics"] = [d.as_json() for d in self.diagnostics.in_order()]
            print(json.dumps(value, indent=2))


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _fail(report: _Report, found: list[Diagnostic]) -> NoReturn:
    if report.as_json:
        print(json.dumps({"diagnostics": [d.as_json() for d in found]}, indent=2))
    else:
        console.diagnostics(found)
        errors = sum(d.severity is Severity.ERROR for d in found)
        code = next((d.code for d in found if d.severity is Severity.ERROR), "")
        if errors:
            more = f"; carillon explain {code} says more" if code else ""
            console.console(stderr=True).print(console.heading(_count(errors, "error"), more, ""))
    raise typer.Exit(1)


def _guard(as_json: bool, work: Callable[[_Report], None]) -> None:
    """Run a command's work; turn every expected failure into a message and an exit code."""
    report = _Report(as_json, Diagnostics())
    try:
        work(report)
        if report.diagnostics.errors:
            _fail(report, report.diagnostics.in_order())
    except CarillonError as error:
        _fail(report, list(error.diagnostics))
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        _fail(
            report,
            [Diagnostic("C096", None, f"{name}{error.strerror or error}", "check the path, its permissions and the free space")],
        )
    report.warnings()


def _usage(message: str) -> NoReturn:
    console.console(stderr=True).print(console.heading("usage", f": {message}", "", "bold red"))
    raise typer.Exit(2)


def _schedule(path: Path) -> Path:
    return path / SCHEDULE if path.is_dir() else path


def _kernel(name: str) -> str:
    from carillon.pipeline import KERNELS

    if name not in KERNELS:
        _usage(f"no kernel '{name}': {suggestion(name, KERNELS)}")
    return name


def _check_outputs(**outputs: Path | None) -> None:
    """Refuse what cannot be written (C096) before any work is done for it; outputs are named as their options are."""
    from carillon.files import check_writable

    found: list[Diagnostic] = []
    seen: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        is_folder = option in ("out", "plots")
        other = seen.setdefault(path.resolve(), option)
        if other != option:
            _usage(f"--{other} and --{option} name the same file, '{path}'")
        try:
            check_writable(path, folder=is_folder)
        except OSError as error:
            where = "" if error.filename == str(path) else f" ('{error.filename}')"
            found.append(
                Diagnostic(
                    "C096",
                    None,
                    f"--{option} '{path}': {error.strerror}{where}",
                    f"name a {'folder' if is_folder else 'file'} that can be written, in a folder that exists",
                )
            )
    if found:
        raise CarillonError(found)


def _folder(planned: Planned, kernel: str, out: Path | None) -> Path:
    return out or planned.system.file.parent / "build" / f"{planned.system.board.name}-{kernel}"


def _ticks(text: str, hz: int, option: str) -> int:
    from carillon.units import parse_time

    try:
        ticks = parse_time(text).ticks(hz)
    except ValueError as error:
        _usage(f"{option} '{text}': {error}")
    if ticks < 1:
        _usage(f"{option} '{text}' is less than a tick")
    return int(ticks)


def _duration(planned: Planned, rounds: int | None, time: str | None) -> tuple[int, int]:
    """(ticks, rounds) of a run."""
    length = next((m.round_length for m in planned.system.modes if m.name == planned.system.start_mode), None)
    if length is None:
        if rounds is not None:
            _usage("an event-triggered system has no rounds: give --for")
        return _ticks(time or EVENT_TRIGGERED_RUN, planned.system.clock_hz, "--for"), 0
    if rounds is not None and time is not None:
        _usage("give either --rounds or --for")
    if time is not None:
        return _ticks(time, planned.system.clock_hz, "--for"), 0
    count = 1 if rounds is None else rounds
    return count * length, count


@app.callback(invoke_without_command=True)
def _main(context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        print(f"carillon {__version__}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command(epilog="Example: carillon new my-app && cd my-app && carillon run")
def new(
    name: Annotated[str, typer.Argument(help="Name of the application and of the folder to make.")],
    board: Annotated[
        str | None,
        typer.Option("--board", "-b", help="Board of the schedule: a name or a board.toml.", show_default="ast1030-evb"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a folder with a small application that runs at once: two tasks if BOARD can carry them, else one."""

    def work(report: _Report) -> None:
        from carillon.template import fill

        folder = Path(name)
        title = folder.name
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", title):
            _usage(f"'{title}' cannot be the name of an application: letters, digits, '-' and '_', a letter first")
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CarillonError([Diagnostic("C097", None, f"'{name}' exists already", "choose another name, or remove it first")])
        written = []
        for relative, text in fill(folder, board).items():
            target = folder / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            written.append(str(target))
        report.result({"files": written})
        if not as_json:
            out = console.console()
            for path in written:
                console.verbatim(out, f"  wrote {path}")
            console.verbatim(out, f"Next: cd {name}; carillon run")

    _guard(as_json, work)


@app.command(epilog="Example: carillon check examples/engine --board tc1796")
def check(
    path: Schedule = Path(SCHEDULE),
    board: BoardOption = None,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out whether the board's cells and levels suffice.")] = False,
    time_limit: TimeLimitOption = TIME_LIMIT,
    as_json: JsonOption = False,
) -> None:
    """Check a schedule: names, times, order, every deadline by its tasks' WCETs, and whether the board can keep it."""

    def work(report: _Report) -> None:
        from carillon import pipeline

        if quick:
            system = pipeline.read_and_check(_schedule(path), report.diagnostics, board)
        else:
            report.status("allocating")
            system = pipeline.plan(_schedule(path), report.diagnostics, board, time_limit=time_limit).system
        activations = sum(len(m.activations) for m in system.modes)
        result: dict[str, Any] = {"system": system.name, "board": system.board.name, "clock_hz": system.clock_hz}
        result["activations"] = activations
        found = []
        if system.modes or system.osek is None:
            found.append(
                f"{_count(len(system.tasks), 'task')}, {_count(len(system.modes), 'mode')}, "
                f"{_count(activations, 'activation')} in all rounds"
            )
        if system.osek is not None:
            counts = {"task": len(system.osek.tasks), "ISR": len(system.osek.isrs), "alarm": len(system.osek.alarms)}
            result["osek"] = {f"{kind.lower()}s": number for kind, number in counts.items()}
            listed = ", ".join(_count(number, kind) for kind, number in counts.items())
            found.append(f"event-triggered: {listed}" if found else listed)
        found.append(f"no errors for {system.board.name} at {system.clock_hz / 1e6:g} MHz")
        if quick:
            found.append("whether the board's cells and levels suffice was not looked at (--quick)")
        result["allocated"] = not quick
        report.result(result)
        if not as_json:
            report.warnings()
            console.verbatim(console.console(), f"{system.name}: {'; '.join(found)}")

    _guard(as_json, work)


@app.command("import", epilog="Example: carillon import engine.oil -o schedule.toml")
def import_(
    path: Annotated[Path, typer.Argument(help="OIL file; what it includes is read, too.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write, or a folder for a schedule.toml.", show_default="print it")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    board: BoardOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the schedule that an OIL file is, and say what of it Carillon has no use for."""
    from carillon.read import OIL

    if path.suffix.lower() != OIL:
        _usage(f"import reads OIL files (*{OIL}); '{path}' is none by its name")

    def work(report: _Report) -> None:
        from carillon.files import write_text
        from carillon.read.oil import build_system, read_oil
        from carillon.read.oil.write import relative, schedule_text
        from carillon.resources import board_names

        target = None if out is None else _schedule(out)
        if target is not None and target.exists() and not force:
            raise CarillonError(
                [Diagnostic("C097", None, f"'{target}' exists already", "choose another name, or overwrite it with --force")]
            )
        if target is not None:
            _check_outputs(out=target.parent)
        oil = read_oil(path, report.diagnostics, board)
        if oil is not None:
            build_system(path, oil, report.diagnostics, board)
        report.diagnostics.stop_on_errors()
        assert oil is not None
        if board is not None:
            known = board in board_names()
            oil.converted.data["system"]["board"] = board if known else relative(Path(board).resolve(), path.parent.resolve())
        text = schedule_text(oil.converted, path, Path() if target is None else target.parent)
        osek = oil.converted.data["osek"]
        counts = {kind: len(osek.get(kind, ())) for kind in ("task", "isr", "resource", "event", "counter", "alarm")}
        if target is not None:
            write_text(target, text)
        report.result({"file": None if target is None else str(target), "objects": counts} | ({} if target else {"toml": text}))
        if not as_json:
            report.warnings()
            if target is None:
                print(text, end="")
            else:
                listed = ", ".join(_count(number, "ISR" if kind == "isr" else kind) for kind, number in counts.items() if number)
                console.verbatim(console.console(), f"wrote {target}: {listed or 'no objects'}")

    _guard(as_json, work)


@app.command(epilog="Example: carillon plan examples/three-tasks --board tc1796")
def plan(
    path: Schedule = Path(SCHEDULE),
    board: BoardOption = None,
    kernel: KernelOption = "carillon",
    time_limit: TimeLimitOption = TIME_LIMIT,
    as_json: JsonOption = False,
) -> None:
    """Show the allocation: schedule line, cell, vector, task, and why."""
    _kernel(kernel)

    def work(report: _Report) -> None:
        from carillon import pipeline
        from carillon.show.plan import plan_json, render_plan

        report.status("allocating")
        planned = pipeline.plan(_schedule(path), report.diagnostics, board, kernel, time_limit)
        report.result(plan_json(planned))
        if not as_json:
            report.warnings()
            render_plan(console.console(), planned)

    _guard(as_json, work)


@app.command(epilog="Example: carillon build examples/three-tasks --board mps2-an385 --kernel conventional")
def build(
    path: Schedule = Path(SCHEDULE),
    board: BoardOption = None,
    kernel: KernelOption = "carillon",
    out: OutOption = None,
    generate_only: Annotated[bool, typer.Option("--generate-only", help="Write the generated files, compile nothing.")] = False,
    depfile: Annotated[
        Path | None, typer.Option("--depfile", help="Write what the generated files are made from, as a rule for make or ninja.")
    ] = None,
    no_verify: Annotated[
        bool, typer.Option("--no-verify", help="Do not compare the image with the schedule (carillon verify).")
    ] = False,
    time_limit: TimeLimitOption = TIME_LIMIT,
    as_json: JsonOption = False,
) -> None:
    """Build firmware: generated tables and vectors, kernel, port, cells and application."""
    _kernel(kernel)

    def work(report: _Report) -> None:
        from carillon import pipeline
        from carillon.build import build as build_firmware
        from carillon.build import write_generated
        from carillon.build.manifest import MANIFEST
        from carillon.files import depfile as depends
        from carillon.files import write_text

        _check_outputs(out=out, depfile=depfile)
        report.status("allocating")
        planned = pipeline.plan(_schedule(path), report.diagnostics, board, kernel, time_limit)
        folder = _folder(planned, kernel, out)
        if generate_only or depfile is not None:
            generated = write_generated(planned.image, folder)
        if depfile is not None:
            write_text(depfile, depends(generated / MANIFEST, planned.system.inputs))
        if generate_only:
            report.result({"generated": str(generated)})
            if not as_json:
                console.verbatim(console.console(), f"wrote {generated}")
            return
        report.status("compiling")
        firmware = build_firmware(planned.image, folder, report.diagnostics, verified=not no_verify)
        if firmware is None:
            return
        sizes: dict[str, Any] = {"elf": str(firmware.elf)} | {image.suffix[1:]: str(image) for image in firmware.images}
        sizes |= {"flash": firmware.flash, "vectors": firmware.vectors, "ram": firmware.ram}
        proved = firmware.verified
        sizes["verified"] = proved.as_json() if proved is not None else None
        report.result(sizes)
        if not as_json:
            report.warnings()
            console.verbatim(
                console.console(),
                f"{firmware.elf}: flash {firmware.flash} bytes and {firmware.vectors} of vectors, "
                f"RAM {firmware.ram} bytes beside the stack",
            )
            console.verbatim(console.console(), proved.line() if proved is not None else "not verified (--no-verify)")

    _guard(as_json, work)


@app.command(epilog="Examples: carillon verify examples/engine; carillon verify . --elf release.elf")
def verify(
    path: Schedule = Path(SCHEDULE),
    board: BoardOption = None,
    kernel: KernelOption = "carillon",
    out: OutOption = None,
    elf: Annotated[
        Path | None, typer.Option("--elf", help="The image.", show_default="what `carillon build` made, in its folder")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare a built image with the schedule: every expiry, vector, level and deadline, read from its bytes alone."""
    _kernel(kernel)

    def work(report: _Report) -> None:
        from carillon.show.verified import render_verified
        from carillon.verify.command import verify_file

        schedule = _schedule(path)
        proved = verify_file(schedule, report.diagnostics, board, kernel, out, elf)
        report.diagnostics.stop_on_errors()
        report.result(proved.as_json())
        if not as_json:
            report.warnings()
            render_verified(console.console(), proved)

    _guard(as_json, work)


def _run(planned: Planned, kernel: str, out: Path | None, ticks: int, rounds: int, report: _Report) -> Trace | None:
    from carillon import pipeline
    from carillon.build import build as build_firmware
    from carillon.run import run as run_firmware
    from carillon.run import runnable

    if runnable(planned.system, report.diagnostics) is None:
        return None
    report.status(f"compiling for {planned.system.board.name}")
    firmware = build_firmware(planned.image, _folder(planned, kernel, out), report.diagnostics)
    if firmware is None:
        return None
    report.status(f"running {ticks} ticks")
    trace = run_firmware(planned.image, firmware, ticks, report.diagnostics, rounds=rounds)
    return replace(trace, start_bounds=pipeline.start_bounds(planned)) if trace is not None else None


RoundsOption = Annotated[int | None, typer.Option("--rounds", "-n", min=1, help="Dispatcher rounds to run.", show_default="1")]
ForOption = Annotated[str | None, typer.Option("--for", help="Time to run instead, such as 20ms or '5000 ticks'.")]
WindowOption = Annotated[str | None, typer.Option("--window", help="Part of the timeline to show: FROM..TO, such as 0ms..20ms.")]


def _window(text: str | None, hz: int, length: int) -> tuple[int, int] | None:
    """The ticks (from, to) of a run of ``length`` ticks; one of which the run has nothing is refused before the run."""
    from carillon.units import format_duration

    if text is None:
        return None
    begin, dots, end = text.partition("..")
    if not dots or not end:
        _usage(f"--window '{text}': write FROM..TO, such as 0ms..20ms")
    first = 0 if begin.strip() in ("", "0") or re.fullmatch(r"0+(\.0+)?\s*\w+", begin.strip()) else _ticks(begin, hz, "--window")
    last = _ticks(end, hz, "--window")
    if last <= first:
        _usage(f"--window '{text}' is empty")
    if first >= length:
        _usage(f"--window '{text}' begins after the run, which ends at {format_duration(length, hz)}")
    return first, last


@app.command(epilog="Example: carillon run examples/engine --board ast1030-evb --for 1s --events engine.jsonl")
def run(
    path: Schedule = Path(SCHEDULE),
    board: BoardOption = None,
    kernel: KernelOption = "carillon",
    rounds: RoundsOption = None,
    time: ForOption = None,
    events: Annotated[
        Path | None, typer.Option("--events", help="Write every event to this file, one JSON object a line.")
    ] = None,
    window: WindowOption = None,
    out: OutOption = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the timeline as a page of its own.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 3 if a deadline was missed.")] = False,
    time_limit: TimeLimitOption = TIME_LIMIT,
    as_json: JsonOption = False,
) -> None:
    """Build, run on a board, and show what happened: the timeline and a summary of every task."""
    _kernel(kernel)
    _show_runs(path, board, (kernel,), rounds, time, window, out, as_json, time_limit, strict=strict, events=events, html=html)


@app.command(epilog="Example: carillon show examples/three-tasks --compare --html three-tasks.html --svg three-tasks.svg")
def show(
    path: Schedule = Path(SCHEDULE),
    board: BoardOption = None,
    kernel: KernelOption = "carillon",
    compare: Annotated[bool, typer.Option("--compare", help="Run both kernels and show one above the other.")] = False,
    rounds: RoundsOption = None,
    time: ForOption = None,
    window: WindowOption = None,
    out: OutOption = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with a timeline to zoom into.")] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Write a picture.")] = None,
    perfetto: Annotated[Path | None, typer.Option("--perfetto", help="Write a trace for the Perfetto viewer.")] = None,
    vcd: Annotated[Path | None, typer.Option("--vcd", help="Write a VCD file for a waveform viewer.")] = None,
    time_limit: TimeLimitOption = TIME_LIMIT,
    as_json: JsonOption = False,
) -> None:
    """Run and show the timeline in the terminal, as a page, as a picture, or for other viewers."""
    _kernel(kernel)
    kernels = ("carillon", "conventional") if compare else (kernel,)
    _show_runs(
        path, board, kernels, rounds, time, window, out, as_json, time_limit, html=html, svg=svg, perfetto=perfetto, vcd=vcd
    )


def _show_runs(
    path: Path,
    board: str | None,
    kernels: tuple[str, ...],
    rounds: int | None,
    time: str | None,
    window: str | None,
    out: Path | None,
    as_json: bool,
    time_limit: float,
    *,
    strict: bool = False,
    events: Path | None = None,
    html: Path | None = None,
    svg: Path | None = None,
    perfetto: Path | None = None,
    vcd: Path | None = None,
) -> None:
    missed = 0

    def work(report: _Report) -> None:
        nonlocal missed
        from carillon import pipeline, show
        from carillon.trace import write_events

        _check_outputs(out=out, events=events, html=html, svg=svg, perfetto=perfetto, vcd=vcd)
        traces = []
        clock: int | None = None
        for kernel in kernels:
            report.status(f"allocating for the {kernel} kernel")
            planned = pipeline.plan(_schedule(path), report.diagnostics, board, kernel, time_limit, clock)
            clock = planned.system.clock_hz  # of all that are compared
            ticks, count = _duration(planned, rounds, time)
            part = _window(window, planned.system.clock_hz, ticks)
            trace = _run(planned, kernel, out / kernel if out and len(kernels) > 1 else out, ticks, count, report)
            if trace is None:
                return
            traces.append(trace)
        releases = pipeline.releases(planned.system, max(traces, key=lambda t: t.length))
        written: list[Path] = []
        if events is not None:
            from io import StringIO

            from carillon.files import write_text

            text = StringIO()
            write_events(traces[0].events, text)
            write_text(events, text.getvalue())
            written.append(events)
        try:
            if html is not None:
                show.write_html(html, traces, releases, part)
            if svg is not None:
                show.write_svg(svg, traces, releases, part)
            if perfetto is not None:
                show.write_perfetto(perfetto, traces, releases)
            if vcd is not None:
                show.write_vcd(vcd, traces, releases)
            written += [p for p in (html, svg, perfetto, vcd) if p is not None]
            summaries = show.summaries(traces, releases)
            missed = summaries[0].totals.deadlines_missed + ("carillon_port_unexpected" in traces[0].stopped)
            report.result(
                {
                    "runs": [
                        {
                            "application": t.application,
                            "board": t.board,
                            "kernel": t.kernel,
                            "length": t.length,
                            "output": t.output,
                            "stopped": t.stopped,
                        }
                        | {"summary": s.as_json()}
                        for t, s in zip(traces, summaries, strict=True)
                    ],
                    "files": [str(p) for p in written],
                }
            )
            if not as_json:
                report.warnings()
                to = console.console()
                show.render_terminal(to, traces, releases, part)
                for trace in traces:
                    if trace.stopped:
                        to.print(f"\nThe {trace.kernel} kernel's run ended in tick {trace.length - 1}: {trace.stopped}.")
                    if trace.output:
                        to.print(f"\noutput of {trace.kernel}:")
                        console.verbatim(to, trace.output)
                for file in written:
                    console.verbatim(to, f"wrote {file}")
        except ValueError as error:
            _usage(f"--window: {error}")

    _guard(as_json, work)
    if strict and missed:
        raise typer.Exit(3)


@app.command(epilog="Examples: carillon bench dispatch --json; carillon bench timers --part periods --plots pictures")
def bench(
    name: Annotated[str, typer.Argument(help="Benchmark: clocks, dispatch, osek, services, timers or simulator.")] = "dispatch",
    rounds: Annotated[
        int, typer.Option("--rounds", "-n", min=10, help="Rounds of each application, or samples of each figure.")
    ] = 1000,
    part: Annotated[list[str] | None, typer.Option("--part", help="Only this part of 'timers'; may be repeated.")] = None,
    plots: Annotated[Path | None, typer.Option("--plots", help="Write the benchmark's pictures (SVG) to this folder.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure Carillon and the conventional kernel with the same application; 'timers': the time services."""

    def work(report: _Report) -> None:
        from importlib.util import find_spec

        from carillon.bench import BENCHMARKS, render
        from carillon.bench.plots import write

        if name not in BENCHMARKS:
            _usage(f"no benchmark '{name}': {suggestion(name, BENCHMARKS)}")
        benchmark = BENCHMARKS[name]
        for wanted in part or ():
            if wanted not in benchmark.parts:
                known = f"it has {', '.join(benchmark.parts)}" if benchmark.parts else "it is measured as a whole"
                _usage(f"benchmark '{name}' has no part '{wanted}': {known}")
        if plots is not None:
            if find_spec("matplotlib") is None:
                _usage("--plots needs matplotlib, which is not installed: pip install matplotlib")
            _check_outputs(plots=plots)
        result = benchmark.run(rounds, report.diagnostics, report.status, part or ())
        if report.diagnostics.errors:
            return
        report.result({"rows": [row.as_json() for row in result.rows]})
        if not as_json:
            render(console.console(), name, result.rows)
        if plots is not None and not write(result.plots, plots):
            console.console(stderr=True).print(f"no pictures: '{name}' draws none of what was measured")

    _guard(as_json, work)


@app.command(epilog="Example: carillon boards --json")
def boards(as_json: JsonOption = False) -> None:
    """List the boards: clocks, cells, priority levels."""

    def work(report: _Report) -> None:
        from rich.table import Table

        from carillon.read.board import load_board
        from carillon.resources import board_names, find_board

        found = [load_board(p) for p in (find_board(n) for n in board_names()) if p is not None]
        report.result(
            {
                "boards": [
                    {
                        "name": b.name,
                        "summary": b.summary,
                        "cells": b.cell_count,
                        "levels": b.levels,
                        "clocks_hz": [c.hz for c in b.clocks],
                    }
                    for b in found
                ]
            }
        )
        if not as_json:
            table = Table("board", "cells", "levels", "clocks (MHz)", "what it is", box=None, header_style="bold")
            for b in found:
                table.add_row(b.name, str(b.cell_count), str(b.levels), ", ".join(f"{c.hz / 1e6:g}" for c in b.clocks), b.summary)
            console.console().print(table)

    _guard(as_json, work)


@app.command(epilog="Example: carillon schema > schedule.schema.json")
def schema(as_json: JsonOption = False) -> None:
    """Print the JSON Schema of schedule files, by which an editor completes keys and marks errors."""

    def work(report: _Report) -> None:
        from carillon.read.jsonschema import json_schema, json_schema_text

        report.result({"schema": json_schema()})
        if not as_json:
            print(json_schema_text(), end="")

    _guard(as_json, work)


@app.command(epilog="Example: carillon explain C022")
def explain(
    code: Annotated[str | None, typer.Argument(help="A diagnostic's code.", show_default="all codes")] = None,
    as_json: JsonOption = False,
) -> None:
    """Explain a diagnostic: what it means, an example of wrong and of right."""

    def work(report: _Report) -> None:
        from rich.markdown import Markdown

        from carillon.explain import codes
        from carillon.explain import explain as explanation

        if code is None:
            listed = [e for e in (explanation(c) for c in codes()) if e is not None]
            report.result({"codes": {e.code: e.title for e in listed}})
            if not as_json:
                for e in listed:
                    console.console().print(f"{e.code}  {e.title}")
            return
        found = explanation(code.upper())
        if found is None:
            _usage(f"no code '{code}': {suggestion(code.upper(), codes())}")
        report.result({"code": found.code, "title": found.title, "text": found.text})
        if not as_json:
            console.console().print(Markdown(f"# {found.code}: {found.title}\n\n{found.text}"))

    _guard(as_json, work)


def main() -> None:
    """Entry point: never a traceback for what a user can cause."""
    gc.disable()  # a command is short: to look for cycles among the events of a long run takes longer than it gains memory
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a locale that lacks a character hides no message
    try:
        app(prog_name="carillon")
    except KeyboardInterrupt:
        console.console(stderr=True).print("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


if __name__ == "__main__":
    main()
