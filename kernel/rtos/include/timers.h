/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers of FreeRTOS.  There is no timer task: the functions run in the clock's interrupt, and what starts or stops a
 * timer does so at once.  So no call waits, whatever time it names. */
#ifndef TIMERS_H
#define TIMERS_H

#include "FreeRTOS.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *TimerHandle_t;
typedef void (*TimerCallbackFunction_t)(TimerHandle_t timer);

/* Internal. */
static inline struct carillon_rtos_timer *carillon_freertos_timer(TimerHandle_t timer)
{
    return (struct carillon_rtos_timer *)timer;
}

static inline TimerHandle_t xTimerCreateStatic(const char *name, TickType_t period, BaseType_t periodic, void *id,
                                               TimerCallbackFunction_t function, StaticTimer_t *memory)
{
    struct carillon_rtos_place place = carillon_freertos_place(memory, sizeof(*memory));
    place.name = name;
    struct carillon_rtos_timer *const timer =
        (period == 0u) ? NULL : carillon_rtos_timer_new(function, NULL, periodic != pdFALSE, &place);
    if (timer != NULL) {
        timer->argument = timer;
        timer->id = id;
        timer->ticks = period;
    }
    return timer;
}

static inline TimerHandle_t xTimerCreate(const char *name, TickType_t period, BaseType_t periodic, void *id,
                                         TimerCallbackFunction_t function)
{
    return xTimerCreateStatic(name, period, periodic, id, function, NULL);
}

static inline BaseType_t xTimerStart(TimerHandle_t timer, TickType_t wait)
{
    (void)wait;
    return carillon_freertos_result(
        carillon_rtos_timer_start(carillon_freertos_timer(timer), carillon_freertos_timer(timer)->ticks));
}
#define xTimerReset(timer, wait) xTimerStart((timer), (wait))

static inline BaseType_t xTimerStop(TimerHandle_t timer, TickType_t wait)
{
    (void)wait;
    (void)carillon_rtos_timer_stop(carillon_freertos_timer(timer));
    return pdPASS;
}

static inline BaseType_t xTimerChangePeriod(TimerHandle_t timer, TickType_t period, TickType_t wait)
{
    (void)wait;
    return carillon_freertos_result(carillon_rtos_timer_start(carillon_freertos_timer(timer), period));
}

static inline BaseType_t xTimerDelete(TimerHandle_t timer, TickType_t wait)
{
    (void)wait;
    return carillon_freertos_result(carillon_rtos_delete(timer, CARILLON_RTOS_TIMER));
}

static inline BaseType_t xTimerIsTimerActive(TimerHandle_t timer)
{
    return carillon_rtos_timer_runs(carillon_freertos_timer(timer)) ? pdTRUE : pdFALSE;
}

static inline void *pvTimerGetTimerID(TimerHandle_t timer)
{
    return carillon_freertos_timer(timer)->id;
}

static inline void vTimerSetTimerID(TimerHandle_t timer, void *id)
{
    carillon_freertos_timer(timer)->id = id;
}

static inline const char *pcTimerGetName(TimerHandle_t timer)
{
    return carillon_freertos_timer(timer)->object.name;
}

static inline TickType_t xTimerGetPeriod(TimerHandle_t timer)
{
    return carillon_freertos_timer(timer)->ticks;
}

static inline BaseType_t xTimerStartFromISR(TimerHandle_t timer, BaseType_t *woken)
{
    carillon_freertos_woken(woken);
    return xTimerStart(timer, 0u);
}
#define xTimerResetFromISR(timer, woken) xTimerStartFromISR((timer), (woken))

static inline BaseType_t xTimerStopFromISR(TimerHandle_t timer, BaseType_t *woken)
{
    carillon_freertos_woken(woken);
    return xTimerStop(timer, 0u);
}

static inline BaseType_t xTimerChangePeriodFromISR(TimerHandle_t timer, TickType_t period, BaseType_t *woken)
{
    carillon_freertos_woken(woken);
    return xTimerChangePeriod(timer, period, 0u);
}

#ifdef __cplusplus
}
#endif

#endif
