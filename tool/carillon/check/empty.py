# SPDX-License-Identifier: Apache-2.0
"""A mode has a round of at least one tick (C041) and at least one point in it (C048)."""

from __future__ import annotations

from carillon.diagnostics import Diagnostics
from carillon.model import System


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report empty modes, and rounds without length.

    A mode that lost its points to earlier errors is not reported as empty.
    """
    sound = not diagnostics.errors
    for mode in system.modes:
        if mode.round_length == 0:
            cause = f"the round of mode '{mode.name}' is zero ticks long"
            diagnostics.error("C041", mode.span, cause, "write a round of at least one tick")
        if sound and not mode.activations and not mode.enables:
            cause = f"mode '{mode.name}' is empty: it activates no task and enables no interrupt"
            diagnostics.error("C048", mode.span, cause, "give it points or periodic tasks, or remove it")
