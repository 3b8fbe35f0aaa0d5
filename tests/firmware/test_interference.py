# SPDX-License-Identifier: Apache-2.0
"""Services of the event-triggered kernel that something interrupts, at each of their instructions in turn.

A tick of ast1030-evb is an instruction.  Every fourth tick of a counter begins ``Sweep``, which calls a service after a
delay that is one instruction longer each time; the tick after it comes within that service in some of the runs.
"""

from __future__ import annotations

import pytest
from laboratory import AST, VIRTUAL_AST, Laboratory, Outcome

from carillon.build.symbols import symbols

SWEPT = 260
"""How many instructions the interrupt's place in Sweep moves over: more than any of the services has."""

SCHEDULE = """
[osek.counter.C]
tick = "64us"
[osek.alarm.Begin]
counter = "C"
activate = "Sweep"
autostart = {{ at = 1, cycle = 4 }}
[osek.alarm.Interfere]
counter = "C"
{interferes}
autostart = {{ at = 2, cycle = 4 }}
[osek.alarm.Last]
counter = "C"
activate = "Over"
autostart = {{ at = {over}, cycle = 0 }}
[osek.task.Over]
priority = 9
"""

ISR = 'callback = "Request"'

COUNTS = """
static volatile uint32_t phase, seen[3], granted[2], refused[2], runs;
/* Whose status it is: 1 of Sweep, 0 of what interrupts it. */
static inline void count(unsigned whose, StatusType status)
{
    if (status == E_OK) { granted[whose]++; } else { refused[whose]++; }
}
/* Called by Sweep: `before` is how long the interrupt's tick comes after Sweep's own. */
static inline void delay(uint32_t before)
{
    static uint32_t turn;
    carillon_work(before + turn);
    turn++;
    phase = 1u;
}
#define MEET() (seen[phase]++)
"""
END = """
TASK(Over)
{
    report("before", seen[0]); report("inside", seen[1]); report("after", seen[2]);
    report("ok", granted[0] + granted[1]); report("limit", refused[0] + refused[1]); report("runs", runs);
    MORE
    carillon_port_halt();
}
"""
REQUEST = "ALARMCALLBACK(Request) { carillon_port_pend(CARILLON_ISR_SOURCE_I); }\n"


def sweep(lab: Laboratory, tasks: str, code: str, *, interferes: str = ISR, more: str = "", earlier: int = 0) -> Outcome:
    """Run Sweep ``SWEPT`` times; ``earlier``: how long Sweep takes before it delays."""
    over = 4 * SWEPT
    schedule = SCHEDULE.format(interferes=interferes, over=over)
    isr = interferes == ISR
    if isr:
        schedule += '[osek.isr.I]\nsource = "soft0"\n'
    text = COUNTS + (REQUEST if isr else "") + code.replace("DELAY", str(760 - earlier)) + END.replace("MORE", more)
    outcome = lab.run(schedule + tasks, text, AST, ticks=1000 * (over + 2), system='clock = "15.625MHz"')
    for when in ("before", "inside", "after"):
        assert outcome.said(when)[0] > 3, when
    return outcome


LOW_AND_HIGH = """
[osek.task.Low]
priority = 2
[osek.task.Sweep]
priority = {sweep}
{more}
"""
LOW = "TASK(Low) { phase = 2u; runs++; TerminateTask(); }\n"
MEETS = "ISR(I) { MEET(); count(0u, ActivateTask(Low)); }\n"
BODY = "TASK(Sweep) {{ phase = 0u; delay(DELAYu); {call}; phase = 2u; carillon_work(600); TerminateTask(); }}\n"
HELPER = "static __attribute__((noinline)) void activate(void) { count(1u, ActivateTask(Low)); }\n"


def granted(outcome: Outcome) -> tuple[int, int, int]:
    (ok,), (limit,), (runs,) = outcome.said("ok"), outcome.said("limit"), outcome.said("runs")
    return ok, limit, runs


