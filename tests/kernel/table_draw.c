/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters and schedule tables, drawn, and written as the tool writes them. */
#include "table_draw.h"

#include <string.h>

#include "drawn_tables.h"
#include "kernel/counters/counter.h"
#include "table_model.h"

#define HAS_BASE (CARILLON_BASE_BITS > 0)

uint64_t seed;
uint64_t draw(uint64_t below)
{
    seed = (seed * UINT64_C(6364136223846793005)) + UINT64_C(1442695040888963407);
    return (below == 0u) ? 0u : ((seed >> 20) % below);
}

bool one_of(uint64_t many)
{
    return draw(many) == 0u;
}

bool is_alone(uint32_t part)
{
    return counters[part % 2u].lone && (counters[part % 2u].shared != part);
}

void draw_counter(uint8_t number, bool lone, bool shares)
{
    static const uint32_t most_of_software[] = {7u, 15u, 60u};
    static const uint32_t most[] = {7u, 60u, 255u, 9999u, 0xFFFFu, 0xFFFFFFu, 0xFFFFFFFFu};
    static const uint32_t units[] = {1u, 2u, 5u, 10u, 100u, 500u};
    const uint32_t kinds = ((CARILLON_OSEK_FAR != 0) && (CARILLON_TIME_BITS >= 32)) ? 7u : 6u;
    struct counter *const counter = &counters[number];
    const bool hardware = HAS_BASE && (lone || !one_of(4u));
    *counter = (struct counter){
        .turn = (uint64_t)(hardware ? most[draw(kinds)] : most_of_software[draw(3u)]) + 1u,
        .units = hardware ? units[draw(6u)] : 0u,
        .parts = (hardware && (number == 0u) && (lone || one_of(2u))) ? 2u : 1u,
        .lone = lone,
        .shared = (shares && one_of(3u)) ? (uint32_t)(2u * draw(2u)) : (uint32_t)PARTS,
    };
}

static bool draw_points(struct table *table)
{
    const struct counter *const counter = &counters[table->counter];
    const uint64_t most = counter->turn - 1u;
    table->points = (int)(1u + draw(POINTS));
    uint64_t before = 0u;
    for (int number = 0; number < table->points; number++) {
        struct point *const point = &table->point[number];
        memset(point, 0, sizeof *point);
        const uint64_t room = table->duration - before;
        point->offset = before + ((one_of(2u) && (number == 0)) ? 0u : draw(one_of(2u) ? (room + 1u) : 8u));
        if ((point->offset > table->duration) || ((point->offset - before) > most) ||
            ((number > 0) && (point->offset == before))) {
            return false;
        }
        before = point->offset;
        point->actions = (uint32_t)draw(MOST_ACTIONS + 1u);
        for (uint32_t action = 0; action < point->actions; action++) {
            uint32_t part = table->counter;
            part += ((counter->parts == 2u) && one_of(2u)) ? 2u : 0u;
            point->action[action].task = (uint8_t)(part + (PARTS * draw(TASKS / PARTS)));
            point->action[action].event = one_of(2u) ? 0u : (1u << draw(20u));
            point->is_step[part] = true;
        }
        for (uint32_t part = 0; part < PARTS; part++) {
            point->is_step[part] = point->is_step[part] || one_of(4u) || (table->sync == CARILLON_OSEK_SYNC_EXPLICIT) ||
                                   (table->duration > 0xFFFFFFFFu); /* which a delay does not hold */
        }
    }
    return (final_of(table) <= most) && ((CARILLON_OSEK_FAR != 0) || (table->duration < 0xFFFFFFFFu));
}

void draw_table(uint8_t number, uint8_t on, bool follows)
{
    const uint64_t turn_of = counters[on].turn;
    struct table *const table = &tables[number];
    memset(table, 0, sizeof *table);
    do {
        table->counter = on;
        table->repeats = !one_of(3u);
        table->sync = (uint8_t)draw((CARILLON_OSEK_ADJUSTS && !counters[on].lone) ? 3u : 2u);
        if (follows) {
            table->sync =
                (CARILLON_OSEK_ADJUSTS && !counters[on].lone) ? CARILLON_OSEK_SYNC_EXPLICIT : CARILLON_OSEK_SYNC_NONE;
        }
        if (table->sync == CARILLON_OSEK_SYNC_IMPLICIT) {
            table->sync = one_of(2u) ? CARILLON_OSEK_SYNC_IMPLICIT : CARILLON_OSEK_SYNC_NONE;
        }
        const uint64_t durations[] = {1u + draw(12u), 1u + draw(60u), 1u + draw(turn_of), turn_of};
        table->duration = durations[draw(4u)];
        if (table->sync == CARILLON_OSEK_SYNC_IMPLICIT) {
            table->duration = turn_of;
        } else if (table->sync == CARILLON_OSEK_SYNC_EXPLICIT) {
            table->duration = ((table->duration > turn_of) || (table->duration > 0xFFFFFFFFu)) ? 1u : table->duration;
        } else if ((turn_of < 0x1000u) && one_of(6u)) {
            table->duration += turn_of; /* which some have that are not synchronised */
        } else {
            /* as it is */
        }
    } while (!draw_points(table));
    table->precision = one_of(3u) ? 0u : draw(one_of(2u) ? 4u : table->duration);
    for (int i = 0; i < table->points; i++) {
        const uint64_t delay = delay_to(table, i);
        const uint64_t room = (delay < turn_of) ? (turn_of - delay) : 0u;
        table->point[i].lengthen = one_of(3u) ? 0u : draw(one_of(2u) ? 4u : table->duration);
        table->point[i].lengthen = (table->point[i].lengthen < room) ? table->point[i].lengthen : 0u;
        table->point[i].shorten = one_of(4u) ? 0u : draw(one_of(2u) ? 4u : delay);
        table->point[i].shorten = (table->point[i].shorten < delay) ? table->point[i].shorten : 0u;
    }
    table->autostart = (uint32_t)draw(1u << MODES);
    table->start = (uint8_t)draw((table->sync == CARILLON_OSEK_SYNC_EXPLICIT) ? 3u : 2u);
    if (table->sync == CARILLON_OSEK_SYNC_IMPLICIT) {
        table->start = CARILLON_OSEK_START_ABSOLUTE;
    }
    table->at = (table->start == CARILLON_OSEK_START_RELATIVE) ? (1u + draw(turn_of - 1u - table->point[0].offset))
                                                               : draw(turn_of);
    if ((table->start == CARILLON_OSEK_START_RELATIVE) && ((table->at + table->point[0].offset) >= turn_of)) {
        table->autostart = 0u;
    }
    forget(table);
}

