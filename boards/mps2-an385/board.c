/* SPDX-License-Identifier: Apache-2.0
 *
 * MPS2 AN385: the timers run at the processor's clock from reset. */
#include "carillon_port.h"

void carillon_board_init(void);

void carillon_board_init(void)
{
}
