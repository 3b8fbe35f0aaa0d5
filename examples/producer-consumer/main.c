/* SPDX-License-Identifier: Apache-2.0
 *
 * An interrupt produces, a task consumes, a resource keeps them apart: its ceiling is the interrupt's level. */
#include "os.h"

#include "carillon/console.h"

#define US(n) ((n) * (CARILLON_CLOCK_HZ / 1000u) / 1000u)
#define SIZE 4u

DeclareTask(Monitor);
DeclareTask(Consumer);
DeclareTask(Calibrate);
DeclareResource(Buffer);
DeclareEvent(Arrived);
DeclareEvent(Lost);

static uint32_t buffer[SIZE];
static uint32_t first, count;  /* of the buffer */
static uint32_t lost;          /* since Consumer has looked */
static volatile uint32_t done; /* by Consumer */

/* The line requests the receiver's interrupt, as the device would. */
ALARMCALLBACK(LineBusy)
{
    carillon_port_pend(CARILLON_ISR_SOURCE_Receiver);
}

ISR(Receiver)
{
    static uint32_t received;
    EventMaskType event = Arrived;
    received++;
    (void)GetResource(Buffer);
    if (count < SIZE) {
        buffer[(first + count) % SIZE] = received;
        count++;
    } else {
        lost++;
        event = Lost;
    }
    (void)ReleaseResource(Buffer);
    (void)SetEvent(Consumer, event);
}

/* The oldest item, 0 if there is none. */
static uint32_t take(void)
{
    uint32_t item = 0u;
    (void)GetResource(Buffer);
    if (count != 0u) {
        item = buffer[first];
        first = (first + 1u) % SIZE;
        count--;
    }
    (void)ReleaseResource(Buffer);
    return item;
}

static uint32_t take_lost(void)
{
    (void)GetResource(Buffer);
    const uint32_t number = lost;
    lost = 0u;
    (void)ReleaseResource(Buffer);
    return number;
}

TASK(Consumer)
{
    for (;;) {
        EventMaskType events;
        (void)WaitEvent(Arrived | Lost);
        (void)GetEvent(Consumer, &events);
        (void)ClearEvent(events); /* before looking: what comes later sets it again */
        for (uint32_t item = take(); item != 0u; item = take()) {
            carillon_work(US(300u));
            done = item;
        }
        if ((events & Lost) != 0u) {
            carillon_say("lost", take_lost());
        }
    }
}

TASK(Calibrate)
{
    carillon_work(US(6000u));
    TerminateTask();
}

TASK(Monitor)
{
    carillon_say("done", done);
    carillon_say("stack", carillon_stack_used(Consumer));
    TerminateTask();
}

/* Nothing here fails; where something does, this says what. */
void ErrorHook(StatusType error)
{
    carillon_say("service", OSErrorGetServiceId());
    carillon_say("error", error);
}
