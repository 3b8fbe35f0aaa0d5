# SPDX-License-Identifier: Apache-2.0
"""The bounds of Giotto tasks are what a player finds that shares no code with the tool, and no shorter execution exceeds them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carillon import pipeline
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.model.giotto import Machine
from carillon.timing.bound import Bound

ROOT = Path(__file__).resolve().parents[2]

Task = tuple[int, int]
"""How often a period of 12 ms has it, and its WCET in half milliseconds."""
PERIOD = 24


def program(tasks: list[Task]) -> str:
    lines = [f"task t{k} () output () state () {{ schedule work() }} [wcet {wcet * 500}us]" for k, (_, wcet) in enumerate(tasks)]
    invoked = "".join(f"taskfreq {often} do t{k}(); " for k, (often, _) in enumerate(tasks))
    return "\n".join([*lines, f"start m {{ mode m () period {PERIOD // 2} {{ {invoked}}} }}"]) + "\n"


def analysed(file: Path, board: str = "virtual-256", machine: Machine = Machine.MICROCODE) -> tuple[Bound, ...]:
    return pipeline.analyse(pipeline.plan(file, Diagnostics(), board, machine=machine))


def longest(tasks: list[Task], times: list[list[int]], *, by_periods: bool) -> list[int] | None:
    """Step by step, half a millisecond each; None if a job is late.  ``times``: of the jobs of each task.

    A job whose time is used up ends when it is chosen once more, or at the end of its last step if nothing is released then.
    """
    left: dict[int, int] = {}
    begun: dict[int, int] = {}
    found = [0] * len(tasks)

    def chosen() -> int | None:
        def urgency(k: int) -> tuple[int, int]:
            period = PERIOD // tasks[k][0]
            return (period if by_periods else begun[k] + period), k

        return min(left, key=urgency, default=None)

    for now in range(PERIOD + 1):
        released = [k for k, (often, _) in enumerate(tasks) if now % (PERIOD // often) == 0]
        if any(k in left for k in released):
            return None
        for k in released if now < PERIOD else ():
            left[k], begun[k] = times[k][now * tasks[k][0] // PERIOD], now
        while (k := chosen()) is not None and left[k] == 0:
            found[k] = max(found[k], now - begun[k])
            del left[k]
        if k is not None:
            left[k] -= 1
            following = any((now + 1) % (PERIOD // often) == 0 for often, _ in tasks)
            if left[k] == 0 and not following:
                found[k] = max(found[k], now + 1 - begun[k])
                del left[k]
    return found


def load(tasks: list[Task]) -> float:
    return sum(often * wcet for often, wcet in tasks) / PERIOD


drawn_task = st.sampled_from([1, 1, 2, 2, 3, 4, 6, 12]).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, max(1, 10 // n))))
drawn_tasks = st.lists(drawn_task, min_size=2, max_size=6).filter(lambda tasks: 0.4 < load(tasks) < 0.99)


@settings(max_examples=60, deadline=None)
@given(tasks=drawn_tasks, machine=st.sampled_from([Machine.MICROCODE, Machine.CELLS]), data=st.data())
def test_the_bound_is_the_longest_response_and_no_shorter_execution_exceeds_it(
    tmp_path_factory: pytest.TempPathFactory, tasks: list[Task], machine: Machine, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("drawn")
    (folder / "drawn.giotto").write_text(program(tasks), encoding="ascii")
    (folder / "main.c").write_text('#include "giotto.h"\nvoid work(void) {}\n', encoding="ascii")
    by_periods = machine is Machine.CELLS
    full = [[wcet] * often for often, wcet in tasks]
    expected = longest(tasks, full, by_periods=by_periods)
    try:
        found = {bound.name: bound for bound in analysed(folder / "drawn.giotto", machine=machine)}
    except CarillonError:
        assert expected is None
        return
    if expected is None:
        assert any(bound.met is False for bound in found.values())
        return
    for k, response in enumerate(expected):
        bound = found[f"t{k}"]
        assert (bound.ticks, bound.met) == (response * 500, True)
        assert sum(term.total for term in bound.terms) == bound.bound
    shorter = [[data.draw(st.integers(0, wcet)) for _ in range(often)] for often, wcet in tasks]
    came = longest(tasks, shorter, by_periods=by_periods)
    assert came is not None
    assert all(response <= most for response, most in zip(came, expected, strict=True))


def figures(file: Path) -> dict[tuple[str, str], int | None]:
    return {(bound.mode, bound.name): bound.ticks for bound in analysed(file)}


def test_flight_by_hand() -> None:
    """At 10 ms, t2 and t1 have one deadline, and t2 is declared first: it comes before what is left of t1: 4, 4 and 8 ms."""
    assert figures(ROOT / "examples" / "flight" / "flight.giotto") == {("", "t1"): 16_000, ("", "t2"): 4000}


def test_helicopter_by_hand() -> None:
    """1 ms; 1 and 3; and 10 in what 1 and 3, and 1 again at 10 ms, leave."""
    found = figures(ROOT / "examples" / "helicopter" / "helicopter.giotto")
    both = {"estimate": 1000, "control": 4000}
    assert found == {("fly", n): t for n, t in (both | {"climb": 15_000}).items()} | {
        ("land", n): t for n, t in (both | {"descend": 15_000}).items()
    }


DRIVEN = """\
actuator int act uses put;
output int out := zero;
task first (int it) output (out) state () { schedule first(it, out) } [wcet 2ms]
task second () output () state () { schedule work() } [wcet 5ms]
driver set (out) output (int to) { if always() then copy(out, to) } [wcet 500us]
driver take (out) output (int it) { if always() then copy(out, it) } [wcet 1ms]
start m { mode m () period 20 { actfreq 4 do act(set); taskfreq 2 do first(take); taskfreq 1 do second(); } }
"""
DRIVEN_C = """\
#include "giotto.h"
void zero(int *o) { *o = 0; }
void put(const int *o) { (void)*o; }
bool always(void) { return true; }
void copy(const int *from, int *to) { *to = *from; }
void first(const int *it, int *o) { *o = *it; }
void work(void) {}
"""


def test_drivers_come_before_tasks(tmp_path: Path) -> None:
    """At 0 both drivers, for 1.5 ms, then 2 of first; 1.5 of second until 5, 0.5 of the driver, 3.5 more: 9 ms."""
    (tmp_path / "p.giotto").write_text(DRIVEN, encoding="ascii")
    (tmp_path / "main.c").write_text(DRIVEN_C, encoding="ascii")
    assert figures(tmp_path / "p.giotto") == {("", "first"): 3500, ("", "second"): 9000}
    terms = analysed(tmp_path / "p.giotto")[1].terms
    assert [(t.why, t.name, t.often, t.each) for t in terms] == [
        ("execution", "second", 1, 5000),
        ("drivers", "", 1, 1500),
        ("preemption", "first", 1, 2000),
        ("drivers", "", 1, 500),
    ]


INTERRUPTED = """\
output int out := zero;
task fast () output () state () {{ schedule work() }} [wcet 1ms]
task slow () output () state () {{ schedule work() }} [wcet {slow}ms]
driver once (out) output () {{ if now(out) then nothing() }}
start a {{
  mode a () period 20 {{ exitfreq 2 do b(once); taskfreq 1 do slow(); taskfreq 2 do fast(); }}
  mode b () period 20 {{ taskfreq 1 do slow(); }}
}}
"""


def interrupted(folder: Path, slow: int, board: str = "virtual-256", machine: Machine = Machine.MICROCODE) -> tuple[Bound, ...]:
    (folder / "p.giotto").write_text(INTERRUPTED.format(slow=slow), encoding="ascii")
    code = (
        "void zero(int *o) { *o = 0; }\nvoid work(void) {}\nbool now(const int *o) { return *o != 0; }\nvoid nothing(void) {}\n"
    )
    (folder / "main.c").write_text('#include "giotto.h"\n' + code, encoding="ascii")
    return analysed(folder / "p.giotto", board, machine)


@pytest.mark.parametrize("machine", [Machine.MICROCODE, Machine.CELLS])
def test_a_task_that_a_switch_interrupts_has_its_deadline_as_its_bound(tmp_path: Path, machine: Machine) -> None:
    found = {(bound.mode, bound.name): bound for bound in interrupted(tmp_path, 5, machine=machine)}
    assert {key: bound.ticks for key, bound in found.items()} == {
        ("a", "fast"): 10_000,
        ("a", "slow"): 20_000,
        ("b", "slow"): 20_000,
    }
    assert [(term.why, term.name) for term in found["a", "slow"].terms] == [("proved", "35 %")]
    assert all(bound.met for bound in found.values())


def test_what_has_s_code_or_no_price_is_not_known(tmp_path: Path) -> None:
    assert {b.why for b in interrupted(tmp_path, 5, board="ast1030-evb", machine=Machine.CELLS)} == {
        "what the kernel on cells takes has no price on port 'armv7m'"
    }
    (tmp_path / "p.scode").write_text(".method edf\n", encoding="ascii")
    assert {b.why for b in interrupted(tmp_path, 5)} == {
        "S code says when tasks run, and bounds are of EDF and rate-monotonic scheduling alone"
    }
    (tmp_path / "p.scode").write_text(".scheduler rm\n", encoding="ascii")
    assert {b.ticks for b in interrupted(tmp_path, 5)} == {10_000, 20_000}
