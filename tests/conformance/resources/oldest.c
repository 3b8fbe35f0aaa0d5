/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;

ISR(Signal)
{
    MARK('s');
    (void)ActivateTask(AtCeiling);
    (void)ActivateTask(Above);
    (void)ActivateTask(Between);
}

TASK(Main)
{
    (void)ActivateTask(Holder);
    EXPECT_MARKS("preempted-at-its-ceiling-it-goes-on-before-tasks-of-that-priority", "hahcbp");

    how = 1;
    (void)ActivateTask(Holder);
    EXPECT_MARKS("interrupted-at-its-ceiling-it-goes-on-before-tasks-of-that-priority", "hsahcbp");

    how = 2;
    (void)ActivateTask(Holder);
    EXPECT_MARKS("falling-back-to-its-own-priority-it-is-the-oldest-there", "hhchp");

    how = 3;
    (void)ActivateTask(Holder);
    EXPECT_MARKS("taking-and-releasing-in-turn-leaves-the-order-alone", "hhcbchp");
    FINISH();
}

TASK(Holder)
{
    MARK('h');
    (void)ActivateTask(Peer);
    (void)GetResource(Bus);
    switch (how) {
    case 0:
        (void)ActivateTask(AtCeiling);
        (void)ActivateTask(Above);
        MARK('h');
        (void)ReleaseResource(Bus);
        break;
    case 1:
        carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
        MARK('h');
        (void)ReleaseResource(Bus);
        break;
    case 2:
        (void)ActivateTask(AtCeiling);
        MARK('h');
        (void)ReleaseResource(Bus);
        MARK('h');
        break;
    default:
        (void)ActivateTask(AtCeiling);
        (void)ActivateTask(Between);
        (void)ActivateTask(AtCeiling);
        MARK('h');
        (void)ReleaseResource(Bus);
        (void)GetResource(Bus);
        MARK('h');
        (void)ReleaseResource(Bus);
        break;
    }
    TerminateTask();
}

TASK(Peer)
{
    MARK('p');
    TerminateTask();
}

TASK(AtCeiling)
{
    MARK('c');
    (void)GetResource(Bus);
    (void)ReleaseResource(Bus);
    TerminateTask();
}

TASK(Between)
{
    MARK('b');
    TerminateTask();
}

TASK(Above)
{
    MARK('a');
    if (how == 0u) {
        (void)ActivateTask(Between);
    }
    TerminateTask();
}
