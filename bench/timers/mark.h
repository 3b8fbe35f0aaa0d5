/* SPDX-License-Identifier: Apache-2.0
 *
 * What the applications of `python -m bench.papers timers` share.  Their figures are times between marks: functions that do
 * nothing, whose calls the emulator's tracing records. */
#ifndef MARK_H
#define MARK_H

#include "carillon/time.h"

#include "parameters.h"

#define MARK(name)                                             \
    void bench_##name(void);                                   \
    __attribute__((noinline, noclone)) void bench_##name(void) \
    {                                                          \
        __asm__ volatile("");                                  \
    }

#endif
