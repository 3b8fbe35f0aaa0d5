/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osek.h"

TASK(Start)
{
    (void)ActivateTask(Other);
    (void)ActivateTask(Twice);
    (void)TerminateTask();
}
TASK(Twice)
{
    (void)TerminateTask();
}
TASK(Other)
{
    (void)TerminateTask();
}
ISR(Device)
{
    const ISRType isr = GetISRID();
    if (isr == Device) {
        (void)ActivateTask(Twice);
    }
}
