/* SPDX-License-Identifier: Apache-2.0
 *
 * What it means that an event of the clock is due; and the handlers of the clock. */
#include "due_steps.h"
#include "kernel/levels/served.h"
#include "kernel/time/wait_steps.h"

#if CARILLON_OSEK_TIME

/* While the clock is served: the alarm whose handler was called last. */
#define firing carillon_clock.serves

static inline void call(struct carillon_alarm *alarm)
{
    firing = alarm;
    alarm->handler.function(); /* after which the alarm may be gone */
}

/* Count the next interval of an alarm, which is due, from this expiry, if there is one. */
static void repeat(struct carillon_alarm *alarm)
{
    if (alarm->left != CARILLON_INFINITE) {
        alarm->left--;
    }
    if (alarm->left == 0u) {
        carillon_queue_pop(&carillon_clock_queue);
        return;
    }
    const carillon_duration period =
        (alarm->exact == NULL) ? alarm->period : (carillon_duration)carillon_period_next(alarm->exact);
    struct carillon_event *const event = carillon_time_event(&alarm->timed);
    if (CARILLON_TIME_FAR && (period > CARILLON_LONGEST)) {
        carillon_queue_pop(&carillon_clock_queue);
        carillon_queue_insert_far(&carillon_clock_queue, carillon_time_far(&alarm->timed), period);
        return;
    }
    if (!carillon_queue_stays(&carillon_clock_queue, event, (carillon_time)period)) {
        carillon_queue_move(&carillon_clock_queue, event, (carillon_time)period);
    }
}

static inline void fire(struct carillon_alarm *alarm)
{
    if (carillon_is_action(CARILLON_TIMED_ACTIONS, alarm->timed.kind, CARILLON_ACTION_CALL)) {
        call(alarm);
        return;
    }
    const uint32_t set = CARILLON_TIMED_ACTIONS & ~CARILLON_ACTION_BIT(CARILLON_ACTION_CALL);
    carillon_act(set, alarm->timed.kind, alarm->timed.task, &alarm->handler);
}

static __attribute__((noinline)) void serve(struct carillon_timed *timed)
{
    if (carillon_time_next_lap(timed)) {
        return;
    }
    if (CARILLON_TIME_DELAYS && CARILLON_TIME_FAR && (timed->kind == CARILLON_ACTION_WAKE_FAR)) {
        (void)carillon_time_wake_first(timed);
        return;
    }
    if (CARILLON_TICKLESS && (timed->kind == CARILLON_ACTION_TICK)) {
        carillon_queue_pop(&carillon_clock_queue);
        carillon_osek_tick(timed->task);
        return;
    }
    if ((CARILLON_TIME_DEADLINES > 0u) && (timed->kind == CARILLON_ACTION_CHECK_DEADLINE)) {
        carillon_queue_pop(&carillon_clock_queue);
        carillon_time_deadline_due(timed);
        return;
    }
    if (CARILLON_BUDGETS_IN_QUEUE && (timed->kind == CARILLON_ACTION_END_JOB)) {
        carillon_budget_due();
        return;
    }
    if ((CARILLON_OSEK_SERVERS > 0u) && (timed->kind == CARILLON_ACTION_END_BUDGET)) {
        carillon_server_over(timed->task);
        return;
    }
    if ((CARILLON_OSEK_SERVERS > 0u) && (timed->kind == CARILLON_ACTION_FILL_BUDGET)) {
        carillon_server_again(timed->task);
        return;
    }
    if (CARILLON_TIME_TIMEOUTS && (timed->kind == CARILLON_ACTION_TIME_OUT)) {
        carillon_queue_pop(&carillon_clock_queue);
        carillon_time_out((struct carillon_waiter *)(void *)timed);
        return;
    }
    if (CARILLON_TIME_ALARMS) {
        struct carillon_alarm *const alarm = (struct carillon_alarm *)(void *)timed;
        repeat(alarm);
        fire(alarm);
    }
}

/* A function that is called for ever, and does not stay the first. */
static __attribute__((noinline)) void move_and_call(struct carillon_timed *timed)
{
    struct carillon_alarm *const alarm = (struct carillon_alarm *)(void *)timed;
    carillon_queue_move(&carillon_clock_queue, carillon_time_event(timed), (carillon_time)alarm->period);
    call(alarm);
}

/* Units that are given for ever, of all such alarms that are due one after the other: one function has all of it, and
 * saves registers once. */
static __attribute__((noinline)) void give_forever(struct carillon_timed *first)
{
    struct carillon_timed *timed = first;
    do { /* bounded by the number of alarms */
        struct carillon_alarm *const alarm = (struct carillon_alarm *)(void *)timed;
        struct carillon_event *const event = carillon_time_event(timed);
        if (!carillon_queue_stays(&carillon_clock_queue, event, (carillon_time)alarm->period)) {
            carillon_queue_move_inlined(&carillon_clock_queue, event, (carillon_time)alarm->period);
        }
        if (!carillon_semaphore_give_inlined(alarm->handler.carillon_semaphore, true)) {
            (void)FAIL(OSServiceId_SemaphoreV, E_OS_LIMIT, .reference = alarm->handler.carillon_semaphore);
        }
        timed = (struct carillon_timed *)(void *)carillon_queue_first(&carillon_clock_queue);
    } while ((carillon_queue_left(&carillon_clock_queue) == 0u) && (timed->kind == CARILLON_ACTION_GIVE_FOREVER));
}

/* What is not a delay that is over.  Functions that are called for ever have a path of their own, too, which saves no
 * register and calls nobody else if they stay the first. */
