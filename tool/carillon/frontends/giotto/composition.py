# SPDX-License-Identifier: Apache-2.0
"""Whether two programs of microcode that run side by side keep their deadlines.

*E code alone, under EDF.*  A task that was released has a share of the processor until its deadline: its execution time over the
time from its release to that.  It is not released again before it has ended.  So suppose that the largest shares of all tasks of
both programs are 1 together at most.  Then a schedule that gives each task its share meets all deadlines, and so does EDF
(``analysis`` has the argument for a mode).  It does not matter when the second program begins.

*S code* says when tasks run, and when the second program begins does matter.  So both are played, for every millisecond of
the first one's period at which the second one may begin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from carillon.frontends.giotto.simulation import Played, play_joined
from carillon.microcode import Opcode, Program
from carillon.microcode.compose import Composed, Part
from carillon.model.giotto import Giotto

MOST_MS = 200_000
"""So many milliseconds are played at most."""


class UndecidedError(ValueError):
    """It was not found whether they keep their deadlines; the text says why."""


def load(found: Composed, times: Mapping[str, Fraction]) -> Fraction:
    """The largest shares of all tasks together, which are enough if they are 1 at most.

    ``times`` are the execution times of tasks in milliseconds.  Raises :class:`UndecidedError` if one is missing, or a task
    has no deadline.
    """
    program, shares = found.program, dict[str, Fraction]()
    for part in found.parts:
        for i in (program.code[address] for address in part.addresses):
            if i.opcode is Opcode.RELEASE:
                name = program.tasks[i.x].name
                if name not in times:
                    raise UndecidedError(f"the task {name} has no execution time: [wcet ...]")
                if i.time == 0:
                    raise UndecidedError(f"the task {name} is released without a deadline")
                share = times[name] * 1_000_000 / (i.time * program.tick_ns)
                shares[name] = max(share, shares.get(name, Fraction(0)))
    return sum(shares.values(), Fraction(0))


def played(found: Composed, times: Mapping[str, Fraction], sources: Sequence[Giotto]) -> tuple[int, Played] | None:
    """The first begin of the second program, in ms after that of a period, with which something goes wrong, and what; or None.

    ``sources`` are the Giotto programs of both, which say how long their modes' periods are.  Raises :class:`UndecidedError`
    if a program has more than one mode, or a task no execution time.
    """
    program = found.program
    if program.tick_ns != 1_000_000:
        raise UndecidedError(f"the tick is {program.tick_ns} ns: what has S code is played in milliseconds")
    first, second = (_period(program, part, source) for part, source in zip(found.parts, sources, strict=True))
    for part in found.parts:
        for task in sorted(part.tasks):
            if program.tasks[task].name not in times:
                raise UndecidedError(f"the task {program.tasks[task].name} has no execution time: [wcet ...]")
    if first * math.lcm(first, second) > MOST_MS:
        raise UndecidedError(f"the periods of {first} and {second} ms take too long to be played")
    parts = zip(found.entries, (first, second), strict=True)
    return next(((phase, it) for phase, it in play_joined(program, times, *parts) if it.broken is not None), None)


def _period(program: Program, part: Part, source: Giotto) -> int:
    """How long the period of the one mode of a part is, in milliseconds."""
    reached = {name.partition("@")[0] for address, name in program.labels if address in part.addresses}
    modes = [mode for mode in source.modes if mode.name.text in reached]
    if len(modes) != 1:
        raise UndecidedError(f"S code is played of programs that have one mode, and one has {len(modes)}")
    return modes[0].period
