# SPDX-License-Identifier: Apache-2.0
"""RISC-V: levels and tasks in software, and one compare register that carries counters, clocks or a round.

A tick is 25 instructions.  QEMU sets its timer relative to the instruction at which mtimecmp is written, and so is less
than a tick late.
"""

from __future__ import annotations

import pytest
from laboratory import RV32, Laboratory, Outcome, declared, points, task, works

from carillon.diagnostics import CarillonError, Diagnostics
from carillon.elf import read_elf
from carillon.pipeline import plan
from carillon.trace import Kind

TICK = 25
NEVER = 10_000_000

# --- interrupts ---

FOUR = """
[osek.task.Main]
priority = 1
autostart = true
[osek.task.After]
priority = 2
activations = 4
[osek.resource.Shared]
""" + "".join(
    f'[osek.isr.{name}]\nsource = "{source}"\npriority = {priority}\n{more}'
    for name, source, priority, more in (
        ("Low", "soft3", 1, ""),
        ("Middle", "soft1", 2, 'resources = ["Shared"]\n'),
        ("High", "soft0", 3, ""),
        ("Top", "soft2", 1, "category = 1\n"),
    )
)
FOUR = FOUR.replace("[osek.task.Main]\n", '[osek.task.Main]\nresources = ["Shared"]\n')
ISRS = """
#define PEND(name) carillon_port_pend(CARILLON_ISR_SOURCE_##name)
ISR(Middle) { report("middle", 1); PEND(Top); (void)ActivateTask(After); report("middle", 2); }
ISR(High) { report("high", 1); (void)ActivateTask(After); }
ISR(Top) { report("top", 1); }
TASK(After) { report("after", 1); TerminateTask(); }
"""


def order(outcome: Outcome) -> list[str]:
    """What was said, in short."""
    return [f"{name} {value}" for name, value in outcome.reported]


def test_interrupts_nest_by_level_whatever_the_processors_own_order_is(lab: Laboratory) -> None:
    code = """
        ISR(Low) { report("low", 1); PEND(High); report("low", 2); PEND(Middle); report("low", 3); }
        TASK(Main)
        {
            report("main", 1);
            PEND(Low);
            report("main", 2);
            const uint32_t saved = carillon_port_lock();
            PEND(Low);
            PEND(Middle);
            PEND(High);
            PEND(Top);
            report("locked", 1);
            carillon_port_unlock(saved);
            report("main", 3);
            ShutdownOS(E_OK);
        }
    """
    outcome = lab.run(FOUR, ISRS + code, RV32, ticks=NEVER)
    middle = ["middle 1", "top 1", "middle 2"]
    low = ["low 1", "high 1", "low 2", *middle, "low 3"]
    first = ["main 1", *low, "after 1", "after 1", "main 2"]
    # Of those that come together the lower ones find that the higher ones have run: no request is counted twice.
    assert order(outcome) == [*first, "locked 1", "top 1", "high 1", *middle, *low, *["after 1"] * 4, "main 3"]
    entered, started = outcome.at(Kind.ENTER, "Low"), outcome.at(Kind.START, "Low")
    assert started[0] - entered[0] <= 70


def test_what_is_masked_comes_when_it_is_not_any_more(lab: Laboratory) -> None:
    code = """
        ISR(Low) { report("low", 1); }
        TASK(Main)
        {
            GetResource(Shared);
            PEND(Middle);
            PEND(Low);
            PEND(High);
            report("resource", 1);
            ReleaseResource(Shared);
            SuspendOSInterrupts();
            PEND(High);
            PEND(Top);
            report("suspended", 1);
            ResumeOSInterrupts();
            DisableAllInterrupts();
            PEND(Top);
            report("disabled", 1);
            EnableAllInterrupts();
            ShutdownOS(E_OK);
        }
    """
    outcome = lab.run(FOUR, ISRS + code, RV32, ticks=NEVER)
    middle = ["middle 1", "top 1", "middle 2"]
    assert order(outcome) == [
        *("high 1", "resource 1", *middle, "low 1", "after 1", "after 1"),
        *("top 1", "suspended 1", "high 1", "after 1"),
        *("disabled 1", "top 1"),
    ]


