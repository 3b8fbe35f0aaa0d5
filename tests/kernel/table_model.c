/* SPDX-License-Identifier: Apache-2.0
 *
 * The model of schedule tables.  What is due in one tick is served in the order in which it was set, in each part of the
 * counter's queue for itself. */
#include "table_model.h"

#include <string.h>

struct counter counters[CARILLON_OSEK_COUNTERS];
struct table tables[TABLES];
struct expiry expected[PARTS][ROOM];
uint32_t wanted[PARTS], had[PARTS];
struct failures failed, fails;
uint8_t place;
bool disabled;
static uint64_t turn; /* what has been set is numbered */

uint64_t final_of(const struct table *table)
{
    return table->duration - table->point[table->points - 1].offset;
}

uint64_t delay_to(const struct table *table, int point)
{
    return (point == 0) ? (final_of(table) + table->point[0].offset)
                        : (table->point[point].offset - table->point[point - 1].offset);
}

/* What a table comes to in a tick. */
static struct chain {
    int last;
    uint64_t turns[PARTS];
    bool in[PARTS];
    int points;
    const struct point *point[ROOM];
} chain[TABLES];

bool has_part(const struct table *table, uint32_t part)
{
    return (part == table->counter) || ((part == 2u) && (counters[table->counter].parts == 2u));
}

static void set(struct chain *its, int number, int point, uint64_t ticks)
{
    struct table *const table = &tables[number];
    table->comes = point;
    table->waits = true;
    table->due = counters[table->counter].now + ticks;
    memcpy(table->turns, its->turns, sizeof table->turns);
}

void forget(struct table *table)
{
    table->status = SCHEDULETABLE_STOPPED;
    table->next = NOT;
    table->waits = table->known = table->nears = false;
}

static void visit(struct chain *its, const struct table *table, const struct point *point)
{
    if (point != NULL) {
        its->point[its->points++] = point;
    }
    for (uint32_t part = 0; part < PARTS; part++) {
        its->in[part] = its->in[part] || (has_part(table, part) && ((point == NULL) || point->is_step[part]));
    }
}

static uint64_t size_of(int64_t deviation)
{
    return (uint64_t)((deviation < 0) ? -deviation : deviation);
}

static void arrive(struct table *table, uint64_t early)
{
    if (table->nears && (early <= table->precision)) {
        table->status = SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS;
        table->nears = false;
    }
}

/* How much longer the way to a point is made. */
static int64_t adjust(struct table *table, int point)
{
    if (!table->known) {
        return 0;
    }
    int64_t by = table->deviation;
    by = (by > (int64_t)table->point[point].lengthen) ? (int64_t)table->point[point].lengthen : by;
    by = (by < -(int64_t)table->point[point].shorten) ? -(int64_t)table->point[point].shorten : by;
    table->deviation -= by;
    if (table->status == SCHEDULETABLE_RUNNING) {
        table->nears = size_of(table->deviation) <= table->precision;
    }
    return by;
}

static void come_to(struct chain *its, int number, int point);
static void start_turn(struct chain *its, int number, uint64_t early)
{
    const uint64_t initial = tables[number].point[0].offset - early;
    if (initial != 0u) {
        set(its, number, 0, initial);
    } else {
        come_to(its, number, 0);
    }
}

static void come_to_end(struct chain *its, int number, uint64_t early)
{
    struct table *const table = &tables[number];
    visit(its, table, NULL);
    arrive(table, early);
    if (table->next != NOT) {
        struct table *const to = &tables[table->next];
        its->last = table->next;
        to->status = table->status;
        to->known = table->known;
        to->deviation = table->deviation;
        to->nears = false;
        forget(table);
        start_turn(its, its->last, 0u);
    } else if (table->repeats) {
        start_turn(its, number, early);
    } else {
        forget(table);
    }
}

