# SPDX-License-Identifier: Apache-2.0
"""Allocation: which timer cell carries which expiry points, by the least kernel code per round."""

from __future__ import annotations

from carillon.allocate.allocation import Allocation
from carillon.allocate.conventional import allocate_conventional
from carillon.allocate.memory import Memory
from carillon.allocate.rounds import RoundAllocator
from carillon.diagnostics import Diagnostics
from carillon.lower import LoweredMode
from carillon.model import System

__all__ = ["allocate", "allocate_conventional"]


def allocate(
    system: System,
    lowered: tuple[LoweredMode, ...],
    diagnostics: Diagnostics,
    *,
    time_limit: float = 20.0,
    taken: frozenset[int] = frozenset(),
    below: int = 0,
    memory: Memory | None = None,
) -> Allocation | None:
    """Allocate every mode; None after an error was reported (:meth:`.RoundAllocator.allocate`)."""
    return RoundAllocator(system, lowered, time_limit, memory, below).allocate(taken, diagnostics)
