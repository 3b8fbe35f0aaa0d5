# SPDX-License-Identifier: Apache-2.0
"""Whether boards that people own keep every expiry: random rounds whose tasks have more points than the chip has channels.

The same source runs on each board and on the reference board.  An expiry is *lost* if the task has not started before its
next expiry, and *doubled* if it has started twice.  The work of the tasks recurs after :data:`RECURS` rounds, so each start
must recur to the cycle: by how much it does not is the *drift*.  A start's *bound* is what the plan says that the handlers
take at most: the task's own, and whatever the other's may hold off.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.papers.made import made, scratch
from bench.papers.rows import BOARD, Progress, Result, Row, row
from carillon.allocate.result import Style
from carillon.diagnostics import Diagnostics
from carillon.model.board import Role
from carillon.pipeline import Planned
from carillon.timing.handlers import handler_cost
from carillon.trace import Kind

BOARDS = ("arduino-uno", "arduino-leonardo", "arduino-mega", "microbit", "raspberry-pi-pico", "stm32f4-discovery", BOARD)

EVEN = {"stm32f4-discovery": "Second"}
"""A task that recurs evenly, of a board whose re-armed cells share one interrupt: only one task can have such a cell."""

RESOLUTION = {"microbit": 125}
"""Instructions by which an emulator's timer comes late, at most: QEMU sets nRF51's anew from the instruction that touches it."""

A_SCHEDULE = 200
"""Rounds after which another schedule is drawn."""

SEED = 1
UNIT = 8
"""Microseconds: a whole number of ticks on each board."""

LENGTHS = 2500, 4000
"""Units of a round, from and to: at 2 MHz, a channel of 16 bits counts 32 ms."""

TASKS = ("First", "Second")
RECURS = 8
WCET = 12
"""Units.  A task computes for 1 to RECURS of them."""

APART = 50
"""Units between points of a task, at least.  Points of the two are so near that one may preempt the other."""


@dataclass(frozen=True, slots=True)
class Round:
    """A random round: its units, and each task's points in units."""

    length: int
    points: dict[str, list[int]]

    def schedule(self) -> str:
        """The schedule, without a board and a clock."""
        lines = ["[system]", 'name = "boards"', ""]
        for name in TASKS:
            lines += [f"[task.{name}]", f'wcet = "{WCET * UNIT}us"', ""]
        lines += ["[mode.normal]", f'round = "{self.length * UNIT}us"', 'window = "wcet"', "points = ["]
        entries = sorted((at, name) for name, own in self.points.items() for at in own)
        lines += [f'    {{ at = "{at * UNIT}us", activate = "{name}" }},' for at, name in entries]
        return "\n".join([*lines, "]", ""])


CODE = f"""/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"

#define UNITS(n) ((uint32_t)((uint64_t)CARILLON_CLOCK_HZ * (n) / {1_000_000 // UNIT}u))
""" + "".join(
    f"""
ttTASK({name})
{{
    static uint8_t turn;
    turn = (uint8_t)((turn + 1u) % {RECURS}u);
    carillon_work(UNITS(1u + turn));
}}
"""
    for name in TASKS
)


