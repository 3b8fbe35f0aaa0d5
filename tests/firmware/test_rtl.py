# SPDX-License-Identifier: Apache-2.0
"""The board in RTL: what starts a task takes the same cycles each time, and a round is exact for ever.

A tick is a cycle.  The counts are those of hardware/README.md, which explains them cycle by cycle.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from laboratory import AST, Laboratory, Outcome, declared, points, source, task, works
from typer.testing import CliRunner

from carillon.build.symbols import symbols
from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.model.board import Role
from carillon.run import record
from carillon.run import run as run_firmware
from carillon.run.hardware import Hardware
from carillon.trace import Kind

ROOT = Path(__file__).resolve().parents[2]
BOARD = "cv32e40x-rtl"
HIGHEST, PREEMPTABLE = 6, 14
"""Cycles from a cell's request to the first instruction of a task: that nothing can preempt, and that something can."""
LOOP = "for (unsigned k = 0u; k < 60u; k++) { work++; }"
WORKS = "static volatile unsigned work; " + task("Low", LOOP) + task("High", "work++;")
MIXED = """
    static unsigned seed = 1u;
    for (unsigned k = 0u; k < 16u; k++) {
        seed = seed * 1664525u + 1013904223u;
        for (unsigned turn = seed >> 30; turn != 0u; turn--) { work = work * 3u; }
        work = ((seed >> 29) != 0u) ? (work ^ seed) : (work + k);
    }
"""


def delays(lab: Laboratory, low: str) -> tuple[set[int], set[int]]:
    """Of a thousand starts over the idle loop, and of starts over a task that does ``low``."""
    high = [(131 + 499 * k, "High") for k in range(4)]
    schedule = declared(Low=1200, High=60) + points(1996, (40, "Low"), *high)
    outcome = lab.run(schedule, "static volatile unsigned work; " + task("Low", low) + task("High", "work++;"), BOARD, rounds=500)
    assert outcome.delays("Low") == {PREEMPTABLE}
    found: tuple[set[int], set[int]] = set(), set()
    low_runs = [run for run in outcome.summary.runs if run.lane.name == "Low"]
    counts = [0, 0]
    for run in outcome.summary.runs:
        if run.lane.name == "High" and run.release is not None:
            over = any(it.begin.n < run.release.at < it.end.n for it in low_runs if it.end is not None)
            found[over].add(run.begin.n - run.release.at)
            counts[over] += 1
    assert counts[0] >= 1000
    assert counts[1] >= 300
    return found


def test_a_task_begins_after_the_same_cycles(lab: Laboratory) -> None:
    """What has begun with memory is finished first, and then no division: see the board's page."""
    idle, over = delays(lab, MIXED)
    assert idle == {HIGHEST}
    assert min(over) == HIGHEST
    assert max(over) <= HIGHEST + 3


def test_a_task_that_another_mode_calls_from_a_handler_is_called_in_both(lab: Laboratory) -> None:
    """Low is a handler by itself in the first mode, and in the second its cell has two points to move to."""
    sup = task("Sup", "static unsigned n; n++; (void)ttSwitchAppMode((n % 2u) != 0u ? ttAppMode_b : ttAppMode_a);")
    a = points(6003, (300, "Low"), (350, "High"), (1000, "Sup"), mode="a")
    b = points(8003, (100, "Sup"), (1300, "Low"), (1450, "High"), (2500, "Low"), (2540, "High"), mode="b")
    schedule = declared(Low=600, High=60, Sup=200) + a + b
    outcome = lab.run(schedule, WORKS + sup, BOARD, system='start_mode = "a"', rounds=12)
    assert outcome.trace.stopped == ""
    assert [mode for _, mode in outcome.trace.modes][:4] == ["a", "b", "a", "b"]
    assert outcome.task("Low").activations == outcome.task("High").activations
    assert outcome.delays("Sup") == {PREEMPTABLE}


@pytest.mark.parametrize("board", [BOARD, "ast1030-evb"])
def test_a_run_that_ends_while_a_mode_is_left_tells_nothing_of_a_round_that_never_began(lab: Laboratory, board: str) -> None:
    sup = task("Sup", "(void)ttSwitchAppMode(ttAppMode_b);")
    a = points(10_003, (0, "Low", 1200), (2000, "Sup"), (9000, "High", 10_003), mode="a")
    schedule = declared(Low=900, High=100, Sup=200) + a + points(8003, (0, "Low", 1500), mode="b")
    outcome = lab.run(schedule, WORKS + sup, board, system='start_mode = "a"', ticks=11_400)
    assert outcome.trace.stopped == ""
    assert outcome.task("Low").activations == 1
    assert outcome.task("Low").deadlines_missed == outcome.task("Low").unstarted == 0


