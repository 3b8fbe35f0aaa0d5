# SPDX-License-Identifier: Apache-2.0
"""Export in the Best Trace Format (BTF 2.1.5) of AMALTHEA and Eclipse APP4MC: a line for each thing that happens.

A task is a process ``T`` of the core that bears the kernel's name, an interrupt of the application a process ``I``.  What makes a
task ready is a stimulus of its name.  No date, so the same run gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import IO

from carillon import __version__
from carillon.show.scene import Panel
from carillon.show.steps import Step, origin, steps
from carillon.trace.timeline import LaneKind


def write(stream: IO[str], panels: Sequence[Panel]) -> None:
    """Write all steps in order of time, in nanoseconds; of several panels, names begin with the panel's."""
    stream.write(f"#version 2.1.5\n#creator carillon {__version__}\n#inputFile {panels[0].trace.application}\n#timeScale ns\n")
    first = origin(panels)
    lines: list[tuple[int, int, str]] = []
    for place, panel in enumerate(panels):
        core = panel.trace.node or panel.trace.kernel
        prefix = f"{core}." if len(panels) > 1 else ""
        unit = Fraction(10**9, panel.trace.clock_hz * panel.scale)
        for happening in steps(panel, first):
            time = round(happening.time * unit)
            name = prefix + happening.lane.name
            kind = "I" if happening.lane.kind is LaneKind.INTERRUPT else "T"
            source = f"STI_{name},{happening.number}" if happening.step is Step.ACTIVATE else f"{core},0"
            lines.append((time, place, f"{time},{source},{kind},{name},{happening.number},{happening.step.value}\n"))
    lines.sort(key=lambda line: line[:2])
    stream.writelines(line for _, _, line in lines)
