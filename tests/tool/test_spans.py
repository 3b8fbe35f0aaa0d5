# SPDX-License-Identifier: Apache-2.0
"""The place found for a value is where tomllib finds that value, too."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from carillon.diagnostics import Span
from carillon.read.spans import Path, index

bare = st.text("abcXYZ019_-", min_size=1, max_size=6)
any_key = st.one_of(bare, st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=5))
scalars = st.one_of(
    st.booleans(),
    st.integers(-(10**9), 10**9),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8),
)
values = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(any_key, inner, max_size=3)), max_leaves=8
)
gaps = st.sampled_from(["", " ", "  "])
breaks = st.sampled_from(["", " ", "\n", '\n  # a ] comment, " here\n', "\r\n"])


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def written_key(draw: st.DrawFn, key: str) -> str:
    is_bare = key != "" and all(c.isascii() and (c.isalnum() or c in "_-") for c in key)
    return key if is_bare and draw(st.booleans()) else quoted(key)


def written(draw: st.DrawFn, value: Any) -> str:
    """``value`` as TOML, with the freedom that TOML leaves in spaces, line breaks and comments."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        elements: list[str] = [draw(breaks) + written(draw, element) + draw(breaks) for element in value]
        comma = draw(st.sampled_from(["", ","])) if elements else ""
        return "[" + ",".join(elements) + comma + draw(breaks) + "]"
    pairs = [f"{draw(gaps)}{written_key(draw, k)}{draw(gaps)}={draw(gaps)}{written(draw, v)}" for k, v in value.items()]
    return "{" + ",".join(pairs) + draw(gaps) + "}"


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A valid document of pairs, dotted keys, [headers] and [[arrays of tables]]."""
    lines: list[str] = []
    names = draw(st.lists(any_key, unique=True, min_size=1, max_size=8))
    tables = 0
    for number, name in enumerate(names):
        key = written_key(draw, name)
        shape = draw(st.sampled_from(["pair", "dotted", "table", "nested", "array"]))
        if tables and shape in ("pair", "dotted"):
            shape = "table"
        if shape == "pair":
            lines.append(f"{draw(gaps)}{key}{draw(gaps)}={draw(gaps)}{written(draw, draw(values))} # {number}")
        elif shape == "dotted":
            lines.extend(f"{key}{draw(gaps)}.{draw(gaps)}{k} = {written(draw, draw(values))}" for k in ("x", '"y z"'))
        else:
            tables += 1
            header = {"table": f"[{key}]", "nested": f'[ {key} . "in ner" ]', "array": f"[[{key}]]"}[shape]
            for _ in range(draw(st.integers(1, 3)) if shape == "array" else 1):
                lines.append(f"{draw(gaps)}{header}")
                inner = draw(st.dictionaries(any_key, values, max_size=3))
                lines.extend(f"{written_key(draw, k)} = {written(draw, v)}" for k, v in inner.items())
                if shape == "array" and draw(st.booleans()):
                    lines.append(f'[{key}." sub"]\nz = {written(draw, draw(values))}')
    return draw(st.sampled_from(["\n", "\r\n", "\n\n"])).join(lines) + "\n"


def leaves(data: Any, path: Path = ()) -> list[tuple[Path, Any]]:
    """Every value of ``data`` and its path, tables and arrays included, outermost first."""
    found = [(path, data)] if path else []
    if isinstance(data, dict):
        for key, value in data.items():
            found.extend(leaves(value, (*path, key)))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            found.extend(leaves(value, (*path, number)))
    return found


@settings(max_examples=60, deadline=None)
@given(documents())
def test_the_place_of_a_value_holds_text_that_tomllib_reads_as_that_value(text: str) -> None:
    data = tomllib.loads(text)
    found = index(text.encode(), "f")
    assert not found.errors
    assert not found.duplicates
    for path, value in leaves(data):
        if path not in found.values:
            inner = value if isinstance(value, list) else [value]
            assert all(isinstance(table, dict) for table in inner), f"{path} has no place"
            header = found.headers.get(path)  # none if the table exists only as a part of another's key
            assert header is None or text.encode()[header.start : header.end].endswith(b"]")
            continue
        where = found.values[path]
        source = found.text[where.start : where.end].decode()
        assert tomllib.loads(f"v = {source}") == {"v": value}


@settings(max_examples=60, deadline=None)
@given(documents())
def test_the_place_of_a_key_holds_that_key(text: str) -> None:
    data = tomllib.loads(text)
    found = index(text.encode(), "f")
    for path, _ in leaves(data):
        if isinstance(path[-1], str):
            where = found.keys[path]
            assert tomllib.loads(found.text[where.start : where.end].decode() + " = 0") == {path[-1]: 0}


@settings(deadline=None)
@given(documents(), st.data())
def test_line_and_column_count_as_an_editor_does(text: str, data: st.DataObject) -> None:
    character = data.draw(st.integers(0, len(text)))
    found = index(text.encode(), "f").span(len(text[:character].encode()))
    before = text[:character].split("\n")
    assert found == Span("f", len(before), len(before[-1]) + 1)


def test_the_forms_of_a_table_all_have_a_place() -> None:
    text = b"top = { a = 1, b.c = [ 2, { d = 3 } ] }\n\n[t.u]\n  k = 4\n[[p]]\nq = 5\n[[p]]\nq = [\n  6,\n]\n[p.r]\ns = 7\n"
    found = index(text, "f")
    assert [str(found.value(path)) for path in (("top", "a"), ("top", "b", "c", 1, "d"), ("t", "u", "k"), ("t", "u"))] == [
        "f:1:13",
        "f:1:33",
        "f:4:7",
        "f:3:1",
    ]
    assert [str(found.value(path)) for path in (("p", 0, "q"), ("p", 1), ("p", 1, "q", 0), ("p", 1, "r", "s"))] == [
        "f:6:5",
        "f:7:1",
        "f:9:3",
        "f:12:5",
    ]


def test_a_value_without_a_place_has_that_of_the_table_around_it() -> None:
    found = index(b"[a]\nb.c = 1\n", "f")
    assert found.value(("a", "b", "x")) == found.key(("a", "b")) == Span("f", 2, 1)
    assert found.value(("z",)) == Span("f", 1, 1)


def test_columns_count_characters_not_bytes() -> None:
    assert index('a = ["äöü", 1]\n'.encode(), "f").value(("a", 1)) == Span("f", 1, 13)


def test_both_places_of_a_duplicate_are_found() -> None:
    found = index(b"[a]\nx = 1\nx = 2\n[b]\n[a]\n", "f")
    assert [(d.path, found.span(d.first.start).line, found.span(d.second.start).line) for d in found.duplicates] == [
        (("a", "x"), 2, 3),
        (("a",), 1, 5),
    ]


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_make_the_index_fail(text: bytes) -> None:
    index(text, "f")
