# SPDX-License-Identifier: Apache-2.0
"""Every symbol that the tool generates, and what ``verify`` does with it: a table without gaps.

``test_verify_symbols`` lists the symbols of images, finds each in one row, and changes the bytes of each that a row
says is compared.  docs/SPEC.md has the table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

NUMBERS = "numbers of the list beside it, which are compared with the list's length"
KERNEL = "that the kernel's function, which the compiler has within it, does the rest as the kernel's source says"
MEMORY = "memory that is empty at the start"


@dataclass(frozen=True, slots=True)
class Generated:
    """Symbols of one kind: ``pattern`` is a regular expression of their names.

    ``compared``: what of them is; empty if nothing is.  ``but``: what is not, with the reason; empty if all is.
    """

    pattern: str
    compared: str
    but: str = ""
    exact: bool = False
    """Each instruction is compared, so that no other bit of the code is accepted that has an effect."""


SYMBOLS = (
    # Rounds
    Generated(r"carillon_modes", "each member, and that empty lists are empty", "padding"),
    Generated(
        r"carillon_mode\d+_(prepare|restart|start|align|finish)",
        "when each cell expires after the stores, and that no store has a value without a meaning",
        "the instant of a switch of modes, if it is after all windows",
    ),
    Generated(r"carillon_mode\d+_stop", "that each cell and request of the mode stops, and no other one"),
    Generated(
        r"carillon_mode\d+_levels",
        "the order of levels, and the board's range",
        "a level's number, if the order is kept: the processor has no other use for it",
    ),
    Generated(
        r"carillon_mode\d+_vectors|carillon_osek_vectors", "each vector, those that nobody uses and the processor's own too"
    ),
    Generated(r"carillon_mode\d+_(tasks|control)", "whose end a switch waits for; counter, target and stores of a switch"),
    Generated(r"carillon_mode\d+_(steps|table|multiplexes)|carillon_mode\d+_\w+_steps", "each interval, each entry"),
    Generated(r"carillon_multiplex_\w+", "", f"{MEMORY}; its register and its first step are compared in the mode's table"),
    Generated(r"carillon_guard_\w+", "", f"{MEMORY}; whose flags a handler looks at is compared"),
    Generated(
        r"carillon_initials(_count)?|carillon_kept(_count)?", "as the stores before a mode's; which bits the application has"
    ),
    Generated(r"carillon_time_bases", "counter, phase and length of each mode"),
    Generated(
        r"carillon_syncs|carillon_edges|carillon_mode\d+_(sync|cells|hold|release)",
        "cells, counter, length, instant, and what holds and releases them",
        "what a switch of modes adds to the time until the next sync point",
    ),
    Generated(
        r"carillon_(activation|deadline|control|enable|sync|table|joined|interrupt|re_enable)_\w+|carillon_dispatch_\w+",
        "what its code runs, forgets, arms, disarms and acknowledges, in which order, on each path",
        "sums, which the machine works out",
    ),
    Generated(
        r"\w+_within_its_budget|__wrap_\w+|carillon_bounded_\w+",
        "each instruction: which task runs, watched with which budget of which cell, and that nothing is watched at its end",
        exact=True,
    ),
    Generated(r"carillon_(round|task)_budgets", "each budget, its cell, and whom ttErrorHook is told of", "padding"),
    Generated(r"carillon_round_budget_vector", "that a cell of these budgets leads to it, and which function goes on", KERNEL),
    Generated(r"carillon_held_\w+", "which task it runs, and that its source is held back"),
    # The event-triggered system
    Generated(r"carillon_osek_image", "as a mode's"),
    Generated(
        r"carillon_osek_(prepare|restart|start|align|finish)",
        "when each cell expires after the stores, and that no store has a value without a meaning",
        "how long a turn of the time base is: the kernel has it compiled in",
    ),
    Generated(r"carillon_osek_stop", "that each cell stops, and no other request is named"),
    Generated(r"carillon_osek_(forget|enable|disable)", "that each source of the system is named, and no other one"),
    Generated(r"carillon_osek_(forget|enable|disable)_count", NUMBERS),
    Generated(
        r"carillon_osek_source_levels",
        "the order of levels, and those of the board that can be masked",
        "a level's number, if the order is kept, and all of a processor without levels",
    ),
    Generated(r"carillon_osek_contexts|carillon_osek_isr_sources", "each source: task, ISR or nobody, and its level"),
    Generated(r"carillon_osek_tasks", "each member", "padding; request and source, if software dispatches"),
    Generated(r"carillon_osek_levels", "queue, request, source and task of each level", "padding"),
    Generated(r"carillon_osek_ceilings", "the level of each resource"),
    Generated(r"carillon_osek_mutex_ceilings", "the level of each mutex"),
    Generated(
        r"carillon_servers|carillon_time_(offsets|deadlines)",
        "level and kind of each server, each thread; and that all times are those of the schedule in one unit",
        "padding; the unit, if the schedule does not write the clock's tick",
    ),
    Generated(
        r"carillon_late_\w+|carillon_time_tell_missed",
        "that each tells the application of its thread; that the second has all of them",
        "for which number the second calls which",
    ),
    Generated(r"carillon_server_of", "the server of each level"),
    Generated(r"carillon_osek_counters", "each member, of each part", "padding"),
    Generated(r"carillon_osek_alarms", "each member"),
    Generated(r"carillon_osek_alarm_actions", "each action of each list, in order", "padding"),
    Generated(r"carillon_alarm_\w+_(cell|stop)", "counter and units of the cell, and that these stores stop it alone", "padding"),
    Generated(
        r"carillon_osek_(schedule_tables|cursors)|carillon_steps_\w+",
        "each table, each step",
        "padding; the first action of a step, or cursor of a table, that has none; what a table's end is adjusted by",
    ),
    Generated(r"carillon_osek_point_actions", "each action", "padding"),
    Generated(
        r"carillon_osek_(tables_on_cells|table_stops)|carillon_table_\w+",
        "each cell of a table, its instants and its stores",
        "padding",
    ),
    Generated(r"carillon_osek_(lock_budgets|isr_budgets|frames)", "each budget, each time frame"),
    Generated(r"carillon_software_handlers", "each level's handler"),
    Generated(
        r"carillon_osek_(jobs|saved)|carillon_ring_\w+|carillon_extended_\w+|carillon_stack_\w+",
        "",
        f"{MEMORY}; who has it, and how much, is compared",
    ),
    Generated(
        r"carillon_(counter|part|alarm|point|half|end|adjust)_\w+",
        "what it acknowledges and runs, and the rows of alarms, counters and tasks that it touches",
        KERNEL,
    ),
    Generated(r"carillon_level_\d+", "the rows of tasks and levels that it touches", KERNEL),
    Generated(r"carillon_cells_\d+", "which requests it takes back, and the rows that it touches", KERNEL),
    Generated(
        r"carillon_(framed|acknowledged|direct|frame)_\w+", "which task or handler it runs, if a vector leads to it", KERNEL
    ),
    Generated(r"carillon_budget_(vector|forget)", "whose request is forgotten, and which function goes on", KERNEL),
    Generated(
        r"carillon_(slice|clock|frame)_(vector|timer)", "that a cell of the clock, of slices or of frames leads to it", KERNEL
    ),
    Generated(r"carillon_slices_(enable|disable)", "", "its code is not read"),
    Generated(r"mtime_period", "", f"{MEMORY}; the store that gives it its value is compared"),
    Generated(
        r"(aspeed|cmsdk|dualtimer|systick|virtual|mtime|avr16|avr8)_\w+",
        "",
        "functions of cell drivers that the compiler has put into a generated file: the boards' tests show that they hold",
    ),
    # Giotto programs
    Generated(r"carillon_giotto_missed|carillon_missed_\w+", "", "what a trace shows of missed deadlines; nothing else reads it"),
    Generated(r"carillon_giotto_\w+", "which task of the kernel computes each invocation, how often, how urgently"),
    Generated(r"touched_\d+", "", "whose ports a block of an image on cells touches: its code is not read"),
    Generated(r"(port|next|fresh)_\w+", "", f"{MEMORY}, of a program's ports; which functions get which is compared"),
    Generated(r"at_\d+", "", "a block of an image on cells: its code is not read, and the output of verify says so"),
    Generated(
        r"carillon_microcode_\w+|code|calls|guards|tasks|triggers|touches_\d+|program|carillon_loader_\w+",
        "each instruction, each row, the size and the tick",
        "how much room the machine has",
    ),
    Generated(
        r"carillon_(task|isr)_\w+|(driver|guard|carillon_compute|commit|sense)_\w+",
        "which C function it calls, with which ports, if a table leads to it",
        "an image on cells: what its blocks do in between",
    ),
)
"""In this order: a name belongs to the first row that has it."""


def row_of(name: str) -> Generated | None:
    """The row of a symbol; None if there is none."""
    return next((row for row in SYMBOLS if re.fullmatch(row.pattern, name)), None)


def as_markdown() -> str:
    """The table, as docs/SPEC.md has it."""
    lines = ["| Symbols | Compared | Not compared, and why |", "|---|---|---|"]
    for row in SYMBOLS:
        names = ", ".join(f"`{part}`" for part in _readable(row.pattern))
        lines.append(f"| {names} | {row.compared or 'nothing'} | {row.but} |")
    return "\n".join(lines) + "\n"


def _readable(pattern: str) -> list[str]:
    """A pattern as names: alternatives at its outside apart, numbers as N, words as NAME."""
    parts, depth, begin = [], 0, 0
    for at, letter in enumerate(pattern + "|"):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "|" and depth == 0:
            parts.append(pattern[begin:at])
            begin = at + 1
    return [part.replace(r"\d+", "N").replace(r"\w+", "NAME").replace("|", "\\|") for part in parts]
