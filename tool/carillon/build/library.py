# SPDX-License-Identifier: Apache-2.0
"""A library for a project that has start-up code, a vector table and a linker script of its own (``build --library``)."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from carillon.build import compile_library
from carillon.build.manifest import manifest
from carillon.diagnostics import Diagnostics, Span
from carillon.emit import library as names
from carillon.files import write_text
from carillon.image import Image
from carillon.resources import data_root

ARCHIVE, OBJECT, NOTES = "libcarillon.a", "carillon.o", "carillon_library.txt"
_LEFT_OUT = (
    "kernel/osektime/main.c",
    "kernel/osek/main.c",
    "kernel/core/atexit.c",
    "kernel/core/console.c",
)
"""What the user's project has itself, beside the port's start-up code and its console."""


@dataclass(frozen=True, slots=True)
class Library:
    """What was made: the archive, the fragment for the linker, the folder of headers, and what the user must know."""

    archive: Path
    fragment: Path
    include: Path
    notes: Path


def check_library(image: Image, diagnostics: Diagnostics) -> bool:
    """Whether the board can have a library; reports C294 if not."""
    board = image.system.board
    if names.possible(image):
        return True
    if board.native:
        why = f"board '{board.name}' is a program of this machine, which no vendor has start-up code for"
    else:
        why = f"no file of board '{board.name}' says what its vendor calls the handlers of interrupts"
    diagnostics.error("C294", None, f"--library: {why}", "choose a board whose file names its 'interrupts', such as stm32f4-discovery")
    return False


def build_library(image: Image, folder: Path, diagnostics: Diagnostics) -> Library | None:
    """Make the library in ``folder``; None after C091, C092 or C294."""
    if not check_library(image, diagnostics):
        return None
    system = image.system
    port = f"ports/{system.board.port}"
    objects = compile_library(image, folder, (*_LEFT_OUT, f"{port}/startup.c", f"{port}/console.c"), diagnostics)
    if objects is None:
        return None
    generated = folder / "generated"
    build = system.board.build
    # One object, so that whoever needs any of it has all of it: start-up code refers to handlers weakly.
    joined = folder / OBJECT
    command = [build.compiler, *build.cflags, "-r", "-nostdlib", *map(str, objects), str(generated / names.ALIASES), "-o"]
    archive = folder / ARCHIVE
    archive.unlink(missing_ok=True)
    archiver = re.sub(r"gcc$", "ar", build.compiler)
    if shutil.which(archiver) is None:
        diagnostics.lacking(f"board '{system.board.name}' needs '{archiver}', which is not installed", build.packages)
        return None
    for step in ([*command, str(joined)], [archiver, "rcsD", str(archive), str(joined)]):
        result = subprocess.run(step, capture_output=True, text=True, errors="replace", check=False)
        if result.returncode:
            cause = f"{Path(step[0]).name} refuses the library:\n{result.stderr.rstrip()}"
            diagnostics.error("C091", Span(system.file.name), cause, "mend what it names")
            return None
    include = folder / "include"
    shutil.rmtree(include, ignore_errors=True)
    for name, source in _headers(image, generated):
        write_text(include / name, source.read_text(encoding="utf-8"))
    made = Library(archive, folder / names.FRAGMENT, include, folder / NOTES)
    write_text(made.fragment, (generated / names.FRAGMENT).read_text(encoding="utf-8"))
    write_text(made.notes, "\n".join(_notes(image)) + "\n")
    return made


def _headers(image: Image, generated: Path) -> list[tuple[str, Path]]:
    """The headers of the services, and whatever these include: where each stands below ``include``, and where it is."""
    roots = [generated, *(data_root() / str(folder) for folder in manifest(image.system, generated)["include"])]
    api = data_root() / "kernel/api"
    waiting = [path.relative_to(api).as_posix() for path in sorted((*api.rglob("*.h"), *api.rglob("*.hpp")))]
    found: dict[str, Path] = {}
    while waiting:
        name = waiting.pop()
        source = next((root / name for root in (api, *roots) if (root / name).is_file()), None)
        if source is None or name in found:
            continue  # another system's generated header, which this one's services do not include
        found[name] = source
        waiting += re.findall(r'^#include "([^"]+)"', source.read_text(encoding="utf-8"), re.MULTILINE)
    return sorted(found.items())


def _priority(image: Image, level: int) -> int:
    """A level as CMSIS counts priorities: 0 is the highest."""
    return image.system.board.levels - level


def _vectors(image: Image) -> Iterator[str]:
    called = names.handler_names(image)
    levels = dict(pair for mode in image.modes for pair in mode.levels)
    levels |= dict(image.osek.levels) if image.osek is not None else {}
    yield "The system's interrupts.  Write no handler of these names, and leave their priorities and their enable bits alone."
    yield ""
    yield f"  {'number':>6}  {'handler':30}  {'priority':>8}  for"
    for source, vector in sorted(names.used(image).items()):
        priority = str(_priority(image, levels[source])) if source in levels else "-"
        yield f"  {source - 16:>6}  {called.get(source, '-'):30}  {priority:>8}  {vector.object}"
    if names.supervisor(image):
        priority = _priority(image, int(str(image.switches["carillon_config.h"]["CARILLON_LOWERED"])))
        yield f"  {names.SUPERVISOR - 16:>6}  {'SVC_Handler':30}  {priority:>8}  the return from tasks that run lowered"
    yield ""
    yield f"A priority is what NVIC_SetPriority takes: 0 is the highest, {image.system.board.levels - 1} the lowest.  All priority bits"
    yield "must be bits of preemption: NVIC_SetPriorityGrouping(3) on a chip with 4 of them, as HAL_Init does."


def _cells(image: Image) -> Iterator[str]:
    board = image.system.board
    used = {c.use.cell.name: c for m in image.modes for c in m.cells}
    used |= {c.use.cell.name: c for c in (*image.osek.cells, *image.osek.stopped)} if image.osek is not None else {}
    yield "The system's timers.  Leave them as they are after reset, but for their clocks, which must be on."
    yield ""
    for array in board.cells:
        for k, name in enumerate(array.names):
            if name not in used:
                continue
            places = ", ".join(f"{key} {values[k]:#x}" for key, values in sorted(array.registers.items()))
            hz = array.hz or image.system.clock_hz
            yield f"  {name:10}  {array.width} bits, must be clocked with {hz} Hz; {places}"
    free = [name for array in board.cells for name in array.names if name not in used]
    yield ""
    yield f"Not used by the system: {', '.join(free) if free else 'no timer that the board counts among its cells'}."
    yield "reserve = [\"NAME\"] in [system] keeps a timer for you, whatever the schedule becomes."


def _clock(image: Image) -> Iterator[str]:
    system, board = image.system, image.system.board
    clock = board.clock(system.clock_hz)
    yield f"The clock.  A tick is 1/{clock.hz} s.  Before ttStartOS or StartOS is called, your code must have set up:"
    yield ""
    yield f"  the processor: {clock.hz} Hz is what the timers above count; board '{board.name}' takes"
    yield f"  {clock.instructions_per_tick} instruction(s) of its processor for a tick"
    for name, value in (board.defines | clock.defines).items():
        yield f"  of the board's clock set-up: {name} {value:#x}"
    for source in board.build.sources:
        yield f"  done by {Path(source).name} of the board where Carillon has the start-up code; not in the library"
    if board.startup:
        yield ""
        yield "  Stores by which Carillon's own start-up code begins, which the library does not do.  Of these you need the clocks of"
        yield "  the timers above; the others are the board's console."
        for store in board.startup:
            yield f"    {store.address:#010x} = {store.value:#x}"


def _notes(image: Image) -> Iterable[str]:
    system, board = image.system, image.system.board
    yield f"Carillon's library for {system.name} on {board.name}, from {system.file.name} (sha256 {system.digest[:16]})"
    yield ""
    yield f"Link {ARCHIVE} and {names.FRAGMENT}; compile with -I include and these options:"
    yield f"  {' '.join(board.build.cflags)}"
    yield f"{names.FRAGMENT} is a linker script that adds to yours: name it among the objects."
    starts = "ttStartOS(ttOS_DEFAULTAPPMODE), of carillon/osektime.h" if system.modes else "StartOS(OSDEFAULTAPPMODE), of os.h"
    yield f"Your main calls {starts}, which does not return."
    yield ""
    yield from _vectors(image)
    yield ""
    yield from _cells(image)
    yield ""
    yield from _clock(image)
    yield ""
    if names.own_table(image):
        yield f"VTOR: the system sets it to the table of the mode that runs.  There are {len(image.modes)}.  Your functions stand in them for"
        yield "all other interrupts, by the names of your start-up code."
    else:
        yield "VTOR stays as you set it: your vector table has the system's handlers by their names."
    if system.cplusplus:
        yield "Your start-up code calls the constructors of C++."
