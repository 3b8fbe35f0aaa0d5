/* SPDX-License-Identifier: Apache-2.0
 *
 * The project's main: the vendor's set-up first, then Carillon, which does not return. */
#include "carillon/osektime.h"
#include "carillon_library.h"
#include "hal.h"

/* What the last check of the start said, for a debugger. */
volatile enum carillon_start refused;
volatile uint32_t refused_at;

int main(void)
{
    HAL_Init();
    HAL_Delay(2u);
#ifndef NDEBUG
    uint32_t where;
    refused = carillon_check_start(&where);
    refused_at = where;
    if (refused != CARILLON_START_READY) {
        for (;;) {
        }
    }
#endif
    ttStartOS(ttOS_DEFAULTAPPMODE);
}

/* What runs where no task does. */
void ttIdleTask(void)
{
    for (;;) {
        (void)HAL_GetTick();
    }
}
