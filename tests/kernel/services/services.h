/* SPDX-License-Identifier: Apache-2.0
 *
 * What the time services call of the rest of the kernel, with nothing behind it: a test says from where it calls, and
 * reads what has failed, who has waited, and whose level has been requested.  What kernel/jobs/task.c has is weak here: a
 * test may link that. */
#ifndef CARILLON_TESTS_SERVICES_H
#define CARILLON_TESTS_SERVICES_H

#include "levels/port.h"

#include "kernel/time/wait_steps.h"

/* The tasks: one that is basic; two threads of one level, whose turns are in a ring; one that is extended and alone,
 * and may be a thread.  The first may be extended, too.  And each level may have a ring. */
#ifndef BASIC_IS_EXTENDED
#define BASIC_IS_EXTENDED 0
#endif
#ifndef ALONE_IS_THREAD
#define ALONE_IS_THREAD 0u
#endif
#ifndef EVERY_LEVEL_TAKES_TURNS
#define EVERY_LEVEL_TAKES_TURNS 0
#endif
enum { BASIC, FIRST, SECOND, ALONE, TASKS };
enum { BASIC_LEVEL = 1, THREADS_LEVEL = 2, ALONE_LEVEL = 3, RING = 3 };
/* The sources of the levels, of an ISR of either category, and of nobody. */
enum {
    BASIC_SOURCE = 16,
    THREADS_SOURCE,
    ALONE_SOURCE,
    ISR1_SOURCE,
    ISR2_SOURCE,
    SLICE_SOURCE,
    NO_SOURCE,
    OTHER_SLICE_SOURCE
};

struct services {
    /* From where the test calls. */
    uint8_t place;
    bool disables, holds;
    /* What a task that waits is woken by. */
    void (*meanwhile)(void);
    /* What has been seen: how often a task has waited, what has failed last, and how often something has. */
    uint32_t waits, failures;
    struct carillon_osek_failure failure;
    TaskType activated;
    StatusType shut_down;
    uint32_t rested, wanted;
    /* How often the cells of the level have been served that is alone. */
    uint32_t cells;
};
extern struct services services;
extern struct carillon_osek_extended services_extended[TASKS];
extern struct carillon_osek_ring services_ring;
extern struct carillon_osek_ring services_other_ring; /* of the task that is alone, where its level has a server */
extern uint8_t services_ring_tasks[RING];
#if EVERY_LEVEL_TAKES_TURNS
extern struct carillon_osek_ring services_basic_ring;
#endif

/* Forget everything: a task's code calls. */
int services_reset(void **state);
/* A task runs, and its code calls. */
void services_run(TaskType task);
/* Nothing is locked, and nothing has been unlocked that was not locked. */
void assert_unlocked(void);
/* A call has failed with this status, and has told the error hook so; nothing else has. */
void assert_failed(StatusType status, StatusType expected, OSServiceIdType service);
/* A call has not. */
void assert_succeeded(StatusType status);
/* A service fails in hooks, in ISRs of category 1 and with interrupts disabled; from an allowed place it does not. */
void check_places(StatusType (*service)(void), OSServiceIdType id, uint8_t allowed);
/* The same of one that waits: of the running task alone, which holds nothing, and is no basic task. */
void check_waits(StatusType (*service)(void), OSServiceIdType id);
/* The same of one that waits for a time; and of one whose time is 0, which may be called in ISRs and by basic tasks. */
void check_waits_within(StatusType (*service)(void), OSServiceIdType id);
void check_waits_not(StatusType (*service)(void), OSServiceIdType id);
/* The level's handler has been requested, or not; which is forgotten then. */
bool services_was_requested(uint16_t source);

/* The clock moves by so many of its ticks, one by one; its handler runs where it is due. */
void services_pass(uint32_t ticks);
/* The task that runs waits: the clock moves until it goes on. */
void services_sleep(void);
/* The ticks that have passed. */
extern uint32_t services_now;

#endif
