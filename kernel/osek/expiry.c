/* SPDX-License-Identifier: Apache-2.0
 *
 * What is due is served, in order of expiry, then of setting. */
#include "kernel/osek/expiry.h"
#include "kernel/osek/table.h"

#if CARILLON_OSEK_COUNTERS > 0

#define COUNTS ((CARILLON_OSEK_ALARM_ACTIONS & CARILLON_ACTION_BIT(CARILLON_ACTION_COUNT)) != 0u)
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
#if CALLS
    if (carillon_is_action(set, action, CARILLON_ACTION_CALL)) {
        const struct carillon_osek_hook_state before = carillon_osek_enter_hook(IN_CALLBACK);
        operand->function();
        carillon_osek_leave_hook(before);
        return;
    }
#endif
    carillon_act(set & ~CARILLON_ACTION_BIT(CARILLON_ACTION_CALL), action, *object, operand); /* read here, at last */
}

#if LISTS
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
#endif

void carillon_osek_act(const struct carillon_osek_alarm *alarm)
{
#if LISTS
    if (carillon_is_action(CARILLON_OSEK_ALARM_ACTIONS, alarm->action, CARILLON_ACTION_SEVERAL)) {
        act_each(alarm->operand.carillon_first);
        return;
    }
#endif
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
#if CARILLON_OSEK_FAR
        carillon_queue_repeat_far(queue, &state->event, state->cycle);
#else
        carillon_queue_repeat(queue, (carillon_time)state->cycle);
#endif
    }
}
#endif

/* Serves what is due in this tick, in order of expiry, then of setting.  An alarm that increments another counter has
 * all of that counter's alarms served before the next of its own; `depth` counts such counters.  None is there twice:
 * the tool refuses circles. */
static __attribute__((noinline)) void serve(CounterType counter)
{
#if COUNTS
    CounterType stack[CARILLON_OSEK_COUNTERS];
    uint32_t depth = 0u;
    stack[0] = counter;
#endif
    for (;;) {
#if COUNTS
        struct carillon_queue *const queue = carillon_osek_queue_of(carillon_osek_only_part(stack[depth]));
#else
        struct carillon_queue *const queue = carillon_osek_queue_of(carillon_osek_only_part(counter));
#endif
        struct carillon_osek_alarm_state *const state =
            (struct carillon_osek_alarm_state *)(void *)carillon_queue_due(queue);
        if (state == NULL) {
#if COUNTS
            if (depth != 0u) {
                depth--;
                continue;
            }
#endif
            return;
        }
#if CARILLON_OSEK_FAR
        if (carillon_queue_next_lap(queue, &state->event)) {
            continue;
        }
#endif
#if CARILLON_OSEK_QUEUED_CURSORS > 0
        if (state >= &carillon_osek_alarm_states[CARILLON_OSEK_ALARMS]) {
            carillon_osek_expire_points(queue, state);
            continue;
        }
#endif
#if CARILLON_OSEK_ALARMS > 0
        expire(queue, state);
        const struct carillon_osek_alarm *const alarm = &carillon_osek_alarms[state - carillon_osek_alarm_states];
#if COUNTS
#if LISTS_THEN_COUNT
        if (alarm->action == CARILLON_ACTION_SEVERAL_THEN_COUNT) {
            act_each(alarm->operand.carillon_first);
        }
#endif
        if ((alarm->action == CARILLON_ACTION_COUNT) ||
            (LISTS_THEN_COUNT && (alarm->action == CARILLON_ACTION_SEVERAL_THEN_COUNT))) {
            if (advance(&carillon_osek_counter_states[alarm->object], &carillon_osek_counters[alarm->object])) {
                depth++;
                stack[depth] = alarm->object;
            }
            continue;
        }
#endif
        carillon_osek_act(alarm);
#endif
    }
}

#endif

/* In most ticks nothing is due. */
static inline void tick(CounterType counter)
{
#if CARILLON_OSEK_QUEUES
    if (advance(&carillon_osek_counter_states[counter], &carillon_osek_counters[counter])) {
        serve(counter);
    }
#else
    count(&carillon_osek_counter_states[counter], &carillon_osek_counters[counter]);
#endif
}

#if (CARILLON_BASE_BITS > 0) && CARILLON_OSEK_QUEUES

/* Count all ticks that have passed, and serve each expiry in its own.  Bounded by the expiries for which interrupts
 * have been held back.  An empty queue begins anew, so that it does not count down to what looks like an expiry. */
static __attribute__((noinline)) void catch_up(CounterType counter)
{
    struct carillon_osek_counter_state *state = &carillon_osek_counter_states[counter];
    const struct carillon_osek_counter *const fixed = &carillon_osek_counters[counter];
    const carillon_base units = (carillon_base)fixed->units;
    __asm__("" : "+r"(state)); /* the address is worked out once, and not for each member */
#if CARILLON_OSEK_LEVEL_COUNTERS
    state->serving = true;
#endif
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
#if CARILLON_OSEK_LONE
            if (fixed->lone != 0u) {
                carillon_osek_expire_lone(counter, fixed->lone - 1u);
                continue;
            }
#endif
            serve(counter);
        }
    }
#if CARILLON_OSEK_LONE
    if (fixed->lone == 0u) {
        carillon_queue_rest(&state->ticker.queue);
    }
#elif CARILLON_OSEK_AHEAD
    carillon_queue_rest(&state->ticker.queue);
#endif
#if CARILLON_OSEK_LEVEL_COUNTERS
    state->serving = false;
#endif
    carillon_osek_look_ahead(counter);
}

#if CARILLON_OSEK_CURSORS > 0
void carillon_osek_catch_up(CounterType counter)
{
    catch_up(carillon_osek_only_part(counter));
}
#endif

void carillon_osek_tick(CounterType any)
{
    const CounterType counter = carillon_osek_only_part(any);
#if !CARILLON_OSEK_AHEAD || CARILLON_OSEK_SOFTWARE
    const uint32_t saved = carillon_osek_lock();
#endif
#if CARILLON_OSEK_AHEAD
    catch_up(counter);
#else
    struct carillon_osek_counter_state *const state = &carillon_osek_counter_states[counter];
    const struct carillon_osek_counter *const fixed = &carillon_osek_counters[counter];
    const carillon_base units = (carillon_base)fixed->units;
    const carillon_base at = state->ticker.at;
    if (carillon_base_one(at, units)) {                 /* mostly */
        state->ticker.at = (carillon_base)(at - units); /* as it has not begun anew, so has this not */
        if (advance(state, fixed)) {
            serve(counter);
        }
    } else {
        catch_up(counter);
    }
#endif
#if !CARILLON_OSEK_AHEAD || CARILLON_OSEK_SOFTWARE
    carillon_osek_unlock(saved);
#endif
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
