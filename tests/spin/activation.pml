/* SPDX-License-Identifier: Apache-2.0
 *
 * A task that runs below its handler's level (kernel/osektime/table.c): one activation runs, and one waits.
 *
 * The handler may be entered again while the task itself runs, and only then: before and after, its own level keeps the
 * source's pending bit.  Each expiry is followed by a begin of the task, or is absorbed by one that waits and is.
 *
 * Mutants: 1, the level is low until the task counts as ended; 2, an activation of a task that runs is not noted; 3, it
 * is noted as the first is. */
#ifndef MUTANT
#define MUTANT 0
#endif
#define EXPIRIES 4

mtype = { ENDED, RUNS, RUNS_AND_WAITS };
mtype state = ENDED;
bool pending;
bool lowered;      /* a handler may come between */
bool in_handler;   /* the outer one */
bool owed;         /* an expiry that no begin of the task has followed */
byte running;      /* jobs at one time */

inline begins()
{
    running++;
    assert(running == 1);
    owed = false
}

active proctype cell()
{
    byte k;
    for (k : 1 .. EXPIRIES) {
        atomic {
            pending = true;
            owed = true
        }
    }
}

/* The outer handler, which runs the task. */
active proctype handler()
{
end:
    do
    :: atomic {
        pending && !in_handler ->
        pending = false;
        in_handler = true;
        assert(state == ENDED)
    };
    again:
        atomic {
            state = RUNS;
            begins();
            lowered = true
        };
        skip; /* the task's own work: an inner handler may come */
        atomic {
            running--;
#if MUTANT != 1
            lowered = false
#endif
        };
        if
        :: state == RUNS_AND_WAITS -> goto again
        :: else
        fi;
        state = ENDED;
        atomic {
            lowered = false;
            in_handler = false
        }
    od
}

/* A handler that comes while the task runs: it notes the activation, and returns. */
active proctype inner()
{
end:
    do
    :: atomic {
        pending && in_handler && lowered ->
        pending = false;
        if
#if MUTANT == 2
        :: true -> skip
#elif MUTANT == 3
        :: state == RUNS -> state = RUNS
        :: else
#else
        :: state == RUNS -> state = RUNS_AND_WAITS
        :: else
#endif
        fi
    }
    od
}

/* When nothing is left to do, nothing is owed. */
active proctype judge()
{
    timeout -> assert(!owed && (state == ENDED) && !pending)
}
