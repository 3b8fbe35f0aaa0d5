/* SPDX-License-Identifier: Apache-2.0
 *
 * The console of a virtual board: standard output. */
#include <stdio.h>

#include "carillon/console.h"

__attribute__((weak)) void carillon_console_put(char byte)
{
    (void)putchar(byte);
}
