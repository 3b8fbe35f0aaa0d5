/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

#define PASS_HUNDREDTHS(hundredths) carillon_work((hundredths) * (CARILLON_CLOCK_HZ / 100000u))

static volatile StatusType chained;
static volatile uint32_t rare;
static volatile uint32_t refused;
static volatile StatusType told;
static volatile TaskType running;
static volatile bool quiet;

ProtectionReturnType ProtectionHook(StatusType error)
{
    TaskType task = INVALID_TASK;
    (void)GetTaskID(&task);
    running = task;
    refused++;
    if (!quiet) {
        MARK((error == E_OS_PROTECTION_ARRIVAL) ? 'A' : '?');
    }
    return PRO_IGNORE;
}

void ErrorHook(StatusType error)
{
    told = error;
}

TASK(Rare)
{
    rare++;
    if (!quiet) {
        MARK('r');
    }
    TerminateTask();
}

TASK(Several)
{
    MARK('s');
    TerminateTask();
}

TASK(Waiter)
{
    MARK('w');
    for (;;) {
        (void)WaitEvent(Go | Other);
        (void)ClearEvent(Go | Other);
        MARK('g');
    }
}

TASK(Chainer)
{
    MARK('c');
    chained = ChainTask(Rare);
    MARK('e');
    TerminateTask();
}

TASK(Plain)
{
    MARK('p');
    TerminateTask();
}

ISR(Signal)
{
    MARK('i');
}

ISR(Free)
{
    MARK('f');
}

TASK(Main)
{
    TaskStateType state = RUNNING;
    EXPECT_IS("the-first-activation-is-carried-out", ActivateTask(Rare), E_OK);
    EXPECT_IS("the-second-comes-too-early", ActivateTask(Rare), E_OS_PROTECTION_ARRIVAL);
    EXPECT_MARKS("and-the-hook-is-asked", "rA");
    EXPECT("while-the-caller-runs", running == Main);
    EXPECT_IS("the-error-hook-is-told", told, E_OS_PROTECTION_ARRIVAL);
    (void)GetTaskState(Rare, &state);
    EXPECT("the-task-is-suspended", state == SUSPENDED);
    PASS_HUNDREDTHS(150u);
    (void)ActivateTask(Rare);
    EXPECT_MARKS("three-quarters-of-a-frame-later-it-is-too-early", "A");
    PASS_HUNDREDTHS(60u);
    (void)ActivateTask(Rare);
    EXPECT_MARKS("what-was-too-early-began-no-frame", "r");
    PASS_HUNDREDTHS(500u);
    (void)ActivateTask(Rare);
    (void)ActivateTask(Rare);
    EXPECT_MARKS("frames-that-passed-are-not-saved", "rA");
    (void)ActivateTask(Plain);
    (void)ActivateTask(Plain);
    EXPECT_MARKS("a-task-without-a-frame-may-come-at-any-time", "pp");

    (void)ActivateTask(Several);
    (void)ActivateTask(Several);
    EXPECT_MARKS("a-task-of-several-activations-has-one-a-frame", "sA");

    chained = E_OK;
    (void)ActivateTask(Chainer);
    EXPECT_MARKS("a-chained-task-comes-too-early", "cAe");
    EXPECT_IS("so-that-the-caller-goes-on", chained, E_OS_PROTECTION_ARRIVAL);
    PASS_HUNDREDTHS(210u);
    (void)ActivateTask(Chainer);
    EXPECT_MARKS("later-it-is-chained", "cr");

    (void)ActivateTask(Waiter);
    EXPECT_IS("an-event-that-comes-too-early-is-set", SetEvent(Waiter, Go), E_OK);
    EXPECT_MARKS("but-does-not-release-the-task", "wA");
    (void)GetTaskState(Waiter, &state);
    EXPECT("which-waits", state == WAITING);
    EventMaskType set = 0u;
    (void)GetEvent(Waiter, &set);
    EXPECT("and-has-the-event", set == Go);
    PASS_HUNDREDTHS(310u);
    (void)SetEvent(Waiter, Other);
    EXPECT_MARKS("the-next-event-releases-it", "g");
    (void)SetEvent(Waiter, Other);
    EXPECT_MARKS("a-release-begins-a-frame", "A");
    PASS_HUNDREDTHS(310u);
    (void)SetEvent(Waiter, Go);
    EXPECT_MARKS("after-which-it-is-released", "g");

    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("an-isr-that-comes-too-early-does-not-run", "iA");
    PASS_HUNDREDTHS(210u);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("later-it-does", "i");
    carillon_port_pend(CARILLON_ISR_SOURCE_Free);
    carillon_port_pend(CARILLON_ISR_SOURCE_Free);
    EXPECT_MARKS("an-isr-without-a-frame-runs-at-any-time", "ff");

    PASS_HUNDREDTHS(210u);
    (void)SetRelAlarm(Counted, 1u, 1u);
    (void)IncrementCounter(Soft);
    (void)IncrementCounter(Soft);
    EXPECT_MARKS("what-an-alarm-activates-too-early-is-not-activated", "rA");
    (void)CancelAlarm(Counted);

    quiet = true;
    PASS_HUNDREDTHS(210u);
    rare = 0u;
    refused = 0u;
    (void)SetRelAlarm(Tick, 1u, 1u);
    PASS_HUNDREDTHS(4050u);
    (void)CancelAlarm(Tick);
    EXPECT("of-a-clock-that-ticks-thus-fast", (rare + refused) >= 40u);
    EXPECT("every-other-tick-is-too-early", (rare == refused) || (rare == (refused + 1u)));
    FINISH();
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
}
