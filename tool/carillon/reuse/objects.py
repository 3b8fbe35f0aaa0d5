# SPDX-License-Identifier: Apache-2.0
"""The object files of an earlier build that the compiler would make again with the same bytes.

Beside an object stands a record of what decided its bytes.  The object is kept if all of it is as it was:

1. the command, the compiler's program and the variables of the environment that GCC reads;
2. the contents of every file that the compiler said it had read (``-MD``), the system's headers included;
3. that no file has appeared where the compiler would have found a header before the one that it read;
4. the object's own contents, so that one that is damaged or of another build is made again.

A file that was written while the compiler ran may not be what it read: then there is no record.  The linker always runs,
since not every linker says which libraries it read.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

VARIABLES = ("COMPILER_PATH", "CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "SOURCE_DATE_EPOCH")
"""What GCC reads from the environment that may change an object."""


def dependencies(text: str) -> list[str]:
    """The files of a rule as GCC writes it: every word after the target."""
    words = re.findall(r"(?:\\[ #]|\$\$|[^\s\\]|\\(?![\s#]))+", text.replace("\\\n", " "))
    return [re.sub(r"\\([ #])", r"\1", word).replace("$$", "$") for word in words[1:]]


@dataclass
class Reuse:
    """What is known of files during one build, which reads each of them once."""

    _digests: dict[str, str] = field(default_factory=dict)
    _listed: dict[str, frozenset[str]] = field(default_factory=dict)

    def recall(self, command: Sequence[str], target: Path) -> str | None:
        """The compiler's messages when it made ``target``, if ``command`` would make the same object now; else None."""
        try:
            record = json.loads(_record(target).read_text(encoding="utf-8"))
            read: list[str] = record["read"]
            said: str = record["said"]
            current = (
                record["decided"] == self._decided(command, read)
                and record["object"] == digest_of(target)
                and self._others(command, read) <= set(record["others"])
            )
            return said if current else None
        except (OSError, ValueError, LookupError, TypeError, AttributeError):  # none, of another version, or damaged
            return None

    def note(self, command: Sequence[str], target: Path, began: int, said: str) -> None:
        """Record how ``target`` was made by a run of the compiler that began at ``began`` (ns of the wall's clock).

        ``said``: its warnings, which a later build shows again.
        """
        rule = target.with_suffix(".d").read_text(encoding="utf-8", errors="surrogateescape")
        read = dependencies(rule)
        others = sorted(self._others(command, read))
        if any(Path(path).stat().st_mtime_ns >= began for path in (*read, *others)):
            return
        record = {
            "read": read,
            "others": others,
            "decided": self._decided(command, read),
            "object": digest_of(target),
            "said": said,
        }
        _record(target).write_text(json.dumps(record), encoding="utf-8")

    def _decided(self, command: Sequence[str], read: Sequence[str]) -> str:
        compiler = Path(command[0]).resolve()
        stat = compiler.stat()
        parts = [*command, str(compiler), str(stat.st_size), str(stat.st_mtime_ns), str(Path.cwd())]
        parts += [f"{name}={os.environ.get(name)}" for name in VARIABLES]
        for path in read:
            if path not in self._digests:
                self._digests[path] = digest_of(Path(path))
            parts += [path, self._digests[path]]
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()

    def _others(self, command: Sequence[str], read: Sequence[str]) -> set[str]:
        """The files that the compiler may find in the place of a header that it read; those that were there it did not take.

        It looks beside the file that includes the header, then in the command's folders, then in the system's.
        """
        folders = [folder for option, folder in pairwise(command) if option == "-I"]
        others = set()
        known = set(read)
        ours = [path for path in read if any(path.startswith(f"{folder}/") for folder in folders)]
        including = {path.rpartition("/")[0] for path in (read[0], *ours)}
        for path in read[1:]:
            named = [(path[len(folder) + 1 :], k) for k, folder in enumerate(folders) if path.startswith(f"{folder}/")]
            # Of one of the system's, or beside the file that includes it, it is not known from which folder on it is named.
            parts = path.split("/")
            named = named or [("/".join(parts[-count:]), len(folders)) for count in (1, 2)]
            for name, number in named:
                for folder in including.union(folders[:number]):
                    other = f"{folder}/{name}" if folder else name
                    if other not in known and self._is_there(other):
                        others.add(other)
        return others

    def _is_there(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        if folder not in self._listed:  # most of the thousands of paths that are asked for are in no folder
            try:
                with os.scandir(folder or ("/" if path.startswith("/") else ".")) as there:
                    self._listed[folder] = frozenset(entry.name for entry in there)
            except OSError:
                self._listed[folder] = frozenset()
        return name in self._listed[folder]


def _record(target: Path) -> Path:
    return target.with_suffix(".json")


def forget(target: Path) -> None:
    """Remove the record of ``target``, which is about to be made."""
    _record(target).unlink(missing_ok=True)


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
