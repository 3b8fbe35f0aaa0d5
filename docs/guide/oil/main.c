/* SPDX-License-Identifier: Apache-2.0
 *
 * The lamp is a variable; nobody presses the button here. */
#include "os.h"

DeclareTask(Pause);
DeclareEvent(Pressed);
DeclareAlarm(Tick);

static volatile uint8_t lamp;

void ErrorHook(StatusType error)
{
    ShutdownOS(error);
}

TASK(Blink)
{
    lamp ^= 1u;
    TerminateTask();
}

TASK(Pause)
{
    for (;;) {
        WaitEvent(Pressed);
        ClearEvent(Pressed);
        CancelAlarm(Tick);
        SetRelAlarm(Tick, 1000u, 10u);
    }
}

ISR(Button)
{
    SetEvent(Pause, Pressed);
}
