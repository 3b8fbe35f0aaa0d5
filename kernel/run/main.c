/* SPDX-License-Identifier: Apache-2.0
 *
 * The main function of an application that defines none: start in the first application mode. */
#include "kernel/run/kernel.h"

int main(void);

__attribute__((weak)) int main(void)
{
    StartOS(CARILLON_OSEK_DEFAULT_MODE);
}
