# SPDX-License-Identifier: Apache-2.0
"""What says in a trace that an invocation of a Giotto task has missed its deadline: a function of its own, called then."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.image import Image
from carillon.model.giotto import Task


@dataclass(frozen=True, slots=True)
class Miss:
    """A row of ``carillon_giotto_missed``: its function, the task, its period in milliseconds, and whose lane shows it.

    The period is 0 where a task has one row for all its periods.
    """

    symbol: str
    task: Task
    period: int
    lane: str


def deadline_misses(image: Image) -> tuple[Miss, ...]:
    """Of each task of microcode, in their order; on cells, of each slot (``kernel/giotto/blocks.h``)."""
    giotto = image.system.giotto
    if giotto is None:
        return ()
    if image.microcode is not None:
        names = image.microcode.threads_of
        return tuple(Miss(f"carillon_missed_{n}", task, 0, n) for n, task in zip(names, giotto.tasks, strict=True))
    rates = image.blocks.rates if image.blocks is not None else ()
    slots = [(rate, number) for rate in rates for number in rate.tasks]
    return tuple(
        Miss(f"carillon_missed_{number}_{rate.period}", giotto.tasks[number], rate.period, rate.name) for rate, number in slots
    )
