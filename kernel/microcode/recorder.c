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
    uint32_t last;    /* when a decision was made last */
    uint32_t changed; /* when the table last changed */
    bool full;
    bool closed;
} recorder;
static uint32_t lengths[(CARILLON_MICROCODE_GENERATES > 0u) ? CARILLON_MICROCODE_RECORD : 1u];

static inline bool is_at(uint32_t place, uint16_t block, uint16_t task)
{
    return (recorder.decisions[place].block == block) && (recorder.decisions[place].task == task);
}

/* The least is kept: a length of 0, too, which is not known. */
static inline bool keep_least(uint32_t *kept, uint32_t value)
{
    const bool is_less = value < *kept;
    *kept = is_less ? value : *kept;
    return is_less;
}

static inline bool keep_length(uint32_t place, uint32_t length, bool is_new)
{
    if (is_new) {
        lengths[place] = UINT32_MAX;
    }
    return keep_least(&lengths[place], length);
}

void carillon_recorder_decided(uint16_t block, uint16_t task, uint32_t order, uint32_t length, uint32_t now)
{
    if (recorder.closed) {
        return;
    }
    uint32_t place = recorder.expected;
    bool is_new = false;
    if ((place >= recorder.count) || !is_at(place, block, task)) {
        place = 0u;
        while ((place < recorder.count) && !is_at(place, block, task)) {
            place++;
        }
    }
    if ((place == recorder.count) && (place < CARILLON_MICROCODE_RECORD)) {
        recorder.decisions[place] = (struct carillon_decision){.order = UINT32_MAX, .block = block, .task = task};
        recorder.count++;
        is_new = true;
    }
    if (place < recorder.count) {
        bool changed = keep_least(&recorder.decisions[place].order, order) || is_new;
        if (CARILLON_MICROCODE_GENERATES > 0u) {
            changed = keep_length(place, length, is_new) || changed;
        }
        recorder.changed = changed ? now : recorder.changed;
    } else {
        recorder.full = true;
    }
    recorder.expected = place + 1u;
    recorder.last = now;
}

void carillon_recorder_close(void)
{
    recorder.closed = true;
}

void carillon_recorder_forget(uint32_t now)
{
    recorder.begin = now;
    recorder.last = now;
    recorder.changed = now;
    recorder.count = 0u;
    recorder.expected = 0u;
    recorder.full = false;
    recorder.closed = false;
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

uint32_t carillon_recorder_length(uint32_t place)
{
    return lengths[place];
}

uint32_t carillon_recorder_calm(void)
{
    const volatile struct recorder_state *const state = &recorder;
    const uint32_t changed = state->changed; /* first: what is read later is not earlier */
    return state->last - changed;
}

bool carillon_recorder_is_full(void)
{
    return recorder.full;
}
#endif
