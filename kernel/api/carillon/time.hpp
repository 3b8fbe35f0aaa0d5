/* SPDX-License-Identifier: Apache-2.0
 *
 * The time services of carillon/time.h for C++17, as classes like those of EPOS (A. A. Froehlich, G. Gracioli,
 * J. F. Santos, Periodic timers revisited, 2011, section III and figure 5).
 *
 * Times are in microseconds.  Periods are exact: fractions of the clock's ticks are carried from one interval to the
 * next.
 *
 * A comment with the fields PARAMETER:, Returns:, Errors:, From: and Source: is the reference of the function below it
 * (docs/service_reference.py).  With "As: NAME", the fields that it lacks are those of NAME in carillon/time.h or
 * carillon/osek.h.
 *
 * Nothing here allocates memory, throws exceptions, or needs types at run time.  What carillon/time.h says of errors,
 * and of where services may be called, is true here, too. */
#ifndef CARILLON_TIME_HPP
#define CARILLON_TIME_HPP

#include <stdint.h>

#include "carillon/time.h"

/* C++11, as sketches of Arduino have it, makes handlers when the program begins. */
#if __cplusplus >= 201402L
#define CARILLON_CONSTANT constexpr
#else
#define CARILLON_CONSTANT
#endif

namespace carillon
{

using Microsecond = uint64_t; /* whatever an application computes: what is too long is refused, and not cut off */
using Second = uint32_t;

constexpr uint64_t microseconds_per_second = 1000000u;

/* Microseconds as ticks of the clock, rounded up.
 *
 * time: microseconds.
 * Returns: ticks of the clock; for a time that is too long, a number that every service refuses (E_OS_VALUE).
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
constexpr carillon_duration ticks(Microsecond time)
{
    return static_cast<carillon_duration>(CARILLON_TICKS(time, microseconds_per_second));
}

#if CARILLON_TIME_DELAYS
/* Wait until a time has passed, and never less.  It begins anywhere within a tick of the clock, so that it takes one tick
 * more than the time has.  Of the longest time that is allowed, that tick is a delay of its own.
 *
 * time: microseconds; 0 is refused, as carillon_delay refuses it.
 * As: carillon_delay. */
inline StatusType delay_for(Microsecond time)
{
    const carillon_duration whole = ticks(time);
    if ((whole == 0u) || (whole > CARILLON_LONGEST_DURATION)) {
        return carillon_delay(whole);
    }
    if (whole < CARILLON_LONGEST_DURATION) {
        return carillon_delay(static_cast<carillon_duration>(whole + 1u));
    }
    const StatusType status = carillon_delay(whole);
    return (status == E_OK) ? carillon_delay(1u) : status;
}
#endif

/* Ticks of the clock as microseconds, rounded down.
 *
 * count: ticks of the clock.
 * Returns: microseconds.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
constexpr uint64_t microseconds(uint64_t count)
{
    return count / CARILLON_TIME_HZ * CARILLON_PARTS(microseconds_per_second) +
           count % CARILLON_TIME_HZ * CARILLON_PARTS(microseconds_per_second) / CARILLON_TIME_HZ;
}

#if CARILLON_TIME_UPTIME
/* Return the time since the start, which never begins anew.
 *
 * Returns: microseconds, rounded down.
 * As: carillon_uptime. */
inline uint64_t uptime()
{
    return microseconds(carillon_uptime());
}
#endif

/* A counting semaphore. */
class Semaphore
{
  public:
    /* Make a semaphore.
     *
     * count: how many units it has at first.
     * most: the most units that it may have.
     * Errors: none.
     * From: everywhere.
     * Source: EPOS, section III. */
    explicit constexpr Semaphore(uint16_t count = 1, uint16_t most = CARILLON_SEMAPHORE_MOST)
        : semaphore{nullptr, count, most}
    {
    }
    Semaphore(const Semaphore &) = delete;
    Semaphore &operator=(const Semaphore &) = delete;

