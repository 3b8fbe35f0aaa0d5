# SPDX-License-Identifier: Apache-2.0
"""Which points may share a carrier, and which tasks keep their levels: the shortest circles of that."""

from __future__ import annotations

from random import Random

import pytest
from allocations import act, array, bench, board, system_of

from carillon.allocate import solve as solving
from carillon.allocate.levels import Windows, successors
from carillon.allocate.ranks import link, short_circles
from carillon.diagnostics import Diagnostics
from carillon.model.board import Role


@pytest.mark.parametrize("seed", range(400))
def test_links_of_a_short_circle_are_all_true_if_and_only_if_carriers_are_in_a_circle(seed: int) -> None:
    chance = Random(seed)
    tasks = chance.randint(2, 5)
    slots = chance.sample(range(4 * tasks), 3 * tasks)
    demands = []
    for k in range(tasks):
        times = sorted(slots[3 * k : 3 * k + chance.choice([1, 2, 3, 3])])
        demands.append(act(f"t{k}", *((t, t + chance.randint(1, 4)) for t in times)))
    windows = Windows(demands)
    keeps = [chance.random() < 0.8 for _ in demands]
    carriers: list[tuple[int, tuple[int, ...]]] = []
    true = set()
    for k, demand in enumerate(demands):
        homes = [chance.randint(0, 1) for _ in demand.points]
        carriers += [(k, tuple(i for i, h in enumerate(homes) if h == home)) for home in sorted(set(homes))]
        true |= {link(k, i, j) for i in range(len(homes)) for j in range(len(homes)) if keeps[k] and homes[i] == homes[j]}
    bits = [windows.bits(k, points) for k, points in carriers]
    inside = [windows.inside(k, points) for k, points in carriers]
    graph = successors(bits, inside, [not keeps[k] for k, _ in carriers])
    kept = [keeps[k] for k, _ in carriers]
    circle = False
    for u, above in enumerate(graph):
        for v in above:
            ways = [(v,), *((v, w) for w in graph[v])]
            circle |= any(
                u in graph[way[-1]] and all(kept[n] for n in way) and len({carriers[n][0] for n in (u, *way)}) == len(way) + 1
                for way in ways
            )
    circles = short_circles(windows, tasks, lambda _: True)
    assert any(true.issuperset(one) for one in circles) is circle
    possible = short_circles(windows, tasks, true.__contains__)
    assert (not possible) is (not circle)


def test_no_circle_holds_another_one() -> None:
    case = bench.Case("turns", "", 1_000_000, 10_000, tasks=6, points=0, grid=10, irregular=4)
    demands = [d for d in bench.irregular(3, case, open_windows=6).demands if d.action.runs]
    circles = short_circles(Windows(demands), len(demands), lambda _: True)
    assert {len(circle) for circle in circles} == {2, 3}

    def says(circle: tuple[tuple[int, int, int], ...]) -> set[tuple[int, int, int]]:
        return {(task, 0, 0) for task, _, _ in circle} | set(circle)

    assert not any(says(a) <= says(b) for a in circles for b in circles if a != b)


@pytest.mark.parametrize("seed", [1, 2])
def test_irregular_tasks_in_turns_are_proved_with_little_work(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is one of work, so this holds on any machine; without the circles that are stated it does not suffice."""
    monkeypatch.setattr(solving, "DETERMINISTIC_SHARE", 0.1)
    case = bench.Case("turns", "", 1_000_000, 100_000, tasks=16, points=0, grid=10, irregular=4)
    lowered = bench.irregular(seed, case, open_windows=8)
    cells = array(4 * 41, per_source=4, adjacent={Role.ACTIVATION: 2})
    allocation = bench.allocate(system_of(board(cells, levels=255), 1_000_000, (lowered,)), (lowered,), Diagnostics(), 4)
    assert allocation is not None
    assert allocation.modes[0].optimal
