/* SPDX-License-Identifier: Apache-2.0
 *
 * What cmsis_os2.h and FreeRTOS.h stand on: threads, semaphores, mutexes, queues, flags, timers and pools that a
 * program makes as it runs.  Applications include those headers.
 *
 * Threads are those of the schedule with `new = true`, whose priority and stack are fixed.  Mutexes are those that such
 * threads name in the schedule.  All other objects lie where the program says, or in the heap that [time] asks for.
 *
 * What returns an int returns one of the codes below, which are those of CMSIS-RTOS2.  Ticks are those of the clock. */
#ifndef CARILLON_RTOS_H
#define CARILLON_RTOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "carillon/time.h"

#if CARILLON_RTOS_HEAP == 0
#error "the schedule has no memory for objects that a program makes: write heap = BYTES in [time]"
#endif
#if !(CARILLON_TIME_DELAYS && CARILLON_TIME_TIMEOUTS && CARILLON_TIME_FUNCTIONS && CARILLON_TIME_JOINS)
#error \
    "CMSIS-RTOS2 and FreeRTOS need delays, time-outs, functions and joins: name them in uses of [time], or leave it out"
#endif
#if !CARILLON_TIME_NOW || (CARILLON_TIME_BITS < 32)
#error "CMSIS-RTOS2 and FreeRTOS need a time of 32 bits: leave now and bits out of [time]"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CARILLON_RTOS_OK 0
#define CARILLON_RTOS_ERROR (-1)
#define CARILLON_RTOS_TIMEOUT (-2)
#define CARILLON_RTOS_RESOURCE (-3)
#define CARILLON_RTOS_PARAMETER (-4)
#define CARILLON_RTOS_MEMORY (-5)
#define CARILLON_RTOS_IN_ISR (-6)

#define CARILLON_RTOS_FOREVER UINT32_C(0xFFFFFFFF)

/* What every object begins with.  `kind` is 0 once it has been deleted. */
struct carillon_rtos_object {
    const char *name;
    uint8_t kind;
    uint8_t in_heap;
};
#define CARILLON_RTOS_SEMAPHORE 1u
#define CARILLON_RTOS_MUTEX 2u
#define CARILLON_RTOS_QUEUE 3u
#define CARILLON_RTOS_FLAGS 4u
#define CARILLON_RTOS_TIMER 5u
#define CARILLON_RTOS_POOL 6u

/* Where an object is to lie: `memory` of `bytes` bytes, or the heap if it is NULL.  So with the memory of what it
 * stores. */
struct carillon_rtos_place {
    const char *name;
    void *memory;
    uint32_t bytes;
    void *store;
    uint32_t store_bytes;
};

/* The kernel.  Locked, no other thread runs; interrupts do. */
#define CARILLON_RTOS_INACTIVE 0u
#define CARILLON_RTOS_READY 1u
#define CARILLON_RTOS_RUNNING 2u
extern uint8_t carillon_rtos_state;
bool carillon_rtos_in_isr(void);
bool carillon_rtos_is_locked(void);
int carillon_rtos_lock(bool lock); /* 1 if it was locked before, else 0; or an error */
int carillon_rtos_nest(bool lock); /* one lock more, or less; the last one undoes it */
int carillon_rtos_delay(uint32_t ticks);
int carillon_rtos_delay_until(uint32_t time);
void *carillon_rtos_allocate(uint32_t bytes); /* NULL: there is no room */
void carillon_rtos_free(void *memory);
uint32_t carillon_rtos_free_bytes(void);

/* Flags for which threads wait. */
struct carillon_rtos_flags {
    struct carillon_rtos_object object;
    struct carillon_semaphore line;
    uint32_t value;
};
#define CARILLON_RTOS_ALL 1u      /* wait for all of them */
#define CARILLON_RTOS_KEEP 2u     /* do not clear them */
#define CARILLON_RTOS_TOGETHER 4u /* clear them when all threads that go on have seen them */
struct carillon_rtos_flags *carillon_rtos_flags_new(const struct carillon_rtos_place *place);
uint32_t carillon_rtos_flags_set(struct carillon_rtos_flags *flags, uint32_t set);
uint32_t carillon_rtos_flags_clear(struct carillon_rtos_flags *flags, uint32_t clear); /* what they were */
/* Set flags and wait for some, in one step.  `found`: the flags as they were when the wait ended. */
int carillon_rtos_flags_wait(struct carillon_rtos_flags *flags, uint32_t set, uint32_t wanted, uint8_t options,
                             uint32_t ticks, uint32_t *found);

