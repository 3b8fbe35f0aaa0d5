# SPDX-License-Identifier: Apache-2.0
"""Whether two programs of microcode that run side by side keep their deadlines.

*E code alone, under EDF.*  A task that was released has a share of the processor until its deadline: its execution time over the
time from its release to that.  It is not released again before it has ended.  So suppose that the largest shares of all tasks of
both programs are 1 together at most.  Then a schedule that gives each task its share meets all deadlines, and so does EDF
(``analysis`` has the argument for a mode).  It does not matter when the second program begins.

*S code* says when tasks run, and when the second program begins does matter.  So both are played as they begin, or, if the
second one joins what runs, for every millisecond of the first one's period at which it may.
Tasks take their whole execution times.  S code that goes another way where a task ends earlier is not followed there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from carillon.frontends.giotto.simulation import Played, play_both, play_joined
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


def played(found: Composed, times: Mapping[str, Fraction], sources: Sequence[Giotto]) -> tuple[int, str] | None:
    """The first begin of the second program, in ms after that of a period, with which something goes wrong, and what; or None.

    ``sources`` are the Giotto programs of both, which say how long their modes' periods are.  Raises :class:`UndecidedError`
    if a program has more than one mode, or a task no execution time.
    """
    first, second = _periods(found, times, sources)
    if first * math.lcm(first, second) > MOST_MS:
        raise UndecidedError(f"the periods of {first} and {second} ms take too long to be played")
    parts = zip(found.entries, (first, second), strict=True)
    return next(
        ((phase, _said(found, it)) for phase, it in play_joined(found.program, times, *parts) if it.broken is not None), None
    )


def conflict(found: Composed, times: Mapping[str, Fraction], sources: Sequence[Giotto]) -> tuple[str, int | None] | None:
    """What goes wrong if both begin as the composed program says, and a phase in ms with which nothing does; else None.

    ``sources`` and errors are those of :func:`played`.
    """
    first, second = _periods(found, times, sources)
    period = math.lcm(first, second)
    if max(period, found.phase) > MOST_MS:
        raise UndecidedError(f"periods of {first} and {second} ms and a phase of {found.phase} ms take too long to be played")

    def begun(phase: int) -> Played:
        return play_both(found.program, times, found.entries, phase, period)

    it = begun(found.phase)
    if it.broken is None:
        return None
    phases = range(first) if first * period <= MOST_MS else ()
    return (
        f"if the second one begins {found.phase} ms behind the first, {_said(found, it)}",
        next((phase for phase in phases if begun(phase).broken is None), None),
    )


def _said(found: Composed, it: Played) -> str:
    """What went wrong, when, and by which instructions."""
    places = " and ".join(_place(found, address) for address in it.places)
    return it.said() + (places and f", by {places}")


def _place(found: Composed, address: int) -> str:
    """An instruction by the label before it."""
    label, name = max(((at, name) for at, name in found.program.labels if at <= address), default=(address, f"@{address}"))
    owner = "first" if address in found.parts[0].addresses else "second"
    return f"{name}{f'+{address - label}' if address > label else ''} of the {owner} one"


def _periods(found: Composed, times: Mapping[str, Fraction], sources: Sequence[Giotto]) -> tuple[int, int]:
    """Of both programs, in milliseconds."""
    program = found.program
    if program.tick_ns != 1_000_000:
        raise UndecidedError(f"the tick is {program.tick_ns} ns: what has S code is played in milliseconds")
    first, second = (_period(program, part, source) for part, source in zip(found.parts, sources, strict=True))
    for part in found.parts:
        for task in sorted(part.tasks):
            if program.tasks[task].name not in times:
                raise UndecidedError(f"the task {program.tasks[task].name} has no execution time: [wcet ...]")
    return first, second


def _period(program: Program, part: Part, source: Giotto) -> int:
    """How long the period of a part is, in milliseconds: that of its mode, or of modes that were composed before."""
    reached = {name.partition("@")[0] for address, name in program.labels if address in part.addresses}
    periods = [mode.period for mode in source.modes if mode.name.text in reached]
    switches = any(program.drivers[driver].name.startswith("switch:") for driver in part.drivers)
    if not periods or (len(periods) > 1 and switches):
        raise UndecidedError(f"S code is played of programs that have one mode, and one has {len(periods)}")
    return math.lcm(*periods)
