/* SPDX-License-Identifier: Apache-2.0
 *
 * AUTOSAR OS R4: schedule tables, and what an application asks of a counter.  carillon/osek.h includes this.
 *
 * A schedule table is a row of expiry points, each some ticks of the table's counter after its begin.  At a point tasks
 * are activated and events are set.  Sections are those of the Specification of Operating System. */
#ifndef CARILLON_SCHEDULE_TABLE_H
#define CARILLON_SCHEDULE_TABLE_H

#include "carillon/osek.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint8_t ScheduleTableType;
typedef uint8_t ScheduleTableStatusType;
typedef ScheduleTableStatusType *ScheduleTableStatusRefType;
#define SCHEDULETABLE_STOPPED ((ScheduleTableStatusType)0u)
#define SCHEDULETABLE_NEXT ((ScheduleTableStatusType)1u)    /* it begins when another one ends */
#define SCHEDULETABLE_WAITING ((ScheduleTableStatusType)2u) /* it begins when SyncScheduleTable is called */
#define SCHEDULETABLE_RUNNING ((ScheduleTableStatusType)3u)
#define SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS ((ScheduleTableStatusType)4u)
#define INVALID_SCHEDULETABLE ((ScheduleTableType)255u)

/* Declare a schedule table.  Like DeclareTask, it has no effect.
 *
 * name: the schedule table.
 * Source: none; other kernels have it. */
#define DeclareScheduleTable(name) struct carillon_declared

#define OSServiceId_StartScheduleTableRel 21u
#define OSServiceId_StartScheduleTableAbs 22u
#define OSServiceId_StartScheduleTableSynchron 23u
#define OSServiceId_StopScheduleTable 24u
#define OSServiceId_NextScheduleTable 25u
#define OSServiceId_SyncScheduleTable 26u
#define OSServiceId_SetScheduleTableAsync 27u
#define OSServiceId_GetScheduleTableStatus 28u
#define OSServiceId_GetCounterValue 29u
#define OSServiceId_GetElapsedValue 30u
#define OSServiceId_GetElapsedCounterValue OSServiceId_GetElapsedValue

#if CARILLON_OSEK_SCHEDULE_TABLES > 0

/* Start a schedule table some ticks from now.
 *
 * table: the name of the table.
 * offset: ticks of its counter from now to its begin; from 1 to the counter's maxallowedvalue less the table's initial
 *     offset, so that the first point is at most maxallowedvalue ticks away.
 * Errors: E_OS_STATE: the table is not stopped.
 *     Extended: E_OS_ID: there is no such table, or it is synchronised implicitly; E_OS_VALUE: the offset is 0 or too
 *     great; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: AUTOSAR OS, SWS_Os_00347. */
StatusType StartScheduleTableRel(ScheduleTableType table, TickType offset);

/* Start a schedule table that begins when its counter reaches a value.  If the counter has that value now, the table
 * begins a turn of the counter later.
 *
 * table: the name of the table.
 * start: the value, in ticks of the table's counter; from 0 to the counter's maxallowedvalue.
 * Errors: E_OS_STATE: the table is not stopped.
 *     Extended: E_OS_ID: there is no such table; E_OS_VALUE: the value is above maxallowedvalue; E_OS_CALLEVEL;
 *     E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: AUTOSAR OS, SWS_Os_00358. */
StatusType StartScheduleTableAbs(ScheduleTableType table, TickType start);

/* Start a schedule table that begins when the application says what the global time is, with SyncScheduleTable.
 *
 * table: the name of the table, which is synchronised explicitly.
 * Errors: E_OS_STATE: the table is not stopped.
 *     Extended: E_OS_ID: there is no such table, or it is not synchronised explicitly; E_OS_CALLEVEL;
 *     E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: AUTOSAR OS, SWS_Os_00201. */
StatusType StartScheduleTableSynchron(ScheduleTableType table);

/* Stop a schedule table, and take back the one that is to follow it.  A table that is to follow another one does not
 * follow it any more.
 *
 * table: the name of the table.
 * Errors: E_OS_NOFUNC: the table is stopped.
 *     Extended: E_OS_ID: there is no such table; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: AUTOSAR OS, SWS_Os_00006. */
StatusType StopScheduleTable(ScheduleTableType table);

