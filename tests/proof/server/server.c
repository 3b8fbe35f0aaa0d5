/* SPDX-License-Identifier: Apache-2.0
 *
 * The accounts of two servers: any budgets, periods and states, and any time that has passed since the last step.
 *
 * `is_right` says what each step begins with and leaves: so it holds after any number of them.  From it follows what a
 * user asks: what is used is charged; a server whose threads run has its budget's end in the queue, no later than the
 * budget lasts; and where nothing is left, its threads rest. */
#include "proof.h"

#include "kernel/time/server.c"

/* What is left, less what is owed. */
static int32_t balance(uint32_t server)
{
    return (int32_t)states[server].left - (int32_t)states[server].owed;
}

static bool is_right(void)
{
    for (uint32_t k = 0u; k < CARILLON_OSEK_SERVERS; k++) {
        const struct state *const it = &states[k];
        const uint8_t rests = carillon_server_rests[carillon_servers[k].level];
        if ((it->left > carillon_servers[k].budget) || ((it->left != 0u) && (it->owed != 0u))) {
            return false;
        }
        if ((it->watched != it->end.event.queued) || (it->counts != it->again.event.queued)) {
            return false;
        }
        if (it->watched && (it->end.event.left > it->left)) {
            return false; /* the end would come late */
        }
        if ((charged == k + 1u) && (it->left != 0u) && !it->watched) {
            return false; /* it would not come */
        }
        if ((it->left == 0u) && !it->watched && (rests == 0u)) {
            return false; /* its threads would go on */
        }
        if ((it->left != 0u) && (rests != 0u)) {
            return false; /* they would rest with a budget */
        }
        if (it->counts && (it->again.event.left > carillon_servers[k].period)) {
            return false;
        }
        if (!it->counts && ((charged == k + 1u) || (carillon_servers[k].constant == 0u))) {
            return false; /* the budget would not come back */
        }
    }
    return charged <= CARILLON_OSEK_SERVERS;
}

#ifndef LONGEST
#define LONGEST HALF
#endif

static int32_t balances[CARILLON_OSEK_SERVERS];
static uint32_t passed;

/* Any state of both, and then some time passes: at most to the next event, which is served first. */
static void any_servers(void)
{
    for (uint32_t k = 0u; k < CARILLON_OSEK_SERVERS; k++) {
        struct state *const it = &states[k];
        carillon_servers[k].period = any(1u, LONGEST);
        carillon_servers[k].budget = any(1u, carillon_servers[k].period);
        carillon_servers[k].level = (uint8_t)(k + 2u);
        carillon_servers[k].constant = any_bool() ? 1u : 0u;
        it->left = (carillon_time)nondet_uint();
        it->owed = (carillon_time)nondet_uint();
        it->watched = any_bool();
        it->counts = any_bool();
        it->busy = any_bool();
        it->end.event.queued = it->watched;
        it->end.event.left = (carillon_time)nondet_uint();
        it->again.event.queued = it->counts;
        it->again.event.left = (carillon_time)nondet_uint();
        carillon_server_rests[k + 2u] = any_bool() ? 1u : 0u;
        level_states[k + 2u].count = (uint16_t)any(0u, 3u);
    }
    charged = (uint8_t)any(0u, CARILLON_OSEK_SERVERS);
    started = true;
    now = (carillon_time)nondet_uint();
    charge(); /* so that it is known when was charged last */
    assume((states[0].owed <= HALF) && (states[1].owed <= HALF) && is_right());
    passed = any(0u, HALF);
    for (uint32_t k = 0u; k < CARILLON_OSEK_SERVERS; k++) {
        assume(!states[k].watched || (passed <= states[k].end.event.left));
        assume(!states[k].counts || (passed <= states[k].again.event.left));
        states[k].end.event.left = (carillon_time)(states[k].end.event.left - passed);
        states[k].again.event.left = (carillon_time)(states[k].again.event.left - passed);
        balances[k] = balance(k) - (((charged == k + 1u)) ? (int32_t)passed : 0);
    }
    now = (carillon_time)(now + passed);
}

/* Of what the step has charged, and of what it has filled. */
static void is_charged(uint32_t server)
{
    assert(balance(server) == balances[server]);
}
static void is_filled(uint32_t server)
{
    const int32_t budget = (int32_t)carillon_servers[server].budget;
    assert(balance(server) == ((balances[server] < 0) ? budget + balances[server] : budget));
}

/* What runs changes: a level begins, or goes on. */
static void changes(void)
{
    any_servers();
    const uint8_t next = (uint8_t)any(0u, CARILLON_OSEK_SERVERS);
    const bool idle = (next != 0u) && !states[next - 1u].counts;
    charge_to(next);
    assert((charged == next) && is_right());
    for (uint32_t k = 0u; k < CARILLON_OSEK_SERVERS; k++) {
        if (idle && (k + 1u == next)) {
            is_filled(k); /* its deadline has passed */
        } else {
            is_charged(k);
        }
    }
}

/* The end of a budget is due. */
static void over(void)
{
    any_servers();
    const uint8_t server = (uint8_t)any(0u, CARILLON_OSEK_SERVERS - 1u);
    assume(states[server].watched && (states[server].end.event.left == 0u));
    carillon_clock_queue.first = &states[server].end.event;
    carillon_server_over(server);
    assert(is_right());
    is_charged(0u);
    is_charged(1u);
    assert((balance(server) > 0) || gives_way[carillon_servers[server].level]);
}

/* The time at which a budget comes back has come. */
static void again(void)
{
    any_servers();
    const uint8_t server = (uint8_t)any(0u, CARILLON_OSEK_SERVERS - 1u);
    const uint32_t level = carillon_servers[server].level;
    assume(states[server].counts && (states[server].again.event.left == 0u));
    carillon_clock_queue.first = &states[server].again.event;
    const bool rested = carillon_server_rests[level] != 0u;
    carillon_server_again(server);
    assert(is_right());
    is_charged(1u - server);
    if (states[server].counts) {
        is_filled(server);
        assert(states[server].again.event.left == carillon_servers[server].period);
        assert(!rested || (balance(server) <= 0) || (level_states[level].count == 0u) || is_asked[level]);
    } else {
        is_charged(server);
        assert(balance(server) >= 0);
    }
}

/* A thread of a constant-bandwidth server gets ready: what is left is no more than its bandwidth until the deadline. */
static void readies(void)
{
    any_servers();
    const uint8_t server = (uint8_t)any(0u, CARILLON_OSEK_SERVERS - 1u);
    const struct carillon_server *const fixed = &carillon_servers[server];
    const bool was_busy = states[server].busy;
    carillon_server_readies(fixed->level);
    if ((fixed->constant == 0u) || was_busy) {
        return;
    }
    const struct state *const it = &states[server];
    assert(is_right() && it->busy && it->counts);
    assert((uint64_t)it->left * fixed->period <= (uint64_t)it->again.event.left * fixed->budget);
    is_charged(1u - server);
    assert((balance(server) == balances[server]) || (it->again.event.left == fixed->period));
}

int main(void)
{
    STEP();
    THE_END;
}
