/* SPDX-License-Identifier: Apache-2.0
 *
 * OSEKtime OS 1.0: synchronisation with a global time (Sloth on Time, section IV-E).
 *
 * The sync cell expires once a round, when nothing of the round is due for a while.  Its handler moves all cells of the
 * round by the same number of ticks.
 *
 * 1. Every cell of the round is shifted by one operation, whose load and store are equally far apart for all cells.  A
 *    counter runs on between the two by as many ticks, for which its family allows.  So a cell's next expiry is moved
 *    by exactly the correction, whenever the operation takes place, and all cells keep the same time.
 * 2. A cell that expired within the operation, or that were shifted to 0 or beyond, would lose or double an expiry.
 *    So it is looked at how late it is, by the sync cell's own counter, with interrupts locked.  `latest` is such that
 *    from there on all shifts are made before the next expiry of any cell less the most that a round is shortened by.
 *    The tool has worked it out from the points of the round and the port's price of the loop.  It refuses limits for
 *    which a handler that is in time would be too late.
 * 3. If it is later than that, nothing is moved: the correction waits for the next sync point.  So no round is ever
 *    moved by half.
 * 4. What a correction has beyond the limits waits as well.  So however wrong a time is that is told, no round is
 *    changed by more than the limits.
 *
 * 5. Cells that are channels of timers are moved by one turn of another length (cells/avr16/sync.h).  Matches that handlers
 *    move are moved by addition (cells/rp2040alarm/sync.h, cells/stm32match/sync.h).  The same holds for all.
 *
 * The global time is known by what it will be when the sync cell expires next (`due`): it is `due` less what the cell's
 * counter reads.  A shift adds the same to both. */
#include "kernel/osektime/sync.h"

#include "carillon/osektime.h"

#if CARILLON_SYNC
#include "carillon_sync_cells.h"

#if CARILLON_MODES > 1
#define ACTIVE_MODE (*(const volatile uint8_t *)&carillon_mode)
#else
#define ACTIVE_MODE 0u
#endif

static volatile uint32_t due;
static volatile int32_t correction; /* the ticks by which rounds are still to be longer in all; negative: shorter */
static volatile uint16_t silent;    /* sync points since ttSyncTimes, up to one more than allowed */
static volatile uint8_t served;     /* sync points, modulo its range */
static volatile bool heard;
static volatile bool holds; /* with CARILLON_SYNC_HARD */

bool carillon_sync_holds(void)
{
    return CARILLON_SYNC_HARD && holds;
}

void carillon_sync_begin(uint32_t mode)
{
    const struct carillon_sync *const sync = &carillon_syncs[mode];
    due = carillon_sync_starts(sync);
    if (CARILLON_SYNC_HARD) {
        holds = true;
        carillon_mode_store(sync->hold, sync->hold_count);
    }
}

#if CARILLON_MODES > 1
/* A correction that is left is one of the new mode too: its round begins where that of the old one ended. */
void carillon_sync_switch(uint32_t from, uint32_t to)
{
    due += carillon_syncs[from].leave + carillon_syncs[to].at;
}
#endif

/* What the sync cell's counter reads, and whether the cell has expired and its handler has not run: `due` is then that
 * of the expiry before.  The two belong together: if the cell expired between the looks at its request, it is looked at
 * again. */
static uint32_t left_of(const struct carillon_sync *sync, bool *expired)
{
    uint32_t left;
    bool before;
    do {
        before = carillon_sync_asks(sync);
        left = carillon_sync_left(sync);
        *expired = carillon_sync_asks(sync);
    } while (before != *expired);
    return left;
}

/* By how much the cells are to be moved now, at most by the limits. */
static int32_t bounded(const struct carillon_sync *sync, int32_t wanted)
{
    if (wanted > (int32_t)sync->lengthen) {
        return (int32_t)sync->lengthen;
    }
    if (wanted < -(int32_t)sync->shorten) {
        return -(int32_t)sync->shorten;
    }
    return wanted;
}

void carillon_synchronise(void)
{
    const struct carillon_sync *const sync = &carillon_syncs[ACTIVE_MODE];
    const uint32_t saved = carillon_port_lock();
    int32_t by = bounded(sync, correction);
    if (carillon_sync_holds()) {
        by = heard ? (correction + ((correction < 0) ? (int32_t)sync->length : 0)) : 0;
        carillon_sync_skip(sync);
    }
    due += carillon_sync_passes(sync);
    by = carillon_sync_steps(sync, by);
    if (carillon_sync_left(sync) >= sync->latest) {
        if (by != 0) {
            carillon_sync_move(sync, (carillon_value)by);
            due += (uint32_t)by;
            correction -= by;
        }
        /* 1. While the requests were held back, the cells expired in vain, re-armed ones at their first point in each
         *    round.
         * 2. At the first sync point after the first global time, all are moved to their phase at once, later by up to
         *    a round: nothing is shifted to 0.
         * 3. Nothing of the round is due until the first point of the next one.  So whole rounds begin there, and what
         *    was asked for in vain is forgotten before. */
        if (carillon_sync_holds() && heard) {
            correction = 0;
            holds = false;
            carillon_mode_store(sync->release, sync->release_count);
        }
    }
    if (silent <= CARILLON_SYNC_SILENCE) {
        silent++;
    }
    served++;
    carillon_port_unlock(saved);
}

