# SPDX-License-Identifier: Apache-2.0
"""A library for a project that has start-up code, a vector table and a linker script of its own (``build --library``)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carillon import __version__
from carillon.build import compile_library
from carillon.build.library_notes import notes
from carillon.build.manifest import manifest
from carillon.diagnostics import Diagnostics, Span
from carillon.emit import library as names
from carillon.files import write_text
from carillon.image import Image
from carillon.resources import data_root

ARCHIVE, OBJECT, NOTES = "libcarillon.a", "carillon.o", "carillon_library.txt"
PLATFORMIO, SCRIPT = "library.json", "carillon_platformio.py"
_SCRIPT = f"""# Links {ARCHIVE} into a PlatformIO project that has this folder as a library.
import os

from SCons.Script import DefaultEnvironment, Import

Import("env")
here = env.Dir(".").srcnode().get_abspath()
project = DefaultEnvironment()
project.Append(CPPPATH=[os.path.join(here, "include")], LINKFLAGS=[os.path.join(here, "{names.FRAGMENT}")])
project.Append(LIBPATH=[here], LIBS=["carillon"])
"""
_LEFT_OUT = (
    "kernel/osektime/main.c",
    "kernel/run/main.c",
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
    write_text(made.notes, "\n".join(notes(image, ARCHIVE)) + "\n")
    write_text(folder / PLATFORMIO, json.dumps(_platformio(image), indent=2) + "\n")
    write_text(folder / SCRIPT, _SCRIPT)
    return made


def _platformio(image: Image) -> dict[str, Any]:
    """The library as PlatformIO describes one: nothing of it is compiled, a script links the archive."""
    system = image.system
    name = re.sub(r"[^a-z0-9-]+", "-", system.name.lower())
    return {
        "name": f"carillon-{name}",
        "version": __version__,
        "description": f"The schedule of {system.name} on {system.board.name}, as a library",
        "frameworks": "*",
        "platforms": "*",
        "build": {"includeDir": "include", "srcDir": "include", "srcFilter": ["-<*>"], "extraScript": SCRIPT},
    }


CONSOLE = {"carillon/console.h", "carillon/ostream.hpp"}
"""The headers of what the library leaves out: the project prints as it does without Carillon."""


def _headers(image: Image, generated: Path) -> list[tuple[str, Path]]:
    """The headers of the services, and whatever these include: where each stands below ``include``, and where it is."""
    roots = [generated, *(data_root() / str(folder) for folder in manifest(image.system, generated)["include"])]
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
