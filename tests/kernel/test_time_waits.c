/* SPDX-License-Identifier: Apache-2.0
 *
 * Services that wait (kernel/time/wait.c), and deadlines of threads (wait_release.c).  By a clock that
 * counts in its queue alone, whose longest time is 1000 ticks, and by one that compares, whose times are short. */
#include "services/services.h"

#include <string.h>

enum { DEADLINE = 30 };

extern uint32_t test_takes;

const struct carillon_thread_time carillon_time_deadlines[CARILLON_TIME_DEADLINES] = {
    {.ticks = DEADLINE, .thread = SECOND}};
const struct carillon_thread_time carillon_time_offsets[CARILLON_TIME_OFFSETS] = {{.ticks = 7u, .thread = FIRST}};
static uint32_t missed;

void carillon_time_tell_missed(TaskType thread)
{
    assert_int_equal(thread, SECOND);
    missed++;
}

static struct carillon_semaphore semaphore;
static carillon_time previous;

static int reset(void **state)
{
    carillon_time_met(SECOND); /* what a test before this one has left in the queue */
    (void)services_reset(state);
    semaphore = (struct carillon_semaphore)CARILLON_SEMAPHORE(0);
    missed = 0u;
    previous = 0u;
    services.meanwhile = services_sleep;
    services_run(FIRST);
    return 0;
}

static void give(void)
{
    assert_int_equal(carillon_semaphore_v(&semaphore), E_OK);
}

static StatusType delay(void)
{
    return carillon_delay(5u);
}
static StatusType wait_until(void)
{
    previous = (carillon_time)services_now;
    return carillon_wait_until(&previous, 5u);
}
static StatusType delay_until_next(void)
{
    previous = (carillon_time)services_now;
    return carillon_delay_until_next(&previous, 5u, NULL);
}
static StatusType p(void)
{
    semaphore.count = 1u;
    return carillon_semaphore_p(&semaphore);
}
static StatusType p_within(void)
{
    semaphore.count = 1u;
    return carillon_semaphore_p_within(&semaphore, 5u);
}
static StatusType p_now(void)
{
    semaphore.count = 1u;
    return carillon_semaphore_p_within(&semaphore, 0u);
}
static StatusType v(void)
{
    return carillon_semaphore_v(&semaphore);
}
static StatusType wait_event(void)
{
    services_extended[ALONE].set = 2u;
    return carillon_wait_event_within(3u, 5u);
}

static void t_places(void **state)
{
    (void)state;
    check_waits(delay, OSServiceId_Delay);
    check_waits(wait_until, OSServiceId_DelayUntil);
    check_waits(delay_until_next, OSServiceId_DelayUntil);
    check_waits(p, OSServiceId_SemaphoreP);
    check_waits_within(p_within, OSServiceId_SemaphoreP);
    check_waits_not(p_now, OSServiceId_SemaphoreP);
    check_places(v, OSServiceId_SemaphoreV, IN_ISR2);
    services_run(ALONE);
    check_waits(wait_event, OSServiceId_WaitEvent);
}

static void t_values(void **state)
{
    (void)state;
    const carillon_duration too_long = CARILLON_LONGEST_DURATION + 1u;
    assert_failed(carillon_delay(0u), E_OS_VALUE, OSServiceId_Delay);
    assert_failed(carillon_delay(too_long), E_OS_VALUE, OSServiceId_Delay);
    assert_failed(carillon_wait_until(&previous, 0u), E_OS_VALUE, OSServiceId_DelayUntil);
    assert_failed(carillon_wait_until(&previous, CARILLON_LONGEST_PERIOD + 1u), E_OS_VALUE, OSServiceId_DelayUntil);
    assert_failed(carillon_delay_until_next(&previous, 0u, NULL), E_OS_VALUE, OSServiceId_DelayUntil);
    assert_failed(carillon_delay_until_next(&previous, too_long, NULL), E_OS_VALUE, OSServiceId_DelayUntil);
    assert_failed(carillon_semaphore_p_within(&semaphore, too_long), E_OS_VALUE, OSServiceId_SemaphoreP);
    services_run(ALONE);
    assert_failed(carillon_wait_event_within(1u, too_long), E_OS_VALUE, OSServiceId_WaitEvent);
    assert_int_equal(services.waits, 0u);
    services_extended[ALONE].set = 1u;
    assert_succeeded(carillon_wait_event_within(1u, too_long - 1u));
    services_run(FIRST);
    semaphore.count = 1u;
    assert_succeeded(carillon_semaphore_p_within(&semaphore, too_long - 1u));
    assert_succeeded(carillon_wait_until(&previous, CARILLON_LONGEST_PERIOD));
    assert_int_equal(services_now, CARILLON_LONGEST_PERIOD);
}

