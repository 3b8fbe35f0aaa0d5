# SPDX-License-Identifier: Apache-2.0
"""Functions by which a trace tells tasks apart: one computes a Giotto task, others are called on missed deadlines."""

from __future__ import annotations

from dataclasses import dataclass

from carillon import c_names
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


def compute_symbol(number: int) -> str:
    """The function that computes a Giotto task, by the task's number in the program."""
    return f"carillon_compute_{number}"


def compute_lanes(image: Image) -> dict[str, str]:
    """With microcode, the function that computes each task -> the lane that shows it; otherwise empty."""
    names = image.microcode.threads_of if image.microcode is not None else ()
    return {compute_symbol(number): name for number, name in enumerate(names)}


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


def late_symbol(thread: str) -> str:
    """The function that tells of a thread's missed deadlines."""
    return c_names.late(thread)


def late_threads(image: Image) -> dict[str, str]:
    """The function that tells of the missed deadlines of each thread that has one -> the thread."""
    osek = image.system.osek
    return {late_symbol(task.name): task.name for task in osek.tasks if task.deadline} if osek is not None else {}
