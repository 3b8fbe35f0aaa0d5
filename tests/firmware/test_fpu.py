# SPDX-License-Identifier: Apache-2.0
"""Tasks that use the floating-point unit of a Cortex-M4 or M33, and preempt one another, wait and end in the middle of it.

Each puts numbers of its own into the unit's registers and its own rounding mode into FPSCR, and finds them again: all of
them whatever preempts it, those that a function preserves whatever it waits for.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from laboratory import Laboratory, declared, points

from carillon.model.board import Role
from carillon.read.board import load_board

BOARD = """# SPDX-License-Identifier: Apache-2.0
base = "{base}"
name = "fpu-{abi}"
summary = "{base} compiled for its floating-point unit"
[build]
cflags = ["-mcpu={cpu}", "-mthumb", "-mfloat-abi={abi}", "-mfpu={fpu}", "-DPER_TICK={per_tick}"]
"""

REGISTERS = """
static volatile uint32_t wrong[8], turns[8];
#define EACH(from, to, code) ".set k, " #from "\\n .rept " #to " - " #from " + 1\\n" code ".set k, k + 1\\n .endr\\n"
#define PUT ".altmacro\\n .macro put k\\n vmov s\\\\k, r2\\n .endm\\n .macro get k\\n vmov r3, s\\\\k\\n .endm\\n"
__asm__(PUT);
#define LOAD(from) "mov r2, r0\\n" EACH(from, 31, "put %k\\n add r2, r2, #1\\n") \\
    "and r2, r0, #3\\n lsl r2, r2, #22\\n vmsr fpscr, r2\\n"
#define CHECK(from) "mov r2, r0\\n" EACH(from, 31, "get %k\\n cmp r3, r2\\n it ne\\n addne r4, r4, #1\\n add r2, r2, #1\\n") \\
    "vmrs r3, fpscr\\n and r3, r3, #0xC00000\\n and r2, r0, #3\\n cmp r3, r2, lsl #22\\n it ne\\n addne r4, r4, #1\\n"
#define DEFAULT "mov r3, #0\\n vmsr fpscr, r3\\n"

/* How many registers were wrong at so many looks. */
__attribute__((naked, noinline)) static uint32_t fp_spin(uint32_t seed, uint32_t looks)
{
    __asm__ volatile("push {r4, lr}\\n vpush {s16-s31}\\n mov r4, #0\\n" LOAD(0) "1:\\n" CHECK(0)
                     "subs r1, r1, #1\\n bne 1b\\n mov r0, r4\\n" DEFAULT "vpop {s16-s31}\\n pop {r4, pc}\\n");
}

