/* SPDX-License-Identifier: Apache-2.0
 *
 * What the cases share.  They check what the cases of the same names of CMSIS-RTOS2 Validation check; the text is our
 * own. */
#ifndef CASES_H
#define CASES_H

#include "cmsis_os2.h"

void failed(uint32_t line);
#define CHECK(holds)          \
    do {                      \
        if (!(holds)) {       \
            failed(__LINE__); \
        }                     \
    } while (0)

/* Call a function in the clock's interrupt, while no other thread runs. */
void in_isr(void (*function)(void));

/* A thread of a priority; detached, if nothing else is said. */
osThreadId_t begin(osThreadFunc_t function, void *argument, osPriority_t priority);
osThreadId_t begin_joinable(osThreadFunc_t function, void *argument, osPriority_t priority);

void sleeps_for_ever(void *argument);
void yields_for_ever(void *argument);
void ends_itself(void *argument);

/* What an interrupt has got. */
extern volatile osStatus_t isr_status;
extern volatile uint32_t isr_word;
extern void *volatile isr_pointer;
extern osThreadId_t main_thread;

/* Does a call take so many ticks? */
#define TAKES(ticks, holds)                               \
    do {                                                  \
        const uint32_t began = osKernelGetTickCount();    \
        CHECK(holds);                                     \
        CHECK(osKernelGetTickCount() - began == (ticks)); \
    } while (0)

#endif
