# SPDX-License-Identifier: Apache-2.0
"""Whether a program may loop at an instant, and how much room it needs (SPEC, section 'Verification of microcode').

The verifier of an image (``kernel/microcode/verify.c``) decides the same by the same rules; a test compares both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from carillon.microcode import Instruction, Opcode, Program

MOST = 254
"""The most triggers, and the most threads, that an image has room for."""
_BEGINS = frozenset({Opcode.FUTURE, Opcode.FUTURE_EVENT})
_DISPATCHES = frozenset({Opcode.DISPATCH, Opcode.DISPATCH_TIME, Opcode.DISPATCH_RELEASE})
_WAITS = _DISPATCHES | {Opcode.IDLE, Opcode.IDLE_RELEASE}
_TIMED = frozenset({Opcode.DISPATCH_TIME, Opcode.IDLE})
Edge = tuple[int, bool, int]
"""From an address, to its operand's address or not, to an address."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most triggers and the most threads that wait at one time; infinity if there is no bound."""

    bindings: float
    threads: float


@dataclass(frozen=True, slots=True)
class Loop:
    """Instructions that may go round without taking time."""

    addresses: tuple[int, ...]


def bounds(program: Program) -> Bounds | Loop:
    """The room that a program without faults needs, or the loop that takes no time."""
    code = program.code
    edges = [(address, branch, target) for address, i in enumerate(code) for branch, target in i.following(address)]
    activation = [e for e in edges if not (e[1] and code[e[0]].opcode in _BEGINS | {Opcode.FORK})]
    instant = [e for e in edges if not (e[1] and code[e[0]].opcode in _BEGINS)]
    lifetimes = _lifetimes(code, activation)
    values = [_most(code, edges, lifetimes, threads=threads) for threads in (False, True)]
    bindings = max(1, values[0][program.entry])
    threads = values[1][program.entry]
    releases = frozenset({Opcode.RELEASE, Opcode.CALL} if program.handlers else {Opcode.RELEASE})
    for members in components(len(code), instant):
        if _is_endless(code, members, instant, releases, one_thread=threads <= 1):
            return Loop(tuple(sorted(members)))
    return Bounds(bindings, threads + bindings if threads else 0)


def components(size: int, edges: Iterable[Edge]) -> list[list[int]]:
    """Strongly connected components, those that others lead to first (Tarjan, without recursion)."""
    following: list[list[int]] = [[] for _ in range(size)]
    for source, _, target in edges:
        following[source].append(target)
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    is_open = [False] * size
    components = []
    for root in range(size):
        path = [] if root in index else [root]
        while path:
            node = path[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                open_nodes.append(node)
                is_open[node] = True
            new = next((target for target in following[node] if target not in index), None)
            if new is not None:
                path.append(new)
                continue
            path.pop()
            low[node] = min([low[node], *(low[target] for target in following[node] if is_open[target])])
            if low[node] == index[node]:
                place = open_nodes.index(node)
                components.append(open_nodes[place:])
                del open_nodes[place:]
                for member in components[-1]:
                    is_open[member] = False
    return components


def _is_cyclic(members: list[int], edges: Iterable[Edge]) -> bool:
    return len(members) > 1 or any(source == target == members[0] for source, _, target in edges)


def _lifetimes(code: tuple[Instruction, ...], edges: list[Edge]) -> list[float]:
    """Per address, the longest time from the begin of code there to the end of a wait; infinity without a bound."""
    lifetimes = [0.0] * len(code)
    outgoing = _outgoing(code, edges)
    for members in components(len(code), edges):
        for member in members:
            i = code[member]
            lifetime = float(i.time) if i.opcode in _TIMED else 0.0
            if i.opcode in _WAITS - _TIMED or i.opcode in _BEGINS or i.opcode is Opcode.FORK:
                lifetime = math.inf
            if _is_cyclic(members, outgoing[member]):
                lifetime = math.inf
            lifetimes[member] = max([lifetime, *(lifetimes[target] for _, _, target in outgoing[member])])
    return lifetimes


def _outgoing(code: tuple[Instruction, ...], edges: Iterable[Edge]) -> list[list[Edge]]:
    edges_from: list[list[Edge]] = [[] for _ in code]
    for edge in edges:
        edges_from[edge[0]].append(edge)
    return edges_from


def _most(code: tuple[Instruction, ...], edges: list[Edge], lifetimes: list[float], *, threads: bool) -> list[float]:
    """Per address, the number of triggers or threads that wait at one time, of code there and all that it begins."""
    amounts = [0.0] * len(code)
    outgoing = _outgoing(code, edges)
    for members in components(len(code), edges):
        inside = set(members)
        most = 0.0
        doubled = False
        for member in members:
            i = code[member]
            parts = [(t in inside, 0.0 if t in inside else amounts[t]) for _, _, t in outgoing[member]]
            if i.opcode not in _BEGINS and i.opcode is not Opcode.FORK:
                most = max([most, float(threads and i.opcode in _WAITS), *(value for _, value in parts)])
                continue
            (on, rest), (again, begun) = parts
            if (i.opcode is Opcode.FORK) == threads:
                begun = max(1.0, begun)
            if threads and i.opcode is Opcode.FUTURE and lifetimes[member + 1] <= i.time:
                most = max(most, rest, begun)
                continue
            most = max(most, rest + begun)
            if (on and begun > 0) or (again and rest > 0):
                most = math.inf
            doubled = doubled or (on and again)
        if (doubled and most > 0) or most > MOST:
            most = math.inf
        for member in members:
            amounts[member] = most
    return amounts


def _is_endless(
    code: tuple[Instruction, ...], members: list[int], edges: list[Edge], releases: frozenset[Opcode], *, one_thread: bool
) -> bool:
    """Whether a component of the instructions at one instant has a loop that may take no time.

    ``releases`` may release a task: in a program with handlers, a ``call`` may, too.
    """
    inside = set(members)
    inner_edges = [e for e in edges if e[0] in inside and e[2] in inside]
    if not _is_cyclic(members, inner_edges):
        return False

    def breaks(left_out: Callable[[Instruction, bool], bool]) -> bool:
        left = [e for e in inner_edges if not left_out(code[e[0]], e[1])]
        places = {member: place for place, member in enumerate(members)}
        joined = components(len(members), [(places[a], b, places[c]) for a, b, c in left])
        return len(joined) == len(members) and all(source != target for source, _, target in left)

    def passes(i: Instruction, branch: bool) -> bool:
        return i.opcode is (Opcode.DISPATCH_TIME if branch else Opcode.IDLE)

    if breaks(lambda i, branch: branch and i.opcode is Opcode.FORK) and breaks(passes):
        return False
    waits = [code[m] for m in sorted(members) if code[m].opcode in (Opcode.IDLE_RELEASE, Opcode.DISPATCH_RELEASE)]
    if not one_thread or not waits or any(code[m].opcode in releases for m in members):
        return True
    task = waits[0].x if waits[0].opcode is Opcode.IDLE_RELEASE else waits[0].time

    def is_released(i: Instruction, branch: bool) -> bool:
        if branch:
            return i.opcode is Opcode.DISPATCH_RELEASE and i.time == task
        return i.opcode is Opcode.IDLE_RELEASE and i.x == task

    return not (breaks(is_released) and breaks(lambda i, branch: not branch and i.opcode in _DISPATCHES and i.x == task))
