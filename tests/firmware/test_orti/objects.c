/* SPDX-License-Identifier: Apache-2.0 */
/* All objects of the system.  `here` is called in every task and in the ISR. */

__attribute__((noinline)) static void here(unsigned place);

TASK(Low)
{
    here(0u);
    (void)GetResource(Bus);
    (void)SetRelAlarm(Later, 3u, 0u);
    (void)SetRelAlarm(Later, 4u, 0u);
    (void)IncrementCounter(Clicks);
    carillon_port_pend(CARILLON_ISR_SOURCE_Button);
    (void)ReleaseResource(Bus);
    (void)SetEvent(Server, Go);
    here(1u);
    carillon_port_halt();
}

TASK(Server)
{
    WaitEvent(Go);
    (void)ClearEvent(Go);
    here(2u);
    (void)ActivateTask(Twice);
    (void)ActivateTask(High);
    TerminateTask();
}

TASK(Pair)
{
    here(3u);
    TerminateTask();
}

TASK(Twice)
{
    here(4u);
    (void)ActivateTask(Pair);
    here(5u);
    TerminateTask();
}

TASK(High)
{
    (void)ActivateTask(Pair);
    here(6u);
    TerminateTask();
}

ISR(Button)
{
    (void)ActivateTask(High);
    (void)ActivateTask(Twice);
    here(7u);
}
