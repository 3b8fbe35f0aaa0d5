/* SPDX-License-Identifier: Apache-2.0
 *
 * What follows the first instructions on RV32, whatever its interrupt controller is: what the board stores, memory as C
 * expects it, interrupts on, main.  One file of a port includes it. */
#ifndef CARILLON_RV32_RESET_H
#define CARILLON_RV32_RESET_H

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

#endif
