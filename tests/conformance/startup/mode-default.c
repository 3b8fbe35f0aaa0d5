/* SPDX-License-Identifier: Apache-2.0 */
#include "modes.h"

TASK(Both)
{
    TaskStateType state = 99u;
    EXPECT_IS("the-mode-in-the-startup-hook", in_hook, normal);
    EXPECT_IS("the-default-mode-is-the-first", OSDEFAULTAPPMODE, normal);
    EXPECT_IS("the-mode-in-a-task", GetActiveApplicationMode(), normal);
    EXPECT("modes-have-different-numbers", normal != test && test != empty && normal != empty);
    EXPECT("autostarted-tasks-run-by-priority-after-the-startup-hook",
           conformance_marked == 4u && conformance_marks[0] == 'S' && conformance_marks[1] == 'h');
    EXPECT("both-equal-tasks-ran", conformance_marks[2] + conformance_marks[3] == 'n' + 'o');
    conformance_marked = 0;
    (void)GetTaskState(Test, &state);
    EXPECT_IS("a-task-of-another-mode-is-suspended", state, SUSPENDED);
    (void)IncrementCounter(Soft);
    MARK('.');
    (void)IncrementCounter(Soft);
    EXPECT_MARKS("alarms-of-this-mode-and-of-every-mode-are-set", "1.3");
    EXPECT_IS("a-task-of-another-mode-can-be-activated", ActivateTask(Test), E_OK);
    EXPECT_MARKS("and-runs", "t");
    FINISH();
}
