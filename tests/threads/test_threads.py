# SPDX-License-Identifier: Apache-2.0
"""Random threads with slices, semaphores, resources, locks and alarms do what thread_model.py says.

Compared on virtual boards, where code takes no time: every end of a step and every call of an alarm, its time and its status, to
the tick.  So no wakeup and no expiry is lost or doubled, nothing is late but by a lock, and threads of one priority take turns;
that none of them waits for longer than the others' slices and locks is a property of the model, looked at in each run.

On emulated boards programs are drawn that mean the same however long code takes, up to a ``cost`` before each step and after it.
Then the order and the statuses are exact, and each time is within that of the model without costs and with them, and one cost
more.  Draws of costs show which programs these are; a program that another draw explains is none of them, and no fault.  A cost
is what the clock's handler takes if all alarms and all threads are due at once, by ``[costs]`` of the board, and up to as much
again for the steps of the program that plays.

Without options each board gets the same few programs every time.  ``CARILLON_TRIES=N`` is the number of images for each board
and clock, then drawn from another seed every time, which a failure names; ``CARILLON_SEED=S`` sets it.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from thread_drawing import ALARMS, SHAPES, Alarm, Body, Do, Program, Scale, Step
from thread_machine import Target, different, draw, execute, vary
from thread_model import NOTHING, OF_ALARM, Event, Model, Way

import asked
from carillon.diagnostics import Diagnostics
from carillon.model.time import ClockKind
from carillon.pipeline import plan
from sample import DRAW

IMAGES = asked.tries(1)
SEED = asked.seed(DRAW)

EXACT = Scale(5000, step=100, lock=20_000)
FINE = Scale(60_000, step=100, lock=150_000, slices=16, window=24, shortest=2000)
FINE_TICKS = replace(FINE, shortest=1)
EIGHT_BITS = Scale(6000, lock=15_000, slices=16, window=24, steps=6, threads=4, shortest=80)
FIVE = replace(FINE, slice=15_000, step=25, lock=40_000, shortest=500)  # instructions a tick
FIVE_TICKS = replace(FIVE, shortest=1)
TWENTY_FIVE = replace(FINE, slice=6000, step=10, lock=16_000, shortest=200, sliced=False)
ARM = Target("ast1030-evb", "one-shot", FINE, 1000, programs=6)
HUNDRED = replace(FINE, slice=1500, step=10, lock=4000, shortest=60)  # and 25
HUNDRED_TICKS = replace(HUNDRED, shortest=1)
ARMV6M = Target("microbit", "one-shot", HUNDRED, 20, software=True, programs=6, stack=768)
FEW = replace(ARMV6M, scale=replace(HUNDRED, sliced=False), software=False, shapes=("one",))  # by the interrupt controller
FEW_TICKS = replace(FEW, clock="periodic", scale=replace(HUNDRED_TICKS, sliced=False), cost=30, ticks=(100, 125, 375, 750))
AVR = Target("atmega128", "one-shot", EIGHT_BITS, 90, 'clock = "250kHz"', software=True, programs=8, stack=256, events=56)
VIRTUAL = Target("virtual-ast1030-evb", "one-shot", EXACT)
TICKING = replace(VIRTUAL, clock="periodic", ticks=(400, 800, 1000, 2500, 3000, 6000, 15_000), widths=(0, 16, 17, 18, 20))
TARGETS = [
    VIRTUAL,
    replace(VIRTUAL, clock="compare"),
    TICKING,
    replace(VIRTUAL, software=True, chosen=True),
    replace(TICKING, software=True, chosen=True),
    replace(TICKING, board="tc1796", programs=10),
    replace(VIRTUAL, board="virtual-256", clock="compare"),
    ARM,
    replace(ARM, clock="periodic", scale=FINE_TICKS, cost=1500, ticks=(4000, 5000, 7500, 16_000, 30_000), widths=(0, 19, 20)),
    replace(ARM, board="mps2-an385", scale=FIVE, cost=200),
    replace(
        ARM, board="mps2-an385", clock="periodic", scale=FIVE_TICKS, cost=300, ticks=(1000, 1250, 3750, 7500), widths=(0, 17, 18)
    ),
    replace(ARM, board="mps2-an505", scale=TWENTY_FIVE, cost=40),
    replace(ARM, board="qemu-rv32-virt", clock="compare", scale=TWENTY_FIVE, cost=80, software=True),
    ARMV6M,
    replace(ARMV6M, clock="compare"),
    replace(ARMV6M, clock="periodic", scale=HUNDRED_TICKS, cost=30, ticks=(100, 125, 375, 750), widths=(16,)),
    replace(ARMV6M, board="raspberry-pi-pico"),
    replace(ARMV6M, board="raspberry-pi-pico", clock="compare"),
    replace(
        ARMV6M, board="raspberry-pi-pico", clock="periodic", scale=HUNDRED_TICKS, cost=30, ticks=(100, 125, 375, 750), widths=(0,)
    ),
    FEW,
    replace(FEW, clock="compare"),
    replace(FEW_TICKS, widths=(16,)),
    replace(FEW, board="raspberry-pi-pico"),
    replace(FEW, board="raspberry-pi-pico", clock="compare"),
    replace(FEW_TICKS, board="raspberry-pi-pico", widths=(0,)),
    AVR,
    replace(AVR, clock="compare"),
    replace(AVR, clock="periodic", scale=replace(EIGHT_BITS, shortest=1, sliced=False), ticks=(500, 1000, 1500, 3000)),
]

UNPRICED = ("qemu-rv32-virt", "microbit", "raspberry-pi-pico")
"""Boards that declare no costs of a clock."""


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.name)
def test_threads_do_what_the_model_says(target: Target, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    if target.board == "raspberry-pi-pico" and not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("needs node and npm")
    done: Counter[str] = Counter()
    shapes = target.shapes
    for number in range(IMAGES):
        shape = shapes[(number + TARGETS.index(target)) % len(shapes)]
        rng = random.Random(f"{target.name} {SEED} {number}")
        varied = vary(rng, target, shape)
        programs = [draw(rng, varied, shape) for _ in range(target.programs)]
        way, said = execute(tmp_path / "image", varied, shape, programs)
        for which, (program, one) in enumerate(zip(programs, said, strict=False)):
            found = different(varied, shape, way, program, one)
            if found:
                where = f"program {number}.{which} of {target.name}, {shape}, {varied.told}"
                pytest.fail(f"seed {SEED}, {where}: {found}\n{program}", pytrace=False)
            done.update(programs=1, events=len(one.events), calls=sum(e.who >= OF_ALARM for e in one.events))
        assert len(said) == len(programs), f"seed {SEED}, image {number} of {target.name}, {shape}: {len(said)} were played"
    record_property("threads", dict(done))
    assert done["events"] > 30


@pytest.mark.parametrize("target", [t for t in TARGETS if t.cost and t.board not in UNPRICED], ids=lambda t: t.name)
def test_what_code_may_take_is_what_the_board_says(target: Target, tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text(f'[system]\nname = "app"\n{target.system}\n[osek]\n', encoding="utf-8")
    (tmp_path / "main.c").write_text("", encoding="utf-8")
    system = plan(path, Diagnostics(), target.board).system
    costs = system.board.costs[ClockKind(target.clock)].based
    threads = 1 + max(map(len, SHAPES.values()))
    each = costs.serving + costs.beside
    code = costs.interrupt + ALARMS * (each + costs.alarm) + threads * (each + costs.wake)
    per_tick = system.board.clock(system.clock_hz).instructions_per_tick
    assert code <= target.cost * per_tick <= 2 * code


# --- the model, by hand ---


def told(priorities: tuple[int, ...], *bodies: tuple[Step, ...], alarms: tuple[Alarm, ...] = ()) -> list[Event]:
    """What threads do that begin just behind the end of a slice of 100 ticks."""
    program = Program({k: Body(b, 1) for k, b in enumerate(bodies)}, tuple(range(len(bodies))), alarms, 0)
    return [e._replace(time=e.time - 1001) for e in Model(program, priorities, Scale(100), 1001, Way(False, False)).run()]


def test_threads_of_one_priority_have_a_slice_each() -> None:
    work = (Step(Do.WORK, 0, 150),)
    assert told((1, 1), work, work) == [Event(250, 0, 0, 0), Event(300, 1, 0, 0)]


def test_what_is_locked_ends_before_the_slice_does() -> None:
    lock, work = (Step(Do.LOCK, 0, 130), Step(Do.WORK, 0, 5)), (Step(Do.WORK, 0, 20),)
    assert told((1, 1), lock, work) == [Event(150, 1, 0, 0), Event(150, 0, 0, 0), Event(155, 0, 1, 0)]


def test_the_most_urgent_one_that_waits_gets_the_unit_and_others_time_out() -> None:
    take, give = (Step(Do.TAKE_WITHIN, 2, 50),), (Step(Do.WORK, 0, 30), Step(Do.GIVE, 2))
    assert told((3, 3, 2, 1), take, take, take, give)[:3] == [Event(30, 3, 0, 0), Event(30, 0, 0, 0), Event(30, 3, 1, 0)]
    assert told((3, 3, 2, 1), take, take, take, give)[3:] == [Event(50, 1, 0, NOTHING), Event(50, 2, 0, NOTHING)]


def test_an_alarm_that_a_lock_holds_back_expires_as_often() -> None:
    alarm = Alarm(True, 2, 40, 3)
    calls = told((1,), (Step(Do.LOCK, 0, 100),), alarms=(alarm,))
    assert calls == [*[Event(100, OF_ALARM, 0, 0)] * 2, Event(100, 0, 0, 0), Event(120, OF_ALARM, 0, 0)]