static void come_to(struct chain *its, int number, int point)
{
    struct table *const table = &tables[number];
    arrive(table, 0u);
    visit(its, table, &table->point[point]);
    if ((point + 1) < table->points) {
        set(its, number, point + 1, (uint64_t)((int64_t)delay_to(table, point + 1) + adjust(table, point + 1)));
        return;
    }
    int64_t final = (int64_t)final_of(table);
    if (table->repeats && (table->next == NOT)) {
        final += adjust(table, 0);
    }
    if (final > 0) {
        set(its, number, AT_END, (uint64_t) final);
    } else {
        come_to_end(its, number, (uint64_t)-final);
    }
}

/* What a part does of what is due in a tick, in the order in which it was set. */
static void serve_part(uint8_t counter, uint32_t part, bool (*is_due)[TABLES])
{
    bool left[TABLES];
    memcpy(left, *is_due, sizeof left);
    for (;;) {
        int first = NOT;
        for (int number = 0; number < TABLES; number++) {
            if (left[number] && chain[number].in[part] &&
                ((first == NOT) || (chain[number].turns[part] < chain[first].turns[part]))) {
                first = number;
            }
        }
        if (first == NOT) {
            return;
        }
        left[first] = false;
        tables[chain[first].last].turns[part] = ++turn;
        for (int i = 0; i < chain[first].points; i++) {
            const struct point *const point = chain[first].point[i];
            for (uint32_t action = 0; action < point->actions; action++) {
                if (part_of(point->action[action].task) == part) {
                    assert_true(wanted[part] < ROOM);
                    expected[part][wanted[part]] = point->action[action];
                    expected[part][wanted[part]].value = (TickType)(counters[counter].now % counters[counter].turn);
                    wanted[part]++;
                }
            }
        }
    }
}

static bool stands(const struct table *table, uint8_t counter)
{
    return table->waits && (table->counter == counter);
}

/* Ticks to what is due next of a counter; many if nothing is. */
uint64_t to_next(uint8_t counter)
{
    uint64_t least = UINT64_C(1) << 40;
    for (int number = 0; number < TABLES; number++) {
        if (stands(&tables[number], counter) && ((tables[number].due - counters[counter].now) < least)) {
            least = tables[number].due - counters[counter].now;
        }
    }
    return least;
}

void count_to(uint8_t counter, uint64_t tick)
{
    while ((counters[counter].now + to_next(counter)) <= tick) {
        counters[counter].now += to_next(counter);
        bool is_due[TABLES];
        for (int number = 0; number < TABLES; number++) {
            is_due[number] = stands(&tables[number], counter) && (tables[number].due == counters[counter].now);
        }
        for (int number = 0; number < TABLES; number++) {
            if (is_due[number]) {
                struct table *const table = &tables[number];
                struct chain *const its = &chain[number];
                its->last = number;
                its->points = 0;
                memset(its->in, 0, sizeof its->in);
                memcpy(its->turns, table->turns, sizeof its->turns);
                table->waits = false;
                if (table->comes == AT_END) {
                    come_to_end(its, number, 0u);
                } else {
                    come_to(its, number, table->comes);
                }
            }
        }
        for (uint32_t part = 0; part < PARTS; part++) {
            if ((part == counter) || ((part == 2u) && (counters[counter].parts == 2u))) {
                serve_part(counter, part, &is_due);
            }
        }
    }
    counters[counter].now = tick;
}

static uint8_t fails_with(OSServiceIdType service, uint8_t object, uint32_t first, uint8_t status)
{
    fails.calls++;
    fails.last = (struct carillon_osek_failure){.service = service, .object = object, .first = first, .status = status};
    return status;
}

static uint8_t misplaced(OSServiceIdType service, uint8_t object, uint32_t first)
{
    uint8_t status = E_OK;
    if (((place != IN_TASK) && (place != IN_ISR2))) {
        status = E_OS_CALLEVEL;
    } else if (disabled) {
        status = E_OS_DISABLEDINT;
    } else if (object >= TABLES) {
        status = E_OS_ID;
    } else {
        return E_OK;
    }
    return fails_with(service, object, first, status);
}