    /* Take a unit.  If there is none, wait until there is one.
     *
     * As: carillon_semaphore_p. */
    StatusType p()
    {
        return carillon_semaphore_p(&semaphore);
    }

#if CARILLON_TIME_TIMEOUTS
    /* Take a unit.  If there is none, wait for one, but no longer than some time.
     *
     * within: the longest wait, in microseconds; 0: do not wait.
     * As: carillon_semaphore_p_within. */
    StatusType p(Microsecond within)
    {
        return carillon_semaphore_p_within(&semaphore, ticks(within));
    }
#endif

    /* Return a unit.
     *
     * As: carillon_semaphore_v. */
    StatusType v()
    {
        return carillon_semaphore_v(&semaphore);
    }

  private:
    friend class Handler_Semaphore;
    carillon_semaphore semaphore;
};

#if CARILLON_TIME_ALARMS
/* What an alarm does. */
class Handler
{
  protected:
    CARILLON_CONSTANT Handler(uint8_t kind, TaskType task) : alarm{}
    {
        alarm.timed.kind = kind, alarm.timed.task = task;
    }
    carillon_alarm alarm; /* alarms are copies of it */

  private:
    friend class Alarm;
};
#endif

#if CARILLON_TIME_FUNCTIONS
/* Call a function, in the clock's interrupt. */
class Handler_Function : public Handler
{
  public:
    /* A handler that calls a function.
     *
     * function: the function.
     * Errors: none.
     * From: everywhere.
     * Source: EPOS, section III. */
    explicit CARILLON_CONSTANT Handler_Function(void (*function)()) : Handler(CARILLON_ACTION_CALL, 0)
    {
        alarm.handler.function = function;
    }
};
#endif

#if CARILLON_TIME_TASKS
/* Activate a task or thread. */
class Handler_Task : public Handler
{
  public:
    /* A handler that activates a task.
     *
     * task: the name of the task or thread.
     * Errors: none.
     * From: everywhere.
     * Source: EPOS, section III. */
    explicit CARILLON_CONSTANT Handler_Task(TaskType task) : Handler(CARILLON_ACTION_ACTIVATE, task)
    {
    }
};
#endif

#if CARILLON_TIME_EVENTS
/* Set an event of an extended task. */
class Handler_Event : public Handler
{
  public:
    /* A handler that sets events.
     *
     * task: the name of the extended task.
     * event: the events: their names, joined by |.
     * Errors: none.
     * From: everywhere.
     * Source: Carillon's own. */
    CARILLON_CONSTANT Handler_Event(TaskType task, EventMaskType event) : Handler(CARILLON_ACTION_SET_EVENT, task)
    {
        alarm.handler.carillon_event = event;
    }
};
#endif

#if CARILLON_TIME_SEMAPHORES
/* Give a semaphore a unit. */
class Handler_Semaphore : public Handler
{
  public:
    /* A handler that returns a unit.
     *
     * semaphore: the semaphore.
     * Errors: none.
     * From: everywhere.
     * Source: EPOS, section III. */
    explicit CARILLON_CONSTANT Handler_Semaphore(Semaphore *semaphore) : Handler(CARILLON_ACTION_GIVE, 0)
    {
        alarm.handler.carillon_semaphore = &semaphore->semaphore;
    }
};
#endif

#if CARILLON_TIME_ALARMS
/* An alarm runs from its construction to its destruction, or until it has expired so many times. */
class Alarm
{
  public:
    using Microsecond = carillon::Microsecond;
    static constexpr uint32_t INFINITE = CARILLON_INFINITE;
    static constexpr uint32_t infinite = INFINITE;

