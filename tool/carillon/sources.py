# SPDX-License-Identifier: Apache-2.0
"""Which files are one schedule, by their names alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

TOML = ".toml"
OIL = ".oil"
ARXML = ".arxml"
GIOTTO = ".giotto"
FOREIGN = (OIL, ARXML)
"""How the names of other tools' files end."""


@dataclass(frozen=True, slots=True)
class Including:
    """An OIL file, and folders in which its includes are looked for that lie neither beside it nor beside each other."""

    path: Path
    folders: tuple[Path, ...]


Source = Path | tuple[Path, ...] | Including
"""What a system is read from: a file, a folder of ARXML files, or several of them, which are one configuration."""


def arxml_files(folder: Path) -> list[Path]:
    """The ARXML files in ``folder``, which are one configuration, by their names; none if it is no folder."""
    return sorted(path for path in folder.iterdir() if path.suffix.lower() == ARXML) if folder.is_dir() else []


def files_of(source: Source) -> list[Path]:
    """The files that a source consists of, each once, the one that names it first."""
    if isinstance(source, Including):
        return [source.path]
    if isinstance(source, tuple):
        return list(dict.fromkeys(source))
    return arxml_files(source) or [source]


def is_foreign(source: Source) -> bool:
    """Whether ``source`` consists of files of other tools, by their names."""
    return all(path.suffix.lower() in FOREIGN for path in files_of(source))
