# SPDX-License-Identifier: Apache-2.0
"""The hardware image of the event-triggered system, and the meaning of each source."""

from __future__ import annotations

from carillon.emit import text
from carillon.image import CellImage, Image, OsekImage
from carillon.model.board import Board


def contexts(board: Board, osek: OsekImage) -> list[str]:
    """What each source is, for call levels."""
    declaration = f"const uint16_t carillon_osek_contexts[{board.sources}]"
    rows = [f"[{source}] = CARILLON_OSEK_{kind} | {level}," for source, (kind, level) in sorted(osek.contexts.items())]
    lines = text.table(declaration, rows) if rows else [f"{declaration};", ""]
    isrs = ", ".join(f"{isr.source}" for isr in osek.model.isrs)
    return [*lines, f"const uint16_t carillon_osek_isr_sources[] = {{{isrs}}};", ""] if isrs else lines


def hardware(image: Image, osek: OsekImage) -> list[str]:
    """The hardware image that StartOS sets up, or ttStartOS above it."""
    stem = "carillon_osek"
    alone = not image.modes and not image.library
    lines = [f"extern const carillon_vector {stem}_vectors[];", ""] if alone else []
    lines += text.array("struct carillon_level", f"{stem}_source_levels", [f"{{{s}, {v}}}," for s, v in osek.levels])
    lines += text.stores(stem, osek.stores, _said, not image.system.board.kept)
    fields = {"vectors": f"{stem}_vectors"} if alone else {}
    fields |= text.counted("levels", f"{stem}_source_levels") if osek.levels else {}
    for kind, items in osek.stores.items():
        fields |= text.counted(kind, f"{stem}_{kind}") if items else {}
    lines += text.table(f"const struct carillon_mode {stem}_image", [f".{name} = {value}," for name, value in fields.items()])
    for name, items in osek.requests.items():
        lines += text.table(f"const struct carillon_store {stem}_{name}[]", [f"{text.store(it)}," for it in items])[:-1]
        lines += [f"const uint16_t {stem}_{name}_count = CARILLON_COUNT({stem}_{name});", ""]
    return lines


def _said(kind: str, cell: CellImage) -> str:
    """The comment of a store: the cell's name and demand for a store of the start, empty for others."""
    return f"{cell.use.cell.name}: {cell.carrier.demand.name}" if kind == "start" else ""
