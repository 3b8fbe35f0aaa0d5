/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"

static volatile unsigned runs[4];

ttTASK(Plain)
{
    runs[0]++;
}
ttTASK(Bounded)
{
    runs[1]++;
}
ttTASK(Watched)
{
    runs[2]++;
}
void I0(void);
void I0(void)
{
    runs[3]++;
}
