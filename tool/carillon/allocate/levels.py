# SPDX-License-Identifier: Apache-2.0
"""Priority levels: who must be able to preempt whom.

A later activation always preempts an earlier one that may still run (OSEKtime OS 1.0: stack-based).  So carrier u needs a lower
level than carrier v if a point of v lies strictly inside a window of a point of u and is another task's.  A task does not preempt
itself, its next activation waits (:mod:`.guard`).  Points are numbered in order of time, a set of points is an integer's bits,
and a window is a range of numbers.  So the test of two carriers is one AND, however many points they have.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from carillon.lower import Demand


class Windows:
    """All activation points of a mode in order of time, with the range of points inside each one's window.

    ``nested``: whatever comes later preempts by itself, so that no window asks for a level.
    """

    def __init__(self, demands: Sequence[Demand], nested: bool = False) -> None:
        order = sorted((p.at, d, i) for d, demand in enumerate(demands) for i, p in enumerate(demand.points))
        at = [time for time, _, _ in order]
        self._number: list[list[int]] = [[0] * len(demand.points) for demand in demands]
        self._inside: list[tuple[int, int]] = []
        self.owner: list[tuple[int, int]] = []
        for number, (time, d, i) in enumerate(order):
            self._number[d][i] = number
            end = bisect_left(at, demands[d].points[i].window_end)
            self._inside.append((bisect_right(at, time), 0 if nested else end))
            self.owner.append((d, i))
        self._others = [0] * len(demands)
        everything = (1 << len(order)) - 1
        for d in range(len(demands)):
            self._others[d] = everything & ~self.bits(d, range(len(demands[d].points)))

    @cached_property
    def _around(self) -> list[int]:
        """Per point, the points of other demands whose windows contain it."""
        opens, closes = [0] * (len(self.owner) + 1), [0] * (len(self.owner) + 1)
        for number, (low, high) in enumerate(self._inside):
            if low < high:
                opens[low] |= 1 << number
                closes[high] |= 1 << number
        around, still_open = [], 0
        for number, (owner, _) in enumerate(self.owner):
            still_open = (still_open | opens[number]) & ~closes[number]
            around.append(still_open & self._others[owner])
        return around

    def bits(self, demand: int, points: Iterable[int]) -> int:
        """The set of the demand's points of these indices."""
        numbers = sorted(self._number[demand][i] for i in points)
        if not numbers:
            return 0
        buffer = bytearray(numbers[-1] // 8 + 1)
        for number in numbers:
            buffer[number >> 3] |= 1 << (number & 7)
        return int.from_bytes(buffer, "little")

    def inside(self, demand: int, points: Iterable[int]) -> int:
        """All points of other demands inside a window of one of the demand's points of these indices."""
        merged: list[list[int]] = []
        for low, high in sorted(self._inside[self._number[demand][i]] for i in points):
            if merged and low <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], high)
            elif low < high:
                merged.append([low, high])
        result = 0
        for low, high in merged:
            result |= (1 << high) - (1 << low)
        return result & self._others[demand]

    def number(self, demand: int, point: int) -> int:
        """The number of one point."""
        return self._number[demand][point]

    def others(self, demand: int) -> int:
        """All points but the demand's own."""
        return self._others[demand]

    def around(self, demand: int, point: int) -> int:
        """All points of other demands whose windows contain this point."""
        return self._around[self._number[demand][point]]

    def point_inside(self, demand: int, point: int) -> int:
        """All points of other demands inside the window of one point."""
        low, high = self._inside[self._number[demand][point]]
        return ((1 << high) - (1 << low)) & self._others[demand] if low < high else 0


def successors(bits: Sequence[int], inside: Sequence[int], lowered: Sequence[bool]) -> list[list[int]]:
    """Per carrier, the carriers that need a higher level; a lowered carrier imposes nothing."""
    result: list[list[int]] = []
    for u, window in enumerate(inside):
        if lowered[u] or not window:
            result.append([])
        else:
            result.append([v for v, own in enumerate(bits) if window & own and v != u])
    return result


def components(graph: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected components with more than one node (Tarjan), each ascending."""
    index = [-1] * len(graph)
    low = [0] * len(graph)
    on_stack = [False] * len(graph)
    stack: list[int] = []
    result: list[list[int]] = []
    count = 0
    for root in range(len(graph)):
        if index[root] >= 0:
            continue
        work = [(root, 0)]
        while work:
            node, edge = work.pop()
            if edge == 0:
                index[node] = low[node] = count
                count += 1
                stack.append(node)
                on_stack[node] = True
            for position in range(edge, len(graph[node])):
                target = graph[node][position]
                if index[target] < 0:
                    work += [(node, position + 1), (target, 0)]
                    break
                if on_stack[target]:
                    low[node] = min(low[node], low[target])
            else:
                if low[node] == index[node]:
                    component = []
                    while True:
                        top = stack.pop()
                        on_stack[top] = False
                        component.append(top)
                        if top == node:
                            break
                    if len(component) > 1:
                        result.append(sorted(component))
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
    return sorted(result)


def short_cycle(graph: Sequence[Sequence[int]], start: int, within: set[int]) -> list[int]:
    """A shortest cycle through ``start`` in the subgraph ``within``, beginning with it; empty if there is none."""
    before = {start: -1}
    queue = [start]
    for node in queue:
        for target in graph[node]:
            if target == start:
                cycle = [node]
                while before[cycle[-1]] >= 0:
                    cycle.append(before[cycle[-1]])
                return cycle[::-1]
            if target in within and target not in before:
                before[target] = node
                queue.append(target)
    return []


def longest_paths(graph: Sequence[Sequence[int]]) -> tuple[list[int], list[int]] | None:
    """The least levels, from 1, that ascend along ``graph``, and each node's predecessor on a longest path (-1: none).

    None if the graph has a cycle.  The greatest level is the least number of levels.
    """
    missing = [0] * len(graph)
    for targets in graph:
        for target in targets:
            missing[target] += 1
    level = [1] * len(graph)
    before = [-1] * len(graph)
    ready = [node for node, count in enumerate(missing) if count == 0]
    for node in ready:
        for target in graph[node]:
            if level[target] <= level[node]:
                level[target] = level[node] + 1
                before[target] = node
            missing[target] -= 1
            if missing[target] == 0:
                ready.append(target)
    return (level, before) if len(ready) == len(graph) else None


def members(bits: int) -> Iterator[int]:
    """The numbers in a set of numbers, ascending."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def cliques(adjacent: Sequence[int], wanted: Sequence[int]) -> Iterator[list[int]]:
    """Sets of nodes that are all neighbours of one another, each as large as greedily found.

    ``adjacent``: each node's neighbours, as a set of numbers.  Each pair of ``wanted``, a part of these, is in some set.
    """
    uncovered = list(wanted)
    for first in range(len(adjacent)):
        while uncovered[first]:
            second = next(members(uncovered[first]))
            clique = [first, second]
            common = adjacent[first] & adjacent[second]
            while common:
                best = max(members(common), key=lambda n: ((adjacent[n] & common).bit_count(), -n))
                clique.append(best)
                common &= adjacent[best]
            whole = sum(1 << n for n in clique)
            for n in clique:
                uncovered[n] &= ~whole
            yield sorted(clique)
