/* SPDX-License-Identifier: Apache-2.0
 *
 * Plays programs of threads, one after the other, and says after each what happened when: a line for each program with
 * its number and the window that it ran in, and one for each event.  The programs stand in drawn.h (PROGRAMS), which
 * thread_drawing.py explains.
 *
 * Alarms begin and end a program.  So the thread that says what happened may be below all others. */
#include "carillon/time.h"
#include "carillon/work.h"
#include "carillon_port.h"
#include "os.h"
#include "report.h"

#include "drawn.h"

#ifdef __AVR__
#include <avr/pgmspace.h>
#define COPY memcpy_P
#else
#include <string.h>
#define COPY memcpy
#define PROGMEM
#endif
#define OF_ALARM 8u
#define STEPS_ALL (THREADS_MOST * STEPS)

struct step {
    uint8_t what, object;
    uint32_t time;
};
struct body {
    uint8_t thread, steps, times;
};
struct drawn_alarm {
    uint8_t calls, semaphore, count;
    uint32_t period;
};
struct program {
    struct step steps[STEPS_ALL];
    struct body bodies[THREADS_MOST];
    struct drawn_alarm alarms[3];
    uint8_t threads, alarm_count;
    uint32_t phase;
};
static const struct program programs[] PROGMEM = {PROGRAMS};
#define COUNT (sizeof programs / sizeof programs[0])

#if CARILLON_INSTRUCTIONS_PER_TICK == 0
uint64_t carillon_host_ticks(void);
#define NOW() ((uint32_t)carillon_host_ticks())
#else
#define NOW() ((uint32_t)carillon_now())
#endif

static struct {
    uint32_t time;
    uint16_t what;
} events[EVENTS];
static volatile uint16_t happened;
static volatile uint8_t inside[2], locked[3], broken;

static struct carillon_semaphore semaphores[4], go[THREADS], end = CARILLON_SEMAPHORE(0);
struct message {
    uint8_t value;
    uint16_t check;
};
CARILLON_MESSAGES(queue_0, struct message, 1);
CARILLON_MESSAGES(queue_1, struct message, 2);
static struct carillon_messages *const queues[] = {&queue_0, &queue_1};
static uint8_t sent[THREADS];
static struct program now_playing;
static volatile uint8_t stopping = 1u, rests[THREADS];
static uint8_t next, plays;
static uint16_t window, own_window;
static carillon_time begun;
static uint32_t began_at;

/* From threads and the clock's handler. */
static void record(uint8_t who, uint8_t step, uint8_t status)
{
    const uint32_t saved = carillon_port_lock();
    if ((stopping == 0u) && (happened < EVENTS)) {
        events[happened].time = NOW();
        events[happened].what = (uint16_t)((uint16_t)who << 12 | (uint16_t)(status & 15u) << 8 | step);
        happened++;
    }
    carillon_port_unlock(saved);
}

static void call(uint8_t alarm)
{
    record((uint8_t)(OF_ALARM + alarm), 0u, 0u);
    (void)carillon_semaphore_v(&semaphores[now_playing.alarms[alarm].semaphore]);
}
static void call_0(void)
{
    call(0u);
}
static void call_1(void)
{
    call(1u);
}
static void call_2(void)
{
    call(2u);
}
static struct carillon_alarm calling[] = {CARILLON_ALARM_OF_FUNCTION(call_0), CARILLON_ALARM_OF_FUNCTION(call_1),
                                          CARILLON_ALARM_OF_FUNCTION(call_2)};
static struct carillon_alarm giving[][2] = {
    {CARILLON_ALARM_OF_SEMAPHORE(&semaphores[2]), CARILLON_ALARM_OF_SEMAPHORE(&semaphores[3])},
    {CARILLON_ALARM_OF_SEMAPHORE(&semaphores[2]), CARILLON_ALARM_OF_SEMAPHORE(&semaphores[3])},
    {CARILLON_ALARM_OF_SEMAPHORE(&semaphores[2]), CARILLON_ALARM_OF_SEMAPHORE(&semaphores[3])}};

static struct carillon_alarm *alarm_of(uint8_t number)
{
    const struct drawn_alarm *const drawn = &now_playing.alarms[number];
    return (drawn->calls != 0u) ? &calling[number] : &giving[number][drawn->semaphore - 2u];
}

static void start(uint8_t number)
{
    const struct drawn_alarm *const drawn = &now_playing.alarms[number];
    if (carillon_alarm_start(alarm_of(number), drawn->period, drawn->count) != E_OK) {
        broken = 1u;
    }
}

