# SPDX-License-Identifier: Apache-2.0
"""A library for a project that has start-up code, a vector table and a linker script of its own (``build --library``)."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from carillon import __version__
from carillon.build import compile_library
from carillon.build.library_notes import notes
from carillon.build.manifest import manifest
from carillon.diagnostics import Diagnostics, Span
from carillon.emit import library as names
from carillon.emit import text
from carillon.files import write_text
from carillon.image import Image
from carillon.resources import data_root

ARCHIVE, OBJECT, NOTES = "libcarillon.a", "carillon.o", "carillon_library.txt"
ARDUINO, SKETCH = "library.properties", "Carillon.h"
"""What makes the folder a library of Arduino's tools: its description, and the header by which a sketch asks for it."""
_LEFT_OUT = (
    "kernel/osektime/main.c",
    "kernel/run/main.c",
    "kernel/core/atexit.c",
    "kernel/core/console.c",
)
"""What the user's project has itself, beside the port's start-up code and its console."""


@dataclass(frozen=True, slots=True)
class Library:
    """What was made: the archive, the fragment for the linker, the folder of headers, and what the user must know.

    ``interrupts``: the number of each that is the system's, and its handler's name.
    """

    archive: Path
    fragment: Path
    include: Path
    notes: Path
    interrupts: list[tuple[int, str]]


def check_library(image: Image, diagnostics: Diagnostics) -> bool:
    """Whether the board can have a library; reports C294 if not."""
    board = image.system.board
    if names.possible(image):
        return True
    if board.native:
        why = f"board '{board.name}' is a program of this machine, which no vendor has start-up code for"
    elif board.interrupts is not None and board.interrupts.handler:
        why = f"board '{board.name}' is of port '{board.port}', which is no part of another's project"
    else:
        why = f"no file of board '{board.name}' says what its vendor calls the handlers of interrupts"
    diagnostics.error(
        "C294", None, f"--library: {why}", "choose a board whose file names its 'interrupts', such as stm32f4-discovery"
    )
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
    wrapped = [f"-Wl,--wrap={function}" for function in system.wrapped]
    command = [
        build.compiler,
        *build.cflags,
        "-r",
        "-nostdlib",
        *wrapped,
        *map(str, objects),
        str(generated / names.ALIASES),
        "-o",
    ]
    chip = _chip(image)
    include = folder / ("src" if chip else "include")
    archive = (include / chip if chip else folder) / ARCHIVE
    shutil.rmtree(include, ignore_errors=True)
    archive.parent.mkdir(parents=True, exist_ok=True)
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
    for name, source in _headers(image, generated):
        write_text(include / name, source.read_text(encoding="utf-8"))
    fragment = archive.parent / names.FRAGMENT
    made = Library(archive, fragment, include, folder / NOTES, names.interrupts(image))
    write_text(made.fragment, (generated / names.FRAGMENT).read_text(encoding="utf-8"))
    write_text(made.notes, "\n".join(notes(image, ARCHIVE)) + "\n")
    if chip:
        write_text(folder / ARDUINO, _properties(image))
        write_text(include / SKETCH, _sketch_header(image))
    return made


def _chip(image: Image) -> str:
    """The chip whose project may be an Arduino sketch, as its compiler calls it; empty if there is no Arduino core for it."""
    options = image.system.board.build.cflags
    return next((option.removeprefix("-mmcu=") for option in options if option.startswith("-mmcu=")), "")


def _properties(image: Image) -> str:
    """The library as Arduino's tools have it described: nothing is compiled, and the archive of the sketch's chip is linked.

    These tools look for the archive in ``src/CHIP``.  The linker looks there for its fragment, too (``-l:``).
    """
    board = image.system.board.name
    fields = {
        "name": "Carillon",
        "version": __version__,
        "author": "Carillon's authors",
        "maintainer": "Carillon's authors",
        "sentence": f"The schedule of {image.system.name} on {board}.",
        "paragraph": "Timers start its tasks, each at its own time.",
        "category": "Timing",
        "url": "https://pypi.org/project/carillon-rtos/",
        "architectures": "avr",
        "includes": SKETCH,
        "precompiled": "true",
        "ldflags": f"-l:{names.FRAGMENT}",
    }
    return "".join(f"{key}={value}\n" for key, value in fields.items())


def _sketch_header(image: Image) -> str:
    """The services that the system has, for a sketch."""
    system = image.system
    headers = ["carillon/osektime.h"] if system.modes else []
    headers += ["os.h"] if system.osek is not None else []
    headers += ["carillon/arduino.h"] if system.time is not None else []
    return text.header(image, "For a sketch.", "CARILLON_SKETCH_H", ["", *(f'#include "{name}"' for name in headers)])


CONSOLE = {"carillon/console.h", "carillon/ostream.hpp"}
"""The headers of what the library leaves out: the project prints as it does without Carillon."""


def _headers(image: Image, generated: Path) -> list[tuple[str, Path]]:
    """The headers of the services, and whatever these include: where each stands below ``include``, and where it is."""
    roots = [generated, *(data_root() / str(folder) for folder in manifest(image, generated)["include"])]
    api = data_root() / "kernel/api"
    every = [path.relative_to(api).as_posix() for path in sorted((*api.rglob("*.h"), *api.rglob("*.hpp")))]
    waiting = [*(name for name in every if name not in CONSOLE), "carillon_library.h"]
    found: dict[str, Path] = {}
    while waiting:
        name = waiting.pop()
        source = next((root / name for root in (api, *roots) if (root / name).is_file()), None)
        if source is None or name in found:
            continue  # another system's generated header, which this one's services do not include
        found[name] = source
        waiting += re.findall(r'^#include "([^"]+)"', source.read_text(encoding="utf-8"), re.MULTILINE)
    return sorted(found.items())
