# SPDX-License-Identifier: Apache-2.0
"""The cases of the conformance suite and how one is run.

A case is three files in the folder of its area: ``NAME.toml``, ``NAME.c`` and ``NAME.txt``, which says line by line
what the firmware must say.  The same C runs as several variants: on each board, with each dispatch, and in each status
that the schedule's line ``# statuses:`` names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from building import build
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan
from carillon.run import run

HERE = Path(__file__).parent
BOARDS = ("virtual-ast1030-evb", "ast1030-evb", "mps2-an385", "qemu-rv32-virt")
DISPATCHES = ("hardware", "software")
SOFTWARE_ALONE = frozenset({"qemu-rv32-virt"})
"""Boards whose tasks are dispatched in software, whatever the schedule says."""
RUN_MS = 1000
"""How long a case may take on its board's clock; it ends itself much earlier."""

TOO_BIG = frozenset(
    {
        ("tasks/many", "mps2-an385", "hardware"),
        ("protection/budget_disabled", "qemu-rv32-virt", "software"),
        ("protection/frames", "qemu-rv32-virt", "software"),
        ("protection/services", "qemu-rv32-virt", "software"),
    }
)
"""What does not fit: case, board and dispatch.  Every other case fits every board."""

# More levels than the board has, more tasks than spare sources, no cell for a counter or for budgets.
DOES_NOT_FIT = frozenset({"C160", "C161", "C162", "C183"})


class DoesNotFitError(Exception):
    """The board has too few levels, sources or cells for the case."""


@dataclass(frozen=True, slots=True)
class Case:
    """A case: its area, name and files."""

    area: str
    name: str

    def __str__(self) -> str:
        return f"{self.area}/{self.name}"

    @property
    def schedule(self) -> Path:
        """The schedule."""
        return HERE / self.area / f"{self.name}.toml"

    @property
    def code(self) -> Path:
        """The application."""
        return HERE / self.area / f"{self.name}.c"

    @property
    def expected_file(self) -> Path:
        """What the firmware must say, after the licence's line."""
        return HERE / self.area / f"{self.name}.txt"

    @property
    def statuses(self) -> tuple[str, ...]:
        """The statuses in which the case holds."""
        found = re.search(r"^# statuses: (.+)$", self.schedule.read_text(encoding="utf-8"), re.MULTILINE)
        assert found, f"{self.schedule}: no line '# statuses:'"
        return tuple(found[1].split(", "))

    @property
    def ticks(self) -> bool:
        """Whether it has a counter of the hardware, whose ticks a clock may tell as well."""
        text = self.schedule.read_text(encoding="utf-8")
        return "\ntick = " in text and not any(f"\n{key}" in text for key in ("[time]", "cells = true", "budget = "))

    @property
    def expected(self) -> list[str]:
        """What the firmware must say."""
        lines = self.expected_file.read_text(encoding="utf-8").splitlines()
        return [line for line in lines if not line.startswith("#")]

    @property
    def checks(self) -> list[str]:
        """The names of the checks, in the order in which they are made."""
        return [line.removeprefix("ok ") for line in self.expected if line.startswith("ok ")]


@dataclass(frozen=True, slots=True)
class Variant:
    """A case on a board, with a dispatch, in a status, its counters with ticks or without."""

    case: Case
    board: str
    dispatch: str
    status: str
    tickless: bool = False

    def __str__(self) -> str:
        return f"{self.case}-{self.board}-{self.dispatch}-{self.status}{'-tickless' * self.tickless}"

    @property
    def fits(self) -> bool:
        """Whether the board is big enough."""
        return (str(self.case), self.board, self.dispatch) not in TOO_BIG


def all_cases() -> list[Case]:
    """Every case, by area and name."""
    return [Case(path.parent.name, path.stem) for path in sorted(HERE.glob("*/*.toml"))]


def variants(cases: list[Case], boards: tuple[str, ...] = BOARDS) -> list[Variant]:
    """Every variant of the cases, whether it fits its board or not.

    On emulated boards software dispatch is run in one status: in both its tasks are served alike, while with hardware
    dispatch a task may be its own vector in STANDARD status.
    """
    usual = [
        Variant(case, board, dispatch, status)
        for case in cases
        for board in boards
        for dispatch in DISPATCHES
        if dispatch == "software" or board not in SOFTWARE_ALONE
        for status in (case.statuses if board.startswith("virtual-") or dispatch == "hardware" else case.statuses[:1])
    ]
    return usual + [replace(variant, tickless=True) for variant in usual if variant.case.ticks]


def _written(text: str, key: str, value: str) -> str:
    changed, count = re.subn(rf'^{key} = ".*"$', f'{key} = "{value}"', text, flags=re.MULTILINE)
    assert count == 1, f"'{key}' must be written once, but is {count} times"
    return changed


def write_variant(variant: Variant, folder: Path) -> Path:
    """Write the variant's schedule into ``folder``; its sources stay where they are."""
    text = variant.case.schedule.read_text(encoding="utf-8")
    for key in ("board", "dispatch", "status"):
        text = _written(text, key, getattr(variant, key))
    sources = re.search(r"^sources = \[(.*)\]$", text, re.MULTILINE)
    assert sources, "'sources' must be written"
    names = re.findall(r'"(.*?)"', sources[1])
    paths = ", ".join(f'"{variant.case.schedule.parent / name}"' for name in names)
    text = text.replace(sources[0], f"sources = [{paths}]")
    if variant.tickless:
        clock = "compare" if variant.board == "qemu-rv32-virt" else "one-shot"
        text += f'\n[time]\ntickless = true\nclock = "{clock}"\nuses = []\n'
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{variant.case.name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def run_variant(variant: Variant, folder: Path) -> list[str]:
    """Build and run a variant in ``folder``; returns what the firmware said, line by line.

    Raises :class:`DoesNotFitError` if the board is too small, and :class:`CarillonError` if anything else fails.
    """
    diagnostics = Diagnostics()
    try:
        planned = plan(write_variant(variant, folder), diagnostics)
    except CarillonError as failed:
        errors = [d for d in failed.diagnostics if d.severity.value == "error"]
        if all(d.code in DOES_NOT_FIT for d in errors):
            raise DoesNotFitError("; ".join(d.cause for d in errors)) from None
        raise
    firmware = build(planned.image, folder / "firmware", diagnostics)
    diagnostics.stop_on_errors()
    assert firmware is not None
    ticks = planned.system.clock_hz * RUN_MS // 1000
    trace = run(planned.image, firmware, ticks, diagnostics)
    diagnostics.stop_on_errors()
    assert trace is not None
    return trace.output.splitlines()
