# SPDX-License-Identifier: Apache-2.0
"""The pictures and exports.  After a change that is meant: ``CARILLON_GOLDEN=write pytest tests/tool/test_show.py``."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import show_traces as traces
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from carillon import show
from carillon.show import btf, scene, steps, terminal
from carillon.show.histogram import histogram, steps_of
from carillon.show.html import differences
from carillon.show.marks import ACTIVATION, MARKS, MISSED
from carillon.show.vcd import timescale_of
from carillon.trace import Event, Kind, Trace
from carillon.trace.timeline import LaneKind, Release

GOLDEN = Path(__file__).parent / "golden"
LATE = {**traces.WORK, "Task1": 212}
IRQ = {"can_rx": (50, 480)}


def pair() -> list[Trace]:
    return [make(rounds=2, work=LATE, interrupts=IRQ) for make in (traces.carillon, traces.conventional)]


def assert_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("CARILLON_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def printed(traces_: Trace | list[Trace], rounds: int, width: int = 80, window: scene.Window | None = None) -> str:
    return rendered(traces_, traces.releases(rounds), width, window)


def rendered(
    traces_: Trace | list[Trace], releases: tuple[Release, ...], width: int = 80, window: scene.Window | None = None
) -> str:
    console = Console(file=io.StringIO(), width=width, no_color=True, force_terminal=False, legacy_windows=False)
    terminal.render(console, scene.panels_of(traces_, releases), window)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"  # type: ignore[attr-defined]


def test_the_terminal_compares_two_kernels_in_80_columns_without_colour() -> None:
    text = printed(pair(), 2)
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert_golden("show-compare.txt", text)


def test_the_terminal_shows_a_virtual_board_at_120_columns() -> None:
    text = printed(traces.trace(rounds=2), 2, width=120, window=(0, 700))
    assert max(map(len, text.splitlines())) <= 120
    assert_golden("show-virtual.txt", text)


@pytest.mark.parametrize("width", [30, 41, 63, 200])
def test_no_line_of_the_timeline_is_wider_than_the_terminal(width: int) -> None:
    panels = scene.panels_of(pair(), traces.releases(2))
    for signs in (terminal.BLOCKS, terminal.ASCII):
        lines = terminal.timeline(panels, (0, 1000), width, signs)
        assert max(line.cell_len for line in lines) <= width


def many(count: int) -> tuple[Trace, tuple[Release, ...]]:
    """A trace of tasks, whose names are long, one after the other in a round."""
    table = tuple((f"Controller_{k}_of_the_brakes_left_{'and_right_' * (2 + k % 3)}<&", 8 * k, 8 * k + 8) for k in range(count))
    trace = traces.trace(table=table, work={name: 5 for name, _, _ in table})
    return replace(trace, tasks=tuple(name for name, _, _ in table)), traces.releases(1, table)


def test_the_legend_of_the_terminal_has_the_names_that_are_cut_in_full() -> None:
    text = rendered(*many(3), width=60)
    assert max(map(len, text.partition("Carillon: min")[0].splitlines())) <= 60
    assert_golden("show-long-names.txt", text)


def test_the_svg_has_a_name_that_is_cut_in_full_as_its_title(tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    trace, releases = many(3)
    show.write("svg", path, scene.panels_of(trace, releases))
    space = "{http://www.w3.org/2000/svg}"
    titles = [e.findtext(f"{space}title") for e in ET.parse(path).iter(f"{space}text")]
    assert [title for title in titles if title] == list(trace.tasks)


def test_an_ascii_terminal_gets_ascii() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict")
    console = Console(file=stream, width=80, force_terminal=False)
    terminal.render(console, scene.panels_of(pair(), traces.releases(2)))


def test_a_missed_deadline_is_red() -> None:
    panels = scene.panels_of(traces.conventional(rounds=1, work=LATE), traces.releases(1))
    lines = terminal.timeline(panels, (0, 1000), 80)
    marked = [line for line in lines if MISSED.signs[0] in line.plain and "activation" not in line.plain]
    assert len(marked) == 1
    assert any("red" in str(span.style) for span in marked[0].spans)


def test_bars_cover_the_cells_in_which_a_task_ran() -> None:
    panels = scene.panels_of(traces.trace(), traces.releases())
    lines = [line.plain for line in terminal.timeline(panels, (0, 1000), 109)]  # gutter 8, 100 columns of 10 ticks
    bar = next(line for line in lines if line.startswith("Task1"))[8:].ljust(100)
    assert bar == " " * 10 + "█" * 15 + "░" * 13 + "█" * 2 + "░" * 23 + "█" + " " * 36


def test_svg_matches_its_golden_file(tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    show.write("svg", path, scene.panels_of(pair(), traces.releases(2)))
    ET.parse(path)
    assert_golden("show-compare.svg", path.read_text(encoding="utf-8"))


def test_every_kernel_slice_of_the_svg_is_wide_enough_to_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    show.write("svg", path, scene.panels_of(traces.carillon(rounds=40), traces.releases(40)), (0, 10000))
    slices = [e for e in ET.parse(path).iter("{http://www.w3.org/2000/svg}rect") if e.get("fill") == "#111827"]
    assert len(slices) > 30
    assert min(float(e.get("width", "0")) for e in slices) >= 1.6


def test_perfetto_matches_its_golden_file(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    show.write("perfetto", path, scene.panels_of(pair(), traces.releases(2)))
    text = path.read_text(encoding="utf-8")
    events = json.loads(text)["traceEvents"]
    for process, trace in enumerate(pair(), start=1):
        slices = sorted((e["ts"], e["dur"]) for e in events if e["ph"] == "X" and e["pid"] == process)
        assert sum(length for _, length in slices) == pytest.approx(trace.length, abs=0.1)
    assert_golden("show-compare.perfetto.json", text)


def test_vcd_matches_its_golden_file(tmp_path: Path) -> None:
    path = tmp_path / "run.vcd"
    show.write("vcd", path, scene.panels_of(pair(), traces.releases(2)))
    text = path.read_text(encoding="utf-8")
    assert "$date" not in text
    assert_golden("show-compare.vcd", text)


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        (1_000_000, ("1 us", Fraction(1))),
        (100, ("10 ms", Fraction(1))),
        (8_000_000, ("1 ns", Fraction(125))),
        (200_000_000, ("1 ns", Fraction(5))),
        (12_000_000, ("1 ps", Fraction(10**12, 12_000_000))),
    ],
)
def test_the_vcd_timescale_is_the_coarsest_that_fits(units: int, expected: tuple[str, Fraction]) -> None:
    assert timescale_of(units) == expected


def test_html_is_one_file_that_loads_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    show.write("html", path, scene.panels_of(pair(), traces.releases(2)))
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)\s*=|@import|url\(|https?://""", text)
    assert "default-src 'none'" in text
    show.write("html", path, scene.panels_of(pair(), traces.releases(2)))
    assert text == path.read_text(encoding="utf-8")


