/* SPDX-License-Identifier: Apache-2.0
 *
 * The owner of the machine: algorithms 3, 5 and 6 of the paper on the kernel's threads.
 *
 * 1. A thread runs only while `chosen` is its task, or on its way to find out that it is not.  Wherever a thread goes
 *    on, it looks at `chosen` under the lock (park).
 * 2. `current` is the task that is in its own code, NONE while none is.  It is set and cleared under the lock, which
 *    holds the tick back.  So the tick finds a thread in its own code, or about to look, or none.
 * 3. A thread in its own code that is not the chosen one any more is made to park.  If an interrupt has preempted it
 *    that the tick has preempted in turn, the next tick does it.
 * 4. A thread that is chosen and is parked is gone on to by the one that parks.  If none is in its own code, it is made
 *    ready.  It is not parked any more then; who is about to look leaves it to its level's handler.  So a thread is at
 *    most once in its level's ring.
 * 5. A task that is terminated begins anew at its next turn, on an empty stack.  Its thread gives the old stack up
 *    itself, in one of three ways.  The tick has preempted it, and nothing but the tick's handler is to come back: it
 *    does so there.  It has parked: it does so at its next turn.  Or its function ends before, and its results are
 *    dropped.
 * 6. The handler comes back to what it has preempted, with nothing saved but by the hardware, if the chosen task stays
 *    the same.
 * 7. Time is what the time base counts (base.h), and not how often the tick's handler came: a driver, a lock or an ISR
 *    may hold that back for several ticks.  Each of these is an instant of its own, carried out late, in order.  A tick
 *    that passes while they are carried out has the handler come again.  Without a time base, such ticks are lost.
 *
 * With CARILLON_MICROCODE_WAKES, no cell ticks: the clock (kernel/clock/clock_steps.h) expires where something is due.
 * The clock is the machine's alone, and its queue is empty.
 *
 * 8. The clock's reference is the tick `now`: it moves by whole ticks, and from tick to tick.  So nothing adds up.
 * 9. `due` is the next tick at which the machine has something to do, and later than `now`.  `now` gets there in the
 *    handler alone.  If a task ends when `due` has passed and the handler is held back, it has ended just before: with
 *    a tick, it would be the same.
 * 10. The clock expires at `due` or earlier.  It expires earlier if it does not reach that far, and the handler then
 *     finds nothing to do, and sets it anew.  If an expiry is set too late to be seen, clock_arm says so: it looks at
 *     the time after it has set it.  Then the handler goes on until the time has come, or is made to come.
 * 11. A preempted thread is looked for again a tick later (3). */
#include "kernel/microcode/tasks.h"

#include "kernel/clock/base.h"
#include "kernel/core/kernel.h"
#include "kernel/microcode/log.h"
#include "kernel/microcode/machine.h"
#include "kernel/run/kernel.h"
#if CARILLON_MICROCODE_WAKES > 0
#include "kernel/clock/clock_steps.h"
#endif

#define NONE CARILLON_MICROCODE_NONE

static uint16_t chosen = NONE;
static uint16_t current = NONE;
static uint16_t ending = NONE;                   /* the task whose thread asks the machine */
static uint32_t now = UINT32_MAX;                /* one tick before the first instant */
static bool abandoned[CARILLON_MICROCODE_TASKS]; /* terminated, and its thread has not begun anew */
static bool parked[CARILLON_MICROCODE_TASKS];

static inline const struct carillon_osek_task *thread_of(uint16_t task)
{
    return &carillon_osek_tasks[carillon_microcode_tasks[task].thread];
}

/* Make the chosen task's thread ready if it is parked; locked. */
static void wake(void)
{
    if ((chosen != NONE) && parked[chosen]) {
        parked[chosen] = false;
        carillon_osek_ready(carillon_microcode_tasks[chosen].thread);
    }
}

/* As a thread: wait until it is chosen; locked, before and after. */
static inline void park(uint16_t task)
{
    struct carillon_context *const context = &carillon_microcode_tasks[task].extended->context;
    while (chosen != task) {
        parked[task] = true;
        if ((chosen != NONE) && parked[chosen]) {
            const struct carillon_microcode_task *const next = &carillon_microcode_tasks[chosen];
            parked[chosen] = false;
            carillon_osek_running = next->thread;
            carillon_port_exchange(context, &next->extended->context);
        } else {
            carillon_port_suspend(context);
        }
        (void)carillon_osek_lock(); /* its level's handler may have let it go on, which keeps no lock */
    }
    current = task;
}

/* In its own code, a thread has nothing masked. */
static inline void unlock(void)
{
    carillon_osek_unlock(0u);
}

#if CARILLON_MICROCODE_WAKES > 0
#define MOST (CARILLON_CLOCK_REACH / CARILLON_MICROCODE_WAKES)
#if CARILLON_CLOCK_REACH < (2u * CARILLON_MICROCODE_WAKES)
#error "the clock does not reach two ticks of the machine"
#endif

static uint32_t due;

/* Move `now` and the reference by the ticks that have passed, and by so many at most. */
static __attribute__((noinline)) void go_on(uint32_t most)
{
    const uint32_t passed = (uint32_t)clock_elapsed() / CARILLON_MICROCODE_WAKES;
    const uint32_t step = (passed < most) ? passed : most;
    now += step;
    clock_account((carillon_span)(step * CARILLON_MICROCODE_WAKES));
}

/* Set the clock to `due`: is it certain that it will expire there? */
static __attribute__((noinline)) bool set(void)
{
    const uint32_t left = due - now;
    return clock_arm((carillon_span)(((left < MOST) ? left : MOST) * CARILLON_MICROCODE_WAKES));
}

static uint32_t next_due(void)
{
    uint32_t time;
    (void)carillon_machine_next(&time);
    return time;
}

