/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors, and where a call comes from. */
#include "kernel/jobs/error.h"

struct carillon_osek_failure carillon_osek_failure;

#if CARILLON_OSEK_ERROR_HOOK
StatusType carillon_osek_fail(const struct carillon_osek_failure *failure, StatusType status)
{
    if ((carillon_osek_hook & IN_ERROR_HOOK) == 0u) {
        const uint32_t saved = carillon_osek_lock();
        /* From here on, an ISR of category 1 whose call fails does not tell it, nor write what follows. */
        const struct carillon_osek_hook_state before = carillon_osek_enter_hook(IN_ERROR_HOOK);
        carillon_osek_failure = *failure;
        carillon_osek_failure.status = status;
        CARILLON_NOTE(carillon_osek_fail);
        ErrorHook(status);
        carillon_osek_leave_hook(before);
        carillon_osek_unlock(saved);
    }
    return status;
}
#endif

#if CARILLON_OSEK_BUDGETS || (CARILLON_OSEK_FRAMES > 0)
ProtectionReturnType carillon_osek_ask_protection(StatusType error)
{
    CARILLON_NOTE(carillon_osek_ask_protection);
    if (!CARILLON_OSEK_PROTECTION_HOOK) {
        return PRO_SHUTDOWN;
    }
    const struct carillon_osek_hook_state before = carillon_osek_enter_hook(IN_PROTECTION_HOOK);
    const ProtectionReturnType answer = ProtectionHook(error);
    carillon_osek_leave_hook(before);
    return answer;
}
#endif

#if CARILLON_OSEK_LEVEL_CELLS && CARILLON_OSEK_ERROR_HOOK
void carillon_osek_cell_fails(uint8_t action, TaskType object, EventMaskType event, StatusType status)
{
    const OSServiceIdType service =
        (action == CARILLON_ACTION_ACTIVATE) ? OSServiceId_ActivateTask : OSServiceId_SetEvent;
    (void)FAIL(service, status, .object = object, .first = event);
}
#endif

#if CARILLON_OSEK_EXTENDED
uint8_t carillon_osek_place(void)
{
    const uint32_t source = carillon_port_current();
    const uint8_t hook = carillon_osek_hook;
    if ((hook != 0u) && (source == carillon_osek_hook_source)) {
        return hook;
    }
    const uint16_t context = (source == 0u) ? 0u : carillon_osek_contexts[source];
    if ((source != 0u) && (context == 0u)) {
        return 0u; /* what is time-triggered */
    }
    if ((context & CARILLON_OSEK_ISR1) != 0u) {
        return IN_ISR1;
    }
    if ((context & CARILLON_OSEK_ISR2) != 0u) {
        return IN_ISR2;
    }
    return (carillon_osek_running != INVALID_TASK) ? IN_TASK : 0u;
}
#endif