def test_html_cannot_be_broken_by_names(tmp_path: Path) -> None:
    name = '</script><b a="&'
    table = ((name, 100, 700),)
    path = tmp_path / "run.html"
    show.write("html", path, scene.panels_of(traces.trace(table=table, work={name: 50}), traces.releases(1, table)))
    text = path.read_text(encoding="utf-8")
    assert text.count("</script>") == 2
    assert name not in text
    assert "<" not in text.partition('id="data">')[2].partition("</script>")[0]


def test_the_data_of_the_page_is_that_of_the_analysis(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    both = pair()
    show.write("html", path, scene.panels_of(both, traces.releases(2)), (100, 800))
    found = re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.S)
    assert found
    data = json.loads(found[1])
    assert data["window"] == [100, 800]
    for record, panel in zip(data["panels"], scene.panels_of(both, traces.releases(2)), strict=True):
        for lane, packed in zip(panel.summary.lanes, record["lanes"], strict=True):
            begin, unpacked = 0, []
            for step, length in zip(packed["run"]["b"], packed["run"]["l"], strict=True):
                begin += step
                unpacked.append((begin, begin + length))
            assert unpacked == [(b, e) for b, e, _ in panel.running[lane]]
            assert len(packed["late"]) == len(panel.marks[MISSED].get(lane, []))