/* Each ends at the tick that it names, and says so. */
static void t_delays(void **state)
{
    (void)state;
    assert_succeeded(carillon_delay(5u));
    assert_int_equal(services_now, 5u);
    assert_int_equal(carillon_now(), 5u);
    assert_unlocked();
    previous = 3u;
    assert_succeeded(carillon_wait_until(&previous, 10u));
    assert_int_equal(services_now, 13u);
    assert_int_equal(previous, 13u);
    services_pass(10u);
    assert_failed(carillon_wait_until(&previous, 10u), E_OS_LIMIT, OSServiceId_DelayUntil); /* it is 23 now */
    assert_int_equal(previous, 23u);
    services_pass(22u); /* 45: 33 and 43 have passed */
    uint32_t skipped = 99u;
    assert_succeeded(carillon_delay_until_next(&previous, 10u, &skipped));
    assert_int_equal(services_now, 53u);
    assert_int_equal(previous, 53u);
    assert_int_equal(skipped, 2u);
    assert_succeeded(carillon_delay_until_next(&previous, 10u, NULL));
    assert_int_equal(services_now, 63u);
    assert_int_equal(services.waits, 4u);
}

/* Tasks of one level whose delays are over in one tick are one event: the ring has the first alone, which names the
 * next.  A task that is alone on its level joins none, nor does one of another tick. */
enum sleep { DELAY, UNTIL, UNTIL_NEXT, WAYS };
static void sleep_second(enum sleep way)
{
    services.meanwhile = NULL; /* it goes on after the test has looked */
    services_run(SECOND);
    previous = (carillon_time)services_now;
    if (way == DELAY) {
        (void)carillon_delay(5u);
    } else if (way == UNTIL) {
        (void)carillon_wait_until(&previous, 5u);
    } else {
        (void)carillon_delay_until_next(&previous, 5u, NULL);
    }
}
static void check_joins(enum sleep way)
{
    static struct carillon_sleeper first, alone;
    first = (struct carillon_sleeper){.timed = {.kind = CARILLON_ACTION_WAKE, .task = FIRST},
                                      .task = &carillon_osek_tasks[FIRST],
                                      .extended = &services_extended[FIRST],
                                      .last = &services_extended[FIRST]};
    alone = (struct carillon_sleeper){.timed = {.kind = CARILLON_ACTION_WAKE, .task = ALONE},
                                      .task = &carillon_osek_tasks[ALONE],
                                      .extended = &services_extended[ALONE],
                                      .last = &services_extended[ALONE]};
    carillon_time_insert_near(&first.timed, 5u);
    carillon_time_insert_near(&alone.timed, 5u);
    sleep_second(way);
    assert_int_equal(services_extended[FIRST].mate, SECOND + 1u);
    assert_ptr_equal(first.last, &services_extended[SECOND]);
    services_pass(5u);
    assert_int_equal(services_ring.count, 1u);
    assert_int_equal(services_ring_tasks[services_ring.first], FIRST);
    assert_true(services_was_requested(ALONE_SOURCE));
}
static void t_join(void **state)
{
    for (enum sleep way = DELAY; way < WAYS; way++) {
        (void)reset(state);
        check_joins(way);
    }
}

/* The same of two that have both been put in by the service. */
static void second_joins_first(void)
{
    sleep_second(DELAY);
    assert_int_equal(services_extended[FIRST].mate, SECOND + 1u);
    services_pass(5u);
    assert_int_equal(services_ring.count, 1u);
}
static void t_join_each_other(void **state)
{
    (void)state;
    services.meanwhile = second_joins_first;
    assert_succeeded(carillon_delay(5u));
}

/* A time-out comes where nobody has given a unit. */
static void t_semaphores(void **state)
{
    (void)state;
    assert_failed(carillon_semaphore_p_within(&semaphore, 5u), E_OS_NOFUNC, OSServiceId_SemaphoreP);
    assert_int_equal(services_now, 5u);
    assert_null(semaphore.first);
    assert_failed(carillon_semaphore_p_within(&semaphore, 0u), E_OS_NOFUNC, OSServiceId_SemaphoreP);
    services.meanwhile = give;
    assert_succeeded(carillon_semaphore_p_within(&semaphore, 5u));
    assert_succeeded(carillon_semaphore_p(&semaphore));
    assert_int_equal(semaphore.count, 0u);
    assert_int_equal(services_now, 5u);
    assert_true(services_was_requested(THREADS_SOURCE));
    struct carillon_semaphore limited = CARILLON_SEMAPHORE_UP_TO(1, 2);
    assert_succeeded(carillon_semaphore_v(&limited));
    assert_failed(carillon_semaphore_v(&limited), E_OS_LIMIT, OSServiceId_SemaphoreV);
}

