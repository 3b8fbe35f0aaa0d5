/* SPDX-License-Identifier: Apache-2.0
 *
 * Services that wait: delays and semaphores; and the slices of threads. */
#include "kernel/levels/served.h"
#include "kernel/time/wait_steps.h"

#include "kernel/clock/clock_steps.h"

#if CARILLON_OSEK_TIME

#if CARILLON_OSEK_MATES
/* The running task's delay has been put in.  If a task of its level waits for the same tick, it goes on with that one,
 * and its own event is taken out again.  So the number of levels bounds what a tick does for delays.  And a task of a
 * high level does not wait until all that are due below it are ready.
 *
 * 1. Between the event and the one that it joins there are delays alone, of other levels.  So the order in which tasks
 *    of its level are made ready stays: whatever else is due on that tick stands before or behind all of these.
 * 2. A task joins the first one that it finds, so that these are of different levels, which bounds the loop.
 * 3. A delay is never taken out before it is over.  So what others have joined stays until then. */
static void join(struct carillon_sleeper *sleeper)
{
    struct carillon_event *const event = carillon_time_event(&sleeper->timed);
    sleeper->last = sleeper->extended;
    if (carillon_osek_levels[sleeper->task->level].capacity == 0u) {
        return;
    }
    struct carillon_event *before = event->previous;
    while ((before != &carillon_clock_queue.head) && (before->time == 0u)) {
        struct carillon_sleeper *const other = (struct carillon_sleeper *)(void *)before;
        if (!carillon_time_is_delay(&other->timed)) {
            return;
        }
        if (other->task->level == sleeper->task->level) {
            carillon_queue_remove(&carillon_clock_queue, event);
            other->last->mate = (uint8_t)(sleeper->timed.task + 1u);
            other->last = sleeper->extended;
            return;
        }
        before = before->previous;
    }
}
#else
static inline void join(const struct carillon_sleeper *sleeper)
{
    (void)sleeper;
}
#endif

#if CARILLON_TIME_DELAYS
StatusType carillon_delay(carillon_duration ticks)
{
    struct carillon_sleeper sleeper;
    struct carillon_osek_extended *const extended = carillon_time_falls_asleep(&sleeper, CARILLON_ACTION_WAKE);
    REQUIRE(extended != NULL, OSServiceId_Delay, E_OS_CALLEVEL, .object = 0u);
    CHECK_PLACE(IN_TASK, OSServiceId_Delay, .object = 0u);
    CHECK(carillon_osek_holds_none(), OSServiceId_Delay, E_OS_RESOURCE, .object = 0u);
    REQUIRE(carillon_time_is_valid(ticks), OSServiceId_Delay, E_OS_VALUE, .object = 0u);
    (void)carillon_osek_hold();
    if (CARILLON_TIME_FAR && (ticks > CARILLON_LONGEST_PERIOD)) {
        sleeper.timed.kind = CARILLON_ACTION_WAKE_FAR;
        carillon_time_insert(&sleeper.timed, ticks);
        carillon_time_wait(extended);
        return E_OK;
    }
    carillon_time_insert_near(&sleeper.timed, (carillon_time)ticks);
    join(&sleeper);
    carillon_time_wait(sleeper.extended); /* which is on the stack, and takes no register */
    return E_OK;
}
#endif

#if CARILLON_TIME_UPTIME
uint64_t carillon_uptime(void)
{
    const uint32_t saved = carillon_osek_lock();
    const uint64_t now = carillon_clock_uptime();
    carillon_osek_unlock(saved);
    return now;
}
#endif

#if CARILLON_TIME_NOW
carillon_time carillon_now(void)
{
    const uint32_t saved = carillon_osek_lock();
    const carillon_time now = carillon_time_now();
    carillon_osek_unlock(saved);
    return now;
}

