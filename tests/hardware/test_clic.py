# SPDX-License-Identifier: Apache-2.0
"""The interrupt controller in RTL against a model of what its README says, cycle by cycle, above all where things collide."""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from verilated import build, lint, run

FETCH, ACCESS, STORE = 1, 2, 4
CYCLE, ANSWER = "<QIIHBBI", "<IIIIIIQ"
VECTORS = 0x100
WORDS_OF_SOURCES = 0x1000
PEND, UNPEND, ENABLE, DISABLE = 0x00, 0x10, 0x20, 0x30
ATTRIBUTES = 0xC3
"""Of machine mode, an edge, vectored."""
SEEDS, CYCLES = 4, 50_000

Given = tuple[int, int, int, int, int, int, int]
"""Requests, what is stored, the fetch's address, the access's address, byte enables, flags, and nothing."""


@dataclass
class Model:
    sources: int
    pending: set[int] = field(default_factory=set)
    enabled: set[int] = field(default_factory=set)
    level: dict[int, int] = field(default_factory=dict)
    table: int = 0

    def table_bytes(self) -> int:
        """The table has a vector for each number that the core can take."""
        return 4 * 2 ** (self.sources - 1).bit_length()

    def offer(self, asking: set[int]) -> tuple[int, int, int]:
        """The highest level, and of equals the lowest source."""
        offered = [(-self.level.get(it, 0), it) for it in asking & self.enabled if self.level.get(it, 0) > 0]
        if not offered:
            return 0, 0, 0
        level, source = min(offered)
        return 1, source, -level

    def _group(self, addr: int) -> tuple[int, range] | None:
        """What a word of 32 sources does, and its sources."""
        if addr >= 0x40 or addr % 4:
            return None
        first = addr % 0x10 // 4 * 32
        return (addr & 0x30, range(first, min(first + 32, self.sources))) if first < self.sources else None

    def _loaded(self, addr: int) -> int:
        if addr == VECTORS:
            return self.table
        if (group := self._group(addr)) is not None:
            of = self.pending if group[0] in (PEND, UNPEND) else self.enabled
            return sum(1 << k for k, source in enumerate(group[1]) if source in of)
        source = (addr - WORDS_OF_SOURCES) // 4
        return (source in self.pending) + ((source in self.enabled) << 8) + (ATTRIBUTES << 16) + (self.level.get(source, 0) << 24)

    def exists(self, addr: int, be: int) -> bool:
        """The bytes of a source's word can be accessed alone."""
        of_source = WORDS_OF_SOURCES <= addr < WORDS_OF_SOURCES + 4 * self.sources
        return of_source or (be == 15 and (addr == VECTORS or self._group(addr) is not None))

    def cycle(self, request: int, wdata: int, fetch_addr: int, addr: int, be: int, flags: int) -> tuple[int, ...]:
        """What the controller answers."""
        pulses = {source for source in range(self.sources) if request >> source & 1}
        offered = self.offer(self.pending | pulses)
        exists, accesses = self.exists(addr, be), bool(flags & ACCESS)
        answer = (self._loaded(addr) if accesses and exists else 0, int(accesses and not exists))
        stood = sum(1 << source for source in self.pending)

        # In this order: what a later line says is what stands.
        if flags & FETCH and 0 <= fetch_addr - self.table < self.table_bytes():
            self.pending.discard((fetch_addr - self.table) // 4)
        if accesses and exists and flags & STORE:
            self._store(addr, wdata, be)
        self.pending |= pulses
        return *offered, *answer, 0, stood

    def _store(self, addr: int, wdata: int, be: int) -> None:
        if addr == VECTORS:
            self.table = wdata - wdata % self.table_bytes()
        elif (group := self._group(addr)) is not None:
            ones = {source for k, source in enumerate(group[1]) if wdata >> k & 1}
            if group[0] == PEND:
                self.pending |= ones
            elif group[0] == UNPEND:
                self.pending -= ones
            elif group[0] == ENABLE:
                self.enabled |= ones
            else:
                self.enabled -= ones
        else:
            source = (addr - WORDS_OF_SOURCES) // 4
            for byte, of in ((0, self.pending), (1, self.enabled)):
                if be >> byte & 1:
                    (of.add if wdata >> 8 * byte & 1 else of.discard)(source)
            if be >> 3 & 1:
                self.level[source] = wdata >> 24


@dataclass
class Drawn:
    """What happens in each cycle: mostly about the sources that request, are fetched, or are offered in it."""

    draw: random.Random
    model: Model
    met: Counter[str] = field(default_factory=Counter)

    def _requests(self) -> int:
        draw = self.draw
        few = sum(1 << draw.randrange(self.model.sources) for _ in range(2)) if draw.random() < 0.2 else 0
        return (draw.getrandbits(64) if draw.random() < 0.01 else few) % 2**self.model.sources

    def _access(self, source: int) -> tuple[int, int, int]:
        """What is stored, where, and which of its bytes."""
        draw = self.draw
        kind = draw.random()
        if kind < 0.5:
            level = draw.choice([0, 1, 2, 3, 3, 3, 128, 254, 255, draw.getrandbits(8)])
            wdata = level << 24 | draw.getrandbits(24)
            return wdata, WORDS_OF_SOURCES + 4 * source, draw.choice([15, 15, 1, 2, 4, 8, draw.randrange(16)])
        if kind < 0.9:
            ones = draw.getrandbits(32) & draw.getrandbits(32) & draw.getrandbits(32)
            group = draw.choice([PEND, UNPEND, UNPEND, ENABLE, ENABLE, ENABLE, DISABLE])
            return ones | 1 << source % 32, group + source // 32 * 4, 15 if draw.random() < 0.95 else draw.randrange(16)
        if kind < 0.95:
            return draw.getrandbits(32), VECTORS, 15 if draw.random() < 0.9 else draw.randrange(16)
        addr = draw.choice([draw.getrandbits(13), draw.randrange(0x48), VECTORS + draw.randrange(8)])
        return draw.getrandbits(32), addr, draw.choice([15, draw.randrange(16)])

    def cycle(self) -> Given:
        draw, model = self.draw, self.model
        request = self._requests()
        requested = [source for source in range(model.sources) if request >> source & 1]
        irq, offered, _ = model.offer(model.pending | set(requested))
        candidates = [draw.randrange(model.sources), *requested, *([offered] if irq else [])]
        flags, fetch_addr = 0, draw.getrandbits(32)
        if draw.random() < 0.4:
            flags |= FETCH
            if draw.random() < 0.8:
                fetched = draw.choice(candidates)
                candidates.append(fetched)
                fetch_addr = model.table + 4 * fetched
                self.met["a request is fetched"] += fetched in requested
        wdata, addr, be = self._access(draw.choice(candidates))
        if draw.random() < 0.6:
            flags |= ACCESS | (STORE if draw.random() < 0.8 else 0)
            of_requested = (addr - WORDS_OF_SOURCES) // 4 in requested
            self.met["a source is stored that requests"] += of_requested and bool(flags & STORE) and be & 1 and not wdata & 1
        return request, wdata, fetch_addr, addr, be, flags, 0

    def cycles(self, number: int) -> Iterator[tuple[Given, tuple[int, ...]]]:
        for _ in range(number):
            given = self.cycle()
            expected = self.model.cycle(*given[:-1])
            self.met["offered"] += expected[0]
            yield given, expected


@pytest.fixture(scope="session")
def driver(made: Path) -> Callable[[int], Path]:
    return cache(lambda sources: build("clic", made, SOURCES=sources))


@pytest.mark.parametrize("sources", [2, 16, 33, 64, 128])
def test_verilator_has_nothing_to_say(sources: int, tmp_path: Path) -> None:
    assert lint("clic", tmp_path, SOURCES=sources) == ""


def compare(driver: Path, seed: int, sources: int, number: int) -> Counter[str]:
    drawn = Drawn(random.Random(seed), Model(sources))
    given, expected = zip(*drawn.cycles(number), strict=True)
    answers = run(driver, b"".join(struct.pack(CYCLE, *it) for it in given), ANSWER)
    assert len(answers) == number
    for n, (expects, answer) in enumerate(zip(expected, answers, strict=True)):
        if not answer[0]:
            answer = (0, 0, *answer[2:])  # the number means nothing then
        assert answer == expects, f"cycle {n} of seed {seed}: {given[max(n - 5, 0) : n + 1]}"
    return drawn.met


@pytest.mark.parametrize("seed", range(SEEDS))
def test_each_cycle_is_as_the_model_says(seed: int, driver: Callable[[int], Path]) -> None:
    met = compare(driver(64), seed, 64, CYCLES)
    assert met["offered"] > CYCLES // 3, met
    assert met["a request is fetched"] > 100, met
    assert met["a source is stored that requests"] > 100, met


@pytest.mark.parametrize("sources", [5, 16, 33])
def test_fewer_sources(sources: int, driver: Callable[[int], Path]) -> None:
    """Also numbers that are no powers of two: of equals the lowest source is offered all the same."""
    compare(driver(sources), sources, sources, CYCLES // 2)