/* In the clock's handler: a program ends, or begins. */
static void finish(void)
{
    stopping = 1u;
    (void)carillon_semaphore_v(&end);
}
static struct carillon_alarm finishing = CARILLON_ALARM_OF_FUNCTION(finish);
static void begin(void)
{
    stopping = 0u;
#if ASKS
    begun = carillon_now();
#endif
    began_at = NOW();
    for (uint8_t k = 0u; k < now_playing.alarm_count; k++) {
        start(k);
    }
    for (uint8_t k = 0u; k < now_playing.threads; k++) {
        (void)carillon_semaphore_v(&go[now_playing.bodies[k].thread]);
    }
    (void)carillon_alarm_start(&finishing, LENGTH, 1u);
}
static struct carillon_alarm beginning = CARILLON_ALARM_OF_FUNCTION(begin);
static void open_window(void)
{
    window++;
    if (plays != 0u) {
        return; /* the last one is still being told */
    }
    plays = 1u;
    own_window = window;
    (void)carillon_alarm_start(&beginning, now_playing.phase, 1u);
}
static struct carillon_alarm opening = CARILLON_ALARM_OF_FUNCTION(open_window);

/* What is started in the clock's handler counts from the time that is served. */
static void open_first(void)
{
    window++;
    (void)carillon_alarm_start(&opening, WINDOW, CARILLON_INFINITE);
}
static struct carillon_alarm first = CARILLON_ALARM_OF_FUNCTION(open_first);

static struct message next_message(uint8_t thread)
{
    const uint8_t value = (uint8_t)((2u * thread + sent[thread]) & 7u);
    sent[thread]++;
    return (struct message){.value = value, .check = (uint16_t) ~(uint16_t)(value * 257u)};
}

static uint8_t told(const struct message *message)
{
    if (message->check != (uint16_t) ~(uint16_t)(message->value * 257u)) {
        broken = 3u;
    }
    return (uint8_t)(8u + message->value);
}

static const carillon_mutex mutexes[] = {M0, M1, M2};

/* Services as they are in a thread's own body, where the compiler knows who calls, and which mutex. */
struct services {
    StatusType (*lock)(uint8_t lock);
    StatusType (*unlock)(uint8_t lock);
    StatusType (*send)(struct carillon_messages *queue, const void *message);
    StatusType (*receive)(struct carillon_messages *queue, void *message);
};
#define OF_MUTEX(service, number) (((number) == 0u) ? service(M0) : ((number) == 1u) ? service(M1) : service(M2))
#define HERE(name)                                               \
    const struct carillon_at_##name *const carillon_here = NULL; \
    (void)carillon_here
