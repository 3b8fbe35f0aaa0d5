# SPDX-License-Identifier: Apache-2.0
"""Lock budgets: random jobs take and release locks in any order, and are preempted; a model says where each of them ends.

The model keeps the end of each limit in the job's own time.  Where code takes no time, it is exact.  In QEMU services take time:
there a job's end is compared if the model has it at the same place whether services take none, or more than they do.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from laboratory import AST, VIRTUAL_AST, Laboratory

import asked
from sample import turn

TIME, LOCKED = 15, 17
LOCKS = ("Get0", "Get1", "Get2", "Disable", "All", "Os")
RESOURCES = 3
BUDGETS = (1500, 700, 0, 900, 900, 1200)
"""By lock, in units of the test's time; the last resource has none."""
EXECUTION = 2000
TAKE, RELEASE, WORK, PREEMPT, ACTIVATE = range(5)
CODE = """
static const uint16_t ops[] = {%(ops)s};
static const uint16_t jobs[] = {%(jobs)s};
static volatile uint32_t job, at, error;
ProtectionReturnType ProtectionHook(StatusType e) { error = e; return PRO_TERMINATETASKISR; }
ISR(Signal) { carillon_work(3000u); SuspendAllInterrupts(); carillon_work(90000u); ResumeAllInterrupts(); }
TASK(High) { carillon_work(4000u); (void)GetResource(R3); carillon_work(90000u); (void)ReleaseResource(R3); TerminateTask(); }
static void take(uint32_t lock)
{
    switch (lock) {
    case 0u: (void)GetResource(R0); break;
    case 1u: (void)GetResource(R1); break;
    case 2u: (void)GetResource(R2); break;
    case 3u: DisableAllInterrupts(); break;
    case 4u: SuspendAllInterrupts(); break;
    default: SuspendOSInterrupts(); break;
    }
}
static void release(uint32_t lock)
{
    switch (lock) {
    case 0u: (void)ReleaseResource(R0); break;
    case 1u: (void)ReleaseResource(R1); break;
    case 2u: (void)ReleaseResource(R2); break;
    case 3u: EnableAllInterrupts(); break;
    case 4u: ResumeAllInterrupts(); break;
    default: ResumeOSInterrupts(); break;
    }
}
static void go_on(void)
{
    for (uint32_t k = jobs[job]; k < jobs[job + 1u]; k++) {
        const uint32_t value = ops[k] & 0xFFFu;
        at = k - jobs[job];
        switch (ops[k] >> 12) {
        case 0u: take(value); break;
        case 1u: release(value); break;
        case 2u: carillon_work(value * %(scale)du); break;
        case 3u: carillon_port_pend(CARILLON_ISR_SOURCE_Signal); break;
        default: (void)ActivateTask(High); break;
        }
    }
    at = jobs[job + 1u] - jobs[job];
}
TASK(Job) { go_on(); TerminateTask(); }
TASK(Waits) { (void)WaitEvent(Go); (void)ClearEvent(Go); go_on(); TerminateTask(); }
TASK(Main)
{
    for (job = 0; job < %(count)du; job++) {
        error = 0u;
        if ((job %% 3u) == 2u) {
            (void)ActivateTask(Waits);
            (void)SetEvent(Waits, Go);
        } else {
            (void)ActivateTask(Job);
        }
        report("job", (error << 16) | at);
    }
    TerminateTask();
}
"""


@dataclass(frozen=True)
class Drawn:
    """Random jobs: (operation, lock or work)."""

    jobs: tuple[tuple[tuple[int, int], ...], ...]

    @staticmethod
    def of(seed: int, count: int) -> Drawn:
        rng = random.Random(seed)
        jobs = []
        for _ in range(count):
            held: list[int] = []
            ops: list[tuple[int, int]] = []
            for _ in range(rng.randrange(3, 14)):
                kind = rng.choice([TAKE, TAKE, RELEASE, WORK, WORK, PREEMPT, ACTIVATE])
                free = [lock for lock in range(len(LOCKS)) if lock not in held]
                if kind == TAKE and free:
                    held.append(rng.choice(free))
                    ops.append((TAKE, held[-1]))
                elif kind == RELEASE and held:
                    ops.append((RELEASE, held.pop(rng.randrange(len(held)))))
                elif kind == WORK:
                    ops.append((WORK, rng.choice([1, 100, 200, 300, 400, 500, 699, 700, 800])))
                elif kind in (PREEMPT, ACTIVATE):
                    ops.append((kind, 0))
            # Interrupts are enabled at the end; a resource that is held ends with the job.
            ops += [(RELEASE, lock) for lock in reversed(held) if lock >= RESOURCES or rng.random() < 0.5]
            jobs.append(tuple(ops))
        return Drawn(tuple(jobs))

    def code(self, scale: int) -> str:
        starts, ops = [0], []
        for job in self.jobs:
            ops += [f"0x{kind << 12 | value:x}" for kind, value in job]
            starts.append(len(ops))
        return CODE % {
            "ops": ",".join(ops),
            "jobs": ",".join(map(str, starts)),
            "count": len(self.jobs),
            "scale": scale,
        }