#if CARILLON_TIME_DELAYS
StatusType carillon_wait_until(carillon_time *previous, carillon_time period)
{
    struct carillon_sleeper sleeper;
    struct carillon_osek_extended *const extended = carillon_time_falls_asleep(&sleeper, CARILLON_ACTION_WAKE);
    REQUIRE(extended != NULL, OSServiceId_DelayUntil, E_OS_CALLEVEL, .reference = previous);
    CHECK_PLACE(IN_TASK, OSServiceId_DelayUntil, .reference = previous);
    CHECK(carillon_osek_holds_none(), OSServiceId_DelayUntil, E_OS_RESOURCE, .reference = previous);
    REQUIRE((period != 0u) && (period <= CARILLON_LONGEST_PERIOD), OSServiceId_DelayUntil, E_OS_VALUE,
            .reference = previous);
    const carillon_time from = *previous;
    const uint32_t mask = carillon_osek_hold();
    if (!carillon_time_next_deadline(from, period)) {
        carillon_osek_release(mask);
        REQUIRE(false, OSServiceId_DelayUntil, E_OS_VALUE, .reference = previous);
    }
    *previous = (carillon_time)(from + period);
    if (__builtin_expect(carillon_time_insert_after(&sleeper.timed, from, period) ? 1 : 0, 1) == 0) {
        carillon_osek_release(mask);
        REQUIRE(false, OSServiceId_DelayUntil, E_OS_LIMIT, .reference = previous);
    }
    join(&sleeper);
    carillon_time_wait(sleeper.extended); /* which is on the stack, and takes no register */
    return E_OK;
}

#if CARILLON_TIME_FAR
StatusType carillon_wait_until_far(carillon_time *previous, carillon_duration period)
{
    struct carillon_sleeper sleeper;
    struct carillon_osek_extended *const extended = carillon_time_falls_asleep(&sleeper, CARILLON_ACTION_WAKE_FAR);
    REQUIRE(extended != NULL, OSServiceId_DelayUntil, E_OS_CALLEVEL, .reference = previous);
    CHECK_PLACE(IN_TASK, OSServiceId_DelayUntil, .reference = previous);
    CHECK(carillon_osek_holds_none(), OSServiceId_DelayUntil, E_OS_RESOURCE, .reference = previous);
    REQUIRE(period <= CARILLON_LONGEST_WAIT, OSServiceId_DelayUntil, E_OS_VALUE, .reference = previous);
    const carillon_time from = *previous;
    const uint32_t mask = carillon_osek_hold();
    (void)carillon_time_next_deadline(from, period);
    *previous = (carillon_time)(from + period);
    if (!carillon_time_insert_far_after(&sleeper.timed, from, period)) {
        carillon_osek_release(mask);
        REQUIRE(false, OSServiceId_DelayUntil, E_OS_LIMIT, .reference = previous);
    }
    carillon_time_wait(extended);
    return E_OK;
}
#endif

/* Locked: the sleeper waits for the next time that is a whole number of periods after `from`, each longer than
 * CARILLON_LONGEST_PERIOD.  Returns how many have passed.  Less than a range has passed, so that is one at most. */
static carillon_time sleep_until_next_far(struct carillon_sleeper *sleeper, carillon_time from,
                                          carillon_duration period)
{
    sleeper->timed.kind = CARILLON_ACTION_WAKE_FAR;
    carillon_time missed = 0u;
    carillon_duration ahead = period;
    if (!carillon_time_insert_far_after(&sleeper->timed, from, ahead)) {
        missed = 1u;
        ahead = (carillon_duration)(period + period);
        (void)carillon_time_insert_far_after(&sleeper->timed, from, ahead);
    }
    (void)carillon_time_next_deadline(from, ahead);
    return missed;
}

