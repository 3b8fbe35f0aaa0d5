/* SPDX-License-Identifier: Apache-2.0
 *
 * Plays a table of operations on counters, alarms and schedule tables, and says after each what has come of it.  What
 * is drawn stands in drawn.h: the objects (OBJECTS) and the operations (OPERATIONS), which table_programs.py explains.
 *
 * A line for each operation: what tasks and the error hook did meanwhile (a letter and two numbers each), then the
 * status that was returned and a value, the status of each schedule table, and the value of each counter. */
#include "carillon_port.h"
#include "os.h"
#include "report.h"

#include "drawn.h"

struct operation {
    uint8_t what;
    uint8_t in_isr; /* 1, and the ticks that the ISR takes before it */
    uint16_t object;
    uint32_t first;
    uint32_t second;
};

static const struct operation operations[] = {OPERATIONS};
/* The compiler must not know which object is meant: it would refuse what is to be refused at run time. */
static volatile const CounterType counters[] = {COUNTERS};
static volatile const ScheduleTableType tables[] = {TABLES};
static volatile const AlarmType alarms[] = {ALARMS};

static void say(uint32_t value)
{
    char digits[8];
    unsigned count = 0;
    do {
        digits[count++] = "0123456789abcdef"[value % 16u];
        value /= 16u;
    } while (value != 0u);
    while (count != 0u) {
        report_byte(digits[--count]);
    }
}

/* From tasks and the error hook: nothing comes in between. */
static void record(char letter, uint32_t first, uint32_t second)
{
    const uint32_t saved = carillon_port_lock();
    report_byte(letter);
    say(first);
    report_byte('.');
    say(second);
    report_byte(' ');
    carillon_port_unlock(saved);
}

static uint32_t clock_now(void)
{
    TickType value = 0u;
    (void)GetCounterValue(counters[0], &value);
    return value % 256u;
}

#ifdef HOOK
void ErrorHook(StatusType error)
{
    record('e', error, 0u);
}
#endif

/* The next tick of the hardware counter, and half a tick. */
static void next_tick(void)
{
#if TICK > 0
#if CARILLON_INSTRUCTIONS_PER_TICK == 0
    carillon_work(TICK);
#else
    TickType before = 0u;
    TickType now = 0u;
    (void)GetCounterValue(counters[0], &before);
    do {
        (void)GetCounterValue(counters[0], &now);
    } while (now == before);
    carillon_work(TICK / 2u);
#endif
#endif
}

/* Ticks of the hardware counter, whoever is held back. */
static void work(uint32_t ticks)
{
#if TICK > 0
    for (uint32_t left = ticks; left != 0u; left--) {
        carillon_work(TICK);
    }
#else
    (void)ticks;
#endif
}

static StatusType status;
static TickType value;

static void play(const struct operation *it)
{
    status = E_OK;
    value = 0u;
    switch (it->what) {
    case 0:
        for (uint32_t left = it->first; left != 0u; left--) {
            status = IncrementCounter(counters[it->object]);
        }
        break;
    case 1:
        for (uint32_t left = it->first; left != 0u; left--) {
            next_tick();
        }
        break;
    case 2:
        status = StartScheduleTableRel(tables[it->object], it->first);
        break;
    case 3:
        status = StartScheduleTableAbs(tables[it->object], it->first);
        break;
    case 4:
        status = StartScheduleTableSynchron(tables[it->object]);
        break;
    case 5:
        status = StopScheduleTable(tables[it->object]);
        break;
    case 6:
        status = NextScheduleTable(tables[it->object], tables[it->first]);
        break;
    case 7:
        status = SyncScheduleTable(tables[it->object], it->first);
        break;
    case 8:
        status = SetScheduleTableAsync(tables[it->object]);
        break;
    case 9:
        status = SetRelAlarm(alarms[it->object], it->first, it->second);
        break;
    case 10:
        status = SetAbsAlarm(alarms[it->object], it->first, it->second);
        break;
    case 11:
        status = CancelAlarm(alarms[it->object]);
        break;
    case 12: {
        TickType previous = it->first;
        status = GetElapsedValue(counters[it->object], &previous, &value);
        value = (status == E_OK) ? value : 0u;
        break;
    }
    case 13:
        status = GetResource(RES_SCHEDULER);
        break;
    case 14:
        status = ReleaseResource(RES_SCHEDULER);
        break;
    case 15:
        status = ActivateTask((TaskType)(it->object + FIRST_TASK));
        break;
    case 16:
        status = GetAlarm(alarms[it->object], &value);
        break;
    case 17:
        SuspendAllInterrupts();
        work(it->first);
        ResumeAllInterrupts();
        break;
    default:
        break;
    }
}

static const struct operation *volatile asked;

ISR(Signal)
{
    work(asked->in_isr - 1u);
    play(asked);
    asked = NULL;
}

TASK(Main)
{
#if TICK > 0
    next_tick();
#endif
    for (unsigned number = 0u; number < sizeof operations / sizeof operations[0]; number++) {
        const struct operation *const it = &operations[number];
        if (it->in_isr != 0u) {
            asked = it;
            carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
            while (asked != NULL) {
            }
        } else {
            play(it);
        }
        record('s', status, value);
        for (unsigned k = 0u; k < TABLE_COUNT; k++) {
            ScheduleTableStatusType state = 9u;
            (void)GetScheduleTableStatus(tables[k], &state);
            report_byte((char)('0' + state));
        }
        for (unsigned k = 0u; k < sizeof counters; k++) {
            TickType now = 0u;
            (void)GetCounterValue(counters[k], &now);
            report_byte(' ');
            say(now);
        }
        report_byte('\n');
    }
    report("end", 0u);
    carillon_port_halt();
}

static void basic(unsigned number)
{
    record('t', number, clock_now());
}

static void extended(TaskType self, unsigned number)
{
    EventMaskType come = 0u;
    record('t', number, clock_now());
    while ((come & Event2) == 0u) {
        (void)WaitEvent(Event0 | Event1 | Event2);
        (void)GetEvent(self, &come);
        (void)ClearEvent(come);
        record('v', number,
               (((come & Event0) != 0u) ? 1u : 0u) | (((come & Event1) != 0u) ? 2u : 0u) |
                   (((come & Event2) != 0u) ? 4u : 0u));
    }
}

TASKS
