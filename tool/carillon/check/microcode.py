# SPDX-License-Identifier: Apache-2.0
"""The machine of microcode runs on the board: one whose interrupt controller has levels (C275)."""

from __future__ import annotations

from carillon.diagnostics import Diagnostics
from carillon.model import System
from carillon.model.giotto import Machine

CODES = ("C275",)


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report a Giotto program on a board that dispatches in software."""
    if system.giotto is not None and system.machine is Machine.MICROCODE and system.board.dispatch != "hardware":
        diagnostics.error(
            "C275",
            system.giotto.start.span,
            f"board '{system.board.name}' dispatches in software, and the machine of microcode does not run there",
            "choose a board whose interrupt controller has levels, or --machine cells",
        )
