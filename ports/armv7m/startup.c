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
    (void)main();
    carillon_port_halt();
}