static void set_event(void)
{
    services_pass(2u);
    services_extended[ALONE].set = 1u;
    services_extended[ALONE].waited = 0u;
}
static void t_events(void **state)
{
    (void)state;
    services_run(ALONE);
    assert_failed(carillon_wait_event_within(1u, 5u), E_OS_NOFUNC, OSServiceId_WaitEvent);
    assert_int_equal(services_now, 5u);
    assert_true(services_was_requested(ALONE_SOURCE));
    assert_failed(carillon_wait_event_within(1u, 0u), E_OS_NOFUNC, OSServiceId_WaitEvent);
    services.meanwhile = set_event;
    services.cells = 0u;
    assert_succeeded(carillon_wait_event_within(1u, 5u));
    assert_int_equal(services.cells, CARILLON_OSEK_LEVEL_CELLS); /* what expires now sets an event yet */
    assert_int_equal(services_now, 7u);
    assert_succeeded(carillon_wait_event_within(1u, 5u));
    assert_int_equal(services_now, 7u);
    services_pass(10u); /* its time-out is in the queue no more */
    assert_false(services_was_requested(ALONE_SOURCE));
    services.meanwhile = services_sleep;
    const uint32_t began = services_now;
    assert_failed(carillon_wait_event_within(0u, 5u), E_OS_NOFUNC, OSServiceId_WaitEvent); /* no event ends it */
    assert_int_equal(services_now, began + 5u);
}

/* The event comes, and the task goes on, but has given way before it takes its time-out out, which is due then. */
static void goes_on_and_gives_way(void)
{
    set_event();
    services_extended[ALONE].waited = CARILLON_OSEK_TURN;
    (void)services_was_requested(ALONE_SOURCE);
    services_pass(10u);
    assert_int_equal(services_extended[ALONE].waited, CARILLON_OSEK_TURN);
    assert_false(services_was_requested(ALONE_SOURCE));
    services_extended[ALONE].waited = 0u;
}
static void t_late_time_out(void **state)
{
    (void)state;
    services_run(ALONE);
    services.meanwhile = goes_on_and_gives_way;
    assert_succeeded(carillon_wait_event_within(1u, 5u));
}

#if CARILLON_TIME_FAR
/* Times with a lap to go: of 65534 ticks. */
static void t_far(void **state)
{
    (void)state;
    assert_succeeded(carillon_delay(CARILLON_LONGEST_PERIOD));
    assert_int_equal(services_now, CARILLON_LONGEST_PERIOD);
    assert_succeeded(carillon_delay(70000u));
    assert_int_equal(services_now, 70000u + CARILLON_LONGEST_PERIOD);
    previous = (carillon_time)services_now;
    const uint32_t began = services_now;
    assert_succeeded(carillon_wait_until_far(&previous, 70000u));
    assert_int_equal(services_now, began + 70000u);
    assert_int_equal(previous, (carillon_time)(began + 70000u));
    uint32_t skipped = 99u;
    assert_succeeded(carillon_delay_until_next(&previous, 70000u, &skipped));
    assert_int_equal(services_now, began + 140000u);
    assert_int_equal(skipped, 0u);
    assert_succeeded(carillon_delay_until_next(&previous, 70000u, NULL));
    assert_int_equal(services_now, began + 210000u);
}

static StatusType wait_until_far(void)
{
    previous = (carillon_time)services_now;
    return carillon_wait_until_far(&previous, 20000u);
}
/* A period of 20000 ticks has no lap, but is longer than the longest that the clock can be set to from anywhere. */
static void t_far_places(void **state)
{
    (void)state;
    check_waits(wait_until_far, OSServiceId_DelayUntil);
    assert_failed(carillon_wait_until_far(&previous, CARILLON_LONGEST_WAIT + 1u), E_OS_VALUE, OSServiceId_DelayUntil);
    previous = (carillon_time)services_now;
    services_pass(20000u);
    assert_failed(carillon_wait_until_far(&previous, 20000u), E_OS_LIMIT, OSServiceId_DelayUntil);
    services_pass(25000u); /* 20000 has been skipped */
    uint32_t skipped = 99u;
    const uint32_t now = services_now;
    assert_succeeded(carillon_delay_until_next(&previous, 20000u, &skipped));
    assert_int_equal(skipped, 1u);
    assert_int_equal(services_now, now + 15000u);
    assert_int_equal(previous, (carillon_time)services_now);
}

