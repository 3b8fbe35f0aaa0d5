/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells of a round that follows a global time, for checks of the kernel's code with one (scripts/check-c.sh). */
#ifdef CARILLON_TESTS_SYNC_MATCH
#include "cells/stm32match/sync.h"
#else
#include "kernel/osektime/sync_shift.h"
#endif

#if CARILLON_SYNC_TURN
bool sync_goes_back(void); /* whether the interrupt is what ends a move: a test says so */
static inline bool carillon_sync_goes_back(const struct carillon_sync *sync)
{
    (void)sync;
    return sync_goes_back();
}
#endif
