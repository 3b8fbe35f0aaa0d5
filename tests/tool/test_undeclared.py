# SPDX-License-Identifier: Apache-2.0
"""An interrupt above the rounds, whose load nothing declares, is said by name wherever the end of a task is checked (C310)."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_bad_inputs import messages

SCHEDULE = """
[system]
board = "virtual-tiny"

[task.fuel]
period = "1ms"
{task}

[mode.run]
window = "{window}"
{points}

[interrupt.knock]
source = "ext0"
{interrupt}
"""


def said(folder: Path, *, task: str, interrupt: str = "", window: str = "deadline", points: str = "") -> str:
    path = folder / "schedule.toml"
    path.write_text(SCHEDULE.format(task=task, interrupt=interrupt, window=window, points=points))
    return messages(path)


@pytest.mark.parametrize(
    ("task", "window"),
    [
        ('wcet = "20us"\ndeadline = "500us"', "deadline"),
        ('wcet = "20us"\ndeadline = "500us"\nmonitor = "never"', "deadline"),
        ('wcet = "20us"\noverrun = "never"', "deadline"),
        ('wcet = "20us"', "wcet"),
    ],
)
def test_an_interrupt_above_tasks_is_named_where_their_end_is_checked(task: str, window: str, tmp_path: Path) -> None:
    found = said(tmp_path, task=task, window=window)
    assert found.count("C310") == 1
    assert "warning C310: the interrupt 'knock'" in found
    assert "neither how long it takes nor how often it comes: that 'fuel' end" in found
    assert "C310" not in said(tmp_path, task=task, window=window, interrupt='priority = "below-tasks"')


def test_points_bound_how_often_an_interrupt_comes_and_not_how_long_it_takes(tmp_path: Path) -> None:
    task, points = 'wcet = "20us"\ndeadline = "500us"', 'points = [{ at = "100us", enable = "knock" }]'
    found = said(tmp_path, task=task, points=points)
    assert "the schedule does not say how long it takes: that 'fuel' end" in found


@pytest.mark.parametrize("task", ["", 'deadline = "500us"', 'wcet = "20us"'])
def test_nothing_is_said_where_no_end_of_a_task_is_checked_that_is_relied_on(task: str, tmp_path: Path) -> None:
    assert "C310" not in said(tmp_path, task=task)
