/* SPDX-License-Identifier: Apache-2.0
 *
 * Stopping: chapter 13.7; and stacks that do not suffice. */
#include "kernel/jobs/stop.h"

#include "kernel/core/kernel.h"
#include "kernel/core/stream.h"

void ShutdownOS(StatusType error)
{
    if (CARILLON_MODES > 0) {
        (void)carillon_port_raise(CARILLON_OSEK_ALL);
        carillon_osek_up = false;
    } else {
        (void)carillon_port_lock();
    }
    carillon_mode_stop(&carillon_osek_image);
    carillon_mode_store(carillon_osek_disable, carillon_osek_disable_count);
    if (CARILLON_OSEK_SHUTDOWN_HOOK) {
        (void)carillon_osek_enter_hook(IN_SYSTEM_HOOK);
        ShutdownHook(error);
    }
    if (CARILLON_MODES == 0) {
        carillon_port_halt();
    }
    for (;;) { /* what is time-triggered goes on */
        if (!carillon_stream_send()) {
            carillon_port_idle();
        }
    }
}

#if CARILLON_OSEK_EVENTS

uint32_t carillon_stack_used(TaskType task)
{
    const struct carillon_osek_task *const fixed = &carillon_osek_tasks[task];
    uint32_t untouched = 0u;
    while ((untouched < fixed->stack_words) && (fixed->stack[untouched] == FILL)) {
        untouched++;
    }
    return 8u * (fixed->stack_words - untouched);
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
