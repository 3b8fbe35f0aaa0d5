# SPDX-License-Identifier: Apache-2.0
"""What ``carillon plan`` takes for a schedule of thousands of points, start of the interpreter included.

    python bench/plan.py [--points N ...] [--repeat N]

A round of 50 tasks, each activated once in each turn of all of them, in an order drawn anew for every turn.  Every activation has
a deadline within its slot that a cell watches.  Half of the points are activations.  The board is virtual-256.  Seconds are those
of the processor, of this machine and this run, and the least of so many runs, with the caches of compiled Python that an
installation has.  Calls are exact, so that their ratio to the points shows whether the work grows with them.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

TASKS = 50
SLOT = 400  # ticks from one activation to the next

COMMAND = """
import contextlib, io, sys
from carillon.cli import main
sys.argv = ["carillon", "plan", sys.argv[1]]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
print(*sorted({name.partition(".")[0] for name in sys.modules} & {"ortools", "pandas", "numpy"}))
"""


def schedule(points: int, seed: int = 1) -> str:
    """A schedule of so many points, a multiple of 100."""
    chance = random.Random(seed)
    turns = points // 2 // TASKS
    order = [task for _ in range(turns) for task in chance.sample(range(TASKS), TASKS)]
    lines = ["[system]", 'name = "many"', 'board = "virtual-256"']
    lines += [f'[task.T{task}]\nwcet = "1us"' for task in range(TASKS)]
    lines += ["[mode.many]", f'round = "{len(order) * SLOT} ticks"', "points = ["]
    for number, task in enumerate(order):
        end = number * SLOT + chance.randrange(2, SLOT)
        lines.append(f'{{ at = "{number * SLOT} ticks", activate = "T{task}", deadline_at = "{end} ticks" }},')
    return "\n".join([*lines, "]", ""])


def seconds(file: Path, caches: Path) -> tuple[float, str]:
    """The processor's time for one plan, and which large packages it loaded."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(caches)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", COMMAND, str(file)], env=environment, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout.strip() or "none"


def calls(file: Path) -> int:
    """The function calls of a plan, the imports left out."""
    from rich.console import Console

    from carillon.diagnostics import Diagnostics
    from carillon.pipeline import plan
    from carillon.show.plan import render_plan

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(file=nowhere, width=110)

        def work() -> None:
            render_plan(console, plan(file, Diagnostics()))

        work()
        profile = cProfile.Profile()
        profile.runcall(work)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, nargs="+", default=[500, 1000, 2500, 5000])
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    print(f"{'points':>8} {'seconds':>8} {'calls':>10} {'calls/point':>12} packages")
    with tempfile.TemporaryDirectory() as folder:
        file, caches = Path(folder) / "schedule.toml", Path(folder) / "caches"
        for points in arguments.points:
            file.write_text(schedule(points), encoding="utf-8")
            seconds(file, caches)
            samples = [seconds(file, caches) for _ in range(arguments.repeat)]
            number = calls(file)
            print(f"{points:8} {min(samples)[0]:8.2f} {number:10} {number / points:12.0f} {samples[0][1]}")


if __name__ == "__main__":
    main()
