/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

TASK(Task)
{
    TerminateTask();
}
