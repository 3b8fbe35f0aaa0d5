# SPDX-License-Identifier: Apache-2.0
"""Builds images as the tool does, but under one path, so that ccache knows what it has compiled for another image.

Most files of the kernel are the same for many images of a board.  They would be compiled anew for each, as an object tells a
debugger in which folders its headers lie.  Here, a link that always has the same name leads to the folder of each image.
Without ccache everything is compiled.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from unittest.mock import patch

from carillon.build import Firmware
from carillon.build import build as build_there
from carillon.diagnostics import Diagnostics
from carillon.image import Image

ROOT = Path(__file__).parents[1] / "build" / "tests"
COMPILERS = ("arm-none-eabi-", "avr-", "riscv64-unknown-elf-", "")


@cache
def _place() -> Path:
    """A link of this process's own; another one may have it when the process has ended."""
    ROOT.mkdir(parents=True, exist_ok=True)
    for number in itertools.count():
        lock = os.open(ROOT / f"{number}.lock", os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # until the process ends
        except OSError:
            os.close(lock)
            continue
        return ROOT / str(number)
    raise AssertionError


@cache
def _environment() -> dict[str, str]:
    """Finds ccache under the names of the compilers, if there is one."""
    ccache = shutil.which("ccache")
    if ccache is None:
        return {}
    names = ROOT / "bin"
    names.mkdir(parents=True, exist_ok=True)
    for prefix, name in itertools.product(COMPILERS, ("gcc", "g++", "cc", "c++")):
        if shutil.which(prefix + name) is not None:
            with suppress(FileExistsError):
                (names / (prefix + name)).symlink_to(ccache)
    return {
        "PATH": f"{names}{os.pathsep}{os.environ['PATH']}",
        "CCACHE_DIR": os.environ.get("CCACHE_DIR", str(ROOT / "ccache")),
        "CCACHE_MAXSIZE": "500M",
        "CCACHE_NODIRECT": "1",  # or it would not see a header that comes first now
    }


def build(image: Image, folder: Path, diagnostics: Diagnostics) -> Firmware | None:
    """As :func:`carillon.build.build`."""
    place = _place()
    folder.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(folder.resolve())
    with patch.dict(os.environ, _environment()):
        made = build_there(image, place, diagnostics)
    if made is None:
        return None
    there = tuple(folder / path.relative_to(place) for path in made.images)
    return replace(made, elf=folder / made.elf.relative_to(place), folder=folder, images=there)