#define BODY(name, number)                                                                            \
    static StatusType lock_##name(uint8_t lock)                                                       \
    {                                                                                                 \
        HERE(name);                                                                                   \
        return OF_MUTEX(carillon_mutex_lock, lock);                                                   \
    }                                                                                                 \
    static StatusType unlock_##name(uint8_t lock)                                                     \
    {                                                                                                 \
        HERE(name);                                                                                   \
        return OF_MUTEX(carillon_mutex_unlock, lock);                                                 \
    }                                                                                                 \
    static StatusType send_##name(struct carillon_messages *queue, const void *message)               \
    {                                                                                                 \
        HERE(name);                                                                                   \
        return carillon_send(queue, message);                                                         \
    }                                                                                                 \
    static StatusType receive_##name(struct carillon_messages *queue, void *message)                  \
    {                                                                                                 \
        HERE(name);                                                                                   \
        return carillon_receive(queue, message);                                                      \
    }                                                                                                 \
    THREAD(name)                                                                                      \
    {                                                                                                 \
        static const struct services own = {lock_##name, unlock_##name, send_##name, receive_##name}; \
        live((number), &own);                                                                         \
    }

static uint8_t entered(uint8_t lock, StatusType status)
{
    if ((status == E_OK) && (stopping == 0u) && (locked[lock]++ != 0u)) {
        broken = 2u;
    }
    return status;
}

static uint8_t leave(const struct services *own, uint8_t lock)
{
    const uint8_t before = locked[lock];
    locked[lock] = 0u;
    const StatusType status = own->unlock(lock);
    if (status != E_OK) {
        locked[lock] = before; /* it was another's: nobody else runs at its ceiling */
    }
    return status;
}

static uint8_t play(uint8_t thread, const struct services *own, const struct step *step, carillon_time *until)
{
    struct carillon_semaphore *const semaphore = &semaphores[step->object];
    struct message message;
    uint8_t status = 0u;
    (void)until;
    switch (step->what) {
    case 1:
        SuspendAllInterrupts();
        carillon_work(step->time);
        ResumeAllInterrupts();
        break;
    case 2:
        (void)GetResource(RES_SCHEDULER);
        carillon_work(step->time);
        (void)ReleaseResource(RES_SCHEDULER);
        break;
    case 3:
        status = carillon_semaphore_p(semaphore);
        if ((step->object < 2u) && (stopping == 0u) && (inside[step->object]++ != 0u)) {
            broken = 2u;
        }
        break;
    case 4:
        if (step->object < 2u) {
            inside[step->object] = 0u;
        }
        status = carillon_semaphore_v(semaphore);
        break;
    case 5:
        status = carillon_semaphore_p_within(semaphore, step->time);
        break;
    case 6:
        status = carillon_delay(step->time);
        break;
#if ASKS
    case 7:
        status = carillon_delay_until(until, step->time);
        break;
#endif
    case 8:
        status = E_OS_NOFUNC;
        if (step->object < now_playing.alarm_count) {
            const uint32_t saved = carillon_port_lock(); /* an expiry comes before both or after both */
            status = carillon_alarm_discard(alarm_of(step->object)) ? E_OK : E_OS_NOFUNC;
            start(step->object);
            carillon_port_unlock(saved);
        }
        break;
    case 10:
        message = next_message(thread);
        status = own->send(queues[step->object], &message);
        break;
    case 11:
        status = own->receive(queues[step->object], &message);
        status = (status == E_OK) ? told(&message) : status;
        break;
    case 12:
        message = next_message(thread);
        status = carillon_send_within(queues[step->object], &message, step->time);
        break;
    case 13:
        status = carillon_receive_within(queues[step->object], &message, step->time);
        status = (status == E_OK) ? told(&message) : status;
        break;
    case 14:
        status = entered(step->object, own->lock(step->object));
        break;
    case 15:
        status = entered(step->object, carillon_mutex_lock_within(mutexes[step->object], step->time));
        break;
    case 16:
        status = leave(own, step->object);
        break;
    case 17:
        status = carillon_suspend();
        break;
    case 18:
        status = carillon_suspend_within(step->time);
        break;
    case 19:
        status = carillon_resume((TaskType)(T0 + step->object));
        break;
    case 9:
        SuspendOSInterrupts();
        carillon_work(step->time);
        ResumeOSInterrupts();
        break;
    default:
        carillon_work(step->time);
        break;
    }
    return status;
}

static void live(uint8_t thread, const struct services *own)
{
    for (;;) {
        rests[thread] = 1u;
        (void)carillon_semaphore_p(&go[thread]);
        rests[thread] = 0u;
        sent[thread] = 0u;
        const struct body *body = now_playing.bodies;
        const struct step *steps = now_playing.steps;
        while (body->thread != thread) {
            steps += body->steps;
            body++;
        }
        carillon_time until = begun;
        for (uint8_t turn = 0u; (turn < body->times) && (stopping == 0u); turn++) {
            for (uint8_t k = 0u; (k < body->steps) && (stopping == 0u); k++) {
                const struct step step = steps[k];
                record(thread, k, play(thread, own, &step, &until));
            }
        }
        (void)leave(own, 0u);
        (void)leave(own, 1u);
        (void)leave(own, 2u);
    }
}
BODIES

static bool all_rest(void)
{
    bool all = true;
    for (uint8_t k = 0u; k < THREADS; k++) {
        all = all && (rests[k] != 0u);
    }
    return all;
}

/* Whether the budgets of all servers are whole. */
static bool all_whole(void)
{
    bool all = true;
#ifdef SERVERS
    static const struct {
        carillon_server server;
        carillon_duration budget;
    } servers[] = SERVERS;
    for (uint8_t k = 0u; k < sizeof servers / sizeof servers[0]; k++) {
        carillon_duration left = 0u;
        all = (carillon_server_left(servers[k].server, &left) == E_OK) && (left == servers[k].budget) && all;
    }
#endif
    return all;
}

static void say(void)
{
    report("program", next);
    report("window", own_window);
    report("begun", began_at);
    for (uint16_t k = 0u; k < happened; k++) {
        report("what", events[k].what);
        report("at", events[k].time);
    }
    report("broken", broken);
}

THREAD(Main)
{
#if ASKS
    const carillon_duration until_first = (carillon_duration)(WINDOW - carillon_now());
#else
    const carillon_duration until_first = WINDOW; /* where code takes no time */
#endif
    (void)carillon_alarm_start(&first, until_first, 1u);
    while (next < COUNT) {
        for (uint8_t k = 0u; k < 4u; k++) {
            semaphores[k] = (struct carillon_semaphore)CARILLON_SEMAPHORE(0);
            semaphores[k].count = (k < 2u) ? 1u : 0u;
        }
        for (uint8_t k = 0u; k < 2u; k++) {
            queues[k]->sent.count = 0u;
            queues[k]->oldest = queues[k]->places;
            queues[k]->free = queues[k]->places;
        }
        happened = 0u;
        broken = inside[0] = inside[1] = locked[0] = locked[1] = locked[2] = 0u;
        (void)COPY(&now_playing, &programs[next], sizeof now_playing);
        plays = 0u;
        (void)carillon_semaphore_p(&end);
        for (uint8_t k = 0u; k < now_playing.alarm_count; k++) {
            (void)carillon_alarm_discard(alarm_of(k));
        }
        while (!all_rest()) { /* those that wait for a unit get one */
            for (uint8_t k = 0u; k < 4u; k++) {
                (void)carillon_semaphore_v(&semaphores[k]);
            }
            for (uint8_t k = 0u; k < THREADS; k++) {
                if (rests[k] == 0u) {
                    (void)carillon_resume((TaskType)(T0 + k));
                }
            }
            for (uint8_t k = 0u; k < 2u; k++) {
                struct message message = {0u, 0xFFFFu};
                (void)carillon_send_within(queues[k], &message, 0u);
                (void)carillon_receive_within(queues[k], &message, 0u);
            }
            (void)carillon_delay(POLL);
        }
        while (!all_whole()) {
            (void)carillon_delay(POLL);
        }
        say();
        next++;
    }
    carillon_port_halt();
}
