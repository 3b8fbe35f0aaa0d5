/* SPDX-License-Identifier: Apache-2.0
 *
 * The project's main: the vendor's set-up first, then Carillon, which does not return. */
#include "carillon/osektime.h"
#include "hal.h"

int main(void)
{
    HAL_Init();
    HAL_Delay(2u);
    ttStartOS(ttOS_DEFAULTAPPMODE);
}

/* What runs where no task does. */
void ttIdleTask(void)
{
    for (;;) {
        (void)HAL_GetTick();
    }
}
