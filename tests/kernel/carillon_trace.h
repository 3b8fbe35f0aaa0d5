/* SPDX-License-Identifier: Apache-2.0
 *
 * The ring of events, for what checks the kernel without the tool. */
#ifndef CARILLON_TRACE_FIGURES_H
#define CARILLON_TRACE_FIGURES_H

#define CARILLON_TRACE_COUNTER 0xE0001004u
#define CARILLON_TRACE_EVENT_BITS 5
#define CARILLON_TRACE_BYTES_BITS 10
#define CARILLON_TRACE_TASKS 4u
#define CARILLON_TRACE_WAITS 6u
#include "trace.h"

#endif
