/* SPDX-License-Identifier: Apache-2.0
 *
 * The name under which programs of EPOS include semaphores. */
#ifndef CARILLON_EPOS_SEMAPHORE_H
#define CARILLON_EPOS_SEMAPHORE_H

#include "kernel/rtos/epos/names.h"

#endif
