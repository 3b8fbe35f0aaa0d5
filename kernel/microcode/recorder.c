/* SPDX-License-Identifier: Apache-2.0
 *
 * Decisions of the scheduler, each once, in the order in which they were first made. */
#include "kernel/microcode/recorder.h"

#if CARILLON_MICROCODE_RECORD > 0u
static struct recorder_state {
    struct carillon_decision decisions[CARILLON_MICROCODE_RECORD];
    uint32_t count;
    uint32_t expected; /* where the next decision is, if all goes as it went before */
    uint32_t begin;
    uint32_t last; /* when a decision was made last */
    bool full;
} recorder;

static inline bool is_at(uint32_t place, uint16_t block, uint16_t task)
{
    return (recorder.decisions[place].block == block) && (recorder.decisions[place].task == task);
}

void carillon_recorder_decided(uint16_t block, uint16_t task, uint32_t order, uint32_t now)
{
    uint32_t place = recorder.expected;
    if ((place >= recorder.count) || !is_at(place, block, task)) {
        place = 0u;
        while ((place < recorder.count) && !is_at(place, block, task)) {
            place++;
        }
    }
    if (place < recorder.count) {
        if (order < recorder.decisions[place].order) {
            recorder.decisions[place].order = order;
        }
    } else if (recorder.count < CARILLON_MICROCODE_RECORD) {
        recorder.decisions[place] = (struct carillon_decision){.order = order, .block = block, .task = task};
        recorder.count++;
    } else {
        recorder.full = true;
    }
    recorder.expected = place + 1u;
    recorder.last = now;
}

void carillon_recorder_forget(uint32_t now)
{
    recorder.begin = now;
    recorder.last = now;
    recorder.count = 0u;
    recorder.expected = 0u;
    recorder.full = false;
}

uint32_t carillon_recorder_ticks(void)
{
    return recorder.last - recorder.begin;
}

bool carillon_recorder_find(uint32_t place, struct carillon_decision *found)
{
    const bool is_there = place < recorder.count;
    if (is_there) {
        *found = recorder.decisions[place];
    }
    return is_there;
}

bool carillon_recorder_is_full(void)
{
    return recorder.full;
}
#endif
