# SPDX-License-Identifier: Apache-2.0
"""An error hook hears of each activation by an alarm that is one too many, on every board alike.

The model knows no code of the kernel: of an alarm that expires at known times, each expiry either begins a job, or waits at the
end of the run, or is lost, and the hook is called for each lost one.  ``CARILLON_TRIES=100`` draws so many programs a board.
"""

from __future__ import annotations

import random

import pytest
from laboratory import AN505, AST, MPS, RV32, TC, VIRTUAL, VIRTUAL_AST, Laboratory

import asked
from carillon.trace import Kind
from runnable import NODE

BOARDS = [VIRTUAL, VIRTUAL_AST, TC, AST, MPS, AN505, RV32, "atmega128", "microbit"]
BOARDS_ON_NODE = [pytest.param("raspberry-pi-pico", marks=NODE)]
PROGRAMS = asked.tries(3)

CODE = """
static unsigned lost[2];
TASK(Fast) {{ carillon_work(US({fast}u)); TerminateTask(); }}
TASK(Slow)
{{
    {disable}
    carillon_work(US({slow}u));
    {enable}
    TerminateTask();
}}
TASK(Last)
{{
    DisableAllInterrupts(); /* what expires from here on comes too late to be told */
    report("fast", lost[0]);
    report("slow", lost[1]);
    carillon_port_halt();
}}
void ErrorHook(StatusType error)
{{
    TaskType task = INVALID_TASK;
    if ((error == E_OS_LIMIT) && (OSErrorGetServiceId() == OSServiceId_ActivateTask)) {{
        task = OSError_ActivateTask_TaskID();
        lost[(task == Fast) ? 0 : 1]++;
    }}
}}
int main(void);
int main(void)
{{
    StartOS(OSDEFAULTAPPMODE);
}}
"""
SCHEDULE = """
[osek]
hooks = ["error"]
get_service_id = true
parameter_access = true
[osek.task.Fast]
priority = 3
[osek.task.Slow]
priority = 2
schedule = "{schedule}"
[osek.task.Last]
priority = 1
[osek.counter.K]
tick = "100us"
max_allowed = 65535
[osek.alarm.F]
counter = "K"
activate = "Fast"
autostart = {{ at = {f_at}, cycle = {f_cycle} }}
static = {static}
[osek.alarm.S]
counter = "K"
activate = "Slow"
autostart = {{ at = {s_at}, cycle = {s_cycle} }}
static = {static}
[osek.alarm.L]
counter = "K"
activate = "Last"
autostart = {{ at = {end}, cycle = 30000 }}
"""


def drawn(rng: random.Random) -> dict[str, object]:
    """A program: what holds back Fast is a job of Slow that cannot be preempted, or that has disabled interrupts."""
    locks = rng.random() < 0.3
    return {
        "f_at": rng.randint(1, 9),
        "f_cycle": rng.randint(2, 6),
        "s_at": rng.randint(1, 30),
        "s_cycle": rng.randint(20, 50),
        "fast": rng.choice([5, 20, 90, 150]),
        "slow": rng.choice([300, 1100, 1900, 3700]) + rng.randint(0, 90),
        "schedule": "full" if locks else "non",
        "disable": "SuspendOSInterrupts();" if locks else "",
        "enable": "ResumeOSInterrupts();" if locks else "",
        "static": rng.choice(["true", "false"]),
        "end": rng.randint(300, 400),
    }


