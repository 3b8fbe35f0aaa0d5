# SPDX-License-Identifier: Apache-2.0
"""The table of stacks of ``carillon analyse``: of each its size, its bound, and what a run has used of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from carillon.show.table import Table

if TYPE_CHECKING:
    from rich.console import Console

    from carillon.model.stacks import StackBound

NOT_BUILT = "Stacks are bounded in the image: build it (carillon build), or run it (--for)."


@dataclass(frozen=True, slots=True)
class StackRow:
    """A stack of ``size`` bytes: ``bound`` are used at most, and a run has ``used`` so many; None: not known, ``why``."""

    name: str
    size: int
    bound: int | None
    why: str | None
    used: int | None


def rows_of(bounds: Iterable[StackBound], used: Mapping[str, int]) -> tuple[StackRow, ...]:
    """Of the stacks of an image that was run."""
    return tuple(StackRow(s.name, s.size, s.bound, s.reason or None, used.get(s.name)) for s in bounds)


def rows_of_json(stacks: Iterable[Mapping[str, Any]]) -> tuple[StackRow, ...]:
    """Of the stacks as a build prints them."""
    return tuple(StackRow(s["name"], s["size"], s["bound"], s["reason"], None) for s in stacks)


def stacks_json(stacks: Sequence[StackRow] | None) -> list[dict[str, Any]] | None:
    """The form that ``--json`` prints; None: no image was looked at."""
    return None if stacks is None else [asdict(stack) for stack in stacks]


def render_stacks(console: Console, stacks: Sequence[StackRow] | None) -> None:
    """Print the table, and below it why bounds are not known."""
    if stacks is None:
        console.print(NOT_BUILT, markup=False)
    if not stacks:
        return
    measured = any(stack.used is not None for stack in stacks)
    rows = Table("stack", "bytes", "used at most", "", *(["used in the run"] if measured else []))
    for stack in stacks:
        fits = "" if stack.bound is None or stack.bound <= stack.size else "MAY OVERFLOW"
        used = ["-" if stack.used is None else str(stack.used)] if measured else []
        rows.add_row(stack.name, str(stack.size), "not known" if stack.bound is None else str(stack.bound), fits, *used)
    rows.print(console)
    for why in dict.fromkeys(stack.why for stack in stacks if stack.why is not None):
        names = ", ".join(f"'{stack.name}'" for stack in stacks if stack.why == why)
        console.print(f"  · no bound is known of {names}: {why}", markup=False)
