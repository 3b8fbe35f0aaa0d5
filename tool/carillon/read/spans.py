# SPDX-License-Identifier: Apache-2.0
"""Where each key and each value of a TOML text stands.

tomllib says what the values are, tree-sitter only where they are: the two never disagree about a value,
because this module yields none.  A path is a tuple of keys and of indices into arrays.
"""

from __future__ import annotations

import bisect
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import tree_sitter
import tree_sitter_toml

from carillon.diagnostics import Span

Path = tuple[str | int, ...]

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_toml.language()))
MOST_LEVELS = 100  # deeper values have no place of their own: paths of any length would take quadratic memory
_KEYS = ("bare_key", "quoted_key", "dotted_key")


class Range(NamedTuple):
    """Bytes ``start`` to ``end`` (exclusive) of the text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The second definition of a key or table, and the first."""

    path: Path
    second: Range
    first: Range


@dataclass
class SpanIndex:
    """The places of all keys and values of one text.

    ``values`` holds what is written after ``=`` and the elements of arrays.  ``headers`` holds the headers of tables and of the
    elements of arrays of tables.  ``keys`` holds the keys, each where it is first written.  ``errors`` holds the places that
    tree-sitter could not parse.
    """

    file: str
    text: bytes
    keys: dict[Path, Range] = field(default_factory=dict)
    values: dict[Path, Range] = field(default_factory=dict)
    headers: dict[Path, Range] = field(default_factory=dict)
    duplicates: list[Duplicate] = field(default_factory=list)
    errors: list[Range] = field(default_factory=list)
    _lines: list[int] = field(default_factory=list)

    def span(self, offset: int) -> Span:
        """Line and column of a byte offset; columns count characters."""
        if not self._lines:
            self._lines = [0, *(i + 1 for i, byte in enumerate(self.text) if byte == 10)]
        line = bisect.bisect_right(self._lines, offset)
        start = self._lines[line - 1]
        return Span(self.file, line, len(self.text[start:offset].decode("utf-8", "replace")) + 1)

    def value(self, path: Path) -> Span:
        """Where the value at ``path`` stands; the nearest table around it if the text does not show it."""
        for end in range(len(path), 0, -1):
            part = path[:end]
            where = self.values.get(part) or self.headers.get(part) or self.keys.get(part)
            if where is not None:
                return self.span(where.start)
        return Span(self.file)

    def key(self, path: Path) -> Span:
        """Where the key at ``path`` stands; the nearest table around it if the text does not show it."""
        where = self.keys.get(path)
        return self.span(where.start) if where is not None else self.value(path)


def index(text: bytes, file: str) -> SpanIndex:
    """Find the places of all keys and values in ``text``.

    Never raises; for malformed TOML the index is what tree-sitter's error recovery yields.
    """
    spans = SpanIndex(file, text)
    tree = _PARSER.parse(text)
    if tree.root_node.has_error:
        spans.errors = [Range(n.start_byte, n.end_byte) for n in _errors(tree.root_node)]
    _Walk(spans).document(tree.root_node)
    return spans


def _errors(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type == "ERROR" or node.is_missing:
            yield node
        elif node.has_error:
            pending.extend(reversed(node.children))


class _Walk:
    """Fills a :class:`SpanIndex` from a syntax tree; iterative, as nesting may be deep."""

    def __init__(self, spans: SpanIndex) -> None:
        self.spans = spans
        self.headers: set[Path] = set()
        self.arrays: dict[Path, int] = {}
        self.leaves: set[Path] = set()

    def document(self, root: tree_sitter.Node) -> None:
        for node in root.named_children:
            if node.type == "pair":
                self.pair(node, ())
            elif node.type in ("table", "table_array_element"):
                self.table(node)

    def table(self, node: tree_sitter.Node) -> None:
        children = node.named_children
        if not children or children[0].type not in _KEYS:
            return
        prefix: Path = ()
        parts = self.parts(children[0])
        if len(parts) > MOST_LEVELS:
            return
        closing = next((c.end_byte for c in node.children if c.type in ("]", "]]")), children[0].end_byte)
        header = Range(node.start_byte, closing)
        for position, (name, where) in enumerate(parts):
            last = position == len(parts) - 1
            prefix = (*prefix, name)
            if prefix in self.leaves or (last and prefix in self.headers):
                self.spans.duplicates.append(Duplicate(prefix, where, self.spans.keys.get(prefix, where)))
            self.spans.keys.setdefault(prefix, where)
            if last:
                self.spans.headers.setdefault(prefix, header)
            if last and node.type == "table":
                self.headers.add(prefix)
            if last and node.type == "table_array_element":
                self.arrays[prefix] = self.arrays.get(prefix, -1) + 1
                prefix = (*prefix, self.arrays[prefix])
                self.spans.headers[prefix] = header
            elif prefix in self.arrays:
                prefix = (*prefix, self.arrays[prefix])
        for child in children[1:]:
            if child.type == "pair":
                self.pair(child, prefix)

    def pair(self, node: tree_sitter.Node, prefix: Path) -> None:
        pending = [(node, prefix)]
        while pending:
            pair, path = pending.pop()
            children = [c for c in pair.named_children if c.type != "comment"]
            if len(children) < 2 or children[0].type not in _KEYS:
                continue
            parts = self.parts(children[0])
            if len(path) + len(parts) > MOST_LEVELS:
                continue
            for name, where in parts[:-1]:
                path = (*path, name)
                self.spans.keys.setdefault(path, where)
                if path in self.leaves:
                    self.spans.duplicates.append(Duplicate(path, where, self.spans.keys[path]))
            name, where = parts[-1]
            path = (*path, name)
            if path in self.spans.keys:
                self.spans.duplicates.append(Duplicate(path, where, self.spans.keys[path]))
            else:
                self.spans.keys[path] = where
            self.leaves.add(path)
            pending.extend(reversed(self.value(children[1], path)))

    def value(self, node: tree_sitter.Node, path: Path) -> list[tuple[tree_sitter.Node, Path]]:
        """Record a value and its elements; returns the pairs of the inline tables in it."""
        pairs: list[tuple[tree_sitter.Node, Path]] = []
        pending = [(node, path)]
        while pending:
            value, where = pending.pop()
            self.spans.values.setdefault(where, Range(value.start_byte, value.end_byte))
            if len(where) > MOST_LEVELS:
                continue
            if value.type == "array":
                elements = [c for c in value.named_children if c.type not in ("comment", "ERROR")]
                pending.extend((element, (*where, i)) for i, element in reversed(list(enumerate(elements))))
            elif value.type == "inline_table":
                pairs.extend((child, where) for child in value.named_children if child.type == "pair")
        return pairs

    def parts(self, node: tree_sitter.Node) -> list[tuple[str, Range]]:
        """The names in a key, outermost first."""
        if node.type != "dotted_key":
            return [(_name(node), Range(node.start_byte, node.end_byte))]
        names: list[tuple[str, Range]] = []
        pending = [node]
        while pending:
            part = pending.pop()
            if part.type == "dotted_key":
                pending.extend(c for c in part.named_children if c.type in _KEYS)
            else:
                names.append((_name(part), Range(part.start_byte, part.end_byte)))
        names.sort(key=lambda n: n[1].start)
        return names


def _name(node: tree_sitter.Node) -> str:
    text = (node.text or b"").decode("utf-8", "replace")
    if node.type == "bare_key":
        return text
    try:
        return next(iter(tomllib.loads(f"{text} = 0")))
    except (ValueError, RecursionError, StopIteration):
        return text
