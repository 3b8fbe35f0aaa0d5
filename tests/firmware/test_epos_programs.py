# SPDX-License-Identifier: Apache-2.0
"""The programs of figures 5, 7 and 12 of "Periodic timers revisited", with nothing changed but their main and their output.

Their main is the thread of that name: it does not make threads, which the schedule does, but names them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from laboratory import Laboratory

BOARDS = ["virtual-ast1030-evb", "ast1030-evb", "atmega128"]
FIGURE_5 = """
static int iterations = 100;
static Alarm::Microsecond time = 1000;
static int calls;
static void func() { calls++; }
THREAD(Main)
{
    Clock clock;
    Chronometer chron;
    report("current", clock.now());
    Handler_Function handler(&func);
    Alarm alarm(time, &handler, iterations);
    chron.start();
    Alarm::delay(time * (iterations + 1));
    chron.stop();
    report("elapsed", (uint32_t)chron.read());
    report("calls", calls);
    carillon_port_halt();
}
"""
FIGURE_7 = """
static const unsigned ITERATIONS = 20;
static Chronometer chrono;
static uint32_t stamps[ITERATIONS];
static unsigned called;
static Semaphore finished(0);
static void handler_function()
{
    stamps[called++] = (uint32_t)chrono.read();
    if (called == ITERATIONS) {
        finished.v();
    }
}
THREAD(Main)
{
    chrono.start();
    Handler_Function handler(&handler_function);
    Alarm alarm(2000, &handler, ITERATIONS);
    finished.p();
    for (unsigned k = 1; k < ITERATIONS; k++) {
        report("interval", stamps[k] - stamps[k - 1]);
    }
    carillon_port_halt();
}
"""
FIGURE_12 = """
static const Alarm::Microsecond Period_A = 1000, Period_B = 3000;
Thread *a, *b;
static uint32_t loops_a, loops_b;
int func_a()
{
    while (1) {
        loops_a++;
        a->suspend();
    }
}
int func_b()
{
    while (1) {
        loops_b++;
        b->suspend();
    }
}
static Thread thread_a(A), thread_b(B);
THREAD(A) { (void)func_a(); }
THREAD(B) { (void)func_b(); }
THREAD(Main)
{
    (a = &thread_a)->resume();
    Handler_Thread handler_a(a->id());
    (b = &thread_b)->resume();
    Handler_Thread handler_b(b->id());
    Alarm alarm_a(Period_A, &handler_a, Alarm::INFINITE);
    Alarm alarm_b(Period_B, &handler_b, Alarm::INFINITE);
    int status_a = a->join(Alarm::Microsecond(30500));
    int status_b = b->join(Alarm::Microsecond(1));
    report("status", (uint32_t)(10 * status_a + status_b));
    report("a", loops_a);
    report("b", loops_b);
    carillon_port_halt();
}
"""
THREADS = "[thread.Main]\npriority = 1\n"
OF_12 = THREADS + "".join(f"[thread.{name}]\npriority = 2\nautostart = false\n" for name in "AB")


def reported(lab: Laboratory, code: str, board: str, threads: str, tmp_path: Path) -> list[tuple[str, int]]:
    text = f'[system]\nname = "app"\nsources = ["main.cpp"]\n[time]\nclock = "one-shot"\n{threads}'
    (tmp_path / "schedule.toml").write_text(text, encoding="utf-8")
    header = '#include "carillon/time.hpp"\n#include "carillon_port.h"\n#include "report.h"\nusing namespace carillon;\n'
    (tmp_path / "main.cpp").write_text(header + code, encoding="utf-8")
    shutil.copy(Path(__file__).parent / "report.h", tmp_path)
    return lab.run_file(tmp_path / "schedule.toml", board, ticks=4_000_000).reported


@pytest.mark.parametrize("board", BOARDS)
def test_figure_5(lab: Laboratory, board: str, tmp_path: Path) -> None:
    found = reported(lab, FIGURE_5, board, THREADS, tmp_path)
    assert [name for name, _ in found] == ["current", "elapsed", "calls"]
    assert found[0][1] == 0, "the calendar has not been set"
    assert 100_990 <= found[1][1] <= 101_500
    assert found[2][1] == 100


@pytest.mark.parametrize("board", BOARDS)
def test_figure_7(lab: Laboratory, board: str, tmp_path: Path) -> None:
    intervals = [value for _, value in reported(lab, FIGURE_7, board, THREADS, tmp_path)]
    assert len(intervals) == 19
    assert all(1980 <= each <= 2020 for each in intervals)
    assert 38_000 - 20 <= sum(intervals) <= 38_000 + 20, "no drift"


@pytest.mark.parametrize("board", BOARDS)
def test_figure_12(lab: Laboratory, board: str, tmp_path: Path) -> None:
    """Main gives up to wait for the end of threads that never end, after 30 periods of the first and 10 of the other: each
    has run once before its alarm."""
    found = reported(lab, FIGURE_12, board, OF_12, tmp_path)
    assert found in ([("status", 55), ("a", loops), ("b", 11)] for loops in (31, 32)), "32: making the other alarm takes long"
