# SPDX-License-Identifier: Apache-2.0
"""``carillon giotto``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carillon import console
from carillon.cli.common import Report, check_outputs, counted, read_checked
from carillon.units import format_number

if TYPE_CHECKING:
    from carillon.diagnostics import Diagnostics
    from carillon.frontends.giotto.load import Load
    from carillon.frontends.giotto.scheduling import Chosen
    from carillon.frontends.giotto.simulation import Played
    from carillon.frontends.giotto.switching import Across
    from carillon.microcode.compiled import Compiled
    from carillon.model.giotto import Giotto, Mode

EPILOG = (
    "Examples: carillon giotto flight.giotto --listing; carillon giotto flight.giotto --s-code edf -o flight.microcode; "
    "carillon giotto flight.giotto --s-code order.scode"
)


def command(
    report: Report,
    path: Annotated[Path, typer.Argument(help="Giotto program.")],
    listing: Annotated[bool, typer.Option("--listing", help="Print the E code, which the microcode assembler reads.")] = False,
    s_code: Annotated[
        str | None,
        typer.Option(
            "--s-code",
            metavar="METHOD|FILE",
            help="Make S code: edf, nonpreemptive or rate-monotonic; or take that of a file.",
            show_default="none",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write the microcode to.", show_default="none")] = None,
) -> None:
    """Check a Giotto program and compile it to E code."""
    from carillon.files import write_bytes
    from carillon.frontends.giotto.compile import compile_giotto
    from carillon.frontends.giotto.load import check_loads, loads
    from carillon.microcode import S_CODE
    from carillon.microcode.binary import encode

    check_outputs((path,), only_files=True, out=out)
    source = read_checked(path, report.diagnostics)
    load = loads(source)
    check_loads(source, load, report.diagnostics)
    chosen = _chosen(source, s_code, report.diagnostics)
    plan, thread = (None, None) if chosen is None else (chosen.plan, chosen.written)
    compiled = compile_giotto(source, report.diagnostics, plan, thread)
    if compiled is None:  # errors of the load are told with a drawing
        report.diagnostics.stop_on_errors()
    assert compiled is not None
    across = _across(source, load)
    modes: list[dict[str, object]] = []
    lines: list[str] = []
    for mode in source.modes:
        its = load[mode.name.text]
        found = _played(source, mode, compiled, its, chosen)
        if found is not None and found.broken is not None:
            if s_code is not None:
                cause = f"the S code does not keep the mode {mode.name}: {found.said()}"
                report.diagnostics.error("C272", mode.name.span, cause, "change the S code, or use --s-code edf")
            if not report.as_json and not (listing and its.edf):
                console.verbatim(console.console(), "\n".join(_drawn(mode, found)))
        invocations = sum(activity.frequency for activity in mode.invocations)
        modes.append(
            {
                "mode": mode.name.text,
                "line": mode.name.span.line,
                "period_ms": mode.period,
                "units": mode.units,
                "invocations": invocations,
                "load": None if its.share is None else float(its.share),
                "edf": its.edf,
                "rate_monotonic": its.rate_monotonic,
                "timeline": None if found is None else found.timeline(),
                "s_code": None if s_code is None or found is None else _properties(found),
            }
        )
        units = f"{counted(mode.units, 'unit')}, {counted(invocations, 'invocation')} of tasks"
        lines.append(f"mode {mode.name}: {mode.period} ms, {units}{_said(its)}")
        lines += [f"S code: {_kept(found)}", *_drawn(mode, found)] if s_code is not None else []
    report.diagnostics.stop_on_errors()
    content = encode(compiled.program)
    if out is not None:
        write_bytes(out, content)
    size = len(compiled.program.code)
    dispatching = sum(instruction.opcode in S_CODE for instruction in compiled.program.code)
    result = {"file": None if out is None else str(out), "instructions": size, "bytes": len(content), "modes": modes}
    switches = None if across is None else _switched(across, load)
    report.result(result | {"switches": switches, "s_code": dispatching} | ({"listing": compiled.listing()} if listing else {}))
    if listing:
        report.show(lambda _: print(compiled.listing(), end=""))
        return
    if across is not None:
        edf = all(its.edf for its in load.values())
        lines.append(f"in every order of switches: {_schedulers(edf, across.safe)}")
        if all(its.rate_monotonic for its in load.values()):  # else a mode alone shows it
            lines += _drawn_across(source, across)
    said = f"{counted(size, 'instruction')}, "
    said += f"{dispatching} of them S code, " if s_code is not None else ""
    said += f"{len(content)} bytes of microcode with its tables of names"
    report.say(*lines, said + (f", in {out}" if out is not None else ""))


def _chosen(source: Giotto, s_code: str | None, diagnostics: Diagnostics) -> Chosen | None:
    """The S code, by a method or from a file; None if none is asked for."""
    from carillon.frontends.giotto.scheduling import METHODS, Chosen, chosen_in, planned

    if s_code is None:
        return None
    if s_code in METHODS:
        plan = planned(s_code, source, diagnostics)
        found = None if plan is None else Chosen(plan, method=s_code)
    else:
        found = chosen_in(Path(s_code), source, diagnostics)
    return diagnostics.required(found)


def _played(source: Giotto, mode: Mode, compiled: Compiled, load: Load, chosen: Chosen | None) -> Played | None:
    """A period of a mode with its S code; without, what shows that EDF or rate-monotonic priorities do not suffice."""
    from carillon.frontends.giotto.load import execution_times
    from carillon.frontends.giotto.scheduling import played
    from carillon.frontends.giotto.simulation import by_deadline, by_period, play

    if load.share is None or (chosen is None and load.rate_monotonic is not False):
        return None
    if chosen is not None:
        return played(source, mode, compiled, chosen)
    return play(compiled, execution_times(source), f"{mode.name}@0", mode.period, by_period if load.edf else by_deadline)


def _across(source: Giotto, load: dict[str, Load]) -> Across | None:
    """Whether rate-monotonic priorities suffice across switches; None if there are none, or a mode has no known load."""
    from carillon.frontends.giotto.load import execution_times
    from carillon.frontends.giotto.switching import across_switches

    if not any(mode.switches for mode in source.modes) or any(its.share is None or its.share > 1 for its in load.values()):
        return None
    return across_switches(source, execution_times(source))


def _switched(across: Across, load: dict[str, Load]) -> dict[str, object]:
    return {
        "edf": all(its.edf for its in load.values()),
        "rate_monotonic": across.safe,
        "path": [{"mode": mode, "at_ms": float(at)} for mode, at in across.path],
        "timeline": None if across.played is None else across.played.timeline(),
    }


def _drawn_across(source: Giotto, across: Across) -> list[str]:
    """How a task comes to be late."""
    if across.played is None:
        return []
    steps = [f"mode {source.start}", *(f"mode {mode} from {format_number(at, 3)} ms on" for mode, at in across.path)]
    return [f"{', '.join(steps)}: {across.played.said()}:", *across.played.timeline()]


def _drawn(mode: Mode, played: Played | None) -> list[str]:
    """What ran in a period, or what went wrong in it."""
    if played is None:
        return []
    wrong = [f"mode {mode.name}, {played.said()}:"] if played.broken is not None else []
    return [*wrong, *played.timeline()]


def _properties(played: Played) -> dict[str, object]:
    """What is so in a period with full execution times."""
    return {
        "time_safe": played.late is None and played.endless is None,
        "time_sharing": played.shared is None,
        "nonpreemptive": played.preempted is None,
        "edf": played.not_edf is None,
        "synchronous": played.asynchronous is None,
        "preemptions": played.preemptions,
    }


def _kept(played: Played | None) -> str:
    """The same, for a person."""
    if played is None:
        return "not checked, since a task has no wcet"
    words = ["time-safe", "time-sharing"]
    words.append("nonpreemptive" if played.preempted is None else f"preemptive ({counted(played.preemptions, 'preemption')})")
    words.append("EDF" if played.not_edf is None else "not EDF")
    return ", ".join(words + (["synchronous"] if played.asynchronous is None else []))


def _said(load: Load) -> str:
    """What is known of a mode's load."""
    if load.share is None:
        return ", some without a wcet"
    share = format_number(load.share * 100, 1)
    return f", {share} % of the processor; {_schedulers(load.edf, load.rate_monotonic)}"


def _schedulers(edf: bool | None, rate_monotonic: bool | None) -> str:
    safe = {True: "time-safe", False: "not time-safe", None: "not decided"}
    return f"EDF: {safe[edf]}, rate-monotonic: {safe[rate_monotonic]}"
