/* SPDX-License-Identifier: Apache-2.0
 *
 * The name under which programs of EPOS include threads. */
#ifndef CARILLON_EPOS_THREAD_H
#define CARILLON_EPOS_THREAD_H

#include "kernel/rtos/epos/names.h"

#endif
