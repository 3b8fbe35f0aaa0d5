# SPDX-License-Identifier: Apache-2.0
"""``carillon import``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carillon.cli import options
from carillon.cli.common import Report, check_new, counted, in_folder, schedule_file, usage

EPILOG = "Example: carillon import engine.oil -o schedule.toml"


def command(
    report: Report,
    paths: Annotated[list[Path], typer.Argument(help="OIL file, ARXML files that are one configuration, or their folder.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write, or a folder for a schedule.toml.", show_default="print it")
    ] = None,
    include: options.Include = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    board: options.Board = None,
) -> None:
    """Write the schedule that an OIL or ARXML file is, and say what of it Carillon has no use for."""
    from carillon.frontends import read_foreign
    from carillon.frontends.foreign.converted import foreign_tables
    from carillon.read import build_system
    from carillon.sources import ARXML, OIL, files_of, is_foreign

    source = schedule_file(paths, include)
    if not is_foreign(source):
        usage(f"import reads OIL and ARXML files (*{OIL}, *{ARXML}); '{files_of(source)[0]}' is none by its name")

    from carillon.files import write_text
    from carillon.frontends.foreign.write import SECTIONS, relative, schedule_text
    from carillon.resources import board_names

    target = None if out is None else in_folder(out)
    check_new(target, force)
    foreign = read_foreign(source, report.diagnostics, board)
    if foreign is not None:
        build_system(foreign_tables(foreign, report.diagnostics), report.diagnostics, board)
    report.diagnostics.stop_on_errors()
    assert foreign is not None
    converted = foreign.converted
    main = Path(converted.places.file)
    if board is not None:
        known = board in board_names()
        converted.data["system"]["board"] = board if known else relative(Path(board).resolve(), main.parent.resolve())
    text = schedule_text(converted, main, Path() if target is None else target.parent)
    osek = converted.data["osek"]
    counts = {kind: len(osek.get(kind, ())) for kind in SECTIONS}
    if target is not None:
        write_text(target, text)
    report.result({"file": None if target is None else str(target), "objects": counts} | ({} if target else {"toml": text}))
    if target is None:
        report.show(lambda _: print(text, end=""))
        return
    kinds = {kind: "ISR" if kind == "isr" else kind.replace("_", " ") for kind in counts}
    listed = ", ".join(counted(number, kinds[kind]) for kind, number in counts.items() if number)
    report.say(f"wrote {target}: {listed or 'no objects'}")
