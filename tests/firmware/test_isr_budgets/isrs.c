/* SPDX-License-Identifier: Apache-2.0 */
/* ISRs that preempt each other, with random work.  The test defines UNIT, BUDGETS, SEED and TURNS. */

static const uint32_t budgets[3] = {BUDGETS};
static volatile uint32_t done[3], wrong, jobs, late_jobs;
static uint32_t seed = SEED;
static uint32_t draw(void)
{
    seed = (seed * 1664525u) + 1013904223u;
    return seed >> 16;
}

/* Nobody is ended within a line. */
static void say(const char *what, uint32_t value)
{
    const uint32_t saved = carillon_port_lock();
    report(what, value);
    carillon_port_unlock(saved);
}

/* What an ISR that is ended has taken or disabled is no error of it. */
void ErrorHook(StatusType error)
{
    (void)error;
    wrong++;
}

ProtectionReturnType ProtectionHook(StatusType error)
{
    const ISRType isr = GetISRID();
    if (error != E_OS_PROTECTION_TIME) {
        wrong++;
    }
    if (isr == INVALID_ISR) {
        late_jobs++;
    } else {
        say("struck", ((uint32_t)isr << 16) | done[isr]);
    }
    return PRO_TERMINATETASKISR;
}

/* One run: it works in parts, and within one of them holds the resource, disables interrupts, or requests a higher ISR. */
static void run(uint32_t isr, uint32_t higher)
{
    const uint32_t amount = (draw() % 40u) * UNIT;
    done[isr] = 0;
    say("begins", (isr << 16) | (amount / UNIT));
    while (done[isr] < amount / UNIT) {
        const uint32_t how = draw() % 6u;
        if (how == 0u) {
            (void)GetResource(Shared);
        }
        if (how == 1u) {
            SuspendAllInterrupts();
        }
        if ((how >= 2u) && (higher != 0u) && ((draw() % 4u) == 0u)) {
            carillon_port_pend(higher);
        }
        carillon_work(UNIT);
        done[isr]++;
        if (how == 0u) {
            (void)ReleaseResource(Shared);
        }
        if (how == 1u) {
            ResumeAllInterrupts();
        }
    }
    say("ends", isr << 16);
}

ISR(Low)
{
    run(0u, CARILLON_ISR_SOURCE_Mid);
}
ISR(Mid)
{
    run(1u, CARILLON_ISR_SOURCE_High);
}
ISR(High)
{
    run(2u, 0u);
}
TASK(Job)
{
    const uint32_t many = draw() % 3u;
    jobs++;
    carillon_work(7u * UNIT);
    for (uint32_t k = 0; k < many; k++) {
        carillon_port_pend(CARILLON_ISR_SOURCE_Low);
        carillon_work(UNIT / 2u);
    }
    if ((jobs % 5u) == 4u) {
        carillon_work(5u * UNIT);
    }
    TerminateTask();
}
TASK(Main)
{
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        (void)ActivateTask(Job);
        carillon_port_pend(CARILLON_ISR_SOURCE_Mid);
        carillon_work(10u);
        (void)GetResource(Shared);
        (void)ReleaseResource(Shared);
    }
    report("jobs", jobs);
    report("late_jobs", late_jobs);
    report("wrong", wrong);
    TerminateTask();
}
