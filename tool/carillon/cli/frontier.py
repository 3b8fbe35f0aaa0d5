# SPDX-License-Identifier: Apache-2.0
"""``carillon frontier``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carillon import console
from carillon.cli.common import Report, check_plots, usage

EPILOG = "Examples: carillon frontier; carillon frontier --load 90 --load 96 --apart 50 --rounds 20 --plots pictures"


def command(
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
    plots: Annotated[Path | None, typer.Option("--plots", help="Write the pictures (SVG) to this folder.")] = None,
) -> None:
    """How much load, and points how close together: random rounds, checked and run under both kernels."""
    from carillon.bench import frontier
    from carillon.bench.plots import write

    for name, values, (least, most) in (
        ("--load", load or (), frontier.LOAD_RANGE),
        ("--apart", apart or (), frontier.CLOSENESS_RANGE),
    ):
        for value in values:
            if not least <= value <= most:
                usage(f"{name} {value}: it may be from {least} to {most}")
    check_plots(plots)
    outcomes = frontier.frontier(load or frontier.LOADS, apart or frontier.CLOSENESS, rounds, seed, report.status, board)
    frontier.report(outcomes, report.diagnostics)
    report.result({"board": board, "rounds": [o.as_json() for o in outcomes]})
    if not report.as_json:
        frontier.render(console.console(), outcomes, board)
    if plots is not None:
        write(frontier.plots(outcomes, board), plots)
