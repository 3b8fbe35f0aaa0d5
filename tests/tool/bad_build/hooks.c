/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

void ErrorHook(void)
{
}

int StartupHook(void)
{
    return 0;
}

TASK(Blink)
{
    TerminateTask();
}
