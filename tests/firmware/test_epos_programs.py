# SPDX-License-Identifier: Apache-2.0
"""The programs of figures 5, 7 and 12 of "Periodic timers revisited", with nothing changed but the name of their main.

A thread of the schedule calls it.  The figures leave out what is included, the function of figure 5, the periods of
figure 12, and, in the copy of the paper that is at hand, all of figure 7: that one is by its description.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from laboratory import MPS, RV32, VIRTUAL_AST, Laboratory, Outcome

from carillon.trace import Kind

BOARDS = [VIRTUAL_AST, "ast1030-evb", MPS, "atmega128", RV32]
FIGURE_5 = """
void func() { calls++; }

static int iterations = 100;
static Alarm::Microsecond time = 100000;

int main()
{
    OStream cout;
    Clock clock;
    Chronometer chron;

    // Read current system time
    cout << "Current Time: " << clock.now() << endl;

    // Create a handler function and associate it
    // to a periodic time event.
    Handler_Function handler(&func);
    Alarm alarm(time, &handler, iterations);

    // Start a chronometer and put this thread to sleep
    // Afterwards, stop and read the chronometer
    chron.start();
    Alarm::delay(time * (iterations + 1));
    chron.stop();

    cout << "Elapsed time: " << chron.read() << endl;

    return 0;
}
"""
FIGURE_7 = """
static const unsigned ITERATIONS = 20;
static Chronometer chrono;
static unsigned long long stamps[ITERATIONS];
static unsigned called;
static Semaphore finished(0);

void handler_function()
{
    stamps[called++] = chrono.read();
    if (called == ITERATIONS)
        finished.v();
}

int main()
{
    OStream cout;
    chrono.start();
    Handler_Function handler(&handler_function);
    Alarm alarm(2000, &handler, ITERATIONS);
    finished.p();
    for (unsigned k = 1; k < ITERATIONS; k++)
        cout << stamps[k] - stamps[k - 1] << endl;
    return 0;
}
"""
FIGURE_12 = """
Thread *a,*b,*c,*d,*e,*f;

int func_a()
{
    while(1) {
        //suspends itself
        a->suspend();
    }
}

int func_b() {
    while(1) {
        b->suspend();
    }
}

int main() {
    // creates all Threads and their Handlers
    a = new Thread(&func_a);
    Handler_Thread handler_a(a);

    b = new Thread(&func_b);
    Handler_Thread handler_b(b);

    // creates all Alarms
    Alarm alarm_a(Period_A, &handler_a, Alarm::INFINITE);
    Alarm alarm_b(Period_B, &handler_b, Alarm::INFINITE);

    int status_a = a->join();
    int status_b = b->join();
}
"""
PERIODS = "static const Alarm::Microsecond Period_A = 1000, Period_B = 3000;\n"
THREADS = "[thread.Main]\npriority = 1\n"
OF_12 = THREADS + "".join(f"[thread.{name}]\npriority = 1\nnew = true\n" for name in "AB")


def outcome(lab: Laboratory, code: str, board: str, threads: str, tmp_path: Path, after: str = "", ticks: int = 0) -> Outcome:
    """Run a program whose main is the body of a thread, and then ``after``."""
    clock = "compare" if board == RV32 else "one-shot"
    text = f'[system]\nname = "app"\nsources = ["main.cpp"]\n[time]\nclock = "{clock}"\n{threads}'
    (tmp_path / "schedule.toml").write_text(text, encoding="utf-8")
    header = '#include "carillon/time.hpp"\n#include "carillon/ostream.hpp"\n#include "carillon_port.h"\n'
    assert code.count("int main()") == 1
    program = code.replace("int main()", "int program()")
    program += "" if "return 0;" in code else  "" 
    main = f"THREAD(Main)\n{{\n    (void)program();\n    {after}\n    carillon_port_halt();\n}}\n"
    (tmp_path / "main.cpp").write_text(f"{header}using namespace carillon;\n{program}{main}", encoding="utf-8")
    shutil.copy(Path(__file__).parent / "report.h", tmp_path)
    return lab.run_file(tmp_path / "schedule.toml", board, ticks=ticks or 4_000_000)


def printed(*arguments: object, **others: object) -> list[str]:
    """The lines that a program printed."""
    return outcome(*arguments, **others).trace.output.splitlines()  # type: ignore[arg-type]


@pytest.mark.parametrize("board", BOARDS)
def test_figure_5(lab: Laboratory, board: str, tmp_path: Path) -> None:
    """With a hundredth of its time, as an emulator is slow."""
    code = "static int calls;\n" + FIGURE_5.replace("time = 100000", "time = 1000")
    current, elapsed, calls = printed(lab, code, board, THREADS, tmp_path, after="OStream() << calls << endl;")
    assert current == "Current Time: 0", "the calendar has not been set"
    assert elapsed.startswith("Elapsed time: ")
    assert 100_990 <= int(elapsed.split()[2]) <= 101_500
    assert calls == "100"


@pytest.mark.parametrize("board", BOARDS)
def test_figure_7(lab: Laboratory, board: str, tmp_path: Path) -> None:
    intervals = [int(line) for line in printed(lab, FIGURE_7, board, THREADS, tmp_path)]
    assert len(intervals) == 19
    assert all(1980 <= each <= 2020 for each in intervals)
    assert 38_000 - 20 <= sum(intervals) <= 38_000 + 20, "no drift"


@pytest.mark.parametrize("board", BOARDS)
def test_figure_12(lab: Laboratory, board: str, tmp_path: Path) -> None:
    run = outcome(lab, PERIODS + FIGURE_12, board, OF_12, tmp_path, ticks=400_000)
    print(run.trace.instructions_per_tick, run.planned.system.clock_hz)
    for name in ("Main", "A", "B"):
        print(name, [e.n for e in run.events(Kind.RESUME, of=name)][:20], run.events(of=name)[:8])
    assert 0
