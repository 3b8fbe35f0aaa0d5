# SPDX-License-Identifier: Apache-2.0
"""``tables.c``: the image of each mode as constants of the types in ``kernel/contract/mode.h``."""

from __future__ import annotations

from collections.abc import Sized

from carillon.allocate.result import Style
from carillon.emit import library, round_budgets, text
from carillon.image import CellImage, Image, ModeImage, SyncImage, names
from carillon.image.forms import budget_kind
from carillon.image.sync import first_of, matches, place_of
from carillon.model import Synchronisation


def _about(cell: CellImage) -> str:
    carrier, use = cell.carrier, cell.use
    what = "every point" if carrier.style is Style.MULTIPLEXED else f"{use.progression.offset} + k * {use.progression.period}"
    who = carrier.demand.object if not carrier.action.named else f"{carrier.role.value} of {carrier.demand.object}"
    return f"{use.cell.name}: {who} at {what}, {text.place(carrier.demand.span)}"


def _said(kind: str, cell: CellImage) -> str:
    """The comment of a store of ``kind``: a store of the start only names the cell."""
    return cell.use.cell.name if kind == "start" else _about(cell)


def _rearmed(image: Image, stem: str, first: str, cell: CellImage) -> tuple[str, str]:
    """The variables of a re-armed cell, and where it starts."""
    due = f", {cell.due}u" if cell.due is not None else ""
    start = f"{{&{stem}, &{first}{_turns(image, cell.laps)}{due}}},"
    source = f", 0, {cell.carrier.source}" if cell.due is not None else ""
    register = text.macro(cell, "REARM_REGISTER", cell.number)
    return f"struct carillon_multiplex {stem} = {{NULL, {register}{_turns(image, 0)}{source}}};", start


def _turns(image: Image, laps: int) -> str:
    """The turns of a counter, where any are counted."""
    return f", {laps}u" if image.laps else ""


def _mode(image: Image, mode: ModeImage, number: int) -> list[str]:
    name = text.stem(image, mode)
    lines = [f"/* Mode {number}, {mode.allocation.mode.name}: a round of {mode.allocation.mode.round_length} ticks. */", ""]
    lines += [f"extern const carillon_vector {name}_vectors[];", ""] if _has_table(image) else []
    lines += text.array("struct carillon_level", f"{name}_levels", [f"{{{s}, {v}}}," for s, v in mode.levels])
    starts: list[str] = []
    for multiplex in mode.multiplexes:
        cell = multiplex.cell
        stem = names.multiplex(image, mode, cell)
        declared, start = _rearmed(image, stem, f"{stem}_steps[0]", cell)
        rows = []
        for k, step in enumerate(multiplex.steps):
            following = f"&{stem}_steps[{(k + 1) % len(multiplex.steps)}]"
            interval = text.store(multiplex.interval(step))
            rows.append(f"{{{following}, {interval}{_turns(image, step.laps)}}}, /* to {step.to} */")
        lines += [f"/* {_about(cell)} */", declared, *text.array("struct carillon_step", f"{stem}_steps", rows)]
        starts.append(start)
    if mode.dispatch is not None:
        declared, start = _rearmed(image, names.multiplex(image, mode, mode.dispatch), f"{name}_table[0].step", mode.dispatch)
        lines += [*_conventional_table(image, name, mode, mode.dispatch), declared]
        starts.append(start)
    lines += text.array("struct carillon_multiplex_start", f"{name}_multiplexes", starts)
    lines += text.stores(name, mode.stores, _said, not image.system.board.kept)
    if mode.control:
        counter = text.macro(mode.control.cell, "COUNTER", mode.control.cell.number)
        values = [counter, mode.control.target, text.store(mode.control.forget), text.store(mode.control.enable)]
        lines += [
            f"/* Left at {mode.control.at}; the next round begins {mode.control.gap} ticks after the end of this one. */",
            *text.table(f"static const struct carillon_control {name}_control", (f"{value}," for value in values)),
        ]
        lines += text.array("uint16_t", f"{name}_tasks", [f"{source}," for source in mode.ground[0]])
    return lines


def _has_table(image: Image) -> bool:
    """Whether a mode has a vector table of its own."""
    return not image.library or library.own_table(image)


def _entry(image: Image, mode: ModeImage) -> list[str]:
    """A mode's entry in the table of all modes."""
    name = text.stem(image, mode)
    lists: dict[str, Sized] = {"levels": mode.levels, "multiplexes": mode.multiplexes or mode.table}
    lists |= {kind: mode.stores[kind] for kind in ("prepare", "restart", "start", "align", "finish", "stop")}
    lists |= {"tasks": mode.ground[0] if mode.control else ()}
    fields: dict[str, object] = {"vectors": f"{name}_vectors"} if _has_table(image) else {}
    for kind, items in lists.items():
        fields |= text.counted(kind, f"{name}_{kind}") if items else {}
    fields |= {"waiting_count": mode.ground[1], "control": f"&{name}_control"} if mode.control else {}
    return text.fields(mode.allocation.mode.name, fields)


def _told_by(sync: SyncImage) -> str:
    """The macro of the sync cell's register that says when it expires."""
    if sync.unit is not None:
        return "SYNC_LENGTH"
    return "REARM_REGISTER" if matches(sync) else "COUNTER" if sync.wrap is None else "MATCH"


