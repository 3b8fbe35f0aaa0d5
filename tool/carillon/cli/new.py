# SPDX-License-Identifier: Apache-2.0
"""``carillon new``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from carillon.cli.common import Report, usage
from carillon.diagnostics import CarillonError, Diagnostic, suggestion
from carillon.resources import board_names

EPILOG = (
    "Examples: carillon new my-app && cd my-app && carillon run; carillon new blink --template blink; "
    "carillon new my-board --board-from STM32F405.svd"
)


def command(
    report: Report,
    name: Annotated[str, typer.Argument(help="Name of the application and of the folder to make.")],
    board: Annotated[
        str | None,
        typer.Option("--board", "-b", help="Board of the schedule: a name or a board.toml.", show_default="ast1030-evb"),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            "--template", "-t", help="Another application: blink, which is an LED; motor, three control loops of up to 20 kHz."
        ),
    ] = None,
    board_from: Annotated[
        Path | None,
        typer.Option("--board-from", help="Make a board instead, of the chip that this SVD file describes.", metavar="FILE.svd"),
    ] = None,
    base: Annotated[
        str | None, typer.Option("--base", help="With --board-from: a board that has whatever the SVD file does not say.")
    ] = None,
) -> None:
    """Make a folder with a small application that runs at once: two tasks if BOARD can carry them, else one."""
    from carillon.template import NAMED, fill

    if board_from is not None and (board is not None or template is not None):
        usage("--board-from makes a board: leave --board and --template out, or make the application afterwards")
    if base is not None and board_from is None:
        usage("--base belongs to --board-from")
    if base is not None and base not in board_names():
        usage(f"there is no board '{base}' for --base: {suggestion(base, board_names())}")

    if template is not None and template not in NAMED:
        usage(f"there is no template '{template}': the templates are {', '.join(NAMED)}")
    folder = Path(name)
    title = folder.name
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", title):
        usage(f"'{title}' cannot be the name of an application: letters, digits, '-' and '_', a letter first")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CarillonError([Diagnostic("C097", None, f"'{name}' exists already", "choose another name, or remove it first")])
    if board_from is not None:
        _board(report, folder, board_from, base)
        return
    written = _write(folder, fill(folder, board, template))
    report.result({"files": written, "board": None})
    report.say(*(f"  wrote {path}" for path in written), f"Next: cd {name}; carillon run")


def _write(folder: Path, files: dict[str, str]) -> list[str]:
    """Write the files of a folder; returns their paths."""
    written = []
    for relative, text in files.items():
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        written.append(str(target))
    return written


def _board(report: Report, folder: Path, svd: Path, base: str | None) -> None:
    """Make the board of a chip, and say what is left to do."""
    from carillon.board_from import board_from

    made = board_from(svd, folder.name, base, report.diagnostics)
    written = _write(folder, made.files)
    left = {"cells": made.cells, "lacking": made.lacking, "blanks": made.blanks, "compare": made.compare}
    report.result({"files": written, "board": left})
    report.say(*(f"  wrote {path}" for path in written), f"The cells are {', '.join(made.cells)}.")
    if made.lacking:
        report.say(f"Of {base} the SVD file does not show {', '.join(made.lacking)}.")
    if made.blanks:
        report.say("To be written in board.toml, in place of each TODO:", *(f"  {blank}" for blank in made.blanks))
    if made.compare:
        report.say(f"To be compared with the chip's manual: {', '.join(made.compare)}.")
    report.say(f"Next: carillon new my-app --board {folder / 'board.toml'}")