StatusType carillon_delay_until_next(carillon_time *previous, carillon_duration period, uint32_t *skipped)
{
    struct carillon_sleeper sleeper;
    struct carillon_osek_extended *const extended = carillon_time_falls_asleep(&sleeper, CARILLON_ACTION_WAKE);
    REQUIRE(extended != NULL, OSServiceId_DelayUntil, E_OS_CALLEVEL, .reference = previous);
    CHECK_PLACE(IN_TASK, OSServiceId_DelayUntil, .reference = previous);
    CHECK(carillon_osek_holds_none(), OSServiceId_DelayUntil, E_OS_RESOURCE, .reference = previous);
    REQUIRE((period != 0u) && (period <= CARILLON_LONGEST_WAIT), OSServiceId_DelayUntil, E_OS_VALUE,
            .reference = previous);
    REQUIRE(carillon_time_tells_deadline(period), OSServiceId_DelayUntil, E_OS_VALUE, .reference = previous);
    (void)carillon_osek_hold();
    const carillon_time interval = (carillon_time)period;
    const carillon_time from = *previous;
    if (CARILLON_TIME_FAR && (period > CARILLON_LONGEST_PERIOD)) {
        const carillon_time passed = sleep_until_next_far(&sleeper, from, period);
        const carillon_time added = (passed == 0u) ? interval : (carillon_time)(interval + interval);
        *previous = (carillon_time)(from + added);
        if (skipped != NULL) {
            *skipped = passed;
        }
        carillon_time_wait(extended);
        return E_OK;
    }
    carillon_time missed;
    carillon_time margin = 0u; /* by which the time may go on until the event has been put in: more each time */
    carillon_time now;
    carillon_time ahead;
    do {
        now = carillon_time_now();
        missed = (carillon_time)((carillon_time)((carillon_time)(now - from) + margin) / interval);
        *previous = (carillon_time)(from + (carillon_time)((carillon_time)(missed + 1u) * interval));
        ahead = (carillon_time)(*previous - now);
        margin = (carillon_time)(margin + margin + 1u);
    } while (!carillon_time_insert_after(&sleeper.timed, now, ahead));
    (void)carillon_time_next_deadline(now, ahead);
    if (skipped != NULL) {
        *skipped = missed;
    }
    join(&sleeper);
    carillon_time_wait(sleeper.extended);
    return E_OK;
}
#endif
#endif

StatusType carillon_semaphore_p(struct carillon_semaphore *semaphore)
{
    struct carillon_waiter waiter;
    struct carillon_osek_extended *const extended = carillon_time_falls_asleep(&waiter.sleeper, CARILLON_ACTION_WAKE);
    REQUIRE(extended != NULL, OSServiceId_SemaphoreP, E_OS_CALLEVEL, .reference = semaphore);
    CHECK_PLACE(IN_TASK, OSServiceId_SemaphoreP, .reference = semaphore);
    CHECK(carillon_osek_holds_none(), OSServiceId_SemaphoreP, E_OS_RESOURCE, .reference = semaphore);
    const uint32_t saved = carillon_osek_lock();
    if (carillon_semaphore_take(semaphore)) {
        carillon_osek_unlock(saved);
        return E_OK;
    }
    carillon_time_line_up(&waiter, semaphore);
    carillon_time_wait(extended);
    return E_OK;
}

#if CARILLON_TIME_TIMEOUTS
StatusType carillon_semaphore_p_within(struct carillon_semaphore *semaphore, carillon_duration ticks)
{
    struct carillon_waiter waiter;
    struct carillon_osek_extended *const extended =
        carillon_time_falls_asleep(&waiter.sleeper, CARILLON_ACTION_TIME_OUT);
    REQUIRE((ticks == 0u) || (extended != NULL), OSServiceId_SemaphoreP, E_OS_CALLEVEL, .reference = semaphore);
    CHECK_PLACE(IN_SERVICE, OSServiceId_SemaphoreP, .reference = semaphore);
    CHECK((ticks == 0u) || carillon_osek_holds_none(), OSServiceId_SemaphoreP, E_OS_RESOURCE, .reference = semaphore);
    REQUIRE(ticks <= CARILLON_LONGEST_DURATION, OSServiceId_SemaphoreP, E_OS_VALUE, .reference = semaphore);
    waiter.result = E_OS_NOFUNC;
    const uint32_t saved = carillon_osek_lock();
    if (carillon_semaphore_take(semaphore)) {
        waiter.result = E_OK;
        carillon_osek_unlock(saved);
    } else if (ticks == 0u) {
        carillon_osek_unlock(saved);
    } else {
        carillon_time_wait_within(&waiter, extended, semaphore, ticks);
    }
    REQUIRE(waiter.result == E_OK, OSServiceId_SemaphoreP, waiter.result, .reference = semaphore);
    return E_OK;
}

#if CARILLON_OSEK_EVENTS
/* The result while the time-out is in the queue. */
#define NOT_YET E_OS_STATE

/* 1. Who sets an event makes the task ready, and knows nothing of the time-out, which stays in the queue.  The task
 *    takes it out where it goes on.
 * 2. So a time-out may be due when the task waits no more, or when it has gone on and waits for its turn.  It changes
 *    nothing then, but that it is not in the queue. */
