# SPDX-License-Identifier: Apache-2.0
"""What the tool says of stacks is held against what firmware has used of them, and against what the build refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from laboratory import AST, MPS, ROOT, RV32, VIRTUAL, Laboratory
from typer.testing import CliRunner

from building import build
from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.model.stacks import StackBound
from carillon.pipeline import plan
from carillon.stacks import MAIN, stack_bounds

F4, LEONARDO, MEGA2560, AVR, MICROBIT = "stm32f4-discovery", "arduino-leonardo", "atmega2560", "atmega128", "microbit"

SCHEDULE = """
[osek]
dispatch = "{dispatch}"
[osek.task.Low]
priority = 1
events = ["Go"]
stack = {stack}
autostart = true
[osek.task.High]
priority = 2
[osek.event.Go]
[osek.counter.K]
tick = "1ms"
[osek.alarm.go]
counter = "K"
set_event = {{ task = "Low", event = "Go" }}
autostart = {{ at = 1, cycle = 1 }}
[osek.alarm.high]
counter = "K"
activate = "High"
autostart = {{ at = 2, cycle = 3 }}
{more}
"""
CODE = """
static volatile uint8_t sum;
static __attribute__((noinline)) void fill(volatile uint8_t *bytes, uint8_t size)
{
    for (uint8_t k = 0u; k < size; k++) {
        bytes[k] = k;
        sum = (uint8_t)(sum + bytes[k]);
    }
}
static __attribute__((noinline)) void deep(void)
{
    volatile uint8_t bytes[140];
    fill(bytes, 140u);
    carillon_work(CARILLON_CLOCK_HZ / 300u);
}
TASK(Low)
{
    for (uint8_t n = 0u; n < 30u; n++) {
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
        deep();
    }
    report("used", carillon_stack_used(Low));
    for (;;) {
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
    }
}
TASK(High)
{
    volatile uint8_t bytes[40];
    fill(bytes, 40u);
    TerminateTask();
}
"""


def schedule(board: str, stack: int = 1280, more: str = "") -> str:
    """One task that waits, and one that interrupts it."""
    return SCHEDULE.format(
        dispatch="software" if board in (RV32, AVR, LEONARDO, MEGA2560) else "hardware", stack=stack, more=more
    )


def bound_of(stacks: tuple[StackBound, ...], name: str) -> StackBound:
    """The bound of one stack."""
    return next(stack for stack in stacks if stack.name == name)


def refusals(path: Path, board: str, folder: Path) -> list[str]:
    """What the build says of stacks."""
    diagnostics = Diagnostics()
    build(plan(path, diagnostics, board, "carillon").image, folder, diagnostics)
    return [str(d) for d in diagnostics.reported if d.code in ("C330", "C331")]


@pytest.mark.parametrize("board", [AST, MPS, F4, MICROBIT, AVR, RV32])
def test_a_stack_uses_at_most_its_bound_and_not_much_less(lab: Laboratory, board: str) -> None:
    path = lab.write(schedule(board), CODE)
    planned, firmware = lab.firmware(path, board)
    low = bound_of(firmware.stacks, "Low")
    assert low.bound is not None, low.reason
    assert low.fits
    (used,) = lab.run_file(path, board, ticks=planned.system.clock_hz // 3).said("used")
    assert 140 < used <= low.bound
    assert low.bound < 3 * used  # interrupts do not come where it is deepest


def test_a_chain_adds_up_to_the_bound_and_has_the_task_the_kernel_and_what_interrupts(lab: Laboratory) -> None:
    _, firmware = lab.firmware(lab.write(schedule(AST), CODE), AST)
    low = bound_of(firmware.stacks, "Low")
    names = [name for name, _ in low.chain]
    assert low.bound is not None
    assert low.bound - 8 < sum(size for _, size in low.chain) <= low.bound
    assert names[0] == "carillon_task_Low"
    assert "deep" in names
    assert [name for name in names if "interrupt" in name] == ["interrupt of level 2", "interrupt of level 3"]


def test_the_main_stack_has_the_handlers_and_not_the_frames_of_a_task_that_has_its_own(lab: Laboratory) -> None:
    _, firmware = lab.firmware(lab.write(schedule(AST), CODE), AST)
    main = bound_of(firmware.stacks, MAIN)
    names = [name for name, _ in main.chain]
    assert main.bound is not None
    assert names[0] == "carillon_port_reset"
    assert "StartOS" in names
    assert "interrupt of level 1" in names
    assert "deep" not in names


@pytest.mark.parametrize("board", [AST, AVR, RV32])
def test_an_example_uses_at_most_its_bound(lab: Laboratory, board: str) -> None:
    path = ROOT / "examples" / "producer-consumer" / "schedule.toml"
    planned, firmware = lab.firmware(path, board)
    used = re.search(r"^stack (\d+)$", lab.run_file(path, board, ticks=planned.system.clock_hz // 10).trace.output, re.MULTILINE)
    bound = bound_of(firmware.stacks, "Consumer").bound
    assert used is not None
    assert bound is not None
    assert int(used[1]) <= bound


@pytest.mark.parametrize("board", [AST, MICROBIT, AVR, RV32])
def test_a_stack_that_its_own_calls_do_not_fit_in_is_refused(lab: Laboratory, board: str, tmp_path: Path) -> None:
    (said,) = refusals(lab.write(schedule(board, stack=128), CODE), board, tmp_path)
    assert "C330" in said
    assert "the stack of task 'Low' has 128 bytes, and its own calls take " in said
    assert "deep " in said
    needed = re.search(r"give it (\d+) bytes", said)
    assert needed is not None
    assert refusals(lab.write(schedule(board, stack=int(needed[1])), CODE), board, tmp_path) == []


def test_a_stack_that_is_smaller_than_its_bound_is_refused_if_that_is_asked_for(lab: Laboratory, tmp_path: Path) -> None:
    _, firmware = lab.firmware(lab.write(schedule(AST), CODE), AST)
    bound = bound_of(firmware.stacks, "Low").bound
    assert bound is not None
    checked = '[stacks]\nrefuse = "bound"'
    assert refusals(lab.write(schedule(AST, bound, checked), CODE), AST, tmp_path) == []
    (said,) = refusals(lab.write(schedule(AST, bound - 8, checked), CODE), AST, tmp_path)
    assert f"has {bound - 8} bytes, and with what may interrupt, these may take {bound}: carillon_task_Low" in said
    assert refusals(lab.write(schedule(AST, bound - 8), CODE), AST, tmp_path) == []
    assert refusals(lab.write(schedule(AST, 128, '[stacks]\nrefuse = "none"'), CODE), AST, tmp_path) == []


CALLS = CODE.replace("    deep();\n", "    how();\n", 1).replace(
    "TASK(Low)",
    "static void (*volatile chosen)(void) = deep;\nvoid how(void);\nvoid how(void)\n{\n    chosen();\n}\nTASK(Low)",
    1,
)
RECURSES = CODE.replace(
    "static __attribute__((noinline)) void deep(void)\n{",
    "void down(uint8_t n);\n__attribute__((noinline, noclone)) void down(uint8_t n)\n{\n    volatile uint8_t bytes[20];\n"
    "    fill(bytes, 20u);\n    if (n != 0u) {\n        down((uint8_t)(n - 1u));\n    }\n    fill(bytes, 20u);\n}\n"
    "static __attribute__((noinline)) void deep(void)\n{\n    down(3u);",
    1,
)


@pytest.mark.parametrize("board", [AST, AVR, RV32])
def test_a_call_of_an_address_is_not_known_until_the_schedule_says_what_it_calls(lab: Laboratory, board: str) -> None:
    code = CALLS.replace("void how(void)\n{", "__attribute__((noinline)) void how(void)\n{")
    _, firmware = lab.firmware(lab.write(schedule(board), code), board)
    low = bound_of(firmware.stacks, "Low")
    assert low.bound is None
    assert "'how' calls an address" in low.reason
    main = bound_of(firmware.stacks, MAIN)
    assert main.bound is not None  # the others are still bounded
    _, firmware = lab.firmware(lab.write(schedule(board, more='[stacks]\ncalls = { how = "deep" }'), code), board)
    known = bound_of(firmware.stacks, "Low")
    assert known.bound is not None
    assert ("deep" in dict(known.chain)) or known.bound > 200


@pytest.mark.parametrize("board", [AST, AVR, RV32])
def test_recursion_is_not_known_until_the_schedule_says_how_deep_it_is(lab: Laboratory, board: str) -> None:
    _, firmware = lab.firmware(lab.write(schedule(board), RECURSES), board)
    low = bound_of(firmware.stacks, "Low")
    assert low.bound is None
    assert "'down' may call itself" in low.reason
    path = lab.write(schedule(board, more="[stacks]\nrecursion = { down = 4 }"), RECURSES)
    planned, firmware = lab.firmware(path, board)
    known = bound_of(firmware.stacks, "Low")
    assert known.bound is not None
    assert [name for name, _ in known.chain].count("down") == 4
    (used,) = lab.run_file(path, board, ticks=planned.system.clock_hz // 3).said("used")
    assert 180 < used <= known.bound


def test_a_name_that_the_image_does_not_have_is_told(lab: Laboratory, tmp_path: Path) -> None:
    (said,) = refusals(lab.write(schedule(AST, more="[stacks]\nrecursion = { dep = 2 }"), CODE), AST, tmp_path)
    assert "C331" in said
    assert "'dep'" in said


def test_guard_words_are_no_part_of_a_stack(lab: Laboratory) -> None:
    checked = schedule(AST).replace("[osek]\n", "[osek]\nstack_check = true\n")
    _, firmware = lab.firmware(lab.write(checked, CODE), AST)
    assert bound_of(firmware.stacks, "Low").size == 1280


def test_a_program_of_this_machine_has_no_bounds(lab: Laboratory) -> None:
    _, firmware = lab.firmware(lab.write(schedule(VIRTUAL), CODE), VIRTUAL)
    assert firmware.stacks == ()


def test_without_a_disassembler_nothing_is_known_and_nothing_is_refused(lab: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    planned, firmware = lab.firmware(lab.write(schedule(AST), CODE), AST)
    monkeypatch.setattr("carillon.stacks.shutil.which", lambda _: None)
    found = stack_bounds(planned.image, firmware.elf)
    assert [(stack.name, stack.bound, stack.reason) for stack in found] == [
        (name, None, "'arm-none-eabi-objdump' is not installed") for name in ("Low", MAIN)
    ]
    assert all(stack.fits and stack.fits_calls for stack in found)


def test_the_build_prints_the_bounds_and_says_them_to_programs(lab: Laboratory, tmp_path: Path) -> None:
    path = lab.write(schedule(AST), CODE)
    printed = CliRunner().invoke(app, ["build", str(path), "--board", AST, "--out", str(tmp_path)]).stdout
    assert re.search(r"stacks use at most: Low \d+ of 1280, main \d+ of \d+ bytes", printed.replace("\n", " "))
    done = CliRunner().invoke(app, ["build", str(path), "--board", AST, "--out", str(tmp_path), "--json"])
    stacks = (
        json.loads(done.stdout)["result"]["stacks"] if "result" in json.loads(done.stdout) else json.loads(done.stdout)["stacks"]
    )
    assert [stack["name"] for stack in stacks] == ["Low", "main"]
    assert stacks[0]["size"] == 1280
    assert stacks[0]["calls"] <= stacks[0]["bound"] <= 1280
    assert stacks[0]["reason"] is None
