# SPDX-License-Identifier: Apache-2.0
"""What the event-triggered system brings the hardware into, and what each source is."""

from __future__ import annotations

from carillon.allocate.osek import OsekAllocation
from carillon.emit import base, text
from carillon.image import CellImage, Image, OsekImage
from carillon.image.levels import controlled, osek_levels


def contexts(image: Image, allocation: OsekAllocation) -> list[str]:
    """What each source is, for call levels."""
    known: dict[int, str] = {}
    for isr, level in allocation.isrs:
        known[isr.source] = f"CARILLON_OSEK_ISR{isr.category} | {level}"
    for carrier in allocation.carriers:
        known[carrier.source] = f"CARILLON_OSEK_ISR2 | {carrier.level}"
    for level, source in allocation.turns.items():
        known[source] = f"CARILLON_OSEK_ISR2 | {level + 1}"
    for it in allocation.handled:
        known[it.carrier.source] = f"CARILLON_OSEK_ISR2 | {it.level}"
    for goes_on in (c for c in allocation.at_levels if c.runs_level):
        known[goes_on.carrier.source] = f"CARILLON_OSEK_TASK | {goes_on.level}"  # its task runs in its handler
    for level_ in allocation.levels:
        if level_.source:
            known[level_.source] = f"CARILLON_OSEK_TASK | {level_.number}"
    lines = [f"const uint16_t carillon_osek_contexts[{image.system.board.sources}] = {{"]
    lines += [f"    [{source}] = {value}," for source, value in sorted(known.items())]
    lines = [*lines, "};", ""] if known else [f"const uint16_t carillon_osek_contexts[{image.system.board.sources}];", ""]
    isrs = ", ".join(f"{isr.source}" for isr in allocation.osek.isrs)
    return [*lines, f"const uint16_t carillon_osek_isr_sources[] = {{{isrs}}};", ""] if isrs else lines


def hardware(image: Image, osek: OsekImage) -> list[str]:
    """The image that StartOS, or ttStartOS above it, brings the hardware into."""
    system, allocation = image.system, osek.allocation
    board = system.board
    stem = "carillon_osek"
    alone = not image.modes
    levels = osek_levels(allocation)
    sources = [s for s in sorted(levels) if controlled(board, s)]

    def stores(kind: str) -> list[str]:
        return [f"CARILLON_STORE_{kind}({s}, {bits})," for s, bits in text.masks(board, sources)]

    def named(cell: CellImage, macro: str) -> str:
        if cell is osek.base:
            return base.macro(cell, macro)
        clock = allocation.clock
        return f"FREE_{macro}" if clock is not None and clock.driver.free and cell.carrier == clock.carrier else macro

    prepare = [text.macro(c, named(c, "PREPARE"), c.number, c.first, c.period, c.use.prescaler) + "," for c in osek.cells]
    kept = [c for table in osek.tables if table.restarts for _, c in table.cells]
    prepare += [text.macro(c, "PREPARE", c.number, c.period, c.period, c.use.prescaler) + "," for c in kept]
    stop = [text.macro(c, "STOP", c.number) + "," for c in (*osek.cells, *osek.stopped)]
    align = [text.macro(c, "ALIGN", c.number, c.first, c.period) + "," for c in osek.cells if c.family.align]
    finish = [text.macro(c, "FINISH", c.number, c.first, c.period) + "," for c in osek.cells if c.finishes]
    start = []
    for store in osek.start:
        bits = " | ".join(text.macro(c, "BIT", c.number) for c in store.cells) if store.group else str(store.cells[0].number)
        who = " /* " + ", ".join(f"{c.use.cell.name}: {c.carrier.demand.name}" for c in store.cells) + " */"
        start.append(text.macro(store.cells[0], named(store.cells[0], "START"), bits) + "," + who)
    if not start:  # the run's beginning all the same
        start = [f"CARILLON_STORE_UNPEND({board.request_base}, 0u),"]
    lines = ["extern const carillon_vector carillon_osek_vectors[];", ""] if alone else []
    lines += text.array("struct carillon_level", f"{stem}_source_levels", [f"{{{s}, {v}}}," for s, v in sorted(levels.items())])
    lists = (
        ("struct carillon_store", "prepare", prepare),
        ("struct carillon_store", "start", start),
        ("struct carillon_shift", "align", align),
        ("struct carillon_store", "finish", finish),
        ("struct carillon_store", "stop", stop),
    )
    for kind, name, items in lists:
        lines += text.array(kind, f"{stem}_{name}", items, constant=name != "start" or not board.kept)
    lines += ["const struct carillon_mode carillon_osek_image = {"]
    lines += ["    .vectors = carillon_osek_vectors,"] if alone else []
    if levels:
        lines += [f"    .levels = {stem}_source_levels,", f"    .level_count = CARILLON_COUNT({stem}_source_levels),"]
    for _, name, items in lists:
        if items:
            lines += [f"    .{name} = {stem}_{name},", f"    .{name}_count = CARILLON_COUNT({stem}_{name}),"]
    lines += ["};", ""]
    for name, kind in (("forget", "UNPEND"), ("enable", "ENABLE"), ("disable", "DISABLE")):
        items = stores(kind) or [f"CARILLON_STORE_UNPEND({board.request_base}, 0u),"]
        lines += [f"const struct carillon_store carillon_osek_{name}[] = {{", *(f"    {i}" for i in items), "};"]
        lines += [f"const uint16_t carillon_osek_{name}_count = CARILLON_COUNT(carillon_osek_{name});", ""]
    return lines