@pytest.mark.parametrize("below", ["", '[interrupt.Below]\nsource = "soft0"\npriority = "below-tasks"\n'], ids=["", "below"])
@pytest.mark.parametrize("kernel", ["carillon", "conventional"])
def test_a_task_that_preempts_itself_in_turns_is_lowered(lab: Laboratory, kernel: str, below: str) -> None:
    """Each preempts the other at some point of the round, so that no levels serve: what comes later runs first."""
    schedule = below + declared(A=900, B=900) + points(6000, (100, "A"), (400, "B"), (3000, "B"), (3300, "A"))
    code = works(A=500, B=500) + (task("Below") if below else "")
    outcome = lab.run(schedule, code, BOARD, kernel=kernel, rounds=20)
    assert outcome.task("A").activations == outcome.task("B").activations == 40
    assert outcome.task("A").preemptions == outcome.task("B").preemptions == 20
    assert len(outcome.delays("A")) == len(outcome.delays("B")) == 1, "over a task as over the idle loop"


def test_the_engine_runs_as_its_plan_says(lab: Laboratory) -> None:
    outcome = lab.run_file(ROOT / "examples/engine/schedule.toml", BOARD, ticks=300_000)
    assert outcome.task("InjectionSupervision").activations == 6


def test_the_two_accesses_of_a_misaligned_one_are_told_of_as_one(lab: Laboratory) -> None:
    """Or all that follow would be those of other instructions, the first start's among them."""
    misaligned = '__asm__ volatile("sw a4, 1(%0)\\n lw a4, 2(%0)" :: "r"(word) : "a4", "memory");'
    code = f"static volatile unsigned word[2]; int main(void) {{ {misaligned} ttStartOS(ttOS_DEFAULTAPPMODE); }}"
    outcome = lab.run(declared(Low=600) + points(2000, (300, "Low")), code + task("Low", "word[0]++;"), BOARD, rounds=5)
    assert outcome.delays("Low") == {HIGHEST}


def test_an_access_to_nothing_ends_the_run_and_says_where(lab: Laboratory) -> None:
    code = task("Low", "*(volatile unsigned *)0xFFFFFC00u = 1u; *(volatile unsigned *)0x50000000u = 1u;")
    planned, firmware = lab.firmware(lab.write(declared(Low=600) + points(2000, (300, "Low")), code), BOARD)
    diagnostics = Diagnostics()
    assert record(planned.image, firmware, 4000, diagnostics) is None
    (said,) = diagnostics.reported
    assert said.code == "C095"
    assert re.search(r"access to 0x50000000, where nothing is, in cycle \d+, after the instruction at 0x[0-9a-f]+", said.cause)


def test_an_exception_ends_the_run_as_a_fault(lab: Laboratory) -> None:
    code = task("Low", '__asm__ volatile(".word 0");')
    trace = lab.run(declared(Low=600) + points(2000, (300, "Low")), code, BOARD).trace
    assert trace.stopped == "a fault, or an interrupt that nobody uses (carillon_port_unexpected)"


def test_an_interrupt_above_the_only_task_preempts_it(lab: Laboratory) -> None:
    """Nothing of the round is above the task, so that by the round alone it would be a handler that nothing preempts."""
    code = task("Low", "carillon_port_pend(48u); work++;") + task("Asked", "work++;")
    schedule = '[interrupt.Asked]\nsource = "soft0"\n' + declared(Low=600) + points(4000, (300, "Low"))
    outcome = lab.run(schedule, "static volatile unsigned work; " + code, BOARD, rounds=20)
    assert outcome.task("Low").preemptions == 20


def test_cells_with_many_points_are_moved_to_each_of_them(lab: Laboratory) -> None:
    """A variable of them is reached from gp, and the build verifies that, too."""
    at = [(500 + 950 * k + 17 * (k * k % 11), ("Low", "High", "Third")[k % 3]) for k in range(120)]
    third = task("Third", "work++;")
    outcome = lab.run(
        declared(Low=450, High=100, Third=100) + points(120_000, *at, window="wcet"), WORKS + third, BOARD, rounds=5
    )
    for name in ("Low", "High", "Third"):
        assert len(outcome.cells(Role.ACTIVATION, name)) == 1
        assert outcome.task(name).activations == 200
        assert len(outcome.delays(name)) == 1


