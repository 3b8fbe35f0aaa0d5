# SPDX-License-Identifier: Apache-2.0
"""TIM2 of STM32, which starts the cells of two families (ST, RM0090, chapter 18), as stores leave it.

CR1 at 0 (bit 0 enable).  CR2 at 4 (MMS 4 in bits 6 to 4: the reference of channel 1 is the trigger output).  SMCR at 8 (mode 6: a
trigger starts the counter; bits 6 to 4: which internal trigger).  EGR at 0x14 (bit 0: the counter and the prescaler begin anew).
CCMR1 at 0x18 (OC1M 1: the reference is active from a match of CCR1 on; 4 and 5: forced low and high).  PSC at 0x28, ARR at 0x2C,
CCR1 at 0x34.
"""

from __future__ import annotations

TIM2 = 0x4000_0000
CR1, CR2, SMCR, EGR, CCMR1, PSC, ARR, CCR1 = 0, 4, 8, 0x14, 0x18, 0x28, 0x2C, 0x34
OUTPUT_REFERENCE, MATCH, LOW, HIGH = 0x40, 0x10, 0x40, 0x50
TRIGGERED, INTERNAL_TRIGGER = 6, 0x70
STANDS = {CR1: 0, CR2: OUTPUT_REFERENCE, CCMR1: MATCH, PSC: 0, ARR: 0xFFFF_FFFF}
MASTERS = {0: 0x4001_0000, 1: 0x4001_0400, 2: 0x4000_0400, 3: 0x4000_0800}
"""Which timers its internal triggers are: TIM1, TIM8, TIM3, TIM4 (RM0090, table 97)."""


def is_its(address: int) -> bool:
    """Whether an address is one of these registers."""
    return address - TIM2 in (CR1, CR2, SMCR, EGR, CCMR1, PSC, ARR, CCR1)


def means(address: int, value: int) -> bool:
    """Whether one of these registers has a meaning for a value, as a starter."""
    register = address - TIM2
    if register == SMCR:
        return value == 0 or (value & ~INTERNAL_TRIGGER == TRIGGERED and (value & INTERNAL_TRIGGER) >> 4 in MASTERS)
    allowed = {r: (v,) for r, v in STANDS.items()} | {CCMR1: (MATCH, LOW, HIGH), EGR: (1,)}
    return value in allowed.get(register, (value,))


class Starter:
    """What it does: ``waits`` is the timer that starts it, and units from there to the start of the cells; None: a store does."""

    def __init__(self) -> None:
        self._has: dict[int, int] = {}
        self._low = self._zero = False
        self.waits: tuple[int, int] | None = None

    def write(self, address: int, value: int) -> bool:
        """A store; whether it starts the cells, or lets another timer do so."""
        register, has = address - TIM2, self._has
        forced = register == CCMR1 and self._low and value == HIGH and has.get(CR2) == OUTPUT_REFERENCE
        has[register] = value
        if register == CCMR1:
            self._low = value == LOW or (self._low and value == MATCH)
        elif register == EGR:
            self._zero = has.get(PSC) == 0 and value == 1
        elif register == SMCR and value & 7 == TRIGGERED:
            ready = self._low and self._zero and all(has.get(r) == v for r, v in STANDS.items())
            master = MASTERS.get((value & INTERNAL_TRIGGER) >> 4)
            if ready and master is not None and has.get(CCR1, 0):
                self.waits = master, has[CCR1]
                return True
        if forced:
            self.waits = None
        return forced
