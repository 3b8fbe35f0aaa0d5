# SPDX-License-Identifier: Apache-2.0
"""Groups of interrupt sources with cells, which what is event-triggered takes one at a time.

A group is a source with its cells, or all channels of one timer, which has one period and so serves one master.  Groups that
are alike are one class: what is chosen is a class, and which group of it comes later.
"""

from __future__ import annotations

from dataclasses import dataclass

from carillon.allocate.fit import Fitter, Source, SourceClass, source_classes
from carillon.allocate.result import Cell, CellUse, Progression
from carillon.model.board import Board, Role
from carillon.model.family import Capability


@dataclass(frozen=True, slots=True)
class GroupClass:
    """Interchangeable groups, in the order of the board: each a tuple of sources, of which one is used.

    ``asked``: how many alarms one group can carry, by one handler that asks each cell; less than 2 where none can.
    """

    groups: tuple[tuple[Source, ...], ...]
    asked: int = 0


def group_classes(board: Board, taken: frozenset[int]) -> list[GroupClass]:
    """The groups of which no source is in ``taken``, in classes."""
    kinds: dict[int, tuple[int, bool, object]] = {}
    by_number: dict[int, Source] = {}
    for k, group in enumerate(source_classes(board, frozenset({0}))):
        for source in group.sources:
            kinds[source.number] = (k, source.number >= board.request_base, source.array.prefer)
            by_number[source.number] = source
    classes: dict[tuple[object, ...], list[tuple[Source, ...]]] = {}
    seen: set[int] = set()
    for number in by_number:
        mates = sorted(board.mates([number]) & by_number.keys())
        if number in seen or taken.intersection(mates):
            continue
        seen |= set(mates)
        members = sorted(mates, key=lambda m: (kinds[m][0], m))
        classes.setdefault(tuple(kinds[m] for m in members), []).append(tuple(by_number[m] for m in members))
    return [GroupClass(tuple(groups), _asked(groups[0])) for groups in classes.values()]


def _asked(group: tuple[Source, ...]) -> int:
    return SourceClass(group[0].array, group).asked(Role.ACTIVATION) if len(group) == 1 else 0


def cell_sources(board: Board, taken: frozenset[int]) -> list[Source]:
    """Sources with cells, except source 0: on the virtual board, number 0 means that nothing runs."""
    return [s for group in source_classes(board, taken | {0}) for s in group.sources]


def cell_use(
    fitter: Fitter, source: Source, progression: Progression, *, readable: bool, pended: bool, slot: int = 0
) -> CellUse | None:
    """A cell of a source as it keeps a progression, the first or that of a later ``slot``; None if it cannot.

    ``readable``: the kernel reads what is left, and stops it.
    ``pended``: software requests its source too, which the controller must be able to.
    """
    array = source.array
    if Role.ACTIVATION not in array.roles or (readable and Capability.REMAINING not in array.family.can):
        return None
    if pended and source.number < fitter.board.request_base:
        return None
    answer = fitter.direct(array, progression)
    if not isinstance(answer, int):
        return None
    cell = Cell(array, source.slots(Role.ACTIVATION)[slot], array.needed(Role.ACTIVATION))
    return CellUse(cell, progression, answer, array.units(1, fitter.clock_hz, answer))


def spare_sources(board: Board, taken: frozenset[int]) -> list[int]:
    """Sources for tasks: first the sources without a device of the application, then unused sources of cells."""
    taken = taken | board.reserved_sources
    named = [s for s in board.application_sources.values() if s not in taken]
    spare = [s for s in board.software_sources if s not in taken]
    return [*spare, *(s for s in named if s not in spare and s != 0)]