/* As the tool writes them. */
static struct carillon_osek_step steps[CARILLON_OSEK_CURSORS][POINTS + 1];
static uint16_t actions, cursors;

static void write_cursor(uint8_t number, uint32_t part)
{
    const struct table *const table = &tables[number];
    struct carillon_osek_step *const its = steps[cursors];
    struct carillon_osek_point_action *const written = drawn_actions();
    uint64_t before = 0u;
    uint16_t count = 0u;
    for (int i = 0; i <= table->points; i++) {
        const bool end = i == table->points;
        const struct point *const point = &table->point[end ? 0 : i];
        if (!end && !point->is_step[part]) {
            continue;
        }
        const uint64_t offset = end ? table->duration : point->offset;
        its[count] = (struct carillon_osek_step){.delay = (TickType)(offset - before), .first = actions};
#if CARILLON_OSEK_ADJUSTS
        its[count].offset = (TickType)offset;
        its[count].max_lengthen = (end && !table->repeats) ? 0u : (TickType)point->lengthen;
        its[count].max_shorten = (end && !table->repeats) ? 0u : (TickType)point->shorten;
#endif
        for (uint32_t action = 0; !end && (action < point->actions); action++) {
            if (part_of(point->action[action].task) == part) {
                assert_true(((actions + 1u) * sizeof *written) <= DRAWN_BYTES);
                const uint32_t event = point->action[action].event;
                written[actions++] = (struct carillon_osek_point_action){
                    .operand = {.carillon_event = event},
                    .action = (event != 0u) ? CARILLON_ACTION_SET_EVENT : CARILLON_ACTION_ACTIVATE,
                    .object = point->action[action].task,
                };
                its[count].count++;
            }
        }
        before = offset;
        count++;
    }
    struct carillon_osek_cursor *const cursor = drawn_cursors();
    cursor[cursors++] = (struct carillon_osek_cursor){its, count, (uint8_t)part, number};
}

void write_constants(void)
{
    struct carillon_osek_schedule_table *const fixed = drawn_tables();
    struct carillon_osek_counter *const counter = drawn_counters();
    actions = cursors = 0u;
    for (uint32_t part = 0; part < PARTS; part++) {
        const struct counter *const its = &counters[part % 2u];
        counter[part] = (struct carillon_osek_counter){
            .max_allowed = (TickType)(its->turn - 1u),
            .units = (uint32_t)its->units,
            .software = (its->units == 0u) ? 1u : 0u,
            .ticked = 1u,
        };
    }
    for (uint8_t number = 0; number < TABLES; number++) {
        const struct table *const table = &tables[number];
        fixed[number] = (struct carillon_osek_schedule_table){
            .duration = (TickType)table->duration,
            .initial = (TickType)table->point[0].offset,
            .precision = (TickType)table->precision,
            .at = (TickType)table->at,
            .autostart = table->autostart,
            .first = cursors,
            .cursors = (uint8_t)counters[table->counter].parts,
            .counter = table->counter,
            .repeating = table->repeats ? 1u : 0u,
            .sync = table->sync,
            .start = table->start,
        };
#if CARILLON_OSEK_LONE_CURSORS > 0
        const bool lone = counters[table->counter].lone && (counters[table->counter].shared == PARTS);
        fixed[number].lone = lone ? 1u : 0u;
#endif
        for (uint32_t part = table->counter; part < PARTS; part += 2u) {
            if (has_part(table, part)) {
#if CARILLON_OSEK_LONE_CURSORS > 0
                counter[part].lone = is_alone(part) ? (uint8_t)(cursors + 1u) : (uint8_t)0u;
#endif
                write_cursor(number, part);
            }
        }
    }
}
