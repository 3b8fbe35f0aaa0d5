/* SPDX-License-Identifier: Apache-2.0
 *
 * Time frames (AUTOSAR OS, 7.7.2.2): how soon after an arrival the next may come.  An arrival is an activation of a
 * task, a release of one that waits for events, or a run of an ISR of category 2.
 *
 * A cell that is never set anew counts down CARILLON_FRAME_TURN units again and again, and its handler counts the
 * turns. Both together are a time that never begins anew, so that an arrival after hours is not taken for an early one.
 *
 * 1. The handler of the cell is masked by the kernel's lock, under which the time is read.  So while it is read, a turn
 *    that is over has been counted, or its request waits.
 * 2. The counter is read, then the request is looked at.  If none waits, the reading is of the turn that was counted
 *    last.  If one waits, the counter is read again, and that reading is of the turn after it.
 * 3. Some cells read 0 at the end of a turn, and some the whole turn.  At the end of a turn that has been counted both
 *    are the same instant.  So a 0 that is read with a request waiting is the beginning of the next turn.
 * 4. Only the request of one turn can wait.  So nothing may lock the handler out for a whole turn. */
#ifndef CARILLON_FRAME_H
#define CARILLON_FRAME_H

#include <stdint.h>

#include "kernel/jobs/error.h"

#if CARILLON_OSEK_FRAMES > 0

/* What becomes of an arrival at `place` in carillon_osek_frames that else has this status; locked.  E_OK opens the next
 * frame.  If an arrival is too early, ProtectionHook is asked, and E_OS_PROTECTION_ARRIVAL says that it is not to be
 * carried out. */
StatusType carillon_osek_arrive(uint32_t place, StatusType status);

/* In the handler of the cell: a turn is over. */
void carillon_frame_turns(void);

#else
static inline StatusType carillon_osek_arrive(uint32_t place, StatusType status)
{
    (void)place;
    return status;
}
#endif

#endif
