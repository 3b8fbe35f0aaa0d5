# SPDX-License-Identifier: Apache-2.0
"""What section 7 of the paper on the programmable microkernel says of costs: instructions for each task that ends.

E code is linear in the tasks that it releases, S code takes the same for each, and EDF the logarithm of their number.  Blocks
have a part of their own, which is the less for each task, the more tasks there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bench.papers.rows import Row, row


@dataclass(frozen=True, slots=True)
class Law:
    """``method`` is that of the cases that are measured, ``part`` that of their costs, ``most`` the bound for so many tasks."""

    method: str
    part: str
    most: Callable[[int], float]


LAWS = {
    "e_code_per_task": Law("edf", "e_code", lambda tasks: 26 + 140 / tasks),
    "s_code_per_task": Law("edf-s", "s_code", lambda tasks: 47 + 130 / tasks),
    "edf_per_task": Law("edf", "scheduler", lambda tasks: 70 + 26 * math.log2(tasks)),
}


def law_rows(board: str, method: str, tasks: int, parts: Mapping[str, Sequence[int]], ended: int) -> list[Row]:
    """The rows of a case of so many tasks, of which ``ended`` ended; ``parts``: instructions of each part, by millisecond."""
    rows = []
    for metric, law in LAWS.items():
        if law.method == method:
            each = round(sum(parts[law.part]) / ended, 1)
            made = row(f"{metric}_{tasks}", "microcode", board, "instructions", [each], math.ceil(law.most(tasks)))
            rows.append(replace(made, samples=ended))
    return rows
