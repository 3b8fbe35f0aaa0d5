/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution budgets: what is left of them, and the limits of locks. */
#include "kernel/levels/budget.h"

#if CARILLON_OSEK_BUDGETS

struct carillon_budget carillon_budget;

#if CARILLON_OSEK_LOCKS > 0
struct carillon_budget_limit carillon_budget_limits[CARILLON_BUDGET_LIMITS];

/* The limit's number, and what is left, as carillon_budget_take has them. */
carillon_budget_rest carillon_pause_budget(void)
{
    const uint32_t mask = carillon_port_raise(CARILLON_OSEK_TOP);
    const struct carillon_budget_left left = carillon_budget_take();
    carillon_budget.state = CARILLON_UNWATCHED;
    carillon_port_restore(mask);
    return ((uint64_t)left.state << 32) | left.reading;
}

void carillon_resume_budget(carillon_budget_rest left)
{
    const uint32_t mask = carillon_port_raise(CARILLON_OSEK_TOP);
    carillon_budget_give((struct carillon_budget_left){(uint32_t)left, (uint32_t)(left >> 32)});
    carillon_port_restore(mask);
}

/* How long the caller may hold a lock: 0: for as long as it likes, as no task calls.  Hooks hold the kernel's lock. */
static uint32_t limit_of(uint32_t lock)
{
    const uint32_t source = carillon_port_current();
    const bool is_task = ((CARILLON_OSEK_SOFTWARE != 0) && (source == 0u)) ||
                         ((CARILLON_OSEK_SOFTWARE == 0) && (source != 0u) &&
                          ((carillon_osek_contexts[source] & CARILLON_OSEK_TASK) != 0u));
    const uint_fast8_t task = carillon_osek_running;
    return (is_task && (task != INVALID_TASK) && (carillon_osek_hook == 0u))
               ? carillon_osek_lock_budgets[(task * CARILLON_OSEK_LOCKS) + lock]
               : 0u;
}

/* Put in a limit of so many units, where `left` are left to the first one. */
static void put_in(uint32_t number, uint32_t units, uint32_t left)
{
    struct carillon_budget_limit *const limit = &carillon_budget_limits[number];
    const uint32_t first = carillon_budget.state;
    limit->is_set = true;
    if ((first == CARILLON_UNWATCHED) || (units < left)) {
        limit->next = (uint16_t)first;
        limit->beyond = left - units; /* if there is a first one */
        carillon_budget.state = number;
        carillon_budget_count(units);
        return;
    }
    struct carillon_budget_limit *before = &carillon_budget_limits[first];
    uint32_t rest = units - left;
    while ((before->next != 0u) && (before->beyond <= rest)) { /* bounded by the number of locks, and 1 */
        rest -= before->beyond;
        before = &carillon_budget_limits[before->next];
    }
    limit->next = before->next;
    limit->beyond = before->beyond - rest;
    before->next = (uint16_t)number;
    before->beyond = rest;
}

void carillon_osek_lock_begins(uint32_t lock)
{
    const uint32_t mask = carillon_port_raise(CARILLON_OSEK_TOP);
    const uint32_t number = CARILLON_BUDGET_OF_LOCK(lock);
    const uint32_t units = limit_of(lock);
    if ((units != 0u) && !carillon_budget_limits[number].is_set && ((carillon_budget.state & CARILLON_LATE) == 0u)) {
        const struct carillon_budget_left left = carillon_budget_take();
        if ((left.state == CARILLON_UNWATCHED) || !carillon_budget_is_over(left.reading)) {
            put_in(number, units, left.reading);
        } /* else the job ends where the lock is lowered */
    }
    carillon_port_restore(mask);
}

/* Take out the first limit. */
static void take_first(struct carillon_budget_limit *limit)
{
    const struct carillon_budget_left left = carillon_budget_take();
    if (carillon_budget_is_over(left.reading)) {
        carillon_budget.state = left.state | CARILLON_LATE;
        carillon_budget_ask();
        return;
    }
    carillon_budget.state = limit->next;
    if (limit->next != 0u) {
        carillon_budget_count(left.reading + limit->beyond);
    }
    limit->is_set = false;
}

