/* SPDX-License-Identifier: Apache-2.0
 *
 * A window lifter, configured by two ARXML files alone.  Whoever presses the button makes the window go up, until
 * the motor has turned often enough. */
#include "os.h"

#include "carillon/console.h"

DeclareTask(Lift);
DeclareEvent(Pressed);
DeclareEvent(Reached);
DeclareResource(Motor);
DeclareAlarm(Top);

enum { STANDS, GOES_UP };
enum { TURNS = 5, TOO_LONG = 4 };

static volatile uint8_t motor = STANDS;

static void turn(uint8_t how)
{
    (void)GetResource(Motor);
    motor = how;
    (void)ReleaseResource(Motor);
    carillon_say("window", how);
}

TASK(Lift)
{
    for (;;) {
        (void)WaitEvent(Pressed);
        (void)ClearEvent(Pressed);
        turn(GOES_UP);
        (void)SetRelAlarm(Top, TURNS, 0u);
        (void)WaitEvent(Reached);
        (void)ClearEvent(Reached);
        turn(STANDS);
    }
}

/* Never may the motor run for ever. */
TASK(Watch)
{
    static uint8_t seen;
    (void)GetResource(Motor);
    seen = (motor == GOES_UP) ? seen + 1u : 0u;
    (void)ReleaseResource(Motor);
    if (seen >= TOO_LONG) {
        ShutdownOS(E_OS_STATE);
    }
    TerminateTask();
}

ISR(Button)
{
    (void)SetEvent(Lift, Pressed);
}

/* A passenger presses the button. */
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
