# SPDX-License-Identifier: Apache-2.0
"""``tables.c``: the image of each mode as constants of the types in ``kernel/contract/mode.h``."""

from __future__ import annotations

from collections.abc import Iterable

from carillon.actions.check_deadline import CheckDeadline
from carillon.actions.dispatch import Dispatch
from carillon.actions.switch_mode import SwitchMode
from carillon.allocate.result import Style
from carillon.emit import text
from carillon.image import CellImage, Image, ModeImage, names
from carillon.image.levels import controlled, enabled, ground_state, mode_levels
from carillon.image.pieces import ENTRIES
from carillon.model import SyncStart
from carillon.model.board import Board


def _cell_comment(cell: CellImage) -> str:
    carrier, use = cell.carrier, cell.use
    what = "every point" if carrier.style is Style.MULTIPLEXED else f"{use.progression.offset} + k * {use.progression.period}"
    who = carrier.demand.object if not carrier.action.named else f"{carrier.role.value} of {carrier.demand.object}"
    return f"/* {use.cell.name}: {who} at {what}, {text.place(carrier.demand.span)} */"


def _store_list(board: Board, kind: str, sources: Iterable[int]) -> list[str]:
    return [f"CARILLON_STORE_{kind}({source}, {bits})," for source, bits in text.masks(board, sources)]


def _multiplex_start(multiplex: str, first: str, cell: CellImage) -> str:
    return f"{{&{multiplex}, &{first}{f', {cell.due}u' if cell.due is not None else ''}}},"


def _mode(image: Image, mode: ModeImage, number: int) -> list[str]:
    board = image.system.board
    name = text.stem(image, mode)
    lines = [f"/* Mode {number}, {mode.allocation.mode.name}: a round of {mode.allocation.mode.round_length} ticks. */", ""]
    lines += [f"extern const carillon_vector {name}_vectors[];", ""]

    levels = sorted(mode_levels(image, mode).items())
    lines += text.array("struct carillon_level", f"{name}_levels", [f"{{{s}, {v}}}," for s, v in levels])

    starts: list[str] = []
    for multiplex in mode.multiplexes:
        cell = multiplex.cell
        stem = names.multiplex(image, mode, cell)
        postpone = isinstance(cell.carrier.action, CheckDeadline)
        lines.append(_cell_comment(cell))
        lines.append(f"struct carillon_multiplex {stem} = {text.multiplexed(cell)};")
        lines.append(f"static const struct carillon_step {stem}_steps[] = {{")
        for k, step in enumerate(multiplex.steps):
            following = f"&{stem}_steps[{(k + 1) % len(multiplex.steps)}]"
            interval = (
                text.macro(cell, "POSTPONE", step.units) if postpone else text.macro(cell, "INTERVAL", step.units, cell.period)
            )
            lines.append(f"    {{{following}, {interval}}}, /* to {step.to} */")
        lines += ["};", ""]
        starts.append(_multiplex_start(stem, f"{stem}_steps[0]", cell))
    if mode.table:
        lines += _conventional_table(image, mode)
        timer = mode.dispatch
        assert timer is not None
        stem = names.multiplex(image, mode, timer)
        lines.append(f"struct carillon_multiplex {stem} = {text.multiplexed(timer)};")
        starts.append(_multiplex_start(stem, f"{name}_table[0].step", timer))
    lines += text.array("struct carillon_multiplex_start", f"{name}_multiplexes", starts)

    prepare: list[str] = []
    restart: list[str] = []
    align: list[str] = []
    finish: list[tuple[int, str]] = []
    stop: list[str] = []
    control = mode.control.cell if mode.control else None
    for cell in mode.cells:
        comment = " " + _cell_comment(cell)
        setting = text.macro(cell, "PREPARE", cell.number, cell.first, cell.period, cell.use.prescaler) + ","
        if cell is control:
            restart += [text.macro(cell, "STOP", cell.number) + ",", setting + comment]
        else:
            prepare.append(setting + comment)
            stop.append(text.macro(cell, "STOP", cell.number) + ",")
        if cell.due is not None:
            prepare.append(text.macro(cell, "TIMEKEEPER_PREPARE", cell.number + 1) + "," + comment)
            stop.append(text.macro(cell, "STOP", cell.number + 1) + ",")
        if cell.family.align:
            align.append(text.macro(cell, "ALIGN", cell.number, cell.first, cell.period) + "," + comment)
        if cell.finishes:
            line = text.macro(cell, "FINISH", cell.number, cell.first, cell.period) + "," + comment
            finish.append((mode.last_before(cell, board), line))
    own = [c.carrier.source for c in mode.cells if controlled(board, c.carrier.source)]
    prepare += _store_list(board, "UNPEND", own)
    prepare += _store_list(board, "ENABLE", enabled(image, mode))
    if len(image.modes) > 1:  # a single mode stops for good, with interrupts locked
        stop += _store_list(board, "DISABLE", own)
        stop += _store_list(board, "UNPEND", own)
    start: list[str] = []
    for store in mode.start:
        cells = store.cells
        who = " /* " + ", ".join(c.use.cell.name for c in cells) + " */"
        if store.timekeeper:
            start.append(text.macro(cells[0], "START_DISARMED", cells[0].number + 1) + "," + who)
        elif store.group:
            others = [c for c in (image.osek.cells if image.osek else ()) if c.family == cells[0].family]
            bits = " | ".join(text.macro(c, "BIT", c.number) for c in (*cells, *others))
            start.append(text.macro(cells[0], "START", bits) + "," + who)
        else:
            held = cells[0].disarmed and cells[0].use.cell.array.request_enable == "cell"
            start.append(text.macro(cells[0], "START_DISARMED" if held else "START", cells[0].number) + "," + who)
    finished = [line for _, line in sorted(finish, key=lambda item: item[0])]
    lists = {"prepare": prepare, "restart": restart, "start": start, "finish": finished, "stop": stop}
    for kind, items in lists.items():
        lines += text.array("struct carillon_store", f"{name}_{kind}", items, constant=kind != "start" or not board.kept)
    lines += text.array("struct carillon_shift", f"{name}_align", align)
    if mode.control:
        cell = mode.control.cell
        source = cell.carrier.source
        bit = f"CARILLON_SOURCE_BIT({source})"
        if cell.use.cell.array.request_enable == "cell" and isinstance(cell.carrier.action, SwitchMode):
            forget, enable = f"CARILLON_STORE_UNPEND({source}, {bit})", text.macro(cell, "START", cell.number)
        else:
            forget, enable = f"CARILLON_STORE_UNPEND({source}, {bit})", f"CARILLON_STORE_ENABLE({source}, {bit})"
        if isinstance(cell.carrier.action, Dispatch):  # it interrupts anyway; nothing to forget
            forget = enable
        lines += [
            f"/* Left at {mode.control.at}; the next round begins {mode.control.gap} ticks after the end of this one. */",
            f"static const struct carillon_control {name}_control = {{",
            f"    {text.macro(cell, 'COUNTER', cell.number)},",
            f"    {mode.control.target},",
            f"    {forget},",
            f"    {enable},",
            "};",
            "",
        ]
        lines += text.array("uint16_t", f"{name}_tasks", [f"{source}," for source in ground_state(image, mode)[0]])
    return lines


