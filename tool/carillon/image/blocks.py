# SPDX-License-Identifier: Apache-2.0
"""The blocks of a Giotto program that runs on cells, whose tasks end in time under rate-monotonic priorities."""

from __future__ import annotations

from carillon.diagnostics import Diagnostics
from carillon.giotto import compile_giotto
from carillon.image import Blocks
from carillon.image.priorities import check_rate_monotonic
from carillon.model import System
from carillon.model.rates import rates_of, tick_of
from carillon.read.giotto.tables import thread_names


def blocks_image(system: System, diagnostics: Diagnostics) -> Blocks | None:
    """The image of a system's Giotto program; None after C265.

    Reports C283, a task that is late in some order of switches, and C284, where this is not known.
    """
    assert system.giotto is not None
    compiled = compile_giotto(system.giotto, diagnostics)
    if compiled is None:
        return None
    check_rate_monotonic(system.giotto, "--machine microcode, which runs tasks by their deadlines", diagnostics)
    return Blocks(compiled, rates_of(system.giotto, thread_names(system.giotto)), tick_of(system.giotto))
