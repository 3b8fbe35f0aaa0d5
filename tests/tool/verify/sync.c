/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"

static volatile unsigned runs[8];

ttTASK(Often)
{
    (void)ttSyncEdge();
    runs[0]++;
}
ttTASK(Long)
{
    runs[1]++;
}
ttTASK(Short)
{
    ttTickType now = 0u;
    (void)ttGetScheduleTime(&now);
    runs[2] += (unsigned)now;
}
void I0(void);
void I0(void)
{
    runs[3]++;
}
ttTASK(Spare)
{
    runs[4]++;
}
ttTASK(Other)
{
    runs[5]++;
}
