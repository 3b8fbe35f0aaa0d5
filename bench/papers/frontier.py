# SPDX-License-Identifier: Apache-2.0
"""Random rounds of rising load and closeness: what the check of the schedule accepts, and what each kernel keeps.

The question is the one that section VI-B of Sloth on Time asks.  How close together may points be, and how much may tasks
compute, until a kernel starts the tasks late or loses them?  Here, a round is *kept* if each activation has ended before the next
of its task and before the round's end.  It is *accepted* if :func:`carillon.pipeline.plan` finds a plan for it, whose check
counts the tasks' WCETs and the kernel's own code.  Whatever is accepted must be kept: every round is run, accepted or not.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from bench.papers.made import made, scratch
from bench.papers.rows import BOARD, Curve, Plot, Progress
from carillon.check.simulation import CODES
from carillon.check.utilisation import CODES as FULL
from carillon.console import heading
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.mends import Mend
from carillon.pipeline import plan, releases
from carillon.trace.analyse import analyse

KERNELS = ("carillon", "conventional")

LOADS = (70, 80, 85, 90, 93, 96, 99)
"""Shares of the processor that the tasks compute for, in per cent."""

CLOSENESS = (25, 50, 100, 200)
"""Ticks between the points of a burst."""

LENGTH = 8_000
"""Ticks of a round."""

TASKS = 4
BURSTS = 2
"""A round has so many bursts, each of a point of every task.  The reference board has a cell for each point."""

EARLY = 100
"""A burst begins so soon after its part of the round does."""

ROUNDS = 5
"""Rounds of a run that are looked at."""

CALL = 1
"""A task takes so many instructions more than the loop that stands for its computation.  That is asked of every run.
Where code takes no time, the loop is all that it takes."""

LEAST = 24
"""The least WCET, in ticks."""

LOAD_RANGE = 5, 100
CLOSENESS_RANGE = 1, (LENGTH // BURSTS - EARLY) // TASKS
"""What may be asked for, from and to: a burst lies within its part of the round."""


@dataclass(frozen=True, slots=True)
class Round:
    """A random round: the WCET of each task, in ticks, and its points, the tick and the task of each."""

    wcets: tuple[int, ...]
    points: tuple[tuple[int, int], ...]

    def schedule(self, checked: bool) -> str:
        """The schedule; one that is not ``checked`` says no WCETs, so that a plan of it is made whatever its deadlines."""
        lines = ["[system]", 'name = "frontier"', ""]
        for task, wcet in enumerate(self.wcets):
            lines += [f"[task.T{task}]", *([f'wcet = "{wcet} ticks"'] if checked else []), ""]
        lines += ["[mode.normal]", f'round = "{LENGTH} ticks"', "points = ["]
        lines += [f'    {{ at = "{at} ticks", activate = "T{task}" }},' for at, task in self.points]
        return "\n".join([*lines, "]", ""])

    def code(self) -> str:
        """The tasks, each of which computes for its WCET."""
        call = f"((CARILLON_INSTRUCTIONS_PER_TICK > 0) ? {CALL}u : 0u)"
        lines = ["/* SPDX-License-Identifier: Apache-2.0 */", '#include "carillon/osektime.h"', "", f"#define CALL {call}", ""]
        lines += [f"ttTASK(T{task})\n{{\n    carillon_work({wcet}u - CALL);\n}}\n" for task, wcet in enumerate(self.wcets)]
        return "\n".join(lines)


def drawn(chance: random.Random, load: int, closeness: int) -> Round:
    """A round in which tasks compute for ``load`` per cent of the time; points of a burst are ``closeness`` ticks apart.

    A burst has a point of every task, in random order.  The load is spread at random over all tasks.
    """
    slot = LENGTH // BURSTS
    points = []
    for burst in range(BURSTS):
        begin = burst * slot + chance.randrange(1, EARLY)
        points += [(begin + k * closeness, task) for k, task in enumerate(chance.sample(range(TASKS), TASKS))]
    spare = load * LENGTH // 100 // BURSTS - TASKS * LEAST
    cuts = sorted(chance.randrange(spare + 1) for _ in range(TASKS - 1))
    shares = [b - a for a, b in zip([0, *cuts], [*cuts, spare], strict=True)]
    return Round(tuple(LEAST + share for share in shares), tuple(points))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a round: whether it was accepted, whether each kernel kept it, and its latest start in ticks.

    The latest start is None of a kernel that has no timer for points so close: it keeps no such round.
    """

    load: int
    closeness: int
    seed: int
    accepted: bool
    kept: dict[str, bool]
    latest_start: dict[str, int | None]

    def as_json(self) -> dict[str, object]:
        """The form of ``--json``."""
        return asdict(self)


def accepted(it: Round, folder: Path, board: str) -> bool:
    """Whether the check, with the kernel's costs, accepts a round; it is refused for its times alone, or an error is raised."""
    (folder / "checked.toml").write_text(it.schedule(checked=True), encoding="utf-8")
    try:
        plan(folder / "checked.toml", Diagnostics(), board)
    except CarillonError as refused:
        if any(d.code not in (*CODES, *FULL) for d in refused.diagnostics):
            raise
        return False
    return True