def test_memory_that_waits_makes_starts_later_by_known_cycles(lab: Laboratory) -> None:
    """Wait states lengthen the start; without them it takes the same cycles each time."""
    planned, firmware = lab.firmware(ROOT / "bench/dispatch/schedule.toml", BOARD)
    found = []
    for waits in (0, 1, 2):
        trace = run_firmware(planned.image, firmware, 20_000, Diagnostics(), rounds=5, hardware=Hardware(waits))
        assert trace is not None
        found.append(Outcome(planned, firmware, trace).delays("Plain"))
    assert found == [{PREEMPTABLE}, {27}, {37}]


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [("run", "--wait-states", "1"), ("wcet", "--wait-states", "2"), ("bench", "--wait-states", "1"), ("show", "--waveform", "")],
)
def test_hardware_is_refused_on_other_boards_before_anything_is_built(
    command: str, option: str, value: str, tmp_path: Path
) -> None:
    out, waveform = tmp_path / "out", tmp_path / "x.vcd"
    told = [command, str(ROOT / "bench/dispatch"), "--board", "ast1030-evb", "--out", str(out), option, value or str(waveform)]
    result = CliRunner().invoke(app, told)
    assert result.exit_code == 1
    said = " ".join(result.output.split())
    assert f"C351: {option}: board 'ast1030-evb' is not simulated in RTL" in said
    assert "choose a board in RTL: --board cv32e40x-rtl, or leave the option out" in said
    assert not out.exists()
    assert not waveform.exists()


def test_wait_states_have_a_range_and_none_fit_every_board(tmp_path: Path) -> None:
    told = ["run", str(ROOT / "bench/dispatch"), "--out", str(tmp_path / "out"), "--wait-states"]
    wrong = CliRunner().invoke(app, [*told, "3"])
    assert wrong.exit_code == 2
    assert "less than or equal to 2" in " ".join(wrong.output.split())
    assert CliRunner().invoke(app, [*told, "0", "--board", "virtual-256"]).exit_code == 0


def rising(path: Path, names: dict[str, str]) -> Iterator[dict[str, int]]:
    """Of a VCD file the values of signals, by names of one's own for their paths, in each cycle's first half."""
    scopes: list[str] = []
    known: dict[str, str] = {}
    values: dict[str, int] = {}
    for line in path.read_text(encoding="ascii").splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scopes.append(words[2])
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"]:
            known[".".join((*scopes, words[4]))] = words[3]
        elif line.startswith("#"):
            if values and values[known["TOP.clk_i"]]:
                yield {name: values[known[f"TOP.{signal}"]] for name, signal in names.items()}
        elif line[:1] == "b":
            values[words[1]] = int(words[0][1:], 2)
        elif line[:1] in ("0", "1"):
            values[line[1:]] = int(line[0])


def test_the_waveform_of_a_dispatch_has_the_bus_and_the_cells_request(lab: Laboratory, tmp_path: Path) -> None:
    """A cell requests, the handler is fetched, and the task's first instruction is done PREEMPTABLE cycles later."""
    planned, firmware = lab.firmware(ROOT / "bench/dispatch/schedule.toml", BOARD)
    path, begins = tmp_path / "dispatch.vcd", symbols(firmware.elf)["Plain"][0]
    assert run_firmware(planned.image, firmware, 300, Diagnostics(), hardware=Hardware(0, path)) is not None
    text = path.read_text(encoding="ascii")
    assert "$timescale 1ps $end" in text
    assert "#20000\n" in text
    data = {name: f"soc.data_{name}" for name in ("req", "we", "addr", "wdata")}
    others = {"request": "request_o", "irq": "soc.irq", "fetch": "instr_req_o", "retired": "retired_o", "pc": "retired_pc_o"}
    cycles = list(rising(path, data | others))
    (request,) = (k for k, cycle in enumerate(cycles) if cycle["request"])
    started = next(k for k, cycle in enumerate(cycles) if cycle["retired"] and cycle["pc"] == begins)
    assert started - 1 - request == PREEMPTABLE  # an instruction is executed in the cycle before
    assert cycles[request]["irq"] == 1
    assert any(cycle["fetch"] for cycle in cycles[request : started + 1])
    stores = [(c["addr"], c["wdata"]) for c in cycles[:request] if c["req"] and c["we"] and c["addr"] >> 12 == 0xFFFFF]
    assert stores  # the array was set up, and started
    assert len(text) / len(cycles) < 400


def test_a_waveform_that_cannot_be_written_is_refused_before_the_run(tmp_path: Path) -> None:
    told = ["show", str(ROOT / "bench/dispatch"), "--board", BOARD, "--out", str(tmp_path / "out"), "--waveform"]
    result = CliRunner().invoke(app, [*told, str(tmp_path / "none" / "x.vcd")])
    assert result.exit_code == 1
    assert "C096: --waveform" in result.output
    assert not (tmp_path / "out").exists()
    both = CliRunner().invoke(app, [*told, str(tmp_path / "x.vcd"), "--compare"])
    assert both.exit_code == 2
    assert "--waveform is of one run, and --compare runs two" in " ".join(both.output.split())


