/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands beneath the servers in their proofs: a clock that stands while a step is taken, whose queue has nothing but
 * the events of two servers, and the levels of their threads. */
#ifndef CARILLON_TIME_SERVICES_H
#define CARILLON_TIME_SERVICES_H

#include "proof.h"

#define CARILLON_OSEK_TIME 1
#define CARILLON_OSEK_SERVERS 2
#define CARILLON_OSEK_TASK_LEVELS 3
#define CARILLON_SERVERS_CONSTANT 1
#if CARILLON_TIME_BITS == 8
typedef uint8_t carillon_time;
#else
typedef uint16_t carillon_time;
#endif
#define HALF ((1u << (CARILLON_TIME_BITS - 1u)) - 1u) /* of the range of times */
typedef uint32_t carillon_duration;
typedef uint8_t carillon_server;
typedef uint8_t StatusType;
#define E_OK 0u

/* An event of the clock, and how far it is from now. */
struct carillon_event {
    bool queued;
    carillon_time left;
};
struct carillon_timed {
    struct carillon_event event;
    uint8_t kind;
    uint8_t task;
};
enum { CARILLON_ACTION_END_BUDGET, CARILLON_ACTION_FILL_BUDGET };
struct carillon_queue {
    struct carillon_event *first; /* which is due */
};
static struct carillon_queue carillon_clock_queue;
static carillon_time now;

static inline carillon_time carillon_time_now(void)
{
    return now;
}
static inline struct carillon_event *carillon_time_event(struct carillon_timed *timed)
{
    return &timed->event;
}
static inline void carillon_time_insert_near(struct carillon_timed *timed, carillon_time ticks)
{
    assert(!timed->event.queued);
    timed->event.queued = true;
    timed->event.left = ticks;
}
static inline void carillon_clock_remove(struct carillon_event *event)
{
    assert(event->queued);
    event->queued = false;
}
static inline carillon_time carillon_clock_left(const struct carillon_event *event)
{
    assert(event->queued);
    return event->left;
}
static inline void carillon_queue_pop(struct carillon_queue *queue)
{
    assert(queue->first->queued && (queue->first->left == 0u));
    queue->first->queued = false;
}
static inline void carillon_queue_repeat(struct carillon_queue *queue, carillon_time ticks)
{
    assert(queue->first->queued && (queue->first->left == 0u));
    queue->first->left = ticks;
}

struct carillon_server {
    uint32_t budget;
    uint32_t period;
    uint8_t level;
    uint8_t constant;
};
static struct carillon_server carillon_servers[CARILLON_OSEK_SERVERS];
static const uint8_t carillon_server_of[CARILLON_OSEK_TASK_LEVELS + 1u] = {0u, 0u, 1u, 2u};

/* Of a level: how many threads are ready; which of them gives way; and whether it has been asked for. */
struct level_state {
    uint16_t count;
};
struct carillon_osek_level {
    struct level_state *state;
    uint32_t request;
};
static struct level_state level_states[CARILLON_OSEK_TASK_LEVELS + 1u];
static const struct carillon_osek_level carillon_osek_levels[CARILLON_OSEK_TASK_LEVELS + 1u] = {
    {&level_states[0], 0u}, {&level_states[1], 0u}, {&level_states[2], 0u}, {&level_states[3], 0u}};
static bool gives_way[CARILLON_OSEK_TASK_LEVELS + 1u];
static bool is_asked[CARILLON_OSEK_TASK_LEVELS + 1u];

static inline void carillon_slice_ends_at(uint8_t level)
{
    gives_way[level] = true;
}
static inline void carillon_osek_request(uint32_t request, uint8_t level)
{
    (void)request;
    is_asked[level] = true;
}
static inline uint32_t carillon_osek_lock(void)
{
    return 0u;
}
static inline void carillon_osek_unlock(uint32_t saved)
{
    (void)saved;
}

#define CHECK_PLACE(...)
#define CHECK(...)
#define CHECK_POINTER(...)
#endif