    /* Start an alarm.  status() says whether it runs.
     *
     * period: microseconds.
     * handler: what the alarm does; it is copied.
     * times: how often it expires; infinite: until it is stopped.
     * As: carillon_alarm_start_exact. */
    Alarm(Microsecond period, const Handler *handler, uint32_t times = 1)
        : alarm(handler->alarm), exact(exactly(period)), length(period)
    {
        result = carillon_alarm_start_exact(&alarm, &exact, times);
    }

    /* Stop the alarm, if it runs.
     *
     * As: carillon_alarm_discard. */
    ~Alarm()
    {
        (void)carillon_alarm_discard(&alarm); /* its last handler may have been called */
    }
    Alarm(const Alarm &) = delete;
    Alarm &operator=(const Alarm &) = delete;

    /* Return the status of the last request.
     *
     * Returns: E_OK or an error of the constructor, start, stop or period, whichever was called last.
     * Errors: none.
     * From: everywhere.
     * Source: Carillon's own. */
    StatusType status() const
    {
        return result;
    }

    /* Start the alarm again, after its last expiry or stop.
     *
     * period: microseconds.
     * times: how often it expires; infinite: until it is stopped.
     * As: carillon_alarm_start_exact. */
    StatusType start(Microsecond period, uint32_t times = infinite)
    {
        if (runs()) { /* its period is in use */
            return result = E_OS_STATE;
        }
        exact = exactly(period);
        length = period;
        return result = carillon_alarm_start_exact(&alarm, &exact, times);
    }

    /* Stop the alarm.
     *
     * As: carillon_alarm_stop. */
    StatusType stop()
    {
        return result = carillon_alarm_stop(&alarm);
    }

    /* Give the alarm another period, from the next interval on.
     *
     * period: microseconds.
     * As: carillon_alarm_change_exact. */
    StatusType period(Microsecond period)
    {
        const carillon_period other = exactly(period);
        result = carillon_alarm_change_exact(&alarm, &other);
        length = (result == E_OK) ? period : length;
        return result;
    }

    /* Return the period.
     *
     * Returns: microseconds.
     * Errors: none.
     * From: everywhere.
     * Source: EPOS, section III. */
    Microsecond period() const
    {
        return length;
    }

    /* Return the time until the next expiry.
     *
     * Returns: microseconds, rounded down; 0 also if the alarm does not run.
     * Errors: none.
     * From: tasks, threads, ISRs of category 2.
     * Source: Carillon's own. */
    uint64_t left() const
    {
        carillon_duration ticks = 0;
        return (runs() && (carillon_alarm_left(&alarm, &ticks) == E_OK)) ? microseconds(ticks) : 0u;
    }

    /* Begin the interval anew: the alarm expires next a period from now.
     *
     * As: carillon_alarm_reset. */
    StatusType reset()
    {
        return result = carillon_alarm_reset(&alarm);
    }

#if CARILLON_TIME_DELAYS
    /* Wait for some time: until it has passed, and never less.
     *
     * time: microseconds.
     * As: carillon_delay. */
    static StatusType delay(Microsecond time)
    {
        return delay_for(time);
    }
#endif

  private:
    bool runs() const
    {
#if CARILLON_TIME_FAR
        return carillon_event_is_queued(&alarm.timed.event.event);
#else
        return carillon_event_is_queued(&alarm.timed.event);
#endif
    }
    static carillon_period exactly(Microsecond period)
    {
        return CARILLON_EXACT(period, microseconds_per_second);
    }

    carillon_alarm alarm;
    carillon_period exact;
    Microsecond length;
    StatusType result = E_OK;
};
#endif

#if CARILLON_OSEK_MUTEXES > 0
/* A mutex of the schedule. */
class Mutex
{
  public:
    /* Name a mutex.
     *
     * mutex: its name in the schedule.
     * Errors: none.
     * From: everywhere.
     * Source: Carillon's own. */
    explicit constexpr Mutex(carillon_mutex mutex) : number{mutex}
    {
    }

