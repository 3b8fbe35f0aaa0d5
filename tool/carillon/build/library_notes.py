# SPDX-License-Identifier: Apache-2.0
"""What stands beside a library, for a person: what a project leaves to Carillon, and what it must set up itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from carillon.emit import library as names
from carillon.image import Image


def _row(number: object, handler: str, priority: object, what: str) -> str:
    return f"  {number!s:>6}  {handler:30}  {priority!s:>8}  {what}"


def _vectors(image: Image) -> Iterator[str]:
    called, own = names.handler_names(image), {i.source for i in image.system.interrupts}
    own |= {isr.source for isr in image.system.osek.isrs} if image.system.osek is not None else set()
    levels = dict(pair for mode in image.modes for pair in mode.levels)
    levels |= dict(image.osek.levels) if image.osek is not None else {}
    top = image.system.board.levels
    if image.system.board.vectors == "code":
        yield "Interrupts.  The system enables them.  Write no ISR() for these vectors:"
        yield ""
        for source, vector in sorted(names.used(image).items()):
            what = f"{vector.object}{', your own interrupt' if source in own else ''}"
            yield f"  {called.get(source, '-'):12}  {what}"
        yield ""
        yield "An ISR() of yours for another vector delays the tasks by as long as it runs."
        return
    yield "Interrupts.  The system sets their priorities and enables them.  Write no functions of these names:"
    yield "they are in the library, but for your own interrupts, whose functions the schedule names."
    yield ""
    yield _row("number", "handler", "priority", "for")
    if names.supervisor(image):
        level = int(str(image.switches["carillon_config.h"]["CARILLON_LOWERED"]))
        handler = called[names.SUPERVISOR]
        yield _row(names.SUPERVISOR - names.SYSTEM_EXCEPTIONS, handler, top - level, "the way back of tasks that run lowered")
    for source, vector in sorted(names.used(image).items()):
        priority = top - levels[source] if source in levels else "-"
        what = f"{vector.object}{', your own interrupt' if source in own else ''}"
        yield _row(source - names.SYSTEM_EXCEPTIONS, called.get(source, "-"), priority, what)
    yield ""
    yield f"A priority is what NVIC_SetPriority takes: 0 is the highest, {top - 1} the lowest.  All its bits must be"
    yield "bits of preemption, which is what the processor has after reset, and HAL_Init of STM32 sets."
    yield "An interrupt of yours that is not listed delays the tasks on its priority and below it.  One that"
    yield 'the schedule names, as [interrupt.NAME] with priority = "below-tasks", gets one below all tasks.'


def _cells(image: Image) -> Iterator[str]:
    board, hz = image.system.board, image.system.clock_hz
    used = {cell.use.cell.name for mode in image.modes for cell in mode.cells}
    used |= {c.use.cell.name for c in (*image.osek.cells, *image.osek.stopped)} if image.osek is not None else set()
    yield "Timers.  Leave these as they are after reset, but switch their clocks on."
    yield ""
    starters: dict[int, None] = {}
    for array in board.cells:
        for k, name in enumerate(array.names):
            if name in used:
                starters |= dict.fromkeys(values[k] for key, values in array.registers.items() if key == "starter")
                base = f" at {array.registers['base'][k]:#x}" if "base" in array.registers else ""
                yield f"  {name}{base}, {array.width} bits: its clock has {array.hz or hz} Hz"
    yield from (f"  the timer at {address:#x}, which starts the others" for address in starters)
    if image.system.start is not None:
        by = image.system.start.by
        yield f"{by} is yours.  Its trigger output starts the round: set it up with the timer (on STM32, MMS in its CR2)."
    free = [name for array in board.cells for name in array.names if name not in used]
    yield ""
    yield f"Not used: {', '.join(free)}." if free else "The system uses all timers that the board gives it."
    yield 'reserve = ["NAME"] under [system] keeps a timer for you, whatever the schedule becomes.'


def _clock(image: Image) -> Iterator[str]:
    system, board = image.system, image.system.board
    clock = board.clock(system.clock_hz)
    count = clock.instructions_per_tick
    yield f"Clocks.  The library sets none: your SystemInit or main does.  A tick is 1/{clock.hz} s, in which"
    yield f"the processor of the plan carries out {count} instruction{'' if count == 1 else 's'}."
    if board.chosen is not None:
        yield f"The processor has {board.chosen.core_hz} Hz, by which the start measures the timers."
    if board.build.sources:
        sources = ", ".join(Path(source).name for source in board.build.sources)
        setup = {name: value for name, value in (board.defines | clock.defines).items() if name != "CARILLON_COPY_DATA"}
        yield f"Where Carillon has the start-up code, {sources} of board '{board.name}' sets them up, with"
        yield from (f"  {name} = {value}" for name, value in setup.items())
    if board.startup:
        yield "Where Carillon has the start-up code, it begins with these stores.  You need what they do for the"
        yield "clocks of the timers above; what they do for the console you do not need."
        yield from (f"  {store.address:#010x} = {store.value:#x}" for store in board.startup)


def notes(image: Image, archive: str) -> Iterator[str]:
    """The lines of the notes."""
    system, board = image.system, image.system.board
    starts = "ttStartOS(ttOS_DEFAULTAPPMODE), of carillon/osektime.h" if system.modes else "StartOS(OSDEFAULTAPPMODE), of os.h"
    yield f"Carillon's library for {system.name} on {board.name}, from {system.file.name}"
    yield ""
    yield f"Link {archive}, and {names.FRAGMENT} beside it: a linker script that adds to yours."
    yield "Compile with the folder include, and for the processor of"
    yield f"  {' '.join(board.build.cflags)}"
    if any(option.startswith("-mfpu") for option in board.build.cflags):
        yield "Your start-up code switches the floating-point unit on."
    yield f"Your main calls {starts}."
    yield "It does not return."
    for part in (_vectors, _cells, _clock):
        yield ""
        yield from part(image)
    yield ""
    if board.vectors == "code":
        yield "Your main enables interrupts, with sei(), before it starts the system.  The table of vectors is that of your"
        yield "start-up code.  It has the handlers by their names."
    elif names.own_table(image):
        yield f"VTOR: the system sets it to a table for each of its {len(image.modes)} modes.  For all other interrupts"
        yield "these have the handlers of your start-up code, by their names."
    else:
        yield "VTOR: the system leaves it alone.  Your table has the handlers by their names."
    if system.cplusplus:
        yield "C++: your start-up code calls the constructors."
