# SPDX-License-Identifier: Apache-2.0
"""Writing files: whole or not at all, and by one process at a time; and searching for files by patterns.

What goes wrong is an OSError that names the file that was to be written, never one on the way to it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO


def write_text(path: Path, text: str) -> bool:
    """Write ``text`` unless the file holds it already; returns whether it was written.

    The file appears whole or not at all, in a folder that is made if there is none.  Raises OSError if it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            return False
    except (OSError, UnicodeDecodeError):
        pass
    with replacing(path) as stream:
        stream.write(text)
    return True


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, which appears whole or not at all.  Raises OSError that names it."""
    with replacing(path) as stream:
        stream.buffer.write(content)


def depfile(target: Path, inputs: Iterable[Path]) -> str:
    """The rule, as make and ninja read it, that ``target`` is made from ``inputs``, which become absolute; each has a line."""

    def word(path: str) -> str:
        return re.sub(r"([ #])", r"\\\1", path).replace("$", "$$")

    return " \\\n ".join([f"{word(str(target))}:", *(word(str(path.absolute())) for path in dict.fromkeys(inputs))]) + "\n"


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A text stream whose content becomes ``path`` as a whole when the block ends without an exception.

    A link goes on to point where it does, and a device or a pipe is written to as it is.  Raises OSError.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("w", encoding="utf-8", newline="\n") as stream:
                yield stream
            return
        target = Path(os.path.realpath(path))
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                yield stream
            Path(name).chmod(0o644)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait until no other process is in such a block for ``folder``, which is made if there is none; then keep others out.

    A file system without locks keeps nobody out.  Raises OSError if the folder cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)  # which ends the lock


def link(command: Sequence[str], image: Path) -> subprocess.CompletedProcess[str]:
    """Run the linker's ``command`` that makes ``image``, which appears whole, or is taken away if the linker refuses.

    Another process may be loading the image of before: it finds that one, or the new one.
    """
    made = image.parent / "objects" / image.name
    command = [str(made) if part == str(image) else part for part in command]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode:
        made.unlink(missing_ok=True)
        image.unlink(missing_ok=True)
    else:
        made.replace(image)
    return result


LONGEST_SOCKET = 107
"""Bytes that the path of a socket may have (Linux, unix(7): 108 with the zero at its end)."""


def check_writable(path: Path, *, folder: bool = False, socket: bool = False) -> None:
    """Raise OSError if ``path`` cannot become a file or, with ``folder``, a folder, or with ``socket``, a socket.

    The folder of a file must be there; a folder is made with those above it.  A socket replaces a socket, and nothing else.
    Nothing is left behind by asking.
    """

    def refuse(number: int, what: Path) -> None:
        raise OSError(number, os.strerror(number), str(what))

    if folder:
        existing = next((p for p in (path, *path.parents) if os.path.lexists(p)), Path())
    else:
        existing = path.parent
        if socket and os.path.lexists(path) and not path.is_socket():
            refuse(errno.EEXIST, path)
        if socket and len(os.fsencode(path)) > LONGEST_SOCKET:
            refuse(errno.ENAMETOOLONG, path)
        if path.is_dir():
            refuse(errno.EISDIR, path)
        if path.exists() and not os.access(path, os.W_OK):
            refuse(errno.EACCES, path)
        if path.exists() and not path.is_file() and not socket:
            return
        if path.is_symlink():
            existing = Path(os.path.realpath(path)).parent
        if not existing.exists():
            refuse(errno.ENOENT, existing)
    if not existing.is_dir():
        refuse(errno.ENOTDIR, existing)
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        refuse(error.errno or errno.EACCES, path)


@dataclass(frozen=True, slots=True)
class Search:
    """What matches ``pattern`` (as :meth:`Path.glob` reads it) from ``folder`` on.

    With ``suffixes``: files whose names end in one of them.  Without a pattern: ``folder`` itself, which with ``suffixes`` is
    such a file, and else a folder.
    """

    folder: Path
    pattern: str
    suffixes: tuple[str, ...] = ()


def is_pattern(name: str) -> bool:
    """Whether a name stands for all files that match it."""
    return any(letter in name for letter in "*?[")


def matching(search: Search) -> list[Path]:
    """What a search finds, sorted.

    Wildcards do not stand for what is hidden, and not for folders that builds make: ``build``, ``CMakeFiles``, and those of
    generated files.

    Raises ValueError or NotImplementedError if the pattern is none.
    """
    if not search.pattern:
        there = search.folder.suffix in search.suffixes and search.folder.is_file() if search.suffixes else search.folder.is_dir()
        return [search.folder] if there else []
    parts = Path(search.pattern).parts
    literal = next((k for k, part in enumerate(parts) if is_pattern(part)), len(parts) - 1)
    begin = search.folder.joinpath(*parts[:literal])
    found = []
    for path in search.folder.glob(search.pattern):
        *within, name = path.relative_to(begin).parts
        if name.startswith(".") or any(part.startswith(".") or part in _BUILT for part in within):
            continue
        if within and (path.parent / _GENERATED).exists():
            continue
        if not search.suffixes or (path.suffix in search.suffixes and path.is_file()):
            found.append(path)
    return sorted(found)


_BUILT = ("build", "CMakeFiles")
_GENERATED = "carillon_config.h"