BROWSER = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


def opened(path: Path, fragment: str = "", size: str = "1400,900", dark: bool = False) -> str:
    """The page's document after its script has drawn."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    options += ["--disable-component-update", "--disable-sync", f"--user-data-dir={path.parent / 'profile'}", "--dump-dom"]
    options += ["--blink-settings=preferredColorScheme=0"] if dark else []
    command = [str(BROWSER), *options, f"--window-size={size}", "--virtual-time-budget=15000", path.as_uri() + fragment]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.mark.skipif(BROWSER is None, reason="no Chromium")
@pytest.mark.parametrize(
    ("fragment", "lanes"),
    [
        ("", 5),
        ("#q=task1", 3),
        ("#q=%54ask1", 3),
        ("#q=nothing", 2),
        ("#fold=tasks", 2),
        ("#fold=.Task2", 5),
        ("#t=0-9&q=Task3", 3),
    ],
)
def test_the_page_lists_what_is_sought_and_not_folded(tmp_path: Path, fragment: str, lanes: int) -> None:
    path = tmp_path / "run.html"
    show.write("html", path, scene.panels_of(traces.trace(), traces.releases()))
    found = re.search(r'data-lanes="(\d+)/(\d+)"', opened(path, fragment))
    assert found
    assert int(found[2]) == lanes


DRIVER = """<script>(() => {
const $ = id => document.getElementById(id), shown = () => location.hash, at = e => e.getBoundingClientRect();
const wait = () => new Promise(done => setTimeout(done, 400)), said = {};
const wheel = async (id, more) => {
  const before = shown(), e = new WheelEvent("wheel", {deltaY: -120, clientX: 700, cancelable: true, ...more});
  $(id).dispatchEvent(e); await wait();
  return `${e.defaultPrevented ? "taken" : "left"}, ${before === shown() ? "same" : "other"} window`;
};
onload = async () => {
  await wait();
  said.wheel = [await wheel("stage", {}), await wheel("stage", {ctrlKey: true})];
  said.wheel.push(await wheel("axis", {}), await wheel("mini", {}));
  said.help = [...document.querySelectorAll("#help > span")].filter(e => e.offsetWidth).map(e => e.className);
  const {left, top} = at($("stage"));
  $("stage").dispatchEvent(new PointerEvent("pointermove", {clientX: left + 90, clientY: top + HEIGHT}));
  said.tip = $("tip").hidden ? "" : $("tip").textContent;
  said.rail = !$("rail").hidden && at($("thumb")).height < at($("rail")).height;
  said.stay = $("stay").hidden ? 0 : at($("stay")).height;
  said.inside = at(document.querySelector(".foot")).bottom <= innerHeight;
  $("stage").scrollTop = 1e6; await wait();
  said.scrolled = $("stage").scrollTop > 0;
  said.end = Math.abs(at($("picture")).bottom - at($("stage")).bottom) < 2;
  said.page = scrollY;
  dispatchEvent(new Event("beforeprint"));
  said.axes = $("sheets").tHead.rows.length;
  said.paper = $("sheets").tBodies[0].rows.length;
  dispatchEvent(new Event("afterprint"));
  said.after = document.querySelectorAll("#sheets img").length;
  document.body.dataset.said = JSON.stringify(said);
};
})()</script></body>"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium")
@pytest.mark.parametrize("count", [3, 48, 120])
def test_many_lanes_scroll_beneath_the_axis_and_few_do_not(tmp_path: Path, count: int) -> None:
    path = tmp_path / "run.html"
    trace, releases = many(count)
    show.write("html", path, scene.panels_of(trace, releases))
    driver = DRIVER.replace("HEIGHT", "60" if count > 6 else "45")
    path.write_text(path.read_text(encoding="utf-8").replace("</body>", driver), encoding="utf-8")
    dom = opened(path)
    found, lanes = re.search(r'<body data-said="(.*?)"', dom), re.search(r'data-lanes="(\d+)/(\d+)"', dom)
    assert found and lanes
    said, tall = json.loads(html.unescape(found[1])), count > 6
    assert (int(lanes[1]) < int(lanes[2])) == tall
    assert said["wheel"] == ["left, same window" if tall else "taken, other window", *["taken, other window"] * 3]
    assert said["help"] == ["tall" if tall else "low"]
    assert said["tip"] == trace.tasks[0]
    assert said["inside"]
    assert (said["rail"], said["stay"] > 10, said["scrolled"]) == (tall, tall, tall)
    assert said["end"]
    assert said["page"] == 0
    assert said["axes"] == 1
    assert said["paper"] >= count
    assert said["after"] == 0