def test_an_interrupt_leaves_every_register_as_it_was(lab: Laboratory) -> None:
    registers = [k for k in range(5, 32) if k != 8]
    wipe = "".join(f'"li x{k}, 0\\n"' for k in [1, *registers])
    fill = "".join(f'"li x{k}, {0x01010101 * k}\\n"' for k in registers)
    check = "".join(f'"li ra, {0x01010101 * k}\\n" "bne x{k}, ra, 2f\\n"' for k in registers)
    clobbered = ", ".join(f'"x{k}"' for k in [1, *registers])
    schedule = """
[osek.task.Main]
priority = 1
autostart = true
[osek.task.Ticked]
priority = 2
[osek.counter.Clock]
tick = "203 ticks"
[osek.alarm.Each]
counter = "Clock"
activate = "Ticked"
autostart = { at = 1, cycle = 1 }
"""
    code = f"""
        TASK(Ticked) {{ __asm__ volatile({wipe} :::{clobbered}); TerminateTask(); }}
        TASK(Main)
        {{
            uint32_t wrong = 0u;
            for (uint32_t k = 0; k < 2000u; k++) {{
                __asm__ volatile({fill} "li ra, 12\\n" "1: addi ra, ra, -1\\n" "bnez ra, 1b\\n" {check}
                                 "j 3f\\n" "2: addi %0, %0, 1\\n" "3:\\n" : "+r"(wrong)::{clobbered});
            }}
            report("wrong", wrong);
            ShutdownOS(E_OK);
        }}
    """
    outcome = lab.run(schedule, code, RV32, ticks=NEVER)
    assert outcome.reported == [("wrong", 0)]
    assert len(outcome.at(Kind.START, "Ticked")) > 30


def test_a_device_of_the_plic_comes_by_mei(lab: Laboratory) -> None:
    """The UART's transmitter is empty, which is source 10 of the PLIC in QEMU's virt."""
    code = """
REGISTER(0x0C000028) = 1u;                      /* the priority of source 10 */
REGISTER(0x0C002000) = 1u << 10;                /* enabled in context 0, which is machine mode */
REGISTER(0x0C200000) = 0u;                      /* above this threshold */
*(volatile uint8_t *)0x10000001 = 2u;           /* IER: the transmitter is empty */
"""
    served = """
const uint32_t source = REGISTER(0x0C200004);
*(volatile uint8_t *)0x10000001 = 0u;
REGISTER(0x0C200004) = source;
report("source", source);
"""
    schedule = """
[osek.task.Main]
priority = 1
autostart = true
[osek.isr.Device]
source = "MEI"
"""
    text = "DeclareTask(Main);\n#define REGISTER(at) (*(volatile uint32_t *)(at))\n"
    text += f"TASK(Main)\n{{\n{code}{code}TerminateTask();\n}}\nISR(Device)\n{{\n{served}\n}}\n"
    outcome = lab.run(schedule, text, RV32, ticks=25_000)
    assert outcome.said("source") == [10, 10]
    assert len(outcome.at(Kind.ENTER, "Device")) == 2


def test_an_exception_ends_the_run(lab: Laboratory) -> None:
    code = 'TASK(Main) { report("main", 1); __asm__ volatile("unimp"); report("main", 2); }'
    outcome = lab.run("[osek.task.Main]\npriority = 1\nautostart = true\n", code, RV32, ticks=NEVER)
    assert outcome.said("main") == [1]
    assert "carillon_port_unexpected" in outcome.trace.stopped


def test_work_takes_exactly_its_instructions(lab: Laboratory) -> None:
    code = """
        #define NOW() ({ uint32_t now_; __asm__ volatile("csrr %0, minstret" : "=r"(now_)::"memory"); now_; })
        static __attribute__((noinline)) void measure(uint32_t instructions)
        {
            const uint32_t begin = NOW();
            carillon_port_delay(instructions);
            report("took", (NOW() - begin) / 4u); /* this QEMU counts nanoseconds, four for each */
        }
        TASK(Main)
        {
            for (uint32_t n = 10u; n < 14u; n++) { measure(n); }
            measure(25000u);
            measure(25001u);
            ShutdownOS(E_OK);
        }
    """
    outcome = lab.run("[osek.task.Main]\npriority = 1\nautostart = true\n", code, RV32, ticks=NEVER)
    assert outcome.said("took") == [n + 1 for n in (10, 11, 12, 13, 25_000, 25_001)], "one is the measurement's own"


# --- counters and alarms ---

EVENTS = """
[osek]
status = "extended"
[osek.task.Low]
priority = 1
autostart = true
[osek.task.Worker]
priority = 2
autostart = true
events = ["Go", "Stop"]
[osek.task.High]
priority = 3
[osek.event.Go]
[osek.event.Stop]
[osek.isr.Button]
source = "soft0"
[osek.counter.Clock]
tick = "1 ms"
[osek.alarm.Tick]
counter = "Clock"
set_event = { task = "Worker", event = "Go" }
autostart = { at = 2, cycle = 3 }
[osek.alarm.Rare]
counter = "Clock"
activate = "High"
autostart = { at = 5, cycle = 5 }
"""
STORY = """
TASK(Low)
{
    carillon_port_pend(CARILLON_ISR_SOURCE_Button);
    SetEvent(Worker, Stop);
    report("low", 1);
    TerminateTask();
}
TASK(Worker)
{
    for (unsigned k = 0; k < 30u; k++) {
        EventMaskType events;
        WaitEvent(Go | Stop);
        GetEvent(Worker, &events);
        ClearEvent(events);
        report("worker", events);
    }
    ShutdownOS(E_OK);
}
TASK(High)
{
    report("high", 1);
    TerminateTask();
}
ISR(Button)
{
    ActivateTask(High);
    report("button", 1);
}
"""


