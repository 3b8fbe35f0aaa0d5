# SPDX-License-Identifier: Apache-2.0
"""Derives the task set of this example: writes schedule.toml and execution_times.h.

    python3 derive.py           write both files beside this one
    python3 derive.py --check   say whether they are what would be written (exit code 1 if not)

Source of the statistics: S. Kramer, D. Ziegenbein, A. Hamann, "Real world automotive benchmarks for free",
6th International Workshop on Analysis Tools and Methodologies for Embedded and Real-time Systems
(WATERS), 2015: runnables by period, their average execution times, and the factors of best and worst
case over average.  What is not theirs but our choice is marked "Choice".
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

Factors = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Statistics:
    """One period of the paper's tables; times in microseconds, ``share`` in percent of all runnables."""

    period_ms: int
    share: int
    average: Fraction
    best: Factors
    worst: Factors
    name: str
    does: str


def _row(
    period_ms: int, share: int, average: str, best: tuple[str, str], worst: tuple[str, str], name: str, does: str
) -> Statistics:
    low, high = best
    least, most = worst
    return Statistics(
        period_ms, share, Fraction(average), (Fraction(low), Fraction(high)), (Fraction(least), Fraction(most)), name, does
    )


# Period in ms, share in %, average execution time of a runnable in us, (fmin, fmax) of BCET and of WCET over the
# average: from the paper.  The other 15 % of the runnables run at crankshaft angles and are left out: angles
# are events, not times.  The names and what they do are ours: the paper's runnables have none.
PAPER = (
    _row(1, 3, "5.00", ("0.19", "0.92"), ("1.30", "29.11"), "InjectionSupervision",
         "compares the injection and ignition angles with what was asked for"),
    _row(2, 2, "4.20", ("0.12", "0.89"), ("1.54", "19.04"), "KnockDetection",
         "filters the knock sensors and decides on a later ignition"),
    _row(5, 2, "11.04", ("0.17", "0.94"), ("1.13", "18.44"), "ThrottleControl",
         "position control of the throttle valve"),
    _row(10, 25, "10.09", ("0.05", "0.99"), ("1.06", "30.03"), "AirMassTorque",
         "air mass in the cylinders, torque demand, injected mass"),
    _row(20, 25, "8.74", ("0.11", "0.98"), ("1.06", "15.61"), "LambdaControl",
         "mixture control from the oxygen sensors"),
    _row(50, 3, "17.56", ("0.32", "0.95"), ("1.13", "7.76"), "CatalystModel",
         "temperature models of catalyst, exhaust and coolant"),
    _row(100, 20, "10.53", ("0.09", "0.99"), ("1.02", "8.88"), "Diagnosis",
         "plausibility of sensors and actuators, fault memory"),
    _row(200, 1, "2.56", ("0.45", "0.98"), ("1.03", "4.90"), "Communication",
         "status messages to the other control units"),
    _row(1000, 4, "0.43", ("0.68", "0.80"), ("1.84", "4.75"), "Adaptation",
         "long-term adaptation, operating hours, odometer"),
)  # fmt: skip

ROUND_MS = 1000

# Choice: the grid of WCETs and offsets.  8 us are 125 ticks at 15.625 MHz, 200 at 25 MHz, 400 at 50 MHz.
GRID_US = 8

# Choice: a task's WCET.  Not all of its runnables take their worst case in one job, so their sum would be far
# too much: we take the 5 % quantile of a factor spread evenly over the paper's fmin .. fmax.
WORST_QUANTILE = Fraction(5, 100)

# Choice: a task's BCET is the expected sum of its runnables' BCETs: the mean of an evenly spread factor.
BEST_QUANTILE = Fraction(1, 2)

# Choice: the number of runnables, the 15 % included: the largest multiple of 100 (every share is then a whole
# number of them) whose utilisation by WCET leaves a quarter of the processor free.
RUNNABLES_STEP = 100
MOST_UTILISATION = Fraction(3, 4)


def quantile(factors: Factors, share: Fraction) -> Fraction:
    """The factor below which ``share`` of those lie that are spread evenly over ``factors``."""
    low, high = factors
    return low + share * (high - low)


@dataclass(frozen=True)
class Task:
    """A task of the example; times in microseconds.  ``offset`` and ``wcet`` are on the grid."""

    row: Statistics
    runnables: int
    average: Fraction
    best: Fraction
    worst: Fraction
    wcet: int
    offset: int = 0

    @property
    def period(self) -> int:
        """In microseconds."""
        return self.row.period_ms * 1000

    @property
    def deadline(self) -> int:
        """After each activation: the end of the period, so that all have finished by the end of the round."""
        return self.period - self.offset


