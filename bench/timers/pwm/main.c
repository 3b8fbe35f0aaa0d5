/* SPDX-License-Identifier: Apache-2.0
 *
 * Periodic timers revisited, figure 9: a thread makes lamps glow by switching them in software, and an alarm changes
 * how much every 20 ms.  Every turn of the thread takes the same time by itself, so that what makes one longer is an
 * interrupt. */
#include "../mark.h"

MARK(turn)

#define LAMPS 17u
#define STEPS 32u

static uint8_t intensities[STEPS + LAMPS];
static volatile uint8_t first; /* the intensity of the first lamp; each other has the one after its neighbour's */
static volatile uint32_t lamps;

static void glow(void)
{
    first = (uint8_t)((first + 1u) % STEPS);
}

static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(glow);

THREAD(Main)
{
    for (uint8_t k = 0u; k < (STEPS + LAMPS); k++) {
        intensities[k] = (uint8_t)(k % STEPS);
    }
    (void)carillon_alarm_start(&alarm, CARILLON_MILLISECONDS(20), CARILLON_INFINITE);
    for (uint8_t step = 0u;; step = (uint8_t)((step + 1u) % STEPS)) {
        const uint8_t *const duty = &intensities[first];
        uint32_t on = 0u;
        for (uint8_t lamp = 0u; lamp < LAMPS; lamp++) {
            /* Both are less than STEPS: the difference has its highest bit if the lamp is on, without a branch. */
            on = (on << 1) | (uint32_t)((uint8_t)(step - duty[lamp]) >> 7);
        }
        lamps = on;
        bench_turn();
    }
}
