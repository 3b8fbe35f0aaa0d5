# SPDX-License-Identifier: Apache-2.0
"""``carillon verify`` finds each fault in alarms, counters, tasks, levels and schedule tables of OSEK."""

from __future__ import annotations

from pathlib import Path

import pytest
from verified_images import (
    ACTS,
    CURSORS,
    LEVELS,
    PREPARE,
    RELOAD,
    ROUND,
    TABLES,
    UNPEND,
    Fault,
    Images,
    at,
    must_be_found,
    plus,
    to,
    value,
)

BEATS = "carillon_joined_26"
ALARMS, COUNTERS, TASKS = "carillon_osek_alarms", "carillon_osek_counters", "carillon_osek_tasks"
LISTS = "carillon_osek_alarm_actions"

FAULTS = [
    Fault(
        "turns", "slices of no task's level", "C205", lambda p: p.number("carillon_osek_levels", 2, to(1)), "which is no task's"
    ),
    # Two alarms whose cells share a source: BeatD's, the second, is asked first.
    Fault("joined alarms", "a cell that is not asked", "C205", lambda p: p.drop(BEATS, r"^ldr r2, \[r3, #0x34\]"), "DUAL2"),
    Fault(
        "joined alarms", "a cell that is asked twice", "C205", lambda p: p.put(p.find(BEATS, b"\x5a\x69"), b"\x5a\x6b"), "DUAL1"
    ),
    Fault(
        "joined alarms", "a cell that is not acknowledged", "C205", lambda p: p.drop(BEATS, r"^str r2, \[r3, #0x2c\]"), "answers"
    ),
    Fault("joined alarms", "another alarm of the two", "C204", lambda p: p.put(p.find(BEATS, b"\x03\x20"), b"\x02\x20"), "BeatD"),
    Fault("events", "a level that no mask holds back", "C207", lambda p: p.number(LEVELS, 1, to(16), 2), "no mask"),
    # Alarms, counters, tasks and ISRs.
    Fault("events", "an alarm's cell one later", "C204", lambda p: p.number("carillon_osek_align", 1, plus(1)), "alarm 'Beat'"),
    Fault(
        "events",
        "an alarm's cell with another cycle",
        "C204",
        lambda p: p.store("carillon_osek_prepare", at(RELOAD + 0x10), value(plus(1))),
    ),
    Fault(
        "events",
        "a counter's tick",
        "C204",
        lambda p: p.store("carillon_osek_finish", at(0xE000_E014), value(plus(8))),
        "counter 'Coarse'",
    ),
    Fault("events", "vectors of two tasks exchanged", "C205", lambda p: p.swap("carillon_osek_vectors", 18, 19, 4)),
    Fault("events", "an alarm's vector is another task's", "C204", lambda p: p.swap("carillon_osek_vectors", 33, 34, 4)),
    Fault("events", "the ISR's vector is a task", "C205", lambda p: p.swap("carillon_osek_vectors", 16, 18, 4)),
    Fault("events", "a level below a lower priority's", "C207", lambda p: p.number("carillon_osek_source_levels", 1, plus(2), 2)),
    Fault(
        "events",
        "a source that is not enabled",
        "C208",
        lambda p: p.number("carillon_osek_enable", 1, lambda v: v & ~(1 << 18 - 16)),
    ),
    Fault(
        "events",
        "a request that is not forgotten",
        "C208",
        lambda p: p.number("carillon_osek_forget", 1, lambda v: v & ~(1 << 33 - 16)),
    ),
    Fault(
        "events",
        "an alarm's table with another action",
        "C204",
        lambda p: p.number("carillon_osek_alarms", 2 * 24 + 21, plus(1), 1),
    ),
    Fault(
        "events",
        "an alarm's table with another task",
        "C204",
        lambda p: p.number("carillon_osek_alarms", 2 * 24 + 22, to(0), 1),
    ),
    Fault(
        "events", "an alarm's table with another cycle", "C204", lambda p: p.number("carillon_osek_alarms", 2 * 6 + 3, plus(1))
    ),
    Fault(
        "events", "an alarm's level above its task's", "C207", lambda p: p.number("carillon_osek_source_levels", 13, plus(1), 2)
    ),
    Fault(
        "events",
        "an alarm's request that no service serves",
        "C205",
        lambda p: p.drop("carillon_cells_3", r"^str.*#0x280"),
        "'Wake'",
    ),
    Fault("events", "a counter's end", "C204", lambda p: p.number("carillon_osek_counters", 0, plus(-1))),
    # A counter's queue in parts: part 0 on SysTick, 7 on TMR8 (source 39), 8 on source 22, which SysTick's handler requests.
    # Alarms that do several things: action, object, and whether another follows, behind an operand of four bytes; in 8 bytes.
    Fault("several", "another order of a list", "C204", lambda p: p.swap(LISTS, 0, 1, 8), "'AtLevel'"),
    Fault("several", "another task in a list", "C204", lambda p: p.number(LISTS, 5, to(0), 1), "'AtLevel'"),
    Fault("several", "another action in a list", "C204", lambda p: p.number(LISTS, 2 * 8 + 4, to(6), 1), "'AboveAll'"),
    Fault("several", "another event in a list", "C204", lambda p: p.number(LISTS, 4 * 2, to(2)), "'AboveAll'"),
    Fault("several", "another function in a list", "C204", lambda p: p.number(LISTS, 5 * 2, plus(4)), "'AboveAll'"),
    Fault("several", "a list that ends early", "C204", lambda p: p.number(LISTS, 2 * 8 + 6, to(0), 1), "'AboveAll'"),
    Fault("several", "a list that goes on", "C204", lambda p: p.number(LISTS, 8 + 6, to(1), 1), "'AtLevel'"),
    Fault("several", "a list that begins elsewhere", "C204", lambda p: p.number(ALARMS, 0, plus(1)), "'AtLevel'"),
    Fault("several", "an alarm with the first of its actions", "C204", lambda p: p.number(ALARMS, 21, to(1), 1), "'AtLevel'"),
    Fault("several", "an alarm without its count", "C204", lambda p: p.number(ALARMS, 24 + 21, to(10), 1), "'AboveAll'"),
    Fault("several", "an alarm with another counter", "C204", lambda p: p.number(ALARMS, 24 + 22, to(0), 1), "'AboveAll'"),
    Fault("parts", "a part's cell at another part's level", "C207", lambda p: p.number(LEVELS, 2 * 12 + 1, to(3), 2), "'ForLow'"),
    Fault("parts", "a part's cell at the kernel's level", "C207", lambda p: p.number(LEVELS, 2 * 12 + 1, to(5), 2)),
    Fault("parts", "a requested part at another part's level", "C207", lambda p: p.number(LEVELS, 2 * 5 + 1, to(2), 2)),
    Fault("parts", "the first part above its tasks", "C207", lambda p: p.number(LEVELS, 1, to(5), 2)),
    Fault("parts", "a part's cell with another tick", "C204", lambda p: p.store(PREPARE, at(RELOAD + 0x80), value(plus(1)))),
    Fault("parts", "an alarm in another part", "C207", lambda p: p.number(ALARMS, 20, to(8), 1), "'ForLow'"),
    Fault("parts", "an alarm in the first part", "C207", lambda p: p.number(ALARMS, 24 + 20, to(0), 1), "'ForMiddle'"),
    Fault("parts", "an alarm in another counter's part", "C204", lambda p: p.number(ALARMS, 20, to(1), 1), "'ForLow'"),
    Fault("parts", "an alarm in no part", "C204", lambda p: p.number(ALARMS, 20, to(9), 1), "'ForLow'"),
    Fault("parts", "vectors of two parts exchanged", "C207", lambda p: p.swap("carillon_osek_vectors", 22, 39, 4)),
    Fault(
        "parts",
        "a requested part's vector is a task",
        "C204",
        lambda p: p.number("carillon_osek_vectors", 22, to(p.symbols["carillon_task_Low"][0] | 1)),
    ),
    Fault(
        "parts",
        "a part that nothing requests",
        "C205",
        lambda p: p.drop("carillon_counter_Clock", r"^str.*#0x200", -1),
        "source 22",
    ),
    Fault(
        "parts",
        "a part that no service serves",
        "C205",
        lambda p: p.call("carillon_cells_3", "carillon_osek_tick", "carillon_cells_2"),
    ),
    Fault(
        "parts", "a part that is not said to have its tasks' level", "C207", lambda p: p.number(COUNTERS, 7 * 20 + 18, to(0), 1)
    ),
    Fault("parts", "a part with another end", "C204", lambda p: p.number(COUNTERS, 8 * 5, plus(-1))),
    # Schedule tables: a step has 20 bytes, a cursor and an action 8, a table 28 (kernel/contract/osek.h).
    Fault("tables", "a point that comes later", "C204", lambda p: p.number(ROUND, 0, plus(1)), "'Round' ends after 101"),
    Fault(
        "tables",
        "a point later, and the next sooner",
        "C204",
        lambda p: (p.number(ROUND, 0, plus(1)), p.number(ROUND, 5, plus(-1))),
    ),
    Fault("tables", "a table that ends sooner", "C204", lambda p: p.number(ROUND, 10, plus(-1)), "ends after 99 ticks in part 2"),
    Fault("tables", "points exchanged", "C204", lambda p: p.swap(ACTS, 2, 3, 8), "10 ticks after its begin"),
    Fault("tables", "another task", "C204", lambda p: p.number(ACTS, 2 * 8 + 5, to(1), 1), "10 ticks after its begin"),
    Fault("tables", "an event instead of an activation", "C204", lambda p: p.number(ACTS, 3 * 8 + 4, to(5), 1)),
    Fault("tables", "another event", "C204", lambda p: p.number(ACTS, 0, to(4)), "40 ticks after its begin"),
    Fault("tables", "an action too few", "C204", lambda p: p.number(ROUND, 3, to(0), 2), "does not do what the schedule says 10"),
    Fault("tables", "an action too many", "C204", lambda p: p.number(ROUND, 3, to(2), 2), "too often"),
    Fault("tables", "adjusted by more", "C204", lambda p: p.number(ROUND, 5 + 3, plus(1)), "is adjusted by (40, 6, 2) in part 2"),
    Fault(
        "tables", "shortened by more", "C204", lambda p: p.number(ROUND, 5 + 4, plus(1)), "is adjusted by (40, 5, 3) in part 2"
    ),
    Fault("tables", "the turn adjusted by less", "C204", lambda p: p.number(ROUND, 10 + 3, plus(-1)), "(100, 5, 4)"),
    Fault("tables", "the first point adjusted", "C204", lambda p: p.number(ROUND, 4, to(1)), "(10, 0, 1)"),
    Fault("tables", "a point at another place for who asks", "C204", lambda p: p.number(ROUND, 2, plus(1)), "(11, 0, 0)"),
    Fault(
        "tables",
        "another duration",
        "C204",
        lambda p: p.number(TABLES, 0, plus(-1)),
        "'Round' has duration 99, and",
    ),
    Fault("tables", "another initial offset", "C204", lambda p: p.number(TABLES, 1, plus(1)), "'Round' has"),
    Fault("tables", "another precision", "C204", lambda p: p.number(TABLES, 2, plus(1)), "'Round' has"),
    Fault("tables", "started at another value", "C204", lambda p: p.number(TABLES, 3, plus(1)), "'Round' has"),
    Fault("tables", "not started", "C204", lambda p: p.number(TABLES, 4, to(0)), "'Round' has"),
    Fault("tables", "started with another meaning", "C204", lambda p: p.number(TABLES, 26, to(0), 1), "'Round' has"),
    Fault("tables", "not repeated", "C204", lambda p: p.number(TABLES, 24, to(0), 1), "'Round' has"),
    Fault("tables", "synchronised otherwise", "C204", lambda p: p.number(TABLES, 25, to(1), 1), "'Round' has"),
    Fault("tables", "of another counter", "C204", lambda p: p.number(TABLES, 23, to(1), 1), "'Round' has"),
    Fault("tables", "a cursor too few", "C204", lambda p: p.number(TABLES, 22, to(1), 1), "'Round'"),
    Fault("tables", "the cursors of the other table", "C204", lambda p: p.number(TABLES, 10, to(2), 2), "'Round' has no cursors"),
    Fault("tables", "a cursor of the other table", "C204", lambda p: p.number(CURSORS, 7, to(1), 1), "'Round' has no cursors"),
    Fault(
        "tables",
        "a cursor in another part",
        "C204",
        lambda p: p.number(CURSORS, 8 + 6, to(0), 1),
        "of its counter in [0, 0]",
    ),
    Fault(
        "tables", "a cursor with fewer steps", "C204", lambda p: p.number(CURSORS, 2, to(2), 2), "ends after 40 ticks in part 0"
    ),
    Fault(
        "tables",
        "cursors with each other's parts",
        "C207",
        lambda p: [p.number(CURSORS, 8 * k + 6, to(x), 1) for k, x in enumerate((2, 0, 2, 0))],
    ),
    # The table of tasks, of 40 bytes each: Waits is the third.  That of counters, of 20: Coarse is the second.
    Fault("events", "a list of enabled sources cut off", "C208", lambda p: p.number("carillon_osek_enable_count", 0, to(0), 2)),
    Fault(
        "events", "a list of enabled sources too long", "C208", lambda p: p.number("carillon_osek_enable_count", 0, plus(1), 2)
    ),
    Fault("events", "no request forgotten", "C208", lambda p: p.number("carillon_osek_forget_count", 0, to(0), 2)),
    Fault("events", "another's state", "C205", lambda p: p.number(TASKS, 21, plus(16)), "keeps its events"),
    Fault("events", "a stack that begins late", "C205", lambda p: p.number(TASKS, 22, plus(8)), "as its stack"),
    Fault("events", "a longer stack", "C205", lambda p: p.number(TASKS, 23, plus(1)), "bytes of stack"),
    Fault("events", "a shorter stack", "C205", lambda p: p.number(TASKS, 23, plus(-1)), "bytes of stack"),
    Fault("events", "a stack of a basic task", "C205", lambda p: p.number(TASKS, 2, plus(8)), "cannot wait"),
    Fault("events", "a task taken for a thread", "C205", lambda p: p.number(TASKS, 34, to(1), 1), "a thread"),
    Fault("events", "no cells served at a level", "C205", lambda p: p.number(TASKS, 29, to(0)), "does not serve"),
    Fault(
        "events", "cells of another level served", "C205", lambda p: p.number(TASKS, 9, to(p.symbols[TASKS][0] | 1)), "served by"
    ),
    Fault("clock", "a thread not taken for one", "C205", lambda p: p.number(TASKS, 40 + 34, to(0), 1), "not taken for"),
    Fault("events", "a tick of other units", "C204", lambda p: p.number(COUNTERS, 5 + 3, plus(1)), "units of the time base"),
    Fault("events", "a counter that time does not follow", "C204", lambda p: p.number(COUNTERS, 5 + 3, to(0)), "not followed"),
    Fault("events", "a counter that software advances", "C204", lambda p: p.number(COUNTERS, 36, to(1), 1), "IncrementCounter"),
    Fault("events", "a counter that stands still", "C204", lambda p: p.number(COUNTERS, 37, to(0), 1), "stand still"),
    Fault("events", "a counter that nothing ticks", "C204", lambda p: p.number(COUNTERS, 17, to(1), 1), "nothing ticks"),
    Fault("events", "a level without a tick", "C207", lambda p: p.number(COUNTERS, 18, to(1), 1), "no tick"),
    Fault("events", "a task's table with another function", "C205", lambda p: p.swap("carillon_osek_tasks", 0, 9, 4)),
    Fault(
        "events",
        "a cell that is not stopped at shutdown",
        "C208",
        lambda p: p.store("carillon_osek_stop", at(0x7E78_203C), lambda _a, _v: (UNPEND, 0)),
    ),
    Fault(
        "levels",
        "a queue that is too short",
        "C205",
        lambda p: p.field("carillon_osek_levels", 3 * 24 + 16, 2, to(1)),
        "of 1 act",
    ),
    Fault(
        "levels", "no queue at all", "C205", lambda p: p.field("carillon_osek_levels", 2 * 24 + 16, 2, to(0)), "of 0 activations"
    ),
    Fault(
        "levels",
        "a queue in another level's",
        "C205",
        lambda p: p.copy("carillon_osek_levels", 2 * 24 + 8, 3 * 24 + 8, 8),
        "where that of level 2 is",
    ),
    Fault(
        "levels",
        "a queue's state of another level",
        "C205",
        lambda p: p.copy("carillon_osek_levels", 3 * 24 + 12, 2 * 24 + 12, 4),
    ),
    Fault(
        "levels", "a level of another task", "C205", lambda p: p.field("carillon_osek_levels", 3 * 24 + 20, 1, to(1)), "of task 1"
    ),
    Fault(
        "levels",
        "a level at another source",
        "C205",
        lambda p: p.field("carillon_osek_levels", 3 * 24 + 18, 2, plus(1)),
        "have source",
    ),
    Fault(
        "turns", "slices that nothing ends", "C205", lambda p: p.field("carillon_osek_levels", 32 + 12, 4, to(0)), "is not told"
    ),
    Fault(
        "turns",
        "slices that another level's interrupt ends",
        "C205",
        lambda p: p.copy("carillon_osek_levels", 3 * 32 + 8, 32 + 8, 8),
        "vector serves slices",
    ),
    Fault(
        "turns",
        "slices of threads that have no mates",
        "C205",
        lambda p: p.copy("carillon_osek_levels", 32 + 8, 2 * 32 + 8, 8),
        "no threads that take turns",
    ),
    Fault(
        "turns",
        "slices that end above what is above",
        "C207",
        lambda p: p.number("carillon_osek_source_levels", 9, plus(1), 2),
        "end at source 21 of level 3",
    ),
    Fault("levels", "a request of another level", "C205", lambda p: p.copy("carillon_osek_levels", 2 * 24, 3 * 24, 8), "store"),
    Fault("levels", "a task taken for an ISR", "C205", lambda p: p.context(0x100, to(0x400 | 1)), "is taken for an ISR's"),
    Fault("levels", "a task at another level", "C205", lambda p: p.context(0x100, plus(1)), "is taken for a task's of level 2"),
    Fault("levels", "a task that is nobody's", "C205", lambda p: p.context(0x100, to(0)), "is taken for nobody's"),
    Fault("levels", "a source that nobody has", "C205", lambda p: p.context(0, to(0x101)), "and is nobody's"),
    Fault(
        "levels",
        "an ISR taken for a task",
        "C205",
        lambda p: p.context(0x400, lambda v: v & 0xFF | 0x100),
        "is taken for a task's",
    ),
    Fault(
        "levels",
        "an ISR at another source",
        "C205",
        lambda p: p.field("carillon_osek_isr_sources", 0, 2, plus(1)),
        "to have source",
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_of_osek_is_found(fault: Fault, images: Images, tmp_path: Path) -> None:
    must_be_found(fault, images, tmp_path)
