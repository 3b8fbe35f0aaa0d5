/* SPDX-License-Identifier: Apache-2.0
 *
 * A wiper, configured by an ARXML file of AUTOSAR 3.1 alone.  It wipes when it rains, and after the screen was
 * washed; washing and wiping never preempt one another. */
#include "os.h"

#include "carillon/console.h"

DeclareTask(Sense);
DeclareTask(Wipe);
DeclareEvent(Rain);
DeclareEvent(Park);
DeclareResource(Blade);
DeclareAlarm(Parking);

static uint8_t wipes;

/* It rains from the third look on. */
TASK(Sense)
{
    static uint8_t looks;
    looks++;
    if (looks > 2u) {
        (void)SetEvent(Wipe, Rain);
    }
    TerminateTask();
}

TASK(Wipe)
{
    for (;;) {
        (void)WaitEvent(Rain);
        (void)ClearEvent(Rain);
        (void)GetResource(Blade);
        wipes++;
        carillon_say("wipes", wipes);
        (void)ReleaseResource(Blade);
        (void)SetRelAlarm(Parking, 7u, 0u);
        (void)WaitEvent(Park);
        (void)ClearEvent(Park);
        carillon_say("parked", wipes);
    }
}

TASK(Wash)
{
    (void)GetResource(Blade);
    carillon_say("washes", 1u);
    (void)ReleaseResource(Blade);
    (void)SetEvent(Wipe, Rain);
    carillon_say("washed", 1u); /* before the wiper starts, which is of the same group */
    TerminateTask();
}

void StartupHook(void)
{
    carillon_say("ignition", 1u);
}

/* Nothing here fails; where something does, this says what. */
void ErrorHook(StatusType error)
{
    carillon_say("service", OSErrorGetServiceId());
    carillon_say("error", error);
}
