# SPDX-License-Identifier: Apache-2.0
"""Schedules as Carillon writes them, in TOML."""

from __future__ import annotations

from pathlib import Path

from carillon.diagnostics import Diagnostics
from carillon.model.giotto import Machine
from carillon.read.shape import Tables, fit
from carillon.read.text import parse_toml, read_text
from carillon.sources import Source


def read(source: Source, diagnostics: Diagnostics, _board: str | None, _machine: Machine) -> Tables | None:
    """The tables of a schedule file; None after errors of syntax."""
    assert isinstance(source, Path)
    text = read_text(source, diagnostics)
    parsed = None if text is None else parse_toml(text, str(source), diagnostics)
    if text is None or parsed is None:
        return None
    file, broken = fit(parsed.data, parsed.places, diagnostics)
    return Tables(source, file, broken, parsed.places, text.digest)
