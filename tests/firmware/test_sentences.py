# SPDX-License-Identifier: Apache-2.0
"""What README and the guide say in words about ``examples/three-tasks`` is what runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/guide/measuring.md")


def start_delays(kernel: str, folder: Path) -> set[float]:
    """Ticks from each task's activation to its start on the example's board."""
    command = [sys.executable, "-m", "carillon", "run", str(ROOT / "examples" / "three-tasks"), "--kernel", kernel, "--json"]
    done = subprocess.run([*command, "--out", str(folder)], capture_output=True, text=True, check=True, timeout=300)
    (run,) = json.loads(done.stdout)["runs"]
    delays = [task["start_delay"] for task in run["summary"]["tasks"]]
    return {delay[which] for delay in delays for which in ("min", "max")}


def text(page: str) -> str:
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


@pytest.mark.parametrize("page", PAGES)
def test_every_task_of_the_conventional_kernel_starts_as_late_as_is_said(page: str, tmp_path: Path) -> None:
    (delay,) = start_delays("conventional", tmp_path / "build")
    assert f"very task starts {delay} ticks after its activation" in text(page)


def test_a_task_of_ours_starts_as_late_as_is_said(tmp_path: Path) -> None:
    (delay,) = start_delays("carillon", tmp_path / "build")
    assert f"A task starts {delay} ticks after its activation" in text("README.md")
