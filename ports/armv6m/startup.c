/* SPDX-License-Identifier: Apache-2.0
 *
 * Reset on ARMv6-M: as on ARMv7-M.  The processor aligns the stack of a handler in any case, and a store that asks it
 * to is ignored. */
#include "ports/armv7m/startup.c"
