/* SPDX-License-Identifier: Apache-2.0
 *
 * Application modes: carrying out the lists of contract.h. */
#include "kernel/core/kernel.h"
#if CARILLON_OSEK
#include "kernel/levels/state.h"
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
#else
static inline void keep(const struct carillon_mode *mode)
{
    (void)mode;
}
#endif

/* The event-triggered system beneath rounds has no table of vectors of its own. */
#if CARILLON_OSEK && (CARILLON_MODES > 0)
static inline bool has_vectors(const struct carillon_mode *mode)
{
    return mode != &carillon_osek_image;
}
#else
static inline bool has_vectors(const struct carillon_mode *mode)
{
    (void)mode;
    return true;
}
#endif

#if CARILLON_LAPS
static inline void begin_laps(const struct carillon_multiplex_start *start)
{
    start->multiplex->laps = start->laps;
}
#else
static inline void begin_laps(const struct carillon_multiplex_start *start)
{
    (void)start;
}
#endif

#if CARILLON_TIMEKEEPERS
static inline void begin_timekeeper(const struct carillon_multiplex_start *start)
{
    start->multiplex->due = start->due;
}
#else
static inline void begin_timekeeper(const struct carillon_multiplex_start *start)
{
    (void)start;
}
#endif

/* What can be set up while the cells stand still. */
static void prepare(const struct carillon_mode *mode)
{
    if (has_vectors(mode)) {
        carillon_port_set_vectors(mode->vectors);
    }
    for (uint32_t i = 0; i < mode->level_count; i++) {
        carillon_port_set_level(mode->levels[i].source, mode->levels[i].level);
    }
    for (uint32_t i = 0; CARILLON_MULTIPLEXES && (i < mode->multiplex_count); i++) {
        mode->multiplexes[i].multiplex->next = mode->multiplexes[i].first;
        begin_laps(&mode->multiplexes[i]);
        begin_timekeeper(&mode->multiplexes[i]);
    }
    carillon_mode_store(mode->prepare, mode->prepare_count);
    keep(mode);
}

/* What must follow the start before the first expiry. */
static void align(const struct carillon_mode *mode)
{
    if (CARILLON_ALIGNS) {
        carillon_port_align(mode->align, mode->align_count);
    }
    if (CARILLON_FINISHES) {
        carillon_mode_store(mode->finish, mode->finish_count);
    }
}

void carillon_mode_start(const struct carillon_mode *mode)
{
    if (CARILLON_INITIALS > 0) {
        carillon_mode_store(carillon_initials, CARILLON_INITIALS);
    }
    prepare(mode);
    if (CARILLON_MODES > 1) {
        carillon_mode_store(mode->restart, mode->restart_count);
    }
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
