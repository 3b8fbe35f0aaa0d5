# SPDX-License-Identifier: Apache-2.0
"""Objects of the kernel that another image's configuration would make alike, told before anything is compiled.

A test run builds thousands of images, each with headers of its own that say what the kernel is compiled for.  Most files of
the kernel see little of these headers.  Here, a header is taken apart into macros and declarations, and followed from name to
name: what a source can reach, and nothing else, is the key under which its object is kept.

1. Whatever a compiler does with a macro or a declaration, it does because some text names it.  So what no name leads to,
   from the source on, changes no instruction.
2. A name leads to everything that is declared by it.  Names are never made from parts in what the kernel compiles for itself
   (``##``, ports apart, which are read as if they were).
3. What stands under an ``#if`` that is false is not there.  Whether it is true is in the key, and not the names in it.  A macro
   has one value wherever a condition may ask for it: the options refuse one that is not defined yet (``-Wundef``), and the
   compiler one that is defined twice.  If a condition's value cannot be told (:mod:`conditions`), it may be true and false,
   and it leads to the names in it.  So do ``#ifdef`` and whatever conditions a generated header has.
4. What is not understood is always reached, and so is what an object has whether it is named or not: definitions that are
   not static.
5. All files of the kernel are in the folder's name as they are; the options and the compiler are in the key.

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
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from carillon.resources import data_root
from conditions import expanded, value
from declarations import COMMENTS, INCLUDE, WORD, Conditions, Item, Piece, items, lines, pieces

NUMBERED = re.compile(rb"\.\d+(?=\0)")
WARNED = ("-Wundef", "-Werror")
"""With these options, each macro of a condition is defined before it."""
LONGEST_RUN = 6 * 3600
"""Seconds that no run of the tests takes."""
DEFINED = re.compile(r"^([A-Za-z_][\w ]*\*?)\(\w+\)\(", re.MULTILINE)
"""The definition of a function that has a macro of its name, which does not use it."""


def _by_name(every: Sequence[Item]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for number, item in enumerate(every):
        for name in item.declares or ():
            found[name].append(number)
    return found


@cache
def _parsed(path: Path) -> tuple[str, tuple[tuple[str, Conditions], ...], tuple[Item, ...]]:
    """A file of the kernel without its comments, the names that it includes, and its items: most headers are many files'."""
    text = path.read_text(encoding="utf-8")
    plain = COMMENTS.sub(" ", text)
    included = []
    for line, _, groups in lines(plain):
        conditions = tuple(condition for group in groups for condition in group.conditions)
        if (found := INCLUDE.match(line)) and ("0", True) not in conditions:
            included.append((found[1], conditions))
    return plain, tuple(included), tuple(items(text))


