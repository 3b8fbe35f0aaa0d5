# SPDX-License-Identifier: Apache-2.0
"""Keys that are set in a TOML text: they have their values, and nothing else has changed."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carillon.read.settings import UnsettableError, with_settings

A = ("osek", "task", "A")


def edited(text: str, *paths: tuple[str, ...], value: str = "9us") -> str:
    return with_settings(text.encode(), {path: {"wcet": value} for path in paths or (A,)}).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[osek.task.A]\n", '[osek.task.A]\nwcet = "9us"\n'),
        ("[osek.task.A] # a\n\n# b\n", '[osek.task.A] # a\nwcet = "9us"\n\n# b\n'),
        ("[osek.task.A]\npriority = 1 # c\n\n[x]\n", '[osek.task.A]\npriority = 1 # c\nwcet = "9us"\n\n[x]\n'),
        ("[osek.task.A]\n  e = [\n    1, # d\n  ]", '[osek.task.A]\n  e = [\n    1, # d\n  ]\n  wcet = "9us"'),
        ("[osek.task.A]\r\np = 1\r\n[x]\r\n", '[osek.task.A]\r\np = 1\r\nwcet = "9us"\r\n[x]\r\n'),
        ("[osek.task.A]\nwcet = '1us' # short\np = 1\n", '[osek.task.A]\nwcet = "9us" # short\np = 1\n'),
        ("[osek.task]\nA = { p = 1 } # e\n", '[osek.task]\nA = { p = 1, wcet = "9us" } # e\n'),
        ("[osek.task]\nA = {}\n", '[osek.task]\nA = { wcet = "9us" }\n'),
        ("[osek.task]\nA = {p = 1, wcet = '1us'}\n", '[osek.task]\nA = {p = 1, wcet = "9us"}\n'),
        ("[osek]\ntask.A.p = 1\n  task.A.q = 2\nx = 1\n", '[osek]\ntask.A.p = 1\n  task.A.q = 2\n  task.A.wcet = "9us"\nx = 1\n'),
        ("osek.task.A.p = 1", 'osek.task.A.p = 1\nosek.task.A.wcet = "9us"'),
        ("osek = { task.A.p = 1, x = 2 }\n", 'osek = { task.A.p = 1, task.A.wcet = "9us", x = 2 }\n'),
        ("osek = { task = { A = { p = [1] } } }\n", 'osek = { task = { A = { p = [1], wcet = "9us" } } }\n'),
        ("[osek.task.A.autostart]\nat = 1\n", '[osek.task.A.autostart]\nat = 1\n\n[osek.task.A]\nwcet = "9us"\n'),
        ("[x]\ny = 1", '[x]\ny = 1\n\n[osek.task.A]\nwcet = "9us"\n'),
        ("[osek.task.A.b]\nc = 1\n[osek.task.A]\np = 1\n", '[osek.task.A.b]\nc = 1\n[osek.task.A]\np = 1\nwcet = "9us"\n'),
        ("[osek.task.A]\np = '''\n[x]\n'''\n", "[osek.task.A]\np = '''\n[x]\n'''\nwcet = \"9us\"\n"),
        ("", '[osek.task.A]\nwcet = "9us"\n'),
    ],
)
def test_a_key_comes_where_its_table_is(before: str, after: str) -> None:
    assert edited(before) == after
    assert edited(after) == after


def test_names_are_quoted_where_they_must_be() -> None:
    assert edited("", ("task", "µ x")) == '[task."µ x"]\nwcet = "9us"\n'


@pytest.mark.parametrize("text", ["osek = { x = 1 }\n", "osek = 1\n", "[osek]\ntask = [1]\n", "x = \n"])
def test_what_cannot_be_changed_in_these_keys_alone_is_refused(text: str) -> None:
    with pytest.raises(UnsettableError):
        edited(text)


NAMES = ["A", "B2", "with-dash", "D"]
PLACES = [("task",), ("osek", "task"), ("osek", "isr"), ("thread",), ("interrupt",)]
STYLES = ["header", "inline", "dotted", "root"]


def quoted(draw: Any, name: str) -> str:
    return draw(st.sampled_from([name, f'"{name}"', f"'{name}'"]))


@st.composite
def schedules(draw: Any) -> tuple[str, list[tuple[str, ...]]]:
    """A text with tables of all forms, and the paths of these tables."""
    comment = st.sampled_from(["", " # wcet = '7us'", "\t# [task.A]"])
    keys = ["priority = 1", "events = [ 'e', # f\n  'g' ]", 'wcet = "1us"', "note = '''\nwcet = 2\n'''", "a.b = { c = 1 }"]
    sections: list[str] = []
    top: list[str] = []
    paths: list[tuple[str, ...]] = []
    for place in PLACES:
        lines: list[str] = []
        for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3)):
            style = draw(st.sampled_from(STYLES if place[0] != "osek" else STYLES[:3]))
            own = draw(st.lists(st.sampled_from(keys), unique=True, min_size=style in ("dotted", "root")))
            word, indent = quoted(draw, name), draw(st.sampled_from(["", "  ", "\t"]))
            paths.append((*place, name))
            if style == "header":
                body = "".join(f"{indent}{key}{draw(comment)}\n" for key in own)
                space = draw(st.sampled_from(["", " "]))
                sections.append(f"[{space}{'.'.join(place)} . {word}{space}]{draw(comment)}\n{body}")
            elif style == "inline":
                pairs = [key for key in own if "\n" not in key]
                lines.append(f"{indent}{word} = {{ {', '.join(pairs)} }}{draw(comment)}\n")
            elif style == "dotted":
                lines += [f"{indent}{word}.{key}{draw(comment)}\n" for key in own]
            else:
                top += [f"{indent}{place[0]}.{word} .{key}{draw(comment)}\n" for key in own]
        if lines:
            sections.append(f"[{'.'.join(place)}]\n" + "".join(lines))
    order = draw(st.permutations(sections))
    text = "".join(top) + draw(st.sampled_from(["", "\n", "# end\n"])).join(order)
    if draw(st.booleans()):
        text = text.rstrip("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text, paths


def is_within(small: str, large: str) -> bool:
    """Whether ``large`` is ``small`` with insertions."""
    rest = iter(large)
    return all(letter in rest for letter in small)


@settings(deadline=None, max_examples=300)
@given(schedules(), st.data())
def test_whatever_the_form_of_a_file_only_the_keys_change(drawn: tuple[str, list[tuple[str, ...]]], data: Any) -> None:
    text, paths = drawn
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return  # a root key and a header of one place: not TOML
    chosen = data.draw(st.lists(st.sampled_from(paths), unique=True)) if paths else []
    wanted = {path: {"wcet": f"{number + 3}ms"} for number, path in enumerate(chosen)}
    after = with_settings(text.encode(), wanted).decode()
    for number, path in enumerate(chosen):
        table = before
        for name in path:
            table = table[name]
        table["wcet"] = f"{number + 3}ms"
    assert tomllib.loads(after) == before
    assert is_within(text.replace('wcet = "1us"', 'wcet = ""'), after)
    assert after.count("#") == text.count("#")
    if "\r\n" in text:
        assert after.count("\n") == after.count("\r\n")
    assert with_settings(after.encode(), wanted).decode() == after
