/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting: chapter 13.7. */
#include "kernel/osek/kernel.h"
#include "kernel/osek/stop.h"

#include "kernel/core/kernel.h"
#if CARILLON_OSEK_TIME
#include "kernel/osek/served.h"
#include "kernel/time/clock.h"
#endif
#if CARILLON_GIOTTO
#include "kernel/giotto/blocks.h"
#endif
#if CARILLON_MICROCODE_WAKES > 0
#include "kernel/microcode/tasks.h"
#endif

#if CARILLON_OSEK_MODES > 1
static AppModeType osek_active_mode;
#define ACTIVE_MODE osek_active_mode
#else
#define ACTIVE_MODE 0u
#endif
#if (CARILLON_MODES > 0) || CARILLON_CLOCK_HOOKED
bool carillon_osek_up;
#endif

#if CARILLON_OSEK_EVENTS
static __attribute__((noinline)) void begin_stack(const struct carillon_osek_task *task)
{
    const uint64_t *const above = &task->stack[task->stack_words];
    for (uint64_t *word = task->stack; word != above; word++) {
        *word = FILL;
    }
    carillon_osek_begin_context(task);
}
#endif

#if CARILLON_OSEK_QUEUES
static void start_counters(AppModeType mode)
{
#if CARILLON_BASE_BITS > 0
    const carillon_base now = carillon_base_left(); /* once: all parts of a counter begin in the same tick */
#endif
    for (uint32_t counter = 0; counter < CARILLON_OSEK_PARTS; counter++) {
        carillon_queue_init(carillon_osek_queue_of((CounterType)counter));
#if CARILLON_BASE_BITS > 0
        const carillon_base units = (carillon_base)carillon_osek_counters[counter].units;
        if (units != 0u) {
            carillon_osek_counter_states[counter].ticker.at = carillon_base_last(units, now);
            carillon_osek_look_ahead((CounterType)counter);
        }
#endif
    }
#if CARILLON_OSEK_QUEUE_STARTS
    for (uint32_t alarm = 0; alarm < CARILLON_OSEK_ALARMS; alarm++) {
        const struct carillon_osek_alarm *const fixed = &carillon_osek_alarms[alarm];
        if ((((fixed->autostart >> mode) & 1u) != 0u) && (fixed->cell == NULL)) {
            carillon_osek_alarm_states[alarm].cycle = fixed->cycle;
            carillon_osek_insert(fixed->counter, &carillon_osek_alarm_states[alarm],
                                 (fixed->absolute != 0u) ? carillon_osek_until(fixed->counter, 0u, fixed->start)
                                                         : (carillon_osek_distance)fixed->start);
        }
    }
#endif
    (void)mode;
}
#endif

/* Beneath time-triggered tasks, the cells were started with the round's, and only the own interrupts are locked. */
void StartOS(AppModeType mode)
{
    if (mode >= (AppModeType)CARILLON_OSEK_MODES) {
        carillon_port_halt(); /* nothing has started that could be stopped */
    }
#if CARILLON_OSEK_MODES > 1
    osek_active_mode = mode;
#endif
#ifdef CARILLON_PORT_BEGIN
    CARILLON_PORT_BEGIN(); /* nothing is masked; the round has done so where there is one */
#endif
    const uint32_t locked = carillon_osek_hold(); /* undone last: tasks begin there */
#if CARILLON_MODES > 0
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_ALL);
#else
    const uint32_t saved = carillon_port_lock();
#endif
#if CARILLON_OSEK_MANAGED
    for (uint_fast8_t task = 0; task < CARILLON_OSEK_TASKS; task++) {
        carillon_osek_jobs[task].next = CARILLON_OSEK_UNDECIDED;
#if CARILLON_OSEK_EVENTS
        begin_stack(&carillon_osek_tasks[task]);
#endif
    }
#endif
    carillon_mode_store(carillon_osek_forget, carillon_osek_forget_count); /* what the hook requests is served later */
#if CARILLON_OSEK_STARTUP_HOOK
    const struct carillon_osek_hook_state before = carillon_osek_enter_hook(IN_SYSTEM_HOOK);
    StartupHook();
    carillon_osek_leave_hook(before);
#endif
#if (CARILLON_MODES > 0) || CARILLON_CLOCK_HOOKED
    carillon_osek_up = true;
#endif
#if CARILLON_MODES == 0
    carillon_mode_start(&carillon_osek_image);
#endif
    carillon_osek_start_expiries();
#if CARILLON_OSEK_AUTOSTART
    for (uint_fast8_t task = 0; task < CARILLON_OSEK_TASKS; task++) {
        if (((carillon_osek_tasks[task].autostart >> mode) & 1u) != 0u) {
#if CARILLON_OSEK_STARTUP_HOOK || CARILLON_OSEK_DIRECT || CARILLON_OSEK_LEVEL_CELLS || (CARILLON_OSEK_FRAMES > 0)
            (void)carillon_osek_activate((TaskType)task);
#else
            carillon_osek_jobs[task].activations = 1u; /* nobody has activated anything before */
            carillon_osek_ready((TaskType)task);
#endif
        }
    }
#endif
#if CARILLON_OSEK_TIME
#if CARILLON_CLOCK_STARTS
    carillon_clock_start();
#endif
#if CARILLON_OSEK_SERVERS > 0
    carillon_server_start();
#endif
#if (CARILLON_TIME_OFFSETS > 0) || (CARILLON_TIME_DEADLINES > 0)
    carillon_time_start_threads();
#endif
#endif
#if CARILLON_OSEK_QUEUES
    start_counters(mode);
#endif
#if CARILLON_OSEK_CURSORS > 0
    carillon_osek_start_schedule_tables(mode);
#endif
#if CARILLON_OSEK_TABLE_CELLS > 0
    carillon_osek_start_tables_on_cells(mode);
#endif
#if CARILLON_GIOTTO
    carillon_giotto_start();
#endif
#if CARILLON_MICROCODE_WAKES > 0
    carillon_microcode_start();
#endif
    carillon_mode_store(carillon_osek_enable, carillon_osek_enable_count);
#if CARILLON_MODES > 0
    carillon_port_restore(saved);
#else
    carillon_port_unlock(saved);
#endif
    carillon_osek_release(locked);
    for (;;) {
        carillon_port_idle();
    }
}

AppModeType GetActiveApplicationMode(void)
{
    return ACTIVE_MODE;
}
