# SPDX-License-Identifier: Apache-2.0
"""The event-triggered examples: the same story on every board and however they are dispatched; and a round that does
not notice the event-triggered system in its idle time."""

from __future__ import annotations

from pathlib import Path

import pytest
from laboratory import AST, MPS, ROOT, VIRTUAL_AST, Laboratory, Outcome, declared, points, task, works

from carillon.diagnostics import Diagnostics
from carillon.model.board import Role
from carillon.pipeline import read_and_check
from carillon.trace import Kind

EXAMPLES = ROOT / "examples"
RED, YELLOW, GREEN = 0, 1, 2
STORIES = {
    "osek-blinky/schedule.toml": (45, [("led", 1), ("led", 0), ("led", 1), ("led", 0)]),
    "producer-consumer/schedule.toml": (95, [("done", 25), ("lost", 2), ("done", 45), ("done", 65), ("done", 85)]),
    "mixed-mode/schedule.toml": (20, [("angle", 2), ("beat", 1), ("angle", 4), ("angle", 6), ("beat", 2), ("angle", 8)]),
    "oil-only/crossing.oil": (
        44,
        [
            *(("cars", YELLOW), ("walkers", RED)),
            *(("cars", RED), ("walkers", GREEN)),
            *(("cars", RED), ("walkers", RED)),
            *(("cars", GREEN), ("walkers", RED)),
        ],
    ),
    "schedule-tables/schedule.toml": (
        60,
        [
            *(("fan", 25), ("spark", 8), ("flame", 12)),
            *(("fan", 50), ("control", 15), ("report", 22)),
            *(("fan", 75), ("control", 25), ("report", 32)),
            *(("fan", 100), ("control", 35), ("out", 3)),
        ],
    ),
    "arxml-4": (46, [("window", 1), ("window", 0), ("window", 1), ("window", 0)]),
    "arxml-3/wiper.arxml": (
        30,
        [
            *(("ignition", 1), ("wipes", 1), ("washes", 1), ("washed", 1)),
            *(("parked", 1), ("wipes", 2), ("parked", 2), ("wipes", 3)),
        ],
    ),
}
"""Example -> milliseconds to run, and what it says meanwhile, but for how much of a stack was used."""

VARIANTS = [
    *((board, "hardware") for board in (AST, MPS, VIRTUAL_AST)),
    *((board, "software") for board in (AST, MPS, VIRTUAL_AST)),
    *((board, "conventional") for board in (AST, MPS, VIRTUAL_AST)),
]
CASES = [
    (example, board, variant)
    for example in STORIES
    for board, variant in VARIANTS
    if variant != "software" or example.endswith(".toml")  # other files do not say who dispatches
    if not example.startswith("arxml") or (variant == "hardware" and board != MPS)  # the kernel is not what they show
]


def with_software_dispatch(schedule: Path, folder: Path) -> Path:
    """The same schedule with dispatch = "software"; its sources stay where they are."""
    text = schedule.read_text(encoding="utf-8").replace("[system]", f'[system]\nsources = ["{schedule.parent / "main.c"}"]')
    if "[osek]\n" in text:
        text = text.replace("[osek]\n", '[osek]\ndispatch = "software"\n')
    else:
        text = text.replace("[osek.", '[osek]\ndispatch = "software"\n\n[osek.', 1)
    path = folder / "schedule.toml"
    path.write_text(text, encoding="utf-8")
    return path


def run_example(lab: Laboratory, example: str, board: str, variant: str, folder: Path) -> Outcome:
    """Run an example for the time of its story."""
    path = EXAMPLES / example
    if variant == "software":
        path = with_software_dispatch(path, folder)
    ticks = STORIES[example][0] * read_and_check(path, Diagnostics(), board).clock_hz // 1000
    kernel = "conventional" if variant == "conventional" else "carillon"
    return lab.run_file(path, board, kernel=kernel, ticks=ticks)


@pytest.mark.parametrize(("example", "board", "variant"), CASES)
def test_an_example_tells_its_story_on_every_board_however_it_is_dispatched(
    lab: Laboratory, example: str, board: str, variant: str, tmp_path: Path
) -> None:
    outcome = run_example(lab, example, board, variant, tmp_path)
    assert [line for line in outcome.reported if line[0] != "stack"] == STORIES[example][1]
    stacks = outcome.said("stack")
    if stacks and board == VIRTUAL_AST:
        assert set(stacks) == {0}  # contexts of the host have stacks of their own
    else:
        assert all(0 < used < 512 for used in stacks)


