/* SPDX-License-Identifier: Apache-2.0
 *
 * What a library asks before anything starts: whether the project has left to the system what is the system's
 * (carillon_library.h). */
#ifndef CARILLON_CORE_CHECK_H
#define CARILLON_CORE_CHECK_H

#include <stdbool.h>

#include "carillon_config.h"

/* Whether the image's start asks: that of a library does. */
#ifndef CARILLON_START_CHECKED
#define CARILLON_START_CHECKED 0
#endif

/* Whether it has not; carillon_refused says why.  From: the start, before anything is locked. */
bool carillon_start_refused(void);

/* Say so by the shutdown hook, and halt: nothing has started that could be stopped. */
void carillon_start_refuse(void) __attribute__((noreturn));

#endif
