/* SPDX-License-Identifier: Apache-2.0
 *
 * A function of an alarm reads a sensor, and sends what it reads.  It never waits: if there is no room, the reading is
 * lost, and counted.  Filter sends the average of four readings on.  Log misses an average that does not come in time.
 */
#include "carillon/time.h"
#include "carillon/work.h"

struct reading {
    uint16_t number;
    int16_t value;
};

CARILLON_MESSAGES(readings, struct reading, 4);
CARILLON_MESSAGES(averages, int32_t, 1);

static uint16_t lost, missed;

static void read_sensor(void)
{
    static struct reading next;
    next.number++;
    next.value = (int16_t)(next.value + 3);
    if (carillon_send_within(&readings, &next, 0u) != E_OK) {
        lost++;
    }
}
static struct carillon_alarm sampling = CARILLON_ALARM_OF_FUNCTION(read_sensor);

THREAD(Filter)
{
    (void)carillon_alarm_start(&sampling, CARILLON_MILLISECONDS(1), CARILLON_INFINITE);
    for (;;) {
        int32_t sum = 0;
        for (uint32_t k = 0u; k < 4u; k++) {
            struct reading reading;
            (void)carillon_receive(&readings, &reading);
            sum += reading.value;
            carillon_work(2000u);
        }
        const int32_t average = sum / 4;
        (void)carillon_send(&averages, &average);
    }
}

THREAD(Log)
{
    for (;;) {
        int32_t average;
        if (carillon_receive_within(&averages, &average, CARILLON_MILLISECONDS(5)) == E_OK) {
            carillon_work(20000u);
        } else {
            missed++;
        }
    }
}
