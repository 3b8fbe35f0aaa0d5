# SPDX-License-Identifier: Apache-2.0
"""Objects of the kernel that another image's configuration would make alike, told before anything is compiled.

A test run builds thousands of images, each with headers of its own that say what the kernel is compiled for.  Most files of
the kernel see little of these headers.  Here, a header is taken apart into macros and declarations, and followed from name to
name: what a source can reach, and nothing else, is the key under which its object is kept.

1. Whatever a compiler does with a macro or a declaration, it does because some text names it.  So what no name leads to,
   from the source on, changes no instruction.
2. A name leads to everything that is declared by it, under whatever conditions, and to the names in these conditions.  Names
   are never made from parts in what the kernel compiles for itself (``##``, ports apart, which are read as if they were).
3. What is not understood is always reached, and so is what an object has whether it is named or not: definitions that are
   not static.
4. All files of the kernel are in the folder's name as they are; the options and the compiler are in the key.

What no instruction depends on may differ: debug information has the lines of the headers of the image that came first.
``CARILLON_OBJECTS=check`` compiles everything and compares the code with what is kept.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from carillon.resources import data_root

WORD = re.compile(r"[A-Za-z_]\w*")
COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
FOR_CPLUSPLUS = re.compile(r"#\s*ifdef __cplusplus\n[^#]*#\s*endif")
DEFINED = re.compile(r"^([A-Za-z_][\w ]*\*?)\(\w+\)\(", re.MULTILINE)
"""The definition of a function that has a macro of its name, which does not use it."""
INCLUDE = re.compile(r'#\s*include\s+[<"]([^>"]+)[>"]')
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|__asm__\s*\([^()]*\)")
TAGGED = re.compile(r"\s*(?:typedef\s+)?(struct|union|enum)\b\s*(\w*)\s*\{(.*)\}\s*(\w*)\s*;\s*", re.DOTALL)
TYPEDEF = re.compile(r"typedef\s.*?\(\s*\*?\s*(\w+)\s*\)\s*\(.*|typedef\s.*?\b(\w+)\s*(?:\[[^]]*\])?\s*;\s*", re.DOTALL)
FUNCTION = re.compile(r"\s*[\w\s*]*?\b(\w+)\s*\(.*", re.DOTALL)
NUMBERED = re.compile(rb"\.\d+(?=\0)")
LONGEST_RUN = 6 * 3600
"""Seconds that no run of the tests takes."""
VARIABLE = re.compile(r"\s*[\w\s*]*?\b(\w+)\s*(?:\[[^]]*\]\s*)*;?\s*")


@dataclass(frozen=True, slots=True)
class Item:
    """A macro or a declaration: its text, what it declares (None: not understood), and the names in it and around it."""

    text: str
    declares: frozenset[str] | None
    names: frozenset[str]


def items(text: str) -> list[Item]:
    """The items of a file, with the conditions around each."""
    found: list[Item] = []
    conditions: list[set[str]] = []
    parts: list[str] = []
    within: set[str] = set()  # of conditions inside the item
    depth = 0

    def add(part: str) -> None:
        around = within.union(*conditions)
        found.append(Item(f"{part} {sorted(around)}", declared(part), frozenset(WORD.findall(part)) | around))

    text = COMMENTS.sub(" ", text).replace("\\\n", " ")
    for line in FOR_CPLUSPLUS.sub("", text).split("\n"):
        stripped = line.strip()
        if stripped.startswith("#"):
            directive = WORD.search(stripped)
            names = set(WORD.findall(stripped))
            match directive[0] if directive else "":
                case "if" | "ifdef" | "ifndef":
                    conditions.append(names)
                case "elif":
                    conditions[-1] |= names
                case "endif":
                    conditions.pop()
                case "else" | "include":
                    continue
                case _ if not parts:
                    add(stripped)
            if parts:
                within |= names
        elif stripped:
            parts.append(stripped)
            depth += sum(stripped.count(c) for c in "{(") - sum(stripped.count(c) for c in "})")
            if depth == 0 and stripped[-1] in ";}":
                add("\n".join(parts))
                parts, within = [], set()
    if parts:
        add("\n".join(parts))
    return found


def declared(text: str) -> frozenset[str] | None:
    """The names that an item declares; None if that is not understood."""
    if text.startswith("#"):
        macro = re.match(r"#\s*(define|undef|error)\s+(\w*)", text)
        if macro is None:
            return None
        return frozenset() if macro[1] == "error" else frozenset({macro[2]})
    if re.match(r"\s*(__asm__|asm|_Static_assert|extern\s*\")", text):
        return None
    plain = ATTRIBUTE.sub(" ", text)
    if tagged := TAGGED.fullmatch(plain):
        of_enumeration = WORD.findall(tagged[3]) if tagged[1] == "enum" else ()
        return frozenset({tagged[2], tagged[4], *of_enumeration} - {""}) or None
    if plain.startswith("typedef"):
        found = TYPEDEF.fullmatch(plain)
        return frozenset({found[1] or found[2]}) if found else None
    head = re.split(r"[={]", plain, maxsplit=1)[0]
    function, local = FUNCTION.fullmatch(head), re.search(r"\b(static|extern)\b", head)
    if local is None and (function is None or "{" in plain):  # it is defined, whoever names it
        return None
    named = function or VARIABLE.fullmatch(head)
    return frozenset({named[1]}) if named else None


def _by_name(every: Sequence[Item]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for number, item in enumerate(every):
        for name in item.declares or ():
            found[name].append(number)
    return found


@cache
def _parsed(path: Path) -> tuple[str, tuple[str, ...], tuple[Item, ...]]:
    """A file of the kernel without its comments, the names that it includes, and its items: most headers are many files'."""
    text = path.read_text(encoding="utf-8")
    plain = COMMENTS.sub(" ", text)
    return plain, tuple(INCLUDE.findall(plain)), tuple(items(text))


