/* SPDX-License-Identifier: Apache-2.0
 *
 * An event-triggered application's configuration, for what checks the kernel without the tool: everything that is
 * there, or with CARILLON_OSEK_LEAST the least. */
#ifndef CARILLON_OSEK_GENERATED_H
#define CARILLON_OSEK_GENERATED_H

#ifndef CARILLON_OSEK_LEAST
#define CARILLON_OSEK_LEAST 0
#endif
#ifndef CARILLON_OSEK_SOFTWARE
#define CARILLON_OSEK_SOFTWARE 0
#endif
#ifndef CARILLON_OSEK_TIME
#define CARILLON_OSEK_TIME 0
#endif
#ifndef CARILLON_OSEK_MUTEXES
#define CARILLON_OSEK_MUTEXES 0u
#endif
#ifndef CARILLON_OSEK_SERVERS
#define CARILLON_OSEK_SERVERS 0u
#endif
/* Switches are 1 or 0, as the tool writes them. */
#if CARILLON_OSEK_LEAST
#define CARILLON_OSEK_MOST 0
#else
#define CARILLON_OSEK_MOST 1
#endif
#if CARILLON_OSEK_SOFTWARE
#define CARILLON_OSEK_HARDWARE 0
#else
#define CARILLON_OSEK_HARDWARE 1
#endif

#ifndef CARILLON_OSEK_TASKS
#define CARILLON_OSEK_TASKS 3u
#endif
#ifndef CARILLON_OSEK_TASK_LEVELS
#define CARILLON_OSEK_TASK_LEVELS 3u
#endif
#ifndef CARILLON_OSEK_MODES
#define CARILLON_OSEK_MODES 1u
#endif
#ifndef CARILLON_OSEK_RESOURCES
#define CARILLON_OSEK_RESOURCES 2u
#endif
#ifndef CARILLON_OSEK_COUNTERS
#define CARILLON_OSEK_COUNTERS 2u
#endif
#ifndef CARILLON_OSEK_PARTS
#define CARILLON_OSEK_PARTS 2u
#endif
#ifndef CARILLON_OSEK_ALARMS
#define CARILLON_OSEK_ALARMS 2u
#endif
#ifndef CARILLON_OSEK_SCHEDULE_TABLES
#define CARILLON_OSEK_SCHEDULE_TABLES 2u
#endif
#ifndef CARILLON_OSEK_TABLES_SET
#define CARILLON_OSEK_TABLES_SET 0
#endif
#ifndef CARILLON_OSEK_TABLE_CELLS
#define CARILLON_OSEK_TABLE_CELLS (CARILLON_OSEK_SOFTWARE ? 0u : 2u)
#endif
#ifndef CARILLON_OSEK_TABLE_ENDS
#define CARILLON_OSEK_TABLE_ENDS CARILLON_OSEK_HARDWARE
#endif
#ifndef CARILLON_OSEK_TABLE_ADJUSTS
#define CARILLON_OSEK_TABLE_ADJUSTS (CARILLON_OSEK_TABLES_SET ? 0 : CARILLON_OSEK_HARDWARE)
#endif
#ifndef CARILLON_OSEK_TABLES_BESIDE
#define CARILLON_OSEK_TABLES_BESIDE 0
#endif
#ifndef CARILLON_OSEK_TABLES_MOVE
#define CARILLON_OSEK_TABLES_MOVE 0
#endif
#ifndef CARILLON_OSEK_TABLES_RESTART
#define CARILLON_OSEK_TABLES_RESTART (CARILLON_OSEK_TABLES_SET ? 0 : CARILLON_OSEK_LEAST)
#endif
#define CARILLON_BASE_COUNTER 0x40001000u
#define CARILLON_BASE_NEAR 160u
#define CARILLON_BASE_EARLY 160u
#define CARILLON_BASE_SET 150u
#define CARILLON_BASE_SPACING 1u
#ifndef CARILLON_OSEK_CURSORS
#define CARILLON_OSEK_CURSORS (CARILLON_OSEK_MOST ? 3u : 0u)
#endif
#ifndef CARILLON_OSEK_LONE_CURSORS
#define CARILLON_OSEK_LONE_CURSORS (CARILLON_OSEK_MOST ? 1u : 0u)
#endif
#ifndef CARILLON_OSEK_ADJUSTS
#define CARILLON_OSEK_ADJUSTS CARILLON_OSEK_MOST
#endif
#define CARILLON_OSEK_POINT_ACTIONS \
    (CARILLON_ACTION_BIT(CARILLON_ACTION_ACTIVATE) | CARILLON_ACTION_BIT(CARILLON_ACTION_SET_EVENT))
#ifndef CARILLON_OSEK_ISRS
#define CARILLON_OSEK_ISRS 1u
#endif
#ifndef CARILLON_OSEK_QUEUES
#define CARILLON_OSEK_QUEUES CARILLON_OSEK_MOST
#endif
#define CARILLON_OSEK_QUEUE_STARTS CARILLON_OSEK_MOST
#ifndef CARILLON_OSEK_ALARMS_COUNT
#define CARILLON_OSEK_ALARMS_COUNT CARILLON_OSEK_MOST
#endif
#ifndef CARILLON_OSEK_ALARM_LISTS
#define CARILLON_OSEK_ALARM_LISTS 0
#endif
#define CARILLON_OSEK_ALARM_ACTIONS                                                                      \
    (CARILLON_ACTION_BIT(CARILLON_ACTION_ACTIVATE) |                                                     \
     (CARILLON_OSEK_MOST                                                                                 \
          ? (CARILLON_ACTION_BIT(CARILLON_ACTION_SET_EVENT) | CARILLON_ACTION_BIT(CARILLON_ACTION_CALL)) \
          : 0u) |                                                                                        \
     (CARILLON_OSEK_ALARM_LISTS ? CARILLON_ACTION_BIT(CARILLON_ACTION_SEVERAL) : 0u) |                   \
     ((CARILLON_OSEK_ALARM_LISTS && CARILLON_OSEK_ALARMS_COUNT)                                          \
          ? CARILLON_ACTION_BIT(CARILLON_ACTION_SEVERAL_THEN_COUNT)                                      \
          : 0u) |                                                                                        \
     (CARILLON_OSEK_ALARMS_COUNT ? CARILLON_ACTION_BIT(CARILLON_ACTION_COUNT) : 0u))
