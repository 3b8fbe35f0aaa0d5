/* SPDX-License-Identifier: Apache-2.0
 *
 * The mock timer, and the clock on it with a fixed set of events, for tests in Python. */
#include <stdbool.h>

#ifdef MOCK_WHOLE
#include "kernel/clock/clock.c"
#endif

#include "kernel/clock/clock_steps.h"
#include "mock_timer.h"

#define ITEMS 64
#define FAULTS 256
#define LOG 65536
#define TICKS (UINT64_C(1) << CARILLON_CLOCK_BITS) /* of the counter's range */

/* The timer. */

static uint64_t now;      /* steps */
static uint64_t phase;    /* steps at which the counter was 0; a load moves it */
static uint64_t expiry;   /* the counter's value, without end, at which the timer expires next; again every range */
static bool enabled;      /* else it only counts */
static bool pending;      /* the interrupt waits */
static uint64_t spurious; /* when an interrupt comes for nothing; UINT64_MAX: never */
static uint32_t op_cost;  /* steps that each access takes */

static struct {
    enum mock_fault fault;
    uint64_t amount;
} faults[FAULTS];
static unsigned int fault_first, fault_count;

/* What a test counts. */
static uint32_t arms, interrupts, lost;
static uint64_t injected; /* steps, by faults */

static uint64_t counter(void)
{
    return (now - phase) / MOCK_STEPS;
}

/* The true time of an expiry. */
static uint64_t step_of(uint64_t value)
{
    return phase + (value * MOCK_STEPS);
}

/* Let time pass, without interrupts. */
static void pass(uint64_t steps)
{
    now += steps;
    while (enabled && (step_of(expiry) <= now)) {
        if (pending) {
            lost++;
        }
        pending = true;
        expiry += (CARILLON_CLOCK == CARILLON_CLOCK_TICK) ? 1u : TICKS;
    }
}

static void strike(enum mock_fault fault)
{
    if ((fault_count > 0u) && (faults[fault_first].fault == fault)) {
        const uint64_t amount = faults[fault_first].amount;
        fault_first = (fault_first + 1u) % FAULTS;
        fault_count--;
        injected += amount;
        pass(amount);
    }
}

/* Set the timer to expire when the counter's lower bits are `at`: in a range, if that is too near to be seen. */
static void set(uint64_t at)
{
    strike(MOCK_JUMP_BEFORE_ARM);
    if (fault_count > 0u) {
        const enum mock_fault fault = faults[fault_first].fault;
        const uint64_t ahead = (at - counter()) % TICKS;
        if (((fault == MOCK_ARM_IN_LAST_TICK) || (fault == MOCK_ARM_AS_IT_EXPIRES)) && (ahead != 0u) &&
            (ahead <= CARILLON_CLOCK_REACH)) {
            const uint64_t step = step_of(counter() + ahead) - now;
            faults[fault_first].amount = (fault == MOCK_ARM_AS_IT_EXPIRES) ? step : (step - 1u);
            strike(fault);
        }
    }
    const uint64_t ahead = (at - counter()) % TICKS;
    expiry = counter() + ahead + ((ahead < CARILLON_CLOCK_MINIMUM) ? TICKS : 0u);
    arms++;
    pass(op_cost);
    strike(MOCK_JUMP_AFTER_ARM);
}

/* The tick at which the timer was read first since this was UINT64_MAX. */
static uint64_t first_read;

static void note_read(void)
{
    if (first_read == UINT64_MAX) {
        first_read = now / MOCK_STEPS;
    }
}

uint32_t mock_now(void)
{
    const uint32_t value = (uint32_t)(counter() % TICKS);
    note_read();
    pass(op_cost);
    strike(MOCK_JUMP_AFTER_READ);
    return value;
}

void mock_set(uint32_t at)
{
    set(at);
}

/* A one-shot timer counts down to `target` and on: what the expiry is, modulo the range, if it is enabled. */
static uint64_t target;

uint32_t mock_remaining(void)
{
    const uint32_t value = (uint32_t)((target - counter()) % TICKS);
    note_read();
    pass(op_cost);
    strike(MOCK_JUMP_AFTER_READ);
    return value;
}

void mock_shift(uint32_t by)
{
    target += by;
    set(target);
}

void mock_load(uint32_t ticks)
{
    strike(MOCK_JUMP_BEFORE_ARM);
    phase = now;
    target = ticks;
    expiry = ticks;
    arms++;
    pass(op_cost);
    strike(MOCK_JUMP_AFTER_ARM);
}

void mock_enable(void)
{
    while (step_of(expiry) <= now) { /* it has gone on while nobody looked */
        expiry += TICKS;
    }
    enabled = true;
    pending = false;
}

void mock_disarm(void)
{
    enabled = false;
}

