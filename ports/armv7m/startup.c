/* SPDX-License-Identifier: Apache-2.0
 *
 * Reset on ARMv7-M: memory as C expects it, the board's clock, main. */
#include "carillon_port.h"

extern uint32_t carillon_data_start[];
extern uint32_t carillon_data_end[];
extern uint32_t carillon_bss_start[];
extern uint32_t carillon_bss_end[];
extern const uint32_t carillon_data_load[];
void carillon_board_init(void);
int main(void);
#if CARILLON_CONSTRUCTORS
extern const carillon_vector carillon_constructors[];
extern const carillon_vector carillon_constructors_end[];
#endif

void carillon_port_reset(void)
{
#if CARILLON_COPY_DATA
    const uint32_t *load = carillon_data_load;
    for (uint32_t *word = carillon_data_start; word < carillon_data_end; word++) {
        *word = *load++;
    }
#endif
    for (uint32_t *word = carillon_bss_start; word < carillon_bss_end; word++) {
        *word = 0u;
    }
    carillon_board_init();
#if CARILLON_CONSTRUCTORS
    for (const carillon_vector *constructor = carillon_constructors; constructor < carillon_constructors_end;
         constructor++) {
        (*constructor)();
    }
#endif
    (void)main();
    carillon_port_halt();
}
