/* SPDX-License-Identifier: Apache-2.0
 *
 * Flags for which threads wait: those of an object, or of a thread. */
#include "kernel/rtos/wait.h"

#if CARILLON_RTOS_HEAP > 0

struct carillon_rtos_flags *carillon_rtos_flags_new(const struct carillon_rtos_place *place)
{
    return carillon_rtos_place(place, sizeof(struct carillon_rtos_flags), CARILLON_RTOS_FLAGS);
}

static bool suffices(uint32_t value, uint32_t wanted, uint8_t options)
{
    const uint32_t found = value & wanted;
    return ((options & CARILLON_RTOS_ALL) != 0u) ? (found == wanted) : (found != 0u);
}

/* What is left of a value that has sufficed. */
static uint32_t left_of(uint32_t value, uint32_t wanted, uint8_t options)
{
    if ((options & CARILLON_RTOS_KEEP) != 0u) {
        return value;
    }
    return value & ~wanted;
}

/* Those go on for which the flags suffice, in the order of their priorities; locked. */
static void serve(struct carillon_rtos_flags *flags)
{
    uint32_t later = 0u;
    struct carillon_waiter **link = &flags->line.first;
    while (*link != NULL) { /* bounded by the number of threads */
        struct carillon_rtos_waiter *const each = (struct carillon_rtos_waiter *)(void *)*link;
        const uint32_t wanted = each->word;
        if (suffices(flags->value, wanted, each->options)) {
            each->word = flags->value;
            const uint32_t left = left_of(flags->value, wanted, each->options);
            if ((each->options & CARILLON_RTOS_TOGETHER) != 0u) {
                later |= flags->value & ~left;
            } else {
                flags->value = left;
            }
            carillon_time_goes(link, &each->waiter);
        } else {
            link = &(*link)->next;
        }
    }
    flags->value &= ~later;
}

uint32_t carillon_rtos_flags_set(struct carillon_rtos_flags *flags, uint32_t set)
{
    const uint32_t saved = carillon_osek_lock();
    flags->value |= set;
    serve(flags);
    const uint32_t value = flags->value;
    carillon_osek_unlock(saved);
    return value;
}

uint32_t carillon_rtos_flags_clear(struct carillon_rtos_flags *flags, uint32_t clear)
{
    const uint32_t saved = carillon_osek_lock();
    const uint32_t value = flags->value;
    flags->value &= ~clear;
    carillon_osek_unlock(saved);
    return value;
}

int carillon_rtos_flags_wait(struct carillon_rtos_flags *flags, uint32_t set, uint32_t wanted, uint8_t options,
                             uint32_t ticks, uint32_t *found)
{
    if ((ticks != 0u) && !carillon_rtos_may_wait()) {
        return CARILLON_RTOS_PARAMETER;
    }
    struct carillon_rtos_waiter own;
    const uint32_t saved = carillon_osek_lock();
    flags->value |= set;
    const uint32_t value = flags->value;
    const bool is_there = suffices(value, wanted, options);
    if (set != 0u) { /* others see the flags before these are cleared */
        serve(flags);
    }
    *found = is_there ? value : flags->value;
    if (is_there) {
        flags->value = left_of(flags->value, wanted, options);
        carillon_osek_unlock(saved);
        return CARILLON_RTOS_OK;
    }
    own.word = wanted;
    own.options = options;
    const int status = carillon_rtos_wait(&own, &flags->line, saved, ticks);
    if (status == CARILLON_RTOS_OK) {
        *found = own.word;
    } else if (status == CARILLON_RTOS_TIMEOUT) {
        *found = flags->value;
    } else if ((status == CARILLON_RTOS_RESOURCE) && (ticks != 0u)) {
        *found = 0u; /* the flags have been deleted */
    } else {
        /* it has not waited */
    }
    return status;
}

int carillon_rtos_notify(struct carillon_rtos_thread *thread, uint32_t value, uint8_t action, uint32_t *before)
{
    if (!carillon_rtos_thread_is(thread)) {
        return CARILLON_RTOS_PARAMETER;
    }
    const uint32_t saved = carillon_osek_lock();
    const bool refused = (action == CARILLON_RTOS_UNLESS_NOTIFIED) && (thread->notified.value != 0u);
    uint32_t *const own = &thread->flags.value;
    if (before != NULL) {
        *before = *own;
    }
    if (action == CARILLON_RTOS_SET_BITS) {
        *own |= value;
    } else if (action == CARILLON_RTOS_INCREMENT) {
        (*own)++;
    } else if ((action != CARILLON_RTOS_NOTIFY) && !refused) {
        *own = value;
    } else {
        /* the value stays */
    }
    thread->notified.value = 1u;
    serve(&thread->notified);
    carillon_osek_unlock(saved);
    return refused ? CARILLON_RTOS_RESOURCE : CARILLON_RTOS_OK;
}

/* If the value is 0, any notification ends the wait: of one that does not change it, too. */
uint32_t carillon_rtos_notify_take(bool clears, uint32_t ticks)
{
    struct carillon_rtos_thread *const self = carillon_rtos_thread_self();
    uint32_t found;
    if (self == NULL) {
        return 0u;
    }
    uint32_t saved = carillon_osek_lock();
    const bool waits = self->flags.value == 0u;
    if (waits) {
        self->notified.value = 0u;
    }
    carillon_osek_unlock(saved);
    if (waits) {
        (void)carillon_rtos_flags_wait(&self->notified, 0u, 1u, 0u, ticks, &found);
    }
    saved = carillon_osek_lock();
    found = self->flags.value;
    if (found != 0u) {
        self->flags.value = clears ? 0u : (found - 1u);
    }
    self->notified.value = 0u;
    carillon_osek_unlock(saved);
    return found;
}

int carillon_rtos_notify_wait(uint32_t clear_before, uint32_t clear_after, uint32_t *value, uint32_t ticks)
{
    struct carillon_rtos_thread *const self = carillon_rtos_thread_self();
    uint32_t found;
    if (self == NULL) {
        return CARILLON_RTOS_IN_ISR;
    }
    const uint32_t saved = carillon_osek_lock();
    if (self->notified.value == 0u) {
        self->flags.value &= ~clear_before;
    }
    carillon_osek_unlock(saved);
    const int status = carillon_rtos_flags_wait(&self->notified, 0u, 1u, 0u, ticks, &found);
    found = carillon_rtos_flags_clear(&self->flags, (status == CARILLON_RTOS_OK) ? clear_after : 0u);
    if (value != NULL) {
        *value = found;
    }
    return status;
}

#endif