    /* Lock the mutex.  If another thread has it, wait until that unlocks it.
     *
     * As: carillon_mutex_lock. */
    StatusType lock()
    {
        return carillon_mutex_lock(number);
    }

#if CARILLON_TIME_TIMEOUTS
    /* Lock the mutex.  If another thread has it, wait until that unlocks it, but no longer than some time.
     *
     * within: the longest wait, in microseconds; 0: do not wait.
     * As: carillon_mutex_lock_within. */
    StatusType lock(Microsecond within)
    {
        return carillon_mutex_lock_within(number, ticks(within));
    }
#endif

    /* Unlock the mutex.  The first thread that waits for it gets it.
     *
     * As: carillon_mutex_unlock. */
    StatusType unlock()
    {
        return carillon_mutex_unlock(number);
    }

  private:
    carillon_mutex number;
};
#endif

#if CARILLON_TIME_DELAYS
/* Constructing a Delay means waiting. */
class Delay
{
  public:
    /* Wait for some time: until it has passed, and never less.  Errors are not reported.
     *
     * time: microseconds.
     * As: carillon_delay. */
    explicit Delay(Microsecond time)
    {
        (void)delay_for(time);
    }
};
#endif

#if CARILLON_TIME_CALENDAR
/* The calendar. */
class Clock
{
  public:
    using Date = carillon_date;

    /* Return the date in seconds.
     *
     * Returns: seconds since the beginning of 1970; 0 if carillon_calendar_seconds fails.
     * As: carillon_calendar_seconds. */
    Second now() const
    {
        Second seconds = 0;
        (void)carillon_calendar_seconds(&seconds);
        return seconds;
    }

    /* Get the date.
     *
     * date: where to put the date.
     * As: carillon_calendar_get. */
    StatusType date(Date &date) const
    {
        return carillon_calendar_get(&date);
    }

    /* Set the calendar.  A second of it begins now.
     *
     * date: the date, from 1970 to 2105.
     * As: carillon_calendar_set. */
    StatusType set(const Date &date)
    {
        return carillon_calendar_set(&date);
    }
};
#endif

#if CARILLON_TIME_NOW
/* A stop-watch. */
class Chronometer
{
  public:
    /* Start the stop-watch.  It goes on from what it reads.
     *
     * As: carillon_chronometer_start. */
    StatusType start()
    {
        return carillon_chronometer_start(&chronometer);
    }

    /* Stop the stop-watch.  It keeps what it reads.
     *
     * As: carillon_chronometer_stop. */
    StatusType stop()
    {
        return carillon_chronometer_stop(&chronometer);
    }

    /* Set the stop-watch back to 0.
     *
     * As: carillon_chronometer_reset. */
    void reset()
    {
        carillon_chronometer_reset(&chronometer);
    }

    /* End a lap and begin the next.
     *
     * Returns: how long the lap was, in microseconds, to the nearest.
     * As: carillon_chronometer_lap_units. */
    uint64_t lap()
    {
        return carillon_units_in_microseconds(carillon_chronometer_lap_units(&chronometer));
    }

    /* Read the stop-watch.
     *
     * Returns: what it reads, in microseconds, to the nearest.
     * As: carillon_chronometer_units. */
    uint64_t read()
    {
        return carillon_units_in_microseconds(carillon_chronometer_units(&chronometer));
    }

  private:
    carillon_chronometer chronometer{};
};
#endif

/* A thread of the schedule, whose body is THREAD(name) {...}. */
class Thread
{
  public:
    /* Name a thread of the schedule.
     *
     * id: the name of the thread.
     * Errors: none.
     * From: everywhere.
     * Source: EPOS, section III. */
    explicit constexpr Thread(TaskType id) : task(id)
    {
    }

#if CARILLON_NEW_THREADS > 0
    /* Take the first free thread with `new = true`, and activate it.  `new Thread(&f)` is null if none is free; a
     * variable shuts the system down then, with E_OS_LIMIT.  `delete` gives the thread back; it is free once it has
     * ended.
     *
     * function: what the thread runs.
     * Errors: none.
     * From: tasks, threads.
     * Source: EPOS, figure 12. */
    explicit Thread(int (*function)()) : task(carillon_thread_begin(this, function))
    {
    }
    /* Internal. */
    static void *operator new(decltype(sizeof 0)) noexcept
    {
        return carillon_thread_take();
    }
    static void operator delete(void *whole)
    {
        carillon_thread_give(whole);
    }
#else
    explicit Thread(int (*)()) = delete; /* write new = true in the [thread.NAME] that it is to take */
#endif