def test_alarms_expire_in_order_and_what_they_start_runs_by_priority(lab: Laboratory) -> None:
    outcome = lab.run(EVENTS, STORY, RV32, ticks=NEVER)
    expected = ["button 1", "high 1", "worker 2", "low 1"]
    for tick in range(1, 2 + 28 * 3 + 1):
        expected += ["high 1"] if tick % 5 == 0 else []
        expected += ["worker 1"] if tick % 3 == 2 else []
    assert order(outcome) == expected
    assert outcome.trace.stopped == "the system was shut down"


def test_a_counter_ticks_without_drift(lab: Laboratory) -> None:
    entered = lab.run(EVENTS, STORY, RV32, ticks=NEVER).at(Kind.ENTER, "Clock")
    assert len(entered) > 80
    assert all(0 <= n - k * 10_000 * TICK < TICK for k, n in enumerate(entered, 1))


def test_of_expiries_that_a_lock_holds_back_one_is_served_and_the_next_is_on_time(lab: Laboratory) -> None:
    code = """
        TASK(Low)
        {
            const uint32_t saved = carillon_port_lock();
            carillon_work(35000);
            carillon_port_unlock(saved);
            carillon_work(10000);
            ShutdownOS(E_OK);
        }
        TASK(Worker) { TerminateTask(); }
        TASK(High) { TerminateTask(); }
        ISR(Button) {}
    """
    entered = lab.run(EVENTS, code, RV32, ticks=NEVER).at(Kind.ENTER, "Clock")
    assert [n // (1000 * TICK) for n in entered] == [35, 40]


# --- time services ---

REST = """
#include "carillon/time.h"
static unsigned calls;
static void beat(void) { calls++; }
static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(beat);
THREAD(Main)
{
    for (uint32_t k = 1u; k <= 3u; k++) {
        (void)carillon_delay(k * 1000u);
        carillon_work(7777u);
    }
    for (uint32_t ticks = 1u; ticks <= 40u; ticks++) {
        calls = 0u;
        (void)carillon_alarm_start(&alarm, ticks, 1);
        carillon_work(60u);
        if (calls != 1u) { report("lost", ticks); }
    }
    report("end", 1);
    carillon_port_halt();
}
"""


def test_a_clock_that_rests_serves_what_is_set_anew_however_soon_it_is_due(lab: Laboratory) -> None:
    schedule = '[time]\nclock = "compare"\nnow = false\n[thread.Main]\npriority = 1\n'
    outcome = lab.run(schedule, REST, RV32, ticks=NEVER)
    assert outcome.reported == [("end", 1)]
    waits, wakes = outcome.at(Kind.WAIT, "Main"), outcome.at(Kind.RESUME, "Main")
    slept = [(min(n for n in wakes if n > wait) - wait) // TICK for wait in waits]
    assert len(slept) == 3
    assert all(1000 * k - 30 < ticks < 1000 * k + 60 for k, ticks in enumerate(slept, 1)), slept


# --- rounds ---


def test_one_cell_carries_all_points_of_a_task(lab: Laboratory) -> None:
    ats = (100, 1100, 5000)
    schedule = declared(A=60) + points(10_000, *((at, "A") for at in ats), window="wcet")
    outcome = lab.run(schedule, works(A=50), RV32, rounds=100)
    due = [(k * 10_000 + at) * TICK for k in range(100) for at in ats]
    entered = outcome.at(Kind.ENTER, "A")
    assert len(entered) == 300
    assert all(0 <= n - at < TICK for n, at in zip(entered, due, strict=True))


def test_the_conventional_kernel_runs_a_round_of_tasks_that_preempt_each_other(lab: Laboratory) -> None:
    schedule = declared(A=0, B=0) + points(10_000, (100, "A", 4000), (300, "B"))
    outcome = lab.run(schedule, works(A=1000, B=50), RV32, kernel="conventional", rounds=3)
    story = ["start A", "preempt A", "start B", "end B", "resume A", "end A", "deadline_met A"]
    kinds = (Kind.START, Kind.END, Kind.PREEMPT, Kind.RESUME, Kind.DEADLINE_MET, Kind.DEADLINE_MISSED)
    assert outcome.story(*kinds) == story * 3


def test_a_round_is_above_the_event_triggered_system(lab: Laboratory) -> None:
    schedule = declared(A=0) + points(10_000, (100, "A")) + FOUR
    code = task("A", "carillon_port_pend(CARILLON_ISR_SOURCE_Top); carillon_work(50);") + ISRS
    code += 'ISR(Low) {}\nTASK(Main) { GetResource(Shared); carillon_work(25000); report("main", 1); ReleaseResource(Shared); }'
    outcome = lab.run(schedule, code, RV32, rounds=3)
    assert outcome.said("main") == [1]
    assert [n // TICK for n in outcome.at(Kind.ENTER, "A")] == [100, 10_100, 20_100]
    a_round = ["start A", "end A", "start Top", "end Top"]
    assert outcome.story(Kind.START, Kind.END) == ["start Main", *a_round * 3, "end Main"]


COUNTERS = [
    f'[osek.counter.{c}]\ntick = "1 ms"\n[osek.alarm.Of{c}]\ncounter = "{c}"\nactivate = "Main"\n' for c in ("First", "Second")
]
MAIN = "[osek.task.Main]\npriority = 1\n"


@pytest.mark.parametrize(
    ("code", "schedule", "cause"),
    [
        ("C060", declared(A=0, B=0) + points(10_000, (100, "A"), (200, "B")), "has 1 cell for them"),
        ("C061", declared(A=0) + points(10_000, (100, "A", 500)), "no cell of the board serves the role 'deadline'"),
        ("C162", declared(A=0) + points(10_000, (100, "A")) + MAIN + COUNTERS[0], "beside the activations of 'A'"),
        ("C162", MAIN + COUNTERS[0] + COUNTERS[1], "counter 'Second'"),
        ("C171", '[time]\nclock = "one-shot"\n[thread.Main]\npriority = 1\n', "one-shot"),
        ("C174", '[time]\nclock = "compare"\nslice = "1 ms"\n[thread.Main]\npriority = 1\n[thread.B]\npriority = 1\n', "slices"),
    ],
    ids=["two tasks", "deadline", "round and counter", "two counters", "one-shot", "slices"],
)
def test_what_one_compare_register_cannot_do_is_refused(lab: Laboratory, code: str, schedule: str, cause: str) -> None:
    path = lab.write(schedule, works(A=10))
    with pytest.raises(CarillonError) as refused:
        plan(path, Diagnostics(), RV32)
    errors = [d for d in refused.value.diagnostics if d.severity.value == "error"]
    assert {d.code for d in errors} == {code}
    assert cause in errors[0].cause


BENEATH = """
[osek.task.Low]
priority = 1
autostart = true
[osek.task.High]
priority = 2
[osek.task.Waits]
priority = 3
autostart = true
events = ["Go"]
[osek.event.Go]
[osek.isr.Soft]
category = 2
source = "soft1"
"""
BUSY = """
TASK(Low)
{
    for (;;) {
        (void)ActivateTask(High);
        (void)SetEvent(Waits, Go);
        carillon_port_pend(CARILLON_ISR_SOURCE_Soft);
        SuspendOSInterrupts();
        ResumeOSInterrupts();
    }
}
TASK(High) { TerminateTask(); }
TASK(Waits) { for (;;) { WaitEvent(Go); ClearEvent(Go); } }
ISR(Soft) { }
"""


def test_what_is_event_triggered_delays_a_round_by_three_ticks_beside_the_timers_own(lab: Laboratory) -> None:
    """Registers are saved for up to three ticks, and QEMU's timer is late by less than one."""
    # A prime number of ticks, so that activations meet the loop everywhere.
    schedule = declared(A=20) + points(211, (100, "A"), window="wcet") + "[osek]\n" + BENEATH
    outcome = lab.run(schedule, works(A=5) + BUSY, RV32, rounds=1500)
    assert len(outcome.at(Kind.START, "A")) == 1500
    delays = outcome.delays("A")
    assert 20 < max(delays) - min(delays) < 4 * TICK


def test_a_reservation_is_given_up_where_an_interrupt_returns(lab: Laboratory) -> None:
    """Else a store could succeed over a word that was changed meanwhile, and changed back.  QEMU gives it up by itself."""
    firmware = lab.firmware(lab.write(declared(A=100) + points(8000, (4000, "A")), works(A=10)), RV32)[1]
    image = read_elf(firmware.elf)
    frame = next(s for s in image.symbols if s.name == "carillon_port_frame")
    text = next(s for s in image.sections if s.address <= frame.address < s.address + s.size and s.size)
    at = text.start + frame.address - text.address
    store = 0x1802A02F.to_bytes(4, "little")  # sc.w zero, zero, (t0)
    assert image.data[at : at + frame.size].count(store) == 1
