# SPDX-License-Identifier: Apache-2.0
"""``python -m bench.papers``: a command for each benchmark."""

from __future__ import annotations

import gc
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from bench.papers import frontier, paper, rows
from bench.papers.benchmarks import BENCHMARKS, render
from bench.papers.plots import write
from carillon import console
from carillon.cli.common import Report, reporting, usage
from carillon.files import check_writable

PROGRAM = "python -m bench.papers"

app = typer.Typer(
    name="bench.papers",
    help="Repeat what papers measured, and measure what Carillon's kernels and services cost.",
    epilog=f"Examples: {PROGRAM} dispatch --json; {PROGRAM} timers --part periods --plots pictures",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)

Plots = Annotated[Path | None, typer.Option("--plots", help="Write the benchmark's pictures (SVG) to this folder.")]


def _check_plots(plots: Path | None) -> None:
    """Refuse a folder for pictures that cannot be made or written, before anything is measured."""
    if plots is not None:
        if find_spec("matplotlib") is None:
            usage("--plots needs matplotlib, which is not installed: pip install matplotlib")
        check_writable(plots, folder=True)


def _measuring(name: str) -> Callable[..., None]:
    """The command of a benchmark."""

    def command(
        report: Report,
        rounds: Annotated[
            int, typer.Option("--rounds", "-n", min=10, help="Rounds of each application, or samples of each figure.")
        ] = 1000,
        part: Annotated[list[str] | None, typer.Option("--part", help="Only this part; may be repeated.")] = None,
        plots: Plots = None,
        in_cycles: Annotated[bool, typer.Option("--cycles", help=f"Measure on {rows.IN_CYCLES}, in cycles.")] = False,
    ) -> None:
        benchmark = BENCHMARKS[name]
        if in_cycles and not benchmark.in_cycles:
            usage(
                f"benchmark '{name}' is not measured in cycles: {', '.join(n for n, b in BENCHMARKS.items() if b.in_cycles)} are"
            )
        for wanted in part or ():
            if wanted not in benchmark.parts:
                known = f"it has {', '.join(benchmark.parts)}" if benchmark.parts else "it is measured as a whole"
                usage(f"benchmark '{name}' has no part '{wanted}': {known}")
        _check_plots(plots)
        with rows.measured_on(rows.IN_CYCLES if in_cycles else rows.BOARD):
            result = benchmark.run(rounds, report.diagnostics, report.status, part or ())
        if report.diagnostics.errors:
            return
        told: dict[str, object] = {"rows": [row.as_json() for row in result.rows], "paper": paper.as_json(result.rows)}
        report.result(told | ({"peers": [peer.as_json() for peer in result.peers]} if result.peers else {}))
        if not report.as_json:
            render(console.console(), name, result.rows, result.peers)
        if plots is not None and not write(result.plots, plots):
            console.console(stderr=True).print(f"no pictures: '{name}' draws none of what was measured")

    return command


def search(
    report: Report,
    board: Annotated[str, typer.Option("--board", "-b", help="Board: a name or a board.toml.")] = "ast1030-evb",
    load: Annotated[
        list[int] | None,
        typer.Option(
            "--load", help="What the tasks compute for, in % of the processor; may be repeated.", show_default="70 to 99"
        ),
    ] = None,
    apart: Annotated[
        list[int] | None,
        typer.Option("--apart", help="Ticks between the points of a burst; may be repeated.", show_default="25 to 200"),
    ] = None,
    rounds: Annotated[int, typer.Option("--rounds", "-n", min=1, help="Random rounds for each load and distance.")] = 5,
    seed: Annotated[int, typer.Option("--seed", help="What the random rounds are drawn from.")] = 1,
    plots: Plots = None,
) -> None:
    """How much load, and points how close together: random rounds, checked and run under both kernels."""
    for name, values, (least, most) in (
        ("--load", load or (), frontier.LOAD_RANGE),
        ("--apart", apart or (), frontier.CLOSENESS_RANGE),
    ):
        for value in values:
            if not least <= value <= most:
                usage(f"{name} {value}: it may be from {least} to {most}")
    _check_plots(plots)
    outcomes = frontier.frontier(load or frontier.LOADS, apart or frontier.CLOSENESS, rounds, seed, report.status, board)
    frontier.report(outcomes, report.diagnostics)
    report.result({"board": board, "rounds": [o.as_json() for o in outcomes]})
    if not report.as_json:
        frontier.render(console.console(), outcomes, board)
    if plots is not None:
        write(frontier.plots(outcomes, board), plots)


for _name, _benchmark in BENCHMARKS.items():
    _example = f"Example: {PROGRAM} {_name} --rounds 100 --json"
    app.command(_name, help=_benchmark.text, epilog=_example)(reporting(_measuring(_name)))
app.command("frontier", epilog=f"Example: {PROGRAM} frontier --load 90 --load 96 --apart 50 --rounds 20 --plots pictures")(
    reporting(search)
)


def main() -> None:
    """Entry point."""
    gc.disable()  # as in the tool
    console.settle_columns()
    app(prog_name=PROGRAM)
