# SPDX-License-Identifier: Apache-2.0
"""Writes the figures of docs/TESTED.md: what is tested, counted in the tree, and what runs have left behind.

    python scripts/tested.py            print them
    python scripts/tested.py --write    put them into the page

A figure that a run leaves behind is that of the run's own record, which a test holds against what it is of.  The proofs' is
tests/proof/recorded.json, by ``prove.py --record``; that of coverage is tests/coverage/recorded.json, by ``make coverage``.
Campaigns (tests/campaigns/recorded.json) are what the ``--json`` of their commands has said.  What has been fuzzed is the sum of
the runs with ``fuzz.py --record`` (tests/fuzz/recorded.json).
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "TESTED.md"
CAMPAIGNS = ROOT / "tests" / "campaigns" / "recorded.json"
FUZZING = ROOT / "tests" / "fuzz" / "recorded.json"
BEGIN, END = "<!-- figures: python scripts/tested.py --write -->\n", "<!-- end of figures -->\n"
sys.path[:0] = [str(ROOT / "tests" / "proof"), str(ROOT / "tests" / "coverage")]

GROUPS = {
    "the queue, the clock and other parts of the kernel, as functions": ("kernel", "time", "hardware"),
    "proofs, and models of races": ("proof", "spin"),
    "whole images in emulators": ("firmware", "rounds", "threads", "osek", "network", "response"),
    "conformance to OSEK and AUTOSAR": ("conformance",),
    "races: an interrupt at each instruction": ("races",),
    "Giotto and microcode": ("giotto",),
    "the tool": ("tool", "fuzz"),
}
"""The folders of tests, by what they are of."""


class Campaign(TypedDict):
    """What is kept of a campaign: its command, the cells' expiries, and by kind of fault how many runs had each outcome."""

    command: str
    expiries: int
    kinds: dict[str, dict[str, int]]


def functions(folder: Path) -> int:
    """How many test functions a folder has."""
    names = (path for path in folder.rglob("test_*.py"))
    trees = (ast.walk(ast.parse(path.read_text(encoding="utf-8"))) for path in names)
    return sum(isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for tree in trees for node in tree)


def code_lines(folder: str) -> int:
    """The lines of C in a folder that are neither empty nor comments."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / folder).rglob("*.[ch]")))
    return sum(bool(line.strip()) for line in re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).splitlines())


def figures() -> Iterator[str]:
    """The lines of the page's figures."""
    import measure
    import prove

    yield "| tests of | functions |\n|---|--:|\n"
    found = {what: sum(functions(ROOT / "tests" / folder) for folder in folders) for what, folders in GROUPS.items()}
    for what, count in found.items():
        yield f"| {what} | {count:,} |\n"
    yield f"| **all** | **{sum(found.values()):,}** |\n\n"
    refused = {
        kind: len(list((ROOT / "tests" / "tool" / kind).glob("*.txt")))
        for kind in ("bad_plan", "bad_build", "bad_network", "bad_upload")
    }
    deviations = len(re.findall(r"^\| \d", (ROOT / "docs" / "MISRA.md").read_text(encoding="utf-8"), re.MULTILINE))
    yield "| | |\n|---|--:|\n"
    yield f"| lines of C in `kernel/`, without comments | {code_lines('kernel'):,} |\n"
    yield f"| lines of C in `cells/` and `ports/` | {code_lines('cells') + code_lines('ports'):,} |\n"
    yield f"| boards | {len([p for p in (ROOT / 'boards').iterdir() if (p / 'board.toml').is_file()])} |\n"
    yield f"| wrong inputs, each beside its whole message | {sum(refused.values())} |\n"
    yield f"| rules of MISRA C:2012 with a recorded deviation | {deviations} |\n"
    jobs = prove.jobs_of(prove.TABLE.read_text(encoding="utf-8"), prove.TABLE.name)
    yield f"| proofs, of three runs each | {len(jobs)} |\n\n"
    yield prove.table(jobs, json.loads(prove.RECORD.read_text(encoding="utf-8"))) + "\n\n"
    yield "What the unit tests and the tests on virtual boards reach (`make coverage`):\n\n"
    reached = json.loads(measure.RECORDED.read_text(encoding="utf-8"))
    yield measure.table(reached, measure.read_limits(measure.LIMITS), markdown=True, each_file=False) + "\n\n"
    yield from campaigns(json.loads(CAMPAIGNS.read_text(encoding="utf-8")))
    yield from fuzzed(json.loads(FUZZING.read_text(encoding="utf-8")))


def campaigns(recorded: list[Campaign]) -> Iterator[str]:
    """The table of the campaigns that were kept: of each one its kinds of faults, and what became of them."""
    outcomes = ("runs", "tolerated", "detected", "lost", "hung")
    yield "What became of one fault in each run, in campaigns that were run once whole ([outcomes](SPEC.md#campaigns)):\n\n"
    yield f"| campaign | fault | {' | '.join(outcomes)} |\n|---|---|{'--:|' * len(outcomes)}\n"
    for one in recorded:
        for number, (kind, found) in enumerate(one["kinds"].items()):
            named = f"`{one['command']}`: {one['expiries']:,} expiries" if not number else ""
            yield f"| {named} | {kind} | {' | '.join(f'{found[outcome]:,}' for outcome in outcomes)} |\n"


def fuzzed(recorded: dict[str, dict[str, int]]) -> Iterator[str]:
    """The table of what has been drawn for each reader of files."""
    yield "\nWhat has been drawn for each reader of files (`make fuzz`); a fault was mended, and its input is kept:\n\n"
    yield "| reader | inputs | hours of a processor | faults |\n|---|--:|--:|--:|\n"
    every = {what: sum(sums[what] for sums in recorded.values()) for what in ("inputs", "seconds", "faults")}
    for name, sums in (*recorded.items(), ("**all**", every)):
        yield f"| {name} | {sums['inputs']:,} | {sums['seconds'] / 3600:.2f} | {sums['faults']} |\n"


def page(text: str, found: str) -> str:
    """The page with other figures."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE.name} has no place for figures: the lines {BEGIN.strip()} and {END.strip()}")
    return f"{before}{BEGIN}\n{found}\n{END}{after}"


def main() -> None:
    """Print the figures, or write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the figures into the page")
    told = parser.parse_args()
    found = "".join(figures())
    if told.write:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
        subprocess.run(["git", "diff", "--stat", "--", str(PAGE)], cwd=ROOT, check=False)
    else:
        print(found, end="")


if __name__ == "__main__":
    main()
