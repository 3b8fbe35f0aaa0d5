/* SPDX-License-Identifier: Apache-2.0
 *
 * Periodic timers revisited, table III: an alarm whose function does nothing. */
#include "../mark.h"

MARK(beat)

static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(bench_beat);

THREAD(Main)
{
    (void)carillon_alarm_start(&alarm, CARILLON_MILLISECONDS(5), CARILLON_INFINITE);
}
