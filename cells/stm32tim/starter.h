/* SPDX-License-Identifier: Apache-2.0
 *
 * The timer of STM32 that starts the cells of stm32tim and stm32match, and is no cell itself (RM0090, chapter 18).  The
 * output reference of its channel 1 is its trigger output, whose edge starts all its slaves.
 *
 * A store to its CCMR1 forces the reference, while it stands still.  Or it waits for a trigger itself, of a timer that
 * the application drives: trigger mode, as its slaves have it.  That starts its counter from 0, and the reference gets
 * active where the counter matches CCR1.  The trigger has done all that it does then: what runs is not touched. */
#ifndef CARILLON_CELL_STM32TIM_STARTER_H
#define CARILLON_CELL_STM32TIM_STARTER_H

#include "carillon_port.h"

#define STM32TIM_TRIGGERS 0x40u        /* CR2, MMS: the reference of channel 1 is the trigger output */
#define STM32TIM_REFERENCE_LOW 0x40u   /* CCMR1, OC1M: forced inactive */
#define STM32TIM_REFERENCE_HIGH 0x50u  /* forced active */
#define STM32TIM_REFERENCE_MATCH 0x10u /* active from a match on */

#define STM32TIM_STARTER_CR2(starter) ((starter) + 0x04u)
#define STM32TIM_STARTER_CCMR1(starter) ((starter) + 0x18u)

#define STM32TIM_STARTER_PREPARE(starter)                             \
    CARILLON_STORE(STM32TIM_STARTER_CR2(starter), STM32TIM_TRIGGERS), \
        CARILLON_STORE(STM32TIM_STARTER_CCMR1(starter), STM32TIM_REFERENCE_LOW)
/* The store is the same whichever cells have been prepared. */
#define STM32TIM_STARTER_START(starter, bits) \
    CARILLON_STORE(STM32TIM_STARTER_CCMR1(starter), STM32TIM_REFERENCE_HIGH + 0u * (bits))
/* After that: it stands still at 0 (CR1, SMCR, PSC, ARR, UG of EGR), and CCR1 is what it counts from the trigger on. */
#define STM32TIM_STARTER_WAIT(starter, delay)                                                                    \
    CARILLON_STORE((starter), 0u), CARILLON_STORE((starter) + 0x08u, 0u), CARILLON_STORE((starter) + 0x28u, 0u), \
        CARILLON_STORE((starter) + 0x2Cu, UINT32_MAX), CARILLON_STORE((starter) + 0x34u, (delay)),               \
        CARILLON_STORE((starter) + 0x14u, 1u),                                                                   \
        CARILLON_STORE(STM32TIM_STARTER_CCMR1(starter), STM32TIM_REFERENCE_MATCH)
/* From here on it waits: trigger mode, and which internal trigger. */
#define STM32TIM_STARTER_LET(starter, select) CARILLON_STORE((starter) + 0x08u, (select))

#endif