AT_ONCE = """<script>(() => {
const $ = id => document.getElementById(id), said = {errors: [], keys: {}};
const wait = () => new Promise(done => setTimeout(done, 400));
addEventListener("error", e => said.errors.push(e.message));
const press = key => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
onload = async () => {
  await wait();
  said.dark = matchMedia("(prefers-color-scheme: dark)").matches;
  said.legend = [...document.querySelectorAll("#legend [data-sign]")].filter(e => e.offsetWidth).map(e => e.dataset.sign);
  const shown = $("shown").getBoundingClientRect();
  said.label = shown.left >= 0 && shown.right <= innerWidth && $("shown").scrollWidth <= $("shown").clientWidth;
  said.across = document.documentElement.scrollWidth - innerWidth;
  for (const key of ["+", "End", "Home", "PageDown", "ArrowLeft", "ArrowRight", "-", "0", "+"]) {
    const before = location.hash;
    press(key); await wait();
    said.keys[key] = before !== location.hash;
  }
  $("all").focus(); const before = location.hash; press("0"); await wait();
  said.button = before !== location.hash;
  press("/"); said.search = document.activeElement.id;
  /* What paper hides is hidden before the page is told that it is printed. */
  const style = document.createElement("style");
  style.textContent = "#axis, .lanes, #mini { display: none !important; }";
  document.head.append(style); await wait();
  dispatchEvent(new Event("resize")); await wait();
  dispatchEvent(new Event("beforeprint")); await wait();
  const first = $("sheets").querySelector("img");
  said.printed = first.naturalWidth;
  said.paper = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
  document.body.dataset.said = JSON.stringify(said);
};
})()</script></body>"""


def said_at_once(path: Path, size: str, dark: bool) -> dict[str, Any]:
    path.write_text(path.read_text(encoding="utf-8").replace("</body>", AT_ONCE), encoding="utf-8")
    found = re.search(r'<body data-said="(.*?)"', opened(path, "", size, dark))
    assert found
    said: dict[str, Any] = json.loads(html.unescape(found[1]))
    return said


