/* SPDX-License-Identifier: Apache-2.0 */
#include "modes.h"

int main(void);
int main(void)
{
    MARK('M');
    StartOS(test);
}

TASK(Both)
{
    TaskStateType state = 99u;
    EXPECT_MARKS("main-the-startup-hook-and-autostarted-tasks-by-priority", "MSht");
    EXPECT_IS("the-mode-in-the-startup-hook", in_hook, test);
    EXPECT_IS("the-mode-in-a-task", GetActiveApplicationMode(), test);
    (void)GetTaskState(Test, &state);
    EXPECT_IS("an-autostarted-extended-task-waits", state, WAITING);
    (void)GetTaskState(Normal, &state);
    EXPECT_IS("a-task-of-another-mode-is-suspended", state, SUSPENDED);
    (void)IncrementCounter(Soft);
    MARK('.');
    (void)IncrementCounter(Soft);
    EXPECT_MARKS("alarms-of-this-mode-and-of-every-mode-are-set", "2.3");
    (void)SetEvent(Test, Go);
    EXPECT_MARKS("the-autostarted-extended-task-goes-on", "T");
    FINISH();
}
