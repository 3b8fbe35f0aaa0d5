# SPDX-License-Identifier: Apache-2.0
"""What the guide says in words about ``examples/three-tasks`` is what runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/guide/measuring.md"


def start_delays(kernel: str, folder: Path) -> set[float]:
    """Ticks from each task's activation to its start on the example's board."""
    command = [sys.executable, "-m", "carillon", "run", str(ROOT / "examples" / "three-tasks"), "--kernel", kernel, "--json"]
    done = subprocess.run([*command, "--out", str(folder)], capture_output=True, text=True, check=True, timeout=300)
    (run,) = json.loads(done.stdout)["runs"]
    delays = [task["start_delay"] for task in run["summary"]["tasks"]]
    return {delay[which] for delay in delays for which in ("min", "max")}


def test_every_task_starts_as_late_as_is_said(tmp_path: Path) -> None:
    (conventional,), (own,) = start_delays("conventional", tmp_path / "conventional"), start_delays("carillon", tmp_path / "own")
    said = f"Every task starts {conventional} ticks after its activation in the conventional kernel, and {own} in Carillon"
    assert said in " ".join((ROOT / PAGE).read_text(encoding="utf-8").split())
