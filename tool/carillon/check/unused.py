# SPDX-License-Identifier: Apache-2.0
"""Nothing is declared that no mode uses (C047, a warning).

An interrupt is in use in every mode, unless points enable it: then a mode without such a point never sees
it again once it was taken.
"""

from __future__ import annotations

from carillon.diagnostics import Diagnostics
from carillon.model import System


def check(system: System, diagnostics: Diagnostics) -> None:
    """Warn of tasks that are never activated, and of interrupts that a mode never enables; silent after errors."""
    if diagnostics.errors:
        return
    activated = {activation.task for mode in system.modes for activation in mode.activations}
    for task in system.tasks:
        if task.name not in activated:
            cause = f"task '{task.name}' is activated in no mode"
            remedy = "give it a period, activate it by a point, list it under the mode's tasks, or remove it"
            diagnostics.warning("C047", task.span, cause, remedy)
    for interrupt in system.interrupts:
        for mode in system.modes if interrupt.reenabled else ():
            if all(point.interrupt != interrupt.name for point in mode.enables):
                cause = f"mode '{mode.name}' never enables interrupt '{interrupt.name}', which is disabled once it was taken"
                remedy = f"add {{ at = ..., enable = \"{interrupt.name}\" }} to the points of mode '{mode.name}'"
                diagnostics.warning("C047", interrupt.span, cause, remedy)
