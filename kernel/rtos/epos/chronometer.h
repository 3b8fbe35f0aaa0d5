/* SPDX-License-Identifier: Apache-2.0
 *
 * The name under which programs of EPOS include chronometers. */
#ifndef CARILLON_EPOS_CHRONOMETER_H
#define CARILLON_EPOS_CHRONOMETER_H

#include "kernel/rtos/epos/names.h"

#endif
