/* SPDX-License-Identifier: Apache-2.0 */
/* Figure 5 of the paper. */

#include "carillon/time.hpp"
#include "report.h"
using carillon::Alarm;
using carillon::Chronometer;
using carillon::Clock;
using carillon::Delay;
using carillon::Handler_Function;
using carillon::Handler_Semaphore;
using carillon::Handler_Thread;
using carillon::Semaphore;
using carillon::Thread;

static int iterations = 100;
static carillon::Microsecond time = 1000;
static unsigned calls;
static unsigned dynamic = 3u * (unsigned)(iterations + 1); /* worked out before main */
struct Counted {
    Counted()
    {
        value = 7 * iterations;
    }
    ~Counted()
    {
        value = 0;
    }
    int value;
};
static Counted counted;
static Semaphore semaphore(0);

static void func()
{
    calls++;
}

THREAD(Worker)
{
    report("worker", Thread::self() == Thread(Worker));
}
THREAD(Main)
{
    Clock clock;
    Chronometer chron;
    (void)clock.set({2026, 11, 20, 12, 0, 0});
    report("now", clock.now());
    report("constructed", dynamic + (unsigned)counted.value);

    Handler_Function handler(&func);
    Alarm alarm(time, &handler, (uint32_t)iterations);
    (void)chron.start();
    (void)Alarm::delay(time * (carillon::Microsecond)(iterations + 1));
    (void)chron.stop();
    report("elapsed", (uint32_t)((chron.read() + 500u) / 1000u));
    report("calls", calls);

    Handler_Semaphore units(&semaphore);
    Handler_Thread again{Thread(Worker).id()};
    {
        Alarm gives(3000, &units, Alarm::infinite), wakes(7000, &again, 2);
        report("taken", semaphore.p());
        report("taken", semaphore.p());
        report("period", gives.period(50000));
        report("length", gives.period());
        report("left", gives.left() / 1000u);
        report("reset", gives.reset());
        Delay pause(20000);
        report("status", gives.status() + wakes.status() + alarm.status());
    } /* their memory is free from here on */
    while (semaphore.p(0) == E_OK) {
    }
    report("none", semaphore.p(60000));
    Alarm zero(0, &units, 1);
    report("zero", zero.status());
    report("restarted", alarm.start(500, 2));
    report("running", alarm.start(500, 2));
    (void)Alarm::delay(1000000);
    carillon_port_halt();
}
