# SPDX-License-Identifier: Apache-2.0
"""The timers of an STM32F4, in rigless: one store starts them, and each task starts on its tick.  And matches of counters."""

from __future__ import annotations

import pytest
from laboratory import Kind, Laboratory

from runnable import NODE, RIGLESS

BOARDS = ("stm32f4-discovery", "nucleo-f429zi", "blackpill-f411")
SCHEDULE = """
[task.Current]
period = "50us"
deadline = "40us"
monitor = "always"
[task.Speed]
period = "1ms"
offset = "10us"
[task.Position]
period = "10ms"
offset = "20us"
"""
CODE = "".join(f"void {name}(void)\n{{\n}}\n" for name in ("Current", "Speed", "Position"))


@RIGLESS
@pytest.mark.parametrize("board", BOARDS)
def test_tasks_of_three_rates_start_without_jitter_and_drift(lab: Laboratory, board: str) -> None:
    outcome = lab.run(SCHEDULE, CODE, board, rounds=10)
    for name, count in {"Current": 2000, "Speed": 100, "Position": 10}.items():
        assert len(outcome.events(Kind.START, of=name)) == count
        assert len(set(outcome.delays(name))) == 1
    assert not outcome.events(Kind.DEADLINE_MISSED)


@RIGLESS
@pytest.mark.parametrize("board", BOARDS)
def test_a_deadline_that_is_missed_is_seen(lab: Laboratory, board: str) -> None:
    late = CODE.replace(
        "void Current(void)\n{\n", "void Current(void)\n{\n    for (volatile int i = 0; i < 5000; i++) {\n    }\n"
    )
    assert lab.run(SCHEDULE, late, board).events(Kind.DEADLINE_MISSED, of="Current")


MATCHES = """
[task.First]
period = "6250 ticks"
wcet = "300 ticks"
overrun = "never"
[task.Second]
period = "12500 ticks"
offset = "2500 ticks"
wcet = "300 ticks"
overrun = "never"
[task.Third]
period = "62500 ticks"
offset = "4375 ticks"
wcet = "300 ticks"
overrun = "never"
[mode.main]
round = "62500 ticks"
window = "wcet"
tasks = ["First", "Second", "Third"]
"""


@RIGLESS
def test_a_match_has_its_dispatch_in_12_instructions_and_5_for_each_before_it(lab: Laboratory) -> None:
    """Three tasks on three matches of one timer, which has one interrupt: the match is moved after the task."""
    code = "".join(f"void {name}(void)\n{{\n}}\n" for name in ("First", "Second", "Third"))
    system = 'board = "blackpill-f411"\nreserve = ["TIM1", "TIM2", "TIM3", "TIM4"]'
    outcome = lab.run(MATCHES, code, "blackpill-f411", system=system, rounds=20)
    for name, most in {"First": 12, "Second": 17, "Third": 22}.items():
        dispatch = outcome.task(name).dispatch
        assert dispatch is not None and dispatch.maximum <= most
        assert len(set(outcome.delays(name))) == 1


ALONE = ("blackpill-f411", "raspberry-pi-pico")
LENGTHS = (100, 2700, 100, 300, 5200, 100, 600, 1300, 2200, 100, 3700, 400, 1800, 2600, 100)
"""Of the jobs of a task with a period of 1000 ticks."""


def served(lengths: tuple[int, ...], period: int, last: int) -> list[int]:
    """When each job starts: one activation waits while a job runs, and those after it are absorbed."""
    starts, point, lengths_of = [], 0, iter(lengths)
    while point < last:
        starts.append(point)
        end = point + next(lengths_of, lengths[0])
        following = (point // period + 1) * period
        point = end if following < end else following
    return starts


@pytest.mark.parametrize("board", [pytest.param(b, marks=RIGLESS if b == ALONE[0] else NODE) for b in ALONE])
def test_a_match_that_is_moved_late_keeps_its_phase_and_loses_no_activation(lab: Laboratory, board: str) -> None:
    per_tick = {"blackpill-f411": 1, "raspberry-pi-pico": 125}[board]
    lengths = ", ".join(f"{n}u" for n in LENGTHS)
    first = f"{LENGTHS[0]}u"
    code = f"""
    void A(void)
    {{
        static const uint32_t lengths[] = {{ {lengths} }};
        static uint32_t n;
        const uint32_t length = (n < {len(LENGTHS)}u) ? lengths[n] : {first};
        n++;
        carillon_work(length);
    }}
    """
    reserve = 'reserve = ["TIM1", "TIM2", "TIM3", "TIM4"]' if board == ALONE[0] else ""
    outcome = lab.run('[task.A]\nperiod = "1000 ticks"\n', code, board, system=f'board = "{board}"\n{reserve}', rounds=45)
    wanted = served(LENGTHS, 1000, 44_000)
    found = [n / outcome.per_tick for n in outcome.at(Kind.START, "A")][: len(wanted)]
    assert len(found) == len(wanted), (found, wanted)
    within = 150 / per_tick + (3 if per_tick > 1 else 0)  # code of the kernel; on the Pico, what another request takes
    before = 0  # jobs that have waited, one after the other
    for at, due in zip(found, wanted, strict=True):
        before = before + 1 if due % 1000 else 0
        assert 0 <= at - due < within * (1 + before), (found, wanted)
