# SPDX-License-Identifier: Apache-2.0
"""What benchmarks do with a schedule: build it, and analyse a run of its rounds."""

from __future__ import annotations

from pathlib import Path

from carillon.build import Firmware, build
from carillon.diagnostics import Diagnostics
from carillon.pipeline import Planned, plan, releases
from carillon.run import run
from carillon.trace.analyse import analyse
from carillon.trace.summary import Summary


def made(
    schedule: Path, folder: Path, diagnostics: Diagnostics, board: str | None = None, kernel: str = "carillon"
) -> tuple[Planned, Firmware]:
    """A schedule, planned, and built in a folder; raises CarillonError."""
    planned = plan(schedule, diagnostics, board, kernel)
    return planned, diagnostics.required(build(planned.image, folder, diagnostics))


def analysed(planned: Planned, firmware: Firmware, rounds: int, diagnostics: Diagnostics) -> Summary:
    """The analysis of a run of so many rounds; raises CarillonError."""
    length = planned.system.modes[0].round_length * rounds
    trace = diagnostics.required(run(planned.image, firmware, length, diagnostics, rounds=rounds))
    return analyse(trace, releases(planned.system, trace))
