# SPDX-License-Identifier: Apache-2.0
"""Reading: a schedule file becomes the model, or diagnostics that name the place of every error in it."""

from __future__ import annotations

from pathlib import Path

from carillon.diagnostics import Diagnostics
from carillon.model import System
from carillon.read.build import Builder
from carillon.read.shape import fit
from carillon.read.text import parse_toml, read_text

OIL = ".oil"
"""How the name of an OIL file ends."""


def read_schedule(path: Path, diagnostics: Diagnostics, board: str | None = None, clock: int | None = None) -> System | None:
    """Read the schedule or OIL file ``path``.

    ``board`` (a name or a path) overrides the board that it names, ``clock`` (one of the board's, in Hz) its clock.
    Never raises for anything that a file can hold.  If ``diagnostics`` has no error afterwards, the result is
    the whole system.  If it has, the result is what is sound of it, so that ``check`` can find more errors,
    or None; it must not be lowered then.
    """
    if path.suffix.lower() == OIL:
        from carillon.read.oil import read_oil_system

        return read_oil_system(path, diagnostics, board, clock)
    text = read_text(path, diagnostics)
    if text is None:
        return None
    parsed = parse_toml(text, str(path), diagnostics)
    if parsed is None:
        return None
    file, broken = fit(parsed.data, parsed.places, diagnostics)
    return Builder(path, text.digest, parsed.places, broken, diagnostics).build(file, board, clock)
