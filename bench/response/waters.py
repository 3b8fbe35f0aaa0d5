# SPDX-License-Identifier: Apache-2.0
"""How long the analysis of response times takes, on sets after "Real World Automotive Benchmarks for Free" (WATERS 2015).

S. Kramer, D. Ziegenbein and A. Hamann publish there how often each period occurs in an engine control, and how long runnables
of a period take.  The sets here are drawn from their tables III and IV: periods with their shares, and times between the
factors that are given for averages.  What is synchronous with an angle is sporadic.

``.venv/bin/python bench/response/waters.py``: of 100 tasks and of 1,000 runnables, each as a task of its own, the minimum, median
and maximum processor time of 5 sets, in milliseconds.
"""

from __future__ import annotations

import random
import statistics
import time

from carillon.timing.arrivals import Arrivals, Pattern, Sporadic
from carillon.timing.response import MOST_RELEASES, Flow, around, response

PERIODS = {
    1: (3, 5.00),
    2: (2, 4.20),
    5: (2, 11.04),
    10: (25, 10.09),
    20: (25, 8.74),
    50: (3, 17.56),
    100: (20, 10.53),
    200: (1, 2.56),
    1000: (4, 0.43),
}
"""Milliseconds: (share in percent, average execution time of a runnable in microseconds)."""
ANGLE = (15, 6.52)
FACTORS = (0.13, 30.11)
UNIT = 1_000_000  # nanoseconds in a millisecond
LOAD = 0.8
RELEASES = 400_000


def drawn(rng: random.Random, number: int) -> list[Flow]:
    """So many flows, rate monotonic, scaled to a load of 0.8; half of the periodic ones begin at an offset."""
    kinds = [*PERIODS, 0]
    weights = [*(share for share, _ in PERIODS.values()), ANGLE[0]]
    found = []
    for period in rng.choices(kinds, weights, k=number):
        average = PERIODS[period][1] if period else ANGLE[1]
        cost = average * rng.uniform(*FACTORS) ** rng.random()
        interval = (period or rng.choice((4, 6, 8, 12))) * UNIT
        found.append((interval, cost, bool(period)))
    scale = LOAD / sum(cost / interval for interval, cost, _ in found)
    flows = []
    for level, (interval, cost, periodic) in enumerate(sorted(found, reverse=True)):
        offset = rng.randrange(interval // 1000) * 1000 if rng.random() < 0.5 else 0
        part = Pattern((offset,), interval) if periodic else Sporadic(interval)
        flows.append(Flow(f"R{level}", "task", level, level, max(1, int(cost * scale)), Arrivals((part,)), ((len(found), 100),)))
    return flows


def main() -> None:
    """Print the table."""
    for number in (100, 1000):
        taken, bounded = [], 0
        for seed in range(5):
            flows = drawn(random.Random(seed), number)
            begin = time.process_time()
            releases = min(MOST_RELEASES, RELEASES // number)
            found = [response(around(flow, flows), 1, releases) for flow in flows]
            taken.append(1000 * (time.process_time() - begin))
            bounded += sum(one is not None for one in found)
        spread = f"{min(taken):.0f} / {statistics.median(taken):.0f} / {max(taken):.0f} ms"
        print(f"{number} tasks: {spread} of processor time, 5 sets; {bounded} of {5 * number} tasks have a bound")


if __name__ == "__main__":
    main()
