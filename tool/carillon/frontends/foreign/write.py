# SPDX-License-Identifier: Apache-2.0
"""Writes a foreign file as a schedule: TOML, with comments for its descriptions and for the parts left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from os.path import normpath
from pathlib import Path
from typing import Any

from carillon.frontends.foreign.converted import Converted
from carillon.read.application import default_application
from carillon.read.spans import Path as Keys
from carillon.resources import board_names, find_board

SECTIONS = ("task", "isr", "resource", "event", "counter", "alarm", "schedule_table")
_WIDTH = 110
_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_MOST_LEFTOVERS = 200


def schedule_text(converted: Converted, source: Path, folder: Path) -> str:
    """The schedule as TOML, for a file in ``folder``.

    ``source`` is that file; if it lies elsewhere, the C files beside it are named in the schedule.
    """
    return "\n".join(_Writer(converted, source, folder).lines()) + "\n"


def moved_system(table: dict[str, Any], source: Path, folder: Path) -> dict[str, Any]:
    """The table ``system`` of the file ``source``, for a file in ``folder``: paths are relative to that.

    If the two are in one folder, nothing changes. Else C files and folders of headers are named that ``source`` does not name,
    unless they would be found from ``folder``, too.
    """
    here, there = folder.resolve(), source.parent.resolve()
    if here == there:
        return table
    moved = dict(table)
    board = table.get("board")
    if isinstance(board, str) and board not in board_names() and find_board(board, there) is not None:
        moved["board"] = relative(there / board, here)
    was, now = default_application(there), default_application(here)
    for key, found, default in (("sources", was.sources, now.sources), ("include", was.include, now.include)):
        listed = table.get(key)
        named = [Path(normpath(there / name)) for name in (found if listed is None else listed)]
        if listed is not None or (named and named != [Path(normpath(path)) for path in default]):
            moved[key] = [relative(path, here) for path in named]
    return moved


class _Writer:
    def __init__(self, converted: Converted, source: Path, folder: Path) -> None:
        self.converted = converted
        self.source = source
        self.folder = folder

    def lines(self) -> Iterator[str]:
        """The lines of the file."""
        data = self.converted.data
        yield f"# Imported from {_clean(self.source.name)}"
        yield from _comment(self.converted.descriptions.get((), ""))
        yield ""
        yield from self.header(("system",))
        yield from self.values(("system",), moved_system(data["system"], self.source, self.folder))
        osek = data["osek"]
        yield ""
        yield from self.header(("osek",))
        yield from self.values(("osek",), {key: value for key, value in osek.items() if key not in SECTIONS})
        for section in SECTIONS:
            for name, table in osek.get(section, {}).items():
                path = ("osek", section, name)
                yield ""
                yield from self.header(path)
                yield from self.values(path, table)
        yield from self.leftovers()

    def header(self, path: Keys) -> Iterator[str]:
        """The header of a table, below its description and its note."""
        text = self.converted.descriptions.get(path)
        if text is not None:
            yield from _comment(text)
        note = self.converted.notes.get(path)
        if note is not None:
            yield from _comment(note)
        yield "[" + ".".join(_key(str(part)) for part in path) + "]"

    def values(self, path: Keys, table: dict[str, Any]) -> Iterator[str]:
        """The keys of a table, each with its description behind or above."""
        for key, value in table.items():
            line = f"{_key(key)} = {_lines(value)}"
            texts = [t for p, t in self.converted.descriptions.items() if p[: len(path) + 1] == (*path, key)]
            note = self.converted.notes.get((*path, key))
            comment = "; ".join(dict.fromkeys([*texts, *([note] if note else [])]))
            if comment and "\n" not in comment and len(line) + len(comment) + 4 <= _WIDTH:
                yield f"{line}  # {_clean(comment)}"
            else:
                yield from _comment(comment) if comment else ()
                yield line

    def leftovers(self) -> Iterator[str]:
        """What the file holds and Carillon has no use for."""
        left = self.converted.leftovers
        if not left:
            return
        yield ""
        yield "# Left out, because Carillon has no use for it:"
        for leftover in left[:_MOST_LEFTOVERS]:
            place = f"{Path(leftover.span.file).name}:{leftover.span.line}"
            yield _clean(f"#   {place}: {leftover.owner + ': ' if leftover.owner else ''}{leftover.text}")
        if len(left) > _MOST_LEFTOVERS:
            yield f"#   and {len(left) - _MOST_LEFTOVERS} more"


def _comment(text: str) -> Iterator[str]:
    """A text as comments, lines that are too long broken at spaces."""
    for paragraph in text.split("\n"):
        line = "#"
        for word in _clean(paragraph).split():
            if len(line) + len(word) >= _WIDTH and line != "#":
                yield line
                line = "#"
            line += f" {word}"
        if line != "#":
            yield line


def _clean(text: str) -> str:
    """Without the characters that a comment in TOML may not hold."""
    return "".join(c if c.isprintable() else " " for c in text)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _lines(value: Any) -> str:
    """A value; tables in an array stand on lines of their own."""
    if isinstance(value, list) and any(isinstance(element, dict) for element in value):
        return "[" + "".join(f"\n    {_value(element)}," for element in value) + "\n]"
    return _value(value)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(_value(element) for element in value) + "]"
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(key)} = {_value(element)}" for key, element in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    return _string(str(value))


def relative(path: Path, folder: Path) -> str:
    """The way from a folder to a path, both absolute, with '/'."""
    ups = 0
    base = folder
    while not path.is_relative_to(base):
        base = base.parent
        ups += 1
    return "/".join([".."] * ups + list(path.relative_to(base).parts))
