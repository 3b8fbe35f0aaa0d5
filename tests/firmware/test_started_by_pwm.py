# SPDX-License-Identifier: Apache-2.0
"""A round that the update of the application's TIM1 starts in hardware: it keeps its phase to TIM1, to the tick.

When TIM1 counts from is known by the store that lets it, which is marked.  From there the tests go on by its period alone.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pytest
from laboratory import Kind, Laboratory

from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.run import record
from carillon.run.entries import Code
from carillon.run.records import Decoder
from carillon.trace import Event
from runnable import RIGLESS

pytestmark = RIGLESS

PERIOD, ROUND, ROUNDS = 3_125, 12_500, 300
OFFSETS = {"A": (100, 6_250), "B": (2_000, 12_500), "C": (4_000, 12_500)}
SCHEDULE = """
[start]
by = "{by}"
period = "{period} ticks"
phase = "{phase} ticks"
[task.A]
period = "6250 ticks"
offset = "100 ticks"
[task.B]
period = "12500 ticks"
offset = "2000 ticks"
deadline = "1500 ticks"
[task.C]
period = "12500 ticks"
offset = "4000 ticks"
"""
CODE = """
#define PWM(at) (*(volatile uint32_t *)({base}u + (at)))
static void begin(void)
{{
    {setup}
    __asm__ volatile(".global pwm_counts\\n"
                     "pwm_counts: str %1, [%0]\\n" : : "r"({base}u), "r"({control}u) : "memory");
}}
static volatile uint32_t jobs, first, moved;
void A(void)
{{
    const uint32_t now = PWM(0x24u); /* CNT */
    if (jobs == 0u) {{
        first = now;
    }}
    moved += (now != first);
    jobs++;
}}
void B(void) {{ }}
void C(void) {{ }}
void ttStartupHook(void)
{{
    {before}
}}
void ttIdleTask(void)
{{
    {after}
    while (jobs < {count}u) {{
    }}
    report("first", first);
    report("moved", moved);
    for (;;) {{
    }}
}}
"""
EDGE = f"PWM(0x2Cu) = {PERIOD - 1}u;\n    PWM(0x04u) = 0x20u;"  # ARR, and CR2: the update is the trigger output
BASES = {"TIM1": 0x4001_0000, "TIM8": 0x4001_0400, "TIM3": 0x4000_0400, "TIM4": 0x4000_0800}


@dataclass(frozen=True)
class Ran:
    """A run: when TIM1 began to count, and tick 0, in instructions, which are ticks; and what happened."""

    counts: int
    zero: int
    events: list[Event]
    said: dict[str, int]
    early: int  # handlers that were entered before the cells began


def ran(
    lab: Laboratory,
    phase: int,
    board: str = "stm32f4-discovery",
    setup: str = EDGE,
    before: str = "begin();",
    after: str = "",
    by: str = "TIM1",
    control: int = 1,
    period: int = PERIOD,
    rounds: int = ROUNDS,
) -> Ran:
    code = CODE.format(setup=setup, before=before, after=after, base=BASES[by], control=control, count=2 * rounds - 20)
    path = lab.write(SCHEDULE.format(by=by, period=period, phase=phase), code, system=f'board = "{board}"')
    planned, firmware = lab.firmware(path, board)
    diagnostics = Diagnostics()
    recording = record(planned.image, firmware, rounds * ROUND, diagnostics, marks=("pwm_counts",))
    assert recording is not None, [str(d) for d in diagnostics.reported]
    decoder = Decoder(planned.image, symbols(firmware.elf), None)
    zero = decoder.origin(recording.records)
    assert zero is not None
    counts = next(r.time for r in recording.records if r.code == Code.MARK) + 1  # from behind the store on
    begin = next(r.time for r in recording.records if r.code == Code.BEGIN)
    early = sum(r.code == Code.ENTER and r.time < begin for r in recording.records)
    trace = decoder.trace(recording.records, rounds * ROUND, rounds, recording.output)
    said = dict(line.split() for line in recording.output.splitlines()[:2])
    return Ran(counts, zero, list(trace.events), {k: int(v) for k, v in said.items()}, early)


def check(run: Ran, phase: int, since: int, rounds: int = ROUNDS) -> None:
    """Each task starts on its tick behind an update, of which the first one is ``since`` ticks after TIM1 began to count."""
    assert (run.zero - run.counts - since) % PERIOD == phase
    for task, (offset, period) in OFFSETS.items():
        entered = [run.zero + e.n for e in run.events if e.kind is Kind.ENTER and e.object == task]
        updates = [run.counts + since + n * PERIOD for n in range(2 * 4 * rounds)]
        assert len(entered) == rounds * ROUND // period
        assert all((at - phase - offset) in updates for at in (entered[0], entered[-1]))
        assert [b - a for a, b in itertools.pairwise(entered)] == [period] * (len(entered) - 1)


@pytest.mark.parametrize("phase", [0, 1, 399, 400, 401, 1_700, PERIOD - 1])
def test_each_start_is_at_its_phase_behind_an_update_to_the_tick(lab: Laboratory, phase: int) -> None:
    run = ran(lab, phase)
    check(run, phase, PERIOD)
    assert run.said["moved"] == 0
    assert 0 < (run.said["first"] - phase - 100) % PERIOD < 20  # its handler's entry, and the load


@pytest.mark.parametrize("board", ["blackpill-f411", "nucleo-f429zi"])
@pytest.mark.parametrize("by", ["TIM1", "TIM3", "TIM4"])
def test_other_boards_and_other_timers_do_the_same(lab: Laboratory, board: str, by: str) -> None:
    check(ran(lab, 700, board, by=by, rounds=20), 700, PERIOD, 20)


@pytest.mark.parametrize(("repetition", "since"), [(0, PERIOD), (1, 2 * PERIOD)])
def test_a_centre_aligned_pwm_triggers_at_its_turns(lab: Laboratory, repetition: int, since: int) -> None:
    """Without a repetition, at its crest and its valley; with one, at the valley alone."""
    setup = f"PWM(0x2Cu) = {PERIOD}u;\n    PWM(0x30u) = {repetition}u;\n    PWM(0x14u) = 1u;\n    PWM(0x04u) = 0x20u;"
    run = ran(lab, 1_000, setup=setup, control=0x21, period=since, rounds=50)
    assert (run.zero - run.counts) % since == 1_000
    check(run, 1_000, since, 50)


def test_no_task_runs_before_the_timer_triggers(lab: Laboratory) -> None:
    run = ran(lab, 10, before="", after="for (volatile int k = 0; k < 20000; k++) {\n    }\n    begin();", rounds=50)
    assert run.counts > 100_000
    assert run.early == 0
    assert run.counts + PERIOD <= run.zero - 10 <= run.counts + 2 * PERIOD  # the first update from which it is far enough
    check(run, 10, PERIOD, 50)


def test_a_run_whose_timer_never_triggers_says_so(lab: Laboratory) -> None:
    code = CODE.format(setup="", before="", after="", base=BASES["TIM1"], control=0, count=1)
    path = lab.write(SCHEDULE.format(by="TIM1", period=PERIOD, phase=0), code, system='board = "stm32f4-discovery"')
    planned, firmware = lab.firmware(path, "stm32f4-discovery")
    diagnostics = Diagnostics()
    assert record(planned.image, firmware, 5 * ROUND, diagnostics) is None
    (error,) = diagnostics.errors
    assert error.code == "C095"
    assert "TIM1 has triggered nothing since ttStartOS" in error.cause