class Source:
    """A file of the kernel with all headers that it may include; the kernel's own, not those of an image."""

    def __init__(self, path: Path, folders: Sequence[Path]) -> None:
        self.includes: set[str] = set()
        under: dict[Path, set[Conditions]] = defaultdict(set)
        ways_to_others: set[Conditions] = set()
        todo: list[tuple[Path, Conditions]] = [(path, ())]
        while todo:
            file, conditions = todo.pop()
            if conditions in under[file] or () in under[file]:
                continue
            under[file].add(conditions)
            for name, more in _parsed(file)[1]:
                self.includes.add(name)
                there = next((folder / name for folder in (file.parent, *folders) if (folder / name).is_file()), None)
                way = tuple(dict.fromkeys((*conditions, *more)))
                if there is not None:
                    todo.append((there.resolve(), way))
                elif way:
                    ways_to_others.add(way)
        self.to_others = [Piece(way, frozenset()) for way in sorted(ways_to_others)]
        """Under what the headers of an image may be included."""
        plain, _, its_items = _parsed(path)
        self.pieces = [*pieces((line, groups) for line, _, groups in lines(DEFINED.sub(r"\1(", plain)))]
        own = [item for item in its_items if item.is_macro]
        others: list[Item] = []
        for file, ways in under.items():
            only = tuple(c for c in min(ways) if all(c in way for way in ways))
            for item in _parsed(file)[2] if file != path else ():
                if only:
                    of_file = tuple(Piece((*only, *piece.conditions), piece.names) for piece in item.pieces)
                    item = replace(item, pieces=of_file)
                if item.declares is None:
                    self.pieces += item.pieces
                else:
                    others.append(item)
        self.items = others
        self.by_name = _by_name(others)
        self.macros = _macros([*own, *others])

    def reaches(self, image: Headers, more: Iterable[str], evaluates: bool = True) -> list[str]:
        """The items of an image's headers that the source reaches, or that are not understood, and what conditions are.

        ``more``: names that the compiler's options give.  ``evaluates``: whether conditions are, else none is known.
        """
        more = list(more)
        told: dict[str, bool | None] = {}
        bodies: dict[str, str | None] = {}
        known: dict[str, bool | None] = {}
        live: set[str] = set()
        kept: set[int] = set()
        todo = [*more, *image.roots]

        def body(name: str) -> str | None:
            """What a macro stands for, wherever it is defined; None unless that is told."""
            if name not in bodies:
                bodies[name] = None  # while it is looked for
                every = [*self.macros.get(name, ()), *image.macros.get(name, ())]
                held = [(item, [holds(piece.conditions) for piece in item.pieces]) for item in every]
                given = any(True in there and not item.default for item, there in held)
                texts = {item.body for item, there in held if set(there) != {False} and not (given and item.default)}
                theirs = name in more or (not name.startswith("CARILLON_") and any(item.default for item in every))
                if len(texts) == 1 and not theirs:
                    bodies[name] = texts.pop()
            return bodies[name]

        def holds(conditions: Conditions) -> bool | None:
            every = [is_true(text) if wanted else inverse(is_true(text)) for text, wanted in conditions]
            return False if False in every else None if None in every else True

        def is_true(text: str) -> bool | None:
            if text not in known:
                known[text] = None
                found = value(expanded(text, body)) if evaluates else None
                known[text] = None if found is None else bool(found)
            return known[text]

        def follow(some: Iterable[Piece]) -> None:
            for piece in some:
                for text, wanted in piece.conditions:
                    found = told[text] = is_true(text)
                    if found is None:
                        todo.extend(WORD.findall(text))
                    elif found is not wanted:
                        break
                else:
                    todo.extend(piece.names - live)

        follow(self.pieces)
        if any(item.declares is None for item in image.items):
            follow(self.to_others)
        while todo:
            name = todo.pop()
            if name in live:
                continue
            live.add(name)
            for number in self.by_name.get(name, ()):
                follow(self.items[number].pieces)
            for number in image.by_name.get(name, ()):
                if number not in kept:
                    kept.add(number)
                    todo += image.named[number] - live
        reached = [item.text for number, item in enumerate(image.items) if item.declares is None or number in kept]
        return [*reached, *sorted(f"{text}: {found}" for text, found in told.items())]


def inverse(value: bool | None) -> bool | None:
    return None if value is None else not value


def _macros(every: Iterable[Item]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = defaultdict(list)
    for item in every:
        if item.is_macro:
            for name in item.declares or ():
                found[name].append(item)
    return found


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
        self.named = [_names(item) for item in self.items]
        self.macros = _macros(self.items)
        self.roots = {n for item, names in zip(self.items, self.named, strict=True) if item.declares is None for n in names}


def _names(item: Item) -> frozenset[str]:
    """The names in an item and in all conditions around it."""
    conditions = {text for piece in item.pieces for text, _ in piece.conditions}
    return frozenset().union(*(piece.names for piece in item.pieces), *(WORD.findall(text) for text in conditions))


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
    parts = [compiler_id(compiler), str(source), *told, *hidden, *found.reaches(image, names, {*WARNED} <= set(options))]
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
