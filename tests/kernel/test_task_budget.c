/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel/core/task_budget.c with anything in between (interleaved/jobs.c). */
#include "jobs.h"

#include "kernel/core/task_budget.h"

const uint32_t budgets[FUNCTIONS] = {3u, 40u, 900u};
const uint32_t begun = 0u;

#define WORD(number) (UINT32_C(1) << (4u + (number)))
#define COUNTER(number) (0x1000u + (4u * (number)))
const struct carillon_task_budget carillon_task_budgets[FUNCTIONS] = {{3u, WORD(0u), COUNTER(0u), 40u, 0u},
                                                                      {40u, WORD(1u), COUNTER(1u), 41u, 1u},
                                                                      {900u, WORD(2u), COUNTER(2u), 42u, 2u}};
static uint32_t armed;
static int32_t counts[FUNCTIONS]; /* of the cells, and which of them run */
static bool runs[FUNCTIONS];

bool count(void)
{
    bool asks = false;
    for (uint32_t number = 0; number < FUNCTIONS; number++) {
        if (runs[number] && (--counts[number] <= 0)) { /* with a reload value of 0 it stands then */
            runs[number] = false;
            asks = true;
        }
    }
    return asks;
}

void reset(void)
{
}

uint32_t watched(void)
{
    return carillon_task_budget_watched;
}

uint32_t until_the_next_look(bool leaving)
{
    (void)leaving;
    return CARILLON_ROUND_BUDGET_RETRY;
}

bool may_run(uint32_t function)
{
    (void)function; /* no task preempts itself */
    return false;
}

void begins(uint32_t function)
{
    carillon_task_budget_begins(function);
}

void ends(uint32_t function)
{
    carillon_task_budget_ends(function);
}

uint64_t stops(void)
{
    return carillon_task_budget_stops();
}

void goes_on(uint64_t kept)
{
    carillon_task_budget_goes_on((uint32_t)kept);
}

void strikes(void)
{
    const uint32_t before = carillon_task_budget_watched;
    carillon_task_budget_strikes(NULL);
    for (uint32_t number = 0; (carillon_task_budget_watched == 0u) && (number < FUNCTIONS); number++) {
        assert_false(((before & WORD(number)) != 0u) && runs[number]); /* the cell of a job that is ended stands */
    }
    for (uint32_t number = 0; number < FUNCTIONS; number++) { /* any other one looks again in some units */
        assert_true(((carillon_task_budget_watched & WORD(number)) == 0u) || (counts[number] > 0));
    }
}

void carillon_port_arm(uint32_t source, uint32_t mask)
{
    armed |= ((source >= 40u) && (mask == CARILLON_SOURCE_BIT(source))) ? (1u << (source - 40u)) : 8u;
}

/* A store that starts or stops the cells of a word. */
static void run_or_stand(uint32_t word, bool starts)
{
    for (uint32_t number = 0; number < FUNCTIONS; number++) {
        if ((word & WORD(number)) != 0u) {
            runs[number] = starts;
        }
    }
}

void carillon_port_write(uint32_t address, uint32_t value)
{
    anything();
    if (address == CARILLON_ROUND_BUDGET_PAUSE || address == CARILLON_ROUND_BUDGET_RESUME) {
        run_or_stand(value, address == CARILLON_ROUND_BUDGET_RESUME);
    } else {
        assert_in_range(address, COUNTER(0u), COUNTER(FUNCTIONS - 1u));
        counts[(address - COUNTER(0u)) / 4u] = (int32_t)value;
    }
    anything();
}

uint32_t carillon_port_read(uint32_t address)
{
    assert_true(striking); /* no handler of a round reads a counter */
    assert_in_range(address, COUNTER(0u), COUNTER(FUNCTIONS - 1u));
    return (uint32_t)counts[(address - COUNTER(0u)) / 4u];
}

static void all_cells_are_let_in(void **state)
{
    (void)state;
    carillon_budget_arm();
    assert_int_equal(armed, 7u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cells_are_let_in),
        cmocka_unit_test(jobs_are_ended_when_they_have_used_up_their_budgets_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
