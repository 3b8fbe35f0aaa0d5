/* SPDX-License-Identifier: Apache-2.0
 *
 * What is due is served, in order of expiry, then of setting. */
#include "kernel/counters/expiry.h"
#include "kernel/counters/table.h"

#if CARILLON_OSEK_COUNTERS > 0

#define COUNTS ((CARILLON_OSEK_ALARM_ACTIONS & CARILLON_ACTION_BIT(CARILLON_ACTION_COUNT)) != 0u)
#define NOBODY CARILLON_OSEK_COUNTERS
#define CALLS ((CARILLON_OSEK_ALARM_ACTIONS & CARILLON_ACTION_BIT(CARILLON_ACTION_CALL)) != 0u)

#if CARILLON_OSEK_ALARMS > 0
#define LISTS_THEN_COUNT ((CARILLON_OSEK_ALARM_ACTIONS & CARILLON_ACTION_BIT(CARILLON_ACTION_SEVERAL_THEN_COUNT)) != 0u)
#define LISTS (LISTS_THEN_COUNT || ((CARILLON_OSEK_ALARM_ACTIONS & CARILLON_ACTION_BIT(CARILLON_ACTION_SEVERAL)) != 0u))

/* The actions that are neither a list nor move another queue. */
#define NOT_SINGLE                                                                               \
    (CARILLON_ACTION_BIT(CARILLON_ACTION_COUNT) | CARILLON_ACTION_BIT(CARILLON_ACTION_SEVERAL) | \
     CARILLON_ACTION_BIT(CARILLON_ACTION_SEVERAL_THEN_COUNT))

static inline __attribute__((always_inline)) void act(uint8_t action, const uint8_t *object,
                                                      const union carillon_operand *operand)
{
    const uint32_t set = CARILLON_OSEK_ALARM_ACTIONS & ~NOT_SINGLE;
    if (CALLS && carillon_is_action(set, action, CARILLON_ACTION_CALL)) {
        const struct carillon_osek_hook_state before = carillon_osek_enter_hook(IN_CALLBACK);
        operand->function();
        carillon_osek_leave_hook(before);
        return;
    }
    carillon_act(set & ~CARILLON_ACTION_BIT(CARILLON_ACTION_CALL), action, *object, operand); /* read here, at last */
}

/* What the lists of alarms hold.  Each thing asks for its task's level, as services do.  Nothing that a list makes
 * ready runs before its end: the handler is on the kernel's level, or on the one level of all its tasks, or locked. */
static __attribute__((noinline)) void act_each(uint32_t first)
{
    const struct carillon_osek_alarm_action *one = &carillon_osek_alarm_actions[first];
    for (;;) {
        act(one->action, &one->object, &one->operand);
        if (one->more == 0u) {
            break;
        }
        one++;
    }
}

void carillon_osek_act(const struct carillon_osek_alarm *alarm)
{
    if (LISTS && carillon_is_action(CARILLON_OSEK_ALARM_ACTIONS, alarm->action, CARILLON_ACTION_SEVERAL)) {
        act_each(alarm->operand.carillon_first);
        return;
    }
    act(alarm->action, &alarm->object, &alarm->operand);
}
#endif

static inline void count(struct carillon_osek_counter_state *state, const struct carillon_osek_counter *counter)
{
    state->value = (state->value == counter->max_allowed) ? 0u : (state->value + 1u);
}

#if CARILLON_OSEK_QUEUES

/* Count a tick: is the queue to be asked for what is due? */
static inline bool advance(struct carillon_osek_counter_state *state, const struct carillon_osek_counter *counter)
{
    count(state, counter);
    return carillon_queue_tick(&state->ticker.queue);
}

#if CARILLON_OSEK_ALARMS > 0
/* Take the alarm of `state`, which is due, out of the queue; a cyclic one is set again, counted from its expiry. */
static void expire(struct carillon_queue *queue, struct carillon_osek_alarm_state *state)
{
    if (state->cycle == 0u) {
        carillon_queue_pop(queue);
    } else {
        CARILLON_OSEK_QUEUE_REPEAT(queue, &state->event, state->cycle);
    }
}

/* The alarm of `state` has expired.  Returns the counter that it increments if something is due there now, else NOBODY.
 */
static inline __attribute__((always_inline)) CounterType do_alarm(struct carillon_queue *queue,
                                                                  struct carillon_osek_alarm_state *state)
{
    expire(queue, state);
    const struct carillon_osek_alarm *const alarm = &carillon_osek_alarms[state - carillon_osek_alarm_states];
    const bool lists = LISTS_THEN_COUNT && (alarm->action == CARILLON_ACTION_SEVERAL_THEN_COUNT);
    if (lists) {
        act_each(alarm->operand.carillon_first);
    }
    if (COUNTS && (lists || (alarm->action == CARILLON_ACTION_COUNT))) {
        const bool due = advance(&carillon_osek_counter_states[alarm->object], &carillon_osek_counters[alarm->object]);
        return due ? alarm->object : NOBODY;
    }
    carillon_osek_act(alarm);
    return NOBODY;
}
#else
static inline CounterType do_alarm(struct carillon_queue *queue, struct carillon_osek_alarm_state *state)
{
    (void)queue;
    (void)state;
    return NOBODY;
}
#endif

/* Serves what is due in this tick, in order of expiry, then of setting.  An alarm that increments another counter has
 * all of that counter's alarms served before the next of its own; `depth` counts such counters.  None is there twice:
 * the tool refuses circles. */
