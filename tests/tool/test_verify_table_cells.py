# SPDX-License-Identifier: Apache-2.0
"""``carillon verify`` finds each fault in schedule tables on cells."""

from __future__ import annotations

from pathlib import Path

import pytest
from verified_images import LEVELS, TABLES, Fault, Images, must_be_found, plus, to

KEPT = "carillon_table_Kept"
ON_CELLS, STOPS = "carillon_table_Fast", "carillon_osek_table_stops"

FAULTS = [
    # Schedule tables on cells: start, six numbers, by words; of a virtual board, lists of stores.
    Fault("cells", "a start of another cell", "C204", lambda p: p.number(ON_CELLS, 1, lambda v: v << 4)),
    Fault("cells", "a start without an interrupt", "C204", lambda p: p.number(ON_CELLS, 1, lambda v: v & ~0x40)),
    Fault("cells", "a stop that leaves a cell", "C204", lambda p: p.number(STOPS, 1, lambda v: v & 0xF0), "running"),
    Fault("cells", "a stop of the time base", "C204", lambda p: p.number(STOPS, 1, lambda v: v | 5), "stops TMR1"),
    Fault("cells", "another first point", "C204", lambda p: p.number(ON_CELLS, 5, plus(1)), "first expiry"),
    Fault("cells", "a shorter tick", "C204", lambda p: p.number(ON_CELLS, 6, plus(-1)), "tick"),
    Fault("cells", "a shorter turn", "C204", lambda p: p.number(ON_CELLS, 7, plus(-1)), "turn"),
    Fault("cells", "a shift one longer", "C204", lambda p: p.number("carillon_table_Fast_shifts", 1, plus(1)), "says 31250"),
    Fault("cells", "a shift of another cell", "C204", lambda p: p.number("carillon_table_Fast_shifts", 0, plus(16))),
    Fault("cells", "another cell's points for a late start", "C204", lambda p: p.number("carillon_table_Fast_cells", 2, plus(1))),
    Fault("cells", "another autostart", "C204", lambda p: p.number(TABLES, 3, plus(1)), "the schedule says"),
    Fault("cells", "vectors of a task and a handler exchanged", "C205", lambda p: p.swap("carillon_osek_vectors", 35, 36, 4)),
    Fault("cells", "a handler of a task's level at a lower one", "C207", lambda p: p.number(LEVELS, 2 * 5 + 1, to(4), 2)),
    Fault(
        "cells",
        "a handler that is nobody's",
        "C204",
        lambda p: p.number("carillon_osek_vectors", 36, to(p.symbols["carillon_port_unexpected"][0] | 1)),
    ),
    # Ends: behind 32 bytes, counter, period, source and number of early cells, rest, what resumes and what holds these.
    Fault("points", "another point", "C204", lambda p: p.number("carillon_table_Uneven_shifts", 3, plus(-1)), "each by one cell"),
    Fault("points", "a point twice", "C204", lambda p: p.number("carillon_table_Uneven_shifts", 3, plus(-26 * 15625))),
    Fault(
        "points", "an end that comes later", "C204", lambda p: p.number("carillon_table_Once_shifts", 3, plus(15625)), "its end"
    ),
    Fault("points", "another source's end", "C204", lambda p: p.number("carillon_table_Once", 20, plus(-1), 2), "end served at"),
    Fault(
        "points", "an end of a table without", "C204", lambda p: p.number("carillon_table_Uneven", 20, to(36), 2), "end served"
    ),
    Fault(
        "points", "another time for the next table", "C204", lambda p: p.number("carillon_table_Once", 9, plus(1)), "how long ago"
    ),
    Fault("points", "another counter for it", "C204", lambda p: p.number("carillon_table_Once", 8, plus(16)), "how long ago"),
    Fault("points", "a half that comes later", "C204", lambda p: p.number("carillon_table_Round_shifts", 3, plus(1)), "its half"),
    Fault(
        "points", "none stopped before the end", "C204", lambda p: p.number("carillon_table_Round", 21, to(0), 2), "cells stopped"
    ),
    Fault("points", "stopped at another time", "C204", lambda p: p.number("carillon_table_Round", 11, plus(1)), "cells stopped"),
    Fault("points", "others resumed", "C204", lambda p: p.number("carillon_table_Round", 13, lambda v: v << 4), "anew"),
    Fault("points", "others held", "C204", lambda p: p.number("carillon_table_Round", 15, lambda v: v << 4), "at its half"),
    # Adjusting: behind 32 bytes, source, what moves cells, when at latest, and the last point with the limits.
    Fault("adjusted", "an adjustment that comes later", "C204", lambda p: p.number(f"{KEPT}_shifts", 5, plus(1)), "its adjust"),
    Fault("adjusted", "another source for it", "C204", lambda p: p.number(KEPT, 8, plus(-1)), "not its last point's"),
    Fault("adjusted", "none", "C204", lambda p: p.number(KEPT, 8, to(0)), "not its last point's"),
    Fault("adjusted", "no time to shift", "C204", lambda p: p.number(KEPT, 10, plus(-1)), "it takes 160"),
    Fault("adjusted", "so late that it never shortens", "C204", lambda p: p.number(KEPT, 10, plus(23 * 15625)), "it takes 160"),
    Fault("adjusted", "so late that it seldom shortens", "C204", lambda p: p.number(KEPT, 10, plus(1)), "it takes 160"),
    Fault("adjusted", "another last point", "C204", lambda p: p.number(KEPT, 11, plus(-25)), "its last point"),
    Fault("adjusted", "lengthened by more", "C204", lambda p: p.number(KEPT, 12, plus(1)), "lengthens"),
    Fault("adjusted", "shortened by more", "C204", lambda p: p.number(KEPT, 13, plus(1)), "lengthens"),
    Fault("adjusted", "a cell moved by one", "C204", lambda p: p.number(f"{KEPT}_moves", 3, plus(1)), "otherwise than by"),
    Fault("adjusted", "a cell moved twice", "C204", lambda p: p.copy(f"{KEPT}_moves", 0, 8, 8), "does not have"),
    Fault("adjusted", "another table's cell moved", "C204", lambda p: p.number(f"{KEPT}_moves", 0, plus(0x100)), "no cell's"),
    Fault("adjusted", "a table that is not", "C204", lambda p: p.number("carillon_table_Free", 8, to(35)), "is adjusted by"),
    Fault("tasks of a table", "a cell at a higher task's level", "C207", lambda p: p.number(LEVELS, 1, to(2), 2), "task 'High'"),
    Fault("tasks of a table", "a cell above a higher task", "C207", lambda p: p.number(LEVELS, 1, to(3), 2), "task 'Low'"),
    Fault("tasks of a table", "a cell above all", "C207", lambda p: p.number(LEVELS, 1, to(5), 2), "source 33, has level 5"),
    Fault("tasks of a table", "a cell below a lower task", "C207", lambda p: p.number(LEVELS, 3, to(1), 2), "task 'High'"),
    Fault("set", "one forgotten twice", "C204", lambda p: p.number("carillon_table_Set_stop", 2, plus(0x1000)), "has a stop"),
    Fault("set", "no register", "C209", lambda p: p.number("carillon_osek_stop", 4, plus(1)), "no register of 32 bits"),
    Fault("set", "no cells", "C209", lambda p: p.field("carillon_table_Set", 24, 4, to(0)), "no cells"),
    Fault("cells", "a cursor", "C204", lambda p: p.field(TABLES, 22, 1, to(1)), "on cells, and is said to have 1 cursors"),
    Fault("points", "cells of a half", "C204", lambda p: p.number("carillon_table_Uneven", 14, to(1))),
    Fault(
        "adjusted",
        "a list that is longer",
        "C209",
        lambda p: p.field("carillon_osek_image", 52, 2, plus(2)),
        "a list of 24 bytes",
    ),
    Fault("adjusted", "handlers exchanged", "C205", lambda p: p.swap("carillon_osek_vectors", 34, 35, 4)),
    Fault("virtual-cells", "a period one longer", "C204", lambda p: p.number("carillon_table_Fast_prepare", 1, plus(1))),
    Fault(
        "virtual-cells",
        "a cell that is not stopped",
        "C204",
        lambda p: p.number("carillon_table_Fast_stop", 0, plus(64)),
        "stops",
    ),
    # Cells that are set while they stand still: the register that is set and the first expiry, of each; and its start.
    Fault("set", "a first expiry one later", "C204", lambda p: p.number("carillon_table_Set_shifts", 1, plus(1)), "says 50000"),
    Fault("set", "a first expiry one later, of the second", "C204", lambda p: p.number("carillon_table_Set_shifts", 3, plus(1))),
    Fault("set", "another cell set", "C204", lambda p: p.number("carillon_table_Set_shifts", 0, plus(0x1000))),
    Fault("set", "the reload set", "C204", lambda p: p.number("carillon_table_Set_shifts", 0, plus(4))),
    Fault("set", "a start of another cell", "C204", lambda p: p.number("carillon_table_Set_starts", 0, plus(0x1000))),
    Fault("set", "cells started in another order", "C204", lambda p: p.swap("carillon_table_Set_starts", 0, 1, 8)),
    Fault("set", "a start without an interrupt", "C204", lambda p: p.number("carillon_table_Set_starts", 1, lambda v: v & ~8)),
    Fault("set", "a period one longer", "C204", lambda p: p.number("carillon_table_Set_prepare", 1, plus(1))),
    Fault("set", "a stop that leaves a cell", "C204", lambda p: p.number("carillon_table_Set_stop", 0, plus(0x1000)), "running"),
    Fault("set", "a stop that goes on", "C204", lambda p: p.number("carillon_table_Set_stop", 1, to(9)), "running"),
    Fault("set", "a shorter tick", "C204", lambda p: p.number("carillon_table_Set", 8, plus(-1)), "tick"),
    Fault("set", "another first point", "C204", lambda p: p.number("carillon_table_Set", 7, plus(1)), "first expiry"),
    Fault("set", "another cell's points for a late start", "C204", lambda p: p.number("carillon_table_Set_cells", 2, plus(1))),
    Fault("set", "a handler that does not answer", "C205", lambda p: p.drop("carillon_point_Set_1", r"str r2, \[r3")),
    Fault("set once", "a later end", "C204", lambda p: p.number("carillon_table_Single_shifts", 3, plus(1)), "its end"),
    Fault("set once", "another source of its end", "C204", lambda p: p.number("carillon_table_Single", 12, plus(-1), 2)),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_of_a_schedule_table_on_cells_is_found(fault: Fault, images: Images, tmp_path: Path) -> None:
    must_be_found(fault, images, tmp_path)
