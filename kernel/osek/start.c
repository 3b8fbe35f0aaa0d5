/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting and stopping: chapter 13.7. */
#include "kernel/osek/error.h"

#include "kernel/core/kernel.h"
#if CARILLON_OSEK_TIME
#include "kernel/time/clock.h"
#endif
#if CARILLON_GIOTTO
#include "kernel/giotto/blocks.h"
#endif

/* What a stack holds where nobody has been. */
#define FILL UINT64_C(0xC0DEC0DEC0DEC0DE)

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

/* Beneath time-triggered tasks, the cells were started with the round's, and only the own interrupts are locked. */
void StartOS(AppModeType mode)
{
    if (mode >= (AppModeType)CARILLON_OSEK_MODES) {
        carillon_port_halt(); /* nothing has started that could be stopped */
    }
#if CARILLON_OSEK_MODES > 1
    osek_active_mode = mode;
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
#endif
#if CARILLON_OSEK_QUEUES
    carillon_osek_start_counters(mode);
#endif
#if CARILLON_OSEK_TABLE_CELLS > 0
    carillon_osek_start_tables_on_cells(mode);
#endif
#if CARILLON_GIOTTO
    carillon_giotto_start();
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

void ShutdownOS(StatusType error)
{
#if CARILLON_MODES > 0
    (void)carillon_port_raise(CARILLON_OSEK_ALL);
    carillon_osek_up = false;
#else
    (void)carillon_port_lock();
#endif
    carillon_mode_stop(&carillon_osek_image);
    carillon_mode_store(carillon_osek_disable, carillon_osek_disable_count);
#if CARILLON_OSEK_SHUTDOWN_HOOK
    (void)carillon_osek_enter_hook(IN_SYSTEM_HOOK);
    ShutdownHook(error);
#endif
    (void)error;
#if CARILLON_MODES > 0
    for (;;) { /* what is time-triggered goes on */
        carillon_port_idle();
    }
#else
    carillon_port_halt();
#endif
}

AppModeType GetActiveApplicationMode(void)
{
    return ACTIVE_MODE;
}

#if CARILLON_OSEK_EVENTS

uint32_t carillon_stack_used(TaskType task)
{
    const struct carillon_osek_task *const it = &carillon_osek_tasks[task];
    uint32_t untouched = 0u;
    while ((untouched < it->stack_words) && (it->stack[untouched] == FILL)) {
        untouched++;
    }
    return 8u * (it->stack_words - untouched);
}

#if CARILLON_OSEK_STACK_CHECK
/* Below a stack lie words that only one that does not suffice reaches. */
void carillon_osek_check_stack(const struct carillon_osek_task *task)
{
    for (uint32_t word = 0; word < CARILLON_OSEK_GUARD; word++) {
        if (task->stack[word] != FILL) {
            ShutdownOS(E_OS_STACKFAULT);
        }
    }
}
#endif
#else
uint32_t carillon_stack_used(TaskType task)
{
    (void)task;
    return 0u;
}
#endif
