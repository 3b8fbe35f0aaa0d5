/* SPDX-License-Identifier: Apache-2.0
 *
 * Two servers' budgets (kernel/time/server.c) beside a model that counts tick by tick: what runs is drawn.  The file itself is
 * included, so that each run begins as after a reset. */
#include "levels/drawn.h"
#include "services/services.h"

#include <string.h>

enum { SERVERS = 2, RUNS = 300, STEPS = 400, NESTED = 4 };
/* Instead of the application's: what each run draws. */
static struct carillon_server drawn_servers[SERVERS];
#define carillon_servers drawn_servers
#include "kernel/time/server.c"

const uint8_t carillon_server_of[CARILLON_OSEK_TASK_LEVELS + 1u] = {[THREADS_LEVEL] = 1u, [ALONE_LEVEL] = 2u};

static struct carillon_osek_ring *const rings[SERVERS] = {&services_ring, &services_other_ring};
static const uint16_t requests[SERVERS] = {THREADS_SOURCE, ALONE_SOURCE};
static const uint16_t slices[SERVERS] = {SLICE_SOURCE, OTHER_SLICE_SOURCE};

/* What a server is to be. */
static struct model {
    uint32_t left, owed;
    uint32_t comes_back; /* the time at which the budget does; counts: if it does */
    bool counts, busy, rests;
    bool asks, ends; /* in this step its level has been requested, its slice's end has; `either`: or not */
    bool either;
} models[SERVERS];
static bool is_started;

/* What runs: the level of each handler that has preempted another one, or has been entered first. */
static uint8_t running[NESTED], said[NESTED];
static uint32_t depth;

static uint8_t charged_server(void)
{
    return (depth == 0u) ? 0u : carillon_server_of[running[depth - 1u]];
}

static void rests_or_not(uint32_t k)
{
    struct model *const model = &models[k];
    if (model->left == 0u) {
        model->rests = true;
        model->ends = true;
    } else if (model->rests) {
        model->rests = false;
        model->asks = model->asks || (rings[k]->count != 0u);
    } else {
        /* they go on */
    }
}

static void fill(uint32_t k)
{
    struct model *const model = &models[k];
    const uint32_t paid = (model->owed < drawn_servers[k].budget) ? model->owed : drawn_servers[k].budget;
    model->left = drawn_servers[k].budget - paid;
    model->owed -= paid;
    rests_or_not(k);
}

static void begin(uint32_t k)
{
    models[k].counts = true;
    models[k].comes_back = services_now + drawn_servers[k].period;
    fill(k);
}

static void model_tick(void)
{
    const uint8_t server = charged_server();
    const bool used_up = (server != 0u) && (models[server - 1u].left == 1u);
    if (server != 0u) {
        struct model *const model = &models[server - 1u];
        if (model->left != 0u) {
            model->left--;
        } else {
            model->owed++;
        }
    }
    for (uint32_t k = 0u; k < SERVERS; k++) {
        struct model *const model = &models[k];
        const bool ended = used_up && (server == (k + 1u));
        const bool comes = model->counts && (model->comes_back == services_now);
        if (ended && comes) {
            model->either = true; /* which of both is first */
        }
        if (ended) {
            rests_or_not(k);
        }
        if (comes && (drawn_servers[k].constant != 0u) && !model->busy && (server != (k + 1u)) && (model->owed == 0u)) {
            model->counts = false;
        } else if (comes) {
            begin(k);
        } else {
            /* not yet */
        }
    }
}

static void check(void)
{
    for (uint32_t k = 0u; k < SERVERS; k++) {
        struct model *const model = &models[k];
        assert_int_equal(carillon_server_rests[drawn_servers[k].level], model->rests);
        const bool asked = services_was_requested(requests[k]);
        const bool ended = services_was_requested(slices[k]);
        assert_true((asked == model->asks) || (model->either && !asked));
        assert_true((ended == model->ends) || (model->either && !ended));
        model->asks = false;
        model->ends = false;
        model->either = false;
    }
}

