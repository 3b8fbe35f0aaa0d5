# SPDX-License-Identifier: Apache-2.0
"""Makes the tree that of a release: python scripts/release.py VERSION DATE.

The version stands in tool/carillon/__init__.py.  Whatever else names it is made from it, or written here.  What CHANGELOG.md
has under "Unreleased" becomes the notes of the release.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMED = {
    "tool/carillon/__init__.py": r'(__version__ = ")[^"]+(")',
    "packages/platformio/library.json": r'("version": ")[^"]+(")',
    "packages/cmake/CMakeLists.txt": r"(GIT_TAG v)[0-9.]+( )",
}
"""The files that name the version, and how."""
UNRELEASED = "## [Unreleased]\n"
NONE_YET = "\nThere is no release yet. The first one will be 0.1.0.\n"


def named() -> dict[str, str]:
    """The version that each of the files names."""
    found = {}
    for name, pattern in NAMED.items():
        said = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"))
        found[name] = "" if said is None else said[0][len(said[1]) : -len(said[2])]
    return found


def noted(changelog: str, version: str, date: str) -> str:
    """The change log, with what is not released yet as the notes of a release."""
    if f"## [{version}]" in changelog:
        raise SystemExit(f"CHANGELOG.md has {version} already")
    if not re.search(re.escape(UNRELEASED) + r"(?:(?!\n## ).)*?\n- ", changelog, re.DOTALL):
        raise SystemExit('CHANGELOG.md has nothing under "Unreleased"')
    return changelog.replace(NONE_YET, "").replace(UNRELEASED, f"{UNRELEASED}\n## [{version}] - {date}\n", 1)


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", help="such as 0.1.0")
    parser.add_argument("date", help="such as 2026-12-01")
    given = parser.parse_args()
    if not re.fullmatch(r"\d+\.\d+\.\d+", given.version) or not re.fullmatch(r"\d{4}-\d\d-\d\d", given.date):
        parser.error("a version is three numbers with points, and a date is YEAR-MONTH-DAY")
    changelog = ROOT / "CHANGELOG.md"
    notes = noted(changelog.read_text(encoding="utf-8"), given.version, given.date)
    changelog.write_text(notes, encoding="utf-8")
    for name, pattern in NAMED.items():
        file = ROOT / name
        written = re.sub(pattern, rf"\g<1>{given.version}\g<2>", file.read_text(encoding="utf-8"), count=1)
        file.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
