# SPDX-License-Identifier: Apache-2.0
"""Counts the words of the documents: README, the specification, the design and the guide.

    python scripts/words.py            of the tree
    python scripts/words.py --at REV   of a commit

A word has a letter or a digit.  Pages of codes, and what is generated for the site, do not count.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORD = re.compile(r"\S*\w\S*")
SINGLE = ("README.md", "docs/SPEC.md", "docs/DESIGN.md")


def pages(at: str) -> tuple[list[str], Callable[[str], str]]:
    """The pages' paths, and what reads one."""
    if not at:
        guide = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs" / "guide").glob("*.md"))
        return [*SINGLE, *guide], lambda name: (ROOT / name).read_text(encoding="utf-8")

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout

    guide = [name for name in git("ls-tree", "--name-only", at, "docs/guide/").splitlines() if name.endswith(".md")]
    return [*SINGLE, *guide], lambda name: git("show", f"{at}:{name}")


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at", default="", metavar="REV", help="count the documents of a commit")
    names, read = pages(parser.parse_args().at)
    counts = {name: len(WORD.findall(read(name))) for name in names}
    for name in SINGLE:
        print(f"{counts[name]:7} {name}")
    print(f"{sum(n for name, n in counts.items() if name not in SINGLE):7} docs/guide, {len(counts) - len(SINGLE)} pages")
    print(f"{sum(counts.values()):7} in all")


if __name__ == "__main__":
    main()