static __attribute__((noinline)) void serve(CounterType counter)
{
    CounterType stack[COUNTS ? CARILLON_OSEK_COUNTERS : 1u];
    uint32_t depth = 0u;
    stack[0] = counter;
    for (;;) {
        struct carillon_queue *const queue = carillon_osek_queue_of(carillon_osek_only_part(stack[depth]));
        struct carillon_osek_alarm_state *const state =
            (struct carillon_osek_alarm_state *)(void *)carillon_queue_due(queue);
        if (state == NULL) {
            if (!COUNTS || (depth == 0u)) {
                return;
            }
            depth--;
        } else if (CARILLON_OSEK_NEXT_LAP(queue, &state->event)) {
            /* it is due in a later lap */
        } else if ((CARILLON_OSEK_QUEUED_CURSORS > 0u) &&
                   (state >= &carillon_osek_alarm_states[CARILLON_OSEK_ALARMS])) {
            carillon_osek_expire_points(queue, state);
        } else {
            const CounterType other = do_alarm(queue, state);
            if (COUNTS && (other != NOBODY)) {
                depth++;
                stack[depth] = other;
            }
        }
    }
}

#endif

/* In most ticks nothing is due. */
#if CARILLON_OSEK_QUEUES
static inline void tick(CounterType counter)
{
    if (advance(&carillon_osek_counter_states[counter], &carillon_osek_counters[counter])) {
        serve(counter);
    }
}
#else
static inline void tick(CounterType counter)
{
    count(&carillon_osek_counter_states[counter], &carillon_osek_counters[counter]);
}
#endif

#if (CARILLON_BASE_BITS > 0) && CARILLON_OSEK_QUEUES

/* Count all ticks that have passed, and serve each expiry in its own.  Bounded by the expiries for which interrupts
 * have been held back.  An empty queue begins anew, so that it does not count down to what looks like an expiry. */
static __attribute__((noinline)) void catch_up(CounterType counter)
{
    struct carillon_osek_counter_state *state = &carillon_osek_counter_states[counter];
    const struct carillon_osek_counter *const fixed = &carillon_osek_counters[counter];
    const carillon_base units = (carillon_base)fixed->units;
    __asm__("" : "+r"(state)); /* the address is worked out once, and not for each member */
    carillon_osek_counter_serves(state, true);
    for (;;) {
        const carillon_ticks passed = carillon_ticker_uncounted(&state->ticker, units);
        if (passed == 0u) {
            break;
        }
        /* What was due has been served, so that the step is not 0. */
        const carillon_time step = carillon_ticker_step(&state->ticker, passed);
        carillon_ticker_count(&state->ticker, units, (carillon_base)step);
        state->value = carillon_osek_later(fixed, state->value, step);
        carillon_queue_advance(&state->ticker.queue, step);
        if (carillon_queue_left(&state->ticker.queue) == 0u) {
            if (carillon_osek_lone_of(fixed) != 0u) {
                carillon_osek_expire_lone(counter, carillon_osek_lone_of(fixed) - 1u);
            } else {
                serve(counter);
            }
        }
    }
    if (CARILLON_OSEK_AHEAD && (carillon_osek_lone_of(fixed) == 0u)) {
        carillon_queue_rest(&state->ticker.queue);
    }
    carillon_osek_counter_serves(state, false);
    carillon_osek_look_ahead(counter);
}

#if CARILLON_OSEK_CURSORS > 0
void carillon_osek_catch_up(CounterType counter)
{
    catch_up(carillon_osek_only_part(counter));
}
#endif

/* Mostly one tick has passed. */
static inline void tick_or_catch_up(CounterType counter)
{
    struct carillon_osek_counter_state *const state = &carillon_osek_counter_states[counter];
    const struct carillon_osek_counter *const fixed = &carillon_osek_counters[counter];
    const carillon_base units = (carillon_base)fixed->units;
    const carillon_base at = state->ticker.at;
    if (carillon_base_one(at, units)) {
        state->ticker.at = (carillon_base)(at - units); /* as it has not begun anew, so has this not */
        if (advance(state, fixed)) {
            serve(counter);
        }
    } else {
        catch_up(counter);
    }
}

void carillon_osek_tick(CounterType any)
{
    const CounterType counter = carillon_osek_only_part(any);
    const bool locks = !CARILLON_OSEK_AHEAD || (CARILLON_OSEK_SOFTWARE != 0);
    const uint32_t saved = locks ? carillon_osek_lock() : 0u;
    if (CARILLON_OSEK_AHEAD) {
        catch_up(counter);
    } else {
        tick_or_catch_up(counter);
    }
    if (locks) {
        carillon_osek_unlock(saved);
    }
}

#if CARILLON_OSEK_LEVEL_COUNTERS
void carillon_osek_last_tick(CounterType counter, uint32_t saved)
{
    catch_up(carillon_osek_only_part(counter));
    carillon_osek_unlock(saved);
}
#endif

#else

void carillon_osek_tick(CounterType counter)
{
    const uint32_t saved = carillon_osek_lock();
    tick(counter);
    carillon_osek_unlock(saved);
}

#endif

StatusType(IncrementCounter)(CounterType counter)
{
    CHECK_PLACE(IN_TASK | IN_ISR2, OSServiceId_IncrementCounter, .object = counter);
    CHECK((counter < CARILLON_OSEK_COUNTERS) && (carillon_osek_counters[counter].software != 0u),
          OSServiceId_IncrementCounter, E_OS_ID, .object = counter);
    const uint32_t saved = carillon_osek_lock();
    tick(counter);
    carillon_osek_unlock(saved);
    return E_OK;
}

#endif