/* Who asks what is left has what has passed charged, so that this is not asked always. */
static void check_left(void)
{
    for (uint32_t k = 0u; k < SERVERS; k++) {
        carillon_duration left = 0u;
        assert_succeeded(carillon_server_left((carillon_server)k, &left));
        assert_int_equal(left, models[k].counts ? models[k].left : drawn_servers[k].budget);
    }
}

static void pass(uint32_t ticks)
{
    for (uint32_t i = 0u; i < ticks; i++) {
        services_pass(1u);
        model_tick();
        check();
    }
}

/* A thread of a level is ready: the first where none was, or one more. */
static void readies(uint32_t k)
{
    struct model *const model = &models[k];
    rings[k]->count = (carillon_osek_slot)(1u + drawn(2u));
    carillon_server_readies(drawn_servers[k].level);
    if ((drawn_servers[k].constant == 0u) || model->busy) {
        return;
    }
    model->busy = true;
    if (is_started) {
        const uint32_t until = model->comes_back - services_now;
        if (!model->counts || ((model->left * drawn_servers[k].period) > (until * drawn_servers[k].budget))) {
            begin(k);
        }
    }
}

static void asks_to_run(uint32_t k)
{
    const bool waits = rings[k]->count != 0u;
    assert_int_equal(carillon_osek_admits(drawn_servers[k].level), waits && !models[k].rests);
    assert_unlocked();
    models[k].busy = models[k].busy || waits;
}

static void charges(void)
{
    const uint8_t server = charged_server();
    if ((server != 0u) && (drawn_servers[server - 1u].constant != 0u) && !models[server - 1u].counts) {
        begin(server - 1u);
    }
}

static void begins(uint8_t level)
{
    const uint8_t before = charged_server();
    said[depth] = carillon_server_begins(level);
    assert_unlocked();
    assert_int_equal(said[depth], before);
    running[depth] = level;
    depth++;
    charges();
}

static void ends(bool last)
{
    depth--;
    const uint8_t level = running[depth];
    const uint8_t server = carillon_server_of[level];
    if (server != 0u) {
        rings[server - 1u]->count = (carillon_osek_slot)(last ? 0u : 1u);
    }
    carillon_server_ends(level, said[depth]);
    assert_unlocked();
    if ((server != 0u) && last) {
        models[server - 1u].busy = false;
    }
    charges();
}

static void start(void)
{
    carillon_server_start();
    is_started = true;
    for (uint32_t k = 0u; k < SERVERS; k++) {
        models[k].left = drawn_servers[k].budget;
        models[k].counts = drawn_servers[k].constant == 0u;
        models[k].comes_back = services_now + drawn_servers[k].period;
        if ((drawn_servers[k].constant != 0u) && models[k].busy) {
            begin(k);
        }
    }
    check();
}

static void step(void)
{
    const uint32_t what = drawn(8u);
    if (what < 2u) {
        pass(1u + drawn(3u));
    } else if (what == 2u) {
        pass(1u + drawn(40u));
    } else if (what == 3u) {
        readies(drawn(SERVERS));
    } else if (what == 4u) {
        asks_to_run(drawn(SERVERS));
    } else if ((what <= 5u) || (depth == 0u)) {
        if (depth < NESTED) {
            begins((uint8_t)(BASIC_LEVEL + drawn(3u)));
        }
    } else {
        ends(drawn(2u) == 0u);
    }
    check();
    if (drawn(8u) == 0u) {
        check_left();
    }
}

static int reset(void **state)
{
    (void)services_reset(state);
    services_run(FIRST);
    carillon_time_ticks = (carillon_time)(drawn(2u) * (CARILLON_NEVER - 500u)); /* the time goes round */
    charged = 0u;
    charge();
    memset(states, 0, sizeof states);
    memset(models, 0, sizeof models);
    for (uint32_t level = 0u; level <= CARILLON_OSEK_TASK_LEVELS; level++) {
        carillon_server_rests[level] = 0u;
    }
    started = false;
    is_started = false;
    depth = 0u;
    return 0;
}