@pytest.mark.skipif(BROWSER is None, reason="no Chromium")
@pytest.mark.parametrize(("count", "size", "dark"), [(3, "1400,900", False), (40, "600,800", True)])
def test_the_page_takes_keys_at_once_and_is_whole_in_a_narrow_window_and_on_paper(
    tmp_path: Path, count: int, size: str, dark: bool
) -> None:
    path = tmp_path / "run.html"
    trace, releases = many(count)
    show.write("html", path, scene.panels_of(trace, releases), (0, 8 * count // 2))
    said = said_at_once(path, size, dark)
    assert said["errors"] == []
    assert said["dark"] == dark
    assert said["label"]
    assert said["across"] <= 0
    assert said["legend"] == [*(["activation", "deadline met"] if count == 3 else ["tick"]), "runs", "idle", "round"]
    assert [key for key, changed in said["keys"].items() if not changed] == []
    assert said["button"]
    assert said["search"] == "search"
    assert said["printed"] >= 1000
    assert said["paper"] == "#ffffff"


def test_the_page_is_light_and_uncut_on_paper_and_its_label_has_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    show.write("html", path, scene.panels_of(traces.trace(), traces.releases()))
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"@media ([^{]*dark[^{]*) \{", text) == ["screen and (prefers-color-scheme: dark)"]
    narrow, _, paper = text.partition("@media screen and (max-width: 900px) {")[2].partition("@media print {")
    assert ".bar output { flex: 1 0 100%; }" in narrow
    assert ".scroll { overflow: visible;" in paper
    assert "white-space: normal" in paper
    assert "if (self === top && document.activeElement === document.body) stage.focus(" in text
    assert 'stage.addEventListener("keydown"' not in text


def test_every_sign_that_the_page_draws_is_in_its_legend(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    show.write("html", path, scene.panels_of(traces.trace(), traces.releases()))
    text = path.read_text(encoding="utf-8")
    signs = set(re.findall(r'<span data-sign="([^"]+)"', text))
    script = text.partition("function legend() {")[2].partition("\n}\n")[0]
    used = {
        word
        for call in re.findall(r'used\.add\(([^)]*)\)|new Set\(\["(\w+)"\]\)', script)
        for word in re.findall(r"\w+", "".join(call))
    }
    assert used - {"m", "name"} | {mark.name for mark in MARKS} == signs


def test_differences_sum_up_again() -> None:
    assert differences([5, 7, 7, 3]) == [5, 2, 0, -4]
    assert differences([]) == []


def test_overhead_is_borne_by_the_task_served_or_interrupted() -> None:
    panel = scene.panels_of(traces.conventional(rounds=1), traces.releases())[0]
    borne = {lane.name: len(slices) for lane, slices in panel.overhead.items() if slices}
    assert borne == {"Task1": 2, "Task2": 2, "Task3": 3}  # dispatch, terminate; Task3 also the check of a met deadline


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "run.svg"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(ValueError, match="shows nothing"):
        show.write("svg", path, scene.panels_of(traces.trace(), traces.releases()), (5000, 6000))
    assert path.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["run.svg"]


def test_two_traces_need_one_clock() -> None:
    with pytest.raises(ValueError, match="1000000 Hz and 5 Hz"):
        scene.panels_of([traces.trace(), replace(traces.trace(), clock_hz=5)], [])
    with pytest.raises(ValueError, match="not 3"):
        scene.panels_of([traces.trace()] * 3, [])


def test_a_long_round_opens_at_its_first_busy_part() -> None:
    table = tuple((f"T{k % 3}", at, at + 40) for k, at in enumerate(range(20_000, 100_000, 50)))
    trace = traces.trace(table=table, work={"T0": 5, "T1": 5, "T2": 5}, length=200_000)
    trace = replace(trace, tasks=("T0", "T1", "T2"))
    begin, end = scene.default_window(scene.panels_of(trace, traces.releases(1, table, 200_000)))
    assert (begin, end) == (20_000, 21_200)


def test_the_first_window_shows_each_job_to_its_end_if_that_is_near() -> None:
    """Each of 40 tasks preempts the one before, so that of the first 25 activations no job ends."""
    names = [f"T{k}" for k in range(40)]
    table = tuple((name, 100 * k, 20_000) for k, name in enumerate(names))
    trace = traces.trace(table=table, work=dict.fromkeys(names, 300), length=40_000)
    trace = replace(trace, tasks=tuple(names))
    panels = scene.panels_of(trace, traces.releases(1, table, 40_000))
    ends = [run.end.t for run in panels[0].summary.runs if run.end is not None]
    begin, end = scene.default_window(panels)
    assert len(ends) == len(names)
    assert (begin, end) == (0, 12_000)
    assert max(ends) <= end


def test_an_empty_trace_can_be_shown(tmp_path: Path) -> None:
    empty = replace(traces.trace(), events=(), length=0)
    printed(empty, 1)
    show.write("svg", tmp_path / "a.svg", scene.panels_of(empty, []))
    show.write("html", tmp_path / "a.html", scene.panels_of(empty, []))
    show.write("vcd", tmp_path / "a.vcd", scene.panels_of(empty, []))
    show.write("perfetto", tmp_path / "a.json", scene.panels_of(empty, []))


@pytest.mark.parametrize(
    ("ticks", "clock", "text"),
    [
        (250, 1_000_000, "250 µs"),
        (0, 5, "0"),
        (1, 3_000_000, "333.333 ns"),
        (1500, 1_000_000, "1.5 ms"),
        (3, 1, "3 s"),
        (-2, 1000, "-2 ms"),
    ],
)
def test_times_carry_units(ticks: int, clock: int, text: str) -> None:
    assert scene.format_time(ticks, clock) == text


def test_times_on_an_axis_differ() -> None:
    assert scene.format_times([5_293_000, 5_293_500, 5_294_000], 1_000_000) == ["5.293 s", "5.2935 s", "5.294 s"]


def test_tasks_keep_their_colour_in_both_panels() -> None:
    panels = scene.panels_of(pair(), traces.releases(2))
    colours = scene.colours_of(panels)
    assert len(set(colours.values())) == len(colours) == 4
    assert {lane.kind for lane in colours} == {LaneKind.TASK, LaneKind.INTERRUPT}


# The event-triggered system.


@pytest.mark.parametrize("mixed", [False, True])
def test_the_terminal_shows_an_event_triggered_system_by_priority(mixed: bool) -> None:
    text = rendered(traces.osek(mixed), traces.osek_releases(mixed))
    assert max(map(len, text.splitlines())) <= 80
    assert ("Missed" in text, "Deadlines" in text, "missed" in text) == (mixed, mixed, mixed)
    assert_golden("show-mixed.txt" if mixed else "show-osek.txt", text)


def test_where_code_takes_no_time_there_is_one_table() -> None:
    text = rendered(traces.osek(per_tick=0), ())
    assert "Dispatch" not in text
    assert text.count("Execution") == 1


def test_a_task_that_waits_is_told_from_one_that_is_preempted() -> None:
    panels = scene.panels_of(traces.osek(), ())
    lines = [line.plain for line in terminal.timeline(panels, (0, 1000), 109)]  # gutter 8, 100 columns of 10 ticks
    bar = next(line for line in lines if line.startswith("Server"))[8:].ljust(100)
    assert bar == " " * 5 + "██" + "┈" * 27 + "▐█████░░░███████" + "┈" * 50
    lanes = {lane.name: lane for lane in panels[0].summary.lanes}
    assert panels[0].waiting[lanes["Server"]] == [(70, 345, 0), (500, 1000, 0)]
    assert panels[0].preempted[lanes["Server"]] == [(400, 430, 0)]
    assert panels[0].preempted[lanes["Low"]] == [(200, 260, 1), (300, 510, 1)]


def test_only_activations_that_are_known_are_drawn() -> None:
    panel = scene.panels_of(traces.osek(mixed=True), traces.osek_releases(mixed=True))[0]
    drawn = {lane.name: times for lane, times in panel.marks[ACTIVATION].items() if times}
    assert drawn == {"Timed": [450], "Blink": [200, 700]}
    assert {lane.name for lane in panel.summary.lanes if panel.marked(lane)} == {"Timed", "Blink"}


@pytest.mark.parametrize("mixed", [False, True])
def test_the_svg_of_an_event_triggered_system_matches_its_golden_file(tmp_path: Path, mixed: bool) -> None:
    path = tmp_path / "picture.svg"
    show.write("svg", path, scene.panels_of(traces.osek(mixed), traces.osek_releases(mixed)))
    text = path.read_text(encoding="utf-8")
    assert (">deadline<" in text) is mixed
    assert ">waits<" in text
    assert_golden("show-mixed.svg" if mixed else "show-osek.svg", text)


def test_waits_are_exported(tmp_path: Path) -> None:
    perfetto, vcd = tmp_path / "run.json", tmp_path / "run.vcd"
    show.write("perfetto", perfetto, scene.panels_of(traces.osek(mixed=True), traces.osek_releases(mixed=True)))
    show.write("vcd", vcd, scene.panels_of(traces.osek(mixed=True), traces.osek_releases(mixed=True)))
    events = json.loads(perfetto.read_text(encoding="utf-8"))["traceEvents"]
    waits = [(e["ts"], e["dur"]) for e in events if e.get("cat") == "waiting"]
    assert waits == [(70, 275), (500, 500)]
    for thread in {e["tid"] for e in events if e["ph"] == "X"}:
        slices = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e["ph"] == "X" and e["tid"] == thread)
        assert all(end <= begin for (_, end), (begin, _) in pairwise(slices))
    assert_golden("show-mixed.vcd", vcd.read_text(encoding="utf-8"))


@pytest.mark.parametrize("mixed", [False, True])
def test_the_page_of_an_event_triggered_system_has_its_own_tables(tmp_path: Path, mixed: bool) -> None:
    path = tmp_path / "run.html"
    show.write("html", path, scene.panels_of(traces.osek(mixed), traces.osek_releases(mixed)))
    text = path.read_text(encoding="utf-8")
    head = text.partition('<script type="application/json"')[0]
    assert ('<th scope="col" title="Deadlines missed">' in head) is mixed
    assert ("Missed deadline before" in head) is mixed
    assert "waits for an event" in head
    assert head.count('<table class="sortable"') == 1 + mixed
    found = re.search(r'id="data">(.*?)</script>', text, re.S)
    assert found
    data = json.loads(found[1])
    assert data["round"] == (1000 if mixed else 0)
    server = next(lane for lane in data["panels"][0]["lanes"] if lane["name"] == "Server")
    assert (server["sleep"]["b"], server["sleep"]["l"]) == ([70, 430], [275, 500])


def test_the_page_names_the_modes_and_says_times_beside_ticks(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    lengths = (("first", 1000), ("<second>", 250), ("third", 40))
    trace = replace(traces.trace(), modes=((0, "first"), (1000, "<second>")), round_lengths=lengths)
    show.write("html", path, scene.panels_of(trace, traces.releases(2)))
    text = path.read_text(encoding="utf-8")
    found = re.search(r'id="data">(.*?)</script>', text, re.S)
    assert found
    assert json.loads(found[1])["modes"] == [[0, "first"], [1000, "<second>"]]
    assert json.loads(found[1])["rounds"] == dict(lengths)
    cells = re.findall(r"<td data-key=\"[^\"]*\">([^<]*)<small>([^<]*)</small>", text)
    assert cells
    clock = trace.clock_hz
    for ticks, times in cells:
        own = [scene.format_time(Fraction(tick.strip()), clock) for tick in ticks.split("/")]
        assert times == (own[0] if len(own) == 1 else " / ".join(own))


def test_a_budget_that_is_used_up_is_seen_and_said(tmp_path: Path) -> None:
    trace = traces.trace(rounds=2)
    ended = [k for k, event in enumerate(trace.events) if event.kind is Kind.END and event.object == "Task1"]
    events = list(trace.events)
    for k in reversed(ended):
        events.insert(k, events[k]._replace(kind=Kind.BUDGET_OVERRUN))
    over = replace(trace, events=tuple(events))
    plain, text = (printed(it, 2, width=120, window=(0, 700)) for it in (trace, over))
    lines = [line for line in text.splitlines() if "▼" in line]
    assert "▼" not in plain and "Budgets used up" not in plain
    assert len(lines) == 2 and "▼ budget used up" in lines[1] and re.search(r"Budgets used up +2$", text, re.MULTILINE)
    (panel,) = scene.panels_of(over, traces.releases(2))
    assert [task.budget_overruns for task in panel.summary.tasks if task.lane.name == "Task1"] == [2]
    show.write("svg", tmp_path / "a.svg", [panel], (0, 700))
    show.write("perfetto", tmp_path / "a.json", [panel], (0, 700))
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").count(">budget used up<") == 1
    found = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["traceEvents"]
    assert sum(it.get("name") == "budget used up" for it in found) == 2


# Responses.


def test_a_histogram_has_each_response_once_and_its_bound() -> None:
    values = [10] * 5 + [12, 12, 90]
    step, bars = steps_of(values, 120)
    assert sum(bars.values()) == len(values)
    assert max(bars) * step <= 120 - 10
    picture = histogram("A", values, 80, "#123456", 1_000_000)
    counts = [int(count) for count in re.findall(r"ticks: (\d+) job", picture)]
    assert sum(counts) == len(values)
    assert ">bound 80<" in picture
    assert picture.count('fill="var(--missed)"><title>') == 1  # of the job that took 90
    assert 'aria-label="Responses of A: 8 jobs, 10 to 90 ticks; its bound is 80"' in picture
    assert "bound" not in histogram("A", values, None, "#123456", 1_000_000)


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=50), st.none() | st.integers(0, 20_000))
def test_a_histogram_lies_within_its_picture(values: list[int], bound: int | None) -> None:
    picture = histogram("A", values, bound, "#123456", 1_000_000)
    bars = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', picture)
    assert bars
    for x, y, width, height in (map(float, bar) for bar in bars):
        assert x >= 0
        assert y >= 0
        assert x + width <= 280
        assert y + height <= 108
    for x1, x2 in re.findall(r'<line x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)"', picture):
        assert 0 <= float(x1) <= float(x2) <= 280