StatusType carillon_wait_event_within(EventMaskType mask, carillon_duration ticks)
{
    struct carillon_waiter waiter;
    struct carillon_osek_extended *const extended =
        carillon_time_falls_asleep(&waiter.sleeper, CARILLON_ACTION_TIME_OUT);
    REQUIRE(extended != NULL, OSServiceId_WaitEvent, E_OS_CALLEVEL, .first = mask);
    CHECK_PLACE(IN_TASK, OSServiceId_WaitEvent, .first = mask);
    CHECK(carillon_osek_holds_none(), OSServiceId_WaitEvent, E_OS_RESOURCE, .first = mask);
    REQUIRE(ticks <= CARILLON_LONGEST_DURATION, OSServiceId_WaitEvent, E_OS_VALUE, .first = mask);
    uint32_t saved = carillon_osek_lock();
    carillon_osek_serve_cells(waiter.sleeper.task);
    waiter.result = ((extended->set & mask) != 0u) ? E_OK : E_OS_NOFUNC;
    if ((waiter.result != E_OK) && (ticks != 0u)) {
        waiter.semaphore = NULL;
        waiter.result = NOT_YET;
        extended->waited = (mask != 0u) ? mask : CARILLON_OSEK_WAKE; /* of no event it waits for the time alone */
        carillon_time_insert(&waiter.sleeper.timed, ticks);
        carillon_osek_suspend(extended);
        carillon_osek_goes_on();
        saved = carillon_osek_lock();
        if (waiter.result == NOT_YET) {
            waiter.result = E_OK;
            carillon_clock_remove(carillon_time_event(&waiter.sleeper.timed));
        }
    }
    carillon_osek_unlock(saved);
    REQUIRE(waiter.result == E_OK, OSServiceId_WaitEvent, waiter.result, .first = mask);
    return E_OK;
}
#endif

static void event_time_out(struct carillon_waiter *waiter)
{
    const EventMaskType waited = waiter->sleeper.extended->waited;
    if ((waited == 0u) || (waited == CARILLON_OSEK_TURN)) {
        waiter->result = E_OK;
        return;
    }
    waiter->result = E_OS_NOFUNC;
    waiter->sleeper.extended->waited = 0u;
    carillon_time_wake(&waiter->sleeper);
}

void carillon_time_out(struct carillon_waiter *waiter)
{
    if (CARILLON_OSEK_EVENTS && (waiter->semaphore == NULL)) {
        event_time_out(waiter);
        return;
    }
    struct carillon_waiter **link = &waiter->semaphore->first;
    while (*link != waiter) { /* it is there: whoever takes it out takes its event out too */
        link = &(*link)->next;
    }
    *link = waiter->next;
    carillon_time_wake(&waiter->sleeper);
}
#endif

bool carillon_semaphore_give(struct carillon_semaphore *semaphore)
{
    return carillon_semaphore_give_inlined(semaphore, false);
}

StatusType carillon_semaphore_v(struct carillon_semaphore *semaphore)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_SemaphoreV, .reference = semaphore);
    const uint32_t saved = carillon_osek_lock();
    const bool fits = carillon_semaphore_give(semaphore);
    carillon_osek_unlock(saved);
    REQUIRE(fits, OSServiceId_SemaphoreV, E_OS_LIMIT, .reference = semaphore);
    return E_OK;
}

#if CARILLON_OSEK_SLICES
/* As the thread whose slice is over, with whatever it was doing on its stack: behind the others of its level. */
static void give_way(void)
{
    const TaskType task = (TaskType)carillon_osek_running;
    struct carillon_osek_extended *const extended = carillon_osek_tasks[task].extended;
    (void)carillon_osek_lock();
    extended->waited = CARILLON_OSEK_TURN;
    carillon_osek_ready(task);
    carillon_osek_suspend(extended);
    extended->waited = 0u;
}

/* The queue in which threads of the running one's level wait for their turn; NULL if no thread runs, or has no mates.
 */
static struct carillon_osek_ring *queue_of_running(void)
{
    const uint_fast8_t task = carillon_osek_running;
    if ((task == INVALID_TASK) || (carillon_osek_tasks[task].thread == 0u)) {
        return NULL;
    }
    const struct carillon_osek_level *const level = &carillon_osek_levels[carillon_osek_tasks[task].level];
    return (level->capacity != 0u) ? level->state : NULL;
}

