/* SPDX-License-Identifier: Apache-2.0
 *
 * Asking for another mode (kernel/osektime/osektime.c): the control cell expires once a round and sets its pending bit,
 * whether its request is enabled or not.
 *
 * A mode is left at a control point that came after it was asked for, and by the first such point, whoever asks again
 * meanwhile.
 *
 * Mutants: 1, an old request is not forgotten; 2, every call forgets it; 3, the forgetting comes after the enabling,
 * and nothing is locked. */
#ifndef MUTANT
#define MUTANT 0
#endif
#define POINTS 3
#define CALLS 2

bool pending, lets, locked; /* lets: the request is enabled */
bool asked;         /* of the kernel */
bool is_wanted;     /* somebody has asked, and it has not been left */
bool point;         /* a control point has passed since */
byte points;

active proctype cell()
{
    byte k;
    for (k : 1 .. POINTS) {
        atomic {
            pending = true;
            points++;
            assert(!(is_wanted && point)); /* the one before has left the mode */
            point = is_wanted
        };
        /* a round lasts longer than a lock and the control handler */
        !locked && !(pending && lets)
    }
}

active proctype control()
{
end:
    do
    :: atomic {
        pending && lets && !locked ->
        pending = false;
        assert(is_wanted && point); /* not in the middle of a round */
        asked = false;
        lets = false; /* the new mode's own lists */
        is_wanted = false;
        point = false
    }
    od
}

active proctype caller()
{
    byte k;
    for (k : 1 .. CALLS) {
#if MUTANT == 3
        lets = true;
#else
        atomic { !(pending && lets) -> locked = true };
#endif
        if
#if MUTANT == 1
        :: true -> asked = true; is_wanted = true
#elif MUTANT == 2
        :: true -> pending = false; asked = true; is_wanted = true
#else
        :: !asked ->
            atomic {
                pending = false;
                is_wanted = true
            };
            asked = true
        :: else
#endif
        fi;
        lets = true;
        locked = false
    }
}

/* In the end, the mode has been left if a point came after the call. */
active proctype judge()
{
    timeout -> assert(!(is_wanted && point))
}
