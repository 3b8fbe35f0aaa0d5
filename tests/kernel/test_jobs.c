/* SPDX-License-Identifier: Apache-2.0
 *
 * What the handlers of levels ask of jobs (kernel/jobs/job.h). */
#include "levels/port.h"

#include "kernel/jobs/job.h"

#include <string.h>

enum { ONE, TWO, THREE, TASKS };
enum { SOURCE = 16, OTHER_SOURCE, CAPACITY = 3 };

static struct carillon_osek_extended contexts[TASKS];
const struct carillon_osek_task carillon_osek_tasks[TASKS] = {{.level = 2u, .extended = &contexts[ONE]},
                                                              {.level = 2u, .extended = &contexts[TWO]},
                                                              {.level = 2u, .extended = &contexts[THREE]}};
struct carillon_osek_job carillon_osek_jobs[TASKS];
volatile uint_fast8_t carillon_osek_running;
volatile bool carillon_osek_over[CARILLON_OSEK_TASK_LEVELS + 1u];
volatile uint16_t carillon_osek_again;
static struct carillon_osek_ring ring;
static uint8_t ring_tasks[CAPACITY];
static const struct carillon_osek_level level = {
    .ring = ring_tasks, .state = &ring, .capacity = CAPACITY, .request = CARILLON_STORE_PEND(SOURCE)};

#if CARILLON_OSEK_SLICES
static uint32_t wanted;
void carillon_slices_wanted(void)
{
    wanted++;
}
#endif

static int reset(void **state)
{
    memset(carillon_osek_jobs, 0, sizeof carillon_osek_jobs);
    memset(&ring, 0, sizeof ring);
    carillon_osek_running = INVALID_TASK;
    carillon_osek_again = 0u;
    return port_reset(state);
}

/* A task is suspended that has no activation, but for one that the running task chains: that is none yet. */
static void t_suspended(void **state)
{
    (void)state;
    carillon_osek_jobs[TWO].next = THREE;
    carillon_osek_jobs[THREE].next = THREE;
    assert_true(carillon_osek_suspended(THREE));
    carillon_osek_jobs[THREE].activations = 1u;
    assert_false(carillon_osek_suspended(THREE));
    carillon_osek_running = TWO;
    assert_true(carillon_osek_suspended(THREE));
    carillon_osek_jobs[THREE].activations = 2u;
    assert_false(carillon_osek_suspended(THREE));
    carillon_osek_jobs[THREE].activations = 1u;
    carillon_osek_running = THREE; /* it chains itself */
    assert_false(carillon_osek_suspended(THREE));
    carillon_osek_running = ONE; /* which chains nobody */
    carillon_osek_jobs[ONE].next = CARILLON_OSEK_TERMINATED;
    assert_false(carillon_osek_suspended(THREE));
    carillon_osek_jobs[THREE].activations = 0u;
    assert_true(carillon_osek_suspended(THREE));
}

/* At the end of a direct task what its cell has asked for meanwhile is forgotten, but not what it has asked itself. */
static void t_forget(void **state)
{
    (void)state;
    port.pending[SOURCE] = true;
    carillon_osek_again = OTHER_SOURCE;
    carillon_osek_forget_request(SOURCE);
    assert_false(port.pending[SOURCE]);
    assert_int_equal(carillon_osek_again, OTHER_SOURCE);
    port.pending[SOURCE] = true;
    carillon_osek_again = SOURCE;
    carillon_osek_forget_request(SOURCE);
    assert_true(port.pending[SOURCE]);
    assert_int_equal(carillon_osek_again, 0u);
}

