/* SPDX-License-Identifier: Apache-2.0
 *
 * A few functions in the shape of a vendor's hardware abstraction: the calls that a main has before it starts anything.
 */
#ifndef HAL_H
#define HAL_H

#include <stdint.h>

/* The processor's clock: SystemInit sets it. */
extern uint32_t SystemCoreClock;

void SystemInit(void);
void HAL_Init(void);
void HAL_IncTick(void);
uint32_t HAL_GetTick(void);
void HAL_Delay(uint32_t milliseconds);

#endif