void mock_acknowledge(void)
{
    pending = false;
}

#if CARILLON_TIME_UNITS > 1
/* What is left of a tick.  CARILLON_MOCK_READS: what the counter reads at the end of a tick, 0 or the whole tick.  With
 * CARILLON_TICK_MATCH, what is left to the match, which the handler moves. */
static uint64_t match = MOCK_STEPS;

uint32_t mock_left(void)
{
#if CARILLON_TICK_MATCH > 0
    const uint32_t value = (uint32_t)(match - now);
#else
    const uint32_t left = (uint32_t)(MOCK_STEPS - (now % MOCK_STEPS));
    const uint32_t value = (left == MOCK_STEPS) ? CARILLON_MOCK_READS : left;
#endif
    pass(op_cost);
    return value;
}

bool mock_waits(void)
{
    const bool waits = pending;
    pass(op_cost);
    return waits;
}
#endif

void mock_request(void)
{
    pending = true;
}

/* The clock's user. */

struct item {
    struct carillon_far_event far;
    bool is_far;
    carillon_distance period;        /* 0: none */
    struct carillon_period fraction; /* if its denominator is not 0, instead */
    uint64_t due;                    /* tick of the true time */
};
static struct item items[ITEMS];

/* What was served: when it was due, and when its handler began, in steps. */
struct record {
    int32_t item;
    uint64_t due;
    uint64_t served;
};
static struct record served[LOG];
static uint32_t served_count;

static void (*handler)(int item);
static uint64_t handler_steps;
static bool nests;

static void expired(struct carillon_event *event);

static void interrupt(void)
{
    strike(MOCK_LATE);
    interrupts++;
    pending = false;
#if CARILLON_TIME_UNITS > 1
    match += MOCK_STEPS;
    carillon_clock.ticks++;
#endif
#if CARILLON_CLOCK == CARILLON_CLOCK_TICK
    if (carillon_clock_tick()) {
        carillon_clock_serve(expired);
    }
#else
    carillon_clock_serve(expired);
#endif
}

/* Let time pass to `until`, with interrupts. */
static void run_to(uint64_t until)
{
    for (;;) {
        if (pending) {
            interrupt();
        } else if (now >= until) {
            return;
        } else {
            uint64_t next = until;
            if (enabled && (step_of(expiry) < next)) {
                next = step_of(expiry);
            }
            if (spurious < next) {
                next = (spurious > now) ? spurious : now;
                spurious = UINT64_MAX;
                pending = true;
            }
            pass(next - now);
        }
    }
}

static void expired(struct carillon_event *event)
{
    struct item *const item = (struct item *)(void *)event;
    if (item->is_far && carillon_queue_next_lap(&carillon_clock_queue, &item->far)) {
        return;
    }
    if (served_count < LOG) {
        served[served_count] = (struct record){(int32_t)(item - items), item->due, now};
        served_count++;
    }
    carillon_distance period = item->period;
    if (item->fraction.denominator != 0u) {
        period = carillon_period_next(&item->fraction);
    }
    item->due += period;
    /* What repeats does so at once, or, if the clock may interrupt, after that: the reference has to stand. */
    const bool repeats = (period != 0u) && !item->is_far && !nests;
    if (repeats) { /* as the time services do it */
        if (!carillon_queue_stays(&carillon_clock_queue, event, (carillon_time)period)) {
            carillon_queue_move(&carillon_clock_queue, event, (carillon_time)period);
        }
    } else {
        carillon_queue_pop(&carillon_clock_queue);
    }
    if (nests) {
        run_to(now + handler_steps);
    } else {
        pass(handler_steps);
    }
    if ((period != 0u) && item->is_far) {
        carillon_queue_insert_far(&carillon_clock_queue, &item->far, period);
    } else if ((period != 0u) && !repeats) {
        carillon_queue_insert(&carillon_clock_queue, &item->far.event, (carillon_time)period);
    }
    if (handler != NULL) {
        handler((int)(item - items));
    }
}

/* What a test calls. */

void clock_reset(uint64_t start, uint32_t cost)
{
    for (int i = 0; i < ITEMS; i++) {
        items[i] = (struct item){0};
    }
    now = start;
    phase = 0u;
    expiry = start / MOCK_STEPS + 1u;
    enabled = CARILLON_CLOCK == CARILLON_CLOCK_TICK;
    pending = false;
    spurious = UINT64_MAX;
    op_cost = cost;
    fault_first = 0u;
    fault_count = 0u;
    arms = 0u;
    interrupts = 0u;
    lost = 0u;
    injected = 0u;
    target = 0u;
    served_count = 0u;
    handler = NULL;
    handler_steps = 0u;
    nests = false;
}

