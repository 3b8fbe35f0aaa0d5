/* SPDX-License-Identifier: Apache-2.0
 *
 * The main function of an application that defines none: start in the schedule's start mode. */
#include "carillon/osektime.h"

int main(void);

__attribute__((weak)) int main(void)
{
    ttStartOS(ttOS_DEFAULTAPPMODE);
}
