# SPDX-License-Identifier: Apache-2.0
"""The application's own code: its C and C++ files, the folders of its headers, and its macros.

What the schedule does not say is looked for where projects have it.  Only the file system is asked here, so each search is
kept: whether a build would find the same files again is decided by searching again (``carillon.reuse.whole``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from os.path import normpath
from pathlib import Path

from carillon.diagnostics import Diagnostics, suggestion
from carillon.files import Search, is_pattern, matching
from carillon.read.schema import SystemTable
from carillon.read.spans import SpanIndex
from carillon.units import shorten

SOURCES = (".c", ".cc", ".cpp")
"""How names of C and C++ files end."""
PLACES = ("", "src/", "Src/", "source/", "../src/", "../Src/", "../source/")
"""Folders in which C files are looked for, relative to the schedule, where it has no ``sources``; the first that has any."""
HEADERS = ("inc", "include", "Inc")
"""Folders of headers, beside the schedule or above it: where the C files are."""
_MACRO = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(=[^\x00-\x1f]*)?", re.ASCII)


@dataclass(slots=True)
class Application:
    """``sources``, folders ``include`` and macros ``defines`` (``NAME`` or ``NAME=VALUE``), with the searches for them."""

    sources: tuple[Path, ...] = ()
    include: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    searches: list[Search] = field(default_factory=list)
    place: str = ""
    """Of :data:`PLACES`, where sources are that the schedule does not name."""


def default_application(folder: Path) -> Application:
    """What is found from ``folder`` on, where a schedule says neither sources nor headers."""
    application = Application()
    _default_sources(folder, application)
    _default_include(folder, application)
    return application


def _default_sources(folder: Path, application: Application) -> None:
    for place in PLACES:
        # A folder for sources has parts of the program in folders of its own; other folders have anything.
        search = Search(folder, f"{place}**/*" if place else "*", SOURCES)
        application.searches.append(search)
        paths = matching(search)
        if paths:
            application.sources, application.place = tuple(paths), place
            return


def _default_include(folder: Path, application: Application) -> None:
    """The folders of headers beside the C files' folder; the schedule's own if the C files are elsewhere."""
    above = "../" if application.place.startswith("..") else ""
    here = [folder] if application.place else []
    for name in HEADERS:
        search = Search(folder, f"{above}{name}")
        application.searches.append(search)
        here += [path for path in matching(search) if path.is_dir()]
    application.include = tuple(dict.fromkeys(here))


def application_of(folder: Path, table: SystemTable, places: SpanIndex, diagnostics: Diagnostics) -> Application:
    """What the keys ``sources``, ``include`` and ``defines`` of ``[system]`` in a file in ``folder`` are; None: not written.

    Reports what does not exist (C027), what stands there twice (C049), and what is no macro (C026).
    """
    application = Application()
    if table.sources is None:
        _default_sources(folder, application)
    else:
        application.sources = tuple(_sources(folder, table.sources, places, diagnostics, application.searches))
    if table.include is None:
        _default_include(folder, application)
    else:
        application.include = tuple(_include(folder, table.include, places, diagnostics))
        application.searches += [Search(path, "") for path in application.include]
    application.defines = tuple(_defines(table.defines, places, diagnostics))
    return application


def _sources(folder: Path, written: list[str], places: SpanIndex, diagnostics: Diagnostics, searches: list[Search]) -> list[Path]:
    named: set[str] = set()
    files: dict[str, Path] = {}
    for number, source in enumerate(written):
        span = places.value(("system", "sources", number))
        if normpath(source) in named:
            diagnostics.error("C049", span, f"the source {shorten(source)} is listed twice", "list every C file once")
            continue
        named.add(normpath(source))
        path, search = folder / source, Search(folder, source, SOURCES)
        if _is(path.is_file):
            paths = [path]
        elif fault := _no_pattern(source):
            remedy = "write 'src/*.c' for a folder, 'src/**/*.c' for all folders below it, too"
            diagnostics.error("C027", span, f"{shorten(source)} is no pattern of C files: {fault}", remedy)
            continue
        else:
            paths = matching(search) if is_pattern(source) else []
            searches.append(search)
        if not paths:
            _report_missing(folder, source, written, places, number, diagnostics)
            paths = [] if is_pattern(source) else [folder / source]
        files |= {normpath(path): path for path in paths if normpath(path) not in files}
    return list(files.values())


def _no_pattern(text: str) -> str:
    """Why a text with wildcards is no pattern; empty if the text is a pattern, or has no wildcards."""
    if not is_pattern(text):
        return ""
    if Path(text).is_absolute():
        return "patterns are relative to the schedule file"
    if any("**" in part and part != "**" for part in Path(text).parts):
        return "'**' stands for whole folders"
    return "it has a NUL" if "\0" in text else ""


def _report_missing(
    folder: Path, source: str, written: list[str], places: SpanIndex, number: int, diagnostics: Diagnostics
) -> None:
    """C027, with the C files that there are."""
    default = default_application(folder)
    there = [normpath(path.relative_to(folder)) for path in default.sources]
    cause = f"no C or C++ file matches {shorten(source)}" if is_pattern(source) else f"there is no C file {shorten(source)}"
    named = {normpath(name) for name in written if name != source}
    left = [name for name in there if name not in named] or there
    remedy = suggestion(source, left) if left else "sources are relative to the schedule file, beside which no *.c lies"
    diagnostics.error("C027", places.value(("system", "sources", number)), cause, remedy)


def _include(folder: Path, written: list[str], places: SpanIndex, diagnostics: Diagnostics) -> list[Path]:
    folders: dict[str, Path] = {}
    for number, name in enumerate(written):
        span, path = places.value(("system", "include", number)), folder / name
        if normpath(path) in folders:
            diagnostics.error("C049", span, f"the folder {shorten(name)} is listed twice", "list every folder once")
        elif not _is(path.is_dir):
            there = [p.name for p in folder.iterdir() if p.is_dir() and not p.name.startswith(".")] if _is(folder.is_dir) else []
            remedy = suggestion(name, there) if there else "folders of headers are relative to the schedule file"
            diagnostics.error("C027", span, f"there is no folder {shorten(name)}", remedy)
        folders.setdefault(normpath(path), path)
    return list(folders.values())


def _defines(written: list[str], places: SpanIndex, diagnostics: Diagnostics) -> list[str]:
    seen: set[str] = set()
    for number, text in enumerate(written):
        span, match = places.value(("system", "defines", number)), _MACRO.fullmatch(text)
        if match is None:
            remedy = 'write the macro\'s name, or its name and its value: "DEBUG", "LEVEL=3"'
            diagnostics.error("C026", span, f"{shorten(text)} is no macro", remedy)
        elif match[1].lower().startswith("carillon_") or is_predefined(match[1]):
            remedy = "'carillon_' is the kernel's, and what begins and ends with '__' the compiler's: choose another name"
            diagnostics.error("C026", span, f"the name of the macro {shorten(match[1])} is reserved", remedy)
        elif match[1] in seen:
            diagnostics.error("C049", span, f"the macro {shorten(match[1])} is defined twice", "define every macro once")
        seen.add(match[1] if match else text)
    return written


def is_predefined(name: str) -> bool:
    """Whether it is a name of those macros that compilers define: ``__AVR__``.  ``__FAR_DATA`` is a macro like any other."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def _is(question: Callable[[], bool]) -> bool:
    """The answer of ``Path.is_file`` or ``is_dir``; no for what cannot be a path."""
    try:
        return question()
    except (OSError, ValueError):
        return False
