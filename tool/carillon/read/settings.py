# SPDX-License-Identifier: Apache-2.0
"""Sets keys of tables in a TOML text, and changes nothing else of it.

The places of tables are those of tree-sitter (:mod:`.spans`).  What is made is read again: it differs from what was there in
these keys alone, or nothing is made.
"""

from __future__ import annotations

import copy
import json
import re
import tomllib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from carillon.read.spans import Path, SpanIndex, index

_BARE = re.compile(r"[A-Za-z0-9_-]+")
Wanted = Mapping[tuple[str, ...], Mapping[str, str | int]]
"""Of tables by their paths, the strings and numbers that keys are to have."""


class UnsettableError(ValueError):
    """A text in which the keys cannot be set without other changes."""


def with_settings(text: bytes, wanted: Wanted) -> bytes:
    """``text``, a valid TOML file, with the keys of ``wanted``; raises UnsettableError.

    A value that is there is replaced.  Else a new line follows the last one of the table, or a pair the last one of an inline
    table.  A table that the text does not have is appended.
    """
    try:
        before = tomllib.loads(text.decode())
        made = _Editor(text).edited(wanted)
        after = tomllib.loads(made.decode())
    except (ValueError, RecursionError) as error:
        raise UnsettableError(str(error)) from error
    if after != _expected(before, wanted):
        raise UnsettableError("the form of the file does not allow it")
    return made


def _expected(before: dict[str, Any], wanted: Wanted) -> dict[str, Any]:
    expected = copy.deepcopy(before)
    for path, keys in wanted.items():
        table = expected
        for name in path:
            table = table.setdefault(name, {})
            if not isinstance(table, dict):
                raise UnsettableError(f"'{name}' is no table")
        table.update(keys)
    return expected


class _Editor:
    """Edits of one text: each at a place of it, carried out from the last to the first."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.places: SpanIndex = index(text, "")
        self.newline = b"\r\n" if text[: text.find(b"\n") + 1].endswith(b"\r\n") else b"\n"
        self.headers = sorted((where.start, where.end, path) for path, where in self.places.headers.items())
        self.starts = [start for start, _, _ in self.headers]
        self.edits: list[tuple[int, int, bytes]] = []
        self.appended: list[bytes] = []

    def edited(self, wanted: Wanted) -> bytes:
        """The text with what is wanted."""
        within: defaultdict[Path, list[Path]] = defaultdict(list)
        lengths = {len(path) for path in wanted}
        for path in self.places.values:
            for length in lengths:
                if len(path) > length and path[:length] in wanted:
                    within[path[:length]].append(path)
        for table, keys in wanted.items():
            fresh = {}
            for key, value in keys.items():
                where = self.places.values.get((*table, key))
                if where is not None:
                    self.edits.append((where.start, where.end, _quoted(value)))
                else:
                    fresh[key] = value
            if fresh:
                self._add(table, within[table], fresh)
        text = self.text
        for start, end, new in sorted(self.edits, key=lambda edit: edit[0], reverse=True):
            text = text[:start] + new + text[end:]
        for section in self.appended:
            text += (b"" if not text or text.endswith(b"\n") else self.newline) + (self.newline if text else b"") + section
        return text

    def _add(self, table: tuple[str, ...], within: list[Path], keys: Mapping[str, str | int]) -> None:
        """Add keys to a table whose values are ``within``."""
        value = self.places.values.get(table)
        if value is not None:
            self._add_inline(table, table, within, keys)
            return
        if table in self.places.headers:
            where = self.places.headers[table]
            self._add_lines(where.start, where.end, [p for p in within if self._section(p) == where.start], (), keys)
            return
        around = next((table[:n] for n in range(len(table) - 1, 0, -1) if table[:n] in self.places.values), None)
        if around is not None:
            self._add_inline(around, table, within, keys)
            return
        dotted = [path for path in within if len(self._header(path)) < len(table)]
        if dotted:
            start = self._section(dotted[-1])
            header = self._header(dotted[-1])
            self._add_lines(start, start, [p for p in dotted if self._section(p) == start], table[len(header) :], keys)
            return
        lines = [f"[{_dotted(table)}]".encode(), *(_pair((key,), value) for key, value in keys.items())]
        self.appended.append(b"".join(line + self.newline for line in lines))

    def _section(self, path: Path) -> int:
        """Where the header begins under which a value stands; -1 for none."""
        number = bisect_right(self.starts, self.places.values[path].start) - 1
        return self.starts[number] if number >= 0 else -1

    def _header(self, path: Path) -> Path:
        number = bisect_right(self.starts, self.places.values[path].start) - 1
        return self.headers[number][2] if number >= 0 else ()

    def _add_lines(self, start: int, end: int, within: list[Path], prefix: Path, keys: Mapping[str, str | int]) -> None:
        """Lines below the last value of ``within``, indented as its line is; or below the header, if there is none."""
        values = [self.places.values[path] for path in within]
        last = max(values, key=lambda where: where.end, default=None)
        begins = [self.places.keys[p].start for p in within if p in self.places.keys and self.places.keys[p].start >= start]
        here = last.end if last is not None else end
        line = self._line(max(begins) if begins else here)
        indent = re.match(rb"[ \t]*", self.text[line:])
        assert indent is not None
        stop = self.text.find(b"\n", here)
        lines = [indent[0] + _pair((*prefix, key), value) for key, value in keys.items()]
        if stop < 0:
            self.edits.append((len(self.text), len(self.text), b"".join(self.newline + new for new in lines)))
            return
        newline = b"\r\n" if self.text[stop - 1 : stop] == b"\r" else b"\n"
        self.edits.append((stop + 1, stop + 1, b"".join(new + newline for new in lines)))

    def _line(self, at: int) -> int:
        return self.text.rfind(b"\n", 0, at) + 1

    def _add_inline(self, around: Path, table: Path, within: list[Path], keys: Mapping[str, str | int]) -> None:
        """Pairs behind the last value of a table that stands within the inline table ``around``, or is it."""
        where = self.places.values[around]
        pairs = b", ".join(_pair((*table[len(around) :], key), value) for key, value in keys.items())
        last = max((self.places.values[path].end for path in within), default=None)
        if last is not None:
            self.edits.append((last, last, b", " + pairs))
        elif around == table:
            self.edits.append((where.start, where.end, b"{ " + pairs + b" }"))
        else:
            raise UnsettableError(f"'{_dotted(table)}' would stand within an inline table")


def _pair(path: Path, value: str | int) -> bytes:
    return _dotted(path).encode() + b" = " + _quoted(value)


def _dotted(path: Path) -> str:
    return ".".join(part if _BARE.fullmatch(str(part)) else _quoted(str(part)).decode() for part in map(str, path))


def _quoted(value: str | int) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
