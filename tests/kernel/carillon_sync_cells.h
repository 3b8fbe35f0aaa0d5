/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells of a round that follows a global time, for checks of the kernel's code with one (scripts/check-c.sh). */
#ifdef CARILLON_TESTS_SYNC_MATCH
#include "cells/stm32match/sync.h"
#else
#include "kernel/osektime/sync_shift.h"
#endif
