# SPDX-License-Identifier: Apache-2.0
"""Searches for faults: the random tests, with other draws than those that ``make test`` draws, for as long as is asked for.

    python tests/search.py                        each search for a minute
    python tests/search.py allocation --for 600   one, for ten minutes
    python tests/search.py --list                 their names, and which tests they are
    python tests/search.py allocation --seed 17   once, with the draws of that seed: a fault that was found comes again

A search says how many times it ran its tests, with which seeds, and which tests failed with which seed.  It ends with 1 if any
did.  Where a fault was mended, its case goes into the test, as an example: ``make test`` draws the same cases each time.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Search:
    """Tests with random cases; ``tries``: how many each of them tries, if not as many as by default."""

    tests: str
    tries: int | None = None


SEARCHES = {
    "allocation": Search(
        "tests/tool/test_allocate.py tests/tool/test_allocate_best.py tests/tool/test_allocate_errors.py "
        "tests/tool/test_allocate_osek.py tests/tool/test_allocate_progressions.py tests/tool/test_allocate_ranks.py "
        "tests/tool/test_allocate_search.py tests/tool/test_share.py tests/tool/test_advice.py"
    ),
    "analysis": Search(
        "tests/tool/test_analyse.py tests/tool/test_simulation.py tests/tool/test_memory.py tests/tool/test_times.py"
    ),
    "readers": Search(
        "tests/tool/test_read_fuzz.py tests/tool/test_oil.py tests/tool/test_oil_fuzz.py tests/tool/test_arxml_random.py "
        "tests/tool/test_board.py tests/tool/test_spans.py tests/tool/test_show_table.py tests/giotto/test_giotto_reader.py"
    ),
    "builds": Search("tests/tool/test_warm_build.py tests/tool/test_processes.py"),
    "queue": Search("tests/time/test_clock.py tests/time/test_queue.py"),
    "network": Search("tests/network"),
    "microcode": Search("tests/giotto/test_microcode.py"),
    "osek": Search("tests/osek/test_model_based.py", tries=20),
    "responses": Search("tests/response/test_systems.py", tries=40),
    "rounds": Search("tests/rounds", tries=8),
    "threads": Search("tests/threads", tries=2),
    "expiries": Search("tests/firmware/test_lost_expiries.py"),
    "tables": Search("tests/firmware/test_schedule_tables.py tests/firmware/test_tables_on_cells.py", tries=20),
}
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+.*)$", re.MULTILINE)


def once(search: Search, seed: int) -> tuple[list[str], str]:
    """Run a search's tests with the draws of a seed: which failed, and all that pytest said."""
    given = {"CARILLON_SEARCH": "1", "CARILLON_SEED": str(seed)}  # the seed of hypothesis is an argument
    if search.tries is not None:
        given["CARILLON_TRIES"] = str(search.tries)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--hypothesis-seed={seed}", *search.tests.split()]
    done = subprocess.run(command, cwd=TREE, env=os.environ | given, capture_output=True, text=True, check=False)
    failed = FAILED.findall(done.stdout)
    if done.returncode not in (0, 1) or bool(failed) != (done.returncode == 1):
        failed.append(f"pytest ended with {done.returncode}")
    return failed, done.stdout + done.stderr


def go(name: str, seconds: float, first: int, log: Path) -> bool:
    """Search until the time is over, once at least; whether nothing was found."""
    begin, seed, found = time.monotonic(), first, 0
    while seed == first or time.monotonic() - begin < seconds:
        failed, said = once(SEARCHES[name], seed)
        if failed:
            found += 1
            place = log / f"{name}-{seed}.txt"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(said, encoding="utf-8")
            for test in failed:
                print(f"{name}: seed {seed}: {test}", flush=True)
            print(f"{name}: seed {seed}: all that was said is in {os.path.relpath(place)}", flush=True)
        seed += 1
    tried = f"seeds {first} to {seed - 1}" if seed - first > 1 else f"seed {first}"
    faults = f"{found} of them failed" if found else "nothing found"
    print(f"{name}: {tried} in {time.monotonic() - begin:.0f} s: {faults}", flush=True)
    return not found


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which searches; all if none is named")
    parser.add_argument("--for", dest="seconds", type=float, default=60.0, metavar="SECONDS", help="how long each (60)")
    parser.add_argument("--seed", type=int, help="only the draws of this seed")
    parser.add_argument("--first", type=int, metavar="SEED", help="the first seed (one that the time of day gives)")
    parser.add_argument("--log", type=Path, default=TREE / "build" / "search", help="where what failed is written")
    parser.add_argument("--list", action="store_true", help="the names, and which tests they are")
    given = parser.parse_args()
    if given.list:
        for name, search in SEARCHES.items():
            print(f"{name:12} {search.tests}")
        return 0
    unknown = [name for name in given.names if name not in SEARCHES]
    if unknown:
        parser.error(f"no search is called {', '.join(unknown)}; there are {', '.join(SEARCHES)}")
    first = given.seed if given.seed is not None else given.first if given.first is not None else int(time.time()) % 10**6
    seconds = 0.0 if given.seed is not None else given.seconds
    quiet = [go(name, seconds, first, given.log) for name in given.names or SEARCHES]
    return 0 if all(quiet) else 1


if __name__ == "__main__":
    sys.exit(main())