class Source:
    """A file of the kernel with all headers that it may include; the kernel's own, not those of an image."""

    def __init__(self, path: Path, folders: Sequence[Path]) -> None:
        self.roots: set[str] = set()
        self.includes: set[str] = set()
        others: list[Item] = []
        seen: set[Path] = set()
        todo = [path]
        while todo:
            file = todo.pop()
            if file in seen:
                continue
            seen.add(file)
            plain, included, its_items = _parsed(file)
            if file == path:
                self.roots |= set(WORD.findall(DEFINED.sub(r"\1(", plain)))
            self.includes.update(included)
            for name in included:
                there = next((folder / name for folder in (file.parent, *folders) if (folder / name).is_file()), None)
                if there is not None:
                    todo.append(there.resolve())
            if file != path:
                for item in its_items:
                    if item.declares is None:
                        self.roots |= item.names
                    else:
                        others.append(item)
        self.items = others
        self.by_name = _by_name(others)

    def reaches(self, image: Headers, more: Iterable[str]) -> list[str]:
        """The items of an image's headers that the source reaches, or that are not understood."""
        live: set[str] = set()
        kept: set[int] = set()
        todo = [*self.roots, *more, *image.roots]
        while todo:
            name = todo.pop()
            if name in live:
                continue
            live.add(name)
            for number in self.by_name.get(name, ()):
                todo += self.items[number].names - live
            for number in image.by_name.get(name, ()):
                if number not in kept:
                    kept.add(number)
                    todo += image.items[number].names - live
        return [item.text for number, item in enumerate(image.items) if item.declares is None or number in kept]


