# SPDX-License-Identifier: Apache-2.0
"""What a schedule says of its stacks beyond their sizes, and what is known of how much of them is used."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Refuse(Enum):
    """Which stacks are too small: those that their own calls do not fit in, those that are smaller than their bounds, or none."""

    CALLS = "calls"
    BOUND = "bound"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class StackHints:
    """What the code of the image does not tell.

    ``refuse``: which stacks the build refuses.  ``calls``: of a function that calls an address, the functions that it may be of.
    ``recursion``: how often a function may be active at once.
    """

    calls: dict[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    recursion: dict[str, int] = field(default_factory=dict, hash=False)
    refuse: Refuse = Refuse.CALLS


Link = tuple[str, int]
"""A function, and the bytes that it adds."""


@dataclass(frozen=True, slots=True)
class StackBound:
    """A stack of ``size`` bytes, of which ``bound`` are used at most; None: not known, for a ``reason``.

    ``name``: of the task or the thread, or ``main``.  ``chain``: the functions of the deepest chain, and of the interrupts on top
    of it, each with the bytes that it adds.  ``calls``: what the stack needs without any interrupt, and ``calls_chain`` its
    chain; it may be known where the bound is not.

    The bound assumes that each level interrupts in the deepest place of the one below.  Of masks it knows only that of the error
    hook.  So what happens may stay below it, and never comes above.
    """

    name: str
    size: int
    bound: int | None
    reason: str = ""
    chain: tuple[Link, ...] = ()
    calls: int | None = None
    calls_chain: tuple[Link, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether it is not known to be smaller than its bound."""
        return self.bound is None or self.bound <= self.size

    @property
    def fits_calls(self) -> bool:
        """Whether it is not known to be too small even if nothing interrupts."""
        return self.calls is None or self.calls <= self.size

    def as_json(self) -> dict[str, object]:
        """For a program."""
        chain = [{"function": name, "bytes": size} for name, size in self.chain]
        said = {"name": self.name, "size": self.size, "bound": self.bound, "calls": self.calls}
        return {**said, "reason": self.reason or None, "chain": chain}
