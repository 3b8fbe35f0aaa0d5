# SPDX-License-Identifier: Apache-2.0
"""Builds images as the tool does, but compiles no file twice: neither in this run of the tests nor, if it is kept, in the next.

1. A file of the kernel is compiled once for all images that need the same of it; :mod:`objects` tells what is the same.
2. Any other C file, of an application or generated, is compiled once for each text that the preprocessor makes of it.

An application's objects are made without what debuggers read, which names folders that are gone; ``verify`` reads that of all
others.  A test that is marked ``compiles`` has its files compiled as the tool compiles them, and so has every test with
``CARILLON_OBJECTS=off``.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import threading
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

import carillon.build
from carillon.build import _compile, _Unit, build
from carillon.resources import data_root
from carillon.reuse.objects import Reuse
from objects import Headers, Objects, compiler_id, keep, read_source

KEPT = Path(__file__).parents[1] / "build" / "tests"
MARKER = re.compile(rb"^# \d+ .*\n", re.MULTILINE)
"""Where the text behind it comes from, as the preprocessor says it."""
_reading = threading.Lock()
_headers: dict[Path, tuple[object, Headers]] = {}


@cache
def _objects() -> Objects:
    return Objects(KEPT / "objects")


@cache
def _texts() -> Path:
    folder = KEPT / "texts"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _read(generated: Path) -> Headers:
    """The generated headers of an image, read once."""
    state = sorted((p.name, p.stat().st_mtime_ns, p.stat().st_size) for p in generated.glob("*.h"))
    with _reading:
        if generated not in _headers or _headers[generated][0] != state:
            _headers.clear()
            _headers[generated] = state, Headers(generated)
        return _headers[generated][1]


def read_kernel() -> None:
    """Read what keys are made of, so that processes that are forked from this one need not."""
    root = data_root()
    _objects()
    for port in ("armv7m", "host"):
        for source in (*(root / "kernel").rglob("*.c"), *(root / "ports" / port).glob("*.c")):
            read_source(source, (root, root / "kernel" / "api", root / "ports" / port))


_compiled: dict[str, set[str]] = {}
"""By test file, the sources of the kernel that its tests have compiled (tests/affected.py)."""


def _note(source: Path) -> None:
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
    if test and source.is_relative_to(data_root()):
        with _reading:
            _compiled.setdefault(test, set()).add(str(source.relative_to(data_root())))


def write_down(name: str) -> None:
    """Write down what each test file of this process has compiled, beside what others have."""
    if _compiled:
        folder = KEPT / "compiled"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.json"
        known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        for test, sources in _compiled.items():
            known[test] = sorted(sources.union(known.get(test, ())))
        path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def compile_once(compiler: str, unit: _Unit, reuse: Reuse) -> tuple[bool, str]:
    """As the tool's own function: compile one file, unless that was done."""
    _note(unit.source)
    options = tuple(o for o in unit.options if not (unit.application and o.startswith("-g")))
    plain = _Unit(unit.source, unit.target, options, unit.application)
    generated = next((Path(after) for option, after in pairwise(plain.options) if option == "-I"), None)
    if generated is None or unit.source.suffix != ".c" or unit.target.exists():
        return _compile(compiler, unit, reuse)
    if unit.source.is_relative_to(data_root()) and not unit.source.is_relative_to(generated) and not unit.application:
        make = partial(_compile, compiler, plain, reuse)
        return _objects().made(compiler, plain.source, plain.options, plain.target, _read(generated), make)
    return _made_of_text(compiler, plain, reuse)


def _made_of_text(compiler: str, unit: _Unit, reuse: Reuse) -> tuple[bool, str]:
    """Compile a file, unless an object is kept that was made of the same text, by the same compiler, with the same options."""
    text = subprocess.run([compiler, *unit.options, "-E", str(unit.source)], capture_output=True, check=False)
    if text.returncode or text.stderr:
        return _compile(compiler, unit, reuse)
    own = [o for before, o in pairwise(("", *unit.options)) if "-I" not in (before, o)]
    digest = hashlib.sha256("\0".join([compiler_id(compiler), *own]).encode())
    digest.update(MARKER.sub(b"", text.stdout))
    kept = _texts() / f"{digest.hexdigest()}.o"
    if kept.exists():
        shutil.copyfile(kept, unit.target)
        return True, ""
    made, said = _compile(compiler, unit, reuse)
    if made and not said:
        keep(unit.target, kept)
    return made, said


def install() -> None:
    """Have every build of this process compile nothing twice."""
    if os.environ.get("CARILLON_OBJECTS") != "off":
        carillon.build._compile = compile_once


__all__ = ["build", "compile_once", "install"]
