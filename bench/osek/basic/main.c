/* SPDX-License-Identifier: Apache-2.0 */
#include "../mark.h"
#include "os.h"

static volatile StatusType status;

TASK(Lowest)
{
    carillon_work(20);
    TerminateTask();
}

TASK(Low)
{
    carillon_work(20);
    TerminateTask();
}

TASK(Measure)
{
    carillon_work(20);
    MARK(activate_higher_begin);
    (void)ActivateTask(High);
    MARK(high_over);
    carillon_work(20);
    MARK(activate_lower_begin);
    (void)ActivateTask(Low);
    MARK(activate_lower_end);
    carillon_work(20);
    MARK(activate_lower_checked_begin);
    status = ActivateTask(Lowest);
    MARK(activate_lower_checked_end);
    carillon_work(20);
    MARK(get_resource_begin);
    (void)GetResource(Shared);
    MARK(get_resource_end);
    carillon_work(20);
    MARK(release_resource_begin);
    (void)ReleaseResource(Shared);
    MARK(release_resource_end);
    carillon_work(20);
    TerminateTask();
}

TASK(High)
{
    SMALL_WORK(20);
    MARK_END(terminate_basic_begin);
    TerminateTask();
}
