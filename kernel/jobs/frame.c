/* SPDX-License-Identifier: Apache-2.0
 *
 * Time frames: whether an arrival is too early. */
#include "kernel/jobs/frame.h"

#if CARILLON_OSEK_FRAMES > 0

/* CARILLON_FRAME_COUNTER, the address of the cell's counter; CARILLON_FRAME_SOURCE, of its interrupt; and
 * CARILLON_FRAME_TURN. */
#include "carillon_frame.h"

static volatile uint32_t turns;

/* The time in units of the cell; locked. */
static uint64_t now(void)
{
    uint32_t counted = turns;
    uint32_t left = carillon_port_read(CARILLON_FRAME_COUNTER);
    if (carillon_port_is_pending(CARILLON_FRAME_SOURCE)) {
        left = carillon_port_read(CARILLON_FRAME_COUNTER);
        left = (left == 0u) ? CARILLON_FRAME_TURN : left;
        counted++;
    }
    return (((uint64_t)counted + 1u) * CARILLON_FRAME_TURN) - left;
}

void carillon_frame_turns(void)
{
    const uint32_t saved = carillon_osek_lock();
    turns++;
    carillon_osek_unlock(saved);
}

StatusType carillon_osek_arrive(uint32_t place, StatusType status)
{
    static uint64_t opens[CARILLON_OSEK_FRAMES]; /* from when on each may arrive, in units of the cell */
    const uint32_t frame = carillon_osek_frames[place];
    if (frame == 0u) {
        return status;
    }
    const uint64_t time = now();
    if (time < opens[place]) {
        if (carillon_osek_ask_protection(E_OS_PROTECTION_ARRIVAL) != PRO_IGNORE) { /* no other answer is allowed */
            ShutdownOS(E_OS_PROTECTION_ARRIVAL);
        }
        return E_OS_PROTECTION_ARRIVAL;
    }
    if (status == E_OK) {
        opens[place] = time + frame;
    }
    return status;
}

bool carillon_isr_arrives(uint32_t place)
{
    const uint32_t saved = carillon_osek_lock();
    const StatusType status = carillon_osek_arrive(place, E_OK);
    carillon_osek_unlock(saved);
    return status == E_OK;
}

#endif