static uint64_t until(const struct table *table, uint64_t value)
{
    const struct counter *const counter = &counters[table->counter];
    const uint64_t reads = counter->now % counter->turn;
    return (value > reads) ? (value - reads) : (counter->turn - reads + value);
}

static void start_in(int number, uint8_t status, uint64_t ticks)
{
    struct chain its;
    turn++;
    for (uint32_t part = 0; part < PARTS; part++) {
        its.turns[part] = turn;
    }
    forget(&tables[number]);
    tables[number].status = status;
    set(&its, number, 0, ticks + tables[number].point[0].offset);
}

static uint8_t starts_as(const struct table *table)
{
    return (table->sync == CARILLON_OSEK_SYNC_IMPLICIT) ? SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS : SCHEDULETABLE_RUNNING;
}

uint8_t model_relative(uint8_t number, TickType offset)
{
    const OSServiceIdType service = OSServiceId_StartScheduleTableRel;
    const uint8_t status = misplaced(service, number, offset);
    if (status != E_OK) {
        return status;
    }
    const struct table *const table = &tables[number];
    if (table->sync == CARILLON_OSEK_SYNC_IMPLICIT) {
        return fails_with(service, number, offset, E_OS_ID);
    }
    if ((offset == 0u) || ((offset + table->point[0].offset) >= counters[table->counter].turn)) {
        return fails_with(service, number, offset, E_OS_VALUE);
    }
    if (table->status != SCHEDULETABLE_STOPPED) {
        return fails_with(service, number, offset, E_OS_STATE);
    }
    start_in(number, SCHEDULETABLE_RUNNING, offset);
    return E_OK;
}

uint8_t model_absolute(uint8_t number, TickType start)
{
    const OSServiceIdType service = OSServiceId_StartScheduleTableAbs;
    const uint8_t status = misplaced(service, number, start);
    if (status != E_OK) {
        return status;
    }
    const struct table *const table = &tables[number];
    if (start >= counters[table->counter].turn) {
        return fails_with(service, number, start, E_OS_VALUE);
    }
    if (table->status != SCHEDULETABLE_STOPPED) {
        return fails_with(service, number, start, E_OS_STATE);
    }
    start_in(number, starts_as(table), until(table, start));
    return E_OK;
}

uint8_t model_synchron(uint8_t number)
{
    const OSServiceIdType service = OSServiceId_StartScheduleTableSynchron;
    const uint8_t status = misplaced(service, number, 0u);
    if (status != E_OK) {
        return status;
    }
    if (tables[number].sync != CARILLON_OSEK_SYNC_EXPLICIT) {
        return fails_with(service, number, 0u, E_OS_ID);
    }
    if (tables[number].status != SCHEDULETABLE_STOPPED) {
        return fails_with(service, number, 0u, E_OS_STATE);
    }
    tables[number].status = SCHEDULETABLE_WAITING;
    return E_OK;
}

uint8_t model_stop(uint8_t number)
{
    const OSServiceIdType service = OSServiceId_StopScheduleTable;
    const uint8_t status = misplaced(service, number, 0u);
    if (status != E_OK) {
        return status;
    }
    if (tables[number].status == SCHEDULETABLE_STOPPED) {
        return fails_with(service, number, 0u, E_OS_NOFUNC);
    }
    if (tables[number].next != NOT) {
        forget(&tables[tables[number].next]);
    }
    for (int other = 0; other < TABLES; other++) {
        tables[other].next = (tables[other].next == number) ? NOT : tables[other].next;
    }
    forget(&tables[number]);
    return E_OK;
}

