# SPDX-License-Identifier: Apache-2.0
"""Two tasks are not activated at the same tick (C035).

The order of two activations at one tick would be left to chance; OSEKtime OS 1.0, section on the
dispatcher table, likewise gives every activation a time of its own.
"""

from __future__ import annotations

import itertools

from carillon.check.common import again, time
from carillon.diagnostics import Diagnostics
from carillon.groups import grouped
from carillon.model import Mode, System


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report each pair of activations that overlaps, once for all its overlaps in the round."""
    for mode in system.modes:
        _check_mode(mode, system, diagnostics)


def _check_mode(mode: Mode, system: System, diagnostics: Diagnostics) -> None:
    together = (sorted(pair, key=lambda a: a.span) for pair in itertools.pairwise(mode.activations) if pair[0].at == pair[1].at)
    for pairs in grouped((tuple((a.task, a.span) for a in pair), pair) for pair in together).values():
        earlier, later = pairs[0]
        if earlier.task == later.task:
            cause = f"task '{later.task}' is activated twice at {time(later.at, system)} of mode '{mode.name}'"
        else:
            cause = (
                f"tasks '{earlier.task}' and '{later.task}' are both activated at {time(later.at, system)} of mode '{mode.name}'"
            )
        diagnostics.error(
            "C035",
            later.span,
            f"{cause} (the other on line {earlier.span.line}){again(len(pairs) - 1)}",
            "move one of them by at least a tick (a periodic task: by its offset); the later one preempts the earlier",
        )
