# SPDX-License-Identifier: Apache-2.0
"""How many checks the conformance suite makes, per area and board: ``python tests/conformance/count.py``.

Of each board: the checks of all its variants, that is, each check as often as it is made there.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "tool")]

from cases import BOARDS, all_cases, variants  # noqa: E402


def table() -> str:
    """The counts as a Markdown table."""
    cases = all_cases()
    every = [v for v in variants(cases) if v.fits]
    rows = [["area", "cases", "checks", *BOARDS], ["---", "--:", "--:", *("--:" for _ in BOARDS)]]
    for area in [*sorted({c.area for c in cases}), "all"]:
        own = [c for c in cases if area in ("all", c.area)]
        made = [sum(len(v.case.checks) for v in every if v.case in own and v.board == board) for board in BOARDS]
        rows.append([area, *map(str, (len(own), sum(len(c.checks) for c in own), *made))])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    print(table())
