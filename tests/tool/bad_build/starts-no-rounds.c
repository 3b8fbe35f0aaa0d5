/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"
#include "os.h"
ttTASK(A)
{
}
TASK(B)
{
    TerminateTask();
}
int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
}