/* Begin a schedule table when another one ends.  A table that was to follow before is stopped.
 *
 * from: the name of the table that ends.
 * to: the name of the table that begins then; both have the same counter, and are synchronised in the same way.
 * Errors: E_OS_NOFUNC: `from` is stopped, or is itself to follow a table; E_OS_STATE: `to` is not stopped.
 *     Extended: E_OS_ID: there is no such table, or the two do not go together; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: AUTOSAR OS, SWS_Os_00191. */
StatusType NextScheduleTable(ScheduleTableType from, ScheduleTableType to);

/* Say where a schedule table should be.  From its next point on, it is adjusted by at most what its points allow, in
 * the direction that is shorter.  A table that waits for the global time begins.
 *
 * table: the name of the table, which is synchronised explicitly.
 * value: the global time, in ticks of its counter after the table's begin; less than its duration.
 * Errors: E_OS_STATE: the table is stopped, or is to follow another one.
 *     Extended: E_OS_ID: there is no such table, or it is not synchronised explicitly; E_OS_VALUE: the value is not
 *     less than the duration; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: AUTOSAR OS, SWS_Os_00199. */
StatusType SyncScheduleTable(ScheduleTableType table, TickType value);

/* Let a schedule table run on without a global time.
 *
 * table: the name of the table, which is synchronised explicitly.
 * Errors: E_OS_STATE: the table does not run.
 *     Extended: E_OS_ID: there is no such table, or it is not synchronised explicitly; E_OS_CALLEVEL;
 *     E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: AUTOSAR OS, SWS_Os_00422. */
StatusType SetScheduleTableAsync(ScheduleTableType table);

/* Get what state a schedule table is in.
 *
 * table: the name of the table.
 * status: where to put the state, one of the five SCHEDULETABLE_ constants.
 * Errors: none.
 *     Extended: E_OS_ID: there is no such table; E_OS_PARAM_POINTER; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: AUTOSAR OS, SWS_Os_00227. */
StatusType GetScheduleTableStatus(ScheduleTableType table, ScheduleTableStatusRefType status);

#endif

#if CARILLON_OSEK_COUNTERS > 0

/* Get the value of a counter.
 *
 * counter: the name of the counter.
 * value: where to put it, in ticks.
 * Errors: E_OS_ID: nothing makes the counter tick: no alarm and no schedule table needs it, and it is not `readable`.
 *     Extended: E_OS_ID: there is no such counter; E_OS_PARAM_POINTER; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: AUTOSAR OS, SWS_Os_00383. */
StatusType GetCounterValue(CounterType counter, TickRefType value);

/* Get the value of a counter, and the ticks since it had another one, which was less than a turn ago.
 *
 * counter: the name of the counter.
 * value: where the earlier value is, in ticks; the value of now takes its place.
 * elapsed: where to put the ticks between the two.
 * Errors: E_OS_ID: as of GetCounterValue.
 *     Extended: E_OS_ID: there is no such counter; E_OS_VALUE: the earlier value is above maxallowedvalue;
 *     E_OS_PARAM_POINTER; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: AUTOSAR OS, SWS_Os_00392. */
StatusType GetElapsedValue(CounterType counter, TickRefType value, TickRefType elapsed);

/* The name that GetElapsedValue had until AUTOSAR 4.0.
 *
 * counter: the name of the counter.
 * value: where the earlier value is, in ticks; the value of now takes its place.
 * elapsed: where to put the ticks between the two.
 * Errors: those of GetElapsedValue.
 * From: tasks, ISRs of category 2.
 * Source: AUTOSAR OS 3.1, OS392. */
static inline StatusType GetElapsedCounterValue(CounterType counter, TickRefType value, TickRefType elapsed)
{
    return GetElapsedValue(counter, value, elapsed);
}

#endif

