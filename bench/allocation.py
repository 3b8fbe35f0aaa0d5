# SPDX-License-Identifier: Apache-2.0
"""How large a schedule the allocator places, how close to the optimum, and how long it takes.

    python bench/allocation.py [--samples N] [--case NAME] [--time-limit S]

Synthetic rounds: a third of the tasks periodic (periods that divide the round, offsets), the others with irregular points.  Most
activations have a deadline that ends their window, of which a share is watched only if cells allow.  The other windows end at a
worst-case completion.  On average ``open_windows`` windows are open at once, and the direct allocation needs more interrupt
sources than the board has.  Each sample is another seed.  The irregular cases have no periodic task and only required deadlines.
Times are of this machine and this run; everything else is exact.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from carillon.actions.activate import Activate
from carillon.actions.check_deadline import CheckDeadline
from carillon.allocate.allocation import Allocation
from carillon.allocate.result import Style
from carillon.allocate.rounds import RoundAllocator
from carillon.diagnostics import Diagnostics, Span
from carillon.lower import Demand, ExpiryPoint, LoweredMode
from carillon.model import Idle, Interrupt, Mode, OnDeadlineMiss, System, Task, Window
from carillon.model.board import Board
from carillon.read.board import load_board

BOARDS = Path(__file__).resolve().parents[1] / "boards"
SPAN = Span("synthetic.toml")


@dataclass(frozen=True)
class Case:
    """A synthetic round: ``points`` activations and deadlines of ``tasks`` tasks on a board."""

    name: str
    board: str
    clock_hz: int
    round_length: int
    tasks: int
    points: int
    grid: int
    irregular: int = 0
    """With a number, instead: every task has so many irregular activations, each with a required deadline."""


CASES = (
    Case("tc1796-200", "tc1796", 50_000_000, 5_000_000, tasks=33, points=200, grid=5_000),
    Case("tc1796-10x10", "tc1796", 50_000_000, 5_000_000, tasks=10, points=200, grid=1_000, irregular=10),
    Case("tc1796-25x4", "tc1796", 50_000_000, 5_000_000, tasks=25, points=200, grid=1_000, irregular=4),
    Case("virtual-256-1000", "virtual-256", 1_000_000, 1_200_000, tasks=120, points=1000, grid=100),
)


def allocate(
    system: System, modes: tuple[LoweredMode, ...], diagnostics: Diagnostics, time_limit: float = 20.0
) -> Allocation | None:
    """Allocate every mode on all sources of the board."""
    return RoundAllocator(system, modes, time_limit).allocate(frozenset(), diagnostics)


def system_of(board: Board, clock_hz: int, modes: tuple[LoweredMode, ...], interrupts: tuple[Interrupt, ...] = ()) -> System:
    """The least system that an allocation needs around lowered modes."""
    names = sorted({d.object for mode in modes for d in mode.demands if d.action.runs})
    return System(
        name="synthetic",
        file=Path(SPAN.file),
        digest="",
        board=board,
        clock_hz=clock_hz,
        tasks=tuple(Task(name, name, None, SPAN) for name in names),
        interrupts=interrupts,
        modes=tuple(Mode(m.name, m.round_length, (), (), Window.DEADLINE, SPAN) for m in modes),
        start_mode=modes[0].name,
        on_deadline_miss=OnDeadlineMiss.SHUTDOWN,
        idle=Idle.SPIN,
        sources=(),
        drifts=(),
    )


def synthetic(
    seed: int, *, round_length: int, tasks: int, points: int, grid: int, optional: float = 0.2, open_windows: float = 4
) -> LoweredMode:
    """A round of ``points`` activations and deadlines; all times are multiples of ``grid`` ticks."""
    chance = random.Random(seed)
    slots = round_length // grid
    wanted = [2] * tasks
    while sum(wanted) * 8 < points * 5:
        wanted[chance.randrange(tasks)] += 1
    activations: list[Demand] = []
    deadlines: list[Demand] = []
    left = points - sum(wanted)
    for number, count in enumerate(wanted):
        name = f"t{number:03}"
        if number % 3 == 0:
            while slots % count:
                count -= 1
            first = chance.randrange(slots // count)
            times = [(first + k * (slots // count)) * grid for k in range(count)]
        else:
            times = sorted(grid * slot for slot in chance.sample(range(slots), count))
        ends = [*times[1:], round_length]
        watched = left >= count and chance.random() < 0.9
        windows = []
        for at, end in zip(times, ends, strict=True):
            length = max(grid // 2, int((end - at) * chance.uniform(0.2, 1.8) * min(0.5, open_windows / tasks)))
            windows.append(min(at + length, end) // max(1, grid // 2) * max(1, grid // 2))
        required = chance.random() >= optional
        activations.append(
            Demand(
                Activate(name),
                tuple(ExpiryPoint(at, Activate(name), end, SPAN) for at, end in zip(times, windows, strict=True)),
                required=True,
                bounded=True,
            )
        )
        if watched:
            left -= count
            spots = tuple(ExpiryPoint(end, CheckDeadline(name), end, SPAN) for end in windows)
            deadlines.append(Demand(CheckDeadline(name), spots, required, bounded=True))
    return LoweredMode("default", round_length, (*activations, *deadlines))


def irregular(seed: int, case: Case, open_windows: float = 10) -> LoweredMode:
    """A round in which every task is activated ``case.irregular`` times, at random, once in each turn of all tasks."""
    chance = random.Random(seed)
    count = case.tasks * case.irregular
    times = [case.grid * slot for slot in sorted(chance.sample(range(1, case.round_length // case.grid - 20), count))]
    order = [task for _ in range(case.irregular) for task in chance.sample(range(case.tasks), case.tasks)]
    following: dict[int, int] = {}
    points: dict[int, list[tuple[int, int]]] = {}
    for at, task in reversed(list(zip(times, order, strict=True))):
        window = int(case.round_length / count * open_windows * chance.uniform(0.5, 1.5))
        points.setdefault(task, []).insert(0, (at, min(following.get(task, case.round_length), at + window)))
        following[task] = at
    demands = []
    for kind in (Activate, CheckDeadline):
        for task, own in sorted(points.items()):
            action = kind(f"t{task:03}")
            spots = tuple(ExpiryPoint(at if action.runs else end, action, end, SPAN) for at, end in own)
            demands.append(Demand(action, spots, required=True, bounded=True))
    return LoweredMode("default", case.round_length, tuple(demands))


def run(case: Case, seed: int, time_limit: float) -> dict[str, float]:
    """Allocate one sample; figures of the result."""
    if case.irregular:
        mode = irregular(seed, case)
    else:
        mode = synthetic(seed, round_length=case.round_length, tasks=case.tasks, points=case.points, grid=case.grid)
    system = system_of(load_board(BOARDS / case.board / "board.toml"), case.clock_hz, (mode,))
    diagnostics = Diagnostics()
    start, processor = time.perf_counter(), time.process_time()
    allocation = allocate(system, (mode,), diagnostics, time_limit)
    seconds = time.perf_counter() - start
    if allocation is None:
        raise SystemExit("\n".join(str(d) for d in diagnostics.in_order()))
    result = allocation.modes[0]
    return {
        "points": sum(len(d.points) for d in mode.demands),
        "demands": len(mode.demands),
        "sources": len(result.carriers),
        "multiplexed": sum(c.style is Style.MULTIPLEXED for c in result.carriers),
        "lowered": len({c.demand.object for c in result.carriers if c.lowered}),
        "unwatched": len(result.unmonitored),
        "levels": result.levels,
        "overhead": result.overhead,
        "bound": result.bound,
        "gap %": 100 * (result.overhead - result.bound) / max(1, result.overhead),
        "proved": result.optimal,
        "seconds": seconds,
        "processor s": time.process_time() - processor,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--case", choices=[case.name for case in CASES])
    parser.add_argument("--time-limit", type=float, default=20.0)
    arguments = parser.parse_args()
    for case in CASES:
        if arguments.case in (None, case.name):
            samples = [run(case, seed, arguments.time_limit) for seed in range(1, arguments.samples + 1)]
            print(f"{case.name}: {len(samples)} samples (minimum, median, maximum)")
            for key in samples[0]:
                values = [sample[key] for sample in samples]
                print(f"  {key:12} {min(values):10.4g} {statistics.median(values):10.4g} {max(values):10.4g}")


if __name__ == "__main__":
    main()
