/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

TASK(Low)
{
    TerminateTask();
}
TASK(High)
{
    TerminateTask();
}
