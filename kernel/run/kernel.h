/* SPDX-License-Identifier: Apache-2.0
 *
 * What the generated osek.c and the ports use of the event-triggered kernel. */
#ifndef CARILLON_OSEK_KERNEL_H
#define CARILLON_OSEK_KERNEL_H

#include "kernel/clock/base.h"
#include "kernel/counters/alarm.h"
#include "kernel/counters/cells.h"
#include "kernel/counters/expiry.h"
#include "kernel/counters/schedule_table.h"
#include "kernel/jobs/frame.h"
#include "kernel/jobs/resource.h"
#include "kernel/run/run.h"
#include "kernel/run/strike.h"

#endif
