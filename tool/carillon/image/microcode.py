# SPDX-License-Identifier: Apache-2.0
"""The microcode of a Giotto program, and the room that the machine needs for it."""

from __future__ import annotations

from carillon.allocate.osek import OsekAllocation
from carillon.diagnostics import Diagnostics
from carillon.giotto import compile_giotto
from carillon.image import Microcode
from carillon.model import System


def microcode_image(system: System, allocation: OsekAllocation | None, diagnostics: Diagnostics) -> Microcode | None:
    """The image of a system's Giotto program; None if it has none, or after C265 or C275.

    1. A way through E code from a block's begin ends at a ``return`` and has one ``future``.  So at each instant one block
       begins, and one trigger waits behind it.
    2. E code has no threads; an array has one element at least.
    3. A way through a block goes forward, or to where a unit of the target of a switch does what follows its switches.  So
       no instruction is carried out twice at an instant.
    """
    if system.giotto is None or system.osek is None or allocation is None:
        return None
    if allocation.software:
        diagnostics.error(
            "C275",
            system.giotto.start.span,
            f"board '{system.board.name}' dispatches in software, and the machine of microcode does not run there",
            "choose a board whose interrupt controller has levels",
        )
        return None
    compiled = compile_giotto(system.giotto, diagnostics)
    if compiled is None:
        return None
    names = tuple(task.name for task in system.osek.tasks)
    return Microcode(compiled, names, bindings=1, threads=1, steps=len(compiled.program.code) + 1)
