# SPDX-License-Identifier: Apache-2.0
"""``carillon verify``: finds the image of a schedule, and compares the two."""

from __future__ import annotations

from pathlib import Path

from carillon.diagnostics import CarillonError, Diagnostic, Diagnostics
from carillon.model.giotto import Machine
from carillon.pipeline import read_and_check
from carillon.sources import Source
from carillon.verify import Report, verify


def verify_file(
    schedule: Source,
    diagnostics: Diagnostics,
    board: str | None,
    kernel: str,
    out: Path | None,
    elf: Path | None,
    machine: Machine = Machine.MICROCODE,
) -> Report:
    """Compare an image with a schedule; ``elf``: else what ``carillon build`` made in ``out`` or its usual folder.

    Where the schedule leaves the clock to the allocation, the image is compared at each clock that may be.  What is reported is
    of the first at which nothing differs, else of that with the fewest differences.  Raises CarillonError with the schedule's own
    errors, or C209 where there is no image.
    """
    system = read_and_check(schedule, diagnostics, board, machine=machine)
    folder = out or system.file.parent / "build" / system.folder(kernel)
    image = elf or folder / f"{system.name}.elf"
    if not image.is_file():
        raise CarillonError(
            [Diagnostic("C209", None, f"there is no image '{image}'", "build it first: carillon build; or name it with --elf")]
        )
    best: tuple[Report, Diagnostics] | None = None
    clocks = (system.clock_hz, *(() if system.clock_given else system.other_clocks))
    for hz in dict.fromkeys(clocks):
        differences = Diagnostics()
        try:
            at = system if hz == system.clock_hz else read_and_check(schedule, Diagnostics(), board, hz, machine)
        except CarillonError:
            continue  # the board's cells cannot keep the schedule at this clock
        report = verify(at, image, differences, kernel)
        if best is None or len(differences.errors) < len(best[1].errors):
            best = report, differences
        if not differences.errors:
            break
    assert best is not None
    diagnostics.reported += best[1].reported
    return best[0]