def _sync(image: Image, mode: ModeImage, sync: SyncImage, limits: Synchronisation) -> tuple[list[str], list[str]]:
    """The lists of the mode's synchronisation, and its entry in the table of all modes."""
    name = text.stem(image, mode)
    moved = [f"{text.macro(c, 'SYNC', c.number)}, /* {_about(c)} */" for c in sync.moved]
    lines = text.array("struct carillon_shift", f"{name}_sync", moved)
    fields = text.counted("cells", f"{name}_sync")
    for field, stores in (("hold", sync.hold), ("release", sync.release)):
        lines += text.array("struct carillon_store", f"{name}_{field}", [f"{text.store(it)}," for it in stores])
        fields |= text.counted(field, f"{name}_{field}") if stores else {}
    fields |= {
        "counter": text.macro(sync.cell, _told_by(sync), sync.cell.number),
        "latest": f"{sync.latest}u",
        "length": f"{mode.allocation.mode.round_length}u",
        "at": f"{sync.at}u",
        "lengthen": f"{limits.lengthen}u",
        "shorten": f"{limits.shorten}u",
        "leave": f"{sync.leave % 2**32}u",
        "source": f"{sync.cell.carrier.source}",
    }
    fields |= {"moves": " | ".join(cell.says("BIT") for cell in sync.moved)} if matches(sync) else {}
    if sync.unit is not None:
        begins = first_of(sync) - image.system.board.lead_at(image.system.clock_hz)
        fields |= {"unit": f"{sync.unit}u", "first": f"{first_of(sync)}u", "begins": f"{begins % 2**32}u"}
    fields |= {"place": f"{place_of(sync, sync.cell)}u"} if sync.wrap is not None else {}
    comment = f"{mode.allocation.mode.name}: nothing is due for {sync.slack} ticks from the sync point on"
    return lines, text.fields(comment, fields)


def _conventional_table(image: Image, name: str, mode: ModeImage, timer: CellImage) -> list[str]:
    rows = []
    for entry in mode.table:
        point, does = entry.point, entry.does
        interval = text.macro(timer, "INTERVAL", entry.step.units, timer.period)
        mask = text.bits([does.source]) if does.source is not None else "0u"
        step = f"{{&{name}_table[{entry.following}].step, {interval}{_turns(image, 0)}}}"
        fields = [step, does.function or "NULL", mask, f"{does.object}"]
        fields += [text.action(point.action), f"{int(entry.more)}u"]
        said = f"{point.at}: {point.action.role.value} of {point.object}, {text.place(point.span)}"
        rows.append(f"{{{', '.join(fields)}}}, /* {said} */")
    return text.array("struct carillon_entry", f"{name}_table", rows)


def emit(image: Image) -> str:
    """The tables of every mode."""
    families = sorted({c.family.name for m in image.modes for c in m.cells})
    lines = [text.head(image, "Tables of the application's modes."), '#include "kernel/contract/mode.h"', ""]
    lines += [f'#include "cells/{family}/cell.h"' for family in families]
    lines += ['#include "kernel/contract/sync.h"'] if image.system.sync is not None else []
    lines += [f'#include "kernel/core/{budget_kind(image)}_budget.h"'] if image.system.bounded else []
    if any(mode.table for mode in image.modes):
        lines += ['#include "kernel/osektime/table.h"', ""]
        entries = dict.fromkeys(task.entry for task in image.system.tasks)
        lines += [f"void {entry}(void);" for entry in entries]
        lines += ["", f"uint8_t carillon_table_tasks[{max(1, len(image.system.tasks))}];"]
    lines.append("")
    for number, mode in enumerate(image.modes):
        lines += _mode(image, mode, number)
    if image.initials:
        lines += text.table("const struct carillon_store carillon_initials[]", [f"{text.store(it)}," for it in image.initials])
    rows = [line for mode in image.modes for line in _entry(image, mode)]
    lines += text.table("const struct carillon_mode carillon_modes[]", rows)
    if image.system.sync is not None:
        parts = [_sync(image, mode, mode.sync, image.system.sync) for mode in image.modes if mode.sync is not None]
        lines += [line for own, _ in parts for line in own]
        lines += text.table("const struct carillon_sync carillon_syncs[]", [line for _, entry in parts for line in entry])
        edges = [(mode.name, image.system.sync.edge_in(mode.round_length)) for mode in image.system.modes]
        rows = [f"{{{found[0]}u, {found[1]}u}}, /* {name}: the first, and between two */" for name, found in edges if found]
        lines += text.table("const struct carillon_edge carillon_edges[]", rows) if rows else []
    lines += text.table("const struct carillon_time_base carillon_time_bases[]", [_time_base(mode) for mode in image.modes])
    lines += round_budgets.table(image)
    return "\n".join(lines)


def _time_base(mode: ModeImage) -> str:
    if mode.time_base is None:
        return "{0, 0, 0},"
    cell = mode.time_base.cell
    counter, phase = text.macro(cell, "COUNTER", cell.number), text.macro(cell, "PHASE", mode.time_base.phase)
    return f"{{{counter}, {phase}, {mode.allocation.mode.round_length}}},"
