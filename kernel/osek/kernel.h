/* SPDX-License-Identifier: Apache-2.0
 *
 * What the generated osek.c and the ports use of the event-triggered kernel. */
#ifndef CARILLON_OSEK_KERNEL_H
#define CARILLON_OSEK_KERNEL_H

#include "kernel/osek/alarm.h"
#include "kernel/osek/base.h"
#include "kernel/osek/cells.h"
#include "kernel/osek/expiry.h"
#include "kernel/osek/frame.h"
#include "kernel/osek/resource.h"
#include "kernel/osek/run.h"
#include "kernel/osek/schedule_table.h"
#include "kernel/osek/strike.h"

#endif
