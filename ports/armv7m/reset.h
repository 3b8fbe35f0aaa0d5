/* SPDX-License-Identifier: Apache-2.0
 *
 * Reset on ARMv6-M and ARMv7-M, for the startup.c of either: what the board stores, memory as C expects it, the board's
 * clock, main. */
#ifndef CARILLON_RESET_H
#define CARILLON_RESET_H

extern uint32_t carillon_data_start[];
extern uint32_t carillon_data_end[];
extern uint32_t carillon_bss_start[];
extern uint32_t carillon_bss_end[];
extern const uint32_t carillon_data_load[];
int main(void);

/* What a board does that a list of stores cannot: a C file of its own has this function then. */
void carillon_board_init(void);
__attribute__((weak)) void carillon_board_init(void)
{
}

/* Let the counter of the ring count. */
void carillon_trace_start(void);

extern const carillon_vector carillon_constructors[];
extern const carillon_vector carillon_constructors_end[];

/* STKALIGN: handlers begin on a stack that is aligned to eight bytes, as C functions expect it.  Parts differ in the
 * value after reset. */
#define CCR UINT32_C(0xE000ED14)
#define CCR_STKALIGN (UINT32_C(1) << 9)

#define STORE(address, value) CARILLON_REGISTER(UINT32_C(address)) = UINT32_C(value);
#ifndef CARILLON_STARTUP
#define CARILLON_STARTUP(store)
#endif

/* Access to the floating-point unit. */
#define CPACR UINT32_C(0xE000ED88)
#define CPACR_FULL (UINT32_C(0xF) << 20)

void carillon_port_reset(void)
{
    CARILLON_REGISTER(CCR) = CCR_STKALIGN;
    if (CARILLON_ARM_FLOATS) {
        CARILLON_REGISTER(CPACR) |= CPACR_FULL;
        __asm__ volatile("dsb\n isb" ::: "memory");
    }
    CARILLON_STARTUP(STORE)
    const uint32_t *load = carillon_data_load;
    for (uint32_t *word = carillon_data_start; CARILLON_COPY_DATA && (word < carillon_data_end); word++) {
        *word = *load;
        load++;
    }
    for (uint32_t *word = carillon_bss_start; word < carillon_bss_end; word++) {
        *word = 0u;
    }
    carillon_board_init();
    if (CARILLON_TRACE) {
        carillon_trace_start();
    }
    for (const carillon_vector *constructor = carillon_constructors;
         CARILLON_CONSTRUCTORS && (constructor < carillon_constructors_end); constructor++) {
        (*constructor)();
    }
    (void)main();
    carillon_port_halt();
}

#endif
