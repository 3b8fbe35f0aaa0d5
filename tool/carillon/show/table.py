# SPDX-License-Identifier: Apache-2.0
"""Plain text tables without lines, as rich lays them out, in a fifth of rich's time: a plan has thousands of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carillon.console import heading, verbatim

if TYPE_CHECKING:
    from rich.console import Console


class Table:
    """Columns with two spaces between them; a cell wider than its column is wrapped at words, or within a word."""

    def __init__(self, *titles: str) -> None:
        self._titles = titles
        self._rows: list[tuple[str, ...]] = []

    def add_row(self, *cells: str) -> None:
        """Add a row with a cell for every title; a cell has neither line ends nor tabs."""
        assert len(cells) == len(self._titles)
        self._rows.append(cells)

    def show(self, console: Console, title: str) -> None:
        """Print the table below a title, if it has rows."""
        if self._rows:
            console.print(heading(title))
            self.print(console)

    def print(self, console: Console) -> None:
        """Print the table as wide as its cells are, and at most as wide as ``console``."""
        from rich.text import Text

        last = len(self._titles) - 1
        before = [0 if k == 0 else 1 for k in range(last + 1)]
        after = [0 if k == last else 1 for k in range(last + 1)]
        columns = zip(self._titles, *self._rows, strict=True)
        natural = [b + max(map(_width, cells)) + a for b, a, cells in zip(before, after, columns, strict=True)]
        widths = _narrowed(natural, console.width)
        inner = [w - b - a for w, b, a in zip(widths, before, after, strict=True)]

        def lines(row: tuple[str, ...], bottom: bool = False) -> list[str]:
            cells = [
                [cell] if _width(cell) <= room else [part.plain for part in Text(cell).wrap(console, room, overflow="fold")]
                for cell, room in zip(row, inner, strict=True)
            ]
            height = max(map(len, cells))
            cells = [[""] * (height - len(c)) + c if bottom else c + [""] * (height - len(c)) for c in cells]
            return [
                "".join(
                    " " * b + part + " " * (room - _width(part) + a)
                    for b, a, room, part in zip(before, after, inner, parts, strict=True)
                )
                for parts in zip(*cells, strict=True)
            ]

        console.print(Text("\n".join(lines(self._titles, bottom=True)), "bold"), soft_wrap=True)
        verbatim(console, "\n".join(line for row in self._rows for line in lines(row)))


def _width(text: str) -> int:
    """The columns of a terminal that ``text`` takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _narrowed(widths: list[int], most: int) -> list[int]:
    """``widths`` with a sum of ``most``, or less: the widest columns lose first, down to the next narrower one."""
    while (excess := sum(widths) - most) > 0:
        widest = max(widths)
        step = min(excess, widest - max((w for w in widths if w != widest), default=0))
        if not step:
            break
        sharing, left, narrower = widths.count(widest), excess, []
        for width in widths:
            loss = 0
            if width == widest:
                loss = min(step, round(left / sharing))
                left, sharing = left - loss, sharing - 1
            narrower.append(width - loss)
        widths = narrower
    return widths
