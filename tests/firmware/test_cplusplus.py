# SPDX-License-Identifier: Apache-2.0
"""Applications in C++ define tasks, handlers, hooks and callbacks as those in C do: the headers give them C's linkage."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from laboratory import AST, HERE, RV32, VIRTUAL_AST, Laboratory

BOARDS = [AST, VIRTUAL_AST, "atmega128", RV32]
INTERRUPT = {AST: 16, VIRTUAL_AST: 16, "atmega128": 5, RV32: 1}  # soft0

ROUNDS = """
[system]
name = "app"
[task.Fast]
period = "1ms"
[interrupt.received]
source = "soft0"
"""

TIME_TRIGGERED = """
#include "carillon/osektime.h"
#include "carillon_port.h"
#include "report.h"

static volatile uint32_t first = 41;
struct Counted {
    uint32_t value = first; // so that a constructor has to run
};
static Counted counted;
static volatile bool idle = false;

ttTASK(Fast)
{
    report("fast", ++counted.value);
    carillon_port_pend(%du);
    if (counted.value == 43) {
        ttShutdownOS(7);
    }
}
void received() { report("received", counted.value); }
void ttStartupHook() { report("startup", 0); }
void ttShutdownHook(ttStatusType error) { report("idle", idle), report("shutdown", error); }
void ttIdleTask()
{
    for (idle = true;;) {
        carillon_port_idle();
    }
}
"""


def run(lab: Laboratory, folder: Path, schedule: str, code: str, board: str, milliseconds: int) -> list[tuple[str, int]]:
    from carillon.diagnostics import Diagnostics
    from carillon.pipeline import read_and_check

    path = folder / "schedule.toml"
    path.write_text(schedule, encoding="utf-8")
    (folder / "main.cpp").write_text(code, encoding="utf-8")
    shutil.copy(HERE / "report.h", folder)
    ticks = milliseconds * read_and_check(path, Diagnostics(), board).clock_hz // 1000
    return lab.run_file(path, board, ticks=ticks).reported


@pytest.mark.parametrize("board", BOARDS)
def test_time_triggered_tasks_handlers_and_hooks_in_cplusplus(lab: Laboratory, tmp_path: Path, board: str) -> None:
    said = run(lab, tmp_path, ROUNDS, TIME_TRIGGERED % INTERRUPT[board], board, 3)
    rounds = [("fast", 42), ("received", 42), ("fast", 43), ("received", 43)]
    assert said == [("startup", 0), *rounds, ("idle", 1), ("shutdown", 7)]


LATE = """
[system]
name = "app"
[task.Late]
period = "10ms"
deadline = "2ms"
entry = "late"
"""

MISSES = """
#include "carillon/osektime.h"
#include "report.h"
void late() { carillon_work(CARILLON_CLOCK_HZ / 1000u * 5u); }
void ttErrorHook(ttStatusType error) { report("error", error), report("missed", carillon_missed_task()); }
"""


@pytest.mark.parametrize("board", [b for b in BOARDS if b != RV32])  # which has no cell for deadlines
def test_the_hook_of_missed_deadlines_in_cplusplus(lab: Laboratory, tmp_path: Path, board: str) -> None:
    assert run(lab, tmp_path, LATE, MISSES, board, 9) == [("error", 6), ("missed", 0)]


EVENTS = """
[system]
name = "app"
[osek]
hooks = ["startup", "shutdown", "error", "pretask", "posttask"]
[osek.task.Last]
priority = 1
[osek.task.First]
priority = 2
autostart = true
[osek.isr.Device]
source = "soft0"
[osek.counter.Timer]
tick = "1ms"
[osek.alarm.Once]
counter = "Timer"
callback = "elapsed"
autostart = { at = 3 }
"""

EVENT_TRIGGERED = """
#include "os.h"
#include "report.h"