    /* Return the calling thread.
     *
     * Returns: the thread.
     * As: GetTaskID. */
    static Thread self()
    {
        TaskType task = INVALID_TASK;
        (void)GetTaskID(&task);
        return Thread(task);
    }

    /* Return the number of the thread.
     *
     * Returns: the number that services take for a task.
     * Errors: none.
     * From: everywhere.
     * Source: Carillon's own. */
    constexpr TaskType id() const
    {
        return task;
    }

    /* Activate the thread: it runs once more.
     *
     * As: ActivateTask. */
    StatusType activate() const
    {
        return (ActivateTask)(task);
    }

#if CARILLON_TIME_SUSPENSIONS
    /* Let the thread go on that has suspended itself, or begin it if it has ended.
     *
     * As: carillon_resume. */
    StatusType resume() const
    {
        return (ActivateTask)(task);
    }

    /* Wait until somebody resumes the thread, which must be the caller.
     *
     * Errors: E_OS_ACCESS: another thread calls; and those of carillon_suspend.
     * As: carillon_suspend. */
    StatusType suspend() const
    {
        return (*this == self()) ? carillon_suspend() : static_cast<StatusType>(E_OS_ACCESS);
    }
#endif

#if CARILLON_TIME_JOINS
    /* Wait until the thread ends.
     *
     * Returns: what the function of `new Thread(&f)` has returned; 0 of other threads; else an error.
     * As: carillon_join. */
    int join() const
    {
        const StatusType status = carillon_join(task);
#if CARILLON_NEW_THREADS > 0
        return (status == E_OK) ? carillon_thread_result(task) : status;
#else
        return status;
#endif
    }

#if CARILLON_TIME_TIMEOUTS
    /* Wait until the thread ends, but no longer than some time.
     *
     * within: the longest wait, in microseconds; 0: do not wait.
     * As: carillon_join_within. */
    StatusType join(Microsecond within) const
    {
        return carillon_join_within(task, ticks(within));
    }
#endif
#endif

    /* Return the state of the thread.
     *
     * Returns: RUNNING, WAITING, READY or SUSPENDED; SUSPENDED also if there is an error.
     * As: GetTaskState. */
    TaskStateType state() const
    {
        TaskStateType state = SUSPENDED;
        (void)GetTaskState(task, &state);
        return state;
    }
    /* Compare two threads.
     *
     * other: another thread.
     * Returns: whether both are the same thread.
     * Errors: none.
     * From: everywhere.
     * Source: Carillon's own. */
    bool operator==(const Thread &other) const
    {
        return task == other.task;
    }

  private:
    TaskType task;
};

#if CARILLON_TIME_TASKS
/* Resume a thread. */
class Handler_Thread : public Handler_Task
{
  public:
    using Handler_Task::Handler_Task;

    /* A handler that resumes a thread.
     *
     * task: the thread, or a pointer to it.
     * Errors: none.
     * From: everywhere.
     * Source: EPOS, section III. */
    explicit CARILLON_CONSTANT Handler_Thread(const Thread &task) : Handler_Task(task.id())
    {
    }
    /* Internal: likewise. */
    explicit CARILLON_CONSTANT Handler_Thread(const Thread *task) : Handler_Thread(*task)
    {
    }
};
#endif

} // namespace carillon

#include "carillon_objects.h"

#endif
