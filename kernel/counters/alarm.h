/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of an alarm's cell on the kernel's level.  Cells on the level of a task are in cells.h. */
#ifndef CARILLON_OSEK_ALARM_H
#define CARILLON_OSEK_ALARM_H

#include "kernel/counters/cells.h"

/* An alarm's cell expired, which has the kernel's level. */
void carillon_osek_alarm_expired(AlarmType alarm);

#endif
