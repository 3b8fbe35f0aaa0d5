# SPDX-License-Identifier: Apache-2.0
"""The interrupt sources of a board as files of other tools name them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from carillon.model.board import Board


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