TASK(First)
{
    report("first", 1);
    (void)CancelAlarm(Once);
    (void)CancelAlarm(Once);
    (void)SetRelAlarm(Once, 2, 0);
    TerminateTask();
}
TASK(Last)
{
    report("last", 1);
    ShutdownOS(E_OS_VALUE);
}
ISR(Device)
{
    report("isr", 1);
    (void)ActivateTask(Last);
}
ALARMCALLBACK(elapsed)
{
    report("callback", 1);
    carillon_port_pend(CARILLON_ISR_SOURCE_Device);
}
void StartupHook() { report("startup", 1); }
void ShutdownHook(StatusType error) { report("shutdown", error); }
void ErrorHook(StatusType error) { report("error", error); }
void PreTaskHook() { report("pre", 1); }
void PostTaskHook() { report("post", 1); }
"""


@pytest.mark.parametrize("board", BOARDS)
def test_event_triggered_tasks_interrupts_callbacks_and_hooks_in_cplusplus(lab: Laboratory, tmp_path: Path, board: str) -> None:
    said = run(lab, tmp_path, EVENTS, EVENT_TRIGGERED, board, 9)
    story = ["startup", "pre", "first", "error", "post", "callback", "isr", "pre", "last", "shutdown"]
    assert [name for name, _ in said] == story
    assert [value for name, value in said if name in ("error", "shutdown")] == [5, 8]


VIRTUAL = """
#include "carillon/osektime.h"
#include "report.h"

struct Shape {
    Shape();
    virtual ~Shape();
    virtual uint32_t area() = 0;
};
Shape::Shape() = default;
Shape::~Shape() { report("destroyed", 0); }

struct Square : Shape {
    explicit Square(uint32_t length) : side(length) {}
    uint32_t area() override { return side * side; }
    volatile uint32_t side;
};
struct alignas(32) Wide {
    virtual ~Wide() = default;
};

static Square square(3);
static Wide wide;
Shape *volatile shape = &square;
Wide *volatile apart = &wide;

ttTASK(Fast)
{
    static Square local(4);
    {
        Square brief(5);
        report("brief", brief.area());
    }
    report("area", shape->area() + local.area());
}
"""

CYCLE = """
[system]
name = "app"
[task.Fast]
period = "1ms"
"""


@pytest.mark.parametrize("board", BOARDS)
def test_classes_with_virtual_destructors_need_no_heap(lab: Laboratory, tmp_path: Path, board: str) -> None:
    said = run(lab, tmp_path, CYCLE, VIRTUAL, board, 1)
    assert said[:3] == [("brief", 25), ("destroyed", 0), ("area", 25)]
    assert board == VIRTUAL_AST or not said[3:]  # a process ends, and destroys what lives for ever


DELETES = """
#include <stddef.h>
#include "carillon/osektime.h"
#include "report.h"

struct Thing {
    virtual ~Thing() { report("destroyed", 0); }
};
static char room[64];
void *operator new(size_t bytes) { report("new", bytes <= sizeof room); return room; }
%s
Thing *volatile thing;

ttTASK(Fast)
{
    thing = new Thing;
    delete thing;
}
"""


OWN = """
void operator delete(void *memory) noexcept { report("delete", memory == room); }
void operator delete(void *memory, size_t) noexcept { operator delete(memory); }
"""


@pytest.mark.parametrize("board", BOARDS)
def test_an_applications_own_heap_gets_its_memory_back(lab: Laboratory, tmp_path: Path, board: str) -> None:
    assert run(lab, tmp_path, CYCLE, DELETES % OWN, board, 1) == [("new", 1), ("destroyed", 0), ("delete", 1)]


@pytest.mark.parametrize("board", [b for b in BOARDS if b != VIRTUAL_AST])  # where it would be the whole process's
def test_a_c_librarys_heap_gets_its_memory_back(lab: Laboratory, tmp_path: Path, board: str) -> None:
    freed = 'extern "C" void free(void *memory) { report("free", memory == room); }'
    assert run(lab, tmp_path, CYCLE, DELETES % freed, board, 1) == [("new", 1), ("destroyed", 0), ("free", 1)]


UNBUILT = """
#include "carillon/osektime.h"
#include "report.h"

struct Shape {
    Shape() { ask(); }
    void ask();
    virtual void area() = 0;
};
void Shape::ask()
{
    Shape *volatile self = this; // so that the compiler does not see which function this is
    self->area();
}
struct Square : Shape {
    void area() override { report("area", 0); }
};

ttTASK(Fast)
{
    report("building", 0);
    Square square;
    report("built", 0);
}
"""


@pytest.mark.parametrize("board", [b for b in BOARDS if b != VIRTUAL_AST])
def test_a_function_that_its_class_leaves_to_others_ends_the_run(lab: Laboratory, tmp_path: Path, board: str) -> None:
    assert run(lab, tmp_path, CYCLE, UNBUILT, board, 1) == [("building", 0)]
