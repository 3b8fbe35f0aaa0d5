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


HEADER = """
#include "carillon/time.hpp"
#include "carillon/ostream.hpp"
#include "carillon_port.h"
using namespace carillon;
"""


def outcome(
    lab: Laboratory,
    code: str,
    board: str,
    threads: str,
    tmp_path: Path,
    after: str = "",
    ticks: int = 0,
    header: str = HEADER,
) -> Outcome:
    """Run a program whose main is the body of a thread, and then ``after``."""
    clock = "compare" if board == RV32 else "one-shot"
    text = f'[system]\nname = "app"\nsources = ["main.cpp"]\n[time]\nclock = "{clock}"\n{threads}'
    (tmp_path / "schedule.toml").write_text(text, encoding="utf-8")
    assert code.count("int main()") == 1
    program = code.replace("int main()", "int program()")
    main = f"THREAD(Main)\n{{\n    (void)program();\n    {after}\n    carillon_port_halt();\n}}\n"
    (tmp_path / "main.cpp").write_text(f"{header}{program}{main}", encoding="utf-8")
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
    returns = FIGURE_12.replace("b->join();\n", "b->join();\n    return 0;\n")  # of a main alone this is the default
    run = outcome(lab, PERIODS + returns, board, OF_12, tmp_path, ticks=400_000)
    second = run.planned.system.clock_hz
    for name, period in (("A", second // 1000), ("B", 3 * second // 1000)):
        begins = [e.t for e in run.events(Kind.START, of=name)]
        resumed = [e.t for e in run.events(Kind.RESUME, of=name)]
        assert len(begins) == 1, "new activates it"
        assert len(resumed) >= (400_000 - begins[0]) // period - 1
        late = [time - resumed[0] - k * period for k, time in enumerate(resumed)]
        assert all(abs(each) <= second // 25_000 for each in late), "40 us"
    assert run.events(Kind.START, of="Main") and not run.events(Kind.RESUME, of="Main"), "it waits for an end that never comes"


THREADS_TAKEN = """
static uint32_t runs;
int seven() { runs++; return 7; }
int nine() { runs++; return -9; }
int for_ever()
{
    for (;;)
        Thread::self().suspend();
}
int main()
{
    OStream cout;
    Thread *one = new Thread(&seven), *other = new Thread(&for_ever);
    cout << (new Thread(&seven) == nullptr) << ' ' << one->join() << endl; // both are taken
    delete other; // which has not begun
    Thread *again = new Thread(&nine);
    cout << (again == nullptr) << endl; // one has not been given back, and the other has not ended
    const TaskType id = one->id();
    delete one;
    one = new Thread(&nine);
    int result = one->join();
    cout << (one->id() == id) << ' ' << result << ' ' << runs << ' ' << (*other == *one) << endl;
    one->resume(); // it has ended, and runs once more
    result = one->join();
    cout << result << ' ' << runs << endl;
    delete one;
    delete again; // null
    Thread variable(&seven);
    cout << variable.join() << ' ' << (new Thread(&seven) == nullptr) << endl;
    Thread no_more(&seven);
    cout << "not reached" << endl;
    return 0;
}
extern "C" void ShutdownHook(StatusType error) { OStream() << "shut down " << error << endl; }
"""


@pytest.mark.parametrize("board", BOARDS)
def test_a_thread_is_taken_until_it_has_been_deleted_and_has_ended(lab: Laboratory, board: str, tmp_path: Path) -> None:
    hooks = '[osek]\nhooks = ["shutdown"]\n'
    lines = printed(lab, THREADS_TAKEN, board, OF_12 + hooks, tmp_path, ticks=2_000_000)
    assert lines == ["1 7", "1", "1 -9 2 0", "-9 3", "7 1", "shut down 4"]


HANDLERS = """
static int runs;
int count() { runs++; return 0; }
int main()
{
    OStream cout;
    Thread *a = new Thread(&count);
    a->join();
    Handler_Thread by_pointer(a), by_reference(*a), by_name(a->id());
    { Alarm alarm(1000, &by_pointer); Alarm::delay(1500); }
    { Alarm alarm(1000, &by_reference); Alarm::delay(1500); }
    { Alarm alarm(1000, &by_name); Alarm::delay(1500); }
    cout << runs << endl;
    return 0;
}
"""


def test_a_handler_takes_a_thread_by_pointer_by_reference_and_by_name(lab: Laboratory, tmp_path: Path) -> None:
    assert printed(lab, HANDLERS, MPS, OF_12, tmp_path) == ["4"]


def test_new_without_such_a_thread_says_what_to_write(lab: Laboratory, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"write new = true in the \[thread.NAME\]"):
        outcome(lab, PERIODS + FIGURE_12, MPS, OF_12.replace("new = true", "autostart = false"), tmp_path)


INCLUDES = "".join(
    f"#include <{name}.h>\n" for name in ("utility/ostream", "alarm", "chronometer", "clock", "mutex", "semaphore", "thread")
)


@pytest.mark.parametrize("board", [MPS, "atmega128"])
@pytest.mark.parametrize("using", ["using namespace EPOS;", "__USING_SYS"])
def test_the_includes_of_epos_stand(lab: Laboratory, board: str, using: str, tmp_path: Path) -> None:
    code = f"{INCLUDES}{using}\n{FIGURE_7}".replace("finished.p()", "static_cast<EPOS::Semaphore &>(finished).p()")
    intervals = [int(line) for line in printed(lab, code, board, THREADS, tmp_path, header='#include "carillon_port.h"\n')]
    assert len(intervals) == 19
