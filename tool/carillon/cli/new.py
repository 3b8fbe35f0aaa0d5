# SPDX-License-Identifier: Apache-2.0
"""``carillon new``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from carillon.cli.common import Report, usage
from carillon.diagnostics import CarillonError, Diagnostic

EPILOG = "Examples: carillon new my-app && cd my-app && carillon run; carillon new drive --template motor"


def command(
    report: Report,
    name: Annotated[str, typer.Argument(help="Name of the application and of the folder to make.")],
    board: Annotated[
        str | None,
        typer.Option("--board", "-b", help="Board of the schedule: a name or a board.toml.", show_default="ast1030-evb"),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option("--template", "-t", help="Another application: motor, which is three control loops of up to 20 kHz."),
    ] = None,
) -> None:
    """Make a folder with a small application that runs at once: two tasks if BOARD can carry them, else one."""
    from carillon.template import NAMED, fill

    if template is not None and template not in NAMED:
        usage(f"there is no template '{template}': the templates are {', '.join(NAMED)}")
    folder = Path(name)
    title = folder.name
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", title):
        usage(f"'{title}' cannot be the name of an application: letters, digits, '-' and '_', a letter first")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CarillonError([Diagnostic("C097", None, f"'{name}' exists already", "choose another name, or remove it first")])
    written = []
    for relative, text in fill(folder, board, template).items():
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        written.append(str(target))
    report.result({"files": written})
    report.say(*(f"  wrote {path}" for path in written), f"Next: cd {name}; carillon run")
