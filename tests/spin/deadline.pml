/* SPDX-License-Identifier: Apache-2.0
 *
 * Arming a deadline (docs/DESIGN.md, "The race").
 *
 * The deadline's cell expires whenever it likes, some times.  It sets its pending bit, whether its request is enabled or
 * not.  A task runs in some rounds: its handler forgets the old request, enables the request, runs the task, and
 * disables it.  An enabled request is served before the next step of the handler, which is on a lower level.
 *
 * Told of a miss is who missed: an expiry between the forgetting and the disabling, and no other.  And who missed is
 * told by the end.
 *
 * Mutants: 1, nothing is forgotten; 2, it is enabled before it is forgotten; 3, the task counts as ended before it is
 * disabled. */
#ifndef MUTANT
#define MUTANT 0
#endif
#define ROUNDS 3
#define EXPIRIES 3

bool pending, lets; /* of the cell's source; lets: its request is enabled */
bool job;              /* the task counts as running */
bool missed;           /* an expiry has come in this job */
bool told;             /* and its handler has run */

/* A step of the handler of the task: what the deadline's handler, above it, has left to do comes first. */
#define STEP(what) atomic { !(pending && lets) -> what }

active proctype cell()
{
    byte k;
    for (k : 1 .. EXPIRIES) {
        atomic {
            pending = true;
            missed = missed || job
        }
    }
}

active proctype miss()
{
end:
    do
    :: atomic {
        pending && lets ->
        pending = false;
        assert(missed); /* no false alarm */
        told = true
    }
    od
}

active proctype task()
{
    byte k;
    for (k : 1 .. ROUNDS) {
#if MUTANT == 1
        STEP(job = true);
        STEP(lets = true);
#elif MUTANT == 2
        STEP(lets = true);
        STEP(pending = false; job = true);
#else
        STEP(pending = false; job = true);
        STEP(lets = true);
#endif
        STEP(skip); /* the task runs */
#if MUTANT == 3
        STEP(job = false);
        STEP(lets = false);
#else
        STEP(lets = false; job = false); /* a barrier: it takes effect at once */
#endif
        STEP(assert(missed == told)); /* who missed is told */
        STEP(missed = false; told = false)
    }
}
