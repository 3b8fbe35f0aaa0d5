# SPDX-License-Identifier: Apache-2.0
"""``carillon plan``."""

from __future__ import annotations

from carillon.cli import options
from carillon.cli.common import Report, asked, check_kernel

EPILOG = "Example: carillon plan examples/three-tasks --board tc1796"


def command(
    report: Report,
    paths: options.Schedule = None,
    board: options.Board = None,
    include: options.Include = None,
    kernel: options.Kernel = "carillon",
    machine: options.Machine = "microcode",
    time_limit: options.TimeLimit = options.TIME_LIMIT,
) -> None:
    """Show the allocation: schedule line, cell, vector, task, and why."""
    check_kernel(kernel)

    from carillon import pipeline
    from carillon.show.plan import plan_json, render_plan

    report.status("allocating")
    source, carried = asked(paths, include, machine)
    planned = pipeline.plan(source, report.diagnostics, board, kernel, time_limit, machine=carried)
    report.result(plan_json(planned))
    report.show(lambda to: render_plan(to, planned))
