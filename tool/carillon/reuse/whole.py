# SPDX-License-Identifier: Apache-2.0
"""Whether a build would do again what an earlier one did, and say the same.

In the build folder stands a record of what decided the build.  The answer of that build is given again if all of it is as it
was:

1. what was asked for: the schedule, the options, the folder;
2. the tool's own files, the boards', kernel's, ports' and cells', Python, and the names of the packages that are installed;
3. the contents of the schedule, of all that it includes, and of the board's files, and that no file has appeared where an
   include would now be found, and that searches for C files and folders of headers find the same;
4. every object file, by the rules of :mod:`.objects`; so it is known that the sources are as they were;
5. the image.  The linker runs again, because not every linker says which libraries it reads, and must make the same bytes.
   So what was verified was these bytes;
6. the programs that the build found by their names, and everything else that it wrote, by its contents.

Planning, writing C and verifying depend on nothing else, and have no side effects.  A record that is damaged, or of another
version, decides nothing: the build is done.  A file that was written while the build ran may not be what the build read: then
there is no record.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carillon import __version__
from carillon.files import Search, alone, link, matching, write_text
from carillon.resources import data_root
from carillon.reuse.objects import Reuse, digest_of

RECORD = "built.json"
GRAIN_NS = 10_000_000
"""A file system's clock may be so much behind the one that programs read: ticks of the kernel, at 100 Hz."""
_PARTS = ("boards", "cells", "emulators", "kernel", "ports")


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of a build: the compiler's command per object, the linker's command, and the programs looked for by name."""

    compiled: tuple[tuple[tuple[str, ...], Path], ...]
    linked: tuple[str, ...]
    programs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of a build: the schedule, the files of the schedule and the board, and the searches for files."""

    schedule: Path
    files: tuple[Path, ...]
    searches: tuple[Search, ...]


def recall(folders: Iterable[Path], asked: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer of an earlier build in one of these folders to the same question, if it would be the same; else None.

    It leaves the image linked anew.
    """
    for folder in folders:
        try:
            if not (folder / RECORD).exists():
                continue
            with alone(folder):
                record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
                if record["asked"] == _asked(asked) and _holds(record, folder):
                    answer: dict[str, Any] = record["answer"]
                    return answer
        except (OSError, ValueError, LookupError, TypeError, AttributeError):  # none, of another version, or damaged
            continue
    return None


def note(
    folder: Path, asked: Mapping[str, Any], inputs: Inputs, steps: Steps, elf: Path, answer: Mapping[str, Any], began: int
) -> None:
    """Record a build into ``folder`` that began at ``began`` (ns of the wall's clock), unless what it read was changed since."""
    tool = list(_tool_files())
    absent = _absent(inputs)
    if any(path.exists() for path in absent) or any(_changed(path, began) for path in (*tool, *inputs.files)):
        return
    record: dict[str, Any] = {
        "asked": _asked(asked),
        "tool": _tool(tool),
        "read": _digests(inputs.files),
        "absent": [str(path) for path in absent],
        "searched": [[str(s.folder), s.pattern, list(s.suffixes), _found(s)] for s in inputs.searches],
        "compiled": [[list(command), str(target)] for command, target in steps.compiled],
        "linked": list(steps.linked),
        "image": [str(elf), digest_of(elf)],
        "programs": {name: _program(name) for name in steps.programs},
        "wrote": _digests(_written(folder, elf)),
        "answer": answer,
    }
    record["seal"] = _seal(record)
    write_text(folder / RECORD, json.dumps(record))


def forget(folder: Path) -> None:
    """Take away what is recorded of a build into ``folder``, which is about to be done again."""
    (folder / RECORD).unlink(missing_ok=True)


def _holds(record: dict[str, Any], folder: Path) -> bool:
    """Whether everything is as ``record`` says; what costs least, and what changes most often, is asked first."""
    seal = record.pop("seal")
    if seal != _seal(record) or record["read"] != _digests(record["read"]):
        return False
    if any(paths != _found(Search(Path(a), pattern, tuple(ends))) for a, pattern, ends, paths in record["searched"]):
        return False
    if any(Path(path).exists() for path in record["absent"]) or record["tool"] != _tool(_tool_files()):
        return False
    if any(_program(name) != found for name, found in record["programs"].items()):
        return False
    elf, digest = Path(record["image"][0]), record["image"][1]
    if record["wrote"] != _digests(_written(folder, elf)):
        return False
    reuse = Reuse()
    if not all(reuse.recall(command, Path(target)) is not None for command, target in record["compiled"]):
        return False
    return link(record["linked"], elf).returncode == 0 and bool(digest_of(elf) == digest)


def _asked(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {**asked, "cwd": str(Path.cwd()), "version": __version__}


def _seal(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def _tool_files() -> Iterable[Path]:
    """All files that a build may take from the tool, in one order."""
    roots = [Path(__file__).resolve().parents[1], *(data_root() / part for part in _PARTS)]
    for root in dict.fromkeys(roots):
        for folder, below, names in os.walk(root):
            below[:] = sorted(name for name in below if name not in ("__pycache__", "_data"))
            yield from (Path(folder, name) for name in sorted(names))


def _tool(files: Iterable[Path]) -> str:
    parts = [sys.version, *sorted(_packages())]
    for path in files:
        parts += [str(path), digest_of(path)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _packages() -> set[str]:
    """The names and versions of the packages that are installed."""
    packages = set()
    for folder in sys.path:
        if folder and Path(folder).is_dir():
            packages |= {path.name for path in Path(folder).glob("*.dist-info")}
    return packages


def _absent(inputs: Inputs) -> list[Path]:
    """Where a file would be found instead of one that was included: beside any file that may include it."""
    main = inputs.schedule.parent
    parts = [Path(os.path.relpath(path, main)).parts for path in inputs.files if path != inputs.schedule]
    named = [Path(*names[k:]) for names in parts for k in range(len(names))]
    folders = dict.fromkeys(path.parent for path in inputs.files)
    wanted = dict.fromkeys(folder / name for folder in folders for name in named)
    known = {os.path.realpath(path) for path in inputs.files}
    return [path for path in wanted if os.path.realpath(path) not in known]


def _found(search: Search) -> list[str]:
    return [str(path) for path in matching(search)]


def _written(folder: Path, elf: Path) -> list[Path]:
    """What a build leaves for others, but objects and the image itself."""
    beside = [path for suffix in (".hex", ".bin", ".uf2", ".ort") if (path := elf.with_suffix(suffix)).exists()]
    return [*beside, *sorted((folder / "generated").iterdir())]


def _program(name: str) -> list[Any] | None:
    """Which program a name means, and which version."""
    path = shutil.which(name)
    if path is None:
        return None
    stat = Path(path).stat()
    return [path, os.path.realpath(path), stat.st_size, stat.st_mtime_ns]


def _changed(path: Path, began: int) -> bool:
    stat = path.stat()
    return max(stat.st_mtime_ns, stat.st_ctime_ns) > began - GRAIN_NS


def _digests(paths: Iterable[Path | str]) -> dict[str, str]:
    return {str(path): digest_of(Path(path)) for path in paths}