def _sync(image: Image, mode: ModeImage) -> tuple[list[str], list[str]]:
    """The lists of the mode's synchronisation, and its entry in the table of all modes."""
    sync, limits = mode.sync, image.system.sync
    assert sync is not None and limits is not None
    name, source = text.stem(image, mode), sync.cell.carrier.source
    board = image.system.board
    moved = [text.macro(c, "SYNC", c.number) + ", " + _cell_comment(c) for c in mode.cells]
    lines = text.array("struct carillon_shift", f"{name}_sync", moved)
    lists = {"cells": (f"{name}_sync", "cell_count")}
    if limits.start is SyncStart.HARD:
        waiting = [s for s in enabled(image, mode) if s != source]
        own = [c.carrier.source for c in mode.cells if controlled(board, c.carrier.source) and c.carrier.source != source]
        lines += text.array("struct carillon_store", f"{name}_hold", _store_list(board, "DISABLE", waiting))
        release = _store_list(board, "UNPEND", own) + _store_list(board, "ENABLE", waiting)
        lines += text.array("struct carillon_store", f"{name}_release", release)
        lists |= {"hold": (f"{name}_hold", "hold_count")} if waiting else {}
        lists |= {"release": (f"{name}_release", "release_count")} if release else {}
    entry = [f"    {{ /* {mode.allocation.mode.name}: nothing is due for {sync.slack} ticks from the sync point on */"]
    for field, (array, count) in lists.items():
        entry += [f"        .{field} = {array},", f"        .{count} = CARILLON_COUNT({array}),"]
    values = {
        "counter": text.macro(sync.cell, "COUNTER", sync.cell.number),
        "latest": f"{sync.latest}u",
        "length": f"{mode.allocation.mode.round_length}u",
        "at": f"{sync.at}u",
        "lengthen": f"{limits.lengthen}u",
        "shorten": f"{limits.shorten}u",
        "leave": f"{sync.leave % 2**32}u",
        "source": f"{source}",
    }
    return lines, [*entry, *(f"        .{field} = {value}," for field, value in values.items()), "    },"]