#if CARILLON_SYNC_TURN
void carillon_sync_turn(void)
{
    const uint32_t saved = carillon_port_lock();
    const bool back = carillon_sync_goes_back(&carillon_syncs[ACTIVE_MODE]);
    carillon_port_unlock(saved);
    if (!back) {
        carillon_synchronise();
    }
}
#endif

/* A difference of less than a turn, the shorter way round. */
static int32_t shorter_way(uint32_t later, uint32_t turn)
{
    const uint32_t sooner = turn - later;
    return (later > (turn / 2u)) ? -(int32_t)sooner : (int32_t)later;
}

/* How many ticks longer the round is to be: it is to be at `told` now, and the sync cell has `left` to go to `at`.  All of
 * them are within a turn. */
static uint32_t later_by(uint32_t at, uint32_t told, uint32_t left, uint32_t turn)
{
    const uint32_t wanted = at - told + ((at < told) ? turn : 0u);
    return wanted - left + ((wanted < left) ? turn : 0u);
}

/* The global time has been heard, and rounds are to be longer by so many ticks in all. */
static void correct(int32_t by)
{
    correction = by;
    silent = 0u;
    heard = true;
}

ttStatusType ttSyncTimes(ttTickType global_time, ttTickType schedule_time)
{
    const uint32_t saved = carillon_port_lock();
    const struct carillon_sync *const sync = &carillon_syncs[ACTIVE_MODE];
    ttStatusType status = TT_E_OS_VALUE;
    if (schedule_time < sync->length) {
        bool expired;
        uint32_t left = left_of(sync, &expired);
        due = global_time + left - (expired ? sync->length : 0u); /* which its handler will add */
        while (left >= sync->length) {                            /* twice at most */
            left -= sync->length;
        }
        correct(shorter_way(later_by(sync->at, schedule_time, left, sync->length), sync->length));
        status = TT_E_OS_OK;
    }
    carillon_port_unlock(saved);
    return status;
}

#if CARILLON_SYNC_EDGES
/* Of the edges of a round the nearest is meant.  The global time goes on as the plant's: at each edge it is that of the
 * round's beginning, and the edge's place in the round. */
ttStatusType ttSyncEdge(void)
{
    const uint32_t saved = carillon_port_lock();
    const struct carillon_sync *const sync = &carillon_syncs[ACTIVE_MODE];
    const uint32_t between = carillon_edges[ACTIVE_MODE].between;
    bool expired;
    const uint32_t left = left_of(sync, &expired) % between; /* which divides the round */
    const uint32_t later = later_by(sync->at % between, carillon_edges[ACTIVE_MODE].first, left, between);
    const int32_t before = correction;
    correct(shorter_way(later, between));
    due += (uint32_t)before - (uint32_t)correction; /* the same at the next sync point, which comes later by that */
    carillon_port_unlock(saved);
    return TT_E_OS_OK;
}
#endif

/* The sync cell's handler preempts every caller that is not on its own level or above, as a whole.  It counts the
 * points that it has served.  If it has served none meanwhile, all that was read is of one time. */
ttStatusType ttGetGlobalTime(ttTickRefType time)
{
    uint8_t before;
    do {
        before = served;
        const struct carillon_sync *const sync = &carillon_syncs[ACTIVE_MODE];
        bool expired;
        const uint32_t left = left_of(sync, &expired);
        *time = (due - left) + (expired ? sync->length : 0u);
    } while (before != served);
    return TT_E_OS_OK;
}

ttStatusType ttGetOSSyncStatus(ttSynchronizationStatusRefType status)
{
    const uint32_t saved = carillon_port_lock();
    const int32_t left = correction;
    const bool known = heard && (silent <= CARILLON_SYNC_SILENCE);
    carillon_port_unlock(saved);
    const uint32_t size = (left < 0) ? (0u - (uint32_t)left) : (uint32_t)left;
    *status =
        (ttSynchronizationStatusType)((known && (size <= CARILLON_SYNC_PRECISION)) ? TT_SYNCHRONOUS : TT_ASYNCHRONOUS);
    return TT_E_OS_OK;
}
#endif