/* The handler is to come as soon as it can. */
#if CARILLON_CLOCK_REQUESTS
static void call(void)
{
    carillon_device_request();
}
#else
static void call(void)
{
    carillon_span margin = CARILLON_CLOCK_MINIMUM;
    while (!clock_arm((carillon_span)(clock_elapsed() + margin))) { /* bounded by the bits of the counter */
        margin = (carillon_span)(margin + margin);
    }
}
#endif

static __attribute__((noinline)) void set_or_call(uint32_t time)
{
    due = time;
    if (!set()) {
        call();
    }
}

/* Before the machine is told that a task has ended, and after that. */
static inline void follow(void)
{
    go_on(due - now - 1u);
}
static inline void follow_up(void)
{
    const uint32_t time = next_due();
    if (time != due) {
        set_or_call(time);
    }
}

__attribute__((cold)) void carillon_microcode_start(void)
{
    carillon_machine_start(&carillon_microcode_first, 0u);
    clock_account(clock_elapsed());
    carillon_device_enable();
    set_or_call(0u);
}

void carillon_microcode_replaced(void)
{
    follow();
    set_or_call(now + 1u);
}

static inline void look_again(void)
{
    set_or_call(now + 1u);
}

/* In the handler: carry out all instants that are due.  Bounded by these, and by what the clock cannot see of the time
 * before the next one. */
static inline __attribute__((always_inline)) void catch_up(void)
{
    carillon_device_acknowledge();
    do {
        go_on(due - now);
        chosen = carillon_machine_instant(now);
        due = next_due();
    } while (!set());
}
#else
static inline void call(void)
{
}
static inline void follow(void)
{
}
static inline void follow_up(void)
{
}
static inline void look_again(void)
{
}

static inline void instant(void)
{
    now++;
    if (now == 0u) {
        static bool started;
        if (!started) { /* and not after 2^32 ticks again */
            started = true;
            carillon_machine_start(&carillon_microcode_first, now);
        }
    }
    chosen = carillon_machine_instant(now);
}

#if CARILLON_MICROCODE_UNITS > 0
static carillon_base at = CARILLON_BASE_ORIGIN; /* the last tick that was carried out */

static __attribute__((noinline)) void catch_up_late(void)
{
    for (carillon_base left = carillon_base_ticks(at, CARILLON_MICROCODE_UNITS); left != 0u; left--) {
        at = carillon_base_later(at, CARILLON_MICROCODE_UNITS);
        instant();
    }
}

static inline __attribute__((always_inline)) void catch_up(void)
{
    if (carillon_base_one(at, CARILLON_MICROCODE_UNITS)) {   /* mostly */
        at = (carillon_base)(at - CARILLON_MICROCODE_UNITS); /* as it has not begun anew, so has this not */
        instant();
    } else {
        catch_up_late();
    }
}
#else
static inline __attribute__((always_inline)) void catch_up(void)
{
    instant();
}
#endif
#endif

void carillon_microcode_thread(uint16_t task)
{
    const struct carillon_microcode_task *const fixed = &carillon_microcode_tasks[task];
    (void)carillon_osek_lock();
    fixed->extended->waited = CARILLON_OSEK_WAKE; /* the thread never ends for its level's handler */
    for (;;) {
        park(task);
        abandoned[task] = false; /* here, it begins */
        if (CARILLON_LOADER_LOG > 0u) {
            carillon_log_note(CARILLON_LOG_BEGUN, task, now);
        }
        unlock();
        CARILLON_NOTE(fixed->compute);
        fixed->compute();
        (void)carillon_osek_lock();
        current = NONE;
        if (!abandoned[task]) {
            fixed->commit();
            ending = task;
            follow();
            if (CARILLON_LOADER_LOG > 0u) {
                carillon_log_note(CARILLON_LOG_ENDED, task, now);
            }
            chosen = carillon_machine_ended(task, now);
            follow_up();
            ending = NONE;
        }
    }
}

/* Give up the stack of a task that was terminated. */
static __attribute__((cold, noinline)) void give_up(uint16_t task)
{
    const struct carillon_osek_task *const fixed = thread_of(task);
    current = NONE;
    parked[task] = true;
    carillon_osek_begin_context(fixed);
    wake();
    carillon_port_leave(&fixed->extended->context);
}

/* As the thread that the tick has preempted in its own code. */
static void give_way(void)
{
    (void)carillon_osek_lock();
    const uint16_t task = current;
    current = NONE;
    if (!abandoned[task]) {
        park(task);
    }
    if (abandoned[task]) { /* since before, or while it was parked */
        give_up(task);
    }
    unlock();
}

void carillon_microcode_tick(const void *frame)
{
    catch_up();
    if (current == NONE) {
        wake();
    } else if ((chosen != current) || abandoned[current]) {
        const struct carillon_osek_task *const fixed = thread_of(current);
        const bool computes =
            (carillon_port_mask() == 0u) &&
            carillon_port_is_in(frame, fixed->source, fixed->stack, fixed->stack_words, &fixed->extended->context);
        if (computes) {
            carillon_port_run_preempted(give_way, fixed->source);
        } else {
            look_again();
        }
    } else {
        /* it goes on */
    }
}

void carillon_microcode_event(uint32_t *events)
{
    const uint32_t saved = carillon_osek_lock(); /* which holds the tick back */
    *events += 1u;
    carillon_machine_input();
    call();
    carillon_osek_unlock(saved);
}

void carillon_machine_terminated(uint16_t task)
{
    abandoned[task] = task != ending; /* that is at its beginning */
}

__attribute__((weak)) void carillon_machine_fault(enum carillon_machine_fault fault, uint16_t task, uint16_t address)
{
    (void)fault;
    (void)task;
    (void)address;
}