/* Activations leave a ring in the order in which they came, past its end; and a request of nobody finds none. */
static void t_ring(void **state)
{
    (void)state;
    TaskType task = THREE;
    assert_false(carillon_osek_take_next(&level, &task));
    assert_int_equal(task, THREE);
    assert_int_equal(ring.count, 0u);
    for (uint32_t turn = 0u; turn < 4u; turn++) {
        carillon_osek_queue_up(&level, TWO);
        carillon_osek_queue_up(&level, ONE);
        assert_int_equal(ring.count, 2u);
        assert_true(carillon_osek_take_next(&level, &task));
        assert_int_equal(task, TWO);
        assert_true(carillon_osek_take_next(&level, &task));
        assert_int_equal(task, ONE);
        assert_false(carillon_osek_take_next(&level, &task));
    }
    assert_int_equal(ring.first, 8u % CAPACITY);
    assert_int_equal(port.mask, 0u);
}

/* A level's handler that ends is requested anew if others wait in its ring. */
static void t_next(void **state)
{
    (void)state;
    carillon_osek_request_next(&level, 2u);
    assert_false(port.pending[SOURCE]);
    carillon_osek_queue_up(&level, TWO);
    carillon_osek_request_next(&level, 2u);
    assert_true(port.pending[SOURCE]);
}

#if CARILLON_OSEK_SLICES
/* What ends slices is wanted where somebody waits for a turn that another has: whoever comes second.  A turn begins with
 * nothing held, and with no slice that is over. */
static void t_turns(void **state)
{
    (void)state;
    wanted = 0u;
    TaskType task = THREE;
    carillon_osek_queue_up(&level, TWO); /* nobody has a turn */
    carillon_osek_queue_up(&level, ONE);
    assert_int_equal(wanted, 0u);
    ring.over = 1u;
    ring.held = 1u;
    assert_true(carillon_osek_take_next(&level, &task)); /* and the other one waits */
    assert_int_equal(wanted, 1u);
    assert_int_equal(ring.over, 0u);
    assert_int_equal(ring.held, 0u);
    assert_int_equal(ring.turn, 1u);
    carillon_osek_queue_up(&level, THREE);
    assert_int_equal(wanted, 2u);
    carillon_osek_request_next(&level, 2u);
    assert_int_equal(ring.turn, 0u);
    assert_true(carillon_osek_take_next(&level, &task));
    assert_int_equal(wanted, 3u);
    assert_true(carillon_osek_take_next(&level, &task)); /* and nobody waits */
    assert_int_equal(wanted, 3u);
    carillon_osek_request_next(&level, 2u);
    carillon_osek_queue_up(&level, TWO);
    assert_int_equal(wanted, 3u);
}
#endif

#if CARILLON_OSEK_MATES
/* Those that go on together take one place of the ring, one after the other; each waits for time until its own turn. */
static void t_mates(void **state)
{
    (void)state;
    memset(contexts, 0, sizeof contexts);
    TaskType task = THREE;
    contexts[ONE].mate = THREE + 1u;
    contexts[THREE].mate = TWO + 1u;
    contexts[THREE].waited = CARILLON_OSEK_WAKE;
    contexts[TWO].waited = CARILLON_OSEK_WAKE;
    ring.first = 2u;
    carillon_osek_queue_up(&level, ONE);
    carillon_osek_queue_up(&level, TWO); /* of another activation */
    static const TaskType order[] = {ONE, THREE, TWO, TWO};
    static const uint8_t counts[] = {2u, 2u, 1u, 0u}, waited[] = {1u, 0u, 0u, 0u};
    for (uint32_t k = 0u; k < 4u; k++) {
        assert_true(carillon_osek_take_next(&level, &task));
        assert_int_equal(task, order[k]);
        assert_int_equal(ring.count, counts[k]);
        assert_int_equal(contexts[TWO].waited != 0u, waited[k]);
        assert_int_equal(contexts[task].mate, 0u);
    }
    assert_int_equal(contexts[THREE].waited, 0u);
    assert_false(carillon_osek_take_next(&level, &task));
}
#endif

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(t_suspended),
        TEST(t_forget),
        TEST(t_ring),
        TEST(t_next),
#if CARILLON_OSEK_SLICES
        TEST(t_turns),
#endif
#if CARILLON_OSEK_MATES
        TEST(t_mates),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