/* The deadline of a release that is just within what the clock can be set to from anywhere lies behind that, and that
 * of a far release, too. */
static void t_far_deadline(void **state)
{
    (void)state;
    services_run(SECOND);
    carillon_time_released(SECOND);
    assert_succeeded(carillon_wait_until(&previous, 25u)); /* at 25, and it ends by 55 */
    assert_succeeded(carillon_wait_until(&previous, 16370u));
    assert_int_equal(services_now, 16395u);
    services_pass(DEADLINE - 1u);
    assert_int_equal(missed, 0u);
    services_pass(1u);
    assert_int_equal(missed, 1u);
    assert_succeeded(carillon_wait_until_far(&previous, 70000u));
    assert_int_equal(services_now, 86395u);
    services_pass(DEADLINE - 1u);
    assert_int_equal(missed, 1u);
    services_pass(1u);
    assert_int_equal(missed, 2u);
}

#if !CARILLON_CLOCK_COUNTS_ALONE
/* Three ticks pass whenever the time is read.  The next multiple of 4 has passed when its event would be put in, and so
 * a later one is tried, which is still a multiple.  The clock may be late by what its code takes. */
static void take_no_time(void)
{
    test_takes = 0u;
    services_now = test_now;
    services_sleep();
}
extern uint32_t test_now;
static void t_slow(void **state)
{
    (void)state;
    services.meanwhile = take_no_time;
    uint32_t skipped = 99u;
    test_takes = 3u;
    assert_succeeded(carillon_delay_until_next(&previous, 4u, &skipped));
    assert_int_equal(previous % 4u, 0u);
    assert_true(services_now >= previous);
    assert_int_equal(skipped, (previous / 4u) - 1u);
    assert_true(skipped >= 1u);
    const uint32_t began = services_now;
    test_takes = 30u; /* so much that the next multiple has always passed: one is tried that is ever farther ahead */
    assert_succeeded(carillon_delay_until_next(&previous, 4u, &skipped));
    assert_int_equal(previous % 4u, 0u);
    assert_true(services_now >= previous);
    assert_true((previous > began) && (previous < (began + 600u)));
}
#endif
#else
/* A deadline that lies behind what the clock can tell: 30 ticks after the end of a period of more than 970. */
static void t_untold_deadline(void **state)
{
    (void)state;
    services_run(SECOND);
    carillon_time_released(SECOND);
    assert_failed(carillon_wait_until(&previous, 971u), E_OS_VALUE, OSServiceId_DelayUntil);
    assert_failed(carillon_delay_until_next(&previous, 971u, NULL), E_OS_VALUE, OSServiceId_DelayUntil);
    assert_int_equal(previous, 0u);
    services_pass(29u);
    assert_succeeded(carillon_wait_until(&previous, 970u));
    assert_int_equal(services_now, 970u);
    assert_int_equal(missed, 0u);
    assert_succeeded(carillon_delay_until_next(&previous, 970u, NULL));
    assert_int_equal(services_now, 1940u);
    assert_int_equal(missed, 0u);
    services_run(FIRST); /* it has no deadline */
    assert_succeeded(carillon_wait_until(&previous, 971u));
    assert_int_equal(services_now, 2911u);
    assert_int_equal(missed, 1u); /* at 1970, by the other one */
    assert_succeeded(carillon_delay_until_next(&previous, 971u, NULL));
}
#endif

/* A thread is released at 0, 40 and 80.  Its deadlines are at 30, 70 and 110. */
static void t_deadlines(void **state)
{
    (void)state;
    services_run(SECOND);
    carillon_time_released(SECOND);
    carillon_time_released(FIRST); /* it has none */
    services_pass(29u);
    assert_int_equal(missed, 0u);
    services_pass(1u);
    assert_int_equal(missed, 1u);
    assert_succeeded(carillon_wait_until(&previous, 40u));
    assert_int_equal(services_now, 40u);
    services_pass(29u);
    carillon_time_met(FIRST);
    carillon_time_met(SECOND); /* at 69 */
    services_pass(5u);
    assert_int_equal(missed, 1u);
    carillon_time_met(SECOND); /* which it has met already */
    assert_succeeded(carillon_wait_until(&previous, 40u));
    services_pass(31u);
    assert_int_equal(missed, 2u);
    assert_int_equal(services_now, 111u);
}

