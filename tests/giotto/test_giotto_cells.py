# SPDX-License-Identifier: Apache-2.0
"""Giotto on cells: what a program becomes, and exact messages where it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from carillon.diagnostics import CarillonError, Diagnostics
from carillon.model.giotto import Machine
from carillon.model.rates import rates_of, tick_of
from carillon.pipeline import Planned, plan
from carillon.verify.command import verify_file

ROOT = Path(__file__).resolve().parents[2]
HELICOPTER = ROOT / "examples" / "helicopter" / "helicopter.giotto"
HEAD = "output int o := zero; int p := zero;\n"
A = "task a () output (o) state () { schedule f(o) }"
B = "task b () output (p) state () { schedule g(p) }"


def planned(
    path: Path, text: str, diagnostics: Diagnostics, board: str = "ast1030-evb", machine: Machine = Machine.CELLS
) -> Planned:
    file = path / "program.giotto"
    file.write_text(text, encoding="utf-8")
    return plan(file, diagnostics, board, machine=machine)


def test_tasks_of_one_period_are_one_interrupt_and_shorter_periods_are_more_urgent() -> None:
    found = plan(HELICOPTER, Diagnostics(), machine=Machine.CELLS)
    assert found.image.blocks is not None
    assert found.image.blocks.tick == 10
    assert [(rate.period, rate.name, rate.tasks) for rate in found.image.blocks.rates] == [
        (100, "every_100_ms", (2, 3)),
        (20, "control", (1,)),
        (10, "estimate", (0,)),
    ]
    assert found.system.osek is not None
    assert [task.name for task in sorted(found.system.osek.tasks, key=lambda task: task.priority)] == [
        "every_100_ms",
        "control",
        "estimate",
    ]
    assert found.image.microcode is None


def test_a_task_with_two_periods_has_two_interrupts_that_do_not_have_its_name(tmp_path: Path) -> None:
    modes = "mode m () period 12 { exitfreq 1 do n(d); taskfreq 3 do a(); } mode n () period 6 { taskfreq 1 do a(); }"
    text = f"{HEAD}{A}\ndriver d () output () {{ if c() then n() }}\nstart m {{ {modes} }}\n"
    program = planned(tmp_path, text, Diagnostics()).system.giotto
    assert program is not None
    assert [(rate.period, rate.name) for rate in rates_of(program, ["a"])] == [(6, "every_6_ms"), (4, "every_4_ms")]
    assert [rate.name for rate in rates_of(program, ["every_6_ms"])] == ["every_6_ms_2", "every_4_ms"]
    assert tick_of(program) == 2


@pytest.mark.parametrize("scode", ["", ".method rate-monotonic", ".scheduler rm"])
def test_a_program_that_keeps_deadlines_by_edf_alone_is_refused_with_its_timeline(scode: str, tmp_path: Path) -> None:
    machine = Machine.MICROCODE if scode else Machine.CELLS
    if scode:
        (tmp_path / "program.scode").write_text(scode, encoding="utf-8")
    mode = "mode m () period 14 { taskfreq 2 do b(); taskfreq 1 do a(); }"
    text = f"{HEAD}{A} [wcet 7]\n{B} [wcet 3]\nstart m {{ {mode} }}\n"
    planned(tmp_path, text, Diagnostics(), machine=machine)
    mode = "mode m () period 35 { taskfreq 7 do b(); taskfreq 5 do a(); }"
    late = text.replace(text[text.index("mode") :], f"{mode} }}\n").replace("wcet 7", "wcet 4").replace("wcet 3", "wcet 2")
    with pytest.raises(CarillonError) as caught:
        planned(tmp_path, late, Diagnostics(), machine=machine)
    assert [(said.code, said.cause) for said in caught.value.diagnostics if said.code != "C246"] == [
        (
            "C283",
            "under rate-monotonic priorities, a task is late: mode m: after 7 ms, the task a has not ended at its deadline",
        )
    ]


def test_what_nothing_proves_is_warned_of(tmp_path: Path) -> None:
    found = Diagnostics()
    planned(tmp_path, f"{HEAD}{A}\n{B} [wcet 1]\nstart m {{ mode m () period 5 {{ taskfreq 1 do a(); }} }}\n", found)
    said = [(it.code, it.cause) for it in found.reported if it.code.startswith("C28")]
    assert said == [("C284", "the task a has no wcet, so that nothing proves that tasks end in time")]


def test_s_code_beside_the_program_is_said_not_to_count(tmp_path: Path) -> None:
    (tmp_path / "program.scode").write_text("dispatch a\n", encoding="utf-8")
    found = Diagnostics()
    planned(tmp_path, f"{HEAD}{A} [wcet 1]\nstart m {{ mode m () period 5 {{ taskfreq 1 do a(); }} }}\n", found)
    assert [(it.code, it.cause) for it in found.reported] == [
        ("C285", "the S code program.scode is not used: on cells, tasks run by rate-monotonic priorities")
    ]


@pytest.mark.parametrize("board", ["qemu-rv32-virt", "atmega2560", "atmega128", "tc1796", "mps2-an385", "virtual-256"])
def test_boards_that_run_no_microcode_run_cells(board: str) -> None:
    found = plan(HELICOPTER, Diagnostics(), board, machine=Machine.CELLS)
    assert found.image.blocks is not None


def test_there_is_no_image_of_cells_where_microcode_was_built(tmp_path: Path) -> None:
    file = tmp_path / "helicopter.giotto"
    file.write_text(HELICOPTER.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(CarillonError) as caught:
        verify_file(file, Diagnostics(), None, "carillon", None, None, Machine.CELLS)
    (said,) = caught.value.diagnostics
    assert said.code == "C209"
    assert "ast1030-evb-carillon-cells" in said.cause
