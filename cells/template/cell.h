/* SPDX-License-Identifier: Apache-2.0
 *
 * A driver to copy for a family of timer cells: every name that one defines, with TEMPLATE for the family's
 * name in capitals.  `first` and `period` are in the cell's units, `cell` counts the family's cells on the
 * board from 0.  A name is needed only where cell.toml says so.
 */
#ifndef CARILLON_CELL_TEMPLATE_H
#define CARILLON_CELL_TEMPLATE_H

#include "carillon_port.h"

/* Always.  Stores (separated by commas) that set a cell up while it stands still, and that stop it. */
#define TEMPLATE_PREPARE(cell, first, period, prescaler) CARILLON_STORE(0u, (period))
#define TEMPLATE_STOP(cell) CARILLON_STORE(0u, 0u)

/* The store that starts a cell, armed or ("mask") not; with "start-together" several, and the bits of one. */
#define TEMPLATE_START(cell_or_bits) CARILLON_STORE(0u, (cell_or_bits))
#define TEMPLATE_START_DISARMED(cell) CARILLON_STORE(0u, 0u)
#define TEMPLATE_BIT(cell) (UINT32_C(1) << (cell))

/* "first": the register to which a store says, while the cell stands still, how far its first expiry is from its start.
 * The rest stays as TEMPLATE_PREPARE has set it. */
#define TEMPLATE_FIRST(cell) UINT32_C(0)

/* "restart": a store that stops several cells, by their TEMPLATE_BITs.  What TEMPLATE_PREPARE stored holds while they
 * stand still, so that they can be started anew at their periods, by TEMPLATE_RESTART.  Its register reads the bits of
 * cells that run and may be stored again, or 0: those of more cells are added to what is read. */
#define TEMPLATE_STOP_TOGETHER(bits) CARILLON_STORE(0u, (bits))
#define TEMPLATE_RESTART(bits) CARILLON_STORE(0u, (bits))

/* "move": cells of schedule tables are prepared by the first, once.  RESTART begins each at its first expiry and some units
 * more.  MOVE stores what is to be added to the counts of all cells of the last RESTART.  The kernel adds to its value when
 * the table begins.  TEMPLATE_ALIGN takes the same units from a cell alone. */
#define TEMPLATE_RESTART_PREPARE(cell, first, period, prescaler) CARILLON_STORE(0u, (first))
#define TEMPLATE_MOVE() CARILLON_STORE(0u, 0u)

/* "arms": the cell's expiry lets the cells of `bits` request, which TEMPLATE_HOLD keeps from it before. */
#define TEMPLATE_ARMS(cell, bits) CARILLON_STORE(0u, (bits))

/* cell.toml: keep.  The register that TEMPLATE_START stores to, with all bits that a cell has in it: a start leaves
 * those of cells that the application drives itself as they are. */
#define TEMPLATE_KEEP(cell) CARILLON_STORE(0u, UINT32_C(1) << (cell))

/* cell.toml: untouched.  What registers of a cell read after reset, as long as nobody uses it and its clock is on: the
 * addresses, the bits that count, and their values. */
#define TEMPLATE_UNTOUCHED(cell, width) \
    {                                   \
        0u, UINT32_MAX, 0u              \
    }

/* cell.toml: measured.  Where the counter of a cell is made to run after a reset, upwards, by which value, and where it is
 * read: its clock is measured.  0 there stops it. */
#define TEMPLATE_MEASURED(cell) 0u, 1u, 0u

/* cell.toml: trigger.  Another timer starts the cells, instead of TEMPLATE_START: a store, or several, after those that
 * prepare them, and the store with which they begin to wait.  They begin `delay` ticks behind its trigger, which is 1 or
 * more, and `select` is what the board's [starter] says of that timer. */
#define TEMPLATE_TRIGGER_PREPARE(delay) CARILLON_STORE(0u, (delay))
#define TEMPLATE_TRIGGER_START(select) CARILLON_STORE(0u, (select))

/* cell.toml: align.  A struct carillon_shift that moves a cell, started at its period, to its first expiry. */
#define TEMPLATE_ALIGN(cell, first, period) CARILLON_SHIFT(0u, (uint32_t)(first) - (uint32_t)(period))

/* cell.toml: finish.  Stores right after the start: the intervals after the first. */
#define TEMPLATE_FINISH(cell, first, period) CARILLON_STORE(0u, (period))

/* "remaining": its down counter, and what that reads plus the time for a cell
 * that expires at `offset`. */
#define TEMPLATE_COUNTER(cell) 0u
#define TEMPLATE_PHASE(offset) (offset)

/* "within": units that are left to the next expiry of a cell that expires every `period` units.  With "match" and
 * "acknowledge", it is the distance to the match that the handler moves, modulo what the counter counts. */
#define TEMPLATE_LEFT(cell, period) 0u

/* cell.toml: base = "up" or "free": what has been counted since the start. */
#define TEMPLATE_UP(cell) 0u
#define TEMPLATE_FREE 0u

/* "shift", "reload", "match": where a multiplexed cell's intervals go, and the interval in the form that template_rearm
 * takes. */
#define TEMPLATE_REARM_REGISTER(cell) 0u
#define TEMPLATE_INTERVAL(interval, period) (interval)
/* "reload": stores that set up the cell beside a multiplexed one, which counts down from 2^32 - 1 for ever. */
#define TEMPLATE_TIMEKEEPER_PREPARE(cell) CARILLON_STORE(0u, UINT32_MAX)
/* "shift": the same for a deadline that is moved before it expires. */
#define TEMPLATE_POSTPONE(interval) (interval)

static inline void template_rearm(struct carillon_multiplex *multiplex);
static inline void template_postpone(struct carillon_multiplex *multiplex);

/* "acknowledge": clear the request, which has gone when this returns (carillon_port_settle). */
static inline void template_acknowledge(uint32_t cell);

/* "hold": a store that keeps a cell from interrupting while it stands still, where TEMPLATE_START does not tell cells
 * apart. */
#define TEMPLATE_HOLD(cell) CARILLON_STORE(0u, 0u)

/* "mask": let a cell interrupt from now on, forgetting earlier requests; or no more, from the next
 * instruction on (carillon_port_barrier). */
static inline void template_arm(uint32_t cell);
static inline void template_disarm(uint32_t cell);

/* "ask": whether a cell that has been armed has expired and not been acknowledged.  Cells of one source are asked in
 * turn, and none is forgotten that expires meanwhile. */
static inline bool template_asks(uint32_t cell);

#endif
