/* SPDX-License-Identifier: Apache-2.0
 *
 * Guests of levels. */
#include "kernel/levels/guest.h"

#if CARILLON_OSEK_MUTEXES > 0

struct carillon_osek_mutexes carillon_osek_mutexes;
volatile uint8_t carillon_osek_guests[CARILLON_OSEK_TASK_LEVELS + 1u];

uint8_t carillon_osek_ceiling_of(TaskType task)
{
    uint8_t level = 0u;
    for (uint_fast8_t k = carillon_osek_last_of(task); k != 0u; k = (uint8_t)carillon_osek_mutexes.held[k - 1u].below) {
        if (carillon_osek_mutex_ceilings[k - 1u] > level) {
            level = carillon_osek_mutex_ceilings[k - 1u];
        }
    }
    return level;
}

bool carillon_osek_wakes_as_guest(TaskType task)
{
    struct carillon_osek_holder *const holder = &carillon_osek_mutexes.holders[task];
    const uint8_t level = carillon_osek_ceiling_of(task);
    if (level <= carillon_osek_tasks[task].level) {
        holder->at = 0u;
        return false;
    }
    holder->at = level;
    holder->next = 0u;
    const uint8_t own = (uint8_t)(task + 1u);
    uint_fast8_t guest = carillon_osek_guests[level];
    if (guest == 0u) {
        carillon_osek_guests[level] = own;
    } else {
        while (carillon_osek_mutexes.holders[guest - 1u].next != 0u) { /* bounded by the number of threads */
            guest = carillon_osek_mutexes.holders[guest - 1u].next;
        }
        carillon_osek_mutexes.holders[guest - 1u].next = own; /* behind the others */
    }
    carillon_osek_request(carillon_osek_levels[level].request, level);
    return true;
}

void carillon_osek_lets_go_of_lower(uint8_t number, struct carillon_osek_holder *holder)
{
    struct carillon_osek_held *above = &carillon_osek_mutexes.held[(uint8_t)holder->last - 1u];
    carillon_osek_hold_on(holder);
    while ((uint8_t)above->below != (number + 1u)) { /* it is there: the thread has it */
        above = &carillon_osek_mutexes.held[(uint8_t)above->below - 1u];
    }
    above->saved = carillon_osek_mutexes.held[number].saved;
    above->below = carillon_osek_mutexes.held[number].below;
}

void carillon_osek_holds_unmasked(void)
{
    struct carillon_osek_holder *const holder = &carillon_osek_mutexes.holders[carillon_osek_running];
    if (holder->last != 0u) {
        carillon_osek_unmask_held(holder);
    }
}

#endif
