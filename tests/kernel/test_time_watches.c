/* SPDX-License-Identifier: Apache-2.0
 *
 * Stop-watches (kernel/time/watch.c) beside a model that knows all of what has passed: what is done is drawn. */
#include "services/waits.h"

#if CARILLON_TIME_UNITS > 1
enum { UNITS = CARILLON_TIME_UNITS };
uint32_t test_units_left;
#else
enum { UNITS = 1 };
#endif

enum { WATCHES = 2, STEPS = 20000 };
static struct carillon_chronometer watches[WATCHES];
static struct model {
    uint64_t reads, lap; /* in units: what it reads, and what it read when the lap began */
    uint64_t looked;     /* the time up to which it has counted */
    bool runs;
} models[WATCHES];
static uint64_t passed; /* units, from a time before that of the clock is 0 again */

static uint32_t drawn(uint32_t below)
{
    static uint64_t state = UINT64_C(0xD1B54A32D192ED03);
    state = (state * UINT64_C(6364136223846793005)) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % below;
}

static int reset(void **state)
{
    (void)services_reset(state);
    services_run(FIRST);
    return 0;
}

/* It is so late. */
static void set_time(uint64_t time)
{
    passed = time;
#if CARILLON_TIME_UNITS > 1
    carillon_clock.ticks = (carillon_time)(time / UNITS);
    test_units_left = (UNITS - (uint32_t)(time % UNITS)) % UNITS;
#else
    carillon_time_ticks = (carillon_time)time;
#endif
}

/* A watch is looked at: time that has gone back counts when it is where it was. */
static void look(struct model *model)
{
    if (model->runs && (passed > model->looked)) {
        model->reads += passed - model->looked;
        model->looked = passed;
    }
}

/* To the nearest tick. */
static carillon_distance as_told(uint64_t units)
{
    const uint64_t more = ((units % UNITS) * 2u >= UNITS) ? 1u : 0u;
    return (carillon_distance)((units / UNITS) + ((UNITS > 1) ? more : 0u));
}

static void start(struct carillon_chronometer *watch, struct model *model)
{
    if (model->runs) {
        assert_failed(carillon_chronometer_start(watch), E_OS_STATE, OSServiceId_Chronometer);
        return;
    }
    assert_succeeded(carillon_chronometer_start(watch));
    model->runs = true;
    model->looked = passed;
}

static void stop(struct carillon_chronometer *watch, struct model *model)
{
    if (!model->runs) {
        assert_failed(carillon_chronometer_stop(watch), E_OS_NOFUNC, OSServiceId_Chronometer);
        return;
    }
    assert_succeeded(carillon_chronometer_stop(watch));
    model->runs = false;
}

static void lap(struct carillon_chronometer *watch, struct model *model)
{
    const uint64_t units = model->reads - model->lap;
    if (drawn(2u) == 0u) {
        assert_int_equal(carillon_chronometer_lap(watch), as_told(units));
    } else {
        assert_int_equal(carillon_chronometer_lap_units(watch), (carillon_units)units);
    }
    model->lap = model->reads;
}

static void pass(void)
{
    const uint32_t how = drawn(10u);
    if (how == 0u) {
        set_time(passed + drawn(3000000000u));
    } else if ((how == 1u) && (UNITS > 1)) {
        set_time(passed -
                 drawn((uint32_t)(passed % UNITS) + 1u)); /* ticks have been lost: within a tick it goes back */
    } else {
        set_time(passed + drawn(3u * UNITS));
    }
}

static void t_drawn(void **state)
{
    (void)state;
    set_time((UINT64_C(0x100000000) * UNITS) - 5u);
    for (uint32_t k = 0u; k < STEPS; k++) {
        pass();
        const uint32_t which = drawn(WATCHES);
        struct carillon_chronometer *const watch = &watches[which];
        struct model *const model = &models[which];
        const uint32_t what = drawn(12u);
        look(model);
        if (what == 0u) {
            start(watch, model);
        } else if (what == 1u) {
            stop(watch, model);
        } else if (what <= 4u) {
            lap(watch, model);
        } else if (what == 5u) {
            carillon_chronometer_reset(watch);
            model->reads = 0u;
            model->lap = 0u;
        } else if (what <= 8u) {
            assert_int_equal(carillon_chronometer_read(watch), as_told(model->reads));
        } else {
            assert_int_equal(carillon_chronometer_units(watch), (carillon_units)model->reads);
        }
        assert_unlocked();
        for (uint32_t other = 0u; other < WATCHES; other++) { /* at least once in a range of the time */
            look(&models[other]);
            assert_int_equal(carillon_chronometer_units(&watches[other]), (carillon_units)models[other].reads);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(t_drawn, reset)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
