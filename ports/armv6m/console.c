/* SPDX-License-Identifier: Apache-2.0
 *
 * newlib's environment, which is that of ARMv7-M. */
#include "ports/armv7m/console.c"
