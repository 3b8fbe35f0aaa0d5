/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel/core/round_budget.c with cells/rp2040alarm/budget.h, with anything in between (interleaved/jobs.c).
 *
 * The counter of microseconds runs, and the alarm asks when the counter comes to it.  An alarm that is set to what the
 * counter reads may ask at once, or not. */
#include "jobs.h"

#include "kernel/core/round_budget.h"

const uint32_t budgets[FUNCTIONS] = {3u, 40u, 900u};
const uint32_t begun = CARILLON_ROUND_BUDGET_BEGUN;
const struct carillon_round_budget carillon_round_budgets[FUNCTIONS] = {
    {3u + CARILLON_ROUND_BUDGET_BEGUN, 0u},
    {40u + CARILLON_ROUND_BUDGET_BEGUN, 1u},
    {900u + CARILLON_ROUND_BUDGET_BEGUN, 2u},
};
static uint32_t now, alarm;
static bool armed, fires;

bool count(void)
{
    now++;
    const bool expires = (armed && (now == alarm)) || fires;
    armed = armed && !expires;
    fires = false;
    return expires;
}

void reset(void)
{
    now = draw(UINT32_MAX);
    alarm = now + draw(2000u) - 1000u;
    armed = draw(2u) == 0u;
    fires = false;
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
    (void)source;
    (void)mask;
}

/* A unit is many instructions. */
static void something(void)
{
    if (draw(8u) == 0u) {
        anything();
    }
}

void carillon_port_write(uint32_t address, uint32_t value)
{
    assert_int_equal(address, RP2040ALARM_ALARM(CARILLON_ROUND_BUDGET_CELL));
    something();
    alarm = value;
    armed = value != now;
    fires = (value == now) && (draw(2u) == 0u);
    something();
}

uint32_t carillon_port_read(uint32_t address)
{
    assert_true((address == RP2040ALARM_NOW) || (address == RP2040ALARM_ALARM(CARILLON_ROUND_BUDGET_CELL)));
    something();
    const uint32_t value = (address == RP2040ALARM_NOW) ? now : alarm;
    something();
    return value;
}

uint32_t carillon_port_lock(void)
{
    something();
    const bool saved = locked;
    locked = true;
    return saved ? 1u : 0u;
}

void carillon_port_unlock(uint32_t saved)
{
    locked = saved != 0u;
    something();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_are_ended_when_they_have_used_up_their_budgets_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