@pytest.mark.parametrize("call", ["count(1u, ActivateTask(Low))", "count(1u, (ActivateTask)(Low))", "activate()"])
@pytest.mark.parametrize("who", ["interrupt", "task"])
def test_of_two_activations_of_a_waiting_direct_task_one_is_granted(lab: Laboratory, call: str, who: str) -> None:
    tasks = LOW_AND_HIGH.format(sweep=3, more="")
    code = LOW + HELPER + BODY.format(call=call)
    if who == "task":
        tasks += "[osek.task.Upper]\npriority = 4\n"
        code += "TASK(Upper) { MEET(); count(0u, ActivateTask(Low)); TerminateTask(); }\n"
        outcome = sweep(lab, tasks, code, interferes='activate = "Upper"')
    else:
        outcome = sweep(lab, tasks, code + MEETS)
    ok, limit, runs = granted(outcome)
    assert runs == ok == limit == SWEPT


@pytest.mark.parametrize("call", ["count(1u, ActivateTask(Low))", "count(1u, (ActivateTask)(Low))", "activate()"])
def test_of_two_activations_of_a_direct_task_that_a_resource_holds_back_one_is_granted(lab: Laboratory, call: str) -> None:
    tasks = LOW_AND_HIGH.format(sweep=1, more='resources = ["RES_SCHEDULER"]')
    held = f"GetResource(RES_SCHEDULER); phase = 0u; delay(DELAYu); {call}; phase = 2u; carillon_work(400); "
    body = f"TASK(Sweep) {{ {held} ReleaseResource(RES_SCHEDULER); TerminateTask(); }}\n"
    ok, limit, runs = granted(sweep(lab, tasks, LOW + HELPER + body + MEETS))
    assert runs == ok == limit == SWEPT


@pytest.mark.parametrize("call", ["count(1u, ActivateTask(Low))", "count(1u, (ActivateTask)(Low))", "activate()"])
def test_both_activations_of_a_direct_task_that_preempts_the_caller_are_granted(lab: Laboratory, call: str) -> None:
    tasks = LOW_AND_HIGH.format(sweep=1, more="")
    ok, limit, runs = granted(sweep(lab, tasks, LOW + HELPER + BODY.format(call=call) + MEETS))
    assert ok + limit == 2 * SWEPT
    assert runs == ok > limit  # which is of calls while the task runs or, of one that the kernel's lock held back, waits


@pytest.mark.parametrize("low", [2, 4])
@pytest.mark.parametrize("call", ["ChainTask(Low)", "(ChainTask)(Low)"])
def test_of_a_chaining_managed_task_and_another_caller_one_is_granted_the_direct_task(
    lab: Laboratory, low: int, call: str
) -> None:
    tasks = LOW_AND_HIGH.format(sweep=3, more="activations = 2").replace("priority = 2", f"priority = {low}")
    chain = f"granted[1]++; if ({call} != E_OK) {{ granted[1]--; refused[1]++; }} phase = 2u"
    outcome = sweep(lab, tasks, LOW + BODY.format(call=chain) + MEETS, earlier=100)
    ok, limit, runs = granted(outcome)
    assert ok + limit == 2 * SWEPT
    assert runs == ok


