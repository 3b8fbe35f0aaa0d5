# SPDX-License-Identifier: Apache-2.0
"""What a run in RTL may be asked for beyond a run: wait states, and a waveform."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from carillon.diagnostics import Diagnostics
from carillon.files import replacing
from carillon.model.board import Board

WAVEFORM_CYCLES = 500_000
"""Cycles, from reset on, that a waveform has at most."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """How the hardware of a run is: the memory's wait states, and the files for the waveform and the log, if they are wanted.

    ``stream``: where the bytes go that the UART of ``[trace]`` sends, or SWO, a file or a FIFO.
    ``log``: a line for each instruction, each access to data in memory, and each request of a cell, with its cycle.
    """

    wait_states: int = 0
    waveform: Path | None = None
    log: Path | None = None
    stream: Path | None = None

    @property
    def as_planned(self) -> bool:
        """Whether the hardware takes the times that the board's file says, so that bounds hold."""
        return not self.wait_states

    def fits(self, board: Board, diagnostics: Diagnostics) -> bool:
        """Whether the board is simulated in RTL if that is needed; reports C351 if not."""
        asked = {"--wait-states": self.wait_states, "--waveform": self.waveform}
        needs = [option for option, value in asked.items() if value]
        if not needs or (board.run is not None and board.run.kind == "rtl"):
            return True
        cause = f"{' and '.join(needs)}: board '{board.name}' is not simulated in RTL"
        diagnostics.error("C351", None, cause, "choose a board in RTL: --board cv32e40x-rtl, or leave the option out")
        return False

    def arguments(self, scratch: Path) -> list[str]:
        """What the runner is told; it writes the waveform into a folder of the run's own."""
        told = [f"waits={self.wait_states}"]
        if self.log is not None:
            told.append(f"log={self.log}")
        if self.waveform is not None:
            told += [f"vcd={_written(scratch)}", f"vcd_cycles={WAVEFORM_CYCLES}"]
        return told

    def keep(self, scratch: Path) -> None:
        """Write the waveform's file, which appears whole or not at all.  Raises OSError that names it."""
        if self.waveform is not None:
            with _written(scratch).open("rb") as made, replacing(self.waveform) as stream:
                shutil.copyfileobj(made, stream.buffer)


def _written(scratch: Path) -> Path:
    return scratch / "waveform.vcd"
