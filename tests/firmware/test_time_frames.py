# SPDX-License-Identifier: Apache-2.0
"""Time frames: an arrival comes too early exactly if the last one that was carried out is less than a frame ago.

A task is activated, a waiting one released and an ISR requested at random: at once, about a frame later to the tick, and after
turns of the cell that measures frames.  Where code takes no time the model is exact.  In QEMU services take some of the time,
so there what comes a frame later is carried out, and what comes in less than nine tenths of one is not.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from laboratory import AST, VIRTUAL_AST, Laboratory

TURN = 1 << 24
KINDS = 3
"""A task that is activated, one that is released, an ISR that is requested."""
CODE = """
static const uint32_t waits[] = {%(waits)s};
static const uint8_t kinds[] = {%(kinds)s};
static volatile uint32_t runs;
static volatile uint32_t asked;

ProtectionReturnType ProtectionHook(StatusType error)
{
    asked += (error == E_OS_PROTECTION_ARRIVAL) ? 1u : 1000u;
    return PRO_IGNORE;
}

TASK(Rare) { runs++; TerminateTask(); }
TASK(Waiter)
{
    for (;;) {
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
        runs++;
    }
}
ISR(Signal) { runs++; }

static void arrive(uint32_t kind)
{
    switch (kind) {
    case 0u:
        (void)ActivateTask(Rare);
        break;
    case 1u:
        (void)SetEvent(Waiter, Go);
        break;
    default:
        carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
        break;
    }
}

