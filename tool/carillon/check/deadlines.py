# SPDX-License-Identifier: Apache-2.0
"""A deadline lies after its activation (C037), within the round (C038), and before the task's next activation (C039).

Rounds do not overlap and a task has one activation at a time (OSEKtime OS 1.0). So what runs at the end of the round, or at its
own next activation, has missed its deadline anyway.
"""

from __future__ import annotations

import itertools

from carillon.check.common import by_task, time
from carillon.diagnostics import Diagnostics
from carillon.model import Activation, Mode, System


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report deadlines that cannot be kept or watched; each rule once for a task and place."""
    for mode in system.modes:
        reported: set[tuple[object, ...]] = set()
        for activations in by_task(mode).values():
            for earlier, later in itertools.pairwise(activations):
                key = ("C039", earlier.task, earlier.span)
                inside = earlier.deadlines and earlier.deadlines[-1] <= mode.round_length
                if inside and earlier.at < later.at < earlier.deadlines[-1] and key not in reported:
                    reported.add(key)
                    cause = (
                        f"task '{earlier.task}', activated at {time(earlier.at, system)}, is activated again at "
                        f"{time(later.at, system)}, before its deadline at {time(earlier.deadlines[-1], system)}"
                    )
                    remedy = "write a deadline that is not later than the task's next activation"
                    diagnostics.error("C039", earlier.span, cause, remedy)
        for activation in mode.activations:
            _check_place(activation, mode, system, diagnostics, reported)


def _check_place(
    activation: Activation, mode: Mode, system: System, diagnostics: Diagnostics, reported: set[tuple[object, ...]]
) -> None:
    for deadline in activation.deadlines:
        if deadline <= activation.at:
            code, remedy = "C037", "write a time after the activation (deadline_at counts from the start of the round)"
            relation = "is not after its activation at " + time(activation.at, system)
        elif deadline > mode.round_length > activation.at:
            code, remedy = "C038", "write an earlier deadline or activation, or a longer round: rounds do not overlap"
            relation = f"lies past the end of the round of mode '{mode.name}', {time(mode.round_length, system)}"
        else:
            continue
        # A deadline that is longer than the interval to the next activation is C039, at the end of the round too.
        known = {(code, activation.task, activation.span), ("C039", activation.task, activation.span)}
        if not known & reported:
            reported.add((code, activation.task, activation.span))
            cause = f"the deadline of task '{activation.task}' at {time(deadline, system)} {relation}"
            diagnostics.error(code, activation.span, cause, remedy)
