/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static StatusType statuses[8];
static EventMaskType seen[8];

static EventMaskType events_of(TaskType task)
{
    EventMaskType mask = 0xDEADu;
    (void)GetEvent(task, &mask);
    return mask;
}

static TaskStateType state_of(TaskType task)
{
    TaskStateType state = 99u;
    (void)GetTaskState(task, &state);
    return state;
}

TASK(Main)
{
    EXPECT("the-masks-of-a-tasks-events-are-disjoint", (A & B) == 0u && (B & C) == 0u && (A & C) == 0u);
    EXPECT("no-mask-is-empty", A != 0u && B != 0u && C != 0u);
    (void)ActivateTask(High);
    EXPECT_MARKS("a-task-waits", "h");
    EXPECT_IS("it-is-waiting", state_of(High), WAITING);
    EXPECT_IS("a-waiting-tasks-events-can-be-read", events_of(High), 0);

    EXPECT_IS("setting-an-event-it-does-not-wait-for-returns-ok", SetEvent(High, B), E_OK);
    EXPECT_MARKS("an-event-it-does-not-wait-for-does-not-release-it", "");
    EXPECT_IS("it-still-waits", state_of(High), WAITING);
    EXPECT_IS("but-the-event-is-set", events_of(High), B);
    EXPECT_IS("setting-it-again-returns-ok", SetEvent(High, B), E_OK);
    EXPECT_IS("an-event-is-set-once", events_of(High), B);
    EXPECT_IS("setting-no-event-at-all-returns-ok", SetEvent(High, 0), E_OK);
    EXPECT_IS("and-changes-nothing", events_of(High), B);

    (void)SetEvent(High, A | C);
    EXPECT_MARKS("the-event-it-waits-for-releases-it", "H");
    EXPECT_IS("wait-event-returns-ok", statuses[0], E_OK);
    EXPECT_IS("waiting-clears-nothing", seen[0], A | B | C);
    EXPECT_IS("clear-event-returns-ok", statuses[1], E_OK);
    EXPECT_IS("clear-event-clears-just-what-it-names", seen[1], B);
    EXPECT_IS("wait-event-for-an-event-that-is-set-returns-ok", statuses[2], E_OK);
    EXPECT_IS("clearing-an-event-that-is-not-set-returns-ok", statuses[3], E_OK);
    EXPECT_IS("and-leaves-the-others", seen[2], B);
    EXPECT_IS("a-running-task-sets-its-own-event", statuses[4], E_OK);
    EXPECT_IS("its-own-event-is-set", seen[3], B | C);

    EXPECT_IS("it-waits-for-either-of-two", state_of(High), WAITING);
    (void)SetEvent(High, A);
    EXPECT_MARKS("the-first-of-two-releases-it", "1");
    (void)SetEvent(High, B);
    EXPECT_MARKS("the-second-of-two-releases-it", "2");
    (void)SetEvent(High, A | B);
    EXPECT_MARKS("both-of-two-release-it-once", "3");
    EXPECT_IS("both-are-set", seen[4], A | B);

    (void)ActivateTask(Basic);
    EXPECT_MARKS("a-basic-task-sets-an-event", "b4b");

    EXPECT_IS("activating-a-lower-extended-task-returns-ok", ActivateTask(Low), E_OK);
    EXPECT_IS("an-event-of-a-ready-task-is-set", SetEvent(Low, A), E_OK);
    EXPECT_IS("an-event-of-a-ready-task-is-read", events_of(Low), A);
    TerminateTask();
}

TASK(High)
{
    MARK('h');
    statuses[0] = WaitEvent(A);
    MARK('H');
    seen[0] = events_of(High);
    statuses[1] = ClearEvent(A | C);
    seen[1] = events_of(High);
    statuses[2] = WaitEvent(B);
    statuses[3] = ClearEvent(A);
    seen[2] = events_of(High);
    statuses[4] = SetEvent(High, C);
    seen[3] = events_of(High);
    (void)ClearEvent(A | B | C);

    (void)WaitEvent(A | B);
    MARK('1');
    (void)ClearEvent(A | B);
    (void)WaitEvent(A | B);
    MARK('2');
    (void)ClearEvent(A | B);
    (void)WaitEvent(A | B);
    MARK('3');
    seen[4] = events_of(High);
    (void)ClearEvent(A | B);

    (void)WaitEvent(C);
    MARK('4');
    TerminateTask();
}

TASK(Basic)
{
    MARK('b');
    (void)SetEvent(High, C);
    MARK('b');
    TerminateTask();
}

TASK(Low)
{
    (void)WaitEvent(A);
    MARK('l');
    EXPECT_IS("the-event-set-while-it-was-ready-is-there", events_of(Low), A);
    (void)ClearEvent(A);
    (void)ActivateTask(High);
    EXPECT_IS("a-suspended-task-begins-anew", state_of(High), WAITING);
    EXPECT_IS("with-its-events-cleared", events_of(High), 0);
    EXPECT_MARKS("the-lower-task-went-on-without-waiting", "lh");
    FINISH();
}
