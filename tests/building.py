# SPDX-License-Identifier: Apache-2.0
"""Builds images as the tool does, but compiles a file of the kernel once for all images that need the same of it.

:mod:`objects` tells what is the same.  Files of applications, and generated ones, are always compiled.
"""

from __future__ import annotations

import threading
from functools import cache, partial
from pathlib import Path
from unittest.mock import patch

from carillon.build import Firmware, _compile, _Unit
from carillon.build import build as build_there
from carillon.diagnostics import Diagnostics
from carillon.image import Image
from carillon.reuse.objects import Reuse
from objects import Headers, Objects

KEPT = Path(__file__).parents[1] / "build" / "tests" / "objects"


@cache
def _objects() -> Objects:
    return Objects(KEPT)


def build(image: Image, folder: Path, diagnostics: Diagnostics) -> Firmware | None:
    """As :func:`carillon.build.build`."""
    headers: list[Headers] = []
    reading = threading.Lock()

    def compile_once(compiler: str, unit: _Unit, reuse: Reuse) -> tuple[bool, str]:
        if unit.application or unit.source.is_relative_to(folder):
            return _compile(compiler, unit, reuse)
        with reading:
            if not headers:
                headers.append(Headers(folder / "generated"))
        make = partial(_compile, compiler, unit, reuse)
        return _objects().made(compiler, unit.source, unit.options, unit.target, headers[0], make)

    with patch("carillon.build._compile", compile_once):
        return build_there(image, folder, diagnostics)
