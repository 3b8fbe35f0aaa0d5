# SPDX-License-Identifier: Apache-2.0
"""How large the page of a long run is, and how soon it is drawn.

    python bench/page.py [--tasks N] [--for TIME] [--keep FILE]

A schedule of so many tasks, each with a deadline, runs on ``virtual-256``.  ``carillon show --html`` writes the page, and a
headless Chromium opens it in a window of 1440 by 900 pixels.  Printed are the tool's seconds, the size of the page, and the
milliseconds from the navigation until the page's script has drawn (its own ``performance.now()``).  Also how many lanes are in
the first screen.  Times are of this machine and this run; everything else is exact.  Without Chromium the first two are measured
and the others are not, which is said.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PERIODS = (5, 10, 20, 40, 50, 100, 200)
"""Milliseconds; a task has the next one in turn."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--window-size=1440,900"),
)
PATIENCE = 300.0  # seconds


def application(folder: Path, tasks: int) -> None:
    """The schedule and its code: task k has an offset of k times 90 µs and works 20 µs, its deadline is 4 ms after that."""
    lines = ["[system]", 'name = "page"', 'board = "virtual-256"', 'on_deadline_miss = "continue"']
    code = ['#include "carillon/osektime.h"']
    for k in range(tasks):
        period, offset = PERIODS[k % len(PERIODS)], 90 * k % 4000
        lines += [f"[task.T{k}]", 'wcet = "25 us"', f'period = "{period} ms"', f'offset = "{offset} us"', 'deadline = "900 us"']
        code += [f"ttTASK(T{k});", f"ttTASK(T{k})", "{", "    carillon_work(20);", "}"]
    (folder / "schedule.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "app.c").write_text("\n".join(code) + "\n", encoding="utf-8")


def drawn(page: Path, folder: Path) -> tuple[float, int, int] | None:
    """Milliseconds until the page was drawn, lanes in the first screen, and lanes; None without a browser."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        return None
    command = [browser, *OPTIONS, f"--user-data-dir={folder / 'profile'}", "--dump-dom", page.resolve().as_uri()]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    found = re.search(r'<html[^>]* data-drawn="([\d.]+)" data-lanes="(\d+)/(\d+)"', result.stdout)
    if found is None:
        sys.exit("the page was not drawn: its script failed, or the browser gave up")
    return float(found[1]), int(found[2]), int(found[3])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=50, metavar="N")
    parser.add_argument("--for", dest="length", default="10s", metavar="TIME", help="length of the run")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="where to leave the page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="carillon-page-") as scratch:
        folder = Path(scratch)
        application(folder, options.tasks)
        page = folder / "page.html"
        tool = [
            str(Path(sys.executable).with_name("carillon")),
            "show",
            str(folder),
            "--for",
            options.length,
            "--html",
            str(page),
        ]
        begin = time.perf_counter()
        subprocess.run(tool, check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
        print(f"carillon show           {time.perf_counter() - begin:.1f} s")
        print(f"page                    {page.stat().st_size / 1e6:.2f} MB")
        figures = drawn(page, folder)
        if figures is None:
            print(f"drawn                   not measured: no Chromium here ({', '.join(BROWSERS)}); apt-get install chromium")
        else:
            print(f"drawn after             {figures[0]:.0f} ms")
            print(f"lanes in first screen   {figures[1]} of {figures[2]}")
        if options.keep:
            shutil.copyfile(page, options.keep)


if __name__ == "__main__":
    main()
