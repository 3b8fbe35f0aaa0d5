/* SPDX-License-Identifier: Apache-2.0
 *
 * Cars have green until somebody presses the button; then a phase follows the other.  Milliseconds stand for
 * seconds. */
#include "os.h"

#include "carillon/console.h"

DeclareTask(Lights);
DeclareTask(Check);
DeclareEvent(Request);
DeclareEvent(Elapsed);
DeclareResource(Lamps);
DeclareAlarm(Phase);

enum { RED, YELLOW, GREEN };

static volatile uint8_t cars = GREEN, walkers = RED;

/* Both lamps change together: whoever looks holds the resource. */
static void show(uint8_t to_cars, uint8_t to_walkers)
{
    (void)GetResource(Lamps);
    cars = to_cars;
    walkers = to_walkers;
    (void)ReleaseResource(Lamps);
    carillon_say("cars", to_cars);
    carillon_say("walkers", to_walkers);
}

static void stay(TickType milliseconds)
{
    (void)SetRelAlarm(Phase, milliseconds, 0u);
    (void)WaitEvent(Elapsed);
    (void)ClearEvent(Elapsed);
}

TASK(Lights)
{
    for (;;) {
        (void)WaitEvent(Request);
        show(YELLOW, RED);
        stay(3u);
        show(RED, GREEN);
        stay(10u);
        (void)ClearEvent(Request); /* whoever has pressed until now has crossed */
        show(RED, RED);
        stay(4u);
        show(GREEN, RED);
        stay(20u); /* cars go on at least so long */
    }
}

/* Never may both go. */
TASK(Check)
{
    (void)GetResource(Lamps);
    const bool both = (cars != RED) && (walkers != RED);
    (void)ReleaseResource(Lamps);
    if (both) {
        ShutdownOS(E_OS_STATE);
    }
    TerminateTask();
}

ISR(Button)
{
    (void)SetEvent(Lights, Request);
}

/* Somebody comes by. */
ALARMCALLBACK(Press)
{
    carillon_port_pend(CARILLON_ISR_SOURCE_Button);
}

/* Nothing here fails; where something does, this says what. */
void ErrorHook(StatusType error)
{
    carillon_say("service", OSErrorGetServiceId());
    carillon_say("error", error);
}
