/* SPDX-License-Identifier: Apache-2.0
 *
 * What a job begins with. */
#include "kernel/jobs/job.h"

#if CARILLON_OSEK_MANAGED

#if CARILLON_OSEK_EVENTS && CARILLON_NARROW
void carillon_osek_begin_context(const struct carillon_osek_task *task)
{
    carillon_osek_begin_context_inlined(task);
}
#endif

#endif

#if CARILLON_OSEK_MUTEXES > 0
/* Is a level's own task ready, which is not in a queue; locked. */
static bool own_is_ready(const struct carillon_osek_level *level)
{
    const TaskType task = level->task;
    const struct carillon_osek_extended *const extended = carillon_osek_tasks[task].extended;
    if ((level->capacity != 0u) || (carillon_osek_mutexes.holders[task].at != 0u) || carillon_osek_suspended(task)) {
        return false; /* a queue says itself that it is not empty */
    }
    return (extended == NULL) || (extended->waited == 0u) || (extended->waited == CARILLON_OSEK_TURN);
}

void carillon_osek_guest_has_run(uint8_t number)
{
    const uint32_t saved = carillon_osek_lock();
    const struct carillon_osek_level *const level = &carillon_osek_levels[number];
    if (carillon_osek_has_guest(number) || own_is_ready(level)) {
        carillon_osek_request(level->request, number);
    }
    carillon_osek_unlock(saved);
}
#endif
