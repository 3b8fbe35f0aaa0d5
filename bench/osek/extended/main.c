/* SPDX-License-Identifier: Apache-2.0 */
#include "../mark.h"
#include "os.h"

TASK(Basic)
{
    carillon_work(20);
    MARK(activate_extended_begin);
    (void)ActivateTask(Upper);
    MARK(basic_goes_on);
    carillon_work(20);
    MARK(set_event_begin);
    (void)SetEvent(Upper, Go);
    MARK(basic_goes_on_again);
    carillon_work(20);
    TerminateTask();
}

TASK(Extended)
{
    carillon_work(20);
    (void)ActivateTask(Upper);
    MARK(extended_goes_on);
    carillon_work(20);
    MARK(set_event_extended_begin);
    (void)SetEvent(Upper, Go);
    MARK(extended_goes_on_again);
    carillon_work(20);
    TerminateTask();
}

TASK(Upper)
{
    carillon_work(20);
    MARK(wait_event_begin);
    (void)WaitEvent(Go);
    MARK(woken);
    carillon_work(20);
    MARK(terminate_extended_begin);
    TerminateTask();
}
