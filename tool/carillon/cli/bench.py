# SPDX-License-Identifier: Apache-2.0
"""``carillon bench``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carillon import console
from carillon.cli.common import Report, check_plots, usage
from carillon.diagnostics import suggestion

EPILOG = "Examples: carillon bench dispatch --json; carillon bench timers --part periods --plots pictures"


def command(
    report: Report,
    name: Annotated[
        str,
        typer.Argument(
            help="Benchmark: autosar, boards, clocks, dispatch, microkernel, osek, papers, services, timers or simulator."
        ),
    ] = "dispatch",
    rounds: Annotated[
        int, typer.Option("--rounds", "-n", min=10, help="Rounds of each application, or samples of each figure.")
    ] = 1000,
    part: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            help="Only this part of 'timers', paper of 'papers', load of 'microkernel' or board of 'boards'; may be repeated.",
        ),
    ] = None,
    plots: Annotated[Path | None, typer.Option("--plots", help="Write the benchmark's pictures (SVG) to this folder.")] = None,
) -> None:
    """Measure Carillon and the conventional kernel with the same application; 'timers': the time services."""
    from carillon.bench import BENCHMARKS, paper, render
    from carillon.bench.plots import write

    if name not in BENCHMARKS:
        usage(f"no benchmark '{name}': {suggestion(name, BENCHMARKS)}")
    benchmark = BENCHMARKS[name]
    for wanted in part or ():
        if wanted not in benchmark.parts:
            known = f"it has {', '.join(benchmark.parts)}" if benchmark.parts else "it is measured as a whole"
            usage(f"benchmark '{name}' has no part '{wanted}': {known}")
    check_plots(plots)
    result = benchmark.run(rounds, report.diagnostics, report.status, part or ())
    if report.diagnostics.errors:
        return
    report.result({"rows": [row.as_json() for row in result.rows], "paper": paper.as_json(result.rows)})
    if not report.as_json:
        render(console.console(), name, result.rows)
    if plots is not None and not write(result.plots, plots):
        console.console(stderr=True).print(f"no pictures: '{name}' draws none of what was measured")