/* A thread's notification: what becomes of its value. */
#define CARILLON_RTOS_NOTIFY 0u
#define CARILLON_RTOS_SET_BITS 1u
#define CARILLON_RTOS_INCREMENT 2u
#define CARILLON_RTOS_OVERWRITE 3u
#define CARILLON_RTOS_UNLESS_NOTIFIED 4u

/* A thread: every task of the schedule has one. */
struct carillon_rtos_thread {
    const char *name;
    void (*function)(void *);
    void *argument;
    struct carillon_rtos_flags flags;    /* thread flags, or the value of notifications */
    struct carillon_rtos_flags notified; /* 1: a notification has come that nobody has looked at */
    void *waiter;                        /* internal: what it waits as; NULL: it does not wait */
    uint8_t joinable;                    /* 2: somebody joins it */
    uint8_t waits_to_begin;              /* for StartOS */
    uint8_t begun;
    uint8_t yields;
    uint8_t ends; /* where it goes on, or begins */
    uint8_t over; /* its function has ended */
};
extern struct carillon_rtos_thread carillon_rtos_threads[CARILLON_OSEK_TASKS];
extern const uint16_t carillon_rtos_priorities[CARILLON_OSEK_TASKS];

struct carillon_rtos_thread *
carillon_rtos_thread_self(void); /* the one that an interrupt has preempted, too; or NULL */
bool carillon_rtos_thread_is(const struct carillon_rtos_thread *thread);
static inline TaskType carillon_rtos_task_of(const struct carillon_rtos_thread *thread)
{
    return (TaskType)(thread - carillon_rtos_threads);
}
TaskStateType carillon_rtos_thread_state(const struct carillon_rtos_thread *thread);
uint32_t carillon_rtos_thread_stack(const struct carillon_rtos_thread *thread);
uint32_t carillon_rtos_thread_stack_left(const struct carillon_rtos_thread *thread);
#if CARILLON_NEW_THREADS > 0
struct carillon_rtos_thread *carillon_rtos_thread_new(void (*function)(void *), void *argument, const char *name,
                                                      uint32_t priority, uint32_t stack, bool joinable);
#else
struct carillon_rtos_thread *carillon_rtos_thread_new(void (*function)(void *), void *argument, const char *name,
                                                      uint32_t priority, uint32_t stack, bool joinable)
    __attribute__((error("write new = true in the [thread.NAME] that it is to take")));
#endif
void carillon_rtos_thread_exit(void) __attribute__((noreturn));
int carillon_rtos_thread_join(struct carillon_rtos_thread *thread);
int carillon_rtos_thread_detach(struct carillon_rtos_thread *thread);
int carillon_rtos_thread_suspend(struct carillon_rtos_thread *thread);
bool carillon_rtos_thread_suspended(const struct carillon_rtos_thread *thread); /* by itself, until it is resumed */
int carillon_rtos_thread_resume(struct carillon_rtos_thread *thread, bool whatever); /* it waits for */
int carillon_rtos_thread_terminate(struct carillon_rtos_thread *thread);
int carillon_rtos_thread_yield(void);

int carillon_rtos_notify(struct carillon_rtos_thread *thread, uint32_t value, uint8_t action, uint32_t *before);
uint32_t carillon_rtos_notify_take(bool clears, uint32_t ticks);
int carillon_rtos_notify_wait(uint32_t clear_before, uint32_t clear_after, uint32_t *value, uint32_t ticks);

struct carillon_rtos_semaphore {
    struct carillon_rtos_object object;
    struct carillon_semaphore semaphore;
};
struct carillon_rtos_semaphore *carillon_rtos_semaphore_new(uint32_t most, uint32_t initial,
                                                            const struct carillon_rtos_place *place);
int carillon_rtos_semaphore_take(struct carillon_rtos_semaphore *semaphore, uint32_t ticks);
int carillon_rtos_semaphore_give(struct carillon_rtos_semaphore *semaphore);

