# SPDX-License-Identifier: Apache-2.0
"""What is drawn of a network is what happened: events on the axis of true time, and how far clocks are apart."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import oracle
from test_network import MS, SEND, oscillator, run, three

from carillon.run.network import Built
from carillon.show import html, offsets, svg
from carillon.show.marks import ACTIVATION, MET, MISSED
from carillon.show.network import NANOSECONDS, drift_ppm, first_window, pictured
from carillon.trace.timeline import IDLE, LaneKind, Release

LENGTH = 12 * MS


def releases(ticks: int) -> list[Release]:
    return [Release("Send", at, (at + 900,)) for at in range(SEND, ticks, 1000)]


def test_every_activation_and_deadline_stands_at_its_true_time(built: Built) -> None:
    net = three()
    found = run(net, built, LENGTH)
    it = pictured(found, [releases(node.trace.length) for node in found.nodes])
    for k, (node, panel) in enumerate(zip(found.nodes, it.panels, strict=True)):
        clock = oscillator(net, k)
        (lane,) = (one for one in panel.summary.lanes if one.name == "Send")
        ticks = list(range(SEND, node.trace.length, 1000))
        at = [(clock.time(tick, 2 * LENGTH) or 0) // 1000 for tick in ticks]
        assert panel.marks[ACTIVATION][lane] == at
        assert [begin for begin, _, _ in panel.running[lane]] == at
        due = [(clock.time(tick + 900, 2 * LENGTH) or 0) // 1000 for tick in ticks if tick + 900 <= node.trace.length]
        assert [d for d in panel.marks[MET][lane] if d <= LENGTH // 1000][: len(due)] == due
        assert not any(at <= LENGTH // 1000 for at in panel.marks[MISSED][lane])
        assert panel.title == f"n{k}"
        assert panel.trace.clock_hz == NANOSECONDS
        assert panel.running[IDLE][0][0] >= node.node.start // 1000  # without power it is not idle
        assert it.summaries[k].tasks[0].start_delay is not None
        assert it.summaries[k].tasks[0].jitter == 0  # in its own ticks
        assert drift_ppm(found, node) == (clock.ticks(LENGTH) / (LENGTH - node.node.start) * 10**6 - 1) * 10**6


def test_reports_are_compared_with_what_the_first_node_would_say_then(built: Built) -> None:
    net = three()
    found = run(net, built, LENGTH)
    first, clock = found.nodes[0], oscillator(net, 0)
    for node in found.nodes:
        for time, ahead in offsets.reported(node, first):
            at, value = [report for report in first.reports if report[0] <= time][-1]
            then = value + clock.ticks(time) - clock.ticks(at)
            own = dict(node.reports)[time]
            assert abs((own - then) * 10**6 - oracle.Fraction(ahead)) < oracle.Fraction(1, 100)  # picoseconds
        assert len(list(offsets.reported(node, first))) >= len(node.reports) - 1


def test_lines_that_are_bundled_keep_their_extremes() -> None:
    points = [(k, float(k % 7 - 3)) for k in range(10_000)]
    line = offsets._bundled(iter(points), 10_000)
    assert len(line) == offsets.COLUMNS
    assert {(least, greatest) for _, least, greatest in line} == {(-3.0, 3.0)}


def test_the_pictures_are_well_formed_and_the_same_every_time(built: Built) -> None:
    found = run(three(), built, LENGTH)
    it = pictured(found, [releases(node.trace.length) for node in found.nodes])
    texts = []
    for _ in range(2):
        clocks, picture, page = io.StringIO(), io.StringIO(), io.StringIO()
        offsets.write(clocks, found)
        svg.write(picture, it.panels, first_window(it))
        html.write(page, it.panels, first_window(it), "three")
        texts.append((clocks.getvalue(), picture.getvalue(), page.getvalue()))
    assert texts[0] == texts[1]
    clocks_, picture_, page_ = texts[0]
    assert ET.fromstring(clocks_).tag.endswith("svg")
    assert clocks_.count("<path") >= 9  # three oscillators, three reports, three marks
    for k in range(3):
        assert f">n{k}</text>" in picture_
    assert "(a)" not in picture_
    assert "<h1>three on 3 virtual boards</h1>" in page_
    assert all(lane.kind is not LaneKind.TASK or lane.name in ("Send", "Work") for lane in it.panels[0].summary.lanes)
