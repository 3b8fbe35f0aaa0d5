# SPDX-License-Identifier: Apache-2.0
"""The blocks of a Giotto program that runs on cells, whose tasks end in time under rate-monotonic priorities."""

from __future__ import annotations

from carillon.diagnostics import Diagnostics
from carillon.giotto import compile_giotto
from carillon.giotto.analysis import execution_times
from carillon.giotto.switching import across_switches
from carillon.image import Blocks
from carillon.model import System
from carillon.model.giotto import Giotto
from carillon.model.rates import rates_of, tick_of
from carillon.read.giotto.tables import thread_names
from carillon.units import format_number


def blocks_image(system: System, diagnostics: Diagnostics) -> Blocks | None:
    """The image of a system's Giotto program; None after C265.

    Reports C283, a task that is late in some order of switches, and C284, where this is not known.
    """
    assert system.giotto is not None
    compiled = compile_giotto(system.giotto, diagnostics)
    if compiled is None:
        return None
    _check(system.giotto, diagnostics)
    return Blocks(compiled, rates_of(system.giotto, thread_names(system.giotto)), tick_of(system.giotto))


def _check(program: Giotto, diagnostics: Diagnostics) -> None:
    times = execution_times(program)
    missing = [task.name.text for task in program.tasks if task.name.text not in times]
    if any(a.target.text in missing for mode in program.modes for a in mode.invocations):
        diagnostics.warning(
            "C284",
            program.start.span,
            f"the task {missing[0]} has no wcet, so that nothing proves that tasks end in time",
            "write [wcet ...] behind each task",
        )
        return
    found = across_switches(program, times)
    if found.safe is None:
        diagnostics.warning(
            "C284",
            program.start.span,
            "the switches of modes make too many cases to prove that tasks end in time",
            "use fewer modes, or fewer switches",
        )
    elif not found.safe:
        assert found.played is not None
        path = "".join(f", mode {mode} from {format_number(at, 3)} ms on" for mode, at in found.path)
        diagnostics.error(
            "C283",
            program.start.span,
            f"under rate-monotonic priorities, a task is late: mode {program.start}{path}: {found.played.said()}",
            "use shorter execution times, or --machine microcode, which runs tasks by their deadlines",
        )
