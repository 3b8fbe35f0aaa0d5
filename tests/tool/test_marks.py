# SPDX-License-Identifier: Apache-2.0
"""A kind of instant is one row, from which every picture and every format shows it."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import show_traces as traces
from rich.console import Console

from carillon import show
from carillon.show import html, marks, scene, terminal
from carillon.show.marks import MARKS, Mark, Shape
from carillon.trace import Kind, Trace

NEW = Mark("something new", "new", "☆*", Shape.TRIANGLE, vcd="something_new", events=(Kind.LOST,), red=40)


def with_new() -> Trace:
    trace = traces.trace(rounds=2)
    ended = next(k for k, event in enumerate(trace.events) if event.kind is Kind.END and event.object == "Task1")
    events = list(trace.events)
    events.insert(ended, events[ended]._replace(kind=Kind.LOST))
    return replace(trace, events=tuple(events))


@pytest.mark.parametrize("new", [False, True])
def test_a_new_row_is_in_every_picture_and_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: bool) -> None:
    for module in (marks, scene, html) if new else ():
        monkeypatch.setattr(module, "MARKS", (*MARKS, NEW))
    panels = scene.panels_of(with_new(), traces.releases(2))
    written = {}
    for form in ("svg", "html", "vcd", "perfetto"):
        show.write(form, tmp_path / form, panels, (0, 700))
        written[form] = (tmp_path / form).read_text(encoding="utf-8")
    console = Console(file=io.StringIO(), width=120)
    terminal.render(console, panels, (0, 700))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert sum("☆" in line for line in lines) == 2 * new  # in its lane, and in the legend
    assert written["svg"].count(">new<") == new
    assert ('data-sign="something new"' in written["html"]) is new
    found = re.search(r'id="data">(.*?)</script>', written["html"], re.S)
    assert found
    lanes = json.loads(found[1])["panels"][0]["lanes"]
    assert [lane["name"] for lane in lanes if lane["marks"].get("something new")] == ["Task1"] * new
    assert ("something_new" in written["vcd"]) is new
    assert sum(it["name"] == "something new" for it in json.loads(written["perfetto"])["traceEvents"]) == new


def test_no_two_marks_look_or_are_called_alike() -> None:
    both = [mark.on_activation for mark in MARKS if mark.on_activation]
    own = [*"▌▐█│░┈─┬…"], [*"#|.-+~"]
    for which in range(2):
        signs = [*own[which], *(it[which] for it in [*(mark.signs for mark in MARKS), *both])]
        assert len(signs) == len(set(signs))
    for names in ([mark.name for mark in MARKS], [mark.words for mark in MARKS], [mark.vcd for mark in MARKS if mark.vcd]):
        assert len(names) == len(set(names))


def test_shapes_are_red_as_they_can_be_drawn() -> None:
    for mark in MARKS:
        assert not (mark.red and mark.nominal)
        assert mark.shape is not Shape.TRIANGLE or (mark.red and not mark.room)


def test_a_mark_at_the_windows_end_is_seen_if_it_ends_something() -> None:
    assert marks.ACTIVATION.seen([0, 5, 10], 0, 10) == [0, 5]
    assert marks.MET.seen([0, 5, 10], 0, 10) == [0, 5, 10]
