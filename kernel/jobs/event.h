/* SPDX-License-Identifier: Apache-2.0
 *
 * What others use of events. */
#ifndef CARILLON_OSEK_EVENT_H
#define CARILLON_OSEK_EVENT_H

#include "kernel/levels/state.h"

/* Set events of an extended task. */
void carillon_osek_set(TaskType task, EventMaskType mask);

#endif
