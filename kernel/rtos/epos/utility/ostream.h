/* SPDX-License-Identifier: Apache-2.0
 *
 * The name under which programs of EPOS include streams. */
#ifndef CARILLON_EPOS_OSTREAM_H
#define CARILLON_EPOS_OSTREAM_H

#include "kernel/rtos/epos/names.h"

#endif
