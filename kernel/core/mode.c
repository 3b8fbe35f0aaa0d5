/* SPDX-License-Identifier: Apache-2.0
 *
 * Application modes: carrying out the lists of contract.h. */
#include "kernel/core/kernel.h"
#if CARILLON_OSEK
#include "kernel/contract/osek.h"
#endif

void carillon_mode_store(const struct carillon_store *list, uint_fast16_t count)
{
    const struct carillon_store *const behind = &list[count];
    for (const struct carillon_store *store = list; store != behind; store++) {
        carillon_port_write(store->address, store->value);
    }
}

#if CARILLON_START_KEEPS
/* A start's stores to registers in which the application's own cells have bits leave these as they are. */
static void keep(const struct carillon_mode *mode)
{
    for (uint32_t i = 0; i < mode->start_count; i++) {
        struct carillon_store *const store = &mode->start[i];
        for (uint32_t k = 0; k < carillon_kept_count; k++) {
            const carillon_value bits = carillon_kept[k].value;
            if (store->address == carillon_kept[k].address) {
                store->value = (store->value & ~bits) | (carillon_port_read(store->address) & bits);
            }
        }
    }
}
#endif

/* What can be set up while the cells stand still. */
static void prepare(const struct carillon_mode *mode)
{
#if CARILLON_OSEK && (CARILLON_MODES > 0)
    if (mode != &carillon_osek_image) /* the event-triggered system beneath has no table of its own */
#endif
    {
        carillon_port_set_vectors(mode->vectors);
    }
    for (uint32_t i = 0; i < mode->level_count; i++) {
        carillon_port_set_level(mode->levels[i].source, mode->levels[i].level);
    }
#if CARILLON_MULTIPLEXES
    for (uint32_t i = 0; i < mode->multiplex_count; i++) {
        mode->multiplexes[i].multiplex->next = mode->multiplexes[i].first;
#if CARILLON_LAPS
        mode->multiplexes[i].multiplex->laps = mode->multiplexes[i].laps;
#endif
#if CARILLON_TIMEKEEPERS
        mode->multiplexes[i].multiplex->due = mode->multiplexes[i].due;
#endif
    }
#endif
    carillon_mode_store(mode->prepare, mode->prepare_count);
#if CARILLON_START_KEEPS
    keep(mode);
#endif
}

/* What must follow the start before the first expiry. */
static void align(const struct carillon_mode *mode)
{
#if CARILLON_ALIGNS
    carillon_port_align(mode->align, mode->align_count);
#endif
#if CARILLON_FINISHES
    carillon_mode_store(mode->finish, mode->finish_count);
#endif
    (void)mode;
}

void carillon_mode_start(const struct carillon_mode *mode)
{
#if CARILLON_INITIALS
    carillon_mode_store(carillon_initials, CARILLON_INITIALS);
#endif
    prepare(mode);
#if CARILLON_MODES > 1
    carillon_mode_store(mode->restart, mode->restart_count);
#endif
    carillon_port_start(mode->start, mode->start_count);
    align(mode);
}

void carillon_mode_stop(const struct carillon_mode *mode)
{
    carillon_mode_store(mode->stop, mode->stop_count);
}

#if CARILLON_MODES > 1
void carillon_mode_switch(const struct carillon_mode *from, const struct carillon_mode *to)
{
    /* The control cell counts on while everything else is stopped and set up anew: it says when to start. */
    carillon_mode_stop(from);
    prepare(to);
    carillon_port_start_at(from->control->counter, from->control->target, to->restart, to->restart_count, to->start,
                           to->start_count);
    align(to);
}

bool carillon_mode_is_idle(const struct carillon_mode *mode)
{
    for (uint32_t i = 0; i < mode->task_count; i++) {
        if (carillon_port_is_active(mode->tasks[i])) {
            return false;
        }
        if ((i < mode->waiting_count) && carillon_port_is_pending(mode->tasks[i])) {
            return false;
        }
    }
    return carillon_lowered_tasks == 0u;
}
#endif
