# SPDX-License-Identifier: Apache-2.0
"""The machine of microcode runs on the board: one whose interrupt controller dispatches slices (C275)."""

from __future__ import annotations

from carillon.diagnostics import Diagnostics
from carillon.model import System


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report a Giotto program on a board that dispatches slices in software, and a loader on one that receives nothing."""
    console = system.board.console
    if system.giotto is not None and system.upload is not None and (console is None or console.ready is None):
        cause = f"board '{system.board.name}' has no UART that the loader can ask for bytes"
        remedy = "choose a board whose [console] has 'ready', such as ast1030-evb, or take the program's .upload away"
        diagnostics.error("C276", system.giotto.start.span, cause, remedy)
    if system.giotto is not None and system.machine.interprets and system.board.dispatch != "hardware":
        board = f"board '{system.board.name}' dispatches threads that take turns in software"
        cause = f"{board}, and the machine of microcode does not run there"
        remedy = "choose a board that dispatches them by its interrupt controller, such as ast1030-evb, or --machine cells"
        diagnostics.error("C275", system.giotto.start.span, cause, remedy)
