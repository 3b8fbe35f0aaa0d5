# SPDX-License-Identifier: Apache-2.0
"""What ``carillon build`` takes for an application, cold and warm, start of the interpreter and compiler runs included.

    python bench/build.py [SCHEDULE] [--board NAME] [--repeat N]

Cold: into a folder that does not exist.  Warm: again into that folder, nothing changed.  One file: again after the
application's first file was touched by an edit.  The caches of compiled Python exist, as an installation has them.  Seconds
are of this machine and these runs, the least of so many: of the processor, the compilers' included, and by the clock.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[1] / "examples" / "engine"


def seconds(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """The processor's time and the clock's of one run, which must succeed."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, end - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedule", type=Path, nargs="?", default=ENGINE / "schedule.toml")
    parser.add_argument("--board", default="ast1030-evb")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    samples: dict[str, list[tuple[float, float]]] = {"cold": [], "warm": [], "one file": []}
    with tempfile.TemporaryDirectory() as folder:
        application = shutil.copytree(
            arguments.schedule.resolve().parent, Path(folder) / "application", ignore=lambda *_: {"build"}
        )
        out = Path(folder) / "out"
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "caches")
        file = application / arguments.schedule.name
        command = [sys.executable, "-m", "carillon", "build", str(file), "--board", arguments.board, "--out", str(out)]
        edited = min(application.glob("*.c"))
        seconds(command, environment)
        for number in range(arguments.repeat):
            shutil.rmtree(out)
            samples["cold"].append(seconds(command, environment))
            samples["warm"].append(seconds(command, environment))
            edited.write_text(edited.read_text(encoding="utf-8") + f"/* {number} */\n", encoding="utf-8")
            samples["one file"].append(seconds(command, environment))
    print(f"{'':10} {'processor':>10} {'clock':>8}")
    for name, found in samples.items():
        print(f"{name:10} {min(s[0] for s in found):10.2f} {min(s[1] for s in found):8.2f}")


if __name__ == "__main__":
    main()
