# SPDX-License-Identifier: Apache-2.0
"""``carillon_config.h``: what the kernel and the port are compiled for."""

from __future__ import annotations

from carillon.emit import base, blocks, microcode, queue, text
from carillon.emit import clock as clocks
from carillon.emit.vectors import direct
from carillon.image import Image
from carillon.image.levels import base_levels, lowered_level
from carillon.model import Idle, OnDeadlineMiss, SyncStart


def emit(image: Image) -> str:
    """The configuration as macros; every one is always defined, so that a misspelt test is an error."""
    system, board = image.system, image.system.board
    clock = board.clock(system.clock_hz)
    modes = image.modes
    conventional = image.allocation.conventional
    names = [m.allocation.mode.name for m in modes]
    cells = [c for m in modes for c in m.cells] + list(image.osek.cells if image.osek else ())
    below = base_levels(image)
    values: dict[str, object] = {
        "CARILLON_CLOCK_HZ": f"{system.clock_hz}u",
        "CARILLON_INSTRUCTIONS_PER_TICK": f"{clock.instructions_per_tick}u",
        "CARILLON_LEVELS": f"{board.levels}u",
        "CARILLON_MODES": len(modes),
        "CARILLON_START_MODE": names.index(system.start_mode) if names else 0,
        "CARILLON_OSEK": int(image.osek is not None),
        "CARILLON_OSEK_SLICES": int(image.osek is not None and image.osek.allocation.slices is not None),
        "CARILLON_OSEK_TURN_LEVELS": len(image.osek.allocation.turns) if image.osek is not None else 0,
        "CARILLON_CONVENTIONAL": int(conventional and bool(modes)),
        "CARILLON_TABLES": int(any(m.table for m in modes)),
        "CARILLON_LOWERED": lowered_level(image),
        "CARILLON_SOURCES": board.sources,
        "CARILLON_INITIALS": len(text.masks(board, [i.source for i in system.interrupts])),
        "CARILLON_BELOW_TASKS": f"{below}u" if below and modes else 0,
        "CARILLON_MULTIPLEXES": int(any(m.multiplexes or m.table for m in modes)),
        "CARILLON_TIMEKEEPERS": int(any(c.due is not None for c in cells)),
        "CARILLON_ALIGNS": int(any(c.family.align for c in cells)),
        "CARILLON_FINISHES": int(any(c.family.finish for c in cells)),
        "CARILLON_START_KEEPS": int(bool(board.kept)),
        "CARILLON_SYNC": int(any(m.sync for m in modes)),
        "CARILLON_SHUTDOWN_ON_MISS": int(system.on_deadline_miss is OnDeadlineMiss.SHUTDOWN),
        "CARILLON_IDLE_SLEEP": int(system.idle is Idle.SLEEP),
        "CARILLON_COPY_DATA": 0,
        "CARILLON_ADDRESS_BITS": 32,
    }
    values.update({"CARILLON_CONSTRUCTORS": 1} if system.cplusplus else {})
    if system.sync is not None:
        values["CARILLON_SYNC_HARD"] = int(system.sync.start is SyncStart.HARD)
        values["CARILLON_SYNC_PRECISION"] = f"{system.sync.precision}u"
        values["CARILLON_SYNC_SILENCE"] = f"{system.sync.silence}u"
    values.update(queue.configuration(image))
    values.update(clocks.configuration(image))
    values.update(base.configuration(image))
    values.update(microcode.configuration(image))
    values.update(blocks.configuration(image))
    values.update(board.defines)
    values.update({name: f"{value}u" for name, value in clock.defines.items()})
    lines = [text.head(image, "What the kernel is compiled for."), "#ifndef CARILLON_CONFIG_H", "#define CARILLON_CONFIG_H", ""]
    lines += [f"#define {name} {value}" for name, value in values.items()]
    virtual = []
    for array in board.cells:
        if array.family.name == "virtual":
            hz = array.hz or system.clock_hz
            virtual += [f"{{{source}, {system.clock_hz}u, {hz}u}}" for source in array.sources]
    if virtual:
        lines += ["", "/* Source and ticks per unit of each virtual cell. */"]
        lines += ["#define CARILLON_VIRTUAL_CELLS \\", ", \\\n".join("    " + v for v in virtual)]
    if board.vectors == "code":
        lines += _handlers(image)
    lines += _linkage(image)
    lines += ["", "/* Application modes. */"]
    lines += [f"#define ttAppMode_{name} {number}u" for number, name in enumerate(names)]
    lines += ["", "#endif", ""]
    return "\n".join(lines)


def _handlers(image: Image) -> list[str]:
    """Declarations that make functions of the application handlers, for the files that define them."""
    declarations = [
        f'void {function}(void) __asm__("{text.HANDLER}{function}") __attribute__(({"interrupt" if nested else "signal"}, used));'
        for function, nested in direct(image).items()
    ]
    if not declarations:
        return []
    head = ["", "/* Functions of the application that are vectors themselves. */", "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    return [*head, *declarations, "#ifdef __cplusplus", "}", "#endif"]


def _linkage(image: Image) -> list[str]:
    """Declarations that give the functions that the schedule names C's linkage where C++ files define them."""
    functions = dict.fromkeys([t.entry for t in image.system.tasks] + [i.handler for i in image.system.interrupts])
    if not functions:
        return []
    head = ["", "/* Functions of the application that the schedule names. */", "#ifdef __cplusplus", 'extern "C" {']
    return [*head, *(f"void {function}(void);" for function in functions), "}", "#endif"]
