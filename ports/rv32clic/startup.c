/* SPDX-License-Identifier: Apache-2.0
 *
 * Reset on RV32 with a CLIC: the compiler's registers, what the board stores, memory as C expects it, interrupts on, main. */
#include "carillon_board.h"
#include "carillon_port.h"

extern uint32_t carillon_bss_start[];
extern uint32_t carillon_bss_end[];
extern uint32_t carillon_data_start[];
extern uint32_t carillon_data_end[];
extern const uint32_t carillon_data_load[];
extern const carillon_vector carillon_constructors[];
extern const carillon_vector carillon_constructors_end[];
int main(void);
void carillon_port_run_main(void) __attribute__((noreturn));

#define STORE(address, value) CARILLON_REGISTER(UINT32_C(address)) = UINT32_C(value);
#ifndef CARILLON_STARTUP
#define CARILLON_STARTUP(store)
#endif

/* Where the image begins.  Without relaxation, because what it sets up is what relaxed code relies on. */
__attribute__((naked, used, section(".text.reset"))) void carillon_port_reset(void)
{
    __asm__ volatile("   .option push\n"
                     "   .option norelax\n"
                     "   la gp, __global_pointer$\n"
                     "   .option pop\n"
                     "   .weak carillon_tls\n" /* the linker script's, if it has one */
                     "   la tp, carillon_tls\n"
                     "   la sp, carillon_stack_top\n"
                     "   la t0, carillon_port_exception\n" /* aligned to 128 bytes */
                     "   addi t0, t0, 3\n"                 /* with a CLIC there is no other mode */
                     "   csrw mtvec, t0\n"
                     "   j carillon_port_run_main\n");
}

/* Exceptions come here: nothing goes on. */
__attribute__((naked, used, aligned(128))) void carillon_port_exception(void);
__attribute__((naked, used, aligned(128))) void carillon_port_exception(void)
{
    __asm__ volatile("   j carillon_port_halt\n");
}

__attribute__((used)) void carillon_port_run_main(void)
{
    CARILLON_STARTUP(STORE)
    const uint32_t *load = carillon_data_load;
    for (uint32_t *word = carillon_data_start; CARILLON_COPY_DATA && (word < carillon_data_end); word++) {
        *word = *load;
        load++;
    }
    for (uint32_t *word = carillon_bss_start; word < carillon_bss_end; word++) {
        *word = 0u;
    }
    for (const carillon_vector *constructor = carillon_constructors;
         CARILLON_CONSTRUCTORS && (constructor < carillon_constructors_end); constructor++) {
        (*constructor)();
    }
    carillon_port_unlock(CARILLON_MSTATUS_MIE); /* no source is enabled yet */
    (void)main();
    carillon_port_halt();
}
