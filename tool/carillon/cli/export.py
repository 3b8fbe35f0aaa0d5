# SPDX-License-Identifier: Apache-2.0
"""``carillon export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carillon.cli import options
from carillon.cli.common import Report, check_new, schedule_file, usage

EPILOG = "Example: carillon export examples/oil-only/crossing.oil -o crossing.arxml"


def command(
    report: Report,
    paths: options.Schedule = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write, NAME.arxml.", show_default="print it")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    board: options.Board = None,
    include: options.Include = None,
) -> None:
    """Write the event-triggered system of a schedule as an AUTOSAR ECU configuration, and say what that leaves out."""
    from carillon.sources import ARXML

    if out is not None and out.suffix.lower() != ARXML:
        usage(f"export writes ARXML files (*{ARXML}); '{out}' is none by its name")

    from carillon.files import write_text
    from carillon.frontends import read_tables
    from carillon.frontends.arxml.export import arxml_text
    from carillon.read import build_system

    check_new(out, force)
    tables = read_tables(schedule_file(paths, include), report.diagnostics, board)
    system = report.diagnostics.required(None if tables is None else build_system(tables, report.diagnostics, board))
    assert tables is not None
    folder = (tables.path if out is None else out).parent
    text = report.diagnostics.required(arxml_text(tables, system.name, folder, report.diagnostics))
    if out is not None:
        write_text(out, text)
    report.result({"file": None if out is None else str(out)} | ({} if out else {"arxml": text}))
    if out is not None:
        report.say(f"wrote {out}")
    else:
        report.show(lambda _: print(text, end=""))
