# SPDX-License-Identifier: Apache-2.0
"""Which files are a schedule, in whatever language, and the tables that they hold."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from carillon.read.schema import ScheduleFile
from carillon.read.shape import Broken
from carillon.read.spans import SpanIndex

OIL = ".oil"
ARXML = ".arxml"
FOREIGN = (OIL, ARXML)
"""How the names of other tools' files end."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a file, in whatever language it is; ``broken`` are those of its values that are missing.

    ``path`` is the file, or the first of several that are one; ``included`` are the others that belong to it.
    """

    path: Path
    file: ScheduleFile
    broken: Broken
    places: SpanIndex
    digest: str
    included: tuple[Path, ...] = ()


def arxml_files(folder: Path) -> list[Path]:
    """The ARXML files in ``folder``, which are one configuration, by their names; none if it is no folder."""
    return sorted(path for path in folder.iterdir() if path.suffix.lower() == ARXML) if folder.is_dir() else []


def is_foreign(path: Path) -> bool:
    """Whether ``path`` is a file of another tool by its name, or a folder of ARXML files."""
    return path.suffix.lower() in FOREIGN or bool(arxml_files(path))
