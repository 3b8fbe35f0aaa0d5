# SPDX-License-Identifier: Apache-2.0
"""``carillon_config.h``: what the kernel and the port are compiled for."""

from __future__ import annotations

from carillon.emit import text
from carillon.emit.image import Image
from carillon.model import Idle, OnDeadlineMiss


def emit(image: Image) -> str:
    """The configuration as macros; every one is always defined, so that a misspelt test is an error."""
    system, board = image.system, image.system.board
    clock = board.clock(system.clock_hz)
    modes = image.modes
    conventional = image.allocation.kernel == "conventional"
    lowered = conventional or any(c.lowered for m in modes for c in m.allocation.carriers)
    names = [m.allocation.mode.name for m in modes]
    values: dict[str, object] = {
        "CARILLON_CLOCK_HZ": f"{system.clock_hz}u",
        "CARILLON_INSTRUCTIONS_PER_TICK": f"{clock.instructions_per_tick}u",
        "CARILLON_LEVELS": f"{board.levels}u",
        "CARILLON_MODES": len(modes),
        "CARILLON_START_MODE": names.index(system.start_mode),
        "CARILLON_CONVENTIONAL": int(conventional),
        "CARILLON_LOWERED": int(lowered),
        "CARILLON_SOURCES": board.sources,
        "CARILLON_INITIALS": len(text.masks(board, [i.source for i in system.interrupts])),
        "CARILLON_BELOW_TASKS": int(any(not i.above_tasks for i in system.interrupts)),
        "CARILLON_MULTIPLEXES": int(conventional or any(m.multiplexes for m in modes)),
        "CARILLON_ALIGNS": int(any(c.family.align for m in modes for c in m.cells)),
        "CARILLON_FINISHES": int(any(c.family.finish for m in modes for c in m.cells)),
        "CARILLON_SHUTDOWN_ON_MISS": int(system.on_deadline_miss is OnDeadlineMiss.SHUTDOWN),
        "CARILLON_IDLE_SLEEP": int(system.idle is Idle.SLEEP),
        "CARILLON_COPY_DATA": 0,
    }
    values.update(board.defines)
    values.update({name: f"{value}u" for name, value in clock.defines.items()})
    lines = [text.head(image, "What the kernel is compiled for."), "#ifndef CARILLON_CONFIG_H", "#define CARILLON_CONFIG_H", ""]
    lines += [f"#define {name} {value}" for name, value in values.items()]
    virtual = []
    for array in board.cells:
        if array.family == "virtual":
            hz = array.hz or system.clock_hz
            virtual += [f"{{{source}, {system.clock_hz}u, {hz}u}}" for source in array.sources]
    if virtual:
        lines += ["", "/* Source and ticks per unit of each virtual cell. */"]
        lines += ["#define CARILLON_VIRTUAL_CELLS \\", ", \\\n".join("    " + v for v in virtual)]
    lines += ["", "/* Application modes. */"]
    lines += [f"#define ttAppMode_{name} {number}u" for number, name in enumerate(names)]
    lines += ["", "#endif", ""]
    return "\n".join(lines)