/* 1. A thread gives way only where nothing but the thread itself runs: on its own stack, in its level's handler, while
 *    it holds no resource and masks nothing.  What it has preempted may mask lower levels.
 * 2. A slice that ends while the kernel or something higher runs has ended all the same.  With dispatch by hardware the
 *    interrupt that ends a slice is just above the thread's level.  The interrupt controller keeps it until all above
 *    has returned, and until the mask is lowered.  With dispatch by software the level remembers it (`over`), and it is
 *    looked for where something above the thread has returned, and where the thread unlocks.
 * 3. A resource that only threads of one level share masks nothing above the level.  So the level counts those that the
 *    thread holds, and the release of the last one asks again.  Taken is counted before it is taken, and no longer
 *    after it is released.
 * 4. Where an interrupt ends the slice, its handler goes on when the thread does.  So between two turns of a thread
 *    there is nothing of it but its context.
 * 5. Slices end in a beat.  The interrupt of the beat rests where nobody waits for a turn; with dispatch by hardware: for
 *    one that another has.  The first beat that finds it so disables the interrupt.  It is enabled again with the first
 *    thread that waits while another has its turn.  The beat itself goes on, so that a thread's first slice may be shorter
 *    than the others, as ever.
 * 6. A thread whose turn begins finds nothing that was remembered of another's (carillon_osek_run).  Until it has given
 *    way, a thread that is to do so counts as one that holds a resource.  What comes before the thread gives way, and
 *    another slice's end within that, do not make it give way twice. */
#if CARILLON_OSEK_SLICES_REST
static volatile bool rest;

void carillon_slices_wanted(void)
{
    if (rest) {
        rest = false;
        carillon_slices_enable();
    }
}

/* The beat finds that nobody waits; nothing comes that would change it. */
static inline void rests(void)
{
    rest = true;
    carillon_slices_disable();
}
#else
static inline void rests(void)
{
}
#endif

#if CARILLON_OSEK_SOFTWARE
volatile uint8_t carillon_slices_over;

void carillon_slice_over(const void *frame)
{
    (void)frame;
    bool waits = false;
    for (uint_fast8_t number = 1u; number <= CARILLON_OSEK_TASK_LEVELS; number++) {
        const struct carillon_osek_level *const level = &carillon_osek_levels[number];
        if ((level->capacity != 0u) && (level->state->count != 0u)) {
            level->state->over = 1u;
            carillon_slices_over = 1u;
            waits = true;
        }
    }
    if (!waits) {
        rests();
    }
    carillon_port_request(CARILLON_OSEK_DISPATCHER);
}

#if CARILLON_OSEK_SERVERS > 0
void carillon_slice_ends_at(uint8_t number)
{
    carillon_osek_levels[number].state->over = 1u;
    carillon_slices_over = 1u;
    carillon_port_request(CARILLON_OSEK_DISPATCHER);
}
#endif

/* Is it here that the running thread gives way?  What has preempted it has returned, or it unlocks. */
static bool gives_way_here(void)
{
    carillon_slices_over = 0u; /* first: the interrupt that comes now sets it again */
    for (uint_fast8_t number = 1u; number <= CARILLON_OSEK_TASK_LEVELS; number++) {
        const struct carillon_osek_level *const level = &carillon_osek_levels[number];
        if ((level->capacity != 0u) && (level->state->over != 0u)) {
            carillon_slices_over = 1u;
        }
    }
    struct carillon_osek_ring *const queue = queue_of_running();
    if ((queue == NULL) || (queue->over == 0u) || (queue->held != 0u)) {
        return false;
    }
    const struct carillon_osek_task *const fixed = &carillon_osek_tasks[carillon_osek_running];
    if ((fixed->level != carillon_software.level) ||
        !carillon_port_is_on(fixed->stack, fixed->stack_words, &fixed->extended->context)) {
        return false;
    }
    queue->held = 1u;
    return true;
}

void carillon_slice_ends(void)
{
    if (gives_way_here()) {
        carillon_port_run_preempted(give_way, 0u);
    }
}

void carillon_slice_ends_here(void)
{
    if (((carillon_software_mask() & (CARILLON_SOFTWARE_LEVEL(1u) - 1u)) != 0u) || (carillon_port_current() != 0u)) {
        return; /* masked or locked; or in a handler */
    }
    const uint32_t mask = carillon_port_raise(CARILLON_OSEK_TOP); /* no handler makes it give way meanwhile */
    if (gives_way_here()) {
        give_way(); /* where it goes on nothing is masked */
    } else {
        carillon_port_restore(mask);
    }
}

