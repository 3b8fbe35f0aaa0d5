# SPDX-License-Identifier: Apache-2.0
"""A Giotto program without an interpreter: its blocks are called at expiry points, and its tasks are those of interrupts.

1. All tasks that are released with one period begin together, and have one deadline, in every mode (``giotto/switching.py``,
   4).  So they need no order among themselves, and one interrupt for all of them: a *rate*.  Shorter periods are more urgent.
2. A switch keeps the period of the tasks that it interrupts, so that an invocation belongs to one rate from its release to
   its end, whatever modes come meanwhile.
3. The periods of a mode's activities are whole numbers of its units, and the unit is the greatest common divisor of them.  What
   ``giotto.units.entry_of`` works out are sums and differences of such times, of the two modes.  So the greatest common
   divisor of the units of all modes is the longest tick at which all blocks are due.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from carillon.model.giotto import Giotto, free_name


@dataclass(frozen=True, slots=True)
class Rate:
    """The tasks that any mode invokes with a period in milliseconds, by their numbers, and the interrupt's name."""

    period: int
    name: str
    tasks: tuple[int, ...]


def rates_of(program: Giotto, names: Sequence[str]) -> tuple[Rate, ...]:
    """The rates, the longest period first; ``names`` are what the tasks are called in C.

    An interrupt of one task that has no other period has its name.
    """
    number = {task.name.text: k for k, task in enumerate(program.tasks)}
    tasks_of: dict[int, set[int]] = {}
    for mode in program.modes:
        for activity in mode.invocations:
            tasks_of.setdefault(mode.period // activity.frequency, set()).add(number[activity.target.text])
    rates: list[Rate] = []
    for period, tasks in sorted(tasks_of.items(), reverse=True):
        (first, *others) = sorted(tasks)
        alone = not others and sum(first in its for its in tasks_of.values()) == 1
        name = names[first] if alone else free_name(f"every_{period}_ms", names)
        rates.append(Rate(period, name, tuple(sorted(tasks))))
    return tuple(rates)


def tick_of(program: Giotto) -> int:
    """The longest tick at which all blocks are due, in milliseconds."""
    return math.gcd(*(int(mode.unit) for mode in program.modes))
