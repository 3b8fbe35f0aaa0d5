/* SPDX-License-Identifier: Apache-2.0
 *
 * The conventional kernel's dispatcher. */
#include "carillon/conventional.h"

#if CARILLON_CONVENTIONAL

static void activate(const struct carillon_entry *entry)
{
    uint8_t *const active = &carillon_conventional_active[entry->object];
    if (*active != 0u) { /* an activation of a task that still runs waits; further ones are absorbed */
        *active = 2u;
        return;
    }
    do {
        *active = 1u;
#if CARILLON_MODES > 1
        carillon_lowered_tasks++;
#endif
        carillon_port_run_lowered(entry->function);
#if CARILLON_MODES > 1
        carillon_lowered_tasks--;
#endif
    } while (*active != 1u);
    *active = 0u;
}

void carillon_conventional_dispatch(const struct carillon_entry *first)
{
    for (const struct carillon_entry *entry = first;; entry++) {
        switch (entry->action) {
        case CARILLON_ACTIVATE:
            activate(entry);
            break;
        case CARILLON_DEADLINE:
            if (carillon_conventional_active[entry->object] != 0u) {
                carillon_deadline_missed(entry->object);
            }
            break;
        case CARILLON_ENABLE:
            carillon_port_enable(entry->object, entry->mask);
            break;
        default:
#if CARILLON_MODES > 1
            if ((carillon_mode != carillon_next_mode) && carillon_mode_is_idle(&carillon_modes[carillon_mode])) {
                carillon_control();
                return; /* the table is another one now */
            }
#endif
            break;
        }
        if (entry->more == 0u) {
            return;
        }
    }
}

#endif
