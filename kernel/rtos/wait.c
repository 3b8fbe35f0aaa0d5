/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting, of threads of programs for other kernels; and the lock that keeps other threads from running. */
#include "kernel/rtos/wait.h"

#if CARILLON_RTOS_HEAP > 0

uint8_t carillon_rtos_state;
uint32_t carillon_rtos_timer_source;
static uint8_t locked;

bool carillon_rtos_is_locked(void)
{
    return locked != 0u;
}

/* Before StartOS no task runs, and main calls.  The function of a timer may call what a thread calls, but must not
 * wait. */
bool carillon_rtos_in_isr(void)
{
    uint8_t level;
    if ((carillon_rtos_state != CARILLON_RTOS_RUNNING) || carillon_rtos_in_timer()) {
        return false;
    }
    return (carillon_osek_running == INVALID_TASK) || !carillon_time_is_own(carillon_osek_running, &level);
}

bool carillon_rtos_may_wait(void)
{
    return (locked == 0u) && carillon_time_may_wait(carillon_osek_running);
}

/* Why the caller is no thread, and must not lock; CARILLON_RTOS_OK: it is one. */
static int refuses_lock(void)
{
    if (carillon_rtos_in_isr()) {
        return CARILLON_RTOS_IN_ISR;
    }
    const bool is_thread = (carillon_rtos_state == CARILLON_RTOS_RUNNING) && !carillon_rtos_in_timer();
    return is_thread ? CARILLON_RTOS_OK : CARILLON_RTOS_ERROR;
}

/* The highest level of tasks is raised to, so that no other task begins, and interrupts do. */
int carillon_rtos_lock(bool lock)
{
    static uint32_t unlocks; /* the mask as it was before */
    const int refusal = refuses_lock();
    if (refusal != CARILLON_RTOS_OK) {
        return refusal;
    }
    const uint8_t before = locked;
    if (lock && (before == 0u)) {
        unlocks = carillon_osek_raise(CARILLON_OSEK_TASK_LEVELS);
        locked = 1u;
    }
    if (!lock && (before != 0u)) {
        locked = 0u;
        carillon_osek_lower(unlocks);
    }
    return (int)before;
}

int carillon_rtos_nest(bool lock)
{
    static uint32_t depth; /* of a thread, which no other one preempts meanwhile */
    const int refusal = refuses_lock();
    if (refusal != CARILLON_RTOS_OK) {
        return refusal;
    }
    if (lock) {
        depth++;
        return carillon_rtos_lock(true);
    }
    depth -= (depth != 0u) ? 1u : 0u;
    return (depth == 0u) ? carillon_rtos_lock(false) : 1;
}

static int refuses_wait(void)
{
    return carillon_rtos_in_isr() ? CARILLON_RTOS_IN_ISR : CARILLON_RTOS_ERROR;
}

/* A thread that waits for a time has waited, until then or until it was resumed; or it may not wait so long. */
static int wait_for_time(uint32_t saved, uint32_t ticks)
{
    static struct carillon_semaphore never; /* the line of those for whom nobody has anything */
    struct carillon_rtos_waiter own;
    const int status = carillon_rtos_wait(&own, &never, saved, ticks);
    return (status == CARILLON_RTOS_TIMEOUT) ? CARILLON_RTOS_OK : status;
}

int carillon_rtos_delay(uint32_t ticks)
{
    if (!carillon_rtos_may_wait()) {
        return refuses_wait();
    }
    if (ticks == 0u) {
        return CARILLON_RTOS_PARAMETER;
    }
    return wait_for_time(carillon_osek_lock(), ticks);
}

int carillon_rtos_delay_until(uint32_t time)
{
    if (!carillon_rtos_may_wait()) {
        return refuses_wait();
    }
    const uint32_t saved = carillon_osek_lock();
    const uint32_t ahead = time - carillon_time_now();
    if ((ahead == 0u) || (ahead > (uint32_t)INT32_MAX)) { /* it has passed */
        carillon_osek_unlock(saved);
        return CARILLON_RTOS_PARAMETER;
    }
    return wait_for_time(saved, ahead);
}

int carillon_rtos_wait(struct carillon_rtos_waiter *own, struct carillon_semaphore *line, uint32_t saved,
                       uint32_t ticks)
{
    const bool within = ticks != CARILLON_RTOS_FOREVER;
    if ((ticks == 0u) || (within && (ticks > CARILLON_LONGEST_DURATION))) {
        carillon_osek_unlock(saved);
        return (ticks == 0u) ? CARILLON_RTOS_RESOURCE : CARILLON_RTOS_PARAMETER;
    }
    struct carillon_waiter *const waiter = &own->waiter;
    carillon_time_sleeps(&waiter->sleeper, carillon_osek_running,
                         within ? CARILLON_ACTION_TIME_OUT : CARILLON_ACTION_WAKE);
    waiter->result = E_OS_NOFUNC;
    carillon_time_line_up(waiter, line);
    if (within) {
        carillon_time_insert(&waiter->sleeper.timed, (carillon_duration)ticks);
    }
    struct carillon_rtos_thread *const self = &carillon_rtos_threads[carillon_osek_running];
    self->waiter = waiter;
    carillon_time_wait(waiter->sleeper.extended);
    self->waiter = NULL;
    if (self->ends != 0u) {
        carillon_rtos_thread_exit();
    }
    if (waiter->result == E_OK) {
        return CARILLON_RTOS_OK;
    }
    return (waiter->result == E_OS_NOFUNC) ? CARILLON_RTOS_TIMEOUT : CARILLON_RTOS_RESOURCE;
}

void carillon_rtos_dismiss(struct carillon_semaphore *line)
{
    while (line->first != NULL) { /* bounded by the number of threads */
        struct carillon_waiter *const waiter = line->first;
        carillon_time_leaves_line(&line->first, waiter);
        waiter->result = E_OS_STATE;
        carillon_time_wake(&waiter->sleeper);
    }
}

#endif
