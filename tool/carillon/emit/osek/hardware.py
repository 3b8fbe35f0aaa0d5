# SPDX-License-Identifier: Apache-2.0
"""What the event-triggered system brings the hardware into, and what each source is."""

from __future__ import annotations

from carillon.allocate.osek import OsekAllocation
from carillon.emit import text
from carillon.image import CellImage, Image, OsekImage


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
    stem = "carillon_osek"
    alone = not image.modes
    lines = [f"extern const carillon_vector {stem}_vectors[];", ""] if alone else []
    lines += text.array("struct carillon_level", f"{stem}_source_levels", [f"{{{s}, {v}}}," for s, v in osek.levels])
    lines += text.stores(stem, osek.stores, _said, not image.system.board.kept)
    fields = [f".vectors = {stem}_vectors,"] if alone else []
    fields += text.counted("levels", f"{stem}_source_levels") if osek.levels else []
    fields += [field for kind, items in osek.stores.items() if items for field in text.counted(kind, f"{stem}_{kind}")]
    lines += [f"const struct carillon_mode {stem}_image = {{", *(f"    {field}" for field in fields), "};", ""]
    for name, items in osek.requests.items():
        lines += [f"const struct carillon_store {stem}_{name}[] = {{", *(f"    {text.store(it)}," for it in items), "};"]
        lines += [f"const uint16_t {stem}_{name}_count = CARILLON_COUNT({stem}_{name});", ""]
    return lines


def _said(kind: str, cell: CellImage) -> str:
    """What the comment of a store says of a cell; only those of the start have one."""
    return f"{cell.use.cell.name}: {cell.carrier.demand.name}" if kind == "start" else ""
