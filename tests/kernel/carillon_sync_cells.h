/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells of a round that follows a global time, for checks of the kernel's code with one (scripts/check-c.sh). */
#include "kernel/osektime/sync_shift.h"
