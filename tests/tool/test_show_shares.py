# SPDX-License-Identifier: Apache-2.0
"""Who has the processor over a run, and when jobs are blocked: the figures behind the page's pictures."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import show_traces as traces
from hypothesis import given
from hypothesis import strategies as st

from carillon import show
from carillon.show import scene, svg
from carillon.show.utilisation import PARTS, parts_of, picture, share_text
from carillon.trace import Event, Kind, Trace, Unseen
from carillon.trace.analyse import analyse
from carillon.trace.blocking import ranks_of
from carillon.trace.timeline import IDLE, KERNEL, Release

# Shares of the processor.


def a_trace(*events: tuple[int, Kind, str], length: int = 100, per_tick: int = 0, **more: object) -> Trace:
    told = tuple(Event(n // max(1, per_tick), n, kind, name) for n, kind, name in events)
    names = tuple(dict.fromkeys(e.object for e in told if e.kind is Kind.START))
    kinds: dict[str, object] = {"tasks": names, "interrupts": (), "event_triggered": names, **more}
    return Trace("app", "board", "carillon", 1_000_000, per_tick, 0, length, length, events=told, **kinds)  # type: ignore[arg-type]


def test_each_part_has_what_tasks_the_kernel_and_nobody_had_of_it() -> None:
    trace = a_trace(
        (10, Kind.ENTER, "A"),
        (14, Kind.START, "A"),
        (54, Kind.END, "A"),
        (60, Kind.EXIT, "A"),
        (60, Kind.IDLE, "idle"),
        per_tick=1,
    )
    parts = parts_of(analyse(trace, ()), 4)
    assert [(p.begin, p.end, p.tasks, p.kernel, p.idle) for p in parts] == [
        (0, 25, 11, 4, 10),
        (25, 50, 25, 0, 0),
        (50, 75, 5, 5, 15),  # the last instruction is the task's
        (75, 100, 0, 0, 25),
    ]
    assert parts[0].shares == (44, 16, 40)
    assert share_text(parts, 0) == "41 % (0 to 100 %)"
    assert share_text(parts, 1) == "9 % (0 to 20 %)"


@pytest.mark.parametrize("make", [traces.carillon, traces.conventional, traces.osek])
@given(most=st.integers(1, 400))
def test_the_parts_are_the_whole_run(make: object, most: int) -> None:
    summary = analyse(make(), traces.releases(2))  # type: ignore[operator]
    parts = parts_of(summary, most)
    assert len(parts) == most
    assert parts[0].begin == summary.begin.u
    assert parts[-1].end == summary.end.u
    assert all(a.end == b.begin for a, b in pairwise(parts))
    assert max(p.end - p.begin for p in parts) - min(p.end - p.begin for p in parts) <= 1
    assert all(min(p.tasks, p.kernel, p.idle) >= 0 for p in parts)
    for lane, mine in ((KERNEL, sum(p.kernel for p in parts)), (IDLE, sum(p.idle for p in parts))):
        assert mine == sum(s.end.u - s.begin.u for s in summary.segments if s.lane == lane)


def test_a_short_run_has_a_part_for_each_unit_and_an_empty_one_none() -> None:
    assert len(parts_of(analyse(a_trace(length=7), ()))) == 7
    assert parts_of(analyse(a_trace(length=0), ())) == []
    assert len(parts_of(analyse(a_trace(length=100_000), ()))) == PARTS


def test_the_picture_stacks_the_shares_and_says_them() -> None:
    trace = a_trace(
        (0, Kind.ENTER, "A"), (0, Kind.START, "A"), (50, Kind.END, "A"), (50, Kind.EXIT, "A"), (50, Kind.IDLE, "idle")
    )
    found = picture(parts_of(analyse(trace, ()), 2), "Carillon", 1)
    assert 'd="M0 100V0H500V100H1000V100Z" fill="var(--accent)"' in found
    assert "tasks 50 % (0 to 100 %), kernel 0 % (0 to 0 %), idle 50 % (0 to 100 %)" in found
    assert "<title>ticks 0 to 50: tasks 100 %, kernel 0 %, idle 0 %</title>" in found


def test_the_kernel_lies_upon_the_tasks() -> None:
    events = ((0, Kind.ENTER, "A"), (20, Kind.START, "A"), (49, Kind.END, "A"), (50, Kind.EXIT, "A"), (50, Kind.IDLE, "idle"))
    found = picture(parts_of(analyse(a_trace(*events, per_tick=1), ()), 1), "Carillon", 1)
    assert 'd="M0 100V50H1000V100Z" fill="var(--kernel)"' in found
    assert 'd="M0 100V70H1000V100Z" fill="var(--accent)"' in found


def test_the_page_has_the_shares_of_each_panel_with_a_legend(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    pair = [traces.carillon(), traces.conventional()]
    show.write("html", path, scene.panels_of(pair, traces.releases(2)))
    head = path.read_text(encoding="utf-8").partition('<script type="application/json"')[0]
    assert re.findall(r'aria-label="Who has the processor, ([^,]+), whole run', head) == ["Carillon", "Conventional kernel"]
    legends = re.findall(r'<span><i style="background: var\(--(\w+)\)"></i>(\w+) [\d.]+ %', head)
    assert legends == [("accent", "tasks"), ("kernel", "kernel"), ("idle", "idle")] * 2
    show.write("html", path, scene.panels_of(traces.trace(), traces.releases()))  # where code takes no time
    assert 'background: var(--kernel)"' not in path.read_text(encoding="utf-8")


# Blocking.

HELD = (  # Low is not preemptable: High is activated at 20 and begins at 50, when Low has ended
    (10, Kind.EXPIRY, "Low"),
    (10, Kind.ENTER, "Low"),
    (10, Kind.START, "Low"),
    (20, Kind.EXPIRY, "High"),
    (50, Kind.END, "Low"),
    (50, Kind.EXIT, "Low"),
    (50, Kind.ENTER, "High"),
    (50, Kind.START, "High"),
    (60, Kind.END, "High"),
    (60, Kind.EXIT, "High"),
    (60, Kind.IDLE, "idle"),
)


def blocked(trace: Trace, releases: tuple[Release, ...] = ()) -> dict[str, list[tuple[int, int]]]:
    panel = scene.panel_of(trace, releases)
    return {lane.name: [(b, e) for b, e, _ in found] for lane, found in panel.blocked.items() if found}


def test_a_job_is_blocked_from_its_activation_while_something_less_urgent_runs() -> None:
    assert blocked(a_trace(*HELD, event_triggered=("High", "Low"))) == {"High": [(20, 50)]}


def test_what_is_more_urgent_or_equal_blocks_nobody() -> None:
    assert blocked(a_trace(*HELD, event_triggered=("Low", "High"))) == {}
    assert blocked(a_trace(*HELD, event_triggered=("High", "Low"), equals=(("High", "Low"),))) == {}
    trace = a_trace(event_triggered=("I", "A", "B", "C"), equals=(("A", "B"),))
    assert ranks_of(trace) == {"I": 0, "A": 1, "B": 1, "C": 3}


def test_without_a_known_activation_nothing_is_said() -> None:
    known = [e for e in HELD if e[1] is not Kind.EXPIRY]
    assert blocked(a_trace(*known, event_triggered=("High", "Low"))) == {}


def test_a_giotto_program_is_not_ordered_by_priorities() -> None:
    assert blocked(a_trace(*HELD, event_triggered=("High", "Low"), missed=())) == {}


def test_a_job_that_has_started_is_blocked_while_a_less_urgent_one_preempts_it() -> None:
    events = (
        (0, Kind.ENTER, "Low"),
        (0, Kind.START, "Low"),
        (10, Kind.PREEMPT, "Low"),
        (10, Kind.ENTER, "High"),
        (10, Kind.START, "High"),
        (20, Kind.PREEMPT, "High"),
        (20, Kind.ENTER, "Middle"),
        (20, Kind.START, "Middle"),
        (35, Kind.END, "Middle"),
        (35, Kind.EXIT, "Middle"),
        (35, Kind.RESUME, "High"),
        (40, Kind.END, "High"),
        (40, Kind.EXIT, "High"),
        (40, Kind.RESUME, "Low"),
        (45, Kind.END, "Low"),
        (45, Kind.EXIT, "Low"),
        (45, Kind.IDLE, "idle"),
    )
    assert blocked(a_trace(*events, event_triggered=("High", "Middle", "Low"))) == {"High": [(20, 35)]}


def test_a_tick_of_many_instructions_is_not_counted_from_its_beginning() -> None:
    events = [(10 * n, kind, name) for n, kind, name in HELD if kind is not Kind.EXPIRY]
    events.append((207, Kind.ACTIVATION, "High"))
    trace = a_trace(*sorted(events, key=lambda e: e[0]), event_triggered=("High", "Low"), per_tick=10)
    assert blocked(trace) == {"High": [(207, 500)]}


def test_of_a_round_what_was_released_before_and_the_event_triggered_block() -> None:
    both = (Release("Low", 10), Release("High", 20))
    assert blocked(a_trace(*HELD, event_triggered=()), both) == {"High": [(20, 50)]}
    assert blocked(a_trace(*HELD, event_triggered=("Low",)), (Release("High", 20),)) == {"High": [(20, 50)]}
    # What is released later is more urgent, and may well run first.
    assert blocked(a_trace(*HELD, event_triggered=()), (Release("Low", 10), Release("High", 5))) == {}


@pytest.mark.parametrize("mixed", [False, True])
def test_a_run_without_blocking_has_no_sign_of_it(mixed: bool) -> None:
    panels = scene.panels_of(traces.osek(mixed=mixed), traces.osek_releases(mixed))
    assert not any(panels[0].blocked.values())
    assert not scene.signs_of(panels)["blocked"]


def test_the_page_and_the_svg_show_blocking_and_name_it(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    panels = scene.panels_of(replace(a_trace(*HELD), event_triggered=("High", "Low")), ())
    show.write("html", path, panels)
    text = path.read_text(encoding="utf-8")
    assert '"block":{"b":[20],"l":[30],"o":[1]}' in text
    assert ">blocked by something less urgent</span>" in text
    stream = io.StringIO()
    svg.write(stream, panels)
    assert stream.getvalue().count('fill="url(#blocked)"') == 2  # the lane's and the legend's
    assert ">blocked</text>" in stream.getvalue()


def test_what_was_not_seen_is_nobodys_and_no_part_of_the_shares() -> None:
    events = (
        *((0, Kind.IDLE, "idle"), (100, Kind.START, "A"), (150, Kind.END, "A"), (150, Kind.IDLE, "idle")),
        *((850, Kind.START, "A"), (870, Kind.END, "A"), (870, Kind.IDLE, "idle")),
    )
    trace = replace(a_trace(*events, length=1000), captured=True)
    blind = replace(trace, unseen=(Unseen(400, 800, 5, exact=True),))
    before, after = parts_of(analyse(trace, ()), 10), parts_of(analyse(blind, ()), 10)
    ran = {1: 50, 8: 20}
    assert [(p.tasks, p.idle, p.unseen) for p in before] == [(ran.get(k, 0), 100 - ran.get(k, 0), 0) for k in range(10)]
    seen = [0 if 4 <= k < 8 else 100 for k in range(10)]
    assert [(p.tasks, p.idle, p.unseen) for p in after] == [
        (ran.get(k, 0), seen[k] - ran.get(k, 0), 100 - seen[k]) for k in range(10)
    ]
    assert analyse(trace, ()).totals.idle_share == 930 / 1000
    assert analyse(blind, ()).totals.idle_share == 530 / 600
    assert share_text(after, 0) == "11.7 % (0 to 50 %)"
    drawn = picture(after, "Captured", 1)
    assert drawn.count(": not seen</title>") == 4
