# SPDX-License-Identifier: Apache-2.0
"""Where an AVR device has its timers and the bits of its interrupts: read from the C library's header of that device.

avr-libc's headers are made from the data sheets, by others: they share nothing with the board's file or with the macros
that wrote the stores.  The compiler's preprocessor says what they define.  Names are those of the register summaries:
TIMSKn (or TIMSK and ETIMSK) has OCIEnX, ICIEn and TOIEn, TIFRn the flags at the same places; EIMSK and EIFR have INTn.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from carillon.model.board import Board

_DEFINE = re.compile(r"^#define (\w+) (.+?)\s*$", re.MULTILINE)
_REGISTER = re.compile(r"_SFR_(IO|MEM)(?:8|16)\s*\(\s*(\w+)\s*\)")
_OFFSET = 0x20  # of the I/O space in the data space, but on XMEGA, which has other timers


@dataclass(frozen=True, slots=True)
class Timer:
    """A timer's registers; ``matches``: the compare register of each channel, by its source; ``names``: its name.

    ``top`` says how long its round is: ICR of 16 bits, of 8 bits OCRA, whose channel is none of the others then.
    """

    control_a: int
    control_b: int
    count: int
    top: int
    matches: dict[int, int]
    names: dict[int, str]


@dataclass(frozen=True, slots=True)
class Device:
    """``timers`` of 16 bits, ``small`` ones of 8; ``requests``: (enable register, flag register) -> bit -> source."""

    timers: tuple[Timer, ...]
    small: tuple[Timer, ...]
    requests: dict[tuple[int, int], dict[int, int]]


class _Header:
    """What a device's header defines."""

    def __init__(self, text: str) -> None:
        self._defined = dict(_DEFINE.findall(text))

    def find(self, name: str) -> int | None:
        """The number or the address that a macro stands for; None for a missing macro, and for anything else."""
        for _ in range(8):  # a register of several names
            value = self._defined.get(name)
            if value is None:
                return None
            register = _REGISTER.fullmatch(value)
            try:
                return int(register[2], 0) + (_OFFSET if register[1] == "IO" else 0) if register else int(value.strip("()"), 0)
            except ValueError:
                name = value
        return None

    def first(self, *names: str) -> int | None:
        """The first of these that there is."""
        return next((found for name in names if (found := self.find(name)) is not None), None)

    def _registers(self, top: str) -> Iterator[tuple[int, list[int]]]:
        """Numbers of timers, each with the addresses of control A and B, of the counter and of the register ``top``."""
        for n in range(10):
            found = [self.find(name.format(n)) for name in ("TCCR{}A", "TCCR{}B", "TCNT{}", top)]
            if None not in found:
                yield n, [it for it in found if it is not None]

    def timers(self) -> tuple[Timer, ...]:
        """Timers with 16 bits and a register for the length of their round."""
        timers = []
        for n, (a, b, count, top) in self._registers("ICR{}"):
            if "16" not in self._defined[f"TCNT{n}"]:
                continue
            channels = {f"OCR{n}{x}": self.find(f"TIMER{n}_COMP{x}_vect_num") for x in "ABC"}
            names = {s: name for name, s in channels.items() if s is not None and self.find(name) is not None}
            matches = {s: match for s, name in names.items() if (match := self.find(name)) is not None}
            timers.append(Timer(a, b, count, top, matches, names))
        return tuple(timers)

    def small(self) -> tuple[Timer, ...]:
        """Timers with 8 bits and two channels."""
        timers = []
        for n, (a, b, count, top) in self._registers("OCR{}A"):
            if self.find(f"TCNT{n}H") is not None:
                continue
            source, match = self.find(f"TIMER{n}_COMPB_vect_num"), self.find(f"OCR{n}B")
            if source is not None and match is not None and self.find(f"TC{n}H") is None and self.find(f"TCCR{n}C") is None:
                timers.append(Timer(a, b, count, top, {source: match}, {source: f"OCR{n}B"}))
        return tuple(timers)

    def requests(self) -> dict[tuple[int, int], dict[int, int]]:
        """Of timers and of external interrupts."""
        requests: dict[tuple[int, int], dict[int, int]] = {}

        def add(enable: int | None, flags: int | None, bit: int | None, source: int | None) -> None:
            if enable is not None and flags is not None and bit is not None and source is not None:
                requests.setdefault((enable, flags), {})[1 << bit] = source

        for n in range(10):
            kinds = [(f"OCIE{n}{x}", f"COMP{x}") for x in ("A", "B", "C", "")]
            kinds += [(f"ICIE{n}", "CAPT"), (f"TICIE{n}", "CAPT"), (f"TOIE{n}", "OVF")]
            for bit, kind in kinds:
                extended = ("E",) if n == 3 or kind == "COMPC" else ()
                enable = self.first(f"TIMSK{n}", *(f"{e}TIMSK" for e in extended), "TIMSK")
                flags = self.first(f"TIFR{n}", *(f"{e}TIFR" for e in extended), "TIFR")
                add(enable, flags, self.find(bit), self.find(f"TIMER{n}_{kind}_vect_num"))
            add(self.first("EIMSK", "GICR"), self.first("EIFR", "GIFR"), self.find(f"INT{n}"), self.find(f"INT{n}_vect_num"))
        return requests


@cache
def _header(compiler: str, option: str) -> _Header | None:
    """The header of the device that the compiler's option names; None without a compiler or a header."""
    program = shutil.which(compiler)
    if program is None:
        return None
    command = [program, option, "-E", "-dM", "-include", "avr/io.h", "-x", "c", "/dev/null"]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    return _Header(result.stdout) if result.returncode == 0 else None


def device(board: Board) -> Device | None:
    """The board's device; None if its compiler names none, or its header has no timers."""
    options = [flag for flag in board.build.cflags if flag.startswith("-mmcu=")]
    header = _header(board.build.compiler, options[-1]) if options else None
    timers = header.timers() if header is not None else ()
    return Device(timers, header.small(), header.requests()) if header is not None and timers else None
