# SPDX-License-Identifier: Apache-2.0
"""What the nodes of examples/synchronised-nodes report, worked out in whole numbers without bounds: when, and which time.

It shares nothing with the kernel, the tool and the applications.  A node's round is where it begins on the node's own clock; the
global time is the clock and a difference.  Clocks and messages are those of :mod:`oracle`.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import oracle

ROUND, UNDER_WAY, NODES = 1000, 20, 6


def nearest(difference: int) -> int:
    """The same, the shorter way round."""
    difference %= ROUND
    return difference - ROUND if 2 * difference > ROUND else difference


@dataclass(frozen=True)
class Rounds:
    """Where in its round a node sends and reports or adjusts, where the sync point lies, and the limit both ways."""

    send: int
    later: int
    sync: int
    limit: int
    hard: bool


@dataclass
class Node:
    rounds: Rounds
    begin: int = 0  # of the round, or after the sync point of the next one
    correction: int = 0
    offset: int = 0
    heard: bool = False
    holds: bool = False
    newest: int | None = None
    misfits: int = 0

    def told(self, tick: int, global_time: int, schedule_time: int) -> None:
        self.offset = global_time - tick
        self.correction = nearest(tick - self.begin - schedule_time)
        self.heard = True

    def sync_point(self) -> None:
        by = max(-self.rounds.limit, min(self.rounds.limit, self.correction))
        if self.holds and not self.heard:
            by = 0
        elif self.holds:
            by, self.holds = self.correction % ROUND, False
            self.correction = by
        self.begin += ROUND + by
        self.correction -= by


class Network:
    """``links``: latency, jitter, loss, duplicate, late, late_by of what each node sends.  ``length`` in picoseconds."""

    def __init__(
        self, clocks: Sequence[oracle.Oscillator], links: Sequence[tuple[int, ...]], seed: int, rounds: Rounds, length: int
    ) -> None:
        self.clocks, self.links, self.seed, self.length = clocks, links, seed, length
        self.nodes = [Node(rounds, holds=rounds.hard) for _ in clocks]
        self.reports: list[list[tuple[int, int]]] = [[] for _ in clocks]
        self.sent = [0] * len(clocks)
        self.queue: list[tuple[int, int, int, Callable[[], None]]] = []
        self.order = 0

    def at(self, time: int | None, what: Callable[[], None]) -> None:
        if time is not None and time < self.length:
            self.order += 1
            heapq.heappush(self.queue, (time, 0, self.order, what))

    def at_tick(self, k: int, tick: int, what: Callable[[], None]) -> None:
        self.at(self.clocks[k].time(tick, self.length), what)

    def report(self, k: int, tick: int, value: int) -> None:
        time = self.clocks[k].time(tick, self.length)
        assert time is not None
        self.reports[k].append((time, value % 2**32))

    def run(self) -> list[list[tuple[int, int]]]:
        for k in range(len(self.nodes)):
            self.begin(k)
        while self.queue:
            heapq.heappop(self.queue)[3]()
        return self.reports

    def begin(self, k: int) -> None:
        node = self.nodes[k]
        first, rounds = node.begin, node.rounds

        def sync_point() -> None:
            node.sync_point()
            self.begin(k)

        if not node.holds:
            self.at_tick(k, first + rounds.send, lambda: self.send(k, first + rounds.send))
            self.at_tick(k, first + rounds.later, lambda: self.later(k, first + rounds.later))
        self.at_tick(k, first + rounds.sync, sync_point)

    def message(self, k: int, tick: int, content: tuple[int, ...]) -> None:
        sent, now = self.clocks[k].time(tick, self.length), self.sent[k]
        assert sent is not None
        self.sent[k] += 1
        latency, jitter, loss, duplicate, late, late_by = self.links[k]
        for to, clock in enumerate(self.clocks):
            number = 2 * now
            if to == k or oracle.draw(self.seed, oracle.LOSS, k, number, to) >> 32 < loss:
                continue
            twice = oracle.draw(self.seed, oracle.TWICE, k, number, to) >> 32 < duplicate
            for copy in (number, number + 1) if twice else (number,):
                at = sent + latency + oracle.drawn(self.seed, oracle.JITTER, k, copy, to, jitter)
                if oracle.draw(self.seed, oracle.LATE, k, copy, to) >> 32 < late:
                    at += oracle.drawn(self.seed, oracle.DELAY, k, copy, to, late_by)
                if at >= clock.start:
                    self.at(at, lambda to=to, at=at: self.arrives(to, self.clocks[to].stamp(at), k, content))  # type: ignore[misc]

    def send(self, k: int, tick: int) -> None: ...
    def later(self, k: int, tick: int) -> None: ...
    def arrives(self, k: int, tick: int, _sender: int, content: tuple[int, ...]) -> None: ...


class Master(Network):
    """The first node tells its time and its place in the round; a task of the others and of itself reports the time."""

    def run(self) -> list[list[tuple[int, int]]]:
        self.nodes[0].told(0, 0, 0)
        return super().run()

    def send(self, k: int, tick: int) -> None:
        if k == 0:
            self.message(k, tick, (tick + self.nodes[k].offset, self.nodes[k].rounds.send))

    def later(self, k: int, tick: int) -> None:
        self.report(k, tick, tick + self.nodes[k].offset)

    def arrives(self, k: int, tick: int, _sender: int, content: tuple[int, ...]) -> None:
        node, (time, place) = self.nodes[k], content
        if node.newest is not None:
            if time <= node.newest:
                return
            if tick + node.offset - (time + UNDER_WAY) >= 2 and node.misfits < 8:
                node.misfits += 1
                return
        node.misfits, node.newest = 0, time
        node.told(tick, time + UNDER_WAY, (place + UNDER_WAY) % ROUND)


class Average(Network):
    """Each tells its time, and follows the middle of the others' and its own, without the two highest and lowest."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.ahead: list[dict[int, int]] = [{} for _ in self.nodes]

    def send(self, k: int, tick: int) -> None:
        time = tick + self.nodes[k].offset
        self.report(k, tick, time)
        self.message(k, tick, (time,))

    def later(self, k: int, tick: int) -> None:
        known = sorted([0, *self.ahead[k].values()])
        drop = max(0, 2 - (NODES - len(known)))
        self.ahead[k].clear()
        if kept := known[drop : len(known) - drop]:
            time = tick + self.nodes[k].offset - Fraction(kept[0] + kept[-1], 2).__floor__()
            self.nodes[k].told(tick, time, time % 2**32 % ROUND)

    def arrives(self, k: int, tick: int, sender: int, content: tuple[int, ...]) -> None:
        self.ahead[k].setdefault(sender, tick + self.nodes[k].offset - content[0] - UNDER_WAY)
