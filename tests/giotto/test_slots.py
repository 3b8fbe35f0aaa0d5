# SPDX-License-Identifier: Apache-2.0
"""Two programs whose S code takes turns: slots that are apart are composed, and slots that overlap are refused with their place.

``CARILLON_TRIES=10000 pytest tests/giotto/test_slots.py`` tries so many random pairs.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from native_machine import Asked, laid_out, native

import asked
from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.composition import UndecidedError, conflict
from carillon.frontends.giotto.reading import parse_giotto
from carillon.microcode import Program
from carillon.microcode.compose import CompositionError, composed
from carillon.microcode.text import assembled
from carillon.model.giotto import Giotto

PROGRAMS = asked.tries(300)
HALVES = 2
"""The model counts in half milliseconds, which all execution times are."""


@dataclass(frozen=True)
class Turns:
    """A period and its slots in milliseconds: begin, end and task; and how many halves of a millisecond each task takes."""

    period: int
    slots: tuple[tuple[int, int, int], ...]
    takes: dict[int, int]

    def uses(self, begin: int, until: int) -> dict[int, tuple[int, int]]:
        """Of each half of a millisecond in which something is dispatched and unfinished: the task and the number of the slot."""
        used = {}
        for at in range(begin * HALVES, until * HALVES, self.period * HALVES):
            left = dict(self.takes)
            for number, (start, end, task) in enumerate(self.slots):
                for half in range(at + start * HALVES, at + end * HALVES):
                    if left[task]:
                        left[task] -= 1
                        used[half] = task, number
        return used


def random_turns(chance: random.Random, period: int, tasks: list[int]) -> Turns:
    cuts = sorted(chance.sample(range(period + 1), 2 * chance.randint(1, min(3, (period + 1) // 2))))
    slots = [(begin, end, chance.choice(tasks)) for begin, end in zip(cuts[::2], cuts[1::2], strict=True)]
    room = Counter[int]()
    for begin, end, task in slots:
        room[task] += (end - begin) * HALVES
    return Turns(period, tuple(slots), {task: chance.randint(0, room[task]) for task in tasks})


def text_of_turns(name: str, turns: Turns) -> str:
    """E code that releases the tasks, and a thread that dispatches each for its slots."""
    thread = f"{name}.turns" if turns.slots[0][0] else f"{name}.0"
    lines = [f"{name}@0:", *(f"release t{task}, {turns.period}" for task in turns.takes), f"fork {thread}"]
    lines += [f"future {turns.period}, {name}@0", "return"] + [f"{name}.turns:"] * (turns.slots[0][0] > 0)
    for number, (begin, end, task) in enumerate(turns.slots):
        lines += [f"idle {begin}"] * (begin > 0) + [f"{name}.{number}:", f"dispatch t{task}, {end}"]
    return "\n".join((*lines, "return", ""))


def programs_of(first: Turns, second: Turns) -> tuple[Program, Program]:
    tables = [".tick 1000000", *(f".task t{task}" for task in range(len(first.takes) + len(second.takes))), ".entry m@0"]
    diagnostics = Diagnostics()
    text = "\n".join((*tables, text_of_turns("m", first) + text_of_turns("n", second)))
    program = assembled(text, "turns", diagnostics)
    assert program is not None, [d.cause for d in diagnostics.reported]
    places = {name: address for address, name in program.labels}
    return program, replace(program, entry=places["n@0"])


def source_of(*turns: Turns) -> Giotto:
    """Giotto modes with these periods."""
    names = "mnop"
    tasks = [f"task t{k} () output () state () {{ schedule f() }}" for k in range(sum(len(its.takes) for its in turns))]
    modes = [f"mode {name} () period {its.period} {{ }}" for name, its in zip(names, turns, strict=False)]
    diagnostics = Diagnostics()
    source = parse_giotto("\n".join([*tasks, "start m {", *modes, "}"]), "turns.giotto", diagnostics)
    assert source is not None, [d.cause for d in diagnostics.reported]
    return source


def times_of(*turns: Turns) -> dict[str, Fraction]:
    return {f"t{task}": Fraction(takes, HALVES) for its in turns for task, takes in its.takes.items()}


def said(found: tuple[str, int | None] | None) -> str:
    return "" if found is None else found[0]


def overlap(first: Turns, second: Turns, phase: int) -> str:
    """What is to be said of the first instant at which slots overlap, by the model; empty if none do."""
    until = phase + 2 * math.lcm(first.period, second.period)
    ours, theirs = first.uses(0, until), second.uses(phase, until)
    both = sorted(ours.keys() & theirs.keys())
    if not both:
        return ""
    (one, slot), (other, behind) = ours[both[0]], theirs[both[0]]
    at = both[0] / HALVES
    return (
        f"if the second one begins {phase} ms behind the first, after {at:g} ms, t{one} and t{other} are dispatched at one time, "
        f"by m.{slot} of the first one and n.{behind} of the second one"
    )


def test_random_slots_are_refused_where_a_model_sees_them_overlap(request: pytest.FixtureRequest) -> None:
    """Periods that have a common divisor have more phases with which slots are apart."""
    seen = Counter[str]()
    for number in range(PROGRAMS):
        chance = random.Random(number)
        period = chance.randint(3, 12)
        periods = period, period * chance.choice([1, 1, 1, 2]) + chance.choice([0, 0, 0, 1])
        first = random_turns(chance, periods[0], [0, 1])
        second = random_turns(chance, periods[1], [2])
        source, times = source_of(first, second), times_of(first, second)
        phase = chance.randint(0, 2 * period)
        expected = overlap(first, second, phase)
        found = conflict(composed(*programs_of(first, second), phase), times, (source, source))
        assert said(found) == expected, number
        better = next((other for other in range(first.period) if not overlap(first, second, other)), None)
        assert found is None or found[1] == better, number
        seen["apart" if not expected else "apart with another phase" if better is not None else "overlap"] += 1
    request.node.user_properties.append(("slots", dict(seen)))
    assert min(seen["apart"], seen["apart with another phase"], seen["overlap"]) >= PROGRAMS // 50


ONE, TWO, THREE = (Turns(10, ((0, 3, task),), {task: 6}) for task in range(3))


def test_the_second_one_begins_its_phase_behind_the_first_one_on_the_machine() -> None:
    """On the kernel's machine, each task ends behind 3 ms, and no two are dispatched at one time."""
    first, second = programs_of(ONE, replace(TWO, slots=((1, 4, 1),)))
    both = composed(first, second, 4).program
    dispatched: list[tuple[int, int]] = []
    shared: list[Asked] = []

    def answer(what: Asked, _number: int, _more: int) -> int:
        if what is Asked.SHARED:
            shared.append(what)
        return 0

    with native(answer) as machine:
        machine.touches(both.drivers, both.tasks)
        machine.start(laid_out(both.code, both.entry))
        for now in range(31):
            running = machine.instant(now)
            if running is not None:
                dispatched.append((now, running))
                if (now - 1) % 10 == 2 or (now - 1) % 10 == 7:
                    machine.end(running)
    assert shared == []
    assert dispatched == [(now, 0 if (now - 1) % 10 < 3 else 1) for now in range(1, 31) if (now - 1) % 10 in (0, 1, 2, 5, 6, 7)]


