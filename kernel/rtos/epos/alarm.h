/* SPDX-License-Identifier: Apache-2.0
 *
 * The name under which programs of EPOS include alarms and delays. */
#ifndef CARILLON_EPOS_ALARM_H
#define CARILLON_EPOS_ALARM_H

#include "kernel/rtos/epos/names.h"

#endif