def schedule(scale: int, dispatch: str, status: str = "standard") -> str:
    job = f"""budget = "{EXECUTION * scale} ticks"
resources = ["R0", "R1", "R2"]
resource_lock = [{{ resource = "R0", budget = "{BUDGETS[0] * scale} ticks" }},
    {{ resource = "R1", budget = "{BUDGETS[1] * scale} ticks" }}]
all_interrupts_lock = "{BUDGETS[3] * scale} ticks"
os_interrupts_lock = "{BUDGETS[5] * scale} ticks"
"""
    return f"""
[osek]
status = "{status}"
dispatch = "{dispatch}"
hooks = ["protection"]
[osek.task.Main]
priority = 1
autostart = true
[osek.task.Job]
priority = 2
{job}
[osek.task.Waits]
priority = 3
events = ["Go"]
{job}
[osek.task.High]
priority = 5
activations = 20
resources = ["R3"]
[osek.event.Go]
[osek.resource.R0]
[osek.resource.R1]
[osek.resource.R2]
[osek.resource.R3]
[osek.isr.Signal]
source = "soft0"
"""


def end(job: tuple[tuple[int, int], ...], extra: float = 0.0) -> tuple[int, int]:
    """The error with which a job ends, and at which operation; each operation takes so much more."""
    now = 0.0
    limits: dict[int, float] = {-1: EXECUTION}
    for place, (kind, value) in enumerate(job):
        now += extra
        if kind == WORK:
            now += value
        nearest = min(limits, key=lambda lock: limits[lock])  # of equal ones the first that began
        if now >= limits[nearest]:
            return (TIME if nearest < 0 else LOCKED), place
        if kind == TAKE and BUDGETS[value]:
            limits[value] = now + BUDGETS[value]
        elif kind == RELEASE:
            limits.pop(value, None)
    return 0, len(job)


def found(lab: Laboratory, drawn: Drawn, board: str, dispatch: str, scale: int) -> list[tuple[int, int]]:
    said = lab.run(schedule(scale, dispatch), drawn.code(scale), board, ticks=1_000_000 * len(drawn.jobs)).reported
    assert [name for name, _ in said] == ["job"] * len(drawn.jobs)
    return [(value >> 16, value & 0xFFFF) for _, value in said]


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_a_job_ends_where_its_nearest_limit_does_where_code_takes_no_time(lab: Laboratory, dispatch: str) -> None:
    drawn = Drawn.of(1, 3000)
    expected = [end(job) for job in drawn.jobs]
    assert min([error for error, _ in expected].count(error) for error in (0, TIME, LOCKED)) > 50
    got = found(lab, drawn, VIRTUAL_AST, dispatch, 1)
    assert [k for k, (a, b) in enumerate(zip(got, expected, strict=True)) if a != b] == []


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_a_job_ends_where_its_nearest_limit_does_where_services_take_time(lab: Laboratory, dispatch: str) -> None:
    drawn = Drawn.of(2, 150)
    scale = 100
    got = found(lab, drawn, AST, dispatch, scale)
    sure = [k for k, job in enumerate(drawn.jobs) if len({end(job, extra) for extra in (0.0, 1.0, 2.0, 3.0)}) == 1]
    assert len(sure) > 100
    assert [(k, got[k], end(drawn.jobs[k])) for k in sure if got[k] != end(drawn.jobs[k])] == []