def test_a_run_that_fails_leaves_no_waveform(lab: Laboratory, tmp_path: Path) -> None:
    code = task("Low", "*(volatile unsigned *)0x50000000u = 1u;")
    planned, firmware = lab.firmware(lab.write(declared(Low=600) + points(2000, (300, "Low")), code), BOARD)
    assert record(planned.image, firmware, 4000, Diagnostics(), hardware=Hardware(0, tmp_path / "x.vcd")) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("board", [BOARD, "ast1030-evb"])
def test_the_deadline_of_an_activation_that_waited_is_watched(lab: Laboratory, board: str) -> None:
    """The first job ends behind the second activation, whose deadline the array has armed, and keeps armed at that end."""
    job = '#include "carillon/work.h"\n' + task("Late", "static unsigned n; carillon_work((n++ == 0u) ? 5000u : 2500u);")
    hook = 'void ttErrorHook(ttStatusType error) { report("missed", error); }'
    schedule = declared(Late=1000) + points(4000, (100, "Late", 2100))
    system = 'on_deadline_miss = "continue"'
    outcome = lab.run(schedule, job + hook, board, system=system, rounds=3)
    assert [e.t for e in outcome.events(Kind.DEADLINE_MISSED, of="Late")] == [2100, 6100, 10_100]
    assert len(outcome.reported) == 3  # the kernel has found each
    shorter = job.replace("2500u", "500u")
    outcome = lab.run(schedule, shorter + hook, board, system=system, rounds=4)
    assert [e.t for e in outcome.events(Kind.DEADLINE_MISSED, of="Late")] == [2100]
    assert len(outcome.reported) == 1


@pytest.mark.parametrize("board", [BOARD, "ast1030-evb"])
def test_activations_that_are_one_for_the_controller_are_one_for_the_deadline(lab: Laboratory, board: str) -> None:
    """Two or three activations of Low come before it begins: it runs once, and what it meets later is not told as missed."""
    high = task("High", "static unsigned n; carillon_work((n++ == 1u) ? WORK : 100u);")
    schedule = declared(Low=200, High=200) + points(4000, (100, "Low", 2000), (200, "High"))
    for work, missed, begun in ((9000, [10_000], 7), (13_000, [10_000, 14_000], 6)):
        code = f'#include "carillon/work.h"\n#define WORK {work}u\n' + high + task("Low", "carillon_work(20u);")
        outcome = lab.run(schedule, code, board, system='on_deadline_miss = "continue"', rounds=8)
        assert [e.t for e in outcome.events(Kind.DEADLINE_MISSED, of="Low")] == missed
        assert len([run for run in outcome.summary.runs if run.lane.name == "Low"]) == begun


EVENT_TRIGGERED = """
[osek.task]
Low = { priority = 1, autostart = true }
Middle = { priority = 2 }
High = { priority = 3 }
Urgent = { priority = 4 }
Waiting = { priority = 5, events = ["Go"], autostart = true }
[osek.event.Go]
"""


@pytest.mark.parametrize("within", [0, 1])
def test_a_task_that_is_a_handlers_body_ends_wherever_it_says(lab: Laboratory, within: int) -> None:
    code = source(__file__, "ends_below.c", WITHIN=within)
    outcome, usual = (lab.run(EVENT_TRIGGERED, code, board, ticks=120_000) for board in (BOARD, AST))
    assert outcome.reported == usual.reported
    assert usual.reported[-2:] == [("over", 7 if within else 5), ("state", 3)], "it has ended: SUSPENDED"
    entered = symbols(outcome.firmware.elf)
    leads = "carillon_frame_58" if within else "carillon_enter_carillon_task_High"
    assert entered["carillon_entry_58"][0] == entered[leads][0]
    assert ("carillon_frame_58" in entered) == bool(within)


def test_a_cell_arms_nothing_in_a_mode_that_asks_for_nothing(lab: Laboratory) -> None:
    """The first mode's cell of an activation arms a deadline; the second mode starts a task with that deadline's cell."""
    schedule = declared(Low=200, High=200)
    schedule += points(4000, (300, "Low", 600), mode="m0") + points(4000, (300, "High"), (700, "High"), (1600, "High"), mode="m1")
    code = "static volatile unsigned work; " + task("Low", "work++; if (work == 3u) { ttSwitchAppMode(ttAppMode_m1); }")
    outcome = lab.run(schedule, code + task("High", "work++;"), BOARD, ticks=90_000)
    begun = [e.t for e in outcome.trace.events if e.kind is Kind.START and e.object == "High"]
    assert len(begun) > 40
    assert {b - a for a, b in pairwise(begun)} == {400, 900, 2700}


def test_an_empty_task_begins_with_its_return_a_cycle_later(lab: Laboratory) -> None:
    outcome = lab.run("[task.A]\n" + points(4000, (1000, "A")), "ttTASK(A) { }\n", BOARD, rounds=4)
    assert outcome.task("A").start_delay.maximum == 7  # and no bound is broken, which lab.run looks at
