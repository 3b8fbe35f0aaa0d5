# SPDX-License-Identifier: Apache-2.0
"""Whether the CP-SAT solver is installed; a schedule needs it only if the shortcuts do not find its cells."""

from __future__ import annotations


class SolverMissingError(Exception):
    """OR-tools is not installed, or not in a version that has what Carillon calls."""


def version() -> str:
    """The version of OR-tools, without importing it.  Raises :class:`SolverMissingError`."""
    from importlib import metadata  # where nothing is searched, nobody waits for this

    try:
        return metadata.version("ortools")
    except metadata.PackageNotFoundError:
        raise SolverMissingError from None