/* The same across a function, of the registers that functions preserve. */
__attribute__((naked, noinline)) static uint32_t fp_hold(uint32_t seed, void (*wait)(void))
{
    __asm__ volatile("push {r4, r5, r6, lr}\\n vpush {s16-s31}\\n mov r4, #0\\n mov r5, r0\\n" LOAD(16)
                     "blx r1\\n mov r0, r5\\n" CHECK(16)
                     "mov r0, r4\\n" DEFAULT "vpop {s16-s31}\\n pop {r4, r5, r6, pc}\\n");
}
#define SPIN(who, looks) do { wrong[who] += fp_spin(0x1001u * (who + 1u), (looks) * PER_TICK); turns[who]++; } while (0)
#define HOLD(who, wait) do { wrong[who] += fp_hold(0x2003u * (who + 1u), wait); turns[who]++; } while (0)
static void judge(unsigned count)
{
    for (unsigned who = 0; who < count; who++) {
        report("turns", turns[who]);
        report("wrong", wrong[who]);
    }
    carillon_port_halt();
}
"""

EVENT_TRIGGERED = """
#include "carillon/time.h"
#define SLEEP(ticks) (void)carillon_delay(ticks)
THREAD(A) { for (;;) { SPIN(0, 5); } }
THREAD(B) { for (;;) { SPIN(1, 3); } }
THREAD(Plain) { for (;;) { carillon_work(700); } }
static void short_sleep(void) { SLEEP(3777u); }
static void activate(void) { ActivateTask(Ends); } /* it ends with another rounding mode */
static void long_sleep(void) { SLEEP(9311u); }
THREAD(Short) { for (;;) { HOLD(2, short_sleep); SPIN(2, 2); HOLD(2, activate); } }
THREAD(Long) { for (;;) { SLEEP(1000u); HOLD(3, long_sleep); } }
static void end(void) { turns[4]++; TerminateTask(); }
TASK(Ends) { SPIN(4, 2); (void)fp_hold(0x7777u, end); }
TASK(Plain2) { carillon_work(100); TerminateTask(); }
TASK(Above) { SPIN(5, 1); TerminateTask(); }
THREAD(Judge) { SLEEP(1500000u); judge(6); }
"""

TABLES = """
[osek.task.Ends]
priority = 7
[osek.task.Plain2]
priority = 7
[osek.task.Above]
priority = 8
[osek.counter.First]
tick = "1301 ticks"
[osek.counter.Second]
tick = "2003 ticks"
[osek.alarm.OfEnds]
counter = "First"
activate = "Ends"
autostart = { at = 2, cycle = 5 }
[osek.alarm.OfPlain2]
counter = "Second"
activate = "Plain2"
autostart = { at = 3, cycle = 4 }
[osek.alarm.OfAbove]
counter = "Second"
activate = "Above"
autostart = { at = 2, cycle = 3 }
"""


FAST = [(at, "Fast") for at in range(0, 80_000, 5000)]
SLOW = [(at, "Slow") for at in (4600, 10500, 14500, 20400, 24700, 30300, 39700, 45100, 54600, 60500, 69400)]
ROUND = declared(Fast=700, Slow=1800) + points(80_000, *sorted(FAST + SLOW), window="wcet")
BENEATH = """
#include "carillon/time.h"
void Fast(void);
void Slow(void);
void Fast(void) { SPIN(0, 2); }
void Slow(void) { SPIN(1, 5); }
THREAD(A) { for (;;) { SPIN(2, 5); } }
THREAD(B) { for (;;) { SPIN(3, 3); } }
static void sleep(void) { (void)carillon_delay(3u); }
THREAD(Waits) { for (;;) { HOLD(4, sleep); SPIN(4, 1); } }
THREAD(Judge) { (void)carillon_delay(1200u); judge(5); }
"""


def threads(**priorities: int) -> str:
    return "".join(f"[thread.{name}]\npriority = {priority}\nstack = 2048\n" for name, priority in priorities.items())


M4, M33 = ("ast1030-evb", "cortex-m4", "fpv4-sp-d16", 1), ("mps2-an505", "cortex-m33", "fpv5-sp-d16", 25)


@pytest.fixture(params=[("softfp", *M4), ("hard", *M4), ("hard", *M33)], ids=lambda p: f"{p[0]}-{p[2]}")
def board(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("fpu") / "board.toml"
    abi, base, cpu, fpu, per_tick = request.param
    path.write_text(BOARD.format(abi=abi, base=base, cpu=cpu, fpu=fpu, per_tick=per_tick), encoding="utf-8")
    return str(path)


CASE = """
volatile float seed = 2.0f;
volatile float got, other;
TASK(Ext) { float a = seed * 1.5f; WaitEvent(E); got = a; report("kept", a == 3.0f); TerminateTask(); }
TASK(Other) { float b = seed * 100.0f; WaitEvent(F); other = b; TerminateTask(); }
TASK(Set) { SetEvent(Ext, E); TerminateTask(); }
"""


def test_what_a_waiting_task_has_in_the_unit_is_not_anothers(lab: Laboratory, board: str) -> None:
    tasks = {"Ext": (3, 'events = ["E"]'), "Other": (2, 'events = ["F"]'), "Set": (1, "")}
    schedule = "".join(f"[osek.task.{n}]\npriority = {p}\nautostart = true\n{e}\n" for n, (p, e) in tasks.items())
    assert lab.run(schedule + "[osek.event.E]\n[osek.event.F]\n", CASE, board, ticks=20_000).said("kept") == [1]


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_threads_and_tasks_find_their_registers_again(lab: Laboratory, board: str, dispatch: str) -> None:
    schedule = f'[osek]\ndispatch = "{dispatch}"\n[time]\nclock = "one-shot"\nslice = "4999 ticks"\n'
    schedule += threads(A=3, B=3, Plain=3, Short=5, Long=6, Judge=9) + TABLES
    outcome = lab.run(schedule, REGISTERS + EVENT_TRIGGERED, board, ticks=2_000_000)
    assert min(outcome.said("turns")) > 50
    assert outcome.said("wrong") == [0] * 6


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_lowered_tasks_and_what_they_preempt_find_their_registers_again(lab: Laboratory, board: str, dispatch: str) -> None:
    schedule = f'{ROUND}[osek]\ndispatch = "{dispatch}"\n[time]\nclock = "periodic"\ntick = "1250 ticks"\nslice = "20000 ticks"\n'
    outcome = lab.run(schedule + threads(A=3, B=3, Waits=5, Judge=9), REGISTERS + BENEATH, board, rounds=30)
    assert any(carrier.lowered for name in ("Fast", "Slow") for carrier in outcome.carriers(Role.ACTIVATION, name))
    assert outcome.task("Fast").preemptions > 30
    assert outcome.task("Slow").preemptions > 30
    assert min(outcome.said("turns")) > 50
    assert outcome.said("wrong") == [0] * 5


BOUNDED = """
#include "carillon/time.h"
static uint32_t over;
void ttErrorHook(ttStatusType error) { over += error == TT_E_OS_PROTECTION_TIME; }
void Fast(void);
void Slow(void);
void Fast(void) { SPIN(0, (turns[0] + over) % 3u == 0u ? 100000u : 2u); }
void Slow(void) { SPIN(1, (turns[1] + over) % 4u == 0u ? 100000u : 5u); }
THREAD(A) { for (;;) { SPIN(2, 5); } }
THREAD(B) { for (;;) { SPIN(3, 3); } }
static void sleep(void) { (void)carillon_delay(3u); }
THREAD(Waits) { for (;;) { HOLD(4, sleep); SPIN(4, 1); } }
THREAD(Judge) { (void)carillon_delay(1200u); report("over", over); judge(5); }
"""


ALONE = BOUNDED[: BOUNDED.index("THREAD(A)")].replace('#include "carillon/time.h"', "")
ALONE += """
TASK(A) { while (turns[2] < 900u) { SPIN(2, 5); } report("over", over); judge(3); TerminateTask(); }
"""


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_what_a_job_preempts_finds_its_registers_again_when_the_job_was_ended(lab: Laboratory, board: str, dispatch: str) -> None:
    """A job of a round is ended at its budget while the unit has its numbers and its rounding mode."""
    schedule = f'{ROUND}[osek]\ndispatch = "{dispatch}"\n'
    for wcet in (700, 1800):
        schedule = schedule.replace(f'wcet = "{wcet} ticks"', f'wcet = "{wcet} ticks"\nbudget = "{wcet} ticks"')
    few = len(load_board(Path(board)).cells[0].sources) < 8  # none of its cells is left for a clock
    schedule += "[osek.task.A]\npriority = 3\nautostart = true\n" if few else ""
    schedule += "" if few else '[time]\nclock = "periodic"\ntick = "1250 ticks"\nslice = "20000 ticks"\n'
    schedule += "" if few else threads(A=3, B=3, Waits=5, Judge=9)
    code = REGISTERS + (ALONE if few else BOUNDED)
    outcome = lab.run(schedule, code, board, rounds=30, system='on_budget_overrun = "end"\n')
    assert outcome.said("over")[0] > 60
    assert min(outcome.said("turns")) > 50
    assert set(outcome.said("wrong")) == {0}