void clock_inject(int fault, uint64_t amount)
{
    if (fault == MOCK_SPURIOUS) {
        spurious = now + amount;
    } else {
        faults[(fault_first + fault_count) % FAULTS].fault = (enum mock_fault)fault;
        faults[(fault_first + fault_count) % FAULTS].amount = amount;
        fault_count++;
    }
}

void clock_handler(void (*function)(int item), uint64_t steps, int nested)
{
    handler = function;
    handler_steps = steps;
    nests = nested != 0;
}

/* The item is due `delay` after the tick at which the clock has read the timer first. */
static uint64_t inserted(struct item *item, uint64_t delay, uint64_t period)
{
    item->period = (carillon_distance)period;
    item->due = ((CARILLON_CLOCK == CARILLON_CLOCK_TICK) ? (now / MOCK_STEPS) : first_read) + delay;
    return item->due;
}

uint64_t clock_insert(int number, uint32_t delay, uint64_t period)
{
    struct item *const item = &items[number];
    item->is_far = false;
    item->far.laps = 0u;
    first_read = UINT64_MAX;
    carillon_clock_insert(&item->far.event, (carillon_time)delay);
    return inserted(item, delay, period);
}

#if CARILLON_CLOCK_SLACK > 0
/* Before the item is put in. */
void clock_slack(int number, uint32_t slack)
{
    items[number].far.event.slack = (carillon_time)slack;
}
#endif

uint64_t clock_insert_far(int number, uint64_t delay, uint64_t period)
{
    struct item *const item = &items[number];
    item->is_far = true;
    first_read = UINT64_MAX;
    carillon_clock_insert_far(&item->far, (carillon_distance)delay);
    return inserted(item, delay, period);
}

/* Insert for a period's first interval from now. */
uint64_t clock_insert_fraction(int number, uint64_t whole, uint32_t numerator, uint32_t denominator)
{
    struct item *const item = &items[number];
    item->fraction = (struct carillon_period){(carillon_distance)whole, numerator, denominator, 0u};
    return clock_insert_far(number, carillon_period_next(&item->fraction), 1u);
}

uint64_t clock_left(int number)
{
    return items[number].is_far ? carillon_clock_left_far(&items[number].far)
                                : carillon_clock_left(&items[number].far.event);
}

void clock_remove(int item)
{
    carillon_clock_remove(&items[item].far.event);
}

int clock_is_queued(int item)
{
    return carillon_event_is_queued(&items[item].far.event);
}

void clock_run(uint64_t until)
{
    run_to(until);
}

/* Let time pass with interrupts locked. */
void clock_lock_for(uint64_t steps)
{
    pass(steps);
}

uint64_t clock_time(void)
{
    return now;
}

#if CARILLON_CLOCK_KEEPS_TIME
void clock_start(void)
{
    carillon_clock_start();
}
#endif

#if CARILLON_CLOCK_KNOWS_TIME
uint32_t clock_now(void)
{
    return carillon_clock_now();
}

int clock_insert_after(int item, uint32_t from, uint32_t period)
{
    items[item].is_far = false;
    items[item].far.laps = 0u;
    items[item].period = 0u;
    items[item].due = from + period;
    return carillon_clock_insert_after(&items[item].far.event, (carillon_time)from, (carillon_time)period);
}

#if CARILLON_TIME_FAR
int clock_insert_far_after(int item, uint32_t from, uint64_t period)
{
    items[item].is_far = true;
    items[item].period = 0u;
    items[item].due = from + period;
    return carillon_clock_insert_far_after(&items[item].far, (carillon_time)from, (carillon_distance)period);
}
#endif
#endif

#if CARILLON_TIME_UPTIME
uint64_t clock_uptime(void)
{
    return carillon_clock_uptime();
}
#endif

#if CARILLON_TIME_UNITS > 1
/* In steps, modulo the range of the ticks. */
uint64_t clock_moment(void)
{
    const struct carillon_moment moment = carillon_clock_moment();
    return ((uint64_t)moment.ticks * MOCK_STEPS) + moment.units;
}
#endif

uint32_t clock_served(int32_t *item, uint64_t *due, uint64_t *at, uint32_t room)
{
    const uint32_t count = (served_count < room) ? served_count : room;
    for (uint32_t i = 0; i < count; i++) {
        item[i] = served[i].item;
        due[i] = served[i].due;
        at[i] = served[i].served;
    }
    served_count = 0u;
    return count;
}

uint32_t clock_arms(void)
{
    return arms;
}

uint32_t clock_interrupts(void)
{
    return interrupts;
}

uint32_t clock_lost(void)
{
    return lost;
}

uint64_t clock_injected(void)
{
    return injected;
}

uint64_t clock_reach(void)
{
    return CARILLON_CLOCK_REACH;
}