@pytest.mark.parametrize("seed", range(PROGRAMS))
@pytest.mark.parametrize("board", BOARDS + BOARDS_ON_NODE)
def test_the_error_hook_hears_of_each_expiry_that_is_one_too_many(lab: Laboratory, board: str, seed: int) -> None:
    draw = drawn(random.Random(f"told {seed}"))
    code = "#define US(n) ((uint32_t)((uint64_t)CARILLON_CLOCK_HZ * (n) / 1000000u))\n" + CODE.format(**draw)
    path = lab.write(SCHEDULE.format(**draw), code)
    hz = lab.firmware(path, board)[0].system.clock_hz
    outcome = lab.run_file(path, board, ticks=hz // 5)
    stop = next(e for e in outcome.trace.events if e.kind is Kind.START and e.object == "Last").t
    tick = hz // 10_000
    told = {"Fast": outcome.said("fast")[0], "Slow": outcome.said("slow")[0]}
    for task, at, cycle in (("Fast", "f_at", "f_cycle"), ("Slow", "s_at", "s_cycle")):
        begun = sum(e.kind is Kind.START and e.object == task for e in outcome.trace.events if e.t <= stop)
        first, every = draw[at], draw[cycle]
        assert isinstance(first, int)
        assert isinstance(every, int)
        expiries = len(range(first * tick, stop + 1, every * tick))
        near = (stop - first * tick) % (every * tick) < tick // 4  # one came while Last began
        assert begun + told[task] in ((expiries, expiries - 1) if near else (expiries,)), (task, draw)
        lost = sum(e.kind is Kind.LOST and e.object == task for e in outcome.trace.events if e.t <= stop)
        assert lost in ((told[task], told[task] + 1) if near else (told[task],)), (task, draw)  # what a run says of it
    if seed == 0:  # in which activations are lost
        assert told["Fast"] > 0


BENEATH = """
[task.Round]
period = "2ms"
wcet = "100us"
"""


@pytest.mark.parametrize("seed", range(PROGRAMS))
@pytest.mark.parametrize("board", [VIRTUAL, AST, TC])
def test_beneath_a_round_none_is_lost_either(lab: Laboratory, board: str, seed: int) -> None:
    """The cells were started with the round, before StartOS: what expired before it is none of its expiries."""
    draw = drawn(random.Random(f"beneath {seed}"))
    code = "#define US(n) ((uint32_t)((uint64_t)CARILLON_CLOCK_HZ * (n) / 1000000u))\n" + CODE.format(**draw)
    code = code[: code.index("int main")] + "ttTASK(Round) { carillon_work(US(50u)); }\n"
    path = lab.write(BENEATH + SCHEDULE.format(**draw), code)
    hz = lab.firmware(path, board)[0].system.clock_hz
    outcome = lab.run_file(path, board, ticks=hz // 5)
    stop = next(e for e in outcome.trace.events if e.kind is Kind.START and e.object == "Last").t
    told = {"Fast": outcome.said("fast")[0], "Slow": outcome.said("slow")[0]}
    for task, every in (("Fast", draw["f_cycle"]), ("Slow", draw["s_cycle"])):
        begun = [e.t for e in outcome.trace.events if e.kind is Kind.START and e.object == task and e.t <= stop]
        assert isinstance(every, int)
        expiries = 1 + (stop - begun[0]) / (every * hz / 10_000)  # its first job began at most a job of others after an expiry
        assert abs(len(begun) + told[task] - expiries) < 1.5 + 4000 / (every * 100), (task, draw)


SWEPT = """
static unsigned lost, jobs;
TASK(Fast) {{ TerminateTask(); }}
TASK(Slow)
{{
    carillon_work({least}u + jobs); /* one instruction longer each time */
    jobs++;
    if (jobs == {jobs}u) {{
        DisableAllInterrupts();
        report("lost", lost);
        carillon_port_halt();
    }}
    TerminateTask();
}}
void ErrorHook(StatusType error) {{ (void)error; lost++; }}
int main(void);
int main(void) {{ StartOS(OSDEFAULTAPPMODE); }}
"""


@pytest.mark.parametrize("cancelled", [False, True], ids=["static", "cancellable"])
@pytest.mark.parametrize("expiries", [1, 2, 5])
def test_none_is_lost_or_doubled_at_whatever_instruction_the_task_below_ends(
    lab: Laboratory, expiries: int, cancelled: bool
) -> None:
    """The end of Slow's job goes over an expiry of Fast's cell, instruction by instruction."""
    cycle, jobs = 10_000, 400
    alarm = '[osek.alarm.{n}]\ncounter = "K"\nactivate = "{t}"\nautostart = {{ at = {at}, cycle = {every} }}\nstatic = {s}\n'
    static = str(not cancelled).lower()
    schedule = '[osek]\nhooks = ["error"]\n[osek.counter.K]\ntick = "80us"\nmax_allowed = 65535\n'
    schedule += '[osek.task.Fast]\npriority = 2\n[osek.task.Slow]\npriority = 1\nschedule = "non"\n'
    schedule += alarm.format(n="F", t="Fast", at=1, every=1, s=static)
    schedule += alarm.format(n="S", t="Slow", at=10, every=10, s=static)
    code = SWEPT.format(least=expiries * cycle - 400, jobs=jobs)
    outcome = lab.run_file(lab.write(schedule, code, system='clock = "125MHz"'), AST, ticks=(jobs + 3) * 10 * cycle)
    assert outcome.planned.image.osek is not None
    assert len(outcome.planned.image.osek.served) == 2  # each has a cell at the level of its task
    starts = {name: [e.t for e in outcome.trace.events if e.kind is Kind.START and e.object == name] for name in ("Fast", "Slow")}
    known = starts["Slow"][-1] // cycle  # those that come while the last job of Slow runs are not told
    assert len(starts["Fast"]) + outcome.said("lost")[0] == known
    assert (outcome.said("lost")[0] > jobs // 2) == (expiries > 1)
