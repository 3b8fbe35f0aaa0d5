# SPDX-License-Identifier: Apache-2.0
"""Writing keys into the user's schedule, all or nothing."""

from __future__ import annotations

from pathlib import Path

from carillon.cli.common import Report
from carillon.read.settings import Wanted


def write_settings(path: Path, before: bytes, wanted: Wanted, by_hand: str, report: Report) -> Path | None:
    """Set keys in a schedule (TOML) whose bytes were ``before``, and change nothing else of it.

    None after an error (C350), which says what to write ``by_hand``.
    """
    from carillon.files import write_bytes
    from carillon.read.settings import UnsettableError, with_settings

    if path.read_bytes() != before:
        cause = f"'{path}' has changed during the run, and was not written"
        report.diagnostics.error("C350", None, cause, "run the command again")
        return None
    try:
        made = with_settings(before, wanted)
    except UnsettableError as error:
        cause = f"'{path}' cannot be changed in these keys alone: {error}"
        report.diagnostics.error("C350", None, cause, f"write by hand: {by_hand}")
        return None
    write_bytes(path, made)
    return path
