/* SPDX-License-Identifier: Apache-2.0
 *
 * One-shot time management analysis in EPOS, section 4: five philosophers think, and eat with two of five forks. */
#include "../mark.h"

MARK(begin)
MARK(end)

#define FORKS 5u

static struct carillon_semaphore forks[FORKS] = {
    CARILLON_SEMAPHORE_UP_TO(1, 1), CARILLON_SEMAPHORE_UP_TO(1, 1), CARILLON_SEMAPHORE_UP_TO(1, 1),
    CARILLON_SEMAPHORE_UP_TO(1, 1), CARILLON_SEMAPHORE_UP_TO(1, 1),
};

/* Every second one takes the fork on the left first, the others that on the right. So they never wait for each other in
 * a circle, and as few as possible hold a fork while they wait for the other. */
static void dine(uint8_t seat)
{
    const uint8_t other = (uint8_t)((seat + 1u) % FORKS);
    struct carillon_semaphore *const first = &forks[((seat % 2u) == 0u) ? seat : other];
    struct carillon_semaphore *const second = &forks[((seat % 2u) == 0u) ? other : seat];
    bench_begin();
    for (uint8_t turn = 0u; turn < TURNS; turn++) {
        (void)carillon_delay(CARILLON_MILLISECONDS(THINK_MS));
        (void)carillon_semaphore_p(first);
        (void)carillon_semaphore_p(second);
        (void)carillon_delay(CARILLON_MILLISECONDS(EAT_MS));
        (void)carillon_semaphore_v(second);
        (void)carillon_semaphore_v(first);
    }
    bench_end();
}

THREAD(Plato)
{
    dine(0u);
}
THREAD(Socrates)
{
    dine(1u);
}
THREAD(Kant)
{
    dine(2u);
}
THREAD(Hume)
{
    dine(3u);
}
THREAD(Arendt)
{
    dine(4u);
}
