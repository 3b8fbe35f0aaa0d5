/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the global time while the sync point moves it (kernel/osektime/sync.c, ttGetGlobalTime).
 *
 * The sync cell's counter counts down and begins anew at LENGTH; its request waits until the handler comes, above the
 * reader.  The time is what it will be when the cell expires next, less what the counter reads, and a round more while
 * the request waits.  What is told is a time between the begin of the call and its end.
 *
 * Mutants: 1, it is not looked whether a sync point was served meanwhile; 2, nor whether the cell expired between the
 * looks at its request; 3, nor at its request at all. */
#ifndef MUTANT
#define MUTANT 0
#endif
#define LENGTH 3
#define TICKS 8
#define BY 1 /* what a sync point adds to the round */

byte left = LENGTH;
byte now;           /* the true global time */
byte due = LENGTH;  /* of the kernel: what it is at the next expiry */
bool pending;
byte served;

active proctype counter()
{
    do
    :: atomic {
        /* a handler that is in time: the request is served within the round */
        now < TICKS && !(pending && left == 1) ->
        now++;
        left--;
        if
        :: left == 0 -> left = LENGTH; pending = true
        :: else
        fi
    }
    :: now == TICKS -> break
    od
}

/* The handler, as a whole: it is above the reader, and locks out nothing but itself. */
active proctype handler()
{
end:
    do
    :: atomic {
        pending ->
        pending = false;
        due = due + LENGTH;
        if
        :: left == LENGTH -> left = left + BY; due = due + BY /* in time */
        :: else
        fi;
        served++
    }
    od
}

active proctype reader()
{
    byte begin, before, found, due_then, told;
    bool first, second;
    begin = now;
again:
    before = served;
looked:
    first = pending;
    found = left;
    second = pending;
    due_then = due;
    if
#if MUTANT != 2 && MUTANT != 3
    :: first != second -> goto looked
#endif
    :: else
    fi;
    told = due_then - found;
#if MUTANT != 3
    if
    :: second -> told = told + LENGTH
    :: else
    fi;
#endif
    if
#if MUTANT != 1
    :: before != served -> goto again
#endif
    :: else
    fi;
    assert((told >= begin) && (told <= now))
}
