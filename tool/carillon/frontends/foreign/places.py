# SPDX-License-Identifier: Apache-2.0
"""Where the keys and values of a schedule that was read from another tool's file stand."""

from __future__ import annotations

from carillon.diagnostics import Span
from carillon.read.spans import Path, Range, SpanIndex

_NOWHERE = Range(0, 0)
LEAST_STACK = 128
"""Bytes that the stack of a task has at least (``stack`` of the schema)."""


class Places(SpanIndex):
    """A :class:`SpanIndex` over several files: paths are those of a schedule file, places those of the files that were read.

    ``values`` and ``keys`` hold the paths that there are; their byte ranges mean nothing.
    """

    def __init__(self, file: str) -> None:
        super().__init__(file, b"")
        self._values: dict[Path, Span] = {}
        self._keys: dict[Path, Span] = {}

    def put(self, path: Path, value: Span, key: Span | None = None) -> None:
        """Remember the places of the value at ``path`` and of its key; the first place of a path counts."""
        self.values.setdefault(path, _NOWHERE)
        self._values.setdefault(path, value)
        if key is not None:
            self.keys.setdefault(path, _NOWHERE)
            self._keys.setdefault(path, key)

    def value(self, path: Path) -> Span:
        """The place of the value at ``path``, or of the nearest enclosing block if no file shows the value."""
        for end in range(len(path), 0, -1):
            where = self._values.get(path[:end]) or self._keys.get(path[:end])
            if where is not None:
                return where
        return Span(self.file)

    def key(self, path: Path) -> Span:
        """The place of the attribute at ``path``, or of the nearest enclosing block if no file shows the attribute."""
        return self._keys.get(path) or self.value(path)
