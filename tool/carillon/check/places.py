# SPDX-License-Identifier: Apache-2.0
"""Every point lies within its round: from tick 0 to the last tick before the round's end (C036)."""

from __future__ import annotations

from carillon.check.common import time
from carillon.diagnostics import Diagnostics
from carillon.model import Activation, Enable, System


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report points at or past the end of the round."""
    for mode in system.modes:
        points: tuple[Activation | Enable, ...] = (*mode.activations, *mode.enables)
        for point in points:
            if point.at < mode.round_length or mode.round_length == 0:
                continue
            if isinstance(point, Activation):
                phrase = f"activation of task '{point.task}'"
            else:
                phrase = f"enabling of interrupt '{point.interrupt}'"
            cause = (
                f"the {phrase} at {time(point.at, system)} lies past the round of mode '{mode.name}', "
                f"{time(mode.round_length, system)}"
            )
            remedy = f"write at most {mode.round_length - 1} ticks (the round's end is tick 0 of the next), or a longer round"
            diagnostics.error("C036", point.span, cause, remedy)
