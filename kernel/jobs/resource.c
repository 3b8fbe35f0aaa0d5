/* SPDX-License-Identifier: Apache-2.0
 *
 * Resources: chapter 13.4, the priority ceiling protocol.  Taking a resource raises the task or ISR that runs to
 * the ceiling, so nothing else that would take the resource runs.
 *
 * Extended status also keeps who holds what.  A task or ISR that preempts another one has released all of its
 * resources before the other one goes on.  A task that holds a resource cannot wait.  So all resources that are
 * held form one stack. */
#include "kernel/jobs/resource.h"

#if CARILLON_OSEK_RESOURCES > 0

#if CARILLON_OSEK_EXTENDED
#define NONE 255u
static volatile uint8_t top = NONE;
static uint8_t below[CARILLON_OSEK_RESOURCES];
static uint16_t osek_resource_holders[CARILLON_OSEK_RESOURCES]; /* who, plus 1; 0: free */

/* Who calls: an ISR by its source, a task by its number. */
static uint16_t who(void)
{
    if (carillon_osek_place() == IN_ISR2) {
        return (uint16_t)(carillon_port_current() + 256u);
    }
    return (uint16_t)carillon_osek_running;
}

/* The level of the caller by itself. */
static uint8_t own_level(void)
{
    if (carillon_osek_place() == IN_ISR2) {
        return (uint8_t)(carillon_osek_contexts[carillon_port_current()] & CARILLON_OSEK_LEVEL);
    }
    return carillon_osek_tasks[carillon_osek_running].level;
}

bool carillon_osek_holds_none(void)
{
    return (top == NONE) || (osek_resource_holders[top] != (who() + 1u));
}

void carillon_osek_resources_reset(void)
{
    while (!carillon_osek_holds_none()) { /* bounded by the number of resources */
        osek_resource_holders[top] = 0u;
        top = below[top];
    }
}

void carillon_osek_resources_release(void)
{
    while (!carillon_osek_holds_none()) { /* bounded by the number of resources */
        const uint8_t resource = top;
        osek_resource_holders[resource] = 0u;
        top = below[resource];
        carillon_slice_let_go(carillon_osek_ceilings[resource]);
    }
}

static void note_taken(ResourceType resource)
{
    const uint32_t locked = carillon_osek_lock();
    osek_resource_holders[resource] = (uint16_t)(who() + 1u);
    below[resource] = top;
    top = resource;
    carillon_osek_unlock(locked);
}

static void note_released(ResourceType resource)
{
    const uint32_t locked = carillon_osek_lock();
    osek_resource_holders[resource] = 0u;
    top = below[resource];
    carillon_osek_unlock(locked);
}
#else
static inline void note_taken(ResourceType resource)
{
    (void)resource;
}

static inline void note_released(ResourceType resource)
{
    (void)resource;
}
#endif

/* In standard status, the macro of the same name (carillon/osek.h) may stand in its place, and checks nothing. */
StatusType(GetResource)(ResourceType resource)
{
    CHECK_PLACE(IN_TASK | IN_ISR2, OSServiceId_GetResource, .object = resource);
    CHECK(resource < CARILLON_OSEK_RESOURCES, OSServiceId_GetResource, E_OS_ID, .object = resource);
    CHECK((osek_resource_holders[resource] == 0u) && (own_level() <= carillon_osek_ceilings[resource]),
          OSServiceId_GetResource, E_OS_ACCESS, .object = resource);
    carillon_slice_hold(carillon_osek_ceilings[resource]);
    const uint32_t saved = carillon_osek_raise(carillon_osek_ceilings[resource]);
    carillon_osek_saved[resource] = saved;
    note_taken(resource);
    LOCK_BEGINS(resource);
    return E_OK;
}

StatusType(ReleaseResource)(ResourceType resource)
{
    CHECK_PLACE(IN_TASK | IN_ISR2, OSServiceId_ReleaseResource, .object = resource);
    CHECK(resource < CARILLON_OSEK_RESOURCES, OSServiceId_ReleaseResource, E_OS_ID, .object = resource);
    CHECK(top == resource, OSServiceId_ReleaseResource, E_OS_NOFUNC, .object = resource);
    CHECK(own_level() <= carillon_osek_ceilings[resource], OSServiceId_ReleaseResource, E_OS_ACCESS,
          .object = resource);
    LOCK_ENDS(resource);
    note_released(resource);
    carillon_osek_lower(carillon_osek_saved[resource]);
    carillon_slice_let_go(carillon_osek_ceilings[resource]);
    return E_OK;
}

#endif
