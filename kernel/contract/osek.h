/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of the event-triggered system: the constants that the tool writes, and the state that it makes room for.
 * The headers of kernel/levels, jobs and counters say what the kernel does with them. */
#ifndef CARILLON_CONTRACT_OSEK_H
#define CARILLON_CONTRACT_OSEK_H

#include "carillon/osek.h"
#include "kernel/contract/action.h"
#include "kernel/contract/mode.h"

/* A task. */
struct carillon_osek_task {
    carillon_vector function;                /* what runs */
    struct carillon_osek_extended *extended; /* NULL: a basic task */
    uint64_t *stack;                         /* of an extended task */
    uint32_t stack_words;                    /* of eight bytes */
    struct carillon_store request;           /* of its level */
    uint32_t autostart;                      /* a bit for each application mode */
    uint16_t source;                         /* of its level */
    uint8_t level;
    uint8_t ceiling; /* the level it runs at once it has begun: its internal resource's, else its own */
    uint8_t activations;
    uint8_t direct;
    uint8_t thread;
#if CARILLON_OSEK_LEVEL_CELLS
    carillon_vector cells; /* serves the cells that have its level (carillon_osek_serve_cells); NULL: there are none */
#endif
#if CARILLON_OSEK_BUDGETS
    uint32_t budget; /* in units of the cell or ticks of the clock (kernel/levels/budget.h); 0: none */
#endif
};
extern const struct carillon_osek_task carillon_osek_tasks[];

#if CARILLON_OSEK_ISR_BUDGETS
/* The execution budgets of the ISRs, in units of the cell; 0: none. */
extern const uint32_t carillon_osek_isr_budgets[];
#endif

#if CARILLON_OSEK_LOCKS > 0
/* Lock budgets, a row for each task, in units of the cell of budgets; 0: none.  The locks: the resources, then these.
 */
extern const uint32_t carillon_osek_lock_budgets[];
#define CARILLON_LOCK_DISABLED CARILLON_OSEK_RESOURCES
#define CARILLON_LOCK_ALL (CARILLON_OSEK_RESOURCES + 1u)
#define CARILLON_LOCK_OS (CARILLON_OSEK_RESOURCES + 2u)
#endif

#if CARILLON_OSEK_FRAMES > 0
/* Time frames of all tasks, then of all ISRs, in units of their cell (kernel/jobs/frame.h); 0: none. */
extern const uint32_t carillon_osek_frames[];
#endif

/* A task level.  If `capacity` is not 0, its activations wait in a ring, first in, first out.  Otherwise the level has
 * one task with one activation, and the request says everything. */
struct carillon_osek_level {
    struct carillon_store request;
#if CARILLON_OSEK_SLICES && !CARILLON_OSEK_SOFTWARE
    struct carillon_store end_slice; /* requests the interrupt, just above the level, in which its thread gives way */
#endif
    uint8_t *ring;
    struct carillon_osek_ring *state;
    uint16_t capacity;
    uint16_t source;
    uint8_t task;
};
/* `over`: the slice of the thread whose turn it is has ended, and it could not give way yet.  `held`: resources that it
 * has taken and that mask no higher level.  `turn`: it is somebody's turn. */
#if CARILLON_NARROW && CARILLON_OSEK_SHORT_RINGS /* each capacity is at most 127 */
typedef uint8_t carillon_osek_slot;
typedef uint8_t carillon_osek_slots; /* a sum of two */
#else
typedef uint16_t carillon_osek_slot;
typedef uint_fast16_t carillon_osek_slots;
#endif
struct carillon_osek_ring {
    carillon_osek_slot first;
    carillon_osek_slot count;
#if CARILLON_OSEK_SLICES
    volatile uint8_t over;
    volatile uint8_t held;
    volatile uint8_t turn;
#endif
};
extern const struct carillon_osek_level carillon_osek_levels[]; /* [0] is unused */

/* A resource: the level to raise to, and what it was before. */
extern const uint8_t carillon_osek_ceilings[];
extern uint32_t carillon_osek_saved[];

/* A server of threads (kernel/time/server.c): times in ticks of the clock, and its level. */
struct carillon_server {
    uint32_t budget;
    uint32_t period;
    uint8_t level;
    uint8_t constant; /* bandwidth; else it is deferrable */
};
extern const struct carillon_server carillon_servers[];
extern const uint8_t carillon_server_of[]; /* by level, plus 1; 0: none */

