# SPDX-License-Identifier: Apache-2.0
"""Stores that must have arrived before what follows.

The emulator's stores arrive at once, so that a barrier that is missing shows in no run: the instructions are looked at.
"""

from __future__ import annotations

import re
import subprocess

import pytest
from laboratory import AST, MPS, RV32, Laboratory, declared, points, task, works

ROUND = declared(Task1=0) + points(20000, (1000, "Task1"))

OPERATIONS = """
#include "cells/cmsdk/cell.h"
#include "cells/dualtimer/cell.h"
#define OPERATION(name, ...) __attribute__((noinline)) void name(void); void name(void) { __VA_ARGS__; }
OPERATION(of_cmsdk_acknowledge, cmsdk_acknowledge(1))
OPERATION(of_dualtimer_acknowledge, dualtimer_acknowledge(1))
OPERATION(of_forget, carillon_port_forget(20, CARILLON_SOURCE_BIT(20)))
OPERATION(of_hold, carillon_port_hold(20, CARILLON_SOURCE_BIT(20)))
OPERATION(of_cmsdk_disarm, cmsdk_disarm(1))
OPERATION(of_dualtimer_disarm, dualtimer_disarm(1))
OPERATION(of_port_disarm, carillon_port_disarm(20, CARILLON_SOURCE_BIT(20)))
"""

PEEKS = """
volatile uint32_t seen;
#define LOOK(name, ...) __attribute__((noinline)) void name(void); void name(void) { __VA_ARGS__; }
LOOK(look_and_request, bool was = carillon_port_peek_active(40); carillon_port_request(20);
     if (seen != 0u) { seen = was ? 1u : 2u; })
LOOK(look_for_nothing, (void)carillon_port_peek_active(40); (void)carillon_port_peek_pending(20); seen = 3u)
"""

RV32_OPERATIONS = """
#include "cells/mtime/cell.h"
#define OPERATION(name, ...) __attribute__((noinline)) void name(void); void name(void) { __VA_ARGS__; }
OPERATION(of_forget, carillon_port_forget(3, CARILLON_SOURCE_BIT(3)))
OPERATION(of_acknowledge, mtime_acknowledge(0))
"""

AGAIN = """
#define TOLD (*(volatile uint32_t *)0xA0000u) /* free memory, which a start leaves alone */
#define CCR (*(volatile uint32_t *)0xE000ED14u)
int main(void)
{
    if (TOLD == 0u) {
        TOLD = 1u;
        CCR &= ~(1u << 9);
        report("before", CCR >> 9 & 1u);
        carillon_port_reset();
    }
    report("after", CCR >> 9 & 1u);
    ttStartOS(ttAppMode_normal);
}
"""


def instructions(lab: Laboratory, code: str, board: str, function: str) -> list[str]:
    """A function's instructions, each with its operands."""
    names = re.findall(r"^(?:OPERATION|LOOK)\((\w+)", code, re.MULTILINE)
    calls = "".join(f"    {name}();\n" for name in names)
    outcome = lab.run(ROUND, f"{code}volatile bool never;\n" + task("Task1", f"if (never) {{\n{calls}}}"), board)
    command = [outcome.planned.system.board.build.compiler.replace("gcc", "objdump"), "-d", "--no-show-raw-insn"]
    command += [f"--disassemble={function}", str(outcome.firmware.elf)]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    found = [" ".join(line.split("\t")[1:]) for line in text.splitlines() if re.match(r"\s*[0-9a-f]+:\t", line)]
    assert found
    return found


def after_the_last_store(code: list[str]) -> list[str]:
    """The names of the instructions behind the last store, to the first that goes elsewhere."""
    last = max(k for k, line in enumerate(code) if re.match(r"(str|sw)\b", line))
    names = [line.split()[0] for line in code[last + 1 :]]
    return names[: next(k for k, name in enumerate(names) if name in ("bx", "ret")) + 1]


@pytest.mark.parametrize("operation", ["of_cmsdk_acknowledge", "of_dualtimer_acknowledge", "of_forget", "of_hold"])
def test_a_handler_may_return_behind_what_it_acknowledges_forgets_or_holds_back(lab: Laboratory, operation: str) -> None:
    assert after_the_last_store(instructions(lab, OPERATIONS, MPS, operation)) == ["dsb", "bx"]


@pytest.mark.parametrize("operation", ["of_cmsdk_disarm", "of_dualtimer_disarm", "of_port_disarm"])
def test_what_is_disarmed_interrupts_no_more_from_the_next_instruction_on(lab: Laboratory, operation: str) -> None:
    assert after_the_last_store(instructions(lab, OPERATIONS, MPS, operation)) == ["dsb", "isb", "bx"]


def test_what_is_looked_at_is_looked_at_before_the_request(lab: Laboratory) -> None:
    code = instructions(lab, PEEKS, AST, "look_and_request")
    request = next(k for k, line in enumerate(code) if line.startswith("str"))
    (look,) = [k for k, line in enumerate(code) if re.search(r"#768", line)]  # the active bits, from the NVIC's base
    assert look < request


def test_what_nobody_uses_is_not_looked_at(lab: Laboratory) -> None:
    code = instructions(lab, PEEKS, AST, "look_for_nothing")
    assert not [line for line in code if re.match(r"ldr(\.w)? r\d+, \[r\d+", line)]


def test_a_request_in_the_clint_is_forgotten_before_the_next_instruction(lab: Laboratory) -> None:
    names = after_the_last_store(instructions(lab, RV32_OPERATIONS, RV32, "of_forget"))
    assert names[0] == "lw"
    assert "fence" in names


def test_an_acknowledged_timer_asks_no_more_when_the_handler_returns(lab: Laboratory) -> None:
    code = instructions(lab, RV32_OPERATIONS, RV32, "of_acknowledge")
    last = max(k for k, line in enumerate(code) if line.startswith("sw"))
    assert any(re.match(r"csrr [a-z0-9]+,mip", line) for line in code[last:])


def test_a_start_aligns_the_stacks_of_handlers_whatever_was_before(lab: Laboratory) -> None:
    outcome = lab.run(ROUND, AGAIN + works(Task1=20), AST)
    assert outcome.reported == [("before", 0), ("after", 1)]
