# SPDX-License-Identifier: Apache-2.0
"""Marks of a benchmark's application: places in its code, and when a run passed them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from bench.papers.handlers import Handler
from carillon.groups import grouped
from carillon.run.entries import Code, Record

HANDLER = "handler"
RETURNED = "returned"


class Marks:
    """When each mark was passed: instructions, or cycles, as the board counts.

    Beside the application's own there are ``HANDLER``, the first instructions of the handlers that were asked for, and
    ``RETURNED``, the first ones that were executed after any handler.
    """

    def __init__(self, times: dict[str, list[int]]) -> None:
        self._times = times

    @classmethod
    def of(
        cls,
        records: Sequence[Record],
        table: Mapping[str, tuple[int, int]],
        marks: Sequence[str],
        handlers: Iterable[Handler] = (),
    ) -> Marks:
        """What a run recorded; ``table`` has the firmware's symbols.  A mark that is none of them was never passed."""
        at = grouped((entry.value, entry.time) for entry in records if entry.code == Code.MARK)
        times = {mark: at[table[mark][0] & ~1] if mark in table else [] for mark in marks}
        times[HANDLER] = [handler.begin for handler in handlers]
        times[RETURNED] = [entry.time for entry in records if entry.code == Code.EXIT]
        return cls(times)

    def times(self, name: str) -> list[int]:
        """The instructions at which a mark was passed, in order."""
        return self._times[name]

    def since(self, begin: Iterable[str], end: str) -> list[int]:
        """Instructions to each pass of ``end`` from the last of one of ``begin``, which may be the same instruction."""
        begins = sorted(t for name in begin for t in self._times[name])
        return [t - begins[k - 1] for t in self._times[end] if (k := bisect_right(begins, t)) > 0]

    def between(self, begin: str, end: Iterable[str]) -> list[int]:
        """Instructions from each pass of ``begin`` to the next of one of ``end``."""
        ends = sorted(t for name in end for t in self._times[name])
        begins = self._times[begin]
        return [ends[k] - t for t in begins if (k := bisect_right(ends, t)) < len(ends)]
