/* SPDX-License-Identifier: Apache-2.0
 *
 * Servers of threads: a budget that is used up while a thread of the server runs, and comes back.
 *
 * 1. What is left of a budget is known at the instants at which what runs changes (kernel/levels/served.h), and where
 *    one of the server's events is due.  Between those, the time that has passed since the last one is that of the
 *    charged server.  So a server that is preempted costs no work on the queue.
 * 2. The budget's end is an event of the clock, as far ahead as the budget lasts if nothing preempts the server.  If
 *    something has, the event comes too early, finds the rest, and is put in again for that.  It never comes late.
 * 3. When nothing is left, the threads of the level rest: the level's handler begins none, and the one that runs gives
 *    way as at the end of a slice (wait.c).  So a thread that holds a resource or runs at a mutex's ceiling goes on
 *    until it releases it.  What it runs for too long is owed: the next budgets pay it back.
 * 4. The budget of a deferrable server comes back at each multiple of the period from the start on.  What is left is
 *    kept until then (Strosnider, Lehoczky and Sha, 1995).
 * 5. A constant-bandwidth server has a deadline while its budget counts.  When a thread gets ready where none was, what
 *    is left may be more than the bandwidth until the deadline, or the deadline has passed.  That is asked at that
 *    instant and not when the thread first runs.  Then the deadline is a period from now, and the budget is whole
 *    (Abeni and Buttazzo, 1998).  The budget comes back at the deadline, which is a period later then.  Where the paper
 *    goes on with a later deadline, the threads rest until the deadline: priorities are fixed here, and deadlines order
 *    nobody.  So the server never takes more of the processor than its bandwidth, however high its priority is. */
#include "kernel/time/services.h"

#if CARILLON_OSEK_TIME && (CARILLON_OSEK_SERVERS > 0)

#include "kernel/levels/served.h"

/* `left` of the budget, and what is `owed` when that is 0.  `watched`: the end of the budget is in the queue.
 * `counts`: the time at which it comes back is.  `busy`: a thread of the level runs or is ready. */
static struct state {
    struct carillon_timed end;
    struct carillon_timed again;
    carillon_time left;
    carillon_time owed;
    bool watched;
    bool counts;
    bool busy;
} states[CARILLON_OSEK_SERVERS];

volatile uint8_t carillon_server_rests[CARILLON_OSEK_TASK_LEVELS + 1u];
static uint8_t charged; /* whom what runs is charged to, plus 1 */
static bool started;    /* the clock counts */

/* Charge what has passed. */
static void charge(void)
{
    static carillon_time since;
    const carillon_time now = carillon_time_now();
    if (charged != 0u) {
        struct state *const state = &states[charged - 1u];
        const carillon_time used = (carillon_time)(now - since);
        if (used <= state->left) {
            state->left = (carillon_time)(state->left - used);
        } else {
            state->owed = (carillon_time)(state->owed + (carillon_time)(used - state->left));
            state->left = 0u;
        }
    }
    since = now;
}

/* A whole budget, but for what is owed. */
static void refill(uint8_t server)
{
    const carillon_time budget = (carillon_time)carillon_servers[server].budget;
    struct state *const state = &states[server];
    state->left = (state->owed < budget) ? (carillon_time)(budget - state->owed) : 0u;
    state->owed = (carillon_time)(state->owed - (carillon_time)(budget - state->left));
}

/* The charged server's budget ends so far ahead at the earliest. */
static void watch(void)
{
    struct state *const state = &states[charged - 1u];
    if (!state->watched && (state->left != 0u)) {
        state->watched = true;
        carillon_time_insert_near(&state->end, state->left);
    }
}

/* The threads of a server rest, or do not any more. */
static void set_rests(uint8_t server)
{
    const uint8_t number = carillon_servers[server].level;
    const struct carillon_osek_level *const level = &carillon_osek_levels[number];
    if (states[server].left == 0u) {
        carillon_server_rests[number] = 1u;
        carillon_slice_ends_at(number);
    } else if (carillon_server_rests[number] != 0u) {
        carillon_server_rests[number] = 0u;
        if (level->state->count != 0u) {
            carillon_osek_request(level->request, number);
        }
    } else {
        /* they go on */
    }
}

/* The budget comes back a period from now. */
static void count_period(uint8_t server)
{
    struct state *const state = &states[server];
    if (state->counts) {
        carillon_clock_remove(carillon_time_event(&state->again));
    }
    state->counts = true;
    carillon_time_insert_near(&state->again, (carillon_time)carillon_servers[server].period);
}

/* A whole budget now, and a deadline. */
static void begin_budget(uint8_t server)
{
    refill(server);
    count_period(server);
    set_rests(server);
}