def test_a_third_program_takes_its_turn_beside_two() -> None:
    tables = ".tick 1000000\n" + "".join(f".task t{k}\n" for k in range(3)) + ".entry m@0\n"
    program = assembled(tables + "".join(map(text_of_turns, "mno", (ONE, TWO, THREE))), "turns", Diagnostics())
    assert program is not None
    m, n, o = (replace(program, entry=address) for address, name in program.labels if name.endswith("@0"))
    source, times = source_of(ONE, TWO, THREE), times_of(ONE, TWO, THREE)
    two = composed(m, n, 3)
    assert conflict(two, times, (source, source)) is None
    found = conflict(composed(two.program, o, 3), times, (source, source))
    assert found == (
        "if the second one begins 3 ms behind the first, after 3 ms, t0 and t2 are dispatched at one time, "
        "by m.0 of the first one and o.0 of the second one",
        7,  # the first one of both begins a tick behind their entry
    )
    assert conflict(composed(two.program, o, 7), times, (source, source)) is None


def test_what_is_left_of_a_task_at_the_end_of_a_period_is_seen() -> None:
    """A scheduler has t0, and ends it in the first period alone: later, the second one's slot takes 2 ms from it before."""
    text = (
        ".tick 1000000\n.task t0\n.task t1\n.task t2\n.entry m@0\nm@0:\nrelease t0, 10\nrelease t1, 10\nfuture 10, m@0\n"
        "dispatch t1\nreturn\nn@0:\nrelease t2, 10\nfuture 10, n@0\ndispatch t2\nreturn\n"
    )
    program = assembled(text, "turns", Diagnostics())
    assert program is not None
    second = replace(program, entry={name: address for address, name in program.labels}["n@0"])
    source, times = source_of(ONE, TWO, THREE), {"t0": Fraction(5), "t1": Fraction(0), "t2": Fraction(7)}
    assert conflict(composed(program, second, 5), times, (source, source)) == (
        "if the second one begins 5 ms behind the first, after 20 ms, the task t0 has not ended at its deadline",
        None,
    )


def test_modes_that_may_follow_each_other_are_not_played() -> None:
    text = (
        ".tick 1000000\n.task t0\n.task t1\n.driver switch:m:d\n.guard d\n.entry m@0\nm@0:\nif d, on\ncall switch:m:d\njump n@0\n"
        "on:\nrelease t0, 10\nfuture 10, m@0\ndispatch t0\nreturn\nn@0:\nfuture 10, n@0\nreturn\n"
        "o@0:\nrelease t1, 10\nfuture 10, o@0\ndispatch t1\nreturn\n"
    )
    program = assembled(text, "turns", Diagnostics())
    assert program is not None
    source = source_of(ONE, TWO, THREE)
    second = replace(program, entry={name: address for address, name in program.labels}["o@0"])
    with pytest.raises(UndecidedError, match="S code is played of programs that have one mode, and one has 2"):
        conflict(composed(program, second), times_of(ONE, TWO), (source, source))


def test_phases_that_cannot_be_played_or_waited_for_are_refused() -> None:
    source, times = source_of(ONE, TWO), times_of(ONE, TWO)
    with pytest.raises(UndecidedError, match=re.escape("periods of 10 and 10 ms and a phase of 200001 ms take too long to be")):
        conflict(composed(*programs_of(ONE, TWO), 200_001), times, (source, source))
    longest = (1 << 24) - 2
    assert composed(*programs_of(ONE, TWO), longest).program.code[-2].time == longest + 1
    with pytest.raises(CompositionError, match=f"^the phase is longer than {longest} ticks$"):
        composed(*programs_of(ONE, TWO), longest + 1)