def drawn(chance: random.Random, even: str = "") -> Round:
    """A round of some 40 points in random order and at random distances; those of ``even`` at equal ones."""
    length = chance.randrange(*LENGTHS)
    if even:
        times = chance.choice((4, 5, 8))
        length -= length % times
        first = chance.randrange(40)
        others = drawn(chance).points[next(name for name in TASKS if name != even)]
        own = {even: [first + k * (length // times) for k in range(times)]}
        apart = [at for at in others if at < length - APART and at not in own[even]]  # no two activations in one tick
        return Round(length, {name: own.get(name, apart) for name in TASKS})
    points: dict[str, list[int]] = {name: [] for name in TASKS}
    at = chance.randrange(40)
    while at < length - APART - 10:
        free = [name for name, own in points.items() if not own or at - own[-1] > APART]
        if free:
            points[chance.choice(free)].append(at)
        at += chance.choice((9, 17, 31, chance.randrange(40, 200)))
    return Round(length, points)


@dataclass(slots=True)
class Tally:
    """What became of the expiries; ``delays`` in instructions or cycles, ``shared``: tasks whose points share a cell."""

    expiries: int = 0
    lost: int = 0
    doubled: int = 0
    late: int = 0
    drift: int = 0
    shared: int = 0
    unit: str = "instructions"
    delays: list[int] = field(default_factory=list)

    def add(self, due: Sequence[int], starts: Sequence[int], a_round: int, bound: int) -> None:
        """Count a task's starts; ``a_round``: how many of the expiries are a round's."""
        delays: dict[int, int] = {}
        for start in starts:
            which = bisect_right(due, start) - 1
            self.doubled += which in delays or which < 0
            delays.setdefault(which, start - due[which])
        delays.pop(-1, None)
        self.expiries += len(due)
        self.lost += len(due) - len(delays)
        self.late += sum(delay > bound for delay in delays.values())
        turn = a_round * RECURS
        for which, delay in delays.items():
            before = delays.get(which - turn)
            if before is not None and which - turn >= a_round:  # the first round begins awake
                self.drift = max(self.drift, abs(delay - before))
        self.delays += delays.values()


def start_bounds(planned: Planned) -> dict[str, int]:
    """How late each task may start, in instructions or cycles, by what the plan says of its handlers and of the other's."""
    image = planned.image
    (mode,) = image.modes
    carriers = {name: planned.allocation.modes[0].of(Role.ACTIVATION, name) for name in TASKS}
    costs = {name: [handler_cost(image, mode, carrier) for carrier in own] for name, own in carriers.items()}
    held = {name: max(max(cost.before, cost.after) for cost in own) for name, own in costs.items()}
    return {name: max(c.before for c in costs[name]) + held[other] for name, other in zip(TASKS, TASKS[::-1], strict=True)}


def run_round(drawn_round: Round, board: str, rounds: int, folder: Path, tally: Tally) -> None:
    """Build and run one schedule, and count what became of its expiries; raises CarillonError if it cannot."""
    diagnostics = Diagnostics()
    folder.mkdir()
    (folder / "schedule.toml").write_text(drawn_round.schedule(), encoding="utf-8")
    (folder / "main.c").write_text(CODE, encoding="utf-8")
    application = made(folder / "schedule.toml", folder / "build", diagnostics, board)
    planned = application.planned
    hz = planned.system.clock_hz
    per_tick = planned.system.board.clock(hz).instructions_per_tick
    length = drawn_round.length * UNIT * hz // 1_000_000 * rounds
    trace = application.ran(length, rounds)
    unit = UNIT * hz * per_tick // 1_000_000
    bounds = start_bounds(planned)
    for name, offsets in drawn_round.points.items():
        due = [(k * drawn_round.length + at) * unit for k in range(rounds) for at in offsets]
        starts = [event.n for event in trace.events if event.kind is Kind.START and event.object == name]
        tally.add(due, starts, len(offsets), bounds[name])
        carriers = planned.allocation.modes[0].of(Role.ACTIVATION, name)
        tally.shared += any(carrier.style is Style.MULTIPLEXED for carrier in carriers)
    tally.unit = trace.unit


def measured(board: str, rounds: int, progress: Progress, seed: int = SEED) -> Tally:
    """So many rounds of random schedules on a board."""
    chance = random.Random(seed)
    tally = Tally()
    with scratch() as folder:
        for first in range(0, rounds, A_SCHEDULE):
            progress(f"boards, {board}: round {first} of {rounds}")
            run_round(drawn(chance, EVEN.get(board, "")), board, min(A_SCHEDULE, rounds - first), folder / str(first), tally)
    return tally


def rows(board: str, tally: Tally) -> list[Row]:
    """The figures of a board."""
    counted = {"lost": tally.lost, "doubled": tally.doubled, "start_bound_exceeded": tally.late}
    rows = [row("expiries", "carillon", board, "", [tally.expiries])]
    rows += [row(name, "carillon", board, "", [number], 0) for name, number in counted.items()]
    rows.append(row("start_drift", "carillon", board, tally.unit, [tally.drift], RESOLUTION.get(board, 0)))
    rows.append(row("start_delay", "carillon", board, tally.unit, tally.delays))
    return rows


def boards(rounds: int, _: Diagnostics, progress: Progress, parts: Sequence[str]) -> Result:
    """The figures of each board, or of those in ``parts``."""
    return Result([r for board in parts or BOARDS for r in rows(board, measured(board, rounds, progress))])
