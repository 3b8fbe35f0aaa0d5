/* SPDX-License-Identifier: Apache-2.0
 *
 * What the services check, and how they fail: for the kernel alone. */
#ifndef CARILLON_OSEK_ERROR_H
#define CARILLON_OSEK_ERROR_H

#include "kernel/levels/interrupt.h"
#include "kernel/levels/level_hooks.h"

#include <stddef.h>

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

/* The action of a cell failed. */
#if CARILLON_OSEK_ERROR_HOOK
void carillon_osek_cell_fails(uint8_t action, TaskType object, EventMaskType event, StatusType status);
#else
static inline void carillon_osek_cell_fails(uint8_t action, TaskType object, EventMaskType event, StatusType status)
{
    (void)action;
    (void)object;
    (void)event;
    (void)status;
}
#endif

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

#endif
