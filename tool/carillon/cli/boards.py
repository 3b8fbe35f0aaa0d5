# SPDX-License-Identifier: Apache-2.0
"""``carillon boards``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from carillon import console
from carillon.cli.common import Report, usage
from carillon.diagnostics import suggestion

if TYPE_CHECKING:
    from carillon.model.board import Board

EPILOG = "Example: carillon boards raspberry-pi-pico"


def command(
    report: Report,
    name: Annotated[str | None, typer.Argument(help="A board's name.", show_default="all boards")] = None,
) -> None:
    """List the boards, or say of one what its cells are, and what of them is exact on the chip."""
    from rich.table import Table

    from carillon.read.board import load_board
    from carillon.resources import board_names, find_board

    if name is not None and name not in board_names():
        usage(f"no board '{name}': {suggestion(name, board_names())}")
    boards = [load_board(p) for p in (find_board(n) for n in board_names() if name in (None, n)) if p is not None]
    report.result({"boards": [_told(board, whole=name is not None) for board in boards]})
    if report.as_json:
        return
    if name is not None:
        _print_one(boards[0])
        return
    table = Table("board", "cells", "levels", "clocks (MHz)", "what it is", box=None, header_style="bold")
    for board in boards:
        table.add_row(board.name, str(board.cell_count), _levels(board), _clocks(board), board.summary)
    console.console().print(table)


def _levels(board: Board) -> str:
    return str(board.levels) if board.nesting == "levels" else "none"


def _clocks(board: Board) -> str:
    return ", ".join(f"{c.hz / 1e6:g}" for c in board.clocks)


def _told(board: Board, *, whole: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": board.name,
        "summary": board.summary,
        "cells": board.cell_count,
        "levels": board.levels,
        "nesting": board.nesting,
        "clocks_hz": [c.hz for c in board.clocks],
    }
    if whole:
        currents = board.currents
        found["currents"] = currents.as_json() if currents is not None else None
        clock = board.rtc
        found["rtc"] = {"driver": clock.driver.name, "exact": clock.driver.exact} if clock is not None else None
        tree = board.clock_tree
        found["clock_tree"] = tree.as_json() if tree is not None else None
        found["arrays"] = [
            {
                "cells": list(array.names),
                "family": array.family.name,
                "width": array.width,
                "roles": [role.value for role in array.roles],
                "timed": sorted(timed.value for timed in board.timed(array)),
                "exact": array.family.exact,
            }
            for array in board.cells
        ]
    return found


def _print_one(board: Board) -> None:
    """What a board is: its cells, each family's guarantees, and where its images run."""
    from rich.text import Text

    from carillon.model.family import Timed

    to = console.console()
    to.print(Text.assemble((board.name, "bold"), f": {board.summary}"))
    to.print(f"clocks: {_clocks(board)} MHz; priority levels: {_levels(board)}")
    if board.clock_tree is not None:
        to.print(str(board.clock_tree), markup=False)
    to.print(str(board.currents or "currents: not given, so that no energy is estimated"), markup=False)
    if board.rtc is not None:
        to.print(f"real-time clock: {board.rtc.driver.name}. {board.rtc.driver.exact}", markup=False)
    words = {
        Timed.START: "the start of each cell beside others",
        Timed.ALIGN: "the move to the first expiry",
        Timed.REARM: "re-arming a cell",
        Timed.ONE_SHOT: "a one-shot clock",
    }
    for array in board.cells:
        names = array.names[0] if len(array.names) == 1 else f"{array.names[0]} to {array.names[-1]}"
        roles = ", ".join(role.value for role in array.roles)
        to.print(Text.assemble("\n", (names, "bold"), f" ({array.family.name}, {array.width} bits): {roles}"))
        to.print(f"  {array.family.exact}")
        timed = [words[t] for t in Timed if t in board.timed(array)]
        virtual = not board.clocks[0].instructions_per_tick
        if timed and not virtual:
            to.print(f'  Timed by instructions, and refused with timing = "silicon": {", ".join(timed)}.')
