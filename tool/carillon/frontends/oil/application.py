# SPDX-License-Identifier: Apache-2.0
"""What OIL files of other tools say of the application's C code: ``APP_SRC``, and the folders and macros of ``CFLAGS``.

Trampoline has them in ``BUILD`` of the OS, ERIKA in ``CPU_DATA`` and in the OS.  Both give them to a compiler that runs in the
project's folder, which is that of the OIL file or one above it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from os.path import normpath
from pathlib import Path, PurePosixPath

from carillon.files import Search, matching
from carillon.frontends.oil.resolve import Attributes, Resolved
from carillon.frontends.oil.syntax import Name
from carillon.frontends.oil.values import Values
from carillon.read.application import PLACES, SOURCES, is_predefined
from carillon.units import shorten


def convert_application(owners: list[Attributes], values: Values, folder: Path) -> None:
    """Store ``sources``, ``include`` and ``defines`` of the blocks of the OS or the CPU; the OIL file is in ``folder``."""
    _sources(owners, values, folder)
    _flags(owners, values, folder)


def _everywhere(owners: list[Attributes], name: str) -> Iterable[tuple[Resolved, str]]:
    """Every attribute of the name ``name`` whose value is a text or a word."""
    for value in (value for owner in owners for value in owner.everywhere(name)):
        if isinstance(value.literal, (str, Name)):
            yield value, str(value.literal)


def _store(values: Values, key: str, value: Resolved, content: str) -> None:
    """Add ``content`` to a list of ``[system]``, unless the list has it."""
    if content not in values.data["system"].get(key, ()):
        values.result.append(("system", key), content, value.span, value.key)


def _sources(owners: list[Attributes], values: Values, folder: Path) -> None:
    for value, text in _everywhere(owners, "APP_SRC"):
        name = text.replace("\\", "/")
        if PurePosixPath(name).suffix not in SOURCES:
            continue  # an assembler's, or no file's name
        value.used = True
        paths = (place + name for place in (*PLACES, "../"))
        found = next((path for path in paths if _found(values, Search(folder / path, "", SOURCES))), name)
        _store(values, "sources", value, normpath(found) if found != name else name)


def _flags(owners: list[Attributes], values: Values, folder: Path) -> None:
    """Of a compiler's options, take macros and existing folders of headers; report the others (C151)."""
    for value, text in _everywhere(owners, "CFLAGS"):
        try:
            words = shlex.split(text)
        except ValueError:  # a quotation mark is not closed
            continue
        others = []
        while words:
            word = words.pop(0)
            if word in ("-I", "-D") and words:
                word += words.pop(0)
            name = word[2:].replace("\\", "/")
            paths = [place + name for place in ("", "../")] if word.startswith("-I") and name else []
            path = next((path for path in paths if _found(values, Search(folder / path, ""))), None)
            if word.startswith("-D") and name and not is_predefined(word[2:].partition("=")[0]):
                _store(values, "defines", value, word[2:])
            elif path is not None:
                _store(values, "include", value, normpath(path))
            else:
                others.append(word)
                continue
            value.used = True
        if value.used and others:
            cause = f"Carillon has no use for {shorten(' '.join(others))} in CFLAGS of {value.owner}, and leaves it out"
            values.warn("C151", value.key, cause, "nothing is wrong if it is another compiler's")


def _found(values: Values, search: Search) -> bool:
    """Whether a file or folder exists; remembered, since a later build must search again."""
    values.result.searches.append(search)
    try:
        return bool(matching(search))
    except (OSError, ValueError):
        return False
