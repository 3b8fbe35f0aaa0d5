/* SPDX-License-Identifier: Apache-2.0
 *
 * Periodic timers revisited, figure 9: a thread makes lamps glow by switching them in software, and an alarm changes
 * how much every 20 ms. */
#include "../mark.h"

MARK(turn)

#define LAMPS 16u
#define STEPS 32u

static volatile uint8_t duty[LAMPS];
static volatile uint16_t lamps;

static void glow(void)
{
    for (uint8_t lamp = 0u; lamp < LAMPS; lamp++) {
        duty[lamp] = (uint8_t)((duty[lamp] + lamp + 1u) % STEPS);
    }
}

static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(glow);

THREAD(Main)
{
    (void)carillon_alarm_start(&alarm, CARILLON_MILLISECONDS(20), CARILLON_INFINITE);
    for (;;) {
        for (uint8_t step = 0u; step < STEPS; step++) {
            uint16_t on = 0u;
            for (uint8_t lamp = 0u; lamp < LAMPS; lamp++) {
                on = (uint16_t)(on << 1) | ((step < duty[lamp]) ? 1u : 0u);
            }
            lamps = on;
            bench_turn();
        }
    }
}
