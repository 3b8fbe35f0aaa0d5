/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"
TASK(B)
{
    TerminateTask();
}
int main(void)
{
    for (;;) {
    }
}