#if CARILLON_OSEK_PARAMETER_ACCESS
#define OSError_StartScheduleTableRel_ScheduleTableID() ((ScheduleTableType)carillon_failed_object())
#define OSError_StartScheduleTableRel_Offset() ((TickType)carillon_failed_first())
#define OSError_StartScheduleTableAbs_ScheduleTableID() ((ScheduleTableType)carillon_failed_object())
#define OSError_StartScheduleTableAbs_Start() ((TickType)carillon_failed_first())
#define OSError_StartScheduleTableSynchron_ScheduleTableID() ((ScheduleTableType)carillon_failed_object())
#define OSError_StopScheduleTable_ScheduleTableID() ((ScheduleTableType)carillon_failed_object())
#define OSError_NextScheduleTable_ScheduleTableID_From() ((ScheduleTableType)carillon_failed_object())
#define OSError_NextScheduleTable_ScheduleTableID_To() ((ScheduleTableType)carillon_failed_first())
#define OSError_SyncScheduleTable_ScheduleTableID() ((ScheduleTableType)carillon_failed_object())
#define OSError_SyncScheduleTable_Value() ((TickType)carillon_failed_first())
#define OSError_SetScheduleTableAsync_ScheduleTableID() ((ScheduleTableType)carillon_failed_object())
#define OSError_GetScheduleTableStatus_ScheduleTableID() ((ScheduleTableType)carillon_failed_object())
#define OSError_GetScheduleTableStatus_ScheduleStatus() ((ScheduleTableStatusRefType)carillon_failed_reference())
#define OSError_GetCounterValue_CounterID() ((CounterType)carillon_failed_object())
#define OSError_GetCounterValue_Value() ((TickRefType)carillon_failed_reference())
#define OSError_GetElapsedValue_CounterID() ((CounterType)carillon_failed_object())
#define OSError_GetElapsedValue_Value() ((TickRefType)carillon_failed_reference())
#define OSError_GetElapsedValue_ElapsedValue() ((TickRefType)carillon_failed_other())
#define OSError_GetElapsedCounterValue_CounterID() OSError_GetElapsedValue_CounterID()
#define OSError_GetElapsedCounterValue_Value() OSError_GetElapsedValue_Value()
#define OSError_GetElapsedCounterValue_ElapsedValue() OSError_GetElapsedValue_ElapsedValue()
#endif

#if CARILLON_OSEK_SCHEDULE_TABLES > 0
/* Internal.  The state of each schedule table.  A table in a queue has the table that follows it, and how many cursors
 * have passed the end at which it is left.  A table on cells that may be followed has whether its early cells stand
 * still before its end. */
struct carillon_osek_table_state {
    uint8_t status;
#if (CARILLON_OSEK_CURSORS > 0) || CARILLON_OSEK_TABLE_ENDS
    uint8_t next;
#endif
#if CARILLON_OSEK_CURSORS > 0
    uint8_t passed;
#endif
#if CARILLON_OSEK_TABLE_ENDS
    uint8_t held;
#endif
};
extern struct carillon_osek_table_state carillon_osek_table_states[];

/* Internal.  What stops the cells of each schedule table on cells, if it is one store.  And to stop them where no round
 * waits for the lock; `saved`: what was locked before. */
extern const struct carillon_store carillon_osek_table_stops[];
#if CARILLON_OSEK_TABLES_RESTART && !CARILLON_OSEK_TABLES_BESIDE
static inline __attribute__((always_inline)) StatusType carillon_stop_locked(ScheduleTableType table, uint32_t address,
                                                                             uint32_t value, uint32_t saved)
{
    StatusType status = E_OS_NOFUNC;
    if (carillon_osek_table_states[table].status != SCHEDULETABLE_STOPPED) {
        carillon_port_write(address, value);
        carillon_port_note_stop(&carillon_osek_table_states[table].status, SCHEDULETABLE_STOPPED);
        status = E_OK;
    }
    carillon_port_unlock(saved);
    return status;
}

/* Where the port says so, what the store is made of is loaded before the lock. */
#ifdef CARILLON_PORT_LOADS_BEFORE
static inline __attribute__((always_inline)) StatusType carillon_stop_cells(ScheduleTableType table)
{
    const volatile struct carillon_store *const stop = &carillon_osek_table_stops[table];
    const uint32_t address = stop->address;
    const uint32_t value = stop->value;
    return carillon_stop_locked(table, address, value, carillon_port_lock());
}
#else
static inline __attribute__((always_inline)) StatusType carillon_stop_cells(ScheduleTableType table)
{
    const uint32_t saved = carillon_port_lock();
    return carillon_stop_locked(table, carillon_osek_table_stops[table].address, carillon_osek_table_stops[table].value,
                                saved);
}
#endif
#if CARILLON_OSEK_INLINE && (CARILLON_OSEK_CURSORS == 0u) && !CARILLON_OSEK_TABLE_ENDS && !CARILLON_OSEK_TABLE_ADJUSTS
#define StopScheduleTable(table) (__builtin_constant_p(table) ? carillon_stop_cells(table) : (StopScheduleTable)(table))
#endif
#endif
#endif

#ifdef __cplusplus
}
#endif

#endif
