/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

TASK(A)
{
    TerminateTask();
}
TASK(B)
{
    TerminateTask();
}
TASK(C)
{
    TerminateTask();
}
TASK(D)
{
    TerminateTask();
}
