/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of the button's line.  Its vector is this function itself, whatever the vendor calls it. */
#include <stdint.h>

#define EXTI_PR (*(volatile uint32_t *)0x40013C14u)

void button(void);

volatile uint32_t presses;

void button(void)
{
    EXTI_PR = 1u; /* line 0 */
    presses++;
}
