/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that end where they stand and, with WITHIN, in a function that they call: every task keeps what a preempted one
 * has in its registers. */
static int number;

__attribute__((noinline)) static void ends(int depth)
{
    if (depth > 0) {
        ends(depth - 1);
        __asm__ volatile("");
    } else if (number % 2 != 0) {
        TerminateTask();
    } else {
        ChainTask(Middle);
    }
}

TASK(Low)
{
    for (int turn = 0; turn < 5; turn++) {
        const int kept = turn * 7;
        (void)ActivateTask(Middle);
        report("low", kept);
        SetEvent(Waiting, Go);
    }
    report("over", number);
    ChainTask(Urgent);
}

TASK(Middle)
{
    number++;
    (void)ActivateTask(High);
    report("middle", number);
    if (WITHIN && number > 2) {
        ends((number % 3) + 1);
    }
    TerminateTask();
}

TASK(High)
{
    report("high", number);
    if (WITHIN && number == 4) {
        ends(2);
    }
    TerminateTask();
}

TASK(Urgent)
{
    TaskStateType state;
    (void)GetTaskState(Low, &state);
    report("state", state);
    TerminateTask();
}

TASK(Waiting)
{
    for (;;) {
        WaitEvent(Go);
        ClearEvent(Go);
        report("woken", number);
        (void)ActivateTask(High);
    }
}
