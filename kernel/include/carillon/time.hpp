/* SPDX-License-Identifier: Apache-2.0
 *
 * The time services of carillon/time.h for C++17, as classes like those of EPOS (A. A. Froehlich, G. Gracioli,
 * J. F. Santos, Periodic timers revisited, 2011, section III and figure 5).
 *
 * Times are in microseconds.  Periods are exact: fractions of the clock's ticks are carried from one to the next.
 * Nothing here allocates memory, throws, or needs types at run time; what carillon/time.h says of errors and of the
 * places to call from holds here too. */
#ifndef CARILLON_TIME_HPP
#define CARILLON_TIME_HPP

#include <stdint.h>

#include "carillon/time.h"

namespace carillon
{

using Microsecond = uint32_t;
using Second = uint32_t;

constexpr uint64_t microseconds_per_second = 1000000u;

/* Microseconds as ticks of the clock, rounded up, and back, rounded down. */
constexpr carillon_duration ticks(Microsecond time)
{
    return static_cast<carillon_duration>(CARILLON_TICKS(time, microseconds_per_second));
}
constexpr uint64_t microseconds(uint64_t count)
{
    return count * (microseconds_per_second * CARILLON_TIME_HZ_DIVISOR) / CARILLON_TIME_HZ;
}

/* A counting semaphore. */
class Semaphore
{
  public:
    explicit constexpr Semaphore(uint16_t count = 1, uint16_t most = CARILLON_SEMAPHORE_MOST)
        : semaphore{nullptr, count, most}
    {
    }
    Semaphore(const Semaphore &) = delete;
    Semaphore &operator=(const Semaphore &) = delete;

    StatusType p()
    {
        return carillon_semaphore_p(&semaphore);
    }
    StatusType p(Microsecond within)
    {
        return carillon_semaphore_p_within(&semaphore, ticks(within));
    }
    StatusType v()
    {
        return carillon_semaphore_v(&semaphore);
    }

  private:
    friend class Handler_Semaphore;
    carillon_semaphore semaphore;
};

/* What an alarm does. */
class Handler
{
  protected:
    constexpr Handler(uint8_t kind, TaskType task) : alarm{}
    {
        alarm.timed.kind = kind, alarm.timed.task = task;
    }
    carillon_alarm alarm; /* one that does it, to be copied */

  private:
    friend class Alarm;
};

/* Call a function, in the clock's interrupt. */
class Handler_Function : public Handler
{
  public:
    explicit constexpr Handler_Function(void (*function)()) : Handler(CARILLON_TIMED_FUNCTION, 0)
    {
        alarm.handler.function = function;
    }
};

/* Activate a task or thread. */
class Handler_Task : public Handler
{
  public:
    explicit constexpr Handler_Task(TaskType task) : Handler(CARILLON_TIMED_TASK, task)
    {
    }
};
using Handler_Thread = Handler_Task;

/* Set an event of an extended task. */
class Handler_Event : public Handler
{
  public:
    constexpr Handler_Event(TaskType task, EventMaskType event) : Handler(CARILLON_TIMED_EVENT, task)
    {
        alarm.handler.carillon_event = event;
    }
};

/* Give a semaphore a unit. */
class Handler_Semaphore : public Handler
{
  public:
    explicit constexpr Handler_Semaphore(Semaphore *semaphore) : Handler(CARILLON_TIMED_SEMAPHORE, 0)
    {
        alarm.handler.carillon_semaphore = &semaphore->semaphore;
    }
};

/* An alarm that runs from its construction to its destruction, or so many times. */
class Alarm
{
  public:
    static constexpr uint32_t infinite = CARILLON_INFINITE;

    Alarm(Microsecond period, const Handler *handler, uint32_t times = 1) : alarm(handler->alarm)
    {
        set(period);
        result = carillon_alarm_start_exact(&alarm, &exact, times);
    }
    ~Alarm()
    {
        (void)carillon_alarm_discard(&alarm); /* its last handler may have been called */
    }
    Alarm(const Alarm &) = delete;
    Alarm &operator=(const Alarm &) = delete;

    /* What became of the last request: E_OK, E_OS_VALUE, E_OS_STATE. */
    StatusType status() const
    {
        return result;
    }

    StatusType start(Microsecond period, uint32_t times = infinite)
    {
        if (runs()) { /* its period is in use */
            return result = E_OS_STATE;
        }
        set(period);
        return result = carillon_alarm_start_exact(&alarm, &exact, times);
    }
    StatusType stop()
    {
        return result = carillon_alarm_stop(&alarm);
    }

    /* Another period, in whole ticks, from the next interval on. */
    StatusType period(Microsecond period)
    {
        return result = carillon_alarm_change(&alarm, ticks(period));
    }

    static StatusType delay(Microsecond time)
    {
        return carillon_delay(ticks(time));
    }

  private:
    bool runs() const
    {
#if CARILLON_TIME_FAR
        return carillon_event_is_queued(&alarm.timed.event.event);
#else
        return carillon_event_is_queued(&alarm.timed.event);
#endif
    }
    void set(Microsecond period)
    {
        const uint64_t units = static_cast<uint64_t>(period) * CARILLON_TIME_HZ;
        const uint64_t unit = microseconds_per_second * CARILLON_TIME_HZ_DIVISOR;
        exact.whole = CARILLON_WHOLE(units / unit);
        exact.numerator = static_cast<uint32_t>(units % unit);
        exact.denominator = static_cast<uint32_t>(unit);
        exact.remainder = 0;
    }

    carillon_alarm alarm;
    carillon_period exact{};
    StatusType result = E_OK;
};

/* To construct one is to wait. */
class Delay
{
  public:
    explicit Delay(Microsecond time)
    {
        (void)Alarm::delay(time);
    }
};

/* The calendar. */
class Clock
{
  public:
    using Date = carillon_date;

    /* Seconds since 1970; 0 if it has not been set. */
    Second now() const
    {
        Second seconds = 0;
        (void)carillon_calendar_seconds(&seconds);
        return seconds;
    }
    StatusType date(Date &date) const
    {
        return carillon_calendar_get(&date);
    }
    StatusType set(const Date &date)
    {
        return carillon_calendar_set(&date);
    }
};

#if CARILLON_TIME_NOW
/* A stop-watch. */
class Chronometer
{
  public:
    StatusType start()
    {
        return carillon_chronometer_start(&chronometer);
    }
    StatusType stop()
    {
        return carillon_chronometer_stop(&chronometer);
    }
    void reset()
    {
        carillon_chronometer_reset(&chronometer);
    }
    uint64_t lap()
    {
        return microseconds(carillon_chronometer_lap(&chronometer));
    }
    uint64_t read()
    {
        return microseconds(carillon_chronometer_read(&chronometer));
    }

  private:
    carillon_chronometer chronometer{};
};
#endif

/* A thread of the schedule, whose body is THREAD(name) {...}. */
class Thread
{
  public:
    explicit constexpr Thread(TaskType id) : task(id)
    {
    }

    static Thread self()
    {
        TaskType task = INVALID_TASK;
        (void)GetTaskID(&task);
        return Thread(task);
    }
    constexpr TaskType id() const
    {
        return task;
    }

    /* Run again once it has ended.  E_OS_LIMIT: it has not. */
    StatusType activate() const
    {
        return (ActivateTask)(task);
    }

    TaskStateType state() const
    {
        TaskStateType state = SUSPENDED;
        (void)GetTaskState(task, &state);
        return state;
    }
    bool operator==(const Thread &other) const
    {
        return task == other.task;
    }

  private:
    TaskType task;
};

} // namespace carillon

#include "carillon_objects.h"

#endif
