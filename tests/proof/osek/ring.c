/* SPDX-License-Identifier: Apache-2.0
 *
 * The ring of a level's ready tasks: first in, first out, wherever in the ring it begins. */
#include "proof.h"

#include "kernel/jobs/job.h"

static TaskType slots[CAPACITY];
static struct carillon_osek_ring state;

static TaskType at(uint32_t place)
{
    return slots[(state.first + place) % CAPACITY];
}

/* Any ring that is not full: one task is put in. */
static void put_in(void)
{
    const struct carillon_osek_level level = {.state = &state, .ring = slots, .capacity = CAPACITY};
    state.first = (carillon_osek_slot)any(0u, CAPACITY - 1u);
    state.count = (carillon_osek_slot)any(0u, CAPACITY - 1u);
    for (unsigned k = 0u; k < CAPACITY; k++) {
        slots[k] = (TaskType)nondet_uint();
    }
    const uint32_t count = state.count;
    const uint32_t place = any(0u, CAPACITY - 1u);
    const TaskType was = at(place);
    const TaskType task = (TaskType)nondet_uint();
    carillon_osek_queue_up(&level, task);
    assert((state.count == count + 1u) && (at(count) == task));
    assert((place >= count) || (at(place) == was)); /* the others are where they were */
}

/* Any ring: the first is taken out.  An empty one has none, and stays as it is. */
static void take_out(void)
{
    const struct carillon_osek_level level = {.state = &state, .ring = slots, .capacity = CAPACITY};
    state.first = (carillon_osek_slot)any(0u, CAPACITY - 1u);
    state.count = (carillon_osek_slot)any(0u, CAPACITY);
    for (unsigned k = 0u; k < CAPACITY; k++) {
        slots[k] = (TaskType)nondet_uint();
    }
    const uint32_t count = state.count;
    const TaskType first = at(0u);
    const uint32_t place = any(1u, CAPACITY);
    const TaskType was = at(place % CAPACITY);
    const uint32_t begin = state.first;
    TaskType task = 0u;
    if (!carillon_osek_take_next(&level, &task)) {
        assert((count == 0u) && (state.count == 0u) && (state.first == begin));
        return;
    }
    assert((count != 0u) && (task == first) && (state.count == count - 1u) && (state.first < CAPACITY));
    assert((place >= count) || (at(place - 1u) == was));
}

int main(void)
{
    STEP();
    THE_END;
}
