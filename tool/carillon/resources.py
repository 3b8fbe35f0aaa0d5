# SPDX-License-Identifier: Apache-2.0
"""Where the tool finds its own files: boards, kernel, ports, cells, templates and the texts of the codes.

An installed wheel carries them in the package's ``_data``; in a checkout they are the repository itself.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_root() -> Path:
    """The folder that holds ``boards/``, ``kernel/``, ``docs/codes/`` and the like."""
    installed = _PACKAGE / "_data"
    return installed if installed.is_dir() else _PACKAGE.parents[1]


ITM = "stream_itm.c"
"""What a port has whose processors send the stream of events by an ITM."""


def board_names() -> list[str]:
    """The names of the boards that come with Carillon, sorted."""
    return sorted(path.parent.name for path in (data_root() / "boards").glob("*/board.toml"))


def ports_with(file: str) -> list[str]:
    """The ports that have an optional file of this name, sorted: ``trace.h``, ``check.c``."""
    return sorted(path.parent.name for path in (data_root() / "ports").glob(f"*/{file}"))


def find_board(name_or_path: str, beside: Path | None = None) -> Path | None:
    """The ``board.toml`` that a name or a path means; None if there is none.

    A known name wins.  Otherwise ``name_or_path`` is a ``board.toml`` or a folder with one, relative to the
    folder ``beside``, or to the working directory if that is None.
    """
    if name_or_path in board_names():
        return data_root() / "boards" / name_or_path / "board.toml"
    if not name_or_path or "\0" in name_or_path:
        return None
    path = (beside or Path()) / name_or_path
    try:
        if path.is_dir():
            path /= "board.toml"
        return path if path.is_file() else None
    except OSError:
        return None