/* One that has passed when the thread asks for its release is told at the next tick, each by itself. */
static void t_passed(void **state)
{
    (void)state;
    services_run(SECOND);
    carillon_time_released(SECOND);
    services_pass(29u);
    carillon_time_met(SECOND);
    services_pass(171u);
    assert_failed(carillon_wait_until(&previous, 40u), E_OS_LIMIT, OSServiceId_DelayUntil);
    assert_failed(carillon_wait_until(&previous, 40u), E_OS_LIMIT, OSServiceId_DelayUntil);
    assert_int_equal(missed, 0u);
    services_pass(1u);
    assert_int_equal(missed, 2u);
    services_pass(100u);
    assert_int_equal(missed, 2u);
}

/* A deadline that is due when the thread would meet it is missed: it may meet nothing any more. */
static struct carillon_alarm alarm;
static void meet(void)
{
    carillon_time_met(SECOND);
}
static void t_due(void **state)
{
    (void)state;
    alarm = (struct carillon_alarm){.timed.kind = CARILLON_ACTION_CALL, .handler.function = meet, .left = 1u};
    carillon_time_insert(&alarm.timed, DEADLINE);
    carillon_time_released(SECOND);
    services_pass(DEADLINE);
    assert_int_equal(missed, 0u);
    services_pass(1u);
    assert_int_equal(missed, 1u);
    services_pass(100u);
    assert_int_equal(missed, 1u);
}

/* What StartOS begins: the deadlines of threads that are active then, and an alarm for each offset. */
static void t_start(void **state)
{
    (void)state;
    carillon_time_start_threads();
    services_pass(6u);
    services.activated = ALONE;
    services_pass(1u);
    assert_int_equal(services.activated, FIRST);
    services.activated = ALONE;
    services_pass(100u);
    assert_int_equal(services.activated, ALONE); /* an offset is over once */
    assert_int_equal(missed, 0u);
}
static void t_start_active(void **state)
{
    (void)state;
    carillon_osek_jobs[SECOND].activations = 1u;
    carillon_time_start_threads();
    services_pass(DEADLINE - 1u);
    assert_int_equal(missed, 0u);
    services_pass(1u);
    assert_int_equal(missed, 1u);
}

#if !CARILLON_OSEK_SOFTWARE
/* The slice of a thread that holds resources of its level ends where it releases the last of them. */
static void t_slices(void **state)
{
    (void)state;
    services_ring.count = 1u;
    carillon_slice_hold(THREADS_LEVEL);
    carillon_slice_hold(THREADS_LEVEL);
    carillon_slice_hold(ALONE_LEVEL); /* masks it: nothing is counted */
    assert_int_equal(services_ring.held, 2u);
    carillon_slice_over(&services);
    assert_int_equal(services_ring.over, 1u);
    carillon_slice_let_go(ALONE_LEVEL);
    carillon_slice_let_go(THREADS_LEVEL);
    assert_int_equal(services_ring.held, 1u);
    assert_int_equal(services_ring.over, 1u);
    assert_false(services_was_requested(SLICE_SOURCE));
    carillon_slice_let_go(THREADS_LEVEL);
    assert_int_equal(services_ring.over, 0u);
    assert_true(services_was_requested(SLICE_SOURCE));
    carillon_slice_hold(THREADS_LEVEL);
    carillon_slice_let_go(THREADS_LEVEL); /* no slice is over */
    assert_false(services_was_requested(SLICE_SOURCE));
    assert_unlocked();
}
#endif

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(t_places),
        TEST(t_values),
        TEST(t_delays),
        TEST(t_join),
        TEST(t_join_each_other),
        TEST(t_semaphores),
        TEST(t_events),
        TEST(t_late_time_out),
#if CARILLON_TIME_FAR
        TEST(t_far),
        TEST(t_far_places),
        TEST(t_far_deadline),
#if !CARILLON_CLOCK_COUNTS_ALONE
        TEST(t_slow),
#endif
#else
        TEST(t_untold_deadline),
#endif
        TEST(t_deadlines),
        TEST(t_passed),
        TEST(t_due),
        TEST(t_start),
        TEST(t_start_active),
#if !CARILLON_OSEK_SOFTWARE
        TEST(t_slices),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
