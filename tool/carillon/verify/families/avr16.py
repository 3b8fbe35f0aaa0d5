# SPDX-License-Identifier: Apache-2.0
"""The 16-bit timers of AVR (ATmega128 and ATmega2560 data sheets, 16-bit Timer/Counter): compare channels of one counter.

In waveform mode 12 a timer counts from 0 to ICR and begins anew.  A channel asks for an interrupt a unit after the counter has
equalled its compare register.  In mode 0 it counts through all 16 bits.  A store's address has, above the register, what the port
does with it: a word, bits to set or to clear, or a counter to wait for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from carillon.verify.avr_device import Device, Timer, device
from carillon.verify.families import Cell, Family, Match

WORD, AWAIT, REGISTER = 0x8000, 0x1000, 0x0FFF
SELECT, ROUND = 0x07, 0x18
PRESCALERS = {1: 1, 2: 8, 3: 64, 4: 256, 5: 1024}
SET = 40
"""A match of budgets is set so many cycles further ahead, which pass until the job goes on."""


class Model(Family):
    """See above."""

    wide = WORD
    """What the address of a store to a counter, a top or a match has above the register."""
    waits = AWAIT
    """The same of a wait for a counter."""
    rounds: tuple[int, ...] = (0,)
    """What control register A may get."""

    def prepare(self) -> None:
        found = device(self.board)
        self._timers = dict(enumerate(self.timers(found) if found is not None else ()))
        self._waits: dict[int, int] = {}

    def timers(self, found: Device) -> tuple[Timer, ...]:
        """The device's timers that the family drives."""
        return found.timers

    def period(self, control: int, registers: dict[str, int]) -> int | None:
        """The units in a turn of a timer, from control register B and the other registers; None: another mode."""
        mode = control >> 3 & 3, registers.get("a", 0) & 3
        return {(3, 0): registers.get("top", 0) + 1, (0, 0): 1 << 16}.get(mode)

    def match_of(self, cell: Cell) -> Match | None:
        timer = next((t for t in self._timers.values() if cell.place.source in t.matches), None)
        divided = PRESCALERS.get(self.defines.get("CARILLON_CLOCK_SELECT", 0))
        if timer is None or divided is None:
            return None
        return Match(timer.count, timer.matches[cell.place.source], 16, SET // divided + 1, again=False, forgets=True)

    def told(self, cell: Cell) -> Mapping[str, int]:
        return {}  # the device's header says it

    def _own(self, timer: int) -> list[Cell]:
        """The cells that are channels of a timer."""
        return [cell for cell in self.cells.values() if cell.place.source in self._timers[timer].matches]

    def write(self, address: int, value: int, at: Fraction | None) -> bool:
        register = address & REGISTER
        for number, timer in self._timers.items():
            cells = self._own(number)
            if not cells or not self._has(timer, register):
                continue
            registers = cells[0].registers
            if address & AWAIT:
                self._waits[number] = value
            elif register == timer.control_a:
                registers["a"] = value
            elif register == timer.control_b:
                self._control(cells, value, at, registers)
            elif register == timer.count:
                registers["count"] = value
            elif register == timer.top:
                registers["top"] = value
            else:
                cell = next((c for c in cells if timer.matches[c.place.source] == register), None)
                if cell is not None:
                    cell.registers["match"] = value
            return True
        return False

    def means(self, address: int, value: int) -> bool:
        register, above = address & REGISTER, address & ~REGISTER
        timer = next((t for k, t in self._timers.items() if self._own(k) and self._has(t, register)), None)
        if timer is None:
            return True
        if register == timer.control_a:
            return not above and value in self.rounds
        if register == timer.control_b:
            chosen = self.defines.get("CARILLON_CLOCK_SELECT")
            return not above and value & SELECT in (0, chosen) and not value & ~(SELECT | ROUND)
        if register == timer.count:
            return above in (self.waits, self.wide)
        return above == self.wide

    @staticmethod
    def _has(timer: Timer, register: int) -> bool:
        return register in (timer.control_a, timer.control_b, timer.count, timer.top, *timer.matches.values())

    def _control(self, cells: list[Cell], value: int, at: Fraction | None, registers: dict[str, int]) -> None:
        chosen = self.defines.get("CARILLON_CLOCK_SELECT")
        ran = any(cell.started is not None for cell in cells)
        for cell in cells:
            if not value & SELECT:
                cell.started = None
                if ran:
                    cell.registers.pop("match", None)  # the next mode stores its own matches anew
            elif cell.started is None and "match" in cell.registers and value & SELECT == chosen:
                period, begin = self.period(value, registers), registers.get("count")
                if period is not None and begin is not None and max(begin, cell.registers["match"]) < period:
                    cell.started, cell.again, cell.first = at, period, (cell.registers["match"] - begin) % period + 1

    def forgotten(self, source: int) -> None:
        """A request was forgotten after a wait for the counter: an expiry before it is no interrupt."""
        for number, reached in self._waits.items():
            for cell in self._own(number):
                if cell.place.source != source or cell.started is None or cell.first is None or cell.again is None:
                    continue
                begin = self._begin(cell)
                if begin <= reached == (begin + cell.first) % cell.again:
                    cell.first += cell.again

    def _begin(self, cell: Cell) -> int:
        """What a timer counted when it was started."""
        return next(own[0].registers["count"] for k in self._timers if cell in (own := self._own(k)))

    def turn(self, address: int) -> tuple[list[Cell], int]:
        timer = next((k for k, t in self._timers.items() if self._own(k) and address == self.wide | t.top), None)
        own = self._own(timer) if timer is not None else []
        return own, own[0].registers["top"] if own else 0

    def begins_anew(self, cell: Cell) -> Fraction | None:
        return None if cell.started is None or cell.again is None else cell.started + cell.again - self._begin(cell)

    def rearmed(self, register: int) -> Cell | None:
        if not register & WORD:
            return None
        places = {match: s for timer in self._timers.values() for s, match in timer.matches.items()}
        source = places.get(register & REGISTER)
        return next((cell for cell in self.cells.values() if cell.place.source == source), None)

    def following(self, cell: Cell, steps: Sequence[int], count: int) -> list[int]:
        # The handler moves the match on by a step, modulo the turn that the top says.
        turn = cell.again or 1 << 16
        return [steps[k % len(steps)] % turn or turn for k in range(count)]

    def postponed(self, step: int) -> int:
        return step