/* A mutex has a mutex of the schedule while it exists. */
struct carillon_rtos_mutex {
    struct carillon_rtos_object object;
    uint8_t mutex;
    uint8_t recursive;
    uint16_t depth;
};
#if CARILLON_OSEK_MUTEXES > 0
struct carillon_rtos_mutex *carillon_rtos_mutex_new(bool recursive, const struct carillon_rtos_place *place);
#else
struct carillon_rtos_mutex *carillon_rtos_mutex_new(bool recursive, const struct carillon_rtos_place *place)
    __attribute__((error("write the mutexes of the schedule in each [thread.NAME] with new = true")));
#endif
extern const uint8_t carillon_rtos_mutexes[]; /* 1: a thread with `new = true` names it */
int carillon_rtos_mutex_take(struct carillon_rtos_mutex *mutex, uint32_t ticks);
int carillon_rtos_mutex_give(struct carillon_rtos_mutex *mutex);
struct carillon_rtos_thread *carillon_rtos_mutex_owner(const struct carillon_rtos_mutex *mutex);
int carillon_rtos_mutex_delete(struct carillon_rtos_mutex *mutex); /* one that nobody has */

/* A queue of messages of one size.  Where it has room for their priorities, a message stands before those of a lower
 * one. */
struct carillon_rtos_queue {
    struct carillon_rtos_object object;
    struct carillon_semaphore sent;
    struct carillon_semaphore room;
    uint8_t *places;
    uint8_t *priorities;
    uint16_t size;
    uint16_t most;
    uint16_t count;
    uint16_t first;
    uint8_t store_in_heap;
};
#define CARILLON_RTOS_FRONT 256u /* a priority above all others: before all that have been sent */
struct carillon_rtos_queue *carillon_rtos_queue_new(uint32_t most, uint32_t size, bool prioritised,
                                                    const struct carillon_rtos_place *place);
int carillon_rtos_queue_put(struct carillon_rtos_queue *queue, const void *message, uint16_t priority, uint32_t ticks);
int carillon_rtos_queue_overwrite(struct carillon_rtos_queue *queue, const void *message);
int carillon_rtos_queue_get(struct carillon_rtos_queue *queue, void *message, uint8_t *priority, bool keep,
                            uint32_t ticks);
int carillon_rtos_queue_reset(struct carillon_rtos_queue *queue);

/* A timer: its function runs in the clock's interrupt. */
struct carillon_rtos_timer {
    struct carillon_rtos_object object;
    struct carillon_alarm alarm;
    void (*function)(void *);
    void *argument;
    void *id;
    struct carillon_rtos_timer *next; /* of those that begin with StartOS */
    uint32_t ticks;
    uint8_t periodic;
};
struct carillon_rtos_timer *carillon_rtos_timer_new(void (*function)(void *), void *argument, bool periodic,
                                                    const struct carillon_rtos_place *place);
int carillon_rtos_timer_start(struct carillon_rtos_timer *timer, uint32_t ticks);
int carillon_rtos_timer_stop(struct carillon_rtos_timer *timer);
bool carillon_rtos_timer_runs(const struct carillon_rtos_timer *timer);

/* A pool of blocks of one size. */
struct carillon_rtos_pool {
    struct carillon_rtos_object object;
    struct carillon_semaphore room;
    uint8_t *blocks;
    void *free;
    uint32_t size;
    uint16_t most;
    uint16_t taken;
    uint8_t store_in_heap;
};
#define CARILLON_RTOS_BLOCK(size) ((((size) + sizeof(void *)) - 1u) / sizeof(void *) * sizeof(void *))
struct carillon_rtos_pool *carillon_rtos_pool_new(uint32_t most, uint32_t size,
                                                  const struct carillon_rtos_place *place);
void *carillon_rtos_pool_take(struct carillon_rtos_pool *pool, uint32_t ticks);
int carillon_rtos_pool_give(struct carillon_rtos_pool *pool, void *block);

/* Delete any object but a thread or a mutex.  Those that wait for it go on, with CARILLON_RTOS_RESOURCE. */
int carillon_rtos_delete(void *object, uint8_t kind);

/* Is it an object of a kind, which has not been deleted? */
static inline bool carillon_rtos_is(const void *object, uint8_t kind)
{
    return (object != NULL) && (((const struct carillon_rtos_object *)object)->kind == kind);
}

#ifdef __cplusplus
}
#endif

#endif
