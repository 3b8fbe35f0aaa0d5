# SPDX-License-Identifier: Apache-2.0
"""The interrupt sources of a board as files of other tools name them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from carillon.model.board import Board

_AROUND = re.compile(r"^(?:ISR|IRQ|INTERRUPT)_+|_*(?:IRQ_?HANDLER|IRQN|IRQ|ISR|VECTOR|VECT|HANDLER|INTERRUPT)$")
"""What tools and vendors write around the name of a source: ``EXTI0_IRQ``, ``EXTI0_IRQHandler``, ``INT0_vect``."""


def bare(name: str) -> str:
    """The name of a source without what tools write around it, in capitals."""
    found = name.upper()
    while (less := _AROUND.sub("", found)) != found and less:
        found = less
    return found


def meant(name: str, known: Iterable[str]) -> str | None:
    """Which of the known names of sources is meant by another tool's; None if none is, or several are."""
    numbers = known.numbers if isinstance(known, InterruptSources) else {other: other for other in known}
    if name in numbers:
        return name
    same = [other for other in numbers if bare(other) == bare(name)]
    return same[0] if len({numbers[other] for other in same}) == 1 else None


class InterruptSources(list[str]):
    """The names of a board's application sources, in their order; ``numbers`` has the chip's other interrupts, too."""

    def __init__(self, board: Board) -> None:
        super().__init__(board.application_sources)
        self.numbers = board.named_sources

    def __contains__(self, name: object) -> bool:
        return name in self.numbers


def free(known: Iterable[str], taken: Collection[str | None]) -> list[str]:
    """Those of the application sources whose source no name among ``taken`` means."""
    numbers = known.numbers if isinstance(known, InterruptSources) else {}
    sources = {numbers[name] for name in taken if name in numbers}
    return [name for name in known if name not in taken and numbers.get(name, -1) not in sources]