uint8_t model_next(uint8_t from, uint8_t to)
{
    const OSServiceIdType service = OSServiceId_NextScheduleTable;
    const uint8_t status = misplaced(service, from, to);
    if (status != E_OK) {
        return status;
    }
    if ((to >= TABLES) || (tables[from].counter != tables[to].counter) || (tables[from].sync != tables[to].sync)) {
        return fails_with(service, from, to, E_OS_ID);
    }
    if ((tables[from].status == SCHEDULETABLE_STOPPED) || (tables[from].status == SCHEDULETABLE_NEXT)) {
        return fails_with(service, from, to, E_OS_NOFUNC);
    }
    if (tables[to].status != SCHEDULETABLE_STOPPED) {
        return fails_with(service, from, to, E_OS_STATE);
    }
    if (tables[from].next != NOT) {
        forget(&tables[tables[from].next]);
    }
    tables[from].next = to;
    tables[to].status = SCHEDULETABLE_NEXT;
    return E_OK;
}

uint8_t model_synchronise(uint8_t number, TickType value)
{
    const OSServiceIdType service = OSServiceId_SyncScheduleTable;
    const uint8_t status = misplaced(service, number, value);
    if (status != E_OK) {
        return status;
    }
    struct table *const table = &tables[number];
    if (table->sync != CARILLON_OSEK_SYNC_EXPLICIT) {
        return fails_with(service, number, value, E_OS_ID);
    }
    if (value >= table->duration) {
        return fails_with(service, number, value, E_OS_VALUE);
    }
    if ((table->status == SCHEDULETABLE_STOPPED) || (table->status == SCHEDULETABLE_NEXT)) {
        return fails_with(service, number, value, E_OS_STATE);
    }
    if (table->status == SCHEDULETABLE_WAITING) {
        const int next = table->next;
        start_in(number, SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS, table->duration - value);
        table->next = next;
        return E_OK;
    }
    const int64_t duration = (int64_t)table->duration;
    const int64_t comes_at = (table->comes == AT_END) ? duration : (int64_t)table->point[table->comes].offset;
    const int64_t left = (int64_t)(table->due - counters[table->counter].now);
    const int64_t ahead = (((comes_at - left - (int64_t)value) % duration) + duration) % duration;
    table->known = true;
    table->deviation = ((2 * ahead) < duration) ? ahead : (ahead - duration);
    table->nears = false;
    table->status =
        (size_of(table->deviation) <= table->precision) ? SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS : SCHEDULETABLE_RUNNING;
    return E_OK;
}

uint8_t model_asynchronous(uint8_t number)
{
    const OSServiceIdType service = OSServiceId_SetScheduleTableAsync;
    const uint8_t status = misplaced(service, number, 0u);
    if (status != E_OK) {
        return status;
    }
    struct table *const table = &tables[number];
    if (table->sync != CARILLON_OSEK_SYNC_EXPLICIT) {
        return fails_with(service, number, 0u, E_OS_ID);
    }
    if (table->status < SCHEDULETABLE_RUNNING) {
        return fails_with(service, number, 0u, E_OS_STATE);
    }
    table->status = SCHEDULETABLE_RUNNING;
    table->known = table->nears = false;
    return E_OK;
}

uint8_t model_status(uint8_t number, void *reference)
{
    const OSServiceIdType service = OSServiceId_GetScheduleTableStatus;
    uint8_t status = misplaced(service, number, 0u);
    if ((status == E_OK) && (reference == NULL)) {
        status = fails_with(service, number, 0u, E_OS_PARAM_POINTER);
    }
    if (status != E_OK) {
        fails.last.reference = reference;
    }
    return status;
}

void model_start(uint32_t mode)
{
    turn = 0u;
    for (uint8_t number = 0; number < TABLES; number++) {
        struct table *const table = &tables[number];
        if (((table->autostart >> mode) & 1u) == 0u) {
            continue;
        }
        if (table->start == CARILLON_OSEK_START_SYNCHRON) {
            table->status = SCHEDULETABLE_WAITING;
        } else if (table->start == CARILLON_OSEK_START_ABSOLUTE) {
            start_in(number, starts_as(table), until(table, table->at));
        } else {
            start_in(number, SCHEDULETABLE_RUNNING, table->at);
        }
    }
}