/* Of threads with an offset, or with a deadline (kernel/time/wait_release.c): ticks of the clock. */
struct carillon_thread_time {
    uint32_t ticks;
    uint8_t thread;
};
extern const struct carillon_thread_time carillon_time_offsets[];
extern const struct carillon_thread_time carillon_time_deadlines[];

/* A mutex: the level at which the thread that holds it runs. */
extern const uint8_t carillon_osek_mutex_ceilings[];

/* What each source is, and its level; 0: nothing of the event-triggered system. */
#define CARILLON_OSEK_TASK 0x100u
#define CARILLON_OSEK_ISR1 0x200u
#define CARILLON_OSEK_ISR2 0x400u
#define CARILLON_OSEK_LEVEL 0xFFu
extern const uint16_t carillon_osek_contexts[];

/* By the number of an ISR, its source. */
extern const uint16_t carillon_osek_isr_sources[];

/* A counter; behind all counters, further parts of their queues (kernel/counters/expiry.h). */
struct carillon_osek_counter {
    TickType max_allowed;
    TickType ticks_per_base;
    TickType min_cycle;
    uint32_t units;   /* of the time base (base.h) in a tick; 0: nothing is to be asked of that */
    uint8_t software; /* IncrementCounter advances it */
    uint8_t ticked;   /* something does: its alarms can be set at run time */
    uint8_t leveled;  /* its handler has the level of the tasks that its queue wakes */
#if CARILLON_OSEK_LONE_CURSORS > 0
    uint8_t lone; /* nothing but this cursor of a schedule table waits here: its number and 1; 0: anything may */
#endif
};
extern const struct carillon_osek_counter carillon_osek_counters[];

/* An alarm that a cell carries until it is cancelled.  `counter` is the cell's counter register, which reads the units
 * left to the next expiry.  `units` are in a tick of the alarm's counter.  `stop` has the stores that stop the cell. */
struct carillon_osek_cell {
    uint32_t counter;
    uint32_t units;
    const struct carillon_store *stop;
    uint16_t stop_count;
#if CARILLON_OSEK_CELLS_TOLD
    uint16_t source;
    uint32_t ticks; /* of the time base, in a tick of the alarm's counter */
#endif
};

struct carillon_osek_alarm {
    union carillon_operand operand;
    const struct carillon_osek_cell *cell; /* NULL: the queue carries it */
    TickType start;                        /* of autostart */
    TickType cycle;
    uint32_t autostart; /* a bit for each application mode */
    uint8_t counter;    /* or the part of its queue */
    uint8_t action;     /* of contract/action.h */
    uint8_t object;     /* task or counter */
    uint8_t absolute;
};
extern const struct carillon_osek_alarm carillon_osek_alarms[];
#define CARILLON_OSEK_NO_ALARM 255u

/* One of several actions of an alarm: none has a list of its own, and none counts.  All lists are in one table. */
struct carillon_osek_alarm_action {
    union carillon_operand operand;
    uint8_t action; /* of contract/action.h */
    uint8_t object;
    uint8_t more; /* another one of the list follows */
};
extern const struct carillon_osek_alarm_action carillon_osek_alarm_actions[];

/* A schedule table.  `lone`: each of its cursors is alone in its part, and a turn of the table and one of the counter
 * are less than 15 * 2^28 ticks together.  What it does at one level of tasks is a cursor, which stands in that level's
 * part of the counter's queue.  All tables of a counter have cursors in the same parts, in the same order. */
struct carillon_osek_schedule_table {
    TickType duration; /* 0: 2^32, of one that is not synchronised explicitly */
    TickType initial;
    TickType precision;
    TickType at;        /* of autostart */
    uint32_t autostart; /* a bit for each application mode */
    uint16_t first;     /* of its cursors */
    uint8_t cursors;
    uint8_t counter;
    uint8_t repeating;
    uint8_t sync;
    uint8_t start; /* what `at` means */
#if CARILLON_OSEK_LONE_CURSORS > 0
    uint8_t lone;
#endif
};
extern const struct carillon_osek_schedule_table carillon_osek_schedule_tables[];
#define CARILLON_OSEK_SYNC_NONE 0u
#define CARILLON_OSEK_SYNC_IMPLICIT 1u
#define CARILLON_OSEK_SYNC_EXPLICIT 2u
#define CARILLON_OSEK_START_RELATIVE 0u
#define CARILLON_OSEK_START_ABSOLUTE 1u
#define CARILLON_OSEK_START_SYNCHRON 2u

