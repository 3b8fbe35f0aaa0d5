/* SPDX-License-Identifier: Apache-2.0
 *
 * Each job computes for most of what vehicle.oil declares as its WCET, and holds a resource for a part of that. */
#include "carillon/work.h"
#include "os.h"

/* Computes while it holds a resource, and then without. */
#define HOLDS(resource, held, rest) \
    do {                            \
        GetResource(resource);      \
        carillon_work(held);        \
        ReleaseResource(resource);  \
        carillon_work(rest);        \
    } while (0)

ISR(CanReceive)
{
    HOLDS(Frames, 20u, 20u);
}

ISR(LinReceive)
{
    carillon_work(25u);
}

TASK(Sample)
{
    carillon_work(140u);
    TerminateTask();
}

TASK(Filter)
{
    HOLDS(State, 30u, 200u);
    TerminateTask();
}

TASK(Control)
{
    HOLDS(State, 50u, 330u);
    TerminateTask();
}

TASK(Transmit)
{
    HOLDS(Frames, 50u, 140u);
    TerminateTask();
}

TASK(Doors)
{
    carillon_work(300u);
    TerminateTask();
}

TASK(Lights)
{
    carillon_work(290u);
    TerminateTask();
}

TASK(Windows)
{
    carillon_work(550u);
    TerminateTask();
}

TASK(Climate)
{
    HOLDS(State, 100u, 700u);
    TerminateTask();
}

TASK(Display)
{
    carillon_work(1400u);
    TerminateTask();
}

TASK(Store)
{
    HOLDS(Memory, 500u, 1400u);
    TerminateTask();
}

TASK(Diagnose)
{
    HOLDS(Frames, 50u, 100u);
    HOLDS(Memory, 800u, 1900u);
    TerminateTask();
}

TASK(Learn)
{
    carillon_work(5500u);
    TerminateTask();
}