LONG_HOOK = """
static volatile uint32_t length, taken;
ProtectionReturnType ProtectionHook(StatusType e) { report("struck", e); return PRO_TERMINATETASKISR; }
void ErrorHook(StatusType e) { (void)e; carillon_work(length); }
TASK(Job) { (void)ActivateTask(77u); report("ended", taken); TerminateTask(); }
TASK(Locks)
{
    DisableAllInterrupts();
    (void)ActivateTask(Job);
    EnableAllInterrupts();
    report("ended", taken);
    TerminateTask();
}
TASK(Main)
{
    static const uint32_t lengths[] = {100u, 20000u, 8388608u, 9000000u, 16777216u, 16800000u, 17000000u, 40000000u};
    for (taken = 0; taken < 8u; taken++) {
        length = lengths[taken];
        (void)ActivateTask(Job);
        (void)ActivateTask(Locks);
    }
    TerminateTask();
}
"""


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_a_hook_hides_no_overrun_however_long_it_takes(lab: Laboratory, dispatch: str) -> None:
    """Also where the cell has gone past the half of its range in it, and has a reading as if something were left."""
    text = f'[osek]\nstatus = "extended"\ndispatch = "{dispatch}"\nhooks = ["protection", "error"]\n'
    text += '[osek.task.Main]\npriority = 1\nautostart = true\n[osek.task.Job]\npriority = 2\nbudget = "10000 ticks"\n'
    text += '[osek.task.Locks]\npriority = 3\nall_interrupts_lock = "10000 ticks"\n'
    said = lab.run(text, LONG_HOOK, VIRTUAL_AST, ticks=400_000_000).reported
    assert said == [("ended", 0)] * 2 + [("struck", TIME), ("struck", LOCKED)] * 7


SWEEP = """
#define SLED 900
extern const uint8_t sled_start[];
__attribute__((naked, noinline)) static void enter(uint32_t place)
{
    __asm volatile("bx r0\\n .balign 4\\n sled_start: .rept 900\\n nop\\n .endr\\n bx lr\\n" : : "r"(place));
}
static void pass(uint32_t instructions) { enter(((uint32_t)sled_start + (2u * (SLED - instructions))) | 1u); }
static volatile uint32_t how, length, struck, ended, isr, raw, high, wrong;
ProtectionReturnType ProtectionHook(StatusType e)
{
    TaskType task = INVALID_TASK;
    (void)GetTaskID(&task);
    wrong |= (task != Job) ? 1u : 0u;
    struck = (struck << 8) | e;
    return PRO_TERMINATETASKISR;
}
ISR(Signal) { isr++; carillon_work(500u); SuspendAllInterrupts(); ResumeAllInterrupts(); }
ISR(Raw) { raw++; SuspendAllInterrupts(); ResumeAllInterrupts(); SuspendOSInterrupts(); ResumeOSInterrupts(); }
TASK(High) { high++; (void)GetResource(R0); pass(50u); (void)ReleaseResource(R0); TerminateTask(); }
#define SIGNAL carillon_port_pend(CARILLON_ISR_SOURCE_Signal)
#define RAW carillon_port_pend(CARILLON_ISR_SOURCE_Raw)
static void leave(void) { (void)ReleaseResource(R1); (void)ReleaseResource(R0); }
static void go(void)
{
    switch (how) {
    case 0: (void)GetResource(R0); pass(length); (void)ReleaseResource(R0); break;
    case 1: DisableAllInterrupts(); pass(length); EnableAllInterrupts(); break;
    case 2: SuspendAllInterrupts(); pass(length); ResumeAllInterrupts(); break;
    case 3: SuspendOSInterrupts(); pass(length); ResumeOSInterrupts(); break;
    case 4: (void)GetResource(R0); (void)GetResource(R1); pass(length); leave(); break;
    case 5: (void)GetResource(R0); (void)ActivateTask(High); pass(length); (void)ReleaseResource(R0); break;
    case 6: SuspendAllInterrupts(); SIGNAL; pass(length); ResumeAllInterrupts(); break;
    case 7: SuspendOSInterrupts(); SIGNAL; pass(length / 2u); RAW; pass(length - (length / 2u)); ResumeOSInterrupts(); break;
    case 8: SuspendAllInterrupts(); SuspendOSInterrupts(); pass(length); ResumeOSInterrupts(); ResumeAllInterrupts(); break;
    case 9: (void)GetResource(R0); SuspendAllInterrupts(); pass(length); ResumeAllInterrupts(); (void)ReleaseResource(R0); break;
    case 10: (void)GetResource(R1); pass(length); RAW; (void)ReleaseResource(R1); break;
    default: pass(length); SuspendAllInterrupts(); ResumeAllInterrupts(); (void)GetResource(R0); (void)ReleaseResource(R0);
    }
}
TASK(Job) { %(wait)s go(); ended++; %(wait)s TerminateTask(); }
TASK(Main)
{
    for (how = 0; how < 12u; how++) {
        for (length = %(first)du; length < SLED; length += %(step)du) {
            TaskStateType state = RUNNING;
            struck = ended = wrong = 0;
            (void)ActivateTask(Job);
            %(go)s
            const uint32_t what = (struck << 4) | ended;
            %(go)s
            wrong |= ((GetResource(R0) != E_OK) || (ReleaseResource(R0) != E_OK)) ? 2u : 0u;
            wrong |= ((GetResource(R1) != E_OK) || (ReleaseResource(R1) != E_OK)) ? 4u : 0u;
            isr = raw = high = 0;
            SIGNAL;
            RAW;
            carillon_work(20u);
            (void)ActivateTask(High);
            (void)GetTaskState(Job, &state);
            wrong |= ((isr != 1u) || (raw != 1u) || (high != 1u) || (state != SUSPENDED)) ? 8u : 0u;
            report("found", (wrong << 24) | (how << 16) | what);
        }
    }
    TerminateTask();
}
"""


