/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that wait, end deep in calls, and are activated in each other. */

__attribute__((noinline)) static void deep(unsigned depth)
{
    volatile unsigned here = depth;
    if (depth == 0u) {
        TerminateTask();
    }
    deep(depth - 1u);
    (void)here;
}
TASK(Low)
{
    (void)ActivateTask(Nested);
    carillon_work(10u);
    carillon_port_pend(CARILLON_ISR_SOURCE_Button);
    carillon_work(10u);
    (void)SetEvent(Extended, Go);
    carillon_work(10u);
    (void)ActivateTask(Direct);
    deep(2u);
}
TASK(Extended)
{
    for (;;) {
        WaitEvent(Go);
        ClearEvent(Go);
        carillon_work(10u);
        (void)ActivateTask(Nested);
        carillon_work(10u);
    }
}
TASK(Nested)
{
    deep(3u);
}
TASK(Other)
{
    TerminateTask();
}
TASK(Direct)
{
    (void)ActivateTask(Nested);
    (void)ActivateTask(Nested);
    carillon_work(10u);
    carillon_port_pend(CARILLON_ISR_SOURCE_Button);
    carillon_work(10u);
    TerminateTask();
}
ISR(Button)
{
    static unsigned first;
    if (first++ == 0u) {
        (void)ActivateTask(Other);
    }
}