@pytest.mark.parametrize("chained", ["Low", "Tick"])
@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_a_task_that_chains_loses_the_expiry_of_its_own_cell_that_came_while_it_ran(
    lab: Laboratory, board: str, chained: str
) -> None:
    ms = 15_625
    schedule = """
        [osek.task.Low]
        priority = 1
        [osek.task.Tick]
        priority = 2
        [osek.counter.Timer]
        tick = "1ms"
        [osek.alarm.Cyclic]
        counter = "Timer"
        activate = "Tick"
        static = true
        autostart = { at = 2, cycle = 4 }
    """
    code = f"""
        TASK(Low) {{ report("low", 1); TerminateTask(); }}
        TASK(Tick)
        {{
            static unsigned runs;
            runs++;
            report("tick", runs);
            if (runs == 1u) {{ carillon_work({5 * ms}); }}
            if (runs < 3u) {{ (void)ChainTask({chained}); }}
            TerminateTask();
        }}
    """
    outcome = lab.run(schedule, code, board, ticks=13 * ms)
    # Due at 2, 6 and 10 ms; the first runs from 2 to 7 ms, so that of 6 ms is lost.
    expected = [("tick", 1), ("low", 1), ("tick", 2), ("low", 1)] if chained == "Low" else [("tick", n) for n in (1, 2, 3, 4)]
    assert outcome.reported == expected


EVENTS = """
[osek]
status = "{status}"
[osek.task.Waiter]
priority = 1
events = ["One", "Other"]
autostart = true
[osek.task.Sweep]
priority = 3
[osek.event.One]
[osek.event.Other]
"""


@pytest.mark.parametrize("status", ["standard", "extended"])
@pytest.mark.parametrize("call", ["SetEvent(Waiter, One)", "(SetEvent)(Waiter, One)"])
def test_no_event_that_an_interrupt_sets_is_lost_to_one_that_a_task_sets(lab: Laboratory, call: str, status: str) -> None:
    code = """
        static volatile uint32_t one, other;
        TASK(Waiter)
        {
            for (;;) {
                EventMaskType set;
                (void)WaitEvent(One | Other);
                (void)GetEvent(Waiter, &set);
                (void)ClearEvent(set);
                one += (set & One) ? 1u : 0u;
                other += (set & Other) ? 1u : 0u;
            }
        }
        ISR(I) { MEET(); (void)SetEvent(Waiter, Other); }
    """ + BODY.format(call=f"(void){call}")
    more = 'report("one", one); report("other", other);'
    outcome = sweep(lab, EVENTS.format(status=status), code, more=more)
    assert outcome.said("one") == outcome.said("other") == [SWEPT]


@pytest.mark.parametrize("cancelled", ["Due", "Later"])
def test_an_alarm_that_is_cancelled_while_the_counter_ticks_has_expired_or_not(lab: Laboratory, cancelled: str) -> None:
    tasks = """
[osek.task.Sweep]
priority = 3
[osek.alarm.Due]
counter = "C"
callback = "OnDue"
[osek.alarm.Later]
counter = "C"
callback = "OnLater"
"""
    code = f"""
        static volatile uint32_t due, later;
        ALARMCALLBACK(OnDue) {{ due++; }}
        ALARMCALLBACK(OnLater) {{ later++; }}
        ISR(I) {{ MEET(); }}
        TASK(Sweep)
        {{
            phase = 0u;
            (void)SetRelAlarm(Due, 1u, 0u);
            (void)SetRelAlarm(Later, 2u, 0u);
            delay(DELAYu);
            count(1u, CancelAlarm({cancelled}));
            phase = 2u;
            TerminateTask();
        }}
    """
    more = 'report("due", due); report("later", later);'
    outcome = sweep(lab, tasks, code, more=more, earlier=130)
    (ok,), (limit,), (due,), (later,) = (outcome.said(name) for name in ("ok", "limit", "due", "later"))
    assert ok + limit == SWEPT
    if cancelled == "Due":
        assert 0 < due < SWEPT
        assert (ok, later) == (SWEPT - due, SWEPT)
    else:
        assert (ok, due, later) == (SWEPT, SWEPT, 0)


