/* SPDX-License-Identifier: Apache-2.0
 *
 * How often the cells of alarms have expired, as the time base tells it (cells.h). */
#include "kernel/counters/cells.h"

#if CARILLON_OSEK_CELLS_TOLD
carillon_base carillon_osek_alarm_due[CARILLON_OSEK_ALARMS];

uint32_t carillon_osek_expiries_until(AlarmType number, carillon_base cycle, carillon_base left)
{
    const carillon_base due = carillon_osek_alarm_due[number];
    const carillon_base passed = carillon_base_past(due, left);
    if (passed > CARILLON_OSEK_TOLD_MOST) {
        return 0u;
    }
    const carillon_base more = (carillon_base)(passed / cycle);
    const carillon_base last = carillon_base_later(due, (carillon_base)(more * cycle));
    carillon_osek_alarm_due[number] = carillon_base_later(last, cycle);
    return (uint32_t)more + 1u;
}

#if CARILLON_OSEK_LEVEL_CELLS
bool carillon_osek_alarm_acts_again(AlarmType number, uint32_t times)
{
    bool ready = false;
    for (uint32_t left = times; left != 0u; left--) {
        ready = carillon_osek_alarm_acts_once(number) || ready;
    }
    return ready;
}
#endif

/* How often an alarm has expired by now. */
static carillon_base cycles_since(carillon_base first, carillon_base cycle)
{
    const carillon_base passed = carillon_base_past(first, carillon_base_left());
    return (passed > CARILLON_OSEK_TOLD_MOST) ? 0u : (carillon_base)((passed / cycle) + 1u);
}

/* Beneath a round the cells were started with it.  What has expired before is forgotten, or waits: then the last one is
 * its request.  An expiry between the two readings makes them differ, and they are taken again. */
static inline carillon_base cycles_gone(AlarmType alarm, carillon_base first, carillon_base cycle)
{
    carillon_base gone = 0u;
    bool waits = false;
    do {
        gone = cycles_since(first, cycle);
        waits = carillon_port_is_pending(carillon_osek_alarms[alarm].cell->source);
    } while (cycles_since(first, cycle) != gone);
    return ((gone != 0u) && waits) ? (carillon_base)(gone - 1u) : gone;
}

void carillon_osek_start_expiries(void)
{
    for (uint32_t alarm = 0; alarm < CARILLON_OSEK_ALARMS; alarm++) {
        if ((carillon_osek_alarms[alarm].cell == NULL) || !carillon_osek_alarm_is_told((AlarmType)alarm)) {
            continue;
        }
        const carillon_base cycle =
            (carillon_base)carillon_osek_alarm_units((AlarmType)alarm, carillon_osek_alarms[alarm].cycle);
        const carillon_base first =
            carillon_base_later(CARILLON_BASE_ORIGIN, (carillon_base)carillon_osek_alarm_first((AlarmType)alarm));
        const carillon_base gone = (CARILLON_MODES > 0) ? cycles_gone((AlarmType)alarm, first, cycle) : 0u;
        carillon_osek_alarm_due[alarm] =
            (gone == 0u) ? first : carillon_base_later(first, (carillon_base)(gone * cycle));
    }
}
#endif
