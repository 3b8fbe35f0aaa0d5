/* SPDX-License-Identifier: Apache-2.0
 *
 * The name under which programs of EPOS include mutexes. */
#ifndef CARILLON_EPOS_MUTEX_H
#define CARILLON_EPOS_MUTEX_H

#include "kernel/rtos/epos/names.h"

#endif
