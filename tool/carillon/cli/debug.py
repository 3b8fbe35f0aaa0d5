# SPDX-License-Identifier: Apache-2.0
"""``carillon debug``."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from carillon import console
from carillon.cli import options
from carillon.cli.common import Report, build_folder, check_kernel, check_machine, check_outputs, schedule_file, ticks_of

EPILOG = "Examples: carillon debug my-app; carillon debug my-app --command 'break control' --command continue --command backtrace"


def command(
    report: Report,
    paths: options.Schedule = None,
    board: options.Board = None,
    include: options.Include = None,
    chip: Annotated[
        bool, typer.Option("--chip", help="Debug the chip by the server of the board's [debug], also if there is an emulator.")
    ] = False,
    commands: Annotated[
        list[str] | None,
        typer.Option("--command", "-c", help="Carry out this command of gdb at the start of main, and end; several times."),
    ] = None,
    time: Annotated[
        str, typer.Option("--for", help="How much of the run QEMU records, from the first start on; others go on without an end.")
    ] = "1s",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Build, print both commands and gdb's, and run none.")] = False,
    kernel: options.Kernel = "carillon",
    machine: options.Machine = "microcode",
    out: options.Out = None,
    time_limit: options.TimeLimit = options.TIME_LIMIT,
) -> None:
    """Build, verify, and debug with gdb from main on: in the emulator that runs the board, or in the chip.

    In an emulator time stands while the program stands.  QEMU records a run first, and gdb goes through it, also backwards.
    """
    from carillon import pipeline
    from carillon.build import build as build_firmware
    from carillon.files import alone
    from carillon.run import debug

    check_outputs(out=out)
    check_kernel(kernel)
    schedule = schedule_file(paths, include)
    report.status("allocating")
    planned = pipeline.plan(schedule, report.diagnostics, board, kernel, time_limit, machine=check_machine(machine, schedule))
    target = planned.system.board
    with_chip = debug.on_chip(target, chip, report.diagnostics)
    if with_chip is None or not (dry_run or debug.installed(target, with_chip, report.diagnostics)):
        return
    report.status("compiling")
    folder = build_folder(planned, kernel, out)
    with alone(folder):
        firmware = build_firmware(planned.image, folder, report.diagnostics)
        if firmware is None:
            return
        made = debug.session(planned.image, firmware, folder, with_chip, commands or (), report.diagnostics)
        if made is None:
            return
        if not dry_run and made.replay is not None:
            report.status(f"recording {time}")
            ticks = ticks_of(time, planned.system.clock_hz, "--for")
            if not debug.recorded(made, planned.image, firmware, ticks, report.diagnostics):
                return
        report.warnings()
        if not report.as_json:
            commands_shown = [shlex.join(made.server)] if made.server else []
            shown = [*commands_shown, shlex.join(made.debugger), *(made.text.splitlines() if dry_run else ())]
            console.verbatim(console.console(), "\n".join(shown))
        ended = 0 if dry_run else debug.converse(made, report.as_json, report.diagnostics)
    if ended is None:
        return
    if ended:
        remedy = "it says why above: look at the cable, and whether another program has the debugger's port"
        report.diagnostics.error("C095", None, f"the debugger '{made.debugger[0]}' ended with {ended}", remedy)
        return
    commands_of = {"server": made.server, "debugger": made.debugger, "script": made.text.splitlines()}
    report.result({**commands_of, "ran": not dry_run})
