# SPDX-License-Identifier: Apache-2.0
"""What a Giotto program is for an image: microcode with its C functions, and what carries it out.

The pass ``giotto`` makes it.  ``image`` and ``emit`` read it.
"""

from __future__ import annotations

from dataclasses import dataclass

from carillon.microcode import Program
from carillon.microcode.text import text_of
from carillon.model.rates import Rate


@dataclass(frozen=True, slots=True)
class Binding:
    """What a driver, a guard or a task of the microcode is in C: a function and the ports that it gets, in their order.

    Without a function it copies each port of ``arguments`` to that of ``targets``, if its task has been released since it
    last did.  The function of a driver ``init:...`` is called for each of the ports alone.
    """

    name: str
    function: str | None
    arguments: tuple[str, ...]
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compiled:
    """A program as microcode, what its functions are, and what its listing says."""

    program: Program
    tasks: tuple[Binding, ...]
    drivers: tuple[Binding, ...]
    guards: tuple[Binding, ...]
    heading: str
    comments: dict[int, str]
    remarks: dict[int, str]

    def listing(self) -> str:
        """The assembler's text, with the mode, the unit and the instant of each block and the line of each instruction."""
        return text_of(self.program, self.comments, self.remarks, self.heading)


@dataclass(frozen=True, slots=True)
class Microcode:
    """A Giotto program as microcode: ``threads_of`` are the names of its tasks' threads.

    ``bindings`` and ``threads`` are how many triggers and threads wait at one time at most, of this program and of those that the
    image receives.  ``steps`` is more than the number of instructions that are carried out at one instant.  ``scheduler`` chooses
    while no thread waits: ``edf`` or ``rm``.  ``times`` are the execution times that its target counts with, in nanoseconds,
    0 for one that is not known; empty if the target looks at no load.
    """

    compiled: Compiled
    threads_of: tuple[str, ...]
    bindings: int
    threads: int
    steps: int
    scheduler: str
    times: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Blocks:
    """A Giotto program on cells: its E code, whose blocks become functions, its rates, and ticks of so many milliseconds."""

    compiled: Compiled
    rates: tuple[Rate, ...]
    tick: int
