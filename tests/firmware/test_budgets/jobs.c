/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of random lengths.  The test defines CHUNK, LEAST, SPAN, SEED and TURNS. */
#define ENTRIES 4096u

static const uint32_t least[5] = {LEAST};
static const uint32_t span[5] = {SPAN};
static const TaskType tasks[5] = {T0, T1, T2, T3, Waiter};
static volatile uint32_t jobs[5];
static volatile uint32_t done[5];
static volatile uint32_t entries[ENTRIES];
static volatile uint32_t count;
static uint32_t seed = SEED;

static uint32_t draw(void)
{
    seed = (seed * 1664525u) + 1013904223u;
    return seed >> 16;
}

/* How much work job `number` of a task has. */
static uint32_t amount(uint32_t task, uint32_t number)
{
    uint32_t mixed = ((number * 5u) + task + SEED) * 2654435761u;
    mixed ^= mixed >> 15;
    return least[task] + (mixed % span[task]);
}

static void note(uint32_t task, uint32_t ended)
{
    const uint32_t saved = carillon_port_lock();
    if (count < ENTRIES) {
        entries[count++] = (task << 24) | (ended << 23) | done[task];
    }
    carillon_port_unlock(saved);
}

ProtectionReturnType ProtectionHook(StatusType error)
{
    TaskType task = INVALID_TASK;
    (void)error;
    (void)GetTaskID(&task);
    for (uint32_t k = 0; k < 5u; k++) {
        if (tasks[k] == task) {
            note(k, 0u);
        }
    }
    return PRO_TERMINATETASKISR;
}

ISR(Signal)
{
    carillon_work(((draw() % 7u) * CHUNK) + 1u);
}

static void work(uint32_t task)
{
    const uint32_t all = amount(task, jobs[task]++);
    done[task] = 0;
    while (done[task] < all) {
        const uint32_t held = draw() % 8u;
        switch (held) {
        case 0u:
            SuspendAllInterrupts();
            break;
        case 1u:
            SuspendOSInterrupts();
            break;
        case 2u:
            DisableAllInterrupts();
            break;
        case 3u:
            (void)GetResource(Shared);
            break;
        default:
            break;
        }
        if (held >= 3u) {
            switch (draw() % 100u) {
            case 0u:
            case 1u:
                (void)ActivateTask(tasks[draw() % 4u]);
                break;
            case 2u:
                (void)SetEvent(Waiter, Go);
                break;
            default:
                break;
            }
        }
        if ((draw() % 4u) == 0u) {
            carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
        }
        carillon_work(CHUNK);
        done[task]++;
        switch (held) {
        case 0u:
            ResumeAllInterrupts();
            break;
        case 1u:
            ResumeOSInterrupts();
            break;
        case 2u:
            EnableAllInterrupts();
            break;
        case 3u:
            (void)ReleaseResource(Shared);
            break;
        default:
            break;
        }
    }
    note(task, 1u);
}

TASK(T0)
{
    work(0u);
    TerminateTask();
}
TASK(T1)
{
    work(1u);
    TerminateTask();
}
TASK(T2)
{
    work(2u);
    TerminateTask();
}
TASK(T3)
{
    work(3u);
    TerminateTask();
}
TASK(Waiter)
{
    for (;;) {
        (void)ClearEvent(Go); /* or it would not wait, and have no new budget */
        (void)WaitEvent(Go);
        work(4u);
    }
}

TASK(Main)
{
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        (void)ActivateTask(Waiter);
        (void)SetEvent(Waiter, Go);
        (void)ActivateTask(tasks[draw() % 4u]);
        carillon_work(CHUNK);
    }
    (void)CancelAlarm(A0);
    (void)CancelAlarm(A3);
    for (uint32_t k = 0; k < count; k++) {
        report(((entries[k] & 0x800000u) != 0u) ? "ended" : "killed", entries[k] & ~0x800000u);
    }
    report("whole", count);
    TerminateTask();
}
