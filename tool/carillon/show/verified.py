# SPDX-License-Identifier: Apache-2.0
"""The output of ``carillon verify``: what was compared in each mode, and what was not."""

from __future__ import annotations

from functools import partial

from rich.console import Console
from rich.table import Table

from carillon import console
from carillon.units import format_frequency
from carillon.verify import Report


def render_verified(to: Console, report: Report) -> None:
    """A table of what was compared."""
    say = partial(console.verbatim, to)
    said = "the image is what the schedule says" if report.compared else "the image is not verified"
    say(f"{report.elf}: {said}, on {report.board} at {format_frequency(report.clock_hz)}")
    if report.modes:
        table = Table("mode", "expiries compared", "vectors", "deadlines", box=None, header_style="bold")
        for mode in report.modes:
            table.add_row(mode.mode, str(mode.expiries), str(mode.vectors), str(mode.deadlines))
        to.print(table)
    if report.osek is not None:
        events = report.osek
        say(f"event-triggered: {events.cells} cells, {events.vectors} vectors, {events.tables} entries of tables")
    if report.microcode is not None:
        code = report.microcode
        say(f"microcode: {code.instructions} instructions at {code.instants} instants, {code.functions} functions")
    for what in report.unverified:
        say(f"not verified: {what}")