#if CARILLON_SERVERS_CONSTANT
/* Of two times. */
#if CARILLON_TIME_BITS <= 16
typedef uint32_t product;
#else
typedef uint64_t product;
#endif

/* A thread gets ready where none was: the deadline, and the budget. */
static void set_deadline(uint8_t server)
{
    const struct carillon_server *const fixed = &carillon_servers[server];
    struct state *const state = &states[server];
    if (state->counts) {
        const carillon_time until = carillon_clock_left(carillon_time_event(&state->again));
        if (((product)state->left * fixed->period) <= ((product)until * fixed->budget)) {
            return; /* also if nothing is left */
        }
    }
    begin_budget(server);
}

void carillon_server_readies(uint8_t level)
{
    const uint8_t server = carillon_server_of[level];
    if ((server == 0u) || (carillon_servers[server - 1u].constant == 0u) || states[server - 1u].busy) {
        return;
    }
    states[server - 1u].busy = true;
    if (started) {
        charge(); /* a thread of the server may run as a guest of another level */
        set_deadline((uint8_t)(server - 1u));
    }
}
#endif

bool carillon_server_admits(uint8_t level)
{
    if (carillon_osek_levels[level].state->count == 0u) {
        return false; /* a request of a server whose threads did not rest any more when they ran */
    }
    states[carillon_server_of[level] - 1u].busy = true; /* it is a level of some server's threads */
    return carillon_server_rests[level] == 0u;
}

/* What runs is charged to a server, plus 1, or to none; locked.  A thread that is a guest of another level uses the
 * budget although its server is idle, and the deadline may have passed. */
static void charge_to(uint8_t server)
{
    charge();
    charged = server;
    if (server != 0u) {
        if (CARILLON_SERVERS_CONSTANT && !states[server - 1u].counts) {
            begin_budget((uint8_t)(server - 1u));
        }
        watch();
    }
}

uint8_t carillon_server_begins(uint8_t level)
{
    const uint32_t saved = carillon_osek_lock();
    const uint8_t before = charged;
    charge_to(carillon_server_of[level]);
    carillon_osek_unlock(saved);
    return before;
}

void carillon_server_ends(uint8_t level, uint8_t before)
{
    const uint32_t saved = carillon_osek_lock();
    const uint8_t server = carillon_server_of[level];
    charge_to(before);
    if ((server != 0u) && (carillon_osek_levels[level].state->count == 0u)) {
        states[server - 1u].busy = false;
    }
    carillon_osek_unlock(saved);
}

void carillon_server_over(uint8_t server)
{
    struct state *const state = &states[server];
    carillon_queue_pop(&carillon_clock_queue);
    state->watched = false;
    charge();
    if (state->left == 0u) {
        set_rests(server);
    } else if (charged == (server + 1u)) {
        watch();
    } else {
        /* it is watched when it goes on */
    }
}

void carillon_server_again(uint8_t server)
{
    struct state *const state = &states[server];
    charge();
    if ((carillon_servers[server].constant != 0u) && !state->busy && (charged != (server + 1u)) &&
        (state->owed == 0u)) {
        carillon_queue_pop(&carillon_clock_queue); /* its deadline has passed, and it is idle */
        state->counts = false;
        return;
    }
    carillon_queue_repeat(&carillon_clock_queue, (carillon_time)carillon_servers[server].period);
    refill(server);
    set_rests(server);
    if (charged == (server + 1u)) {
        watch();
    }
}

void carillon_server_start(void)
{
    for (uint8_t server = 0u; server < CARILLON_OSEK_SERVERS; server++) {
        struct state *const state = &states[server];
        state->end.kind = CARILLON_ACTION_END_BUDGET;
        state->end.task = server;
        state->again.kind = CARILLON_ACTION_FILL_BUDGET;
        state->again.task = server;
        state->left = (carillon_time)carillon_servers[server].budget;
        if (carillon_servers[server].constant == 0u) {
            count_period(server);
        }
        if (CARILLON_SERVERS_CONSTANT && (carillon_servers[server].constant != 0u) && state->busy) {
            begin_budget(server); /* StartOS has activated a thread of it */
        }
    }
    started = true;
}

StatusType carillon_server_left(carillon_server server, carillon_duration *ticks)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_ServerLeft, .object = server, .reference = ticks);
    CHECK(server < CARILLON_OSEK_SERVERS, OSServiceId_ServerLeft, E_OS_ID, .object = server, .reference = ticks);
    CHECK_POINTER(ticks, OSServiceId_ServerLeft, .object = server, .reference = ticks);
    const uint32_t saved = carillon_osek_lock();
    charge();
    *ticks = states[server].counts ? states[server].left : (carillon_duration)carillon_servers[server].budget;
    carillon_osek_unlock(saved);
    return E_OK;
}

#endif
