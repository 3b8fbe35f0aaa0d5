# SPDX-License-Identifier: Apache-2.0
"""``carillon verify`` finds each fault in the points at which rounds are synchronised."""

from __future__ import annotations

from pathlib import Path

import pytest
from verified_images import M0, RELOAD, Fault, Images, at, must_be_found, plus, to, value

SYNCS = "carillon_syncs"
UNITS, KNOWN, FIRST = 25, 13, 14
TIM = 0x4001_0000

FAULTS = [
    # The sync point: kernel/contract/sync.h; the list of what it moves has a counter and an addend for each cell.
    Fault(
        "sync", "a sync cell that expires later", "C204", lambda p: p.store(M0 + "align", at(RELOAD - 4 + 0x40), value(plus(1)))
    ),
    Fault(
        "sync", "a cell that is moved by one more", "C204", lambda p: p.number(M0 + "sync", 1, plus(1)), "than by the correction"
    ),
    Fault("sync", "a cell that is moved twice", "C204", lambda p: p.number(M0 + "sync", 2, plus(-16)), "no cell's"),
    Fault("sync", "a cell that is not moved", "C204", lambda p: p.number(SYNCS, 20, plus(-1), 2), "does not move TMR4"),
    Fault("sync", "the time of another cell", "C204", lambda p: p.number(SYNCS, 3, plus(-16)), "not the counter of TMR4"),
    Fault("sync", "moved when it is too late", "C204", lambda p: p.number(SYNCS, 4, lambda v: v // 10), "shorter, and"),
    Fault("sync", "another round", "C204", lambda p: p.number(SYNCS, 5, plus(1)), "length, place, limits"),
    Fault("sync", "another place", "C204", lambda p: p.number(SYNCS, 6, plus(1)), "length, place, limits"),
    Fault("sync", "a round made longer by more", "C204", lambda p: p.number(SYNCS, 7, plus(1)), "length, place, limits"),
    Fault("sync", "a round made shorter by more", "C204", lambda p: p.number(SYNCS, 8, plus(1)), "length, place, limits"),
    Fault("sync", "another cell's request", "C204", lambda p: p.number(SYNCS, 23, plus(-1), 2), "length, place, limits"),
    Fault("sync", "another edge", "C204", lambda p: p.number("carillon_edges", 0, plus(1)), "the first edge of a round"),
    Fault("sync", "edges that are further apart", "C204", lambda p: p.number("carillon_edges", 1, plus(1)), "between two"),
    Fault("sync", "a task that is not held back", "C208", lambda p: p.number(M0 + "hold", 1, to(2)), "first synchronisation"),
    Fault("sync", "a task that is not let go", "C208", lambda p: p.number(M0 + "release", 3, to(2)), "first synchronisation"),
    Fault("sync", "an old request that is served", "C208", lambda p: p.number(M0 + "release", 1, to(1)), "first synchronisation"),
    Fault(
        "sync",
        "a sync point that does nothing",
        "C205",
        lambda p: p.call("carillon_sync_0", "carillon_synchronise", "ttIdleTask"),
    ),
    Fault("sync", "a sync point below the tasks", "C207", lambda p: p.number(M0 + "levels", 7, to(1), 2)),
    # On AVR the list has a length register and its value for each timer.
    Fault(
        "sync on AVR", "a turn that is longer by one more", "C204", lambda p: p.number(M0 + "sync", 1, plus(1)), "another length"
    ),
    Fault(
        "sync on AVR", "a timer whose turn is not changed", "C204", lambda p: p.number(SYNCS, 15, plus(-1)), "does not move OC"
    ),
    Fault("sync on AVR", "another register", "C204", lambda p: p.number(M0 + "sync", 0, plus(2)), "no cell's"),
    Fault("sync on AVR", "a length stored too late", "C204", lambda p: p.number(SYNCS, 4, lambda v: v // 10), "begin anew"),
    Fault("sync on AVR", "another place of the sync point", "C204", lambda p: p.number(SYNCS, 19, plus(1)), "count"),
    Fault("sync on AVR", "the match of another cell", "C204", lambda p: p.number(SYNCS, 3, plus(-2)), "not the counter of"),
    Fault("sync on AVR", "a timer that begins later", "C204", lambda p: p.number(M0 + "prepare", 29, plus(-1))),
    Fault("sync on AVR", "a task that is not let go", "C208", lambda p: p.number(M0 + "release", 3, to(0)), "synchronisation"),
    # Where matches are moved, a handler knows by bits which cells are moved, and by a number where a cell's period is.
    Fault("sync on the Pico", "a cell that is not known", "C204", lambda p: p.number(SYNCS, 13, plus(-1)), "of the bits"),
    Fault("sync on the Pico", "another cell's period", "C204", lambda p: p.number(M0 + "sync", 1, plus(1)), "otherwise"),
    Fault("sync on the Pico", "a cell that is moved twice", "C204", lambda p: p.number(M0 + "sync", 2, plus(-4)), "no cell's"),
    Fault("sync on the Pico", "the match of another cell", "C204", lambda p: p.number(SYNCS, 3, plus(-4)), "not the counter of"),
    # A sync cell that is another timer than that of the matches: SYNCS has 16 to 19 for its units and first expiry.
    Fault("sync on STM32", "a cell that is not known", "C204", lambda p: p.number(SYNCS, KNOWN, plus(-1)), "of the bits"),
    Fault("sync on STM32", "another cell's period", "C204", lambda p: p.number(M0 + "sync", 1, plus(1)), "otherwise"),
    Fault(
        "sync on STM32", "a cell that is not moved", "C204", lambda p: p.number(SYNCS, 20, plus(-1), 2), "does not move TIM5_1"
    ),
    Fault("sync on STM32", "another register", "C204", lambda p: p.number(SYNCS, 3, plus(-4)), "which is not the counter"),
    Fault("sync on STM32", "another length register", "C204", lambda p: p.number(SYNCS, 3, plus(0x400)), "not the counter"),
    Fault("sync on STM32", "other units", "C204", lambda p: p.number(SYNCS, UNITS, plus(1), 2), "units, first expiry"),
    Fault("sync on STM32", "a later first expiry", "C204", lambda p: p.number(SYNCS, FIRST, plus(1)), "units, first expiry"),
    Fault("sync on STM32", "another time at first", "C204", lambda p: p.number(SYNCS, FIRST + 1, plus(1)), "units, first expiry"),
    Fault("sync on STM32", "moved when it is too late", "C204", lambda p: p.number(SYNCS, 4, lambda v: v // 10), "shorter, and"),
    Fault("sync on STM32", "a sync cell that counts down", "C209", lambda p: p.store(M0 + "prepare", at(TIM), value(to(0x94)))),
    Fault("sync on STM32", "another length", "C204", lambda p: p.store(M0 + "prepare", at(TIM + 0x2C), value(plus(-1)))),
    Fault("sync on STM32", "another count", "C204", lambda p: p.store(M0 + "prepare", at(TIM + 0x24), value(plus(1)))),
    Fault("sync on STM32", "another prescaler", "C204", lambda p: p.store(M0 + "prepare", at(TIM + 0x28), value(plus(1)))),
    Fault("sync on the host", "a cell that is moved by more", "C204", lambda p: p.number(M0 + "sync", 3, plus(1), 4)),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_of_a_sync_point_is_found(fault: Fault, images: Images, tmp_path: Path) -> None:
    must_be_found(fault, images, tmp_path)
