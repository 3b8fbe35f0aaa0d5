/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads of programs for other kernels, of which a test says when they run: each runs on a stack of its own until its
 * call returns, or waits.  Beside them, a test calls as an interrupt. */
#ifndef CARILLON_TESTS_RTOS_THREADS_H
#define CARILLON_TESTS_RTOS_THREADS_H

#include "services/services.h"

#include "kernel/jobs/task.h"
#include "kernel/rtos/wait.h"

enum { CLOCK_SOURCE = NO_SOURCE, THREADS = 3, NORMAL = 24, HIGH = 32 };
#define FOREVER CARILLON_RTOS_FOREVER
#define TOO_LONG (CARILLON_LONGEST_DURATION + 1u)

/* Forget everything: three threads of the schedule have begun, and an interrupt calls.  At the end of a test, nothing is
 * left in the heap, and nothing is masked or has been unmasked twice. */
int threads_reset(void **state);
int threads_clean(void **state);
/* Before StartOS, main calls. */
void threads_before_start(void);
/* An interrupt calls, which has preempted a thread; INVALID_TASK: none. */
void threads_interrupt(TaskType task);

#define REFUSED(status, code) assert_int_equal((int)(status), (int)(code))
#define HANDLE(task) (&carillon_rtos_threads[task])

enum ended { DONE, WAITS, ENDED };
/* A thread carries something out.  Then an interrupt calls. */
enum ended threads_call(TaskType task, void (*what)(void));
/* One that waits is ready, and goes on. */
enum ended threads_go_on(TaskType task);
bool threads_is_woken(TaskType task);
/* A thread that has been activated begins. */
enum ended threads_begin(TaskType task);
/* One that has been called ends. */
void threads_end(TaskType task);
/* The clock moves, in its interrupt. */
void threads_pass(uint32_t ticks);

/* What stands for the end of the system, or its start: where `threads_ends` has been set, it goes on there. */
extern jmp_buf threads_ends;
extern uint32_t threads_suspended;           /* how often interrupts have been suspended and not resumed */
extern uint32_t threads_used;                /* of each stack */
extern void (*threads_before_leaving)(void); /* what happens once when a thread is about to leave; NULL: nothing */

/* The model of a line: those of a higher level first, and of one level in the order in which they came. */
struct line {
    TaskType who[THREADS];
    uint32_t count;
};
void line_add(struct line *line, TaskType task);
void line_remove(struct line *line, TaskType task);

/* A number below a bound, of a row that a seed gives. */
void draw_from(uint32_t seed);
uint32_t draw(uint32_t below);

#endif
