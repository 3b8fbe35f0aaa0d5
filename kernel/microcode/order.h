/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks of microcode are released and end, and the scheduler: which of those that are unfinished is the most urgent. */
#ifndef CARILLON_MICROCODE_ORDER_H
#define CARILLON_MICROCODE_ORDER_H

#include "kernel/microcode/state.h"

/* The scheduler: a heap of unfinished tasks, the most urgent one at 0, and bits of those that were released since it
 * last was asked.  A program whose threads dispatch all tasks does not ask, and nothing is put in order for it.
 *
 * An unfinished task is in one of both, and one that has ended in neither.  `places` is where tasks are in the heap,
 * from 1 on.  A task without a deadline stays behind all others: it is not put in the heap, and its bit stays.
 *
 * In an entry, the upper half is the task's deadline, or with rate-monotonic scheduling the time from its release to
 * that.  The lower half is the task, so that tasks with one deadline are in the order in which the program declares
 * them.  Two deadlines are less than 2^31 ticks apart; so are entries, in the upper half. */
static uint64_t heap[CARILLON_MICROCODE_TASKS + 2u]; /* two more, as of triggers: the places below that of one task */
static uint16_t places[CARILLON_MICROCODE_TASKS];
#define NOWHERE 0u
#define GROUPS ((CARILLON_MICROCODE_TASKS + 31u) / 32u)
static uint32_t fresh[GROUPS];

static inline uint32_t bit_of(uint16_t task)
{
    return UINT32_C(1) << (task & 31u);
}

/* Of two tasks, is the first one more urgent? */
static FAST bool is_before(uint64_t one, uint64_t other)
{
    return (one - other) >= UINT64_C(0x8000000000000000);
}

static FAST void put(uint32_t place, uint64_t entry)
{
    heap[place] = entry;
    places[(uint16_t)entry] = (uint16_t)(place + 1u);
}

/* Put an entry where it belongs, in place of another one or of none: those below fill the gap up to its end, and from
 * there the entry rises.  What takes the place of another one was among the last, so that it rises little (R. Floyd's
 * way to take from a heap).  Bounded by the logarithm of the number of tasks. */
static __attribute__((noinline)) void settle(uint32_t from, uint64_t entry)
{
    uint32_t place = from;
    for (uint32_t below = (2u * place) + 1u; below < machine.heap; below = (2u * place) + 1u) {
        if (((below + 1u) < machine.heap) && is_before(heap[below + 1u], heap[below])) {
            below++;
        }
        put(place, heap[below]);
        place = below;
    }
    while (place > 0u) {
        const uint32_t above = (place - 1u) / 2u;
        if (!is_before(entry, heap[above])) {
            break;
        }
        put(place, heap[above]);
        place = above;
    }
    put(place, entry);
}

/* The most urgent task of those in the heap; if there is none, the first one without a deadline.  With
 * CARILLON_SCHEDULER_NONE, there is neither. */
static FAST uint16_t first_in_order(void)
{
    if (machine.heap > 0u) {
        return (uint16_t)heap[0];
    }
    for (uint16_t group = 0u; machine.patient && (group < GROUPS); group++) {
        if (fresh[group] != 0u) {
            return (uint16_t)((32u * (uint32_t)group) + (uint32_t)__builtin_ctz(fresh[group]));
        }
    }
    return NONE;
}

static __attribute__((noinline)) uint16_t most_urgent(void)
{
    if (machine.program->scheduler == CARILLON_SCHEDULER_NONE) {
        return NONE;
    }
    const bool by_periods = machine.program->scheduler == CARILLON_SCHEDULER_RM;
    machine.patient = false;
    for (uint16_t group = 0u; group < GROUPS; group++) {
        uint32_t left = fresh[group];
        while (left != 0u) { /* of equal deadlines, the most urgent comes first, and the others stay below it */
            const uint32_t lowest = (uint32_t)__builtin_ctz(left);
            const uint32_t task = (32u * (uint32_t)group) + lowest;
            const uint32_t deadline = tasks[task].released >> 8;
            left &= left - 1u;
            if (deadline == 0u) {
                machine.patient = true;
            } else {
                const uint32_t key = by_periods ? deadline : (deadline + tasks[task].begin);
                fresh[group] &= ~bit_of((uint16_t)task);
                machine.heap++;
                settle((uint32_t)machine.heap - 1u, ((uint64_t)key << 32) | task);
            }
        }
    }
    return first_in_order();
}

/* Take an unfinished task out of the heap. */
static __attribute__((noinline)) void take_out(uint16_t task, uint16_t place)
{
    places[task] = NOWHERE;
    machine.heap--;
    if (place <= machine.heap) {
        settle((uint32_t)place - 1u, heap[machine.heap]);
    }
}

static FAST void finish(uint16_t task)
{
    const uint16_t place = places[task];
    tasks[task].released = 0u;
    fresh[task / 32u] &= ~bit_of(task);
    if (place != NOWHERE) {
        take_out(task, place);
    }
}

/* `word` is that of the instruction. */
static FAST void release(uint16_t task, uint32_t word)
{
    tasks[task] = (struct task_state){.released = word, .begin = machine.now};
    fresh[task / 32u] |= bit_of(task);
    if (CARILLON_MICROCODE_RECORD > 0u) {
        recorded[task] = word;
    }
    if (CARILLON_LOADER_LOG > 0u) {
        carillon_log_note(CARILLON_LOG_RELEASED, task, machine.now);
    }
    if (CARILLON_MICROCODE_TOLD) {
        carillon_machine_released(task, word >> 8);
    }
}

#endif
