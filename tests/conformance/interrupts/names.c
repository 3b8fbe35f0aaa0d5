/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

DeclareISR(First);
DeclareISR(Third);

static const ISRType isrs[] = {First, Second, Third, Fourth};

static void mark(ISRType isr)
{
    static const char letters[] = "1234";
    if (isr < sizeof(isrs)) {
        MARK(letters[isr]);
    }
}

ISR(First)
{
    mark(First);
    carillon_port_pend(CARILLON_ISR_SOURCE_Third);
    mark(First);
}

ISR(Second)
{
    mark(Second);
    mark(Second);
}

ISR(Third)
{
    mark(Third);
    carillon_port_pend(CARILLON_ISR_SOURCE_Second);
    carillon_port_pend(CARILLON_ISR_SOURCE_Fourth);
    mark(Third);
}

ISR(Fourth)
{
    mark(Fourth);
}

TASK(Main)
{
    TickType left = 0;
    TaskStateType state = RUNNING;

    EXPECT("ISRs are numbered in the order of the file",
           (isrs[0] == 0u) && (isrs[1] == 1u) && (isrs[2] == 2u) && (isrs[3] == 3u));
    EXPECT("no ISR has the number of none", (First != INVALID_ISR) && (Fourth != INVALID_ISR));
    carillon_port_pend(CARILLON_ISR_SOURCE_First);
    EXPECT_MARKS("four ISRs nest by priority", "1343221");
    EXPECT_IS("INVALID_TASK is no task", GetTaskState(INVALID_TASK, &state), E_OS_ID);
    EXPECT_IS("INVALID_ALARM is no alarm", GetAlarm(INVALID_ALARM, &left), E_OS_ID);
    EXPECT_IS("INVALID_RESOURCE is no resource", GetResource(INVALID_RESOURCE), E_OS_ID);
    EXPECT_IS("INVALID_COUNTER is no counter", IncrementCounter(INVALID_COUNTER), E_OS_ID);
    FINISH();
    TerminateTask();
}
