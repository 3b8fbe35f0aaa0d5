/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;

static void request(void)
{
    carillon_port_pend(CARILLON_ISR_SOURCE_Lower);
}

ISR(Lower)
{
    MARK('<');
    if (how == 1u) {
        (void)ActivateTask(High);
    } else if (how == 2u) {
        SuspendOSInterrupts();
        carillon_port_pend(CARILLON_ISR_SOURCE_Upper);
        MARK('s');
        ResumeOSInterrupts();
        SuspendAllInterrupts();
        carillon_port_pend(CARILLON_ISR_SOURCE_Upper);
        MARK('a');
        ResumeAllInterrupts();
        DisableAllInterrupts();
        carillon_port_pend(CARILLON_ISR_SOURCE_Upper);
        MARK('d');
        EnableAllInterrupts();
    }
    MARK('>');
}

ISR(Upper)
{
    MARK('[');
    if (how == 3u) {
        request();
        SuspendAllInterrupts();
        ResumeAllInterrupts();
        SuspendOSInterrupts();
        ResumeOSInterrupts();
        DisableAllInterrupts();
        EnableAllInterrupts();
    }
    MARK(']');
}

TASK(Main)
{
    DisableAllInterrupts();
    request();
    MARK('m');
    EnableAllInterrupts();
    MARK('m');
    EXPECT_MARKS("a-request-made-while-disabled-is-served-when-enabled", "m<>m");

    SuspendAllInterrupts();
    request();
    MARK('m');
    ResumeAllInterrupts();
    MARK('m');
    EXPECT_MARKS("a-request-made-while-all-are-suspended-is-served-when-resumed", "m<>m");

    SuspendOSInterrupts();
    request();
    MARK('m');
    ResumeOSInterrupts();
    MARK('m');
    EXPECT_MARKS("a-request-made-while-os-interrupts-are-suspended-is-served-when-resumed", "m<>m");

    SuspendAllInterrupts();
    SuspendAllInterrupts();
    SuspendAllInterrupts();
    request();
    MARK('1');
    ResumeAllInterrupts();
    MARK('2');
    ResumeAllInterrupts();
    MARK('3');
    ResumeAllInterrupts();
    MARK('4');
    EXPECT_MARKS("suspending-all-nests-and-the-last-resume-enables", "123<>4");

    SuspendOSInterrupts();
    SuspendOSInterrupts();
    SuspendOSInterrupts();
    request();
    MARK('1');
    ResumeOSInterrupts();
    MARK('2');
    ResumeOSInterrupts();
    MARK('3');
    ResumeOSInterrupts();
    MARK('4');
    EXPECT_MARKS("suspending-os-interrupts-nests-and-the-last-resume-enables", "123<>4");

    SuspendOSInterrupts();
    SuspendAllInterrupts();
    request();
    MARK('1');
    ResumeAllInterrupts();
    MARK('2');
    ResumeOSInterrupts();
    MARK('3');
    EXPECT_MARKS("all-suspended-inside-os-suspended", "12<>3");

    SuspendAllInterrupts();
    SuspendOSInterrupts();
    request();
    MARK('1');
    ResumeOSInterrupts();
    MARK('2');
    ResumeAllInterrupts();
    MARK('3');
    EXPECT_MARKS("os-suspended-inside-all-suspended", "12<>3");

    SuspendAllInterrupts();
    SuspendOSInterrupts();
    SuspendAllInterrupts();
    SuspendOSInterrupts();
    request();
    MARK('1');
    ResumeOSInterrupts();
    ResumeAllInterrupts();
    MARK('2');
    ResumeOSInterrupts();
    MARK('3');
    ResumeAllInterrupts();
    MARK('4');
    EXPECT_MARKS("both-kinds-nest-in-turn", "123<>4");

    (void)GetResource(Bus);
    SuspendOSInterrupts();
    ResumeOSInterrupts();
    SuspendAllInterrupts();
    ResumeAllInterrupts();
    DisableAllInterrupts();
    EnableAllInterrupts();
    request();
    MARK('1');
    (void)ReleaseResource(Bus);
    MARK('2');
    EXPECT_MARKS("resuming-while-holding-a-resource-restores-its-ceiling", "1<>2");

    how = 1;
    SuspendOSInterrupts();
    request();
    MARK('1');
    ResumeOSInterrupts();
    MARK('2');
    EXPECT_MARKS("a-task-that-the-held-isr-readied-runs-before-the-resume-returns", "1<>h2");

    DisableAllInterrupts();
    request();
    MARK('1');
    EnableAllInterrupts();
    MARK('2');
    EXPECT_MARKS("a-task-that-the-held-isr-readied-runs-before-the-enable-returns", "1<>h2");

    (void)ActivateTask(Fixed);
    MARK('m');
    EXPECT_MARKS("in-a-non-preemptable-task-it-waits-for-the-end", "f<>fhm");

    how = 2;
    request();
    MARK('m');
    EXPECT_MARKS("an-isr-holds-a-higher-one-back", "<s[]a[]d[]>m");

    how = 3;
    carillon_port_pend(CARILLON_ISR_SOURCE_Upper);
    MARK('m');
    EXPECT_MARKS("resuming-in-an-isr-lets-no-lower-one-in", "[]<>m");

    how = 0;
    DisableAllInterrupts();
    request();
    request();
    request();
    EnableAllInterrupts();
    EXPECT_MARKS("several-requests-while-disabled-are-one", "<>");

    SuspendOSInterrupts();
    request();
    carillon_port_pend(CARILLON_ISR_SOURCE_Upper);
    ResumeOSInterrupts();
    EXPECT_MARKS("of-held-requests-the-higher-is-served-first", "[]<>");

    EXPECT_IS("services-work-after-all-this", ActivateTask(Waiter), E_OK);
    SuspendOSInterrupts();
    ResumeOSInterrupts();
    EXPECT_IS("services-work-after-a-resume", SetEvent(Waiter, Go), E_OK);
    EXPECT_MARKS("an-extended-task-may-use-interrupt-services-before-it-waits", "w<>w");
    FINISH();
}

TASK(High)
{
    MARK('h');
    TerminateTask();
}

TASK(Fixed)
{
    MARK('f');
    SuspendAllInterrupts();
    request();
    ResumeAllInterrupts();
    MARK('f');
    TerminateTask();
}

TASK(Waiter)
{
    MARK('w');
    SuspendAllInterrupts();
    request();
    ResumeAllInterrupts();
    (void)WaitEvent(Go);
    MARK('w');
    TerminateTask();
}