static inline void serve_other(struct carillon_timed *timed)
{
    if (CARILLON_TIME_FUNCTIONS && (timed->kind == CARILLON_ACTION_CALL_FOREVER)) {
        struct carillon_alarm *const alarm = (struct carillon_alarm *)(void *)timed;
        if (carillon_queue_stays(&carillon_clock_queue, carillon_time_event(timed), (carillon_time)alarm->period)) {
            call(alarm);
        } else {
            move_and_call(timed);
        }
        return;
    }
    if (CARILLON_TIME_SEMAPHORES && (timed->kind > CARILLON_ACTION_CALL_FOREVER)) { /* the only kind above that one */
        give_forever(timed);
        return;
    }
    serve(timed);
}

#if CARILLON_CLOCK_COUNTS_ALONE

/* Delays that are over and come first. */
static __attribute__((noinline)) carillon_time wake_all(struct carillon_timed *first)
{
    struct carillon_timed *timed = first;
    for (;;) {
        const carillon_time left = carillon_time_wake_first(timed);
        if (left != 0u) {
            return left;
        }
        timed = carillon_time_first();
        if (!carillon_time_is_delay(timed)) {
            return 0u;
        }
    }
}

/* What comes after and with an event that is no delay. */
static inline void serve_all(struct carillon_timed *first)
{
    struct carillon_timed *timed = first;
    bool more = true;
    do {
        serve_other(timed);
        more = (carillon_queue_left(&carillon_clock_queue) == 0u);
        if (more) {
            timed = carillon_time_first();
            if (carillon_time_is_delay(timed)) {
                more = (wake_all(timed) == 0u);
                timed = carillon_time_first();
            }
        }
    } while (more);
    carillon_queue_served();
    if (CARILLON_TIME_FUNCTIONS) {
        firing = NULL;
    }
}

#if CARILLON_TIME_DELAYS && CARILLON_TIME_OTHERS
/* Not inlined: it takes registers that are to be saved. */
CARILLON_TIME_WHERE_TICKS_ARE __attribute__((noinline)) void carillon_time_serve_rest(struct carillon_timed *first)
{
    serve_all(first);
}
#endif

/* Nothing is left to the first event, which there is. */
CARILLON_TIME_WHERE_TICKS_ARE void carillon_time_serve_first(struct carillon_timed *first)
{
    if (!CARILLON_TIME_DELAYS) {
        serve_all(first);
    } else if (!carillon_time_is_delay(first)) {
        carillon_time_serve_rest(first);
    } else if ((wake_all(first) == 0u) && CARILLON_TIME_OTHERS) {
        carillon_time_serve_rest(carillon_time_first());
    } else {
        /* there were delays alone */
    }
}

/* Nothing is left to the first event, if there is one. */
void carillon_time_due(void)
{
    if (!carillon_queue_has_due(&carillon_clock_queue)) {
        return;
    }
    struct carillon_timed *timed = carillon_time_first();
    if (CARILLON_TIME_OTHERS) {
        carillon_time_serve_first(timed);
    } else {
        while (carillon_time_wake_first(timed) == 0u) { /* bounded by the number of tasks */
            timed = carillon_time_first();
        }
    }
}

#if !CARILLON_TIME_TICKS_INLINE
void carillon_time_tick(void)
{
    const carillon_budget_rest budget = CARILLON_BUDGETS_IN_QUEUE ? 0u : carillon_pause_budget();
    carillon_time_tick_inline();
    if (!CARILLON_BUDGETS_IN_QUEUE) {
        carillon_resume_budget(budget);
    }
}
#endif

#else

/* The event is the first member of what it belongs to.  What is no delay takes registers that are to be saved. */
#if CARILLON_TIME_OTHERS
static __attribute__((noinline)) void expired(struct carillon_event *event)
#else
static inline void expired(struct carillon_event *event)
#endif
{
    struct carillon_timed *const timed = (struct carillon_timed *)(void *)event;
    if (carillon_time_is_delay(timed)) {
        (void)carillon_time_wake_first(timed);
        return;
    }
    if (CARILLON_TIME_OTHERS) { /* an application that has no events has slices alone */
        serve_other(timed);
    }
}

#if CARILLON_CLOCK_AHEAD
static __attribute__((noinline)) void serve_clock(void)
{
    carillon_clock_serve(expired);
}

static __attribute__((noinline)) void serve_over(carillon_base left)
{
    if (!clock_reaches_first(left)) {
        serve_clock();
        return;
    }
    clock_set_serving(true);
    do {
        expired(carillon_queue_first(&carillon_clock_queue));
    } while (carillon_queue_left(&carillon_clock_queue) == 0u);
    carillon_queue_served();
    clock_set_serving(false);
    clock_look_ahead();
}

/* In most ticks nothing is due. */
static inline void serve_interrupt(void)
{
    const carillon_base left = carillon_base_left(); /* a tick that comes after that asks for the handler again */
    if (carillon_ticker_is_over(&clock_ticker, left)) {
        serve_over(left);
    }
}
#else
static inline void serve_interrupt(void)
{
    carillon_clock_serve(expired);
}
#endif

/* The budget of the job that this preempts stands still (kernel/levels/budget.h, 17), unless these ticks count it. */
void carillon_clock_interrupt(void)
{
    const bool counts = CARILLON_BUDGETS_IN_QUEUE && (CARILLON_CLOCK == CARILLON_CLOCK_TICK);
    const carillon_budget_rest budget = counts ? 0u : carillon_pause_budget();
    serve_interrupt();
    if (!counts) {
        carillon_resume_budget(budget);
    }
}
#endif

#endif
