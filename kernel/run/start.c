/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting: chapter 13.7. */
#include "kernel/jobs/stop.h"
#include "kernel/run/kernel.h"

#include "kernel/clock/begin.h"
#include "kernel/core/check.h"
#include "kernel/core/kernel.h"
#include "kernel/core/stream.h"
#include "kernel/giotto/begin.h"
#include "kernel/levels/served.h"
#include "kernel/microcode/tasks.h"

static AppModeType osek_active_mode;
#if (CARILLON_MODES > 0) || CARILLON_CLOCK_HOOKED
bool carillon_osek_up;
#endif

static __attribute__((noinline)) void begin_stack(const struct carillon_osek_task *task)
{
    const uint64_t *const above = &task->stack[task->stack_words];
    for (uint64_t *word = task->stack; word != above; word++) {
        *word = FILL;
    }
    carillon_osek_begin_context(task);
}

/* Each task is suspended, and its stack is empty. */
static void start_tasks(void)
{
    for (uint_fast8_t task = 0; task != CARILLON_OSEK_TASKS; task++) {
        carillon_osek_jobs[task].next = CARILLON_OSEK_UNDECIDED;
        if (CARILLON_OSEK_EVENTS) {
            begin_stack(&carillon_osek_tasks[task]);
        }
    }
}

/* The tasks of a mode that begin at once.  Where nobody can have activated anything before, there is nothing to
 * check. */
static void activate_tasks(AppModeType mode)
{
    const bool checks = (CARILLON_OSEK_STARTUP_HOOK != 0) || (CARILLON_OSEK_DIRECT != 0) ||
                        (CARILLON_OSEK_LEVEL_CELLS != 0) || (CARILLON_OSEK_FRAMES > 0u);
    for (uint_fast8_t task = 0; task != CARILLON_OSEK_TASKS; task++) {
        if (((carillon_osek_tasks[task].autostart >> mode) & 1u) != 0u) {
            if (checks) {
                (void)carillon_osek_activate((TaskType)task);
            } else {
                carillon_osek_jobs[task].activations = 1u;
                carillon_osek_ready((TaskType)task);
            }
        }
    }
}

#if CARILLON_OSEK_QUEUES
#if CARILLON_BASE_BITS > 0
static void start_ticker(CounterType part, carillon_base now)
{
    const carillon_base units = (carillon_base)carillon_osek_counters[part].units;
    if (units != 0u) {
        carillon_osek_counter_states[part].ticker.at = carillon_base_last(units, now);
        carillon_osek_look_ahead(part);
    }
}
#else
static inline void start_ticker(CounterType part, carillon_base now)
{
    (void)part;
    (void)now;
}
#endif

static void start_counters(void)
{
    const carillon_base now = carillon_base_left();
    for (uint32_t part = 0; part < CARILLON_OSEK_PARTS; part++) {
        carillon_queue_init(carillon_osek_queue_of((CounterType)part));
        start_ticker((CounterType)part, now);
    }
}
#else
static inline void start_counters(void)
{
}
#endif

#if CARILLON_OSEK_QUEUE_STARTS
static void start_alarms(AppModeType mode)
{
    for (uint32_t alarm = 0; alarm < CARILLON_OSEK_ALARMS; alarm++) {
        const struct carillon_osek_alarm *const fixed = &carillon_osek_alarms[alarm];
        if ((((fixed->autostart >> mode) & 1u) != 0u) && (fixed->cell == NULL)) {
            carillon_osek_alarm_states[alarm].cycle = fixed->cycle;
            carillon_osek_insert(fixed->counter, &carillon_osek_alarm_states[alarm],
                                 (fixed->absolute != 0u) ? carillon_osek_until(fixed->counter, 0u, fixed->start)
                                                         : (carillon_osek_distance)fixed->start);
        }
    }
}
#else
static inline void start_alarms(AppModeType mode)
{
    (void)mode;
}
#endif

/* Lock the own interrupts: beneath a round, which has all others.  Returns what unlocks them. */
static uint32_t lock_own(void)
{
    return (CARILLON_MODES > 0) ? carillon_port_raise(CARILLON_OSEK_ALL) : carillon_port_lock();
}

static void unlock_own(uint32_t saved)
{
    if (CARILLON_MODES > 0) {
        carillon_port_restore(saved);
    } else {
        carillon_port_unlock(saved);
    }
}

#if CARILLON_MODES == 0
void carillon_start_refuse(void)
{
    (void)carillon_port_lock();
    if (CARILLON_OSEK_SHUTDOWN_HOOK) {
        (void)carillon_osek_enter_hook(IN_SYSTEM_HOOK);
        ShutdownHook(E_OS_SYS_START);
    }
    carillon_port_halt();
}
#endif

/* Beneath time-triggered tasks, the cells were started with the round's, and only the own interrupts are locked. */
void StartOS(AppModeType mode)
{
    if ((CARILLON_START_CHECKED != 0) && (CARILLON_MODES == 0) && carillon_start_refused()) { /* else ttStartOS asked */
        carillon_start_refuse();
    }
    if (mode >= (AppModeType)CARILLON_OSEK_MODES) {
        carillon_port_halt(); /* nothing has started that could be stopped */
    }
    if (CARILLON_OSEK_MODES > 1u) {
        osek_active_mode = mode;
    }
    CARILLON_PORT_BEGIN(); /* nothing is masked; the round has done so where there is one */
    carillon_calendar_start();
    const uint32_t locked = carillon_osek_hold(); /* undone last: tasks begin there */
    const uint32_t saved = lock_own();
    if (CARILLON_OSEK_MANAGED) {
        start_tasks();
    }
    carillon_mode_store(carillon_osek_forget, carillon_osek_forget_count); /* what the hook requests is served later */
    if (CARILLON_OSEK_STARTUP_HOOK) {
        const struct carillon_osek_hook_state before = carillon_osek_enter_hook(IN_SYSTEM_HOOK);
        StartupHook();
        carillon_osek_leave_hook(before);
    }
    if (CARILLON_OSEK_UP_IS_ASKED) {
        carillon_osek_up = true;
    }
    if (CARILLON_MODES == 0) {
        carillon_mode_start(&carillon_osek_image);
    }
    carillon_osek_start_expiries();
    if (CARILLON_OSEK_AUTOSTART) {
        activate_tasks(mode);
    }
    carillon_clock_start();
    carillon_server_start();
    carillon_time_start_threads();
    carillon_rtos_start();
    start_counters();
    start_alarms(mode);
    carillon_osek_start_schedule_tables(mode);
    carillon_osek_start_tables_on_cells(mode);
    carillon_giotto_start();
    carillon_microcode_start();
    carillon_mode_store(carillon_osek_enable, carillon_osek_enable_count);
    unlock_own(saved);
    carillon_osek_release(locked);
    for (;;) {
        if (!carillon_stream_send()) {
            carillon_port_idle();
        }
    }
}

AppModeType GetActiveApplicationMode(void)
{
    return osek_active_mode;
}
