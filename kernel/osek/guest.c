/* SPDX-License-Identifier: Apache-2.0
 *
 * Guests of levels. */
#include "kernel/osek/guest.h"

#if CARILLON_OSEK_MUTEXES > 0

struct carillon_osek_holder carillon_osek_holders[CARILLON_OSEK_TASKS];
struct carillon_osek_held carillon_osek_held[CARILLON_OSEK_MUTEXES];
static uint8_t guests[CARILLON_OSEK_TASK_LEVELS + 1u]; /* of each level, the first one, plus 1 */

/* The highest ceiling of what a thread holds.  Bounded by the number of mutexes. */
static uint8_t highest(const struct carillon_osek_holder *holder)
{
    uint8_t level = 0u;
    for (uint_fast8_t k = holder->last; k != 0u; k = carillon_osek_held[k - 1u].below) {
        if (carillon_osek_mutex_ceilings[k - 1u] > level) {
            level = carillon_osek_mutex_ceilings[k - 1u];
        }
    }
    return level;
}

bool carillon_osek_wakes_as_guest(TaskType task)
{
    struct carillon_osek_holder *const holder = &carillon_osek_holders[task];
    const uint8_t level = holder->ceiling;
    if (level <= carillon_osek_tasks[task].level) {
        holder->at = 0u;
        return false;
    }
    holder->at = level;
    holder->next = 0u;
    uint8_t *link = &guests[level];
    while (*link != 0u) { /* behind the others: bounded by the number of threads */
        link = &carillon_osek_holders[*link - 1u].next;
    }
    *link = (uint8_t)(task + 1u);
    carillon_osek_request(carillon_osek_levels[level].request, level);
    return true;
}

TaskType carillon_osek_take_guest(uint8_t number)
{
    const TaskType task = (TaskType)(guests[number] - 1u);
    guests[number] = carillon_osek_holders[task].next;
    return task;
}

bool carillon_osek_has_guest(uint8_t number)
{
    return guests[number] != 0u;
}

void carillon_osek_lets_go(uint8_t number, TaskType task)
{
    struct carillon_osek_holder *const holder = &carillon_osek_holders[task];
    const struct carillon_osek_held *const mutex = &carillon_osek_held[number];
    if (holder->last == (number + 1u)) {
        holder->last = mutex->below;
    } else {
        uint_fast8_t above = holder->last;
        while (carillon_osek_held[above - 1u].below != (number + 1u)) { /* it is there: the thread has it */
            above = carillon_osek_held[above - 1u].below;
        }
        carillon_osek_held[above - 1u] = *mutex;
    }
    holder->ceiling = highest(holder);
}

void carillon_osek_goes_on(void)
{
    uint_fast8_t number = carillon_osek_holders[carillon_osek_running].last;
    if (number != 0u) {
        const uint32_t mask = carillon_osek_mask();
        do { /* bounded by the number of mutexes */
            carillon_osek_held[number - 1u].saved = mask;
            number = carillon_osek_held[number - 1u].below;
        } while (number != 0u);
    }
}

#endif
