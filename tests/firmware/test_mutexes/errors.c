/* SPDX-License-Identifier: Apache-2.0 */
/* Every error of a mutex. */

static struct carillon_semaphore done = CARILLON_SEMAPHORE(0);
void ErrorHook(StatusType status)
{
    report("hook", 100u * OSErrorGetServiceId() + status);
}
static void all(void)
{
    report("lock", carillon_mutex_lock(Bus));
    report("within", carillon_mutex_lock_within(Bus, 0u));
    report("unlock", carillon_mutex_unlock(Bus));
}
TASK(Basic)
{
    all();
    TerminateTask();
}
ISR(Button)
{
    all();
}
THREAD(Other)
{
}
THREAD(Above)
{
    report("ceiling", carillon_mutex_lock(Low));
    report("none", carillon_mutex_unlock(7u));
    report("late", carillon_mutex_lock_within(Bus, T(300)));
    report("now", carillon_mutex_lock_within(Bus, 0u));
    report("long", carillon_mutex_lock_within(Bus, (carillon_duration)-1));
    report("foreign", carillon_mutex_unlock(Bus));
    (void)carillon_semaphore_v(&done);
    report("in-time", carillon_mutex_lock_within(Bus, T(5000)));
}
THREAD(Main)
{
    (void)ActivateTask(Basic);
    carillon_port_pend(CARILLON_ISR_SOURCE_Button);
    report("fine", carillon_mutex_lock(Bus));
    report("twice", carillon_mutex_lock(Bus));
    report("twice", carillon_mutex_lock_within(Bus, T(100)));
    (void)ActivateTask(Above);
    (void)carillon_semaphore_p(&done);
    GetResource(RES_SCHEDULER);
    report("resource", carillon_mutex_lock(Low));
    report("resource", carillon_mutex_unlock(Bus));
    ReleaseResource(RES_SCHEDULER);
    DisableAllInterrupts();
    report("disabled", carillon_mutex_unlock(Bus));
    EnableAllInterrupts();
    report("fine", carillon_mutex_unlock(Bus));
    report("free", carillon_mutex_unlock(Bus));
    report("ended", carillon_mutex_lock_within(Bus, 0u));
    carillon_port_halt();
}