def kernel_code(outcome: Outcome, task: str) -> tuple[int, ...]:
    """Instructions of the kernel before a task's first and after its last: the least and the most of each."""
    figures = outcome.task(task)
    assert figures.dispatch is not None
    assert figures.terminate is not None
    return figures.dispatch.minimum, figures.dispatch.maximum, figures.terminate.minimum, figures.terminate.maximum


ROUND = """
[task.Current]
period = "1ms"
deadline = "400us"

[task.Position]
period = "5ms"
offset = "400us"
deadline = "3ms"
monitor = "if-cells-allow"
"""


@pytest.mark.parametrize("variant", ["hardware", "software"])
@pytest.mark.parametrize("board", [AST, MPS])
def test_time_triggered_tasks_start_and_end_as_if_they_were_alone(
    lab: Laboratory, board: str, variant: str, tmp_path: Path
) -> None:
    mixed = run_example(lab, "mixed-mode/schedule.toml", board, variant, tmp_path)
    alone = lab.run(ROUND, works(Current=3000, Position=4000), board, rounds=4)
    preempted = set(mixed.at(Kind.PREEMPT, "Logger")) | set(mixed.at(Kind.PREEMPT, "Host"))
    assert preempted & set(mixed.at(Kind.ENTER, "Current")), "the event-triggered system is busy at some activation"
    for name in ("Current", "Position"):
        releases = [r.release.at for r in mixed.summary.runs if r.lane.name == name and r.release]
        assert len(releases) == len(mixed.at(Kind.ENTER, name)) == len(mixed.at(Kind.START, name))
        assert mixed.at(Kind.ENTER, name) == [at * mixed.per_tick for at in releases]
        own = mixed.task(name)
        assert len(mixed.delays(name)) == 1
        if mixed.cells(Role.ACTIVATION, name) == alone.cells(Role.ACTIVATION, name):
            assert mixed.delays(name) == alone.delays(name)
            assert kernel_code(mixed, name) == kernel_code(alone, name)
        else:
            assert board == MPS, "its cells are of three kinds"
        assert (own.jitter, own.unstarted, own.deadlines_missed) == (0, 0, 0)


OSEK = """
[osek.task.High]
priority = 2
autostart = true
events = ["Due"]

[osek.task.Low]
priority = 1

[osek.event.Due]

[osek.counter.Clock]
tick = "2500 ticks"

[osek.alarm.ForHigh]
counter = "Clock"
set_event = { task = "High", event = "Due" }
autostart = { at = 2, cycle = 5 }

[osek.alarm.ForLow]
counter = "Clock"
activate = "Low"
autostart = { at = 1, cycle = 3 }
"""
OSEK_CODE = """
TASK(High) { for (;;) { (void)WaitEvent(Due); (void)ClearEvent(Due); carillon_work(800u); } }
TASK(Low) { carillon_work(3000u); TerminateTask(); }
"""
SWITCH = (
    "static unsigned n; carillon_work(20u); if (++n % 3u == 0u) { (void)ttSwitchAppMode(ttGetActiveApplicationMode() ^ 1u); }"
)


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_rounds_and_event_triggered_tasks_go_on_through_switches_of_the_mode(lab: Laboratory, board: str, dispatch: str) -> None:
    rounds = declared(A=0, B=0) + points(10_000, (1000, "A", 3000), mode="one")
    rounds += points(15_000, (2000, "A", 4000), (5000, "B", 7000), mode="two")
    code = task("A", SWITCH) + works(B=300) + OSEK_CODE
    schedule = f'{rounds}[osek]\ndispatch = "{dispatch}"\n{OSEK}'
    outcome = lab.run(schedule, code, board, ticks=4 * (30_000 + 45_000))
    entered = [e.n // outcome.per_tick for e in outcome.events(Kind.ENTER, of="A")]
    one, two = [1000, 11_000, 21_000], [32_000, 47_000, 62_000]
    expected = [75_000 * k + at for k in range(4) for at in (*one, *two)]
    assert entered == expected
    assert len(outcome.at(Kind.ENTER, "B")) == 12
    assert len(outcome.at(Kind.START, "Low")) == pytest.approx(300_000 / 7500, abs=1)
