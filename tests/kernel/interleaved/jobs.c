/* SPDX-License-Identifier: Apache-2.0
 *
 * Budgets of jobs with anything in between: time passes, what counts asks, and handlers preempt one another before and
 * after each access to a device, and between any two units of a job's work.
 *
 * The oracle knows how long each job has worked, and how much time has passed in the first and last instructions of
 * handlers meanwhile, which may count for a job that they preempt.  A job that is ended has used up its budget, and a
 * job that is not has not. */
#include "jobs.h"

#include "kernel/core/kernel.h"

enum { DEEPEST = 4 };

/* A job, as the oracle sees it. */
struct job {
    uint32_t function;
    uint32_t worked;   /* units of its own work */
    uint32_t handlers; /* units that have passed in instructions of handlers since it began */
    uint32_t allowed;  /* units beyond its budget that it may work */
    bool told;
    jmp_buf end;
    struct job *outer;
};

static uint32_t seed, depth, steps, blamed;
static uint32_t seldom; /* a handler preempts a job after about so many units: also when a long budget ends */
static uint32_t sources[DEEPEST + 1]; /* of the handlers that run, the innermost last; 0: runs lowered */
static struct job *innermost;
bool striking, locked;
static bool asked, in_job, works, leaving, diverted;
static bool busy[FUNCTIONS];

uint32_t draw(uint32_t below)
{
    seed = (seed * 1664525u) + 1013904223u;
    return (uint32_t)(((uint64_t)seed * below) >> 32);
}

void carillon_budget_overrun(uint16_t task)
{
    blamed = 1u + task;
}

uint32_t carillon_port_current(void)
{
    return sources[depth];
}

uint32_t carillon_port_preempted(const void *frame)
{
    (void)frame;
    return sources[depth];
}

void carillon_port_divert(const void *frame, carillon_vector function)
{
    (void)frame;
    assert_ptr_equal(function, carillon_port_unwind);
    diverted = true;
}

void carillon_port_unwind(void)
{
    longjmp(innermost->end, 1);
}

/* The cell's handler is above all others: nothing comes in between. */
static void strike(void)
{
    if (!in_job && (watched() != 0u)) {
        innermost->allowed += until_the_next_look(leaving);
    }
    striking = true;
    strikes();
    striking = false;
    asked = false;
    if (diverted) {
        diverted = false;
        assert_non_null(innermost);
        assert_true(in_job); /* and nobody else */
        assert_int_equal(blamed, 1u + innermost->function);
        innermost->told = true;
        works = false;
        carillon_port_unwind();
    }
}

/* A unit of time passes. */
static void pass(void)
{
    asked = count() || asked;
    if (!in_job || !works) {
        for (struct job *job = innermost; job != NULL; job = job->outer) {
            job->handlers++;
        }
    }
    if (asked && (locked || (draw(3u) == 0u))) { /* the request is on its way, as on silicon */
        for (struct job *job = innermost; job != NULL; job = job->outer) {
            job->allowed++;
        }
    } else if (asked) {
        strike();
    } else {
        /* nothing has happened */
    }
}

static void handler(void);

void anything(void)
{
    if (striking) {
        return;
    }
    for (uint32_t n = draw(3u); n > 0u; n--) {
        pass();
    }
    if (!locked && (depth < DEEPEST) && (steps > 0u) && (draw(6u) == 0u)) {
        handler();
    }
}

static uint32_t wanted[DEEPEST + 1];

/* What the generated code has between its frame and the task's end. */
static void within(void)
{
    const uint32_t own = sources[depth];
    sources[depth] = (draw(4u) == 0u) ? 0u : own; /* it may run lowered */
    in_job = true;
    begins(innermost->function);
    for (uint32_t n = wanted[depth]; n > 0u; n--) {
        innermost->worked++;
        works = true;
        pass();
        works = false;
        if ((steps > 0u) && (depth < DEEPEST) && (draw(seldom) == 0u)) {
            handler();
        }
    }
    ends(innermost->function);
}

void carillon_port_call(carillon_vector function)
{
    if (setjmp(innermost->end) == 0) {
        function();
    }
    in_job = false;
}

static void run(uint32_t function)
{
    struct job job = {.function = function, .outer = innermost, .allowed = begun};
    const uint32_t own = depth;
    innermost = &job;
    busy[function] = true;
    wanted[depth] = 1u + draw(2u * budgets[function]);
    carillon_port_call(within);
    depth = own;
    sources[depth] = own;
    innermost = job.outer;
    busy[function] = false;
    const uint32_t budget = budgets[function];
    if (job.told) {
        assert_true(job.worked + job.handlers >= budget);
    } else {
        assert_int_equal(job.worked, wanted[depth]);
        assert_true(job.worked <= budget + job.allowed);
    }
}

/* A handler of a round, with or without a task that has a budget, or with several, as a table's is. */
static void handler(void)
{
    const bool before = in_job;
    in_job = false;
    if (before) {
        innermost->allowed += 2u; /* a late job that goes on is asked for a unit later */
    }
    for (struct job *job = innermost; job != NULL; job = job->outer) {
        job->allowed += begun;
    }
    const bool left = leaving;
    leaving = false;
    steps--;
    depth++;
    sources[depth] = depth;
    anything();
    const uint64_t kept = stops();
    for (uint32_t n = draw(3u); n > 0u; n--) {
        const uint32_t function = draw(FUNCTIONS);
        if ((draw(4u) == 0u) || (busy[function] && !may_run(function))) {
            anything();
        } else {
            run(function);
        }
    }
    leaving = true;
    goes_on(kept);
    anything();
    depth--;
    leaving = left;
    in_job = before;
}

void jobs_are_ended_when_they_have_used_up_their_budgets_and_no_others(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 200000u; number++) {
        seed = number * 2654435761u;
        reset();
        steps = 1u + draw(12u);
        seldom = (draw(8u) == 0u) ? 1000u : 20u;
        depth = 0u;
        innermost = NULL;
        asked = false;
        in_job = false;
        handler();
        assert_int_equal(watched(), 0u);
        assert_int_equal(depth, 0u);
    }
}
