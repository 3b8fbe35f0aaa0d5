/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler of microcode, from any heap of tasks in their order: a task that ends leaves it, and the others stay in
 * order. */
#include "any_machine.h"

static uint32_t opcode(uint32_t value)
{
    return value;
}
static bool is_over(const struct carillon_instruction **begin, const struct carillon_instruction *behind,
                    uint16_t resume, uint32_t reference)
{
    (void)begin;
    (void)behind;
    (void)resume;
    (void)reference;
    return true;
}

/* No entry is more urgent than the one above it.  Deadlines are less than 2^31 ticks apart: from any time on. */
static uint32_t earliest;
static bool is_in_order(void)
{
    bool is = true;
    for (uint32_t k = 0u; k < TASKS; k++) {
        const uint32_t above = (k > 0u) ? ((k - 1u) / 2u) : 0u;
        const uint32_t key = (uint32_t)(heap[k] >> 32) - earliest;
        is = is && ((k >= machine.heap) || ((key < UINT32_C(0x7FFFFFFF)) && !is_before(heap[k], heap[above])));
    }
    return is;
}

/* The first one is none less urgent than any. */
static void check(void)
{
    const uint32_t k = any(0u, TASKS - 1u);
    assert(is_state());
    assert(is_in_order());
    if (k < machine.heap) {
        assert(!is_before(heap[k], heap[0]));
    }
}

static void ends(void)
{
    const uint16_t task = (uint16_t)any(0u, TASKS - 1u);
    finish(task);
    const uint32_t k = any(0u, TASKS - 1u);
    assert(!is_unfinished(task));
    assert((k == task) || is_same_task(k));
    check();
}

int main(void)
{
    any_code(0u);
    any_state();
    earliest = nondet_uint();
    assume(is_in_order());
    ends();
    THE_END;
}
