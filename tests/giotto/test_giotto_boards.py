# SPDX-License-Identifier: Apache-2.0
"""Which boards run Giotto programs: exact messages where one cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from carillon.diagnostics import CarillonError, Diagnostics
from carillon.model.giotto import Machine
from carillon.pipeline import plan

ROOT = Path(__file__).resolve().parents[2]
HELICOPTER = ROOT / "examples" / "helicopter" / "helicopter.giotto"


def refused(path: Path, board: str, machine: Machine = Machine.MICROCODE) -> list[tuple[str, str, str]]:
    with pytest.raises(CarillonError) as caught:
        plan(path, Diagnostics(), board, machine=machine)
    return [(said.code, said.cause, said.remedy) for said in caught.value.diagnostics]


@pytest.mark.parametrize("board", ["qemu-rv32-virt", "atmega2560", "raspberry-pi-pico"])
def test_a_board_that_dispatches_slices_in_software_runs_no_machine(board: str) -> None:
    cause = f"board '{board}' dispatches threads that take turns in software, and the machine of microcode does not run there"
    assert refused(HELICOPTER, board) == [
        (
            "C275",
            cause,
            "choose a board that dispatches them by its interrupt controller, such as ast1030-evb, or --machine cells",
        )
    ]


def test_a_board_with_too_few_cells_is_told_without_keys_that_no_giotto_program_has() -> None:
    cause = "no free cell of board 'virtual-tiny' can end slices of 1000 ticks (1ms) beside 'clock'"
    assert refused(HELICOPTER, "virtual-tiny", Machine.TICKS) == [("C174", cause, "choose a board with more cells")]


def test_where_the_clock_wakes_the_machine_one_cell_suffices() -> None:
    planned = plan(HELICOPTER, Diagnostics(), "virtual-tiny")
    allocation = planned.allocation.osek
    assert allocation is not None
    assert [carrier.demand.name for carrier in allocation.carriers] == ["clock"]


@pytest.mark.parametrize("board", ["mps2-an385", "mps2-an505"])
def test_a_clock_that_can_only_be_loaded_anew_does_not_wake_the_machine(board: str) -> None:
    allocation = plan(HELICOPTER, Diagnostics(), board).allocation.osek
    assert allocation is not None
    assert (allocation.wakes, allocation.machine_units > 0) == (0, True)


def test_a_program_without_tasks_has_nothing_to_run(tmp_path: Path) -> None:
    path = tmp_path / "empty.giotto"
    path.write_text("start m { mode m () period 1 { } }\n", encoding="utf-8")
    assert refused(path, "ast1030-evb") == [
        ("C275", "the program has no task, and the machine runs tasks", "declare a task"),
    ]