TASK(Main)
{
    (void)ActivateTask(Waiter);
    carillon_work(%(settle)du);
    for (uint32_t k = 0; k < sizeof(kinds); k++) {
        carillon_work(waits[k]);
        runs = 0;
        asked = 0;
        arrive(kinds[k]);
        report("arrived", runs + (10u * asked));
    }
    TerminateTask();
}
"""


@dataclass(frozen=True)
class Drawn:
    """Frames in ticks, and arrivals: the ticks of work before each, and its kind."""

    frames: tuple[int, ...]
    arrivals: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, seed: int, count: int, low: int, turns: int) -> Drawn:
        drawn = random.Random(seed)
        frames = tuple(drawn.randrange(low, 4 * low) for _ in range(KINDS))
        arrivals = []
        for _ in range(count):
            kind = drawn.randrange(KINDS)
            frame = frames[drawn.randrange(KINDS)]
            near = frame + drawn.randrange(-2, 3)
            wait = drawn.choice([1, drawn.randrange(1, frame), drawn.randrange(1, frame // 4), near, near])
            arrivals.append((wait, kind))
        for k in drawn.sample(range(count), turns):  # to the tick, too: the cell begins anew between
            arrivals[k] = (drawn.choice([TURN, TURN - 1, TURN + 1, 2 * TURN, drawn.randrange(TURN)]), arrivals[k][1])
        return cls(frames, tuple(arrivals))

    @property
    def schedule(self) -> str:
        rare, waiter, signal = (f'time_frame = "{frame} ticks"\n' for frame in self.frames)
        text = '[osek]\nhooks = ["protection"]\n[osek.event.Go]\n[osek.task.Main]\npriority = 1\nautostart = true\n'
        text += f"[osek.task.Rare]\npriority = 2\n{rare}"
        text += f'[osek.task.Waiter]\npriority = 3\nevents = ["Go"]\n{waiter}'
        return text + f'[osek.isr.Signal]\nsource = "soft0"\n{signal}'

    @property
    def code(self) -> str:
        waits = ", ".join(f"{wait}u" for wait, _ in self.arrivals)
        return CODE % {"waits": waits, "kinds": ", ".join(str(kind) for _, kind in self.arrivals), "settle": 4 * max(self.frames)}


def arrived(lab: Laboratory, drawn: Drawn, board: str, dispatch: str, beside: str = "", code: str = "") -> list[bool]:
    """Of each arrival, whether it was carried out; otherwise the hook was asked, once.  ``beside``: what else the system has."""
    schedule = drawn.schedule.replace("[osek]\n", f'[osek]\ndispatch = "{dispatch}"\n') + beside
    ticks = 2 * sum(wait for wait, _ in drawn.arrivals) + 10_000_000
    said = lab.run(schedule, drawn.code + code, board, ticks=ticks).reported
    assert len(said) == len(drawn.arrivals)
    assert {value for _, value in said} == {1, 10}
    return [value == 1 for _, value in said]


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_comes_a_frame_later_arrives_and_what_comes_a_tick_sooner_does_not(
    lab: Laboratory, seed: int, dispatch: str
) -> None:
    drawn = Drawn.of(seed, 1500, 40 * 10**seed, 60)
    compare(drawn, arrived(lab, drawn, VIRTUAL_AST, dispatch))


ROUND = ('[task.Round]\nperiod = "1ms"\n', '#include "carillon/osektime.h"\nttTASK(Round) {}\n')
SERVICES = ('[time]\nclock = "periodic"\ntick = "1ms"\n', "")


@pytest.mark.parametrize(("beside", "code"), [ROUND, SERVICES], ids=["a round", "time services"])
@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_frames_go_with_rounds_and_time_services(lab: Laboratory, beside: str, code: str, dispatch: str) -> None:
    drawn = Drawn.of(5, 400, 4000, 4)
    compare(drawn, arrived(lab, drawn, VIRTUAL_AST, dispatch, beside, code))


def compare(drawn: Drawn, found: list[bool]) -> None:
    """What was carried out must be what the model says."""
    opens, now = [0] * KINDS, 4 * max(drawn.frames)
    for number, ((wait, kind), came) in enumerate(zip(drawn.arrivals, found, strict=True)):
        now += wait
        assert came == (now >= opens[kind]), (number, now - opens[kind])
        if came:
            opens[kind] = now + drawn.frames[kind]
    assert min(sum(found), len(found) - sum(found)) > len(found) // 5


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_frames_where_services_take_time(lab: Laboratory, dispatch: str) -> None:
    drawn = Drawn.of(4, 400, 100_000, 8)
    found = arrived(lab, drawn, AST, dispatch)
    last, now, sure = [-TURN] * KINDS, 0, 0
    for number, ((wait, kind), came) in enumerate(zip(drawn.arrivals, found, strict=True)):
        now += wait
        passed = now - last[kind]  # and what services took
        if passed >= drawn.frames[kind]:
            assert came, number
        elif passed < 0.9 * drawn.frames[kind]:
            assert not came, number
            sure += 1
        if came:
            last[kind] = now
    assert sure > 100


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_a_task_that_chains_itself_arrives(lab: Laboratory, dispatch: str) -> None:
    """It chains itself after a tick less than the frame, and goes on; then a tick later."""
    code = """
    static volatile uint32_t asked, runs;
    ProtectionReturnType ProtectionHook(StatusType error)
    {
        asked += (error == E_OS_PROTECTION_ARRIVAL) ? 1u : 1000u;
        return PRO_IGNORE;
    }
    TASK(Rare)
    {
        runs++;
        carillon_work(999u);
        if (runs < 4u) {
            report("early", ChainTask(Rare));
            carillon_work(1u);
            (void)ChainTask(Rare);
        }
        report("asked", asked);
        report("runs", runs);
        TerminateTask();
    }
    """
    schedule = f'[osek]\nhooks = ["protection"]\ndispatch = "{dispatch}"\n'
    schedule += '[osek.task.Rare]\npriority = 2\nautostart = true\ntime_frame = "1000 ticks"\n'
    said = lab.run(schedule, code, VIRTUAL_AST, ticks=100_000).reported
    early = [value for name, value in said if name == "early"]
    assert len(early) == 3 and len(set(early)) == 1 and early[0] != 0
    assert said[-2:] == [("asked", 3), ("runs", 4)]