void carillon_osek_lock_ends(uint32_t lock)
{
    const uint32_t mask = carillon_port_raise(CARILLON_OSEK_TOP);
    const uint32_t number = CARILLON_BUDGET_OF_LOCK(lock);
    struct carillon_budget_limit *const limit = &carillon_budget_limits[number];
    const uint32_t first = carillon_budget.state;
    if (limit->is_set && (first == number)) {
        take_first(limit);
    } else if (limit->is_set && ((first & CARILLON_LATE) == 0u) && (first != CARILLON_UNWATCHED)) {
        struct carillon_budget_limit *before = &carillon_budget_limits[first];
        while ((before->next != 0u) && (before->next != number)) { /* bounded by the number of locks, and 1 */
            before = &carillon_budget_limits[before->next];
        }
        if (before->next == number) {
            before->next = limit->next;
            before->beyond += limit->beyond;
            limit->is_set = false;
        } /* else it is the lock of somebody that is preempted */
    } else if (((first & CARILLON_LATE) != 0u) && (limit_of(lock) != 0u)) {
        carillon_budget_ask(); /* see 11 */
    } else {
        /* the lock has no budget */
    }
    carillon_port_restore(mask);
}
#else
/* 0: nothing was watched; 1: nothing is left; else what is left, and in a queue one more: a tick may be long there. */
#if CARILLON_BUDGETS_IN_QUEUE
#define MORE 1u
#else
#define MORE 0u
#endif
carillon_budget_rest carillon_pause_budget(void)
{
    const uint32_t mask = carillon_port_raise(CARILLON_OSEK_TOP);
    const struct carillon_budget_left left = carillon_budget_take();
    carillon_budget.state = CARILLON_UNWATCHED;
    carillon_port_restore(mask);
    if (left.state == CARILLON_UNWATCHED) {
        return 0u;
    }
    const bool late = (left.state & CARILLON_LATE) != 0u;
    return (late || carillon_budget_is_over(left.reading)) ? 1u : (left.reading + MORE);
}

void carillon_resume_budget(carillon_budget_rest left)
{
    const uint32_t mask = carillon_port_raise(CARILLON_OSEK_TOP);
    if (CARILLON_BUDGETS_IN_QUEUE) {
        const uint32_t state = (left != 0u) ? CARILLON_WATCHED : CARILLON_UNWATCHED;
        carillon_budget_give((struct carillon_budget_left){left - MORE, state});
    } else {
        carillon_budget_watch(0u, left);
    }
    carillon_port_restore(mask);
}
#endif

bool carillon_budget_before_hook(void)
{
    const bool counts = (carillon_budget.state != CARILLON_UNWATCHED) && (carillon_osek_hook == 0u) &&
                        ((carillon_budget.state & CARILLON_LATE) == 0u);
    if (counts && (CARILLON_BUDGETS_IN_QUEUE == 0)) {
        carillon_budget_forget(); /* before the look at what is left: it may ask in between */
    }
    if (counts && carillon_budget_is_over(carillon_budget_reading())) {
        carillon_budget.state |= CARILLON_LATE;
        carillon_budget_ask();
        return false;
    }
    return counts;
}

#if CARILLON_BUDGETS_IN_QUEUE
void carillon_budget_after_hook(void)
{
    if ((carillon_budget.state != CARILLON_UNWATCHED) && carillon_budget_is_over(carillon_budget_reading())) {
        carillon_budget.state |= CARILLON_LATE;
        carillon_budget_ask();
    }
}
#else
void carillon_budget_after_hook(void)
{
    if ((carillon_budget.state != CARILLON_UNWATCHED) && carillon_port_is_pending(CARILLON_BUDGET_SOURCE)) {
        carillon_budget.state |= CARILLON_LATE;
    }
}

/* The counter never shows this bit. */
#define ASKED UINT32_C(0x80000000)
_Static_assert(CARILLON_BUDGET_RANGE <= ASKED, "the counter has at most 31 bits");

uint32_t carillon_budget_stops(void)
{
    const uint32_t reading = carillon_port_read(CARILLON_BUDGET_COUNTER); /* before the request, see 14 */
    return carillon_port_is_pending(CARILLON_BUDGET_SOURCE) ? (reading | ASKED) : reading;
}

void carillon_budget_goes_on(uint32_t stand)
{
    if ((stand & ASKED) == 0u) {
        carillon_budget_forget();
    }
    carillon_port_write(CARILLON_BUDGET_COUNTER, stand & ~ASKED);
}

#endif

#endif
