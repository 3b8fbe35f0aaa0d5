/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

#include "carillon/console.h"

#define PASS_US(us) carillon_work((us) * (CARILLON_CLOCK_HZ / 100000u) / 10u)

static volatile uint32_t driven; /* 2 ms apart */
static volatile uint32_t steered;
static volatile uint32_t stopped;

TASK(Drive)
{
    PASS_US(200u);
    driven++;
    TerminateTask();
}

TASK(Steer)
{
    PASS_US(300u);
    steered++;
    TerminateTask();
}

/* Every third search finds no end. */
TASK(Search)
{
    static uint32_t searches;
    searches++;
    PASS_US(1500u);
    while (searches % 3u == 0u) {
        PASS_US(100u);
    }
    carillon_say("found", searches);
    TerminateTask();
}

/* What has used up its budget ends, and its next activation finds it suspended. */
ProtectionReturnType ProtectionHook(StatusType error)
{
    TaskType task = INVALID_TASK;
    (void)error;
    (void)GetTaskID(&task);
    stopped++;
    return (task == Search) ? PRO_TERMINATETASKISR : PRO_SHUTDOWN;
}

TASK(Report)
{
    carillon_say("driven", driven);
    carillon_say("steered", steered);
    carillon_say("stopped", stopped);
    TerminateTask();
}