def _conventional_table(image: Image, mode: ModeImage) -> list[str]:
    name = text.stem(image, mode)
    timer = mode.dispatch
    assert timer is not None
    lines = [f"static const struct carillon_entry {name}_table[] = {{"]
    for k, entry in enumerate(mode.table):
        point = entry.point
        after = k + 1
        while after < len(mode.table) and mode.table[after - 1].more:
            after += 1
        following = f"&{name}_table[{after % len(mode.table)}].step"
        step = f"{{{following}, {text.macro(timer, 'INTERVAL', entry.step.units, timer.period)}}}"
        what = ENTRIES[type(point.action)](image, point)
        mask = "0u" if what.source is None else text.bits([what.source])
        lines.append(
            f"    {{{step}, {what.function or 'NULL'}, {mask}, {what.object}, {text.action(point.action)}, {int(entry.more)}u}}, "
            f"/* {point.at}: {point.action.role.value} of {point.object}, {text.place(point.span)} */"
        )
    return [*lines, "};", ""]


_LISTS = (
    ("struct carillon_level", "levels", "level_count"),
    ("struct carillon_multiplex_start", "multiplexes", "multiplex_count"),
    ("struct carillon_store", "prepare", "prepare_count"),
    ("struct carillon_store", "restart", "restart_count"),
    ("struct carillon_store", "start", "start_count"),
    ("struct carillon_shift", "align", "align_count"),
    ("struct carillon_store", "finish", "finish_count"),
    ("struct carillon_store", "stop", "stop_count"),
    ("uint16_t", "tasks", "task_count"),
)


def _initials(image: Image) -> list[str]:
    """The stores that enable the application's interrupts, once."""
    stores = _store_list(image.system.board, "ENABLE", [i.source for i in image.system.interrupts])
    if not stores:
        return []
    return ["const struct carillon_store carillon_initials[] = {", *(f"    {s}" for s in stores), "};", ""]


def emit(image: Image) -> str:
    """The tables of every mode."""
    families = sorted({c.family.name for m in image.modes for c in m.cells})
    lines = [text.head(image, "Tables of the application's modes."), '#include "kernel/contract/mode.h"', ""]
    lines += [f'#include "cells/{family}/cell.h"' for family in families]
    lines += ['#include "kernel/contract/sync.h"'] if image.system.sync is not None else []
    if any(mode.table for mode in image.modes):
        lines += ['#include "kernel/osektime/table.h"', ""]
        entries = dict.fromkeys(image.system.task(t.name).entry for t in image.system.tasks)
        lines += [f"void {entry}(void);" for entry in entries]
        lines += ["", f"uint8_t carillon_table_tasks[{max(1, len(image.system.tasks))}];"]
    lines.append("")
    bodies = [_mode(image, mode, number) for number, mode in enumerate(image.modes)]
    for body in bodies:
        lines += body
    lines += _initials(image)
    lines += ["const struct carillon_mode carillon_modes[] = {"]
    for mode, body in zip(image.modes, bodies, strict=True):
        name = text.stem(image, mode)
        lines += [f"    {{ /* {mode.allocation.mode.name} */", f"        .vectors = {name}_vectors,"]
        for kind, field, count in _LISTS:
            if {f"static const {kind} {name}_{field}[] = {{", f"static {kind} {name}_{field}[] = {{"} & set(body):
                lines += [f"        .{field} = {name}_{field},", f"        .{count} = CARILLON_COUNT({name}_{field}),"]
        if mode.control:
            lines += [f"        .waiting_count = {ground_state(image, mode)[1]},", f"        .control = &{name}_control,"]
        lines.append("    },")
    lines += ["};", ""]
    if image.system.sync is not None:
        parts = [_sync(image, mode) for mode in image.modes]
        lines += [line for own, _ in parts for line in own]
        lines += ["const struct carillon_sync carillon_syncs[] = {", *(line for _, entry in parts for line in entry), "};", ""]
    lines += ["const struct carillon_time_base carillon_time_bases[] = {"]
    for mode in image.modes:
        if mode.time_base:
            cell = mode.time_base.cell
            counter, phase = text.macro(cell, "COUNTER", cell.number), text.macro(cell, "PHASE", mode.time_base.phase)
            lines.append(f"    {{{counter}, {phase}, {mode.allocation.mode.round_length}}},")
        else:
            lines.append("    {0, 0, 0},")
    lines += ["};", ""]
    return "\n".join(lines)
