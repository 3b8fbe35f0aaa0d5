/* SPDX-License-Identifier: Apache-2.0
 *
 * The owner of the machine: algorithms 3, 5 and 6 of the paper on the kernel's threads.
 *
 * 1. A thread runs only while `chosen` is its task, or on its way to find out that it is not: wherever a thread goes
 * on, it looks, under the lock (park).
 * 2. The tick's handler preempts a thread in its own code, or on the way there or back.  In its own code, and if it is
 * not the chosen one any more, it is made to park.  Elsewhere it is about to look.
 * 3. A thread that is chosen and is parked is made ready.  Otherwise it is ready already, or runs, and will look.  So
 * it is at most once in its level's ring.
 * 4. A task that is terminated begins anew at its next turn, on an empty stack.  If the tick has preempted it in its
 * own code, it gives that stack up itself, where nothing but the handler is to come back.
 * 5. The handler comes back to what it has preempted, with nothing saved but by the hardware, if the chosen task stays
 *    the same. */
#include "kernel/microcode/tasks.h"

#include "kernel/microcode/machine.h"
#include "kernel/osek/error.h"

static uint16_t chosen = CARILLON_MICROCODE_NONE;
static uint16_t current = CARILLON_MICROCODE_NONE; /* the last task that went on */
static uint16_t ending = CARILLON_MICROCODE_NONE;  /* the task whose thread asks the machine */
static const void *preempted;                      /* the frame of what the tick has preempted */
static uint32_t now;
static bool abandoned; /* `current`, in its own code */
static bool parked[CARILLON_MICROCODE_TASKS];

static inline const struct carillon_osek_task *thread_of(uint16_t task)
{
    return &carillon_osek_tasks[carillon_microcode_tasks[task].thread];
}

/* Has the tick preempted this task in its own code? */
static bool is_preempted(uint16_t task)
{
    const struct carillon_osek_task *const it = thread_of(task);
    return (task == current) &&
           carillon_port_is_in(preempted, it->source, it->stack, it->stack_words, &it->extended->context);
}

static void wake(uint16_t task)
{
    parked[task] = false;
    carillon_osek_ready(carillon_microcode_tasks[task].thread);
}

/* The machine is asked, and the task that it chooses can go on; locked. */
static void choose(void)
{
    chosen = carillon_machine_instant(now);
    if ((chosen != CARILLON_MICROCODE_NONE) && parked[chosen]) {
        wake(chosen);
    }
}

/* As a thread: wait until it is chosen; locked, before and after. */
static void park(uint16_t task)
{
    struct carillon_osek_extended *const extended = thread_of(task)->extended;
    while (chosen != task) {
        parked[task] = true;
        extended->waited = CARILLON_OSEK_WAKE; /* from now on: the thread never ends for its level's handler */
        carillon_port_suspend(&extended->context);
        (void)carillon_osek_lock();
    }
    current = task;
}

void carillon_microcode_thread(uint16_t task)
{
    for (;;) {
        const uint32_t saved = carillon_osek_lock();
        park(task);
        carillon_osek_unlock(saved);
        carillon_microcode_tasks[task].compute();
        (void)carillon_osek_lock();
        carillon_microcode_tasks[task].commit();
        carillon_machine_end(task);
        ending = task;
        choose();
        ending = CARILLON_MICROCODE_NONE;
        carillon_osek_unlock(saved);
    }
}

/* As the thread that the tick has preempted in its own code. */
static void give_way(void)
{
    const uint16_t task = current;
    const uint32_t saved = carillon_osek_lock();
    if (abandoned) {
        const struct carillon_osek_task *const it = thread_of(task);
        abandoned = false;
        parked[task] = true;
        it->extended->waited = CARILLON_OSEK_WAKE;
        carillon_osek_begin_context(it);
        if (chosen == task) {
            wake(task);
        }
        carillon_port_leave(&it->extended->context);
    }
    park(task);
    carillon_osek_unlock(saved);
}

void carillon_microcode_tick(const void *frame)
{
    static bool started;
    if (started) {
        now++;
    } else {
        started = true;
        carillon_machine_start(&carillon_microcode_first, now);
    }
    preempted = frame;
    choose();
    if (((chosen != current) || abandoned) && (current != CARILLON_MICROCODE_NONE) && is_preempted(current)) {
        carillon_port_run_preempted(give_way, thread_of(current)->source);
    }
}

void carillon_machine_released(uint16_t task, uint32_t deadline)
{
    (void)task;
    (void)deadline;
}

void carillon_machine_terminated(uint16_t task)
{
    if (task == ending) {
        return; /* at its beginning */
    }
    if ((ending == CARILLON_MICROCODE_NONE) && is_preempted(task)) {
        abandoned = true;
    } else {
        carillon_osek_begin_context(thread_of(task));
    }
}

__attribute__((weak)) void carillon_machine_fault(enum carillon_machine_fault fault, uint16_t task, uint16_t address)
{
    (void)fault;
    (void)task;
    (void)address;
}
