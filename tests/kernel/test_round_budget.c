/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel/core/round_budget.c with anything in between (interleaved/jobs.c). */
#include "jobs.h"

#include "kernel/core/round_budget.h"

const uint32_t budgets[FUNCTIONS] = {3u, 40u, 900u};
const uint32_t begun = 0u;
const struct carillon_round_budget carillon_round_budgets[FUNCTIONS] = {{3u, 0u}, {40u, 1u}, {900u, 2u}};
static uint32_t counter, armed;

bool count(void)
{
    counter = (counter != 0u) ? (counter - 1u) : (CARILLON_ROUND_BUDGET_RANGE - 1u);
    return counter == 0u;
}

void reset(void)
{
    counter = draw(CARILLON_ROUND_BUDGET_RANGE);
}

uint32_t watched(void)
{
    return carillon_round_budget_watched;
}

uint32_t until_the_next_look(bool leaving)
{
    return leaving ? CARILLON_ROUND_BUDGET_RETRY : 0u; /* before, it is asked for where it goes on */
}

bool may_run(uint32_t function)
{
    (void)function; /* two tasks may run one function */
    return true;
}

void begins(uint32_t function)
{
    carillon_round_budget_begins(function);
}

void ends(uint32_t function)
{
    (void)function;
    carillon_round_budget_ends();
}

uint64_t stops(void)
{
    return carillon_round_budget_stops();
}

void goes_on(uint64_t kept)
{
    carillon_round_budget_goes_on(kept);
}

void strikes(void)
{
    carillon_round_budget_strikes(NULL);
}

void carillon_port_arm(uint32_t source, uint32_t mask)
{
    armed += ((source == CARILLON_ROUND_BUDGET_SOURCE) && (mask == CARILLON_SOURCE_BIT(source))) ? 1u : 2u;
}

void carillon_port_write(uint32_t address, uint32_t value)
{
    assert_int_equal(address, CARILLON_ROUND_BUDGET_COUNTER);
    anything();
    counter = value;
    anything();
}

uint32_t carillon_port_read(uint32_t address)
{
    assert_int_equal(address, CARILLON_ROUND_BUDGET_COUNTER);
    anything();
    const uint32_t value = counter;
    anything();
    return value;
}

static void the_cell_is_let_in(void **state)
{
    (void)state;
    carillon_budget_arm();
    assert_int_equal(armed, 1u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cell_is_let_in),
        cmocka_unit_test(jobs_are_ended_when_they_have_used_up_their_budgets_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
