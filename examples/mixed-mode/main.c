/* SPDX-License-Identifier: Apache-2.0
 *
 * Time-triggered tasks call no service of the event-triggered system: it could be in the middle of one.  Position
 * hands over by requesting an interrupt, which is served when no time-triggered task runs any more. */
#include "os.h"

#include "carillon/osektime.h"

#include "carillon/console.h"

#define US(n) ((n) * (CARILLON_CLOCK_HZ / 1000u) / 1000u)

ttTASK(Current);
ttTASK(Position);
DeclareTask(Logger);
DeclareTask(Host);
DeclareTask(Heartbeat);
DeclareEvent(Sampled);

struct sample {
    uint32_t number, torque, angle;
};
static volatile struct sample newest; /* written by Position alone */
static volatile uint32_t torque;      /* written by Current alone */

ttTASK(Current)
{
    torque += 3u;
    carillon_work(US(200u));
}

ttTASK(Position)
{
    newest.number++;
    newest.torque = torque;
    newest.angle = 2u * newest.number;
    carillon_work(US(300u));
    carillon_port_pend(CARILLON_ISR_SOURCE_Handover);
}

ISR(Handover)
{
    (void)SetEvent(Logger, Sampled);
}

/* A consistent copy: the writer is never interrupted by the reader, so a copy during which the number has stayed
 * the same is whole. */
static struct sample copy(void)
{
    struct sample result;
    do {
        result.number = newest.number;
        result.torque = newest.torque;
        result.angle = newest.angle;
    } while (result.number != newest.number);
    return result;
}

TASK(Logger)
{
    for (;;) {
        (void)WaitEvent(Sampled);
        (void)ClearEvent(Sampled);
        const struct sample sample = copy();
        carillon_work(US(1500u));
        carillon_say("angle", sample.angle);
    }
}

TASK(Host)
{
    carillon_work(US(900u));
    TerminateTask();
}

TASK(Heartbeat)
{
    static uint32_t beats;
    beats++;
    carillon_say("beat", beats);
    TerminateTask();
}
