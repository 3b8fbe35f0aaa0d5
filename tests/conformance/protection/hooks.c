/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

#define PASS_HUNDREDTHS(hundredths) carillon_work((hundredths) * (CARILLON_CLOCK_HZ / 100000u))

enum how { PLAINLY, ENDLESSLY, FAILING, PREEMPTED };
static volatile enum how how;
static volatile bool pre_is_long;
static volatile bool post_is_long;
static volatile TaskType struck = INVALID_TASK;

/* A letter for the task that runs. */
static void mark_task(char first)
{
    TaskType task = INVALID_TASK;
    (void)GetTaskID(&task);
    MARK((task == Main) ? first : (task == Careful) ? (char)(first + 1) : (char)(first + 2));
}

void PreTaskHook(void)
{
    mark_task('a');
    PASS_HUNDREDTHS(pre_is_long ? 300u : 1u);
}

void PostTaskHook(void)
{
    mark_task('x');
    PASS_HUNDREDTHS(post_is_long ? 300u : 1u);
}

void ErrorHook(StatusType error)
{
    (void)error;
    MARK('E');
    PASS_HUNDREDTHS(300u);
}

ProtectionReturnType ProtectionHook(StatusType error)
{
    TaskType task = INVALID_TASK;
    (void)GetTaskID(&task);
    struck = task;
    MARK((error == E_OS_PROTECTION_TIME) ? 'P' : '?');
    return PRO_TERMINATETASKISR;
}

TASK(Careful)
{
    PASS_HUNDREDTHS(100u);
    if (how == FAILING) {
        (void)ActivateTask(Main);
        MARK('!');
    } else if (how == PREEMPTED) {
        (void)ActivateTask(High);
        PASS_HUNDREDTHS(60u);
        MARK('.');
    } else {
        while (how == ENDLESSLY) {
            PASS_HUNDREDTHS(1u);
        }
    }
    TerminateTask();
}

TASK(High)
{
    PASS_HUNDREDTHS(400u);
    TerminateTask();
}

TASK(Chainer)
{
    PASS_HUNDREDTHS(100u);
    (void)ChainTask(Next);
    MARK('!');
}

TASK(Next)
{
    TerminateTask();
}

TASK(Main)
{
    (void)ActivateTask(Careful);
    EXPECT_MARKS("the-hooks-of-a-task-that-ends-in-time", "axbya");

    how = ENDLESSLY;
    (void)ActivateTask(Careful);
    EXPECT_MARKS("the-same-are-called-for-one-that-is-ended", "xbPya");
    EXPECT("which-the-protection-hook-knows", struck == Careful);

    how = FAILING;
    (void)ActivateTask(Careful);
    EXPECT_MARKS("the-error-hook-is-the-callers-time-and-is-not-cut-off", "xbEPya");

    how = PLAINLY;
    pre_is_long = true;
    (void)ActivateTask(Careful);
    EXPECT_MARKS("a-long-pretask-hook-is-nobodys-time", "xbya");
    pre_is_long = false;
    post_is_long = true;
    (void)ActivateTask(Careful);
    EXPECT_MARKS("nor-is-a-long-posttask-hook", "xbya");
    (void)ActivateTask(Chainer);
    EXPECT_MARKS("nor-at-the-end-of-a-task-that-chains-another", "xczcza");

    how = PREEMPTED;
    pre_is_long = true;
    (void)ActivateTask(Careful);
    EXPECT_MARKS("nor-where-a-higher-task-preempts-it-and-it-goes-on", "xbyczb.ya");
    FINISH();
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
}
