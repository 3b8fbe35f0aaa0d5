/* SPDX-License-Identifier: Apache-2.0
 *
 * An upload beside the machine that runs (kernel/microcode/loader.c): two slots, of which one may run.
 *
 * Bytes are never put where the program lies that runs, or that was accepted and will run.  Every program that was
 * accepted begins, and is whole then.
 *
 * Mutants: 1, an upload begins while an accepted program waits; 2, the slot is always the first; 3, bytes are taken
 * when no upload is open. */
#ifndef MUTANT
#define MUTANT 0
#endif
#define UPLOADS 3
#define NONE 2

byte running = NONE;  /* the slot of the program that runs; NONE: the image's own */
byte handed = NONE;   /* of the last one that was accepted */
bool waits;           /* it has not begun */
byte slot;
bool open;
bool whole[2];        /* a slot has a whole program */
byte accepted, begun;

inline put()
{
    assert(slot != running);
    assert(!(waits && (slot == handed)));
    whole[slot] = false
}

active proctype machine()
{
end:
    do
    :: atomic {
        waits ->
        assert(whole[handed]);
        running = handed;
        waits = false;
        begun++
    }
    od
}

active proctype loader()
{
    byte k;
    for (k : 1 .. UPLOADS) {
        /* begin */
        if
#if MUTANT != 1
        :: waits -> skip /* it is busy */
#endif
        :: atomic {
#if MUTANT != 1
            !waits ->
#else
            true ->
#endif
#if MUTANT == 2
            slot = 0;
#else
            slot = ((running == 0) -> 1 : 0);
#endif
            open = true
        }
        fi;
        /* data, of which some may come twice, or when nothing is open */
        if
#if MUTANT == 3
        :: true -> put(); put()
#else
        :: open -> put(); put()
        :: !open -> skip
#endif
        fi;
        /* end: it is judged, and accepted or not */
        if
        :: open ->
            open = false;
            if
            :: true -> skip /* refused */
            :: true ->
                whole[slot] = true;
                atomic {
                    handed = slot;
                    waits = true;
                    accepted++
                }
            fi
        :: !open -> skip
        fi
    }
}

active proctype judge()
{
    timeout -> assert((accepted == begun) && !waits)
}