static void drawn_runs(void **state)
{
    for (uint32_t run = 0u; run < RUNS; run++) {
        (void)reset(state);
        for (uint32_t k = 0u; k < SERVERS; k++) {
            const uint32_t budget = 1u + drawn(12u);
            drawn_servers[k] = (struct carillon_server){.budget = budget,
                                                        .period = budget + drawn(40u),
                                                        .level = (uint8_t)(THREADS_LEVEL + k),
                                                        .constant = (uint8_t)(CARILLON_SERVERS_CONSTANT * drawn(2u))};
        }
        for (uint32_t k = 0u; k < SERVERS; k++) {
            if (drawn(2u) == 0u) {
                readies(k);
            }
        }
        start();
        for (uint32_t k = 0u; k < STEPS; k++) {
            step();
        }
    }
}

/* The clock's handler comes late: what the threads have run for too long is paid back. */
static void what_is_owed(void **state)
{
    (void)state;
    drawn_servers[0] = (struct carillon_server){.budget = 5u, .period = 20u, .level = THREADS_LEVEL};
    drawn_servers[1] = (struct carillon_server){.budget = 5u, .period = 20u, .level = ALONE_LEVEL};
    start();
    begins(THREADS_LEVEL);
    carillon_time_ticks = (carillon_time)(carillon_time_ticks + 8u);
    carillon_duration left = 9u;
    assert_succeeded(carillon_server_left(0u, &left));
    assert_int_equal(left, 0u);
    ends(true);
    services_pass(20u);
    assert_succeeded(carillon_server_left(0u, &left));
    assert_int_equal(left, 2u);
}

/* The service that tells what is left. */
static carillon_server asked;
static carillon_duration told;
static carillon_duration *to = &told;
static StatusType left(void)
{
    return carillon_server_left(asked, to);
}

static void what_is_left(void **state)
{
    (void)state;
    drawn_servers[1] = (struct carillon_server){.budget = 3u, .period = 9u, .level = ALONE_LEVEL};
    drawn_servers[0] = (struct carillon_server){.budget = 5u, .period = 9u, .level = THREADS_LEVEL};
    start();
    asked = 1u;
    check_places(left, OSServiceId_ServerLeft, IN_TASK);
    check_places(left, OSServiceId_ServerLeft, IN_ISR2);
    assert_int_equal(told, 3u);
    asked = SERVERS;
    assert_failed(left(), E_OS_ID, OSServiceId_ServerLeft);
    asked = 0u;
    to = NULL;
    assert_failed(left(), E_OS_PARAM_POINTER, OSServiceId_ServerLeft);
}

/* A thread's delay is over in the tick in which its server's budget would come back.  The budget begins there and comes back
 * later, so that nothing else is due in that tick. */
static void a_delay_that_ends_where_the_budget_comes_back(void **state)
{
    (void)state;
    static struct carillon_sleeper sleepers[2];
    static const TaskType tasks[2] = {FIRST, ALONE};
    drawn_servers[0] = (struct carillon_server){
        .budget = 3u, .period = 6u, .level = THREADS_LEVEL, .constant = CARILLON_SERVERS_CONSTANT};
    drawn_servers[1] = (struct carillon_server){.budget = 5u, .period = 90u, .level = ALONE_LEVEL};
    start();
    for (uint32_t k = 0u; k < 2u; k++) {
        const TaskType task = tasks[k];
        sleepers[k] = (struct carillon_sleeper){
            .timed.task = task, .task = &carillon_osek_tasks[task], .extended = &services_extended[task]};
        services_extended[task].waited = CARILLON_OSEK_WAKE;
        carillon_time_insert_near(&sleepers[k].timed, (carillon_time)(6u + (2u * k)));
    }
    readies(0u);
    begins(THREADS_LEVEL);
    ends(true);
    services_pass(6u);
    assert_int_equal(services_extended[FIRST].waited, 0u);
    assert_int_equal(services_extended[ALONE].waited, CARILLON_OSEK_WAKE);
    services_pass(2u);
    assert_int_equal(services_extended[ALONE].waited, 0u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_left, reset), cmocka_unit_test_setup(what_is_owed, reset),
        cmocka_unit_test_setup(a_delay_that_ends_where_the_budget_comes_back, reset), cmocka_unit_test(drawn_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
