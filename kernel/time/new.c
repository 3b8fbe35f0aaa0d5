/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of the schedule that `new Thread(&f)` of C++ takes (carillon/time.hpp).  Each has its stack and its
 * priority from the schedule, so that nothing is allocated: what a program chooses is when a thread is taken, and what
 * it runs.
 *
 * A thread is free if nobody has taken it, and it has ended.  To give back one that runs is no race: whoever looks for a
 * free thread looks at both under the kernel's lock. */
#include "kernel/time/wait_steps.h"

#if CARILLON_NEW_THREADS > 0

void *carillon_thread_take(void)
{
    void *object = NULL;
    const uint32_t saved = carillon_osek_lock();
    for (uint_fast8_t k = 0u; (k < CARILLON_NEW_THREADS) && (object == NULL); k++) {
        struct carillon_new_thread *const each = &carillon_new_threads[k];
        if ((each->taken == 0u) && carillon_osek_suspended(each->thread)) {
            each->taken = 1u;
            object = &each->object;
        }
    }
    carillon_osek_unlock(saved);
    return object;
}

/* Which of them has the object; NULL: none. */
static struct carillon_new_thread *that_has(const void *object)
{
    for (uint_fast8_t k = 0u; k < CARILLON_NEW_THREADS; k++) {
        if (object == &carillon_new_threads[k].object) {
            return &carillon_new_threads[k];
        }
    }
    return NULL;
}

void carillon_thread_give(const void *object)
{
    struct carillon_new_thread *const own = that_has(object);
    if (own != NULL) {
        own->taken = 0u;
    }
}

TaskType carillon_thread_begin(const void *object, int (*function)(void))
{
    struct carillon_new_thread *own = that_has(object);
    if (own == NULL) { /* a variable */
        own = that_has(carillon_thread_take());
    }
    if (own == NULL) {
        ShutdownOS(E_OS_LIMIT);
    }
    own->function = function;
    own->result = 0;
    (void)(ActivateTask)(own->thread);
    return own->thread;
}

int carillon_thread_result(TaskType thread)
{
    for (uint_fast8_t k = 0u; k < CARILLON_NEW_THREADS; k++) {
        if (carillon_new_threads[k].thread == thread) {
            return carillon_new_threads[k].result;
        }
    }
    return 0;
}

#endif
