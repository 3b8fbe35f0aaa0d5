/* SPDX-License-Identifier: Apache-2.0
 *
 * The name under which programs of EPOS include the clock and its calendar. */
#ifndef CARILLON_EPOS_CLOCK_H
#define CARILLON_EPOS_CLOCK_H

#include "kernel/rtos/epos/names.h"

#endif
