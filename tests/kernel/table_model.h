/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule tables as AUTOSAR OS R4, 7.3.2 and 7.3.3, has them, with numbers that have no bounds: table_model.c. */
#ifndef CARILLON_TESTS_TABLE_MODEL_H
#define CARILLON_TESTS_TABLE_MODEL_H

#include "levels/port.h"

#include "kernel/levels/state.h"

/* Tables in queues; another one may be on cells. */
enum { TABLES = CARILLON_OSEK_SCHEDULE_TABLES - ((CARILLON_OSEK_TABLE_CELLS > 0) ? 1 : 0) };
enum { POINTS = 4, MOST_ACTIONS = 3, TASKS = 9, ROOM = 4096 };
enum { NOT = -1, AT_END = -2 };
/* The parts of counters' queues: 0 and 2 are of counter 0, if that has two, and 1 is of counter 1. */
enum { PARTS = 3 };

/* An action, and what the counter reads then. */
struct expiry {
    uint8_t task;
    uint32_t event; /* 0: the task is activated */
    TickType value;
};

struct point {
    uint64_t offset, lengthen, shorten;
    uint32_t actions;
    struct expiry action[MOST_ACTIONS];
    bool is_step[PARTS];
};

struct counter {
    uint64_t turn, units; /* units 0: software advances it */
    uint64_t now;
    uint32_t parts;
    bool lone;       /* its only table is alone in its parts */
    uint32_t shared; /* but in this one, where an alarm may wait, too; PARTS: there is none */
};
extern struct counter counters[CARILLON_OSEK_COUNTERS];

struct table {
    uint8_t counter, sync, start;
    bool repeats;
    uint64_t duration, precision, at;
    uint32_t autostart;
    int points;
    struct point point[POINTS];
    /* its state */
    int status, next, comes; /* comes: a point, or AT_END */
    bool waits, known, nears;
    int64_t deviation; /* if that is known: how far it is ahead */
    uint64_t due, turns[PARTS];
};
extern struct table tables[TABLES];

/* What each part is to do, and how much of that it has done. */
extern struct expiry expected[PARTS][ROOM];
extern uint32_t wanted[PARTS], had[PARTS];

/* From where services are called. */
extern uint8_t place;
extern bool disabled;

/* What the error hook was told, and what it is to be told. */
struct failures {
    uint32_t calls;
    struct carillon_osek_failure last;
};
extern struct failures failed, fails;

static inline uint32_t part_of(uint8_t task)
{
    return task % PARTS;
}
bool has_part(const struct table *table, uint32_t part);

uint64_t final_of(const struct table *table);
uint64_t delay_to(const struct table *table, int point);

/* A table is stopped. */
void forget(struct table *table);

/* Ticks to what is due next of a counter; many if nothing is. */
uint64_t to_next(uint8_t counter);
/* A counter counts to a tick. */
void count_to(uint8_t counter, uint64_t tick);

/* Tables start by themselves. */
void model_start(uint32_t mode);

/* Services: each says what the kernel is to return, and what the error hook is to be told. */
uint8_t model_relative(uint8_t number, TickType offset);
uint8_t model_absolute(uint8_t number, TickType start);
uint8_t model_synchron(uint8_t number);
uint8_t model_stop(uint8_t number);
uint8_t model_next(uint8_t from, uint8_t to);
uint8_t model_synchronise(uint8_t number, TickType value);
uint8_t model_asynchronous(uint8_t number);
uint8_t model_status(uint8_t number, void *reference);

#endif
