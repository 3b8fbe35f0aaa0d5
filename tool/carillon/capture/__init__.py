# SPDX-License-Identifier: Apache-2.0
"""What was recorded of a chip: when each of some signals was high.

A reader for each form of file returns a :class:`Capture`.  :mod:`.clock` finds how its time lies to the schedule's, and
:mod:`.trace` makes of both what a run in an emulator gives.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from carillon.diagnostics import CarillonError, Diagnostic, Span
from carillon.trace import Unseen

BROKEN = "C301"
UNFIT = "C302"
NOTHING = "C303"
BEFORE = -(10**40)
"""When a signal rose that was high already when the capture began: before all times of files."""


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal, and from when to when it was high; ``None``: to the end of the capture.

    ``aliases``: other names by which a task may know it.  ``highs`` are in order of time, and do not overlap.  ``waits``: the
    numbers of those with whose end a task waits, and goes on with the next one.
    """

    name: str
    highs: tuple[tuple[int, int | None], ...]
    aliases: tuple[str, ...] = ()
    waits: frozenset[int] = frozenset()


class Highs:
    """Collects when something was active."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._begun: int | None = None
        self._highs: list[tuple[int, int | None]] = []
        self._waits: set[int] = set()

    @property
    def active(self) -> bool:
        """Whether it has begun, and has not ended."""
        return self._begun is not None

    @property
    def known(self) -> bool:
        """Whether anything was told of it."""
        return self.active or bool(self._highs)

    def begin(self, now: int) -> None:
        """It starts, or goes on."""
        self._begun = now

    def end(self, now: int, *, waits: bool) -> None:
        """It ends, or waits; what had begun before all that is known is left out."""
        if self._begun is not None:
            if waits:
                self._waits.add(len(self._highs))
            self._highs.append((self._begun, now))
            self._begun = None

    def lose(self) -> None:
        """Nothing is known of it from here on."""
        self._begun = None
        self._waits.discard(len(self._highs) - 1)

    def signal(self) -> Signal:
        """All of it, up to now."""
        last = [(self._begun, None)] if self._begun is not None else []
        return Signal(self._name, (*self._highs, *last), waits=frozenset(self._waits))


@dataclass(frozen=True, slots=True)
class Capture:
    """Signals from ``begin`` to ``end``; times are whole numbers of ``unit`` seconds.  ``blind``: gaps."""

    file: str
    unit: Fraction
    begin: int
    end: int
    signals: tuple[Signal, ...]
    blind: tuple[Unseen, ...] = ()


def refuse(code: str, span: Span | None, cause: str, remedy: str) -> NoReturn:
    """End with an error about a capture."""
    raise CarillonError([Diagnostic(code, span, cause, remedy)])


def broken(file: str, line: int, cause: str, remedy: str = "export the capture again") -> NoReturn:
    """End with an error about a line of a capture's file."""
    refuse(BROKEN, Span(file, line), cause, remedy)


class Recorder:
    """Collects the changes of signals in order of time."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._since: dict[str, int] = {}
        self._highs: dict[str, list[tuple[int, int | None]]] = {}
        self._aliases: dict[str, tuple[str, ...]] = {}
        self._seen: set[str] = set()
        self.begin: int | None = None
        self.now = 0

    def add(self, name: str, aliases: Iterable[str] = ()) -> None:
        """A signal that the capture has."""
        self._highs.setdefault(name, [])
        self._aliases[name] = tuple(aliases)

    def time(self, now: int, line: int, said: str) -> None:
        """What follows was at that time, which the file writes as ``said``."""
        if self.begin is None:
            self.begin = now
        elif now < self.now:
            cause = f"the time goes back, to {said}"
            broken(self._file, line, cause, "times must not fall from line to line; export the capture again")
        self.now = now

    def level(self, name: str, high: bool) -> None:
        """The level of a signal from now on."""
        since = self._since.get(name)
        if self.begin is None:
            self.begin = self.now
        if high and since is None:
            # A signal of which nothing else was said, and that is high at the begin, rose before.
            self._since[name] = self.now if name in self._seen or self.now > self.begin else BEFORE
        elif not high and since is not None:
            self._highs[name].append((since, self.now))
            del self._since[name]
        self._seen.add(name)

    def edge(self, name: str, high: bool) -> None:
        """A change of a signal: it was low before if it is high now, and high if it is low."""
        if name not in self._seen:
            self._seen.add(name)
            if not high:
                self._since[name] = BEFORE
        self.level(name, high)

    def capture(self, unit: Fraction) -> Capture:
        """All of it, up to now.

        What was high already when the capture began is left out up to its fall: when it rose is not known.
        """
        for name, since in self._since.items():
            self._highs[name].append((since, None))
        begin = self.begin or 0
        signals = (
            Signal(name, tuple(high for high in highs if high[0] != BEFORE), self._aliases[name])
            for name, highs in self._highs.items()
        )
        return Capture(self._file, unit, begin, self.now, tuple(signals))
