# SPDX-License-Identifier: Apache-2.0
"""``carillon verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from carillon.cli import options
from carillon.cli.common import Report, asked, check_kernel

EPILOG = "Examples: carillon verify examples/engine; carillon verify . --elf release.elf"


def command(
    report: Report,
    paths: options.Schedule = None,
    board: options.Board = None,
    include: options.Include = None,
    kernel: options.Kernel = "carillon",
    machine: options.Machine = "microcode",
    out: options.Out = None,
    elf: Annotated[
        Path | None, typer.Option("--elf", help="The image.", show_default="what `carillon build` made, in its folder")
    ] = None,
) -> None:
    """Compare a built image with the schedule: every expiry, vector, level and deadline, read from its bytes alone."""
    check_kernel(kernel)

    from carillon.show.verified import render_verified
    from carillon.verify.command import verify_file

    schedule, carried = asked(paths, include, machine)
    proved = verify_file(schedule, report.diagnostics, board, kernel, out, elf, carried)
    report.diagnostics.stop_on_errors()
    report.result(proved.as_json())
    report.show(lambda to: render_verified(to, proved))