/* What is done at a point. */
struct carillon_osek_point_action {
    union carillon_operand operand;
    uint8_t action; /* of contract/action.h */
    uint8_t object;
};
extern const struct carillon_osek_point_action carillon_osek_point_actions[];

/* A step of a cursor, `delay` ticks after the one before it.  The last step is the table's end, at which nothing is
 * done.  The steps of a table that is adjusted are its points, whatever is done there at the cursor's level. */
struct carillon_osek_step {
    TickType delay;
    uint16_t first; /* of its actions */
    uint16_t count;
#if CARILLON_OSEK_ADJUSTS
    TickType offset; /* after the table's begin */
    TickType max_lengthen;
    TickType max_shorten;
#endif
};

struct carillon_osek_cursor {
    const struct carillon_osek_step *steps;
    uint16_t count;
    uint8_t part; /* of the counter's queue */
    uint8_t table;
};
extern const struct carillon_osek_cursor carillon_osek_cursors[];

#if CARILLON_OSEK_TABLE_CELLS > 0
/* A cell that carries points of a schedule table, in ticks of the system clock. */
struct carillon_osek_table_cell {
    uint32_t first; /* from the table's begin to the cell's first expiry */
    uint32_t period;
    uint32_t source;
};

/* A schedule table on cells.  The lists of its cells are in the order of their first expiries.  A whole turn of its
 * counter and its duration are together less than 2^32 ticks of the system clock. */
struct carillon_osek_table_on_cells {
#if CARILLON_OSEK_TABLES_SET
    const struct carillon_store *starts; /* of each cell */
#else
    struct carillon_store start; /* of all its cells, beside those that run */
#endif
#if !CARILLON_OSEK_TABLES_RESTART
    const struct carillon_store *prepare; /* before each start */
    const struct carillon_store *stop;
    uint16_t prepare_count;
    uint16_t stop_count;
#endif
    /* From the period to where it would be if the table began with the reading.  Of cells that are set while they stand
     * still: the register that is set, and the ticks from the table's begin to the first expiry. */
    const struct carillon_shift *shifts;
    const struct carillon_osek_table_cell *cells;
    uint32_t count;
    uint32_t first; /* of the first cell */
    uint32_t tick;  /* ticks of the system clock in one of the counter, and in a whole turn of that */
    uint32_t turn;
#if CARILLON_OSEK_TABLE_ENDS
    /* The cell that expires at its end: its counter, from one expiry to the next, and its source, 0 if there is none.
     */
    uint32_t ends_at;
    uint32_t again;
    uint16_t ends_by;
    /* Of a table that repeats, the first cells are those of points before its half, `rest` ticks before its end. */
    uint16_t early;
    uint32_t rest;
#if !CARILLON_OSEK_TABLES_SET
    struct carillon_store resume; /* starts these, beside those that run */
#endif
#if CARILLON_OSEK_TABLES_RESTART
    struct carillon_store hold; /* stops them */
#endif
#endif
#if CARILLON_OSEK_TABLE_ADJUSTS
    uint32_t adjusts_by; /* the source of the cell that expires at its last point; 0 if it is not adjusted */
    const struct carillon_shift *moves; /* moves each cell by nothing */
    uint32_t latest; /* cells can be shifted while more ticks of the system clock are left until the next last point */
    TickType last;   /* ticks from the table's begin to its last point */
    TickType max_lengthen; /* of its first point */
    TickType max_shorten;
#endif
};
/* Moves all cells that a start has begun; to its value is added when the table begins. */
extern const struct carillon_store carillon_osek_table_move;
extern const struct carillon_osek_table_on_cells
    *const carillon_osek_tables_on_cells[]; /* NULL: it stands in a queue */
#endif

/* The image of the hardware: cells of counters and alarms, levels, the vector table.  The lists of stores let the
 * sources of tasks and ISRs interrupt, once what they asked for before is forgotten. */
extern const struct carillon_mode carillon_osek_image;
extern const struct carillon_store carillon_osek_forget[];
extern const struct carillon_store carillon_osek_enable[];
extern const uint16_t carillon_osek_enable_count;
extern const uint16_t carillon_osek_forget_count;
extern const struct carillon_store carillon_osek_disable[];
extern const uint16_t carillon_osek_disable_count;

#endif
