# SPDX-License-Identifier: Apache-2.0
"""Rate-monotonic priorities across switches of modes: what passes is never late, and what does not can be made late so.

``CARILLON_GIOTTO=10000 pytest tests/giotto`` tries so many random programs.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest
from giotto_machine import C
from giotto_oracle import Spec, random_spec
from test_giotto_semantics import LONGEST, PROGRAMS, Processor, compiled, full, functions, parsed

from carillon.frontends.giotto import switching
from carillon.frontends.giotto.load import execution_times, loads
from carillon.frontends.giotto.switching import Across, across_switches


def constant(value: int) -> C:
    return lambda *_: value


class Directed(Processor):
    """The modes are switched as a path says, or, without one, by chance; no guard of a task is false."""

    def __init__(
        self, spec: Spec, times: dict[str, int], path: tuple[tuple[str, Fraction], ...] | None, chance: random.Random
    ) -> None:
        super().__init__(spec, compiled(spec.text(times)), times, lambda _, period: period)
        steps = None if path is None else {int(now): target for target, now in path}

        def switch(target: str) -> C:
            def asked(_ports: object, _names: object, now: int) -> int:
                return int(chance.random() < 0.5 if steps is None else steps.get(now) == target)

            return asked

        its = functions(spec)
        for mode in spec.modes:
            for _, target, driver in mode.switches:
                its[f"guard_{driver.name}"] = switch(f"m{target}")
            for _, _, given in mode.invocations:
                if given is not None:
                    its[f"guard_{given.name}"] = constant(1)
        self.functions = its


def test_what_passes_is_never_late_and_what_does_not_is_late_where_the_timeline_says() -> None:
    counts: Counter[str] = Counter()
    for seed in range(3 * PROGRAMS):
        chance = random.Random(seed)
        spec = random_spec(chance)
        times = {name: max(1, time * 9 // 10) for name, time in full(spec, chance).items()}
        source = parsed(spec.text(times))
        load = loads(source).values()
        if any(its.share is None or its.share > 1 for its in load) or not any(mode.switches for mode in spec.modes):
            continue
        found = across_switches(source, execution_times(source))
        try:
            assert found.safe is not None
            if found.safe:
                counts["safe"] += 1
                assert loads(source)[f"m{spec.start}"].rate_monotonic
                for _ in range(4):
                    Directed(spec, times, None, chance).run(LONGEST)
                continue
            counts["late"] += 1
            assert found.played is not None
            assert found.played.late is not None
            until, task = found.played.late[0] // found.played.scale, found.played.late[1]
            number = [t.name for t in spec.tasks].index(task)
            Directed(spec, times, found.path, chance).run(until - 1)
            with pytest.raises(AssertionError, match=f"task {number} is late at {until}"):
                Directed(spec, times, found.path, chance).run(until + 1)
        except AssertionError as error:
            error.add_note(f"program {seed}")
            raise
    assert counts["safe"] > PROGRAMS
    assert counts["late"] > 0


SWITCHED = """
task slow () output () state () { schedule f() } [wcet SLOW]
task quick () output () state () { schedule g() } [wcet 3ms]
task other () output () state () { schedule h() } [wcet 4ms]
driver d () output () { if always() then nothing() }
start a {
  mode a () period 12 { exitfreq 2 do b(d); taskfreq 1 do slow(); taskfreq 2 do quick(); }
  mode b () period 24 { taskfreq 2 do slow(); taskfreq 3 do other(); }
}
"""


def test_a_task_that_a_switch_interrupts_is_in_time_or_the_timeline_shows_how_it_is_late() -> None:
    source = parsed(SWITCHED.replace("SLOW", "4ms"))
    assert all(load.rate_monotonic for load in loads(source).values())
    assert across_switches(source, execution_times(source)) == Across(True)

    source = parsed(SWITCHED.replace("SLOW", "5ms"))
    assert [load.rate_monotonic for load in loads(source).values()] == [True, False]
    found = across_switches(source, execution_times(source))
    assert found.safe is False
    assert found.path == (("b", 0),)
    assert found.played is not None
    assert found.played.said() == "after 12 ms, the task slow has not ended at its deadline"
    assert found.played.slices == [("other", 0, 4), ("slow", 4, 8), ("other", 8, 12)]


def test_too_many_cases_are_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(switching, "_MOST_VISITS", 1)
    source = parsed(SWITCHED.replace("SLOW", "4ms"))
    assert across_switches(source, execution_times(source)) == Across(None)
