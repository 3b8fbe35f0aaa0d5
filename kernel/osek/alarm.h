/* SPDX-License-Identifier: Apache-2.0
 *
 * What the handlers of alarms' cells use. */
#ifndef CARILLON_OSEK_ALARM_H
#define CARILLON_OSEK_ALARM_H

#include "kernel/osek/cells.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An alarm's cell expired, which has the kernel's level. */
void carillon_osek_alarm_expired(AlarmType alarm);

#ifdef __cplusplus
}
#endif

#endif
