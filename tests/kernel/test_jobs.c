/* SPDX-License-Identifier: Apache-2.0
 *
 * What the handlers of levels ask of jobs (kernel/jobs/job.h). */
#include "levels/port.h"

#include "kernel/jobs/job.h"

#include <string.h>

enum { ONE, TWO, THREE, TASKS };
enum { SOURCE = 16, OTHER_SOURCE, CAPACITY = 3 };

const struct carillon_osek_task carillon_osek_tasks[TASKS] = {{.level = 2u}, {.level = 2u}, {.level = 2u}};
struct carillon_osek_job carillon_osek_jobs[TASKS];
volatile uint_fast8_t carillon_osek_running;
volatile bool carillon_osek_over[CARILLON_OSEK_TASK_LEVELS + 1u];
volatile uint16_t carillon_osek_again;
static struct carillon_osek_ring ring;
static uint8_t ring_tasks[CAPACITY];
static const struct carillon_osek_level level = {
    .ring = ring_tasks, .state = &ring, .capacity = CAPACITY, .request = CARILLON_STORE_PEND(SOURCE)};

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

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(t_suspended), TEST(t_forget), TEST(t_ring), TEST(t_next)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
