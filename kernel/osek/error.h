/* SPDX-License-Identifier: Apache-2.0
 *
 * What the services check, and how they fail: for kernel/osek alone. */
#ifndef CARILLON_OSEK_ERROR_H
#define CARILLON_OSEK_ERROR_H

#include "kernel/osek/kernel.h"

#include <stddef.h>

/* The places from which services are called, a bit for each.  A service names those that it allows (chapter 12). */
#define IN_TASK 1u
#define IN_ISR1 2u
#define IN_ISR2 4u
#define IN_ERROR_HOOK 8u
#define IN_TASK_HOOK 16u
#define IN_SYSTEM_HOOK 32u /* StartupHook or ShutdownHook: no service allows only one of them */
#define IN_PROTECTION_HOOK 64u
#define IN_CALLBACK 128u

/* The hook or callback that runs, 0: none. */
extern volatile uint8_t carillon_osek_hook;

/* What an interrupt that comes over a hook calls is not called from the hook: so it is kept, too, in which interrupt's
 * handler the hook runs.
 *
 * 1. Of what comes over a hook each has a source of its own, which is not yet being served.  So the current source is
 * the hook's own only in what the hook calls.
 * 2. The two words are written one after the other.  Who comes between finds the source of neither the hook that is
 *    entered nor of one beneath it, by 1, whatever the other word says.  The AVR writes a word in two steps, but its
 *    sources are below 256, so that only one of them changes anything. */
struct carillon_osek_hook_state {
    uint8_t hook;
#if CARILLON_OSEK_EXTENDED
    uint16_t source;
#endif
#if CARILLON_OSEK_BUDGETS
    bool counts;
#endif
};
#if CARILLON_OSEK_EXTENDED
extern volatile uint16_t carillon_osek_hook_source;
#endif

#if CARILLON_OSEK_LOCKS > 0
/* The caller has a lock, or is to have it no more (CARILLON_LOCK_ALL, ...; a resource by its number). */
void carillon_osek_lock_begins(uint32_t lock);
void carillon_osek_lock_ends(uint32_t lock);
#define LOCK_BEGINS(lock) carillon_osek_lock_begins(lock)
#define LOCK_ENDS(lock) carillon_osek_lock_ends(lock)
#else
#define LOCK_BEGINS(lock)
#define LOCK_ENDS(lock)
#endif

/* Enter a hook or callback.  Returns what carillon_osek_leave_hook gets when it has returned. */
static inline struct carillon_osek_hook_state carillon_osek_enter_hook(uint8_t hook)
{
    const struct carillon_osek_hook_state before = {
        .hook = carillon_osek_hook,
#if CARILLON_OSEK_EXTENDED
        .source = carillon_osek_hook_source,
#endif
#if CARILLON_OSEK_BUDGETS
        .counts = carillon_budget_before_hook(),
#endif
    };
#if CARILLON_OSEK_EXTENDED
    carillon_osek_hook_source = (uint16_t)carillon_port_current();
#endif
    carillon_osek_hook = hook;
    return before;
}

static inline void carillon_osek_leave_hook(struct carillon_osek_hook_state before)
{
    carillon_osek_hook = before.hook;
#if CARILLON_OSEK_EXTENDED
    carillon_osek_hook_source = before.source;
#endif
#if CARILLON_OSEK_BUDGETS
    if (before.counts) {
        carillon_budget_after_hook();
    }
#endif
}

/* Call the error hook, unless the failing call is in that hook itself.  Returns `status`. */
#if CARILLON_OSEK_ERROR_HOOK
StatusType carillon_osek_fail(const struct carillon_osek_failure *failure, StatusType status);
#define FAIL(service_, status, ...) \
    carillon_osek_fail(&(struct carillon_osek_failure){.service = (service_), __VA_ARGS__}, (status))
#else
#define FAIL(service_, status, ...) (status)
#endif

/* Ask ProtectionHook what is to become of a protection error; without the hook the system is to be shut down.  Locked.
 */
ProtectionReturnType carillon_osek_ask_protection(StatusType error);

/* Return `status` from the service unless `holds`. */
#define REQUIRE(holds, service_, status, ...)               \
    do {                                                    \
        if (!(holds)) {                                     \
            return FAIL((service_), (status), __VA_ARGS__); \
        }                                                   \
    } while (false)

#if CARILLON_OSEK_EXTENDED
/* Which of the places above the call is in. */
uint8_t carillon_osek_place(void);

/* Whether one of the services that disable interrupts is in force. */
bool carillon_osek_interrupts_disabled(void);

/* Whether the caller holds no resource, internal resources not counted. */
#if CARILLON_OSEK_RESOURCES > 0
bool carillon_osek_holds_none(void);
#else
static inline bool carillon_osek_holds_none(void)
{
    return true;
}
#endif

#define CHECK REQUIRE
/* A reference must lead somewhere (AUTOSAR OS, SWS_Os_00566). */
#define CHECK_POINTER(pointer, service_, ...) REQUIRE((pointer) != NULL, service_, E_OS_PARAM_POINTER, __VA_ARGS__)
#define CHECK_PLACE(allowed, service_, ...)                                                   \
    REQUIRE((carillon_osek_place() & (allowed)) != 0u, service_, E_OS_CALLEVEL, __VA_ARGS__); \
    REQUIRE(!carillon_osek_interrupts_disabled(), service_, E_OS_DISABLEDINT, __VA_ARGS__)
#else
#define CHECK(holds, service_, status, ...)
#define CHECK_POINTER(pointer, service_, ...)
#define CHECK_PLACE(allowed, service_, ...)
#endif

/* Forget what a task that ended without TerminateTask has left behind; and release what an ISR has taken. */
#if (CARILLON_OSEK_RESOURCES > 0) && CARILLON_OSEK_EXTENDED
void carillon_osek_resources_reset(void);
void carillon_osek_resources_release(void);
#else
static inline void carillon_osek_resources_reset(void)
{
}
static inline void carillon_osek_resources_release(void)
{
}
#endif
void carillon_osek_interrupts_reset(void);

/* The task that runs, or that interrupts alone have preempted; INVALID_TASK if there is none. */
TaskType carillon_osek_current(void);

/* The services, under other names than those by which the linker chooses the vectors. */
StatusType carillon_osek_TerminateTask(void);
StatusType carillon_osek_ChainTask(TaskType task);

/* Lower what runs to its own level for a moment. */
#if CARILLON_OSEK_SOFTWARE
static inline void carillon_osek_yield(uint8_t level, uint8_t ceiling)
{
    const carillon_software_state rest = CARILLON_SOFTWARE_LEVEL(1u) - 1u;
    carillon_osek_lower((carillon_osek_mask() & rest) | CARILLON_SOFTWARE_LEVEL(level));
    (void)carillon_osek_raise(ceiling);
}
#else
static inline void carillon_osek_yield(uint8_t level, uint8_t ceiling)
{
    carillon_port_restore(carillon_port_mask_of(level));
    (void)carillon_port_raise(ceiling);
}
#endif

#endif