def test_the_page_has_a_histogram_of_each_task_whose_responses_are_known(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    show.write("html", path, scene.panels_of(traces.osek(mixed=True), traces.osek_releases(mixed=True)))
    head = path.read_text(encoding="utf-8").partition('<script type="application/json"')[0]
    assert re.findall(r'aria-label="Responses of (\w+): (\d+) job', head) == [("Timed", "1"), ("Blink", "2")]


def test_other_formats_have_an_activation_at_its_instant(tmp_path: Path) -> None:
    trace = traces.osek()
    events = sorted((*trace.events, Event(290, 290, Kind.ACTIVATION, "Button")), key=lambda e: e.n)
    panels = scene.panels_of(replace(trace, events=tuple(events)), ())
    text = io.StringIO()
    btf.write(text, panels)
    told = [(int(line[0]), line[6]) for line in csv.reader(text.getvalue().splitlines()) if line[4:5] == ["Button"]]
    assert told == [(290_000, "activate"), (300_000, "start"), (330_000, "terminate")]
    found = [(h.time, h.step) for h in steps.steps(panels[0], 0) if h.lane.name == "Button"]
    assert found == [(290, steps.Step.ACTIVATE), (300, steps.Step.START), (330, steps.Step.TERMINATE)]
    show.write("perfetto", tmp_path / "run.json", panels)
    told_by = [json.loads(line.rstrip(",")) for line in (tmp_path / "run.json").read_text(encoding="utf-8").splitlines()[1:-1]]
    (run,) = [e["args"] for e in told_by if e["name"] == "Button" and e["ph"] == "X"]
    assert (run["release"], run["start_delay"], run["response"]) == (290, 10, 39)
    threads = {e["args"]["name"]: e["tid"] for e in told_by if e["name"] == "thread_name"}
    assert [e["ts"] for e in told_by if e["name"] == "activation" and e["tid"] == threads["Button"]] == [290]
