# SPDX-License-Identifier: Apache-2.0
"""What a C or C++ library shares among tasks that preempt each other: its heap, static objects of functions, errno."""

from __future__ import annotations

from pathlib import Path

import pytest
from laboratory import AST, MPS, RV32, VIRTUAL_AST, Laboratory

from building import build
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan

MEGA = "atmega128"
SERVICES = """
[time]
clock = "{clock}"
[thread.High]
priority = 2
[thread.Low]
priority = 1
"""
CLOCK = {RV32: "compare"}
HEAP = """
#include <stdlib.h>
#include "carillon/time.h"
static volatile uint32_t calls, wrong;
static void mark(unsigned char *block, size_t size, unsigned char with)
{
    for (size_t k = 0; (block != NULL) && (k < size); k++) { block[k] = with; }
}
THREAD(High)
{
    unsigned char *kept[4] = {0};
    for (uint32_t i = 0; i < 400u; i++) {
        (void)carillon_delay(97u + i % 61u);
        free(kept[i % 4u]);
        kept[i % 4u] = malloc(16u + i % 40u);
        mark(kept[i % 4u], 16u + i % 40u, 0x55u);
    }
    report("calls", calls);
    report("wrong", wrong);
    carillon_port_halt();
}
THREAD(Low)
{
    for (uint32_t i = 0;; i++) {
        const size_t size = 24u + i % 50u;
        unsigned char *const block = malloc(size);
        mark(block, size, (unsigned char)i);
        for (size_t k = 0; (block != NULL) && (k < size); k++) { wrong += block[k] != (unsigned char)i; }
        free(block);
        calls++;
    }
}
"""
STATIC = """
#include "carillon/time.hpp"
#include "carillon/work.h"
#include "carillon_port.h"
#include "report.h"
static volatile uint32_t constructed;
struct Inner {
    uint32_t ready;
    Inner() : ready(0) { carillon_work(3000u); ready = 1; constructed = constructed + 1; }
};
static Inner &inner() { static Inner one; return one; }
struct Table {
    uint32_t ready;
    Table() : ready(0) { carillon_work(20000u); ready = inner().ready; constructed = constructed + 1; }
};
static Table &table() { static Table one; return one; }
THREAD(High)
{
    (void)carillon_delay(10000u);
    report("ready", table().ready);
    (void)carillon_delay(40000u);
    report("constructed", constructed);
    carillon_port_halt();
}
THREAD(Low) { (void)table(); (void)inner(); }
"""
ERRNO = """
#include <errno.h>
#include <stdlib.h>
#include "carillon/time.h"
THREAD(High) { errno = 0; }
THREAD(Low) { if (errno != 0) { carillon_port_halt(); } }
"""


@pytest.mark.parametrize("board", [AST, MPS, RV32])
def test_threads_may_use_the_heap_at_once(lab: Laboratory, board: str) -> None:
    outcome = lab.run(SERVICES.format(clock=CLOCK.get(board, "one-shot")), HEAP, board, ticks=2_000_000)
    assert outcome.said("wrong") == [0]
    assert outcome.said("calls")[0] > 10


@pytest.mark.parametrize("board", [AST, MPS, MEGA, VIRTUAL_AST])
def test_a_static_object_of_a_function_is_constructed_once(lab: Laboratory, board: str) -> None:
    path = lab.write(SERVICES.format(clock="one-shot"), "", system='sources = ["main.cpp"]')
    (path.parent / "main.cpp").write_text(STATIC, encoding="utf-8")
    outcome = lab.run_file(path, board, ticks=400_000)
    assert outcome.said("ready") == [1]
    assert outcome.said("constructed") == [2]


@pytest.mark.parametrize("board", [AST, RV32, MEGA])
def test_who_uses_nothing_of_that_has_nothing_of_it(lab: Laboratory, board: str) -> None:
    code = '#include "carillon/time.h"\nTHREAD(High) {}\nTHREAD(Low) {}\n'
    firmware = lab.firmware(lab.write(SERVICES.format(clock=CLOCK.get(board, "one-shot")), code), board)[1]
    assert not [name for name in symbols(firmware.elf) if "library" in name or "lock_acquire" in name or "malloc" in name]


@pytest.mark.parametrize("board", [AST, RV32, MEGA])
def test_tasks_that_share_errno_are_warned_of(lab: Laboratory, tmp_path: Path, board: str) -> None:
    path = lab.write(SERVICES.format(clock=CLOCK.get(board, "one-shot")), ERRNO)
    diagnostics = Diagnostics()
    assert build(plan(path, diagnostics, board).image, tmp_path / "build", diagnostics) is not None
    told = [d for d in diagnostics.reported if d.code == "C248"]
    assert [d.cause for d in told] == ["main.c: errno is one for all tasks, so that one that preempts another changes it"]


FAR = """
#include <avr/pgmspace.h>
#include "carillon/time.h"
static volatile uint32_t reads, wrong;
static volatile uint8_t sink;
THREAD(High)
{
    for (uint32_t i = 0; i < 400u; i++) {
        (void)carillon_delay(900u + i % 97u);
        sink = pgm_read_byte_far(0x12345UL);
    }
    report("reads", reads);
    report("wrong", wrong);
    carillon_port_halt();
}
THREAD(Low)
{
    const uint8_t right = pgm_read_byte(2);
    for (;;) {
        reads++;
        wrong += pgm_read_byte_far(2UL) != right;
    }
}
"""


@pytest.mark.parametrize("board", [MEGA, "atmega2560"])
def test_the_page_of_flash_belongs_to_what_is_interrupted(lab: Laboratory, board: str) -> None:
    outcome = lab.run(SERVICES.format(clock="one-shot"), FAR, board, ticks=8_000_000)
    assert outcome.said("wrong") == [0]
    assert outcome.said("reads")[0] > 1000
    code = '#include "carillon/time.h"\nTHREAD(High) {}\nTHREAD(Low) {}\n'
    without = symbols(lab.firmware(lab.write(SERVICES.format(clock="one-shot"), code), board)[1].elf)
    frame = symbols(outcome.firmware.elf)["carillon_port_frame"][1]
    assert frame - without["carillon_port_frame"][1] == 8  # in, push; pop, out