def task_of(row: Statistics, runnables: int) -> Task:
    """The task that runs a period's share of ``runnables``, not yet placed."""
    count = round(Fraction(row.share * runnables, 100))
    average = count * row.average
    worst = average * quantile(row.worst, WORST_QUANTILE)
    # What the runnables need, on the grid, and one step for what the function does besides: drawing a number.
    wcet = (-(-worst // GRID_US) + 1) * GRID_US
    return Task(row, count, average, average * quantile(row.best, BEST_QUANTILE), worst, wcet)


def utilisation(tasks: Sequence[Task]) -> Fraction:
    """The processor's share that the tasks take if every job takes its WCET."""
    return sum((Fraction(task.wcet, task.period) for task in tasks), Fraction(0))


def mean_utilisation(tasks: Sequence[Task]) -> Fraction:
    """The processor's share that they take on average."""
    return sum((task.average / task.period for task in tasks), Fraction(0))


def choose_runnables() -> int:
    """How many runnables the system has in total."""
    number = RUNNABLES_STEP
    while utilisation([task_of(row, number + RUNNABLES_STEP) for row in PAPER]) <= MOST_UTILISATION:
        number += RUNNABLES_STEP
    return number


def busy(tasks: Sequence[Task]) -> list[bool]:
    """Which steps of the grid a round has in which one of ``tasks`` is unfinished, if every job takes its WCET."""
    arriving = [0] * (ROUND_MS * 1000 // GRID_US)
    for task in tasks:
        for at in range(task.offset, ROUND_MS * 1000, task.period):
            arriving[at // GRID_US] += task.wcet // GRID_US
    result, backlog = [], 0
    for work in arriving:
        backlog += work
        result.append(backlog > 0)
        backlog -= backlog > 0
    assert backlog == 0, "a round must end idle"
    return result


def place(task: Task, faster: Sequence[Task]) -> Task:
    """The task with the earliest offset at which none of its activations finds a faster task unfinished.

    An activation preempts whatever runs (OSEKtime), so it must not come while a faster task does.  It comes at
    least one step after that has finished.
    """
    taken = busy(faster)
    stride = task.period // GRID_US
    for step in range(stride):
        if not any(any(taken[max(k - 1, 0) : k + 1]) for k in range(step, len(taken), stride)):
            return Task(task.row, task.runnables, task.average, task.best, task.worst, task.wcet, step * GRID_US)
    raise ValueError(f"no offset for {task.row.name}: the faster tasks leave no gap")


def derive() -> tuple[Task, ...]:
    """The task set, fastest first."""
    number = choose_runnables()
    tasks: list[Task] = []
    for row in PAPER:
        tasks.append(place(task_of(row, number), tasks))
    return tuple(tasks)


def microseconds(time: int) -> str:
    """As the schedule file writes it."""
    return f"{time // 1000}ms" if time and time % 1000 == 0 else f"{time}us"


def percent(value: Fraction) -> str:
    """With one decimal."""
    return f"{float(100 * value):.1f} %"


def schedule(tasks: Sequence[Task]) -> str:
    """The text of schedule.toml."""
    total, periodic = choose_runnables(), sum(task.runnables for task in tasks)
    worst, mean = percent(utilisation(tasks)), percent(mean_utilisation(tasks))
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by derive.py, which says where every number comes from: change that, not this.",
        "#",
        f"# An engine controller's periodic tasks: {periodic} runnables of {total} (the others run at crankshaft angles),",
        f"# {worst} of the processor by WCET, {mean} on average.  Statistics: Kramer, Ziegenbein, Hamann,",
        '# "Real world automotive benchmarks for free", WATERS 2015.',
        "#",
        "# Each offset is the earliest at which no activation finds a faster task unfinished, each deadline the end of",
        "# the period.",
        "",
        "[system]",
        'name = "engine"',
        "",
        "[mode.driving]",
        'window = "wcet"',
    ]
    for task in tasks:
        lines += [
            "",
            f"# {task.row.does}",
            f"# {task.runnables} runnables of {float(task.row.average):.2f} us: {float(task.average):.2f} us on average",
            f"[task.{task.row.name}]",
            f'period = "{microseconds(task.period)}"',
            f'offset = "{microseconds(task.offset)}"',
            f'wcet = "{microseconds(task.wcet)}"',
            f'deadline = "{microseconds(task.deadline)}"',
            'monitor = "if-cells-allow"',
        ]
    return "\n".join(lines) + "\n"


def tenths(time: Fraction) -> int:
    """Microseconds in tenths, rounded down."""
    return time * 10 // 1


def header(tasks: Sequence[Task]) -> str:
    """The text of execution_times.h."""
    width = max(len(task.row.name) for task in tasks)
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0",
        " *",
        " * Written by derive.py, which says where every number comes from: change that, not this.",
        " *",
        " * TASK(name, best, average, worst): execution times of a job, in tenths of a microsecond. */",
        "#ifndef EXECUTION_TIMES_H",
        "#define EXECUTION_TIMES_H",
        "",
        "/* clang-format off */",
        "#define FOR_EACH_TASK(TASK) \\",
    ]
    for task in tasks:
        numbers = ", ".join(f"{tenths(time):5}" for time in (task.best, task.average, task.worst))
        lines.append(f"    TASK({task.row.name + ',':{width + 1}} {numbers}) \\")
    lines[-1] = lines[-1].removesuffix(" \\")
    return "\n".join([*lines, "/* clang-format on */", "", "#endif"]) + "\n"


def files() -> dict[str, str]:
    """The derived files: name and text."""
    tasks = derive()
    return {"schedule.toml": schedule(tasks), "execution_times.h": header(tasks)}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(description="Derive the engine example's schedule and execution times.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the files differ")
    check = parser.parse_args(arguments).check
    here = Path(__file__).resolve().parent
    stale = []
    for name, text in files().items():
        path = here / name
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    for name in stale:
        print(f"{name} is not what derive.py derives: run it", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