@pytest.mark.parametrize("status", ["standard", "extended"])
@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_suspending_os_interrupts_lets_none_through_that_all_hold_back(lab: Laboratory, board: str, status: str) -> None:
    schedule = f"""
        [osek]
        status = "{status}"
        [osek.task.Main]
        priority = 1
        autostart = true
        [osek.isr.First]
        category = 1
        source = "soft0"
        [osek.isr.Second]
        source = "soft1"
    """
    code = """
        ISR(First) { report("first", 1); }
        ISR(Second) { report("second", 1); }
        static void request(void)
        {
            carillon_port_pend(CARILLON_ISR_SOURCE_First);
            carillon_port_pend(CARILLON_ISR_SOURCE_Second);
        }
        TASK(Main)
        {
            SuspendAllInterrupts();
            SuspendOSInterrupts();
            request();
            report("both", 1);
            ResumeOSInterrupts();
            report("all", 1);
            ResumeAllInterrupts();
            SuspendOSInterrupts();
            request();
            SuspendAllInterrupts();
            request();
            report("nested", 1);
            ResumeAllInterrupts();
            report("os", 1);
            ResumeOSInterrupts();
            report("none", 1);
            TerminateTask();
        }
    """
    outcome = lab.run(schedule, code, board, ticks=20_000)
    said = ["both", "all", "first", "second", "first", "nested", "first", "os", "second", "none"]
    assert [name for name, _ in outcome.reported] == said


BYTES = """
[osek.task.Sweep]
priority = 1
[osek.task.Waiter]
priority = 2
events = ["First", "Last", "Go"]
autostart = true
[osek.event.First]
mask = 0x1
[osek.event.Last]
mask = 0x80000000
[osek.event.Go]
mask = 0x2
[osek.counter.C]
tick = "1ms"
[osek.alarm.Begin]
counter = "C"
activate = "Sweep"
autostart = { at = 1, cycle = 2 }
[osek.alarm.Interfere]
counter = "C"
callback = "Set"
autostart = { at = 2, cycle = 2 }
[osek.alarm.End]
counter = "C"
callback = "Over"
autostart = { at = 800, cycle = 0 }
"""


def test_a_mask_of_events_is_read_as_a_whole_where_it_takes_four_loads(lab: Laboratory) -> None:
    code = """
        static volatile uint32_t phase, seen[3], none, both, half;
        ALARMCALLBACK(Set) { seen[phase]++; (void)SetEvent(Waiter, First | Last); }
        ALARMCALLBACK(Over)
        {
            report("before", seen[0]); report("inside", seen[1]); report("after", seen[2]);
            report("none", none); report("both", both); report("half", half);
        }
        TASK(Waiter) { for (;;) { (void)WaitEvent(Go); (void)ClearEvent(First | Last | Go); } }
        TASK(Sweep)
        {
            static uint32_t turn;
            EventMaskType set = 0u;
            phase = 0u;
            carillon_work(DELAYul + turn);
            turn++;
            phase = 1u;
            (void)GetEvent(Waiter, &set);
            phase = 2u;
            set &= First | Last;
            if (set == 0u) { none++; } else if (set == (First | Last)) { both++; } else { half++; }
            carillon_work(2000);
            (void)SetEvent(Waiter, Go);
            TerminateTask();
        }
    """
    outcome = lab.run(BYTES, code.replace("DELAY", "14900"), "atmega128", ticks=16_000 * 802, system='clock = "16MHz"')
    assert outcome.said("half") == [0]
    for name in ("before", "inside", "after", "none", "both"):
        assert outcome.said(name)[0] > 10, name


def test_what_a_software_dispatcher_shares_with_interrupts_is_stored_at_once(lab: Laboratory) -> None:
    schedule = '[osek]\nhooks = ["pretask", "posttask"]\n[osek.task.Main]\npriority = 1\nautostart = true\n'
    code = "TASK(Main) { TerminateTask(); }\nvoid PreTaskHook(void) {}\nvoid PostTaskHook(void) {}\n"
    elf = lab.run(schedule, code, "atmega128", ticks=20_000).firmware.elf
    # level, locked, top, top_bit and a set of levels: each is a byte, which the AVR stores at once.
    assert symbols(elf)["carillon_software"][1] == 5
