# SPDX-License-Identifier: Apache-2.0
"""The timer array in RTL against a model of what its README says, cycle by cycle, above all where things collide.

The model has no counters: of a cell that runs it knows the tick that it expires at.
"""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from verilated import ROOT, build, lint, run

TICK, ACCESS, STORE = 1, 2, 4
CYCLE, ANSWER = "<IIHBB", "<III"
CELLS_AT, APART = 0xC00, 32
START, STOP, ENABLE, DISABLE, NOW, RESTART, DONE, MOVE = range(0x800, 0x820, 4)
COUNT, RELOAD, ADJUST, ARMS, FIRST = range(5)
SEEDS, CYCLES = 4, 50_000
EXPIRIES = 1_000_000


def of_cell(cell: int, word: int) -> int:
    return CELLS_AT + APART * cell + 4 * word


def signed(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


@dataclass
class Cell:
    left: int = 0
    """Ticks until the expiry, of a cell that stands."""
    due: int | None = None
    """The tick of the next expiry, of one that runs."""
    reload: int = 0
    first: int = 0
    arms: int = 0

    def move(self, ticks: int) -> None:
        if self.due is None:
            self.left += ticks
        else:
            self.due += ticks


@dataclass
class Model:
    """Ticks are numbered from 1, and ``now`` is the number of the last one."""

    cells: list[Cell]
    now: int = 0
    enabled: int = 0
    group: int = 0
    """What the last store to RESTART has started."""
    every: int = field(init=False)

    def __post_init__(self) -> None:
        self.every = 2 ** len(self.cells) - 1

    def running(self) -> int:
        return sum(1 << k for k, cell in enumerate(self.cells) if cell.due is not None)

    def count(self, cell: Cell) -> int:
        return signed(cell.left if cell.due is None else cell.due - self.now)

    def expiring(self) -> list[int]:
        """Cells that expire in the next tick, if nothing is stored."""
        return [k for k, cell in enumerate(self.cells) if cell.due is not None and cell.due <= self.now + 1]

    def _set_count(self, cell: Cell, count: int) -> None:
        if cell.due is None:
            cell.left = count
        else:
            cell.due = self.now + count

    def _exists(self, addr: int, be: int) -> bool:
        """Only whole, aligned words do."""
        of_array = addr in (START, STOP, ENABLE, DISABLE, NOW, RESTART, DONE, MOVE)
        of_cells = CELLS_AT <= addr < of_cell(len(self.cells), 0) and addr % APART < 20
        return be == 15 and addr % 4 == 0 and (of_array or of_cells)

    def _loaded(self, addr: int) -> int:
        if addr < CELLS_AT:
            special = {START: self.running(), STOP: self.running(), NOW: self.now, RESTART: 0, DONE: 0, MOVE: 0}
            return special.get(addr, self.enabled) % 2**32
        cell, word = self.cells[(addr - CELLS_AT) // APART], addr % APART // 4
        return {RELOAD: cell.reload, ARMS: cell.arms, FIRST: cell.first}.get(word, self.count(cell)) % 2**32

    def cycle(self, wdata: int, pending: int, addr: int, be: int, flags: int) -> tuple[int, int, int]:
        """What the array answers."""
        exists = self._exists(addr, be)
        answer, wrong = 0, int(bool(flags & ACCESS) and not exists)
        if flags & ACCESS and exists:
            answer = self._loaded(addr)
        stores = bool(flags & ACCESS) and bool(flags & STORE) and exists
        target = self.cells[(addr - CELLS_AT) // APART] if stores and addr >= CELLS_AT else None
        word = addr % APART // 4

        # An adjustment counts in its own cycle.
        moved = [target] if target is not None and word == ADJUST else []
        if stores and addr == MOVE:
            moved = [cell for k, cell in enumerate(self.cells) if self.group >> k & 1]
        for cell in moved:
            before = self.count(cell)
            if cell.due is not None and flags & TICK:  # the sum with the tick is what has 32 bits
                cell.due += signed(before - 1 + signed(wdata)) - (before - 1)
            else:
                cell.move(signed(before + signed(wdata)) - before)
        requests = armed = 0
        stopped, expired = [], set()
        if flags & TICK:
            self.now += 1
            for k, cell in enumerate(self.cells):
                if cell.due is None or cell.due > self.now:
                    continue
                if cell.due < self.now - 2**31:  # counts have 32 bits
                    cell.due += 2**32
                    continue
                requests |= 1 << k
                expired.add(k)
                armed |= cell.arms
                self._set_count(cell, signed(cell.due + cell.reload - self.now))
                if cell.reload == 0:
                    stopped.append(k)
        requests &= self.enabled

        # Everything else counts from the next cycle on.
        for k, cell in enumerate(self.cells):
            if stores and addr == DONE and wdata % 4096 == k and k not in expired and not pending >> k & 1:
                self.enabled &= ~cell.arms
        self.enabled |= armed
        ones = wdata & self.every
        if stores and addr == ENABLE:
            self.enabled |= ones
        if stores and addr == DISABLE:
            self.enabled &= ~ones
        if target is not None and word == COUNT:
            self._set_count(target, signed(wdata))
        if target is not None and word == RELOAD:
            target.reload = signed(wdata)
        if target is not None and word == FIRST:
            target.first = signed(wdata)
        if stores and addr == RESTART:
            self.group = ones
        if target is not None and word == ARMS:
            target.arms = ones
        for k, cell in enumerate(self.cells):
            told = stores and bool(ones >> k & 1)
            if told and addr == RESTART:
                cell.due = self.now + cell.first
            elif cell.due is None and told and addr == START:
                cell.due = self.now + cell.left
            elif cell.due is not None and ((told and addr == STOP) or (k in stopped and not (told and addr == START))):
                cell.left, cell.due = self.count(cell), None
        return requests, answer, wrong


@dataclass
class Drawn:
    """What happens in each cycle, drawn with an eye on what the model's cells are about to do."""

    draw: random.Random
    model: Model
    met: Counter[str] = field(default_factory=Counter)

    def _value(self, word: int) -> int:
        draw = self.draw
        ends = [0, 1, 2, 2**31 - 1, 2**31 - 2, -(2**31), 1 - 2**31, -1]
        if word == ARMS:
            return draw.choice([0, 0, 1 << draw.randrange(32), draw.getrandbits(32)])
        if draw.random() < 0.08:
            return draw.choice(ends) % 2**32
        low, high = {COUNT: (0, 12), RELOAD: (0, 15), ADJUST: (-40, 40), FIRST: (0, 20)}[word]
        return draw.randint(low, high) % 2**32

    def cycle(self) -> tuple[int, int, int, int, int]:
        draw = self.draw
        pending = draw.getrandbits(32)  # what the controller has done with the requests
        flags = TICK if draw.random() < 0.9 else 0
        be, cells = 15, len(self.model.cells)
        if draw.random() < 0.3:
            return draw.getrandbits(32), pending, draw.getrandbits(12), be, flags
        flags |= ACCESS | (STORE if draw.random() < 0.8 else 0)
        expiring = self.model.expiring()
        collides = bool(expiring) and draw.random() < 0.7
        if draw.random() < 0.45:
            addr = draw.choice([START, START, STOP, ENABLE, ENABLE, DISABLE, NOW, RESTART, RESTART, DONE, DONE, MOVE, MOVE])
            wdata = draw.getrandbits(32) & draw.getrandbits(32)
            if collides:
                wdata |= 1 << draw.choice(expiring)
            if addr == MOVE:
                wdata = self._value(ADJUST)
            if addr == DONE:
                wdata = wdata & ~0xFFF | (draw.choice(expiring) if collides else draw.randrange(cells + 1))
        else:
            word = draw.choice([COUNT, RELOAD, ADJUST, ADJUST, ARMS, FIRST])
            addr = of_cell(draw.choice(expiring) if collides else draw.randrange(cells), word)
            wdata = self._value(word)
        odd = draw.random()
        if odd < 0.02:
            be = draw.randrange(16)
        elif odd < 0.04:
            addr |= draw.randrange(4)
        elif odd < 0.06:
            addr = draw.getrandbits(12)
        if collides and flags & TICK and flags & STORE:
            self.met[f"{addr:03X}" if addr < CELLS_AT else f"word {addr % APART // 4}"] += 1
        return wdata, pending, addr, be, flags

    def cycles(self, number: int) -> Iterator[tuple[tuple[int, int, int, int, int], tuple[int, int, int]]]:
        for _ in range(number):
            given = self.cycle()
            yield given, self.model.cycle(*given)


@pytest.fixture(scope="session")
def driver(made: Path) -> Callable[[int], Path]:
    return cache(lambda cells: build("timer_array", made, CELLS=cells))


@pytest.mark.parametrize("cells", [1, 5, 32])
def test_verilator_has_nothing_to_say(cells: int, tmp_path: Path) -> None:
    assert lint("timer_array", tmp_path, CELLS=cells) == ""


def compare(driver: Path, seed: int, cells: int, number: int) -> Counter[str]:
    drawn = Drawn(random.Random(seed), Model([Cell() for _ in range(cells)]))
    given, expected = zip(*drawn.cycles(number), strict=True)
    answers = run(driver, b"".join(struct.pack(CYCLE, *it) for it in given), ANSWER)
    assert len(answers) == number
    for n, (expects, answer) in enumerate(zip(expected, answers, strict=True)):
        assert answer == expects, f"cycle {n} of seed {seed}: {given[max(n - 5, 0) : n + 1]}"
    return drawn.met


@pytest.mark.parametrize("seed", range(SEEDS))
def test_each_cycle_is_as_the_model_says(seed: int, driver: Callable[[int], Path]) -> None:
    met = compare(driver(32), seed, 32, CYCLES)
    for what in ("800", "804", "808", "80C", "814", "818", "81C", "word 0", "word 1", "word 2", "word 3", "word 4"):
        assert met[what] > 100, (what, met)  # stores in the very cycle of an expiry


@pytest.mark.parametrize("cells", [1, 5])
def test_fewer_cells(cells: int, driver: Callable[[int], Path]) -> None:
    compare(driver(cells), cells, cells, CYCLES // 2)


def test_no_expiry_is_lost_and_none_is_doubled(driver: Callable[[int], Path]) -> None:
    """However a cell is moved: how often it expires, and when it did last, follows from sums alone.

    count + moves + expiries * reload - ticks is the count at last, and it lies between 1 and the reload value.
    """
    draw = random.Random(1)
    reloads = [draw.randint(2, 40) for _ in range(32)]
    firsts = [draw.randint(1, 400) for _ in range(32)]
    moves = [0] * 32
    before = [
        (value % 2**32, 0, of_cell(k, word), 15, ACCESS | STORE)
        for k in range(32)
        for word, value in enumerate((firsts[k], reloads[k]))
    ]
    before += [(2**32 - 1, 0, ENABLE, 15, ACCESS | STORE), (2**32 - 1, 0, START, 15, ACCESS | STORE)]
    cycles = list(before)
    ticks = 0
    while sum(max((ticks - firsts[k] - moves[k]) // reloads[k], 0) for k in range(32)) < EXPIRIES:
        for _ in range(5000):
            tick = TICK if draw.random() < 0.98 else 0
            ticks += tick
            if draw.random() < 0.4:
                k = draw.randrange(32)
                most = reloads[k] * draw.choice([1, 1, 1, 30])
                # What a cell was moved by is taken back in the mean.
                move = draw.randint(-most, most) - moves[k] // 20
                moves[k] += move
                cycles.append((move % 2**32, 0, of_cell(k, ADJUST), 15, tick | ACCESS | STORE))
            else:
                cycles.append((0, 0, 0, 15, tick))
    # Until each cell has come back to its period, from wherever it was.
    rest = 50_000
    cycles += [(0, 0, 0, 15, TICK)] * rest
    ticks += rest
    answers = run(driver(32), b"".join(struct.pack(CYCLE, *it) for it in cycles), ANSWER)

    requested, last, tick = [0] * 32, [0] * 32, 0
    for (_, _, _, _, flags), (request, _, _) in zip(cycles, answers, strict=True):
        tick += flags & TICK
        while request:
            k = (request & -request).bit_length() - 1
            requested[k] += 1
            last[k] = tick
            request &= request - 1
    expiries = [(ticks - firsts[k] - moves[k]) // reloads[k] + 1 for k in range(32)]
    assert requested == expiries
    assert last == [firsts[k] + moves[k] + (expiries[k] - 1) * reloads[k] for k in range(32)]
    assert sum(requested) >= EXPIRIES


@pytest.mark.skipif(shutil.which("yosys") is None, reason="yosys is not installed")
@pytest.mark.parametrize("cells", [1, pytest.param(4, marks=pytest.mark.costly)])
def test_invariants_are_proved(cells: int) -> None:
    check = ROOT / "hardware/timer_array/formal/check.sh"
    result = subprocess.run([check, str(cells)], capture_output=True, text=True, check=False)
    assert result.stdout == f"{cells} cells: proved\n", result.stdout + result.stderr
