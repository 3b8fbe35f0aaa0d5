# SPDX-License-Identifier: Apache-2.0
"""The shortest period at which a task that does nothing loses no activation, on the board in RTL: ``bench/shortest``.

The tool refuses a round that is shorter than the task's WCET, of one tick at least, and what the handlers take at most by
their prices (C044).  The firmware alone is to say how short the period may be, so that the board of this benchmark has a price
less: what comes before the handler's first instruction.  Everything else of it is the board's own.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

from bench.papers.made import BENCH, change, copied, made
from bench.papers.rows import Progress, Row, board, row
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.trace import Kind

FIRST = 4
"""The period from which the search begins; it is doubled until nothing is lost."""
LONGEST = 1024
AT_LEAST = 1000
"""Activations of a run at least: where a period is too short by a cycle, one is lost when the delays have added up to it."""
_PRICE = "interrupt_entry = 6 "


def minimal_period(kernel: str, rounds: int, folder: Path, diagnostics: Diagnostics, progress: Progress) -> Row:
    """The row of a kernel: the shortest period, found by bisection, of ten activations for each of ``rounds``."""
    activations = max(AT_LEAST, 10 * rounds)
    own = _board(folder / "board")

    def kept(period: int) -> bool:
        progress(f"a period of {period} ticks, {kernel} kernel: {activations} activations")
        return _kept(kernel, period, activations, own, folder / f"shortest-{kernel}-{period}", diagnostics)

    lost, longer = FIRST - 1, FIRST
    while not kept(longer):
        assert longer < LONGEST, f"activations are lost with a period of {longer} ticks, too"
        lost, longer = longer, 2 * longer
    while longer - lost > 1:
        middle = (lost + longer) // 2
        lost, longer = (lost, middle) if kept(middle) else (middle, longer)
    return row("minimal_period", kernel, board(), "cycles", [longer])


def _board(folder: Path) -> Path:
    """The board without the price."""
    root = BENCH.parent / "boards"
    file = shutil.copytree(root / board(), folder, dirs_exist_ok=True) / "board.toml"
    text = file.read_text(encoding="utf-8")
    assert _PRICE in text or _PRICE.replace("6", "0") in text
    change(file, lambda text: text.replace(_PRICE, _PRICE.replace("6", "0")).replace('"../', f'"{root}/'))
    return file


def _kept(kernel: str, period: int, activations: int, own: Path, folder: Path, diagnostics: Diagnostics) -> bool:
    """Whether so many expiries begin as many activations; False for a period of which the tool says that it is too short."""
    file = copied(BENCH / "shortest", folder / "shortest") / "schedule.toml"
    change(file, lambda text: text.replace('round = "100 ticks"', f'round = "{period} ticks"'))
    tried = Diagnostics()
    try:
        application = made(file, folder / "build", tried, str(own), kernel)
    except CarillonError as refused:
        if any(d.code == "C044" for d in refused.diagnostics):
            return False
        raise
    # In what follows the last of these expiries, its activation begins, if it does.
    trace = application.ran((activations + LONGEST // period) * period)
    kinds = Counter(event.kind for event in trace.events)
    begun = [event for event in trace.events if event.kind is Kind.START]
    diagnostics.reported += [d for d in tried.reported if d.severity.value == "error"]
    return kinds[Kind.LOST] == 0 and len(begun) >= activations and kinds[Kind.EXPIRY] - len(begun) <= 1