def kept(drawn_round: Round, kernel: str, checked: bool, folder: Path, board: str) -> tuple[bool, int | None]:
    """Whether a kernel keeps a round on the board, and by how many ticks a task starts late at most.

    ``checked``: the round is accepted, and what runs is what was accepted.

    Raises CarillonError if it cannot be built or run.
    """
    diagnostics = Diagnostics()
    (folder / "schedule.toml").write_text(drawn_round.schedule(checked), encoding="utf-8")
    (folder / "main.c").write_text(drawn_round.code(), encoding="utf-8")
    try:
        application = made(folder / "schedule.toml", folder / kernel, diagnostics, board, kernel)
    except CarillonError as refused:
        if kernel == "conventional" and all(Mend.TICK in d.mended_by for d in refused.diagnostics):
            return False, None
        raise
    planned, trace = application.planned, application.ran((ROUNDS + 1) * LENGTH)
    summary = analyse(trace, releases(planned.system, trace))
    per_tick = planned.system.board.clock(planned.system.clock_hz).instructions_per_tick or 1
    for r in summary.runs:
        wcet = drawn_round.wcets[int(r.lane.name[1:])]
        if r.end is not None and r.executed > wcet * per_tick:
            cause = f"a task computes for {r.executed} instructions on {board}, and its WCET is {wcet} ticks of {per_tick}"
            diagnostics.error("C191", None, cause, "ask for the frontier of another board")
            diagnostics.stop_on_errors()
    ends = {(r.release.task, r.release.at): r.end.t for r in summary.runs if r.release is not None and r.end is not None}
    late = max((r.begin.t - r.release.at for r in summary.runs if r.release is not None), default=0)
    return all(ends.get((task, at), limit + 1) <= limit for task, at, limit in _wanted(drawn_round)), late


def _wanted(drawn_round: Round) -> Iterator[tuple[str, int, int]]:
    """Every activation of the rounds that are looked at: its task, its tick, and the tick by which it must have ended."""
    for task in range(TASKS):
        times = [at for at, who in drawn_round.points if who == task]
        for begin in range(0, ROUNDS * LENGTH, LENGTH):
            for at, after in zip(times, [*times[1:], LENGTH], strict=True):
                yield f"T{task}", begin + at, begin + after


def frontier(
    loads: Sequence[int], closeness: Sequence[int], systems: int, seed: int, progress: Progress, board: str = BOARD
) -> list[Outcome]:
    """The outcomes of so many random rounds (``systems``) for each load and closeness; equal seeds give equal rounds."""
    outcomes = []
    for load in loads:
        for ticks in closeness:
            progress(f"load {load} %, points {ticks} ticks apart: {systems} rounds")
            for number in range(systems):
                drawn_round = drawn(random.Random(f"{seed} {load} {ticks} {number}"), load, ticks)
                with scratch() as folder:
                    good = accepted(drawn_round, folder, board)
                    ran = {kernel: kept(drawn_round, kernel, good, folder, board) for kernel in KERNELS}
                    well = {kernel: is_kept for kernel, (is_kept, _) in ran.items()}
                    outcomes.append(Outcome(load, ticks, number, good, well, {kernel: late for kernel, (_, late) in ran.items()}))
    return outcomes


def broken(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The rounds that were accepted and that Carillon did not keep: there must be none."""
    return [o for o in outcomes if o.accepted and not o.kept["carillon"]]


def report(outcomes: Sequence[Outcome], diagnostics: Diagnostics) -> None:
    """An error for each round that the check accepts and Carillon does not keep (C191)."""
    for it in broken(outcomes):
        cause = f"round {it.seed} of load {it.load} %, points {it.closeness} ticks apart, is accepted by the check, and not kept"
        diagnostics.error("C191", None, cause, "it is an error of Carillon's: report it with the command and its seed")


def render(console: Console, outcomes: Sequence[Outcome], board: str) -> None:
    """A table: a line for each load and closeness."""
    console.print(heading("frontier", f" on {board}: shares of random rounds, and the latest start of a task in ticks", ""))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    titles = ("load", "apart", "rounds", "accepted", *(f"kept:\n{k}" for k in KERNELS), *(f"start:\n{k}" for k in KERNELS))
    for title in titles:
        table.add_column(title, justify="right", vertical="bottom")
    for load, closeness in dict.fromkeys((o.load, o.closeness) for o in outcomes):
        group = [o for o in outcomes if (o.load, o.closeness) == (load, closeness)]
        late = {k: [t for o in group if (t := o.latest_start[k]) is not None] for k in KERNELS}
        shares = [f"{share(group, of):.0f} %" for of in ("accepted", *KERNELS)]
        starts = [f"{max(late[k]):,}" if late[k] else "no timer" for k in KERNELS]
        table.add_row(f"{load} %", f"{closeness}", f"{len(group)}", *shares, *starts)
    console.print(table)


def share(outcomes: Sequence[Outcome], of: str) -> float:
    """The share of rounds, in per cent, that were ``accepted``, or that a kernel kept."""
    return 100 * sum(o.accepted if of == "accepted" else o.kept[of] for o in outcomes) / len(outcomes)


def plots(outcomes: Sequence[Outcome], board: str) -> tuple[Plot, ...]:
    """The shares over the load, and over the closeness, each over all rounds of that load or closeness."""

    def plot(name: str, key: str, x: str, log: bool) -> Plot:
        values = sorted({getattr(o, key) for o in outcomes})
        groups = [[o for o in outcomes if getattr(o, key) == value] for value in values]
        curves = [("accepted by the check", "accepted", True), *((f"kept by {k}", k, False) for k in KERNELS)]
        lines = tuple(Curve(t, tuple(values), tuple(share(g, of) for g in groups), dashed) for t, of, dashed in curves)
        return Plot(name, f"Random rounds on {board}: how many are kept", x, "share of rounds (%)", lines, log_x=log)

    return (
        plot("frontier-load", "load", "load of the tasks (% of the processor)", log=False),
        plot("frontier-closeness", "closeness", "distance of points in a burst (ticks)", log=True),
    )
