# SPDX-License-Identifier: Apache-2.0
"""The one direction: schedule, model, check, lower, allocate, image.  Every command goes as far as it needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from carillon.allocate.result import Allocation
from carillon.diagnostics import Diagnostics
from carillon.emit.image import Image, build_image
from carillon.lower import LoweredMode
from carillon.model import System
from carillon.trace import Trace
from carillon.trace.analyse import Release

KERNELS = ("carillon", "conventional", "counter-per-task")
"""Ours, and those to compare with: one tick, a queue and a software ready list; the same with a counter for each event,
all of which every tick decrements, as uC/OS-II does."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A schedule with its allocation and image."""

    system: System
    lowered: tuple[LoweredMode, ...]
    allocation: Allocation
    image: Image


def read_and_check(path: Path, diagnostics: Diagnostics, board: str | None = None) -> System:
    """The checked model of a schedule; raises CarillonError with everything found if it has errors."""
    from carillon.check import check_system
    from carillon.read import read_schedule

    system = read_schedule(path, diagnostics, board)
    if system is not None:
        check_system(system, diagnostics)
    diagnostics.stop_on_errors()
    assert system is not None
    return system


def plan(
    path: Path, diagnostics: Diagnostics, board: str | None = None, kernel: str = "carillon", time_limit: float = 20.0
) -> Planned:
    """Read, check, lower and allocate; raises CarillonError if any of it fails."""
    from carillon.allocate import allocate, allocate_conventional
    from carillon.allocate.osek import allocate_osek, plan_osek
    from carillon.lower.lower import lower

    system = read_and_check(path, diagnostics, board)
    lowered = lower(system)
    osek = plan_osek(system, diagnostics, kernel) if system.osek is not None else None
    diagnostics.stop_on_errors()
    taken = osek.taken if osek is not None else frozenset()
    below = osek.hardware_levels if osek is not None else 0
    if not lowered:
        allocation: Allocation | None = Allocation(kernel, ())
    elif kernel != "carillon":
        allocation = allocate_conventional(system, lowered, diagnostics, taken, below, kernel)
    else:
        allocation = allocate(system, lowered, diagnostics, time_limit=time_limit, taken=taken, below=below)
    diagnostics.stop_on_errors()
    assert allocation is not None
    if osek is not None:
        busy = frozenset(c.source for mode in allocation.modes for c in mode.carriers)
        allocation = replace(allocation, osek=allocate_osek(system, osek, busy, diagnostics))
        diagnostics.stop_on_errors()
    image = build_image(system, allocation, diagnostics)
    diagnostics.stop_on_errors()
    return Planned(system, lowered, allocation, image)


def releases(system: System, trace: Trace) -> list[Release]:
    """The nominal releases of a run, from the rounds that began."""
    found: list[Release] = []
    for k, (begin, name) in enumerate(trace.modes):
        mode = next(m for m in system.modes if m.name == name)
        end = trace.length
        if k + 1 < len(trace.modes):  # whole rounds; between the last and the next mode's first there may be a gap
            end = begin + (trace.modes[k + 1][0] - begin) // mode.round_length * mode.round_length
        for start in range(begin, end, mode.round_length):
            found += [
                Release(a.task, start + a.at, tuple(start + d for d in a.deadlines))
                for a in mode.activations
                if start + a.at < end
            ]
    return sorted(found, key=lambda r: (r.at, r.task))
