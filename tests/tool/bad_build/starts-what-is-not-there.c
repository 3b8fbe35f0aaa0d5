/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"
ttTASK(A)
{
}
void StartOS(int mode);
int main(void)
{
    StartOS(0);
    return 0;
}
