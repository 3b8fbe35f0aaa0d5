# SPDX-License-Identifier: Apache-2.0
"""``carillon boards``."""

from __future__ import annotations

from carillon import console
from carillon.cli.common import Report

EPILOG = "Example: carillon boards --json"


def command(report: Report) -> None:
    """List the boards: clocks, cells, priority levels."""
    from rich.table import Table

    from carillon.read.board import load_board
    from carillon.resources import board_names, find_board

    boards = [load_board(p) for p in (find_board(n) for n in board_names()) if p is not None]
    report.result(
        {
            "boards": [
                {
                    "name": b.name,
                    "summary": b.summary,
                    "cells": b.cell_count,
                    "levels": b.levels,
                    "nesting": b.nesting,
                    "clocks_hz": [c.hz for c in b.clocks],
                }
                for b in boards
            ]
        }
    )
    if not report.as_json:
        table = Table("board", "cells", "levels", "clocks (MHz)", "what it is", box=None, header_style="bold")
        for b in boards:
            levels = str(b.levels) if b.nesting == "levels" else "none"
            table.add_row(b.name, str(b.cell_count), levels, ", ".join(f"{c.hz / 1e6:g}" for c in b.clocks), b.summary)
        console.console().print(table)
