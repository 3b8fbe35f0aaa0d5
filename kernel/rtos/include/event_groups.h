/* SPDX-License-Identifier: Apache-2.0
 *
 * Event groups of FreeRTOS, of 32 bits. */
#ifndef EVENT_GROUPS_H
#define EVENT_GROUPS_H

#include "FreeRTOS.h"
#include "timers.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carillon_rtos_flags *EventGroupHandle_t;
typedef uint32_t EventBits_t;

static inline EventGroupHandle_t xEventGroupCreate(void)
{
    const struct carillon_rtos_place place = carillon_freertos_place(NULL, 0u);
    return carillon_rtos_flags_new(&place);
}

static inline EventGroupHandle_t xEventGroupCreateStatic(StaticEventGroup_t *memory)
{
    const struct carillon_rtos_place place = carillon_freertos_place(memory, sizeof(*memory));
    return (memory == NULL) ? NULL : carillon_rtos_flags_new(&place);
}

static inline void vEventGroupDelete(EventGroupHandle_t group)
{
    (void)carillon_rtos_delete(group, CARILLON_RTOS_FLAGS);
}

static inline EventBits_t xEventGroupSetBits(EventGroupHandle_t group, EventBits_t bits)
{
    return carillon_rtos_flags_set(group, bits);
}

static inline EventBits_t xEventGroupClearBits(EventGroupHandle_t group, EventBits_t bits)
{
    return carillon_rtos_flags_clear(group, bits);
}

static inline EventBits_t xEventGroupGetBits(EventGroupHandle_t group)
{
    return group->value;
}

static inline EventBits_t xEventGroupWaitBits(EventGroupHandle_t group, EventBits_t bits, BaseType_t clears,
                                              BaseType_t all, TickType_t ticks)
{
    EventBits_t found = 0u;
    const uint8_t options = (uint8_t)(CARILLON_RTOS_TOGETHER | ((clears != pdFALSE) ? 0u : CARILLON_RTOS_KEEP) |
                                      ((all != pdFALSE) ? CARILLON_RTOS_ALL : 0u));
    (void)carillon_rtos_flags_wait(group, 0u, bits, options, ticks, &found);
    return found;
}

static inline EventBits_t xEventGroupSync(EventGroupHandle_t group, EventBits_t set, EventBits_t bits, TickType_t ticks)
{
    EventBits_t found = 0u;
    (void)carillon_rtos_flags_wait(group, set, bits, CARILLON_RTOS_TOGETHER | CARILLON_RTOS_ALL, ticks, &found);
    return found;
}

/* The bits are set at once, and not by a timer task. */
static inline BaseType_t xEventGroupSetBitsFromISR(EventGroupHandle_t group, EventBits_t bits, BaseType_t *woken)
{
    carillon_freertos_woken(woken);
    (void)carillon_rtos_flags_set(group, bits);
    return pdPASS;
}
#define xEventGroupClearBitsFromISR(group, bits) xEventGroupClearBits((group), (bits))
#define xEventGroupGetBitsFromISR(group) xEventGroupGetBits(group)

#ifdef __cplusplus
}
#endif

#endif
