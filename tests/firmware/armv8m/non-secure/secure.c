/* SPDX-License-Identifier: Apache-2.0
 *
 * Out of reset, in the secure state: everything but this is left to the non-secure state, which begins then. */
#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define IMAGE UINT32_C(0x00100000)

void secure_reset(void);

__attribute__((section(".secure.vectors"), used)) static const uintptr_t secure_vectors[2] = {0x30008000u,
                                                                                              (uintptr_t)secure_reset};

#define SECURE __attribute__((section(".secure.text"), used, noinline))

SECURE void secure_reset(void)
{
    for (uint32_t mpc = 0x58007000u; mpc <= 0x58009000u; mpc += 0x1000u) {
        const uint32_t words = REG(mpc + 0x10u) + 1u;
        for (uint32_t k = (mpc == 0x58007000u) ? words / 4u : 0u; k < words; k++) {
            REG(mpc + 0x18u) = k;
            REG(mpc + 0x1Cu) = 0xFFFFFFFFu;
        }
    }
    REG(0x50080070u) = 0x7u;    /* timers */
    REG(0x50080084u) = 0xFFFFu; /* UARTs */
    REG(0x50080088u) = 0x7u;    /* FPGAIO */
    for (uint32_t k = 0; k < 4u; k++) {
        REG(0xE000E380u + 4u * k) = 0xFFFFFFFFu;
    }
    REG(0xE000EDD0u) = 2u; /* SAU: the chip alone says what is secure */
    REG(0xE002ED08u) = IMAGE;
    __asm__ volatile("dsb\n isb\n"
                     "msr msp_ns, %0\n"
                     "bxns %1\n" ::"r"(REG(IMAGE)),
                     "r"(REG(IMAGE + 4u) & ~1u));
}
