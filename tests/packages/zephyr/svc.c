/* SPDX-License-Identifier: Apache-2.0
 *
 * In a file of its own, as in Zephyr: the linker's --wrap is for what other files refer to. */
#include <stdint.h>

void z_arm_svc(void);
volatile uint32_t calls;

void z_arm_svc(void)
{
    calls++;
}