@pytest.mark.parametrize(("dispatch", "waits"), [("hardware", True), ("software", False)])
def test_a_limit_may_end_at_each_instruction_of_a_service(lab: Laboratory, dispatch: str, waits: bool) -> None:
    """The job's work grows by some instructions, so that its limits move through all that it calls.

    Nothing may be left behind, and a job that has more work than one that is struck is struck, too: also where the limit ends
    in an ISR of category 1, in which the job cannot be ended.
    """
    step = 1 if asked.all_cases() else 11
    go = "(void)SetEvent(Job, Go);" if waits else ""
    first = turn("limits", step)  # with which the job's work begins to grow
    code = SWEEP % {"first": first, "step": step, "go": go, "wait": "(void)WaitEvent(Go); (void)ClearEvent(Go);" if waits else ""}
    text = f"""
[osek]
status = "extended"
dispatch = "{dispatch}"
hooks = ["protection"]
[osek.task.Main]
priority = 1
autostart = true
resources = ["R0", "R1"]
[osek.task.Job]
priority = 2
{'events = ["Go"]' if waits else ""}
budget = "700 ticks"
resources = ["R0", "R1"]
resource_lock = [{{ resource = "R0", budget = "500 ticks" }}, {{ resource = "R1", budget = "400 ticks" }}]
all_interrupts_lock = "450 ticks"
os_interrupts_lock = "470 ticks"
[osek.task.High]
priority = 5
resources = ["R0"]
{"[osek.event.Go]" if waits else ""}
[osek.resource.R0]
[osek.resource.R1]
[osek.isr.Signal]
source = "soft0"
[osek.isr.Raw]
source = "soft1"
category = 1
"""
    said = lab.run(text, code, AST, ticks=150_000_000 // step)
    found = said.said("found")
    assert [value for value in found if value >> 24] == []
    assert len(found) == 12 * len(range(first, 900, step))
    assert {value & 0xFFFF for value in found} == {1, TIME << 4, TIME << 4 | 1, LOCKED << 4}
    for how in range(12):
        struck = [(value & 0xFFF0) != 0 for value in found if value >> 16 == how]
        assert struck == sorted(struck), how


@pytest.mark.parametrize("answer", ["PRO_IGNORE", "PRO_TERMINATEAPPL", "PRO_TERMINATEAPPL_RESTART", "PRO_SHUTDOWN", "77u"])
def test_any_other_answer_shuts_the_system_down(lab: Laboratory, answer: str) -> None:
    code = f"""
ProtectionReturnType ProtectionHook(StatusType e) {{ report("struck", e); return (ProtectionReturnType){answer}; }}
void ShutdownHook(StatusType e) {{ report("down", e); }}
ISR(Signal) {{ report("signal", 0u); }}
TASK(Job)
{{
    SuspendOSInterrupts();
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    carillon_work(2000u);
    ResumeOSInterrupts();
    report("ended", 0u);
}}
"""
    text = '[osek]\nhooks = ["protection", "shutdown"]\n[osek.task.Job]\npriority = 1\nautostart = true\n'
    text += 'os_interrupts_lock = "1000 ticks"\n[osek.isr.Signal]\nsource = "soft0"\n'
    said = lab.run(text, code, VIRTUAL_AST, ticks=10_000).reported
    assert said == [("struck", LOCKED), ("down", LOCKED)]