class Headers:
    """The headers that were generated for an image."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names = sorted(path.name for path in folder.glob("*.h"))
        texts = [(folder / name).read_text(encoding="utf-8") for name in self.names]
        known = set(self.names)
        for text in texts:  # which grows
            for name in INCLUDE.findall(text):
                if name not in known and (data_root() / name).is_file():  # the device of a clock or of a time base
                    texts.append((data_root() / name).read_text(encoding="utf-8"))
                known.add(name)
        self.includes = known
        self.items = [item for text in texts for item in items(text)]
        self.by_name = _by_name(self.items)
        self.roots = {name for item in self.items if item.declares is None for name in item.names}


@cache
def _kernel(root: Path) -> str:
    """What all files that the kernel is made from are, in a number."""
    every = [p for part in ("kernel", "ports", "cells", "devices", "boards", "emulators") for p in (root / part).rglob("*.[chS]")]
    digest = hashlib.sha256()
    for path in sorted(every):
        digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


@cache
def compiler_id(path: str) -> str:
    """Which compiler it is."""
    stat = Path(path).resolve().stat()
    return f"{Path(path).resolve()} {stat.st_size} {stat.st_mtime_ns}"


@cache
def read_source(path: Path, folders: tuple[Path, ...]) -> Source:
    return Source(path, folders)


def _has_any(folder: Path, names: Iterable[str]) -> bool:
    return any((folder / name).is_file() for name in names)


def key(compiler: str, source: Path, options: Sequence[str], image: Headers) -> str:
    """What decides the instructions of a file of the kernel, in a number."""
    folders = tuple(Path(after) for option, after in pairwise(options) if option == "-I")
    own = tuple(folder for folder in folders if folder != image.folder)
    ours = tuple(folder for folder in own if folder.resolve().is_relative_to(data_root()))
    found = read_source(source.resolve(), ours)
    # A folder of an application gives the kernel's files nothing, unless it has a header of a name that they include.
    giving = {folder for folder in own if folder in ours or _has_any(folder, found.includes | image.includes)}
    if len(giving) > len(set(ours)):
        found = read_source(source.resolve(), own)
    hidden = [str(folder / name) for name in image.names for folder in own if (folder / name).exists()]
    names = [word for option in options if option.startswith("-D") for word in WORD.findall(option[2:])]
    there, idle = str(image.folder), {str(folder) for folder in own if folder not in giving}
    useless = {n for k, option in enumerate(options) if k and option in idle and options[k - 1] == "-I" for n in (k - 1, k)}
    told = [option.replace(there, "") for k, option in enumerate(options) if k not in useless]
    parts = [compiler_id(compiler), str(source), *told, *hidden, *found.reaches(image, names)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def code(compiler: str, target: Path) -> bytes:
    """An object without what tells a debugger where it is from, and without the numbers of static variables of functions."""
    plain = target.with_suffix(".plain")
    name = Path(compiler).name
    objcopy = name.removesuffix("gcc") + "objcopy" if name.endswith("-gcc") else "objcopy"
    subprocess.run([objcopy, "--strip-debug", "--discard-locals", "-R", ".comment", str(target), str(plain)], check=True)
    return NUMBERED.sub(lambda found: b"#" * len(found[0]), plain.read_bytes())


class Objects:
    """The objects of the kernel as it is now, kept in a folder; those of earlier kernels are deleted.

    Not at once: another run may have begun before a file of the kernel was changed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / _kernel(data_root())
        for other in folder.glob("*"):
            with suppress(FileNotFoundError):  # another run has deleted it
                if other != self.folder and time.time() - other.stat().st_mtime > LONGEST_RUN:
                    shutil.rmtree(other, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        os.utime(self.folder)

    def made(
        self,
        compiler: str,
        source: Path,
        options: Sequence[str],
        target: Path,
        image: Headers,
        make: Callable[[], tuple[bool, str]],
    ) -> tuple[bool, str]:
        """Have ``target`` made, by ``make`` unless one like it is kept.

        Returns what ``make`` does: whether there is an object, and what the compiler said.  One of which it said something is
        not kept.
        """
        kept = self.folder / f"{key(compiler, source, options, image)}.o"
        checked = os.environ.get("CARILLON_OBJECTS") == "check"
        if kept.exists() and not checked:
            shutil.copyfile(kept, target)
            return True, ""
        made, said = make()
        if not made or said:
            return made, said
        if kept.exists():
            if checked:
                assert code(compiler, kept) == code(compiler, target), f"{source} for {image.folder} is not {kept}"
            return True, ""
        keep(target, kept)
        return True, ""


def keep(target: Path, kept: Path) -> None:
    """Keep an object; another process may be about to keep the same."""
    new = kept.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    shutil.copyfile(target, new)
    new.replace(kept)