#ifndef CARILLON_OSEK_CELLS
#define CARILLON_OSEK_CELLS 1
#endif
#ifndef CARILLON_OSEK_LEVEL_CELLS
#define CARILLON_OSEK_LEVEL_CELLS CARILLON_OSEK_HARDWARE
#endif
#define CARILLON_OSEK_CELLS_TOLD (CARILLON_OSEK_LEVEL_CELLS ? CARILLON_OSEK_MOST : 0)
#ifndef CARILLON_OSEK_LEVEL_COUNTERS
#define CARILLON_OSEK_LEVEL_COUNTERS 0
#endif
#define CARILLON_OSEK_HAS_CELLS(level) ((level) == 2u)
#define CARILLON_OSEK_EXTENDED CARILLON_OSEK_MOST
#define CARILLON_OSEK_DISPATCHER 14u
#define CARILLON_OSEK_TOP 4u
#define CARILLON_OSEK_SUSPENDED 4u
#define CARILLON_OSEK_ALL 5u
#define CARILLON_OSEK_BEGINS_MASKED 1
#define CARILLON_OSEK_PORT_LEVEL(level) (level)
#ifndef CARILLON_OSEK_DIRECT
#define CARILLON_OSEK_DIRECT CARILLON_OSEK_LEAST
#endif
#define CARILLON_OSEK_MANAGED 1
#ifndef CARILLON_OSEK_MATES
#define CARILLON_OSEK_MATES (CARILLON_OSEK_TIME ? CARILLON_OSEK_MOST : 0)
#endif
#define CARILLON_OSEK_BASIC 1
#define CARILLON_OSEK_QUEUED 1
#define CARILLON_OSEK_EVENTS 1
#define CARILLON_OSEK_INTERNAL 1
#define CARILLON_OSEK_AUTOSTART 1
#define CARILLON_OSEK_STARTUP_HOOK CARILLON_OSEK_MOST
#define CARILLON_OSEK_SHUTDOWN_HOOK CARILLON_OSEK_MOST
#define CARILLON_OSEK_ERROR_HOOK CARILLON_OSEK_MOST
#define CARILLON_OSEK_PRETASK_HOOK CARILLON_OSEK_MOST
#define CARILLON_OSEK_POSTTASK_HOOK CARILLON_OSEK_MOST
#define CARILLON_OSEK_TASK_HOOKS CARILLON_OSEK_MOST
#define CARILLON_OSEK_MISSING_END CARILLON_OSEK_MOST
#define CARILLON_OSEK_SERVICE_ID 1
#define CARILLON_OSEK_PARAMETER_ACCESS 1
#define CARILLON_OSEK_STACK_CHECK CARILLON_OSEK_MOST
#define CARILLON_OSEK_GUARD 4u
#ifndef CARILLON_SERVERS_CONSTANT
#define CARILLON_SERVERS_CONSTANT 0
#endif
#define CARILLON_OSEK_SHORT_RINGS 1
#ifndef CARILLON_TIME_SLACK
#define CARILLON_TIME_SLACK 0
#endif
#ifndef CARILLON_TIME_TICKS_INLINE
#define CARILLON_TIME_TICKS_INLINE 0
#endif
#ifndef CARILLON_OSEK_FAR
#define CARILLON_OSEK_FAR CARILLON_OSEK_MOST
#endif

#define OSDEFAULTAPPMODE ((AppModeType)0u)
#define CARILLON_OSEK_DEFAULT_MODE OSDEFAULTAPPMODE

#define CARILLON_DIRECT_NO_CELL 65535u
static const uint8_t carillon_known_tasks[] __attribute__((unused)) = {1, 1, 0};
static const uint8_t carillon_known_levels[] __attribute__((unused)) = {1, 2, 3};
static const uint16_t carillon_direct_sources[] __attribute__((unused)) = {16, 0, 0};
static const uint16_t carillon_direct_ends[] __attribute__((unused)) = {0, 65535, 0, 0};
static const struct carillon_store carillon_known_requests[]
    __attribute__((unused)) = {CARILLON_STORE_PEND(16), CARILLON_STORE_PEND(17), CARILLON_STORE_PEND(18)};
extern struct carillon_osek_extended carillon_extended_Second;
static struct carillon_osek_extended *const carillon_known_extended[]
    __attribute__((unused)) = {NULL, &carillon_extended_Second, NULL};
static struct carillon_osek_extended *const carillon_extended_callers[]
    __attribute__((unused)) = {NULL, NULL, &carillon_extended_Second, NULL};
#if CARILLON_OSEK_LEVEL_CELLS
void carillon_osek_call_cells(carillon_vector cells);
void carillon_cells_2(void);
static inline __attribute__((always_inline, unused)) bool carillon_known_cells_wait(uint8_t level)
{
    return (level == 2u) && carillon_port_is_pending(20u);
}
static inline __attribute__((always_inline, unused)) void carillon_serve_known_cells(uint8_t level)
{
    if (carillon_known_cells_wait(level)) {
        carillon_osek_call_cells(carillon_cells_2);
    }
}
#endif
static const uint8_t carillon_resource_ceilings[] __attribute__((unused)) = {3, 4};

#endif