/* The running thread, whose queue this is, has released a resource that masks nothing above its level. */
static inline void holds_one_less(struct carillon_osek_ring *queue)
{
    queue->held--;
    if (queue->over != 0u) {
        carillon_slice_ends_here();
    }
}
#else
/* Does the server of a level rest, so that a thread gives way even if it is alone? */
static inline bool rests_at(uint8_t level)
{
    return (CARILLON_OSEK_SERVERS > 0u) && (carillon_server_rests[level] != 0u);
}

#if CARILLON_OSEK_SERVERS > 0
void carillon_slice_ends_at(uint8_t number)
{
    const struct carillon_store ask = carillon_osek_levels[number].end_slice;
    carillon_port_write(ask.address, ask.value);
}
#endif

#if CARILLON_OSEK_SLICES_REST
void carillon_slices_look(void)
{
    const uint32_t saved = carillon_osek_lock();
    bool waits = false;
    for (uint_fast8_t number = 1u; number <= CARILLON_OSEK_TASK_LEVELS; number++) {
        const struct carillon_osek_level *const level = &carillon_osek_levels[number];
        waits = waits || ((level->capacity != 0u) && (level->state->turn != 0u) && (level->state->count != 0u));
    }
    if (!waits) {
        rests();
    }
    carillon_osek_unlock(saved);
}
#endif

void carillon_slice_over(const void *frame)
{
    struct carillon_osek_ring *const queue = queue_of_running();
    if ((queue == NULL) || ((queue->count == 0u) && !rests_at(carillon_osek_tasks[carillon_osek_running].level))) {
        return;
    }
    const struct carillon_osek_task *const fixed = &carillon_osek_tasks[carillon_osek_running];
    if (((CARILLON_OSEK_TURN_LEVELS > 1) || (CARILLON_OSEK_SERVERS > 0u)) &&
        ((carillon_osek_contexts[carillon_port_current()] & CARILLON_OSEK_LEVEL) != (fixed->level + 1u))) {
        return; /* a lower level has an interrupt of its own */
    }
    if (queue->held != 0u) {
        queue->over = 1u;
    } else if ((carillon_port_level_of(carillon_port_mask()) < fixed->level) &&
               carillon_port_is_in(frame, fixed->source, fixed->stack, fixed->stack_words, &fixed->extended->context)) {
        queue->held = 1u;
        carillon_port_run_preempted(give_way, fixed->source);
    } else {
        /* the kernel is between two jobs */
    }
}

void carillon_slice_over_below(uint8_t number)
{
    const struct carillon_osek_level *const level = &carillon_osek_levels[number];
    if (level->state->count != 0u) {
        carillon_port_write(level->end_slice.address, level->end_slice.value);
    }
}

/* The same as with dispatch by software. */
static inline void holds_one_less(struct carillon_osek_ring *queue)
{
    const uint32_t mask = carillon_port_raise(CARILLON_OSEK_TOP); /* no handler makes it give way meanwhile */
    queue->held--;
    if ((queue->held == 0u) && (queue->over != 0u)) {
        queue->over = 0u;
        const struct carillon_store ask =
            carillon_osek_levels[carillon_osek_tasks[carillon_osek_running].level].end_slice;
        carillon_port_write(ask.address, ask.value);
    }
    carillon_port_restore(mask);
}
#endif

#if CARILLON_OSEK_RESOURCES > 0
/* The queue of the running thread, if a resource masks no more than its level. */
static struct carillon_osek_ring *queue_at(uint8_t ceiling)
{
    struct carillon_osek_ring *const queue = queue_of_running();
    return ((queue != NULL) && (carillon_osek_tasks[carillon_osek_running].level == ceiling)) ? queue : NULL;
}

void carillon_slice_hold(uint8_t ceiling)
{
    struct carillon_osek_ring *const queue = queue_at(ceiling);
    if (queue != NULL) {
        queue->held++;
    }
}

void carillon_slice_let_go(uint8_t ceiling)
{
    struct carillon_osek_ring *const queue = queue_at(ceiling);
    if (queue != NULL) {
        holds_one_less(queue);
    }
}
#endif
#endif

#endif
