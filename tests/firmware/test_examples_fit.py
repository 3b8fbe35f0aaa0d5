# SPDX-License-Identifier: Apache-2.0
"""Which examples fit the ARM boards that can be bought, and a Cortex-M33: each is built and verified, or its plan is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from building import build
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan
from carillon.resources import data_root

pytestmark = pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="needs arm-none-eabi-gcc")

EVENTS = (
    "budget",
    "messages",
    "mutex",
    "osek-blinky",
    "priority-inversion",
    "producer-consumer",
    "schedule-tables",
    "server",
    "slack",
)
FITS = {
    "mps2-an505": {*EVENTS, "budget", "deadline-miss", "mixed-mode"},
    "raspberry-pi-pico": {*EVENTS, "deadline-miss", "engine", "three-tasks"},
    "microbit": {*EVENTS, "deadline-miss", "three-tasks"},
    "stm32f4-discovery": {*EVENTS, "beside-cmsis", "deadline-miss", "mixed-mode"},
    "blackpill-f411": {*EVENTS, "deadline-miss", "mixed-mode"},
}
EXAMPLES = [p.parent.name for p in sorted((data_root() / "examples").glob("*/schedule.toml"))]
ELSEWHERE = {"button"}
"""What asks for interrupts of another chip."""


@pytest.mark.long
@pytest.mark.parametrize("example", [name for name in EXAMPLES if name not in ELSEWHERE])
@pytest.mark.parametrize("board", FITS)
def test_an_example_fits_or_is_refused_with_what_the_board_lacks(board: str, example: str, tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    schedule = data_root() / "examples" / example / "schedule.toml"
    try:
        planned = plan(schedule, diagnostics, board)
    except CarillonError:
        assert example not in FITS[board], [str(d) for d in diagnostics.reported]
        return
    assert build(planned.image, tmp_path, diagnostics) is not None, [str(d) for d in diagnostics.errors]
    assert example in FITS[board]
