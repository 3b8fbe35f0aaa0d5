# SPDX-License-Identifier: Apache-2.0
"""``carillon flash``."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from carillon import console
from carillon.cli import options
from carillon.cli.common import Report, build_folder, check_kernel, check_machine, check_outputs, schedule_file, usage
from carillon.diagnostics import suggestion

STANDARD_ERROR = 2
"""Where the programmer prints while standard output is for one JSON object."""

EPILOG = "Examples: carillon flash my-app --port /dev/ttyACM0; carillon flash my-app --board stm32f4-discovery --with openocd"


def command(
    report: Report,
    paths: options.Schedule = None,
    board: options.Board = None,
    include: options.Include = None,
    port: Annotated[
        str | None, typer.Option("--port", "-p", help="Serial port of the board, if its programmer needs one.")
    ] = None,
    with_: Annotated[
        str | None, typer.Option("--with", help="Another programmer, by its name in the board's [flash.others].")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Build, print the programmer's command, and do not run it.")] = False,
    kernel: options.Kernel = "carillon",
    machine: options.Machine = "microcode",
    out: options.Out = None,
    time_limit: options.TimeLimit = options.TIME_LIMIT,
) -> None:
    """Build, verify and load the image into the chip, with the programmer that the board's file names."""
    from carillon import pipeline
    from carillon.build import build as build_firmware
    from carillon.build import flash
    from carillon.files import alone

    check_outputs(out=out)
    check_kernel(kernel)
    schedule = schedule_file(paths, include)
    report.status("allocating")
    planned = pipeline.plan(schedule, report.diagnostics, board, kernel, time_limit, machine=check_machine(machine, schedule))
    target = planned.system.board
    how = flash.flashable(target, report.diagnostics)
    if how is not None and with_ is not None:
        if with_ not in how.others:
            usage(f"board '{target.name}' has no programmer '{with_}' for --with: {suggestion(with_, how.others)}")
        how = how.by(with_)
    if how is None or not (dry_run or flash.installed(target, how, report.diagnostics)):
        return
    if port is None and any(flash.PORT in part for part in how.command):
        found = sorted(str(path) for pattern in ("ttyACM*", "ttyUSB*") for path in Path("/dev").glob(pattern))
        seen = f"; there are {', '.join(found)}" if found else ""
        usage(f"--port is needed: the serial port at which board '{target.name}' is{seen}")
    report.status("compiling")
    folder = build_folder(planned, kernel, out)
    with alone(folder):
        firmware = build_firmware(planned.image, folder, report.diagnostics)
        if firmware is None or not flash.fits(target, how, firmware, report.diagnostics):
            return
        line = flash.command(how, firmware, port or "")
        report.warnings()
        if not report.as_json:
            if how.before:
                console.verbatim(console.console(), how.before)
            console.verbatim(console.console(), shlex.join(line))
            sys.stdout.flush()
        ended = 0 if dry_run else subprocess.run(line, stdout=STANDARD_ERROR if report.as_json else None, check=False).returncode
    if ended:
        cause = f"the programmer '{line[0]}' ended with {ended}"
        remedy = "it says why above: look at the port, the cable, and whether another program has the port open"
        report.diagnostics.error("C293", None, cause, remedy)
        return
    report.result({"command": line, "before": how.before, "ran": not dry_run})
